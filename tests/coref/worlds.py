"""Small annotated documents, made by hand."""

import numpy as np

from onoma.coref.document import Document

# word, lemma, tag, upos, head in the sentence from 1 (0: root), relation
_SENTENCES = [
    [
        ("Ada", "Ada", "NNP", "PROPN", 3, "nsubj"),
        ("Lovelace", "Lovelace", "NNP", "PROPN", 1, "flat"),
        ("met", "meet", "VBD", "VERB", 0, "root"),
        ("the", "the", "DT", "DET", 6, "det"),
        ("old", "old", "JJ", "ADJ", 6, "amod"),
        ("king", "king", "NN", "NOUN", 3, "obj"),
        ("of", "of", "IN", "ADP", 8, "case"),
        ("Prussia", "Prussia", "NNP", "PROPN", 6, "nmod"),
        (".", ".", ".", "PUNCT", 3, "punct"),
    ],
    [
        ("She", "she", "PRP", "PRON", 2, "nsubj"),
        ("liked", "like", "VBD", "VERB", 0, "root"),
        ("the", "the", "DT", "DET", 4, "det"),
        ("king", "king", "NN", "NOUN", 2, "obj"),
        ("and", "and", "CC", "CCONJ", 7, "cc"),
        ("his", "his", "PRP$", "PRON", 7, "nmod:poss"),
        ("daughters", "daughter", "NNS", "NOUN", 4, "conj"),
        (".", ".", ".", "PUNCT", 2, "punct"),
    ],
]

CHAINS = {(0, 2): "ada", (9, 10): "ada", (3, 8): "king", (11, 13): "king", (14, 15): "king"}


def make_document(name="d", names=((0, 2, "PER"), (7, 8, "LOC")), text=_SENTENCES):
    rows, heads, sentences = [], [], []
    for number, sentence in enumerate(text):
        base = len(rows)
        for k, row in enumerate(sentence):
            heads.append(base + (row[4] - 1 if row[4] else k))
            sentences.append(number)
            rows.append(row)
    words, lemmas, tags, upos, _, deprels = zip(*rows, strict=True)
    return Document(
        name=name,
        words=words,
        lemmas=lemmas,
        tags=tags,
        upos=upos,
        deprels=deprels,
        heads=np.array(heads),
        sentences=np.array(sentences),
        speakers=[""] * len(words),
        names=names,
    )


BANK = [
    [
        ("Mr.", "Mr.", "NNP", "PROPN", 2, "nmod:desc"),
        ("Jan", "Jan", "NNP", "PROPN", 12, "nsubj"),
        ("Holt", "Holt", "NNP", "PROPN", 2, "flat"),
        (",", ",", ",", "PUNCT", 5, "punct"),
        ("head", "head", "NN", "NOUN", 2, "appos"),
        ("of", "of", "IN", "ADP", 9, "case"),
        ("the", "the", "DT", "DET", 9, "det"),
        ("World", "World", "NNP", "PROPN", 9, "compound"),
        ("Bank", "Bank", "NNP", "PROPN", 5, "nmod"),
        (",", ",", ",", "PUNCT", 5, "punct"),
        ("has", "have", "VBZ", "AUX", 12, "aux"),
        ("left", "leave", "VBN", "VERB", 0, "root"),
        ("the", "the", "DT", "DET", 14, "det"),
        ("W.B.", "W.B.", "NNP", "PROPN", 12, "obj"),
        ("and", "and", "CC", "CCONJ", 16, "cc"),
        ("Dhaka", "Dhaka", "NNP", "PROPN", 14, "conj"),
        ("in", "in", "IN", "ADP", 18, "case"),
        ("July", "July", "NNP", "PROPN", 12, "obl"),
        ("1805", "1805", "CD", "NUM", 18, "nmod:unmarked"),
        (".", ".", ".", "PUNCT", 12, "punct"),
    ],
    [
        ("Holt", "Holt", "NNP", "PROPN", 2, "nsubj"),
        ("returned", "return", "VBD", "VERB", 0, "root"),
        ("to", "to", "IN", "ADP", 6, "case"),
        ("the", "the", "DT", "DET", 6, "det"),
        ("World", "World", "NNP", "PROPN", 6, "compound"),
        ("Bank", "Bank", "NNP", "PROPN", 2, "obl"),
        (".", ".", ".", "PUNCT", 2, "punct"),
    ],
]
"""Mr. Jan Holt, head of the World Bank, has left the W.B. and Dhaka in July 1805. Holt returned to the World Bank."""


def make_bank():
    names = [(0, 3, "PER"), (7, 9, "ORG"), (13, 14, "ORG"), (15, 16, "LOC"), (20, 21, "PER"), (24, 26, "ORG")]
    return make_document("bank", names, BANK)


VOLTA = [
    [
        ("Volta", "Volta", "NNP", "PROPN", 2, "compound"),
        ("Motors", "Motors", "NNP", "PROPN", 3, "nsubj"),
        ("hired", "hire", "VBD", "VERB", 0, "root"),
        ("her", "her", "PRP$", "PRON", 5, "nmod:poss"),
        ("cousin", "cousin", "NN", "NOUN", 6, "compound"),
        ("Mia", "Mia", "NNP", "PROPN", 8, "nmod:poss"),
        ("'s", "'s", "POS", "PART", 6, "case"),
        ("friend", "friend", "NN", "NOUN", 3, "obj"),
        ("there", "there", "RB", "ADV", 3, "advmod"),
        (".", ".", ".", "PUNCT", 3, "punct"),
    ],
    [
        ("Volta", "Volta", "NNP", "PROPN", 2, "nsubj"),
        ("likes", "like", "VBZ", "VERB", 0, "root"),
        ("the", "the", "DT", "DET", 4, "det"),
        ("young", "young", "JJ", "ADJ", 2, "obj"),
        ("who", "who", "WP", "PRON", 6, "nsubj"),
        ("love", "love", "VBP", "VERB", 4, "acl:relcl"),
        ("their", "their", "PRP$", "PRON", 8, "nmod:poss"),
        ("VM", "VM", "NNP", "PROPN", 6, "obj"),
        (".", ".", ".", "PUNCT", 2, "punct"),
    ],
]
"""Names and phrases inside others."""


def make_volta():
    return make_document("volta", names=((0, 2, "ORG"), (5, 6, "PER"), (10, 11, "ORG"), (17, 18, "ORG")), text=VOLTA)
