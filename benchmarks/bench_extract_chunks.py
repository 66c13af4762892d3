"""Chunks of CoNLL-2000 beside python-crfsuite, with the parts of speech that come with them; as `bench_extract`."""

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench_extract import compare
from benchmarks.measure import Measurement
from onoma.pipeline.studies._sets.extraction import read_chunks


def run(*, quick: bool) -> Iterator[Measurement]:
    folder = Path(os.environ["ONOMA_DATA"]) / "text"
    part = slice(0, 300) if quick else slice(None)
    chunks = [read_chunks(folder / "nltk/conll2000.zip", f"conll2000/{p}.txt")[part] for p in ("train", "test")]
    tags = [[tag for _, tags in group for tag in tags] for group in chunks]
    yield from compare("CoNLL-2000", [item for item, _ in chunks[0]], [item for item, _ in chunks[1]], tags)
