import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.learning.neural._tables_kernels import gather_rows, scatter_rows
from onoma.learning.neural._trees_kernels import best_tree
from onoma.learning.neural.adam import Adam
from onoma.learning.neural.gated import run_gated
from onoma.learning.neural.storage import ByteMatrix, ByteTable
from reference import learning_neural as slow

SENTENCES = np.array([0, 3, 4, 4, 9], np.int32)


def layer(rng, size=3, dtype=np.float64):
    n = int(SENTENCES[-1])
    shapes = (n, 2 * size), (2 * size, 6 * size), (4, size), (4, size)
    return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_layers(seed):
    x, weights, bias, peep = layer(np.random.default_rng(seed))
    u = x @ weights
    want = slow.gated_layer(SENTENCES.tolist(), u.tolist(), x.tolist(), bias.tolist(), peep.tolist())
    assert np.allclose(run_gated(SENTENCES, x, u, bias, peep).h, want)


def test_gradients_of_layers_are_those_of_small_differences():
    parts = layer(np.random.default_rng(1))
    wanted = np.random.default_rng(2).normal(size=parts[0].shape)

    def run():
        x, weights, bias, peep = parts
        return run_gated(SENTENCES, x, x @ weights, bias, peep)

    def loss():
        return float((run().h * wanted).sum())

    dx, dweights, dbias, dpeep = run().backward(parts[1], parts[3], wanted)
    for array, found in zip(parts, (dx, dweights, dbias, dpeep), strict=True):
        for at in np.ndindex(array.shape):
            kept = array[at]
            array[at] = kept + 1e-6
            above = loss()
            array[at] = kept - 1e-6
            assert found[at] == pytest.approx((above - loss()) / 2e-6, abs=1e-6, rel=1e-5)
            array[at] = kept


@given(st.integers(1, 150), st.integers(0, 100))
@settings(max_examples=20, deadline=None)
def test_a_row_of_a_product_does_not_know_the_others(n, seed):
    rng = np.random.default_rng(seed)
    rows, weights = rng.normal(size=(n, 256)).astype(np.float32), rng.normal(size=(256, 50)).astype(np.float32)
    matrix = ByteMatrix.of(weights, np.full(256, 6.0))
    whole = matrix.times(rows)
    assert np.abs(whole - rows @ weights).max() < 1.0  # of sums of a size of 16
    for k in (0, n // 2, n - 1):
        assert (matrix.times(rows[k : k + 1])[0] == whole[k]).all()
    assert (matrix.times(rows[::-1].copy())[::-1] == whole).all()
    again = ByteMatrix.load("m", matrix.stored("m"))
    assert (again.times(rows) == whole).all()


def test_products_are_exact_at_their_widest():
    largest = ByteMatrix.of(np.ones((256, 1), np.float32), np.ones(256))
    rows = np.ones((1, 256), np.float32)
    assert largest.times(rows)[0, 0] == np.float32(127 * 511 * 256) * largest.scales[0]
    rows[0, 0] = 510 / 511
    assert largest.times(rows)[0, 0] == np.float32(127 * (511 * 256 - 1)) * largest.scales[0]
    assert (largest.times(np.full((1, 256), 7.0, np.float32)) == largest.times(np.ones((1, 256), np.float32))).all()
    with pytest.raises(SettingsError, match="exact for up to 258"):
        ByteMatrix.of(np.ones((259, 1), np.float32), np.ones(259))


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_sums_of_rows_and_their_gradient(seed):
    rng = np.random.default_rng(seed)
    rows, kept = rng.integers(-1, 4, (5, 3)).astype(np.int32), rng.integers(0, 3, (5, 3)).astype(np.float64)
    table, given = rng.normal(size=(4, 2)), rng.normal(size=(5, 2))
    out, gradient, seen = np.zeros((5, 2)), np.zeros((4, 2)), np.zeros(4, np.bool_)
    gather_rows(rows, kept, table, out)
    scatter_rows(rows, kept, given, gradient, seen)
    assert np.allclose(out, slow.sums(rows.tolist(), kept.tolist(), table.tolist()))
    assert np.allclose(gradient, slow.scattered(rows.tolist(), kept.tolist(), given.tolist(), 4))
    assert seen.tolist() == [bool(((rows == k) & (kept > 0)).any()) for k in range(4)]


def test_steps_of_adam():
    gradients = [0.5, -0.1, 0.3]
    weights = {"all": np.array([1.0, 2.0], np.float32), "rows": np.ones((3, 1), np.float32)}
    adam, rows = Adam(weights, frozenset(["rows"]), clip=100.0), np.zeros((3, 1), np.float32)
    for g in gradients:
        rows[1] = g
        adam.step(0.1, {"all": np.array([g, 0.0], np.float32), "rows": rows}, {"rows": np.array([1])})
        assert not rows.any()
    assert weights["all"][0] == pytest.approx(slow.adam(1.0, gradients, 0.1, 0.9, 0.99), rel=1e-5)
    assert weights["rows"][1, 0] == pytest.approx(slow.adam(1.0, gradients, 0.1, 0.9, 0.99), rel=1e-5)
    assert weights["all"][1] == 2 and weights["rows"][[0, 2]].tolist() == [[1], [1]]


def test_long_gradients_are_shortened():
    long, short = ({"all": np.zeros(2, np.float32)} for _ in range(2))
    for arrays, scale in ((long, 50.0), (short, 1.0)):
        adam = Adam(arrays, clip=1.0)
        adam.step(0.1, {"all": np.array([0.6, 0.8], np.float32) * np.float32(scale)}, {})
        adam.step(0.1, {"all": np.array([0.1, 0.0], np.float32)}, {})
    assert np.allclose(long["all"], short["all"])


@given(st.integers(0, 10_000), st.integers(1, 5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_best_tree(seed, n, likes_roots):
    scores = np.random.default_rng(seed).normal(size=(n, n + 1)).astype(np.float32)
    scores[:, 0] += 5 * likes_roots
    heads = best_tree(scores)
    assert slow.is_tree(heads.tolist())
    assert sum(scores[i, heads[i]] for i in range(n)) == pytest.approx(slow.best_score(scores.tolist()), abs=1e-4)


def test_a_large_tree_of_many_circles_is_a_tree():
    scores = np.zeros((200, 201), np.float32)
    pairs = np.arange(200) ^ 1
    scores[np.arange(200), pairs + 1] = 9
    assert slow.is_tree(best_tree(scores).tolist())


def test_tables_of_bytes_are_near_and_survive():
    table = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)
    table[2] = 0
    kept = ByteTable.of(table)
    again = ByteTable.load("t", kept.stored("t"))
    rows = np.arange(6, dtype=np.int32)[:, None]
    assert np.abs(kept.sums(rows) - table).max() < 0.02 and (again.sums(rows) == kept.sums(rows)).all()
