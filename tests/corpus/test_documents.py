import pyarrow as pa
import pytest

from onoma.corpus.documents import Annotations, Text, texts_table
from onoma.errors import DataError


def two_documents():
    documents = pa.table({"document": ["a", "b"], "part": [0, 0], "n_sentences": [2, 1], "n_tokens": [3, 1]})
    tokens = pa.table(
        {
            "document": ["a", "a", "a", "b"],
            "part": [0] * 4,
            "sentence": [0, 0, 1, 0],
            "token": [0, 1, 2, 0],
            "word": ["Ada", "wrote", "Yes", "Hm"],
        }
    )
    spans = pa.table({"document": ["a"], "part": [0], "layer": ["name"], "start": [0], "end": [1], "type": ["PER"]})
    return Annotations.build(documents, tokens, spans)


def test_sentences_come_from_tokens():
    sentences = two_documents().sentences
    assert sentences.select(["sentence", "start", "end"]).to_pylist() == [
        {"sentence": 0, "start": 0, "end": 2},
        {"sentence": 1, "start": 2, "end": 3},
        {"sentence": 0, "start": 0, "end": 1},
    ]


def test_documents_apart_and_together_again():
    whole = two_documents()
    apart = list(whole)
    assert [len(each.tokens) for each in apart] == [3, 1]
    assert [len(each.spans) for each in apart] == [1, 0]
    again = Annotations.concat(apart)
    assert again.tokens.equals(whole.tokens) and again.spans.equals(whole.spans)


def test_spans_as_mentions_and_back():
    corpus = two_documents().as_corpus(layer="name")
    assert corpus.mentions["type"].to_pylist() == ["PER"]
    back = Annotations.of_corpus(corpus, layer="name")
    assert back.spans.select(["start", "end", "type"]).to_pylist() == [{"start": 0, "end": 1, "type": "PER"}]


def test_rows_of_an_unknown_document_are_named():
    whole = two_documents()
    broken = Annotations(whole.documents.slice(0, 1), whole.sentences, whole.tokens, whole.spans)
    with pytest.raises(DataError, match="'b'"):
        list(broken)


def test_no_documents():
    assert len(Annotations.concat([])) == 0
    assert texts_table([Text("a", "")]).num_rows == 1


def test_many_sentences_stay_in_order():
    n = 5000
    tokens = pa.table(
        {
            "document": ["a"] * n,
            "part": [0] * n,
            "sentence": [i // 3 for i in range(n)],
            "token": list(range(n)),
            "word": ["x"] * n,
        }
    )
    documents = pa.table({"document": ["a"], "part": [0], "n_sentences": [n // 3 + 1], "n_tokens": [n]})
    sentences = Annotations.build(documents, tokens).sentences
    assert sentences["start"].to_pylist() == list(range(0, n, 3))
    assert sentences["end"].to_pylist() == [*range(3, n, 3), n]
