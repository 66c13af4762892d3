from dataclasses import replace

import numpy as np

from onoma.api import coref
from onoma.coref.discourse.turns import with_turns
from onoma.coref.discourse.voices import HEARER, PARTY, VOICE
from onoma.coref.document import Document

TALK = """Anna: Did you call your sister?
Ben: Yes, I called her last night.
Anna: Why would she go there?
Ben: I do not know. He hates it.
"""


def _document(lines):
    words = [word for line in lines for word in line.split()]
    numbers = np.repeat(np.arange(len(lines)), [len(line.split()) for line in lines])
    first = np.array([int(np.flatnonzero(numbers == number)[0]) for number in numbers])
    same = [""] * len(words)
    return Document("d", words, words, same, same, same, first, numbers, same)


def test_labels_that_come_again_are_speakers():
    found = with_turns(_document(["Anna : Hello .", "Ben : Hi .", "And more .", "Anna : Well ."]))
    # Ben's label stands once: his words are taken for Anna's, who spoke last.
    assert found.speakers == ["", "", *["anna"] * 9, "", "", "anna", "anna"]
    assert found.heads[2] == 2  # what is said does not hang on the label
    assert found.voices[:, VOICE].tolist() == [0, 0, *[1] * 9, 0, 0, 1, 1]
    assert found.voices[[0, 11], PARTY].tolist() == [1, 1]
    assert not found.voices[:, HEARER].any()


def test_of_two_who_talk_one_hears_the_other():
    found = with_turns(_document(["Anna : Hello .", "Ben : Hi .", "Anna : Well .", "Ben : So ."]))
    assert found.voices[[2, 6], HEARER].tolist() == [2, 1]


def test_speakers_that_are_given_speak_as_labels_do():
    document = replace(_document(["Hello .", "Hi you ."]), speakers=["B", "B", "A", "A", ""])
    found = with_turns(document)
    assert found.speakers == document.speakers
    assert found.voices[:, VOICE].tolist() == [2, 2, 1, 1, 0]
    assert found.voices[:, HEARER].tolist() == [1, 1, 2, 2, 0]
    assert not found.voices[:, PARTY].any()
    alone = with_turns(replace(document, speakers=["A"] * 5))
    assert alone.voices[:, VOICE].tolist() == [1] * 5
    assert not alone.voices[:, HEARER].any()


def test_a_label_that_stands_once_is_none():
    document = _document(["Present : Ada .", "It rained ."])
    assert with_turns(document) is document


def test_who_says_i_is_whom_the_label_names():
    chains = [[mention.text for mention in chain.mentions] for chain in coref(TALK).chains]
    ben = next(chain for chain in chains if "Ben" in chain)
    assert "I" in ben
    assert "He" not in ben
    assert "you" in ben  # to whom Anna speaks
    assert not any(":" in text for chain in chains for text in chain)


INTERVIEW = """INTERVIEWER: When did you start the company, Dr. Singh?
SINGH: My sister and I started it in 2009.
INTERVIEWER: Did your parents support you?
SINGH: They did, and I thanked them.
"""


def test_who_is_called_by_name_is_who_hears_it():
    chains = [{mention.text for mention in chain.mentions} for chain in coref(INTERVIEW).chains]
    singh = next(chain for chain in chains if "Dr. Singh" in chain)
    assert {"you", "SINGH", "I", "your"} <= singh
    assert not {"INTERVIEWER", "the company"} & singh
