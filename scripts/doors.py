"""Lines of code of each door to another package, and the time that it adds to its host: a table of docs/performance.md.

    python scripts/doors.py

Each time is the median of several processes: processor time of the import that the entry point makes, after the host.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "rankscope" / "integrations"
HOSTS = {"pytest_plugin": "pytest", "pyterrier": "pyterrier"}  # doors that their host loads when it starts
REPEATS = 11
BAR = 5  # milliseconds


def lines_of_code(path: Path) -> int:
    """Lines of a file that are neither blank nor comments."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in path.read_text().splitlines())


def added(door: str, host: str) -> float:
    """Milliseconds of processor time that the import of a door takes once its host is imported."""
    code = f"import time, {host}; start = time.process_time(); import rankscope.integrations.{door}; " \
           "print(time.process_time() - start)"  # fmt: skip
    times = [float(subprocess.check_output([sys.executable, "-c", code], text=True)) for _ in range(REPEATS)]
    return 1000 * statistics.median(times)


def main() -> None:
    print("| door | lines of code | loaded with | adds, ms | bar |\n| --- | ---: | --- | ---: | --- |")
    for path in sorted(FOLDER.glob("[a-z]*.py")):
        door, host = path.stem, HOSTS.get(path.stem)
        cells = ["an import of its own", "", ""]
        if host is not None:
            time = added(door, host)
            cells = [host, f"{time:.1f}", f"{'yes' if time <= BAR else 'no'} (at most {BAR})"]
        print(f"| `{door}` | {lines_of_code(path)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
