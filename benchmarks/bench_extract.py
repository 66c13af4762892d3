"""Extraction beside python-crfsuite: the same attributes, the same texts.

Processor time throughout, one thread. Test parts are scored with fixed settings: penalty 1 for both chains, each with
its own stopping rule, at most 200 rounds; `_SEGMENTS` for the semi-Markov model. `quick` uses 300 texts of each set.
"""

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pycrfsuite
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.measure import Measurement
from onoma.extract.extractor import gold_segments
from onoma.extract.features import FeatureMaker, FeatureSettings
from onoma.extract.scores import score_segments
from onoma.learning.sequences.semicrf import Segmentation, SemiCRF, Sequences, Structure, Training
from onoma.learning.taxonomy import Taxonomy
from onoma.pipeline.studies._sets.extraction import Labelled, _labelled, read_bio

_SEGMENTS = 4.0
"""The penalty of the semi-Markov model, where a token's attributes count in up to three roles (inside, first, last).
Nine tenths of the restaurant training texts to learn from, span F1 on the last: .814 with 1, .820 with 2, .828 with 4
(chain: .824). With 300 texts 1 is better (.457 against .435), so that it stays the default of `onoma extract`."""


def run(*, quick: bool) -> Iterator[Measurement]:
    folder = Path(os.environ["ONOMA_DATA"]) / "text"
    part = slice(0, 300) if quick else slice(None)
    for name, train, test in (
        ("MIT restaurant", "mit-restaurant/train.txt.gz", "mit-restaurant/test.txt.gz"),
        ("MIT movie", "mit-movie/engtrain.bio.txt.gz", "mit-movie/engtest.bio.txt.gz"),
    ):
        yield from compare(name, read_bio(folder / train)[part], read_bio(folder / test)[part])


def compare(
    name: str, train: list[Labelled], test: list[Labelled], tags: list[list[str]] | None = None
) -> Iterator[Measurement]:
    """Learn and tag with both; `tags` are parts of speech, of the texts to learn from and to test."""
    labels = ["OTHER", *sorted({y for item in train + test for _, _, y in item.spans})]
    maker = FeatureMaker(FeatureSettings()).fit([item.text for item in train])
    x = maker.transform([item.text for item in train])
    begin = time.process_time()
    x_test = maker.transform([item.text for item in test])
    looking = time.process_time() - begin
    if tags is not None:
        x, x_test = _with_tags(x, x_test, tags)
    gold, tree = gold_of(test, labels), Taxonomy.flat(labels)
    codes = ["O", *(p + y for y in labels[1:] for p in ("B-", "I-"))]
    target = Segmentation.of_tokens([codes.index(tag) for item in train for tag in bio_of(item)])
    SemiCRF(Structure(len(codes))).fit(x, target, training=Training(n_rounds=1)).predict(x_test)  # compiles
    chain, spent = _fit(SemiCRF(Structure(len(codes))), x, target)
    begin = time.process_time()
    found = chain.predict(x_test).tokens()
    tagging = time.process_time() - begin
    ours = score_segments(gold, gold_of(_told(test, [codes[i] for i in found]), labels), tree, 0).span_f1
    peer_tags, peer_spent, peer_tagging = by_crfsuite(x, x_test, train)
    theirs = score_segments(gold, gold_of(_told(test, peer_tags), labels), tree, 0).span_f1
    data = f"{name}: {len(train):,} texts to learn from, {len(test):,} to test"
    yield Measurement("span F1, chain", ours, theirs, ours / theirs, "share", data, peer_name="python-crfsuite")
    yield Measurement("training, chain", spent, peer_spent, peer_spent / spent, "s", data, peer_name="python-crfsuite")
    rate, peer_rate = x_test.n_tokens / (tagging + looking), x_test.n_tokens / peer_tagging
    yield Measurement(
        "tagging, attributes included (peer: without)", rate, peer_rate, rate / peer_rate, "tokens/s", data,
        peer_name="python-crfsuite",
    )  # fmt: skip
    target = gold_of(train, labels)
    longest = [int(target.lengths[target.labels == y].max(initial=1)) for y in range(len(labels))]
    semi, spent = _fit(SemiCRF(Structure(len(labels), longest=longest)), x, target, l2=_SEGMENTS)
    score = score_segments(gold, semi.predict(x_test), tree, 0).span_f1
    yield Measurement("span F1, semi-Markov", score, theirs, score / theirs, "share", data, peer_name="python-crfsuite")
    yield Measurement(
        "training, semi-Markov", spent, peer_spent, peer_spent / spent, "s", data, peer_name="python-crfsuite"
    )


def _fit(model: SemiCRF, x: Sequences, target: Segmentation, *, l2: float = 1.0) -> tuple[SemiCRF, float]:
    begin = time.process_time()
    model.fit(x, target, training=Training(l2=l2))
    return model, time.process_time() - begin


def by_crfsuite(x: Sequences, x_test: Sequences, train: Sequence[Labelled]) -> tuple[list[str], float, float]:
    trainer = pycrfsuite.Trainer(verbose=False, algorithm="lbfgs")
    trainer.set_params({"c1": 0.0, "c2": 0.5, "max_iterations": 200})
    for rows, item in zip(_rows(x), train, strict=True):
        trainer.append(rows, bio_of(item))
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        trainer.train(f"{folder}/model")
        spent = time.process_time() - begin
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/model")
        rows = _rows(x_test)
        begin = time.process_time()
        found = [tag for each in rows for tag in tagger.tag(each)]
        return found, spent, time.process_time() - begin


def _rows(x: Sequences) -> list[list[list[str]]]:
    rows = x.attributes()
    names = [str(i) for i in range(x.n_attributes)]
    return [
        [[names[j] for j in rows.indices[rows.indptr[i] : rows.indptr[i + 1]]] for i in range(first, last)]
        for first, last in pairwise(x.texts.offsets)
    ]


_WINDOWS: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = {
    (-2, -1, 0): ((-2,), (-2, -1), (-2, -1, 0)),
    (-1, 0, 1): ((-1,), (0,), (1,), (-1, 0), (0, 1), (-1, 0, 1)),
    (0, 1, 2): ((2,), (1, 2), (0, 1, 2)),
}
"""Attributes from parts of speech: alone, two and three in a row (Sha and Pereira, 2003), by the three they lie in."""


def _with_tags(x: Sequences, x_test: Sequences, tags: list[list[str]]) -> tuple[Sequences, Sequences]:
    """Add parts of speech, of the token and of its neighbours, as attributes."""
    known = {tag: i for i, tag in enumerate(sorted(set(tags[0])), 1)}
    codes = [_around(each, [known.get(tag, 0) for tag in t]) for each, t in zip((x, x_test), tags, strict=True)]
    values = {
        run: np.unique(_keys(codes[0], run, len(known) + 1)) for runs in _WINDOWS.values() for run in runs
    }  # fmt: skip
    return tuple(_tagged(each, c, values, len(known) + 1) for each, c in zip((x, x_test), codes, strict=True))  # type: ignore[return-value]


def _around(x: Sequences, codes: list[int]) -> dict[int, NDArray[np.int64]]:
    """Return the part of speech at each distance, 0 for none."""
    at, sizes = np.array(codes), np.diff(x.texts.offsets)
    of_text = np.repeat(np.arange(len(sizes)), sizes)
    found = {}
    for distance in (-2, -1, 0, 1, 2):
        there = np.clip(np.arange(len(at)) + distance, 0, len(at) - 1)
        found[distance] = np.where(of_text[there] == of_text, at[there], 0)
    return found


def _keys(codes: dict[int, NDArray[np.int64]], run: tuple[int, ...], base: int) -> NDArray[np.int64]:
    key = np.zeros(len(codes[0]), np.int64)
    for distance in run:
        key = key * base + codes[distance]
    return key


def _tagged(
    x: Sequences, codes: dict[int, NDArray[np.int64]], values: dict[tuple[int, ...], NDArray[np.int64]], base: int
) -> Sequences:
    texts, n_bundles = x.texts, len(x.texts.indptr) - 1
    rows = [sp.csr_array((texts.values, texts.ids, texts.indptr), shape=(n_bundles, x.n_attributes))]
    has = [
        sp.csr_array((np.ones(len(texts.bundles)), texts.bundles, texts.bundle_indptr), shape=(x.n_tokens, n_bundles))
    ]
    for window, runs in _WINDOWS.items():
        _, first, of_token = np.unique(_keys(codes, window, base), return_index=True, return_inverse=True)
        tokens = np.arange(x.n_tokens)
        has.append(sp.csr_array((np.ones(len(tokens)), (tokens, of_token)), shape=(len(tokens), len(first))))
        parts = []
        for run in runs:
            key, seen = _keys(codes, run, base)[first], values[run]
            place = np.minimum(np.searchsorted(seen, key), len(seen) - 1)
            is_known = np.flatnonzero(seen[place] == key)
            shape = (len(first), len(seen))
            parts.append(sp.csr_array((np.ones(len(is_known)), (is_known, place[is_known])), shape=shape))
        rows.append(sp.hstack(parts, format="csr"))
    return Sequences.of(sp.block_diag(rows, format="csr"), texts.offsets, bundles=sp.hstack(has, format="csr"))


def bio_of(item: Labelled) -> list[str]:
    tags = ["O"] * len(item.text)
    for start, end, name in item.spans:
        tags[start:end] = ["B-" + name] + ["I-" + name] * (end - start - 1)
    return tags


def _told(items: Sequence[Labelled], tags: Sequence[str]) -> list[Labelled]:
    found, at = [], 0
    for item in items:
        found.append(_labelled(item.text.tokens, tags[at : at + len(item.text)]))
        at += len(item.text)
    return found


def gold_of(items: Sequence[Labelled], labels: list[str]) -> Segmentation:
    spans = [[(s, e, labels.index(name)) for s, e, name in item.spans] for item in items]
    return gold_segments(spans, [len(item.text) for item in items], 0)
