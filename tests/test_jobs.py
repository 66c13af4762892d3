"""Work that can be watched: what is noted, what is heard, and that nothing is left."""

import json
import os

import pytest

from onoma.jobs import ask_to_stop, list_jobs, noted
from onoma.progress import NEVER, SILENT


def test_what_goes_on_is_noted_and_the_note_goes(tmp_path):
    with noted(tmp_path / "kb.duckdb", "onoma resolve", SILENT, NEVER) as (progress, _):
        with progress.task("canopies", total=10) as task:
            task.advance(10)
        with progress.task("sampling", total=100, unit="sweeps") as task:
            task.advance(25, entities=7.0)
            [job] = list_jobs(tmp_path)
    assert (job.command, job.target, job.stage, job.total) == ("onoma resolve", "kb.duckdb", "sampling", 100)
    assert [name for name, _ in job.stages] == ["canopies"]
    assert not job.heeds
    assert list(tmp_path.iterdir()) == []


def test_time_left_is_told_where_it_can_be(tmp_path):
    with noted(tmp_path / "kb.duckdb", "x", SILENT, NEVER) as (progress, _), progress.task("a", total=4) as task:
        task.advance(1)
        progress.write(now=True)
        [job] = list_jobs(tmp_path)
    assert job.seconds_left(job.stage_started + 10) == pytest.approx(30)


def test_work_that_heeds_hears(tmp_path):
    with noted(tmp_path / "kb.duckdb", "x", SILENT, NEVER) as (_, stop):
        [job] = list_jobs(tmp_path)
        assert not ask_to_stop(tmp_path, job.note)  # it does not heed now
        with stop.heeded() as asked:
            assert not asked()
            assert not ask_to_stop(tmp_path, "other")
            assert ask_to_stop(tmp_path, job.note)
            assert asked()
            assert list_jobs(tmp_path)[0].is_asked
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_nothing_and_no_target_notes_nothing(tmp_path):
    with pytest.raises(KeyError), noted(tmp_path / "kb.duckdb", "x", SILENT, NEVER):
        raise KeyError
    with noted(None, "x", SILENT, NEVER) as given:
        assert given == (SILENT, NEVER)
    with noted(tmp_path / "nowhere" / "kb.duckdb", "x", SILENT, NEVER) as given:
        assert given == (SILENT, NEVER)
    assert list(tmp_path.iterdir()) == []


def test_notes_of_others_do_no_harm(tmp_path):
    (tmp_path / ".a.job").write_text("no JSON")
    (tmp_path / ".b.job").write_text(json.dumps({"unknown": 1}))
    assert list_jobs(tmp_path) == []


def test_what_killed_work_left_goes_when_the_next_begins(tmp_path):
    with noted(tmp_path / "kb.duckdb", "x", SILENT, NEVER) as _:
        [mine] = tmp_path.iterdir()
        dead = mine.name.replace(f"-{os.getpid()}-", "-99999999-")
    for each in (dead, f"{dead}.tmp", f"{dead}.stop"):
        (tmp_path / each).write_text("{}")
    (tmp_path / dead.replace("kb.duckdb", "other.duckdb")).write_text("{}")
    with noted(tmp_path / "kb.duckdb", "x", SILENT, NEVER):
        assert not list(tmp_path.glob(f"{dead}*"))
    assert [each.name for each in tmp_path.iterdir()] == [dead.replace("kb.duckdb", "other.duckdb")]
