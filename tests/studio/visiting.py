"""How a studio is visited without a browser."""

from fastapi.testclient import TestClient

from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig
from onoma.studio.app import make_app

HOME = "http://127.0.0.1:8770"
TOKEN = "sesame"


def make_base(table, path):
    config = ResolveConfig(truth="cluster_id", no_check=True)
    store_outcome(run_job(Job(table=table, config=config)), path, command="onoma resolve people.csv")
    return path


def visit(desk):
    """Return a browser, as it were, that has brought the token."""
    client = TestClient(make_app(desk, token=TOKEN), base_url=HOME, headers={"origin": HOME})
    assert client.get("/", params={"token": TOKEN}).status_code == 200
    return client
