"""Weights from rare names."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from onoma.numerics.rng import stream
from onoma.resolve.models.hierarchical.learning import learn_bags
from onoma.resolve.models.hierarchical.mentions import BagColumn
from onoma.resolve.models.hierarchical.trees import BagScores
from onoma.resolve.models.hierarchical.whole_names import NameColumn, name_scores, rare_names


def names_of(pairs: list[tuple[str, str]]) -> tuple[NameColumn, NameColumn]:
    given, family = zip(*pairs, strict=True)
    return NameColumn.of_texts(pa.array(given)), NameColumn.of_texts(pa.array(family))


def test_how_many_people_have_a_name_is_the_product_of_its_parts():
    given, family = names_of(
        [("ann", "lee"), ("ann", "ray"), ("bob", "lee"), ("bob", "lee"), ("b", "lee"), ("eve", "kim")]
    )
    by_given, by_family = name_scores(given, family)
    # Five different names; of four whole given names two are ann, one bob, one eve, each with half a name more.
    forms, families = given.forms.to_pylist(), family.forms.to_pylist()
    shares = dict(zip(("ann", "bob", "b", "eve"), np.array([2.5, 1.5, 1.5 + 0.5, 1.5]) / 6.0, strict=True))
    for form in forms:
        for name, n in (("lee", 3.5), ("ray", 1.5), ("kim", 1.5)):
            found = np.exp(by_given[forms.index(form)] + by_family[families.index(name)])
            assert found == pytest.approx(5 * shares[form] * n / 5, rel=1e-5)


def test_only_whole_names_that_few_people_share_are_taken_for_one_persons():
    common = [("ann", f"f{k}") for k in range(40)] + [(f"g{k}", "lee") for k in range(40)]
    given, family = names_of([*common, ("ann", "lee"), ("ann", "lee"), ("zed", "quz"), ("zed", "quz"), ("z", "quz")])
    labels = rare_names(given, family, name_scores(given, family), most=0.1)
    assert labels[-3] == labels[-2] >= 0
    assert labels[-1] == -1
    assert (labels[:-3] == -1).all()


def test_fields_that_tell_entities_apart_get_the_weight():
    rng = stream(1, "test")
    labels = np.repeat(np.arange(150), 4)
    own = pa.array([[f"{label}-{k}" for k in rng.integers(0, 4, 3)] for label in labels])
    noise = pa.array([[f"w{k}" for k in rng.integers(0, 50, 3)] for _ in labels])
    start = [BagScores(evidence=0.5, cosine=1.0), BagScores(evidence=0.5), BagScores(exclusive=3.0)]
    bags = [BagColumn.of_lists(own), BagColumn.of_lists(noise), BagColumn.of_lists(noise)]
    learnt = learn_bags(bags, labels, start, seed=0)
    assert learnt[0].evidence > 0.3
    assert learnt[0].alpha < 20 < learnt[1].alpha
    assert learnt[0].cosine == 1.0
    assert learnt[2] == start[2]


def test_nothing_is_learnt_from_too_few():
    start = [BagScores(evidence=0.5)]
    bags = [BagColumn.of_texts(pa.array(["a", "a", "b"]))]
    assert learn_bags(bags, np.array([0, 0, -1]), start, seed=0) == start
    assert replace(start[0], alpha=1.0) != start[0]
