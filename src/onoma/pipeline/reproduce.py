"""Published tables, side by side with ours, from the same code users run.

A *study* is one table or figure of one paper: a function from a `Context` to `Findings`. Studies live one system a
file in `pipeline/studies/` or in a room of it; each file ends in a tuple `STUDIES`, and `catalogue()` gathers them.
"""

import importlib
import json
import os
import pkgutil
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from onoma.errors import DataError, SettingsError
from onoma.progress import SILENT, Progress

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Context", "Findings", "Row", "Study", "catalogue", "find", "reproduce"]


@dataclass(frozen=True)
class Row:
    """One number of a published table beside ours."""

    setting: str
    metric: str
    paper: float | None
    ours: float
    unit: str = ""


@dataclass(frozen=True)
class Findings:
    """What a study found: rows, sentences that say what they show, pictures by file stem."""

    rows: Sequence[Row]
    notes: Sequence[str] = ()
    charts: "Mapping[str, alt.TopLevelMixin]" = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """What a study may use."""

    quick: bool = False
    seed: int = 0
    data: Path | None = None
    progress: Progress = SILENT
    parts: Path | None = None
    """Where finished parts of a long study are kept until all of it is done."""

    def once(self, name: str, work: Callable[[], Sequence[Row]]) -> Sequence[Row]:
        """Return the rows of a part of a study, from an earlier run that was broken off where there are any."""
        if self.parts is None:
            return work()
        path = self.parts / f"{name}{' quick' * self.quick} seed {self.seed}.json"
        if path.exists():
            return [Row(**row) for row in json.loads(path.read_text("utf-8"))]
        rows = work()
        self.parts.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".part")
        fresh.write_text(json.dumps([asdict(row) for row in rows]), "utf-8")
        fresh.replace(path)
        return rows

    def has(self, path: str) -> bool:
        """Say whether the data folder holds a file."""
        root = self.data if self.data is not None else _data_from_environment()
        return root is not None and (root / path).exists()

    def file(self, path: str) -> Path:
        """Return a file of the data folder, or say how to get it."""
        root = self.data if self.data is not None else _data_from_environment()
        if root is None or not (root / path).exists():
            raise DataError(
                f"this study needs {path}, and "
                + ("no data folder is set" if root is None else f"{root} does not hold it"),
                hint="Set ONOMA_DATA (or --data) to a folder laid out as docs/data.md says.",
            )
        return root / path


@dataclass(frozen=True)
class Study:
    """One published table or figure."""

    name: str
    title: str
    paper: str
    run: Callable[[Context], Findings]


def catalogue() -> dict[str, Study]:
    """Return every study by name, in order."""
    from onoma.pipeline import studies

    found = []
    for module in pkgutil.walk_packages(studies.__path__, studies.__name__ + "."):
        if not module.ispkg and "._" not in module.name:
            found += importlib.import_module(module.name).STUDIES
    return {study.name: study for study in sorted(found, key=lambda study: study.name)}


def find(name: str) -> Study:
    """Return the study of that name, or say which there are."""
    known = catalogue()
    if name not in known:
        raise SettingsError(f"there is no study {name!r}", hint="Known studies: " + ", ".join(known))
    return known[name]


def reproduce(name: str, context: Context | None = None, *, out: Path | None = None) -> Findings:
    """Run one study; with a folder, leave its rows (JSON) and pictures (PNG and HTML) there.

    Long studies keep their parts in the folder, too: the same call goes on where one was broken off.
    """
    context = context or Context()
    study = find(name)
    stem = name.replace("/", "-")
    if out is not None:
        context = replace(context, parts=out / f"{stem}.parts")
    findings = study.run(context)
    if out is not None:
        shutil.rmtree(out / f"{stem}.parts", ignore_errors=True)
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{stem}.json").write_text(json.dumps(as_json(study, findings, context), indent=1) + "\n", "utf-8")
        for chart, picture in findings.charts.items():
            picture.save(out / f"{chart}.png", scale_factor=2)
            picture.save(out / f"{chart}.html", inline=True)
    return findings


def as_json(study: Study, findings: Findings, context: Context) -> dict[str, object]:
    """Return one JSON-ready object: what was run, the rows, the notes."""
    return {
        "study": study.name,
        "title": study.title,
        "paper": study.paper,
        "command": f"onoma reproduce {study.name}{' --quick' * context.quick} --seed {context.seed}",
        "rows": [asdict(row) for row in findings.rows],
        "notes": list(findings.notes),
    }


def _data_from_environment() -> Path | None:
    value = os.environ.get("ONOMA_DATA")
    return Path(value) if value else None
