"""Slow twin of `corpus/simulate/_noise_kernels.py`: Python bytes, the same random numbers in the same order."""

from onoma.numerics.rng import below, uniform


def edit(word, scanned, near, alike, rng_state):
    """One slip in a `bytes` word."""
    if not word:
        return word
    at = below(rng_state, len(word))
    before, byte, after = word[:at], word[at], word[at + 1 :]
    if byte >= 128:
        return word
    neighbours = [int(b) for b in near[byte] if b]
    read_as = bytes(b for b in alike[byte].tolist() if b)
    if uniform(rng_state) < scanned and read_as:
        return before + read_as + after
    kind = uniform(rng_state)
    if kind < 0.25 and len(word) > 1:
        return before + after
    if kind < 0.5 and after and after[0] < 128 and after[0] != byte:
        return before + after[:1] + bytes([byte]) + after[1:]
    if not neighbours:
        return word
    if kind < 0.7:
        extra = [*neighbours, byte][below(rng_state, len(neighbours) + 1)]
        return before + bytes([byte, extra]) + after
    return before + bytes([neighbours[below(rng_state, len(neighbours))]]) + after


def edit_strings(words, n_edits, scanned, near, alike, rng_state):
    """`n_edits[i]` slips in word i."""
    edited = []
    for word, times in zip(words, n_edits, strict=True):
        for _ in range(times):
            word = edit(word, scanned, near, alike, rng_state)
        edited.append(word)
    return edited
