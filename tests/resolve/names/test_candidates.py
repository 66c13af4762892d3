import numpy as np

from onoma.resolve.names.candidates import every_pair, near_names, near_references, pair_nodes
from onoma.resolve.names.names import WordedNames


def test_names_that_share_something_rare_are_near():
    names = WordedNames.of(["Ada Lovelace", "A. Lovelace", "Alan Turing", "Turing", "Plato"])
    a, b = near_names(names, 2)
    found = set(zip(a.tolist(), b.tolist(), strict=True))
    assert {(0, 1), (2, 3)} <= found
    assert all(i < j for i, j in found)


def test_references_are_held_against_names_only():
    names = WordedNames.of(["Ada Lovelace", "Ada Byron", "Alan Turing", "A. Lovelace", "Turing"])
    reference, name = near_references(names, 3, 2)
    assert set(zip(reference.tolist(), name.tolist(), strict=True)) >= {(0, 3), (2, 4)}
    assert reference.max() < 3 <= name.min()


def test_mentions_of_near_names_meet_each_other_and_those_of_one_name():
    name_of = np.array([0, 0, 1, 2], np.int32)
    pairs = pair_nodes(name_of, np.zeros(4, np.int32), np.array([0], np.int32), np.array([1], np.int32), seed=0)
    found = {(i, j): k for i, j, k in zip(pairs.a.tolist(), pairs.b.tolist(), pairs.names.tolist(), strict=True)}
    assert found == {(0, 2): 0, (1, 2): 0, (0, 1): -1}
    np.testing.assert_array_equal(pairs.scale, 1.0)


def test_kinds_never_meet_and_many_mentions_meet_a_few():
    name_of = np.repeat(np.array([0, 1], np.int32), 200)
    kinds = np.arange(400, dtype=np.int32) % 2
    pairs = pair_nodes(name_of, kinds, np.array([0], np.int32), np.array([1], np.int32), seed=0)
    assert (kinds[pairs.a] == kinds[pairs.b]).all()
    assert len(pairs.a) < 20_000
    assert pairs.scale.max() > 1.0
    keys = pairs.a.astype(np.int64) * 400 + pairs.b
    assert len(np.unique(keys)) == len(keys)


def test_every_pair_is_there_once():
    a, b = every_pair(4)
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
