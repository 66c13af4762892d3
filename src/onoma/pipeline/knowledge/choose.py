"""How strongly to regularise a factorisation of few facts: as serves held-out facts best.

A factorisation of a large knowledge base does well with one strength for all (`PLENTY`). The same strength leaves
nothing of a small one: numbers are kept small against the sum over its facts, and there are few.
"""

from collections.abc import Callable

from onoma.evaluate.ranking import Scorer, link_prediction
from onoma.knowledge.facts import Facts

__all__ = ["CHOICES", "FEW", "PLENTY", "choose_regularisation"]

PLENTY = 5.0
"""What is best, or nearly, on every larger knowledge base tried."""
FEW = 10_000
"""Facts up to which the strength is chosen."""
CHOICES = (0.1, 0.3, 1.0, 2.0, 5.0, 10.0)
"""The strengths tried."""
_ASIDE, _LEAST, _MOST = 0.1, 10, 500
"""The share held out; at least and at most so many facts, if there are."""


def choose_regularisation(facts: Facts, learn: Callable[[Facts, float], Scorer], seed: int) -> tuple[float, str]:
    """Return the strength with the best filtered mean reciprocal rank on held-out facts, and a note on it.

    Parameters
    ----------
    facts
        What is known.
    learn
        Learns from facts with a strength.
    seed
        Of the held-out facts.
    """
    if len(facts) > FEW:
        return PLENTY, ""
    wanted = min(max(_ASIDE * len(facts), _LEAST), _MOST, len(facts) / 2)
    rest, aside = facts.split(wanted / len(facts), seed)
    if not len(aside):
        return CHOICES[0], f"regularisation {CHOICES[0]:g}: there are too few facts to choose it by"
    found = []
    for strength in CHOICES:
        model = learn(rest, strength)
        ranks = link_prediction(model, aside.triples.columns, rest.triples.columns, n_entities=len(facts.entities))
        found.append((ranks.mrr, strength))
    best = max(found, key=lambda each: each[0])[1]
    tried = ", ".join(f"{strength:g}" for strength in CHOICES)
    n_aside = f"{len(aside):,} {'fact' if len(aside) == 1 else 'facts'}"
    return best, f"regularisation {best:g}: the best of {tried} on {n_aside} held out"
