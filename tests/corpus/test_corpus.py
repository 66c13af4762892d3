"""The corpus type: tables that fit together."""

import pyarrow as pa
import pytest

from onoma.corpus.corpus import Corpus
from onoma.errors import DataError

DOCUMENTS = pa.table({"document": ["d", "d"], "part": [0, 1], "n_sentences": [1, 1], "n_tokens": [1, 1]})
TOKENS = pa.table({"document": ["d", "d"], "part": [0, 1], "sentence": [0, 0], "token": [0, 0], "word": ["a", "b"]})
MENTIONS = pa.table(
    {
        "id": ["x", "y", "z"],
        "document": ["d"] * 3,
        "part": [0, 1, 1],
        "start": [0] * 3,
        "end": [1] * 3,
        "more": [1, 2, 3],
    }
)


def test_optional_columns_are_added_and_others_kept():
    corpus = Corpus.build(DOCUMENTS, TOKENS, MENTIONS, pa.table({"mention": ["x"], "chain": ["1"]}))
    assert corpus.mentions.column_names == ["id", "document", "part", "start", "end", "text", "type", "more"]
    assert corpus.tokens["speaker"].null_count == 2


def test_chains_of_different_parts_are_different():
    chains = pa.table({"mention": ["x", "y", "z"], "chain": ["1", "1", "1"]})
    corpus = Corpus.build(DOCUMENTS, TOKENS, MENTIONS, chains)
    assert corpus.clustering().labels.tolist() == [0, 1, 1]
    assert repr(corpus) == "Corpus(2 documents, 2 tokens, 3 mentions in 2 chains)"


def test_a_mention_in_no_chain_is_absent():
    corpus = Corpus.build(DOCUMENTS, TOKENS, MENTIONS, pa.table({"mention": ["z", "x"], "chain": ["2", "1"]}))
    assert corpus.mentions_with_chains()["chain"].to_pylist() == ["1", None, "2"]
    assert corpus.clustering().n_absent == 1


def test_a_table_that_lacks_a_column_is_refused():
    with pytest.raises(DataError, match="the mentions table lacks the column 'end'"):
        Corpus.build(DOCUMENTS, TOKENS, MENTIONS.drop_columns(["end"]), pa.table({"mention": ["x"], "chain": ["1"]}))
