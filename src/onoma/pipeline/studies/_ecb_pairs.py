"""Pairs of mentions across documents, described by what they share: words, heads, company, surroundings, arguments.

All pairs of the mentions of one sub-topic are described at once, a matrix for each feature. Within a document the
coreference model that comes with Onoma says how likely two mentions of entities are one; of two mentions of events,
which entities take part in both.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rapidfuzz.distance import JaroWinkler
from rapidfuzz.process import cdist
from scipy import optimize, special
from scipy.cluster.hierarchy import fcluster, linkage

from onoma.coref.attributes import Column
from onoma.coref.document import Document
from onoma.coref.mentions import Span
from onoma.coref.model import CorefModel
from onoma.pipeline.studies._sets.ecb import EcbMention, EcbPlus

__all__ = ["Describer", "Entities", "PairModel", "Pairs", "joined"]

Floats = NDArray[np.float64]
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_OBJECTS = ("obj", "obl", "nmod", "nsubj:pass")
_NEAR = 4
"""Tokens on each side of a head that are near it."""
_PRONOUN, _PROPER, _VERB, _OTHER = range(4)

Entities = Mapping[tuple[str, int], str]
"""The entity that a token of a document heads a mention of."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of a sub-topic's mentions, in the order of `np.triu_indices`: features, and whether they are one."""

    mentions: Sequence[EcbMention]
    features: Floats
    right: NDArray[np.bool_]


class Describer:
    """What is known of all documents: weights of words, and what our model says of each document's mentions."""

    def __init__(self, ecb: EcbPlus, model: CorefModel) -> None:
        self.documents = ecb.documents
        self.lemmas = {name: [lemma.lower() for lemma in one.lemmas] for name, one in ecb.documents.items()}
        counts = Counter(lemma for some in self.lemmas.values() for lemma in set(some))
        self.idf = {lemma: float(np.log(len(self.lemmas) / (1 + count))) for lemma, count in counts.items()}
        self._within = _within(ecb, model)

    def pairs(self, mentions: Sequence[EcbMention], entities: Entities | None = None) -> Pairs:
        """Describe all pairs of some mentions of one kind; of events, by the entities around them too."""
        known = _Known(self, mentions)
        columns = _shared(known) | _agreeing(known, mentions, self._within)
        if entities is not None:
            columns |= _taking_part(known, mentions, entities)
        above = np.triu_indices(len(mentions), 1)
        labels = np.unique([mention.label for mention in mentions], return_inverse=True)[1]
        features = np.stack(
            [np.ones(len(above[0])), *(np.broadcast_to(c, known.shape)[above] for c in columns.values())]
        )
        return Pairs(mentions, features.T.astype(np.float64), (labels[:, None] == labels[None, :])[above])


_Within = Mapping[str, tuple[Mapping[tuple[int, int], int], Floats, NDArray[np.int64]]]
"""For each document: the row of each span, how likely two rows are one, and the table of attributes."""


def _within(ecb: EcbPlus, model: CorefModel) -> _Within:
    spans: dict[str, dict[tuple[int, int], Span]] = {}
    for mention in ecb.mentions:
        if mention.kind == "entity":
            place = (mention.tokens[0], mention.tokens[-1] + 1)
            spans.setdefault(mention.document, {})[place] = Span(*place, mention.head)
    found = {}
    for name, some in spans.items():
        ordered = sorted(some.values(), key=lambda span: (span.start, -span.end))
        resolved = model.resolve(ecb.documents[name], ordered)
        together = np.array(
            [[resolved.posterior.coreference(i, k) for k in range(len(ordered))] for i in range(len(ordered))]
        )
        rows = {(span.start, span.end): row for row, span in enumerate(ordered)}
        found[name] = (rows, together, resolved.prepared.mentions.table)
    return found


class _Known:
    """What features look at, of each mention of a sub-topic."""

    def __init__(self, describer: Describer, mentions: Sequence[EcbMention]) -> None:
        self.mentions, self.shape = mentions, (len(mentions), len(mentions))
        self.describer = describer
        self.kind = np.array([_kind(describer.documents[m.document], m) for m in mentions])
        self.lemma = [describer.lemmas[m.document][m.head] for m in mentions]
        self.weight = np.array([describer.idf[lemma] for lemma in self.lemma]) / 7.0
        self.words = [
            self._lemmas(m, m.tokens, content=True) or {lemma} for m, lemma in zip(mentions, self.lemma, strict=True)
        ]
        self.modifiers = [words - {lemma} for words, lemma in zip(self.words, self.lemma, strict=True)]
        self.near = [
            self._lemmas(m, self._around(m), content=True) - own for m, own in zip(mentions, self.words, strict=True)
        ]
        self.governor = [self._governor(m) for m in mentions]

    def _lemmas(self, m: EcbMention, tokens: Sequence[int], *, content: bool = False) -> set[str]:
        one, lemmas = self.describer.documents[m.document], self.describer.lemmas[m.document]
        return {lemmas[token] for token in tokens if not content or one.upos[token] in _CONTENT}

    def _around(self, m: EcbMention) -> list[int]:
        one = self.describer.documents[m.document]
        near = range(max(0, m.head - _NEAR), min(len(one), m.head + _NEAR + 1))
        return [token for token in near if one.sentences[token] == one.sentences[m.head]]

    def _governor(self, m: EcbMention) -> set[str]:
        head = int(self.describer.documents[m.document].heads[m.head])
        return self._lemmas(m, [head]) if head != m.head else set()

    def dependents(self, kinds: tuple[str, ...]) -> list[set[str]]:
        """Return the heads of what hangs on each mention by some relations."""
        found = []
        for m in self.mentions:
            one = self.describer.documents[m.document]
            found.append(self._lemmas(m, [c for c in one.children[m.head] if one.deprels[c].startswith(kinds)]))
        return found

    def text(self) -> list[str]:
        """Return the words of each mention."""
        return [
            " ".join(self.describer.documents[m.document].words[t].lower() for t in m.tokens) for m in self.mentions
        ]

    def surroundings(self, *, whole: bool) -> Floats:
        """Return cosines of the sentences around mentions, without their own words, or of whole documents."""
        bags = []
        for m in self.mentions:
            one = self.describer.documents[m.document]
            tokens = range(len(one)) if whole else np.flatnonzero(one.sentences == one.sentences[m.head]).tolist()
            lemmas = self.describer.lemmas[m.document]
            mine = () if whole else m.tokens
            bags.append(Counter(lemmas[t] for t in tokens if one.upos[t] in _CONTENT and t not in mine))
        return _cosines(bags, self.describer.idf)

    def numbers(self) -> list[set[str]]:
        """Return the figures in each mention."""
        found = []
        for m in self.mentions:
            one = self.describer.documents[m.document]
            found.append({one.words[t] for t in m.tokens if one.upos[t] == "NUM"})
        return found

    def shares_of_documents(self) -> Floats:
        """Return in which share of the documents a mention's head heads mentions."""
        pairs = {(lemma, m.document) for lemma, m in zip(self.lemma, self.mentions, strict=True)}
        count = Counter(lemma for lemma, _ in pairs)
        return np.array([count[lemma] for lemma in self.lemma]) / len({m.document for m in self.mentions})


def _kind(one: Document, m: EcbMention) -> int:
    upos = one.upos[m.head]
    if len(m.tokens) == 1 and upos in {"PRON", "DET"}:
        return _PRONOUN
    return {"PROPN": _PROPER, "VERB": _VERB}.get(upos, _OTHER)


def _both(sets: Sequence[set[str]]) -> Floats:
    """Return how many members each two sets share."""
    numbers: dict[str, int] = {}
    columns = [numbers.setdefault(word, len(numbers)) for some in sets for word in sorted(some)]
    ends = np.cumsum([0, *map(len, sets)])
    matrix = sp.csr_matrix((np.ones(len(columns)), columns, ends), (len(sets), max(len(numbers), 1)))
    return np.asarray((matrix @ matrix.T).toarray())


def _cosines(bags: Sequence[Counter[str]], idf: Mapping[str, float]) -> Floats:
    numbers: dict[str, int] = {}
    columns = [numbers.setdefault(word, len(numbers)) for bag in bags for word in bag]
    values = [(1 + np.log(count)) * max(idf[word], 0.0) for bag in bags for word, count in bag.items()]
    ends = np.cumsum([0, *map(len, bags)])
    matrix = sp.csr_matrix((values, columns, ends), (len(bags), max(len(numbers), 1)))
    length = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return np.asarray((matrix @ matrix.T).toarray()) / np.maximum(np.outer(length, length), 1e-9)


def _equal(values: Sequence[object]) -> Floats:
    codes = np.unique(np.array(values, object).astype(str), return_inverse=True)[1]
    return (codes[:, None] == codes[None, :]).astype(np.float64)


def _shared(known: _Known) -> dict[str, Floats]:
    """Return what two mentions share; features of noun phrases and verbs are 0 where one is a pronoun."""
    kind = known.kind
    pronoun = (kind == _PRONOUN)[:, None] | (kind == _PRONOUN)[None, :]
    plain = 1.0 - pronoun
    same = _equal(known.lemma) * plain
    other = plain - same
    one_document = _equal([m.document for m in known.mentions])
    size = np.array([len(words) for words in known.words], float)
    shared = _both(known.words)
    inside = (shared == np.minimum(size[:, None], size[None, :])) * plain
    modified = np.array([bool(some) for some in known.modifiers], float)
    common_modifiers = _both(known.modifiers)
    mods = np.array([len(some) for some in known.modifiers], float)
    clash = (common_modifiers < mods[:, None]) & (common_modifiers < mods[None, :])
    text = _equal(known.text()) * plain
    likeness = np.asarray(cdist(known.lemma, known.lemma, scorer=JaroWinkler.similarity), np.float64)
    clusters = np.array([_clusters(known.describer.documents[m.document], m.head) for m in known.mentions])
    levels = ((clusters[:, None, :] == clusters[None, :, :]) & (clusters[:, None, :] != 0)).sum(axis=2)
    sentence, whole = known.surroundings(whole=False), known.surroundings(whole=True)
    governor = np.minimum(_both(known.governor), 1.0)
    near = np.minimum(_both(known.near), 4.0) / 4.0
    spread = known.shares_of_documents()
    found = {
        "same head": same,
        "same head, how rare": same * known.weight[:, None],
        "same head, in how many documents": same * spread[:, None],
        "same head, one document": same * one_document,
        "pronoun": pronoun * 1.0,
        "pronoun, one document": pronoun * one_document,
        "same words": text,
        "same words, several": text * (size > 1)[:, None],
        "share of words": shared / np.maximum(size[:, None] + size[None, :] - shared, 1.0) * plain,
        "no word shared": (shared == 0) * plain,
        "one's words in the other": inside,
        "same head, modifiers clash": same * clash,
        "same head, no modifier": same * np.outer(1 - modified, 1 - modified),
        "same head, modifier shared": same * (common_modifiers > 0),
        "heads alike": other * np.maximum(likeness - 0.7, 0.0) * 3.0,
        "heads nearly the same": other * (likeness > 0.9),
        **{f"heads keep company, level {k}": other * (levels == k) for k in range(4)},
        "sentences alike": sentence,
        "sentences alike, same head": sentence * same,
        "sentences alike, same rare head": sentence * same * known.weight[:, None],
        "documents alike": whole,
        "documents alike, same head": whole * same,
        "same governor": governor,
        "same governor, same head": governor * same,
        "words near both": near,
        "words near both, same head": near * same,
    }
    figures = known.numbers()
    has = np.array([bool(some) for some in figures])
    common = _both(figures) > 0
    found["figures shared"] = common * 1.0
    found["figures differ"] = (np.outer(has, has) & ~common) * 1.0
    for name, relations in (("subject", ("nsubj",)), ("object", _OBJECTS)):
        some = known.dependents(relations)
        has, common = np.array([bool(own) for own in some]), _both(some) > 0
        found[f"{name} shared"] = common * 1.0
        found[f"{name} shared, same head"] = common * same
        found[f"{name} differs, same head"] = (np.outer(has, has) & ~common) * same
    for a, b in ((1, 1), (1, 3), (2, 2), (2, 3), (3, 3)):
        these = np.outer(kind == a, kind == b) | np.outer(kind == b, kind == a)
        found[f"kinds {a} {b}"] = these * 1.0
        found[f"kinds {a} {b}, same head"] = these * same
        found[f"kinds {a} {b}, one's words in the other"] = these * inside
        found[f"kinds {a} {b}, heads alike"] = these * other * likeness
    return found


def _clusters(one: Document, token: int) -> NDArray[np.int64]:
    return np.zeros(3, np.int64) if one.clusters is None else one.clusters[token]


def _agreeing(known: _Known, mentions: Sequence[EcbMention], within: _Within) -> dict[str, Floats]:
    """Return agreement, and what our coreference model says within documents; of entities alone."""
    if not mentions or mentions[0].kind != "entity":
        return {}
    rows = [within[m.document][0][m.tokens[0], m.tokens[-1] + 1] for m in mentions]
    table = np.array([within[m.document][2][row] for m, row in zip(mentions, rows, strict=True)])
    together = np.zeros(known.shape)
    names = np.array([m.document for m in mentions])
    for name in np.unique(names):
        here = np.flatnonzero(names == name)
        own = np.array(rows)[here]
        together[np.ix_(here, here)] = within[name][1][np.ix_(own, own)]
    inside = names[:, None] == names[None, :]
    odds = inside * special.logit(np.clip(together, 0.01, 0.99)) / 4.6
    pronoun = (known.kind == _PRONOUN)[:, None] | (known.kind == _PRONOUN)[None, :]
    found = {"our model": odds, "our model, pronoun": odds * pronoun, "one document": inside * 1.0}
    for column in (Column.NUMBER, Column.GENDER, Column.ANIMACY, Column.ENTITY):
        values = table[:, column]
        both = np.outer(values != 0, values != 0)
        equal = values[:, None] == values[None, :]
        found[f"{column.name} agrees"] = (both & equal) * 1.0
        found[f"{column.name} differs"] = (both & ~equal) * 1.0
    return found


def _taking_part(known: _Known, mentions: Sequence[EcbMention], entities: Entities) -> dict[str, Floats]:
    """Return which entities events share: those that hang on them, those of their sentences."""
    same = _equal(known.lemma)
    found = {}
    ways: dict[str, Callable[[Document, int], Sequence[int]]] = {
        "takes part": lambda one, head: [*one.children[head], int(one.heads[head])],
        "subject": lambda one, head: [c for c in one.children[head] if one.deprels[c] == "nsubj"],
        "object": lambda one, head: [c for c in one.children[head] if one.deprels[c].startswith(_OBJECTS)],
        "sentence": lambda one, head: np.flatnonzero(one.sentences == one.sentences[head]).tolist(),
    }
    for name, tokens_of in ways.items():
        sets = []
        for m in mentions:
            tokens = tokens_of(known.describer.documents[m.document], m.head)
            sets.append({entities[m.document, t] for t in tokens if t != m.head and (m.document, t) in entities})
        common = _both(sets)
        has = np.array([bool(some) for some in sets])
        apart = (np.outer(has, has) & (common == 0)) * 1.0
        found[f"entity shared, {name}"] = np.minimum(common, 3.0) / 3.0
        found[f"entity shared, {name}, same head"] = np.minimum(common, 3.0) / 3.0 * same
        found[f"entities differ, {name}"] = apart
        found[f"entities differ, {name}, same head"] = apart * same
    return found


@dataclass(frozen=True, eq=False)
class PairModel:
    """Logistic regression of "these two are one"."""

    weights: Floats

    @classmethod
    def fit(cls, blocks: Sequence[Pairs], *, l2: float = 1.0) -> "PairModel":
        """Learn from the pairs of some sub-topics."""
        features = np.concatenate([one.features for one in blocks])
        right = np.concatenate([one.right for one in blocks])
        penalty = np.full(features.shape[1], l2)
        penalty[0] = 0.0

        def loss(weights: Floats) -> tuple[float, Floats]:
            score = features @ weights
            missed = np.logaddexp(0.0, np.where(right, -score, score)).sum()
            slope = features.T @ (special.expit(score) - right) + penalty * weights
            return float(missed + 0.5 * (penalty * weights**2).sum()), slope

        found = optimize.minimize(
            loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 150}
        )
        return cls(found.x)

    def probabilities(self, pairs: Pairs) -> Floats:
        """Return how likely each pair is one."""
        return np.asarray(special.expit(pairs.features @ self.weights))


def joined(pairs: Pairs, probabilities: Floats, threshold: float) -> list[int]:
    """Group mentions by average linkage, while the mean distance (1 - probability) is below the threshold."""
    if len(pairs.mentions) < 2:
        return [1] * len(pairs.mentions)
    return [int(k) for k in fcluster(linkage(1.0 - probabilities, "average"), threshold, "distance")]
