"""Files of object stores (`s3://`, `gs://`) and of web servers (`https://`), as paths that readers open like any other.

A file is read once, from front to back, in pieces; the next piece is fetched while one is used. Object stores need the
extra `remote`, and are asked with the credentials that s3fs and gcsfs find. Nothing is written there.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from rankscope.arguments import extra
from rankscope.errors import InputError, Problem
from rankscope.formatting import without_secrets

if TYPE_CHECKING:
    from concurrent.futures import Future

STORES = {"s3": "s3fs", "gs": "gcsfs"}  # by scheme, the package that reads it
WEB = ("https", "http")
EXTRA = "pip install 'rankscope[remote]'"
PIECE = 8 << 20  # bytes fetched at a time
HEAD = 1 << 12  # the same, of a file that is only looked at
ANSWERS = 60  # seconds that a web server has to answer
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_remote(path: object) -> bool:
    """Whether a path is the address of a remote file.

    >>> is_remote("s3://bucket/runs/*.gz"), is_remote("runs/bm25.gz")
    (True, False)
    """
    scheme, mark, _ = str(path).partition("://")
    return bool(mark) and scheme in (*STORES, *WEB)


def located(path: str | os.PathLike[str]) -> Path:
    """A path, of a remote file where it is the address of one."""
    if isinstance(path, Path):
        return path
    return RemotePath(os.fspath(path)) if is_remote(path) else Path(path)


class RemotePath(type(Path())):  # type: ignore[misc]  # the class of paths on this system
    """Address of a remote file, with those methods of a path by which files are found and read."""

    def __new__(cls, address: str) -> RemotePath:
        try:
            at = urlsplit(address)
        except ValueError:  # half of an IPv6 address
            raise InputError(Problem("is no address", "check the address", address)) from None
        web = at.scheme in WEB
        self: RemotePath = super().__new__(cls, unquote(at.path) if web else address)
        self.address, self.scheme = address, at.scheme
        if at.scheme == "http" and at.hostname not in LOOPBACK:
            cure = "use https://, or fetch the file first"
            raise InputError(Problem("http:// can be changed on its way", cure, address))
        return self

    def __init__(self, address: str) -> None:
        if hasattr(Path, "with_segments"):  # from Python 3.12 on, parts are set here
            super().__init__(unquote(urlsplit(address).path) if self.scheme in WEB else address)

    def __str__(self) -> str:
        """The address as messages show it: signed links have secrets in their query."""
        return without_secrets(self.address)

    def __reduce__(self) -> tuple[Any, ...]:
        return RemotePath, (self.address,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemotePath) and self.address == other.address

    def __hash__(self) -> int:
        return hash(self.address)

    def with_name(self, name: str) -> RemotePath:
        return RemotePath(f"{str(self).rpartition('/')[0]}/{name}")

    def absolute(self) -> RemotePath:
        return self

    @property
    def store(self) -> Any:
        """The file system of an object store."""
        package = STORES[self.scheme]
        missing = Problem(f"{self.scheme}:// needs the package {package}", EXTRA, self.address)
        fsspec = extra("fsspec", missing)
        try:
            return fsspec.filesystem(self.scheme, use_listings_cache=False)
        except ImportError:
            extra(package, missing)
            raise

    @cached_property
    def about(self) -> dict[str, Any] | None:
        """Kind and size, None where nothing is there; a web server is asked when the file is opened."""
        if self.scheme in WEB:
            return {"type": "file"}
        with answers(self):
            try:
                about: dict[str, Any] = self.store.info(self.address)
                return about
            except FileNotFoundError:
                return None

    def exists(self, **_: Any) -> bool:
        return self.about is not None

    def is_dir(self, **_: Any) -> bool:
        return self.about is not None and self.about["type"] == "directory"

    def is_file(self, **_: Any) -> bool:
        return self.about is not None and self.about["type"] == "file"

    def is_fifo(self) -> bool:
        return False

    def stat(self, **_: Any) -> os.stat_result:
        size = (self.about or {}).get("size")
        if size is None:
            raise OSError("its size is not known before it is read")
        return _sized(size)

    def iterdir(self) -> Iterator[RemotePath]:
        yield from self._listed(self.address.rstrip("/") + "/*")

    def is_pattern(self) -> bool:
        if self.scheme in WEB:  # the host may be an IPv6 address in brackets, and a query has any letters
            return any(c in urlsplit(self.address).path for c in "*[")
        return any(c in self.address for c in "*?[")

    def matches(self) -> list[RemotePath]:
        """Files that match the address as a pattern."""
        if self.scheme in WEB:
            raise InputError(Problem("a web server lists no files", "name each file", self.address))
        return self._listed(self.address)

    def _listed(self, pattern: str) -> list[RemotePath]:
        with answers(self):
            listed = self.store.glob(pattern, detail=True)
        paths = []
        for name, about in sorted(listed.items()):
            if about["type"] == "file":
                path = RemotePath(f"{self.scheme}://{name}")
                path.about = about
                paths.append(path)
        return paths

    def open(self, mode: str = "rb", buffering: int = -1, **_: Any) -> RemoteFile:
        """The file, to be read; without a buffer (0) in large pieces, else in small ones, for a look at its head."""
        assert mode == "rb"
        with answers(self):
            if self.scheme not in WEB:
                stream = self.store.open(self.address, "rb", cache_type="none")
                return RemoteFile(self, stream, stream.size, HEAD if buffering else PIECE)
            stream = _opener(self).open(self.address, timeout=ANSWERS)  # the scheme is https, or http on this machine
            return RemoteFile(self, stream, stream.length, HEAD if buffering else PIECE)


def _opener(path: RemotePath) -> Any:
    """What opens the address of a web server, and refuses a redirect to where the path may not lead."""
    from urllib.request import HTTPRedirectHandler, build_opener

    class Redirects(HTTPRedirectHandler):
        def redirect_request(self, request: Any, answer: Any, code: Any, text: Any, headers: Any, address: str) -> Any:
            try:
                if RemotePath(address).scheme != path.scheme:
                    raise InputError(Problem("another scheme", "name the address of the file itself", address))
            except InputError as error:
                answer.close()
                (problem,) = error.problems
                raise InputError(Problem(f"leads to {problem}", problem.cure, str(path))) from None
            return super().redirect_request(request, answer, code, text, headers, address)

    return build_opener(Redirects)


class RemoteFile(io.RawIOBase):
    """A remote file that is read from front to back.

    stream  gives the next bytes
    size    of the file, None where the server does not say
    piece   bytes fetched at a time
    """

    def __init__(self, path: RemotePath, stream: Any, size: int | None, piece: int) -> None:
        self.path, self.size, self._stream, self._length = path, size, stream, piece
        from concurrent.futures import ThreadPoolExecutor

        self._aside = ThreadPoolExecutor(1, "remote")
        self._coming: Future[bytes] | None = None
        self._piece, self._fetched = memoryview(b""), 0

    def about(self) -> os.stat_result:
        return _sized(self.size or 0)

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        if not self._piece:
            self._piece = memoryview(self._next())
        taken = self._piece[: len(room)]
        room[: len(taken)] = taken
        self._piece = self._piece[len(taken) :]
        return len(taken)

    def _next(self) -> bytes:
        """The next piece, b"" at the end; a file that ends early is an error."""
        if self._fetched == self.size:
            return b""
        with answers(self.path):
            piece: bytes = self._stream.read(self._length) if self._coming is None else self._coming.result()
        self._fetched += len(piece)
        if not piece and self.size is not None:
            cause = f"ended after {self._fetched:,} of {self.size:,} bytes"
            raise InputError(Problem(cause, "try again", str(self.path)))
        if piece and self._length == PIECE and self._fetched != self.size:
            self._coming = self._aside.submit(self._stream.read, self._length)
        return piece

    def close(self) -> None:
        if not self.closed:
            self._aside.shutdown(wait=True, cancel_futures=True)
            self._stream.close()
        super().close()


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """The file, or a copy on this machine of a remote one, for readers that look here and there in it."""
    if not isinstance(path, RemotePath):
        yield path
        return
    from shutil import copyfileobj
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        with path.open("rb", 0) as source, copy.open("wb") as target:
            copyfileobj(source, target, PIECE)
        yield copy


def _sized(size: int) -> os.stat_result:
    """What the system says of a file, as far as it is known of a remote one."""
    return os.stat_result((0, 0, 0, 0, 0, 0, size, 0, 0, 0))


@contextmanager
def answers(path: RemotePath) -> Iterator[None]:
    """Say what a store or server refused, with the address."""
    try:
        yield
    except (InputError, FileNotFoundError):
        raise
    except Exception as error:  # each package has its own kinds
        if isinstance(error, OSError) and hasattr(error, "close"):
            error.close()  # an answer of a web server
        if getattr(error, "code", None) == 404:
            raise FileNotFoundError(str(path)) from error
        reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        if type(error).__name__ == "InvalidURL":  # its message repeats the address
            reason = "no valid address"
        reason = " ".join(str(reason).split()).lower() or type(error).__name__
        raise InputError(Problem(f"cannot be read ({reason})", _cure(path, error), str(path))) from error


def _cure(path: RemotePath, error: Exception) -> str:
    if path.scheme in WEB:
        return "check the address"
    if "credential" in f"{type(error).__name__} {error}".lower():
        anonymous = f"FSSPEC_{path.scheme.upper()}_{'ANON=true' if path.scheme == 's3' else 'TOKEN=anon'}"
        return f"give credentials as {STORES[path.scheme]} takes them, or set {anonymous} for a public bucket"
    return "check the address and who may read it"
