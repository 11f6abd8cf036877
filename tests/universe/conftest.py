"""What the tests of this room share."""

import pytest

from rankscope import register
from rankscope.measures import MEASURES


@pytest.fixture
def own():
    """Registers measures of one's own, forgotten afterwards."""
    before = dict(MEASURES)
    yield register
    MEASURES.clear()
    MEASURES.update(before)
