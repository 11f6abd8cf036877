"""Data inside a page: small, and never text that a browser could take for anything else."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.results import finite

_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f]")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def packed(data: bytes) -> str:
    """Bytes as the page unpacks them: deflate without a header, in base64.

    >>> zlib.decompress(base64.b64decode(packed(b"grades")), -15)
    b'grades'
    """
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(squeezed.compress(data) + squeezed.flush()).decode()


def packed_json(value: Any) -> str:
    """A plain value, packed."""
    return packed(_json(value).encode())


def packed_array(array: NDArray[Any]) -> str:
    """Numbers, packed byte by byte: all first bytes, all second bytes and so on, which are alike among themselves."""
    plain = np.ascontiguousarray(array)
    little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    planes = little.view(np.uint8).reshape(-1, plain.dtype.itemsize).T
    return packed(np.ascontiguousarray(planes).tobytes())


def script_json(value: Any) -> str:
    """A plain value for a script element, which nothing inside can close.

    >>> script_json("</script>")
    '"\\\\u003c/script>"'
    """
    return _json(value).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def plain(text: str) -> str:
    """Text that a page can hold: bytes that are no UTF-8, and letters that control, are shown as escapes.

    >>> print(plain("caf\\udce9 \\0"))
    caf\\udce9 \\x00
    """
    return _CONTROL.sub(
        lambda character: f"\\x{ord(character[0]):02x}", text.encode("utf-8", "backslashreplace").decode()
    )


def visible(text: str) -> str:
    """Text for a sentence: letters that turn its direction round are shown as escapes, so that they turn nothing.

    >>> print(visible("a \u202e b"))
    a \u202e b
    """
    return _TURNING.sub(lambda character: f"\\u{ord(character[0]):04x}", plain(text))


def _json(value: Any) -> str:
    return plain(json.dumps(finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False))
