"""What the canopies miss: estimated without the truth, and counted with it.

Needs ONOMA_DATA. With the canopies as they are by default, and starved on purpose so that there is a loss to be seen.
The truth is used for counting only.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import Resolution, resolve
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.config import ResolveConfig

LINKED = {"source": "source", "link": True}
TABLES = (
    ("linkage/restaurants", {}),
    ("linkage/febrl3", {}),
    ("linkage/rldata10000", {}),
    ("cora/cora", {}),
    ("linkage/dblp-acm", LINKED),
    ("linkage/abt-buy", LINKED),
    ("linkage/historical_50k", {}),
)
CANOPIES = {"default": CanopySettings(), "starved": CanopySettings(neighbours=2, hot=4)}


def run(*, quick: bool) -> Iterator[Measurement]:
    context = Context()
    for name, settings in TABLES[:1] if quick else TABLES:
        table = read_table(context.file(f"resolution/{name}.csv.gz")).table
        gold = Clustering.from_labels(table["cluster_id"])
        for kind, canopies in CANOPIES.items():
            found = resolve(table, config=ResolveConfig(model_settings={"canopies": canopies}), **settings)
            stated = found.canopy_recall
            direct, reached = count_recall(found, gold)
            about = f"{name}, {kind} canopies; true {{}}, 95 % interval {stated.low:.4f} – {stated.high:.4f}"
            yield Measurement(
                "matches within reach, estimated", stated.found, None, None, "share", about.format(f"{reached:.4f}")
            )
            yield Measurement(
                "matches compared, estimated",
                stated.direct,
                None,
                None,
                "share",
                f"{name}, {kind} canopies; true {direct:.4f}",
            )


def count_recall(found: Resolution, gold: Clustering) -> tuple[float, float]:
    """The shares of true pairs that were compared, and that were compared or joined through others."""
    evidence, n = found.weighed.evidence, len(gold)
    source = np.arange(n) if found.source is None else Clustering.from_labels(found.source).labels
    keys = evidence.a.astype(np.int64) * n + evidence.b
    one, other = (np.concatenate(side) for side in zip(*_pairs(gold), strict=True))
    possible = source[one] != source[other] if found.config.link else np.ones(len(one), dtype=np.bool_)
    one, other = one[possible], other[possible]
    compared = np.isin(one * n + other, keys)
    joined = found.clustering.labels[one] == found.clustering.labels[other]
    return float(compared.mean()), float((compared | joined).mean())


def _pairs(gold: Clustering) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for chain in gold.chains():
        first, second = np.triu_indices(len(chain), 1)
        members = np.sort(np.array(chain, dtype=np.int64))
        yield members[first], members[second]
