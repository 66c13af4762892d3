"""The hierarchical model through its contract."""

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.resolve.contract import Capability, Problem, RunContext, Trees
from onoma.resolve.models.hierarchical.model import HIERARCHICAL, HierarchicalSettings, _check_labels


@pytest.fixture(scope="module")
def found(few_fields):
    return HIERARCHICAL.fit(Problem(fields=few_fields), HierarchicalSettings(samples=5), RunContext(seed=1))


def test_it_gives_trees_and_what_entities_share(found):
    assert isinstance(found.details, Trees) and not found.details.shared.is_used
    assert found.weighed is found.details.shared and found.n_samples == 5
    labels = found.clustering.labels
    assert (labels[found.pairs.a] == labels[found.pairs.b]).all()


def test_the_answer_is_that_of_the_trees(found, few_trees):
    assert np.array_equal(found.clustering.labels, few_trees.clustering.labels)


def test_too_few_labels_are_refused():
    with pytest.raises(DataError, match="4 rows have a label that another row has"):
        _check_labels(np.array([0, 0, 1, 1, 2, -1]))
    assert Capability.LABELS in HIERARCHICAL.capabilities and Capability.LINK not in HIERARCHICAL.capabilities
