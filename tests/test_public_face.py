"""The public face is a list, and each name on it is there."""

import ast
import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import rankscope


def test_every_public_name_is_there():
    for name in rankscope.__all__:
        assert getattr(rankscope, name) is not None
    assert dir(rankscope) == rankscope.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        rankscope.nothing  # noqa: B018 the access is the test


@pytest.mark.parametrize("room", ["", ".comparisons", ".io", ".measures", ".simulation", ".statistics", ".universe"])
def test_type_checkers_see_the_public_names(room):
    package = importlib.import_module(f"rankscope{room}")
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [*tree.body, *checked.body]
    public = {alias.asname for node in imports if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert (public - {None}) | functions == set(package.__all__)
    for name in package.__all__:
        assert getattr(package, name) is not None


MODULES = [m.name for m in pkgutil.walk_packages(rankscope.__path__, "rankscope.") if "__main__" not in m.name]


@pytest.mark.parametrize("name", [m for m in MODULES if not m.endswith("_core")])
def test_doctests(name):
    module = pytest.importorskip(name) if name.endswith("compiled") else importlib.import_module(name)
    from rankscope.measures import MEASURES

    before = dict(MEASURES)
    try:
        assert doctest.testmod(module).failed == 0
    finally:
        MEASURES.clear()
        MEASURES.update(before)
