"""Names of people: how they are written in one way, at which levels they meet, what they are blocked by."""

import pytest

from onoma.resolve.fields.kinds.person import Person
from reference.levels import features, level


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("John Smith", "Smith, John", "equal"),
        ("Smith John", "John Smith", "same words"),
        ("Jean-Luc", "Jeanluc", "same words"),
        ("Bob Jones", "Robert Jones", "nickname"),
        ("J. Smith", "John Smith", "initials"),
        ("J", "John", "initials"),
        ("J. S.", "John Smith", "alike"),
        ("Meier", "Meiner", "one slip"),
        ("Peter Jones", "Petre Jones", "one slip"),
        ("Ann", "Amn", "one slip"),
        ("Thomas Chudleigh", "Thomas Clifford of Chudleigh", "part left out"),
        ("Mary Smith", "Peter Smith", "a word shared"),
        ("Peter", "Olga", "different"),
    ],
)
def test_level(first, second, expected):
    assert level("person", first, second) == level("person", second, first) == expected


def test_titles_accents_and_order_mean_nothing():
    assert Person().normalise(["Dr. Müller, Karl", "karl MULLER", "O'Neil, Mary"]) == [
        "karl muller",
        "karl muller",
        "mary oneil",
    ]


def test_names_written_in_two_ways_share_a_feature():
    whole, initial, nick, other = features("person", "Robert Jones", "R. Jones", "Bob Jones", "Olga Petrova")
    assert whole & initial and whole & nick and not whole & other
