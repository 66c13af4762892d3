from dataclasses import replace

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.text.annotate import Annotator
from onoma.text.network import Batch, Dropout, gradients_of
from onoma.text.reader import LONGEST, pieces_of
from onoma.text.syntax.parser import N_STEPS, steps_apart, steps_between
from onoma.text.tokens import Tokens


def small_network(rng):
    units, one, n_arc, n_label = 8, 4, 6, 4

    def some(*shape):
        return 0.5 * rng.normal(size=shape)

    weights = {
        "features": some(10, 5), "into": some(8, units), "into_bias": some(units),
        "tags": some(units, 4), "tags_bias": some(4), "feats": some(units, 3), "feats_bias": some(3),
        "arcs": some(n_arc, n_arc),
        "pairs": some(units, 2 * n_arc + 2 * n_label), "pairs_bias": some(2 * n_arc + 2 * n_label),
        "arcs_bias": some(n_arc), "root": some(n_arc), "root_label": some(n_label), "steps": some(N_STEPS, n_arc),
        "label_steps": some(N_STEPS, n_label), "labels": some(n_label, 5), "labels_bias": some(5),
    }  # fmt: skip
    for k in range(3):
        weights |= {f"layer{k}": some(units, 6 * one), f"bias{k}": some(4, one), f"peep{k}": some(4, one)}
    return weights


def small_batch(rng):
    sentences, n = np.array([0, 3, 4, 9], np.int32), 9
    rows, vectors = rng.integers(-1, 10, (n, 4)).astype(np.int32), rng.normal(size=(n, 3))

    def codes(k):
        return rng.integers(-1, k, n).astype(np.int32)

    heads = np.array([0, 1, 1, 0, 2, 0, 2, 3, 3], np.int32)
    return Batch(sentences, rows, vectors, codes(4), codes(3), heads, codes(5))


@pytest.mark.parametrize("seed", [None, 1])
def test_gradients_are_those_of_small_differences(seed):
    rng = np.random.default_rng(0)
    weights, batch = small_network(rng), small_batch(rng)

    def run():
        table = np.zeros_like(weights["features"])
        draws = None if seed is None else np.random.default_rng(seed)
        losses, found, touched = gradients_of(weights, batch, table, Dropout(), draws)
        return losses.sum(), found | {"features": table}, touched

    _, found, touched = run()
    assert set(touched.tolist()) <= set(batch.rows.reshape(-1).tolist())
    for name, array in weights.items():
        for at in list(np.ndindex(array.shape))[::3]:
            kept = array[at]
            array[at] = kept + 1e-5
            above = run()[0]
            array[at] = kept - 1e-5
            want = (above - run()[0]) / 2e-5
            array[at] = kept
            assert found.get(name, np.zeros_like(array))[at] == pytest.approx(want, abs=1e-7, rel=1e-4), name


def test_steps_between_tokens():
    steps = steps_between(40)
    assert steps[5, 5] == 0 and steps[5, 4] == 1 and steps[5, 6] == 11 and steps[39, 0] == 10 and steps[0, 39] == 20
    places = np.arange(300)
    assert (steps_between(300) == steps_apart(places[None] - places[:, None])).all()


def test_long_sentences_are_cut():
    sentences = np.array([0, 2, 2 + 2 * LONGEST + 1], np.int32)
    assert pieces_of(sentences)[0].tolist() == [0, 2, 2 + LONGEST, 2 + 2 * LONGEST, 3 + 2 * LONGEST]
    assert pieces_of(sentences[:2])[1]


def test_a_sentence_is_read_alike_in_any_company(annotator):
    rng = np.random.default_rng(3)
    words = ["the", "cats", "that", "Ann", "saw", "ran", "home", ",", "quickly", "blorked", "2,000", "."]
    sentences = [list(rng.choice(words, rng.integers(1, 30))) for _ in range(300)]
    whole = Tokens.of_words(sentences)
    tags, trees = annotator.tag_and_parse(whole)
    for k in (0, 7, 150, 299):
        a, b = whole.sentences[k], whole.sentences[k + 1]
        alone, tree = annotator.tag_and_parse(Tokens.of_words([sentences[k]]))
        assert (alone.xpos == tags.xpos[a:b]).all() and (alone.feats == tags.feats[a:b]).all()
        assert (np.where(tree.heads < 0, -1, tree.heads + a) == trees.heads[a:b]).all()
        assert (tree.labels == trees.labels[a:b]).all()
    read = {reading.first: reading for reading in annotator.tagger.reader.read(whole)}
    (lone,) = annotator.tagger.reader.read(Tokens.of_words([sentences[0]]))
    assert (read[0].states[: len(sentences[0])] == lone.states).all()  # to the last bit
    assert (annotator.tag(whole).upos == tags.upos).all() and (annotator.parse(whole).heads == trees.heads).all()


def test_a_parser_of_another_tagger_is_refused(annotator, tmp_path):
    annotator.save(tmp_path)
    matrices = annotator.tagger.reader.matrices
    turned = replace(matrices["layer1"], values=-matrices["layer1"].values)
    other = replace(annotator.tagger.reader, matrices={**matrices, "layer1": turned})
    replace(annotator.tagger, reader=other).save(tmp_path / "tagger.npz")
    with pytest.raises(DataError, match="not trained with the tagger"):
        _ = Annotator.load(tmp_path).parser
