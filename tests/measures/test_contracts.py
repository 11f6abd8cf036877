"""What every measure promises, the user's own included."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankscope.measures import MEASURES, measure
from rankscope.measures.explanations.bibliography import entries

EXAMPLE = {"none": "{}", "optional": "{}", "required": "{}@3", "recall": "{}@0.5"}
ALL = [EXAMPLE[m.cutoff_rule].format(name) for name, m in MEASURES.items()]
ALL += [f"{name}@3" for name, m in MEASURES.items() if m.cutoff_rule == "optional"]
ALL += ['nDCG(dcg="exp-log2")', "DCG(base=10)", 'RBP(p=0.5, gain="linear")', 'ERR(gain="linear")@5', "AP(rel=2)"]

grades = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, np.nan])
lists = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 7)), elements=grades)
POOL = np.repeat([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0], 7)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=40, deadline=None)
@given(gains=lists)
def test_stacking_lists_changes_nothing(name, gains):
    one_by_one = [float(measure(name).score(row, POOL)) for row in gains]
    np.testing.assert_array_equal(measure(name).score(gains, POOL), one_by_one)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=40, deadline=None)
@given(gains=lists)
def test_values_stay_within_bounds(name, gains):
    scores = measure(name).score(gains, POOL)
    low, high = measure(name).bounds
    assert (scores >= low).all()
    assert (scores <= high + 1e-12).all()


LENGTH_COUNTS = "RBPResidual|Set[PFA]|SetRelP|Judged|NumRet|Rndcg|utility|unj|Accuracy|Compat"


@pytest.mark.parametrize("name", [n for n in ALL if not re.match(LENGTH_COUNTS, n)])
@settings(max_examples=40, deadline=None)
@given(gains=lists, extra=st.integers(1, 300))
def test_a_longer_array_has_the_same_bits(name, gains, extra):
    """What follows in the array, here unjudged documents, cannot change a sum in its last digit."""
    longer = np.concatenate([gains, np.full((len(gains), extra), np.nan)], axis=1)
    np.testing.assert_array_equal(measure(name).score(gains, POOL), measure(name).score(longer, POOL))


@pytest.mark.parametrize("name", MEASURES)
def test_records_are_complete(name):
    record = MEASURES[name]
    assert record.name == name
    for field in ("formula", "user_model", "reference", "oracle"):
        assert getattr(record, field), field
    assert record.bounds[0] < record.bounds[1]
    assert record.kernel.__doc__


def test_every_reference_is_in_the_bibliography():
    assert {m.reference for m in MEASURES.values()} <= set(entries())
