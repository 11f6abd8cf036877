"""Remote files are read as local ones: from a real S3-compatible server and a real web server, both on loopback."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import shutil
import ssl
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar
from urllib.request import BaseHandler
from urllib.response import addinfourl

import pytest

import rankscope as rs
from rankscope import InputError
from rankscope.cli import main
from rankscope.io import remote
from rankscope.io.remote import RemotePath, located

QRELS = b"".join(b"%d 0 d%d %d\n" % (t, d, d % 3 == 0) for t in range(20) for d in range(12))
RUN = b"".join(b"%d Q0 d%d %d %d x\n" % (t, d * 5 % 12, d + 1, 12 - d) for t in range(20) for d in range(12))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of an S3 server, which has a bucket `bed` with judgments and runs."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="the extra remote is not installed")
    import boto3
    import fsspec

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.get_host_and_port()[1]}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        client = boto3.client("s3")
        client.create_bucket(Bucket="bed")
        client.put_object(Bucket="bed", Key="qrels", Body=QRELS)
        for name in ("a.run.gz", "b.run.gz", ".hidden"):
            client.put_object(Bucket="bed", Key=f"runs/{name}", Body=gzip.compress(RUN))
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        yield client
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        client.close()
    server.stop()


@pytest.fixture
def put(store: Any) -> Callable[[str, bytes], str]:
    """Put a file into the bucket; gives its address."""

    def put(key: str, content: bytes) -> str:
        store.put_object(Bucket="bed", Key=key, Body=content)
        return f"s3://bed/{key}"

    return put


@pytest.fixture
def here(tmp_path: Path) -> rs.Judged:
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "a.run").write_bytes(RUN)
    return rs.load(tmp_path / "qrels", tmp_path / "a.run")


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "json", "parquet", "txt.gz", "csv.xz", "json.bz2"])
def test_every_format(put: Callable[[str, bytes], str], here: rs.Judged, tmp_path: Path, ending: str) -> None:
    for key, write, source in (("qrels", rs.write_qrels, "qrels"), ("run", rs.write_run, "a.run")):
        read = rs.read_qrels if key == "qrels" else rs.read_run
        write(tmp_path / f"{key}.{ending}", read(tmp_path / source))
        put(f"formats/{key}.{ending}", (tmp_path / f"{key}.{ending}").read_bytes())
    there = rs.load(f"s3://bed/formats/qrels.{ending}", f"s3://bed/formats/run.{ending}")
    assert there.systems == ("run",)
    assert there.code.tobytes() == here.code.tobytes()
    assert there.available.tobytes() == here.available.tobytes()


def test_patterns_and_folders(store: Any) -> None:
    for runs in ("s3://bed/runs/*.gz", "s3://bed/runs", "s3://bed/runs/", ["s3://bed/runs/[a-b].run.gz"]):
        assert rs.load("s3://bed/qrels", runs).systems == ("a", "b")
    by_path = rs.load("s3://bed/qrels", "s3://bed/runs/a.run.gz", names="path")
    assert by_path.systems == ("s3://bed/runs/a",)


def test_a_folder_of_parquet_is_one_run(put: Callable[[str, bytes], str], here: rs.Judged, tmp_path: Path) -> None:
    import polars as pl

    rs.write_run(tmp_path / "run.parquet", rs.read_run(tmp_path / "a.run"))
    table = pl.read_parquet(tmp_path / "run.parquet")
    for part, rows in enumerate((table[:100], table[100:])):
        rows.write_parquet(tmp_path / "part.parquet")
        put(f"whole.parquet/part-{part}.parquet", (tmp_path / "part.parquet").read_bytes())
    there = rs.load("s3://bed/qrels", "s3://bed/whole.parquet")
    assert there.systems == ("whole",)
    assert there.code.tobytes() == here.code.tobytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_bytes_are_fetched_once_in_pieces(
    put: Callable[[str, bytes], str], monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    import s3fs

    monkeypatch.setattr(remote, "PIECE", 100)
    content = pack(RUN)
    address = put("pieces/run", content)
    fetched: list[tuple[int, int]] = []
    fetch = s3fs.core.S3File._fetch_range

    def watched(self: Any, start: int, end: int) -> Any:
        fetched.append((start, end))
        return fetch(self, start, end)

    monkeypatch.setattr(s3fs.core.S3File, "_fetch_range", watched)
    assert len(rs.read_run(address).score) == 240
    assert fetched == [(start, start + 100) for start in range(0, len(content), 100)]


def test_larger_than_memory(put: Callable[[str, bytes], str], here: rs.Judged, tmp_path: Path) -> None:
    rs.write_run(tmp_path / "run.parquet", rs.read_run(tmp_path / "a.run"))
    scores = rs.evaluate(here, "AP").value
    for address in (
        put("stream/a.run", RUN),
        put("stream/b.run.gz", gzip.compress(RUN)),
        put("stream/c.parquet", (tmp_path / "run.parquet").read_bytes()),
    ):
        streamed = rs.evaluate(rs.stream("s3://bed/qrels", address, memory="8GiB"), "AP")
        assert streamed.value.tobytes() == scores.tobytes()


def test_problems_have_address_and_line(put: Callable[[str, bytes], str]) -> None:
    with pytest.raises(rs.InputError, match=r"^s3://bed/bad/x.run:241: 1 field, expected 6"):
        rs.load("s3://bed/qrels", put("bad/x.run", RUN + b"oops\n"))
    with pytest.raises(rs.InputError, match=r"^s3://bed/bad/y.csv:3: score 'high' is no finite number"):
        rs.load("s3://bed/qrels", put("bad/y.csv", b"query_id,doc_id,score\n1,d1,2\n1,d2,high\n"))
    with pytest.raises(rs.InputError, match=r"^s3://bed/bad/z.gz: damaged or truncated gzip file"):
        rs.load("s3://bed/qrels", put("bad/z.gz", gzip.compress(RUN)[:-9]))


@pytest.mark.parametrize(
    ("address", "cause"),
    [
        ("s3://bed/none.run", "no such file"),
        ("s3://no-bucket-of-this-name/x.run", "no such file"),
        ("s3://bed/none/*.gz", "no file matches this pattern"),
    ],
)
def test_what_is_not_there(store: Any, address: str, cause: str) -> None:
    with pytest.raises(rs.InputError) as raised:
        rs.load("s3://bed/qrels", address)
    (problem,) = raised.value.problems
    assert (problem.place, problem.cause) == (address, cause)


def test_a_file_that_changes_while_it_is_read(
    put: Callable[[str, bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "PIECE", 1000)
    address = put("changing.run", RUN)
    with located(address).open("rb", 0) as file:
        file.read(10)
        put("changing.run", RUN.replace(b"x", b"y"))
        with pytest.raises(rs.InputError, match=r"^s3://bed/changing.run: cannot be read"):
            file.readall()


def test_without_credentials(store: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import fsspec

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    try:
        with pytest.raises(rs.InputError, match="or set FSSPEC_S3_ANON=true for a public bucket"):
            rs.load("s3://bed/qrels", "s3://bed/runs/a.run.gz")
    finally:
        fsspec.get_filesystem_class("s3").clear_instance_cache()


@pytest.mark.parametrize("scheme", ["s3", "gs"])
def test_without_the_extra(scheme: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    assert main(["evaluate", f"{scheme}://bed/qrels", f"{scheme}://bed/runs/a.run.gz"]) == 2
    message = capsys.readouterr().err
    assert f"{scheme}:// needs the package {remote.STORES[scheme]}" in message
    assert "pip install 'rankscope[remote]'" in message


def test_google_storage_goes_the_same_way(monkeypatch: pytest.MonkeyPatch, here: rs.Judged) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/bed/qrels": QRELS, "/bed/runs/a.run": RUN})
    monkeypatch.setattr(fsspec, "filesystem", lambda scheme, **_: memory if scheme == "gs" else None)
    for pattern in ("gs://bed/runs/a.run", "gs://bed/runs/*"):
        monkeypatch.setattr(memory, "_strip_protocol", lambda path: "/" + str(path).removeprefix("gs://").strip("/"))
        there = rs.load("gs://bed/qrels", pattern)
        assert there.code.tobytes() == here.code.tobytes()
    memory.rm("/bed", recursive=True)


class _Files(BaseHTTPRequestHandler):
    """A web server without ranges; one file breaks off, one leads elsewhere."""

    asked: list[str]
    moved: ClassVar = {
        "/moved.run": "https://127.0.0.1:9/a.run?signature=k3y",
        "/elsewhere.run": "http://127.0.0.2:9/a.run?signature=k3y",
        "/near.run": "/a.run?version=2",
        "/twice.run": "/elsewhere.run",
    }

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        name = self.path.partition("?")[0]
        content = {"/qrels": QRELS, "/a.run": RUN, "/b run.gz": gzip.compress(RUN), "/short.run": RUN}.get(
            name.replace("%20", " ")
        )
        if name in self.moved:
            self.send_response(302)
            self.send_header("Location", self.moved[name])
            self.end_headers()
        elif content is None:
            self.send_error(404 if name != "/secret" else 403)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[:3000] if name == "/short.run" else content)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(certificate: Path | None = None) -> Iterator[str]:
    """The address of a web server; with a certificate and its key in one file, it speaks TLS."""
    with pytest.MonkeyPatch.context() as patch, ThreadingHTTPServer(("127.0.0.1", 0), _Files) as server:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        _Files.asked = []
        thread = threading.Thread(target=server.serve_forever, args=[0.01])  # how often it looks
        thread.start()
        yield f"http{'' if certificate is None else 's'}://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture
def web() -> Iterator[str]:
    with served() as address:
        yield address


def certificate(folder: Path, host: str) -> Path:
    """A certificate for a host, signed by itself, and its key in one file."""
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("openssl is not installed")
    path = folder / f"{host}.pem"
    line = f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN={host}"
    names = "IP:" + host if host[0].isdigit() else "DNS:" + host
    words = [*line.split(), "-addext", f"subjectAltName={names}", "-keyout", str(path), "-out", str(folder / "own")]
    subprocess.run([openssl, *words], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + (folder / "own").read_bytes())
    return path


def test_a_web_server_with_a_certificate(here: rs.Judged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = certificate(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))  # whom this process trusts
    with served(path) as web:
        there = rs.load(f"{web}/qrels", [f"{web}/a.run", f"{web}/near.run"], names="path")
        assert there.systems == (f"{web}/a", f"{web}/near")
        assert [system.tobytes() for system in there.code] == 2 * [here.code.tobytes()]
        with pytest.raises(InputError, match=r"short\.run: ended after 3,000 of"):
            rs.load(f"{web}/qrels", f"{web}/short.run")


@pytest.mark.parametrize(("host", "trusted"), [("127.0.0.1", False), ("example.org", True)])
def test_a_certificate_that_is_not_trusted_or_of_another_host(
    host: str, trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = certificate(tmp_path, host)
    monkeypatch.setenv("SSL_CERT_FILE", str(path if trusted else tmp_path / "none"))
    with served(path) as web:
        assert main(["evaluate", f"{web}/qrels", f"{web}/a.run"]) == 2
        assert "certificate verify failed" in capsys.readouterr().err
        assert _Files.asked == []


def test_a_web_server_is_asked_once_for_each_file(web: str, here: rs.Judged) -> None:
    there = rs.load(f"{web}/qrels", [f"{web}/a.run?version=2", f"{web}/b%20run.gz"])
    assert there.systems == ("a", "b run")
    assert there.code[0].tobytes() == there.code[1].tobytes() == here.code[0].tobytes()
    assert sorted(_Files.asked) == ["/a.run?version=2", "/b%20run.gz", "/qrels"]


def test_commands_that_read_twice_fetch_once(web: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", f"{web}/qrels", f"{web}/a.run"]) == 0
    assert sorted(_Files.asked) == ["/a.run", "/qrels"]
    _Files.asked.clear()
    assert main(["compare", f"{web}/qrels", f"{web}/a.run", f"{web}/b%20run.gz"]) == 0
    assert sorted(_Files.asked) == ["/a.run", "/b%20run.gz", "/qrels"]


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("none.run", "no such file"),
        ("secret", "cannot be read (forbidden)"),
        ("short.run", f"ended after 3,000 of {len(RUN):,} bytes"),
        ("moved.run", "leads to https://127.0.0.1:9/a.run: another scheme"),
        ("elsewhere.run", "leads to http://127.0.0.2:9/a.run: http:// can be changed on its way"),
        ("twice.run", "leads to http://127.0.0.2:9/a.run: http:// can be changed on its way"),
        ("*.run", "a web server lists no files"),
    ],
)
def test_what_a_web_server_refuses(web: str, name: str, cause: str) -> None:
    with pytest.raises(rs.InputError) as raised:
        rs.load(f"{web}/qrels", f"{web}/{name}")
    (problem,) = raised.value.problems
    assert (problem.place, problem.cause) == (f"{web}/{name}", cause)


def test_a_redirect_on_the_same_server(web: str, here: rs.Judged) -> None:
    assert rs.load(f"{web}/qrels", f"{web}/near.run").code.tobytes() == here.code.tobytes()
    assert "/a.run?version=2" in _Files.asked


class _Hops(BaseHandler):
    """Servers of https and http that are not there: each address leads to the next, the last one is a file."""

    handler_order = 100

    def __init__(self, hops: list[str]) -> None:
        self.hops = dict(pairwise(hops))

    def _answer(self, request: Any) -> Any:
        headers = Message()
        if request.full_url in self.hops:
            headers["Location"] = self.hops[request.full_url]
        answer = addinfourl(io.BytesIO(QRELS), headers, request.full_url, 302 if headers else 200)
        answer.msg, answer.length = "", len(QRELS)  # type: ignore[attr-defined]
        return answer

    http_open = https_open = _answer


@pytest.mark.parametrize(
    ("hops", "passes"),
    [
        (["https://a.org/q", "https://b.org/q", "https://c.org/q"], True),
        (["https://a.org/q", "http://b.org/q", "https://c.org/q"], False),
        (["https://a.org/q", "http://127.0.0.1/q", "https://c.org/q"], False),
        (["https://a.org/q", "ftp://a.org/q"], False),
    ],
)
def test_every_address_of_a_redirect_is_looked_at(
    hops: list[str], passes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = urllib.request.build_opener
    monkeypatch.setattr(urllib.request, "build_opener", lambda *handlers: build(*handlers, _Hops(hops)))
    if passes:
        assert len(rs.read_qrels(hops[0]).grade) == 240
        return
    with pytest.raises(rs.InputError, match=rf"^{hops[0]}: leads to {hops[1]}: "):
        rs.read_qrels(hops[0])


@pytest.mark.parametrize("query", ["?signature=k3y", "?a/b=k3y#k3y", "?x=a b k3y"])
@pytest.mark.parametrize("name", ["none.run", "secret", "short.run", "moved.run", "*.run", "qrels"])
def test_messages_leave_out_the_query(web: str, name: str, query: str, capsys: pytest.CaptureFixture[str]) -> None:
    for options in ([], ["--names", "path"], ["--memory", "8GiB"]):
        assert main(["evaluate", f"{web}/qrels", f"{web}/{name}{query}", *options]) == 2
        message = "".join(capsys.readouterr())
        assert f"{web}/{name}" in message
        assert "k3y" not in message
    for read in (rs.read_run, rs.read_scores):
        with pytest.raises(rs.InputError) as raised:
            read(f"{web}/{name}{query}")
        assert "k3y" not in str(raised.value)


def test_names_leave_out_the_query(web: str) -> None:
    assert rs.load(f"{web}/qrels", f"{web}/a.run?key=x/y", names="path").systems == (f"{web}/a",)
    assert "/a.run?key=x/y" in _Files.asked


def test_patterns_are_looked_for_in_the_path() -> None:
    for address, pattern in {
        "http://[::1]:80/x": False,
        "https://example.org/x?key=*[": False,
        "http://[::1]:80/*": True,
        "https://example.org/[ab].run": True,
    }.items():
        assert RemotePath(address).is_pattern() is pattern
    with pytest.raises(rs.InputError, match=r"^http://\[::1/x: is no address"):
        rs.read_qrels("http://[::1/x")


def test_plain_http_is_refused_but_on_this_machine() -> None:
    with pytest.raises(rs.InputError, match=r"^http://example\.org/qrels: http:// can be changed on its way"):
        rs.read_qrels("http://example.org/qrels")


def test_paths_travel_and_compare() -> None:
    path = located("https://example.org/runs/a%20b.run.gz?key=1")
    assert isinstance(path, RemotePath)
    assert (path.name, path.suffix, str(path)) == ("a b.run.gz", ".gz", "https://example.org/runs/a%20b.run.gz")
    assert path.address.endswith("?key=1")
    assert pickle.loads(pickle.dumps(path)) == path == located(path)
    assert os.fspath(path.absolute()) == str(path)
    assert path != located("https://example.org/runs/a%20b.run.gz")
    assert type(located("runs/a.run")) is type(Path())
