"""Packed texts: slips against the table of optimal string alignment, similarity against RapidFuzz."""

import itertools

import numpy as np
import pytest
from rapidfuzz.distance import JaroWinkler

from onoma.resolve.fields.features import FeaturesBuilder
from onoma.resolve.fields.kinds.packed import Words
from onoma.resolve.fields.kinds.person import _every_key, _keys
from onoma.resolve.fields.packed.texts import MORE, Texts, _few_words, _many_words
from reference.fields_kernels import slips


def all_pairs(n: int) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.array(list(itertools.product(range(n), repeat=2)), dtype=np.int32).T.copy())


def drawn(alphabet: str, n: int, longest: int, seed: int) -> list[str]:
    """Texts of which many are few slips apart."""
    rng = np.random.default_rng(seed)
    texts = [""]
    while len(texts) < n:
        text = list(texts[rng.integers(len(texts))]) if rng.random() < 0.7 else []
        for _ in range(rng.integers(1, 4) if text else rng.integers(1, longest + 1)):
            at = int(rng.integers(len(text) + 1))
            text[at : at + int(rng.integers(2))] = rng.choice(list(alphabet), rng.integers(2)).tolist()
        if len(text) > 1 and rng.random() < 0.3:
            at = int(rng.integers(len(text) - 1))
            text[at], text[at + 1] = text[at + 1], text[at]
        texts.append("".join(text))
    return texts


@pytest.mark.parametrize(("alphabet", "longest"), [("ab", 6), ("abc", 9), ("abcdefgh", 14), ("aé語😀𝔸", 8)])
def test_slips_are_those_of_the_table(alphabet: str, longest: int) -> None:
    texts = drawn(alphabet, 60, longest, 3)
    a, b = all_pairs(len(texts))
    found = Texts(texts).slips(a, b)
    expected = [min(slips(texts[i], texts[j]), MORE) for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    assert found.tolist() == expected
    assert set(expected) == {0, 1, 2, MORE}


@pytest.mark.parametrize(
    ("alphabet", "longest"), [("ab", 6), ("abc", 12), ("abcdefgh", 20), ("aé語😀𝔸", 8), ("ab", 140)]
)
def test_similarity_is_that_of_rapidfuzz(alphabet: str, longest: int) -> None:
    texts = drawn(alphabet, 60, longest, 4)
    a, b = all_pairs(len(texts))
    found = Texts(texts).winkler(a, b)
    expected = [
        np.float32(JaroWinkler.similarity(texts[i], texts[j])) for i, j in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert found.tolist() == pytest.approx(expected, abs=1e-7)


def test_a_text_within_another_begins_or_ends_it() -> None:
    texts = ["1234", "12345678", "00001234", "00123400", ""]
    a, b = all_pairs(len(texts))
    found = Texts(texts).is_within(a, b)
    for i, j, within in zip(a.tolist(), b.tolist(), found.tolist(), strict=True):
        short, long = sorted((texts[i], texts[j]), key=len)
        assert within == (long.startswith(short) or long.endswith(short))


def test_no_texts_are_no_error() -> None:
    none = np.zeros(0, np.int32)
    texts = Texts([])
    assert len(texts.slips(none, none)) == len(texts.winkler(none, none)) == len(texts.is_within(none, none)) == 0


def test_words_are_numbered_as_their_texts_are() -> None:
    values = [
        "12 main street",
        "street 12 main",
        "12 mainstreet",
        "a bc",
        "ab c",
        "c ab",
        "12a 3rd 12",
        "3rd 12",
        "x x",
    ]
    words = Words(values)
    is_number = words.marked(lambda word: word[0].isdigit())
    found = {
        "joined": words.joined(),
        "sorted": words.sorted(),
        "numbers": words.set_of(is_number)[0],
    }
    texts = {
        "joined": [value.replace(" ", "") for value in values],
        "sorted": ["".join(sorted(value.split())) for value in values],
        "numbers": [" ".join(sorted(word for word in value.split() if word[0].isdigit())) for value in values],
    }
    for name, numbers in found.items():
        for i, j in itertools.product(range(len(values)), repeat=2):
            assert (numbers[i] == numbers[j]) == (texts[name][i] == texts[name][j])
    assert words.set_of(is_number)[1].tolist() == [bool(text) for text in texts["numbers"]]


def test_words_that_are_ruled_out_are_not_asked_about() -> None:
    words = Words(["12 main", "3rd street", "²nd 5", "x1 and"])
    asked: list[str] = []

    def is_ordinal(word: str) -> bool:
        asked.append(word)
        return word[0].isdigit() and word.endswith(("rd", "nd"))

    found = words.marked(is_ordinal, first="0123456789", last="d")
    assert [word for word, is_marked in zip(words.words, found, strict=True) if is_marked] == ["3rd", "²nd"]
    assert asked == ["3rd", "²nd"]  # what is not of ASCII is always asked about


@pytest.mark.parametrize("alphabet", ["abhpt ", "chkdtpwy ", "aéph語😀 "])
def test_keys_of_names_are_those_of_the_slow_way(alphabet: str) -> None:
    texts = (" ".join(text.split()) for text in drawn(alphabet, 900, 12, 7))
    values = [*dict.fromkeys(texts), "a b a", "ann ann lee a", "cck phh dthh tth"]
    fast, slow = FeaturesBuilder(len(values)), FeaturesBuilder(len(values))
    Words(values).add_name_keys(fast, lambda: list(_every_key(values)))
    slow.add("key", map(_keys, values))
    found, expected = fast.build(), slow.build()
    assert found.offsets.tolist() == expected.offsets.tolist() and found.ids.tolist() == expected.ids.tolist()
    assert len(found) == len(expected) and list(found.texts) == list(expected.texts)


def test_a_slip_takes_one_of_the_tallied_letters_and_brings_one() -> None:
    texts = drawn("0123456789p", 120, 14, 5)
    packed = Texts(texts)
    a, b = all_pairs(len(texts))
    own = np.bitwise_count(packed.tallies[a] & ~packed.tallies[b])
    slipped = packed.slips(a, b)
    assert (own[slipped < MORE] <= slipped[slipped < MORE]).all()
    assert (own[slipped == MORE] >= MORE).any()


def test_pairs_of_words_are_the_features_of_the_slow_way() -> None:
    values = ["12 main street", "street 12 main", "1 2 3 x y", "x x 1", "x", "7"]
    fast, slow = FeaturesBuilder(len(values)), FeaturesBuilder(len(values))
    words = Words(values)
    words.add_pairs(fast, words.marked(lambda word: word[0].isdigit()), 2)
    apart = [([w for w in v.split() if w.isdigit()][:2], [w for w in v.split() if not w.isdigit()]) for v in values]
    slow.add("key", ([f"{number} {word}" for number in numbers for word in rest] for numbers, rest in apart))
    found, expected = fast.build(), slow.build()
    assert list(found.texts) == list(expected.texts) and len(found) == len(expected)
    assert found.ids.tolist() == expected.ids.tolist() and found.offsets.tolist() == expected.offsets.tolist()


@pytest.mark.parametrize("values", [[], ["one"], ["", "a b", "b a", "a  b", "é 語 é", "a b"]])
def test_words_of_few_texts_are_those_of_many(values) -> None:
    few, many = _few_words(values), _many_words(values)
    assert [np.asarray(part).tolist() for part in few] == [np.asarray(part).tolist() for part in many]
