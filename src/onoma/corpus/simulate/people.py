"""People and their records: a register that holds the same person more than once, not always the same way.

Persons live in households (one address, often one surname and one telephone), some are twins. A person's records are
made one after the other: between two of them the person may move, marry, change telephone or e-mail. Each record is
then written down with errors (`noise.py`). Every record has them, the first like the others: nothing in a record tells
whether the person has another.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.simulate.dials import Dials, check_rows, dial
from onoma.corpus.simulate.draw import lasting, spread_sizes
from onoma.corpus.simulate.names import american_given, american_surnames
from onoma.corpus.simulate.places import Addresses, cities, draw_addresses
from onoma.corpus.simulate.records import write_records
from onoma.corpus.simulate.render import batches
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["PeopleSettings", "Register", "people_batches", "simulate_people"]

FIRST_BIRTH = -16_436  # 1925-01-01, in days from 1970-01-01
LAST_ADULT = 10_957  # 2000-01-01
LAST_CHILD = 20_089  # 2025-01-01
SPOUSE = 0.55
"""The chance that the second of a household is the first's spouse; otherwise, and from the third on, a child."""
SAME_SURNAME = 0.8
SHARED_PHONE = 0.4


@dataclass(frozen=True, kw_only=True)
class PeopleSettings(Dials):
    """Dials of `simulate_people`. Chances of errors are those of a record of average sloppiness."""

    duplicates: float = dial(0.4, 0.0, 0.95, "share of records beyond the first of each person")
    clumping: float = dial(1.0, 0.0, 4.0, "how unevenly further records fall on people (coefficient of variation)")
    ambiguity: float = dial(1.0, 0.0, 2.0, "power of the name frequencies: 0 all names alike, 1 as in the census")
    households: float = dial(0.45, 0.0, 0.8, "chance that a person lives with the person before")
    twins: float = dial(0.01, 0.0, 0.5, "chance that a child of a household is the twin of the one before")
    sloppiness: float = dial(1.0, 0.0, 3.0, "how much records differ in care (coefficient of variation); 0 not at all")
    typos: float = dial(0.04, 0.0, 0.5, "chance of a slip of the finger in a value")
    scanned: float = dial(0.15, 0.0, 1.0, "share of slips that are misread letters instead")
    swaps: float = dial(0.01, 0.0, 0.5, "chance that given name and surname change places")
    nicknames: float = dial(0.1, 0.0, 1.0, "chance that a nickname stands for the given name, if there is one")
    initials: float = dial(0.03, 0.0, 1.0, "chance that an initial stands for the given name")
    missing: float = dial(0.06, 0.0, 0.5, "mean share of values left out; e-mails most, surnames least")
    dates: float = dial(0.03, 0.0, 0.5, "chance of a wrong birth date: day and month swapped, or a digit off")
    formats: float = dial(0.3, 0.0, 1.0, "chance that address or telephone is written the other way")
    moves: float = dial(0.15, 0.0, 1.0, "chance of a new address between two records")
    marriages: float = dial(0.03, 0.0, 1.0, "chance that a woman's surname changes between two records")
    phones: float = dial(0.1, 0.0, 1.0, "chance of a new telephone between two records")
    emails: float = dial(0.12, 0.0, 1.0, "chance of a new e-mail address between two records")


@dataclass(frozen=True, eq=False)
class People:
    """One entry for each person."""

    given: NDArray[np.int32]
    middle: NDArray[np.int32]
    surname: NDArray[np.int32]
    is_woman: NDArray[np.bool_]
    birth: NDArray[np.int32]
    household: NDArray[np.int32]
    n_households: int


@dataclass(frozen=True, eq=False)
class Register:
    """The people, and what is true of them at each of their records (records of one person side by side)."""

    people: People
    person: NDArray[np.int32]
    surname: NDArray[np.int32]
    maiden: NDArray[np.int32]
    address: NDArray[np.int32]
    phone: NDArray[np.int64]
    email: NDArray[np.int32]
    addresses: Addresses


def simulate_people(
    n: int, *, seed: int = 0, settings: PeopleSettings | None = None, progress: Progress = SILENT
) -> pa.Table:
    """Return n records of people: `id`, the gold `cluster_id`, and eleven fields, all strings.

    Parameters
    ----------
    n
        How many records.
    seed
        Same seed, same table.
    settings
        The dials; see `dials(PeopleSettings)`.
    progress
        Where to show how far it is.

    Examples
    --------
    >>> table = simulate_people(1000, seed=1)
    >>> table.num_rows, table.column_names[:5]
    (1000, ['id', 'cluster_id', 'given_name', 'middle_name', 'surname'])
    """
    return pa.Table.from_batches(people_batches(n, seed=seed, settings=settings, progress=progress))


def people_batches(
    n: int, *, seed: int = 0, settings: PeopleSettings | None = None, progress: Progress = SILENT
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `simulate_people` a batch at a time: memory for codes only, about 60 bytes a row."""
    settings = settings or PeopleSettings()
    register = draw_register(check_rows(n), seed, settings)
    order = stream(seed, "people", "order").permutation(n)

    def render(number: int, rows: NDArray[np.int64]) -> dict[str, pa.Array]:
        return write_records(register, rows, settings, seed=seed, batch=number)

    return batches(order, render, name="people", progress=progress)


def draw_register(n: int, seed: int, settings: PeopleSettings) -> Register:
    """Draw the people and the course of their lives."""
    rng = stream(seed, "people")
    sizes = spread_sizes(rng, n, duplicates=settings.duplicates, clumping=settings.clumping)
    people = draw_people(rng, len(sizes), settings)
    person = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    starts = np.diff(person, prepend=-1) > 0
    moved = rng.random(n) < settings.moves
    new_address = people.n_households + np.cumsum(moved, dtype=np.int32) - 1
    address = lasting(people.household[person], new_address, starts=starts, changes=moved)
    addresses = draw_addresses(rng, people.n_households + int(moved.sum()))
    surname, maiden = _surnames(rng, people, person, starts, settings)
    email = rng.integers(0, 1 << 30, len(sizes), dtype=np.int32)[person]
    new_email = rng.integers(0, 1 << 30, n, dtype=np.int32)
    email = lasting(email, new_email, starts=starts, changes=rng.random(n) < settings.emails)
    phone = _phones(rng, people, person, starts, addresses, settings)
    return Register(people, person, surname, maiden, address.astype(np.int32), phone, email, addresses)


def draw_people(rng: np.random.Generator, n: int, settings: PeopleSettings) -> People:
    """Draw persons, household after household: a first, a spouse perhaps, children, twins among them."""
    given_pool, n_women = american_given()
    joins = rng.random(n) < settings.households
    joins[0] = False
    household = (np.cumsum(~joins) - 1).astype(np.int32)
    first = np.flatnonzero(~joins)[household]
    place = np.arange(n) - first
    is_spouse = (place == 1) & (rng.random(n) < SPOUSE)
    is_child = (place > 0) & ~is_spouse
    is_woman = rng.random(n) < 0.5
    is_woman = np.where(is_spouse, ~is_woman[first], is_woman)
    birth = _births(rng, first, is_spouse, is_child)
    surname = american_surnames().tempered(settings.ambiguity).draw(rng, n)
    same = is_child | (is_spouse & (rng.random(n) < SAME_SURNAME))
    surname = np.where(same, surname[first], surname)
    given, middle = (_given(rng, n, is_woman, settings.ambiguity) for _ in range(2))
    middle = np.where(rng.random(n) < 0.75, middle, -1)
    twin = is_child & np.roll(is_child, 1) & (np.roll(household, 1) == household) & (rng.random(n) < settings.twins)
    twin &= ~np.roll(twin, 1)
    pairs = np.flatnonzero(twin)
    birth[pairs] = birth[pairs - 1]
    is_woman[pairs] = is_woman[pairs - 1]
    given[pairs] = _similar_given(rng, given_pool.values, n_women, given[pairs - 1])
    return People(given, middle, surname, is_woman, birth, household, int(household[-1]) + 1)


def _births(
    rng: np.random.Generator, first: NDArray[np.int64], is_spouse: NDArray[np.bool_], is_child: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return days of birth: a spouse's within a few years of the first's, a child's 18 to 40 years later."""
    n = len(first)
    birth = rng.integers(FIRST_BIRTH, LAST_ADULT, n)
    base = birth[first]
    birth = np.where(is_spouse, base + rng.normal(0, 1_200, n).astype(np.int64), birth)
    window = np.minimum(8_000, LAST_CHILD - base - 6_600)
    birth = np.where(is_child, base + 6_600 + (rng.random(n) * window).astype(np.int64), birth)
    return birth.astype(np.int32)


def _given(rng: np.random.Generator, n: int, is_woman: NDArray[np.bool_], power: float) -> NDArray[np.int32]:
    pool, n_women = american_given()
    weights = pool.weights**power
    cumulative = np.cumsum(weights)
    split = cumulative[n_women - 1]
    u = rng.random(n)
    point = np.where(is_woman, u * split, split + u * (cumulative[-1] - split))
    code = np.searchsorted(cumulative[:-1], point, side="right")
    return np.where(is_woman, np.minimum(code, n_women - 1), np.maximum(code, n_women)).astype(np.int32)


def _similar_given(
    rng: np.random.Generator, names: pa.Array, n_women: int, given: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return another name with the same first letter and for the same sex."""
    key = np.array([name[0] for name in names.to_pylist()]).view(np.int32) * 2 + (np.arange(len(names)) < n_women)
    order = np.argsort(key, kind="stable")
    low, high = (np.searchsorted(key[order], key[given], side=side) for side in ("left", "right"))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    # Among the others of the group, the frequent ones that come first; alone in it, the same name it is.
    step = 1 + (rng.random(len(given)) * np.minimum(high - low - 1, 60)).astype(np.int64)
    return order[low + (place[given] - low + step) % (high - low)].astype(np.int32)


def _surnames(
    rng: np.random.Generator,
    people: People,
    person: NDArray[np.int32],
    starts: NDArray[np.bool_],
    settings: PeopleSettings,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the surname at each record, and the maiden name where it is joined to it by a hyphen (else -1)."""
    n = len(person)
    changes = (rng.random(n) < settings.marriages) & people.is_woman[person] & ~starts
    fresh = american_surnames().tempered(settings.ambiguity).draw(rng, n)
    surname = lasting(people.surname[person], fresh, starts=starts, changes=changes)
    hyphened = np.where(rng.random(n) < 0.15, people.surname[person], -1).astype(np.int32)
    maiden = lasting(np.full(n, -1, dtype=np.int32), hyphened, starts=starts, changes=changes)
    return surname, maiden


def _phones(
    rng: np.random.Generator,
    people: People,
    person: NDArray[np.int32],
    starts: NDArray[np.bool_],
    addresses: Addresses,
    settings: PeopleSettings,
) -> NDArray[np.int64]:
    """Return ten-digit numbers: the area of the first address; a household's line for some, one's own for others."""
    area = cities().area[addresses.city[: people.n_households]].astype(np.int64)
    line = area * 10_000_000 + rng.integers(2_000_000, 10_000_000, people.n_households)
    own = area[people.household] * 10_000_000 + rng.integers(2_000_000, 10_000_000, len(people.household))
    shares = rng.random(len(own)) < SHARED_PHONE
    number = np.where(shares, line[people.household], own)
    fresh = area[people.household[person]] * 10_000_000 + rng.integers(2_000_000, 10_000_000, len(person))
    return lasting(number[person], fresh, starts=starts, changes=rng.random(len(person)) < settings.phones)
