"""Appositions that a parser took for two subjects, or for a list."""

from dataclasses import replace

import numpy as np

from onoma.coref.discourse.trees import with_appositions
from onoma.coref.document import Document


def _document(rows, names):
    words, upos, heads, deprels = zip(*(row.split() for row in rows.strip().splitlines()), strict=True)
    n = len(words)
    places = np.array([int(head) for head in heads])
    return Document("d", words, words, [""] * n, upos, deprels, places, np.zeros(n, np.int64), [""] * n, names)


SUBJECTS = """
The DET 1 det
chairman NOUN 5 nsubj
, PUNCT 1 punct
Ralph PROPN 5 nsubj
, PUNCT 1 punct
left VERB 5 root
"""
LIST = """
Anna PROPN 0 root
, PUNCT 4 punct
the DET 4 det
new ADJ 4 amod
secretary NOUN 0 conj
left VERB 0 dep
"""


def test_a_verb_has_one_subject():
    found = with_appositions(_document(SUBJECTS, [(3, 4, "PER")]))
    assert found.heads[3] == 1
    assert found.deprels[3] == "appos"
    assert 3 in found.children[1]


def test_a_comma_alone_coordinates_no_person_with_what_they_are():
    assert with_appositions(_document(LIST, [(0, 1, "PER")])).deprels[4] == "appos"


def test_other_trees_stay():
    for rows, names in (
        (SUBJECTS, [(3, 4, "ORG")]),
        (SUBJECTS.replace("chairman", "table"), [(3, 4, "PER")]),
        (SUBJECTS.replace(", PUNCT 1 punct\nRalph", "and CCONJ 3 cc\nRalph"), [(3, 4, "PER")]),
        (LIST.replace("the DET 4 det", "and CCONJ 4 cc"), [(0, 1, "PER")]),
    ):
        document = _document(rows, names)
        assert with_appositions(document) is document


CALLED = """
found VERB 0 root
the DET 2 det
company NOUN 0 obj
, PUNCT 4 punct
Singh PROPN 2 appos
? PUNCT 0 punct
"""


def test_who_is_called_at_the_end_of_a_sentence_is_no_apposition_of_a_thing():
    document = _document(CALLED, [(4, 5, "PER")])
    found = with_appositions(replace(document, known={2: ("organization", "", "inanimate")}))
    assert (found.deprels[4], found.heads[4]) == ("vocative", 0)
    # Negative control: of the noun nothing is known, or it is somebody.
    for known in ({}, {2: ("person", "", "animate")}):
        assert with_appositions(replace(document, known=known)).deprels[4] == "appos"
