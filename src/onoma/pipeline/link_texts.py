"""`onoma link-text`: the named things of each document, and the entries that they may be."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onoma.corpus.readers.texts import find_files, read_texts
from onoma.corpus.writers.files import open_output
from onoma.errors import DataError
from onoma.pipeline.building.reading import read_documents
from onoma.pipeline.coreference import coref_model
from onoma.pipeline.linking import link_model, link_records, read_entities
from onoma.pipeline.text.annotation import pipeline_named
from onoma.progress import SILENT, Progress
from onoma.text.documents.annotator import batches_of

__all__ = ["LinkJob", "link_files"]


@dataclass(frozen=True)
class LinkJob:
    """What to link, by what, and where to.

    Parameters
    ----------
    inputs
        Files, folders, patterns; `-` for standard input.
    entities
        The entity list.
    output
        JSON lines, one document each.
    model
        A folder with a linking model; None: the one that comes with Onoma.
    least
        Probability below which nothing is said: an entry that is less likely is told as NIL.
    """

    inputs: tuple[str, ...]
    entities: Path
    output: Path
    model: Path | None = None
    least: float = 0.5


def link_files(job: LinkJob, *, progress: Progress = SILENT) -> dict[str, int]:
    """Link the named things of documents; return counts."""
    if not job.output.name.endswith((".jsonl", ".ndjson")):
        raise DataError("links are written as JSON lines: name it .jsonl", file=job.output)
    counts = {"documents": 0, "named": 0, "linked": 0}
    with open_output(job.output) as output, progress.task("linking", None, "documents") as task:
        for document in _linked(job):
            counts["documents"] += 1
            counts["named"] += len(document["named"])
            counts["linked"] += sum(each["entry"] is not None for each in document["named"])
            output.write((json.dumps(document, ensure_ascii=False) + "\n").encode("utf-8"))
            task.advance(1, linked=counts["linked"])
    return counts


def _linked(job: LinkJob) -> Iterator[dict[str, Any]]:
    entities = read_entities(job.entities)
    model = link_model(None if job.model is None else str(job.model))
    pipeline, chains = pipeline_named(None), coref_model()
    texts = (text for file in find_files(job.inputs) for text in read_texts(file))
    for batch in batches_of(texts):
        for read in read_documents(batch, pipeline, chains):
            links = link_records(read.records, entities, model=model)
            named = [_told(row, links.ranked(at), job.least) for at, row in enumerate(read.records)]
            places: dict[str, list[dict[str, Any]]] = {row["id"]: [] for row in named}
            for mention in read.mentions:
                if mention["chain"] in places:
                    places[mention["chain"]].append({name: mention[name] for name in ("start", "end", "text")})
            yield {
                "document": read.document["document"],
                "named": [{**row, "mentions": places[row["id"]]} for row in named],
            }


def _told(row: dict[str, Any], ranked: list[tuple[str, float]], least: float) -> dict[str, Any]:
    best, p = ranked[0]
    entry = best if best != "NIL" and p >= least else None
    candidates = [{"entry": name, "probability": round(share, 4)} for name, share in ranked]
    return {"id": row["id"], "name": row["name"], "type": row["type"], "entry": entry, "candidates": candidates}
