"""Are the neighbours of new records those that a search among all would find?"""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.simulate import simulate_people
from onoma.resolve.blocking._index_kernels import entries_of_new_pairs, known_features, make_table
from onoma.resolve.blocking.canopies import CanopySettings, find_candidates
from onoma.resolve.blocking.index import FieldIndex, find_neighbours, make_segment
from onoma.resolve.fields.prepare import prepare_fields
from reference.resolve_index import new_pairs

codes = st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), min_size=1, max_size=30)


@given(st.lists(st.integers(0, 2**40)))
def test_equal_keys_have_one_number(keys):
    slots, numbers, place, n = make_table(np.array(keys, dtype=np.int64))
    assert n == len(set(keys))
    assert len({(key, number) for key, number in zip(keys, place.tolist(), strict=True)}) == n
    assert sorted(set(place.tolist())) == list(range(n))
    assert sorted(slots[slots >= 0].tolist()) == sorted(set(keys))
    assert (numbers >= 0).sum() == n


@given(codes, st.integers(0, 29), st.integers(1, 6))
def test_pairs_of_values_of_new_records(rows, first, hot):
    first = min(first, len(rows))
    one, other = (np.array([row[side] for row in rows], dtype=np.int32) for side in (0, 1))
    records, features, counts = entries_of_new_pairs(one, other, first, 5, hot)
    found = {}
    for record, feature in zip(records.tolist(), features.tolist(), strict=True):
        found.setdefault(feature, []).append(record)
    assert sorted(found.values()) == sorted(new_pairs(one.tolist(), other.tolist(), first, hot).values())
    assert {feature: len(each) for feature, each in found.items()} == dict(enumerate(counts.tolist()))


def test_only_known_features_are_kept():
    slots, numbers, _, _ = make_table(np.array([5, 9], dtype=np.int64))
    offsets, found = known_features(np.array([0, 2, 2, 4]), np.array([9, 1, 5, 9], dtype=np.uint32), slots, numbers)
    assert offsets.tolist() == [0, 1, 1, 3]
    assert found.tolist() == [1, 0, 1]


def test_new_records_have_the_neighbours_of_a_full_search():
    table = simulate_people(600, seed=3).drop_columns(["id", "cluster_id"])
    fields = prepare_fields(table).fields
    first, settings = 570, CanopySettings(neighbours=10)
    hot = settings.resolved(600)[1]
    index = [FieldIndex(each.kind, each.codes, make_segment(each, hot=hot)) for each in fields]
    a, b = find_neighbours(index, first, settings=settings)
    assert (a < b).all() and (b >= first).all()
    found = set(zip(a.tolist(), b.tolist(), strict=True))
    full = find_candidates(fields, settings=settings)
    # All pairs in which a new record ranks the other among its ten; a full search adds those ranked by old ones.
    wanted = {pair for pair in zip(full.a.tolist(), full.b.tolist(), strict=True) if pair[1] >= first}
    assert found <= wanted
    assert len(found) > 0.6 * len(wanted)
    assert {b for _, b in found} == {b for _, b in wanted}


def test_features_far_too_common_are_not_kept():
    table = pa.table({"name": ["Ann Smith"] * 50 + [f"Ann {word}" for word in ("Jones", "Brown", "Olsen")]})
    (field,) = prepare_fields(table, kinds={"name": "person"}).fields
    few, many = make_segment(field, hot=1), make_segment(field, hot=1000)
    assert len(few.ids) < len(many.ids)
    assert len(few.offsets) == len(many.offsets) == len(field.values) + 1
