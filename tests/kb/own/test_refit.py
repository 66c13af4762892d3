"""What is touched is resolved among others that stand for the rest."""

import numpy as np
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.incremental import OutgrownError
from onoma.kb.own import refit as module
from onoma.kb.own.refit import fit_part, refit, why_whole, with_others
from onoma.kb.world import load_world
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


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


def test_trees_of_what_is_touched_stand_beside_those_of_others(tmp_path, monkeypatch):
    people = simulate_people(120, seed=5).select(["id", "cluster_id", "given_name", "surname", "birth_date", "city"])
    config = ResolveConfig(model="hierarchical", truth="cluster_id", no_check=True)
    store_outcome(run_job(Job(table=people, config=config)), tmp_path / "people.duckdb")
    monkeypatch.setattr(module, "ENOUGH", 60)
    with write_knowledge_base(tmp_path / "people.duckdb") as base:
        before = {record for (record,) in base.rows("SELECT record FROM nodes WHERE record IS NOT NULL")}
        world = load_world(base)
        refit(world, world.entity() == world.entity()[0])
        nodes = base.rows("SELECT node, parent, record FROM nodes")
        called = [node for node, _, _ in nodes]
        assert len(set(called)) == len(called)
        assert {parent for _, parent, _ in nodes} - {None} <= set(called)
        records = [record for _, _, record in nodes if record is not None]
        assert sorted(records) == sorted(before)
        assert len({node.split(".")[0] for node in called}) > 1
