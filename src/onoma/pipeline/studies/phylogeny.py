"""Phylogenetic clustering of names (Andrews, Eisner and Dredze, ACL 2014, table 1), on names that can be had.

Four sets of names whose owners are known, each in five splits by entity. The first was for development; of the other
four, one tunes and the other three are scored, in turn, and the figures are means. What is tuned: a threshold for
average linkage, the weight of the root for ours; nothing else sees a label. Figures without any tuning stand beside.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.b_cubed import b_cubed
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._name_baselines import (
    GRID,
    context_distances,
    exact_match,
    jaro_winkler_distances,
    linked,
    nearest_references,
    tf_idf_distances,
)
from onoma.pipeline.studies._sets.name import SETS, NameSet, TitlePair, title_pairs
from onoma.resolve.models.phylogeny.mentions import Mentions
from onoma.resolve.models.phylogeny.model import NameModel, Phylogeny, PhylogenySettings, fit_names
from onoma.resolve.models.phylogeny.topics import find_topics, tokens_of
from onoma.resolve.names.references import link_names

__all__ = ["STUDIES", "Scored", "score_split"]

ROOTS = (0.0, -4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0)
"""Root weights to choose from; the first is what stands without tuning."""
_LIST = 1_000
"""Names of a list of titles, at most."""
CONTEXT_SHARES = (0.05, 0.1, 0.2, 0.4)
"""How much contexts count beside names, to choose from."""
LETTER_ROOTS = (15.0, 25.0, 40.0)
"""For letters alone, which take a name from nowhere for less likely than it is, so that more weight is needed."""


@dataclass(frozen=True, eq=False)
class Scored:
    """One way of clustering on one split: B³ (precision, recall, F1) at each value of what is tuned."""

    way: str
    scores: NDArray[np.float64]
    untuned: int | None = None
    """Which value stands without tuning."""


def b3(gold: NDArray[np.int64], labels: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    score = b_cubed(Clustering.from_labels(gold), Clustering.from_labels(labels))
    return score.precision, score.recall, score.f1


def score_split(names: NameSet, *, seed: int = 0, quick: bool = False) -> Iterator[Scored]:
    """Cluster one split in every way."""
    gold = names.gold()

    def scored(way: str, answers: Sequence[NDArray[np.int64]], untuned: int | None = None) -> Scored:
        return Scored(way, np.array([b3(gold, labels) for labels in answers]), untuned)

    yield scored("exact match", [exact_match(names.names)], 0)
    for way, answers in _by_similarity(names):
        yield scored(way, answers)
    n_samples = 100 if quick else 300
    yield from (scored(way, answers) for way, answers in _by_letters(names, seed, n_samples))
    for way, mentions in _ways(names, seed).items():
        model = NameModel(mentions, PhylogenySettings(seed=seed, n_samples=n_samples))
        model.learn()
        found = [model.sample(root_weight=root) for root in ROOTS]
        if way in ("words", "words, kinds"):
            yield scored(f"{way}, last sample", [_last(each) for each in found], 0)
        yield scored(way, [each.labels for each in found], 0)


def _by_similarity(names: NameSet) -> Iterator[tuple[str, list[NDArray[np.int64]]]]:
    """Average linkage over similarities of strings, and of strings and contexts (as Green and others, 2012)."""
    winkler, characters = jaro_winkler_distances(names.names), tf_idf_distances(names.names)
    yield "Jaro–Winkler", linked(winkler)
    if names.contexts is not None:
        around = context_distances(names.contexts)
        mixed = [linked((1.0 - share) * winkler + share * around, grid=GRID[::2]) for share in CONTEXT_SHARES]
        yield "Jaro–Winkler and context", [labels for answers in mixed for labels in answers]
    yield "character tf-idf", linked(characters)
    if names.kinds is not None:
        yield "Jaro–Winkler, kinds", linked(winkler, names.kinds)
        yield "character tf-idf, kinds", linked(characters, names.kinds)


def _ways(names: NameSet, seed: int) -> dict[str, Mentions]:
    """What may be told of the names of a set."""
    ways = {"words": Mentions(names.names)}
    if names.kinds is None:
        return ways
    ways["words, kinds"] = known = Mentions(names.names, names.kinds)
    ways["words, kinds, documents"] = replace(known, documents=names.documents)
    ways["words, kinds, dates"] = replace(known, years=names.years)
    ways["words, kinds, languages"] = replace(known, languages=names.languages)
    if names.contexts is not None:
        shares = find_topics(tokens_of(names.contexts), seed=seed).shares
        ways["words, kinds, topics"] = replace(known, topic_shares=shares)
    return ways


def _last(found: Phylogeny) -> NDArray[np.int64]:
    """Return the entities of the last sample, for which no loss is reckoned with."""
    return found.descent.roots[-1].astype(np.int64)[found.nodes.place]


def _by_letters(names: NameSet, seed: int, n_samples: int) -> Iterator[tuple[str, list[NDArray[np.int64]]]]:
    """The model as published, without context: the last sample, and the consensus."""
    last, consensus = [], []
    for root in LETTER_ROOTS:
        settings = PhylogenySettings(
            seed=seed, by_letters=True, n_rounds=5, neighbours=10, n_samples=n_samples, root_weight=root
        )
        found = fit_names(names.names, settings=settings)
        last.append(_last(found))
        consensus.append(found.labels)
    yield "letters, last sample", last
    yield "letters, consensus", consensus


def _table(context: Context) -> Findings:
    rows: list[Row] = []
    notes = []
    with context.progress.task("splits", total=len(SETS) * (2 if context.quick else 4), unit="splits") as task:
        for title, make in SETS.items():
            splits = make(context.file, context.seed)[1:]
            if context.quick:
                splits = splits[:2]
            ways: dict[str, list[Scored]] = {}
            for split in splits:
                for each in score_split(split, seed=context.seed, quick=context.quick):
                    ways.setdefault(each.way, []).append(each)
                task.advance()
            found = {way: _means(scored) for way, scored in ways.items()}
            rows += list(_rows(title, found))
            notes.append(_note(title, splits, found))
    return Findings(rows, notes)


def _means(scored: Sequence[Scored]) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return precision, recall and F1: tuned on each split in turn and scored on the others; and untuned."""
    table = np.stack([each.scores for each in scored])
    tuned = []
    for k in range(len(table)):
        best = int(table[k, :, 2].argmax())
        tuned.append(np.delete(table, k, axis=0)[:, best].mean(axis=0))
    untuned = scored[0].untuned
    return np.mean(tuned, axis=0), None if untuned is None else table[:, untuned].mean(axis=0)


def _rows(title: str, found: dict[str, tuple[NDArray[np.float64], NDArray[np.float64] | None]]) -> Iterator[Row]:
    for way, (tuned, untuned) in found.items():
        for metric, value in zip(("precision", "recall", "F1"), tuned, strict=True):
            yield Row(f"{title}: {way}", f"B³ {metric}", None, 100 * float(value))
        if untuned is not None and way != "exact match":
            yield Row(f"{title}: {way}", "B³ F1, nothing tuned", None, 100 * float(untuned[2]))


def _note(
    title: str,
    splits: Sequence[NameSet],
    found: dict[str, tuple[NDArray[np.float64], NDArray[np.float64] | None]],
) -> str:
    simple = max(found[way][0][2] for way in found if way.startswith("character tf-idf"))
    ours = "words, kinds" if "words, kinds" in found else "words"
    tuned, untuned = found[ours]
    size = ", ".join(f"{len(split):,}" for split in splits)
    fewer = 100 * (1 - (1 - tuned[2]) / (1 - simple))
    plain = "" if untuned is None else f" ({100 * (1 - (1 - untuned[2]) / (1 - simple)):.0f} % with nothing tuned)"
    return (
        f"{title}: splits of {size} names. {ours} makes {fewer:.0f} % fewer B³ errors than the best character tf-idf"
        f"{plain}, and is {100 * (tuned[2] - found['exact match'][0][2]):.1f} points above exact match."
    )


def _titles(context: Context) -> Findings:
    pairs = title_pairs(context.file)
    if context.quick:
        pairs = pairs[::10]
    found = []
    with context.progress.task("title types", total=len(pairs), unit="types") as task:
        for pair in pairs:
            found.append(_title_scores(pair))
            task.advance()
    table = np.array(found)
    ways = ("Jaro–Winkler, best threshold", "character tf-idf, best threshold", "descent, nothing tuned")
    rows = [
        Row(f"{len(pairs)} title types: {way}", "mean F1", None, float(f))
        for way, f in zip(ways, table.mean(0), strict=True)
    ]
    better = int(np.sum(table[:, 2] >= table[:, :2].max(1)))
    return Findings(rows, [f"Descent is at least as good as the better of both on {better} of {len(pairs)} types."])


def _title_scores(pair: TitlePair) -> tuple[float, float, float]:
    """Return the F1 of the links of one type: two similarities at the threshold that suits it best, and ours."""
    best = [_best_f1(pair, *each) for each in nearest_references(pair.references, pair.names)]
    links = link_names(pair.references, pair.names)
    sure = links.probability > 0.5
    right = sum(int(links.reference[i]) in pair.gold[i] for i in np.flatnonzero(sure).tolist())
    total = sum(len(each) for each in pair.gold)
    return best[0], best[1], 2.0 * right / max(int(sure.sum()) + total, 1)


def _lists(context: Context) -> Findings:
    """Cluster references and names of a type as one bare list."""
    pairs = title_pairs(context.file)[:: 10 if context.quick else 5]
    found = []
    with context.progress.task("title types", total=len(pairs), unit="types") as task:
        for pair in pairs:
            found.append(_list_scores(pair, context.seed))
            task.advance()
    ways = ("every name by itself", "character tf-idf, average link, best threshold", "descent, nothing tuned")
    what = f"{len(pairs)} title types, {_LIST:,} names at most"
    rows = [Row(f"{what}: {way}", "mean B³ F1", None, float(f)) for way, f in zip(ways, np.mean(found, 0), strict=True)]
    worst = min(found, key=lambda each: each[2] - each[1])
    return Findings(rows, [f"At worst descent is {100 * (worst[1] - worst[2]):.1f} points below the best threshold."])


def _list_scores(pair: TitlePair, seed: int) -> tuple[float, float, float]:
    """Return B³ of the names of some things of one type: all apart, a similarity at its best threshold, and ours."""
    n = len(pair.references)
    owner = dict(zip(pair.references, range(n), strict=True))
    for i, (name, references) in enumerate(zip(pair.names, pair.gold, strict=True)):
        owner.setdefault(name, min(references, default=n + i))
    things = sorted(set(owner.values()))
    share = min(_LIST / len(owner), 1.0)
    kept = set(stream(seed, "lists", pair.type).permutation(things)[: int(share * len(things))].tolist())
    names = [name for name, thing in owner.items() if thing in kept]
    gold = np.unique([owner[name] for name in names], return_inverse=True)[1].astype(np.int64)
    best = max(b3(gold, labels)[2] for labels in linked(tf_idf_distances(names)))
    found = fit_names(names, settings=PhylogenySettings(seed=seed))
    return b3(gold, np.arange(len(names)))[2], best, b3(gold, found.labels)[2]


def _best_f1(pair: TitlePair, reference: NDArray[np.int64], similarity: NDArray[np.float64]) -> float:
    """Return the F1 of linking each name to its nearest reference, at the best threshold there is."""
    order = np.argsort(-similarity, kind="stable")
    right = np.cumsum([int(reference[i]) in pair.gold[i] for i in order.tolist()])
    total = sum(len(each) for each in pair.gold)
    return float((2.0 * right / (np.arange(1, len(order) + 1) + total)).max(initial=0.0))


STUDIES = (
    Study(
        "phylogeny/lists",
        "Clustering bare lists of titles: B³ against a similarity at its best threshold",
        "Li, Cheng, Chu, He and Chaudhuri: Auto-FuzzyJoin, SIGMOD 2021 (every fifth of its title types)",
        _lists,
    ),
    Study(
        "phylogeny/titles",
        "Linking titles to references: F1 against two similarities at their best thresholds",
        "Li, Cheng, Chu, He and Chaudhuri: Auto-FuzzyJoin, SIGMOD 2021 (its 50 title types)",
        _titles,
    ),
    Study(
        "phylogeny/table-1",
        "Clustering names by descent: B³ against exact match and tuned similarities",
        "Andrews, Eisner and Dredze: Robust Entity Clustering via Phylogenetic Inference, ACL 2014, table 1",
        _table,
    ),
)
