"""Records by words spelt roughly right, against comparing every word of every record."""

import re

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from onoma.kb.database import read_knowledge_base
from onoma.kb.lookup.words import WordIndex


@pytest.fixture(scope="module")
def index(first_base):
    with read_knowledge_base(first_base) as base:
        return WordIndex.load(base), base.query("SELECT * FROM records ORDER BY onoma_record").to_pylist()


def slow(rows, text):
    """Return how alike each record is: each word by the word most alike, the last one also by its beginning."""
    asked = re.findall(r"\w+", text.lower())
    found = {}
    for row in rows:
        words = {w for name, v in row.items() if not name.startswith("onoma_") and v is not None
                 for w in re.findall(r"[^\W_]+", str(v).lower())}  # fmt: skip
        total = 0.0
        for i, word in enumerate(asked):
            scores = [OSA.normalized_similarity(word, each) for each in words]
            best = max((s for s in scores if s >= 0.6), default=0.0)
            if i == len(asked) - 1 and any(each.startswith(word) for each in words):
                best = max(best, 0.9)
            total += len(word) * best
        found[row["onoma_record"]] = total / sum(map(len, asked))
    return found


def test_a_typo_finds_what_comparing_everything_finds(index):
    words, rows = index
    rng = np.random.default_rng(0)
    for row in rows[::25]:
        name = str(row["surname"] or "")
        if len(name) < 5 or not name.isascii() or not name.isalpha():
            continue
        at = int(rng.integers(1, len(name) - 1))
        for text in (name[:at] + name[at + 1 :], name[:at] + "q" + name[at:], name):
            expected = slow(rows, text)
            best = max(expected.values())
            found = dict(words.search(text, most=400))
            assert row["onoma_record"] in found or expected[row["onoma_record"]] < 0.75 * best
            for record, score in found.items():
                assert score == pytest.approx(expected[record], abs=1e-4)


def test_what_is_typed_last_may_be_a_beginning(index):
    words, rows = index
    name = next(str(row["surname"]) for row in rows if row["surname"] and len(row["surname"]) > 6)
    found = [record for record, _ in words.search(name[:4], most=400)]
    assert all(row["onoma_record"] in found for row in rows if str(row["surname"]).startswith(name[:4]))


@pytest.mark.parametrize("text", ["", "   ", "!!!", "\x00", "qqqqzzzz", "x" * 5_000, "李", "\U0010ffff"])
def test_nothing_breaks_it(index, text):
    assert isinstance(index[0].search(text), list)
