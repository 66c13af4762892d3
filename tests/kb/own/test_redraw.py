"""Who is who among some records: as the model said, unless people say otherwise."""

import numpy as np

from onoma.kb.database import read_knowledge_base
from onoma.kb.own.redraw import Part, redraw, tied
from onoma.kb.world import load_world
from onoma.resolve.posterior.judgements import NO_JUDGEMENTS


def test_without_judgements_it_is_what_the_model_said(own):
    with read_knowledge_base(own) as base:
        world = load_world(base)
        inside = tied(world, np.arange(world.n), NO_JUDGEMENTS)
        found = redraw(world, inside, NO_JUDGEMENTS)
        entity = world.entity()
        assert inside.all() and len(np.unique(found.labels)) == len(np.unique(entity))
        assert len(np.unique(found.labels * world.n + entity)) == len(np.unique(entity))
        stated = base.query("SELECT probability FROM memberships ORDER BY record")["probability"].to_numpy()
        assert np.array_equal(found.probability, stated)
        assert np.allclose(found.together, world.edges.probability[found.edges], atol=1e-5)


def test_what_is_tied_is_closed(own):
    with read_knowledge_base(own) as base:
        world = load_world(base)
        inside = tied(world, np.array([0]), NO_JUDGEMENTS)
        assert inside[0] and not inside.all()
        assert np.array_equal(tied(world, np.flatnonzero(inside), NO_JUDGEMENTS), inside)
        part = Part.of(world, inside)
        here = np.arange(len(part.places))
        likeness = part.likeness(here, here)
        assert np.allclose(likeness, likeness.T) and (np.diag(likeness) >= likeness.max(axis=1) - 1e-9).all()
