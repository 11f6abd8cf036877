"""Every figure is drawn in a browser that forbids `eval` and every request, as pages with a strict policy do."""

import json
import shutil

import pytest
from drawings import EACH

POLICY = "default-src 'none'; script-src 'nonce-figures'; style-src 'unsafe-inline'; img-src data:"


@pytest.fixture(scope="module")
def page():
    """A page with the runtime that vl-convert holds; whatever goes wrong there is kept in page.heard."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    vl_convert = pytest.importorskip("vl_convert", reason="needs the extra `figures`")
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("needs Chromium")
    from rankscope.figures.chart import VERSION

    draw = """
        try { window.evaluated = Function("return true")(); } catch (error) { window.evaluated = error.name; }
        window.drawn = async (spec) => {
            await new Promise((go) => setTimeout(go));  // what a debugger calls itself may use eval
            document.body.replaceChildren();
            const place = document.createElement("div");
            document.body.append(place);
            const made = await vegaEmbed(place, spec, {ast: true, actions: false, renderer: "svg", mode: "vega"});
            return [place.querySelectorAll("svg path, svg text").length, place.textContent];
        };
    """
    code = vl_convert.javascript_bundle(draw, vl_version=VERSION).replace("</script", "<\\/script")
    html = (
        f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<title>figures</title><body><script nonce="figures" type="module">{code}</script>'
    )
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page()
        page.heard = []
        page.on("console", lambda message: page.heard.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("request", lambda request: page.heard.append(request.url))
        page.set_content(html)
        page.wait_for_function("typeof window.drawn == 'function'")
        page.heard.clear()
        yield page
        opened.close()


def test_the_page_forbids_eval(page):
    """Else this file would show nothing."""
    assert page.evaluate("window.evaluated") == "EvalError"
    with pytest.raises(Exception, match="EvalError"):
        page.evaluate("async () => { await new Promise((go) => setTimeout(go)); return Function('return 1')(); }")
    page.heard.clear()


@EACH
def test_no_figure_needs_eval(figure, results, page):
    chart = results[figure.of].plot(figure.name)
    marks, text = page.evaluate("spec => window.drawn(spec)", json.loads(json.dumps(chart.to_vega())))
    assert not page.heard
    assert marks > 5
    assert chart.title.split()[0] in text


def test_short_names_of_metrics_need_none_either(page):
    from rankscope import universe

    _, text = page.evaluate("spec => window.drawn(spec)", universe.freedom(["RBP_PE", "AP"], 4).plot().to_vega())
    assert not page.heard
    assert "RBP_PE@4" in text
    assert "CWLA" not in text
