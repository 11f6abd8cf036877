"""Execution of a study: unit by unit, on workers, with checkpoints and progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from rankscope.arguments import at_once
from rankscope.errors import InputError, quietly
from rankscope.outputs import check_named
from rankscope.parallel import Client, UnitKind, check_workers, completed, on
from rankscope.progress import clock
from rankscope.statistics import Resampling
from rankscope.studies.checkpoints import Arrays, Checkpoints
from rankscope.studies.checks import Draws, draws_of

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a study: the unit just finished, the number of finished units, and the time that the others may take.

    Of several studies it is the one of number `part` among `parts`, and `total_left` is of all that are open.
    """

    study: str
    unit: str
    done: int
    total: int
    elapsed: float  # seconds
    left: float | None  # seconds; None where nothing has been computed yet to tell by
    part: int = 1
    parts: int = 1
    total_left: float | None = None  # seconds; None where too little has been done to tell by

    def __str__(self) -> str:
        number = f"{self.part} of {self.parts}, " if self.parts > 1 else ""
        left = "" if self.left is None or self.done == self.total else f", {clock(self.left)} left"
        in_all = "" if self.total_left is None else f"; in all about {clock(self.total_left)} left"
        return f"{number}{self.study}: {self.done} of {self.total} done ({self.unit}){left}{in_all}"


Tell: TypeAlias = Callable[[Progress], None]


class Interrupted(KeyboardInterrupt):
    """A study was stopped by the user. `partial` is its result over the units done, or None where these are too few."""

    def __init__(self, message: str, partial: Any) -> None:
        super().__init__(message)
        self.partial = partial


@dataclass(frozen=True, slots=True)
class Run:
    """Options of execution. Of these, only the resampling changes numbers; a study of units takes the first four.

    checkpoints  a folder that keeps what is done, so that a study that was stopped goes on
    progress     is called with a `Progress` after every unit
    workers      processors; all by default
    client       a Dask cluster for the units; checkpoints are written here all the same
    resampling   what the study draws, one for all draws or some by name; what it does not say is `usual`
    """

    checkpoints: str | Path | None = None
    progress: Tell | None = None
    workers: int | None = None
    client: Client = None
    resampling: Draws = None
    usual: Draws = None

    def __post_init__(self) -> None:
        folder = self.checkpoints
        at_once(
            lambda: check_workers(self.workers), lambda: self._draws(),
            lambda: None if folder is None else check_named(folder),
        )  # fmt: skip

    @property
    def draws(self) -> Resampling:
        """The resampling of a study that always draws, in one way."""
        return self._draws()[""]

    def named(self, name: str) -> Resampling:
        """The resampling of one of several ways in which a study draws."""
        return self._draws()[name]

    def _draws(self) -> dict[str, Resampling]:
        usual = self.usual if isinstance(self.usual, Mapping) else {"": self.usual or Resampling()}
        return draws_of(self.resampling, usual)

    def drawn(self) -> dict[str, int]:
        """The resampling, for a manifest."""
        return {"resamples": self.draws.resamples, "seed": self.draws.seed}

    def conduct(
        self,
        study: str,
        units: Sequence[str],
        work: Callable[[str, int], Arrays],
        finish: Callable[[dict[str, Arrays]], Result],
        *,
        settings: Mapping[str, Any],
        fits: Callable[[str, Arrays], bool],
        kind: UnitKind = "long",
    ) -> Result:
        """Do every unit, or take it from the folder of checkpoints, and make one result of them.

        work      gives a unit's arrays from its name and from how many workers it may use itself. It may be done by
                  another process or machine, to which a client and a progress bar cannot go: it does not know the run
        finish    makes the result of what the units gave, in their order; of some of them after Ctrl-C
        settings  all that the numbers depend on, for the manifest
        fits      whether stored arrays can be those of a unit, as by `shaped`; where not, it is done again
        kind      of the units, as `map_units` knows them
        """
        threads = check_workers(self.workers)
        kept = None if self.checkpoints is None else Checkpoints.open(self.checkpoints, study, settings, units)
        start, finished, before = time.monotonic(), dict[str, Arrays](), set[str]()

        def tell(unit: str, arrays: Arrays) -> None:
            finished[unit] = arrays
            if self.progress is not None:
                self.progress(_progress(study, unit, units, set(finished), before, time.monotonic() - start))

        try:
            for unit in kept.done() if kept else ():
                if kept and (arrays := kept.get(unit)) is not None and fits(unit, arrays):
                    before.add(unit)
                    tell(unit, arrays)
            todo = [unit for unit in units if unit not in finished]
            with on(self.client), quietly():  # what is left out was said when the study was prepared
                for at, arrays in completed(lambda unit: work(unit, threads), todo, workers=threads, kind=kind):
                    if kept:
                        kept.put(todo[at], arrays)
                    tell(todo[at], arrays)
                return finish(_in_order(finished, units))
        except KeyboardInterrupt as stop:
            where = f"; the units done are in {self.checkpoints}" if kept else ""
            raise Interrupted(
                f"{study} stopped after {len(finished)} of {len(units)} units{where}",
                _some(finish, _in_order(finished, units)),
            ) from stop


def shaped(**arrays: tuple[Any, ...]) -> Callable[[str, Arrays], bool]:
    """A check of stored arrays: these and no others, each with its type and shape.

    >>> fits = shaped(pvalue=(float, 2, 3), exact=(bool,))
    >>> fits("AP", {"pvalue": np.zeros((2, 3)), "exact": np.array(True)}), fits("AP", {"pvalue": np.zeros((3, 2))})
    (True, False)
    """
    expected = {name: (np.dtype(kind).kind, tuple(shape)) for name, (kind, *shape) in arrays.items()}
    return lambda _, stored: {name: (array.dtype.kind, array.shape) for name, array in stored.items()} == expected


def _in_order(finished: dict[str, Arrays], units: Sequence[str]) -> dict[str, Arrays]:
    return {unit: finished[unit] for unit in units if unit in finished}


def _some(finish: Callable[[dict[str, Arrays]], Result], finished: dict[str, Arrays]) -> Result | None:
    try:
        with quietly():
            return finish(finished) if finished else None
    except InputError:  # too little for a result
        return None


def _progress(
    study: str, unit: str, units: Sequence[str], finished: set[str], before: set[str], elapsed: float
) -> Progress:
    computed, open_ = len(finished - before), len(set(units) - finished - before)
    left = elapsed / computed * open_ if computed else None
    return Progress(study=study, unit=unit, done=len(finished), total=len(units), elapsed=elapsed, left=left)
