"""Kernels of `features`: the features of a mention and of a pair of mentions, as rows of a weight table.

A feature is a number mixed from a template and its values and cut to the size of the table (feature hashing). They are
made anew whenever a pair is scored: reading them from memory would cost more.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MAX_FEATURES",
    "N_RELATIONS",
    "filter_features",
    "filter_scores",
    "new_features",
    "pair_features",
    "pair_relations",
    "score_document",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_FEATURES = 192
"""More than any pair has."""

# Columns of the table of mentions: `onoma.coref.attributes.Column`.
_START, _END, _HEAD, _SENTENCE, _TYPE, _HEAD_WORD, _FIRST_WORD, _LAST_WORD, _BEFORE, _AFTER = range(10)
_GOVERNOR, _RELATION, _NUMBER, _GENDER, _ANIMACY, _PERSON, _ENTITY, _TEXT, _HEAD_TEXT, _BARE_TEXT = range(10, 20)
_SPEAKER, _QUOTED, _LENGTH, _PRONOUN, _GOVERNOR_PLACE, _INITIALS, _GENRE, _FORM, _SUBJECT, _NESTED = range(20, 30)
_HEAD_TAG, _LAST_NAME, _FIRST_NAME, _GOVERNOR_TAG = range(30, 34)

_FINE, _MIDDLE, _COARSE, _GOVERNOR_CLASS = range(34, 38)

_CORE, _NAMING, _CUT, _ABBREVIATION, _SAID = range(47, 52)

N_RELATIONS = 22
"""How many numbers `pair_relations` fills in."""

_DENSE = N_RELATIONS * 1024
_K_0, _K_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_K_2, _K_3 = np.uint64(0x94D049BB133111EB), np.uint64(0xD6E8FEB86659FD93)
_M = np.uint64(0xFF51AFD7ED558CCD)
_HALF, _LOW = np.uint64(32), np.uint64(29)


@nb.njit(cache=True, nogil=True, inline="always")
def _put(out: Ints, n: int, template: int, a: int, b: int, c: int, mask: int) -> int:
    """Add one feature, a multiplicative hash of its template and values; return how many there are."""
    h = np.uint64(template) * _K_0 + np.uint64(np.int64(a)) * _K_1
    h = h + np.uint64(np.int64(b)) * _K_2 + np.uint64(np.int64(c)) * _K_3
    h = (h ^ (h >> _HALF)) * _M
    out[n] = np.int64((h ^ (h >> _LOW)) & np.uint64(mask))
    return n + 1


@nb.njit(cache=True, nogil=True)
def _bucket(distance: int) -> int:
    """Cut a distance into 0 1 2 3 4 5 6–7 8–10 11–16 17–32 33–64 65 and more."""
    if distance < 6:
        return distance
    for k, edge in enumerate((8, 11, 17, 33, 65)):
        if distance < edge:
            return 6 + k
    return 11


@nb.njit(cache=True, nogil=True)
def _agree(a: int, b: int) -> int:
    """0 where one is unknown, 1 where they agree, 2 where they do not."""
    if a == 0 or b == 0:
        return 0
    return 1 if a == b else 2


@nb.njit(cache=True, nogil=True)
def _overlap(values: Ints, ends: Ints, i: int, j: int) -> tuple[int, int, int]:
    """Return how many codes i and j share, and how many each has."""
    a, b = (ends[i - 1] if i else 0), (ends[j - 1] if j else 0)
    n_i, n_j, shared = ends[i] - a, ends[j] - b, 0
    while a < ends[i] and b < ends[j]:
        if values[a] == values[b]:
            shared, a, b = shared + 1, a + 1, b + 1
        elif values[a] < values[b]:
            a += 1
        else:
            b += 1
    return shared, n_i, n_j


@nb.njit(cache=True, nogil=True)
def new_features(table: Ints, counts: Ints, i: int, mask: int, out: Ints) -> int:
    """Fill in the features of "mention i begins a new entity"; return how many."""
    m = table[i]
    kind = m[_TYPE]
    t = kind * 16 + m[_PRONOUN]
    n = 0
    n = _put(out, n, 1, t, 0, 0, mask)
    n = _put(out, n, 2, kind, m[_HEAD_WORD], 0, mask)
    n = _put(out, n, 3, kind, m[_FIRST_WORD], 0, mask)
    n = _put(out, n, 4, kind, m[_LAST_WORD], 0, mask)
    n = _put(out, n, 5, kind, m[_BEFORE], 0, mask)
    n = _put(out, n, 6, kind, m[_AFTER], 0, mask)
    n = _put(out, n, 7, kind, m[_GOVERNOR], 0, mask)
    n = _put(out, n, 8, t, m[_RELATION], 0, mask)
    n = _put(out, n, 9, t, m[_LENGTH], 0, mask)
    n = _put(out, n, 10, kind, m[_ENTITY], m[_NUMBER], mask)
    n = _put(out, n, 11, kind, min(counts[i, 0], 3), 0, mask)  # earlier mentions with the same text
    n = _put(out, n, 12, kind, min(counts[i, 1], 3), 0, mask)  # with the same head
    n = _put(out, n, 13, t, min(i, 4), 0, mask)
    n = _put(out, n, 14, t, m[_NESTED], 0, mask)
    n = _put(out, n, 15, t, m[_GENRE], 0, mask)
    n = _put(out, n, 16, kind, m[_HEAD_TAG], m[_RELATION], mask)
    n = _put(out, n, 17, kind, m[_RELATION], m[_GOVERNOR_TAG], mask)
    n = _put(out, n, 18, t, m[_QUOTED], min(m[_SENTENCE], 2), mask)
    n = _put(out, n, 19, kind, min(counts[i, 0], 2) * 8 + min(counts[i, 1], 2), m[_LENGTH], mask)
    n = _put(out, n, 20, kind, counts[i, 2], 0, mask)  # a longer mention of the same head holds it
    n = _put(out, n, 21, m[_FIRST_WORD], m[_HEAD_TAG], m[_LENGTH], mask)
    n = _put(out, n, 22, kind, m[_MIDDLE], 0, mask)
    n = _put(out, n, 23, kind, m[_GOVERNOR_CLASS], m[_RELATION], mask)
    n = _put(out, n, 24, kind, m[_NAMING], m[_RELATION], mask)
    n = _put(out, n, 25, kind, m[_CUT], 0, mask)
    return _put(out, n, 26, kind, min(counts[i, 6], 3), m[_NAMING], mask)  # earlier heads with the same core


@nb.njit(cache=True, nogil=True)
def filter_features(table: Ints, counts: Ints, i: int, mask: int, out: Ints) -> int:
    """Fill in the features of "mention i is annotated at all"; return how many."""
    m = table[i]
    kind = m[_TYPE]
    t = kind * 16 + m[_PRONOUN]
    n = new_features(table, counts, i, mask, out)
    n = _put(out, n, 40, m[_HEAD_TEXT], 0, 0, mask)
    n = _put(out, n, 41, m[_BARE_TEXT], 0, 0, mask)
    n = _put(out, n, 42, kind, m[_FINE], 0, mask)
    n = _put(out, n, 43, kind, m[_COARSE], m[_NUMBER], mask)
    n = _put(out, n, 44, t, min(counts[i, 3], 4), min(counts[i, 4], 4), mask)  # in the whole document
    n = _put(out, n, 45, kind, min(counts[i, 5], 5), counts[i, 2], mask)  # shorter ones with the same head
    n = _put(out, n, 46, kind, m[_AFTER], min(counts[i, 5], 2) * 2 + counts[i, 2], mask)
    n = _put(out, n, 47, kind, m[_LAST_WORD], counts[i, 2], mask)
    n = _put(out, n, 48, kind, m[_ENTITY], m[_ANIMACY], mask)
    n = _put(out, n, 49, m[_HEAD_TEXT], m[_RELATION], 0, mask)
    n = _put(out, n, 50, m[_BEFORE], m[_FIRST_WORD], kind, mask)
    n = _put(out, n, 51, kind, min(counts[i, 7], 4), m[_NAMING], mask)
    return _put(out, n, 52, kind, min(counts[i, 7], 4), m[_CUT], mask)


@nb.njit(cache=True, nogil=True)
def pair_relations(
    table: Ints, words: Ints, word_ends: Ints, modifiers: Ints, modifier_ends: Ints, i: int, j: int, rel: Ints
) -> None:
    """Fill in how mention i stands to the earlier mention j."""
    a, b = table[i], table[j]
    rel[0] = a[_TEXT] == b[_TEXT]
    rel[1] = a[_BARE_TEXT] == b[_BARE_TEXT]
    rel[2] = a[_HEAD_TEXT] == b[_HEAD_TEXT]
    shared, n_i, n_j = _overlap(words, word_ends, i, j)
    rel[3] = 0 if n_i == 0 else (2 if shared == n_i else (1 if shared else 0))  # words of i in j
    rel[4] = 0 if n_j == 0 else (2 if shared == n_j else (1 if shared else 0))
    shared, n_i, n_j = _overlap(modifiers, modifier_ends, i, j)
    rel[5] = 0 if n_i == 0 else (1 if shared == n_i else (2 if shared else 3))  # has i modifiers that j has not?
    rel[6] = 0 if n_j == 0 else (1 if shared == n_j else (2 if shared else 3))
    rel[7] = _agree(a[_NUMBER], b[_NUMBER])
    rel[8] = _agree(a[_GENDER], b[_GENDER])
    rel[9] = _agree(a[_ANIMACY], b[_ANIMACY])
    rel[10] = _agree(a[_ENTITY], b[_ENTITY])
    rel[11] = _bucket(a[_SENTENCE] - b[_SENTENCE])
    rel[12] = _bucket(i - j)
    nested = 1 if b[_START] <= a[_START] and a[_END] <= b[_END] else 0
    if nested and a[_HEAD] == b[_HEAD]:
        nested = 2
    elif a[_START] <= b[_START] and b[_END] <= a[_END]:
        nested = 3
    rel[13] = nested
    same_speaker = 0
    if a[_SPEAKER] != 0 and b[_SPEAKER] != 0:
        same_speaker = 1 if a[_SPEAKER] == b[_SPEAKER] else 2
    rel[14] = same_speaker
    rel[15] = 0
    if a[_GOVERNOR_PLACE] == b[_HEAD]:
        rel[15] = 1
    elif b[_GOVERNOR_PLACE] == a[_HEAD]:
        rel[15] = 2
    elif a[_GOVERNOR_PLACE] == b[_GOVERNOR_PLACE] and a[_GOVERNOR_PLACE] >= 0:
        rel[15] = 3
    rel[16] = 0
    if (a[_ABBREVIATION] != 0 and a[_ABBREVIATION] == b[_INITIALS]) or (
        b[_ABBREVIATION] != 0 and b[_ABBREVIATION] == a[_INITIALS]
    ):
        rel[16] = 1
    rel[17] = 0
    if a[_TYPE] == 1 and b[_TYPE] == 1:
        if a[_LAST_NAME] == b[_LAST_NAME]:
            rel[17] = 1 if a[_FIRST_NAME] == b[_FIRST_NAME] else 2
        elif a[_LAST_NAME] == b[_FIRST_NAME] or a[_FIRST_NAME] == b[_LAST_NAME]:
            rel[17] = 3
        elif a[_FIRST_NAME] == b[_FIRST_NAME]:
            rel[17] = 4
    rel[18] = _agree(a[_PERSON], b[_PERSON])
    rel[19] = 1 if (a[_QUOTED] == b[_QUOTED]) else 0
    rel[20] = 0
    if a[_FINE] != 0 and b[_FINE] != 0:
        rel[20] = 4 if a[_FINE] == b[_FINE] else 3 if a[_MIDDLE] == b[_MIDDLE] else 2 if a[_COARSE] == b[_COARSE] else 1
    rel[21] = a[_CORE] != 0 and a[_CORE] == b[_CORE]


@nb.njit(cache=True, nogil=True)
def pair_features(table: Ints, i: int, j: int, rel: Ints, mask: int, out: Ints) -> int:
    """Fill in the features of "mention j is the antecedent of mention i"; return how many."""
    a, b = table[i], table[j]
    ta, tb = a[_TYPE], b[_TYPE]
    t = ta * 8 + tb
    fine = (ta * 16 + a[_PRONOUN]) * 256 + tb * 16 + b[_PRONOUN]
    pronoun_gender = a[_GENDER] if ta == 0 else 0
    n = 0
    n = _put(out, n, 101, fine, 0, 0, mask)
    n = _put(out, n, 102, t, 0, 0, mask)
    for k in range(N_RELATIONS):  # no hash: these are most of the features, and side by side they stay in the cache
        out[n] = (_DENSE + k * 16 + rel[k]) & mask
        out[n + 1] = (k * 1024 + rel[k] * 64 + t) & mask
        n += 2
    match = rel[0] * 8 + (rel[1] or rel[21]) * 4 + rel[2] * 2 + (1 if rel[3] == 2 else 0)
    n = _put(out, n, 170, match, rel[11], t, mask)
    n = _put(out, n, 171, match, rel[5] * 4 + rel[6], t, mask)
    n = _put(out, n, 172, rel[11], rel[12], t, mask)
    n = _put(out, n, 173, rel[11], fine, b[_SUBJECT], mask)
    n = _put(out, n, 174, rel[12], fine, 0, mask)
    agreement = rel[7] * 27 + rel[8] * 9 + rel[9] * 3 + rel[18]
    n = _put(out, n, 175, agreement, t, 0, mask)
    n = _put(out, n, 176, agreement, fine, rel[11] == 0, mask)
    n = _put(out, n, 177, rel[13] * 4 + rel[15], t, 0, mask)
    n = _put(out, n, 178, rel[13] * 4 + rel[15], a[_RELATION], t, mask)
    n = _put(out, n, 179, rel[14] * 2 + rel[19], fine, 0, mask)
    n = _put(out, n, 180, rel[14], fine, rel[11] == 0, mask)
    n = _put(out, n, 181, a[_FORM], fine, rel[15] * 4 + (rel[11] == 0), mask)
    n = _put(out, n, 182, a[_SUBJECT] * 2 + b[_SUBJECT], fine, min(rel[11], 3), mask)
    n = _put(out, n, 183, a[_RELATION], b[_RELATION], ta == 0, mask)
    n = _put(out, n, 184, b[_RELATION], fine, min(rel[11], 2), mask)
    n = _put(out, n, 185, b[_LENGTH], t, match, mask)
    n = _put(out, n, 186, a[_LENGTH], t, match, mask)
    n = _put(out, n, 187, b[_NESTED] * 4 + a[_NESTED], t, 0, mask)
    n = _put(out, n, 188, b[_ENTITY], a[_TYPE] * 16 + a[_PRONOUN], 0, mask)
    n = _put(out, n, 189, a[_ENTITY] * 16 + b[_ENTITY], t, match, mask)
    n = _put(out, n, 190, match, a[_GENRE], t, mask)
    n = _put(out, n, 191, rel[11], a[_GENRE], fine, mask)
    n = _put(out, n, 192, a[_HEAD_WORD], match, 0, mask)
    n = _put(out, n, 193, a[_HEAD_WORD], b[_HEAD_WORD], 0, mask)
    n = _put(out, n, 194, b[_HEAD_WORD], a[_TYPE] * 16 + a[_PRONOUN], pronoun_gender, mask)
    n = _put(out, n, 195, a[_FIRST_WORD], b[_FIRST_WORD], match, mask)
    n = _put(out, n, 196, b[_BEFORE], a[_BEFORE], ta == 0, mask)
    n = _put(out, n, 197, b[_AFTER], t, 0, mask)
    n = _put(out, n, 198, a[_BEFORE], t, match, mask)
    n = _put(out, n, 199, a[_GOVERNOR], b[_GOVERNOR], ta == 0, mask)
    n = _put(out, n, 200, a[_FIRST_WORD], t, match, mask)
    n = _put(out, n, 201, b[_FIRST_WORD], t, match, mask)
    n = _put(out, n, 202, a[_GOVERNOR], tb * 16 + b[_PRONOUN], ta == 0, mask)
    n = _put(out, n, 203, rel[17], t, rel[8], mask)
    n = _put(out, n, 204, b[_HEAD_TAG], a[_HEAD_TAG], match, mask)
    n = _put(out, n, 205, rel[3] * 3 + rel[4], rel[2], t, mask)
    n = _put(out, n, 206, rel[11] == 0, rel[13] * 4 + rel[15], fine, mask)
    n = _put(
        out, n, 207, b[_ANIMACY] * 3 + b[_NUMBER], a[_TYPE] * 16 + a[_PRONOUN], rel[8] * 2 + (b[_GENDER] == 3), mask
    )
    n = _put(out, n, 208, rel[20], t, match, mask)
    n = _put(out, n, 209, a[_MIDDLE], b[_MIDDLE], t, mask)
    n = _put(out, n, 210, a[_COARSE], b[_COARSE], match, mask)
    n = _put(out, n, 211, b[_MIDDLE], ta * 16 + a[_PRONOUN], pronoun_gender, mask)
    n = _put(out, n, 212, b[_COARSE], a[_GOVERNOR_CLASS], ta == 0, mask)
    n = _put(out, n, 213, a[_GOVERNOR_CLASS], b[_GOVERNOR_CLASS], a[_SUBJECT] * 2 + b[_SUBJECT], mask)
    n = _put(out, n, 214, a[_NAMING] * 8 + b[_NAMING], t, rel[21] * 8 + rel[17], mask)
    n = _put(out, n, 215, b[_CUT], t, rel[21], mask)
    n = _put(out, n, 216, a[_CUT], t, rel[21] * 32 + rel[13] * 4 + rel[15], mask)
    n = _put(out, n, 217, a[_HEAD_WORD], b[_ENTITY], tb, mask)
    n = _put(out, n, 218, a[_MIDDLE], b[_ENTITY], tb, mask)
    return _put(out, n, 219, b[_SAID], min(b[_SENTENCE], 2), fine, mask)


@nb.njit(cache=True, nogil=True)
def score_document(
    table: Ints,
    words: Ints,
    word_ends: Ints,
    modifiers: Ints,
    modifier_ends: Ints,
    counts: Ints,
    weights: Floats,
    window: int,
    scores: Floats,
) -> None:
    """Fill in the score of each antecedent of each mention: scores[i, j], and scores[i, i] for none."""
    mask = len(weights) - 1
    out = np.empty(MAX_FEATURES, np.int64)
    rel = np.empty(N_RELATIONS, np.int64)
    for i in range(len(table)):
        total = 0.0
        for k in range(new_features(table, counts, i, mask, out)):
            total += weights[out[k]]
        scores[i, i] = total
        for j in range(max(0, i - window), i):
            pair_relations(table, words, word_ends, modifiers, modifier_ends, i, j, rel)
            total = 0.0
            for k in range(pair_features(table, i, j, rel, mask, out)):
                total += weights[out[k]]
            scores[i, j] = total


@nb.njit(cache=True, nogil=True)
def filter_scores(table: Ints, counts: Ints, weights: Floats, scores: Floats) -> None:
    """Fill in the log-odds that each candidate is annotated."""
    mask = len(weights) - 1
    out = np.empty(MAX_FEATURES, np.int64)
    for i in range(len(table)):
        scores[i] = 0.0
        for k in range(filter_features(table, counts, i, mask, out)):
            scores[i] += weights[out[k]]
