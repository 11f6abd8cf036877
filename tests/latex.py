"""A strict reader of the few LaTeX tables that results write, and a compiler where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}&$#%_^~]|[^\\{}&$#%_^~]+", re.DOTALL)


def rows_of(table: str) -> list[list[str]]:
    """Cells of every row of the one tabular; whatever LaTeX would stumble over fails."""
    body = "\n".join(line for line in table.splitlines() if not line.startswith("%"))
    open_environments: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", body):
        if kind == "begin":
            open_environments.append(name)
        else:
            assert open_environments.pop() == name
    assert not open_environments
    depth, maths = 0, False
    for token in TOKEN.findall(re.sub(r"\\label\{[\w:.-]+\}", "", body)):
        depth += {"{": 1, "}": -1}.get(token, 0)
        assert depth >= 0
        maths ^= token == "$"
        assert token not in ("#", "%", "~"), token
        assert maths or token not in ("_", "^"), token
    assert depth == 0
    assert not maths
    shape, inside = re.search(r"\\begin\{tabular\}\{((?:[lcr]|@\{\})+)\}(.*)\\end\{tabular\}", body, re.DOTALL).groups()
    columns = len(re.findall("[lcr]", shape))
    rows = []
    for line in re.split(r"\\\\\n", re.sub(r"\\(top|mid|bottom)rule\n", "", inside).strip("\n") + "\n"):
        if not line.strip():
            continue
        cells = re.split(r"(?<!\\)&", line)
        wide = sum(int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d)\}", line))
        assert len(cells) + wide == columns, line
        rows.append([cell.strip() for cell in cells])
    return rows


def compiles(table: str, folder: Path) -> bool | None:
    """Whether LaTeX sets the table in a page of two columns; None where there is no LaTeX."""
    if shutil.which("pdflatex") is None:
        return None
    page = "\\documentclass[twocolumn]{article}\\usepackage{booktabs}\\begin{document}\n%s\n\\end{document}\n"
    (folder / "page.tex").write_text(page % table)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
