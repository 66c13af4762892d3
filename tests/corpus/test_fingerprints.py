"""Are fingerprints those of the twin, and the same for the same content?"""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.fingerprints import row_fingerprints, text_fingerprints
from reference.corpus_fingerprints import fingerprint


@given(st.lists(st.text(max_size=8)), st.integers(0, 2**32 - 1))
def test_the_kernel_is_its_slow_twin(texts, kind):
    assert text_fingerprints(texts, kind=kind).tolist() == [fingerprint(text, kind) for text in texts]


def test_a_slice_has_the_fingerprints_of_its_texts():
    texts = pa.array(["Ada", "Bob", "Čapek"], pa.large_string())
    assert text_fingerprints(texts.slice(1)).tolist() == text_fingerprints(["Bob", "Čapek"]).tolist()


def test_rows_with_the_same_content():
    one = row_fingerprints(pa.table({"name": ["Ada", "Bob"], "born": [1815, None], "tags": [["x"], ["y"]]}))
    other = row_fingerprints(pa.table({"tags": [["x"], ["z"]], "born": ["1815", None], "name": ["Ada", "Bob"]}))
    assert one[0] == other[0]
    assert one[1] != other[1]
    assert len(np.unique(one)) == 2


def test_a_value_in_another_column_is_other_content():
    one = row_fingerprints(pa.table({"given": ["Ada"], "family": ["King"]}))
    assert one != row_fingerprints(pa.table({"given": ["King"], "family": ["Ada"]}))
