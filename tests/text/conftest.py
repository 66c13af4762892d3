import pytest

from onoma.text.annotate import Annotator


@pytest.fixture(scope="session")
def annotator() -> Annotator:
    return Annotator.load()
