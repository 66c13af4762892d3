"""Growing trees over a table."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate.authors import simulate_authors
from onoma.errors import SettingsError, UnsupportedError
from onoma.evaluate.b_cubed import b_cubed
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.hierarchical.grow import grow_records, tree_columns
from onoma.resolve.models.hierarchical.run import TreeSettings, in_company, paper_scores, resolve_trees


@pytest.fixture(scope="module")
def authors():
    table = simulate_authors(1500, seed=4)
    fields = prepare_fields(table, exclude=["id", "cluster_id"]).fields
    return tree_columns(fields), Clustering.from_labels(table["cluster_id"])


def test_authors_are_found_without_labels(authors):
    columns, gold = authors
    run = resolve_trees(columns, settings=TreeSettings(seed=1, n_rounds=4))
    by_name = b_cubed(gold, Clustering.from_labels(columns.canopy)).f1
    assert b_cubed(gold, run.clustering).f1 > max(0.9, by_name)


def test_threads_do_not_change_the_answer(authors, monkeypatch):
    monkeypatch.setattr("onoma.resolve.models.hierarchical.mentions._SHARD", 300)
    columns, _ = authors
    one, two = (resolve_trees(columns, settings=TreeSettings(seed=2, threads=n, n_rounds=2)).labels for n in (1, 2))
    assert np.array_equal(one, two)


def test_the_papers_weights_can_be_used(authors):
    columns, gold = authors
    scores = paper_scores(len(columns.names), len(columns.bags))
    run = resolve_trees(columns, settings=TreeSettings(n_rounds=2), scores=scores)
    assert run.scores is scores
    assert run.clustering.n_entities < len(gold)


def test_a_watch_can_end_the_run(authors):
    columns, _ = authors
    seen = []
    resolve_trees(
        columns, settings=TreeSettings(n_rounds=9), watch=lambda done, labels: bool(seen.append(done)) or True
    )
    assert len(seen) == 1
    assert seen[0].n_proposals > 0


def test_a_run_ends_when_score_and_entities_stand_still(authors):
    columns, _ = authors
    run = resolve_trees(columns, settings=TreeSettings(seed=1, n_rounds=60))
    last, before = run.rounds[-1], run.rounds[-2]
    assert len(run.rounds) < 60
    assert abs(last.gain - before.gain) <= 0.001 * last.gain
    assert abs(last.n_entities - before.n_entities) <= 0.001 * last.n_entities
    impatient = resolve_trees(columns, settings=TreeSettings(seed=1, n_rounds=20, settled=0.5))
    stubborn = resolve_trees(columns, settings=TreeSettings(seed=1, n_rounds=20, settled=-1.0))
    assert len(impatient.rounds) < len(stubborn.rounds) == 20


def test_samples_leave_the_trees_alone(authors):
    columns, _ = authors
    run = resolve_trees(columns, settings=TreeSettings(n_rounds=2))
    before = run.chains[0].forest.links.tobytes()
    drawn = run.sample(3)
    assert drawn.shape == (3, len(columns.canopy))
    assert run.chains[0].forest.links.tobytes() == before
    assert (Clustering.from_labels(drawn[-1].astype(np.int64)).labels != run.clustering.labels).any()


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(SettingsError):
        TreeSettings(n_rounds=0)


def test_nodes_tell_the_trees():
    table = simulate_authors(400, seed=2)
    grown = grow_records(prepare_fields(table, exclude=["id", "cluster_id"]).fields, seed=1)
    nodes = grown.nodes(table["id"]).to_pylist()
    by_name = {row["node"]: row for row in nodes}
    assert {row["record"] for row in nodes if row["record"] is not None} == set(table["id"].to_pylist())
    children: dict[str, list[dict]] = {}
    for row in nodes:
        if row["parent"] is not None:
            children.setdefault(row["parent"], []).append(row)
            assert by_name[row["parent"]]["entity"] == row["entity"]
    for parent, below in children.items():
        assert by_name[parent]["size"] == sum(row["size"] for row in below)
        assert len(below) >= 2
    assert len({row["entity"] for row in nodes if row["parent"] is None}) == grown.clustering.n_entities
    assert ((grown.probability > 0) & (grown.probability <= 1)).all()


def test_without_names_or_blocks_rows_that_can_be_compared_are_a_canopy():
    red = [f"red crimson scarlet {word} rose" for word in ("ruby", "cherry", "brick")] * 4
    blue = [f"azure navy cobalt {word} teal" for word in ("sky", "ink", "ocean")] * 4
    columns = tree_columns(prepare_fields(pa.table({"words": red + blue, "n": ["a"] * 12 + ["b"] * 12})).fields)
    assert columns.names == []
    assert Clustering.from_labels(columns.canopy).labels.tolist() == [0] * 12 + [1] * 12
    assert resolve_trees(columns).clustering.n_entities <= 6


def test_a_tree_is_drawn_with_all_its_mentions():
    table = simulate_authors(400, seed=2)
    found = resolve(table, config=ResolveConfig(model="hierarchical"))
    sizes = found.clustering.sizes
    row = int(np.flatnonzero(found.clustering.labels == sizes.argmax())[0])
    lines = str(found.tree(row)).splitlines()
    assert lines[0].startswith(f"{sizes.max()} records")
    shown = sum(not line.lstrip().startswith("…") and " records " not in line for line in lines)
    more = sum(int(line.split()[2]) for line in lines if line.lstrip().startswith("…"))
    assert shown + more == sizes.max()
    assert found.nodes is not None
    assert found.memberships["probability"].to_numpy().min() > 0


def test_other_models_have_no_trees():
    found = resolve(simulate_authors(60, seed=2), config=ResolveConfig(model="exact-match"))
    assert found.nodes is None
    with pytest.raises(SettingsError, match="no trees"):
        found.tree(0)


def test_labels_weigh_the_fields(authors):
    columns, gold = authors
    rare = resolve_trees(columns, settings=TreeSettings(n_rounds=1)).scores.bags
    labelled = resolve_trees(columns, settings=TreeSettings(n_rounds=1), labels=gold.labels).scores.bags
    assert all(0 < bag.evidence <= 1 for bag in labelled)
    assert labelled != rare
    assert in_company(np.array([0, 1, 1, -1])).tolist() == [-1, 1, 1, -1]


def test_linking_is_refused():
    with pytest.raises(UnsupportedError, match="the model hierarchical takes no --link"):
        resolve(
            simulate_authors(60, seed=2).append_column("side", [["a", "b"] * 30]),
            config=ResolveConfig(model="hierarchical"),
            source="side",
            link=True,
        )
