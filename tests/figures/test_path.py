"""The path of two lists: its title."""

from drawings import QUIET

from rankscope import preferences

pytestmark = QUIET


def test_the_path_says_in_its_title_what_its_marks_say():
    found = preferences.serps([("0101", "1001"), ("1001", "0110")], topics=["one", "two"])
    chart = found.plot("path", pair="two")
    assert chart.table["outcome"] == ["A ahead", "A ahead", "undecided", "undecided"]
    assert chart.title == "Undecided from rank 3 on: A is ahead first, at rank 1, and B at rank 3"
    assert chart.caption == (
        "IPSO of A against B, pair two; colours: who has been ahead down to this rank (IPSO compares two lists without "
        "a metric); undecided: each has been ahead somewhere"
    )
    assert chart.spec["vconcat"][0]["layer"][1]["encoding"]["y"]["title"][0] == "relevant documents"
