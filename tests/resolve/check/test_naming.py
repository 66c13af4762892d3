"""What names one thing, and what its family has, too."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.check.naming import names_the_one, names_who_comes_again
from onoma.resolve.fields.prepare import prepare_fields

WORDS = ("seven", "ancient", "Roman", "modern", "many", "hidden", "strange", "common", "quick", "slow")


@pytest.mark.parametrize(
    ("columns", "names_one"),
    [
        (["surname", "street", "phone"], False),
        (["street", "postcode", "birth_date"], False),
        (["given_name", "street"], True),
        (["given_name", "surname"], True),
    ],
)
def test_addresses_codes_and_family_names_are_a_familys(columns, names_one):
    fields = prepare_fields(simulate_people(200, seed=2).select(columns)).fields
    assert names_the_one(fields, np.ones(len(fields))) is names_one


def test_a_whole_name_names_one_whatever_its_column_is_called():
    people = simulate_people(200, seed=2)
    names = [
        f"{a or ''} {b or ''}"
        for a, b in zip(people["given_name"].to_pylist(), people["surname"].to_pylist(), strict=True)
    ]
    fields = prepare_fields(people.select(["phone"]).append_column("c1", [names])).fields
    name = [each.kind for each in fields].index("person")
    words = np.where(np.arange(len(fields)) == name, 2.0, 1.0)
    assert names_the_one(fields, words) and not names_the_one(fields, np.ones(len(fields)))


def test_where_nothing_names_the_one_nothing_is_called_calibrated():
    """Of households with an address and a telephone and no given names, precision cannot be known."""
    table = simulate_people(600, seed=131, settings=PeopleSettings(duplicates=0.2, typos=0.05, missing=0.1))
    blind = resolve(table.select(["id", "surname", "postcode", "email"])).quality
    named = resolve(table.select(["id", "given_name", "surname", "postcode", "email"])).quality
    assert not blind.calibrated and any("names the one" in why for why in blind.because)
    assert named.calibrated


def test_codes_and_lists_of_streets_name_nobody():
    codes = pa.table({"code": [f"{i * 7919 % 10007:05d}-{i % 7}" for i in range(60)]})
    streets = pa.table({"c1": [f"{i} High Street" for i in range(60)]})
    works = pa.table({"c1": [f"On the {word} ways of glass" for word in WORDS]})
    for table, kind, names_one in ((codes, "likeness", False), (streets, "likeness", False), (works, "text", True)):
        fields = prepare_fields(table, kinds=dict.fromkeys(table.column_names, kind)).fields
        assert names_the_one(fields, np.full(len(fields), 3.0)) is names_one


def test_films_linked_by_their_directors_alone_are_not_called_calibrated():
    rng = np.random.default_rng(4)
    people = simulate_people(900, seed=8)
    names = sorted(
        {f"{a} {b}" for a, b in zip(*(people[c].to_pylist() for c in ("given_name", "surname")), strict=True)}
    )
    few = [names[k] for k in rng.integers(0, 90, 300)]
    films = pa.table({"director": [*few, *rng.permutation(few).tolist()], "list": ["a"] * 300 + ["b"] * 300})
    blind = resolve(films, source="list", link=True, kinds={"director": "person"}).quality
    assert not blind.calibrated
    assert any("come again within a source" in why for why in blind.because)
    once = prepare_fields(pa.table({"who": names[:200] * 2}), kinds={"who": "person"}).fields[0]
    side = np.repeat(np.arange(2, dtype=np.int32), 200)
    assert not names_who_comes_again(once, side)
    drugs = prepare_fields(pa.table({"drug": names[:100] * 4}), kinds={"drug": "organisation"}).fields[0]
    assert not names_who_comes_again(drugs, np.zeros(400, dtype=np.int32)), "a drug is a drug, however often"
