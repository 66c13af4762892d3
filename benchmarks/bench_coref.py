"""Chains from text: documents of 1,000 words a second, annotation given and from raw text; a long document.

Rates are per second of processor time on one core. The texts are development documents of OntoGUM, put end to end and
cut every 1,000 words; they need ONOMA_DATA. The long document has 50,000 words.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measurement, in_fresh_process, seconds
from onoma.corpus.documents import Text
from onoma.corpus.formats import read_corpus
from onoma.pipeline.coref_documents import coref_documents
from onoma.pipeline.coreference import coref, coref_model
from onoma.text.documents.annotator import DocumentAnnotator

_LONG = """
from onoma.pipeline.coreference import coref
text = "Ada Lovelace wrote to the old engineer about his engine. She liked it, and the engineer thanked her. "
(found,) = coref(text * (50_000 // 21))
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    data = os.environ.get("ONOMA_DATA")
    if data is None:
        raise SystemExit("this benchmark needs ONOMA_DATA")
    texts = _texts(Path(data), 3 if quick else 24)
    model, stages = coref_model(), DocumentAnnotator.load()
    documents = coref_documents(stages.annotate(texts))
    said = f"{len(texts)} documents of about 1,000 words, OntoGUM dev; processor time, one core"
    repeat = 1 if quick else 3
    coref(texts[:1])
    given = seconds(lambda: [model.resolve(one) for one in documents], repeat=repeat, clock=time.process_time)
    yield Measurement("chains, annotation given", len(texts) / given, None, None, "documents/s", said)
    raw = seconds(lambda: coref(texts), repeat=repeat, clock=time.process_time)
    yield Measurement("chains from raw text", len(texts) / raw, None, None, "documents/s", said)
    if not quick:
        start = time.perf_counter()
        peak = in_fresh_process(_LONG)["peak_mb"]
        note = f"one document of 50,000 words, fresh process, {time.perf_counter() - start:.0f} s of wall time"
        yield Measurement("peak memory, 50,000 words", peak, None, None, "MB", note)


def _texts(data: Path, n: int) -> list[Text]:
    corpus = read_corpus(data / "text" / "gum" / "ontogum_dev.conll12.gz", format="conll2012")
    words, numbers = (corpus.tokens[name].to_pylist() for name in ("word", "sentence"))
    texts: list[Text] = []
    held: list[str] = []
    for k, (word, number) in enumerate(zip(words, numbers, strict=True)):
        if len(held) >= 1000 and number != numbers[k - 1]:
            texts.append(Text(str(len(texts)), " ".join(held)))
            held = []
        held.append(word)
    return texts[:n]
