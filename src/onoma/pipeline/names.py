"""From a list of names to entities and their family trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.readers.source import read_lines_of
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError, SettingsError
from onoma.kb.database import is_knowledge_base, read_knowledge_base
from onoma.kb.query import record_rows, show, word_scores
from onoma.progress import SILENT, Progress
from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.models.phylogeny.lineage import FamilyTree, draw_tree, known_tree, likely_parents, tell_tree
from onoma.resolve.models.phylogeny.model import Mentions, Phylogeny, PhylogenySettings, fit_names
from onoma.resolve.models.phylogeny.topics import find_topics, tokens_of
from onoma.resolve.names.edits import name_edit
from onoma.resolve.names.references import link_names

__all__ = [
    "FamilyTree",
    "NameColumns",
    "NamesOutcome",
    "PhylogenySettings",
    "cluster_names",
    "draw_tree",
    "find_tree",
    "is_knowledge_base",
    "link_to_references",
    "mentions_of",
    "named_columns",
    "read_lineage",
    "read_mentions",
    "tell_tree",
    "tree_from_knowledge_base",
]

_PLAIN = (".txt", ".lst", ".names")


@dataclass(frozen=True, eq=False)
class NamesOutcome:
    """What came of a list of names."""

    mentions: Mentions
    phylogeny: Phylogeny
    table: pa.Table
    """For each name given: name, entity, title (the entity's first name), probability, parent, edit."""

    @property
    def n_entities(self) -> int:
        """How many things the names are of."""
        return self.phylogeny.consensus.clustering.n_entities


class NameColumns(TypedDict, total=False):
    """Which column holds what is known of names. The text of the context becomes topics."""

    name: str | None
    kind: str | None
    document: str | None
    context: str | None
    language: str | None
    date: str | None


def named_columns(columns: NameColumns) -> tuple[str | None, ...]:
    """Return the columns in the order in which they are told; one that there is not is refused."""
    unknown = sorted(set(columns) - set(NameColumns.__annotations__))
    if unknown:
        known = ", ".join(NameColumns.__annotations__)
        raise SettingsError(f"names have no {unknown[0]!r}", hint=f"What is known of names is in columns: {known}.")
    given: Mapping[str, str | None] = dict(columns)  # type: ignore[arg-type]
    return tuple(given.get(each) for each in NameColumns.__annotations__)


def read_mentions(
    path: Path,
    *,
    is_apart: bool = False,
    n_topics: int = 16,
    seed: int = 0,
    **columns: Unpack[NameColumns],
) -> Mentions:
    """Read names: one a line, or the columns of a table.

    Parameters
    ----------
    path
        A text file, or a table of any format.
    is_apart
        One name may be of several things.
    columns
        See `NameColumns`.
    """
    named = named_columns(columns)
    if path.suffix.lower() in _PLAIN:
        if any(named):
            raise SettingsError(
                f"{path} is a list of names, which has no columns", hint="Give a table (.csv, .parquet…)."
            )
        lines = read_lines_of(path, encoding=None, notes=[]).removeprefix("\ufeff").splitlines()
        return Mentions(_some([line.strip() for line in lines if line.strip()], path), is_apart=is_apart)
    return mentions_of(
        read_table(path).table,
        path,
        columns=named,
        is_apart=is_apart,
        n_topics=n_topics,
        seed=seed,
    )


def mentions_of(
    table: pa.Table,
    path: Path = Path("the table"),
    *,
    columns: Sequence[str | None] = (None,) * 6,
    is_apart: bool = False,
    n_topics: int = 16,
    seed: int = 0,
) -> Mentions:
    """Return the names of a table; `columns` are those of `read_mentions`, `path` is what it is called."""
    wanted = (columns[0] or _name_column(table, path), *columns[1:])
    names, kinds, documents, contexts, languages, dates = (_column(table, path, each) for each in wanted)
    topics = None
    if contexts is not None:
        topics = find_topics(tokens_of(contexts), n_topics=n_topics, seed=seed).most
    years = None if dates is None else _years(dates)
    names = _some(names or [], path)
    return Mentions(names, kinds, documents, topics, languages=languages, years=years, is_apart=is_apart)


def _some(names: list[str], path: Path) -> list[str]:
    if not names:
        raise DataError("there are no names in it", file=path, hint="It holds one name a line, or a column of names.")
    return names


def _years(dates: Sequence[str]) -> NDArray[np.float64]:
    """Read dates of many forms as years and parts of years; NaN where there is none.

    Examples
    --------
    >>> _years(["1853", "1 July 1900", "n/a"]).tolist()
    [1853.0, 1900.5, nan]
    """
    found = np.full(len(dates), np.nan)
    for i, date in enumerate(KINDS["date"].normalise(dates)):
        if date[:4].isdigit() and int(date[:4]) > 0:
            found[i] = int(date[:4]) + max(int(date[5:7]) - 1, 0) / 12
    return found


def _column(table: pa.Table, path: Path, name: str | None) -> list[str] | None:
    if name is None:
        return None
    if name not in table.column_names:
        raise DataError(f"there is no such column; there are {', '.join(table.column_names)}", file=path, column=name)
    return [str(value) if value is not None else "" for value in table.column(name).to_pylist()]


def _name_column(table: pa.Table, path: Path) -> str:
    if "name" in table.column_names:
        return "name"
    texts = [each for each in table.column_names if pa.types.is_string(table.schema.field(each).type)]
    if len(texts) == 1:
        return texts[0]
    raise SettingsError(
        f"{path} has the columns {', '.join(table.column_names)}; which has the names?",
        hint="Say so with --name COLUMN.",
    )


def cluster_names(
    mentions: Mentions | Sequence[str],
    *,
    settings: PhylogenySettings | None = None,
    progress: Progress = SILENT,
) -> NamesOutcome:
    """Cluster names, and tell of each from which it descends.

    Examples
    --------
    >>> outcome = cluster_names(["Ada Lovelace", "A. Lovelace", "Alan Turing"])
    >>> outcome.table.column("entity").to_pylist(), outcome.table.column("edit").to_pylist()
    ([0, 0, 1], ['', 'initial of Ada', ''])
    """
    mentions = mentions if isinstance(mentions, Mentions) else Mentions(mentions)
    phylogeny = fit_names(mentions, settings=settings, progress=progress)
    nodes, texts = phylogeny.nodes, phylogeny.names.texts
    parents = likely_parents(phylogeny)
    clustering = phylogeny.consensus.clustering
    name = [texts[i] for i in nodes.name.tolist()]
    first = np.zeros(clustering.n_entities, dtype=np.int64)
    first[clustering.labels[parents < 0]] = np.flatnonzero(parents < 0)
    parent = [None if p < 0 else name[p] for p in parents.tolist()]
    edit = ["" if up is None else name_edit(up, each) for up, each in zip(parent, name, strict=True)]
    place = nodes.place.tolist()
    entity = clustering.labels[nodes.place]
    table = pa.table(
        {
            "name": pa.array(mentions.names, pa.string()),
            "entity": pa.array(entity),
            "title": pa.array([name[i] for i in first[entity].tolist()], pa.string()),
            "probability": pa.array(phylogeny.probability.round(4)),
            "parent": pa.array([parent[i] for i in place], pa.string()),
            "edit": pa.array([edit[i] for i in place], pa.string()),
        }
    )
    return NamesOutcome(mentions, phylogeny, table)


def link_to_references(
    mentions: Mentions, references: Mentions, *, least: float = 0.5, progress: Progress = SILENT
) -> pa.Table:
    """Find for each name the reference it stands for: name, reference (null: none is likely enough), probability, edit.

    Examples
    --------
    >>> table = link_to_references(Mentions(["A. Lovelace", "Plato"]), Mentions(["Ada Lovelace", "Alan Turing"]))
    >>> table.column("reference").to_pylist()
    ['Ada Lovelace', None]
    """
    links = link_names(references.names, mentions.names, progress=progress)
    sure = (links.probability > least) & (links.reference >= 0)
    found = [
        references.names[reference] if is_sure else None
        for reference, is_sure in zip(links.reference.tolist(), sure.tolist(), strict=True)
    ]
    return pa.table(
        {
            "name": pa.array(mentions.names, pa.string()),
            "reference": pa.array(found, pa.string()),
            "probability": pa.array(links.probability.round(4)),
            "edit": pa.array(
                ["" if up is None else name_edit(up, each) for up, each in zip(found, mentions.names, strict=True)],
                pa.string(),
            ),
        }
    )


def find_tree(table: pa.Table, wanted: str) -> FamilyTree:
    """Return the family tree of an entity, given its number or any of its names, from the table of `cluster_names`."""
    missing = {"name", "entity", "parent"} - set(table.column_names)
    if missing:
        raise DataError(
            f"the table has no column {', '.join(sorted(missing))}", hint="Make one with: onoma names FILE -o OUT.csv"
        )
    entities = pc.cast(table.column("entity"), pa.string())
    names = table.column("name")
    rows = pc.equal(entities, wanted)
    if not pc.any(rows).as_py():
        hit = pc.index(names, pa.scalar(wanted, names.type)).as_py()
        if hit < 0:
            raise DataError(f"there is no entity and no name {wanted!r}", hint=_near(names.to_pylist(), wanted))
        rows = pc.equal(entities, entities[hit].as_py())
    return _tree(table.filter(rows))


def _near(names: Sequence[str], wanted: str, most: int = 3) -> str:
    """Return a hint with the names most alike."""
    distinct = list(dict.fromkeys(name for name in names if name))
    scores = word_scores(wanted, [name.lower() for name in distinct])
    best = [distinct[i] for i in np.argsort(-scores, kind="stable")[:most] if scores[i] >= _ALIKE]
    if not best:
        return "Give a name as it stands in the file, or the number of an entity."
    return f"Did you mean {', '.join(map(repr, best[:-1]))}{' or ' if best[:-1] else ''}{best[-1]!r}?"


_ALIKE = 60.0
"""Of 100: how alike a name must be to be suggested."""


def _tree(rows: pa.Table) -> FamilyTree:
    names = rows.column("name").to_pylist()
    parents = dict(zip(names, rows.column("parent").to_pylist(), strict=True))
    distinct = list(parents)
    place = {name: i for i, name in enumerate(distinct)}
    up = [place.get(parents[name] or "", -1) for name in distinct]
    up = [-1 if parent == i else parent for i, parent in enumerate(up)]
    return FamilyTree(distinct, up, [names.count(name) for name in distinct])


def tree_from_knowledge_base(path: Path, wanted: str, *, columns: Sequence[str] = ()) -> FamilyTree:
    """Return the family tree of the names that an entity of a knowledge base has.

    Parameters
    ----------
    wanted
        An entity, or a name, roughly.
    columns
        Those that make up a name; none: `name`, or all that have "name" in theirs.
    """
    with read_knowledge_base(path) as base:
        found = show(base, wanted, most=1)
        if not found:
            hint = "onoma show KB NAME finds entities."
            raise DataError(f"there is no entity like {wanted!r}", file=path, hint=hint)
        rows = record_rows(base, found[0].entity)
    known = list(dict.fromkeys(column for row in rows for column in row))
    chosen = list(columns) or (
        ["name"] if "name" in known else [column for column in known if "name" in column.lower()]
    )
    missing = [column for column in chosen if column not in known]
    if missing or not chosen:
        raise SettingsError(
            f"there is no column {', '.join(missing) or 'of names'}; there are {', '.join(known)}",
            hint="Say which columns make up a name: --name given_name --name surname.",
        )
    names = [" ".join(str(row[column]) for column in chosen if row.get(column)) for row in rows]
    return known_tree([name for name in names if name])


def read_lineage(path: Path, *, progress: Progress = SILENT) -> pa.Table:
    """Read the table that `onoma names` wrote; a list of names is clustered first."""
    if path.suffix.lower() in _PLAIN:
        return cluster_names(read_mentions(path), progress=progress).table
    return read_table(path).table
