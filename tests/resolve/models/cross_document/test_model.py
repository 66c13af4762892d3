"""The cross-document model through its contract."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.contract import Problem, RunContext
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.cross_document.model import CROSS_DOCUMENT, CrossDocumentModelSettings
from reference.stops import StopAfter


@pytest.fixture(scope="module")
def fields():
    topics = ("bakes bread and cakes in the old bakery", "sails boats and ships over the grey sea")
    rows = [{"name": "John Smith", "context": f"{topics[k % 2]} number {k}"} for k in range(12)]
    return prepare_fields(pa.Table.from_pylist(rows), kinds={"name": "person", "context": "text"}).fields


def fit(fields, stop=None, **settings):
    run = RunContext(seed=1) if stop is None else RunContext(seed=1, stop=stop)
    return CROSS_DOCUMENT.fit(Problem(fields=fields), CrossDocumentModelSettings(**settings), run)


def test_pairs_are_each_mention_with_the_first_of_its_entity(fields):
    found = fit(fields, rounds=3)
    n, k = len(found.clustering), found.clustering.n_entities
    assert len(found.pairs.a) == n - k and found.details is None
    assert (found.clustering.labels[found.pairs.a] == found.clustering.labels[found.pairs.b]).all()
    assert np.isfinite(found.probability).all() and "sampling" in found.seconds


def test_so_many_entities_are_found_as_are_asked_for(fields):
    assert fit(fields, entities=2, rounds=4).clustering.n_entities == 2


def test_a_run_that_is_stopped_has_a_state_to_go_on_from(fields):
    stopped = fit(fields, stop=StopAfter(1), rounds=8)
    assert stopped.state is not None and not stopped.is_cut_short
    assert frozenset({"entities", "resume"}) in CROSS_DOCUMENT.conflicts
