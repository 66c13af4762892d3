"""Studies keep their parts, so that a run which was broken off goes on."""

from functools import partial
from pathlib import Path

from onoma.pipeline.reproduce import Context, Row


def test_a_study_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    done: list[str] = []

    def part(name: str) -> list[Row]:
        done.append(name)
        return [Row(name, "metric", None, 1.0)]

    context = Context(parts=tmp_path / "parts")
    for _ in range(2):
        rows = [row for name in ("one", "two") for row in context.once(name, partial(part, name))]
    assert done == ["one", "two"]
    assert rows == [Row("one", "metric", None, 1.0), Row("two", "metric", None, 1.0)]
    assert Context().once("one", lambda: part("again"))[0].setting == "again"
    assert Context(seed=1, parts=tmp_path / "parts").once("one", lambda: part("seed"))[0].setting == "seed"
