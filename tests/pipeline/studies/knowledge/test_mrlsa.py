from collections import Counter

import pytest

from onoma.errors import DataError
from onoma.knowledge.mrlsa import RawRelations
from onoma.knowledge.mrlsa_tensor import Spread, relation_tensor
from onoma.knowledge.thesaurus import Entry, from_entries
from onoma.pipeline.studies.knowledge.mrlsa import MaxDiff, answer_choices, answer_maxdiff, read_choices, read_maxdiff


@pytest.fixture
def relations():
    book = from_entries([Entry("hot", {"synonym": ["warm"], "antonym": ["cold"]}), Entry("cold", {"antonym": ["hot"]})])
    return RawRelations(book, relation_tensor(book, {"synonym": 1, "antonym": 1}, spread=Spread(steps=0, left_steps=0)))


def test_questions_are_answered_and_guesses_counted_at_their_expectation(tmp_path, relations):
    path = tmp_path / "q.txt"
    path.write_text("hot: warm cold sad :: cold\nhot: hot warm :: warm\nzebra: hot cold :: hot\n")
    choices = read_choices(path)
    score = answer_choices(relations, choices)
    # The first is right, the second a guess between two, the third not attempted.
    assert score.precision == pytest.approx(1.5 / 2)
    assert score.recall == pytest.approx(1.5 / 3)
    assert score.f1 == pytest.approx(0.6)
    path.write_text("hot: warm :: cold\n")
    with pytest.raises(DataError, match="not among the candidates"):
        read_choices(path)


def test_maxdiff_takes_the_majority_and_splits_ties():
    test = MaxDiff([("a", "b", "c")], [Counter(a=3, b=3)], [Counter(c=2, a=1)])
    assert answer_maxdiff(test, {"a": 0.0, "b": 1.0, "c": 2.0}) == 100
    assert answer_maxdiff(test, {"a": 2.0, "b": 1.0, "c": 0.0}) == 0
    assert answer_maxdiff(test, {"a": 1.0, "b": 1.0, "c": 1.0}) == pytest.approx(100 * (2 / 3 + 1 / 3) / 2)


@pytest.mark.data
def test_the_official_scorer_agrees(data):
    folder = data / "knowledge/semeval2012_task2"
    tests = read_maxdiff(folder / "phase2_questions.tsv.xz", folder / "phase2_answers.tsv.xz")
    ratings = {}
    for line in (folder / "examples_1a/RandomScaled-1a.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            value, _, pair = line.strip().partition(" ")
            ratings[pair.strip('"')] = float(value)
    report = (folder / "examples_1a/MaxDiffRandom-1a.txt").read_text()
    overall = float(report.partition("Overall Accuracy:")[2].strip().rstrip("%"))
    # Equal ratings are split here and taken in order there.
    assert answer_maxdiff(tests["1a"], ratings) == pytest.approx(overall, abs=0.5)
