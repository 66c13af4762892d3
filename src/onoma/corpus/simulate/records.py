"""How a person of a register becomes a record: fields rendered as strings, with the errors of `noise.py`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.simulate.draw import around_one
from onoma.corpus.simulate.names import american_given, american_nicknames, american_surnames, provider
from onoma.corpus.simulate.noise import happens, initials, slips
from onoma.corpus.simulate.places import cities, street_lines
from onoma.corpus.simulate.render import choose, gather, gold, join, numbered
from onoma.numerics.rng import stream

if TYPE_CHECKING:
    from onoma.corpus.simulate.people import PeopleSettings, Register

__all__ = ["LEFT_OUT", "write_records"]

LEFT_OUT = {
    "given_name": 0.15,
    "middle_name": 3.0,
    "surname": 0.05,
    "gender": 0.8,
    "birth_date": 0.8,
    "street": 0.8,
    "city": 0.5,
    "state": 0.5,
    "postcode": 0.8,
    "phone": 1.6,
    "email": 2.0,
}
"""How often a field is left out, as a multiple of the dial `missing`; the mean is one."""

TYPED = ("given_name", "middle_name", "surname", "street", "city", "postcode", "phone", "email")


@dataclass(frozen=True, eq=False)
class Pen:
    """What writing one batch needs: its stream, each record's sloppiness, and the dials."""

    rng: np.random.Generator
    sloppy: NDArray[np.float64]
    settings: "PeopleSettings"

    def hits(self, chance: float) -> NDArray[np.bool_]:
        """Return which records something of this chance happens to, sloppy ones more often."""
        return happens(self.rng, chance, self.sloppy)


def write_records(
    register: "Register", rows: NDArray[np.int64], settings: "PeopleSettings", *, seed: int, batch: int
) -> dict[str, pa.Array]:
    """Return the columns of some of a register's records."""
    rng = stream(seed, "people", "batch", batch)
    pen = Pen(rng, around_one(rng, len(rows), variation=settings.sloppiness), settings)
    fields = _names(register, rows, pen) | _facts(register, rows, pen)
    for field in TYPED:
        keys = ("people", "typos", field, batch)
        fields[field] = slips(fields[field], pen.hits(settings.typos), scanned=settings.scanned, seed=seed, keys=keys)
    swapped = pen.hits(settings.swaps)
    given, surname = fields["given_name"], fields["surname"]
    fields["given_name"], fields["surname"] = choose(swapped, surname, given), choose(swapped, given, surname)
    for field, factor in LEFT_OUT.items():
        fields[field] = choose(pen.hits(settings.missing * factor), None, fields[field])
    return {"cluster_id": gold(register.person[rows])} | {field: fields[field] for field in LEFT_OUT}


def _names(register: "Register", rows: NDArray[np.int64], pen: Pen) -> dict[str, pa.Array]:
    values = american_given()[0].values
    nicknames, nickname_of = american_nicknames()
    people, person = register.people, register.person[rows]
    given = gather(values, people.given[person])
    nickname = nickname_of[people.given[person]]
    called = choose(
        happens(pen.rng, pen.settings.nicknames, len(rows)) & (nickname >= 0), gather(nicknames, nickname), given
    )
    called = choose(pen.hits(pen.settings.initials), initials(given), called)
    middle = gather(values, people.middle[person])
    surnames = american_surnames().values
    surname = gather(surnames, register.surname[rows])
    maiden = register.maiden[rows]
    surname = choose(maiden >= 0, join([gather(surnames, maiden), surname], "-"), surname)
    return {
        "given_name": called,
        # A middle name is an initial in most records: a habit of forms, not an error.
        "middle_name": choose(pen.rng.random(len(rows)) < 0.6, initials(middle), middle),
        "surname": surname,
    }


def _facts(register: "Register", rows: NDArray[np.int64], pen: Pen) -> dict[str, pa.Array]:
    where, address = register.addresses, register.address[rows]
    person = register.person[rows]
    city = where.city[address]
    sex = pa.array(["m", "f"])
    otherwise = happens(pen.rng, pen.settings.formats, len(rows))
    return {
        "gender": gather(sex, register.people.is_woman[person].astype(np.int32)),
        "birth_date": _dates(register.people.birth[person], pen),
        "street": street_lines(where, address, otherwise),
        "city": gather(cities().names, city),
        "state": gather(cities().states, city),
        "postcode": numbered(where.postcode[address], digits=5),
        "phone": _phones(register.phone[rows], happens(pen.rng, pen.settings.formats, len(rows))),
        "email": _emails(register, rows),
    }


def _dates(days: NDArray[np.int32], pen: Pen) -> pa.Array:
    """Return `1970-12-31`; where wrong, day and month swapped if that is a date, or one of the three a little off."""
    when = days.astype("datetime64[D]")
    month_start = when.astype("datetime64[M]")
    year = when.astype("datetime64[Y]").astype(np.int64) + 1970
    month = month_start.astype(np.int64) % 12 + 1
    day = (when - month_start).astype(np.int64) + 1
    wrong = pen.hits(pen.settings.dates)
    kind = pen.rng.integers(0, 4, len(days))
    step = np.where(pen.rng.random(len(days)) < 0.5, 1, -1)
    swap = wrong & (kind == 0) & (day <= 12) & (day != month)
    month, day = np.where(swap, day, month), np.where(swap, month, day)
    off = wrong & ~swap
    year = year + np.where(off & (kind <= 1), step * np.where(pen.rng.random(len(days)) < 0.3, 10, 1), 0)
    month = np.where(off & (kind == 2), (month - 1 + step) % 12 + 1, month)
    day = np.where(off & (kind == 3), (day - 1 + step) % 28 + 1, day)
    day = np.where(off, np.minimum(day, 28), day)
    return join([numbered(year), numbered(month, digits=2), numbered(day, digits=2)], "-")


def _phones(number: NDArray[np.int64], otherwise: NDArray[np.bool_]) -> pa.Array:
    digits = numbered(number)
    area, exchange, line = (pc.utf8_slice_codeunits(digits, a, b) for a, b in ((0, 3), (3, 6), (6, 10)))
    bracketed = join([pa.scalar("("), area, pa.scalar(") "), exchange, pa.scalar("-"), line])
    return choose(otherwise, bracketed, join([area, exchange, line], "-"))


def _emails(register: "Register", rows: NDArray[np.int64]) -> pa.Array:
    """Return one of four ways to make an address of a name, at one of Faker's domains that nobody owns."""
    people, person, code = register.people, register.person[rows], register.email[rows].astype(np.int64)
    given = gather(american_given()[0].values, people.given[person])
    surname = gather(american_surnames().values, people.surname[person])
    form, number = code % 4, numbered(code // 4 % 100)
    domains = pa.array(list(provider("internet", "en_US").safe_domain_names))
    local = join([given, surname], ".")
    local = choose(form == 1, join([initials(given), surname, number]), local)
    local = choose(form == 2, join([given, number]), local)
    local = choose(form == 3, join([surname, initials(given)], "."), local)
    return join([pc.utf8_lower(local), gather(domains, code // 400 % len(domains))], "@")
