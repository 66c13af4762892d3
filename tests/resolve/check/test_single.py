"""Tables that are all one thing, and tables that are not."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.check.single import is_one_thing
from onoma.resolve.fields.prepare import prepare_fields

PERSON = {"first": "Katherine", "last": "Montgomery", "street": "17 Larch Street", "state": "NV", "sex": "f"}


def slips(value, n, rng, share=0.3):
    """Return a value n times, some with a wrong letter."""
    made = []
    for _ in range(n):
        at = int(rng.integers(0, len(value)))
        wrong = rng.random() < share
        made.append(value[:at] + chr(int(rng.integers(97, 123))) + value[at + 1 :] if wrong else value)
    return made


def one_person(n=80, seed=3):
    rng = stream(seed, "one person")
    return pa.table({name: slips(value, n, rng) for name, value in PERSON.items()})


def said_to_be_one(table):
    return is_one_thing(prepare_fields(table).fields)


def test_one_person_miswritten_is_one_and_two_people_are_not():
    assert said_to_be_one(one_person())
    other = {"first": "Robert", "last": "Okafor", "street": "3 Mill Lane", "state": "TX", "sex": "m"}
    rng = stream(4, "one person")
    both = pa.concat_tables([one_person(40), pa.table({name: slips(v, 40, rng) for name, v in other.items()})])
    assert not said_to_be_one(both)


@pytest.mark.parametrize("households", [0.0, 0.8])
def test_people_are_many(households):
    table = simulate_people(150, seed=2, settings=PeopleSettings(duplicates=0.5, households=households))
    assert not said_to_be_one(table.drop_columns(["id", "cluster_id"]))


def test_a_family_and_branches_of_one_bank_are_many():
    rng = stream(6, "family")
    family = [f"{first} Montgomery" for first in ("Ann", "Robert", "Li", "Yasmin") for _ in range(20)]
    assert not said_to_be_one(pa.table({"name": family}))
    cities = ["London"] * 40 + [f"{name}ton" for name in ("Al", "Bar", "Car", "Dun", "Eg", "Fen", "Gar", "Hol") * 5]
    assert not said_to_be_one(pa.table({"name": slips("Acme Savings Bank", 80, rng), "city": cities}))


def test_categories_alone_name_nothing():
    rng = stream(5, "answers")
    answers = [["yes", "no"][int(k)] for k in rng.random(200) < 0.2]
    assert not said_to_be_one(pa.table({"a": answers, "b": answers[::-1], "c": ["home"] * 190 + ["away"] * 10}))
    assert not is_one_thing([])


def test_the_answer_is_one_entity_and_nothing_is_called_sure():
    found = resolve(one_person(), model="copying")
    after = found.recalibrated()
    assert after.quality.all_one and after.clustering.n_entities == 1
    reported, low, high = after.entity_count()
    assert (reported, low) == (1, 1) and high >= found.clustering.n_entities, "the other reading is held, too"
    assert np.allclose(after.probability, 0.9)
    assert after.quality.sentences()[0] == "all rows are taken for one entity: they are alike in every column"
    assert not after.quality.calibrated and after.quality.as_dict()["all_one"]


def test_who_says_what_is_different_is_believed():
    table = one_person().append_column("side", [["a", "b"] * 40])
    assert not resolve(table, source="side", link=True).quality.all_one


def citations(rng, n=80):
    """One paper, cited in one way or another; who wrote it is put in another order, the volume is left out or not."""
    title = "On the seven ways of making coloured glass"
    titles = [
        title,
        title.upper() + ".",
        "On the 7 ways of making coloured glass",
        "Seven ways of making coloured glass",
    ]
    return pa.table(
        {
            "title": rng.choice(titles, n, p=[0.7, 0.1, 0.1, 0.1]).tolist(),
            "author": rng.choice(
                ["Ann Bell; Carl Dorn; Eve Fox", "C. Dorn; A. Bell; E. Fox", "Bell; Dorn; Fox"], n
            ).tolist(),
            "volume": rng.choice(["6", "vol. 6", "6(1)"], n, p=[0.6, 0.2, 0.2]).tolist(),
        }
    )


def test_citations_of_one_paper_are_one_and_those_of_two_are_not():
    rng = stream(8, "citations")
    one = citations(rng)
    kinds = {"title": "text", "author": "set", "volume": "code"}
    assert is_one_thing(prepare_fields(one, kinds=kinds).fields)
    other = one.slice(0, 30).set_column(0, "title", [["Hidden roads of the northern border"] * 30])
    assert not is_one_thing(prepare_fields(pa.concat_tables([one, other]), kinds=kinds).fields)
    venue = [f"Proceedings of the {i}th meeting of {name}" for i, name in enumerate(["glaziers", "potters"] * 40)]
    assert not is_one_thing(
        prepare_fields(one.append_column("venue", [venue]), kinds={**kinds, "venue": "text"}).fields
    )


@pytest.mark.parametrize(
    ("name", "lists", "expected"), [("Amy Hale", False, True), ("Amy Hale", True, False), ("A Hale", False, False)]
)
def test_one_whole_name_is_one_person_and_an_authors_may_be_anybodys(name, lists, expected):
    table = pa.table({"name": [name] * 78 + [name[:-1]] * 2, "state": ["NV"] * 70 + ["CA"] * 10})
    if lists:
        table = table.append_column(
            "coauthors", [[f"Bo {chr(97 + i % 26)}ell; Cy {chr(97 + i % 25)}orn" for i in range(80)]]
        )
    kinds = {"name": "person", "state": "category"} | ({"coauthors": "set"} if lists else {})
    assert is_one_thing(prepare_fields(table, kinds=kinds).fields) is expected


def test_who_lives_at_one_address_is_not_one():
    table = pa.table({"street": ["17 Larch Street"] * 78 + ["17 Larch Str"] * 2, "sex": ["f", "m"] * 40})
    assert not is_one_thing(prepare_fields(table, kinds={"street": "text", "sex": "category"}).fields)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"first": ["Shunpei"] * 80, "last": ["Yamazaki"] * 80}, True),
        ({"last": ["Yamazaki"] * 80}, False),
        ({"first": ["S."] * 80, "last": ["Yamazaki"] * 80}, False),
        (
            {
                "first": ["Shunpei"] * 80,
                "last": ["Yamazaki"] * 80,
                "born": [f"19{i % 80 + 10}-03-0{i % 9 + 1}" for i in range(80)],
            },
            False,
        ),
    ],
)
def test_rows_that_all_have_a_persons_whole_name_are_that_persons(columns, expected):
    """What all rows share is not compared; what else there is must not tell two of one name apart."""
    table = pa.table({**columns, "state": ["NV"] * 50 + ["CA"] * 30, "role": ["owner", "agent"] * 40})
    found = resolve(table, kinds={"role": "category", "state": "category"})
    assert found.quality.all_one is expected
    assert (found.recalibrated().clustering.n_entities == 1) is expected


def test_what_all_rows_say_is_read_whatever_its_column_holds():
    """Lists; and a part of a column that whole records stand in, which is no column of the table."""
    names = [f"Bo Ray{i % 20}" for i in range(60)]
    listed = pa.table({"tags": [["Ann", "Lee"]] * 60, "side": ["x", "y"] * 30, "name": names})
    assert not resolve(listed).quality.all_one
    places = ["High", "Mill", "Church", "Park"] * 25
    rows = [f"Acme, {place} Street {i}, London, 19{i % 80 + 10}-03-01" for i, place in enumerate(places)]
    found = resolve(pa.table({"record": rows + rows[:30]}))  # taken apart, too, and that answer is checked
    assert not found.quality.all_one and found.clustering.n_entities > 50


def test_a_table_of_one_name_is_not_said_to_be_alike_in_every_column():
    table = pa.table({"first": ["Shunpei"] * 80, "last": ["Yamazaki"] * 80, "state": ["NV"] * 50 + ["CA"] * 30})
    said = resolve(table, kinds={"state": "category"}).quality.sentences()
    assert said[0] == "all rows are taken for one entity: they have one name"
    assert "nothing beside it tells" in said[-1]
