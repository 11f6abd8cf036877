"""The one place that maps work over workers. Results come in the order of the units, whoever did them."""

from rankscope.parallel.mapping import (
    Aside,
    Client,
    UnitKind,
    available_workers,
    check_workers,
    completed,
    elsewhere,
    map_units,
    on,
)

__all__ = [
    "Aside",
    "Client",
    "UnitKind",
    "available_workers",
    "check_workers",
    "completed",
    "elsewhere",
    "map_units",
    "on",
]
