"""Kernels of `contexts`: what stands around a place, as numbers; what n-grams say of an edit; hashed features.

A text is two arrays, words and tags, with a begin and an end mark around each sentence.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.correct._ngrams_kernels import _key, _place
from onoma.correct.tags import TAG_NUMBER, TAGS

__all__ = [
    "N_CONTEXT",
    "N_EDIT",
    "N_NATIVE",
    "edit_rows",
    "edit_scores",
    "native_rows",
    "native_scores",
    "read_contexts",
]


def _are(names: str) -> NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    for name in names.split():
        table[TAG_NUMBER[name]] = True
    return table


_INSIDE = _are("DT PDT PRP$ JJ JJR JJS CD NN NNS NNP NNPS VBN VBG RB RBR RBS POS HYPH AFX $")
"""Tags that a noun phrase may hold before its head."""
_NOUN = _are("NN NNS NNP NNPS")
_HEAD = _are("NN NNS NNP NNPS PRP EX CD DT WP")
"""What may be the subject of a verb."""
_VERB = _are("VB VBD VBG VBN VBP VBZ")
_FINITE = _are("VBD VBP VBZ MD")
_AUX = _are("MD TO VBP VBZ VBD VB VBN")
_DET = _are("DT PRP$ WDT WP$ CD PDT")
_PREP = _are("IN TO")
_MARK = np.uint8(len(TAGS))
"""The tag of begin and end marks."""

N_CONTEXT = 26
(
    _L1, _L2, _L3, _R1, _R2, _R3, _LT1, _LT2, _RT1, _RT2, _RT3, _H, _HT, _AFTER, _V, _VT, _N, _DETW, _S, _ST,
    _SDIST, _AUXW, _AUXT, _SRC, _SRCT, _FIRST,
) = range(N_CONTEXT)  # fmt: skip

N_NATIVE = 36
N_EDIT = 36

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@nb.njit(cache=True, nogil=True, inline="always")
def _h(a: np.uint64, b: np.int64) -> np.uint64:
    h = a + _STEP + np.uint64(b)
    h = (h ^ (h >> np.uint64(30))) * _MIX_1
    return h ^ (h >> np.uint64(29))


@nb.njit(cache=True, nogil=True, inline="always")
def _slot(h: np.uint64, mask: np.uint64) -> np.uint32:
    h = (h ^ (h >> np.uint64(27))) * _MIX_2
    return np.uint32((h ^ (h >> np.uint64(31))) & mask)


@nb.njit(cache=True, nogil=True)
def _read_context(
    words: NDArray[np.int64], tags: NDArray[np.uint8], low: int, high: int, start: int, end: int,
    out: NDArray[np.int64],
) -> None:  # fmt: skip
    """Fill in the context of the span start … end of the sentence whose marks stand at low and high."""
    for k in range(3):
        left, right = start - 1 - k, end + k
        out[_L1 + k] = words[left] if left >= low else 1
        out[_R1 + k] = words[right] if right <= high else 2
        out[_RT1 + k] = tags[right] if right <= high else _MARK
    out[_LT1] = tags[start - 1] if start - 1 >= low else _MARK
    out[_LT2] = tags[start - 2] if start - 2 >= low else _MARK
    # The head of the noun phrase to the right, and what follows it.
    k, head = end, -1
    while k < high and k < end + 7 and _INSIDE[tags[k]]:
        if _NOUN[tags[k]]:
            head = k
        elif head >= 0:
            break
        k += 1
    out[_H] = words[head] if head >= 0 else -1
    out[_HT] = tags[head] if head >= 0 else -1
    out[_AFTER] = words[head + 1] if head >= 0 else -1
    # The nearest verb and noun to the left.
    out[_V], out[_VT], out[_N] = -1, -1, -1
    for k in range(start - 1, max(low, start - 7), -1):
        if out[_V] < 0 and _VERB[tags[k]]:
            out[_V], out[_VT] = words[k], tags[k]
        if out[_N] < 0 and _NOUN[tags[k]]:
            out[_N] = words[k]
    # The determiner of the noun phrase that the span stands in.
    out[_DETW] = -1
    for k in range(start - 1, max(low, start - 6), -1):
        if _DET[tags[k]]:
            out[_DETW] = words[k]
            break
        if not _INSIDE[tags[k]]:
            break
    _read_subject(words, tags, low, start, out)
    out[_SRC] = words[start] if end > start else -1
    out[_SRCT] = tags[start] if end > start else -1
    out[_FIRST] = 1 if start == low + 1 else 0


@nb.njit(cache=True, nogil=True)
def _read_subject(
    words: NDArray[np.int64], tags: NDArray[np.uint8], low: int, start: int, out: NDArray[np.int64]
) -> None:
    """Fill in a likely subject (the first of the noun phrases to the left that prepositions chain) and auxiliary."""
    out[_S], out[_ST], out[_SDIST], out[_AUXW], out[_AUXT] = -1, -1, 0, -1, -1
    subject = -1
    k = start - 1
    while k > low and k > start - 14:
        tag = tags[k]
        if subject < 0 and out[_AUXW] < 0 and _AUX[tag]:
            out[_AUXW], out[_AUXT] = words[k], tag
        if _HEAD[tag]:
            # To the noun phrase's first word; what a preposition governs is no subject.
            subject = k
            j = k - 1
            while j > low and _INSIDE[tags[j]]:
                j -= 1
            if j > low and _PREP[tags[j]]:
                k = j - 1
                continue
            break
        if subject >= 0 and not _NOUN[tag]:
            break
        k -= 1
    if subject >= 0:
        out[_S], out[_ST], out[_SDIST] = words[subject], tags[subject], min(start - subject, 5)


@nb.njit(cache=True, nogil=True)
def read_contexts(
    words: NDArray[np.int64], tags: NDArray[np.uint8], bounds: NDArray[np.int64], starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    """Return the context of each span; `bounds[i]` are the places of the marks around it."""
    out = np.empty((len(starts), N_CONTEXT), np.int64)
    for i in range(len(starts)):
        _read_context(words, tags, bounds[i, 0], bounds[i, 1], starts[i], ends[i], out[i])
    return out


@nb.njit(cache=True, nogil=True)
def _native(kind: int, label: int, stem: int, c: NDArray[np.int64], mask: np.uint64, out: NDArray[np.uint32]) -> None:
    """Fill in the features that say how well a label suits a context."""
    base = _h(_h(np.uint64(kind + 1), np.int64(label)), np.int64(7))
    n = 0
    for k in (_L1, _L2, _R1, _R2, _H, _AFTER, _V, _N, _S, _AUXW, _DETW):
        out[n] = _slot(_h(_h(base, np.int64(n)), c[k]), mask)
        n += 1
    for a, b in (
        (_L1, _R1), (_L2, _L1), (_R1, _R2), (_LT1, _RT1), (_LT2, _LT1), (_RT1, _RT2), (_L1, _RT1), (_LT1, _R1),
        (_L1, _H), (_HT, _RT1), (_V, _H), (_AFTER, _HT), (_H, _AFTER), (_ST, _SDIST), (_S, _AUXW), (_ST, _AUXT),
        (_LT1, _HT),
    ):  # fmt: skip
        out[n] = _slot(_h(_h(_h(base, np.int64(n)), c[a]), c[b]), mask)
        n += 1
    out[n] = _slot(_h(_h(_h(_h(base, np.int64(n)), c[_RT1]), c[_RT2]), c[_RT3]), mask)
    n += 1
    for k in (_L1, _R1, _DETW, _LT1, _RT1, _V):
        out[n] = _slot(_h(_h(_h(base, np.int64(n)), np.int64(stem)), c[k]), mask)
        n += 1
    out[n] = _slot(_h(_h(base, np.int64(n)), np.int64(stem)), mask)


@nb.njit(cache=True, nogil=True)
def native_rows(
    kinds: NDArray[np.int64], labels: NDArray[np.int64], stems: NDArray[np.int64], site: NDArray[np.int64],
    contexts: NDArray[np.int64], mask: np.uint64,
) -> NDArray[np.uint32]:  # fmt: skip
    """Return the native features of each candidate; `site` names the row of its context."""
    out = np.empty((len(kinds), N_NATIVE), np.uint32)
    for i in range(len(kinds)):
        _native(kinds[i], labels[i], stems[i], contexts[site[i]], mask, out[i])
    return out


@nb.njit(cache=True, nogil=True)
def native_scores(
    kinds: NDArray[np.int64], labels: NDArray[np.int64], others: NDArray[np.int64], stems: NDArray[np.int64],
    contexts: NDArray[np.int64], w: NDArray[np.float32],
) -> NDArray[np.float32]:  # fmt: skip
    """Return by how much a label suits its context better than another; 0 where there is no native model (kind < 0)."""
    out = np.zeros(len(kinds), np.float32)
    row = np.empty(N_NATIVE, np.uint32)
    mask = np.uint64(len(w) - 1)
    for i in range(len(kinds)):
        if kinds[i] < 0:
            continue
        total = np.float32(0.0)
        _native(kinds[i], labels[i], stems[i], contexts[i], mask, row)
        for f in row:
            total += w[f]
        _native(kinds[i], others[i], stems[i], contexts[i], mask, row)
        for f in row:
            total -= w[f]
        out[i] = total
    return out


@nb.njit(cache=True, nogil=True)
def _window(buffer: NDArray[np.int32], first: int, n: int, tables, bits: NDArray[np.int64], unknown: int):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Return Σ log p of the tokens from `first` on, and the mean length of the n-grams found."""
    total, length = 0.0, 0.0
    for i in range(first, n):
        longest = min(len(tables), i + 1)
        found = False
        for m in range(longest, 0, -1):
            offsets, prints, probabilities, _ = tables[m - 1]
            place = _place(_key(buffer, i - m + 1, m), offsets, prints, bits[m - 1])
            if place >= 0:
                total += probabilities[place]
                length += m
                found = True
                break
            if m > 1:
                offsets, prints, _, backoffs = tables[m - 2]
                place = _place(_key(buffer, i - m + 1, m - 1), offsets, prints, bits[m - 2])
                if place >= 0:
                    total += backoffs[place]
        if not found:
            total += unknown
    return total, length / max(n - first, 1)


@nb.njit(cache=True, nogil=True)
def edit_scores(  # type: ignore[no-untyped-def]
    words: NDArray[np.int32],
    bounds: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    put: NDArray[np.int32],
    tables,  # noqa: ANN001  (a tuple of the orders' arrays)
    bits: NDArray[np.int64],
    unknown: int,
) -> NDArray[np.float32]:
    """Return what each edit does to log p of its surroundings, and the lengths of n-grams found without and with it.

    `put[i]` are the words put in place of the span, padded by -1.
    """
    top = len(tables)
    out = np.empty((len(starts), 3), np.float32)
    buffer = np.empty(4 * top + put.shape[1] + 16, np.int32)
    before_start, before_end, before, before_length = -1, -1, 0.0, 0.0
    for i in range(len(starts)):
        s, e, low, high = starts[i], ends[i], bounds[i, 0], bounds[i, 1]
        left = min(top - 1, s - low)
        right = min(top - 1, high - e + 1)
        for k in range(left):
            buffer[k] = words[s - left + k]
        if s != before_start or e != before_end:
            n = left
            for k in range(s, e + right):
                buffer[n] = words[k]
                n += 1
            before, before_length = _window(buffer, left, n, tables, bits, unknown)
            before_start, before_end = s, e
        n = left
        for k in range(put.shape[1]):
            if put[i, k] < 0:
                break
            buffer[n] = put[i, k]
            n += 1
        for k in range(e, e + right):
            buffer[n] = words[k]
            n += 1
        after, after_length = _window(buffer, left, n, tables, bits, unknown)
        out[i, 0], out[i, 1], out[i, 2] = after - before, before_length, after_length
    return out


@nb.njit(cache=True, nogil=True, inline="always")
def _bin(value: float, step: float, most: int) -> np.int64:
    return np.int64(max(-most, min(most, np.floor(value / step))))


@nb.njit(cache=True, nogil=True)
def edit_rows(
    types: NDArray[np.int64], actions: NDArray[np.uint64], contexts: NDArray[np.int64], lm: NDArray[np.float32],
    native: NDArray[np.float32], extra: NDArray[np.float32], mask: np.uint64,
) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:  # fmt: skip
    """Return the features of each edit and their values, N_EDIT for each; type < 0 is the edit that changes nothing."""
    n_all = len(types)
    ids = np.zeros((n_all, N_EDIT), np.uint32)
    values = np.zeros((n_all, N_EDIT), np.float32)
    for i in range(n_all):
        if types[i] < 0:
            continue
        c = contexts[i]
        kind = _h(np.uint64(11), types[i])
        act = _h(kind, np.int64(actions[i] >> np.uint64(1)))
        d, v = lm[i, 0] / 3000.0, native[i]
        n = 0
        # Values, for each type and for each action.
        ids[i, 0], values[i, 0] = _slot(_h(kind, np.int64(100)), mask), 1.0
        ids[i, 1], values[i, 1] = _slot(_h(kind, np.int64(101)), mask), max(-3.0, min(3.0, d)) / 2
        ids[i, 2], values[i, 2] = _slot(_h(kind, np.int64(102)), mask), max(-4.0, min(4.0, v / 2)) / 2
        ids[i, 3], values[i, 3] = _slot(_h(kind, np.int64(103)), mask), lm[i, 1] / 4
        ids[i, 4], values[i, 4] = _slot(_h(kind, np.int64(104)), mask), lm[i, 2] / 4
        ids[i, 5], values[i, 5] = _slot(_h(np.uint64(11), np.int64(105)), mask), max(-3.0, min(3.0, d)) / 2
        ids[i, 6], values[i, 6] = _slot(_h(np.uint64(11), np.int64(106)), mask), max(-4.0, min(4.0, v / 2)) / 2
        ids[i, 7], values[i, 7] = _slot(_h(kind, np.int64(107)), mask), extra[i, 0]
        ids[i, 8], values[i, 8] = _slot(_h(kind, np.int64(108)), mask), extra[i, 1]
        ids[i, 9], values[i, 9] = _slot(_h(act, np.int64(109)), mask), max(-3.0, min(3.0, d)) / 2
        ids[i, 10], values[i, 10] = _slot(_h(act, np.int64(110)), mask), max(-4.0, min(4.0, v / 2)) / 2
        n = 11
        b1, b2 = _bin(d, 0.5, 6), _bin(v, 1.0, 6)
        for h in (
            _h(_h(kind, np.int64(n)), b1),
            _h(_h(kind, np.int64(n + 1)), b2),
            _h(_h(_h(kind, np.int64(n + 2)), _bin(d, 1.0, 3)), _bin(v, 2.0, 3)),
            _h(_h(kind, np.int64(n + 3)), _bin(lm[i, 2] - lm[i, 1], 0.5, 3)),
            _h(act, np.int64(n + 4)),
            _h(_h(act, np.int64(n + 5)), c[_L1]),
            _h(_h(act, np.int64(n + 6)), c[_R1]),
            _h(_h(_h(act, np.int64(n + 7)), c[_LT1]), c[_RT1]),
            _h(_h(_h(kind, np.int64(n + 8)), c[_LT1]), c[_RT1]),
            _h(_h(kind, np.int64(n + 9)), c[_SRCT]),
            _h(_h(kind, np.int64(n + 10)), c[_SRC]),
            _h(_h(kind, np.int64(n + 11)), c[_L1]),
            _h(_h(kind, np.int64(n + 12)), c[_R1]),
            _h(_h(act, np.int64(n + 13)), c[_H]),
            _h(_h(act, np.int64(n + 14)), c[_HT]),
            _h(_h(act, np.int64(n + 15)), c[_RT1]),
            _h(_h(act, np.int64(n + 16)), c[_LT1]),
            _h(_h(act, np.int64(n + 17)), c[_AFTER]),
            _h(_h(act, np.int64(n + 18)), c[_V]),
            _h(_h(act, np.int64(n + 19)), c[_ST]),
            _h(_h(act, np.int64(n + 20)), c[_AUXW]),
            _h(_h(act, np.int64(n + 21)), c[_DETW]),
            _h(_h(kind, np.int64(n + 22)), c[_FIRST]),
            _h(_h(act, np.int64(n + 23)), c[_S]),
            _h(_h(_h(act, np.int64(n + 24)), c[_ST]), c[_SDIST]),
        ):
            ids[i, n], values[i, n] = _slot(h, mask), 1.0
            n += 1
    return ids, values
