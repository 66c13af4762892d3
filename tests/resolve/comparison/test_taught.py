"""Weights that other tables have taught: nothing is learnt here."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.evaluate.report import evaluate
from onoma.resolve.api import resolve
from onoma.resolve.blocking.canopies import CanopySettings, find_candidates
from onoma.resolve.comparison import taught as module
from onoma.resolve.comparison.gathering import gather_evidence
from onoma.resolve.comparison.taught import count_in_part, count_nearest, taught_weights
from onoma.resolve.comparison.weights import COPIED, FRESH, WeightSettings
from onoma.resolve.fields.kinds.likeness import CUTS, likeness_model
from onoma.resolve.fields.prepare import prepare_fields


@pytest.fixture(scope="module")
def taught():
    names = [f"{a} {b} works" for a in ("Bako", "Lim", "Rento", "Vard") for b in ("Melsun", "Pardol", "Fengrat")]
    fields = prepare_fields(pa.table({"name": [*names, *names[:3]]}), kinds={"name": "likeness"}).fields
    candidates = find_candidates(fields, settings=CanopySettings())
    evidence = gather_evidence(fields, candidates, None, None, seed=1)
    return evidence, taught_weights(evidence, WeightSettings())


def test_levels_have_the_log_odds_that_were_taught(taught):
    evidence, weights = taught
    k = int(evidence.n_levels[0])
    found = weights.tables[COPIED, 0, -1, :k] - weights.tables[FRESH, 0, -1, :k] + np.log(weights.kappa)
    model = likeness_model()
    shift = model.shift(count_nearest(evidence.n, evidence.a, evidence.b, evidence.levels[:, 0], k), evidence.n)
    assert found[1:] == pytest.approx(model.level_log_odds()[1:k] + shift)


def test_tables_are_shares_and_there_are_no_relatives(taught):
    evidence, weights = taught
    k = int(evidence.n_levels[0])
    assert np.exp(weights.tables[COPIED, 0, -1, :k]).sum() == pytest.approx(1.0)
    assert weights.sigma == 0.0 and weights.keep[0] == pytest.approx(likeness_model().common)


def test_a_record_is_counted_once_where_its_nearest_is():
    rng = np.random.default_rng(2)
    n, k = 30, 6
    one, other = (each.astype(np.int32) for each in np.triu_indices(n, 1))
    kept = rng.random(len(one)) < 0.1
    one, other = one[kept], other[kept]
    level = rng.integers(-1, k, len(one)).astype(np.int8)
    expected = np.zeros(k - 1, np.int64)
    for record in range(n):
        near = [v for i, j, v in zip(one, other, level, strict=True) if record in (i, j) and v > 0]
        if near:
            expected[min(near) - 1] += 1
    assert count_nearest(n, one, other, level, k).tolist() == expected.tolist()


def test_a_large_table_is_judged_by_a_part_of_it(monkeypatch):
    """The nearest of many strangers are near: read as copies, they would make more of them the larger a table is."""
    rng = np.random.default_rng(3)
    parts = ["".join(rng.choice(list("abcdefghiklmnoprstuvw"), 5)) for _ in range(60)]
    names = [" ".join(rng.choice(parts, 3, replace=False)) for _ in range(1_500)]
    fields = prepare_fields(pa.table({"name": names}), kinds={"name": "likeness"}).fields
    candidates = find_candidates(fields, settings=CanopySettings())
    near = slice(0, CUTS.index(-1.0) + 1)

    def counted():
        evidence = gather_evidence(fields, candidates, None, None, seed=1)
        if evidence.taught_counts is not None:
            return evidence.taught_counts
        return count_nearest(evidence.n, evidence.a, evidence.b, evidence.levels[:, 0], int(evidence.n_levels[0]))

    whole = counted()
    monkeypatch.setattr(module, "PART", 300)
    part = count_in_part(fields[0], seed=1)
    assert part is not None and part.tolist() == counted().tolist()
    assert part.sum() <= 300
    assert part[near].sum() / 300 < 0.5 * whole[near].sum() / 1_500


def test_a_small_table_is_judged_whole(taught):
    assert taught[0].taught_counts is None


def _chapters(n, seed):
    """Return names of chapters of associations, a quarter of them twice with a wrong letter, and whose they are."""
    rng = np.random.default_rng(seed)
    syllables = [a + b for a in "bcdfgklmnprstv" for b in "aeio"]

    def word():
        return "".join(rng.choice(syllables, 3))

    places, names, truth, chapter = [word() for _ in range(40)], [], [], 0
    while len(names) < n:
        association = f"{word()} {word()} {word()}"
        for place in rng.choice(places, rng.integers(1, 16), replace=False):
            name = f"{association} of {place}"
            at = int(rng.integers(1, len(name)))
            written = [name, name[:at] + "w" + name[at + 1 :]][: 1 + (rng.random() < 0.25)]
            names += written
            truth += [chapter] * len(written)
            chapter += 1
    return names[:n], np.array(truth[:n])


@pytest.mark.parametrize("n", [300, 1_200])
def test_chapters_of_one_association_are_not_one_however_many_there_are(n):
    names, truth = _chapters(n, seed=7)
    found = resolve(pa.table({"name": names})).clustering
    scores = evaluate(Clustering.from_labels(truth), found, metrics=("pairwise",)).as_dict()["pairwise"]
    assert scores["precision"] > 0.9 and scores["recall"] > 0.6
