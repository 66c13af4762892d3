import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.resolve.fields import prepare_fields


def kinds_of(prepared):
    return {field.name: field.kind for field in prepared.fields}


def reasons_of(prepared):
    return dict(prepared.ignored)


def field_of(values, kind=None, name="x"):
    prepared = prepare_fields(pa.table({name: values}), kinds={name: kind} if kind else None)
    return prepared.fields[0]


def test_codes_point_at_values_and_missing_is_minus_one():
    field = field_of(["Ann Lee", None, " ", "N/A", "LEE, ANN", "Bo Wu"], "person")
    assert field.values == ["ann lee", "bo wu"]
    assert field.examples == ["Ann Lee", "Bo Wu"]
    assert field.codes.tolist() == [0, -1, -1, -1, 0, 1]
    assert field.counts.tolist() == [2, 1]
    assert (field.codes.dtype, field.counts.dtype) == (np.int32, np.int64)


def test_missing_values_are_reported_most_frequent_first():
    table = pa.table({"phone": ["-"] * 2 + ["n/a"] * 3 + ["310-246-1501", "310-246-1502"]})
    report = prepare_fields(table).missing_report
    assert [(found.column, found.value, found.n_records) for found in report] == [
        ("phone", "n/a", 3),
        ("phone", "-", 2),
    ]


def test_firsts_of_january_become_years_and_are_reported():
    born = [f"{1901 + i % 60}-01-01" for i in range(60)] + [f"{1901 + i % 60}-05-{i % 28 + 1:02}" for i in range(120)]
    prepared = prepare_fields(pa.table({"born": born}))
    field = prepared.fields[0]
    assert field.values[:2] == ["1901-00-00", "1902-00-00"]
    assert field.examples[0] == "1901-01-01"
    assert field.levels[field.compare(field.codes[:1], field.codes[60:61])[0]] == "no conflict"
    assert [(found.value, found.n_records) for found in prepared.missing_report] == [("1 January", 60)]


def test_a_chosen_kind_wins_and_says_so():
    prepared = prepare_fields(pa.table({"id": ["a1", "a2"], "x": ["b", "c"]}), kinds={"id": "code", "x": "ignore"})
    assert [(field.name, field.kind, field.reason) for field in prepared.fields] == [("id", "code", "it was so chosen")]
    assert reasons_of(prepared) == {"x": "it was so chosen"}


def test_unknown_columns_and_kinds_are_refused_with_what_there_is():
    table = pa.table({"name": ["a"]})
    with pytest.raises(SettingsError, match=r"no column 'nmae'(.|\n)*'name'"):
        prepare_fields(table, kinds={"nmae": "person"})
    with pytest.raises(SettingsError, match=r"'persn'(.|\n)*person"):
        prepare_fields(table, kinds={"name": "persn"})


def test_excluded_columns_leave_without_a_word():
    prepared = prepare_fields(pa.table({"id": ["1", "2"], "surname": ["a", "b"]}), exclude=["id", "not there"])
    assert kinds_of(prepared) == {"surname": "person"}
    assert prepared.ignored == []


def test_what_is_no_evidence_is_ignored_with_the_reason():
    n = 300
    table = pa.table(
        {
            "cluster_id": [str(i // 2) for i in range(n)],
            "record_id": [f"r{i % 7}" for i in range(n)],
            "line": list(range(n)),
            "token": [f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(n)],
            "source": ["a", "b"] * (n // 2),
            "empty": [None] * n,
            "nothing": ["n/a"] * n,
            "same": ["x"] * n,
            "nearly": ["y"] * (n - 1) + ["z"],
            "blob": [b"x"] * n,
            "surname": [f"name{i % 50}" for i in range(n)],
        }
    )
    reasons = reasons_of(prepare_fields(table))
    expected = {
        "cluster_id": "answer",
        "record_id": "ids",
        "line": "row numbers",
        "token": "opaque",
        "source": "came from",
        "empty": "empty",
        "nothing": "empty",
        "same": "one value",
        "nearly": "one and the same",
        "blob": "binary",
    }
    assert reasons.keys() == expected.keys()
    assert all(word in reasons[name] for name, word in expected.items())


def test_a_copy_of_a_column_is_ignored():
    table = pa.table({"surname": ["Lee", "Wu", "Ng"], "family_name": ["LEE", "wu", "Ng"], "first": ["A", "B", "A"]})
    prepared = prepare_fields(table)
    assert kinds_of(prepared) == {"surname": "person", "first": "person"}
    assert reasons_of(prepared) == {"family_name": "it repeats 'surname'"}


def test_a_copy_in_other_words_is_ignored_but_not_another_column_of_different_values():
    table = pa.table({"gender": ["m", "f", "m", "f"], "sex": ["male", "female", "male", "female"]})
    assert reasons_of(prepare_fields(table)) == {"sex": "it repeats 'gender'"}
    table = pa.table({"surname": ["Lee", "Wu", "Ng"], "city": ["Rome", "Oslo", "Bonn"]})
    assert kinds_of(prepare_fields(table)) == {"surname": "person", "city": "place"}


def test_list_columns_are_sets_or_vectors():
    table = pa.table(
        {
            "tags": [["red, dark", "blue"], ["blue"], None, ["green", "red, dark"]],
            "embedding": pa.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], None], pa.list_(pa.float32())),
        }
    )
    prepared = prepare_fields(table)
    assert kinds_of(prepared) == {"tags": "set", "embedding": "vector"}
    tags, vectors = prepared.fields
    assert tags.values == ["blue; dark red", "blue", "dark red; green"]
    assert vectors.codes[0] == vectors.codes[1] != vectors.codes[2]
    assert vectors.codes[3] == -1
    assert vectors.levels[vectors.compare(vectors.codes[:1], vectors.codes[2:3])[0]] == "different"


def test_vectors_of_two_lengths_are_refused():
    with pytest.raises(DataError, match="lists of 1 to 2 numbers"):
        prepare_fields(pa.table({"v": [[1.0], [1.0, 2.0]]}))


def test_near_vectors_share_keys():
    rng = np.random.default_rng(1)
    base = rng.standard_normal((20, 16))
    rows = np.concatenate([base, base + 0.01 * rng.standard_normal((20, 16))])
    field = field_of(rows.tolist())
    features = field.features()
    shared = [
        set(features.ids[features.offsets[a] : features.offsets[a + 1]])
        & set(features.ids[features.offsets[b] : features.offsets[b + 1]])
        for a, b in zip(field.codes[:20], field.codes[20:], strict=True)
    ]
    assert sum(map(bool, shared)) >= 18
    assert (field.compare(field.codes[:20], field.codes[20:]) <= 1).all()


def test_columns_of_many_types_are_read():
    table = pa.table(
        {
            "birth": pa.array([1, 2, 40], pa.date32()),
            "price": pa.array([1.5, 2.5, None], pa.float64()),
            "city": pa.array(["x", "y", "x"]).dictionary_encode(),
            "surname": pa.array(["a", "b", "c"], pa.large_string()),
        }
    )
    assert kinds_of(prepare_fields(table)) == {"birth": "date", "price": "number", "city": "place", "surname": "person"}


def test_points_and_own_names_are_joined_across_columns():
    table = pa.table(
        {
            "person": ["Ann Lee", "Bo Wu", "Ann Lee"],
            "authors": ["Ann Lee, Bo Wu", "Bo Wu, Cy Ng, Ann Lee", "Ann Lee"],
            "lat": [51.5, 48.8, 0.0],
            "lng": [-0.1, 2.3, 0.0],
        }
    )
    prepared = prepare_fields(table)
    assert kinds_of(prepared) == {"person": "person", "authors": "set", "lat + lng": "geo"}
    authors, points = prepared.fields[1:]
    assert authors.values == ["bo wu", "ann lee; cy ng"]
    assert authors.codes.tolist() == [0, 1, -1]
    assert "'person' is left out" in authors.reason
    assert points.columns == ("lat", "lng")
    assert points.codes.tolist() == [0, 1, -1]


def test_one_row_no_rows_and_very_long_texts():
    assert prepare_fields(pa.table({"name": ["Ann"]})).fields == []
    assert prepare_fields(pa.table({"name": pa.array([], pa.string())})).fields == []
    long = field_of(["word " * 2000 + "a", "word " * 2000 + "b", "x"])
    assert long.kind == "text"
    assert long.compare(long.codes[:1], long.codes[1:2])[0] > 0


def test_the_same_table_gives_the_same_fields():
    table = pa.table({"surname": ["Lee", "Li", "Wu", "Lee"], "city": ["x", "y", "z", "x"]})
    first, second = prepare_fields(table).fields, prepare_fields(table).fields
    for one, other in zip(first, second, strict=True):
        assert one.values == other.values
        assert one.codes.tobytes() == other.codes.tobytes()
        assert one.features().ids.tobytes() == other.features().ids.tobytes()
