"""Dynamic alignment: lists are merged and ranked again; the kernels against slow twins."""

from dataclasses import replace

import numpy as np
import pytest

from coref.worlds import make_volta
from onoma.coref._dynamic_kernels import decode, knowledge_of_pairs
from onoma.coref.dynamic import DynamicModel, DynamicSettings, Scene, scene_of, train_dynamic
from onoma.coref.features import prepare
from onoma.coref.mentions import Span
from onoma.errors import SettingsError


def scene(n: int, lists: list[list[float]], match: list[list[int]], labels: list[int], seed: int = 0) -> Scene:
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, 50, (n * (n - 1) // 2, 3)).astype(np.int32)
    rows[:, 2] = 0
    single = np.array([0, 0, 1])
    return Scene(rows, single, np.zeros(n, np.int8), np.array(lists), np.array(match, np.int8), np.array(labels))


def washington() -> Scene:
    """Washington (D.C. first, the state second), Wash. (car wash first, the state second), Washington State."""
    lists = [[1.0, 0.5, 0.0], [0.0, 0.5, 1.0], [0.0, 1.0, 0.0]]
    match = [[1, 0, 0], [1, 1, 1], [0, 1, 0]]  # names of: D.C., the state, the car wash
    made = scene(3, lists, match, [0, 0, 0])
    made.rows[:] = 0
    return made


def test_merging_brings_up_the_entry_that_both_may_mean() -> None:
    """The example of the paper: only with merged lists is the third mention known by the top entry of the first two."""
    here = washington()
    merged, known = np.zeros(3, np.int64), np.zeros(3, np.int8)
    knowledge_of_pairs(here.labels, here.lists, here.match, True, merged, known)
    assert known.tolist() == [0, 1, 1]  # (0,1): D.C. is not called Wash.; then the state is on top
    assert merged.tolist() == [-1, 2, -1]  # the pair (0, 2) has (1, 2) merged in
    knowledge_of_pairs(here.labels, here.lists, here.match, False, merged, known)
    assert known.tolist() == [0, 0, 0]


def slow_decode(here: Scene, mode: int, weights: np.ndarray, threshold: float) -> list[int]:
    """Do it in the words of the paper: a list of candidates for each group, counted anew each time."""
    n, half = len(here), len(weights) // 2
    groups: list[set[int]] = []

    def group_of(i: int) -> set[int]:
        return next(group for group in groups if i in group)

    def top(i: int) -> int | None:
        owners = sorted(group_of(i)) if mode == 2 else [i]
        occurs = {c: sum(here.lists[m, c] > 0 for m in owners) for c in range(here.lists.shape[1])}
        best = {c: max(here.lists[m, c] for m in owners) for c in occurs}
        some = [c for c in occurs if occurs[c]]
        return max(some, key=lambda c: (occurs[c], best[c], -c)) if some and mode else None

    def score(i: int, j: int) -> float:
        own = here.rows[j * (j - 1) // 2 + i]
        total = float(weights[own].sum())
        t = top(i)
        if t is not None and here.match[t, j]:
            total += float(weights[half + own].sum())
        between = [q for q in range(i + 1, j) if q in group_of(i) and not (here.pronoun[q] and not here.pronoun[j])]
        if between:
            other = here.rows[j * (j - 1) // 2 + max(between)]
            total += sum(
                float(weights[b]) for a, b, one in zip(own, other, here.single, strict=True) if a != b and not one
            )
        return total

    for j in range(n):
        allowed = [i for i in range(j) if here.pronoun[j] or not here.pronoun[i]]
        scored = [(score(i, j), -i) for i in allowed]
        best = max(scored, default=(-np.inf, 0))
        if best[0] > threshold:
            group_of(-best[1]).add(j)
        else:
            groups.append({j})
    return [min(group_of(j)) for j in range(n)]


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_decoding_agrees_with_its_slow_twin(mode: int) -> None:
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n, c = 7, 4
        lists = rng.random((n, c)) * (rng.random((n, c)) < 0.4)
        made = scene(n, lists.tolist(), (rng.random((c, n)) < 0.4).astype(int).tolist(), [0] * n, seed)
        here = Scene(made.rows, made.single, (rng.random(n) < 0.3).astype(np.int8), made.lists, made.match)
        weights = rng.normal(size=128)
        labels = np.zeros(n, np.int64)
        decode(here.rows, here.single, here.pronoun, here.lists, here.match, mode, weights, 0.3, labels)
        assert labels.tolist() == slow_decode(here, mode, weights, 0.3)


def test_learning_separates_what_can_be_separated() -> None:
    scenes = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = 8
        labels = rng.integers(0, 3, n)
        rows = np.array([[1 if labels[i] == labels[j] else 2, 5, 0] for j in range(n) for i in range(j)], np.int32)
        single = np.array([0, 0, 1])
        scenes.append(Scene(rows, single, np.zeros(n, np.int8), np.zeros((n, 1)), np.zeros((1, n), np.int8), labels))
    model = train_dynamic(scenes[:8], DynamicSettings("none"))
    for here in scenes[8:]:
        found = model.resolve(here)
        truth = here.labels
        assert ((found[:, None] == found) == (truth[:, None] == truth)).all()
    assert isinstance(model, DynamicModel)


def test_a_mode_is_one_of_three() -> None:
    with pytest.raises(SettingsError, match="there is no mode"):
        DynamicSettings("frozen")


def test_initials_are_a_feature_of_a_pair() -> None:
    """*VM* is short for *Volta Motors*: with another name in its place the features of that pair differ by that."""
    document = make_volta()
    spans = [Span(0, 2, 1), Span(10, 11, 10), Span(17, 18, 17)]
    other = replace(document, words=[*document.words[:17], "XY", *document.words[18:]])
    rows = [scene_of(prepare(one, spans, {}), [[]] * 3, [], [""] * 3).rows for one in (document, other)]
    assert (rows[0][0] == rows[1][0]).all()  # Volta with Volta Motors: the same
    assert (rows[0][1] != rows[1][1]).any()
