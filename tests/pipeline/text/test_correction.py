"""From characters to edits of characters, with the corrector that comes with Onoma."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.correct.corrector import MODEL
from onoma.errors import SettingsError
from onoma.pipeline.text.correction import TextCorrector, corrections_page

pytestmark = pytest.mark.skipif(not (MODEL / "weights.npz").exists(), reason="the model is not here yet")

WORDS = [
    "He",
    "have",
    "two",
    "cat",
    "the",
    "informations",
    ",",
    ".",
    "don't",
    "teh",
    "“quote”",
    "go",
    "\n",
    "été",
    "😀",
]
ENGLISH = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@pytest.fixture(scope="module")
def eager():
    """A corrector that edits a lot: the properties need edits."""
    corrector = TextCorrector()
    corrector.threshold = 0.02
    return corrector


def undone(found):
    """Put back what the edits took, from the corrected text."""
    text, shift = found.text, 0
    for edit in found.edits:
        at = edit.start + shift
        assert text[at : at + len(edit.replacement)] == edit.replacement
        text = text[:at] + edit.source + text[at + len(edit.replacement) :]
    return text


@settings(max_examples=60)
@given(st.one_of(st.text(max_size=80), ENGLISH))
def test_edits_lead_from_the_source_to_the_text_and_back(eager, text):
    found = eager.correct(text)
    assert found.source == text
    at = 0
    for edit in found.edits:
        assert at <= edit.start <= edit.end <= len(text)
        assert text[edit.start : edit.end] == edit.source
        assert edit.source != edit.replacement
        assert 0 < edit.probability <= 1
        at = edit.end
    assert undone(found) == text


@settings(max_examples=30)
@given(st.one_of(st.text(max_size=80), ENGLISH))
def test_without_an_edit_a_text_is_untouched(eager, text):
    sure = TextCorrector()
    sure.threshold = 1.1
    assert sure.correct(text).text == text


def test_the_property_sees_edits(eager):
    assert len(eager.correct("He have two cat. She go to the school every days.").edits) >= 3


def test_plain_slips_are_mended():
    text = "I recieved informations from the goverment. The line is fine."
    assert TextCorrector().correct(text).text == "I received information from the government. The line is fine."


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("It became a adiction to most of us.", "It became an addiction to most of us."),
        ("The informations was usefull.", "The information was useful."),
        ("We must be carefull with it, there is many reasons.", "We must be careful with it, there are many reasons."),
        ("I have alot of friends.", "I have a lot of friends."),
    ],
)
def test_slips_that_meet_are_mended_together(text, right):
    assert TextCorrector().correct(text).text == right


def test_markup_and_addresses_stay(eager):
    text = "See `he have` at https://example.org/teh and [teh link](http://a.b/teh).\n\n```\nhe have two cat\n```\n"
    found = eager.correct(text, format="markdown").text
    for kept in ("`he have`", "https://example.org/teh", "](http://a.b/teh)", "```\nhe have two cat\n```\n"):
        assert kept in found


def test_only_types_asked_for_and_reasons_for_all():
    corrector = TextCorrector(types=("agreement",), precision=0.3)
    found = corrector.correct("He have two cat. She go to the school.")
    assert {edit.type for edit in found.edits} <= {"agreement"}
    assert all(edit.reasons for edit in found.edits)
    with pytest.raises(SettingsError, match="no type 'verbs'"):
        TextCorrector(types=("verbs",))


def test_a_page_shows_what_was_there_and_what_is():
    found = TextCorrector(precision=0.3).correct("He have <b>two</b> cats.")
    page = corrections_page({"a&b.txt": found})
    assert "a&amp;b.txt" in page
    assert "&lt;b&gt;" in page
    assert page.count("<ins") == len([edit for edit in found.edits if edit.replacement])


def test_british_and_american_spellings_are_both_right(eager):
    speller = eager.corrector.weigher.proposals.speller
    words = "colour color organise organize travelled traveled centre center defence defense programme grey gray"
    assert all(speller.knows(word) for word in words.split())


CAREFUL = (
    "The council met in the old town hall on Monday evening. Its members discussed the budget for the coming year, "
    "which had been delayed twice because of a dispute over the price of a new bridge. After two hours the chair "
    "closed the debate and asked for a vote. Nobody spoke against the plan, although several members had criticised "
    "it in the past. The bridge will be built by a company from the north, and work is expected to begin in spring. "
)


def test_a_doubtful_place_counts_for_less_in_a_careful_text():
    corrector = TextCorrector(n_reasons=20)
    corrector.threshold, corrector.least = 0.001, {}
    slip = "He went to the school. "
    places = {}
    for name, text in (("alone", slip), ("careful", slip + CAREFUL)):
        (places[name],) = (
            edit
            for edit in corrector.correct(text).edits
            if (edit.source, edit.replacement) == (" the", "") and edit.end < len(slip)
        )
    assert places["careful"].probability < places["alone"].probability
    said = [reason.weight for reason in places["careful"].reasons if reason.what == "this writer"]
    assert said
    assert said[0] < 0


def test_batches_of_a_long_text_are_all_corrected():
    corrector = TextCorrector(n_reasons=0)
    text = "He recieved a letter. " * 3_000  # more than is held at once
    assert len(corrector.correct(text).edits) == 3_000
