"""Which model is for which table."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate import simulate_people
from onoma.corpus.simulate.authors import simulate_authors
from onoma.resolve.api import resolve
from onoma.resolve.auto import pick_model, share_together
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.prepare import prepare_fields


def picked(table: pa.Table, **how) -> tuple[str, str]:
    fields = prepare_fields(table, exclude=["id", "cluster_id"]).fields
    return pick_model(fields, ResolveConfig(**how))


def test_mentions_in_ever_new_company_are_for_trees():
    authors = simulate_authors(1000, seed=2)
    assert picked(authors)[0] == "hierarchical"
    assert picked(authors.select(["first", "middle", "last", "title", "venue"]))[0] == "hierarchical"
    assert picked(authors, link=True) == ("copying", "rows are linked")
    assert picked(authors, weights="weights.csv")[0] == "copying"


def test_records_that_repeat_each_other_are_copies():
    model, why = picked(simulate_people(2000, seed=1))
    assert model == "copying"
    assert "repeat something else that tells" in why
    assert picked(simulate_authors(300, seed=2).select(["title", "venue"])) == (
        "copying",
        "there are no names of people",
    )


def beside(table: pa.Table, seed: int) -> pa.Table:
    """Add what many tables say besides, which is new in each row."""
    rng, n = np.random.default_rng(seed), len(table)
    for name, values in {
        "status": rng.choice(["active", "closed", "pending"], n),
        "amount": [f"{x:.2f}" for x in rng.lognormal(4.0, 1.0, n)],
        "loaded": [
            f"2024-{m:02d}-{d:02d}" for m, d in zip(rng.integers(1, 13, n), rng.integers(1, 29, n), strict=True)
        ],
        "clerk": rng.choice(["jsmith", "mary.k", "admin", "import_job"], n),
        "remark": rng.choice(["called back", "left a message", "verify address", "old import", "checked by phone"], n),
        "batch": [f"B{x:05d}" for x in rng.integers(0, 10**5, n)],
    }.items():
        table = table.append_column(name, pa.array([str(x) for x in values]))
    return table


def test_what_is_new_in_every_row_does_not_make_mentions_of_records():
    people = simulate_people(1500, seed=3).select(["given_name", "surname", "birth_date", "city", "email"])
    assert picked(beside(people, 1))[0] == "copying"
    assert picked(beside(simulate_authors(1000, seed=2), 1))[0] == "hierarchical"


def test_few_people_with_a_list_beside_them_are_judged_by_what_they_repeat():
    people = simulate_people(260, seed=3)
    tags = pa.array([("red; blue", "blue; green; red", "green; white")[k % 3] for k in range(len(people))])
    assert picked(people.append_column("tags", tags))[0] == "copying"


def test_many_rows_of_one_name_are_for_trees_unless_they_are_equal():
    people = simulate_people(200, seed=1)
    many = pa.concat_tables([people] * 12)
    assert picked(many)[0] == "copying"
    towns = [f"town {k % 3}" for k in range(len(many))]
    names = many.select(["given_name", "surname"])
    moved = names.append_column("city", [towns]).append_column("kind", [["x"] * len(many)])
    assert picked(moved)[0] == "hierarchical"


def test_names_with_nothing_that_tells_beside_them_are_no_mentions():
    """A gender is neither repeated as a birthday is, nor new as a title is."""
    people = simulate_people(1_500, seed=4)
    model, why = picked(people.select(["given_name", "surname", "gender"]))
    assert model == "copying" and "nothing else that tells" in why
    assert picked(people.select(["given_name", "surname", "gender", "state"]))[0] == "copying"


def test_few_rows_are_judged_by_their_columns():
    assert picked(simulate_authors(40, seed=2))[0] == "hierarchical"
    assert picked(simulate_people(40, seed=2))[0] == "copying"


def test_it_is_the_default_and_says_why():
    authors = resolve(simulate_authors(200, seed=2))
    assert authors.config.model == "hierarchical"
    assert any("the model is hierarchical" in note for note in authors.notes)
    people = resolve(simulate_people(200, seed=2), config=ResolveConfig(model="auto"))
    assert people.config.model == "copying"


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "model"),
    [
        ("linkage/febrl3", "copying"),
        ("linkage/fake_1000", "copying"),
        ("linkage/restaurants", "copying"),
        ("aminer110/mentions", "hierarchical"),
    ],
)
def test_real_tables_get_the_model_that_finds_more(data, file, model):
    table = read_table(data / f"resolution/{file}.csv.gz").table
    assert picked(table)[0] == model


def test_one_name_block_is_for_trees_if_its_rows_say_ever_new_things():
    authors = simulate_authors(1500, seed=3)
    first = [name.lower() for name in authors["first"].to_pylist()]
    block = pa.table(
        {
            "author": [f"{name} lee" for name in first],
            "venue": authors["venue"],
            "title": [text.lower() for text in authors["title"].to_pylist()],
        }
    )
    model, why = picked(block)
    assert model == "hierarchical"
    assert "one family name" in why
    repeated = pa.concat_tables([block.slice(0, 60)] * 10)
    assert picked(repeated)[0] == "copying"


def test_what_strangers_share_by_chance_makes_no_rows_alike():
    authors = simulate_authors(1000, seed=2).select(["first", "middle", "last", "title", "venue"])
    flags = authors.append_column("language", [["en"] * 990 + ["de"] * 10]).append_column("open", [["no", "no"] * 500])
    assert picked(flags)[0] == "hierarchical"


def test_rows_of_another_table_do_not_turn_the_choice():
    authors = simulate_authors(1000, seed=2).drop_columns(["id", "cluster_id"])
    others = {name: [str(10 * at + i) for i in range(100)] for at, name in enumerate(authors.column_names)}
    mixed = pa.concat_tables([authors.cast(pa.schema([(name, pa.string()) for name in others])), pa.table(others)])
    assert picked(mixed)[0] == picked(authors)[0] == "hierarchical"


def test_a_table_in_which_few_rows_name_a_person_is_not_about_people():
    papers = simulate_authors(400, seed=3)
    editors = [("Anna Smith", "Peter Jones")[row % 40 == 0] if row % 20 == 0 else None for row in range(len(papers))]
    table = pa.table(
        {
            "editor_person": editors,
            "title": papers["title"],
            "keywords": [f"k{row % 7}; k{row % 5}; x" for row in range(len(papers))],
        }
    )
    kinds = {"editor_person": "person", "title": "text", "keywords": "set"}
    fields = prepare_fields(table, kinds=kinds).fields
    assert pick_model(fields) == ("copying", "few rows name a person")


def test_rows_with_a_title_and_its_maker_are_works_and_no_mentions():
    """Films of one director say ever new things, and are no mentions of one person but different films."""
    authors = simulate_authors(1000, seed=2)
    names = [
        f"{first} {last}" for first, last in zip(authors["first"].to_pylist(), authors["last"].to_pylist(), strict=True)
    ]
    films = pa.table({"title": authors["title"], "director": names, "studio": authors["venue"]})
    model, why = picked(films)
    assert model == "copying"
    assert why == "title names the thing, and director who made it"
    crews = ["; ".join(names[row : row + 3]) for row in range(len(names))]
    company = films.append_column("crew", pa.array(crews))
    assert picked(company)[0] == "hierarchical"


def test_a_word_that_all_names_end_with_is_no_name_block():
    names = [f"{first} {last} (director)" for first in ("Anna", "Peter", "Wei") for last in _many(200)] * 2
    titles = [f"{'abcdefgh'[row % 8] * 3} story of {row}" for row in range(len(names))]
    kinds = {"title": "text", "director": "person"}
    fields = prepare_fields(pa.table({"title": titles, "director": names}), kinds=kinds).fields
    assert pick_model(fields)[0] == "copying"
    blocks = [f"{('wei', 'li', 'min')[row % 3]} wang" for row in range(len(names))]
    fields = prepare_fields(pa.table({"title": titles, "director": blocks}), kinds=kinds).fields
    assert pick_model(fields)[0] == "hierarchical"


def _many(n: int) -> list[str]:
    """Return so many different names."""
    return [f"{'bcdfghklmnprst'[k % 14]}{'aeiou'[k % 5]}{'lmnrst'[k // 14 % 6]}{'aeiou'[k // 84]}n" for k in range(n)]


def test_namesakes_are_left_out_of_account():
    """Of rows of one rare name as many are two people's as chance makes; where few are one person's, that is most."""
    people = simulate_people(4_000, seed=5)
    _, once = np.unique(people["cluster_id"].to_pylist(), return_index=True)
    single = people.take(pa.array(once)).select(["given_name", "surname", "birth_date", "city", "email"])
    assert picked(single)[0] == "copying", "no two rows are one person's, and rows of one name repeat nothing"


def test_rows_of_one_rare_name_say_whether_an_answer_is_right():
    authors = simulate_authors(1_000, seed=2)
    fields = prepare_fields(authors, exclude=["id", "cluster_id"]).fields
    truth = np.unique(authors["cluster_id"].to_pylist(), return_inverse=True)[1]
    assert share_together(fields, truth) > 0.95
    assert share_together(fields, np.arange(len(authors))) == 0.0
    assert share_together(fields, np.zeros(len(authors), dtype=np.int64)) == 1.0
    few = prepare_fields(authors.slice(0, 30), exclude=["id", "cluster_id"]).fields
    assert share_together(few, np.arange(30)) is None, "they are few"
    titles = prepare_fields(authors.select(["title", "venue"])).fields
    assert share_together(titles, truth) is None, "nobody is named"


def test_mentions_taken_for_records_are_grown_as_trees(monkeypatch):
    """What rows of one name repeat is no sharp line; that they are kept apart shows the mistake."""
    monkeypatch.setattr("onoma.resolve.api.pick_model", lambda *given, **more: ("copying", "so it is said"))
    authors = simulate_authors(800, seed=3)
    found = resolve(authors, exclude=("cluster_id",))
    assert found.config.model == "hierarchical"
    assert any("pairs of rows of one rare name are together" in note for note in found.notes)
    kept = resolve(authors, exclude=("cluster_id",), model="copying")
    assert kept.config.model == "copying", "who asks for copies gets them"
    people = resolve(simulate_people(400, seed=3))
    assert people.config.model == "copying"


def test_in_doubt_copies_are_tried_first_where_two_answers_can_be_worked_out(monkeypatch):
    people = simulate_people(600, seed=6)
    for share, model in ((0.3, "hierarchical"), (0.5, "copying"), (0.8, "copying")):
        monkeypatch.setattr("onoma.resolve.auto.share_repeated", lambda *given, share=share: share)
        assert picked(people)[0] == model
    monkeypatch.setattr("onoma.resolve.auto.MOST_TRIED", 100)
    monkeypatch.setattr("onoma.resolve.auto.share_repeated", lambda *given: 0.5)
    assert picked(people)[0] == "hierarchical"
