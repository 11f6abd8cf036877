"""The documentation site: python3 dev.py docs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from rankscope.version import __version__

project = "rankscope"
author = "The rankscope developers"
copyright = "The rankscope developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.doctest", "executed", "mathml", "records", "woven"]
exclude_patterns = ["_ext", "_made", "_static", "images"]
nitpicky = True
default_role = "code"  # `x` in docstrings
html_math_renderer = "mathml"
smartquotes = False  # names and options are to be copied

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_default_options = {"members": True}
maximum_signature_line_length = 88
python_use_unqualified_type_names = True
doctest_test_doctest_blocks = ""  # examples of docstrings are marked one by one, with their module at hand
nitpick_ignore_regex = [
    # types of others, and aliases of ours that say what they mean: there is no page to link
    (r"py:(class|obj|data|attr|exc)", r"(?!rankscope\.).*"),
]

# blocks of pages that are written for the forge as well
not_run = {
    "project/errata": "it is a form to fill in",
    "project/benchmarks": "it takes half an hour and a machine with nothing else to do",
    "performance": "it takes an hour and a machine with nothing else to do",
    "validity": "it takes hours",
    "validity-real": "it needs score matrices that are not published with the package",
    "validity-rank": "it needs scores and runs that are not published with the package",
    "validity-gate": "it needs score matrices that are not published with the package",
    "validity-across": "it takes minutes",
    "validity-dominance": "it takes hours",
    "validity-topics": "it needs runs that are not published with the package",
    "validity-holes": "it needs collections that are not published with the package",
}

html_theme = "furo"
html_title = "rankscope"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif", "font-stack--monospace": "ui-monospace, monospace"},
}
suppress_warnings = ["myst.header"]  # woven pages begin where the forge lets them
