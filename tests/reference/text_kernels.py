"""Slow twins of the text kernels, written from their definitions on plain Python values."""

import re

MASK32, MASK64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


def fnv(codes):
    value = 2166136261
    for code in codes:
        value = ((value ^ code) * 16777619) & MASK32
        value ^= value >> 15
    return value


def small(word):
    return [ord("0") if c.isdecimal() else ord(c.lower()) if len(c.lower()) == 1 else ord(c) for c in word]


def word_row(word, first):
    """The first twelve columns of a token."""
    own = [ord("0") if c.isdecimal() else ord(c) for c in word]
    low = small(word)
    row = [fnv(own), fnv(low)]
    row += [fnv(low[::-1][:k]) if len(word) >= k else 0 for k in (1, 2, 3, 4)]
    row += [fnv(low[:k]) if len(word) >= k else 0 for k in (1, 2, 3, 4)]
    kinds = {"d": 3, "l": 4, "u": 5}
    shape, last, run = [], None, 0
    for c in word:
        kind = "d" if c.isdecimal() else "u" if c.isupper() else "l" if c.islower() else "s"
        run = run + 1 if kind == last else 1
        last = kind
        if run <= 2:
            shape.append(kinds.get(kind, ord(c)))
    upper, lower = sum(c.isupper() for c in word), sum(c.islower() for c in word)
    flags = word[0].isupper() + 2 * (upper > 1 and not lower) + 4 * any(c.isdecimal() for c in word)
    flags += 8 * any(not c.isalnum() for c in word) + 16 * (lower > 0) + 32 * (upper > 0 and not word[0].isupper())
    return [*row, fnv(shape), flags + 64 * first]


def mix(value, part):
    value = ((value ^ part) * 0x9E3779B97F4A7C15) & MASK64
    return value ^ (value >> 29)


def feature_key(column, value):
    """The column and its value, mixed by the last steps of SplitMix64."""
    x = value | (column + 1) << 32
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return (x ^ x >> 31) & MASK32


def slot(parts, number, n_bits):
    value = ((number + 1) * 0xD6E8FEB86659FD93) & MASK64
    for part in parts:
        value = mix(value, part)
    return value >> (64 - n_bits)


def window_parts(rows, begin, end, i, template):
    """What one template of (column, offset) pairs sees at token i."""
    parts = []
    for column, offset in template:
        k = i + offset
        parts.append(2**32 + begin - k if k < begin else 2 * 2**32 + k - end if k >= end else rows[k][column])
    return parts


def predict(rows, sentences, column, templates, n_bits, weights):
    """Greedy left to right; `weights` maps slots to lists of weights."""
    rows = [list(row) for row in rows]
    out = []
    for begin, end in zip(sentences, sentences[1:], strict=False):
        for i in range(begin, end):
            n_classes = len(next(iter(weights.values())))
            scores = [0] * n_classes
            for number, template in enumerate(templates):
                found = weights.get(slot(window_parts(rows, begin, end, i, template), number, n_bits))
                if found is not None:
                    scores = [a + b for a, b in zip(scores, found, strict=False)]
            best = scores.index(max(scores))
            out.append(best)
            rows[i][column] = best + 1
    return out


def blocks(text):
    """Paragraphs of a text: what empty lines part, each as its (start, end)."""
    found, start = [], 0
    for match in re.finditer(r"[^\S\n]*\n[^\S\n]*\n\s*", text):
        found.append((start, match.start()))
        start = match.end()
    found.append((start, len(text)))
    return [(a, b) for a, b in found if text[a:b].strip()]


def neighbours(tokens, n_words, n_contexts, n_far):
    """Counts of (word, column) by looking both ways from every token."""
    counts = {}
    for i, word in enumerate(tokens):
        if not 0 <= word < n_words:
            continue
        for step, base, size in ((-1, 0, n_contexts), (1, n_contexts, n_contexts)):
            near = tokens[i + step] if 0 <= i + step < len(tokens) else -1
            if 0 <= near < size:
                counts[word, base + near] = counts.get((word, base + near), 0) + 1
            far = tokens[i + 2 * step] if near >= 0 and 0 <= i + 2 * step < len(tokens) else -1
            if 0 <= far < n_far:
                column = 2 * n_contexts + (n_far if step > 0 else 0) + far
                counts[word, column] = counts.get((word, column), 0) + 1
    return counts


def phrases(heads, roles, nominal, loose):
    """Noun phrases of one sentence as {(start, end, head): kinds}, from whole sets of tokens.

    Roles are names: post out pre name conjunct apposition predicate adverb relative possessive.
    """
    n = len(heads)
    children = {k: [i for i in range(n) if heads[i] == k] for k in range(-1, n)}

    def below(k):
        return {k}.union(*(below(i) for i in children[k]))

    def hull(tokens, head):
        start, end = min(tokens), max(tokens) + 1
        while start < head and loose[start]:
            start += 1
        while end - 1 > head and loose[end - 1]:
            end -= 1
        return start, end

    out = {}
    for h in (k for k in range(n) if nominal[k]):
        predicate = any(roles[i] == "predicate" for i in children[h])
        inside = [i for i in children[h] if roles[i] not in ("out", "predicate", "conjunct", "possessive")]
        inside = [i for i in inside if roles[i] != "adverb" or (not predicate and i < h)]
        plain = [i for i in inside if roles[i] not in ("relative", "apposition")]
        base = [i for i in inside if roles[i] == "name" or (i < h and roles[i] in ("pre", "adverb"))]
        whole = {h}.union(*(below(i) for i in inside))
        for kind, kept in ((1, base), (8, plain), (2, inside)):
            start, end = hull({h}.union(*(below(i) for i in kept)), h)
            out[start, end, h] = out.get((start, end, h), 0) | kind
        possessive = [i for i in children[h] if roles[i] == "possessive"]
        if possessive and possessive[-1] == end:
            out[start, end + 1, h] = out.get((start, end + 1, h), 0) | 2
        conjuncts = [i for i in children[h] if i > h and roles[i] == "conjunct"]
        if conjuncts:
            start, end = hull(whole | below(conjuncts[-1]), h)
            out[start, end, h] = out.get((start, end, h), 0) | 4
    return out
