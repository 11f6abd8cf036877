"""Model of a simulated collection, as one frozen record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from rankscope import arguments
from rankscope.arguments import is_number, is_whole
from rankscope.errors import InputError, Problem, argument

FAMILIES: Mapping[str, Sequence[float]] = MappingProxyType(
    {"lexical": (0.68, 0.78, 0.88), "dense": (0.82, 1.0, 1.2), "hybrid": (1.05, 1.25)}
)
COARSE, FINE = 1, 3  # decimals of the first system's scores, and of all others, where nothing else is asked
JUDGED, OWN = 20, 0.5
LARGEST = 100.0  # strength
REST = "*"

PerSystem: TypeAlias = float | Mapping[str, float]
"""One number for all systems, or numbers by name of a system or family, with "*" for those not named."""


class System(NamedTuple):
    """One system with all that was chosen for it."""

    name: str
    family: str
    strength: float
    judged: int
    decimals: int
    own: float
    on_odd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Model of topics, documents, systems and judges. This is a simulation: no text, and no person judged.

    families   the strengths of the systems of each family; the third system of family "dense" is named "dense-3"
    pool       candidate documents of a topic, each with a latent quality, standard normal
    relevant   median share of the candidates that is relevant: a topic has its own number of relevant documents,
               log-normal, from 3 to a quarter of the pool, and they are those of highest latent quality
    relevant_spread  standard deviation of the logarithm of that number
    grades     shares of the relevant documents at grades 1, 2, ...; the best documents get the highest grade
    difficulty standard deviation of the logarithm of a topic's ease; the median ease is 1
    shared     size of the errors that systems of one family have in common
    own        size of a system's own errors; by system if asked
    odd        share of topics that are of an odd kind
    on_odd     factor on a system's strength on odd topics; by system if asked
    decimals   scores are rounded, so some are tied; by system if asked. By default 1 for the first system, 3 for others
    depth      documents of a list
    judged     the first so many documents of each system are judged, and no others; by system if asked, and 0 keeps a
               system out of the judging
    overrate   probability that a document below the highest grade is judged one grade too high
    underrate  probability that a document above grade 0 is judged one grade too low

    A system's score for a document is strength * ease * latent + shared * f + own * e. The noise f is drawn once for
    each family and document, so systems of one family make similar errors; e is drawn for each system. Both are
    standard normal. Ties fall by document id, descending.

    A choice "by system" is one number, or a mapping from systems or families to numbers, "*" standing for those not
    named: `judged={"*": 20, "hybrid": 0}`.

    **A null hypothesis that holds.** Two systems of one family, or two families of one system each, that agree in all
    of strength, own, on_odd, decimals and judged are exchangeable: they are equally good by any measure.

    >>> null = Model(families={"a": (1, 1)}, decimals=3)
    >>> [system.name for system in null.systems]
    ['a-1', 'a-2']

    What is not modelled: documents that are candidates of several topics, near duplicates, judges who differ from
    each other, scores on different scales.
    """

    families: Mapping[str, Sequence[float]] = field(default_factory=lambda: dict(FAMILIES))
    pool: int = 300
    relevant: float = 0.06
    relevant_spread: float = 0.6
    grades: Sequence[float] = (0.55, 0.30, 0.15)
    difficulty: float = 0.35
    shared: float = 0.7
    own: PerSystem = OWN
    odd: float = 0.0
    on_odd: PerSystem = 1.0
    decimals: PerSystem | None = None
    depth: int = 100
    judged: PerSystem = JUDGED
    overrate: float = 0.0
    underrate: float = 0.0

    def __post_init__(self) -> None:
        if problems := [*_family_problems(self.families), *self._number_problems()]:
            raise InputError(problems)
        for name in ("families", "own", "on_odd", "decimals", "judged"):  # so that nobody changes them from outside
            value = getattr(self, name)
            object.__setattr__(self, name, dict(value) if isinstance(value, Mapping) else value)
        object.__setattr__(self, "grades", tuple(self.grades))

    def _number_problems(self) -> Iterator[Problem]:
        # the upper limits keep the keys that documents are sorted by within 64 bits: see drawing.rank
        yield from _whole("pool", self.pool, 3, 10_000)
        candidates = self.pool if is_whole(self.pool) and self.pool > 0 else 10_000
        yield from _whole("depth", self.depth, 1, candidates)
        yield from _within("relevant", self.relevant, 0, 1)
        yield from _within("relevant_spread", self.relevant_spread, 0, 3)
        yield from _within("difficulty", self.difficulty, 0, 1.5)
        yield from _within("shared", self.shared, 0, 100)
        for name in ("odd", "overrate", "underrate"):
            yield from _within(name, getattr(self, name), 0, 1)
        if all(is_number(rate) for rate in (self.overrate, self.underrate)) and self.overrate + self.underrate > 1:
            yield Problem(f"overrate + underrate = {self.overrate + self.underrate:g}", "together they are at most 1")
        shares = list(self.grades)
        if not 1 <= len(shares) <= 20 or not all(is_number(x) and x >= 0 for x in shares) or not sum(shares) > 0:
            yield Problem(
                argument("grades", shares), f"{argument('grades')} are 1 to 20 shares, none negative and not all 0"
            )
        yield from self._by_system_problems()

    def _by_system_problems(self) -> Iterator[Problem]:
        deepest = self.depth if is_whole(self.depth) and self.depth > 0 else 10_000
        names = [name for name, _, _ in _named(self.families)]
        known = [REST, *self.families, *names]
        for setting, value in (
            ("judged", self.judged), ("decimals", self.decimals), ("own", self.own), ("on_odd", self.on_odd)
        ):  # fmt: skip
            each = value if isinstance(value, Mapping) else {"": value}
            for name, number in each.items():
                label = f"{setting} of {name}" if name else setting
                if name and name not in known:
                    yield Problem(f"{setting}: no system or family is named {name!r}", f"there are {', '.join(known)}")
                elif setting == "judged":
                    yield from _whole(label, number, 0, deepest)
                elif setting == "decimals" and (name or number is not None):
                    yield from _whole(label, number, 0, 6)
                elif setting == "own":
                    yield from _within(label, number, 0, 100)
                elif setting == "on_odd":
                    yield from _within(label, number, -10, 10)
        depths = _by_system(self.judged, self.families, JUDGED)
        if depths and not any(depths.values()):
            yield Problem("judged is 0 for all systems", "at least one system's documents are judged")
        if self.odd == 0 and self.on_odd != 1:
            yield Problem("on_odd has no effect without odd topics", "odd is above 0 where on_odd is given")

    @property
    def systems(self) -> tuple[System, ...]:
        """Every system, in the order of the families."""
        judged = _by_system(self.judged, self.families, JUDGED)
        own = _by_system(self.own, self.families, OWN)
        on_odd = _by_system(self.on_odd, self.families, 1.0)
        decimals = _by_system(FINE if self.decimals is None else self.decimals, self.families, FINE)
        if self.decimals is None:
            decimals[next(iter(decimals))] = COARSE
        return tuple(
            System(name, family, strength, int(judged[name]), int(decimals[name]), own[name], on_odd[name])
            for name, family, strength in _named(self.families)
        )


def check_sample(*, n_topics: int, seed: int, barren: int = 0) -> None:
    """Refuse numbers that no topics can be drawn with."""
    problems = [*_whole("n_topics", n_topics, 1, 10**8), *_whole("seed", seed, 0, 2**64 - 1)]
    most = n_topics if is_whole(n_topics) and n_topics > 0 else 10**8
    if problems := [*problems, *_whole("barren", barren, 0, most)]:
        raise InputError(problems)


def _named(families: Mapping[str, Sequence[float]]) -> list[tuple[str, str, float]]:
    """Name, family and strength of each system."""
    return [(f"{name}-{i}", name, s) for name, strengths in families.items() for i, s in enumerate(strengths, start=1)]


def _by_system(value: PerSystem, families: Mapping[str, Sequence[float]], default: float) -> dict[str, float]:
    """One number a system: its own, else its family's, else that of the rest."""
    values = value if isinstance(value, Mapping) else {REST: value}
    otherwise = values.get(REST, default)
    return {name: values.get(name, values.get(family, otherwise)) for name, family, _ in _named(families)}


def _family_problems(families: Mapping[str, Sequence[float]]) -> Iterator[Problem]:
    if not any(map(len, families.values())):
        yield Problem("families hold no system", "families hold at least one system")
    for name, strengths in families.items():
        # the name becomes part of a file name and of a line whose fields are split at spaces
        if not re.fullmatch(r"\w[\w.-]*", name):
            yield Problem(f"family {name!r}", "a family's name has letters, digits, '_', '.' and '-'")
        for strength in strengths:
            yield from _within(f"strength of {name}", strength, -LARGEST, LARGEST)


def _whole(name: str, value: Any, least: int, most: int) -> Iterator[Problem]:
    return _problems(arguments.whole_number, name, value, least, most)


def _within(name: str, value: Any, least: float, most: float) -> Iterator[Problem]:
    return _problems(arguments.number, name, value, least, most)


def _problems(check: Callable[..., object], *values: Any) -> Iterator[Problem]:
    try:
        check(*values)
    except InputError as error:
        yield from error.problems
