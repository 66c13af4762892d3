import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, SettingsError
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metrics import METRICS, find_metrics
from onoma.evaluate.report import evaluate
from onoma.evaluate.significance import _block_sums, _distinct, bootstrap, compare
from reference.evaluate_strategies import grouped_pairs


def world(rng, n_documents, *, noise=0.3):
    """Documents of a few entities each; the system moves some items, more of them in some documents than in others."""
    gold, predicted, groups = [], [], []
    for document in range(n_documents):
        n = int(rng.integers(4, 12))
        base = 100 * document
        labels = base + rng.integers(0, 4, n)
        moved = rng.random(n) < noise * 2 * rng.random()
        gold.append(labels)
        predicted.append(np.where(moved, base + 10 + rng.integers(0, 2, n), labels))
        groups.append(np.full(n, document))
    gold, predicted, groups = (np.concatenate(parts) for parts in (gold, predicted, groups))
    return Clustering.from_labels(gold), Clustering.from_labels(predicted), groups


@given(grouped_pairs(), st.booleans())
@settings(max_examples=30)
def test_blocks_add_up_to_the_whole(case, by_document):
    gold, predicted, groups = case
    if not len(gold):
        return
    metrics = find_metrics(METRICS)
    sums = _block_sums(gold, predicted, metrics, groups if by_document else None)
    table = Contingency.of(gold, predicted, groups=groups if by_document else None)
    assert sums.sum(axis=0) == pytest.approx(np.concatenate([metric.sums(table) for metric in metrics]), abs=1e-9)


def test_a_document_is_a_block_with_its_own_sums():
    gold, predicted, groups = world(np.random.default_rng(1), 5)
    metrics = find_metrics(METRICS)
    sums = _block_sums(gold, predicted, metrics, groups)
    for document in range(5):
        items = np.flatnonzero(groups == document)
        table = Contingency.of(gold.take(items), predicted.take(items))
        assert sums[document] == pytest.approx(np.concatenate([metric.sums(table) for metric in metrics]))


def test_blocks_with_the_same_sums_are_counted():
    rows, counts = _distinct(np.array([[1.0, 2.0], [0.1 + 0.2, 0.0], [0.3, 0.0], [1.0, 2.0], [1.0, 2.0]]))
    assert rows.tolist() == [[0.3, 0.0], [1.0, 2.0]]
    assert counts.tolist() == [2, 3]


@pytest.mark.parametrize("by_document", [False, True])
def test_intervals_hold_the_score(by_document):
    gold, predicted, groups = world(np.random.default_rng(2), 60)
    groups = groups if by_document else None
    found = bootstrap(gold, predicted, groups=groups, seed=3, n_resamples=300)
    flat = {}
    for name, value in evaluate(gold, predicted, groups=groups).as_dict().items():
        flat |= {f"{name}.{part}": v for part, v in value.items()} if isinstance(value, dict) else {name: value}
    assert found.keys() == flat.keys()
    for name, interval in found.items():
        assert interval.value == pytest.approx(flat[name])
        assert interval.low < interval.value < interval.high, name


def test_the_spread_is_that_of_a_plain_bootstrap():
    """Resampling documents one by one and measuring each resample gives the same standard error."""
    rng = np.random.default_rng(4)
    gold, predicted, groups = world(rng, 40)
    values = []
    for _ in range(300):
        chosen = rng.integers(0, 40, 40)
        items = np.concatenate([np.flatnonzero(groups == d) for d in chosen])
        copies = np.concatenate([np.full((groups == d).sum(), i) for i, d in enumerate(chosen)])
        sides = (Clustering.from_labels(side.labels[items] * 100 + copies) for side in (gold, predicted))
        values.append(evaluate(*sides, metrics=["ceafe", "ari"]).as_dict())
    found = bootstrap(gold, predicted, metrics=["ceafe", "ari"], groups=groups, seed=5, n_resamples=2000)
    for name, plain in (("ceafe.f1", [v["ceafe"]["f1"] for v in values]), ("ari", [v["ari"] for v in values])):
        low, high = np.quantile(plain, [0.025, 0.975])
        assert found[name].high - found[name].low == pytest.approx(high - low, rel=0.2)


def test_the_same_seed_gives_the_same_interval():
    gold, predicted, groups = world(np.random.default_rng(6), 20)
    one, again, other = (bootstrap(gold, predicted, metrics="b3", groups=groups, seed=s) for s in (1, 1, 2))
    assert one == again
    assert one != other


def test_nothing_to_vary_gives_a_point():
    gold = Clustering.from_labels(np.arange(30) // 3)
    for interval in bootstrap(gold, gold, metrics=["b3", "pairwise"], seed=1, n_resamples=50).values():
        assert (interval.low, interval.high) == (1.0, 1.0)


def test_a_narrower_level_gives_a_narrower_interval():
    gold, predicted, groups = world(np.random.default_rng(7), 40)
    wide, narrow = (
        bootstrap(gold, predicted, metrics="b3", groups=groups, seed=1, level=level)["b3.f1"] for level in (0.99, 0.5)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("by_document", [True, False])
def test_intervals_cover_the_truth(by_document):
    """95 % intervals on small samples hold the score of the population about 95 times in a hundred."""
    rng = np.random.default_rng(8)
    gold, predicted, groups = world(rng, 4000)
    truth = evaluate(gold, predicted, metrics="b3").as_dict()["b3"]["f1"]
    by_group = Clustering.from_labels(groups)
    covered = 0
    for trial in range(150):
        items = np.concatenate([by_group.members(int(d)) for d in rng.choice(4000, 50, replace=False)])
        found = bootstrap(
            gold.take(items),
            predicted.take(items),
            metrics="b3",
            groups=groups[items] if by_document else None,
            seed=trial,
            n_resamples=200,
        )["b3.f1"]
        covered += found.low <= truth <= found.high
    # Entities of one document are alike (some documents are noisier), so resampling entities says a little too much.
    assert (0.88 if by_document else 0.75) <= covered / 150 <= 0.99


def test_a_better_system_is_told_from_a_worse():
    rng = np.random.default_rng(9)
    gold, worse, groups = world(rng, 80)
    labels = np.where(rng.random(len(gold)) < 0.6, gold.labels, worse.labels + gold.n_entities)
    better = Clustering.from_labels(labels).intersect(Clustering.from_labels(groups))
    found = compare(gold, gold, worse, metrics=["b3", "conll"], groups=groups, seed=1, n_resamples=500)
    assert found["b3.f1"].p_value < 0.01
    assert found["b3.f1"].low > 0
    back = compare(gold, worse, gold, metrics=["b3", "conll"], groups=groups, seed=1, n_resamples=500)
    assert back["conll"].value == pytest.approx(-found["conll"].value)
    assert compare(gold, better, better, metrics="b3", seed=1, n_resamples=50)["b3.f1"].p_value == 1.0


def test_alike_systems_are_seldom_told_apart():
    """Under the null hypothesis p values below 0.1 come about one time in ten."""
    rng = np.random.default_rng(10)
    small = 0
    for trial in range(100):
        gold, first, groups = world(rng, 30)
        # The second system errs as the first does, but elsewhere: a mirror image within each document.
        coin = rng.random(30)[groups] < 0.5
        second = Clustering.from_labels(np.where(coin, gold.labels, gold.n_entities + first.labels))
        first = Clustering.from_labels(np.where(coin, gold.n_entities + first.labels, gold.labels))
        found = compare(gold, first, second, metrics="b3", groups=groups, seed=trial, n_resamples=200)
        small += found["b3.f1"].p_value < 0.1
    assert 2 <= small <= 22


def test_settings_are_checked():
    side = Clustering.singletons(3)
    with pytest.raises(SettingsError, match="n_resamples is 0"):
        bootstrap(side, side, seed=1, n_resamples=0)
    with pytest.raises(SettingsError, match="level is 95"):
        compare(side, side, side, seed=1, level=95)
    with pytest.raises(DataError, match="no items"):
        bootstrap(Clustering.singletons(0), Clustering.singletons(0), seed=1)
