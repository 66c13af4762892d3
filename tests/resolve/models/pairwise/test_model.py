"""The pairwise model through its contract."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.contract import Capability, PairEvidence, Problem, RunContext
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.pairwise.model import PAIRWISE, PairwiseModelSettings

NAMES = ("Ann Smith", "Bob Jones", "Cyd Brown", "Dan Moore", "Eve Clark", "Fay Lewis", "Gus Adams", "Hal Baker")
NAMES += ("Ida Evans", "Joe Green", "Kim Perez", "Lea Young", "Max Parks", "Nan Hayes", "Oli Price", "Pia Woods")
N = len(NAMES)


@pytest.fixture(scope="module")
def fields():
    rows = [*NAMES, *(name[:-2] + name[-1] + name[-2] for name in NAMES)]
    table = pa.table({"name": rows, "born": [str(1930 + 4 * (i % N)) for i in range(2 * N)]})
    return prepare_fields(table, kinds={"name": "person", "born": "date"}).fields


def fit(fields, **more):
    settings = PairwiseModelSettings(samples=60, burn_in=20)
    return PAIRWISE.fit(Problem(fields=fields, **more), settings, RunContext(seed=3))


def test_records_that_repeat_each_other_are_one(fields):
    found = fit(fields)
    assert found.clustering.labels.tolist() == [*range(N), *range(N)]
    assert isinstance(found.details, PairEvidence) and len(found.samples) == 60


def test_blocks_are_never_left(fields):
    block = (np.arange(2 * N) // N).astype(np.int32)
    assert fit(fields, block=block).clustering.n_entities == 2 * N


def test_links_are_exclusive(fields):
    found = fit(fields, source=np.repeat([0, 1], N).astype(np.int32), link=True)
    assert found.clustering.sizes.max() == 2


def test_labels_of_some_are_learnt_from(fields):
    labels = np.where(np.arange(2 * N) % N < 10, np.arange(2 * N) % N, -1)
    assert fit(fields, labels=labels).clustering.labels.tolist() == [*range(N), *range(N)]


def test_what_it_does_not_honour_it_does_not_declare():
    assert not {Capability.MUST_LINK, Capability.CANNOT_LINK, Capability.PARTITIONS} & PAIRWISE.capabilities
