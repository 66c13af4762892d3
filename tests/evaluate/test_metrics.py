"""Every measure against its definition, and the properties that any of them must have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.errors import SettingsError
from onoma.evaluate.b_cubed import b_cubed
from onoma.evaluate.blanc import blanc
from onoma.evaluate.ceaf import ceaf_e, ceaf_m
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.detection import mention_detection
from onoma.evaluate.lea import lea
from onoma.evaluate.metrics import METRICS, REPORTED, conll, contributions_of, find_metrics, sums_of
from onoma.evaluate.muc import muc
from onoma.evaluate.pairwise import pairwise
from onoma.evaluate.rand import adjusted_rand, rand
from onoma.evaluate.v_measure import v_measure
from reference import evaluate_metrics as slow
from reference.evaluate_strategies import grouped_pairs, pairs

FRACTIONS = {
    "mentions": (mention_detection, slow.mentions),
    "muc": (muc, slow.muc),
    "b3": (b_cubed, slow.b_cubed),
    "ceafm": (ceaf_m, slow.ceaf_m),
    "ceafe": (ceaf_e, slow.ceaf_e),
    "lea": (lea, slow.lea),
    "pairwise": (pairwise, slow.pairwise),
}
SYMMETRIC = {"conll", "rand", "ari", "v"}
TRIPLES = sorted(set(METRICS) - SYMMETRIC)


def scores(name, gold, predicted, groups=None):
    metric = METRICS[name]
    return metric.values(metric.sums(Contingency.of(gold, predicted, groups=groups)))


@pytest.mark.parametrize("name", FRACTIONS)
@given(sides=pairs(7))
@settings(max_examples=60)
def test_the_sums_are_those_of_the_definition(name, sides):
    fast, twin = FRACTIONS[name]
    score = fast(*sides)
    found = (score.recall_num, score.recall_den, score.precision_num, score.precision_den)
    assert found == pytest.approx(twin(*map(slow.sets, sides)))


@given(grouped_pairs(8), st.booleans())
def test_blanc_counts_the_pairs_of_the_definition(case, grouped):
    gold, predicted, groups = case
    if grouped:
        cut = Clustering.from_labels(np.array(groups, dtype=np.int64))
        gold, predicted = gold.intersect(cut), predicted.intersect(cut)
    groups = groups if grouped else None
    score = blanc(gold, predicted, groups=groups)
    kinds = slow.blanc_links(slow.sets(gold), slow.sets(predicted), groups)
    for kind, found in zip(kinds, (score.coreferent, score.separate), strict=True):
        assert kind == (found.recall_num, found.recall_den, found.precision_num, found.precision_den)
    expected = slow.blanc(slow.sets(gold), slow.sets(predicted), groups)
    assert (score.precision, score.recall, score.f1) == pytest.approx(expected)


@given(grouped_pairs(8))
def test_blanc_cuts_entities_at_the_borders_of_groups(case):
    gold, predicted, groups = case
    cut = Clustering.from_labels(np.array(groups, dtype=np.int64))
    inner = blanc(gold.intersect(cut), predicted.intersect(cut), groups=groups)
    assert blanc(gold, predicted, groups=groups).coreferent.recall_den == inner.coreferent.recall_den
    assert blanc(gold, predicted, groups=groups).separate.precision_den == inner.separate.precision_den


@given(pairs(8))
def test_numbers_are_those_of_the_definition(sides):
    twins = [slow.sets(side) for side in sides]
    assert rand(*sides) == pytest.approx(slow.rand(*twins))
    assert adjusted_rand(*sides) == pytest.approx(slow.adjusted_rand(*twins))
    found = v_measure(*sides)
    assert (found.homogeneity, found.completeness, found.v) == pytest.approx(slow.v_measure(*twins))


@given(pairs(8))
def test_conll_is_the_mean_of_three(sides):
    assert conll(*sides) == pytest.approx((muc(*sides).f1 + b_cubed(*sides).f1 + ceaf_e(*sides).f1) / 3)


@pytest.mark.parametrize("name", METRICS)
@given(sides=pairs())
@settings(max_examples=40)
def test_a_clustering_is_perfect_beside_itself(name, sides):
    side, _ = sides
    table = Contingency.of(side, side)
    # MUC and pairwise have nothing to find among singletons, B³ and the others nothing among no items.
    nothing_to_find = (name in {"muc", "pairwise", "conll"} and side.sizes.max(initial=0) < 2) or (
        name not in SYMMETRIC and not table.n_gold
    )
    alone = name == "blanc" and table.n_gold < 2
    if alone or (nothing_to_find and name != "conll"):
        assert scores(name, side, side).tolist() == [0.0, 0.0, 0.0]
    elif nothing_to_find:
        assert scores(name, side, side)[0] == pytest.approx(2 / 3 if table.n_gold else 0.0)
    else:
        assert scores(name, side, side).tolist() == [1.0] * len(METRICS[name].parts)


@pytest.mark.parametrize("name", METRICS)
@given(case=grouped_pairs())
@settings(max_examples=40)
def test_swapping_the_sides_swaps_precision_and_recall(name, case):
    gold, predicted, groups = case
    one, other = scores(name, gold, predicted, groups), scores(name, predicted, gold, groups)
    if name == "blanc":
        # The gold decides which kinds of pairs count: only where both sides have both is BLANC symmetric.
        score, swapped = blanc(gold, predicted, groups=groups), blanc(predicted, gold, groups=groups)
        assert score.coreferent.recall_num == swapped.coreferent.precision_num
        assert score.separate.recall_den == swapped.separate.precision_den
    elif name in SYMMETRIC:
        assert one == pytest.approx(other)
    else:
        assert one[[1, 0, 2]] == pytest.approx(other)


@pytest.mark.parametrize("name", METRICS)
@given(case=grouped_pairs(), shuffled=st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_names_and_order_do_not_matter(name, case, shuffled):
    gold, predicted, groups = case
    order = list(range(len(gold)))
    shuffled.shuffle(order)
    names = shuffled.sample(range(100), gold.n_entities + 1)
    renamed = np.array([*names, -1])[gold.labels]  # -1 picks the last
    again = scores(
        name,
        Clustering.from_labels(renamed[order]),
        predicted.take(np.array(order, dtype=np.int64)),
        [groups[i] for i in order],
    )
    assert again == pytest.approx(scores(name, gold, predicted, groups))


@pytest.mark.parametrize("name", METRICS)
@given(case=grouped_pairs())
@settings(max_examples=40)
def test_scores_have_bounds(name, case):
    found = scores(name, *case)
    low = -1.0 if name == "ari" else 0.0
    assert np.all(found >= low)
    assert np.all(found <= 1 + 1e-12)


@pytest.mark.parametrize("name", sorted(set(TRIPLES) - {"blanc"}))
@given(sides=pairs())
@settings(max_examples=40)
def test_f1_is_the_harmonic_mean(name, sides):
    precision, recall, f1 = scores(name, *sides)
    expected = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert f1 == pytest.approx(expected)


@pytest.mark.parametrize("name", METRICS)
@given(case=grouped_pairs(), grouped=st.booleans())
@settings(max_examples=60)
def test_what_items_add_makes_the_sums(name, case, grouped):
    gold, predicted, groups = case
    table = Contingency.of(gold, predicted, groups=groups if grouped else None)
    metric = METRICS[name]
    assert table.cells.n @ metric.contributions(table) == pytest.approx(metric.sums(table), abs=1e-9)


@pytest.mark.parametrize("name", METRICS)
@given(case=grouped_pairs())
@settings(max_examples=40)
def test_documents_add_up(name, case):
    """With no entity across documents, the sums of the whole are the sums of the documents."""
    gold, predicted, groups = case
    cut = Clustering.from_labels(np.array(groups, dtype=np.int64))
    gold, predicted = gold.intersect(cut), predicted.intersect(cut)
    metric = METRICS[name]
    total = sum(
        (
            metric.sums(Contingency.of(gold.take(items), predicted.take(items)))
            for items in (cut.members(group) for group in range(cut.n_entities))
        ),
        np.zeros_like(metric.sums(Contingency.of(gold, predicted, groups=groups))),
    )
    assert metric.sums(Contingency.of(gold, predicted, groups=groups)) == pytest.approx(total)


def test_every_result_says_the_same_as_its_values():
    gold, predicted = Clustering.from_labels([0, 0, 1, 1, 2, -1]), Clustering.from_labels([0, 1, 1, 1, -1, 2])
    table = Contingency.of(gold, predicted)
    for metric in METRICS.values():
        result = metric.result(*metric.sums(table))
        if metric.name == "v":
            result = result.v
        expected = [result] if isinstance(result, float) else [result.precision, result.recall, result.f1]
        assert metric.values(metric.sums(table)) == pytest.approx(expected)


def test_the_names_are_settled():
    assert REPORTED == (
        "muc", "b3", "ceafm", "ceafe", "blanc", "lea", "pairwise", "conll", "rand", "ari", "v",
    )  # fmt: skip
    assert [metric.name for metric in find_metrics("b3")] == ["b3"]
    assert [metric.name for metric in find_metrics(["rand", "b3", "rand"])] == ["rand", "b3"]


def test_an_unknown_metric_is_named_with_the_known():
    with pytest.raises(SettingsError, match=r"'b4'[\s\S]*muc, b3, ceafm"):
        find_metrics(["b3", "b4"])


@given(pairs(20, absent=False))
def test_numbers_agree_with_scikit_learn(sides):
    cluster = pytest.importorskip("sklearn.metrics.cluster")
    gold, predicted = (side.labels for side in sides)
    if len(gold):
        assert adjusted_rand(*sides) == pytest.approx(cluster.adjusted_rand_score(gold, predicted))
        assert rand(*sides) == pytest.approx(cluster.rand_score(gold, predicted))
        expected = cluster.homogeneity_completeness_v_measure(gold, predicted)
        found = v_measure(*sides)
        assert (found.homogeneity, found.completeness, found.v) == pytest.approx(expected, abs=1e-9)


def test_shared_parts_are_the_same_as_computed_alone():
    table = Contingency.of(Clustering.from_labels([0, 0, 1, 1, 2, -1]), Clustering.from_labels([0, 1, 1, 1, -1, 2]))
    metrics = find_metrics(["conll", "b3", "rand"])
    assert list(sums_of(metrics, table)) == ["conll", "b3", "rand"]
    for name, sums in sums_of(metrics, table).items():
        assert sums.tolist() == METRICS[name].sums(table).tolist()
    for name, added in contributions_of(metrics, table).items():
        assert added.tolist() == METRICS[name].contributions(table).tolist()
