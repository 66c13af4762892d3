"""Citations: Cora's fields from 300 labelled references beside python-crfsuite; a column of raw references resolved."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from benchmarks.bench_extract import bio_of, by_crfsuite, gold_of
from benchmarks.measure import Measurement
from onoma.extract.features import FeatureMaker, FeatureSettings
from onoma.learning.sequences.semicrf import Segmentation, SemiCRF, Structure
from onoma.pipeline.resolution import make_job, run_job
from onoma.pipeline.studies._sets.extraction import read_tagged
from onoma.resolve.config import ResolveConfig


def run(*, quick: bool) -> Iterator[Measurement]:
    data = Path(os.environ["ONOMA_DATA"])
    yield from _cora(data / "text/citations/parscit_tagged.zip")
    yield from _parsed(data / "resolution/cora/cora.csv.gz", slice(0, 200) if quick else slice(None))


def _cora(archive: Path) -> Iterator[Measurement]:
    """Cora's references in file order: 300 to learn from, the last 100 of 500 to test; token accuracy.

    The semi-Markov model has transitions of its own after punctuation (within the first 400: .956 and .940 on two
    hundreds, .955 and .938 without); the chain is better without them (.947 and .954 on one).
    """
    for style, told in (("marks", "punctuation apart"), ("words", "punctuation with words")):
        items = read_tagged(archive, "cora.tagged.txt", style)
        train, test = items[:300], items[400:500]
        labels = sorted({y for item in items for _, _, y in item.spans})
        texts = [[item.text for item in part] for part in (train, test)]
        plain, marked = (FeatureMaker(FeatureSettings(edges=edges)).fit(texts[0]) for edges in (False, True))
        x, x_test = (plain.transform(part) for part in texts)
        bordered, bordered_test = (marked.transform(part) for part in texts)
        gold, target = gold_of(test, labels), gold_of(train, labels)
        longest = [int(target.lengths[target.labels == y].max(initial=1)) for y in range(len(labels))]
        codes = [p + y for y in labels for p in ("B-", "I-")]
        chain = SemiCRF(Structure(len(codes))).fit(
            x, Segmentation.of_tokens([codes.index(tag) for item in train for tag in bio_of(item)])
        )
        semi = SemiCRF(Structure(len(labels), longest=longest)).fit(bordered, target)
        peer_tags, _, _ = by_crfsuite(x, x_test, train)
        names = [labels[y] for y in gold.tokens()]
        theirs = float(np.mean([tag.partition("-")[2] == name for tag, name in zip(peer_tags, names, strict=True)]))
        for name, found in (
            ("chain", chain.predict(x_test).tokens() // 2),
            ("semi-Markov", semi.predict(bordered_test).tokens()),
        ):
            right = float((found == gold.tokens()).mean())
            yield Measurement(
                f"token accuracy, {name}", right, theirs, right / theirs, "share",
                f"Cora: 300 references to learn from, 100 to test, {told}", peer_name="python-crfsuite",
            )  # fmt: skip


_ORDER = (
    "author", "title", "editor", "venue", "volume", "pages", "publisher", "address", "institution", "month", "year",
    "note",
)  # fmt: skip
"""How the fields of a reference are joined to a string."""


_TEXT = pa_csv.ConvertOptions(column_types={name: pa.string() for name in (*_ORDER, "cluster_id", "id")})


def _parsed(path: Path, part: slice) -> Iterator[Measurement]:
    """Resolve Cora by its given fields, and by the fields that `--parse` finds in strings."""
    table = pa_csv.read_csv(path, convert_options=_TEXT).slice(part.start or 0, part.stop)
    columns = table.to_pydict()
    strings = [" ".join(columns[name][k] for name in _ORDER if columns[name][k]) for k in range(len(table))]
    raw = pa.table({"id": columns["id"], "cluster_id": columns["cluster_id"], "reference": strings})
    given, parsed = (
        run_job(make_job([each], ["cora"], ResolveConfig(truth="cluster_id", parse=parse))).evaluation.as_dict()["b3"][
            "f1"
        ]
        for each, parse in ((table, {}), (raw, {"reference": "citation"}))
    )
    said = f"Cora, {len(table):,} references as strings; the peer is the given fields"
    yield Measurement("B³ F1 with --parse", parsed, given, parsed / given, "share", said, peer_name="given fields")
