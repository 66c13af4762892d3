"""Leaving out what is doubtful."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.resolve.check.abstain import GOAL, abstain, strongest_tree
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Pairs, Posterior
from onoma.resolve.result import Resolution


def resolution(pairs, labels):
    a, b, p = (np.array(each) for each in zip(*pairs, strict=True))
    stated = Pairs(a.astype(np.int32), b.astype(np.int32), p.astype(np.float64))
    posterior = Posterior(clustering=Clustering.from_labels(labels), probability=np.ones(len(labels)), pairs=stated)
    table = pa.table({"id": [f"r{row}" for row in range(len(labels))]})
    return Resolution(table, None, posterior, None, ResolveConfig(model="copying"), ())


CHAIN = resolution([(0, 1, 0.99), (0, 2, 0.2), (1, 2, 0.5), (3, 4, 0.98), (4, 5, 0.3)], [0, 0, 0, 1, 1, 2])


def test_the_strongest_tree_holds_an_entity_together():
    pairs = CHAIN.posterior.pairs
    assert strongest_tree(pairs, CHAIN.clustering.labels, pairs.probability).tolist() == [0, 2, 3]


def test_links_are_given_up_until_the_rest_is_good():
    found = abstain(CHAIN, budget=2)
    assert found.n_given_up == 1 and found.precision >= GOAL
    assert found.left_out.tolist() == [False, False, True, False, False, False]
    assert found.clustering.n_entities == 4


def test_the_answers_that_help_most_come_first():
    table = abstain(CHAIN, budget=2).table(CHAIN)
    assert table.column_names == ["a", "b", "probability", "worth"]
    assert (table["a"][0].as_py(), table["b"][0].as_py()) == ("r1", "r2"), "½ sure, and two rows hang on it"
    assert table["worth"].to_pylist() == sorted(table["worth"].to_pylist(), reverse=True) and len(table) == 2


def test_nothing_is_given_up_where_all_is_sure():
    sure = replace(CHAIN.posterior, pairs=CHAIN.posterior.pairs._replace(probability=np.ones(5)))
    found = abstain(replace(CHAIN, posterior=sure), budget=5)
    assert found.n_given_up == 0 and not found.left_out.any() and len(found.pairs) == 0


def test_memberships_say_who_was_left_out():
    kept = CHAIN.abstaining(1)
    assert kept.memberships["left_out"].to_pylist() == [False, False, True, False, False, False]
    assert "review" not in CHAIN.memberships.column_names


def test_a_budget_needs_the_checks():
    with pytest.raises(SettingsError, match="known from the checks"):
        ResolveConfig(no_check=True, review_budget=5)
