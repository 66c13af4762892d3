import pytest

from onoma.corpus.simulate import simulate_people


@pytest.fixture(scope="session")
def people():
    return simulate_people(120, seed=1)
