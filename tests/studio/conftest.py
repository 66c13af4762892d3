"""A studio on a small knowledge base, asked without a browser."""

import shutil
from importlib.util import find_spec

import pytest

from onoma.corpus.simulate import simulate_people

if find_spec("fastapi") is None or find_spec("jinja2") is None:
    collect_ignore_glob = ["test_*.py"]  # the extra studio is not installed
else:
    from onoma.studio.desk import Desk
    from studio.visiting import make_base, visit


@pytest.fixture(scope="session")
def people():
    return simulate_people(600, seed=5)


@pytest.fixture(scope="session")
def first_base(people, tmp_path_factory):
    return make_base(people, tmp_path_factory.mktemp("studio") / "people.duckdb")


@pytest.fixture
def kb(first_base, tmp_path):
    path = tmp_path / "people.duckdb"
    shutil.copyfile(first_base, path)
    return path


@pytest.fixture(scope="session")
def reader(first_base):
    """A studio that reads; tests change nothing there."""
    desk = Desk(first_base, write=False)
    yield visit(desk)
    desk.close()


@pytest.fixture
def desk(kb):
    desk = Desk(kb, write=True, by="ada")
    yield desk
    desk.close()


@pytest.fixture
def writer(desk):
    return visit(desk)
