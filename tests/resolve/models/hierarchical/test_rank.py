"""SampleRank on moves of subtrees."""

from dataclasses import replace

import numpy as np
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate.authors import simulate_authors
from onoma.errors import SettingsError
from onoma.evaluate.b_cubed import b_cubed
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.hierarchical.grow import tree_columns
from onoma.resolve.models.hierarchical.mentions import Shard
from onoma.resolve.models.hierarchical.rank import TreeRankSettings, features_of, pack, rank_trees, unpack
from onoma.resolve.models.hierarchical.run import TreeSettings, paper_scores, resolve_trees
from onoma.resolve.models.hierarchical.trees import TreeChain
from reference.resolve_hierarchical import as_trees, log_score, random_mentions, random_scores


@pytest.mark.parametrize("seed", [1, 2])
def test_features_times_weights_are_the_score(seed):
    n = 24
    mentions, scores = random_mentions(n, seed), random_scores(seed)
    shard = Shard(np.arange(n), np.array([0, n]), mentions)
    chain = TreeChain(mentions, shard.canopies, scores, seed=seed)
    for _ in range(3):
        chain.run(np.array([500]), temperature=1.0)
        anew = log_score(mentions, scores, as_trees(chain.forest, n))
        assert features_of(chain, shard) @ pack(scores) == pytest.approx(anew, abs=1e-8)


def test_weights_come_back_from_their_list():
    scores = random_scores(3)
    assert unpack(scores, pack(scores)) == scores


def test_same_seed_same_weights():
    n = 30
    mentions, start = random_mentions(n, 4, n_words=30), random_scores(4)
    shard, labels = Shard(np.arange(n), np.array([0, n]), mentions), np.arange(n) % 5
    one, again, other = (
        rank_trees([shard], labels, start, seed=seed, settings=TreeRankSettings(n_steps=2000)) for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_what_is_not_used_is_not_learnt():
    n = 20
    mentions, start = random_mentions(n, 4), random_scores(4)
    start = replace(start, bags=[replace(start.bags[0], evidence=0.0, cosine=0.0), replace(start.bags[1], cosine=0.0)])
    shard = Shard(np.arange(n), np.array([0, n]), mentions)
    learnt = rank_trees([shard], np.arange(n) % 4, start, seed=1, settings=TreeRankSettings(n_steps=2000))
    assert learnt.bags[0] == start.bags[0]
    assert (learnt.structure.inner, learnt.structure.shape) == (start.structure.inner, start.structure.shape)
    assert learnt.bags[1].evidence != start.bags[1].evidence
    assert learnt.bags[1].evidence >= 0.0


def test_without_labels_nothing_changes():
    n = 10
    mentions, start = random_mentions(n, 4), random_scores(4)
    shard = Shard(np.arange(n), np.array([0, n]), mentions)
    assert rank_trees([shard], np.full(n, -1), start, seed=1) == start


def test_the_papers_weights_learn_from_labels():
    table = simulate_authors(1500, seed=4)
    columns = tree_columns(prepare_fields(table, exclude=["id", "cluster_id"]).fields)
    gold = Clustering.from_labels(table["cluster_id"])
    teaches = columns.canopy % 2 == 0
    by_hand = paper_scores(len(columns.names), len(columns.bags))
    settings = TreeSettings(seed=1, n_rounds=4)

    def score(labels) -> float:
        run = resolve_trees(columns, settings=settings, scores=by_hand, labels=labels)
        return b_cubed(gold.take(~teaches), run.clustering.take(~teaches)).f1

    assert score(np.where(teaches, gold.labels, -1)) > score(None) + 0.02


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(SettingsError, match="rate"):
        TreeRankSettings(rate=0.0)
