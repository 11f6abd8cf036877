"""The page of all benchmarks, docs/performance.md: each section is one script's output, with its command and its date.

    python benchmarks/page.py                          # every section anew: about an hour on an idle machine
    python benchmarks/page.py growth statistics        # these anew, the others as they are on the page
    python benchmarks/page.py --list

Sections whose collections or devices are not here stay as they are.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "performance.md"
OPENING = """# Performance

Made by `python benchmarks/page.py`: what each script in `benchmarks/` printed, with its command, the date, the machine
and how busy it was. A ratio compares two tools in the same run; seconds depend on the machine. A *bar* is what the
project promises of a row on two cores that have nothing else to do; one that was missed says NO. How the beds are made
and what a row means is told in `benchmarks/README.md`. [At internet scale](internet-scale.md) reckons with these rates.
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a sentence about it, and the command; {data} is the folder of beds, {real} that of collections."""

    name: str
    title: str
    about: str
    command: str


SECTIONS = [
    Section("files", "From files to scores",
            "Whole processes, beside trec_eval in process, ranx, and a C program that does the least there is to do.",
            "run.py --data {data} --climit {climit}"),
    Section("formats", "Other formats", "One run of five million lines, read from each format.",
            "formats.py --data {data}"),
    Section("memory", "Larger than memory", "A run of a hundred million lines within two gibibytes.",
            "larger_than_memory.py"),
    Section("statistics", "Statistics", "249 topics x 110 systems, first calls in fresh processes.", "significance.py"),
    Section("gpu", "Statistics on a GPU", "The same draws, counts and p values as on the processor.", "gpu.py"),
    Section("user-models", "User models", "The C/W/L/A grid beside cwl-eval.",
            "cwla.py {real}/trec-covid-r5/qrels.gz {real}/trec-covid-r5/runs/*"),
    Section("preferences", "Preferences", "All pairs of 110 systems on 249 topics, from the loaded array.",
            "preferences.py"),
    Section("comparisons", "Comparing and ranking", "Whole commands, files to verdict.",
            "comparisons.py --data {data}"),
    Section("topics", "Many topics", "Two runs of 200,000 topics, as multiples of what `evaluate` takes.",
            "many_topics.py"),
    Section("universe", "All possible rankings", "Counting beside brute force.", "universe.py"),
    Section("reproduce", "The C/W/L/A paper on dl19-passage",
            "39 metrics, 1,000 splits, 2,000 permutations. Bar: 60 s.",
            "studies.py reproduce {real}/dl19-passage/qrels.gz {real}/dl19-passage/runs/*"),
    Section("metrics", "All studies on trec8-adhoc", "118 systems, 12 metrics. Bar: 240 s.",
            "studies.py metrics {real}/trec8-adhoc/qrels.gz {real}/trec8-adhoc/runs/*"),
    Section("workers", "Two workers", "Studies of dl19-passage on two workers beside one. Bar: 1.7 over all of them.",
            "workers.py {real}/dl19-passage/qrels.gz {real}/dl19-passage/runs/*"),
    Section("cluster", "A cluster", "What scheduling costs on a Dask cluster of two workers (bar: 5 %); what travels.",
            "workers.py --cluster"),
    Section("internet", "At internet scale", "Rates by which [10^9 users](internet-scale.md) are reckoned.",
            "internet_scale.py"),
    Section("growth", "How cost grows", "Slopes of log time over log size: 1 is linear.", "growth.py"),
]  # fmt: skip


def measured(section: Section, args: argparse.Namespace) -> str | None:
    """The section's text, or None where it cannot be made here."""
    places = {"data": args.data, "real": args.real, "climit": args.climit or ""}
    script, *words = section.command.format(**places).split()
    if "--climit" in words and not args.climit:
        words = words[: words.index("--climit")]
    files = [str(path) for word in words for path in (sorted(expand(word)) if "*" in word else [word])]
    load = os.getloadavg()[0]
    done = subprocess.run([sys.executable, str(HERE / script), *files], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode and not done.stdout.strip():
        print(f"{section.name}: exit code {done.returncode}, left as it is", file=sys.stderr)
        return None
    shown = section.command.format(data="BEDS", real="COLLECTIONS", climit="climit.c")
    when = f"{datetime.date.today()}; {processor()}, {len(os.sched_getaffinity(0))} cores, load {load:.1f} before"
    return f"{section.about}\n\n```text\npython benchmarks/{shown}\n```\n\n{done.stdout.strip()}\n\n*{when}.*\n"


def expand(pattern: str) -> list[Path]:
    folder, _, name = pattern.rpartition("/")
    return list(Path(folder).glob(name))


def processor() -> str:
    """The name of the machine's processor, where the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text()) if cpuinfo.exists() else None
    return model[1] if model else platform.machine()


def sections_of(page: str) -> dict[str, str]:
    """Text by title."""
    parts = re.split(r"^## (.+)\n", page, flags=re.MULTILINE)[1:]
    return {title: text.strip() + "\n" for title, text in zip(parts[::2], parts[1::2], strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="all by default")
    parser.add_argument("--list", action="store_true", help="names of sections, and their commands")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the beds, made where missing")
    parser.add_argument("--real", type=Path, default=HERE.parents[1] / "shared" / "data", help="real collections")
    parser.add_argument("--climit", type=Path, help="source of the C program (see the README)")
    args = parser.parse_args()
    if args.list:
        for section in SECTIONS:
            print(f"{section.name:12} {section.command}")
        return
    if unknown := set(args.sections) - {section.name for section in SECTIONS}:
        parser.error(f"no section named {', '.join(sorted(unknown))}; --list shows them")
    texts = sections_of(PAGE.read_text()) if PAGE.exists() else {}
    for section in SECTIONS:
        if not args.sections or section.name in args.sections:
            print(f"{section.name} ...", file=sys.stderr, flush=True)
            texts[section.title] = measured(section, args) or texts.get(section.title, "")
            kept = [f"## {s.title}\n\n{texts[s.title]}" for s in SECTIONS if texts.get(s.title)]
            PAGE.write_text("\n".join([OPENING, *kept]))  # after each: an hour's work is not lost to Ctrl-C


if __name__ == "__main__":
    main()
