import csv
import gzip

import pyarrow as pa
import pytest

from onoma.corpus.simulate.names import provider
from onoma.resolve.fields import prepare_fields
from onoma.resolve.fields.infer import infer_kind
from onoma.resolve.fields.profile import profile_column


def infer(name, values, n_records=None):
    n = len(values)
    return infer_kind(name, profile_column(list(dict.fromkeys(values)), n_records or n, n, 1)).kind


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
        ("gender", ["m", "f"] * 50, "category"),
        ("state", [f"s{chr(97 + i)}" for i in range(26)] * 20, "place"),
        ("zip", [f"{i:05}" for i in range(100, 140)], "code"),
        ("soc_sec_id", [f"{i * 7919 % 9999999:07}" for i in range(100)], "code"),
        ("person_id", ["a", "b"], "ignore"),
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
