"""Documents read on an engine: each where it happens to be, by the models of the machine that it is on.

Some hundreds are sent at a time and kept when they come back, so that a run which is killed goes on from there.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache, partial

import pyarrow as pa

from onoma.corpus.documents import Text
from onoma.engines.engine import ORDER
from onoma.pipeline.building.reading import Read, read_documents
from onoma.pipeline.carriers import open_engine
from onoma.pipeline.coreference import coref_model
from onoma.pipeline.text.annotation import pipeline_named
from onoma.text.documents.annotator import Pipeline

__all__ = ["engine_batches"]

_SENT = 400
"""Documents that are sent together."""
_PARTS = 16
"""Parts of these: more than most clusters have hands for, so that none waits long for the slowest."""
_RESULT = pa.schema([pa.field(ORDER, pa.int64()), pa.field("read", pa.string())])
_named = cache(pipeline_named)


def engine_batches(
    texts: Sequence[Text], engine: str, annotator: str | None, model: str | None
) -> Iterator[tuple[list[Text], list[Read]]]:
    """Yield documents with what was read in them, some hundreds at a time.

    Parameters
    ----------
    engine
        `local[K]`, `processes[K]`, `spark://host:port`, …
    annotator, model
        As a job of `build` has them; folders must be there on every machine.
    """
    if not texts:
        return
    with open_engine(engine) as here:
        for first in range(0, len(texts), _SENT):
            some = list(texts[first : first + _SENT])
            rows = here.spread(_table(some), min(_PARTS, len(some)))
            done = here.each(rows, partial(_read_rows, annotator=annotator, model=model), _RESULT)
            found = here.gather(done, [ORDER, "read"])["read"].to_pylist()
            yield some, [Read(**json.loads(each)) for each in found]


def _table(texts: Sequence[Text]) -> pa.Table:
    columns = {name: [getattr(text, name) for text in texts] for name in ("document", "text", "source", "problem")}
    numbers = pa.array(range(len(texts)), pa.int64())
    return pa.table({ORDER: numbers, **{name: pa.array(values, pa.string()) for name, values in columns.items()}})


def _read_rows(rows: pa.Table, *, annotator: str | None, model: str | None) -> pa.Table:
    """Read the documents of some rows; documents do not know of each other, so any cut gives the same."""
    texts = [Text(each["document"], each["text"], each["source"], each["problem"]) for each in rows.to_pylist()]
    pipeline: Pipeline = _named(annotator)
    reads = read_documents(texts, pipeline, coref_model(model)) if texts else []
    told = [json.dumps(read.as_json()) for read in reads]
    return pa.table({ORDER: rows[ORDER], "read": pa.array(told, pa.string())}, schema=_RESULT)
