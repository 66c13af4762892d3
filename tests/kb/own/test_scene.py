"""What an entity hangs on, by resolving again."""

import numpy as np

from onoma.kb.database import read_knowledge_base
from onoma.kb.own.scene import OwnScene
from onoma.kb.world import load_world


def test_a_field_and_a_record_are_taken_away(own):
    with read_knowledge_base(own) as base:
        world = load_world(base)
        entity = world.entity()
        members = np.flatnonzero(entity == np.bincount(entity).argmax())
        assert len(members) > 2
        scene = OwnScene(world, members)
        assert scene.together(members) > 0.5
        fields = dict(scene.without_fields(members))
        assert set(fields) == {spec.name for spec in world.memory.fields}
        assert all(0.0 <= share <= 1.0 for share in fields.values())
        gone = dict(scene.without_records(members))
        assert set(gone) <= set(members.tolist()) and gone
