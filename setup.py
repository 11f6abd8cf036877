"""The one part of the build that pyproject.toml cannot say: an extension that may fail to build."""

import sys
from pathlib import Path
from zlib import crc32

from setuptools import Extension, setup

SOURCES = [f"src/rankscope/kernels/{name}.c" for name in ("_core", "_inversions", "_pairs", "_ratio", "_steps")]
core = Extension(
    "rankscope.kernels._core",
    SOURCES,
    # the core tells the sources that it was built from, so that an old one beside newer sources is not used
    define_macros=[("SOURCES", str(crc32(b"".join(Path(source).read_bytes() for source in SOURCES)) >> 1))],
    extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-std=c11"],
    py_limited_api=True,
    optional=True,  # without a compiler the numpy twin does the same work, more slowly
)
setup(ext_modules=[core], options={"bdist_wheel": {"py_limited_api": "cp311"}})
