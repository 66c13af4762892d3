"""Names of organisations: legal forms and small words weigh nothing."""

import pytest

from onoma.resolve.fields.kinds.organisation import Organisation
from reference.levels import features, level


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Acme, Inc.", "ACME Incorporated", "same name"),
        ("Akzo Nobel N.V.", "AKZO NOBEL", "same name"),
        ("The Bank & Co", "Bank", "same name"),
        ("IBM", "International Business Machines", "acronym"),
        ("Univ. of Oregon", "University of Oregon", "equal"),
        ("Microsoft", "Mircosoft", "one slip"),
        ("Microsoft", "Oracle", "different"),
    ],
)
def test_level(first, second, expected):
    assert level("organisation", first, second) == level("organisation", second, first) == expected


def test_abbreviations_are_written_out():
    assert len(set(Organisation().normalise(["Univ. of Oslo", "university of oslo", "University  of OSLO"]))) == 1


def test_an_acronym_is_blocked_with_what_it_stands_for():
    short, whole, other = features("organisation", "IBM", "International Business Machines", "Oracle Systems")
    assert short & whole and not short & other
