"""Levels in one pass are those of measuring everything and taking the first condition that holds."""

import numpy as np
import pytest

from onoma.resolve.fields.kinds import KINDS
from reference import fields_levels


def slipped(rng: np.random.Generator, text: str, alphabet: str) -> str:
    letters = list(text)
    for _ in range(rng.integers(0, 3)):
        at = int(rng.integers(len(letters) + 1))
        letters[at : at + int(rng.integers(2))] = rng.choice(list(alphabet), rng.integers(2)).tolist()
    if len(letters) > 1 and rng.random() < 0.3:
        at = int(rng.integers(len(letters) - 1))
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def worded(words: list[str], n: int, alphabet: str, seed: int) -> list[str]:
    """Texts of some words, most of them with slips, words left out, turned round or cut to their first letter."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        some = [slipped(rng, word, alphabet) for word in rng.choice(words, rng.integers(1, 4))]
        found.append(" ".join(word[:1] if rng.random() < 0.15 else word for word in some))
    return found


NAMES = [
    "robert",
    "bob",
    "ann",
    "al",
    "jo",
    "josé",
    "maria",
    "smith",
    "smyth",
    "schmidt",
    "müller",
    "wang",
    "語",
    "lee",
]
STREETS = ["12", "13", "4", "54th", "main", "maine", "street", "road", "oak", "oaks", "springfield", "west", "łódź"]


def drawn(kind: str, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    if kind == "person":
        return worded(NAMES, 300, "abeimnrst", seed)
    if kind == "place":
        return worded(STREETS, 300, "aeikno1", seed)
    if kind == "code":
        whole = ["".join(rng.choice(list("0123a"), rng.integers(1, 12))) for _ in range(100)]
        return [*whole, *(slipped(rng, code, "0123a") for code in whole), *(code[2:] for code in whole)]
    days = [f"{rng.integers(1990, 1995)}-{rng.integers(0, 13):02}-{rng.integers(0, 29):02}" for _ in range(250)]
    return [*days, *(slipped(rng, day, "0123456789") for day in days[:50]), *(day[:4] for day in days[:50])]


@pytest.mark.parametrize("kind", ["person", "place", "code", "date"])
def test_levels_are_those_of_the_slow_twin(kind: str) -> None:
    made = KINDS[kind]
    values = [text for text in dict.fromkeys(made.normalise(drawn(kind, 5))) if text]
    comparison = made.prepare(values, np.ones(len(values), np.int64))
    a, b = (each.astype(np.int32) for each in np.triu_indices(len(values), 1))
    if kind == "place":
        found, expected = comparison._compare_words(a, b), fields_levels.place(comparison, a, b)
    else:
        found, expected = comparison.compare(a, b), getattr(fields_levels, kind)(comparison, a, b)
    assert found.tolist() == expected.tolist()
    every = range(2 if kind == "place" else 1, len(comparison.levels))
    assert set(expected.tolist()) == set(every)  # each level is met
