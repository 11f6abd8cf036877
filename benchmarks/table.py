"""The bars, the rows and the one table."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform

from timing import Timed, ratio

FASTER = {("many", "pytrec_eval"): 8, ("many", "ranx"): 30, ("sparse", "pytrec_eval"): 6, ("users", "pytrec_eval"): 15}
SLOWER = 1.6  # rankscope's time on `many` in times of climit, at most
MEMORY = 300  # MB on `many`, at most
START = {"rankscope --help": 0.2, "rankscope evaluate": 0.6}  # seconds, at most

LABELS = {"pure": "rankscope, numpy only"}
PACKAGES = ("rankscope", "pytrec_eval-terrier", "ranx", "numba", "numpy")

Row = tuple[str, ...]
HEAD: Row = ("bed", "tool", "time / rankscope's", "bar", "met", "seconds", "cores", "MB")


def verdict(holds: bool | None) -> str:
    return "" if holds is None else "yes" if holds else "NO"


def spent(timed: Timed) -> Row:
    """Seconds, cores and MB; what went wrong instead of the seconds."""
    if not timed.known:
        return timed.problem, "", ""
    seconds = [o.seconds for o in timed.outcomes]
    return f"{timed.seconds:.2f} ({min(seconds):.2f}-{max(seconds):.2f})", f"{timed.cores:.1f}", f"{timed.memory:.0f}"


def times(slow: Timed, fast: Timed) -> float | None:
    return ratio(slow, fast) if slow.known and fast.known else None


def tool_row(bed: str, tool: str, timed: dict[str, Timed]) -> Row:
    value = times(timed[tool], timed.get("rankscope", Timed()))
    bar, met = tool_bar(bed, tool, timed)
    return (bed, LABELS.get(tool, tool), "" if value is None else f"{value:.2f}", bar, met, *spent(timed[tool]))


def tool_bar(bed: str, tool: str, timed: dict[str, Timed]) -> tuple[str, str]:
    """The bar in words, and whether it is met where all that it needs was measured."""
    mine, ours, peer = (timed.get(name, Timed()) for name in (tool, "rankscope", "pytrec_eval"))
    if least := FASTER.get((bed, tool)):
        value = times(mine, ours)
        return f"at least {least}", verdict(None if value is None else value >= least)
    if bed != "many":
        return "", ""
    if tool == "rankscope":
        return f"under {MEMORY} MB", verdict(ours.memory < MEMORY if ours.known else None)
    if tool == "pure":
        return at_most(1, times(mine, peer), "pytrec_eval")
    return at_most(SLOWER, times(ours, mine), "climit") if tool == "climit" else ("", "")


def at_most(most: float, value: float | None, whose: str) -> tuple[str, str]:
    who = "rankscope" if whose == "climit" else "it"
    bar = f"{who} / {whose} at most {most:g}"
    return (bar, "") if value is None else (f"{bar}: {value:.2f}", verdict(value <= most))


def start_row(name: str, timed: Timed) -> Row:
    most = next((seconds for command, seconds in START.items() if name.startswith(command)), None)
    met = verdict(timed.seconds < most if most and timed.known else None)
    return ("start", name, "", f"under {most} s" if most else "", met, *spent(timed))


def growth_row(few: Timed, many: Timed, array: float) -> Row:
    """By how many MB the usual peak grows, beside what the array of grade codes does."""
    bar = f"at most the array's {array:.0f} MB"
    if not (few.known and many.known):
        return ("memory", "growth", "", bar, "", "", "", "")
    grown = many.usual_memory - few.usual_memory  # single peaks differ by 10 MB and more from run to run
    return ("memory", "growth", "", bar, verdict(grown <= array), "", "", f"{grown:.0f}")


def versions() -> str:
    parts = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            parts.append(f"{package} {importlib.metadata.version(package)}")
    return ", ".join(parts)


def show(rows: list[Row]) -> None:
    """One Markdown table, aligned."""
    widths = [max(len(row[i]) for row in (HEAD, *rows)) for i in range(len(HEAD))]
    for row in (HEAD, tuple("-" * width for width in widths), *rows):
        print("|", " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)), "|")
