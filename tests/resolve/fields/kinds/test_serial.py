"""Codes in series: a neighbour one sign away is another thing."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.numerics.rng import stream
from onoma.resolve.fields.kinds import serial
from onoma.resolve.fields.kinds.serial import series_of
from onoma.resolve.fields.prepare import prepare_fields
from reference.levels import level


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("KX-FA133", "kx fa133", "equal"),
        ("KX-FA133", "KX-FA136", "different"),
        ("KX-FA133", "KX-FA133-BK", "one within the other"),
        ("82978", "88285", "different"),
    ],
)
def test_level(first, second, expected):
    assert level("serial", first, second) == level("serial", second, first) == expected


def in_series(n, seed=1):
    """Return codes of families of ten, as makers number their models."""
    rng = stream(seed, "models")
    letters = np.array(list("ABCDEFGHJKLMNPRSTUVWXYZ"))
    begin = ["".join(rng.choice(letters, 4)) + str(rng.integers(10, 99)) for _ in range(n // 10)]
    return [f"{each}{k}X" for each in begin for k in range(10)]


def at_random(n, seed=1):
    return [f"{k:09d}" for k in stream(seed, "numbers").choice(10**9, n, replace=False).tolist()]


def misspelt(codes, seed=2):
    """Return each code and a copy of it, every fifth with a wrong sign."""
    rng = stream(seed, "slips")
    copies = []
    for k, code in enumerate(codes):
        at = int(rng.integers(0, len(code)))
        wrong = str((int(code[at]) + 1) % 10) if code[at].isdigit() else "0"
        copies.append(code if k % 5 else code[:at] + wrong + code[at + 1 :])
    return codes + copies


def near_by_brute_force(values):
    def one_apart(a, b):
        if len(a) > len(b):
            a, b = b, a
        if len(a) == len(b):
            return sum(x != y for x, y in zip(a, b, strict=True)) == 1
        return len(b) - len(a) == 1 and any(b[:k] + b[k + 1 :] == a for k in range(len(b)))

    return sum(any(one_apart(a, b) for b in values if b != a) for a in values) / len(values)


def test_series_are_counted_as_by_brute_force():
    values = [code.lower() for code in in_series(150)] + at_random(50)
    near, again = series_of(values, np.ones(len(values), dtype=np.int64))
    assert near == pytest.approx(near_by_brute_force(values), abs=0.02)  # hardly any is near by chance
    assert again == 0.0
    assert series_of(values, np.full(len(values), 2))[1] == 1.0


def test_of_many_codes_whole_beginnings_are_looked_at(monkeypatch):
    values = in_series(3_000)
    whole = series_of(values, np.ones(len(values), dtype=np.int64))[0]
    monkeypatch.setattr(serial, "_MOST", 500)
    part = series_of(values, np.ones(len(values), dtype=np.int64))[0]
    assert part == pytest.approx(whole, abs=0.1)


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("model", in_series(300), "serial"),
        ("c1", [*in_series(300), *in_series(300)[:30]], "serial"),
        ("model", misspelt(at_random(300)), "code"),
        ("ssn", misspelt(at_random(300)), "code"),
        ("model", in_series(300) * 2, "serial"),
        ("phone", [f"555{k:04d}" for k in range(300)], "code"),
        ("zip", [f"{k:05d}" for k in range(10_000, 10_300)], "code"),
        ("model", in_series(50), "code"),  # too few to tell
        ("model", [f"{k:05d}" for k in stream(4, "dense").choice(10**5, 3_000, replace=False).tolist()], "code"),
    ],
)
def test_what_is_taken_for_a_series(column, values, kind):
    table = pa.table({column: values, "name": [f"thing {k}" for k in range(len(values))]})
    assert {each.name: each.kind for each in prepare_fields(table).fields}[column] == kind
