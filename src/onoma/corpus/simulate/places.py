"""Addresses that hang together: a street lies in a city, a city in a state, a postcode and an area code in a city."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.simulate.draw import zipf_ranks
from onoma.corpus.simulate.names import american_given, american_surnames, provider, scrambled
from onoma.corpus.simulate.render import choose, gather, join, numbered
from onoma.numerics.rng import stream

__all__ = ["Addresses", "Cities", "cities", "draw_addresses", "street_lines"]

N_CITIES = 6_000
N_STREET_NAMES = 4_000
STREETS = {
    "Street": "St",
    "Avenue": "Ave",
    "Road": "Rd",
    "Drive": "Dr",
    "Lane": "Ln",
    "Court": "Ct",
    "Place": "Pl",
    "Boulevard": "Blvd",
    "Circle": "Cir",
    "Terrace": "Ter",
    "Parkway": "Pkwy",
    "Square": "Sq",
}
"""The kinds of street most lie on, most frequent first, as the post office abbreviates them."""


@dataclass(frozen=True, eq=False)
class Cities:
    """Cities by size, the largest first."""

    names: pa.Array
    states: pa.Array
    postcode: NDArray[np.int32]
    n_postcodes: NDArray[np.int32]
    area: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Addresses:
    """Where people live, as codes."""

    city: NDArray[np.int32]
    postcode: NDArray[np.int32]
    number: NDArray[np.int32]
    name: NDArray[np.int32]
    kind: NDArray[np.int32]
    unit: NDArray[np.int32]


@cache
def cities() -> Cities:
    """Build six thousand cities: Faker's parts of names, states by the width of their postcode range."""
    rng = stream(0, "cities")
    address = provider("address", "en_US")
    ranges = {state: span for state, span in address.states_postcode.items() if span[1] > span[0]}
    low, high = np.array(list(ranges.values()), dtype=np.int64).T
    state = np.searchsorted(np.cumsum(high - low)[:-1], rng.random(N_CITIES) * (high - low).sum(), side="right")
    n_postcodes = np.minimum(np.maximum(60 // (1 + np.arange(N_CITIES) // 12), 1), high[state] - low[state])
    postcode = low[state] + (rng.random(N_CITIES) * (high - low - n_postcodes.min() + 1)[state]).astype(np.int64)
    postcode = np.minimum(postcode, high[state] - n_postcodes + 1)
    names = _city_names(rng, address)
    states = pa.array(list(ranges)).take(pa.array(state))
    area = 201 + (state * 13 + rng.integers(0, 13, N_CITIES)) % 780
    return Cities(names, states, postcode.astype(np.int32), n_postcodes.astype(np.int32), area.astype(np.int32))


def draw_addresses(rng: np.random.Generator, n: int) -> Addresses:
    """Return n addresses: large cities have more of them, and a city's streets are its own."""
    where = cities()
    city = zipf_ranks(rng, n, among=N_CITIES, exponent=0.9)
    local = zipf_ranks(rng, n, among=400, exponent=0.6).astype(np.int64)
    street = (city * np.int64(7_919) + local * 31) % (N_STREET_NAMES * 64)
    postcode = where.postcode[city] + (rng.random(n) * where.n_postcodes[city]).astype(np.int32)
    has_unit = rng.random(n) < 0.25
    return Addresses(
        city=city,
        postcode=postcode,
        number=(1 + zipf_ranks(rng, n, among=9_000, exponent=0.7)).astype(np.int32),
        name=(street % N_STREET_NAMES).astype(np.int32),
        # A street keeps its kind: the number that names it decides, by Zipf's law.
        kind=np.minimum(len(_kinds()) ** ((street // N_STREET_NAMES + 0.5) / 64), len(_kinds()) - 1).astype(np.int32)
        - 1,
        unit=np.where(has_unit, rng.integers(1, 400, n), 0).astype(np.int32),
    )


def street_lines(addresses: Addresses, rows: NDArray[np.integer], short: NDArray[np.bool_]) -> pa.Array:
    """Return `12 Miller Street Apt. 7` for some addresses; abbreviated where `short` holds."""
    kinds = pa.array(_kinds())
    brief = pa.array([STREETS.get(kind, kind) for kind in _kinds()])
    kind = addresses.kind[rows]
    unit = addresses.unit[rows]
    line = [
        numbered(addresses.number[rows]),
        gather(_street_names(), addresses.name[rows]),
        choose(short, gather(brief, kind), gather(kinds, kind)),
        choose(unit == 0, None, join([choose(short, pa.scalar("#"), pa.array(["Apt. "] * len(rows))), numbered(unit)])),
    ]
    return join(line, " ", skip_nulls=True)


@cache
def _kinds() -> tuple[str, ...]:
    listed = provider("address", "en_US").street_suffixes
    return (*STREETS, *(kind for kind in scrambled(listed) if kind not in STREETS))


@cache
def _street_names() -> pa.Array:
    given = american_given()[0].values
    half = N_STREET_NAMES // 2
    return pa.concat_arrays([american_surnames().values[:half], given[:half]])


def _city_names(rng: np.random.Generator, address: type) -> pa.Array:
    """Return names after Faker's four patterns: a prefix or none, a person's name, an ending or none."""
    prefixes, endings = (pa.array(list(getattr(address, f"city_{part}"))) for part in ("prefixes", "suffixes"))
    people = pa.concat_arrays([american_surnames().values[:1000], american_given()[0].values[:300]])
    pattern = rng.integers(0, 4, N_CITIES)
    prefix = np.where(pattern < 2, rng.integers(0, len(prefixes), N_CITIES), -1)
    ending = np.where(pattern != 1, rng.integers(0, len(endings), N_CITIES), -1)
    stem = gather(people, rng.integers(0, len(people), N_CITIES))
    name = join([stem, gather(endings, ending)], skip_nulls=True)
    return pc.binary_join_element_wise(gather(prefixes, prefix), name, " ", null_handling="skip")
