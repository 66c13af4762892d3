from dataclasses import replace

import numpy as np
import pytest

from coref.worlds import CHAINS, make_document
from onoma.coref._learning_kernels import BINARY, HIDDEN, LATENT, SVM, coefficients
from onoma.coref.features import prepare
from onoma.coref.learning import Example, LearningSettings, learn
from onoma.coref.model import Annotated, example_of, gold_spans, load_coref, train_coref
from onoma.coref.posterior import Stretches
from onoma.errors import DataError, SettingsError

CHAIN = np.array([0, 1, 0, -1, 1, 0])
COSTS = np.array([3.0, 0.1, 1.0])


def loss_of(kind, scores, i, gamma):
    out = np.zeros(i + 1)
    return coefficients(kind, scores.copy(), CHAIN, COSTS, i, 0, gamma, out), out


@pytest.mark.parametrize("i", range(6))
@pytest.mark.parametrize(("kind", "gamma"), [(LATENT, 1.0), (LATENT, 0.3), (BINARY, 0.0), (SVM, 0.0)])
def test_coefficients_are_the_gradient(kind, gamma, i):
    scores = np.random.default_rng(i).normal(size=i + 1)
    _, found = loss_of(kind, scores, i, gamma)
    step = 1e-6
    for j in range(i + 1):
        up, down = scores.copy(), scores.copy()
        up[j] += step
        down[j] -= step
        slope = (loss_of(kind, up, i, gamma)[0] - loss_of(kind, down, i, gamma)[0]) / (2 * step)
        assert found[j] == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("i", range(1, 6))
def test_pl3m_becomes_l3m_as_gamma_falls_to_zero(i):
    scores = np.random.default_rng(i).normal(size=i + 1)
    hard, soft = loss_of(LATENT, scores, i, 0.0), loss_of(LATENT, scores, i, 1e-4)
    assert soft[0] == pytest.approx(hard[0], abs=1e-3)
    np.testing.assert_allclose(soft[1], hard[1], atol=1e-6)


def test_l3m_steps_from_the_worst_choice_to_the_best_right_one():
    # Mention 2 belongs with 0; "none" costs 3, so it is the worst choice; 0 is the only right one.
    _, found = loss_of(LATENT, np.array([0.0, 0.5, 0.0]), 2, 0.0)
    assert found.tolist() == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize("learner", ["latent", "binary", "svm"])
def test_what_was_learnt_is_known(learner):
    documents = [Annotated(make_document(f"d{k}"), CHAINS) for k in range(4)]
    settings = LearningSettings(learner=learner, epochs=8, bits=14, min_word_count=1, penalty=0.0)
    model = train_coref(documents, settings, gold_mentions=True)
    found = model.resolve(documents[0].document, gold_spans(documents[0].document, CHAINS)).chains()
    if learner == "latent":
        assert found.keys() == CHAINS.keys()
        assert len({(found[span], CHAINS[span]) for span in CHAINS}) == 2
    else:
        assert found[9, 10] == found[0, 2]


def test_losses_fall_and_seeds_repeat():
    example = make_example()
    settings = LearningSettings(epochs=6, bits=12, min_word_count=1)
    weights, losses = learn([example], settings)
    assert losses[-1] < losses[0]
    np.testing.assert_array_equal(weights, learn([example], settings)[0])


def make_example():
    document = make_document()
    spans = gold_spans(document, CHAINS)
    names = {}
    chains = [names.setdefault(CHAINS[s.start, s.end], len(names)) for s in spans]
    return Example(prepare(document, spans, {}), np.array(chains))


def test_only_what_is_taught_teaches():
    example = make_example()
    settings = LearningSettings(epochs=2, bits=12, min_word_count=1)
    nobody = np.zeros(len(example.chains), bool)
    assert not learn([replace(example, taught=nobody)], settings)[0].any()
    one = nobody.copy()
    one[-1] = True
    weights = learn([replace(example, taught=one)], settings)[0]
    assert weights.any()
    # A hidden mention is nobody's antecedent: no step touches its features, so its scores differ.
    chains = example.chains.copy()
    chains[0] = HIDDEN
    assert (learn([replace(example, chains=chains, taught=one)], settings)[0] != weights).any()


def test_runs_are_averaged_and_a_start_is_kept():
    example = make_example()
    settings = LearningSettings(epochs=2, bits=12, min_word_count=1)
    runs = [learn([example], replace(settings, seed=seed))[0] for seed in (0, 1)]
    np.testing.assert_allclose(learn([example], replace(settings, runs=2))[0], np.mean(runs, axis=0))
    start = np.full(1 << 12, 0.25)
    nobody = replace(example, taught=np.zeros(len(example.chains), bool))
    np.testing.assert_array_equal(learn([nobody], settings, start=start)[0], start)


def test_relaxed_matching_teaches_through_the_head():
    document = make_document()
    chains = {**CHAINS, (4, 8): "king"}  # "old king of Prussia": no candidate begins there
    del chains[3, 8]
    strict, relaxed = (
        example_of(Annotated(document, chains), {}, gold_mentions=False, relaxed=r) for r in (False, True)
    )
    assert (relaxed.chains >= 0).sum() == (strict.chains >= 0).sum() + 1
    row = [(s.start, s.end) for s in relaxed.prepared.spans].index((3, 8))
    assert strict.chains[row] == -1
    assert relaxed.chains[row] >= 0


@pytest.mark.parametrize("longest", [4, 6])
def test_long_documents_are_linked_in_stretches(monkeypatch, longest):
    documents = [Annotated(make_document(f"d{k}"), CHAINS) for k in range(4)]
    model = train_coref(documents, LearningSettings(bits=14, min_word_count=1, epochs=8), gold_mentions=True)
    spans = gold_spans(documents[0].document, CHAINS)
    whole = model.resolve(documents[0].document, spans)
    monkeypatch.setattr("onoma.coref.model.LONGEST", longest)
    found = model.resolve(documents[0].document, spans)
    assert isinstance(found.posterior, Stretches) == (longest < len(spans))
    assert found.labels.tolist() == whole.labels.tolist()
    assert found.posterior.entities()[0] == pytest.approx(whole.posterior.entities()[0], abs=0.5)


def test_saved_and_loaded_it_says_the_same(tmp_path):
    document = make_document()
    model = train_coref([Annotated(document, CHAINS)], LearningSettings(bits=12, min_word_count=1))
    model.save(tmp_path / "model")
    again = load_coref(tmp_path / "model")
    assert again.vocabulary == model.vocabulary
    np.testing.assert_allclose(again.weights, model.weights, atol=2e-3)
    assert again.resolve(document).chains() == model.resolve(document).chains()


def test_what_cannot_be_learnt_or_loaded(tmp_path):
    with pytest.raises(SettingsError, match="no learner 'magic'"):
        LearningSettings(learner="magic")
    with pytest.raises(SettingsError, match="bits 99"):
        LearningSettings(bits=99)
    with pytest.raises(DataError, match="no mention"):
        learn([], LearningSettings())
    model = train_coref([Annotated(make_document(), CHAINS)], LearningSettings(bits=12, min_word_count=1))
    model.save(tmp_path)
    text = (tmp_path / "model.json").read_text().replace('"size": 4096', '"size": 64')
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(DataError, match="edited or damaged"):
        load_coref(tmp_path)
