"""Monte Carlo MCMC: entity resolution from sampled factors (Singh, Wick and McCallum, EMNLP 2012, tables 1 and 2).

A pairwise model of citations, of authors, or of simulated people who are all mentioned a thousand times or more (where
the paper promises most), with weights from SampleRank on all labels: the subject is how fast
inference is, not how well it generalises. Mentions start alone; a random one is offered a random entity (of its block,
for authors); temperature falls. How many factors are looked at until B³ F1 reaches a target, from all factors a move
touches and from samples of them?
"""

import re
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate.mentions import MentionSettings, simulate_mentions
from onoma.errors import SettingsError
from onoma.evaluate.b_cubed import b_cubed
from onoma.mcmc.schedules import Geometric
from onoma.mcmc.subsampling import Adaptive, Confidence, Exact, Strategy, Uniform
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context, Findings, Row, Study
from onoma.resolve.models.pairwise.chain import Factors, MentionBags, PairwiseChain
from onoma.resolve.models.pairwise.rank import BagTables, RankLearning, rank_bags

__all__ = [
    "STUDIES",
    "Means",
    "Problem",
    "Reached",
    "authors",
    "citations",
    "discriminant",
    "famous",
    "learn",
    "reach",
    "strategies",
]

PAPER = "Singh, Wick and McCallum: Monte Carlo MCMC: Efficient Inference by Approximate Sampling, EMNLP 2012"
CORA_PAPER: Mapping[str, tuple[float, float]] = {
    "exact": (57_292_700, 1.0),
    "p=0.75": (34_803_972, 1.64),
    "p=0.5": (28_143_323, 2.04),
    "p=0.3": (17_778_891, 3.22),
    "p=0.2": (12_892_079, 4.44),
    "p=0.1": (7_855_686, 7.29),
    "i=0.001": (52_522_728, 1.09),
    "i=0.01": (51_547_000, 1.11),
    "i=0.1": (47_165_038, 1.21),
    "i=0.5": (32_828_823, 1.74),
    "i=1": (18_938_791, 3.02),
    "i=2": (11_134_267, 5.14),
    "i=5": (9_827_498, 5.83),
    "i=10": (8_675_833, 6.60),
    "i=20": (8_295_587, 6.90),
}
AUTHORS_PAPER: Mapping[str, tuple[float, float]] = {
    "exact": (1_395_330_603, 1.0),
    "p=0.5": (689_254_134, 2.02),
    "p=0.2": (327_616_794, 4.26),
    "p=0.1": (206_157_705, 6.77),
    "p=0.05": (152_069_987, 9.17),
    "p=0.02": (142_689_770, 9.78),
    "i=0.1": (1_012_321_830, 1.38),
    "i=1": (265_327_983, 5.26),
    "i=10": (179_701_896, 7.76),
    "i=100": (106_850_725, 13.16),
}
"""Factors examined, and how many times fewer than exact."""
LARGE = ("exact", "p=0.1", "p=0.02", "i=10", "i=20")
"""What is tried on people who are mentioned a thousand times."""
LEARNT = (
    "Weights are from SampleRank on all labels, as in the paper; its moves are scored from samples, too.",
    "Cosines of words and their conjunctions two by two, in ten intervals, stand in for the paper's features.",
)
N_INTERVALS = 10
"""Intervals of a cosine."""
SCALE = 10.0
"""The mean score of true pairs: SampleRank leaves the scale open, and widths are measured in it."""


_KINDS = (
    ("meeting", r"proc|conf|symp|workshop|annual|advances|colt|stoc|focs|nips|icml|ijcai|aaai"),
    ("report", r"tech|report|thesis|manuscript|submitted"),
)


@dataclass(frozen=True, eq=False)
class Problem:
    """Mentions to be resolved, and their truth."""

    bags: MentionBags
    gold: Clustering
    block: NDArray[np.int32] | None = None


@dataclass(frozen=True)
class Reached:
    """What a chain took to the target, or to its end."""

    is_there: bool
    n_factors: int
    n_proposals: int
    seconds: float
    """Processor time of the chain."""
    wall: float
    """The same by the clock on the wall."""
    f1: float


def citations(path: str) -> Problem:
    """Read citations: words of author, title and venue, what kind of venue it is, numbers of year, pages and volume."""
    table = read_table(path).table
    columns = {name: [str(value or "") for value in table[name].to_pylist()] for name in table.column_names}
    words, numbers = re.compile(r"[a-z0-9]+"), re.compile(r"\d+")
    groups = [[words.findall(value.lower()) for value in columns[name]] for name in ("author", "title", "venue")]
    groups += [[numbers.findall(value) for value in columns[name]] for name in ("year", "pages", "volume")]
    groups.append([_kind_of(venue.lower()) for venue in columns["venue"]])
    return Problem(MentionBags.build(groups), Clustering.from_labels(table["cluster_id"]))


def _kind_of(venue: str) -> list[str]:
    """Return whether a venue is a meeting, a report or a journal; nothing of none."""
    for kind, signs in _KINDS:
        if re.search(signs, venue):
            return [kind]
    return ["journal"] if venue.strip() else []


def authors(mentions_path: str, papers_path: str) -> Problem:
    """Read labelled authorships: given names, co-authors, words of the title, venue; blocks by surname and initial."""
    rows = read_table(mentions_path).table.to_pydict()
    papers = read_table(papers_path).table.to_pydict()
    about = {paper: k for k, paper in enumerate(papers["paper_id"])}
    surnames: dict[str, list[str]] = {}
    for paper, last in zip(rows["paper_id"], rows["last"], strict=True):
        surnames.setdefault(paper, []).append(_plain(last))
    use = [k for k, label in enumerate(rows["cluster_id"]) if label]
    given, company, titles, venues, blocks = [], [], [], [], []
    for k in use:
        first, last, paper = _plain(rows["first"][k]), _plain(rows["last"][k]), rows["paper_id"][k]
        at = about.get(paper, -1)
        given.append([*first.split(), f"={first}"])
        company.append([name for name in surnames[paper] if name != last])
        titles.append([] if at < 0 else _plain(papers["title"][at]).split())
        venues.append([] if at < 0 else _plain(papers["venue"][at]).split())
        blocks.append(f"{last} {first[:1]}")
    gold = Clustering.from_labels([rows["cluster_id"][k] for k in use])
    block = Clustering.from_labels(blocks).labels.astype(np.int32)
    # One person under two surnames would be in two blocks, where no chain could join them.
    both = Clustering.from_labels(gold.labels * (int(block.max(initial=0)) + 1) + block)
    return Problem(MentionBags.build([given, company, titles, venues]), both, block)


def _plain(text: str | None) -> str:
    kept = "".join(
        c if c.isalnum() else " " for c in unicodedata.normalize("NFKD", (text or "").lower()) if c.isascii()
    )
    return " ".join(kept.split())


def famous(n: int, *, people: int, each: int, seed: int) -> Problem:
    """Simulate n mentions in context; of so many people who have `each` mentions or more, keep that many of each."""
    settings = MentionSettings(tail=1.2, largest=2 * each, own=0.3, focus=1.0, variants=0.1)
    table = simulate_mentions(n, seed=seed, settings=settings)
    person = Clustering.from_labels(table["cluster_id"])
    chosen = np.flatnonzero(person.sizes >= each)[:people]
    if len(chosen) < people:
        raise SettingsError(f"{len(chosen)} people have {each:,} mentions of {n:,}; {people} are wanted")
    kept = np.sort(np.concatenate([person.members(int(who))[:each] for who in chosen]))
    names, contexts = (table[name].take(kept).to_pylist() for name in ("name", "context"))
    groups = [[_plain(text).split() for text in column] for column in (names, contexts)]
    return Problem(MentionBags.build(groups), person.take(kept))


def discriminant(problem: Problem, *, seed: int, n_pairs: int = 100_000) -> Factors:
    """Return the linear discriminant of labelled pairs by their cosines; SampleRank is slow on large entities."""
    rng, labels = stream(seed, "discriminant"), problem.gold.labels
    a, b = rng.integers(0, len(labels), (2, n_pairs))
    a, b = a[a != b], b[a != b]
    cosines, same = np.nan_to_num(problem.bags.cosines(a, b)), labels[a] == labels[b]
    true, false = cosines[same].mean(axis=0), cosines[~same].mean(axis=0)
    spread = np.cov(cosines[same], rowvar=False) + np.cov(cosines[~same], rowvar=False)
    slopes = np.linalg.solve(spread + 1e-9 * np.eye(len(spread)), true - false)
    slopes *= SCALE / (slopes @ (true - false) / 2.0)
    return problem.bags.factors(bias=-float(slopes @ (true + false) / 2.0), slopes=slopes)


def learn(problem: Problem, *, n_steps: int, seed: int, n_pairs: int = 1_000_000) -> Factors:
    """Learn scores of pairs by SampleRank, its moves scored from samples, on the labelled mentions of some blocks."""
    settings = RankLearning(n_steps=n_steps, rate=1.0, margin=200.0, per_pair=False, proportion=0.02, stray=1.0)
    return rank_bags(
        problem.bags,
        problem.gold.labels,
        block=problem.block,
        seed=seed,
        shape=BagTables(n_intervals=N_INTERVALS, n_pairs=n_pairs, scale=SCALE),
        settings=settings,
    )


def reach(
    problem: Problem, factors: Factors, scoring: Strategy, *, target: float, n_sweeps: int, every: float, seed: int
) -> Reached:
    """Run a chain until B³ F1 is at the target; its own time counts, not that of scoring what it found."""
    n = len(problem.bags)
    chain = PairwiseChain(factors, n, seed=seed, block=problem.block, moves="uniform", scoring=scoring)
    labelled = problem.gold.labels != ABSENT
    gold = problem.gold.take(labelled)
    temperatures = Geometric(1.0, 0.1, n_sweeps).temperatures(0, n_sweeps)
    seconds, wall, f1, step = 0.0, 0.0, 0.0, max(1, int(every * n_sweeps))
    for first in range(0, n_sweeps, step):
        begun, begun_wall = time.thread_time(), time.perf_counter()
        chain.run(temperatures[first : first + step])
        seconds, wall = seconds + time.thread_time() - begun, wall + time.perf_counter() - begun_wall
        f1 = b_cubed(gold, Clustering.from_labels(chain.labels).take(labelled)).f1
        if f1 >= target:
            break
    return Reached(f1 >= target, chain.n_factors, chain.n_proposals, seconds, wall, f1)


def strategies(names: Sequence[str], n_sweeps: int) -> dict[str, Strategy]:
    """Return the strategies by the paper's names, and one that grows from few factors to all."""
    made: dict[str, Strategy] = {}
    for name in names:
        number = float(name.partition("=")[2] or 0)
        made[name] = Exact() if name == "exact" else Uniform(number) if name[0] == "p" else Confidence(number)
    return made | {"adaptive": Adaptive(n_sweeps, start=0.02, end=0.5)}


@dataclass(frozen=True)
class _Effort:
    """How far and how often chains run."""

    target: float
    n_sweeps: int
    n_seeds: int
    n_steps: int = 3_000_000
    """Moves that SampleRank learns from, twice."""


def _compare(problem: Problem, paper: Mapping[str, tuple[float, float]], context: Context, effort: _Effort) -> Findings:
    factors = learn(problem, n_steps=effort.n_steps, seed=context.seed)
    found = _race(problem, factors, list(paper), context, effort)
    return Findings(list(_rows(found, paper)), [*_notes(found, effort), *LEARNT])


def _race(
    problem: Problem, factors: Factors, names: Sequence[str], context: Context, effort: _Effort
) -> "dict[str, Means]":
    """Run chains of every strategy to the target."""
    chosen = strategies(names, effort.n_sweeps)
    for scoring in chosen.values():
        reach(problem, factors, scoring, target=0.0, n_sweeps=1, every=1.0, seed=0)  # compiles
    found: dict[str, Means] = {}
    with context.progress.task("chains", total=effort.n_seeds * len(chosen), unit="chains") as task:
        for name, scoring in chosen.items():
            runs = []
            for seed in range(context.seed, context.seed + effort.n_seeds):
                run = reach(
                    problem,
                    factors,
                    scoring,
                    target=effort.target,
                    n_sweeps=effort.n_sweeps,
                    every=0.004,
                    seed=seed,
                )
                runs.append(run)
                task.advance()
            found[name] = Means.of(runs)
    return found


@dataclass(frozen=True)
class Means:
    """Means over chains. One that does not arrive counts with what it took to its end, which is too little."""

    is_there: float
    n_factors: float
    n_proposals: float
    seconds: float
    wall: float
    f1: float

    @classmethod
    def of(cls, runs: Sequence[Reached]) -> "Means":
        """Return the means of some chains."""
        return cls(*np.mean([astuple(run) for run in runs], axis=0).tolist())

    def fewer(self, exact: "Means") -> tuple[float, float, float]:
        """Return how many times fewer factors and less time, of the processor and on the wall, than exact.

        0 where most chains of either never arrive.
        """
        if min(self.is_there, exact.is_there) < 0.5:
            return 0.0, 0.0, 0.0
        return exact.n_factors / self.n_factors, exact.seconds / self.seconds, exact.wall / self.wall


def _rows(found: Mapping[str, Means], paper: Mapping[str, tuple[float, float]]) -> Iterator[Row]:
    for name, means in found.items():
        theirs = paper.get(name, (None, None))
        factors, seconds, wall = means.fewer(found["exact"])
        yield Row(name, "fewer factors than exact (0: never)", theirs[1], factors, "×")
        yield Row(name, "factors", theirs[0], means.n_factors, "factors")
        yield Row(name, "proposals", None, means.n_proposals, "proposals")
        yield Row(name, "processor time", None, means.seconds, "s")
        yield Row(name, "less time than exact (0: never)", None, seconds, "×")
        yield Row(name, "time on the wall", None, means.wall, "s")
        yield Row(name, "less time on the wall (0: never)", None, wall, "×")
        yield Row(name, "chains that arrive", None, means.is_there)
        yield Row(name, "B³ F1 at the end", None, means.f1)


def _cora(context: Context) -> Findings:
    problem = citations(str(context.file("resolution/cora/cora.csv.gz")))
    effort = _Effort(0.25, 100, 1, 100_000) if context.quick else _Effort(0.9, 2500, 10)
    return _compare(problem, CORA_PAPER, context, effort)


def _authors(context: Context) -> Findings:
    folder = "resolution/acl-anthology"
    problem = authors(str(context.file(f"{folder}/mentions.csv.gz")), str(context.file(f"{folder}/papers.csv.gz")))
    effort = _Effort(0.3, 10, 1, 100_000) if context.quick else _Effort(0.8, 250, 1)
    return _compare(problem, AUTHORS_PAPER, context, effort)


def _famous(context: Context) -> Findings:
    n, each = (2_000, 100) if context.quick else (20_000, 1_000)
    problem = famous(n, people=2, each=each, seed=context.seed)
    effort = _Effort(0.3, 50, 1) if context.quick else _Effort(0.9, 400, 1)
    found = _race(problem, discriminant(problem, seed=context.seed), LARGE, context, effort)
    sizes = np.bincount(problem.gold.labels)
    notes = [
        f"{len(problem.bags):,} simulated mentions of {len(sizes)} people, {sizes.min():,} to {sizes.max():,} of each.",
        "Weights are the linear discriminant of labelled pairs by the cosines of names and of the words around them.",
        *_notes(found, effort),
    ]
    return Findings(list(_rows(found, {})), notes)


def _notes(found: Mapping[str, Means], effort: _Effort) -> list[str]:
    notes = [
        f"Mean of {effort.n_seeds} chains to B³ F1 {effort.target}, all mentions alone at the start. A chain that does "
        "not arrive counts with what it took to its end; where more than half do not arrive, it says never.",
        f"Scores are scaled so that true pairs score {SCALE:g} on average: widths are in that scale; the paper's is "
        "unknown.",
        "A sample holds pairs of both entities in proportion, at least one of each.",
    ]
    for family, title in (("p", "A fixed proportion"), ("i", "An interval")):
        best = max((name for name in found if name[0] == family), key=lambda name: found[name].fewer(found["exact"]))
        factors, seconds, _ = found[best].fewer(found["exact"])
        notes.append(f"{title}: at best {best}, {factors:.2f} times fewer factors and {seconds:.2f} times less time.")
    return notes


STUDIES = (
    Study("monte-carlo-mcmc/cora", "Factors to 90 % B³ on Cora citations", f"{PAPER}, table 1", _cora),
    Study(
        "monte-carlo-mcmc/authors",
        "Factors to 80 % B³ on authors (of the ACL Anthology; the paper's are of DBLP and Rexa)",
        f"{PAPER}, table 2",
        _authors,
    ),
    Study(
        "monte-carlo-mcmc/large-entities",
        "Time to 90 % B³ on simulated people who are mentioned a thousand times or more",
        PAPER,
        _famous,
    ),
)
