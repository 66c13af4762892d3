import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.mrlsa import Mrlsa, RawRelations
from onoma.knowledge.mrlsa_tensor import Spread, polarity_tensor, relation_tensor
from onoma.knowledge.thesaurus import Entry, from_entries

PLAIN = Spread(steps=0, left_steps=0)
SCALES = {"synonym": 1.0, "antonym": 1.0, "hypernym": 1.0, "hyponym": 1.0}


@pytest.fixture(scope="module")
def book():
    return from_entries(
        [
            Entry("hot", {"synonym": ["warm"], "antonym": ["cold"]}),
            Entry("cold", {"synonym": ["cool", "chilly"], "antonym": ["hot"]}),
            Entry("bird", {"synonym": ["fowl"], "hyponym": ["parrot", "robin"]}),
            Entry("parrot", {"synonym": ["polly"], "hypernym": ["bird"]}),
            Entry("robin", {"synonym": ["redbreast"], "hypernym": ["bird"]}),
        ]
    )


@pytest.fixture(scope="module")
def model(book):
    return Mrlsa.fit(book, relation_tensor(book, SCALES, spread=PLAIN), rank=5, tolerance=0.0, max_iter=20)


@pytest.fixture(scope="module")
def raw(book):
    return RawRelations(book, relation_tensor(book, SCALES, spread=PLAIN))


def test_at_full_rank_the_model_says_what_the_tensor_says(model, raw, book):
    for relation in ("synonym", "antonym", "is-a", "hypernym", "hyponym"):
        firsts = [a for a in book.words for _ in book.words]
        seconds = list(book.words) * len(book.words)
        np.testing.assert_allclose(
            model.degrees(relation, firsts, seconds), raw.degrees(relation, firsts, seconds), atol=2e-3
        )


def test_the_pivot_carries_a_relation_to_words_never_listed_together(model):
    assert model.degree("antonym", "warm", "chilly") > 0.9
    assert model.degree("antonym", "chilly", "cool") == pytest.approx(0, abs=1e-3)
    assert model.degree("hypernym", "polly", "fowl") > 0.5


def test_antonymy_is_symmetric_and_class_inclusion_is_not(model):
    assert model.degree("antonym", "hot", "cool") == pytest.approx(model.degree("antonym", "cool", "hot"))
    assert model.degree("is-a", "parrot", "bird") > 0.5
    assert model.degree("is-a", "bird", "parrot") == pytest.approx(-model.degree("is-a", "parrot", "bird"))
    assert model.degree("hyponym", "bird", "parrot") == pytest.approx(model.degree("hypernym", "parrot", "bird"))


@pytest.mark.parametrize("kind", ["model", "raw"])
def test_the_best_words(kind, request):
    relations = request.getfixturevalue(kind)
    assert {item.word for item in relations.top("antonym", "hot", 3)} == {"cold", "cool", "chilly"}
    assert {item.word for item in relations.top("hyponym", "fowl", 4)} == {"parrot", "polly", "robin", "redbreast"}
    found = relations.top("antonym", "hot", 3)
    degrees = relations.degrees("antonym", ["hot"] * 3, [item.word for item in found])
    np.testing.assert_allclose([item.degree for item in found], degrees, atol=1e-5)


def test_pilsa_has_antonyms_on_the_other_side(book):
    model = Mrlsa.fit(book, polarity_tensor(book, spread=PLAIN), rank=5)
    assert model.degree("antonym", "warm", "cool") > 0.5 > -0.5 > model.degree("synonym", "warm", "cool")
    with pytest.raises(SettingsError, match="say nothing of 'is-a'"):
        model.degree("is-a", "parrot", "bird")


def test_a_new_word_comes_in_by_its_synonyms(model):
    grown = model.with_word("Toasty", synonyms=["warm"])
    assert "toasty" in grown and "toasty" not in model
    assert grown.degree("antonym", "toasty", "cold") == pytest.approx(model.degree("antonym", "warm", "cold"), abs=1e-5)
    with pytest.raises(SettingsError, match="at least one synonym"):
        model.with_word("toasty", synonyms=[])
    with pytest.raises(DataError, match="'lukewarm' is not in the thesaurus"):
        model.with_word("toasty", synonyms=["lukewarm"])


def test_unknown_words_and_relations_say_what_to_try(model, raw):
    for relations in (model, raw):
        with pytest.raises(DataError, match="Did you mean parrot"):
            relations.degree("is-a", "parrott", "bird")
        with pytest.raises(SettingsError, match="no relation 'cousin'; there are synonym"):
            relations.degree("cousin", "parrot", "bird")


def test_what_is_saved_is_what_is_loaded(model, tmp_path):
    model.save(tmp_path / "words")
    again = Mrlsa.load(tmp_path / "words")
    assert again.vectors.tobytes() == model.vectors.tobytes()
    assert again.top("antonym", "hot") == model.top("antonym", "hot")
    assert {path.suffix for path in (tmp_path / "words").iterdir()} == {".json", ".npz"}


def test_no_pairs_no_degrees(raw):
    assert len(raw.degrees("antonym", [], [])) == 0
