import numpy as np
import pytest

from onoma.resolve.names.mutation import Mutations
from onoma.resolve.names.names import WordedNames
from onoma.resolve.names.transducer import Transducer
from onoma.resolve.names.whole import WholeNames

NAMES = [
    "North Atlantic Treaty Organization",
    "NATO",
    "N.A.T.O.",
    "University of Southern California",
    "USC",
    "UOSC",
    "Nordic Art Tour Office",
    "Nato Smith",
    "AB",
    "Alpha Beta",
]


@pytest.fixture(scope="module")
def whole():
    return WholeNames(WordedNames.of(NAMES))


def pairs(*which):
    return tuple(np.array(side, np.int32) for side in zip(*which, strict=True))


@pytest.mark.parametrize(
    ("parent", "child", "short"),
    [(0, 1, True), (0, 2, True), (3, 4, True), (3, 5, True), (6, 1, True), (0, 4, False), (0, 7, False), (9, 8, False)],
)  # fmt: skip
def test_an_acronym_has_the_first_letters_of_all_words_or_of_the_telling_ones(whole, parent, child, short):
    found = whole.pairs(*pairs((parent, child), (child, parent)))
    assert found.shortened.tolist() == ([0] if short else [])
    assert found.spelt_out.tolist() == ([1] if short else [])


def test_an_acronym_spelt_out_is_less_likely_than_the_acronym(whole):
    one, other = pairs((0, 1), (1, 0))
    fresh = np.full(len(whole.names.ids), 0.01)
    found = np.exp(whole.log_acronyms(whole.pairs(one, other), other, fresh))
    assert found[0] == pytest.approx(0.5)
    right = np.prod([1 / sum(word.startswith(letter) for word in whole.names.words) for letter in "nato"])
    assert found[1] == pytest.approx(0.5 * right)


def test_a_string_respelt_has_its_words_cut_anew():
    whole = WholeNames(names := WordedNames.of(["ab cd", "abcd", "abc d e", "xy zw"]))
    one, other = pairs((0, 1), (0, 2), (0, 3))
    log_length, transducer = np.log(np.array([0.5, 0.3, 0.2, 0.5])), Transducer(names.alphabet)
    found = whole.log_respelt(whole.pairs(one, other), one, other, transducer, log_length)
    spelt = transducer.log_probabilities(whole.strings, one, other)
    # Four letters are one word in one way; five letters are three words in six.
    np.testing.assert_allclose(found[:2], spelt[:2] + log_length[[1, 2]] - np.log([1, 6]))
    assert found[2] == -np.inf


def test_the_share_of_acronyms_is_learnt():
    long = ["World Health Organization", "European Space Agency", "Free Software Foundation", "Civil Air Patrol"]
    names = WordedNames.of([*long, "WHO", "ESA", "FSF", "CAP"])
    mutations = Mutations(names, np.arange(4, dtype=np.int32), np.arange(4, 8, dtype=np.int32))
    before = mutations.log_ratios()
    assert (before > 0).all()
    share = mutations.wholes[2]
    for _ in range(3):
        mutations.learn(np.ones(4), np.r_[np.ones(4), np.zeros(4)])
    assert mutations.wholes[2] > 2 * share
    assert mutations.wholes.sum() == pytest.approx(1.0)
    assert (mutations.log_ratios() > before).all()
