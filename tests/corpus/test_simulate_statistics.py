"""`statistics` on tables small enough to count by hand."""

import pyarrow as pa
import pytest

from onoma.corpus.simulate import statistics
from onoma.errors import DataError, SettingsError

PEOPLE = pa.table(
    {
        "id": ["1", "2", "3", "4", "5", "6"],
        "cluster_id": ["a", "b", "a", "c", "d", "a"],
        "given_name": ["Ann", "Ann", "Anne", "A", "Bob", "Ann"],
        "surname": ["Lee", "Lee", "Lee", "Lee", "Ray", None],
        "city": ["Ulm", "Ulm", None, "Rom", "Rom", "Ulm"],
    }
)


def test_by_hand():
    found = statistics(PEOPLE, "people")
    assert (found.rows, found.entities, found.largest) == (6, 4, 3)
    assert found.mean_size == 1.5
    assert found.singletons == 0.75
    assert found.shared_names == 0.5  # Ann Lee is a and b; A Lee is no full name
    assert found.shared_initials == 0.75  # A Lee: a, b and c
    assert found.entities_per_name == 2  # A Lee: 3, B Ray: 1
    assert found.most_ambiguous == 3
    assert found.forms == 2  # a: Ann Lee, Anne Lee
    assert found.differing == {"given_name": 1.0, "surname": 0.0, "city": 0.0}
    assert found.missing == {"given_name": 0.0, "surname": 1 / 6, "city": 1 / 6}


def test_mentions_by_hand():
    table = pa.table(
        {
            "id": ["1", "2", "3", "4"],
            "cluster_id": ["a", "b", "c", "c"],
            "name": ["Ann Lee", "Lee, Ann", "A. Lee", "Dr Lee"],
            "context": ["x", "y", "z", None],
        }
    )
    found = statistics(table, "mentions")
    assert found.shared_names == pytest.approx(2 / 3)
    assert found.shared_initials == 1
    assert found.most_ambiguous == 3
    assert found.forms == 2
    assert found.differing == {"name": 1.0}


def test_chunks_do_not_matter():
    chunked = pa.concat_tables([PEOPLE.slice(0, 2), PEOPLE.slice(2)])
    assert statistics(chunked, "people") == statistics(PEOPLE, "people")


def test_only_singletons_have_no_tail():
    assert statistics(PEOPLE.slice(0, 2), "people").tail_exponent is None


def test_what_cannot_be_measured():
    with pytest.raises(SettingsError, match="no kind of corpus 'pets'"):
        statistics(PEOPLE, "pets")
    with pytest.raises(DataError, match="lacks 'surname'"):
        statistics(PEOPLE.drop(["surname"]), "people")
    with pytest.raises(DataError, match="lacks rows"):
        statistics(PEOPLE.slice(0, 0), "people")
