import numpy as np

from onoma.correct.calibration import fit_calibration
from onoma.learning.hashed import softmax_groups


def places(rng, n, scale, shift):
    """Places of two edits each, of two types, whose true odds are scale · score + shift of their types."""
    scores = np.zeros(3 * n)
    types = np.tile([-1, 0, 4], n)
    scores[types >= 0] = rng.normal(-1, 2, 2 * n)
    groups = np.arange(0, 3 * n + 1, 3)
    p = softmax_groups(np.where(types >= 0, scale[types] * scores + shift[types], 0.0), groups).reshape(n, 3)
    chosen = groups[:-1] + (rng.random(n)[:, None] > np.cumsum(p, 1)).sum(1)
    return scores, types, groups, chosen


def test_scales_and_shifts_that_made_the_answers_are_found():
    rng = np.random.default_rng(3)
    scale, shift = np.ones(19), np.zeros(19)
    scale[[0, 4]], shift[[0, 4]] = [0.5, 2.0], [-1.0, 1.0]
    found = fit_calibration(*places(rng, 20_000, scale, shift))
    np.testing.assert_allclose(found.scale[[0, 4]], [0.5, 2.0], rtol=0.1)
    np.testing.assert_allclose(found.shift[[0, 4]], [-1.0, 1.0], atol=0.15)


def test_a_type_never_seen_has_the_common_line():
    rng = np.random.default_rng(4)
    scale, shift = np.full(19, 0.7), np.full(19, -0.5)
    found = fit_calibration(*places(rng, 20_000, scale, shift))
    assert abs(found.scale[7] - 0.7) < 0.1
    assert abs(found.shift[7] + 0.5) < 0.15
