"""A few authors whose trees are grown once."""

import pytest

from onoma.corpus.simulate.authors import simulate_authors
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.hierarchical.grow import grow_records


@pytest.fixture(scope="session")
def few_authors():
    return simulate_authors(250, seed=6)


@pytest.fixture(scope="session")
def few_fields(few_authors):
    return prepare_fields(few_authors, exclude=["id", "cluster_id"]).fields


@pytest.fixture(scope="session")
def few_trees(few_fields):
    return grow_records(few_fields, n_samples=5, seed=1)
