"""Clusterings for property tests: gold and predicted share a universe, and either may lack items."""

from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering


def labels(n, *, absent=True):
    return st.lists(st.integers(-1 if absent else 0, 4), min_size=n, max_size=n)


@st.composite
def pairs(draw, max_items=9, *, absent=True):
    """A gold and a predicted clustering of the same items."""
    n = draw(st.integers(0, max_items))
    return tuple(Clustering.from_labels(draw(labels(n, absent=absent))) for _ in range(2))


@st.composite
def grouped_pairs(draw, max_items=9):
    """The same with a document for each item; entities may cross documents."""
    gold, predicted = draw(pairs(max_items))
    return gold, predicted, draw(st.lists(st.integers(0, 2), min_size=len(gold), max_size=len(gold)))
