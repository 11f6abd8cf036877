"""Reference pages made from the records of measures, the parsers of commands, and docstrings."""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

MEASURES_HERE = "<!-- measures -->"
COMMANDS_HERE = "<!-- commands -->"
_PAPER_HERE = re.compile(r"<!-- reproduce ([\w-]+) -->")
_ROW = re.compile(r"^(\w\S*(?:, ?\S+)*) {2,}(\S.*)$")
_TOLD_ABOVE = {"in words", "formula", "symbols"}
AS_WRITTEN = "\u200b"  # before the name of a field: Sphinx would begin it with a capital
_INSTALLED: list[str] = []  # the measures there were before any page registered its own


def measures() -> str:
    """Every measure as `rankscope explain` tells it, with the numbers of the embedded collection."""
    from rankscope.cli import main
    from rankscope.measures.explanations.bibliography import entries
    from rankscope.measures.names import MEASURES

    out = StringIO()
    with redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(["explain", "--json", *_INSTALLED])
    if code:
        raise RuntimeError("rankscope explain failed")
    found = json.loads(out.getvalue())["measures"]
    known = entries()
    sections = []
    for name, one in zip(_INSTALLED, found, strict=True):
        facts = one["facts"]
        lines = [f"({anchor(name)})=", f"## {name}", "", _text(facts["in words"]), ""]
        if facts.get("formula"):
            lines += ["$$", facts["formula"], "$$", ""]
        for fact, said in facts.items():
            if fact in _TOLD_ABOVE:
                continue
            if fact == "reference" and (doi := known.get(MEASURES[name].reference, {}).get("doi")):
                said = said.replace(f", doi:{doi}", "")
                lines += [f"**{fact}**", f": {_text(said)}, [doi:{doi}](https://doi.org/{doi})", ""]
                continue
            parts = [_parameter(part) if fact == "parameters" else _text(part) for part in said.splitlines()]
            lines += [f"**{fact}**", ": " + "\n\n  ".join(parts) if len(parts) > 1 else f": {parts[0]}", ""]
        if len(one["readings"]) > 1:
            lines += [
                f"What the name stands for elsewhere, on the embedded collection ({one['n_systems']} systems, "
                f"{one['n_topics']} topics; `{one['measure']}`):",
                "",
                "| who | what | here | mean | pairs swapped |",
                "| --- | --- | --- | ---: | ---: |",
            ]
            for row in one["readings"]:
                here = f"`{row['call']}`" if row["call"] else "-"
                mean = "-" if row["mean"] is None else f"{row['mean']:.4f}"
                swapped = "-" if row["swapped"] is None else str(row["swapped"])
                lines.append(f"| {_text(row['who'])} | {_text(row['what'])} | {here} | {mean} | {swapped} |")
            lines.append("")
        sections.append("\n".join(lines))
    words = "| measure | in words | range |\n| --- | --- | --- |\n"
    rows = [
        f"| [`{name}`](#{anchor(name)}) | {_text(one['facts']['in words'])} | {one['facts']['range']} |"
        for name, one in zip(_INSTALLED, found, strict=True)
    ]
    return words + "\n".join(rows) + "\n\n" + "\n".join(sections)


def anchor(name: str) -> str:
    """Where a measure stands on its page."""
    return f"measure-{name.lower().replace('_', '-')}" + ("-lower" if name[0].islower() and name != "nDCG" else "")


def _parameter(words: str) -> str:
    """`p=0.8`, and what it is."""
    called, comma, meaning = words.partition(", ")
    return f"`{called}`{comma}{_text(meaning)}" if "=" in called else _text(words)


def _text(words: str) -> str:
    """Plain words that Markdown shows as they are."""
    return re.sub(r"([\\`*_<>\[\]{}$#|^])", r"\\\1", words)


def commands() -> str:
    """Every command with its arguments, from its parser."""
    from rankscope.cli import _parser

    parser = _parser()
    [choices] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    helps = {action.dest: action.help or "" for action in choices._choices_actions}
    rows = ["| command | |", "| --- | --- |"]
    rows += [f"| [`{name}`](#command-{name}) | {_text(helps[name])} |" for name in choices.choices]
    parts = ["\n".join(rows), ""]
    for name, command in choices.choices.items():
        parts += [f"(command-{name})=", f"## {name}", "", _text(command.description or ""), "", _usage(command), ""]
        for group in command._action_groups:
            actions = [a for a in group._group_actions if a.help is not argparse.SUPPRESS and a.dest != "help"]
            if not actions:
                continue
            parts += [f"**{(group.title or '').capitalize()}**", ""]
            if group.description:
                parts += [_text(group.description), ""]
            for action in actions:
                parts += [f"`{_call(action)}`", f": {_help(action) or 'Given as such.'}", ""]
        examples = (command.epilog or "").partition("Examples, ")[2]
        if examples:
            introduction, *lines = examples.splitlines()
            parts += [f"**Examples**, {introduction}", "", "```text", *(line.strip() for line in lines), "```", ""]
    return "\n".join(parts)


def _usage(command: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(prog=command.prog, width=88)
    formatter.add_usage(command.usage, command._actions, command._mutually_exclusive_groups)
    return "```text\n" + formatter.format_help().strip() + "\n```"


def _call(action: argparse.Action) -> str:
    formatter = argparse.HelpFormatter(prog="")
    return formatter._format_action_invocation(action).replace("`", "")


def _help(action: argparse.Action) -> str:
    formatter = argparse.HelpFormatter(prog="rankscope")
    words = formatter._expand_help(action) if action.help else ""
    return _text(words[:1].upper() + words[1:]) + ("." if words and not words.endswith(".") else "")


def reproduced(paper: str) -> str:
    """What `rankscope reproduce` makes of a paper: its items, and where the paper leaves a choice.

    From the index that it writes for the embedded collection, with few resamples: no number is taken from it.
    """
    from rankscope.cli import main
    from rankscope.simulation import embedded

    qrels, runs = embedded()
    few = ["--resamples", "50", "--splits", "10", "--samples", "2"]
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        code = main(["reproduce", paper, str(qrels), *map(str, runs), "-o", folder, *few])
        index = (Path(folder) / "index.md").read_text(encoding="utf-8")
    if code:
        raise RuntimeError(f"rankscope reproduce {paper} failed")
    title, *parts = re.split(r"^#+ (.*)$", index, flags=re.MULTILINE)[1:]
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    items = [
        [cell.strip() for cell in row.strip("|").split("|")] for row in parts[0].splitlines() if row.startswith("|")
    ]
    rows: dict[tuple[str, str], list[str]] = {(place, what): [] for place, what, *_ in items[2:]}
    for cells in items[2:]:
        rows[cells[0], cells[1]] += re.findall(r"\[([^\]]+)\]", cells[2])
    table = ["| in the paper | what it shows | files |", "| --- | --- | --- |"]
    table += [
        f"| {place} | {what} | {', '.join(f'`{file}`' for file in files)} |" for (place, what), files in rows.items()
    ]
    choices = "Where the paper leaves a choice, or prints what does not come out"
    return "\n".join([f"## {title}", "", *table, "", f"{choices}:", "", sections[choices].strip(), ""])


def fields(lines: list[str]) -> list[str]:
    """A docstring of the house as reStructuredText: its columns of names and words become a field list."""
    made: list[str] = []
    for block in _blocks(lines):
        rows = _rows(block)
        if block[0].startswith(">>>"):
            made += block
        elif rows:
            made += [f":{AS_WRITTEN}{_plain(name)}: {_plain(words)}" for name, words in rows]
        else:
            made += [_plain(line.strip()) for line in block]
        made.append("")
    return made


def _blocks(lines: list[str]) -> list[list[str]]:
    """The lines between blank ones."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _rows(block: list[str]) -> list[tuple[str, str]]:
    """Names and words of a block that is laid out in two columns, or nothing."""
    if not (first := _ROW.match(block[0])):
        return []
    column = first.start(2)
    rows: list[tuple[str, str]] = []
    for line in block:
        if line.startswith("  "):
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
        elif match := _ROW.match(line):
            rows.append((match[1], match[2]))
        elif line[:column].endswith(" ") and len(line) > column:  # the longest name stands close to its words
            rows.append((line[:column].strip(), line[column:].strip()))
        else:
            return []
    return rows


def _plain(words: str) -> str:
    """Words in which nothing but `code` is markup."""
    parts = words.split("`")
    parts[::2] = [re.sub(r"([*|\\]|(?<=\w)_(?!\w))", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _docstring(app: Sphinx, what: str, name: str, item: Any, options: Any, lines: list[str]) -> None:
    """House style to reStructuredText; examples are tested with the names of their module at hand."""
    if lines and re.match(r"^\w+\(.*\)$", lines[0]) and what == "class":  # a dataclass without a docstring
        lines[:] = []
        return
    made = fields(lines)
    home = getattr(item, "__module__", None) or name
    out: list[str] = []
    inside = False
    for line in made:
        prompt = line.lstrip().startswith(">>>")
        if prompt and not inside:
            setup = f"import importlib; globals().update(vars(importlib.import_module({home!r})))"
            out += ["", f".. testsetup:: {name}", "", f"   {setup}", "", f".. doctest:: {name}", ""]
            inside = True
        elif inside and not line.strip():
            inside = False
        out.append(f"   {line}" if inside else line)
    lines[:] = out


_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[[^\]]*\], ~?numpy\.dtype\[~?numpy\.(\w+)\]\]")
_OTHER_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[[^\]]*\], ~?numpy\.dtype\[~?numpy\.\w+\[[^\]]*\]\]\]")
_ARRAYS = {"float64": "Floats", "int64": "Ints", "bool": "Bools", "object_": "Exact"}


def arrays(signature: str | None) -> str | None:
    """A signature in which arrays have the names that the library gives them, and which can be read as Python."""
    if not signature:
        return signature
    named = _ARRAY.sub(lambda found: _ARRAYS.get(found[1], "ndarray"), signature)
    return _OTHER_ARRAY.sub("ndarray", named).replace("<factory>", "...")


def _as_written(app: Sphinx, tree: Any) -> None:
    """Names of fields as the docstring has them."""
    for name in tree.findall(nodes.field_name):
        if name.astext().startswith(AS_WRITTEN):
            name[:] = [nodes.Text(name.astext().removeprefix(AS_WRITTEN))]


def _signature(
    app: Sphinx, what: str, name: str, item: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    return arrays(signature), arrays(returned)


def _read(app: Sphinx, page: str, content: list[str]) -> None:
    for mark, make in ((MEASURES_HERE, measures), (COMMANDS_HERE, commands)):
        if mark in content[0]:
            content[0] = content[0].replace(mark, make())
    content[0] = _PAPER_HERE.sub(lambda found: reproduced(found[1]), content[0])


def setup(app: Sphinx) -> dict[str, Any]:
    from rankscope.measures import MEASURES

    _INSTALLED[:] = MEASURES
    app.connect("source-read", _read, priority=100)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("doctree-read", _as_written)
    app.connect("autodoc-process-signature", _signature)
    return {"version": "1", "parallel_read_safe": True}
