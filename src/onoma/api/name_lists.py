"""`onoma.names`."""

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import pyarrow as pa

from onoma.api.tables import Table, Tabular, as_columns, is_path, take
from onoma.pipeline.names import (
    NameColumns,
    NamesOutcome,
    PhylogenySettings,
    cluster_names,
    mentions_of,
    named_columns,
    read_mentions,
)
from onoma.progress import SILENT, Progress

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NamesResult", "names"]


class NamesResult(Table):
    """Which names are of one thing: name, entity, title, probability, parent (the name it was copied from), edit."""

    def __init__(self, outcome: NamesOutcome, index: "pd.Index | None" = None) -> None:
        super().__init__(outcome.table, index)
        self.outcome = outcome
        """What the model found out, in arrays."""

    @property
    def n_entities(self) -> int:
        """How many things the names are of."""
        return self.outcome.n_entities


def names(
    names: Tabular,
    *,
    apart: bool = False,
    settings: PhylogenySettings | None = None,
    seed: int = 0,
    progress: Progress = SILENT,
    **columns: Unpack[NameColumns],
) -> NamesResult:
    """Cluster a bare list of names, without labels: which were copied from which?

    Parameters
    ----------
    names
        A list or Series of names; a file with one a line; or a table in any form.
    apart
        One name may be of several things: each mention descends for itself.
    settings
        How; its seed wins over `seed`.
    seed
        The same seed gives the same result.
    columns
        Of a table, the columns `name`, `kind`, `document`, `context`, `language` and `date`: the names; names of
        different kinds are never one; where, around what, in which language and when each was written.

    Examples
    --------
    >>> import onoma
    >>> found = onoma.names(["Ada Lovelace", "A. Lovelace", "Alan Turing"])
    >>> found["entity"].to_pylist(), found["edit"].to_pylist()
    ([0, 0, 1], ['', 'initial of Ada', ''])
    """
    settings = settings or PhylogenySettings(seed=seed)
    named = named_columns(columns)
    if is_path(names):
        found = read_mentions(Path(names), is_apart=apart, seed=settings.seed, **columns)
        return NamesResult(cluster_names(found, settings=settings, progress=progress))
    listed = as_columns(names)
    index = getattr(names, "index", None) if type(names).__module__.startswith("pandas") else None
    if listed is not None:
        table = pa.table({"name": pa.array([None if each is None else str(each) for each in listed], pa.string())})
    else:
        table = take(names).table
    found = mentions_of(table, Path("the table"), columns=named, is_apart=apart, seed=settings.seed)
    return NamesResult(cluster_names(found, settings=settings, progress=progress), index)


def _with_columns() -> inspect.Signature:
    """Return the signature of `names` with the columns by name, for help and editors that run the program."""
    own = inspect.signature(names)
    fixed = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=str | None)
        for name in NameColumns.__annotations__
    ]
    return own.replace(parameters=[*fixed, *named])


names.__signature__ = _with_columns()  # type: ignore[attr-defined]
