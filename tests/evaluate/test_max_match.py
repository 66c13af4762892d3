import lzma
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.edits import Edit, EditedSentence, apply_edits
from onoma.corpus.readers.m2 import read_m2
from onoma.errors import DataError
from onoma.evaluate.max_match import EditScore, extract_edits, max_match
from reference.max_match import best_counts

WORDS = st.lists(st.sampled_from("ab"), max_size=4).map(tuple)


@st.composite
def annotated(draw):
    source = draw(WORDS)
    spans = draw(st.lists(st.tuples(st.integers(0, len(source)), st.integers(0, len(source))), max_size=2, unique=True))
    edits = [Edit(min(s), max(s), (" ".join(draw(WORDS)[:2]),)) for s in spans]
    # An annotator marks a place once; two insertions at one place would be one edit.
    edits = [edit for edit in edits if edit.start < edit.end or edit.correction]
    return source, {(edit.start, edit.end): edit for edit in edits}.values()


@given(annotated(), WORDS)
@settings(max_examples=150, deadline=None)
def test_equals_the_best_of_all_explanations(case, hypothesis):
    source, wanted = case
    wanted = list(wanted)
    score, _ = max_match([EditedSentence(source, {0: wanted})], [hypothesis])
    assert (score.correct, score.proposed) == best_counts(source, hypothesis, wanted)


@given(WORDS, WORDS)
def test_extracted_edits_lead_to_the_hypothesis(source, hypothesis):
    edits = extract_edits(source, hypothesis)
    assert apply_edits(source, edits) == list(hypothesis)
    assert all(a.end <= b.start for a, b in zip(edits, edits[1:], strict=False))


def test_the_annotator_who_raises_the_running_score_is_chosen():
    sentence = EditedSentence(("a", "b"), {0: [Edit(0, 1, ("x",))], 1: [Edit(1, 2, ("y",))]})
    score, (found,) = max_match([sentence], [("a", "y")])
    assert found.annotator == 1
    assert score == EditScore(1, 1, 1)


def test_an_edit_spans_at_most_two_unchanged_words():
    def wanted(n):
        source = tuple("a" + "w" * n + "b")
        target = tuple("x" + "w" * n + "y")
        gold = [Edit(0, n + 2, (" ".join(target),))]
        return max_match([EditedSentence(source, {0: gold})], [target])[0]

    assert wanted(2) == EditScore(1, 1, 1)
    assert wanted(3) == EditScore(0, 2, 1)


def test_other_numbers_of_sentences_are_refused():
    with pytest.raises(DataError, match="1 annotated sentences and 2 corrected"):
        max_match([EditedSentence(("a",))], [("a",), ("b",)])


@pytest.mark.data
@pytest.mark.parametrize("team", ["CUUI", "NTHU", "UFC", "INPUT"])
def test_equals_the_official_reports(data, team):
    folder = data / "correction"
    submissions = folder / "conll-2014-submissions"
    gold = read_m2(folder / "conll-2014" / "noalt" / "official-2014.combined.m2.xz")
    with lzma.open(submissions / "outputs" / f"{team}.txt.xz", "rt", encoding="utf-8") as file:
        hypotheses = [line.split() for line in file]
    with tarfile.open(submissions / "m2-reports.tar.xz") as reports:
        report = reports.extractfile(f"m2-reports/{team}.m2-report").read().decode("utf-8")
    score, _ = max_match(gold, hypotheses[: len(gold)])
    counts = dict(line.split(":") for line in report.splitlines()[-12:] if " EDITS" in line)
    counts = {name.strip(): int(value) for name, value in counts.items()}
    assert counts == {
        "CORRECT EDITS": score.correct,
        "PROPOSED EDITS": score.proposed,
        "GOLD EDITS": score.gold,
    }


README = """S The cat sat at mat .
A 3 4|||Prep|||on|||REQUIRED|||-NONE-|||0
A 4 4|||ArtOrDet|||the||a|||REQUIRED|||-NONE-|||0

S The dog .
A 1 2|||NN|||dogs|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||-NONE-|||-NONE-|||1

S Giant otters is an apex predator .
A 2 3|||SVA|||are|||REQUIRED|||-NONE-|||0
A 3 4|||ArtOrDet|||-NONE-|||REQUIRED|||-NONE-|||0
A 5 6|||NN|||predators|||REQUIRED|||-NONE-|||0
A 1 2|||NN|||otter|||REQUIRED|||-NONE-|||1
"""


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("A cat sat on the mat .", EditScore(4, 5, 5)),  # the official README: .8, .8, .8
        ("A cat sat on mat .", EditScore(3, 4, 5)),  # its second example, counted by hand: .75, .6, .7143
    ],
)
def test_the_examples_that_come_with_the_official_scorer(tmp_path, first, expected):
    (tmp_path / "gold.m2").write_text(README)
    gold = read_m2(tmp_path / "gold.m2")
    system = [first, "The dog .", "Giant otters are apex predator ."]
    score, _ = max_match(gold, [line.split() for line in system])
    assert score == expected
    assert round(score.f(0.5), 4) == (0.8 if expected.correct == 4 else 0.7143)
