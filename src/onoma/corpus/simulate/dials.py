"""Settings as dials: each field of a settings class has a range, a default and a sentence that says what it turns."""

import dataclasses
import math
from typing import NamedTuple, TypeVar

from onoma.errors import SettingsError

__all__ = ["Dial", "Dials", "check_rows", "dial", "dials"]

Number = TypeVar("Number", int, float)

MOST_ROWS = 100_000_000
"""Positions are 32 bits wide inside the simulators; this leaves room for twenty words a row."""


class Dial(NamedTuple):
    """One setting of a simulated corpus, as a user sees it."""

    name: str
    default: float
    low: float
    high: float
    doc: str


def dial(default: Number, low: float, high: float, doc: str) -> Number:
    """Declare a dial as the default of a dataclass field; whole numbers stay whole."""
    return dataclasses.field(default=default, metadata={"default": default, "low": low, "high": high, "doc": doc})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Dials:
    """The base of all settings here: refuses values outside the declared ranges."""

    def __post_init__(self) -> None:
        for each in dials(type(self)):
            value = getattr(self, each.name)
            kind = "a whole number" if isinstance(each.default, int) else "a number"
            allowed = (int,) if isinstance(each.default, int) else (int, float)
            if isinstance(value, bool) or not isinstance(value, allowed) or not math.isfinite(value):
                raise SettingsError(f"{each.name} is {value!r}; it must be {kind} from {each.low} to {each.high}")
            if not each.low <= value <= each.high:
                raise SettingsError(
                    f"{each.name} is {value}; it goes from {each.low} to {each.high}",
                    hint=f"{each.name}: {each.doc} (default {each.default})",
                )


def dials(settings: type[Dials] | Dials) -> tuple[Dial, ...]:
    """Return the dials of a settings class, in order.

    Examples
    --------
    >>> from onoma.corpus.simulate import PeopleSettings
    >>> dials(PeopleSettings)[0].name
    'duplicates'
    """
    return tuple(Dial(name=field.name, **field.metadata) for field in dataclasses.fields(settings))


def check_rows(n: int) -> int:
    """Return the number of rows asked for, or say what is allowed."""
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= MOST_ROWS:
        raise SettingsError(f"{n!r} rows were asked for; a simulated corpus has from 1 to {MOST_ROWS:,}")
    return n
