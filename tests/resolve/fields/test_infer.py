import csv
import gzip
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.simulate.names import provider
from onoma.resolve.fields import prepare_fields
from onoma.resolve.fields.infer import infer_kind
from onoma.resolve.fields.profile import Profile


def infer(name, values, n_records=None):
    counts = Counter(values)
    profile = Profile(list(counts), np.array(list(counts.values())), n_records or len(values))
    return infer_kind(name, profile).kind


PEOPLE = provider("person", "en_US")
GIVEN = [str(name) for name in list(PEOPLE.first_names)[:200]]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("a", [f"{given} Smith" for given in GIVEN], "person"),
        ("a", [f"{i} North Street" for i in range(40)], "place"),
        ("a", [f"Firm {chr(97 + i)}{chr(98 + i)} GmbH" for i in range(20)], "organisation"),
        ("a", [f"x{i}@y.org" for i in range(40)], "code"),
        ("a", [f"555-0{i:03}" for i in range(40)], "code"),
        ("a", [f"{i % 28 + 1}.{i % 12 + 1}.19{i + 10}" for i in range(40)], "date"),
        ("a", [str(1950 + i) for i in range(40)], "date"),
        ("a", [f"{i * 7.25:.2f}" for i in range(1, 60)], "number"),
        ("price", [f"${i}" for i in range(1, 60)], "number"),
        ("a", ["red|green|blue", "red|blue", "green", "blue|black"], "set"),
        ("author", ["A. Lee, B. Wu", "A. Lee", "C. Ng and A. Lee"], "set"),
        ("a", [f"{51 + i / 100}, {i / 10}" for i in range(30)], "geo"),
        (
            "a",
            ["a long title of a paper", "some other words in a row here", "yet another title of some length"],
            "text",
        ),
        (
            "a",
            [f"A {word} theory of record linkage in {word}. Journal, {1950 + i}" for i, word in enumerate(GIVEN[:60])],
            "text",
        ),
        ("gender", ["m", "f"] * 50, "category"),
        ("state", [f"s{chr(97 + i)}" for i in range(26)] * 20, "category"),
        ("zip", [f"{i:05}" for i in range(100, 140)], "code"),
        ("soc_sec_id", [f"{i * 7919 % 9999999:07}" for i in range(100)], "code"),
        ("person_id", ["a", "b"], "ignore"),
        ("dob", [str(30_000 + 97 * i) for i in range(60)], "date"),
        ("date_of_birth", [f"{7_000 + 397 * i}.0" for i in range(60)], "date"),
        ("dob", [str(9_000 + 297 * i) for i in range(60)], "date"),
        ("phone", [str(30_000 + 97 * i) for i in range(60)], "code"),
        ("birth_weight", [f"{2_000 + 31 * i}" for i in range(60)], "number"),
    ],
)
def test_kinds_from_name_and_content(name, values, kind):
    assert infer(name, values) == kind


KINDS = {
    "linkage/rldata500": {
        "fname_c1": "person",
        "fname_c2": "person",
        "lname_c1": "person",
        "by": "date",
        "bm": "category",
        "bd": "category",
    },
    "linkage/febrl1": {
        "given_name": "person",
        "surname": "person",
        "street_number": "code",
        "address_1": "place",
        "address_2": "place",
        "suburb": "place",
        "postcode": "code",
        "state": "place",
        "date_of_birth": "date",
        "soc_sec_id": "code",
    },
    "linkage/restaurants": {
        "name": "organisation",
        "addr": "place",
        "phone": "code",
        "city": "place",
        "type": "text",
    },
    "linkage/dblp-acm": {"title": "text", "authors": "set", "venue": "text", "year": "date"},
    "linkage/abt-buy": {"name": "text", "description": "text", "price": "number"},
    "linkage/patstat_nl": {
        "name": "organisation",
        "person_name_raw": "organisation",
        "coauthors": "set",
        "ipc_classes": "set",
        "lat + lng": "geo",
    },
    "aminer110/mentions": {
        "name_block": "person",
        "title": "text",
        "year": "date",
        "authors": "set",
        "venue": "text",
        "organization": "text",
    },
}


@pytest.mark.data
@pytest.mark.parametrize("file", KINDS)
def test_kinds_of_real_columns(data, file):
    with gzip.open(data / "resolution" / f"{file}.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    prepared = prepare_fields(pa.table({name: [row[name] for row in rows] for name in rows[0]}))
    kinds = {field.name: field.kind for field in prepared.fields}
    assert kinds.items() >= KINDS[file].items()
    assert "cluster_id" in dict(prepared.ignored)
    assert all(one.reason for one in (*prepared.fields, *prepared.ignored))


BLOCK = [
    f"{given} wang" for given in ("wei", "jian", "li", "xiao ming", "y", "j h", "hong", "jun", "min", "lei", "yan")
]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        # few different names of people are no category, in small letters and under any header
        ("c1", BLOCK * 30, "person"),
        # however few, where they are whole names or the header says so
        ("c1", ["Rafael Alonso", "Philip Smith", "Judith Brown", "Laura Meyer"] * 20, "person"),
        ("last", ["anderson", "hayes", "smith"] * 30, "person"),
        # what the header calls a closed list is one, slips or not
        ("gender", ["male"] * 30 + ["female"] * 8 + ["M"] * 4 + ["Male", "femle", "Femme"], "category"),
        ("c1", ["yes"] * 60 + ["no"] * 39 + ["maybe"], "category"),
        # a label in words is a name; one in numbers is an answer
        ("label", ["Berlin", "Leeds", "Sao Paulo", "New Delhi", "Vienna", "Lagos"] * 2, "place"),
        ("label", [f"{i}" for i in range(40)] * 2, "ignore"),
        ("entity_id", [f"e{i}" for i in range(40)] * 2, "ignore"),
        # ids without a name for it
        ("c1", [f"rec-{i}-dup-0" for i in range(200)], "ignore"),
        ("c1", [str(i) for i in range(1200)] * 2, "ignore"),
        # lists of names
        ("c1", [f"{a} smith, {b} jones, {a[0]}. wu" for a, b in zip(GIVEN[:60], GIVEN[60:120], strict=True)], "set"),
        ("c1", [f"https://example.org/{i % 50}" for i in range(90)], "code"),
        ("c1", [f"(0{i % 9}) 555-{i:04}" for i in range(300)] * 2, "code"),
        ("c1", [f"({1950 + i % 60})," for i in range(200)], "date"),
        # a header is a hint: it does not turn sentences into people
        ("person", ["a method for learning models of data", "what a graph of words can tell us"] * 9, "text"),
    ],
)
def test_values_decide_and_names_are_hints(name, values, kind):
    assert infer(name, values) == kind


def test_degrees_in_two_columns_are_places_on_the_globe_whatever_their_names():
    n = 60
    table = pa.table(
        {
            "c1": [f"{-120 + i * 3.1234:.4f}" for i in range(n)],
            "c2": [f"Leeds {i}" for i in range(n)],
            "c3": [f"{30 + i * 0.5678:.4f}" for i in range(n)],
        }
    )
    geo = next(field for field in prepare_fields(table).fields if field.kind == "geo")
    assert geo.columns == ("c3", "c1")
    money = pa.table({"c1": [f"{i}.50" for i in range(n)], "c2": [f"{i}.95" for i in range(n)]})
    assert {field.kind for field in prepare_fields(money).fields} == {"number"}


def test_a_closed_list_may_have_values_that_one_record_of_thousands_has():
    often = ["latin"] * 4000 + ["cyrillic", "arabic", "thai", "greek"] * 200
    alone = ["georgian", "gujarati", "devanagari"]
    assert infer("script", often + alone) == "category"
    # In a small table such values are many records', as slips are.
    assert infer("script", ["latin"] * 80 + ["cyrillic", "arabic", "thai", "greek"] * 4 + alone) != "category"
