"""Coreference across documents (Singh, Subramanya, Pereira and McCallum, ACL 2011), on mentions that can be had.

John Smith is the corpus of the paper. Person-X is simulated, with the sizes of the paper: its newspaper is not to be
had. Three further sets of real mentions are scored against equal strings and against average linkage of tf-idf vectors
whose weight of names and threshold are tuned on another part of the set; ours sees no label. The constants of our name
comparison were chosen on those other parts, so the figures stand for parts that nothing was chosen on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage

from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.pipeline.studies._name_baselines import GRID, character_tf_idf, exact_match, linked
from onoma.pipeline.studies._sets.mention import MENTION_SETS, MentionSet, john_smith, person_x
from onoma.pipeline.studies.phylogeny import b3
from onoma.resolve.models.cross_document.evidence import Prepared, prepare_mentions
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings, LevelName
from onoma.resolve.models.cross_document.run import Placing, Round, run_rounds, with_entities
from onoma.resolve.models.cross_document.text import Bags, bags_of

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PAPER", "STUDIES", "Curve", "average_link", "race"]

_N_SMITHS = 35
_SHARES = (0.5, 0.7, 0.8, 0.9, 1.0)
"""Weights of names, beside contexts, that average linkage chooses from."""
_LEVELS: dict[str, Sequence[LevelName]] = {
    "flat": ("entity",),
    "sub-entities": ("sub", "entity"),
    "super-entities": ("entity", "super"),
    "both": ("sub", "entity", "super"),
}


def _smith(context: Context) -> Findings:
    """Resolve the John Smiths with and without their number."""
    smiths = john_smith(context.file)
    gold = smiths.gold()
    rows = []
    bags = bags_of(smiths.contexts)
    tree = linkage(np.clip(_condensed(_cosines(bags)), 0.0, 2.0), "average")
    simple = b3(gold, fcluster(tree, _N_SMITHS, "maxclust").astype(np.int64))
    rows.append(Row("average linkage, 35 entities", "B³ F1", None, 100 * simple[2]))
    seeds = range(context.seed, context.seed + (1 if context.quick else 5))
    known, unknown, numbers = [], [], []
    with context.progress.task("John Smiths", total=2 * len(seeds), unit="runs") as task:
        for seed in seeds:
            prepared = _prepared(smiths, seed)
            table, _ = with_entities(prepared.table, prepared.settings, _N_SMITHS, seed=seed)
            known.append(b3(gold, _entities(table))[2])
            task.advance()
            table = run_rounds(prepared.table, prepared.settings, seed=seed)
            unknown.append(b3(gold, _entities(table))[2])
            numbers.append(len(np.unique(_entities(table))))
            task.advance()
    rows.append(Row("ours, bias set for 35 entities", "B³ F1", 66.4, 100 * float(np.mean(known))))
    rows.append(Row("ours, bias set for 35 entities", "B³ F1, worst seed", None, 100 * min(known)))
    rows.append(Row("ours, number not given", "B³ F1", None, 100 * float(np.mean(unknown))))
    rows.append(Row("ours, number not given", "entities found", None, float(np.mean(numbers))))
    notes = [
        f"Means of {len(seeds)} seeds.",
        "Window, weights of words and temperatures were chosen with these labels in sight; nothing is held out.",
    ]
    return Findings(rows, notes)


def _prepared(mentions: MentionSet, seed: int) -> Prepared:
    return prepare_mentions(mentions.names, mentions.contexts, mentions.documents, seed=seed)


def _entities(table: pa.Table) -> NDArray[np.int64]:
    return np.array(table["entity"].to_numpy())


def _cosines(bags: Bags) -> NDArray[np.float64]:
    shape = (len(bags), max(len(bags.vocabulary), 1))
    rows = sp.csr_matrix((bags.weights.astype(np.float64), bags.words, bags.offsets), shape=shape)
    return (rows @ rows.T).toarray()


def _condensed(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 - cosines[np.triu_indices(len(cosines), 1)]


def average_link(mentions: MentionSet) -> Iterator[tuple[tuple[float, float], NDArray[np.int64]]]:
    """Yield average linkage of names and contexts: (weight of names, threshold), clustering."""
    names = character_tf_idf(mentions.names)
    by_name, by_context = (names @ names.T).toarray(), _cosines(bags_of(mentions.contexts))
    for share in _SHARES:
        distances = 1.0 - share * by_name - (1.0 - share) * by_context
        for threshold, labels in zip(GRID[::2], linked(distances, grid=GRID[::2]), strict=True):
            yield (share, threshold), labels


def _mentions(context: Context) -> Findings:
    """Score real mentions."""
    rows, notes = [], []
    chosen = list(MENTION_SETS.items())[-1:] if context.quick else list(MENTION_SETS.items())
    with context.progress.task("sets of mentions", total=len(chosen), unit="sets") as task:
        for title, read in chosen:
            parts = read(context.file)
            tune, score = parts["tune"], parts["score"]
            gold, tuning_gold = score.gold(), tune.gold()
            tuned = {setting: b3(tuning_gold, labels)[2] for setting, labels in average_link(tune)}
            best = max(tuned, key=lambda setting: tuned[setting])
            found = next(labels for setting, labels in average_link(score) if setting == best)
            prepared = _prepared(score, context.seed)
            ours = _entities(run_rounds(prepared.table, prepared.settings, seed=context.seed))
            ways = {"exact string match": exact_match(score.names), "average linkage, tuned": found, "ours": ours}
            for way, labels in ways.items():
                precision, recall, f1 = b3(gold, labels)
                rows.append(Row(f"{title}: {way}", "B³ precision", None, 100 * precision))
                rows.append(Row(f"{title}: {way}", "B³ recall", None, 100 * recall))
                rows.append(Row(f"{title}: {way}", "B³ F1", None, 100 * f1))
            notes.append(
                f"{title}: {len(score):,} mentions of {len(set(score.labels)):,} entities; average linkage weighs names"
                f" {best[0]:.1f}, threshold {best[1]:.2f}. Ours: {prepared.notes[-1]}."
            )
            task.advance()
    return Findings(rows, notes)


@dataclass(frozen=True)
class Curve:
    """Accuracy after each round against time."""

    way: str
    n_partitions: int
    seconds: list[float]
    """Processor time if every partition had a machine of its own: the slowest of each round, added up."""
    f1: list[float]

    def until(self, f1: float) -> float | None:
        """Return the time at which so much is reached."""
        return next((t for t, found in zip(self.seconds, self.f1, strict=True) if found >= f1), None)


def race(
    prepared: Prepared,
    gold: NDArray[np.int64],
    way: str,
    *,
    n_partitions: int,
    settings: CrossDocumentSettings,
    seed: int = 0,
) -> Curve:
    """Run one way of sampling and note how good it is after each round."""
    curve = Curve(way, n_partitions, [], [])

    def watch(found: Round, table: pa.Table) -> bool:
        curve.seconds.append(found.longest)
        curve.f1.append(b3(gold, _entities(table))[2])
        return False

    every = 3 if "super" in settings.levels else 1
    run_rounds(prepared.table, settings, seed=seed, placing=Placing(n_partitions, every), watch=watch)
    return curve


def _person_x(context: Context) -> Findings:
    """Race flat and hierarchical models over many partitions."""
    n = 1_000 if context.quick else 25_000
    gold, contexts = person_x(n, n_people=20 if context.quick else 50, seed=context.seed)
    prepared = prepare_mentions(["X"] * n, contexts, seed=context.seed)
    bias = prepared.settings.bias
    base = replace(
        prepared.settings,
        shared=0.0,
        per_mention=10.0,
        n_rounds=4 if context.quick else 16,
        sub_bias=1.5 * bias,
        super_bias=0.3,
        super_ratio=0.0,
        heat=bias / 10.0,
        cold=bias / 20.0,
    )
    flat = replace(base, levels=("entity",))
    most = 5 if context.quick else 50
    runs = [("flat, pair by pair", most, replace(flat, by_pairs=True))]
    runs += [("flat", k, flat) for k in ((1, 5) if context.quick else (1, 2, 5, 10, 50))]
    runs += [(way, most, replace(base, levels=levels)) for way, levels in _LEVELS.items() if way != "flat"]
    curves = []
    with context.progress.task("ways", total=len(runs), unit="runs") as task:
        for way, k, settings in runs:
            curves.append(race(prepared, gold, way, n_partitions=k, settings=settings, seed=context.seed))
            task.advance()
    return _raced(curves, most, n)


def _raced(curves: Sequence[Curve], most: int, n: int) -> Findings:
    published = next(curve for curve in curves if curve.way == "flat, pair by pair" and curve.n_partitions == most)
    rows = []
    for curve in curves:
        setting = f"{curve.way}, {curve.n_partitions} partitions"
        rows.append(Row(setting, "final B³ F1", None, 100 * curve.f1[-1]))
        rows.append(Row(setting, "processor time on a cluster", None, curve.seconds[-1], "s"))
        until = curve.until(published.f1[-1])
        if curve.n_partitions == most and curve is not published and until is not None:
            share = 100 * until / published.seconds[-1]
            rows.append(Row(setting, "time to the final B³ of flat, pair by pair, of its time", 10.0, share, "%"))
    notes = [
        f"{n:,} simulated mentions of one name. Time on a cluster: processor time of each round's slowest partition.",
        "Flat, pair by pair, is the model as published: a move costs as many pairs as its two entities have. All other"
        " ways sum the bags of each group, so that a move costs one bag; the chain is the same.",
        "So what is gained over pair by pair is gained by the sums first: compare with flat, which has them, too.",
    ]
    return Findings(rows, notes, {"cross-document-person-x": _picture(curves)})


def _picture(curves: Sequence[Curve]) -> "alt.TopLevelMixin":
    import altair as alt

    values = [
        {"way": curve.way, "partitions": curve.n_partitions, "seconds": max(t, 1e-3), "f1": f1, "line": f"{k}"}
        for k, curve in enumerate(curves)
        for t, f1 in zip(curve.seconds, curve.f1, strict=True)
    ]
    most = max(curve.n_partitions for curve in curves)
    x = alt.X("seconds:Q", scale=alt.Scale(type="log"), title="processor time on a cluster (s)")
    y = alt.Y("f1:Q", scale=alt.Scale(domain=[0, 1]), title="B³ F1")
    chosen = {
        "flat, by partitions": ([each for each in values if each["way"] == "flat"], "partitions:O"),
        f"ways, {most} partitions": ([each for each in values if each["partitions"] == most], "way:N"),
    }
    charts = [
        alt.Chart(alt.InlineData(values=some), title=title, width=380, height=280)
        .mark_line(point=True)
        .encode(x=x, y=y, color=alt.Color(by, title=by.split(":")[0]), detail="line:N")
        for title, (some, by) in chosen.items()
    ]
    return alt.hconcat(*charts).resolve_scale(color="independent")


PAPER = (
    "Singh, Subramanya, Pereira and McCallum: Large-Scale Cross-Document Coreference Using Distributed Inference and"
    " Hierarchical Models, ACL 2011"
)
STUDIES = (
    Study("cross-document/john-smith", "The John Smith corpus: B³", f"{PAPER}, section 5.1", _smith),
    Study("cross-document/mentions", "Real mentions in context: B³ without labels", PAPER, _mentions),
    Study("cross-document/person-x", "Person-X: accuracy against time, figures 5 and 6", f"{PAPER}, 5.2", _person_x),
)
