"""Results, figures and progress in a real kernel."""

import base64
import re

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
pytest.importorskip("ipykernel", reason="needs ipykernel")
nbformat = pytest.importorskip("nbformat", reason="needs nbformat")

CELLS = (
    "import warnings; warnings.simplefilter('ignore')\n"
    "import rankscope as rs\n"
    "judged = rs.load(*rs.simulation.embedded())",
    "rs.evaluate(judged, ['AP'])",
    "rs.rank(judged, measure='nDCG@10')",
    "rs.rank(judged, measure='nDCG@10').plot()",
    "found = rs.studies.similarity(judged, ['AP', 'RR', 'P@10'], progress=rs.Bar())",
    "rs.universe.disagreement(['AP', 'RR'], depth=6, progress=rs.Bar('<i>'));",
    "import sys; sys.modules['vl_convert'] = None\nrs.rank(judged, measure='nDCG@10')",
)


@pytest.fixture(scope="module")
def outputs():
    """What each cell of a notebook shows."""
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(nb, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in nb.cells]


def _only(shown):
    (output,) = shown
    assert output.output_type in ("execute_result", "display_data")
    return output.data


def test_a_result_without_a_figure_is_a_table(outputs):
    data = _only(outputs[1])
    assert "<table>" in data["text/html"]
    assert "<img" not in data["text/html"]
    assert data["text/plain"].startswith("system")


def test_a_result_with_a_figure_shows_both(outputs):
    data = _only(outputs[2])
    answer, evidence = data["text/html"].split("<details>")  # the answer, and the evidence where it is opened
    assert "<table>" in answer
    assert "<table>" in evidence
    assert data["text/html"].count("<img") == 1
    inside = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', data["text/html"])[1]
    assert base64.b64decode(inside).startswith(b"<svg")
    assert "http" not in re.sub(r'src="data:[^"]+"', "", data["text/html"])
    assert "hybrid-2" in data["text/plain"]
    assert "Ranking(" not in data["text/plain"]


def test_a_chart_is_vega_lite_and_svg(outputs):
    data = _only(outputs[3])
    assert {"application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"} == {*data}


def test_progress_is_one_bar_that_fills(outputs):
    data = _only(outputs[4])
    assert 'value="1.000"' in data["text/html"]
    assert "similarity: 3 of 3 done" in data["text/plain"]
    data = _only(outputs[5])
    assert 'value="1.000"' in data["text/html"]
    assert "<i>" not in data["text/html"]


def test_without_the_extra_the_table_is_there(outputs):
    data = _only(outputs[6])
    assert "<table>" in data["text/html"]
    assert "<img" not in data["text/html"]
