"""Records that are mentions in context: found among the fields of a table, resolved, told as the other models tell."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, SettingsError
from onoma.progress import NEVER, Stop
from onoma.resolve.contract import RunContext
from onoma.resolve.fields.field import FieldData
from onoma.resolve.models.cross_document.evidence import NATS, prepare_mentions
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings, step
from onoma.resolve.models.cross_document.membership import membership
from onoma.resolve.models.cross_document.run import Round, run_rounds, with_entities
from onoma.resolve.posterior.checkpoint import Checkpoint
from onoma.resolve.posterior.consensus import Consensus
from onoma.resolve.posterior.sampling import Stopped, Tally

__all__ = ["FoundMentions", "MentionFields", "find_mentions", "resolve_fields"]

CONTEXT = ("context", "text", "snippet", "sentence", "passage", "abstract", "description")
NAME = ("name", "mention", "anchor", "title", "label")
DOCUMENT = ("document", "document_id", "doc", "doc_id", "page", "url", "article")
"""What such columns are called, the likeliest first."""
_NAMED = ("person", "organisation", "place", "text")
"""Kinds of fields that may be a name, the best first."""
_LONG = 5.0
"""Words from which on a text is a context, on average."""
_WORLD = ("entity", "sub", "super")
"""The columns that a round changes."""


@dataclass(frozen=True, eq=False)
class MentionFields:
    """Which fields are what."""

    context: Sequence[FieldData]
    name: FieldData | None
    """None: all mentions have one name, or nothing is known of it."""
    document: FieldData | None


def find_mentions(fields: Sequence[FieldData]) -> MentionFields:
    """Find the context, the name and the document among fields."""
    context = [field for field in fields if field.kind == "text" and field.name.lower() in CONTEXT]
    if not context:
        context = [field for field in fields if field.kind == "text" and _mean_words(field) >= _LONG]
    if not context:
        said = ", ".join(f"{field.name} ({field.kind})" for field in fields)
        raise SettingsError(
            f"the model cross-document needs a column of text around each mention; the fields are {said}",
            hint="Say which column it is: --field COLUMN=text; or name a table of documents: --documents FILE.",
        )
    others = [field for field in fields if field not in context]
    return MentionFields(context, _named(others), _called(others, DOCUMENT))


def _named(fields: Sequence[FieldData]) -> FieldData | None:
    called = _called(fields, NAME)
    if called is not None:
        return called
    for kind in _NAMED:
        found = [field for field in fields if field.kind == kind]
        if found:
            return max(found, key=_mean_words)
    return None


def _called(fields: Sequence[FieldData], names: Sequence[str]) -> FieldData | None:
    for name in names:
        for field in fields:
            if field.name.lower() == name:
                return field
    return None


def _mean_words(field: FieldData) -> float:
    words = [value.count(" ") + 1 for value in field.values]
    return float(np.average(words, weights=field.counts)) if words else 0.0


class FoundMentions(NamedTuple):
    """Who is who among mentions."""

    consensus: Consensus
    notes: tuple[str, ...]
    state: Checkpoint | None
    """All that is needed to go on, if the rounds were stopped before their end."""


def resolve_fields(
    fields: Sequence[FieldData],
    source: NDArray[np.int32] | None = None,
    *,
    n_entities: int | None = None,
    n_rounds: int | None = None,
    run: RunContext | None = None,
    stop: Stop = NEVER,
) -> FoundMentions:
    """Resolve mentions in context; return entities and how sure places are, what to say, and where it was stopped.

    Parameters
    ----------
    source
        The document of each mention, if that is known.
    n_entities
        Search the bias that gives so many; None: the bias that the data suggest.
    n_rounds
        How long to sample; None: as the settings of the model have it.
    stop
        Asks the rounds to end early.
    """
    run = run or RunContext()
    found = find_mentions(fields)
    prepared = prepare_mentions(*_mentions(found, source, len(fields[0].codes)), seed=run.seed)
    notes = [f"mentions: {_said(found, is_source=source is not None)}", *prepared.notes]
    used, stopped = prepared.settings, None
    if n_rounds is not None:
        used = replace(used, n_rounds=n_rounds)
    if n_entities is None:
        table, stopped = _rounds(prepared.table, used, run, stop)
    else:
        table, used = with_entities(prepared.table, used, n_entities, seed=run.seed, progress=run.progress, stop=stop)
        notes.append(f"the bias {used.bias:.4f} was searched for {n_entities:,} entities")
    nats = NATS if prepared.telling else 2.0 / max(used.bias, 1e-6)
    if stopped is not None:
        notes.append(f"stopped after {stopped.tally.n_done} of {used.n_rounds} rounds")
    consensus = Consensus(Clustering.from_labels(table["entity"]), membership(table, used, nats=nats))
    return FoundMentions(consensus, tuple(notes), None if stopped is None else Checkpoint(None, stopped))


def _mentions(
    found: MentionFields, source: NDArray[np.int32] | None, n: int
) -> tuple[list[str], list[str], Sequence[str] | None]:
    """Return names, contexts and documents."""
    contexts = [" ".join(filter(None, parts)) for parts in zip(*map(_texts, found.context), strict=True)]
    names = [""] * n if found.name is None else _texts(found.name)
    documents: Sequence[str] | None = None
    if source is not None:
        documents = [str(code) for code in source.tolist()]
    elif found.document is not None:
        # A mention without a document has one of its own.
        documents = [str(code if code >= 0 else -i - 2) for i, code in enumerate(found.document.codes.tolist())]
    return names, contexts, documents


def _rounds(
    table: pa.Table, settings: CrossDocumentSettings, run: RunContext, stop: Stop
) -> tuple[pa.Table, Stopped | None]:
    """Run the rounds that are left; return the table and, if they were stopped, all that is needed to go on."""
    tally = Tally.empty(0, 0, 0)
    if run.resume is not None:
        paused = run.resume.stopped
        if len(paused.state[_WORLD[0]]) != len(table):
            raise DataError("the stopped run had other mentions", hint="Start anew, without resuming.")
        tally.n_done = paused.tally.n_done
        for name in _WORLD:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, table.schema.field(at), pa.array(paused.state[name]))
    table, tally.n_done = _run(table, settings, run, stop, tally.n_done)
    if tally.n_done == settings.n_rounds:
        return table, None
    return table, Stopped(tally, {name: table[name].to_numpy() for name in _WORLD})


def _run(
    table: pa.Table, settings: CrossDocumentSettings, run: RunContext, stop: Stop, n_done: int
) -> tuple[pa.Table, int]:
    """Run rounds here or where they are carried; return the table and how many are done."""
    if run.carry is not None:
        return run.carry.rounds(table, step, settings, n_rounds=settings.n_rounds, n_done=n_done, stop=stop)
    done = [n_done]

    def watch(found: Round, _: pa.Table) -> bool:
        done.append(found.number + 1)
        return False

    table = run_rounds(table, settings, seed=run.seed, n_done=n_done, watch=watch, progress=run.progress, stop=stop)
    return table, done[-1]


def _said(found: MentionFields, *, is_source: bool) -> str:
    parts = ["no name" if found.name is None else f"the name is {found.name.name}"]
    parts.append(f"the context {' and '.join(field.name for field in found.context)}")
    if is_source:
        parts.append("the document the source")
    elif found.document is not None:
        parts.append(f"the document {found.document.name}")
    return ", ".join(parts)


def _texts(field: FieldData) -> list[str]:
    return ["" if code < 0 else field.examples[code] for code in field.codes.tolist()]
