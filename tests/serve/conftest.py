"""A service on a small knowledge base."""

import shutil
from importlib.util import find_spec

import pytest

from onoma.corpus.simulate import simulate_people
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig
from onoma.serve.service import Service

if find_spec("fastapi") is None or find_spec("mcp") is None:
    collect_ignore_glob = ["test_*.py"]  # the extra serve is not installed
else:
    from fastapi.testclient import TestClient

    from onoma.serve.app import make_app


@pytest.fixture(scope="session")
def people():
    return simulate_people(320, seed=5)


@pytest.fixture(scope="session")
def first_base(people, tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "people.duckdb"
    table = people.slice(0, 300)
    store_outcome(run_job(Job(table=table, config=ResolveConfig(truth="cluster_id"))), path, command="onoma resolve")
    return path


@pytest.fixture
def kb(first_base, tmp_path):
    path = tmp_path / "people.duckdb"
    shutil.copyfile(first_base, path)
    return path


@pytest.fixture(scope="session")
def reader(first_base):
    """A client of a service that reads; tests change nothing there."""
    service = Service(first_base)
    with TestClient(make_app(service)) as client:
        yield client
    service.close()


@pytest.fixture
def writer(kb):
    """A client of a service that writes, with its token."""
    service = Service(kb, write=True)
    with TestClient(make_app(service, token="sesame"), headers={"Authorization": "Bearer sesame"}) as client:
        yield client
    service.close()


@pytest.fixture(scope="session")
def rows(people):
    """Records as people would ask about them."""
    return [
        {name: value for name, value in row.items() if name not in ("cluster_id", "id") and value is not None}
        for row in people.to_pylist()
    ]
