"""What speaks for each candidate of a mention, for NIL, and for an entry that is not among the candidates.

Every mention has one row for each candidate and two more: NIL (nothing that any list could hold) and *elsewhere* (an
entry, but none of these candidates). Names, priors, types and words around come first; a second pass adds what the
first one believes of the other mentions of the document: the same entry elsewhere in it, or entries that keep company.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.linking.candidates import BARE, EXACT, FOLDED, FUZZY, INITIALS, PARTIAL, AliasIndex, Candidates
from onoma.linking.profiles import NIL, Mentions, Profiles

__all__ = ["FIRST", "SECOND", "Problem", "describe", "describe_again"]

_LISTS = ("given", "seen")
_OF_LIST = (
    "exact",
    "folded",
    "bare",
    "partial",
    "initials",
    "fuzzy",
    "likeness",
    "log prior",
    "weak log prior",
    "log weight",
)
_STRONG, _LIKENESS, _PRIOR = 3, _OF_LIST.index("likeness"), _OF_LIST.index("log prior")
"""How many of these say that the name is the same, and where two others stand."""
_OF_ENTRY = ("type", "context", "log count", "unknown count")
_OF_NIL = (
    "bias",
    "log prior",
    "has exact",
    "has inexact",
    "best likeness",
    "best prior",
    "words",
    "letters",
    "known",
    "type",
)
FIRST = (
    *(f"{name} ({which})" for which in _LISTS for name in _OF_LIST),
    *_OF_ENTRY,
    *(f"NIL: {name}" for name in _OF_NIL),
    "NIL: log prior (given)",
    *(f"elsewhere: {name}" for name in _OF_NIL),
    "elsewhere: log prior (given)",
)
"""Features of the first pass."""
SECOND = (
    "document says so",
    "chain says so",
    "one of the chain says so",
    "longest name of the chain says so",
    "company",
    "NIL: chain says so",
    "NIL: one of the chain says so",
    "NIL: longest name of the chain says so",
    "NIL: share in document",
)
"""Features of the second pass."""
_FLOOR = 1e-3
_AT_NIL = len(_LISTS) * len(_OF_LIST) + len(_OF_ENTRY)
_AT_ELSEWHERE = _AT_NIL + len(_OF_NIL) + 1


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows to choose among: those of mention i are `offsets[i]:offsets[i + 1]`, NIL and elsewhere the last two."""

    offsets: NDArray[np.int64]
    entries: Sequence[str]
    """Of each row; `NIL`, or empty for elsewhere."""
    values: NDArray[np.float64]
    """One row of features each."""

    @property
    def owner(self) -> NDArray[np.int64]:
        """The mention of each row."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def describe(
    mentions: Mentions, given: AliasIndex | None, seen: AliasIndex | None, profiles: Profiles, *, most: int = 10
) -> Problem:
    """Find candidates and what speaks for each.

    Parameters
    ----------
    given
        The entity list.
    seen
        Names in linked documents, and what they mean there, NIL among it.
    profiles
        What linked documents and descriptions say of entries.
    most
        Candidates of each list.
    """
    found = [
        None if index is None else (index, index.find(mentions.names, most=most, beside=True))
        for index in (given, seen)
    ]
    rows: list[NDArray[np.float64]] = []
    entries: list[str] = []
    offsets = [0]
    for i in range(len(mentions)):
        mine: dict[str, NDArray[np.float64]] = {}
        for which, one in enumerate(found):
            if one is not None:
                _of_list(mine, one[0], one[1], i, which)
        rows += _with_nil(mine, mentions.names[i], known=[one is not None for one in found])
        entries += [*(entry for entry in mine if entry != NIL), NIL, ""]
        offsets.append(len(entries))
    problem = Problem(np.array(offsets, np.int64), entries, np.array(rows).reshape(len(entries), len(FIRST)))
    _of_entries(problem, mentions, profiles)
    return problem


def _of_list(mine: dict[str, NDArray[np.float64]], index: AliasIndex, found: Candidates, i: int, which: int) -> None:
    inside = found.of(i)
    first = which * len(_OF_LIST)
    for row in range(inside.start, inside.stop):
        entry = index.entities.entries[found.entries[row]]
        values = mine.setdefault(entry, np.zeros(len(FIRST)))
        level, likeness = int(found.levels[row]), float(found.likeness[row])
        log_prior = float(np.log(max(float(found.priors[row]), _FLOOR)))
        flags = [float(level == each) for each in (EXACT, FOLDED, BARE, PARTIAL, INITIALS, FUZZY)]
        strong = level >= BARE
        rest = [likeness, log_prior - np.log(_FLOOR) if strong else 0.0, 0.0 if strong else log_prior - np.log(_FLOOR)]
        values[first : first + len(_OF_LIST)] = [*flags, *rest, float(np.log1p(found.weights[row]))]


def _with_nil(mine: dict[str, NDArray[np.float64]], name: str, known: Sequence[bool]) -> list[NDArray[np.float64]]:
    """Return the rows of candidates, then NIL's, then elsewhere's."""
    nil = mine.get(NIL, np.zeros(len(FIRST)))
    rows = [values for entry, values in mine.items() if entry != NIL]
    n = len(_OF_LIST)
    every = np.array(rows).reshape(-1, len(FIRST))
    strong = [every[:, k * n : k * n + _STRONG].max(initial=0.0) for k in range(2)]
    likeness = max(every[:, k * n + _LIKENESS].max(initial=0.0) for k in range(2))
    prior = max(every[:, k * n + _PRIOR].max(initial=0.0) for k in range(2))
    weak = float(len(rows) > 0 and not max(strong))
    shared = [max(strong), weak, likeness, prior, float(name.count(" ")), float(np.log1p(len(name))), float(known[1])]
    priors = [nil[k * n + _PRIOR] + nil[k * n + _PRIOR + 1] for k in (1, 0)]
    row = [1.0, priors[0], *shared, 0.0, priors[1]]  # its type comes later
    two = [np.zeros(len(FIRST)), np.zeros(len(FIRST))]
    two[0][_AT_NIL : _AT_NIL + len(row)] = row
    two[1][_AT_ELSEWHERE : _AT_ELSEWHERE + len(row)] = row
    return [*rows, *two]


def _of_entries(problem: Problem, mentions: Mentions, profiles: Profiles) -> None:
    owner, entries = problem.owner, problem.entries
    real = np.array([bool(entry) and entry != NIL for entry in entries])
    at = np.flatnonzero(real)
    first = len(_LISTS) * len(_OF_LIST)
    some = [entries[row] for row in at.tolist()]
    kinds = [mentions.types[i] for i in owner[at].tolist()]
    counts = np.array([profiles.counts[entry] for entry in some])
    problem.values[at, first] = [profiles.type_share(*pair) for pair in zip(some, kinds, strict=True)]
    problem.values[at, first + 1] = 10.0 * profiles.likeness(mentions.contexts, owner[at], some)
    problem.values[at, first + 2] = np.log1p(counts)
    problem.values[at, first + 3] = counts == 0
    nils = np.array([profiles.type_share(NIL, kind) for kind in mentions.types])
    for back, place in ((2, _AT_NIL), (1, _AT_ELSEWHERE)):
        problem.values[problem.offsets[1:] - back, place + _OF_NIL.index("type")] = nils


def describe_again(
    problem: Problem, probability: NDArray[np.float64], mentions: Mentions, profiles: Profiles
) -> Problem:
    """Add what the probabilities of the first pass say of the other mentions of each document.

    A mention may mean what the others of its chain may: their candidates become its own ("Schüttler" among mentions of
    Rainer Schüttler).
    """
    chain = mentions.groups()
    problem, probability = _shared(problem, probability, chain)
    extra = np.zeros((len(problem.entries), len(SECOND)))
    rows_of: dict[str, list[int]] = {}
    for i, document in enumerate(mentions.documents):
        rows_of.setdefault(document, []).append(i)
    lengths = np.array([len(name) for name in mentions.names])
    for members in rows_of.values():
        _of_document(extra, members, problem, probability, (chain, lengths), profiles)
    return Problem(problem.offsets, problem.entries, np.hstack([problem.values, extra]))


def _shared(
    problem: Problem, probability: NDArray[np.float64], chain: NDArray[np.int64]
) -> tuple[Problem, NDArray[np.float64]]:
    """Give every mention the candidates of its chain: those of others with no probability and no likeness of names."""
    known: dict[int, dict[str, int]] = {}
    for i, number in enumerate(chain.tolist()):
        rows = known.setdefault(number, {})
        for row in range(problem.offsets[i], problem.offsets[i + 1] - 2):
            rows.setdefault(problem.entries[row], row)
    source: list[int] = []
    is_own: list[bool] = []
    offsets = [0]
    for i, number in enumerate(chain.tolist()):
        own = range(problem.offsets[i], problem.offsets[i + 1])
        mine = {problem.entries[row] for row in own}
        others = [row for entry, row in known[number].items() if entry not in mine]
        source += [*own[:-2], *others, *own[-2:]]
        is_own += [True] * (len(own) - 2) + [False] * len(others) + [True] * 2
        offsets.append(len(source))
    at, owned = np.array(source, np.int64), np.array(is_own, np.bool_)
    values = problem.values[at]
    values[~owned, : len(_LISTS) * len(_OF_LIST)] = 0.0
    entries = [problem.entries[row] for row in source]
    return Problem(np.array(offsets, np.int64), entries, values), np.where(owned, probability[at], 0.0)


def _of_document(
    extra: NDArray[np.float64],
    members: Sequence[int],
    problem: Problem,
    probability: NDArray[np.float64],
    of_mentions: tuple[NDArray[np.int64], NDArray[np.int64]],
    profiles: Profiles,
) -> None:
    """Fill in the second features of a document's rows."""
    chain, lengths = of_mentions
    total: dict[str, float] = {}
    chains: dict[tuple[int, str], float] = {}
    of_chain: dict[int, list[int]] = {}
    believed: dict[int, dict[str, float]] = {}
    best: dict[str, list[tuple[float, int]]] = {}
    for i in members:
        of_chain.setdefault(int(chain[i]), []).append(i)
        mine = believed[i] = {}
        for row in range(problem.offsets[i], problem.offsets[i + 1]):
            entry, p = problem.entries[row], float(probability[row])
            mine[entry] = p
            total[entry] = total.get(entry, 0.0) + p
            key = (int(chain[i]), entry)
            chains[key] = chains.get(key, 0.0) + p
            best.setdefault(entry, []).append((p, int(chain[i])))
    expected = {entry: min(p, 1.0) for entry, p in total.items() if entry and entry != NIL}
    company = dict(zip(expected, profiles.company(expected, list(expected)), strict=True))
    longest = {number: max(some, key=lambda i: (lengths[i], -i)) for number, some in of_chain.items()}
    n = len(members)
    for i in members:
        here = int(chain[i])
        mates = [believed[j] for j in of_chain[here] if j != i]
        full = believed[longest[here]] if lengths[longest[here]] > lengths[i] else {}
        for row in range(problem.offsets[i], problem.offsets[i + 1]):
            entry, p = problem.entries[row], float(probability[row])
            told = (chains[here, entry] - p) / max(len(mates), 1)
            top = max((mate.get(entry, 0.0) for mate in mates), default=0.0)
            if entry == NIL:
                extra[row, 5:] = told, top, full.get(entry, 0.0), (total[entry] - p) / max(n - 1, 1)
            elif entry:
                far = max((q for q, where in best[entry] if where != here), default=0.0)
                extra[row, :5] = far, told, top, full.get(entry, 0.0), 10.0 * company[entry]
