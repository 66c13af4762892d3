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


def projective(heads):
    """Whether no two arcs cross and none passes over the root."""
    arcs = [(min(i, h), max(i, h)) for i, h in enumerate(heads) if h >= 0]
    root = heads.index(-1)
    crossing = any(a < c < b < d for a, b in arcs for c, d in arcs)
    return not crossing and not any(a < root < b for a, b in arcs)


class State:
    """A parser's state as plain lists: stack, heads, labels, children in the order they came."""

    def __init__(self, n):
        self.n, self.stack, self.place = n, [-1], 0
        self.left, self.right = {k: [] for k in range(-1, n)}, {k: [] for k in range(-1, n)}
        self.heads, self.labels, self.score = [None] * n, [None] * n, 0.0

    def copy(self):
        other = State(self.n)
        other.stack, other.place, other.score = list(self.stack), self.place, self.score
        other.left, other.right = ({k: list(v) for k, v in side.items()} for side in (self.left, self.right))
        other.heads, other.labels = list(self.heads), list(self.labels)
        return other

    def allowed(self):
        found = []
        if self.place < self.n:
            found.append(0)
        if len(self.stack) > 1:
            if self.place < self.n:
                found.append(1)
            if len(self.stack) > 2 or self.place == self.n:
                found.append(2)
        return found

    def head_of(self, action):
        return self.place if action == 1 else self.stack[-2]

    def apply(self, action, label):
        if action == 0:
            self.stack.append(self.place)
            self.place += 1
            return
        head, child = self.head_of(action), self.stack.pop()
        (self.left if action == 1 else self.right)[head].append(child)
        self.heads[child], self.labels[child] = head, label

    def atoms(self, words):
        """All atoms by name but those of a new arc."""
        nothing, root = [0xFFFFFFF0] * 5, [0xFFFFFFF1] * 5
        n = self.n

        def values(k):
            return nothing if k is None or not -1 <= k < n else root if k == -1 else words[k]

        def nth(side, token, k):
            children = side[token] if token is not None else []
            return children[-k] if len(children) >= k else None

        s0, s1, s2 = (self.stack[-k] if len(self.stack) >= k else None for k in (1, 2, 3))
        b0 = self.place if self.place < n else None
        slots = {"s0": s0, "s1": s1, "s2": s2, "b0": b0}
        slots |= {f"b{k}": self.place + k if self.place + k < n else None for k in (1, 2, 3)}
        for name, token in (("s0", s0), ("s1", s1), ("b0", b0)):
            slots[f"{name}l"], slots[f"{name}L"] = nth(self.left, token, 1), nth(self.left, token, 2)
            slots[f"{name}r"], slots[f"{name}R"] = nth(self.right, token, 1), nth(self.right, token, 2)
        out = {name + "wtcmk"[v]: values(token)[v] for name, token in slots.items() for v in range(5)}
        for name in list(slots):
            token = slots[name]
            if len(name) == 3:
                out[name + "d"] = 0 if token is None else self.labels[token] + 1
        for name, token in (("s0", s0), ("s1", s1), ("b0", b0)):
            out[name + "vl"] = min(len(self.left[token]), 7) if token is not None else 0
            out[name + "vr"] = min(len(self.right[token]), 7) if token is not None else 0
        out["dist"] = length(b0 - s0) if b0 is not None and s0 >= 0 else 0
        out["dist1"] = length(s0 - s1) if s1 is not None and s1 >= 0 else 0
        return out

    def arc_atoms(self, words, action):
        out = self.atoms(words)
        head, child, n = self.head_of(action), self.stack[-1], self.n
        for name, token in (("h", head), ("p", child - 1 if child > 0 else None), ("n", child + 1)):
            known = token is not None and token < n
            values = [0xFFFFFFF0] * 5 if not known else [0xFFFFFFF1] * 5 if token == -1 else words[token]
            out |= {name + "wtcmk"[v]: values[v] for v in range(5)}
        left, right = self.left[head], self.right[head]
        out["hld"] = self.labels[left[-1]] + 1 if left else 0
        out["hrd"] = self.labels[right[-1]] + 1 if right else 0
        out["hvl"], out["hvr"] = min(len(left), 7), min(len(right), 7)
        out["hdist"], out["dir"] = length(abs(head - child)) if head >= 0 else 0, action
        return out


def length(distance):
    return next((k for k, top in ((6, 7), (7, 10), (8, 15)) if 5 < distance <= top), 9 if distance > 15 else distance)


def beam_parse(words, beam, slack, templates, n_bits, weights, label_templates, label_weights, root):
    """Search with whole states copied; templates are lists of atom names."""
    items = [State(len(words))]
    for _ in range(2 * len(words)):
        found = []
        for rank, state in enumerate(items):
            atoms = state.atoms(words)
            slots = [slot([atoms[a] for a in names], k, n_bits) for k, names in enumerate(templates)]
            for action in state.allowed():
                total = state.score + sum(int(weights[s][action]) for s in slots)
                found.append((-total, rank, action, state, total))
        found.sort(key=lambda item: item[:3])
        items = []
        for _, _, action, state, total in found[:beam]:
            if total < found[0][4] - slack:
                continue
            after, label = state.copy(), None
            if action:
                label = root
                if state.head_of(action) >= 0:
                    atoms = state.arc_atoms(words, action)
                    scores = [0] * len(next(iter(label_weights.values())))
                    for k, names in enumerate(label_templates):
                        row = label_weights.get(slot([atoms[a] for a in names], k, n_bits))
                        scores = scores if row is None else [a + int(b) for a, b in zip(scores, row, strict=False)]
                    label = max((k for k in range(len(scores)) if k != root), key=lambda k: (scores[k], -k))
            after.apply(action, label)
            after.score = total
            items.append(after)
    return items[0].heads, items[0].labels


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
