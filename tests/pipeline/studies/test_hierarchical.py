"""The race of trees and pairs, and tables of authors read from files."""

import csv
import gzip

import pytest

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.pipeline.reproduce import Context, find
from onoma.pipeline.studies._sets.author_tables import aminer, anthology, patents, simulated
from onoma.pipeline.studies.hierarchical import Curve, race_pairwise, race_trees, score_on_labelled


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def words_of(bags, row):
    return {bags.words[int(k)].as_py() for k in bags.ids[bags.offsets[row] : bags.offsets[row + 1]]}


def test_a_curve_says_when_a_target_was_reached():
    curve = Curve("trees")
    for seconds, steps, f1 in ((1.0, 10, 0.3), (2.0, 30, 0.7), (3.0, 60, 0.92), (4.0, 100, 0.95)):
        curve.note(seconds, steps, f1)
    assert (curve.until(0.6), curve.until(0.9), curve.until(0.99)) == (2.0, 3.0, None)
    assert curve.rate == pytest.approx((100 - 30) / 2.0)


def test_trees_and_pairs_both_get_there():
    table = simulated(1200, seed=3)
    trees = race_trees(table, seed=1)
    pairs = race_pairwise(table, seed=1, n_steps=30_000, most_seconds=20.0, target=0.6)
    assert trees.until(0.9) is not None
    assert pairs.until(0.6) is not None
    assert score_on_labelled(table.gold, table.full_name)[1] < trees.f1[-1]


def test_anthology_knows_co_authors_titles_and_unlabelled_rows(tmp_path):
    folder = tmp_path / "resolution/acl-anthology"
    header = ("paper_id", "position", "role", "first", "last", "cluster_id", "orcid", "affiliation", "name_variant")
    rows = [
        ("p1", 1, "author", "Ána B.", "Lee Kim", "x", "", "Here", ""),
        ("p1", 2, "author", "Bo", "Ray", "", "", "", ""),
    ]
    write(folder / "mentions.csv.gz", header, rows)
    papers = [("p1", "A Fine Title", "venue", "book", 2000, 2)]
    write(folder / "papers.csv.gz", ("paper_id", "title", "venue", "container", "year", "n_people"), papers)
    table = anthology(Context(data=tmp_path))
    people, title, *_, paper = table.columns.bags
    assert words_of(people, 0) == {"b ray"}
    assert words_of(people, 1) == {"a lee kim"}
    assert words_of(title, 1) == {"a", "fine", "title"}
    assert words_of(paper, 0) == {"p1"}
    assert table.gold.labels.tolist() == [0, ABSENT]
    assert table.columns.names[0].forms.to_pylist() == ["ana b", "bo"]


def test_patents_take_co_inventors_from_all_inventors(tmp_path):
    folder = tmp_path / "resolution/patentsview"
    header = (
        "mention_id",
        "cluster_id",
        "block",
        "patent_id",
        "inventor_sequence",
        "first",
        "last",
        "city",
        "state",
        "country",
    )
    write(folder / "mentions.csv.gz", header, [("m1", "x", "b", 7, 0, "Ann", "Lee", "Bonn", "", "DE")])
    names = ("patent_id", "patent_date", "patent_type", "title", "assignee_organizations", "cpc_subclasses")
    write(folder / "patents.csv.gz", names, [(7, "", "", "A wheel", "Acme Inc|Bolt", "A61B|B62D")])
    everyone = [(7, 0, "Ann", "Lee"), (7, 1, "Bob", "Ray"), (8, 0, "Cy", "Poe")]
    write(folder / "inventors.csv.gz", ("patent_id", "inventor_sequence", "first", "last"), everyone)
    bags = patents(Context(data=tmp_path)).columns.bags
    assert [words_of(each, 0) for each in bags] == [
        {"b ray"},
        {"a", "wheel"},
        {"acme inc", "bolt"},
        {"A61B", "B62D"},
        {"Bonn, , DE"},
        {"7"},
    ]


def test_aminer_leaves_out_the_name_itself(tmp_path):
    header = ("name_block", "cluster_id", "paper_id", "title", "year", "authors", "venue", "organization")
    rows = [
        ("Ajay Gupta", "a/0", 1, "Some title", 1999, "Ajay Gupta,Bo Ray", "AAAI", ""),
        ("Ajay Gupta", "a/1", 2, "Other", 1999, "A. Gupta", "KDD", "Univ X"),
    ]
    write(tmp_path / "resolution/aminer110/mentions.csv.gz", header, rows)
    table = aminer(Context(data=tmp_path))
    assert [words_of(table.columns.bags[0], row) for row in range(2)] == [{"b ray"}, set()]
    assert table.full_name == Clustering.from_labels([0, 0])
    assert table.gold.n_entities == 2


def test_studies_are_in_the_catalogue():
    assert find("hierarchical/figure-4").paper.endswith("figure 4")
    assert find("hierarchical/figure-5").paper.endswith("figure 5")


def test_the_model_picked_is_the_one_that_finds_more():
    found = find("hierarchical/choice").run(Context(quick=True))
    assert len(found.notes) == 3
    for note in found.notes:
        picked = note.partition("picked is ")[2].split(",")[0]
        assert note.endswith(f"found by {picked}."), note


def some_names(data, folder, *, every):
    """Copy every so-many-th name of AMiner, with all of its papers."""
    file = "resolution/aminer110/mentions.csv.gz"
    with gzip.open(data / file, "rt", encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    names = sorted({row[0] for row in rows})[::every]
    write(folder / file, header, [row for row in rows if row[0] in names])


@pytest.mark.data
def test_samplerank_improves_weights_set_by_hand(data, tmp_path):
    some_names(data, tmp_path, every=6)
    rows = find("hierarchical/weights").run(Context(quick=True, data=tmp_path, seed=1)).rows
    b_cubed = {row.setting: row.ours for row in rows if row.metric == "B³ F1"}
    assert b_cubed["AMiner, by hand, then SampleRank"] > b_cubed["AMiner, by hand"] + 0.05
    assert b_cubed["AMiner, without labels"] > b_cubed["AMiner, by hand, then SampleRank"]
