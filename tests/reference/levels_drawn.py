"""Evidence whose truth is known: levels of pairs drawn from given shares, small enough to learn from in a moment."""

import numpy as np

from onoma.numerics.rng import stream
from onoma.resolve.comparison.weights import Evidence

COPIES = np.array([0.8, 0.15, 0.05])
STRANGERS = np.array([0.02, 0.08, 0.9])


def drawn_evidence(n=400, n_links=100, n_fields=6, *, seed=0, **more):
    """n records, the first 2·n_links of them in pairs; candidates are the true pairs and four others a record."""
    rng = stream(seed, "drawn evidence")
    true = np.arange(2 * n_links).reshape(-1, 2)
    others = rng.integers(0, n, (5 * n, 2))
    others = np.unique(np.sort(others[others[:, 0] // 2 != others[:, 1] // 2], axis=1), axis=0)
    pairs = np.concatenate([true, others])
    levels = np.concatenate(
        [
            rng.choice(3, (len(true), n_fields), p=COPIES),
            rng.choice(3, (len(others), n_fields), p=STRANGERS),
        ]
    ).astype(np.int8)
    background = rng.choice(3, (5_000, n_fields), p=STRANGERS).astype(np.int8)
    n_pairs = n * (n - 1) / 2
    evidence = Evidence(
        n=n,
        a=pairs[:, 0].astype(np.int32),
        b=pairs[:, 1].astype(np.int32),
        levels=levels,
        log_share=np.where(levels == 0, np.log(STRANGERS[0]), 0.0).astype(np.float32),
        n_levels=np.full(n_fields, 3),
        background=background,
        background_weight=np.full(len(background), (n_pairs - len(pairs)) / len(background)),
        n_pairs=n_pairs,
        names=np.arange(n_fields) < 2,
        identity=np.arange(n_fields) < 2,
        own=np.zeros(n_fields, dtype=np.bool_),
        words=np.ones(n_fields),
        **more,
    )
    labels = np.arange(n)
    labels[: 2 * n_links] //= 2
    labels[2 * n_links :] += n
    return evidence, labels
