import numpy as np
import pytest

from onoma.pipeline.reproduce import Context, find
from onoma.pipeline.studies._name_baselines import (
    GRID,
    character_tf_idf,
    exact_match,
    jaro_winkler_distances,
    linked,
    nearest_references,
    tf_idf_distances,
)
from onoma.pipeline.studies._sets.name import SETS, NameSet, TitlePair, title_pairs
from onoma.pipeline.studies.phylogeny import _best_f1, _means, _title_scores, score_split

NAMES = ["Ada Lovelace", "A. Lovelace", "Alan Turing", "Alan M. Turing", "Ada Lovelace", "Kurt Gödel"]
LABELS = ["a", "a", "t", "t", "a", "g"]


def test_baselines_cluster_by_threshold():
    assert exact_match(NAMES).tolist() == exact_match([*NAMES[:4], NAMES[0], NAMES[5]]).tolist()
    for distances in (jaro_winkler_distances(NAMES), tf_idf_distances(NAMES)):
        assert distances[0, 4] == pytest.approx(0.0, abs=1e-6)
        answers = linked(distances)
        assert len(answers) == len(GRID)
        n_entities = [len(set(labels.tolist())) for labels in answers]
        assert n_entities == sorted(n_entities, reverse=True)
    kinds = ["x", "x", "x", "x", "y", "x"]
    assert all(labels[0] != labels[4] for labels in linked(tf_idf_distances(NAMES), kinds))


def test_tf_idf_rows_have_length_one():
    matrix = character_tf_idf(NAMES)
    np.testing.assert_allclose(np.asarray(matrix.multiply(matrix).sum(1)).ravel(), 1.0)


def test_a_split_is_scored_in_every_way():
    ways = {each.way: each for each in score_split(NameSet(NAMES, LABELS, NAMES, LABELS, LABELS), quick=True)}
    assert {"exact match", "Jaro–Winkler", "character tf-idf", "letters, consensus", "words", "words, kinds"} <= set(
        ways
    )
    assert all(each.scores.min() >= 0.0 and each.scores.max() <= 1.0 for each in ways.values())
    tuned, untuned = _means([ways["words"], ways["words"]])
    assert tuned[2] >= untuned[2]


def test_links_of_titles_are_scored_at_the_best_threshold():
    pair = TitlePair("x", ["Alan Turing", "Kurt Gödel"], ["A. Turing", "Plato"], [frozenset({0}), frozenset()])
    assert _best_f1(pair, np.array([0, 1]), np.array([0.9, 0.1])) == 1.0
    assert _best_f1(pair, np.array([0, 1]), np.array([0.1, 0.9])) == pytest.approx(2 / 3)
    assert len(nearest_references(pair.references, pair.names)) == 2
    assert all(0.0 <= score <= 1.0 for score in _title_scores(pair))


@pytest.mark.data
def test_the_sets_are_split_by_entity(data):
    context = Context(data=data)
    for make in SETS.values():
        splits = make(context.file, 0)
        owners = [set(split.labels) for split in splits]
        assert all(1_000 <= len(split) <= 2_000 for split in splits)
        assert all(not owners[i] & owners[j] for i in range(5) for j in range(i))
    assert len(title_pairs(context.file)) == 50


def test_the_studies_are_registered():
    assert find("phylogeny/table-1").title
    assert find("phylogeny/titles").title
