"""Does the page tell what changed, and nothing else?"""

import pytest

from onoma.errors import DataError
from onoma.kb.database import read_knowledge_base
from onoma.kb.report import run_lines, write_changes
from onoma.kb.update import update_knowledge_base


def test_what_changed_between_two_runs(kb, crowd, tmp_path):
    update = update_knowledge_base(kb, tables=[crowd.slice(400)], command="onoma resolve <more>.csv")
    with read_knowledge_base(kb) as base:
        write_changes(base, tmp_path / "changes.html", since=1)
        assert [line[:1] + line[2:4] for line in run_lines(base)] == [(1, "resolve", 400), (2, "update", 20)]
        with pytest.raises(DataError, match="runs 2 and 2 cannot be compared; there are 1 to 2"):
            write_changes(base, tmp_path / "x.html", since=2)
        with pytest.raises(DataError, match="runs 7 and 2"):
            write_changes(base, tmp_path / "x.html", since=7)
        joined = base.rows("SELECT id FROM changes WHERE kind = 'joined'")
    page = (tmp_path / "changes.html").read_text("utf-8")
    assert "1 run after run 1" in page
    assert "onoma resolve &lt;more&gt;.csv" in page
    assert f"Records that joined an entity: {update.changes['joined']}" in page
    assert all(f"<td>{key}</td>" in page for (key,) in joined)
    assert "Content-Security-Policy" in page
