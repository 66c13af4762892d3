"""From raw text to chains: annotate, find mentions, link them; as tables, CoNLL, a page, or text without pronouns."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path

import pyarrow as pa

from onoma.beside import place_for
from onoma.coref.attributes import Column
from onoma.coref.features import explain_new, explain_pair
from onoma.coref.model import LONGEST, CorefModel, Resolved, gold_spans, load_coref
from onoma.corpus.corpus import Corpus
from onoma.corpus.documents import Annotations, Text
from onoma.corpus.formats import read_corpus
from onoma.corpus.readers.texts import find_files, read_texts
from onoma.corpus.schema import CHAINS, DOCUMENTS, MENTIONS, check
from onoma.corpus.writers.conll2012 import write_conll2012
from onoma.corpus.writers.files import open_output
from onoma.errors import DataError, SettingsError
from onoma.pipeline.chains_page import chains_page
from onoma.pipeline.coref_documents import coref_documents, given_mentions
from onoma.pipeline.targets import check_spared
from onoma.pipeline.text.annotation import pipeline_named
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.text.documents.annotator import as_texts, batches_of

__all__ = [
    "LONGEST",
    "SCHEMES",
    "Chain",
    "CorefJob",
    "DocumentChains",
    "Mention",
    "chains_in",
    "coref",
    "coref_each",
    "coref_files",
    "coref_model",
]


@dataclass(frozen=True)
class Mention:
    """A mention in a chain."""

    start: int
    end: int
    text: str
    probability: float
    """That it is the same thing as the mention before it in the chain; of the first, as the one after it."""
    is_pronoun: bool
    is_name: bool = False
    name: str | None = None
    """The name that its head stands in, without what is said beside it."""


@dataclass(frozen=True)
class Chain:
    """The mentions of one thing, in the order of the text."""

    mentions: tuple[Mention, ...]

    @property
    def main(self) -> Mention:
        """The mention that says most: the longest name, else the longest phrase, of those that are no pronouns."""
        named = [mention for mention in self.mentions if not mention.is_pronoun] or list(self.mentions)
        return max(named, key=lambda mention: (mention.is_name, min(len(mention.text), 60), -mention.start))

    @property
    def called(self) -> str:
        """What to call the thing: the longest name of its mentions, without appositions and clauses; else `main`."""
        names = [mention.name for mention in self.mentions if mention.name]
        return max(names, key=len) if names else self.main.text

    def said(self) -> str:
        """Return how the thing is mentioned, in the order of the text: each wording once, how often, how sure.

        The number is the least probability that a mention so worded is the same thing as the one before it.
        """
        worded: dict[str, list[float]] = {}
        for place, mention in enumerate(self.mentions):
            worded.setdefault(mention.text, []).extend([mention.probability] if place else [])
        counts = Counter(mention.text for mention in self.mentions)
        parts = []
        for text, sure in worded.items():
            often = f" ×{counts[text]}" if counts[text] > 1 else ""
            parts.append(text + often + (f" ({min(sure):.2f})" if sure else ""))
        return " · ".join(parts)


@dataclass(frozen=True, eq=False)
class DocumentChains:
    """A document with its chains.

    Parameters
    ----------
    name
        The document's name.
    annotations
        Its tokens, sentences and spans.
    chains
        The chains, by first mention.
    entities
        The expected number of entities among the mentions, and its 95 % interval.
    """

    name: str
    annotations: Annotations
    chains: tuple[Chain, ...]
    entities: tuple[float, int, int]
    resolved: Resolved
    model: CorefModel

    def __repr__(self) -> str:
        return f"DocumentChains({self.name!r}, {len(self.chains)} chains, {self.n_mentions} mentions)"

    def __str__(self) -> str:
        return "\n".join(f"{chain.called}: {chain.said()}" for chain in self.chains)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the text with its chains."""
        return "".join(chains_page([self]))

    @property
    def n_mentions(self) -> int:
        """How many mentions stand in chains."""
        return sum(len(chain.mentions) for chain in self.chains)

    @property
    def is_long(self) -> bool:
        """Whether it has so many mentions that they were linked in stretches."""
        return len(self.resolved.prepared) > LONGEST

    def explain(self, mention: int) -> dict[str, object]:
        """Say why a mention (by its number among all that were looked at) follows the antecedent that it does.

        The parts add up to the difference between the score of the antecedent and that of "a new entity".
        """
        found = self.resolved
        if not 0 <= mention < len(found.prepared):
            raise SettingsError(f"mention {mention}; there are {len(found.prepared)} (from 0)")
        best, probability = found.posterior.link(mention)
        parts = explain_pair(found.prepared, self.model.weights, mention, best) if best != mention else []
        new = explain_new(found.prepared, self.model.weights, mention)
        ranked = sorted(parts, key=lambda part: -abs(part[1]))
        return {
            "antecedent": None if best == mention else best,
            "probability": probability,
            "for the antecedent": ranked,
            "for a new entity": sorted(new, key=lambda part: -abs(part[1])),
            "score": sum(value for _, value in parts) - sum(value for _, value in new),
        }

    def substituted(self) -> str:
        """Return the text with each pronoun replaced by the main mention of its chain."""
        starts, ends, text = self._offsets()
        edits = []
        for chain in self.chains:
            for mention in chain.mentions:
                if mention.is_pronoun and not chain.main.is_pronoun:
                    word = text[starts[mention.start] : ends[mention.end - 1]]
                    owns = word.lower() in _POSSESSIVE
                    edits.append((starts[mention.start], ends[mention.end - 1], chain.called + "’s" * owns))
        for start, end, new in sorted(edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def as_corpus(self) -> Corpus:
        """Return tokens, mentions and chains as a corpus."""
        rows = [(number, m) for number, chain in enumerate(self.chains) for m in chain.mentions]
        ids = [f"{self.name}:0:{m.start}-{m.end}" for _, m in rows]
        mentions = pa.table(
            {
                "id": pa.array(ids, pa.string()),
                "document": pa.array([self.name] * len(rows), pa.string()),
                "part": pa.array([0] * len(rows), pa.int32()),
                "start": pa.array([m.start for _, m in rows], pa.int64()),
                "end": pa.array([m.end for _, m in rows], pa.int64()),
                "text": pa.array([m.text for _, m in rows], pa.string()),
                "type": pa.nulls(len(rows), pa.string()),
            }
        )
        chains = pa.table({"mention": mentions["id"], "chain": pa.array([str(k) for k, _ in rows], pa.string())})
        documents = self.annotations.documents.select(DOCUMENTS.names)
        return Corpus.build(documents, self.annotations.tokens, check(mentions, MENTIONS), check(chains, CHAINS))

    def as_json(self) -> dict[str, object]:
        """Return what `onoma coref -o out.jsonl` writes for a document."""
        starts, ends, text = self._offsets()
        return {
            "document": self.name,
            "text": text,
            "entities": {"expected": round(self.entities[0], 2), "interval": list(self.entities[1:])},
            "chains": [
                {
                    "main": chain.called,
                    "mentions": [
                        {
                            "start": starts[m.start],
                            "end": ends[m.end - 1],
                            "text": m.text,
                            "probability": round(m.probability, 4),
                        }
                        for m in chain.mentions
                    ],
                }
                for chain in self.chains
            ],
        }

    def _offsets(self) -> tuple[list[int], list[int], str]:
        tokens = self.annotations.tokens
        text = str(self.annotations.documents["text"][0].as_py() or "")
        return tokens["start_char"].to_pylist(), tokens["end_char"].to_pylist(), text


_POSSESSIVE = frozenset({"my", "your", "his", "her", "its", "our", "their", "whose"})


@dataclass(frozen=True)
class CorefJob:
    """What to resolve, how, and where to.

    Parameters
    ----------
    inputs
        Files, folders, patterns; `-` for standard input.
    output
        `.jsonl`, `.conll`, `.html`, `.duckdb`, or `.txt` (the text with pronouns replaced); None where chains are
        looked at one by one (`coref_each`).
    source_format, text_field, id_field
        As `onoma annotate` takes them.
    model
        A folder with a trained model; None: the one that comes with Onoma.
    annotator
        A folder of text models or `spacy:NAME`; None: those that come with Onoma.
    singletons
        Whether mentions that are alone are chains of one; None: as the model's scheme has it.
    scheme
        Which of the models that come with Onoma: `ontogum` or `litbank`.
    gold_mentions
        Link the mentions that CoNLL-2012 files hold, instead of finding them.
    substitute
        Add to JSON Lines the text with pronouns replaced by main mentions.
    """

    inputs: tuple[str, ...]
    output: Path | None = None
    source_format: str | None = None
    text_field: str = "text"
    id_field: str = "id"
    model: Path | None = None
    annotator: str | None = None
    singletons: bool | None = None
    scheme: str = "ontogum"
    gold_mentions: bool = False
    substitute: bool = False

    def __post_init__(self) -> None:
        if self.substitute and self.output is not None and self.output.suffix not in {".jsonl", ".txt"}:
            raise SettingsError(
                f"--substitute gives text, and {self.output.name} has no place for it",
                hint="Write to .jsonl (chains and text) or .txt (the text alone).",
            )
        if self.gold_mentions and self.annotator is not None:
            raise SettingsError("mentions that are given are annotated by Onoma's own stages; leave out --with")


SCHEMES = ("ontogum", "litbank")
"""Annotation schemes of the models that come with Onoma."""


@cache
def coref_model(folder: str | None = None, scheme: str = "ontogum") -> CorefModel:
    """Read a coreference model; by default one that comes with Onoma."""
    if folder is not None:
        return load_coref(folder)
    if scheme not in SCHEMES:
        raise SettingsError(f"there is no scheme {scheme!r}; there are {', '.join(SCHEMES)}")
    with resources.as_file(resources.files("onoma.coref").joinpath("models", scheme)) as place:
        if not place.is_dir():
            raise DataError(f"no model {scheme} comes with this installation", hint="Give one with --model FOLDER.")
        return load_coref(place)


def coref(
    texts: "str | Text | Iterable[str | Text]",
    *,
    model: str | Path | CorefModel | None = None,
    scheme: str = "ontogum",
    annotator: str | None = None,
    singletons: bool | None = None,
) -> list[DocumentChains]:
    """Find which mentions of each text are one thing.

    Parameters
    ----------
    texts
        One text or many.
    model
        A trained model or its folder; None: one that comes with Onoma.
    scheme
        Which of those: `ontogum` (news, web, talk) or `litbank` (fiction; people and places, also those alone).
    annotator
        A folder of text models or `spacy:NAME`; None: those that come with Onoma.
    singletons
        Whether mentions that are alone are chains of one; None: as the model's scheme has it.
    """
    trained = model if isinstance(model, CorefModel) else coref_model(None if model is None else str(model), scheme)
    return list(_stream(as_texts(texts), trained, annotator, singletons=singletons))


def coref_files(job: CorefJob, *, progress: Progress = SILENT, stop: Stop = NEVER) -> dict[str, int]:
    """Resolve files and write the answer; return counts, `long` of documents that were linked in stretches."""
    if job.output is None:
        raise SettingsError("there is no place to write chains to")
    writer = _writer(job, job.output)
    counts = {"documents": 0, "chains": 0, "mentions": 0, "long": 0}

    def counted() -> Iterator[DocumentChains]:
        for found in coref_each(job, progress=progress, stop=stop):
            counts["documents"] += 1
            counts["chains"] += len(found.chains)
            counts["mentions"] += found.n_mentions
            counts["long"] += found.is_long
            yield found

    check_spared(job.output, find_files(job.inputs))
    writer(counted(), job.output)
    return counts


def coref_each(job: CorefJob, *, progress: Progress = SILENT, stop: Stop = NEVER) -> Iterator[DocumentChains]:
    """Resolve files, one document after the other."""
    trained = coref_model(None if job.model is None else str(job.model), job.scheme)
    n_chains = 0
    with progress.task("linking mentions", None, "documents") as task, stop.heeded() as asked:
        for found in _given(job, trained) if job.gold_mentions else _found(job, trained):
            n_chains += len(found.chains)
            task.advance(1, chains=n_chains)
            yield found
            if asked():
                raise KeyboardInterrupt


def _found(job: CorefJob, model: CorefModel) -> Iterator[DocumentChains]:
    texts = (
        text
        for file in find_files(job.inputs)
        for text in read_texts(file, format=job.source_format, text_field=job.text_field, id_field=job.id_field)
    )
    return _stream(texts, model, job.annotator, singletons=job.singletons)


def _given(job: CorefJob, model: CorefModel) -> Iterator[DocumentChains]:
    """Link the mentions of CoNLL-2012 files; all are reported."""
    for name in job.inputs:
        for one, annotations in given_mentions(read_corpus(Path(name), format="conll2012")):
            spans = gold_spans(one.document, one.chains)
            yield chains_in(annotations, model, model.resolve(one.document, spans), singletons=job.singletons)


def _stream(
    texts: Iterable[Text], model: CorefModel, annotator: str | None, *, singletons: bool | None
) -> Iterator[DocumentChains]:
    stages = pipeline_named(annotator)
    for batch in batches_of(texts):
        annotations = stages.annotate(batch)
        for one, document in zip(annotations, coref_documents(annotations), strict=True):
            yield chains_in(one, model, model.resolve(document), singletons=singletons)


def chains_in(
    one: Annotations, model: CorefModel, found: Resolved, *, singletons: bool | None = None
) -> DocumentChains:
    """Return the chains of an annotated document that a model resolved."""
    singletons = bool(model.facts.get("singletons", False)) if singletons is None else singletons
    groups: dict[int, list[int]] = {}
    kept = found.reported(singletons=singletons)
    for row, label in enumerate(found.labels.tolist()):
        if kept[row]:
            groups.setdefault(label, []).append(row)
    names = {token: (start, end) for start, end, _ in found.prepared.names for token in range(start, end)}
    words = _Words(one, names)
    chains = tuple(Chain(tuple(_mention(found, words, rows, k) for k in range(len(rows)))) for rows in groups.values())
    name = str(one.documents["document"][0])
    return DocumentChains(name, one, chains, found.posterior.entities(), found, model)


class _Words:
    """The words of a document as they stand in its text; joined by spaces where there is no text."""

    def __init__(self, one: Annotations, names: Mapping[int, tuple[int, int]]) -> None:
        self.names = names
        self.words = one.tokens["word"].to_pylist()
        self.text = one.documents["text"][0].as_py() if not one.tokens["start_char"].null_count else None
        self.starts, self.ends = one.tokens["start_char"].to_pylist(), one.tokens["end_char"].to_pylist()

    def of(self, start: int, end: int) -> str:
        """Return what a span says, on one line."""
        if not self.text:
            return " ".join(self.words[start:end])
        return " ".join(self.text[self.starts[start] : self.ends[end - 1]].split())


def _mention(found: Resolved, words: _Words, rows: Sequence[int], k: int) -> Mention:
    row = rows[k]
    other = rows[k - 1] if k else rows[min(1, len(rows) - 1)]
    span, kind = found.prepared.spans[row], int(found.prepared.mentions.table[row, Column.TYPE])
    name = words.names.get(span.head) if kind else None
    if name is None and found.prepared.mentions.table[row, Column.SURNAME]:  # the mayor, Anna Keller
        people = {start: (start, end) for start, end, kind in found.prepared.names if kind == "PER"}
        name = next((people[token] for token in range(span.head, span.end) if token in people), None)
    return Mention(
        span.start,
        span.end,
        words.of(span.start, span.end),
        found.together(row, other) if other != row else found.posterior.alone(row),
        is_pronoun=kind == 0,
        is_name=kind == 1,
        name=words.of(*name) if name and span.start <= name[0] and name[1] <= span.end else None,
    )


def _writer(job: CorefJob, path: Path) -> Callable[[Iterable[DocumentChains], Path], None]:
    writers: dict[str, Callable[[Iterable[DocumentChains], Path], None]] = {
        ".jsonl": partial(_write_jsonl, substitute=job.substitute),
        ".conll": _write_conll,
        ".html": _write_html,
        ".duckdb": _write_duckdb,
        ".txt": _write_text,
    }
    if path.suffix not in writers:
        raise DataError(f"chains cannot be written as {path.name!r}; endings are {', '.join(writers)}", file=path)
    return writers[path.suffix]


def _write_jsonl(documents: Iterable[DocumentChains], path: Path, *, substitute: bool) -> None:
    with open_output(path) as output:
        for one in documents:
            row = one.as_json() | ({"substituted": one.substituted()} if substitute else {})
            output.write((json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8"))


def _write_text(documents: Iterable[DocumentChains], path: Path) -> None:
    with open_output(path) as output:
        for one in documents:
            output.write((one.substituted() + "\n").encode("utf-8"))


def _write_html(documents: Iterable[DocumentChains], path: Path) -> None:
    with open_output(path) as output:
        for piece in chains_page(documents):
            output.write(piece.encode("utf-8"))


def _write_conll(documents: Iterable[DocumentChains], path: Path) -> None:
    write_conll2012(_joined(documents), path)


def _write_duckdb(documents: Iterable[DocumentChains], path: Path) -> None:
    from onoma.corpus.store import write_tables

    corpus = _joined(documents)
    tables = {name: getattr(corpus, name) for name in ("documents", "tokens", "mentions", "chains")}
    with place_for(path) as place:
        place.unlink()  # DuckDB makes the file itself
        write_tables(place, {name: table.schema for name, table in tables.items()}, [tables])


def _joined(documents: Iterable[DocumentChains]) -> Corpus:
    parts = [one.as_corpus() for one in documents]
    if not parts:
        raise DataError("there is no document to write")
    return Corpus.build(
        *(
            pa.concat_tables([getattr(part, name) for part in parts])
            for name in ("documents", "tokens", "mentions", "chains")
        )
    )
