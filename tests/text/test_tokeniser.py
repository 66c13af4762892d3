import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from onoma.text.tokens import Tokens, codes_of

TEXTS = st.text(st.one_of(st.characters(), st.sampled_from(" \n\t.,'\"()-aAbB1https://@’…")), max_size=120)


def check(text, tokens):
    assert tokens.text == text
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    assert all(a < b for a, b in zip(starts, ends, strict=True))
    assert all(b <= a for b, a in zip(ends, starts[1:], strict=False))
    covered = "".join(text[a:b] for a, b in zip(starts, ends, strict=True))
    assert covered == "".join(c for c in text if not c.isspace())
    bounds = tokens.sentences.tolist()
    assert bounds[0] == 0 and bounds[-1] == len(tokens) and all(a < b for a, b in zip(bounds, bounds[1:], strict=False))


@given(TEXTS)
@example("")
@example("\ud800 lone surrogate")
@example("a" * 25_000)
@example("שלום עולם! مرحبا. 你好。 👩‍👩‍👧 e\u0301")
@settings(max_examples=150)
def test_every_character_that_is_no_blank_is_in_one_token(annotator, text):
    check(text, annotator.tokenise(text))


def parts(tokens, shift=0):
    spans = [(a + shift, b + shift) for a, b in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)]
    return [spans[a:b] for a, b in zip(tokens.sentences.tolist(), tokens.sentences.tolist()[1:], strict=False)]


@given(TEXTS, TEXTS, st.sampled_from(["\n\n", "\r\n\r\n", "\n \n", "\n\n\n"]))
@settings(max_examples=100)
def test_paragraphs_are_cut_as_each_alone(annotator, first, second, gap):
    joined = annotator.tokenise(first + gap + second)
    alone = parts(annotator.tokenise(first)) + parts(annotator.tokenise(second), len(first + gap))
    assert parts(joined) == alone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I don't know.", ["I", "do", "n't", "know", "."]),
        ("She can’t, won't.", ["She", "ca", "n’t", ",", "wo", "n't", "."]),
        ("It's Ann's idea", ["It", "'s", "Ann", "'s", "idea"]),
        ("We cannot go.", ["We", "can", "not", "go", "."]),
        ("See http://www.example.com/a?b=c or mail a.b@example.org.", 6),
        ("Dr. Smith paid $3.50 (about 3,000 yen).", 11),
        ("a well-known fact", ["a", "well", "-", "known", "fact"]),
        ('"Yes," he said...', ['"', "Yes", ",", '"', "he", "said", "..."]),
    ],
)
def test_words_are_cut_as_in_treebanks(annotator, text, words):
    found = annotator.tokenise(text).words()
    assert (found == words) if isinstance(words, list) else (len(found) == words), found


def test_headings_items_and_lines(annotator):
    text = "Shopping list\n- two apples\n- a pear\n\nWe went to the market and we bought\neverything. Then home."
    tokens = annotator.tokenise(text)
    words, bounds = tokens.words(), tokens.sentences.tolist()
    sentences = [" ".join(words[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)]
    assert sentences == [
        "Shopping list",
        "- two apples",
        "- a pear",
        "We went to the market and we bought everything .",
        "Then home .",
    ]


def sentences_of(annotator, text):
    tokens = annotator.tokenise(text)
    words, bounds = tokens.words(), tokens.sentences.tolist()
    return [" ".join(words[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)]


def test_lines_ended_on_purpose_are_sentences_and_filled_ones_are_not(annotator):
    chat = (
        "[10:32] maria: did you see the game at the stadium last night lol\n"
        "[10:33] tom: nah I was at work the whole evening\n"
        "maria: we will meet at the coffee house before noon today\n"
        "tom: ok"
    )
    assert len(sentences_of(annotator, chat)) == 4
    filled = (
        "The old lighthouse keeper had been talking for an hour about\n"
        "Captain Ahab and the whale when somebody in the next room of\n"
        "Mrs Hussey dropped a plate."
    )
    assert len(sentences_of(annotator, filled)) == 1


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("See Figs. 3 and 4, pp. 12 and Eq. (2).", ["See Figs. 3 and 4 , pp. 12 and Eq. ( 2 ) ."]),
        ("Mr. and Mrs. Jones met Prof. Lee.", ["Mr. and Mrs. Jones met Prof. Lee ."]),
        ("Add 2 tbsp. sugar. Stir for 5 min., then rest.", ["Add 2 tbsp. sugar .", "Stir for 5 min. , then rest ."]),
        ("I like art. No. 7 is mine.", ["I like art .", "No. 7 is mine ."]),
        ("He said no. They left.", ["He said no .", "They left ."]),
        ("It took five min. Then we left.", ["It took five min .", "Then we left ."]),
        ("She won’t go, he DOESN'T mind.", ["She wo n’t go , he DOES N'T mind ."]),
        ("See (http://a.org/b_(c)?d=1&e). Or www.b.com/x!", ["See ( http://a.org/b_(c)?d=1&e ) .", "Or www.b.com/x !"]),
        ("See Fig.\n\n3 is odd.", ["See Fig .", "3 is odd ."]),
    ],
)
def test_what_is_known_by_heart(annotator, text, sentences):
    assert sentences_of(annotator, text) == sentences


def test_a_long_run_of_addresses_and_stops_is_cut_in_good_time(annotator):
    for text in ("www." * 50_000, "http://" + "a" * 200_000, "Fig." * 50_000, "n't" * 50_000, "." * 100_000):
        check(text, annotator.tokenise(text))


def test_one_line_of_many_sentences_is_cut_in_parts_alike(annotator):
    text = "The cat slept. The dog ran! " * 4000
    tokens = annotator.tokenise(text)
    check(text, tokens)
    sizes = np.diff(tokens.sentences)
    assert (sizes == 4).mean() > 0.99


def test_words_as_given():
    tokens = Tokens.of_words([["Ann", "ran"], [], ["é", "."]])
    assert tokens.words() == ["Ann", "ran", "é", "."] and tokens.sentences.tolist() == [0, 2, 2, 4]
    assert codes_of("").tolist() == []
