"""`onoma.resolve` and `onoma.link`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from onoma.api.options import LinkOptions, ResolveOptions, with_options
from onoma.api.result import Result, fresh
from onoma.api.tables import Tabular, is_path, take
from onoma.errors import DataError
from onoma.pipeline.resolution import make_job, read_job, run_job
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.config import OPTIONS, ResolveConfig
from onoma.resolve.posterior.checkpoint import Checkpoint
from onoma.resolve.registry import AUTO, check, find_model

__all__ = ["link", "resolve"]


@with_options(ResolveOptions)
def resolve(
    table: Tabular,
    config: ResolveConfig | None = None,
    *,
    on_error: Literal["stop", "reject"] = "stop",
    progress: Progress = SILENT,
    stop: Stop = NEVER,
    resume: Checkpoint | None = None,
    **options: Unpack[ResolveOptions],
) -> Result:
    """Find out which rows of a table are the same thing: no labels, no rules, no thresholds.

    Parameters
    ----------
    table
        A file, a pandas or Polars frame, an Arrow table, a DuckDB relation, a list of dicts; or a list of files, which
        are then the sources.
    config
        How; options given besides win over it.
    on_error
        Whether a row of a file that cannot be read stops the work, or is left out and noted.
    progress
        Who is told how far the work is.
    stop
        Who may end sampling early: the answer is then that of the samples so far, and has a `checkpoint`.
    resume
        The checkpoint of a run that was stopped, on the same table with the same options.
    options
        See `ResolveConfig`.

    Returns
    -------
    Result
        The rows with their entities: `.to_pandas()`, `.pairs()`, `.explain(a, b)`, `.save("people.duckdb")`…

    Examples
    --------
    >>> import onoma
    >>> people = [
    ...     {"id": 1, "name": "Ada Lovelace", "born": 1815, "city": "London"},
    ...     {"id": 2, "name": "Ada Lovelace", "born": 1815, "city": "London"},
    ...     {"id": 3, "name": "Alan Turing", "born": 1912, "city": "Wilmslow"},
    ... ]
    >>> found = onoma.resolve(people, model="exact-match", seed=3)
    >>> found.n_entities, found["entity"].to_pylist()
    (2, ['e0', 'e0', 'e1'])
    """
    chosen = _chosen(config, options)
    if _are_paths(table):
        files = [Path(table)] if is_path(table) else [Path(each) for each in table]
        job = read_job(files, chosen, on_error=on_error)
        return fresh(run_job(job, progress=progress, stop=stop, resume=resume), read=files)
    taken = take(table)
    if not len(taken.table):
        raise DataError("there are no rows to resolve")
    job = make_job([taken.with_ids], [""], chosen)
    return fresh(run_job(job, progress=progress, stop=stop, resume=resume), taken.index)


@with_options(LinkOptions)
def link(
    a: Tabular,
    b: Tabular,
    config: ResolveConfig | None = None,
    *,
    names: tuple[str, str] = ("a", "b"),
    on_error: Literal["stop", "reject"] = "stop",
    progress: Progress = SILENT,
    **options: Unpack[LinkOptions],
) -> Result:
    """Find the rows of two tables that are the same thing.

    Parameters
    ----------
    a, b
        Tables, in any form that `resolve` takes.
    config
        How; options given besides win over it. With `one_to_one`, neither table has duplicates inside.
    names
        What the tables are called in the column `source`; files are called by their names.
    on_error, progress
        As `resolve` takes them.
    options
        See `ResolveConfig`.

    Returns
    -------
    Result
        The rows of both with their entities; `.pairs()` are the matches.
    """
    chosen = replace(_chosen(config, options), link=True)
    if is_path(a) and is_path(b):
        files = [Path(a), Path(b)]
        return fresh(run_job(read_job(files, chosen, on_error=on_error), progress=progress), read=files)
    tables, read = [], []
    for each in (a, b):
        if is_path(each):
            read.append(Path(each))
            tables.append(read_job([Path(each)], replace(chosen, **_TOGETHER), on_error=on_error).table)
        else:
            tables.append(take(each).with_ids)
    return fresh(run_job(make_job(tables, names, chosen), progress=progress), read=read)


_TOGETHER: dict[str, Any] = {"link": False, "one_to_one": False, "map": {}, "parse": {}}
"""What is done with the tables of a link when both are there."""


def _chosen(config: ResolveConfig | None, options: object) -> ResolveConfig:
    said: dict[str, Any] = dict(options)  # type: ignore[call-overload]
    given = {name: value for name, value in said.items() if value is not None or name not in OPTIONS}
    for name in ("also_compare", "exclude"):
        if isinstance(given.get(name), str):
            given[name] = [given[name]]
    chosen = ResolveConfig.of(given, base=config)
    if chosen.model != AUTO:  # before anything is read
        check(find_model(chosen.model), chosen)
    return chosen


def _are_paths(table: Tabular) -> bool:
    is_list = isinstance(table, Sequence) and not isinstance(table, str | bytes)
    return is_path(table) or (is_list and len(table) > 0 and all(is_path(each) for each in table))
