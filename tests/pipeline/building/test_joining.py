"""Shorter names join the fuller ones that they stand for, and no others."""

import numpy as np
import pytest

from onoma.pipeline.building.joining import join_groups, stands_for
from onoma.pipeline.building.names import exclude, part_groups


def joined(*rows: tuple[str, str, str], genders: str = "") -> list[list[str]]:
    records = [{"name": name, "document": document, "type": kind} for name, document, kind in rows]
    for record, gender in zip(records, genders, strict=False):
        record["gender"] = gender.strip()
    groups: dict[int, list[str]] = {}
    for row, label in enumerate(join_groups(np.arange(len(rows)), records).labels.tolist()):
        groups.setdefault(label, []).append(rows[row][0])
    return sorted(groups.values())


@pytest.mark.parametrize(
    ("short", "long", "way"),
    [
        ("J. T. Mbeki", "Thabo Mbeki", "same"),
        ("Dr. Lindqvist", "Sofia Lindqvist", "family"),
        ("Tommy", "Thomas Brandt", "given"),
        ("USDA", "US Department of Agriculture", "initials"),
        ("U.S.", "United States", "initials"),
        ("Northsea", "Northsea Lines", "first"),
        ("Chen", "Robert Achebe", None),
        ("R. Chen", "Grace Chen", None),
        ("York", "New York City", None),
        ("Mr", "Mr Day", None),
    ],
)
def test_what_a_name_stands_for(short: str, long: str, way: str | None) -> None:
    assert stands_for(short, long) == way


def test_a_family_name_is_that_of_the_one_named_before_it() -> None:
    rows = [("Robert Chen", "x", "PER"), ("Chen", "x", "PER"), ("Grace Chen", "y", "PER"), ("Chen", "y", "PER")]
    assert joined(*rows) == [["Grace Chen", "Chen"], ["Robert Chen", "Chen"]]


def test_titles_and_pronouns_tell_a_man_from_a_woman() -> None:
    rows = [("David Okafor", "x", "PER"), ("Margaret Okafor", "x", "PER"), ("Mrs Okafor", "x", "PER")]
    assert joined(*rows) == [["David Okafor"], ["Margaret Okafor", "Mrs Okafor"]]
    rows = [("Ru Okafor", "x", "PER"), ("Xi Okafor", "x", "PER"), ("Okafor", "x", "PER")]
    assert joined(*rows, genders="fmf") == [["Ru Okafor", "Okafor"], ["Xi Okafor"]]
    assert exclude("Miss Vane", "Mrs Vane")


def test_far_names_stay_apart_and_company_brings_them_near() -> None:
    far = [("Ada Lovelace", "x", "PER"), ("Lovelace", "y", "PER")]
    assert len(joined(*far)) == 2
    others = [(name, document, "PER") for name in ("Babbage", "Byron", "Somerville") for document in ("x", "y")]
    elsewhere = [(f"N{k}", f"d{k}", "PER") for k in range(8)]
    assert ["Ada Lovelace", "Lovelace"] in joined(*far, *others, *elsewhere)


def test_places_and_things_of_another_type_stay_apart() -> None:
    assert len(joined(("Mexico City", "x", "LOC"), ("Mexico", "x", "LOC"))) == 2
    assert len(joined(("Paul Washington", "x", "PER"), ("Washington", "x", "LOC"))) == 2
    assert len(joined(("Northsea Lines", "x", "ORG"), ("Northsea", "x", "ORG"))) == 1
    assert len(joined(("London Bridge", "x", ""), ("London", "x", ""))) == 2


def test_one_of_two_that_cannot_be_told_is_left_alone() -> None:
    assert len(joined(("Lucy Vane", "x", "PER"), ("Lucy Day", "x", "PER"), ("Lucy", "x", "PER"))) == 3


def test_a_given_and_a_family_name_of_one_person_are_not_parted() -> None:
    assert part_groups(np.zeros(3, np.int64), ["Edith Day", "Edith", "Day"], ["x", "x", "x"]).tolist() == [0, 0, 0]


def test_a_place_and_a_title_alone_stay_apart() -> None:
    names = ["Lausanne", "HC Lausanne", "Lausanne"]
    parted = part_groups(np.zeros(3, np.int64), names, ["x", "x", "y"], ["LOC", "ORG", "LOC"])
    assert parted[0] == parted[2] != parted[1]
    assert len(set(part_groups(np.zeros(3, np.int64), names, ["x", "x", "y"]).tolist())) == 1  # of unknown kinds
    assert len(set(part_groups(np.zeros(2, np.int64), ["the Queen", "Queen"], ["x", "y"]).tolist())) == 2


def test_an_office_tells_which_of_two_is_meant() -> None:
    company = [(name, document, "PER") for name in ("Babbage", "Byron", "Somerville") for document in ("x", "y")]
    others = [(f"N{k}", f"d{k}", "PER") for k in range(8)]
    rows = [("Councillor Marsh", "x", "PER"), ("Mr Thomas Marsh", "x", "PER"), ("Councillor David Marsh", "y", "PER")]
    assert ["Councillor Marsh", "Councillor David Marsh"] in [
        sorted(g, key=len) for g in joined(*rows, *company, *others)
    ]
