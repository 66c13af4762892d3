"""Rounds end where they should, go on where they stood, and say what they did."""

import contextlib
import json
from dataclasses import replace

import pytest

from onoma.engines.local import LocalEngine
from onoma.errors import DataError, SettingsError
from onoma.pipeline.distributed import Stepping, run_rounds
from onoma.resolve.contract import RunContext
from onoma.resolve.partitions.rounds import RoundSettings
from reference.toy_rounds import SCHEMA, mentions, move

ROUNDS = RoundSettings(n_partitions=3, n_rounds=4, random_every=2)


def go(folder, *, engine=None, table=None, **changed):
    table = mentions(200, giant=0.3) if table is None else table
    with contextlib.ExitStack() as stack:
        engine = engine or stack.enter_context(LocalEngine(2))
        stepping = Stepping(changed.get("step", move), SCHEMA, changed.get("step_settings", {}))
        run = RunContext(seed=1, **{name: changed[name] for name in ("progress", "stop") if name in changed})
        run = replace(run, seed=changed.get("seed", 1))
        rounds, watch = changed.get("settings", ROUNDS), changed.get("watch")
        found = run_rounds(engine, lambda: engine.spread(table, 2), stepping, rounds, run, folder=folder, watch=watch)
        return engine.gather(found.rows, SCHEMA.names), found


class LoseTheDriverError(Exception):
    """What happens to a driver now and then."""


def test_a_lost_driver_goes_on_from_any_round(tmp_path):
    expected, through = go(tmp_path / "through")
    for lost_after in (1, 2, 3):

        def lose(n_done, rows, lost_after=lost_after):
            if n_done == lost_after:
                raise LoseTheDriverError

        folder = tmp_path / f"lost-{lost_after}"
        with pytest.raises(LoseTheDriverError):
            go(folder, watch=lose)
        seen = []
        found, resumed = go(folder, watch=lambda n_done, rows: seen.append(n_done))  # noqa: B023
        assert seen == list(range(lost_after + 1, 5))
        assert found.equals(expected)
        told = [(each.number, each.placement, each.n_entities) for each in resumed.manifest.rounds]
        assert told == [(each.number, each.placement, each.n_entities) for each in through.manifest.rounds]


def test_a_driver_lost_inside_a_round_does_it_again(tmp_path):
    expected, _ = go(tmp_path / "through")
    broken = []

    def fragile(partition, *, settings, seed, round, key):
        if round == 2 and not broken:
            broken.append(key)
            raise LoseTheDriverError
        return move(partition, settings=settings, seed=seed, round=round, key=key)

    with pytest.raises(LoseTheDriverError):
        go(tmp_path / "lost", step=fragile)
    assert json.loads((tmp_path / "lost" / "manifest.json").read_text())["rounds"][-1]["number"] == 2
    assert go(tmp_path / "lost", step=fragile)[0].equals(expected)


def test_without_a_folder_nothing_is_kept_and_the_answer_is_the_same(tmp_path):
    assert go(None)[0].equals(go(tmp_path)[0])
    with LocalEngine(1) as engine:
        engine.is_lazy = True
        with pytest.raises(SettingsError, match="needs a folder"):
            go(None, engine=engine)


def test_only_the_last_checkpoint_is_kept(tmp_path):
    go(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.json", "round-00004"]


def test_asked_to_stop_it_stops_between_rounds_and_goes_on(tmp_path):
    class AfterTwo:
        rounds = 0

        @contextlib.contextmanager
        def heeded(self):
            yield lambda: self.rounds == 2

    stop = AfterTwo()
    _, half = go(tmp_path / "half", stop=stop, watch=lambda n_done, rows: setattr(stop, "rounds", n_done))
    assert half.is_stopped and half.manifest.n_done == 2
    assert go(tmp_path / "half")[0].equals(go(tmp_path / "through")[0])


def test_another_input_seed_or_setting_is_another_run(tmp_path):
    go(tmp_path)
    with pytest.raises(SettingsError, match="another seed"):
        go(tmp_path, seed=2)
    with pytest.raises(SettingsError, match="another input"):
        go(tmp_path, table=mentions(200, seed=9))
    with pytest.raises(SettingsError, match="another settings"):
        go(tmp_path, settings=RoundSettings(n_partitions=4, n_rounds=4, random_every=2))
    with pytest.raises(SettingsError, match="another settings"):
        go(tmp_path, step_settings={"pause": 1})


def test_no_mentions_is_said(tmp_path):
    with pytest.raises(DataError, match="no mentions"):
        go(tmp_path, table=mentions(5).slice(0, 0))


def test_progress_counts_every_mention_of_every_round(tmp_path):
    class Count:
        def __init__(self):
            self.seen = {}

        def task(self, name, total=None, unit=""):
            self.name, self.total = name, total
            return self

        def advance(self, n=1, **facts):
            self.seen[self.name] = self.seen.get(self.name, 0) + n

        def __enter__(self):
            return self

        def __exit__(self, *_):
            assert self.seen[self.name] == self.total == 200

    count = Count()
    go(tmp_path, progress=count)
    assert list(count.seen) == [f"round {k} of 4" for k in range(1, 5)]
