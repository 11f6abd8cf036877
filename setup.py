"""The one part of the build that pyproject.toml cannot say: an extension that may fail to build."""

import sys

from setuptools import Extension, setup

core = Extension(
    "rankscope.kernels._core",
    [f"src/rankscope/kernels/{name}.c" for name in ("_core", "_pairs", "_inversions", "_steps")],
    extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-std=c11"],
    py_limited_api=True,
    optional=True,  # without a compiler the numpy twin does the same work, more slowly
)
setup(ext_modules=[core], options={"bdist_wheel": {"py_limited_api": "cp311"}})
