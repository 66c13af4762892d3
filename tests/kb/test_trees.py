"""Trees in a knowledge base."""

import pytest

from onoma.corpus.simulate.authors import simulate_authors
from onoma.errors import DataError
from onoma.kb.database import read_knowledge_base
from onoma.kb.trees import entity_tree, has_trees
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


@pytest.fixture(scope="module")
def authors(tmp_path_factory):
    path = tmp_path_factory.mktemp("trees") / "authors.duckdb"
    store_outcome(run_job(Job(table=simulate_authors(400, seed=2), config=ResolveConfig(truth="cluster_id"))), path)
    return path


def records_of(tree) -> list[str]:
    return [tree.record] if tree.record else [name for child in tree.children for name in records_of(child)]


def test_every_entity_has_its_tree(authors):
    with read_knowledge_base(authors) as base:
        assert has_trees(base)
        for (entity,) in base.rows("SELECT entity FROM entities ORDER BY size DESC LIMIT 30"):
            tree = entity_tree(base, entity)
            members = [name for (name,) in base.rows("SELECT id FROM memberships WHERE entity = ?", [entity])]
            assert sorted(records_of(tree)) == sorted(members)
            assert tree.size == len(members)
        with pytest.raises(DataError, match="nobody"):
            entity_tree(base, "nobody")


def test_records_that_are_copies_have_none(kb):
    with read_knowledge_base(kb) as base:
        assert not has_trees(base)
