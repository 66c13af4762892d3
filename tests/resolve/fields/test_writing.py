from hypothesis import given
from hypothesis import strategies as st

from onoma.resolve.fields.writing import fold, fold_all


@given(st.lists(st.text(max_size=12) | st.text(alphabet="aB' -_0é.\t", max_size=12), max_size=5))
def test_many_texts_are_folded_as_one_by_one(texts):
    expected = [fold(text) for text in texts]
    assert fold_all(texts) == expected
    assert fold_all([*texts, *["Ada"] * 100])[: len(texts)] == expected
