"""The public face is a list, and each name on it is there."""

import doctest
import importlib
import pkgutil

import pytest

import rankscope


def test_every_public_name_is_there():
    for name in rankscope.__all__:
        assert getattr(rankscope, name) is not None
    assert set(rankscope._HOMES) | {"__version__"} == set(rankscope.__all__)
    assert dir(rankscope) == rankscope.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        rankscope.nothing  # noqa: B018 the access is the test


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
