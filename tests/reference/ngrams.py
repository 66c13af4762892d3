"""Interpolated modified Kneser–Ney from its definition, by dictionaries."""

from collections import Counter

BEGIN, END = "<s>", "</s>"


class Reference:
    def __init__(self, sentences, order):
        self.order = order
        self.grams = [Counter() for _ in range(order + 1)]
        for words in sentences:
            padded = (BEGIN, *words, END)
            for n in range(1, order + 1):
                for i in range(len(padded) - n + 1):
                    self.grams[n][padded[i : i + n]] += 1
        self.words = {gram[0] for gram in self.grams[1]} | {"<unk>"}
        self.adjusted = [None] + [self._adjust(n) for n in range(1, order + 1)]
        self.discounts = [None] + [self._discount(self.adjusted[n]) for n in range(1, order + 1)]

    def _adjust(self, n):
        if n == self.order:
            return dict(self.grams[n])
        before = Counter(gram[1:] for gram in self.grams[n + 1])
        return {g: c if g[0] == BEGIN else max(before[g], 1) for g, c in self.grams[n].items()}

    @staticmethod
    def _discount(counts):
        n1, n2, n3, n4 = (max(sum(c == k for c in counts.values()), 1) for k in (1, 2, 3, 4))
        y = n1 / (n1 + 2 * n2)
        raw = (1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
        return [0, *(min(max(value, low), 9 * low) for value, low in zip(raw, (0.1, 0.2, 0.3), strict=True))]

    def p(self, word, context):
        return self._p(tuple(context[-(self.order - 1) :] if self.order > 1 else ()), word)

    def _p(self, context, word):
        n = len(context) + 1
        counts, discounts = self.adjusted[n], self.discounts[n]
        follow = {g[-1]: c for g, c in counts.items() if g[:-1] == context and (n > 1 or g != (BEGIN,))}
        if not follow:
            return self._p(context[1:], word)
        total = sum(follow.values())
        spared = sum(discounts[min(c, 3)] for c in follow.values()) / total
        c = follow.get(word, 0)
        # Three marks (unknown, begin, end) belong to the vocabulary too.
        lower = self._p(context[1:], word) if context else 1 / len(self.words)
        return (c - discounts[min(c, 3)]) / total + spared * lower
