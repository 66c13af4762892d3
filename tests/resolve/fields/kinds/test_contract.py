"""What every kind promises, whatever it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.resolve.fields.features import SORTS
from onoma.resolve.fields.field import FieldData, prepare_first
from onoma.resolve.fields.kinds import KIND_NAMES, KINDS, check_kind

RAW = {
    "person": ["John Smith", "Smith, John", "J. Smith", "Bob Lee", "Ann", "李 小龍", "O'Neil, Dr. Mary Ann"],
    "organisation": ["IBM", "International Business Machines Corp.", "Acme Ltd", "ACME", "Univ. of X", "Ünïcode GmbH"],
    "code": ["310-246-1501", "310/2461501", "a1", "AB 12 cd", "x@y.org"],
    "serial": ["KX-FA133", "kxfa136", "KX-FA133-BK", "a1", "82978"],
    "category": ["m", "f", "M ", "??", "other"],
    "date": ["1990-01-02", "02/01/1990", "1990", "Jan 1990", "19900201", "soon", "31.12.1989"],
    "number": ["1", "1.0", "$1,200.50", "-3", "12 lb", "none here", "1e6"],
    "place": ["12 Main St.", "12 main street", "14 Main Street", "St James", "Köln"],
    "text": ["Sony PS-LX350H", "sony pslx350h turntable", "a", "the the the", "…"],
    "set": ["A. Gupta, B. Lee", "Ajay Gupta and Bob Lee", "x; y", "solo", "Lee, B."],
    "geo": ["51.5,-0.1", "51.5001, -0.1001", "0,0", "nowhere", "-33.9 151.2"],
    "likeness": ["Univ. of Oslo", "University of Oslo", "Oslo University Hospital", "MIT", "Ünïcode GmbH"],
}
ANY = st.lists(st.text(max_size=12), min_size=2, max_size=8, unique=True)


def prepared(kind, raw):
    values = list(dict.fromkeys(text for text in KINDS[kind].normalise(raw) if text))
    counts = np.arange(1, len(values) + 1)
    codes = np.arange(len(values), dtype=np.int32)
    return FieldData("x", kind, "", ("x",), values, values, codes, counts, KINDS[kind].prepare(values, counts))


def check_promises(field):
    assert field.levels[0] == "equal"
    assert field.levels[-1] == "different"
    assert 2 <= len(set(field.levels)) == len(field.levels) <= 24
    n = len(field.values)
    a, b = (grid.ravel().astype(np.int32) for grid in np.mgrid[:n, :n])
    levels = field.compare(a, b)
    assert levels.dtype == np.int8
    assert np.array_equal(levels, field.compare(b, a))
    assert (levels[a == b] == 0).all()
    assert ((levels[a != b] > 0) & (levels[a != b] < len(field.levels))).all()
    check_features(field.features(), n)


def check_features(features, n):
    assert len(features.offsets) == n + 1
    assert features.offsets[-1] == len(features.ids)
    assert len(features.sorts) == len(features.texts)
    assert features.sorts.max(initial=0) < len(SORTS)
    for start, end in zip(features.offsets[:-1], features.offsets[1:], strict=True):
        row = features.ids[start:end].tolist()
        assert len(set(row)) == len(row) > 0
        assert max(row) < len(features.texts)


def test_every_kind_is_registered_by_name():
    assert (*RAW, "vector", "ignore") == KIND_NAMES
    assert all(KINDS[name].name == name for name in RAW)


@pytest.mark.parametrize("kind", RAW)
def test_promises_on_values_of_the_kind(kind):
    check_promises(prepared(kind, RAW[kind]))


@pytest.mark.parametrize("kind", RAW)
@given(raw=ANY)
@settings(max_examples=25, deadline=None)
def test_promises_on_any_text(kind, raw):
    check_promises(prepared(kind, raw))


@pytest.mark.parametrize("kind", RAW)
def test_writing_in_one_way_is_final(kind):
    once = [text for text in KINDS[kind].normalise(RAW[kind]) if text]
    assert KINDS[kind].normalise(once) == once


def test_unknown_kinds_are_refused_with_a_list():
    with pytest.raises(SettingsError, match=r"'nmae'(.|\n)*person, organisation"):
        check_kind("nmae", "x")


@pytest.mark.parametrize("kind", RAW)
@settings(max_examples=25, deadline=None)
@given(extra=ANY, data=st.data())
def test_the_first_values_compare_as_among_all(kind, extra, data):
    """Whatever a kind spares where only some values are compared."""
    field = prepared(kind, [*data.draw(st.permutations(RAW[kind])), *extra])
    n = data.draw(st.integers(1, len(field.values)))
    first = prepare_first(KINDS[kind], field.values, field.counts, n)
    a, b = (grid.ravel().astype(np.int32) for grid in np.mgrid[:n, :n])
    unequal = a != b
    assert first.levels == field.levels
    assert np.array_equal(first.compare(a[unequal], b[unequal]), field.comparison.compare(a[unequal], b[unequal]))
