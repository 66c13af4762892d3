"""Phylogeny: time to learn and sample, and size, against what the authors state for their own.

The authors: "around 15 minutes per fold" of 604 to 1,374 mentions with context, on one laptop core.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Measurement, in_fresh_process, seconds
from onoma.pipeline.studies._sets.name import newspapers
from onoma.resolve.models.phylogeny.model import Mentions, PhylogenySettings, fit_names
from onoma.resolve.models.phylogeny.topics import find_topics, tokens_of
from onoma.resolve.names.transducer import Alphabet, Strings, Transducer

PUBLISHED = 900.0
_LARGE = """
import time
from pathlib import Path
from onoma.numerics.rng import stream
from onoma.pipeline.studies._sets.name import read_rows
from onoma.resolve.models.phylogeny.model import fit_names
names = list(dict.fromkeys(row["name"] for row in read_rows(Path({path!r}))))
names = [names[i] for i in stream(0, "names").permutation(len(names))[:{n}]]
start = time.process_time()
found = fit_names(names)
import json
print(json.dumps({{"cpu": time.process_time() - start, "entities": found.consensus.clustering.n_entities}}))
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    yield _letters()
    data = Path(os.environ["ONOMA_DATA"])
    yield _context(data, quick=quick)
    yield from _large(data / "resolution/names/everypolitician_names.csv.gz", 2_000 if quick else 20_000)


def _letters() -> Measurement:
    """Strings of 20 characters transduced per second."""
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 20)) for _ in range(2_000)]
    transducer = Transducer(Alphabet(texts))
    strings = Strings.of(texts, transducer.alphabet)
    one, other = (rng.integers(0, 2_000, 20_000).astype(np.int32) for _ in range(2))
    took = seconds(lambda: transducer.log_probabilities(strings, one, other), clock=time.process_time)
    return Measurement("pairs of 20 letters transduced", 20_000 / took, None, None, "per second, one core", "random")


def _context(data: Path, *, quick: bool) -> Measurement:
    """Topics, learning and 1,000 samples, with topics sampled together with orders and parents."""
    names = newspapers(lambda path: data / path, 0)[0]
    settings = PhylogenySettings(n_samples=100 if quick else 1_000, n_rounds=20)

    def work() -> None:
        shares = find_topics(tokens_of(names.contexts or []), n_sweeps=100 if quick else 1_000).shares
        fit_names(Mentions(names.names, names.kinds, topic_shares=shares), settings=settings)

    took = seconds(work, repeat=1, clock=time.process_time)
    return Measurement(
        f"topics, 20 rounds of learning and {settings.n_samples:,} samples",
        took,
        PUBLISHED,
        PUBLISHED / took,
        "s of processor time",
        f"HIPE-2022, {len(names):,} mentions with context",
        peer_name="the authors, as stated, a fold of theirs",
    )


def _large(path: Path, n: int) -> Iterator[Measurement]:
    found = in_fresh_process(_LARGE.format(path=str(path), n=n))
    data = f"{n:,} names of politicians"
    yield Measurement("names clustered", found["cpu"], None, None, "s of processor time, compiling included", data)
    yield Measurement("names clustered, peak memory", found["peak_mb"], None, None, "MB", data)
