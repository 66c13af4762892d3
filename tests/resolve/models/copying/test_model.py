"""The copying model through its contract: plain, linked, one to one, held to rules."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.api import fit_fields
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Capability, PairEvidence, Problem, RunContext
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.copying.model import COPYING, CopyingSettings
from onoma.resolve.posterior.judgements import Judged

NAMES = ("Ann Smith", "Bob Jones", "Cyd Brown", "Dan Moore", "Eve Clark", "Fay Lewis", "Gus Adams", "Hal Baker")
NONE = np.zeros((0, 2), dtype=np.int64)


@pytest.fixture(scope="module")
def fields():
    """Eight people twice, the second time with a slip in the name."""
    rows = [*NAMES, *(name[:-2] + name[-1] + name[-2] for name in NAMES)]
    table = pa.table({"name": rows, "born": [str(1930 + 7 * (i % 8)) for i in range(16)]})
    return prepare_fields(table, kinds={"name": "person", "born": "date"}).fields


def fit(fields, **more):
    settings = CopyingSettings(samples=20, burn_in=10)
    return COPYING.fit(Problem(fields=fields, **more), settings, RunContext(seed=1))


def labels(found):
    return found.clustering.labels.tolist()


def test_records_that_repeat_each_other_are_one(fields):
    found = fit(fields)
    assert labels(found) == [*range(8), *range(8)]
    assert isinstance(found.details, PairEvidence) and found.n_samples == 20
    assert ((found.probability >= 0) & (found.probability <= 1)).all()
    assert {"canopies", "comparison", "weights", "sampling", "consensus"} <= set(found.seconds)


def test_linked_records_have_at_most_one_partner(fields):
    source = np.repeat([0, 1], 8).astype(np.int32)
    found = fit(fields, source=source, link=True)
    assert found.clustering.sizes.max() == 2
    assert labels(found) == [*range(8), *range(8)]


def test_one_to_one_no_entity_has_two_of_a_source(fields):
    source = (np.arange(16) % 3).astype(np.int32)
    found = fit(fields, source=source, link=True, one_to_one=True)
    for members in found.clustering.chains():
        assert len(set(source[members])) == len(members)


def test_hard_judgements_hold_in_every_sample(fields):
    judged = Judged(np.array([[0, 1]]), np.array([[2, 10]]), NONE, np.zeros(0))
    found = fit(fields, judged=judged, extra=np.array([0 * 16 + 1]))
    assert labels(found)[0] == labels(found)[1] and labels(found)[2] != labels(found)[10]
    assert (found.samples[:, 0] == found.samples[:, 1]).all()
    assert (found.samples[:, 2] != found.samples[:, 10]).all()


def test_it_can_all_that_there_is_and_says_what_not_together():
    assert COPYING.capabilities == frozenset(Capability)
    assert frozenset({"must_link_on", "link"}) in COPYING.conflicts


def test_prepared_fields_are_fitted_by_name(fields):
    found = fit_fields(Problem(fields=fields), ResolveConfig(model="copying", samples=20, burn_in=10, seed=1))
    assert labels(found) == labels(fit(fields))
