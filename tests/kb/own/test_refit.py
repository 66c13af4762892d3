"""What is touched is resolved among others that stand for the rest."""

import numpy as np
import pytest

from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.incremental import OutgrownError
from onoma.kb.own import refit as module
from onoma.kb.own.refit import fit_part, refit, why_whole, with_others
from onoma.kb.world import load_world


def test_others_come_in_whole_entities(own):
    with read_knowledge_base(own) as base:
        world = load_world(base)
        entity = world.entity()
        inside = entity == entity[0]
        chosen = with_others(world, inside, 30)
        assert chosen[inside].all() and 30 <= chosen.sum() - inside.sum() < 60
        assert not set(entity[chosen]) & set(entity[~chosen])


def test_a_part_is_resolved_as_all_were(own):
    with read_knowledge_base(own) as base:
        world = load_world(base)
        assert why_whole(world) == ""
        found = fit_part(world, np.ones(world.n, dtype=np.bool_))
        assert [each.name for each in found.fields.fields] == [spec.name for spec in world.memory.fields]
        assert abs(found.clustering.n_entities - len(np.unique(world.entity()))) <= 2


def test_few_records_are_all_resolved_and_others_are_kept(own, monkeypatch):
    with write_knowledge_base(own) as base:
        world = load_world(base)
        inside = world.entity() == world.entity()[0]
        with pytest.raises(OutgrownError, match="120 records in all"):
            refit(world, inside)
        monkeypatch.setattr(module, "ENOUGH", 60)
        before = base.value("SELECT count(*) FROM own")
        touched = refit(world, inside)
        assert touched[inside].all() and touched.sum() < 60
        assert base.value("SELECT count(*) FROM own") == before
