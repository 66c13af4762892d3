"""Rows of one name: what records repeat, and what is new in each row."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.evaluate.pairwise import pairwise
from onoma.resolve.api import resolve
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.fields.telling.mates import _of_rare_words, mates_by, new_in_each, share_repeated

OWN = ("flag", "amount", "loaded", "batch")


def beside(table: pa.Table, seed: int = 1) -> pa.Table:
    """Add what says something of each row and nothing of the thing."""
    rng, n = np.random.default_rng(seed), len(table)
    days = rng.integers(0, 336, n)
    for name, values in {
        "flag": rng.choice(["Y", "N"], n).tolist(),
        "amount": [f"{x:.2f}" for x in rng.lognormal(4.0, 1.0, n)],
        "loaded": [f"2024-{day // 28 + 1:02d}-{day % 28 + 1:02d}" for day in days],
        "batch": [f"B{x:05d}" for x in rng.integers(0, 10**5, n)],
    }.items():
        table = table.append_column(name, pa.array(values))
    return table


def names_new(table: pa.Table) -> list[str]:
    return [each.name for each in new_in_each(prepare_fields(table, exclude=["id", "cluster_id"]).fields)]


def companies(n: int, seed: int) -> pa.Table:
    """Companies that are written in two ways, few of them twice in the same."""
    rng = np.random.default_rng(seed)
    letters, towns = list("abcdefghiklmnoprstuvz"), [f"{x}ville" for x in "ABCDEFGHIKLMNOPRSTUVWZ"]
    rows = []
    for k in range(n):
        word = "".join(rng.choice(letters, 8)).title()
        sort = rng.choice(["Holdings", "Bank", "Foods", "Motors", "Energy"])
        town, year = str(rng.choice(towns)), int(rng.integers(1880, 2020))
        rows += [(k, f"{word} {sort} Ltd", town, year), (k, f"The {word} {sort} Company", town, year)]
    order = rng.permutation(len(rows))
    return pa.table(
        {
            "cluster_id": [rows[i][0] for i in order],
            "name": [rows[i][1] for i in order],
            "town": [rows[i][2] for i in order],
            "founded": [str(rows[i][3]) for i in order],
        }
    )


def test_what_is_new_in_each_row_of_a_person_is_found_and_nothing_else():
    people = simulate_people(2000, seed=1, settings=PeopleSettings(duplicates=0.4))
    assert names_new(people) == []
    assert names_new(beside(people)) == list(OWN)


@pytest.mark.parametrize("duplicates", [0.0, 0.1, 0.5])
def test_what_tells_members_of_a_household_apart_is_not_taken_for_new(duplicates):
    families = simulate_people(1500, seed=2, settings=PeopleSettings(households=0.8, duplicates=duplicates))
    assert names_new(families) == []
    by_surname = families.select(["surname", "birth_date", "gender", "street", "city", "phone"])
    assert names_new(by_surname) == [], "a family name and an address are a household's"


def test_names_that_share_a_rare_word_stand_in_where_few_are_the_same():
    table = companies(300, seed=1)
    assert names_new(table) == []
    assert names_new(beside(table)) == list(OWN)


def societies(n: int, rows_each: int, n_words: int, seed: int) -> pa.Table:
    """Names of so many made-up words, each thing in so many rows, with the year in which it began."""
    rng = np.random.default_rng(seed)
    letters, words = list("abcdefghiklmnoprstuvz"), ["Society", "Institute", "Union", "Club"]
    made = [[*("".join(rng.choice(letters, 7)).title() for _ in range(n_words))] for _ in range(n)]
    years = rng.integers(1880, 2020, n)
    kept = rng.permutation(np.repeat(np.arange(n), rows_each))
    return pa.table(
        {
            "cluster_id": kept,
            "name": [" ".join([*made[k], *rng.choice(words, 1)][: n_words + int(rng.integers(0, 2))]) for k in kept],
            "founded": [str(years[k]) for k in kept],
        }
    )


def test_rare_words_come_in_the_order_of_the_rows_in_every_process():
    """Python's sets have another order in each: a table's columns were left out, or not, by chance."""
    names = ["alpha beta gamma delta", "delta gamma beta alpha"]
    found = _of_rare_words(prepare_fields(pa.table({"name": names}), kinds={"name": "text"}).fields[0])
    assert found.tolist() == [[word, row] for word in range(4) for row in range(2)]
    shared = [f"{a} {b}" for a, b in (("kappa", "iota"), ("iota", "theta"), ("theta", "kappa"))]
    found = _of_rare_words(prepare_fields(pa.table({"name": shared}), kinds={"name": "text"}).fields[0])
    assert found[:, 1].tolist() == [0, 2, 0, 1, 1, 2], "kappa, iota, theta"


def test_long_names_vouch_for_themselves_where_nothing_else_tells():
    table = societies(300, 2, 2, seed=1)
    assert names_new(table) == [], "a year that rows of one name share tells"
    lone = table.drop_columns("founded")
    assert names_new(beside(lone)) == list(OWN)
    for column in ("amount", "loaded"):
        given = beside(lone).select(["cluster_id", "name", column])
        found = resolve(given, truth="cluster_id")
        truth = Clustering.from_labels(given["cluster_id"])
        assert pairwise(truth, found.clustering).f1 > 0.9


def test_a_single_word_vouches_for_nobody():
    towns = societies(150, 2, 1, seed=2).drop_columns("founded")
    bare = [name.split()[0] for name in towns["name"].to_pylist()]
    assert names_new(beside(pa.table({"name": bare}))) == []


def test_few_rows_and_tables_without_names_tell_nothing():
    assert names_new(beside(simulate_people(60, seed=1))) == []
    assert names_new(pa.table({"price": ["1", "2", "3"] * 80, "day": ["2024-01-02", "2024-02-03"] * 120})) == []
    assert new_in_each([]) == []


def test_what_rows_repeat_does_not_depend_on_what_is_new_in_each():
    table = pa.concat_tables([companies(100, seed=2)] * 2).drop_columns("cluster_id")
    found = []
    for each in (table, beside(table)):
        fields = prepare_fields(each).fields
        others, mates = mates_by(fields, next(field for field in fields if field.name == "name"))
        found.append(share_repeated(others, mates, 20))
    assert found[0] > 0.9 and found[1] == found[0]


def test_an_answer_is_as_good_with_what_is_new_in_each_row():
    table = companies(250, seed=3)
    gold = Clustering.from_labels(table["cluster_id"])
    plain, more = (resolve(each, truth="cluster_id") for each in (table, beside(table)))
    scores = [pairwise(gold, each.clustering).f1 for each in (plain, more)]
    assert scores[0] > 0.9 and scores[1] > scores[0] - 0.02
    assert any("left out" in note and "amount" in note for note in more.notes)
    assert {each.name for each in more.fields.ignored} >= set(OWN)
    kept = resolve(beside(table), truth="cluster_id", kinds={"amount": "number"})
    assert "amount" in {each.name for each in kept.fields.fields}


def test_a_date_that_is_repeated_with_a_slip_is_repeated():
    rng, firms = np.random.default_rng(6), companies(150, seed=7)["name"].to_pylist()
    days = [f"{rng.integers(1900, 2000)}-{rng.integers(1, 13):02d}-{rng.integers(10, 29)}" for _ in firms]

    def share(again):
        table = pa.table({"name": firms * 2, "began": [*days, *again]})
        fields = prepare_fields(table, kinds={"name": "organisation", "began": "date"}).fields
        others, mates = mates_by(fields, next(each for each in fields if each.name == "name"))
        return share_repeated(others, mates, 20)

    slips = [f"{day[:-1]}{(int(day[-1]) + 1) % 10}" for day in days]
    assert share(days) == 1.0 and share(slips) > 0.8
    assert share(rng.permutation(days).tolist()) < 0.2
