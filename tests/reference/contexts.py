"""Slow twins of the kernels of `correct`."""

import math

import numpy as np

__all__ = ["NATIVE", "averaged_perceptron", "edit_score", "softmax_loss", "tags_of"]

NATIVE = [
    "the cat sat on the mat .",
    "the cats sat on the mat .",
    "she has two cats .",
    "he goes to school every day .",
    "they go to school every day .",
    "we received the information .",
    "a dog barks at the cat .",
    "an apple is on the table .",
]
TAGS = {
    "the": "DT", "a": "DT", "an": "DT", "cat": "NN", "cats": "NNS", "dog": "NN", "mat": "NN", "sat": "VBD", "on": "IN",
    "she": "PRP", "he": "PRP", "they": "PRP", "we": "PRP", "has": "VBZ", "have": "VBP", "two": "CD", "goes": "VBZ",
    "go": "VBP", "to": "TO", "school": "NN", "every": "DT", "day": "NN", "received": "VBD", "information": "NN",
    "barks": "VBZ", "bark": "VBP", "at": "IN", "apple": "NN", "is": "VBZ", "table": "NN", ".": ".", ",": ",",
}  # fmt: skip


def tags_of(words):
    return [TAGS.get(word.lower(), "NN") for word in words]


def edit_score(ngrams, words, start, end, put):
    """log10 p of a sentence with an edit, less without: by the whole sentences."""
    after = [*words[:start], *put, *words[end:]]
    return ngrams.log_p(after) - ngrams.log_p(words)


def softmax_loss(groups, rows, chosen, weights):
    """−log p of the chosen rows, from the definition; a row is a list of (feature, value)."""
    loss = 0.0
    for (first, last), right in zip(groups, chosen, strict=True):
        scores = [sum(value * weights[f] for f, value in rows[r]) for r in range(first, last)]
        top = max(scores)
        loss -= scores[right - first] - top - math.log(sum(math.exp(s - top) for s in scores))
    return loss


def averaged_perceptron(X, groups, chosen, counts, orders):
    """The mean of the weights after every group that counts, kept one by one."""
    w = np.zeros(X.shape[1])
    kept = []
    for order in orders:
        for g in order:
            if counts[g]:
                first, last = groups[g], groups[g + 1]
                best = first + int(np.argmax(X[first:last] @ w))
                if best != chosen[g]:
                    w = w + counts[g] * (X[chosen[g]] - X[best])
                kept.append(w)
    return np.mean(kept, axis=0)
