"""Joint choice of edits that depend on each other: number of a noun, its determiner, and the verb it is subject of.

Edits are weighed one by one, so *a factor contributes* may become *a factors contributes*. Here each place is a
variable (leave it, or one of its edits), worth the log odds of its edit above the threshold, and a pair whose numbers
do not agree costs κ wherever one of the two was edited:

    maximise  Σ_i gain(x_i) − κ Σ_{i ~ j} [x_i or x_j edits, and number(x_i) ≠ number(x_j)]

Two edits that contradict each other (*informations was* → *information were*) are never both made: each was weighed
with the other's word as it stands.

An integer linear program in Rozovskaya and Roth, "Joint learning and inference for grammatical error correction", 2013.
A sentence's parts are small (a noun, its determiner, its verb), so the optimum is found by trying all choices of each
part; tests compare it with the program's solution.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.correct.candidates import Action
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows, Encoded
from onoma.correct.tags import tag_set
from onoma.numerics.union_find import components

__all__ = ["KAPPA", "Option", "best_choices", "choose_jointly", "choose_rows_jointly"]

_JOINT = tuple(TYPES.index(name) for name in ("article", "number", "agreement"))
KAPPA = 1.5
"""κ: an edit that breaks agreement needs so much more log odds."""
_COSTS = (0.0, KAPPA, 1e6)
"""What it costs that two places do not agree, by how many of them are edited."""
_LEAST_GAIN = -2.5
"""Edits further below the threshold than this do not come back for agreement's sake."""
_MOST = 4_096
"""Choices tried for one part of a sentence; a larger part (never seen in essays) is chosen place by place."""

_ONE = frozenset(("a", "an", "this", "that", "each", "every", "another", "one"))
_MANY = frozenset(
    ("these", "those", "many", "several", "few", "various", "numerous", "both", "two", "three", "four", "five", "six")
)
_INSIDE = tag_set("DT PDT PRP$ JJ JJR JJS CD NN NNS NNP NNPS VBN VBG RB RBR RBS POS HYPH AFX $")
_NOUN = tag_set("NN NNS")
_HEAD = tag_set("NN NNS NNP NNPS PRP EX CD DT WP")
_FINITE = {"VBZ": "one", "VBP": "many"}
_BE = {"is": "one", "was": "one", "has": "one", "are": "many", "were": "many", "have": "many", "does": "one"}


@dataclass(frozen=True, slots=True)
class Option:
    """An edit that may be chosen."""

    row: int
    start: int
    end: int
    put: tuple[str, ...]
    type: str
    gain: float
    """Log odds above those of the threshold."""


def best_choices(gains: Sequence[Sequence[float]], costs: Mapping[tuple[int, int], NDArray[np.float64]]) -> list[int]:
    """Return which option of each variable is chosen: the largest sum of gains less costs.

    Parameters
    ----------
    gains
        For each variable, what each of its options is worth.
    costs
        For pairs of variables, what each pair of their options costs.

    Examples
    --------
    >>> best_choices([[0.0, 1.0], [0.0, 0.5]], {(0, 1): np.array([[0, 2.0], [2.0, 0]])})
    [1, 1]
    """
    ends = np.array(list(costs), np.int64).reshape(-1, 2).T
    members: dict[int, list[int]] = {}
    for variable, part in enumerate(components(len(gains), ends[0].copy(), ends[1].copy()).tolist()):
        members.setdefault(part, []).append(variable)
    chosen = [0] * len(gains)
    for some in members.values():
        pairs = [(a, b, table) for (a, b), table in costs.items() if a in some]
        if math.prod(len(gains[variable]) for variable in some) > _MOST:
            for variable in some:
                chosen[variable] = int(np.argmax(gains[variable]))
            continue
        best, picked = -math.inf, dict.fromkeys(some, 0)
        for options in itertools.product(*(range(len(gains[variable])) for variable in some)):
            taken = dict(zip(some, options, strict=True))
            value = sum(gains[variable][option] for variable, option in taken.items())
            value -= sum(float(table[taken[a], taken[b]]) for a, b, table in pairs)
            if value > best + 1e-12:
                best, picked = value, taken
        for variable, option in picked.items():
            chosen[variable] = option
    return chosen


def choose_jointly(folded: Sequence[str], tags: Sequence[str], options: Sequence[Option]) -> set[int]:
    """Return the rows that are chosen among the edits of a sentence's articles, nouns and verbs."""
    places: dict[tuple[int, int], list[Option]] = {}
    for option in options:
        # A word and the gap before it are two places; all edits of one place compete.
        places.setdefault((option.start, int(option.end > option.start)), []).append(option)
    names = list(places)
    number = {place: k for k, place in enumerate(names)}
    costs: dict[tuple[int, int], NDArray[np.float64]] = {}
    for noun, partner in _links(folded, tags, names):
        one, other = ([None, *places.get(place, [])] for place in (noun, partner))
        said = [
            [_number(folded, tags, place, option) for option in some] for place, some in ((noun, one), (partner, other))
        ]
        table = np.array(
            [
                [_COSTS[bool(i) + bool(j)] * (bool(a) and bool(b) and a != b) for j, b in enumerate(said[1])]
                for i, a in enumerate(said[0])
            ]
        )
        for place in (noun, partner):
            if place not in number:
                number[place] = len(names)
                names.append(place)
        costs[number[noun], number[partner]] = table
    gains = [[0.0, *(option.gain for option in places.get(place, []))] for place in names]
    chosen = best_choices(gains, costs)
    return {places[place][k - 1].row for place, k in zip(names, chosen, strict=True) if k}


def choose_rows_jointly(
    text: Encoded,
    edits: EditRows,
    p: NDArray[np.float64],
    point: tuple[float, NDArray[np.bool_]],
    actions: Sequence[Action],
) -> NDArray[np.int64]:
    """Return the rows above a threshold, those of articles, nouns and verbs chosen jointly.

    `point` is the threshold and which rows are allowed.
    """
    threshold, allowed = point
    usable = (edits.actions >= 0) & allowed
    above = usable & (p >= threshold)
    mine = np.isin(edits.types, _JOINT)
    # Only where a sentence has such an edit can another one lean on it.
    touched = np.zeros(len(text.sentences), bool)
    touched[edits.sentence[above & mine]] = True
    odds = np.log(np.maximum(p, 1e-12) / np.maximum(1 - p, 1e-12)) - math.log(threshold / max(1 - threshold, 1e-12))
    joint = np.flatnonzero(usable & mine & touched[edits.sentence] & (odds >= _LEAST_GAIN))
    options: dict[int, list[Option]] = {}
    for row in joint.tolist():
        action = actions[edits.actions[row]]
        place = int(edits.starts[row]), int(edits.ends[row])
        options.setdefault(int(edits.sentence[row]), []).append(
            Option(row, *place, action.put, action.type, float(odds[row]))
        )
    kept = [row for k, some in options.items() for row in choose_jointly(text.folded[k], text.tags[k], some)]
    return np.concatenate([np.flatnonzero(above & ~mine), np.array(sorted(kept), np.int64)])


def _number(folded: Sequence[str], tags: Sequence[str], place: tuple[int, int], option: Option | None) -> str:
    """Return the number that a place says, once an option is taken: one, many, or nothing."""
    at, is_word = place
    word = (option.put[0] if option.put else "") if option is not None else (folded[at] if is_word else "")
    if word in _ONE:
        return "one"
    if word in _MANY:
        return "many"
    if word in _BE:
        return _BE[word]
    if not is_word:
        return ""
    if tags[at] in _NOUN:
        now = "many" if tags[at] == "NNS" else "one"
        return now if option is None or option.type != "number" else "one" if now == "many" else "many"
    if tags[at] in _FINITE:
        now = _FINITE[tags[at]]
        return now if option is None or option.type != "agreement" else "one" if now == "many" else "many"
    return ""


def _links(
    folded: Sequence[str], tags: Sequence[str], places: Sequence[tuple[int, int]]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return pairs of places whose numbers must agree: noun and determiner, noun and verb."""
    found: dict[tuple[tuple[int, int], tuple[int, int]], None] = {}
    for at, is_word in places:
        if is_word and tags[at] in _NOUN:
            found[(at, 1), _determiner(folded, tags, at)] = None
            verb = _verb(tags, at)
            if verb >= 0:
                found[(at, 1), (verb, 1)] = None
        elif is_word and (tags[at] in _FINITE or folded[at] in _BE):
            subject = _subject(tags, at)
            if subject >= 0:
                found[(subject, 1), (at, 1)] = None
        else:
            noun = _head(tags, at + is_word)
            if noun >= 0:
                found[(noun, 1), (at, is_word)] = None
    return list(found)


def _determiner(folded: Sequence[str], tags: Sequence[str], noun: int) -> tuple[int, int]:
    at = noun
    while at > 0 and tags[at - 1] in _INSIDE:
        at -= 1
        if folded[at] in _ONE or folded[at] in _MANY or folded[at] == "the":
            return at, 1
    return at, 0


def _head(tags: Sequence[str], at: int) -> int:
    """Return the head of the noun phrase that begins at a place: the last of its first run of nouns."""
    head = -1
    while at < len(tags) and tags[at] in _INSIDE:
        if tags[at] in _NOUN:
            head = at
        elif head >= 0:
            break
        at += 1
    return head


def _verb(tags: Sequence[str], noun: int) -> int:
    """Return the finite verb right after a noun (adverbs and modals between), if the noun is its subject."""
    at = noun + 1
    while at < len(tags) and tags[at] == "RB":
        at += 1
    return at if at < len(tags) and tags[at] in _FINITE and _subject(tags, at) == noun else -1


def _subject(tags: Sequence[str], verb: int) -> int:
    """Return the likely subject of a verb: of the noun phrases before it that prepositions chain, the first."""
    at, subject = verb - 1, -1
    while at >= 0 and at > verb - 14:
        if tags[at] in _HEAD:
            subject = at
            begin = at - 1
            while begin >= 0 and tags[begin] in _INSIDE:
                begin -= 1
            if begin >= 0 and tags[begin] in ("IN", "TO"):
                at = begin - 1
                continue
            break
        if subject >= 0 or tags[at] not in ("RB", "WDT", ")"):
            break
        at -= 1
    return subject if subject >= 0 and tags[subject] in _NOUN else -1
