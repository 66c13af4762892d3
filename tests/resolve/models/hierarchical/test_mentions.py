"""Columns laid out for trees."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError
from onoma.resolve.models.hierarchical.mentions import BagColumn, TreeTable
from onoma.resolve.models.hierarchical.whole_names import NameColumn


def a_table(**settings) -> TreeTable:
    names = [NameColumn.of_texts(pa.array(["john a", "j", None, "johnny", "jon"]))]
    bags = [
        BagColumn.of_texts(pa.array(["x y", "y z", None, "x", "q"])),
        BagColumn.of_lists(pa.array([["one two"], ["one two", ""], None, [], ["three"]], pa.list_(pa.string()))),
    ]
    arguments = {"alphas": [2.0, 5.0], "linking": [True, False]} | settings
    return TreeTable(np.array([1, 0, 1, 1, 0]), names, bags, **arguments)


def words_of(table: TreeTable, shard, i: int) -> set[str]:
    firsts = np.cumsum([0, *(len(bag.words) for bag in table.bags)])
    found = set()
    for word in shard.mentions.words[shard.mentions.offsets[i] : shard.mentions.offsets[i + 1]].tolist():
        f = int(np.searchsorted(firsts, word, side="right")) - 1
        assert shard.mentions.field[word] == f
        found.add(table.bags[f].words[word - firsts[f]].as_py())
    return found


def test_mentions_lie_by_canopy_with_their_own_words():
    table = a_table()
    (shard,) = table.shards()
    assert shard.rows.tolist() == [1, 4, 0, 2, 3]
    assert shard.canopies.tolist() == [0, 2, 5]
    assert [words_of(table, shard, i) for i in range(5)] == [
        {"y", "z", "one two"},
        {"q", "three"},
        {"x", "y", "one two"},
        set(),
        {"x"},
    ]
    assert shard.mentions.forms[:, 0].tolist() == [1, 3, 0, -1, 2]


def test_words_weigh_by_their_frequency():
    table = a_table()
    (shard,) = table.shards()
    x = table.bags[0].words.to_pylist().index("x")
    square, prior, rare = shard.mentions.weights[x].tolist()
    assert square == pytest.approx((np.log(5 / 2) + 0.1) ** 2)
    assert prior == pytest.approx(2.0 * 2 / 6)
    assert rare == pytest.approx(-np.log(2 / 6))


def test_mentions_of_a_canopy_that_share_a_word_are_on_one_list():
    (shard,) = a_table().shards()
    lists = {
        i: {
            frozenset(shard.mentions.listed[slice(*shard.mentions.list_offsets[k : k + 2])].tolist())
            for k in shard.mentions.links[slice(*shard.mentions.link_offsets[i : i + 2])].tolist()
        }
        for i in range(5)
    }
    # x is shared by rows 0 and 3, which lie at 2 and 4; y by rows of two canopies.
    assert lists == {0: set(), 1: set(), 2: {frozenset({2, 4})}, 3: set(), 4: {frozenset({2, 4})}}


def test_fuller_names_rank_above_initials_and_nicknames_are_alike():
    (shard,) = a_table().shards()
    rank = shard.mentions.form_rank  # john a, j, johnny, jon
    assert rank[0] == max(rank)
    assert rank[1] == min(rank)
    words = shard.mentions.form_words[:, 2]
    alike = shard.mentions.alike[slice(*shard.mentions.alike_offsets[words[0] : words[0] + 2])]
    assert {words[2], words[3]} <= set(alike.tolist())


def test_columns_of_two_lengths_are_refused():
    with pytest.raises(DataError, match="rows"):
        TreeTable(np.zeros(3, np.int64), [NameColumn.of_texts(pa.array(["a"]))], [], alphas=[], linking=[])


def test_a_large_table_comes_in_parts_of_whole_canopies(monkeypatch):
    monkeypatch.setattr("onoma.resolve.models.hierarchical.mentions._SHARD", 4)
    n = 30
    canopy = np.arange(n) // 3
    bags = [BagColumn.of_texts(pa.array([f"w{i % 7}" for i in range(n)]))]
    shards = TreeTable(canopy, [], bags, alphas=[1.0], linking=[True]).shards()
    assert len(shards) > 3
    assert np.concatenate([shard.rows for shard in shards]).tolist() == list(range(n))
    assert all(len(shard.rows) % 3 == 0 for shard in shards)
