"""Extraction at the scale of the paper's advertisements, and the ready extractors on texts they have not seen.

Processor time, one thread. `quick` uses fewer texts.
"""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import Measurement
from onoma.extract.matching import normal
from onoma.extract.ready import open_ready
from onoma.learning.sequences.expectations import ConstraintSet, Expectations
from onoma.learning.sequences.semicrf import SemiCRF, Sequences, Structure
from onoma.learning.sequences.semicrf_layout import build_layout, n_weights
from onoma.pipeline.studies._sets.extraction import Labelled, read_anystyle, read_usaddress


def run(*, quick: bool) -> Iterator[Measurement]:
    yield from _ready(quick=quick)
    yield from _scale(quick=quick)


def _ready(*, quick: bool) -> Iterator[Measurement]:
    folder = Path(os.environ["ONOMA_DATA"]) / "text"
    part = slice(0, 100) if quick else slice(None)
    core = {_key(item) for item in read_anystyle(folder / "citations/anystyle_core.xml.gz")}
    gold = [item for item in read_anystyle(folder / "citations/anystyle_gold.xml.gz") if _key(item) not in core]
    yield _accuracy("citations", gold[part], "AnyStyle gold, references not in the core set")
    test = read_usaddress(folder / "usaddress/usaddress_labeled.zip", ["measure_performance/test_data/labeled.xml"])
    yield _accuracy("addresses", test[part], "usaddress test_data/labeled.xml")


def _key(item: Labelled) -> str:
    return "".join(normal(token) for token in item.text.tokens)


def _accuracy(name: str, items: Sequence[Labelled], data: str) -> Measurement:
    extractor = open_ready(name)
    names = extractor.labels.taxonomy.labels
    found = [names[y] for y in extractor.segments([item.text for item in items]).tokens()]
    truth = [label for item in items for start, end, label in item.spans for _ in range(start, end)]
    right = float(np.mean([a == b for a, b in zip(found, truth, strict=True)]))
    return Measurement(f"token accuracy, {name}", right, None, None, "share", f"{data}: {len(items):,} texts")


def _scale(*, quick: bool) -> Iterator[Measurement]:
    """As many texts and labels as the paper's advertisements: simulated words, 45 labels in a tree of two levels."""
    n, size, n_labels = (500 if quick else 42_000), 14, 45
    rng = np.random.default_rng(0)
    tokens = n * size
    words = rng.zipf(1.3, (tokens, 4)) % 5_000
    matrix = sp.csr_array((np.ones(4 * tokens), words.ravel(), np.arange(0, 4 * tokens + 1, 4)), shape=(tokens, 5_000))
    offsets = np.arange(0, tokens + 1, size)
    parents = (-1, *([-1] * 8), *(1 + i % 8 for i in range(n_labels - 9)))
    longest = [1, *([6] * (n_labels - 1))]
    x = Sequences.of(matrix, offsets)
    model = SemiCRF(Structure(n_labels, longest=longest, parents=parents, pairs="all", boundaries=False)).begin(x)
    beside = Sequences.of(
        sp.csr_array((np.ones(tokens), (np.arange(tokens), words[:, 0] % 200)), shape=(tokens, 200)), offsets
    )
    plain = Structure(
        n_labels,
        longest=longest,
        parents=parents,
        pairs="all",
        boundaries=False,
        n_bins=0,
        has_ends=False,
        has_transitions=False,
    )
    layout = build_layout(plain, beside)
    rows = sp.csr_array(
        (np.ones(200), (np.arange(200), layout.inside[:200] + np.arange(200) % n_labels)),
        shape=(200, n_weights(layout)),
    )
    constraints = ConstraintSet(
        beside, layout, rows, np.full(200, tokens / 400.0), np.zeros(200, np.int8), np.zeros(200)
    )
    few = Sequences(x.texts._replace(offsets=x.texts.offsets[:3]), x.n_attributes)
    model.predict(few)
    begin = time.process_time()
    Expectations(n_rounds=1).fit(model, x, constraints)
    spent = time.process_time() - begin
    data = f"{n:,} texts of {size} tokens, {n_labels} labels in a taxonomy, simulated"
    paper = 360.0 * 60
    yield Measurement(
        "one pass of alternating projections",
        spent,
        paper,
        paper / spent,
        "s",
        data,
        peer_name="the paper (42,000 texts, 2010)",
    )
    begin = time.process_time()
    model.predict(x)
    spent = time.process_time() - begin
    yield Measurement(
        "Viterbi", spent, 32.0 * 60, 32.0 * 60 / spent, "s", data, peer_name="the paper (42,000 texts, 2010)"
    )
