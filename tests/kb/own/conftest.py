"""A small knowledge base of a model that draws for itself."""

import shutil

import pytest

from onoma.corpus.simulate import simulate_people
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


@pytest.fixture(scope="session")
def first_own(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "people.duckdb"
    people = simulate_people(120, seed=5).select(["id", "cluster_id", "given_name", "surname", "birth_date", "city"])
    config = ResolveConfig(model="pairwise", truth="cluster_id", no_check=True, samples=40)
    store_outcome(run_job(Job(table=people, config=config)), path)
    return path


@pytest.fixture
def own(first_own, tmp_path):
    """A copy of it to work on."""
    path = tmp_path / "people.duckdb"
    shutil.copyfile(first_own, path)
    return path
