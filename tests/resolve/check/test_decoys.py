"""Decoys match nobody, and are as alike as things are by chance or by kinship."""

import functools
from types import SimpleNamespace

import numpy as np

from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.check.decoys import contradicts, mirrors, near_strangers, siblings, strangers
from onoma.resolve.check.values import Values


@functools.cache
def table():
    return resolve(simulate_people(120, seed=3, settings=PeopleSettings(households=0.8)), truth="cluster_id")


def values(found, seed=2):
    labels = found.clustering.labels.astype(np.int64)
    return [Values(each, labels, stream(seed, "decoys")) for each in found.fields.fields]


def test_strangers_miss_what_rows_miss_and_are_of_no_record():
    found = table()
    made = strangers(values(found), 400, None, None, stream(2, "strangers"))
    assert (made.base == -1).all() and len(made) == 400
    missing = np.array([(each.codes < 0).mean() for each in found.fields.fields])
    assert np.abs((made.codes < 0).mean(axis=0) - missing).max() < 0.1


def test_siblings_keep_what_two_near_records_share():
    found = table()
    evidence, labels = found.weighed.evidence, found.clustering.labels.astype(np.int64)
    groups = near_strangers(evidence, labels, np.ones(len(evidence.a)))
    assert (labels[evidence.a[groups]] != labels[evidence.b[groups]]).all()
    made = siblings(values(found), evidence, groups[:1], 30, None, None, stream(2, "siblings"))
    pair = groups[0]
    for f, field in enumerate(found.fields.fields):
        if evidence.levels[pair, f] == 0:
            assert (made.codes[:, f] == field.codes[made.base]).all(), field.name
    whole = np.stack([each.codes[made.base] for each in found.fields.fields], axis=1)
    assert not (made.codes == whole).all(axis=1).any(), "none is the record it was made of"


def test_the_nearest_of_other_entities_each_pair_once():
    pairs = SimpleNamespace(n=4, a=np.array([0, 0, 0, 1, 2]), b=np.array([1, 2, 3, 2, 3]))
    labels = np.array([0, 0, 1, 2])
    weight = np.array([9.0, 1.0, 2.0, 3.0, 4.0])
    assert near_strangers(pairs, labels, weight).tolist() == [1, 2, 3, 4], "all but the pair of one entity"


def test_mirrors_are_rows_set_against_their_own_source():
    found = table()
    source = np.arange(120, dtype=np.int32) % 2
    made = mirrors(found.fields.fields, 50, source, None, stream(1, "mirrors"))
    assert (made.source == 1 - source[made.apart_from]).all()
    for f, field in enumerate(found.fields.fields):
        assert (made.codes[:, f] == field.codes[made.apart_from]).all()


def test_unrelated_values_of_a_firm_field_contradict():
    noise = SimpleNamespace(firm=np.array([True, False]), unrelated=np.array([2, 1]))
    evidence = SimpleNamespace(a=np.zeros(3), levels=np.array([[2, 0], [1, 1], [-1, 1]]), noise=noise)
    assert contradicts(evidence).tolist() == [True, False, False]
    assert not contradicts(SimpleNamespace(a=np.zeros(3), levels=evidence.levels, noise=None)).any()
