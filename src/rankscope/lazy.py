"""Names of a package that are imported when they are first used, so that a command imports only what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(
    package: str, names: Mapping[str, str], others: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package.

    names   those of each module of the package, with blanks between them; the module's own name is the module itself
    others  public names that the package has at once

    No other name may be that of a module of the package: once imported, the module would take its place. Type checkers
    read the same names in the branch `if TYPE_CHECKING`, as `from module import name as name`.
    """
    homes = {name: module for module, several in names.items() for name in several.split()}
    public = sorted({*homes, *others.split()})

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{homes[name]}")
        value = module if name == homes[name] else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: public, public
