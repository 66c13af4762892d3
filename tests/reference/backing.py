"""`onoma.knowledge.backing` by loops over all facts, straight from its formulas."""

import numpy as np

KAPPA, ALPHA, BETA, KAPPA_PAIRS = 10.0, 0.01, 0.1, 1.0


def rows(facts):
    return list(zip(*(column.tolist() for column in facts.triples.columns), facts.probability.tolist(), strict=True))


def prior_object(facts, fit, s, k, o):
    """P_k(o | s); swap subjects and objects of the facts for P_k(s | o)."""
    here = [row for row in rows(facts) if row[1] == k]
    block = fit.block.tolist()
    n = sum(x for *_, x in here)
    n_b = sum(x for i, _, _, x in here if block[i] == block[s])
    n_c = sum(x for _, _, j, x in here if block[j] == block[o])
    n_bc = sum(x for i, _, j, x in here if block[i] == block[s] and block[j] == block[o])
    kind = (n_bc + KAPPA * (n_c / n if n else 0.0)) / (n_b + KAPPA)

    def smooth(j):
        return ALPHA * (sum(int(i == j) + int(other == j) for i, _, other, _ in rows(facts)) + BETA)

    whole = sum(smooth(j) for j in range(len(block)) if block[j] == block[o]) + n_c
    return kind * (sum(x for _, _, j, x in here if j == o) + smooth(o)) / whole


def pair(facts, s, k, o):
    """The probability of a fact by the other relations between s and o, either way round."""
    m = len(facts.relations)
    holds = {}
    for i, j, other, x in rows(facts):
        for cell in (((i, other), j), ((other, i), j + m)):
            holds.setdefault(cell[0], {})[cell[1]] = x
    spared = 1.0
    for j, x in holds.get((s, o), {}).items():
        if j != k:
            total = sum(cells[j] ** 2 for cells in holds.values() if j in cells)
            both = sum(cells[j] * cells[k] for cells in holds.values() if j in cells and k in cells)
            spared *= 1.0 - x * both / (total + KAPPA_PAIRS)
    return 1.0 - spared


def every(size):
    return [np.array(codes) for codes in zip(*np.ndindex(size), strict=True)]
