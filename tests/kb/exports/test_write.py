"""Every format is written."""

import csv
import io

from onoma.kb.database import read_knowledge_base
from onoma.kb.exports.write import EXPORTS, export


def test_records_for_openrefine_are_as_they_came(crowd, written):
    text, who = written("openrefine")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [*rows[0]][-2:] == ["entity", "probability"]
    assert {row["id"]: row["entity"] for row in rows} == who
    assert rows[0]["surname"] == (crowd["surname"][0].as_py() or "")


def test_every_format_writes_something(kb, tmp_path):
    with read_knowledge_base(kb) as base:
        for kind in EXPORTS:
            assert all(path.stat().st_size for path in export(base, tmp_path / kind, kind))
