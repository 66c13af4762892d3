"""A small knowledge base that tests may copy."""

import shutil

import pytest

from onoma.corpus.simulate import simulate_people
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


@pytest.fixture(scope="session")
def crowd():
    """420 simulated people; the last 20 are next week's."""
    return simulate_people(420, seed=5)


@pytest.fixture(scope="session")
def first_base(crowd, tmp_path_factory):
    path = tmp_path_factory.mktemp("living") / "people.duckdb"
    store_outcome(
        run_job(Job(table=crowd.slice(0, 400), config=ResolveConfig(truth="cluster_id"))), path, command="onoma resolve"
    )
    return path


@pytest.fixture
def kb(first_base, tmp_path):
    """A copy of it to work on."""
    path = tmp_path / "people.duckdb"
    shutil.copyfile(first_base, path)
    return path
