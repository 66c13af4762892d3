"""Annotating many documents: streamed, in several processes, and resumed where it was broken off.

Documents are read as a stream and annotated in batches. Each finished batch is kept in a folder beside the output
(`OUT.parts`) under a name that says what went in: a hash of its documents and of the models. When all are there, they
are written out in order and the folder goes. A run that was killed finds its batches again, so no document is annotated
twice and none is lost; what was kept for other documents or other models is never used. Batches are cut by their
characters, not by the number of workers: any number of them gives the same bytes.
"""

import hashlib
import multiprocessing
import shutil
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from onoma.beside import claimed, place_for
from onoma.corpus.documents import Annotations, Text
from onoma.corpus.readers.texts import find_files, read_texts
from onoma.corpus.writers.annotations import TABLES, annotation_format_of, write_annotations
from onoma.engines.engine import ignore_interrupts
from onoma.errors import DataError, SettingsError
from onoma.pipeline.targets import check_place, check_spared
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.text.documents.annotator import Pipeline, as_texts, batches_of

__all__ = ["AnnotationJob", "AnnotationReport", "annotate", "annotate_each", "annotate_files", "pipeline_named"]


@dataclass(frozen=True)
class AnnotationJob:
    """What to annotate, how, and where to.

    Parameters
    ----------
    inputs
        Files, folders, patterns; `-` for standard input.
    output
        A file whose name says the format, or a folder.
    source_format, target_format
        Where names do not say them.
    text_field, id_field
        Of JSON Lines.
    model
        A folder of models; `spacy:NAME` for a pipeline of spaCy; None: the models that come with Onoma.
    style
        How names are understood: `wiki` or another style of the model.
    jobs
        How many processes.
    is_resumed
        Whether batches that an earlier run left are used.
    """

    inputs: tuple[str, ...]
    output: Path
    source_format: str | None = None
    target_format: str | None = None
    text_field: str = "text"
    id_field: str = "id"
    model: str | None = None
    style: str = "wiki"
    jobs: int = 1
    is_resumed: bool = True


@dataclass(frozen=True)
class AnnotationReport:
    """What was done."""

    n_documents: int
    n_sentences: int
    n_tokens: int
    n_names: int
    n_kept: int
    """Documents that an earlier run had annotated."""
    problems: tuple[tuple[str, str], ...]
    """Documents that could not be read, or not wholly, and why; the first hundred."""
    n_problems: int
    is_stopped: bool


def annotate(
    texts: "str | Text | Iterable[str | Text]", *, model: str | None = None, style: str = "wiki"
) -> Annotations:
    """Annotate texts: tokens, tags, lemmas, trees, names and mentions, as four tables.

    Parameters
    ----------
    texts
        One text or many.
    model
        A folder of models; `spacy:NAME` for a pipeline of spaCy; None: the models that come with Onoma.
    style
        How names are understood: `wiki` or another style of the model.
    """
    pipeline = pipeline_named(model, style)
    return Annotations.concat([pipeline.annotate(batch) for batch in batches_of(as_texts(texts))])


def pipeline_named(model: str | None, style: str = "wiki") -> Pipeline:
    """Return the stages that a name means."""
    if model is not None and model.startswith("spacy:"):
        from onoma.text.documents.with_spacy import SpacyPipeline

        return SpacyPipeline.load(model.removeprefix("spacy:"))
    from onoma.text.documents.annotator import DocumentAnnotator

    return DocumentAnnotator.load(model, style=style)


def annotate_each(
    inputs: Sequence[str],
    *,
    source_format: str | None = None,
    text_field: str = "text",
    id_field: str = "id",
    model: str | None = None,
    style: str = "wiki",
) -> Iterator[Annotations]:
    """Annotate files, one document after the other; nothing is written."""
    pipeline = pipeline_named(model, style)
    texts = (
        text
        for file in find_files(inputs)
        for text in read_texts(file, format=source_format, text_field=text_field, id_field=id_field)
    )
    for batch in batches_of(texts):
        yield from pipeline.annotate(batch)


def annotate_files(job: AnnotationJob, *, progress: Progress = SILENT, stop: Stop = NEVER) -> AnnotationReport:
    """Annotate files; return what was done."""
    if job.jobs < 1:
        raise SettingsError(f"jobs is {job.jobs}; at least one is needed")
    kind = annotation_format_of(job.output, job.target_format)
    files = find_files(job.inputs)
    if not files:
        raise DataError("there is nothing to annotate: no file was named")
    check_place(job.output)
    _check_spared(job.output, kind, files)
    pipeline = pipeline_named(job.model, job.style)
    parts = _Parts(job.output.with_name(f"{job.output.name}.parts"), pipeline.identity)
    with claimed(parts.folder):  # two of them would take each other's batches away
        parts.open(keep=job.is_resumed)
        return _annotate_into(job, kind, files, pipeline, parts, progress, stop)


def _annotate_into(
    job: AnnotationJob,
    kind: str,
    files: Sequence[Path],
    pipeline: Pipeline,
    parts: "_Parts",
    progress: Progress,
    stop: Stop,
) -> AnnotationReport:
    texts = _unique(
        text
        for file in files
        for text in read_texts(file, format=job.source_format, text_field=job.text_field, id_field=job.id_field)
    )
    with progress.task("annotating", None, "documents") as task, stop.heeded() as asked:
        tally, names = _Tally(), []
        for name, batch in _done(parts, batches_of(texts), pipeline, job):
            names.append(name)
            tally.add(batch, is_kept=name in parts.found)
            task.advance(len(batch), tokens=tally.n_tokens)
            if asked():
                return tally.report(is_stopped=True)
    with progress.task(f"writing {job.output.name}", len(names), "batches") as task:
        write_annotations(parts.stream(names, task), job.output, format=kind)
    parts.clear()
    return tally.report(is_stopped=False)


def _check_spared(output: Path, kind: str, files: Sequence[Path]) -> None:
    """Refuse to write over a file that is read; brat's pairs are called as the documents are."""
    check_spared(output, files)
    if (
        kind == "brat"
        and output.is_dir()
        and any(output.samefile(file.absolute().parent) for file in files if file.is_file())
    ):
        hint = "Name another folder."
        raise DataError("is the folder of what is read, whose files would be lost", file=output, hint=hint)


@dataclass
class _Tally:
    """Counts as batches come."""

    n_documents: int = 0
    n_sentences: int = 0
    n_tokens: int = 0
    n_names: int = 0
    n_kept: int = 0
    n_problems: int = 0

    def __post_init__(self) -> None:
        self.problems: list[tuple[str, str]] = []

    def add(self, batch: Annotations, *, is_kept: bool) -> None:
        self.n_documents += len(batch)
        self.n_sentences += len(batch.sentences)
        self.n_tokens += len(batch.tokens)
        self.n_names += len(batch.layer("name"))
        self.n_kept += len(batch) * is_kept
        columns = (batch.documents[name].to_pylist() for name in ("document", "problem"))
        found = [(document, problem) for document, problem in zip(*columns, strict=True) if problem]
        self.n_problems += len(found)
        self.problems += found[: 100 - len(self.problems)]

    def report(self, *, is_stopped: bool) -> AnnotationReport:
        counts = (self.n_documents, self.n_sentences, self.n_tokens, self.n_names, self.n_kept)
        return AnnotationReport(*counts, tuple(self.problems), self.n_problems, is_stopped)


class _Parts:
    """The folder of finished batches."""

    def __init__(self, folder: Path, identity: str) -> None:
        self.folder, self.identity = folder, identity
        self.found: set[str] = set()

    def open(self, *, keep: bool) -> None:
        """Make the folder, or find what is in it."""
        if self.folder.exists() and not keep:
            shutil.rmtree(self.folder)
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise DataError(f"cannot be made: {error.strerror}", file=self.folder) from error
        self.found = {path.name.removesuffix(".documents") for path in self.folder.glob("*.documents")}

    def name_of(self, number: int, batch: Sequence[Text]) -> str:
        """Name a batch by all that decides what comes out."""
        digest = hashlib.blake2b(self.identity.encode(), digest_size=16)
        for text in batch:
            for piece in (text.document, text.text, text.source or "", text.problem or ""):
                raw = piece.encode("utf-8", "surrogatepass")
                digest.update(len(raw).to_bytes(8, "little") + raw)
        return f"{number:08d}-{digest.hexdigest()}"

    def save(self, name: str, batch: Annotations) -> None:
        """Keep a batch; its documents come last, and say that it is whole."""
        for table in reversed(TABLES):
            with place_for(self.folder / f"{name}.{table}") as place:
                pq.write_table(getattr(batch, table), place, compression="zstd", store_schema=True)

    def load(self, name: str) -> Annotations:
        """Read a batch that was kept."""
        return Annotations(
            *(pq.ParquetFile(self.folder / f"{name}.{table}").read().cast(schema) for table, schema in TABLES.items())
        )

    def stream(self, names: Sequence[str], task: "object") -> Iterator[Annotations]:
        """Yield the batches in order."""
        for name in names:
            yield self.load(name)
            task.advance(1)  # type: ignore[attr-defined]

    def clear(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _unique(texts: Iterable[Text]) -> Iterator[Text]:
    """Give documents of one name different ones."""
    seen: dict[str, int] = {}
    for text in texts:
        count = seen[text.document] = seen.get(text.document, 0) + 1
        yield text if count == 1 else Text(f"{text.document}~{count}", text.text, text.source, text.problem)


def _done(
    parts: _Parts, batches: Iterable[list[Text]], pipeline: Pipeline, job: AnnotationJob
) -> Iterator[tuple[str, Annotations]]:
    """Yield each batch in order once it is kept, annotated here or by other processes."""
    if job.jobs == 1:
        for number, batch in enumerate(batches):
            name = parts.name_of(number, batch)
            if name not in parts.found:
                parts.save(name, pipeline.annotate(batch))
            yield name, parts.load(name)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(job.jobs, context, _prepare, (job.model, job.style)) as pool:
        waiting: deque[tuple[str, Future[Annotations] | None]] = deque()
        for number, batch in enumerate(batches):
            name = parts.name_of(number, batch)
            waiting.append((name, None if name in parts.found else pool.submit(_annotate_there, batch)))
            if len(waiting) > 2 * job.jobs:
                yield _gathered(parts, *waiting.popleft())
        while waiting:
            yield _gathered(parts, *waiting.popleft())


def _gathered(parts: _Parts, name: str, future: "Future[Annotations] | None") -> tuple[str, Annotations]:
    if future is not None:
        parts.save(name, future.result())
    return name, parts.load(name)


_there: list[Pipeline] = []
"""The stages of a worker process."""


def _prepare(model: str | None, style: str) -> None:
    ignore_interrupts()
    _there.append(pipeline_named(model, style))


def _annotate_there(batch: list[Text]) -> Annotations:
    return _there[0].annotate(batch)
