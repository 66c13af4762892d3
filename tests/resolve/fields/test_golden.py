"""Golden records: which record gives an entity its value."""

import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.resolve.fields.canonical import canonical_table, fullest_records
from onoma.resolve.fields.golden import check_rules, parse_rule

TABLE = pa.table(
    {
        "phone": ["1", "2", "2", None, "9"],
        "name": ["Al", "Albert", "Al", "A", "Bo"],
        "changed": ["2020-05-01", "2024-01-02", "2019-01-01", "2025-01-01", None],
        "origin": ["shop", "crm", "web", "web", "shop"],
    }
)
WHO = Clustering.from_labels([0, 0, 0, 0, 1])


def golden(rules):
    found = canonical_table(TABLE, [], WHO, fullest_records([], WHO), golden=rules, source="origin")
    return found.to_pylist()


@pytest.mark.parametrize(
    ("rule", "phone"),
    [
        ("most frequent", "2"),
        ("newest", None),
        ("newest by changed", None),
        ("latest non-empty", "2"),
        ("latest non-empty by changed", "2"),
        ("source shop, crm", "1"),
        ("source crm", "2"),
        ("longest", "1"),
    ],
)
def test_a_rule_chooses_the_record(rule, phone):
    first, second = golden({"phone": rule})
    assert first["phone"] == phone and second["phone"] == "9"
    assert first["name"] == "Al"  # of columns without a rule, what most records say


def test_a_star_stands_for_all_other_columns():
    first, _ = golden({"*": "longest", "phone": "most frequent"})
    assert (first["name"], first["phone"]) == ("Albert", "2")


@pytest.mark.parametrize("text", ["best", "newest by", "longest by name", "source", "newest changed", ""])
def test_a_rule_that_says_nothing_is_refused(text):
    with pytest.raises(SettingsError, match="no rule"):
        parse_rule(text)


def test_rules_about_what_is_not_there_are_refused():
    with pytest.raises(SettingsError, match="no column 'fax'"):
        check_rules(TABLE, {"fax": "longest"}, None)
    with pytest.raises(SettingsError, match="no column 'day'"):
        check_rules(TABLE, {"phone": "newest by day"}, None)
    with pytest.raises(SettingsError, match="sources"):
        check_rules(TABLE, {"phone": "source crm"}, None)
