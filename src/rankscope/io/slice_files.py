"""Files of slices: groups of topics by name."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rankscope.arrays import size
from rankscope.errors import InputError, Problem, plural
from rankscope.io.files import read_one


def read_slices(path: str) -> Mapping[str, list[str]]:
    """{slice: topics} from lines of a slice and a topic, or from JSON."""
    raw = read_one(path)
    text = raw[: size(raw)].tobytes().decode("utf-8", "surrogateescape")
    if text.lstrip().startswith("{"):
        try:
            table = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(
                Problem(f"no JSON ({error.msg})", "give {slice: [topic, ...]}", path, error.lineno)
            ) from None
        except (ValueError, RecursionError) as error:  # digits or levels beyond what Python reads
            raise InputError(Problem(f"no JSON ({error})", "give {slice: [topic, ...]}", path)) from None
        if not all(isinstance(topics, list) and all(isinstance(t, str) for t in topics) for topics in table.values()):
            raise InputError(Problem("not every slice is a list of topics", "give topics as text", path))
        return dict(table)
    slices: dict[str, list[str]] = {}
    problems = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) == 2:
            slices.setdefault(fields[0], []).append(fields[1])
        elif fields:
            problems.append(
                Problem(
                    f"{plural(len(fields), 'field')}, expected 2",
                    "write a slice and a topic on each line",
                    path,
                    number,
                )
            )
    if problems:
        raise InputError(problems)
    if not slices:
        raise InputError(Problem("holds no slices", "write a slice and a topic on each line", path))
    return slices
