import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.resolve.fields.features import SORTS, FeaturesBuilder, trigrams
from reference.fields_kernels import trigrams as slow_trigrams


@given(st.lists(st.text("abü 1", max_size=8), min_size=1, max_size=6))
@settings(max_examples=60)
def test_trigrams_are_those_of_the_slow_twin(values):
    rows, ids, texts = trigrams(values)
    found = [{texts[i] for i in ids[rows == row]} for row in range(len(values))]
    assert found == [slow_trigrams(value) for value in values]
    assert len(rows) == sum(map(len, found))


def test_no_values_have_no_trigrams():
    rows, ids, texts = trigrams([])
    assert (len(rows), len(ids), texts) == (0, 0, [])


def test_features_are_in_csr_form_with_their_sorts():
    builder = FeaturesBuilder(3)
    builder.add("value", [["a b"], ["b"], []])
    builder.add("token", [["a", "b", "a"], ["b"], [""]])
    features = builder.build()
    assert features.offsets.tolist() == [0, 3, 5, 5]
    rows = [
        [(SORTS[features.sorts[i]], features.texts[i]) for i in features.ids[start:end]]
        for start, end in zip(features.offsets[:-1], features.offsets[1:], strict=True)
    ]
    assert rows == [[("value", "a b"), ("token", "a"), ("token", "b")], [("value", "b"), ("token", "b")], []]
    assert len(features) == 4
    assert features.ids.dtype == np.int32


def test_no_features_at_all():
    features = FeaturesBuilder(2).build()
    assert features.offsets.tolist() == [0, 0, 0]
    assert len(features.ids) == 0
