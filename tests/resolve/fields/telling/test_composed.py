"""Whole records in one column."""

from itertools import combinations_with_replacement

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.fields.telling.composed import _viterbi, composed_field, take_apart


def people(n: int = 300) -> tuple[pa.Table, Clustering]:
    table = simulate_people(n, seed=3)
    names = [name for name in table.column_names if name not in ("id", "cluster_id")]
    rows = [", ".join(str(row[name]) for name in names if row[name]) for row in table.to_pylist()]
    return pa.table({"record": rows}), Clustering.from_labels(table["cluster_id"])


def test_missing_fields_do_not_shift_the_others() -> None:
    towns, names = ("Rome", "Oslo", "Bern"), ("Ann Lee", "Bo Ray", "Cy Moe", "Di Orr", "Ed Fox")
    values = [f"{name}, {town}, {year}" for name in names for town in towns for year in range(1960, 1990)]
    *_, fields = take_apart([*values, "Ann Lee, 1977", "Rome, 1981"])
    found = [[texts[row] for texts in fields.columns.values()] for row in (-2, -1)]
    assert found == [["Ann Lee", None, "1977"], [None, "Rome", "1981"]]


def test_the_likeliest_chain_is_that_of_trying_all() -> None:
    rng = np.random.default_rng(1)
    emission, n_parts = rng.normal(size=(20, 5, 3)), rng.integers(1, 6, 20)
    moves = np.log(np.vstack([np.triu(rng.random((3, 3))) + 1e-300, rng.random(3)]))
    found = _viterbi(emission, n_parts, moves)
    for row, n in enumerate(n_parts.tolist()):

        def score(chain: tuple[int, ...], row: int = row) -> float:
            steps = sum(moves[one, other] for one, other in zip(chain, chain[1:], strict=False))
            return float(moves[-1, chain[0]] + steps + sum(emission[row, at, k] for at, k in enumerate(chain)))

        best = max(combinations_with_replacement(range(3), n), key=score)
        assert tuple(found[row, :n].tolist()) == best


def test_titles_chosen_columns_and_tables_of_several_fields_stay_whole() -> None:
    titles = pa.table({"title": [f"the {word} of names" for word in "abcdefgh"]})
    assert composed_field(prepare_fields(titles).fields) is None
    table, _ = people(40)
    fields = prepare_fields(table).fields
    assert composed_field(fields) is fields[0]
    assert composed_field(fields, ["record"]) is None
    assert composed_field([fields[0], fields[0]]) is None


def test_names_with_dates_are_no_dates() -> None:
    words = [f"{chr(97 + k % 26)}{chr(97 + k // 26)}n mora, 19{60 + k % 40}-02-01" for k in range(200)]
    assert prepare_fields(pa.table({"record": words})).fields[0].kind != "date"


@pytest.mark.parametrize("n", [50, 400])
def test_nor_are_they_where_the_column_is_called_born(n: int) -> None:
    people = simulate_people(n, seed=5)
    rows = zip(*(people[name].to_pylist() for name in ("given_name", "surname", "birth_date")), strict=True)
    told = [" ".join(str(part) for part in row if part) for row in rows]
    field = prepare_fields(pa.table({"name_born": told})).fields[0]
    assert field.kind != "date" and len(field.values) == len({value.lower() for value in told})


def test_dates_written_out_are_dates_and_are_not_taken_apart() -> None:
    days = pa.array(np.arange("1980-01-01", "1980-05-01", dtype="datetime64[D]"))
    for form in ("%d %B %Y", "%a %d %b %Y"):
        fields = prepare_fields(pa.table({"born": [day.strftime(form) for day in days.to_pylist()]})).fields
        assert fields[0].kind == "date" and composed_field(fields) is None


@pytest.mark.parametrize("chosen", [False, True])
def test_people_in_one_column_are_found_unless_it_is_to_stay_whole(chosen: bool) -> None:
    table, gold = people()
    found = resolve(table, kinds={"record": "text"} if chosen else {})
    taken = any("is taken apart" in note for note in found.notes)
    assert taken is not chosen
    assert found.table["record"].to_pylist() == table["record"].to_pylist()
    if not chosen:
        same = np.triu(gold.labels[:, None] == gold.labels, 1)
        stated = np.triu(found.clustering.labels[:, None] == found.clustering.labels, 1)
        assert 2 * (same & stated).sum() / (same.sum() + stated.sum()) > 0.9
