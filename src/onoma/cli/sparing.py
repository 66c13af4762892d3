"""A command never writes over a file that it reads, and puts in order what a killed one left where it writes."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from onoma.cli.console import Speaker
from onoma.cli.options import Encoding, OnError
from onoma.corpus.readers.source import reading
from onoma.corpus.writers.delimited import formulas
from onoma.corpus.writers.files import rejects_beside
from onoma.corpus.writers.folders import sweep_folder
from onoma.pipeline.targets import check_spared

__all__ = ["Sparing"]

_WRITTEN = ("output", "target", "picture", "svg", "report", "save")
"""The parameters that name a file or folder to be written; every other one that names a file is read."""
_CHANGED = ("kb", "into")
"""Those that name a knowledge base, which is changed by way of a copy."""
_NAMED_INSIDE = ("weights", "documents")
"""Settings that name a file."""


_TABLES = ("resolve", "export", "names", "simulate", "complete", "rules", "run")
"""Commands that write tables which people open in spreadsheets; `convert` has the option itself."""
_TEXTS = (".plan", ".names", ".lineage", ".evaluate", ".facts", ".relate", ".annotate", ".coref", ".extract", ".build")
"""Modules of commands that read text, of which each has the option `--encoding`."""
_MOST_NOTES = 10
_QUOTE, _ENCODING = "onoma.quote_formulas", "onoma.encoding"


class Sparing(TyperCommand):
    """A command that looks, before it begins, whether an output is one of its inputs; formulas in tables are said."""

    def __init__(self, name: str | None, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(name, **settings)
        if name in _TABLES:
            self.params.append(_added(_quote_formulas, _QUOTE))
        place = getattr(settings.get("callback"), "__module__", "")
        if place.endswith(_TEXTS) and "encoding" not in {each.name for each in self.params}:
            self.params.append(_added(_encoding, _ENCODING))

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  (typer keeps the class of contexts to itself)
        """Run the command."""
        read = [path for name, value in ctx.params.items() if name not in _WRITTEN for path in _paths(value)]
        read += [*_extractors(ctx.params.get("parse")), *_from_settings(ctx.params.get("settings"))]
        targets = [path for name in _WRITTEN for path in _paths(ctx.params.get(name))]
        for target in targets:
            for place in self._files(target, ctx.params):
                check_spared(place, read)
        speaker = Speaker(quiet=bool(ctx.params.get("quiet")))
        for target in (*targets, *(path for name in _CHANGED for path in _paths(ctx.params.get(name)))):
            for left in sweep_folder(target.resolve()):
                speaker.note(f"put in order what a killed run left: {left}")
        Speaker.said.clear()
        with (
            formulas(quote=bool(ctx.meta.get(_QUOTE))) as armed,
            reading(ctx.meta.get(_ENCODING) or ctx.params.get("encoding")) as read_so,
        ):
            answer = super().invoke(ctx)
        unsaid = [note for note in dict.fromkeys(read_so.notes) if not any(note in each for each in Speaker.said)]
        for note in unsaid[:_MOST_NOTES]:
            speaker.note(note)
        if armed.n_written and self.name in _TABLES:
            said = "they were written with an apostrophe before them" if armed.quote else _ARMED
            speaker.note(f"{armed.n_written:,} values begin as formulas of a spreadsheet do; {said}")
        return answer

    def _files(self, target: Path, params: dict[str, Any]) -> list[Path]:
        """Return every file that may be written for a target."""
        files = [target]
        if self.name == "resolve":
            from onoma.pipeline.output import files_of

            files = files_of(target)
        elif self.name == "export":
            from onoma.kb.exports.write import exported_files

            files = exported_files(target, str(params.get("kind")))
        return [*files, rejects_beside(target)] if params.get("on_error") == OnError.reject else files


_ARMED = "--quote-formulas makes them harmless there"


def _quote_formulas(
    quote_formulas: Annotated[
        bool, typer.Option("--quote-formulas", help="Write ' before values of CSV that a spreadsheet would run.")
    ] = False,
) -> None: ...


def _encoding(encoding: Encoding = None) -> None: ...


def _added(only: Callable[..., None], key: str) -> Any:  # noqa: ANN401
    """Return the one option of a function; commands need not know of it, for it is heeded where files are opened."""

    def keep(ctx: Any, parameter: object, value: object) -> None:  # noqa: ANN401, ARG001
        ctx.meta[key] = value

    alone = typer.Typer(add_completion=False)
    alone.command()(only)
    option: Any = typer.main.get_command(alone).params[0]
    option.callback, option.expose_value = keep, False
    return option


def _from_settings(path: object) -> list[Path]:
    """Return the files that a file of settings names."""
    if not isinstance(path, Path):
        return []
    from onoma.resolve.config import read_config

    config = read_config(path)
    named = (getattr(config, name) for name in _NAMED_INSIDE)
    return [*(Path(name) for name in named if name is not None), *map(Path, config.parse.values())]


def _extractors(said: object) -> list[Path]:
    """Return the folders that `--parse COLUMN=FOLDER` names."""
    return [Path(each.partition("=")[2]) for each in said if each.partition("=")[2]] if isinstance(said, list) else []


def _paths(value: object) -> Iterator[Path]:
    """Yield what could be a file: paths, and texts, of which some options take a file or a word."""
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, Path | str) and each:
            yield Path(each)
