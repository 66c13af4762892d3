"""A part of a knowledge base as a resolution of its own."""

import numpy as np
import pytest

from onoma.kb.database import read_knowledge_base
from onoma.kb.part import part_resolution
from onoma.kb.world import load_world


@pytest.fixture(scope="module")
def part(first_base):
    with read_knowledge_base(first_base) as base:
        world = load_world(base)
        a, b = int(world.edges.a[0]), int(world.edges.b[0])
        places = np.unique([a, b, 11, 17, 23])
        rows = base.rows("SELECT entity, probability FROM memberships ORDER BY record")
        yield part_resolution(world, places), places, [rows[i] for i in places], world.edges.probability[0], (a, b)


def test_it_holds_the_records_as_they_are_held(part):
    found, places, rows, _, _ = part
    assert len(found.table) == len(places) and found.probability.tolist() == [p for _, p in rows]
    labels = found.clustering.labels
    for i in range(len(rows)):
        assert (labels[i] == labels[0]) == (rows[i][0] == rows[0][0])


def test_its_pairs_are_those_known_and_can_be_explained(part):
    found, places, _, probability, (a, b) = part
    ends = sorted(int(np.searchsorted(places, each)) for each in (a, b))
    pairs = found.posterior.pairs
    at = next(e for e in range(len(pairs.a)) if [pairs.a[e], pairs.b[e]] == ends)
    assert pairs.probability[at] == pytest.approx(float(probability))
    assert np.isfinite(found.explain(*ends).bits)
