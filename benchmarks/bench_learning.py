"""Learning: features, maximum entropy, perceptron, beside scikit-learn (and its liblinear) and NLTK.

Maximum entropy is measured as the processor time until the objective is within 1 % of its optimum, on the same matrix,
in the same run, one thread each. A peer that offers no trace is run with growing iteration limits and the first run
that arrives counts; a peer that took four times as long as we did and has not arrived is given up, and the ratio is
then a lower bound (said in the name).
liblinear has no multinomial model: it is compared one class against the rest, to its own default tolerance, and on a
two-class task, where its objective is ours. NLTK has no penalty: it is compared on the same number of steps, and on the
time until our log-likelihood is as good as its last.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from benchmarks import measure
from benchmarks.measure import Measurement
from onoma.learning.features import FeatureHasher, FeatureIndex
from onoma.learning.inputs import coded
from onoma.learning.objective import Penalty
from onoma.learning.perceptron import Perceptron
from onoma.learning.product_problem import ProductProblem
from onoma.learning.solvers import Plan, solve
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies import _tagging as tagging

# Everything runs in one thread: processor time is not disturbed by what else the machine does.
seconds = partial(measure.seconds, clock=time.process_time)
VARIANCE = 10.0
LEVEL = 1.01
PATIENCE = 4.0


def run(*, quick: bool) -> Iterator[Measurement]:
    context = Context()
    brown = tagging.read_brown(context.file("text/nltk/brown.zip"))
    chunks = tagging.read_chunks(context.file("text/nltk/conll2000.zip"), "train")
    yield from _features(brown, 20_000 if quick else len(brown.words))
    yield from _maxent("CoNLL-2000 chunking", chunks, 40 if quick else len(chunks.lengths), tagging.chunk_columns)
    yield from _maxent("Brown tagging", brown, 40 if quick else 3000, tagging.tag_columns)
    yield from _liblinear(chunks, 40 if quick else len(chunks.lengths))
    yield from _nltk_maxent(chunks, 8 if quick else 100)
    yield from _perceptron(brown, 500 if quick else len(brown.lengths), 50 if quick else 1000)


def _features(brown: tagging.Sentences, n: int) -> Iterator[Measurement]:
    from sklearn.feature_extraction import FeatureHasher as Peer

    words = pa.array(brown.words[:n])
    columns = {"word": words, "suffix": pa.array([word[-3:] for word in brown.words[:n]])}
    rows = [[f"word={word}", f"suffix={word[-3:]}"] for word in brown.words[:n]]
    peer = 2 * n / seconds(lambda: Peer(2**20, input_type="string").transform(rows), repeat=1)
    data = f"{2 * n:,} strings"
    for name, work in (
        ("strings to ids, dictionary", lambda: FeatureIndex().fit_transform(columns)),
        ("strings to ids, hashed", lambda: FeatureHasher(n_bits=20).transform(columns)),
    ):
        ours = 2 * n / seconds(work)
        yield Measurement(name, ours, peer, ours / peer, "strings/s", data, peer_name="scikit-learn FeatureHasher")


def _matrix(
    sentences: tagging.Sentences, n: int, columns: Callable[..., dict[str, tagging.Column]]
) -> tuple[sp.csr_array, np.ndarray, list[str]]:
    some = sentences.first(n)
    tags = sorted(set(some.tags))
    X = FeatureIndex(min_count=2).fit_transform(columns(some, with_tags=True))
    return X, coded(some.tags, tags), tags


def _optimum(problem: ProductProblem) -> float:
    """Return the optimum: coordinate descent first, quasi-Newton last."""
    near = solve(problem, Penalty(VARIANCE), Plan(tolerance=1e-3, max_iterations=60))
    plan = Plan(solver="lbfgs", tolerance=1e-3, max_iterations=400)
    return solve(problem, Penalty(VARIANCE), plan, start=near.weights).trace[-1].objective


def _maxent(
    name: str, sentences: tagging.Sentences, n: int, columns: Callable[..., dict[str, tagging.Column]]
) -> Iterator[Measurement]:
    from sklearn.linear_model import LogisticRegression

    X, y, tags = _matrix(sentences, n, columns)
    problem = ProductProblem(X, y, len(tags))
    goal = LEVEL * _optimum(problem)
    data = f"{name}: {X.shape[0]:,} samples, {X.shape[1]:,} features, {len(tags)} classes, {X.nnz:,} values"

    def ours(plan: Plan) -> float:
        return solve(problem, Penalty(VARIANCE), plan).trace[-1].seconds

    ours(Plan(max_iterations=1))
    cd = min(ours(Plan(target=goal, tolerance=0.0, max_iterations=2000)) for _ in range(2))
    half = ours(Plan(target=goal, tolerance=0.0, max_iterations=2000, store="float32"))
    yield Measurement("maxent cd, scores in float32, to 1 %", cd, half, half / cd, "s", data, peer_name="float32")
    for solver, limits in (
        ("lbfgs", (50, 100, 150, 200, 300, 400)),
        ("newton-cg", (3, 5, 7, 10, 15, 20)),
        ("saga", (10, 20, 40, 80, 160)),
    ):
        peer, arrived = _until(
            goal,
            PATIENCE * cd,
            limits,
            lambda k, solver=solver: LogisticRegression(
                C=VARIANCE, solver=solver, fit_intercept=False, tol=1e-12, max_iter=k, random_state=0
            ).fit(X, y),
            lambda model: _objective(problem, model.coef_),
        )
        label = "maxent cd, to 1 %" if arrived else "maxent cd, to 1 % (peer gave up: lower bound)"
        yield Measurement(label, cd, peer, peer / cd, "s", data, peer_name=f"scikit-learn {solver}")


def _objective(problem: ProductProblem, coefficients: np.ndarray) -> float:
    w = np.ascontiguousarray(coefficients.T).ravel()
    return problem.evaluate(w)[0] - float(w @ problem.observed) + Penalty(VARIANCE).value(w)


def _until(
    goal: float,
    patience: float,
    limits: tuple[int, ...],
    fit: Callable[[int], object],
    objective: Callable[..., float],
) -> tuple[float, bool]:
    """Fit with growing limits; return the time of the first fit that arrives, or of the last, and whether it did."""
    taken = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for limit in limits:
            start = time.process_time()
            model = fit(limit)
            taken = time.process_time() - start
            if objective(model) <= goal:
                return taken, True
            if taken > patience:
                break
    return taken, False


def _liblinear(chunks: tagging.Sentences, n: int) -> Iterator[Measurement]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    X, y, tags = _matrix(chunks, n, tagging.chunk_columns)
    data = f"CoNLL-2000 chunking: {X.shape[0]:,} samples, {X.shape[1]:,} features, {len(tags)} classes"
    problem = ProductProblem(X, y, len(tags))
    goal = LEVEL * _optimum(problem)
    cd = solve(problem, Penalty(VARIANCE), Plan(target=goal, tolerance=0.0, max_iterations=2000)).trace[-1].seconds
    one = LogisticRegression(C=VARIANCE, solver="liblinear", fit_intercept=False)
    peer = seconds(lambda: OneVsRestClassifier(one).fit(X, y), repeat=1, warm=False)
    name = "maxent cd, to 1 %, beside one class against the rest"
    yield Measurement(name, cd, peer, peer / cd, "s", data, peer_name="liblinear (scikit-learn)")
    two = (y == tags.index("B-NP")).astype(np.int64)
    problem = ProductProblem(X, two, 2)
    goal = LEVEL * _optimum(problem)
    cd = solve(problem, Penalty(VARIANCE), Plan(target=goal, tolerance=0.0, max_iterations=2000)).trace[-1].seconds
    # With w = w_1 - w_0 and w_0 = -w_1 the two penalties are equal when C is twice the variance.
    peer, arrived = _until(
        goal,
        np.inf,
        (1, 2, 3, 5, 10, 20, 40),
        lambda k: LogisticRegression(
            C=2 * VARIANCE, solver="liblinear", fit_intercept=False, tol=1e-12, max_iter=k
        ).fit(X, two),
        lambda model: _objective(problem, np.vstack([-model.coef_ / 2, model.coef_ / 2])),
    )
    data = f"CoNLL-2000, B-NP or not: {X.shape[0]:,} samples, {X.shape[1]:,} features, 2 classes"
    label = "maxent cd, to 1 %, same objective" + ("" if arrived else " (peer gave up: lower bound)")
    yield Measurement(label, cd, peer, peer / cd, "s", data, peer_name="liblinear (scikit-learn)")


def _nltk_maxent(chunks: tagging.Sentences, n: int) -> Iterator[Measurement]:
    from nltk.classify import MaxentClassifier

    some = chunks.first(n)
    columns = tagging.chunk_columns(some, with_tags=True)
    values = {name: column.to_pylist() for name, column in columns.items()}
    tokens = [({name: values[name][i] for name in values}, some.tags[i]) for i in range(len(some.tags))]
    X, tags = FeatureIndex().fit_transform(columns), sorted(set(some.tags))
    problem = ProductProblem(X, coded(some.tags, tags), len(tags), pairs="seen")
    data = f"CoNLL-2000 chunking, {n} sentences: {X.shape[0]:,} samples, {len(problem.observed):,} weights"
    steps, flat = 5, Penalty(1e6)
    for solver in ("gis", "iis"):
        plan = Plan(solver=solver, tolerance=0.0, max_iterations=steps)
        solve(problem, flat, plan)
        ours = solve(problem, flat, plan).trace[-1].seconds
        start = time.process_time()
        model = MaxentClassifier.train(tokens, algorithm=solver, trace=0, max_iter=steps + 1)
        peer = time.process_time() - start
        name = f"maxent {solver}, {steps} steps"
        yield Measurement(name, ours, peer, peer / ours, "s", data, peer_name=f"nltk {solver}")
        reached = -sum(model.prob_classify(features).logprob(tag) for features, tag in tokens) * np.log(2.0)
        cd = solve(problem, flat, Plan(target=reached, tolerance=0.0, max_iterations=1000)).trace[-1].seconds
        name = "maxent cd, to the peer's likelihood"
        yield Measurement(name, cd, peer, peer / cd, "s", data, peer_name=f"nltk {solver}, {steps} steps")


def _perceptron(brown: tagging.Sentences, n: int, n_peer: int) -> Iterator[Measurement]:
    from nltk.tag.perceptron import PerceptronTagger

    some = brown.first(n)
    X = FeatureIndex(min_count=3).fit_transform(tagging.tag_columns(some, with_tags=True))
    Perceptron(n_epochs=1).fit(X[:100], some.tags[:100])
    start = time.process_time()
    Perceptron(n_epochs=5, seed=0).fit(X, some.tags)
    ours = time.process_time() - start
    data = f"Brown, {X.shape[0]:,} tokens, {X.shape[1]:,} features, {len(set(some.tags))} tags, 5 epochs"
    yield Measurement("averaged perceptron", ours, None, None, "s", data)
    few = brown.first(n_peer)
    ends = np.cumsum(few.lengths)
    sentences = [
        list(zip(few.words[end - size : end], few.tags[end - size : end], strict=True))
        for size, end in zip(few.lengths, ends, strict=True)
    ]
    start = time.process_time()
    PerceptronTagger(load=False).train(sentences, nr_iter=5)
    peer = len(few.words) / (time.process_time() - start)
    rate = X.shape[0] / ours
    data += f"; peer on {len(few.words):,} tokens with its own features"
    yield Measurement("averaged perceptron, rate", rate, peer, rate / peer, "tokens/s", data, peer_name="nltk")
