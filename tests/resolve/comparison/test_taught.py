"""Weights that other tables have taught: nothing is learnt here."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.blocking.canopies import CanopySettings, find_candidates
from onoma.resolve.comparison import taught as module
from onoma.resolve.comparison.gathering import gather_evidence
from onoma.resolve.comparison.taught import FEW_THE_SAME, count_in_part, count_levels, taught_share, taught_weights
from onoma.resolve.comparison.weights import COPIED, FRESH, WeightSettings
from onoma.resolve.fields.kinds.likeness import likeness_model
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
    level, model = evidence.levels[:, 0], likeness_model()
    shift = model.shift(np.bincount(level[level > 0] - 1, minlength=k - 1), evidence.n)
    assert found[1:] == pytest.approx(model.level_log_odds()[1:k] + shift)


def test_tables_are_shares_and_there_are_no_relatives(taught):
    evidence, weights = taught
    k = int(evidence.n_levels[0])
    assert np.exp(weights.tables[COPIED, 0, -1, :k]).sum() == pytest.approx(1.0)
    assert weights.sigma == 0.0 and weights.keep[0] == pytest.approx(likeness_model().common)


def test_a_large_table_is_judged_by_a_part_of_it(monkeypatch):
    """The nearest of many strangers are near: read as copies, they would make more of them the larger a table is."""
    rng = np.random.default_rng(3)
    parts = ["".join(rng.choice(list("abcdefghiklmnoprstuvw"), 5)) for _ in range(60)]
    names = [" ".join(rng.choice(parts, 3, replace=False)) for _ in range(1_500)]
    fields = prepare_fields(pa.table({"name": names}), kinds={"name": "likeness"}).fields
    candidates = find_candidates(fields, settings=CanopySettings())

    def shift():
        evidence = gather_evidence(fields, candidates, None, None, seed=1)
        seen = evidence.taught_counts
        if seen is None:
            seen = count_levels(evidence.levels[:, 0], int(evidence.n_levels[0]))
        return likeness_model().shift(seen, evidence.n)

    whole = shift()
    monkeypatch.setattr(module, "LARGEST", 300)
    part = count_in_part(fields[0], seed=1)
    assert part is not None and part.sum() > 0
    assert shift() < whole


def test_a_small_table_is_judged_whole(taught):
    assert taught[0].taught_counts is None


def test_families_that_are_joined_are_few_of_them_the_same_by_what_other_tables_teach():
    rng = np.random.default_rng(4)
    makers = np.repeat(np.arange(8), 12)
    made = ["".join(rng.choice(list("abcdefghiklmnoprstuvw"), 7)) for _ in range(2 * len(makers))]
    names = [f"Maker{of} {made[2 * i]} {made[2 * i + 1]} lamp" for i, of in enumerate(makers)]
    table = pa.table({"name": [*names, *(name.replace("lamp", "lamps") for name in names)]})
    (field,) = prepare_fields(table, kinds={"name": "likeness"}).fields
    evidence = gather_evidence([field], find_candidates([field], settings=CanopySettings()), None, None, seed=1)
    things = np.arange(len(names))
    families, copies, none = (
        taught_share(field, evidence, 0, labels, seed=1)
        for labels in (np.tile(makers, 2), np.tile(things, 2), np.arange(2 * len(names)))
    )
    assert families is not None and copies is not None and none is None
    assert families < FEW_THE_SAME < copies
