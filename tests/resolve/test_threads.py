"""The same seed is the same bytes, whatever the number of threads."""

import hashlib

import numpy as np

from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.comparison import compare
from onoma.resolve.posterior import copying


def said(table):
    """Return a hash of all that a resolution says: samples, pairs, places, what was learnt, what is expected."""
    found = resolve(table, model="copying", seed=5)
    answer, learnt = found.posterior, found.weighed.weights
    arrays = [*answer.pairs, answer.samples, answer.probability, answer.clustering.labels, answer.n_entities]
    arrays += [learnt.tables, learnt.keep, learnt.slips, np.array([learnt.kappa, learnt.sigma])]
    arrays += [found.weighed.draws.copied, found.weighed.draws.akin, found.recalibrated().probability]
    return hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in arrays)).hexdigest()


def test_one_two_and_four_threads_say_the_same(monkeypatch):
    table = simulate_people(4_000, seed=1)
    monkeypatch.setattr(compare, "_PART", 20_000)  # small parts, so that there are some for each
    monkeypatch.setattr(copying, "_WORTH_THREADS", 1_000)
    monkeypatch.setattr(copying, "_WORTH_MEETING", 1_000)
    found = set()
    for threads in (1, 2, 4):
        monkeypatch.setenv("ONOMA_THREADS", str(threads))
        found.add(said(table))
    assert len(found) == 1
