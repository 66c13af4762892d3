"""Checking a resolution: what decoys and planted copies say of the answer.

*Precision.* A stranger that is joined is a false link. It stands for n/2m of the table's, m being the number of
strangers planted: a false link has two ends, and each of n rows could be one. Between two sources a decoy stands for
the rows of its side that have no partner (`probing.lonely`); what mirrors find as surely as the strongest third of the
links is taken for duplicates inside a source, or not: either reading counts one half. A sibling that is joined with the
record it was made of stands for M/m/(1 - r) links, M being the pairs of near records of different entities and r the
share joined: the M were not joined, and those that were are r/(1 - r) times as many. The kind that convicts most is
believed. What is stated is lowered to what it leaves (`calibrate.py`), and links of whose kind most are wrong are given
up. A reported entity is as good as the links of its strongest tree: each holds with the share of its bin, and those
pairs are right that are still connected.

*Recall* is the share of copies found (`copies.py`), where the answer is doubted times the part of the stated pairs that
are together. *Entities*: the rows less the links there are, which are the links
found times their precision over recall; the interval is that of draws of all three.

Every interval has three parts: how many decoys and copies were drawn, how far such estimates were off on labelled
tables (`OFF_PRECISION`, `OFF_RECALL`), and that few links may happen to be better or worse than their chances.
"""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.union_find import components
from onoma.resolve.blocking.conditions import has_constraints
from onoma.resolve.check.calibrate import MANY, Calibration, calibrate, given_up
from onoma.resolve.check.copies import OFF_RECALL
from onoma.resolve.check.lists import is_all_different, is_list, nearest, repeats_itself
from onoma.resolve.check.namesakes import told_by_names
from onoma.resolve.check.naming import names_the_one, names_who_comes_again
from onoma.resolve.check.probing import COPIES, DECOYS, Probe
from onoma.resolve.check.quality import (
    ALIKE,
    DOUBTED,
    FEWEST_LINKS,
    NAMED_ALIKE,
    SAFE,
    Quality,
    Share,
    ceiling_of_pairs,
    unchecked,
)
from onoma.resolve.check.single import is_alike_everywhere, is_one_thing
from onoma.resolve.fields.columns import read_texts
from onoma.resolve.fields.infer import is_constant

if TYPE_CHECKING:
    from onoma.resolve.result import Resolution

__all__ = ["check_resolution"]

Floats = NDArray[np.float64]
FEWEST_ROWS, MOST_ROWS = 30, 100_000
_COMPARING = ("copying", "hierarchical", "pairwise")
"""Models that compare rows by their columns."""
_STATED = 0.01
"""Pairs below this probability are not stated."""
_LEAST_TOGETHER = 1e-6
"""The least part of what is stated that counts as reported: where decoys convict every link, nothing would be left."""
OFF_PRECISION = 1.0
"""How far estimates were off on labelled tables: the standard deviation of the logarithm of the number of false
links."""
OFF_RECALL_CALIBRATED = 0.7
"""`OFF_RECALL` where nothing speaks against the checks. On 53 such runs of fifteen development tables (parts of 900
rows, whole and with columns left out) links were off by more than twice this on four, three of them of a table with 50
matches; without that table their standard deviation is .5, with it .9, each table counting once."""
OFF_RECALL_ALONE = 1.5
"""`OFF_RECALL` where one field says nearly all: copies that are written quite otherwise (a place in two
scripts, a club by its nickname) are not found, and so are not copied. Off by -2.0, -1.2 and .4 on the three such tables
of the development half; elsewhere by -1.6 (189 rows), -.9 and less. Without the first of the three the other two give
0.9, and twice that nearly holds it. Of 28 kinds of titles in one column, two lists linked, the standard deviation is
1.27 (without any one of them 1.14 to 1.29)."""
OFF_TREES = 0.25
"""How far the number of entities was off where trees were grown: the standard deviation of its logarithm. Off by .11
and .24 on the two tables of the development half."""
N_DRAWS, N_CUT = 400, 60
"""Draws of what is not known, and of links that hold."""
LARGE, MOST_IN_LARGE = 10, 0.5
"""Rows of an entity from which on one wrong link makes very many wrong pairs, and the part of all pairs that may be in
such entities before decoys say too little of pairs."""
WIDEST = 0.5
"""An interval of precision that is wider says too little."""
FAMILIES = 0.125
"""How likely it is that links with unrelated names or dates join members of a family, where there are more of them than
in any table known. In none of the six labelled tables with thirty such links or more most of them were wrong (1.00 of
them right in five, .70 in one): one in eight by Laplace's rule. It was one half."""
_SHARED_BY_CHANCE = ("number", "date", "category")
"""Kinds whose values many have: prices and days name nothing, and decoys that are drawn like them miss each other."""
_HARDLY = 0.05
"""The share of planted copies found below which nothing is known of what is missed."""
USUAL_CONTRADICTIONS = 0.12
"""Of links, those with unrelated names (or dates): at most that many in a column of the tables known (`noise.py`)."""


def check_resolution(resolution: "Resolution") -> Quality:
    """Plant decoys and copies, look for them, and say what that means.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> from onoma.resolve.api import resolve
    >>> quality = check_resolution(resolve(simulate_people(400, seed=1)))
    >>> quality.calibrated, quality.precision.high > 0.9, quality.recall.high > 0.9
    (True, True, True)
    """
    begun = time.perf_counter()
    posterior, fit = resolution.posterior, resolution.weighed
    if _is_one_thing(resolution):
        return replace(_all_one(resolution), seconds=time.perf_counter() - begun)
    if _is_grown(resolution) and posterior is not None:
        found = told_by_names(resolution, posterior)
        return replace(found, entities=_widened(resolution), seconds=time.perf_counter() - begun)
    why = _why_not(resolution)
    if why is not None or posterior is None or fit is None:
        sure = posterior is None or len(resolution.table) < FEWEST_ROWS or resolution.config.model == "exact-match"
        found, most = unchecked(why or "nothing was compared"), 1.0 if sure else DOUBTED
        return replace(found, entities=_widened(resolution), ceiling=most, pair_ceiling=most)
    found = _told(Probe(resolution, posterior, fit))
    return replace(found, seconds=time.perf_counter() - begun)


def _is_one_thing(resolution: "Resolution") -> bool:
    """Say whether all rows are taken for one thing, where nobody says otherwise and any two rows may be one."""
    config, n = resolution.config, len(resolution.table)
    told = has_constraints(config) or config.labels is not None or config.link or resolution.block is not None
    if told or resolution.posterior is None or config.model not in _COMPARING or n < FEWEST_ROWS:
        return False
    fields, table = resolution.fields, resolution.table
    constant = [each.name for each in fields.ignored if is_constant(each.reason) and each.name in table.column_names]
    read = {name: read_texts(table[name], name) for name in constant}  # parts of a column are no columns
    usual = {name: str(texts.raw[int(texts.counts().argmax())]) for name, texts in read.items() if texts is not None}
    return is_one_thing(fields.fields, usual)


def _all_one(resolution: "Resolution") -> Quality:
    """Return what is said of a table that is all one thing: that it is taken for one, and that nothing can check it."""
    n, n_pairs = len(resolution.table), 0 if resolution.posterior is None else len(resolution.posterior.pairs.a)
    return Quality(
        calibrated=False,
        because=(ALIKE if is_alike_everywhere(resolution.fields.fields) else NAMED_ALIKE,),
        n_links=n - 1,
        all_one=True,
        clustering=Clustering.from_labels(np.zeros(n, dtype=np.int64)),
        entities=(1, max(resolution.entity_count()[2], resolution.clustering.n_entities)),
        probability=np.ones(n),
        pair_probability=np.ones(n_pairs),
        ceiling=DOUBTED,
        pair_ceiling=DOUBTED,
    )


def _is_grown(resolution: "Resolution") -> bool:
    """Say whether the answer is of trees that names can check."""
    return resolution.config.model == "hierarchical" and FEWEST_ROWS <= len(resolution.table) <= MOST_ROWS


def _why_not(resolution: "Resolution") -> str | None:
    """Return why an answer cannot be checked."""
    n, model, fit = len(resolution.table), resolution.config.model, resolution.weighed
    if resolution.posterior is None:
        return "nothing was compared"
    if fit is None or not fit.is_used or model not in ("copying", "pairwise"):
        return f"the model {model} has no weights by which planted rows could be looked for"
    if model == "pairwise" and not fit.evidence.linking:
        return "the model pairwise weighs all pairs of an entity, and is not sampled again with planted rows"
    if n < FEWEST_ROWS:
        return f"{n} rows are too few"
    return f"tables of more than {MOST_ROWS:,} rows are not checked" if n > MOST_ROWS else None


def _widened(resolution: "Resolution") -> tuple[int, int] | None:
    """Return the interval of the number of entities where trees were grown: that of the samples, made wider."""
    drawn = None if resolution.posterior is None else resolution.posterior.n_entities
    n = len(resolution.table)
    if resolution.config.model != "hierarchical" or drawn is None or not len(drawn) or n < FEWEST_ROWS:
        return None
    off = np.exp(1.96 * OFF_TREES)
    low, high = np.quantile(np.append(drawn, resolution.clustering.n_entities), [0.025, 0.975])
    return max(int(low / off), 1), min(int(np.ceil(high * off)), n)


def _told(probe: Probe) -> Quality:
    """Return what the probe says."""
    draws = _Draws(probe.rng)
    calibration, n_joined = _calibration(probe)
    different = _all_different(probe)
    maps = [calibration, _calibration(probe, spare=False)[0]] if calibration.spared else [calibration]
    right = calibration(probe.sure[probe.tree])
    convicted, still_found = _convicted(probe, different=different), 1.0
    if convicted.any():
        still_found = float(right[~convicted].sum() / max(right.sum(), 1e-9))
        probe = probe.giving_up(convicted)
    readings = [each(probe.sure[probe.tree]) for each in maps]
    weights = [1.0 / len(readings)] * len(readings)
    if "mirrors" in probe.parts:  # copies may be found far more often than matches: the interval holds that, too
        readings.append(_calibration(probe, missed=False)[0](probe.sure[probe.tree]))
        weights.append(0.0)
    contradicted = probe.contradictions() > USUAL_CONTRADICTIONS
    if contradicted:
        readings.append(np.where(probe.contradicted[probe.tree], 0.0, readings[0]))
        weights = [*(each * (1.0 - FAMILIES) for each in weights), FAMILIES]
    links = np.average(readings, axis=0, weights=weights)
    precision, right = _precision(probe, readings, weights, n_joined, draws)
    because = _because(probe, calibration, precision, different=different)
    off = OFF_RECALL_CALIBRATED if not because else OFF_RECALL
    off = OFF_RECALL_ALONE if probe.evidence.taught >= 0 or len(probe.fields) == 1 else off
    recall, harsher = (None if different else _recall(probe, kind, draws, still_found, off) for kind in COPIES)
    by_field, by_change = probe.found_by_change()
    doubted = probe.contradicted if contradicted else np.zeros(len(probe.sure), dtype=np.bool_)
    drawn = _entities(probe, right, recall, draws)
    interval = None if drawn is None else _interval(drawn[0], probe.clustering.n_entities)
    if different:
        interval = _up_to_reported(probe, precision)
    doubt = 1.0 - FAMILIES * doubted
    if different:  # what is more likely two than one is not stated as one
        doubt = np.where(probe.differing, doubt / 2.0, doubt)
    stated, decoys = probe.posterior.pairs.probability, [kind for kind in DECOYS if kind in probe.parts]
    listed = is_list(probe.evidence)  # above the ceiling four in five of a list are right
    believed = np.where(stated > 0.0, np.mean([each(probe.sure) for each in maps], axis=0), 0.0) * doubt
    together = _together(probe, believed) if because and not listed and not probe.evidence.linking else 1.0
    return Quality(
        calibrated=not because,
        because=tuple(because),
        n_links=probe.n_links,
        n_given_up=int(convicted.sum()),
        all_different=different,
        clustering=probe.clustering if convicted.any() else None,
        precision=precision,
        recall=None if recall is None else _times(recall[0], together),
        together=1.0 if recall is None else together,
        harsher_recall=None if harsher is None else harsher[0],
        entities=interval,
        entity_draws=None if drawn is None else drawn[0],
        link_draws=None if drawn is None else drawn[1],
        n_safe=int((links >= SAFE).sum()),
        reliability=calibration.bins,
        decoys={kind: (len(probe.any_joined(kind)), float(probe.any_joined(kind).mean())) for kind in decoys},
        recall_by_field=by_field,
        recall_by_change=by_change,
        probability=_memberships(probe, links, recall),
        ceiling=DOUBTED if because or listed else 1.0,
        pair_ceiling=DOUBTED if listed else ceiling_of_pairs(precision) if because else 1.0,
        pair_probability=believed,
    )


def _all_different(probe: Probe) -> bool:
    """Say whether it is a list whose rows are no nearer to each other than those of lists without duplicates."""
    if not is_list(probe.evidence) or has_constraints(probe.resolution.config):
        return False
    near = nearest(probe.evidence)
    return is_all_different(near) and not repeats_itself(probe.fields[probe.evidence.taught], near)


def _convicted(probe: Probe, *, different: bool) -> NDArray[np.bool_]:
    """Return the links (of `tree`) of whose kind most are wrong by the decoys, beyond what counting these explains.

    That is said between two sources, where mirrors are rows as they are. A source writes in one way, so that mirrors
    find more than there is to be found in the other: as many as they find among the surest links are taken off,
    however few. Siblings are made of near rows that are not joined, and where things are found in parts these are two
    parts of one. Where all rows are different, the links of rows that differ. What rules or labels hold together stays
    together.
    """
    config, found = probe.resolution.config, np.zeros(len(probe.tree), dtype=np.bool_)
    if has_constraints(config) or config.labels is not None:
        return found
    if "mirrors" in probe.parts and len(probe.tree):
        lenient, _ = _calibration(probe, many=0.0)
        sure, row = probe.decoy_pairs("mirrors")
        links, worth = probe.sure[probe.tree], probe.worth("mirrors")[row]
        found = given_up(links, lenient(links), sure, worth, spared=lenient.spared)
    return found | probe.differing[probe.tree] if different else found


def _calibration(
    probe: Probe, *, spare: bool = True, missed: bool = True, many: float = MANY
) -> tuple[Calibration, float]:
    """Learn what stated probabilities are worth by the kind that convicts most; return how many of it were joined."""
    kinds = [kind for kind in DECOYS if kind in probe.parts]
    # Mirrors hold the chance and the families of the table as they are.
    learnt = []
    for kind in ("mirrors",) if "mirrors" in kinds else kinds:
        sure, row = probe.decoy_pairs(kind)
        safe = _safe(probe) if kind == "mirrors" and spare else np.inf
        worth = probe.worth(kind, missed=missed)[row]
        found = calibrate(probe.sure, probe.posterior.pairs.probability, sure, worth, safe=safe, many=many)
        learnt.append((found, float(probe.any_joined(kind).sum())))
    return min(learnt, key=lambda one: float(one[0](probe.sure[probe.tree]).sum()))


def _safe(probe: Probe) -> float:
    """Return how sure the strongest third of the links are: what a row finds as surely in its own source is itself."""
    links = probe.sure[probe.tree]
    return float(np.quantile(links, 2 / 3)) if len(links) else np.inf


def _precision(
    probe: Probe, readings: list[Floats], weights: list[float], n_joined: float, draws: "_Draws"
) -> tuple[Share | None, Floats]:
    """Return the share of reported pairs that is right, and draws of the share of links.

    Parameters
    ----------
    readings
        How likely each link is. Of several readings any may be the right one.
    weights
        How likely each reading is.
    """
    if len(readings[0]) == 0:
        return None, np.zeros(N_DRAWS)
    shares, rights = zip(*(_read(probe, links, n_joined, draws) for links in readings), strict=True)
    taken = draws.rng.choice(len(readings), N_DRAWS, p=weights)
    low, high = min(each.low for each in shares), max(each.high for each in shares)
    mean = float(np.average([each.estimate for each in shares], weights=weights))
    return Share(mean, low, high), np.choose(taken, rights)


def _up_to_reported(probe: Probe, precision: Share | None) -> tuple[int, int]:
    """Return the interval of the number of entities of a list in which links were given up: with and without them.

    What is left joins equal values. If these are of several things, there are more.
    """
    drawn = probe.posterior.n_entities
    reported = probe.clustering.n_entities
    low = reported if drawn is None or not len(drawn) else int(np.quantile(drawn, 0.025))
    more = 0.0 if precision is None else (1.0 - precision.low) * (probe.n - reported)
    return min(low, reported), reported + int(np.ceil(more))


def _read(probe: Probe, links: Floats, n_joined: float, draws: "_Draws") -> tuple[Share, Floats]:
    """Return the same where links are as likely as this."""
    factor = draws.factor(n_joined)
    wrong = draws.seen(_mean_bounded(1.0 - links, factor), len(links))
    right = float(_kept(probe, links).sum()) / max(float((_sizes(probe) - 1.0).sum()), 1.0)
    # Pairs get worse as links do: their logarithms go together.
    power = np.log(max(right, 1e-6)) / min(np.log(max(float(links.mean()), 1e-6)), -1e-9)
    drawn = np.maximum(1.0 - wrong, 1e-6) ** min(power, 50.0)
    return _share(right, drawn), 1.0 - wrong


def _mean_bounded(shares: Floats, factor: Floats) -> Floats:
    """Return for each factor the mean of the shares times it, each 1 at most.

    Examples
    --------
    >>> _mean_bounded(np.array([0.5, 0.1]), np.array([1.0, 4.0])).tolist()
    [0.3, 0.7]
    """
    ordered = np.sort(shares)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    with np.errstate(divide="ignore"):
        n_below = np.searchsorted(ordered, 1.0 / factor)
    return (factor * sums[n_below] + (len(shares) - n_below)) / len(shares)


def _kept(probe: Probe, links: Floats) -> Floats:
    """Return for each record with how many others of its entity it is still connected if links hold by these chances.

    The mean over draws of links.
    """
    pairs, n = probe.posterior.pairs, probe.n
    a, b = pairs.a[probe.tree].astype(np.int64), pairs.b[probe.tree].astype(np.int64)
    kept = np.zeros(n)
    for _ in range(N_CUT):
        holds = probe.rng.random(len(links)) < links
        part = components(n, a[holds], b[holds])
        kept += np.bincount(part)[part] - 1.0
    return kept / N_CUT


def _sizes(probe: Probe) -> Floats:
    """Return the number of records of each record's entity."""
    return probe.clustering.sizes[probe.labels].astype(np.float64)


def _recall(probe: Probe, kind: str, draws: "_Draws", still_found: float, off: float) -> tuple[Share, Floats] | None:
    """Return the share of copies found, and draws of it.

    Parameters
    ----------
    still_found
        The part of the true links that were found that was not given up.
    off
        How far it may be off recall: the standard deviation of its log odds.
    """
    if kind not in probe.parts:
        return None
    found = probe.seen.with_base[probe.parts[kind]]
    drawn = draws.seen(draws.share(float(found.sum()), float((1.0 - found).sum()), off), max(probe.n_links, 1))
    return _share(still_found * float(found.mean()), still_found * drawn), still_found * drawn


def _together(probe: Probe, believed: Floats) -> float:
    """Return, of what is stated of pairs in sum, the part of those that are reported as one entity.

    Copies tell how many links are found, and they are copies of what was found. Where an answer is doubted they say too
    much of pairs: parts of large entities stay apart though each of their rows has its link, and where little tells
    rows apart, the matches that are found are the easy ones. The model's own doubt is then counted, too. On 31 doubted
    runs of twelve development tables (whole, in parts, with columns left out) recall so told is nearer by more than .01
    on 25 and further off on one, the mean error .36 → .21. Where nothing is doubted, and between sources, copies alone
    are as near; of lists neither is near.
    """
    pairs = probe.posterior.pairs
    counted = np.where(believed >= _STATED, believed, 0.0)
    inside = probe.labels[pairs.a] == probe.labels[pairs.b]
    part = float(counted[inside].sum() / max(float(counted.sum()), 1e-9))
    return max(part, _LEAST_TOGETHER)  # what is known of recall is divided by it again (`Quality.expected_f1`)


def _times(share: Share, part: float) -> Share:
    """Return a share times a part that may as well be the whole."""
    return Share(share.estimate * part, share.low * part, share.high)


def _entities(
    probe: Probe, right: Floats, recall: tuple[Share, Floats] | None, draws: "_Draws"
) -> tuple[Floats, Floats] | None:
    """Return draws of the number of entities and what they are made of; None where too little was joined to say.

    Where the links found, their precision and recall would leave less than one entity, not all three can be so: such
    draws are made anew from those that can. Where none can, all rows may be of one entity.
    """
    if recall is None or probe.n_links < FEWEST_LINKS:
        return None
    sampled, spread = probe.posterior.n_entities, np.zeros(N_DRAWS)
    if sampled is not None and len(sampled):
        spread = draws.rng.choice(sampled - np.median(sampled), N_DRAWS)
    entities = probe.n - (probe.n_links - spread) * right / np.maximum(recall[1], 1e-3)
    made_of, can_be = np.stack([right, recall[1], spread]), np.flatnonzero(entities >= 1.0)
    if len(can_be):
        taken = np.append(can_be, draws.rng.choice(can_be, N_DRAWS - len(can_be)))
        entities, made_of = entities[taken], made_of[:, taken]
    return np.clip(entities, 1.0, float(probe.n)), made_of


def _memberships(probe: Probe, links: Floats, recall: tuple[Share, Floats] | None) -> Floats:
    """Return for each record that it belongs where it is: the share of its entity that it is still connected with.

    For a record that is alone, that it misses none.
    """
    sizes, kept = _sizes(probe), _kept(probe, links)
    alone = sizes == 1
    missed = 0.0
    if recall is not None and alone.any():
        more = float(links.sum()) * (1.0 / max(recall[0].estimate, 0.05) - 1.0)
        missed = min(more / float(alone.sum()), 0.9)
    stated = probe.resolution.probability
    return np.where(alone, stated * (1.0 - missed), np.minimum(kept / np.maximum(sizes - 1.0, 1.0), stated))


def _because(
    probe: Probe,
    calibration: Calibration,
    precision: Share | None,
    *,
    different: bool,
) -> list[str]:
    """Return why the check cannot be relied on."""
    if different:
        return ["rows that differ were left apart, so there is nothing to learn from how copies differ"]
    if probe.n_links < FEWEST_LINKS or precision is None or COPIES[0] not in probe.parts:
        return [f"{probe.n_links} links are too few to learn from how copies differ"]
    found = []
    if all(each.kind in _SHARED_BY_CHANCE for each in probe.fields):
        found.append("only numbers, dates and categories are compared, which strangers share by chance")
    elif len(probe.fields) == 1 and is_list(probe.evidence):
        found.append("one column is all there is, and nothing beside it tells whether rows that are alike are one")
    elif _is_of_people_who_come_again(probe):
        found.append(
            "people come again within a source, and nothing beside their names tells which of their rows it is"
        )
    elif not (probe.evidence.linking or names_the_one(probe.fields, probe.evidence.words)):
        # Between two sources mirrors hold the families of the table as they are.
        found.append("nothing that is compared names the one: what a family shares cannot be told from copies")
    copied = float(probe.seen.with_base[probe.parts[COPIES[0]]].mean())
    if copied < _HARDLY:
        found.append(f"of the planted copies {copied:.0%} were found: too few to tell what is missed")
    sizes = probe.clustering.sizes.astype(np.float64)
    pairs = sizes * (sizes - 1.0)
    if pairs[sizes > LARGE].sum() > MOST_IN_LARGE * max(pairs.sum(), 1.0):
        found.append(
            f"most pairs are in entities of more than {LARGE} rows, where one wrong link makes many wrong pairs, and "
            "members of a family cannot be told from copies"
        )
    if calibration.spared:
        found.append("rows match others of their own source so well that duplicates cannot be told from families")
    if precision.high - precision.low > WIDEST:
        found.append(f"the precision may be anywhere from {precision.low:.0%} to {precision.high:.0%}")
    share = probe.contradictions()
    if share > USUAL_CONTRADICTIONS:
        found.append(
            f"{share:.0%} of the links join unrelated names or dates: either copies differ so much here, or members of "
            "a family were joined, and no check can tell"
        )
    return found


def _is_of_people_who_come_again(probe: Probe) -> bool:
    """Say whether two sources are linked by one column, of people of whom a source has several rows."""
    if not probe.evidence.linking or len(probe.fields) != 1 or probe.source is None:
        return False
    return names_who_comes_again(probe.fields[0], probe.source)


class _Draws:
    """Draws of what is not known exactly."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def factor(self, n_joined: float) -> Floats:
        """Draw by how much there may be more false links than estimated from so many decoys that were joined."""
        counted = self.rng.gamma(n_joined + 0.5, 1.0, N_DRAWS) / max(n_joined, 0.5)
        return np.asarray(counted * np.exp(self.rng.normal(0.0, OFF_PRECISION, N_DRAWS)))

    def seen(self, chance: Floats, n: int) -> Floats:
        """Draw the share of n in which something of this chance came about."""
        return np.asarray(self.rng.binomial(n, np.clip(chance, 0.0, 1.0)) / n)

    def share(self, yes: float, no: float, off: float) -> Floats:
        """Draw a share of which so many were seen, by Jeffreys' prior, its log odds off by so much."""
        drawn = np.clip(self.rng.beta(yes + 0.5, no + 0.5, N_DRAWS), 1e-4, 1.0 - 1e-4)
        odds = np.log(drawn / (1.0 - drawn)) + self.rng.normal(0.0, off, N_DRAWS)
        return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def _interval(drawn: Floats, reported: int) -> tuple[int, int]:
    """Return the interval of the number of entities: up to those reported where more is missed than there are rows."""
    low, high = np.quantile(drawn, [0.025, 0.975])
    return int(np.floor(low)), reported if high <= 1.0 else int(np.ceil(high))


def _share(estimate: float, drawn: Floats) -> Share:
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Share(estimate, float(min(low, estimate)), float(max(high, estimate)))
