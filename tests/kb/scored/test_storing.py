"""Clusters of scored pairs in a knowledge base."""

import pyarrow as pa
import pytest

from onoma.errors import DataError
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import explain_entity
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.kb.scored.clusters import cluster_pairs, read_pairs
from onoma.kb.scored.storing import store_clusters, with_columns


def test_clusters_in_a_knowledge_base_are_judged_and_undone(tmp_path):
    pairs = read_pairs(pa.table({"a": list("abad"), "b": list("bcce"), "probability": [0.97, 0.6, 0.5, 0.9]}))
    found = cluster_pairs(pairs)
    path = tmp_path / "who.duckdb"
    table = with_columns(pairs, pa.table({"key": ["e", "d", "c", "b", "a"], "name": list("edcba")}), "key")
    store_clusters(path, pairs, found, table)

    def state():
        with read_knowledge_base(path) as base:
            who = {}
            for key, entity in base.rows("SELECT id, entity FROM memberships"):
                who.setdefault(entity, set()).add(key)
            pairs = {(a, b): p for a, b, p in base.rows("SELECT a, b, probability FROM pairs")}
            return sorted(map(sorted, who.values())), pairs

    before, probable = state()
    kept, _ = judge(path, [Said("different", "a", "b")])
    assert not any({"a", "b"} <= {*group} for group in state()[0])
    retract_judgements(path, [kept[0].number])
    after, again = state()
    assert after == before
    assert all(again[pair] == pytest.approx(probable[pair], abs=0.12) for pair in probable)
    judge(path, [Said("same", "a", "d")])
    assert any({"a", "d"} <= {*group} for group in state()[0])
    with read_knowledge_base(path) as base:
        told = explain_entity(base, "a")
        assert {"a", "d"} <= {*told.records}


@pytest.mark.parametrize(
    ("records", "id", "said"),
    [
        ({"key": ["a", "b"]}, "name", "no column 'name'"),
        ({"key": ["a", "a", "b"]}, "key", "not unique"),
        ({"key": ["a", "c"]}, "key", "are no records, such as 'b'"),
    ],
)
def test_records_that_do_not_fit_their_pairs(records, id, said):
    pairs = read_pairs(pa.table({"a": ["a"], "b": ["b"], "probability": [0.9]}))
    with pytest.raises(DataError, match=said):
        with_columns(pairs, pa.table(records), id)


def test_what_must_be_is_the_first_judgement(tmp_path):
    pairs = read_pairs(pa.table({"a": ["a", "b"], "b": ["b", "c"], "probability": [0.9, 0.2]}))
    path = tmp_path / "who.duckdb"
    found = cluster_pairs(pairs, same=[("b", "c")])
    store_clusters(path, pairs, found, with_columns(pairs, None, None), same=[("b", "c")])
    with read_knowledge_base(path) as base:
        assert base.rows('SELECT kind, a, b, "by" FROM judgements') == [("same", "b", "c", "given")]
        assert base.rows("SELECT kind, n_added FROM runs") == [("cluster", 3)]
