"""Data inside a page: small, and never text that a browser could take for anything else."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.results import finite


def packed(data: bytes) -> str:
    """Bytes as the page unpacks them: deflate without a header, in base64.

    >>> zlib.decompress(base64.b64decode(packed(b"grades")), -15)
    b'grades'
    """
    squeezed = zlib.compressobj(6, zlib.DEFLATED, -15)  # 9 takes ten times as long and saves a hundredth of a page
    return base64.b64encode(squeezed.compress(data) + squeezed.flush()).decode()


def packed_json(value: Any) -> str:
    """A plain value, packed."""
    return packed(json.dumps(finite(value), separators=(",", ":"), allow_nan=False).encode())


def packed_array(array: NDArray[Any]) -> str:
    """Numbers, packed byte by byte: all first bytes, all second bytes and so on, which are alike among themselves."""
    plain = np.ascontiguousarray(array)
    little = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
    planes = little.view(np.uint8).reshape(-1, plain.dtype.itemsize).T
    return packed(np.ascontiguousarray(planes).tobytes())
