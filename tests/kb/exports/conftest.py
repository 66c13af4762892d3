"""A knowledge base written in a format."""

import pytest

from onoma.kb.database import read_knowledge_base
from onoma.kb.exports.write import export


@pytest.fixture
def written(kb, tmp_path):
    """Write a knowledge base in a format; return the text, and who is who."""

    def write(kind):
        with read_knowledge_base(kb) as base:
            (path,) = export(base, tmp_path / "out", kind)
            who = dict(base.rows("SELECT id, entity FROM memberships"))
        return path.read_text("utf-8"), who

    return write
