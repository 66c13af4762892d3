"""Packed texts: slips against the table of optimal string alignment, similarity against RapidFuzz."""

import itertools

import numpy as np
import pytest
from rapidfuzz.distance import JaroWinkler

from onoma.resolve.fields.kinds.packed import MORE, Texts
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
