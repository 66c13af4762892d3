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


def make_document(name="d", names=((0, 2, "PER"), (7, 8, "LOC"))):
    rows, heads, sentences = [], [], []
    for number, sentence in enumerate(_SENTENCES):
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
