"""The words around mentions."""

import pyarrow as pa
import pytest

from onoma.errors import DataError
from onoma.resolve.fields.contexts import windows, with_contexts


def test_windows_are_cut_at_the_ends():
    text = "one two three four five"
    assert windows([text, text], [8, 0], [13, 3], width=1) == ["two four", "two"]


def test_contexts_of_documents():
    documents = pa.table({"document": ["a", "b"], "text": ["one two three four", "five Ada six"]})
    spans = pa.table({"document": ["b", "a"], "start": [5, 4], "end": [8, 7], "name": ["Ada", "two"]})
    assert with_contexts(spans, documents, width=1)["context"].to_pylist() == ["five six", "one three"]
    with pytest.raises(DataError, match="no document 'c'"):
        with_contexts(pa.table({"document": ["c"], "start": [0], "end": [1]}), documents)
    with pytest.raises(DataError, match="no column 'end'"):
        with_contexts(spans.drop_columns(["end"]), documents)
