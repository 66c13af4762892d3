"""A log-linear choice among candidates, NIL and elsewhere, learnt from linked documents and calibrated on others.

P(row | mention) ∝ exp(w · features / T): conditional maximum likelihood with an L2 prior, by L-BFGS, twice (the second
pass sees what the first believes of the document), then one temperature T on documents that were held out. What is
stated of the answer is a logistic function of its log-odds and of those of "elsewhere", fitted on the same documents
(`Reliability`): a temperature moves all probabilities alike, and lists that miss many entries need more than that.
Lists of names and profiles that are made of linked documents are always those of *other* documents than the mention's,
in learning as in use: folds over documents.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import minimize, minimize_scalar

from onoma.errors import DataError
from onoma.learning.storage import load_model, save_model
from onoma.linking.candidates import AliasIndex
from onoma.linking.entities import EntityList
from onoma.linking.features import FIRST, SECOND, Problem, describe, describe_again
from onoma.linking.profiles import NIL, Mentions, Profiles

__all__ = [
    "Described",
    "Knowledge",
    "LinkModel",
    "Links",
    "Reliability",
    "describe_linked",
    "load_link_model",
    "train_links",
]

_KIND = "links"


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What mentions are linked by: an entity list, and linked documents where there are any."""

    given: AliasIndex | None
    seen: AliasIndex | None
    profiles: Profiles

    @classmethod
    def of(
        cls, entities: EntityList | None, linked: Mentions | None = None, *, given: AliasIndex | None = None
    ) -> "Knowledge":
        """Make an index of each; that of the list may be there already."""
        described, typed = {}, {}
        if entities is not None:
            described = {e: d for e, d in zip(entities.entries, entities.descriptions, strict=True) if d}
            typed = {e: t for e, t in zip(entities.entries, entities.types, strict=True) if t}
        seen = None
        if linked is not None and len(linked):
            pairs = zip(linked.names, linked.entries or (), strict=True)
            seen = AliasIndex(EntityList.build((name, entry, 1.0) for name, entry in pairs))
        if entities is not None and given is None:
            given = AliasIndex(entities)
        return cls(given, seen, Profiles(linked, described, typed))


@dataclass(frozen=True, eq=False)
class Links:
    """What mentions may mean.

    Parameters
    ----------
    problem
        The candidates, NIL and elsewhere of each mention.
    probability
        Of each row.
    """

    problem: Problem
    probability: NDArray[np.float64]

    def best(self) -> list[tuple[str, float]]:
        """Return the likeliest answer of each mention that can be given, an entry or NIL, and its probability."""
        found = []
        for first, last in zip(self.problem.offsets[:-1].tolist(), self.problem.offsets[1:].tolist(), strict=True):
            row = first + int(np.argmax(self.probability[first : last - 1]))
            found.append((self.problem.entries[row], float(self.probability[row])))
        return found

    def none(self) -> NDArray[np.float64]:
        """Return for each mention the probability that it is none of its candidates."""
        last = self.problem.offsets[1:]
        found: NDArray[np.float64] = self.probability[last - 1] + self.probability[last - 2]
        return found

    def ranked(self, i: int, most: int = 5) -> list[tuple[str, float]]:
        """Return the likeliest entries of a mention, and NIL (none of them), best first."""
        first, last = int(self.problem.offsets[i]), int(self.problem.offsets[i + 1])
        rows = [(self.problem.entries[row], float(self.probability[row])) for row in range(first, last - 2)]
        rows.append((NIL, float(self.probability[last - 2 : last].sum())))
        return sorted(rows, key=lambda each: (-each[1], each[0]))[:most]


@dataclass(frozen=True)
class Reliability:
    """How often answers are right: logit = `bias` + `slope` · logit(p) + `elsewhere` · logit(p of elsewhere)."""

    bias: float = 0.0
    slope: float = 1.0
    elsewhere: float = 0.0

    def restate(self, problem: Problem, probability: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities in which that of each mention's answer is as often right; the others share the rest.

        The answer stays the likeliest: its probability is no lower than makes it equal to the next.
        """
        if self == Reliability() or not len(probability):
            return probability
        best, second, last = _answers(problem, probability)
        p, owner = probability[best], problem.owner
        q = special.expit(self._features(p, probability[last]) @ np.array([self.bias, self.slope, self.elsewhere]))
        q = np.maximum(q, second / np.maximum(1.0 - p + second, 1e-12))
        rest = (1.0 - q) / np.maximum(1.0 - p, 1e-12)
        found = probability * rest[owner]
        found[best] = q
        total = np.bincount(owner, found, minlength=len(best))  # an answer that nothing stands beside keeps 1
        return np.asarray(found / total[owner])

    @staticmethod
    def _features(p: NDArray[np.float64], elsewhere: NDArray[np.float64]) -> NDArray[np.float64]:
        low, high = 1e-6, 1.0 - 1e-6
        columns = [np.ones(len(p)), special.logit(np.clip(p, low, high)), special.logit(np.clip(elsewhere, low, high))]
        return np.stack(columns, axis=1)

    @classmethod
    def fit(cls, p: NDArray[np.float64], elsewhere: NDArray[np.float64], is_right: NDArray[np.bool_]) -> "Reliability":
        """Fit to answers of documents that the weights have not seen, with an L2 prior around no change."""
        features, right = cls._features(p, elsewhere), is_right.astype(np.float64)
        centre = np.array([0.0, 1.0, 0.0])

        def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            z, away = features @ weights, weights - centre
            value = float(np.logaddexp(0.0, z).sum() - right @ z + 0.5 * away @ away)
            return value, features.T @ (special.expit(z) - right) + away

        bounds = [(None, None), (1e-3, None), (None, None)]  # likelier answers are never said to be right less often
        found = minimize(loss, centre, jac=True, method="L-BFGS-B", bounds=bounds).x
        return cls(*(float(each) for each in found))


def _answers(
    problem: Problem, probability: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the row of each mention's answer, the probability of the next that could be one, the row of elsewhere."""
    last = problem.offsets[1:] - 1
    given = probability.copy()
    given[last] = -1.0  # elsewhere is no answer
    n = len(last)
    order = np.lexsort((-np.arange(len(given)), given, problem.owner))  # of equals, the first row comes last
    best = order[problem.offsets[1:] - 1]
    second = np.zeros(n)
    several = np.diff(problem.offsets) > 2
    second[several] = np.maximum(given[order[(problem.offsets[1:] - 2)[several]]], 0.0)
    return best, second, last


@dataclass(frozen=True, eq=False)
class LinkModel:
    """Weights of the two passes, the temperature, and how often answers are right."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    temperature: float = 1.0
    facts: dict[str, Any] = field(default_factory=dict)
    reliability: Reliability = Reliability()

    def link(self, mentions: Mentions, knowledge: Knowledge) -> Links:
        """Say what mentions mean; those of one document are best given together."""
        problem = describe(mentions, knowledge.given, knowledge.seen, knowledge.profiles)
        return self.choose(problem, mentions, knowledge.profiles)

    def choose(self, problem: Problem, mentions: Mentions, profiles: Profiles) -> Links:
        """Say what mentions mean whose candidates are described already."""
        believed = _softmax(problem, problem.values @ self.first)
        again = describe_again(problem, believed, mentions, profiles)
        probability = _softmax(again, again.values @ self.second / self.temperature)
        return Links(again, self.reliability.restate(again, probability))

    def save(self, folder: str | Path) -> None:
        """Write the model."""
        facts = {
            "features": [*FIRST, *SECOND],
            "temperature": self.temperature,
            "reliability": asdict(self.reliability),
            "card": self.facts,
        }
        save_model(folder, _KIND, facts, {"first": self.first, "second": self.second})


def load_link_model(folder: str | Path) -> LinkModel:
    """Read a saved model."""
    facts, arrays = load_model(folder, _KIND)
    if facts["features"] != [*FIRST, *SECOND] or len(arrays["second"]) != len(FIRST) + len(SECOND):
        raise DataError("was trained for other features than this program has", file=folder, hint="Train it again.")
    told = Reliability(**facts.get("reliability", {}))
    return LinkModel(arrays["first"], arrays["second"], float(facts["temperature"]), dict(facts["card"]), told)


@dataclass(frozen=True, eq=False)
class Described:
    """Linked mentions of some documents, described by what other documents know."""

    mentions: Mentions
    problem: Problem
    profiles: Profiles

    @property
    def truth(self) -> NDArray[np.int64]:
        """The true row of each mention."""
        return _truth(self.problem, self.mentions)

    def again(self, first: NDArray[np.float64]) -> Problem:
        """Return what is to be chosen among in the second pass."""
        believed = _softmax(self.problem, self.problem.values @ first)
        return describe_again(self.problem, believed, self.mentions, self.profiles)


def describe_linked(mentions: Mentions, entities: EntityList | None, *, n_folds: int = 5) -> list[Described]:
    """Describe linked mentions, fold by fold: the names and profiles of each come from the documents of the others.

    Parameters
    ----------
    mentions
        Linked, in whole documents.
    entities
        The entity list, if there is one.
    n_folds
        Parts of the documents.
    """
    documents = {document: k for k, document in enumerate(sorted(set(mentions.documents)))}
    folds = np.array([documents[document] % n_folds for document in mentions.documents])
    parts = []
    given: AliasIndex | None = None
    for k in range(n_folds):
        inside, outside = (np.flatnonzero((folds == k) == wanted) for wanted in (True, False))
        if not len(inside):
            continue
        held = mentions.take(inside)
        knowledge = Knowledge.of(entities, mentions.take(outside), given=given)
        given = knowledge.given
        problem = describe(held, knowledge.given, knowledge.seen, knowledge.profiles)
        parts.append(Described(held, problem, knowledge.profiles))
    return parts


def train_links(
    parts: Sequence[Described], *, penalty: float = 1.0, around: LinkModel | None = None, is_calibrated: bool = True
) -> LinkModel:
    """Learn from linked mentions.

    Parameters
    ----------
    parts
        What `describe_linked` gives, of one collection or of several.
    penalty
        Strength of the L2 prior.
    around
        The model that the prior stands around, learnt elsewhere; None: no weight.
    is_calibrated
        Whether a temperature is found on parts that were held out.
    """
    first = _fit([(part.problem, part.truth) for part in parts], penalty, None if around is None else around.first)
    pairs = [(again, _truth(again, part.mentions)) for part in parts for again in (part.again(first),)]
    centre = None if around is None else around.second
    second = _fit(pairs, penalty, centre)
    temperature, told = 1.0, Reliability()
    if is_calibrated and len(pairs) > 1:
        scored = _crossed(pairs, penalty, centre, second)
        temperature = _temperature(scored)
        told = _reliability(scored, temperature)
    return LinkModel(first, second, temperature, {"mentions": sum(len(part.mentions) for part in parts)}, told)


def _truth(problem: Problem, mentions: Mentions) -> NDArray[np.int64]:
    """Return the true row of each mention: that of its entry, or elsewhere."""
    truth = problem.offsets[1:] - 1
    for i, entry in enumerate(mentions.entries or ()):
        rows = range(int(problem.offsets[i]), int(problem.offsets[i + 1]) - 1)
        truth[i] = next((row for row in rows if problem.entries[row] == entry), truth[i])
    return truth


def _softmax(problem: Problem, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    owner = problem.owner
    top = np.maximum.reduceat(scores, problem.offsets[:-1]) if len(scores) else scores
    grown = np.exp(scores - top[owner])
    total = np.bincount(owner, grown, minlength=len(problem.offsets) - 1)
    found: NDArray[np.float64] = grown / total[owner]
    return found


def _fit(
    pairs: Sequence[tuple[Problem, NDArray[np.int64]]],
    penalty: float,
    centre: NDArray[np.float64] | None = None,
    begin: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the weights of most likely truth under an L2 prior around a centre."""
    start = np.zeros(pairs[0][0].values.shape[1]) if centre is None else centre

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        away = weights - start
        total, gradient = 0.5 * penalty * float(away @ away), penalty * away
        for problem, truth in pairs:
            p = _softmax(problem, problem.values @ weights)
            total -= float(np.log(np.maximum(p[truth], 1e-300)).sum())
            p[truth] -= 1.0
            gradient = gradient + p @ problem.values
        return total, gradient

    found = minimize(loss, start if begin is None else begin, jac=True, method="L-BFGS-B", options={"maxiter": 120})
    return np.asarray(found.x)


_Scored = Sequence[tuple[Problem, NDArray[np.float64], NDArray[np.int64]]]


def _crossed(
    pairs: Sequence[tuple[Problem, NDArray[np.int64]]],
    penalty: float,
    centre: NDArray[np.float64] | None,
    begin: NDArray[np.float64],
) -> _Scored:
    """Score every part by weights that are learnt from the other half of them."""
    scored = []
    for mine in (0, 1):
        weights = _fit(pairs[1 - mine :: 2], penalty, centre, begin)
        scored += [(problem, problem.values @ weights, truth) for problem, truth in pairs[mine::2]]
    return scored


def _reliability(scored: _Scored, temperature: float) -> Reliability:
    stated, elsewhere, right = [], [], []
    for problem, scores, truth in scored:
        if not len(truth):
            continue
        probability = _softmax(problem, scores / temperature)
        best, _, last = _answers(problem, probability)
        stated.append(probability[best])
        elsewhere.append(probability[last])
        right.append(best == truth)
    return Reliability.fit(np.concatenate(stated), np.concatenate(elsewhere), np.concatenate(right))


def _temperature(scored: _Scored) -> float:
    """Return the temperature at which the truth is most likely."""

    def loss(log_temperature: float) -> float:
        scale = np.exp(-log_temperature)
        return -sum(
            float(np.log(np.maximum(_softmax(problem, scores * scale)[truth], 1e-300)).sum())
            for problem, scores, truth in scored
        )

    return float(np.exp(minimize_scalar(loss, bounds=(-1.5, 1.5), method="bounded").x))
