"""Names of a package that are imported when they are first used, so that a command imports only what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package. `names` are those of each module of it, with blanks between them.

    A name must not be that of a module of the package: once imported, that would take its place.
    """
    homes = {name: f"{package}.{module}" for module, several in names.items() for name in several.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
