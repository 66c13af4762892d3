"""Kernels of the tokeniser: blocks and chunks of a text, what is known of each character, tokens from decisions.

A *chunk* is a run without blanks. A *block* is what no sentence leaves: a paragraph, a list item, a heading. Every
question about a character is asked within its block, so a text's neighbours never change its tokens.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.text._words_kernels import look_up
from onoma.text.characters import BLANK, CASED_LOWER, DIGIT, LETTER, LINE, MARK

__all__ = ["CHARACTER_COLUMNS", "cut_tokens", "describe_characters", "find_chunks", "kinds_beside"]

CHARACTER_COLUMNS = (
    "code", "kind", "chunk", "left", "right", "from_start", "to_end", "flags", "next", "before", "split",
)  # fmt: skip
"""What is known of a character: itself, its kind, hashes of its chunk and of the runs that end and begin at it, its
place in the chunk, signs of a URL or number, how the next chunk begins, how the last ended, and the decision on it."""
_START = np.uint32(2166136261)
_STEP = np.uint32(16777619)
_HYPHEN, _STAR, _BULLET, _HASH, _DOT, _PAREN, _COLON = 45, 42, 0x2022, 35, 46, 41, 58
_LONGEST = 10_000
"""Longer runs without blanks are cut: memory stays bounded whatever comes."""
_SHORT_LINE = 40
"""A line of at most so many characters, or of half the block's longest, may be a heading or an item of its own."""


@nb.njit("uint32(uint32, uint32)", cache=True, nogil=True, inline="always")
def _join(value: np.uint32, code: np.uint32) -> np.uint32:
    value = np.uint32((value ^ code) * _STEP)
    return np.uint32(value ^ (value >> np.uint32(15)))


@nb.njit(cache=True, nogil=True)
def _is_word(kind: int) -> bool:
    return CASED_LOWER <= kind <= LETTER or kind in (DIGIT, MARK)


@nb.njit(cache=True, nogil=True)
def find_chunks(
    codes: NDArray[np.uint32], classes: NDArray[np.uint8]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return where chunks start and end, and the first chunk of each block (and the end)."""
    n, n_chunks, size = len(codes), 0, 0
    for i in range(n):
        blank = classes[codes[i]] in (BLANK, LINE)
        size = 0 if blank or size == _LONGEST else size + 1
        if size == 1 or (not blank and size == 0):
            n_chunks += 1
            size = 1
    starts, ends = np.empty(n_chunks, np.int32), np.empty(n_chunks, np.int32)
    lines = np.zeros(n_chunks, np.int32)  # line ends before each chunk
    k, inside, n_lines = 0, False, 0
    for i in range(n):
        kind = classes[codes[i]]
        if kind in (BLANK, LINE):
            if inside:
                ends[k] = i
                k += 1
                inside = False
                n_lines = 0
            if kind == LINE and not (codes[i] == 10 and i > 0 and codes[i - 1] == 13):
                n_lines += 2 if codes[i] == 0x2029 else 1
        else:
            if inside and i - starts[k] == _LONGEST:
                ends[k] = i
                k += 1
                inside = False
                n_lines = 0
            if not inside:
                starts[k], lines[k] = i, n_lines
                inside = True
    if inside:
        ends[k] = n
    begins = np.zeros(n_chunks, np.bool_)
    first = 0
    for k in range(1, n_chunks + 1):
        if k == n_chunks or lines[k] > 1:
            if k > 0 and first < n_chunks:
                begins[first] = True
                _split_lines(codes, classes, starts, ends, lines, first, k, begins)
            first = k
    n_blocks = 0
    for k in range(n_chunks):
        n_blocks += begins[k]
    blocks = np.empty(n_blocks + 1, np.int32)
    b = 0
    for k in range(n_chunks):
        if begins[k]:
            blocks[b] = k
            b += 1
    blocks[b] = n_chunks
    return starts, ends, blocks


@nb.njit(cache=True, nogil=True)
def _split_lines(
    codes: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    lines: NDArray[np.int32],
    first: int,
    last: int,
    begins: NDArray[np.bool_],
) -> None:
    """Mark the lines of a paragraph that begin a block.

    Those are list items, and what follows a heading or a short item. Where at most of its line ends the next word would
    have stood on the line before, the paragraph was not filled to a width: each of its lines was ended on purpose
    (posts, messages, addresses).
    """
    longest, line, n_ends, n_loose = 0, first, 0, 0
    for k in range(first + 1, last + 1):
        if k == last or lines[k] > 0:
            longest = max(longest, ends[k - 1] - starts[line])
            line = k
    line = first
    for k in range(first + 1, last):
        if lines[k] > 0:
            n_ends += 1
            n_loose += ends[k - 1] - starts[line] + 1 + ends[k] - starts[k] <= longest
            line = k
    loose = 2 * n_loose > n_ends
    line = first
    for k in range(first + 1, last):
        if lines[k] == 0:
            continue
        width = ends[k - 1] - starts[line]
        final = codes[ends[k - 1] - 1]
        closed = final == _DOT or final == 33 or final == 63
        short = loose or width <= _SHORT_LINE or 2 * width < longest
        # A message may begin with its writer's name, which in small letters begins no sentence elsewhere.
        opens = classes[codes[starts[k]]] != CASED_LOWER or (loose and codes[ends[k] - 1] == _COLON)
        if (
            _is_item(codes, classes, starts[k], ends[k])
            or codes[starts[line]] == _HASH
            or (short and opens and (not closed) and final != 44 and final != _HYPHEN)
        ):
            begins[k] = True
        line = k


@nb.njit(cache=True, nogil=True)
def _is_item(codes: NDArray[np.uint32], classes: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether a line's first chunk marks an item (- * • 3. 3) #) or a heading."""
    if end - start == 1:
        code = codes[start]
        return code in (_HYPHEN, _STAR, _BULLET, _HASH, 0x2013)
    if codes[start] == _HASH:
        k = start
        while k < end and codes[k] == _HASH:
            k += 1
        return k == end
    if end - start > 4 or (codes[end - 1] != _DOT and codes[end - 1] != _PAREN):
        return False
    n_digits = 0
    for k in range(start, end - 1):
        n_digits += classes[codes[k]] == DIGIT
    return n_digits == end - 1 - start


@nb.njit(cache=True, nogil=True)
def kinds_beside(
    codes: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    blocks: NDArray[np.int32],
) -> NDArray[np.uint8]:
    """Return the kind of the last character of the chunk before, and of the first of the chunk after; 0 at an end."""
    out = np.zeros((len(starts), 2), np.uint8)
    for b in range(len(blocks) - 1):
        for chunk in range(blocks[b], blocks[b + 1]):
            if chunk > blocks[b]:
                out[chunk, 0] = classes[codes[ends[chunk - 1] - 1]]
            if chunk + 1 < blocks[b + 1]:
                out[chunk, 1] = classes[codes[starts[chunk + 1]]]
    return out


@nb.njit(cache=True, nogil=True)
def describe_characters(
    codes: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    lower: NDArray[np.uint32],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    beside: NDArray[np.uint8],
    base: int,
    table: NDArray[np.int32],
    keys: NDArray[np.uint32],
    cuts: NDArray[np.uint8],
    out: NDArray[np.uint32],
    asked: NDArray[np.bool_],
) -> None:
    """Fill a row for each character of the chunks (row 0 is character `base`), and mark where a token might end.

    `beside` is the kind of the character before and after each chunk within its block; `cuts` says after how many
    letters a run of letters is cut (*can|not*), by the run's hash.
    """
    for chunk in range(len(starts)):
        start, end = starts[chunk], ends[chunk]
        before, following = beside[chunk]
        whole, flags = _START, 0
        for i in range(start, end):
            code = codes[i]
            whole = _join(whole, np.uint32(48) if classes[code] == DIGIT else lower[code])
            if code == 64:
                flags |= 1
            elif code == 47:
                flags |= 2 if i + 1 < end and codes[i + 1] == 47 else 4
            elif code == _DOT and i + 1 < end:
                flags |= 8
            elif classes[code] == DIGIT:
                flags |= 16
            elif code == 119 and i + 2 < end and codes[i + 1] == 119 and codes[i + 2] == 119:
                flags |= 32
        i = start
        while i < end:
            i = _describe_run(
                codes,
                classes,
                lower,
                start,
                end,
                i,
                base,
                table,
                keys,
                cuts,
                whole,
                flags,
                following,
                before,
                out,
                asked,
            )


@nb.njit(cache=True, nogil=True)
def _describe_run(
    codes: NDArray[np.uint32],
    classes: NDArray[np.uint8],
    lower: NDArray[np.uint32],
    start: int,
    end: int,
    i: int,
    base: int,
    table: NDArray[np.int32],
    keys: NDArray[np.uint32],
    cuts: NDArray[np.uint8],
    whole: np.uint32,
    flags: int,
    following: int,
    before: int,
    out: NDArray[np.uint32],
    asked: NDArray[np.bool_],
) -> int:
    """Describe a run of letters, a run of digits or one sign; return where the next begins."""
    kind = classes[codes[i]]
    stop = i + 1
    if _is_word(kind):
        while stop < end and _is_word(classes[codes[stop]]) and (classes[codes[stop]] == DIGIT) == (kind == DIGIT):
            stop += 1
    else:
        while stop < end and classes[codes[stop]] == MARK:
            stop += 1
    right = _START
    for k in range(i, stop):
        right = _join(right, np.uint32(48) if kind == DIGIT else lower[codes[k]])
    left = _START
    for k in range(i, stop):
        code = codes[k]
        left = _join(left, np.uint32(48) if kind == DIGIT else lower[code])
        row = out[k - base]
        row[0], row[1], row[2], row[3] = lower[code], classes[code], whole, left
        row[4] = right if k == i else np.uint32(0)
        row[5], row[6] = min(k - start, 15), min(end - 1 - k, 3)
        row[7], row[8], row[9], row[10] = flags, following, before, 0
        # A number at a word's end belongs to it (user42); a word after a number may be cut off (10|am).
        asked[k - base] = k + 1 == stop and stop < end and not (_is_word(kind) and classes[codes[stop]] == DIGIT)
    found = look_up(table, keys, right)
    if found >= 0 and i + cuts[found] < stop:
        asked[i + cuts[found] - 1 - base] = True
    # do|n't: the n goes with what follows.
    if (
        stop + 1 < end
        and stop - i > 1
        and lower[codes[stop - 1]] == 110
        and (codes[stop] == 39 or codes[stop] == 0x2019)
        and lower[codes[stop + 1]] == 116
        and (stop + 2 == end or not _is_word(classes[codes[stop + 2]]))
    ):
        asked[stop - 2 - base] = True
    return stop


@nb.njit(cache=True, nogil=True)
def cut_tokens(
    starts: NDArray[np.int32], ends: NDArray[np.int32], base: int, split: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where the tokens of the chunks start and end."""
    n = 0
    for chunk in range(len(starts)):
        for i in range(starts[chunk], ends[chunk]):
            n += i + 1 == ends[chunk] or split[i - base] == 1
    token_starts, token_ends = np.empty(n, np.int32), np.empty(n, np.int32)
    k = 0
    for chunk in range(len(starts)):
        begin = starts[chunk]
        for i in range(starts[chunk], ends[chunk]):
            if i + 1 == ends[chunk] or split[i - base] == 1:
                token_starts[k], token_ends[k] = begin, i + 1
                begin = i + 1
                k += 1
    return token_starts, token_ends
