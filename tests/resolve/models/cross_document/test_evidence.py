"""Weights without labels."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError
from onoma.resolve.models.cross_document.evidence import BIAS, find_stories, mean_cosine, prepare_mentions
from onoma.resolve.models.cross_document.text import bags_of


def people(n_people=12, n=12, *, telling=True, seed=0):
    """Names, contexts and people: contexts tell people apart, or nobody."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n_people), n)
    whose = person if telling else np.zeros_like(person)
    texts = [" ".join(f"w{p}x{w}" for w in rng.integers(0, 25, 12)) for p in whose]
    return [f"Person{chr(97 + p)} Surname{p}" for p in person], texts, person


def test_contexts_weigh_what_they_tell():
    names, texts, _ = people()
    told = prepare_mentions(names, texts)
    assert told.settings.context > 1.0
    assert told.settings.bias > BIAS
    names, texts, _ = people(telling=False)
    silent = prepare_mentions(names, texts)
    assert silent.settings.context * 0.1 < 0.1
    assert "near" in told.table.column_names


def test_one_name_tells_nothing():
    _, texts, _ = people()
    found = prepare_mentions(["X"] * len(texts), texts)
    assert found.settings.bias == pytest.approx(mean_cosine(bags_of(texts)))
    assert found.settings.same == 0.0
    assert found.table["entity"] == found.table["mention"]
    assert "near" not in found.table.column_names


def test_mean_cosine_is_that_of_all_pairs():
    bags = bags_of(people(3, 4)[1])
    rows = np.zeros((12, len(bags.vocabulary)))
    for i in range(12):
        at = slice(bags.offsets[i], bags.offsets[i + 1])
        rows[i, bags.words[at]] = bags.weights[at]
    cosines = rows @ rows.T
    assert mean_cosine(bags) == pytest.approx(cosines[~np.eye(12, dtype=bool)].mean())


def test_documents_about_the_same_are_one_story():
    _, texts, person = people(4, 12)
    document = np.arange(len(texts)) // 3  # four documents for each person
    story = find_stories(bags_of(texts), document)
    assert len(np.unique(story)) == 4
    assert len(set(zip(story.tolist(), person.tolist(), strict=True))) == 4


def test_stories_stand_where_documents_stood():
    names, texts, person = people()
    found = prepare_mentions(names, texts, [str(p) for p in person])
    assert len(np.unique(found.table["document"].to_numpy())) == 12


def test_columns_of_different_lengths():
    with pytest.raises(DataError, match="3 names and 2 contexts"):
        prepare_mentions(["a", "b", "c"], pa.array(["x", "y"]))
