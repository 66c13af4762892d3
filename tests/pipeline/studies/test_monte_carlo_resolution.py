import csv
import gzip

import numpy as np
import pytest

from onoma.mcmc.subsampling import Adaptive, Confidence, Exact, Uniform
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context, reproduce
from onoma.pipeline.studies import monte_carlo_resolution as study
from onoma.pipeline.studies.monte_carlo_resolution import (
    Means,
    Reached,
    authors,
    citations,
    discriminant,
    famous,
    learn,
    reach,
    strategies,
)

COLUMNS = ("id", "cluster_id", "author", "title", "venue", "year", "pages", "volume")
VENUES = ("proceedings of the conference on names", "journal of names", "technical report 7", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with 200 citations of ten papers, and authorships of some people of one name."""
    root = tmp_path_factory.mktemp("data")
    rng = stream(1, "citations")
    (root / "resolution/cora").mkdir(parents=True)
    (root / "resolution/acl-anthology").mkdir()
    rows = []
    for k in range(200):
        paper = int(rng.integers(10))
        words = [f"w{paper}x{i}" for i in range(6) if rng.random() < 0.8] + [f"n{rng.integers(30)}"]
        rows.append(
            (
                k,
                paper,
                f"author{paper} b. other{rng.integers(3)}",
                " ".join(words),
                VENUES[paper % 4],
                1990 + paper % 3,
                "",
                "",
            )
        )
    _write(root / "resolution/cora/cora.csv.gz", COLUMNS, rows)
    people = [
        (f"p{k}", 0, "author", "Ann" if k % 3 else "Al", "Lee", f"ann{k % 3}" if k < 60 else "") for k in range(80)
    ]
    others = [(f"p{k}", 1, "author", "Bo", f"Mate{k % 3}", "") for k in range(80)]
    names = ("paper_id", "position", "role", "first", "last", "cluster_id")
    _write(root / "resolution/acl-anthology/mentions.csv.gz", names, people + others)
    papers = [(f"p{k}", f"on topic{k % 3} again", "ACL") for k in range(80)]
    _write(root / "resolution/acl-anthology/papers.csv.gz", ("paper_id", "title", "venue"), papers)
    return root


def _write(path, names, rows):
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])


@pytest.fixture(scope="module")
def problem(folder):
    return citations(str(folder / "resolution/cora/cora.csv.gz"))


@pytest.fixture(scope="module")
def factors(problem):
    return learn(problem, n_steps=20_000, seed=0)


def test_the_papers_settings_are_all_there():
    made = strategies(list(study.CORA_PAPER), 100)
    assert made["exact"] == Exact()
    assert made["p=0.1"] == Uniform(0.1)
    assert made["i=20"] == Confidence(20.0)
    assert isinstance(made["adaptive"], Adaptive)
    assert len(made) == 16
    assert study.CORA_PAPER["p=0.1"][1] == 7.29
    assert study.AUTHORS_PAPER["p=0.02"][1] == 9.78


def test_citations_are_bags_of_seven_groups(problem):
    assert problem.bags.n_groups == 7
    assert len(problem.bags) == 200
    assert problem.gold.n_entities == 10


def test_samples_reach_the_target_with_fewer_factors(problem, factors):
    settings = {"target": 0.9, "n_sweeps": 400, "every": 0.01, "seed": 3}
    exact, some = (reach(problem, factors, scoring, **settings) for scoring in (Exact(), Confidence(20.0)))
    assert exact.is_there
    assert some.is_there
    assert some.n_factors < exact.n_factors / 2
    assert exact.f1 >= 0.9


def test_a_chain_that_does_not_arrive_says_so(problem, factors):
    found = reach(problem, factors, Uniform(0.2), target=1.1, n_sweeps=10, every=0.2, seed=3)
    assert not found.is_there
    assert found.n_proposals == 10 * 200


def test_means_and_never():
    exact = Means.of([Reached(True, 100, 10, 2.0, 3.0, 0.9), Reached(True, 300, 30, 4.0, 5.0, 0.9)])
    assert exact.n_factors == 200
    assert Means.of([Reached(True, 50, 10, 1.0, 2.0, 0.9)]).fewer(exact) == (4.0, 3.0, 2.0)
    half = [Reached(True, 50, 10, 1.0, 1.0, 0.9), *[Reached(False, 50, 10, 1.0, 1.0, 0.5)] * 2]
    assert Means.of(half).fewer(exact) == (0.0, 0.0, 0.0)


def test_authors_are_the_labelled_mentions_in_blocks(folder):
    root = folder / "resolution/acl-anthology"
    found = authors(str(root / "mentions.csv.gz"), str(root / "papers.csv.gz"))
    assert len(found.bags) == 60
    assert found.gold.n_entities == 3
    assert found.block.tolist() == [0] * 60
    factors = learn(found, n_steps=5_000, seed=0)
    assert reach(found, factors, Exact(), target=0.95, n_sweeps=100, every=0.05, seed=1).is_there


@pytest.mark.parametrize(("name", "n_settings"), [("cora", 16), ("authors", 11)])
def test_the_studies_run(folder, tmp_path, name, n_settings):
    findings = reproduce(f"monte-carlo-mcmc/{name}", Context(quick=True, data=folder), out=tmp_path)
    assert len({row.setting for row in findings.rows}) == n_settings
    fewer = {row.setting: row.ours for row in findings.rows if row.metric.startswith("fewer")}
    assert fewer["exact"] == 1.0
    assert np.isfinite(list(fewer.values())).all()
    assert (tmp_path / f"monte-carlo-mcmc-{name}.json").exists()


def test_people_who_are_mentioned_often_are_told_apart_by_the_discriminant():
    problem = famous(2_000, people=2, each=100, seed=1)
    assert np.bincount(problem.gold.labels).min() >= 100
    factors = discriminant(problem, seed=1)
    assert (factors.slopes > 0.0).all()
    # A true pair scores 10 on average, a false one as much below 0.
    rng = stream(1, "pairs")
    a, b = rng.integers(0, len(problem.bags), (2, 20_000))
    a, b = a[a != b], b[a != b]
    scores = factors.base + np.nan_to_num(problem.bags.cosines(a, b)) @ factors.slopes
    same = problem.gold.labels[a] == problem.gold.labels[b]
    assert scores[same].mean() == pytest.approx(10.0, abs=0.5)
    assert scores[~same].mean() == pytest.approx(-10.0, abs=0.5)


def test_the_study_of_large_entities_runs(tmp_path):
    found = reproduce("monte-carlo-mcmc/large-entities", Context(quick=True))
    settings = {row.setting for row in found.rows}
    assert {"exact", "adaptive", *study.LARGE} == settings
