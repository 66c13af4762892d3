"""Where the weights of trees come from: set by hand as in the paper, learnt by SampleRank, or found without labels.

Half of the canopies teach, the other half is scored.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._sets.author_tables import AuthorTable, aminer, anthology
from onoma.pipeline.studies.hierarchical import PAPER, score_on_labelled
from onoma.resolve.models.hierarchical.run import TreeSettings, paper_scores, resolve_trees

__all__ = ["STUDIES"]


def _weights(context: Context) -> Findings:
    rows = _table(context, "AMiner", aminer)
    if not context.quick:
        rows += _table(context, "ACL Anthology", anthology)
    notes = [
        "Half of the canopies, drawn at random, teach; B³ and pairwise F1 are of the other half.",
        "By hand: +2, +1, −8 for names, cosines from −4 to 4, −8 for an inner node, −7 for a root. SampleRank starts "
        "from these and learns all of them from moves of subtrees.",
        "Without labels and from labels: the model of evidence, as `onoma resolve` uses it.",
    ]
    return Findings(rows, notes, {})


def _table(context: Context, name: str, load: Callable[[Context], AuthorTable]) -> list[Row]:
    table = load(context)
    columns, gold = table.columns, table.gold.labels
    n_canopies = int(columns.canopy.max()) + 1
    teaches = (stream(context.seed, "halves").random(n_canopies) < 0.5)[columns.canopy]
    labels = np.where(teaches, gold, -1)
    scored = Clustering.from_labels(np.where(teaches, ABSENT, gold))
    by_hand = paper_scores(len(columns.names), len(columns.bags))
    settings = TreeSettings(seed=context.seed, n_rounds=3 if context.quick else 12)
    ways = {
        "by hand": (by_hand, None),
        "by hand, then SampleRank": (by_hand, labels),
        "without labels": (None, None),
        "from labels": (None, labels),
    }
    rows = []
    for way, (scores, known) in ways.items():
        begun = time.process_time()
        run = resolve_trees(columns, settings=settings, scores=scores, labels=known, progress=context.progress)
        rows += _scores(f"{name}, {way}", scored, run.labels, time.process_time() - begun)
    return rows


def _scores(setting: str, gold: Clustering, found: NDArray[np.int64], spent: float) -> list[Row]:
    b3, f1 = score_on_labelled(gold, Clustering.from_labels(found))
    return [
        Row(setting, "B³ F1", None, b3),
        Row(setting, "pairwise F1", None, f1),
        Row(setting, "processor time, learning and all", None, spent, "s"),
    ]


STUDIES = (Study("hierarchical/weights", "Weights by hand, by SampleRank, without labels", PAPER, _weights),)
