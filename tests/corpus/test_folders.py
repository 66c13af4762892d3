"""Files of a folder that appear together."""

import os

import pytest

from onoma.beside import working_place
from onoma.corpus.writers import folders
from onoma.corpus.writers.folders import folder_for, sweep_folder
from onoma.errors import DataError

NAMES = ("a.csv", "b.csv", "c.csv")


def write(target, text, names=NAMES):
    with folder_for(target, drop=NAMES) as folder:
        for name in names:
            (folder / name).write_text(text)
            yield name


def content(target):
    return {each.name: each.read_text() for each in target.iterdir() if each.is_file()}


@pytest.mark.parametrize("before", [None, "old"])
def test_all_or_nothing(tmp_path, before):
    target = tmp_path / "out"
    if before:
        list(write(target, before))
        (target / "mine.txt").write_text("kept")
    was = content(target) if before else None
    for last in (1, 2, 3):
        writing = write(target, "new")
        for _ in range(last):
            next(writing)
        with pytest.raises(ZeroDivisionError):
            writing.throw(ZeroDivisionError())
        assert (content(target) if target.exists() else None) == was
    list(write(target, "new"))
    assert content(target) == dict.fromkeys(NAMES, "new") | ({"mine.txt": "kept"} if before else {})
    assert not list(tmp_path.rglob(".*"))


def test_a_file_of_an_earlier_result_goes(tmp_path):
    list(write(tmp_path / "out", "old"))
    list(write(tmp_path / "out", "new", NAMES[:2]))
    assert content(tmp_path / "out") == dict.fromkeys(NAMES[:2], "new")


def test_what_was_killed_while_moving_is_brought_to_its_end(tmp_path, monkeypatch):
    target = tmp_path / "out"
    list(write(target, "old"))
    moved = []

    def killed(place, into):
        if moved:
            raise KeyboardInterrupt
        moved.append(place)

    real = os.replace
    monkeypatch.setattr("pathlib.Path.replace", lambda self, into: (killed(self, into), real(self, into))[1])
    monkeypatch.setattr(folders, "remove", lambda place: None)  # nobody tidies up after a kill
    with pytest.raises(KeyboardInterrupt):
        list(write(target, "new"))
    monkeypatch.undo()
    assert set(content(target).values()) == {"old", "new"}
    ready = next(target.glob(".*.ready"))
    dead = ready.with_name(ready.name.replace(f"-{os.getpid()}-", "-99999999-"))
    ready.rename(dead)
    assert sweep_folder(target) == [dead]
    assert content(target) == dict.fromkeys(NAMES, "new")
    assert not list(tmp_path.rglob(".*"))


def test_a_half_folder_of_a_dead_process_goes_and_that_of_a_living_one_stays(tmp_path):
    target = tmp_path / "out"
    list(write(target, "old"))
    mine = working_place(target / target.name)
    dead = mine.with_name(mine.name.replace(f"-{os.getpid()}-", "-99999999-"))
    for each in (mine, dead):
        each.mkdir()
        (each / "a.csv").write_text("half")
    list(write(target, "new"))
    assert mine.exists() and not dead.exists()


def test_a_file_in_the_way(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(DataError, match="is a file"), folder_for(tmp_path / "out"):
        pass
