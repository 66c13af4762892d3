from dataclasses import replace

import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.mrlsa_tensor import Spread, polarity_tensor, relation_tensor, weighted_words
from onoma.knowledge.thesaurus import Entry, combine, from_entries, row_normal

SPREAD = Spread(steps=2, left_steps=1, decay=0.7, share=0.3, weights={"antonym": 0.5, "similar": 1.0})
SCALES = {"synonym": 2.0, "antonym": 3.0}


@pytest.fixture
def book():
    first = from_entries(
        [
            Entry("hot", {"synonym": ["warm", "fiery"], "antonym": ["cold"], "similar": ["angry"]}),
            Entry("cold", {"synonym": ["cool"], "antonym": ["hot"]}),
            Entry("angry", {"synonym": ["hot", "cross"], "antonym": ["calm"]}),
            Entry("calm", {"synonym": ["cool", "placid"]}),
        ]
    )
    return combine([first, from_entries([Entry("cross", {"synonym": ["angry"], "antonym": ["placid"]})])])


def dense_slices(book, spread, scales):
    """The slices written out: c D₁ K D₂ L."""
    L = weighted_words(book.members).toarray()
    members = book.members.toarray()
    share = (members / members.sum(axis=1, keepdims=True)) @ (members / members.sum(axis=0)).T
    links = sum(w * book.links[name].toarray() for name, w in spread.weights.items())
    T = (1 - spread.share) * row_normal(links).toarray() + spread.share * share

    def D(steps):
        return sum(np.linalg.matrix_power(spread.decay * T, k) for k in range(steps + 1))

    kernels = {"synonym": np.eye(len(L)), "antonym": row_normal(book.link("antonym"), power=2).toarray()}
    return {name: scale * D(spread.left_steps) @ kernels[name] @ D(spread.steps) @ L for name, scale in scales.items()}


def test_products_are_those_of_the_slices_written_out(book):
    tensor, slices = relation_tensor(book, SCALES, spread=SPREAD), dense_slices(book, SPREAD, SCALES)
    d, n, m = tensor.shape
    assert (d, n, m) == (5, len(book.words), 2)
    rng = np.random.default_rng(0)
    U, V = rng.standard_normal((d, 3)).astype("f4"), rng.standard_normal((n, 4)).astype("f4")
    S = rng.standard_normal((m, 3, 4)).astype("f4")
    X, Y = tensor.of_words(V), tensor.of_documents(U)
    W = list(slices.values())
    np.testing.assert_allclose(tensor.cores(Y, X), [U.T @ w @ V for w in W], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        tensor.towards_documents(X, S), sum(w @ V @ s.T for w, s in zip(W, S, strict=True)), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(
        tensor.towards_words(Y, S), sum(w.T @ U @ s for w, s in zip(W, S, strict=True)), rtol=1e-4, atol=1e-5
    )


def test_columns_and_what_words_have_in_common(book):
    tensor, slices = relation_tensor(book, SCALES, spread=SPREAD), dense_slices(book, SPREAD, SCALES)
    columns = tensor.columns("antonym", [0, 3])
    np.testing.assert_allclose(columns.toarray(), slices["antonym"][:, [0, 3]], rtol=1e-5, atol=1e-6)
    common = tensor.towards("synonym", columns).toarray()
    np.testing.assert_allclose(common, slices["synonym"].T @ slices["antonym"][:, [0, 3]], rtol=1e-4, atol=1e-5)


def test_pilsa_is_the_difference_of_slices(book):
    slices = dense_slices(book, SPREAD, {"synonym": 2.0, "antonym": 3.0})
    signed = polarity_tensor(book, synonym=2.0, antonym=3.0, spread=SPREAD)
    everything = signed.columns("polarity", range(len(book.words))).toarray()
    np.testing.assert_allclose(everything, slices["synonym"] - slices["antonym"], rtol=1e-4, atol=1e-5)


def test_without_spreading_it_is_the_plain_tensor(book):
    tensor = relation_tensor(book, SCALES, spread=Spread(steps=0, left_steps=0))
    everything = tensor.columns("synonym", range(len(book.words))).toarray()
    np.testing.assert_allclose(everything, 2 * weighted_words(book.members).toarray(), rtol=1e-6)
    assert set(zip(*np.nonzero(everything), strict=True)) == set(zip(*book.members.nonzero(), strict=True))


def test_bad_settings_and_empty_relations_are_refused(book):
    with pytest.raises(SettingsError, match="pivot"):
        relation_tensor(book, {"antonym": 1.0})
    with pytest.raises(SettingsError, match="above 0"):
        relation_tensor(book, {"synonym": 0.0})
    with pytest.raises(DataError, match="no hypernym at all"):
        relation_tensor(book, {"synonym": 1.0, "hypernym": 1.0})
    with pytest.raises(SettingsError, match="decay"):
        Spread(decay=1.5)


def test_closure_adds_the_hypernyms_of_hypernyms():
    animals = from_entries(
        [
            Entry("robin", {"hypernym": ["bird"]}),
            Entry("bird", {"hypernym": ["animal", "flyer"]}),
            Entry("animal", {"hypernym": ["thing"]}),
            Entry("flyer", {}),
            Entry("thing", {}),
        ]
    )
    plain = Spread(steps=0, left_steps=0)
    tensor = relation_tensor(animals, {"synonym": 1.0, "hypernym": 1.0, "hyponym": 1.0}, spread=plain, closure=0.5)
    robin = tensor.columns("hyponym", [animals.find("robin")]).toarray().ravel()
    up = dict(zip(animals.documents, robin.tolist(), strict=True))
    assert up == pytest.approx({"robin": 0.0, "bird": 1.0, "animal": 0.25, "flyer": 0.25, "thing": 0.125})
    below = tensor.columns("hypernym", [animals.find("thing")]).toarray().ravel()
    assert dict(zip(animals.documents, below.tolist(), strict=True))["robin"] == pytest.approx(0.125)


def test_closure_of_a_circle_ends():
    circle = from_entries([Entry("a", {"hypernym": ["b"]}), Entry("b", {"hypernym": ["a"]})])
    tensor = relation_tensor(circle, {"synonym": 1.0, "hyponym": 1.0}, spread=Spread(steps=0), closure=1.0)
    assert np.isfinite(tensor.columns("hyponym", [0]).toarray()).all()
    with pytest.raises(SettingsError, match="closure is 2"):
        relation_tensor(circle, {"synonym": 1.0, "hyponym": 1.0}, closure=2.0)


def test_by_sense_a_word_belongs_where_it_is_used():
    first = from_entries([Entry("bank", {"synonym": ["shore"]}), Entry("bank", {"synonym": ["fund"]})])
    shares = first.members.copy()
    shares[0, 0], shares[1, 0] = 0.9, 0.1
    counted = replace(first, senses=shares)
    both = combine([counted, from_entries([Entry("shore", {"synonym": ["bank"]})])])
    np.testing.assert_allclose(both.shares[:, [0]].toarray().ravel(), [0.9, 0.1, 1.0])
    tensor = relation_tensor(counted, {"synonym": 1.0}, spread=Spread(steps=0, left_steps=0), by_sense=True)
    bank = tensor.columns("synonym", [0]).toarray().ravel()
    assert bank[0] > 3 * bank[1] > 0
    np.testing.assert_allclose(first.shares[:, [0]].toarray().ravel(), [0.5, 0.5])
