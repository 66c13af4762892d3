"""`onoma build`: documents in, a knowledge base out.

read (annotate, find chains) → group across documents → link to entries → add up facts. The first stage is most of the
work and is kept document by document; the others are made again from it, with the same answer, by a run that goes on
after one that was killed. The knowledge base appears whole or not at all.
"""

import multiprocessing
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from onoma.corpus.documents import Text
from onoma.corpus.readers.texts import find_files, read_texts
from onoma.engines.engine import ignore_interrupts
from onoma.errors import DataError, SettingsError
from onoma.kb.database import KnowledgeBase, create_knowledge_base, read_knowledge_base, write_knowledge_base
from onoma.kb.store import Run, note_run
from onoma.kb.texts import add_up_facts, is_from_text, make_text_tables
from onoma.linking.entities import EntityList
from onoma.pipeline.building.distant import known_facts, read_by_facts, take_facts
from onoma.pipeline.building.elsewhere import engine_batches
from onoma.pipeline.building.grouping import group_records, touched_by
from onoma.pipeline.building.parts import Kept, fingerprint
from onoma.pipeline.building.reading import Read, read_documents
from onoma.pipeline.building.storing import (
    Member,
    Place,
    append_reads,
    current_places,
    members_of,
    retract_documents,
    store_entities,
)
from onoma.pipeline.coreference import coref_model
from onoma.pipeline.linking import link_records, read_entities, root_entities
from onoma.pipeline.text.annotation import pipeline_named
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.text.documents.annotator import Pipeline, batches_of

__all__ = ["BuildJob", "BuildReport", "build", "identity_of"]

_BATCH = 40_000
"""Characters read together: enough for arrays, and little is lost by a kill."""


@dataclass(frozen=True)
class BuildJob:
    """What to build from, and where to.

    Parameters
    ----------
    inputs
        Files, folders, patterns; `-` for standard input.
    output
        The knowledge base: new, or (`into`) one that is there.
    into
        Whether documents are added to a knowledge base. Documents it has already are passed over; those whose text has
        changed are read again.
    source_format, text_field, id_field
        As `onoma annotate` takes them.
    annotator
        A folder of text models or `spacy:NAME`; None: those that come with Onoma.
    model
        A folder with a coreference model; None: the one that comes with Onoma.
    jobs
        How many processes read documents; the answer is the same.
    entities
        An entity list to link to: a table, JSON lines as Wikidata's, another knowledge base from text.
    seed
        Of the stage that groups across documents.
    is_resumed
        Whether documents that an earlier run read are used.
    command
        What the history says was asked.
    facts
        A table of known facts (subject, relation, object): what paths say of its relations between others is read. It
        is kept in the knowledge base, for documents that come later.
    engine
        Where documents are read: `processes[4]`, `spark://host:port`, …; None: here, by `jobs` processes.
    """

    inputs: tuple[str, ...]
    output: Path
    into: bool = False
    source_format: str | None = None
    text_field: str = "text"
    id_field: str = "id"
    annotator: str | None = None
    model: Path | None = None
    jobs: int = 1
    entities: Path | None = None
    seed: int = 0
    is_resumed: bool = True
    command: str = ""
    facts: Path | None = None
    engine: str | None = None


@dataclass
class BuildReport:
    """What was done."""

    documents: int = 0
    """Read by this run or by one that was broken off."""
    kept: int = 0
    """Of these, read by one that was broken off."""
    known: int = 0
    """Passed over: the knowledge base has them."""
    changed: int = 0
    records: int = 0
    mentions: int = 0
    entities: int = 0
    linked: int = 0
    """Entities with an entry of the list."""
    facts: int = 0
    learnt: int = 0
    """Facts of given relations that paths speak for."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    is_stopped: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        return asdict(self)


class _Given(NamedTuple):
    """Tables that are given beside the documents."""

    entities: EntityList | None
    facts: pa.Table | None


def build(job: BuildJob, *, progress: Progress = SILENT, stop: Stop = NEVER) -> BuildReport:
    """Build a knowledge base from documents, or add documents to one."""
    if job.jobs < 1:
        raise SettingsError(f"jobs is {job.jobs}; at least one is needed")
    if job.engine is not None and job.jobs > 1:
        raise SettingsError(f"both jobs ({job.jobs}) and an engine ({job.engine}) are named: one reads the documents")
    files = find_files(job.inputs)
    if not files:
        raise DataError("there is nothing to build from: no file was named")
    begun = time.perf_counter()
    pipeline = pipeline_named(job.annotator)
    identity = identity_of(pipeline, job.model)
    report = BuildReport()
    # Before the documents: who named a wrong file is told at once.
    given = _Given(
        None if job.entities is None else read_entities(job.entities),
        None if job.facts is None else known_facts(job.facts),
    )
    texts = _unique(
        text
        for file in files
        for text in read_texts(file, format=job.source_format, text_field=job.text_field, id_field=job.id_field)
    )
    known = _known(job.output) if job.into else {}
    kept = Kept(job.output.with_name(f"{job.output.name}.parts"), identity)
    kept.open(keep=job.is_resumed)
    wanted = [text for text in texts if not _is_known(text, identity, known, report)]
    if not _read_all(wanted, kept, pipeline, job, report, progress, stop):
        report.is_stopped = True
        return report
    report.seconds["read"] = time.perf_counter() - begun
    with ExitStack() as stack:
        open_base = write_knowledge_base if job.into else create_knowledge_base
        base = stack.enter_context(open_base(job.output))
        told, about = _store(base, job, wanted, kept, known, given, report, progress)
        note_run(base, told, time.perf_counter() - begun, about)
    kept.clear()
    return report


def identity_of(pipeline: Pipeline, model: Path | None = None) -> str:
    """Return what documents are read by: what another reader left is read again. The number is that of the reading."""
    return f"{pipeline.identity} {model or 'ontogum'} 7"


def _known(path: Path) -> dict[str, str]:
    """Return the documents of a knowledge base with their fingerprints."""
    with read_knowledge_base(path) as base:
        if not is_from_text(base):
            raise DataError(
                "was built from records, not from documents",
                file=path,
                hint="Add records to it with onoma resolve FILE --into KB; build a new one with -o NEW.duckdb.",
            )
        return dict(base.rows("SELECT document, fingerprint FROM documents"))


def _is_known(text: Text, identity: str, known: dict[str, str], report: BuildReport) -> bool:
    if known.get(text.document) == fingerprint(text, identity):
        report.known += 1
        return True
    report.changed += text.document in known
    return False


def _unique(texts: Iterable[Text]) -> Iterator[Text]:
    """Give documents of one name different ones."""
    seen: dict[str, int] = {}
    for text in texts:
        count = seen[text.document] = seen.get(text.document, 0) + 1
        yield text if count == 1 else Text(f"{text.document}~{count}", text.text, text.source, text.problem)


def _read_all(
    texts: list[Text],
    kept: Kept,
    pipeline: Pipeline,
    job: BuildJob,
    report: BuildReport,
    progress: Progress,
    stop: Stop,
) -> bool:
    """Read all documents into the folder; return whether it came to its end."""
    missing = []
    for text in texts:
        read = kept.load(text)
        if read is None:
            missing.append(text)
    report.documents, report.kept = len(texts), len(texts) - len(missing)
    with progress.task("reading", len(texts), "documents") as task, stop.heeded() as asked:
        task.advance(report.kept)
        for batch, reads in _batches(missing, pipeline, job):
            for text, read in zip(batch, reads, strict=True):
                kept.save(text, read)
            task.advance(len(batch))
            if asked():
                return False
    return True


def _batches(texts: list[Text], pipeline: Pipeline, job: BuildJob) -> Iterator[tuple[list[Text], list[Read]]]:
    """Yield each batch with what was read, here or by other processes."""
    model = None if job.model is None else str(job.model)
    if job.engine is not None:
        yield from engine_batches(texts, job.engine, job.annotator, model)
        return
    if job.jobs == 1:
        trained = coref_model(model)
        for batch in batches_of(texts, _BATCH):
            yield batch, read_documents(batch, pipeline, trained)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(job.jobs, context, _prepare, (job.annotator, model)) as pool:
        waiting: deque[tuple[list[Text], Future[list[Read]]]] = deque()
        for batch in batches_of(texts, _BATCH):
            waiting.append((batch, pool.submit(_read_there, batch)))
            if len(waiting) > 2 * job.jobs:
                done, future = waiting.popleft()
                yield done, future.result()
        while waiting:
            done, future = waiting.popleft()
            yield done, future.result()


_there: list[tuple[Pipeline, str | None]] = []
"""The stages of a worker process."""


def _prepare(annotator: str | None, model: str | None) -> None:
    ignore_interrupts()
    _there.append((pipeline_named(annotator), model))


def _read_there(batch: list[Text]) -> list[Read]:
    pipeline, model = _there[0]
    return read_documents(batch, pipeline, coref_model(model))


def _store(
    base: KnowledgeBase,
    job: BuildJob,
    texts: list[Text],
    kept: Kept,
    known: dict[str, str],
    given: _Given,
    report: BuildReport,
    progress: Progress,
) -> tuple[Run, dict[str, int]]:
    """Put what was read into a knowledge base, and all that follows from it; return what to note of this run."""
    run = 1
    if job.into:
        run = int(base.value("SELECT coalesce(max(run), 0) + 1 FROM runs"))
    else:
        make_text_tables(base)
    changed = [text.document for text in texts if text.document in known]
    gone = retract_documents(base, changed, run=run) if changed else []
    before = current_places(base) if job.into else []
    first = int(base.meta("next_record") or 0)
    new = append_reads(base, _reads(texts, kept, report), run=run, first=first)
    base.set_meta("next_record", first + len(new))
    lap = time.perf_counter()
    wanted = _touched(before, new, set(gone))
    scope = [*(members_of(base, wanted) if wanted else ()), *new]
    beside = [each for each in before if each.entity not in wanted]
    touched = _group(base, _Scope(scope, len(new), beside), given.entities, job, run, report, progress)
    report.seconds["group"] = time.perf_counter() - lap
    lap = time.perf_counter()
    with progress.task("facts", 1, "") as task:
        if given.facts is not None:
            take_facts(base, given.facts)
        read = read_by_facts(base)
        if read is not None:
            ends = f"{read.found:,} of {read.given:,} given facts have both ends among the entities"
            report.learnt, report.notes = read.learnt, (*report.notes, ends, read.note)
        report.facts = add_up_facts(base)
        task.advance()
    report.seconds["facts"] = time.perf_counter() - lap
    report.records = len(new)
    report.entities = int(base.value("SELECT count(DISTINCT entity) FROM memberships"))
    told = Run(
        run, "build", job.command or " ".join(sys.argv[:1]), len(new), len(changed), len(gone), n_touched=touched
    )
    about = {"rows": int(base.value("SELECT count(*) FROM memberships")), "entities": report.entities, "seed": job.seed}
    return told, about


def _reads(texts: Iterable[Text], kept: Kept, report: BuildReport) -> Iterator[tuple[str, Read]]:
    for text in texts:
        read = kept.load(text)
        if read is None:
            raise DataError("is gone while it was needed", file=kept.folder, hint="Run the same command again.")
        report.mentions += len(read.mentions)
        if read.document["problem"]:
            report.problems.append((text.document, str(read.document["problem"])))
        yield fingerprint(text, kept.identity), read


def _touched(before: list[Place], new: list[Member], parted: set[str]) -> set[str]:
    """Return the entities to look at again: those that new records may belong to, and those that lost one."""
    if not before:
        return set()
    names = [name for each in new for name in each.names]
    near = touched_by(names, [each.name for each in before]) if new else np.zeros(len(before), np.bool_)
    return parted | {each.entity for each, is_near in zip(before, near.tolist(), strict=True) if is_near}


class _Scope(NamedTuple):
    """The records to look at, the new ones last; and all others."""

    members: list[Member]
    n_new: int
    beside: list[Place]


def _group(
    base: KnowledgeBase,
    looked_at: _Scope,
    listed: EntityList | None,
    job: BuildJob,
    run: int,
    report: BuildReport,
    progress: Progress,
) -> int:
    """Group the records in scope; return how many there were."""
    begin, learnt = None, None
    scope = looked_at.members
    if job.into:
        numbers: dict[str, int] = {}
        begin = np.array([-1 if m.entity is None else numbers.setdefault(m.entity, len(numbers)) for m in scope])
        learnt = {
            name: float(value) for name, value in base.rows("SELECT key[8:], value FROM meta WHERE key LIKE 'weight:%'")
        }
    found = group_records(
        [each.as_row() for each in scope],
        seed=job.seed,
        begin=begin,
        learnt=learnt or None,
        beside=[{"name": each.name, "document": each.document} for each in looked_at.beside],
        progress=progress,
    )
    for each, p in zip(scope, found.probability.tolist(), strict=True):
        each.probability = p
    for name, value in found.learnt.items():
        base.set_meta(f"weight:{name}", value)
    report.notes = found.notes
    reason = "first run" if not job.into else "new documents"
    labels = found.labels
    if listed is not None:
        _link(base, scope[len(scope) - looked_at.n_new :], listed, progress)
    if any(each.candidates for each in scope):
        rooted = root_entities(labels, [each.candidates for each in scope])
        labels = rooted.labels
        for each, entry in zip(scope, rooted.entries, strict=True):
            each.entry = entry
    store_entities(base, scope, labels, run=run, reason=reason)
    report.linked = int(base.value("SELECT count(*) FROM entities WHERE entry IS NOT NULL"))
    return len(scope)


def _link(base: KnowledgeBase, new: list[Member], listed: EntityList, progress: Progress) -> None:
    """Say which entries new records may be, in the table of links too."""
    if not new:
        return
    with progress.task("linking", len(new), "records") as task:
        links = link_records([each.as_row() for each in new], listed)
        task.advance(len(new))
    rows = []
    for at, each in enumerate(new):
        each.candidates = links.ranked(at)
        rows += [
            {"id": each.id, "entry": entry, "probability": p, "rank": rank}
            for rank, (entry, p) in enumerate(each.candidates)
        ]
    base.append("links", pa.Table.from_pylist(rows))
