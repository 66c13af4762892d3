import tomllib

import numpy as np
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.errors import SettingsError, UnsupportedError
from onoma.evaluate.b_cubed import b_cubed
from onoma.kb.memory import earlier_config
from onoma.resolve.api import resolve
from onoma.resolve.comparison.recomparison import told
from onoma.resolve.config import ResolveConfig
from onoma.resolve.names.fields import MutationComparison
from onoma.resolve.registry import check, find_model


def test_levels_tell_what_there_is_to_know():
    together = np.repeat([1.0, 0.0], 500)
    sharp, dull = np.repeat([1, 2], 500).astype(np.int8), np.tile([1, 2], 500).astype(np.int8)
    assert told(sharp, together) > 0.95
    assert told(dull, together) == pytest.approx(0.0, abs=0.01)


def test_equal_and_missing_values_are_not_looked_at():
    levels, together = np.array([1, 2, 1, 2] * 50, np.int8), np.array([1.0, 0.0, 0.9, 0.2] * 50)
    more = np.concatenate([levels, np.zeros(80, np.int8), np.full(80, -1, np.int8)])
    assert told(more, np.concatenate([together, np.zeros(80), np.ones(80)])) == told(levels, together)
    assert told(np.zeros(3, np.int8), np.ones(3)) == 0.0


@pytest.fixture(scope="module")
def people():
    return simulate_people(600, seed=3)


@pytest.fixture(scope="module")
def found(people):
    return resolve(people, config=ResolveConfig(comparison="mutation", samples=40))


def test_records_are_resolved_by_how_values_change(people, found):
    gold = Clustering.from_labels(np.unique(np.array(people["cluster_id"].to_pylist()), return_inverse=True)[1])
    assert b_cubed(gold, found.clustering).f1 > 0.9
    learnt = {each.field for each in found.weighed.comparisons}
    assert learnt
    compared = {each.name for each in found.fields.fields if isinstance(each.comparison, MutationComparison)}
    assert compared == learnt
    assert all(each.by_mutation > each.by_kind for each in found.weighed.comparisons)
    assert any(note.startswith("compared by how values change") for note in found.notes)


def test_what_is_explained_is_what_was_compared(found):
    evidence = found.weighed.evidence
    for pair in np.argsort(-found.weighed.draws.together)[:20].tolist():
        steps = {step.field: step for step in found.explain(int(evidence.a[pair]), int(evidence.b[pair])).steps}
        for f, field in enumerate(found.fields.fields):
            if evidence.levels[pair, f] >= 0:
                assert steps[field.name].level == field.levels[evidence.levels[pair, f]]


def test_a_second_run_gives_the_same(people, found):
    again = resolve(people, config=ResolveConfig(comparison="mutation", samples=40))
    np.testing.assert_array_equal(again.weighed.evidence.levels, found.weighed.evidence.levels)
    np.testing.assert_array_equal(again.clustering.labels, found.clustering.labels)


def test_what_cannot_be_is_refused():
    with pytest.raises(SettingsError, match="comparison"):
        ResolveConfig(comparison="magic")
    with pytest.raises(UnsupportedError, match="phylogeny takes no --comparison"):
        check(find_model("phylogeny"), ResolveConfig(comparison="mutation", model="phylogeny"))


def test_a_comparison_is_a_setting_that_a_run_repeats():
    config = ResolveConfig(comparison="mutation")
    assert ResolveConfig.of(tomllib.loads(config.to_toml())) == config
    assert earlier_config({"comparison": "mutation", "threshold": 0.5, "canopies": {"neighbours": None}}) == config
