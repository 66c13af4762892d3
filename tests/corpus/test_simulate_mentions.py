from itertools import pairwise

import numpy as np
import pyarrow.compute as pc
import pytest

from onoma.corpus.simulate import MentionSettings, mention_batches, simulate_mentions, statistics
from onoma.errors import SettingsError

N = 6000


def still(**turned):
    return MentionSettings(**{"variants": 0.0, "typos": 0.0} | turned)


def measure(**turned):
    return statistics(simulate_mentions(N, seed=1, settings=still(**turned)), "mentions")


def words(**turned):
    table = simulate_mentions(2000, seed=1, settings=still(**turned))
    return [set(text.split()) for text in table["context"].to_pylist()], table["cluster_id"].to_pylist()


def likeness(**turned):
    """Mean overlap of the contexts of two mentions of one person, and of two people."""
    bags, who = words(tail=1.3, **turned)
    order = np.argsort(who, kind="stable")
    same, other = [], []
    for a, b in pairwise(order):
        overlap = len(bags[a] & bags[b]) / len(bags[a] | bags[b])
        (same if who[a] == who[b] else other).append(overlap)
    return np.mean(same), np.mean(other)


@pytest.fixture(scope="module")
def table():
    return simulate_mentions(20_000, seed=1)


def test_the_table(table):
    assert table.column_names == ["id", "cluster_id", "name", "context"]
    assert len(pc.unique(table["id"])) == table.num_rows == 20_000
    assert all(table[field].null_count == 0 for field in table.column_names)


def test_same_seed_same_table_other_seed_another(table):
    assert simulate_mentions(20_000, seed=1).equals(table)
    assert not simulate_mentions(20_000, seed=2).equals(table)


def test_defaults_are_in_the_documented_ranges(table):
    found = statistics(table, "mentions")
    assert 7 < found.mean_size < 20
    assert abs(found.tail_exponent - 1.7) < 0.08
    assert 0.65 < found.shared_names < 0.85
    assert 2.2 < found.forms < 4
    length = pc.mean(pc.count_substring(table["context"], " ")).as_py() + 1
    assert abs(length - 30) < 1


def test_names_are_shared_as_much_as_asked():
    shares = [measure(ambiguity=a).shared_names for a in (1.0, 2.0, 20.0)]
    assert shares[0] == 0
    assert shares[0] < shares[1] < shares[2]
    found = simulate_mentions(N, seed=1, settings=still(ambiguity=4.0))
    people = len(pc.unique(found["cluster_id"]))
    assert abs(people / len(pc.unique(found["name"])) - 4) < 0.1


def test_one_person_x():
    found = simulate_mentions(2000, seed=1, settings=still(ambiguity=1000.0, largest=20))
    assert len(pc.unique(found["name"])) == 1
    assert len(pc.unique(found["cluster_id"])) > 100


def test_without_variants_and_typos_a_person_has_one_name():
    assert measure().forms == 1
    assert measure().differing["name"] == 0
    assert measure(variants=0.1).forms < measure(variants=0.8).forms
    assert measure(typos=0.02).forms < measure(typos=0.3).forms


def test_variants_are_of_the_name():
    found = simulate_mentions(3000, seed=1, settings=still(variants=1.0))["name"].to_pylist()
    assert any(", " in name for name in found)
    assert any(name.startswith("Dr ") for name in found)
    assert any(name[1:3] == ". " for name in found)
    assert any(" " not in name for name in found)


def test_contexts_tell_people_apart_and_noise_hides_them():
    same, other = likeness(noise=0.2, own=0.4)
    assert same > 3 * other
    same, other = likeness(noise=1.0, own=0.0)  # negative control: nothing of the person is left
    assert abs(same - other) < 0.1 * other


def test_focus_topics_and_context():
    sharp, blurred = likeness(noise=0.0, own=0.0, focus=1.0)[0], likeness(noise=0.0, own=0.0, focus=0.5)[0]
    assert sharp > 1.2 * blurred
    many, few = likeness(topics=500)[1], likeness(topics=1)[1]
    assert few > 1.2 * many
    bags, _ = words(context=1.0)
    assert all(len(bag) == 1 for bag in bags)


def test_tail_and_largest():
    assert measure(tail=1.4).mean_size > measure(tail=3.0).mean_size
    assert measure(largest=3).largest == 3


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_small_corpora(n):
    found = simulate_mentions(n, seed=n)
    assert found.num_rows == n
    assert statistics(found, "mentions").rows == n


def test_no_rows_is_refused_before_any_work():
    with pytest.raises(SettingsError, match="0 rows"):
        mention_batches(0)
