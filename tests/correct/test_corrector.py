import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.edits import Edit, EditedSentence
from onoma.correct.corrector import Correction, Corrector, _neighbours, settle
from onoma.correct.gold import right_rows, wanted_edits
from onoma.correct.lists import TYPES
from onoma.correct.model import encode
from onoma.correct.protect import protected_spans
from onoma.correct.reasons import reasons_of
from onoma.correct.rules import SHARES, share_of
from onoma.correct.writers import Writer
from onoma.errors import DataError, SettingsError
from reference.contexts import NATIVE, edit_score, tags_of

SENTENCES = [line.split() for line in NATIVE] + [
    ["He", "have", "two", "cat", "."],
    ["She", "go", "to", "the", "school", ",", "every", "day", "."],
]


def described(weigher, sentences=SENTENCES):
    return weigher.describe(encode(sentences, [tags_of(words) for words in sentences], weigher.ngrams))


def test_n_grams_of_an_edit_are_those_of_the_whole_sentence(weigher):
    edits = described(weigher)
    seen = 0
    for row in range(len(edits.actions)):
        if edits.actions[row] < 0:
            continue
        words = [word.lower() for word in SENTENCES[edits.sentence[row]]]
        put = weigher.proposals.actions[edits.actions[row]].put
        expected = edit_score(weigher.ngrams, words, edits.starts[row], edits.ends[row], put)
        assert edits.lm[row, 0] / 3000 == pytest.approx(expected, abs=2e-3)
        seen += 1
    assert seen > 100


def test_every_place_begins_with_no_edit_and_is_one_place(weigher):
    edits = described(weigher)
    for first, last in itertools.pairwise(edits.rows.groups.tolist()):
        assert edits.actions[first] == -1
        assert (edits.actions[first + 1 : last] >= 0).all()
        assert len(set(zip(edits.sentence[first:last], edits.starts[first:last], strict=True))) == 1


def test_features_do_not_depend_on_the_batch(weigher):
    together = described(weigher)
    alone = described(weigher, SENTENCES[8:9])
    mine = together.sentence == 8
    assert (together.actions[mine] == alone.actions).all()
    first = int(together.rows.ptr[np.flatnonzero(mine)[0]])
    assert (together.rows.ids[first : first + len(alone.rows.ids)] == alone.rows.ids).all()


def test_reasons_add_up_to_the_log_odds(corrector):
    edits = described(corrector.weigher)
    p = corrector.probabilities(edits)
    rows = np.flatnonzero(edits.actions >= 0)[::17]
    nothing = edits.rows.groups[np.searchsorted(edits.rows.groups, rows, side="right") - 1]
    for row, none in zip(rows, nothing, strict=True):
        total = sum(reason.weight for reason in reasons_of(edits, row, corrector.weights, corrector.calibration))
        assert total == pytest.approx(np.log(p[row] / p[none]), abs=1e-3)


def test_reasons_name_what_the_text_says_of_its_writer(corrector):
    tags = [tags_of(words) for words in SENTENCES]
    text, edits, p = corrector.weigh(SENTENCES, tags)
    writer = Writer(corrector.writers)
    writer.see(np.full(5_000, 0.01), 3_000)  # a practised writer
    settled = writer.settle(p, edits)
    found = corrector.choose(text, edits, settled, threshold=1e-4, n_reasons=100, joint=False)
    by_rule = {each for sentence in found for each in sentence if each.reasons[0].what in SHARES}
    assert all(each.probability >= share_of(each.reasons[0].what, 1.0) for each in by_rule)
    some = [each for sentence in found for each in sentence if each.type != "spelling" and each not in by_rule]
    assert some
    for each in some:
        assert any(reason.what == "this writer" and reason.weight < 0 for reason in each.reasons)
    # All terms together are the log odds of what is said, against no edit.
    rows = np.flatnonzero((edits.actions >= 0) & (settled >= 1e-4))
    odds = {
        (
            int(edits.sentence[row]),
            int(edits.starts[row]),
            corrector.weigher.proposals.actions[edits.actions[row]].put,
        ): np.log(settled[row] / settled[edits.rows.groups[np.searchsorted(edits.rows.groups, row, side="right") - 1]])
        for row in rows
    }
    checked = 0
    for sentence, edits_found in enumerate(found):
        for each in edits_found:
            key = (sentence, each.start, each.put)
            if key in odds and each not in by_rule:
                assert sum(reason.weight for reason in each.reasons) == pytest.approx(odds[key], abs=2e-3)
                checked += 1
    assert checked


def test_probabilities_of_a_place_still_sum_to_one(corrector):
    edits = described(corrector.weigher)
    p = corrector.probabilities(edits)
    writer = Writer(corrector.writers)
    writer.see(np.full(500, 0.05), 300)
    settled = writer.settle(p, edits)
    assert np.add.reduceat(settled, edits.rows.groups[:-1]) == pytest.approx(1)
    spelling = np.array([k >= 0 and TYPES[k] == "spelling" for k in edits.types])
    assert (settled[spelling] == p[spelling]).all()


def test_proposals_hold_what_was_meant(weigher):
    edits = described(weigher)
    found = {
        (int(s), int(a), int(b), weigher.proposals.actions[k].put)
        for s, a, b, k in zip(edits.sentence, edits.starts, edits.ends, edits.actions, strict=True)
        if k >= 0
    }
    assert (8, 3, 4, ("cats",)) in found  # two cat
    assert (9, 1, 2, ("goes",)) in found  # she go
    assert (9, 3, 4, ()) in found  # the school
    assert (9, 5, 6, ()) in found  # the comma


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (Edit(1, 3, ("have two",), "SVA"), {}),
        (Edit(1, 2, ("has",), "SVA"), {(1, 2, ("has",)): "SVA"}),
        (Edit(0, 2, ("He has",), "SVA"), {(1, 2, ("has",)): "SVA"}),
        (Edit(0, 1, ("he",), "Mec"), {(0, 1, ("he",)): "Mec"}),
        (Edit(0, 1, ("The he",), "ArtOrDet"), {(0, 0, ("the",)): "ArtOrDet"}),
    ],
)
def test_wanted_edits_are_reduced(edit, wanted):
    assert wanted_edits(EditedSentence(("He", "have", "two", "cat", "."), {0: [edit]})) == wanted


def test_right_rows_are_those_asked_for(weigher):
    edits = described(weigher, SENTENCES[8:9])
    sentence = EditedSentence(tuple(SENTENCES[8]), {0: [Edit(3, 4, ("cats",), "Nn")]})
    chosen, right = right_rows(edits, [sentence], weigher.proposals.actions)
    assert right.sum() == 1
    assert set(chosen.tolist()) - set(edits.rows.groups[:-1].tolist()) == set(np.flatnonzero(right).tolist())


def test_corrections_do_not_overlap_and_come_in_order(corrector):
    tags = [tags_of(words) for words in SENTENCES]
    for found in corrector.correct(SENTENCES, tags, threshold=0.2):
        for one, other in itertools.pairwise(found):
            assert one.end <= other.start
        assert all(each.probability >= 0.2 for each in found)


def test_only_types_asked_for(corrector):
    tags = [tags_of(words) for words in SENTENCES]
    found = corrector.correct(SENTENCES, tags, threshold=0.05, types=("article",))
    assert {each.type for sentence in found for each in sentence} == {"article"}
    with pytest.raises(SettingsError, match="no type 'artikel'"):
        corrector.correct(SENTENCES, tags, threshold=0.05, types=("artikel",))


def test_capitals_follow_the_place():
    words = ["The", "cat", "sat"]
    assert settle(words, [Correction(0, 1, (), "article", 0.9)])[0].put == ("Cat",)
    assert settle(words, [Correction(0, 1, ("a",), "article", 0.9)])[0].put == ("A",)
    put = settle(["Cat", "sat"], [Correction(0, 0, ("the",), "article", 0.9)])[0]
    assert (put.start, put.end, put.put) == (0, 1, ("The", "cat"))
    kept = settle(
        ["Cat", "sat"], [Correction(0, 0, ("the",), "article", 0.9), Correction(0, 1, ("cats",), "number", 0.8)]
    )
    assert [each.start for each in kept] == [0, 0]


def test_a_saved_corrector_corrects_alike(corrector, tmp_path):
    corrector.save(tmp_path)
    corrector.weigher.ngrams.save(tmp_path / "ngrams")
    back = Corrector.load(tmp_path)
    tags = [tags_of(words) for words in SENTENCES]
    ours = corrector.correct(SENTENCES, tags, threshold=0.3)
    theirs = back.correct(SENTENCES, tags, threshold=0.3)
    assert [[(c.start, c.end, c.put) for c in each] for each in ours] == [
        [(c.start, c.end, c.put) for c in each] for each in theirs
    ]
    (tmp_path / "weights.npz").write_bytes(b"no")
    with pytest.raises(DataError, match="no corrector"):
        Corrector.load(tmp_path)


def test_thresholds_lie_between_those_measured(corrector):
    assert corrector.threshold(0.45) == pytest.approx(0.3)
    with pytest.raises(SettingsError, match="between 0 and 1"):
        corrector.threshold(1.5)


@pytest.mark.parametrize(
    ("format", "text", "kept"),
    [
        (
            "markdown",
            "A `x y` and [a link](http://a.b) here.\n\n```\ncode is\n```\n",
            ["`x y`", "](http://a.b)", "```\ncode is\n```"],
        ),
        ("latex", r"It $x is y$ as \cite{a} says. % is a note", ["$x is y$", r"\cite{a}", "% is a note"]),
    ],
)
def test_what_is_no_prose_is_protected(format, text, kept):
    found = [text[a:b] for a, b in protected_spans(text, format)]
    assert all(any(piece in span for span in found) for piece in kept)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8).filter(lambda word: not any(map(str.isspace, word))), max_size=12))
def test_any_words_can_be_weighed(corrector, words):
    (found,) = corrector.correct([words], [["NN"] * len(words)], threshold=0.3)
    assert all(0 <= each.start <= each.end <= len(words) for each in found)


def test_the_word_that_counts_and_its_noun_are_not_both_changed():
    left = Correction(1, 2, ("much",), "choice", 0.5)
    assert _neighbours(2, 3, left)  # many thing
    assert _neighbours(3, 4, left)  # many new thing
    assert not _neighbours(4, 5, left)
    assert _neighbours(0, 1, left)


def test_words_that_are_written_so_on_purpose_are_no_misspellings(weigher):
    proposals = weigher.proposals
    for word in ("GAAPE", "iBoks", "SNPes"):
        _, _, actions = proposals.propose([word, "go"], [word.lower(), "go"], ["NN", "VB"], 0)
        assert all(proposals.actions[number].type != "spelling" for number in actions)
