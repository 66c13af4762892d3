"""Linking learns what speaks for an entry, says NIL where nothing does, and means its probabilities."""

from pathlib import Path

import numpy as np
import pytest

from onoma.linking.entities import EntityList
from onoma.linking.features import FIRST, Problem, describe
from onoma.linking.model import Knowledge, LinkModel, Reliability, describe_linked, load_link_model, train_links
from onoma.linking.model import _fit as fit
from onoma.linking.model import _softmax as softmax
from onoma.linking.profiles import NIL, Mentions
from onoma.pipeline.linking import link_model, link_records, root_entities


def simulated(n_documents: int = 60, seed: int = 0) -> tuple[Mentions, EntityList]:
    """Two towns of each name: one in documents on ships, one in those on cheese; and people nobody lists."""
    rng = np.random.default_rng(seed)
    names, documents, types, contexts, entries = [], [], [], [], []
    towns = ["Avon", "Brill", "Crane", "Dover"]
    for k in range(n_documents):
        theme = ("ships", "cheese")[int(rng.integers(2))]
        for _ in range(6):
            documents.append(str(k))
            contexts.append(f"the {theme} of {theme} {'sea' if theme == 'ships' else 'milk'}")
            if rng.random() < 0.3:
                names.append(f"{rng.choice(['Ann', 'Bob'])} {rng.choice(['Quill', 'Rask', 'Stone'])}")
                types.append("person")
                entries.append(NIL)
            else:
                town = str(rng.choice(towns))
                names.append(town)
                types.append("place")
                entries.append(f"{town}/{theme}")
    listed = EntityList.build([(town, f"{town}/{theme}", 1.0) for town in towns for theme in ("ships", "cheese")])
    return Mentions(names, documents, types, contexts, None, entries), listed


@pytest.fixture(scope="module")
def trained() -> tuple[LinkModel, Mentions, EntityList]:
    mentions, listed = simulated()
    return train_links(describe_linked(mentions, listed)), mentions, listed


def test_words_around_tell_towns_of_one_name_apart(trained: tuple[LinkModel, Mentions, EntityList]) -> None:
    model, known, listed = trained
    asked, _ = simulated(20, seed=1)
    best = model.link(asked, Knowledge.of(listed, known)).best()
    right = [entry == truth for (entry, _), truth in zip(best, asked.entries or (), strict=True)]
    assert np.mean(right) > 0.95
    prior = [f"{name}/ships" == truth for name, truth in zip(asked.names, asked.entries or (), strict=True)]
    assert np.mean(right) > np.mean(prior) + 0.2  # what the alias alone says
    stated = np.mean([p for _, p in best])
    assert abs(stated - np.mean(right)) < 0.05


def test_probabilities_are_of_all_answers(trained: tuple[LinkModel, Mentions, EntityList]) -> None:
    model, known, listed = trained
    links = model.link(known.take(np.arange(10)), Knowledge.of(listed, known))
    sums = np.add.reduceat(links.probability, links.problem.offsets[:-1])
    assert sums == pytest.approx(np.ones(10))
    assert dict(links.ranked(0, 99))[NIL] == pytest.approx(links.none()[0])


def test_mentions_of_a_chain_have_one_another_s_candidates() -> None:
    """A surname alone finds nothing in the list; in a chain with the full name it does, and the model learns it."""
    people = [("Ada", "Quill"), ("Bea", "Rask"), ("Cleo", "Stone"), ("Dora", "Thorn")]
    names, documents, chains, entries = [], [], [], []
    for k in range(40):
        first, last = people[k % 4]
        names += [f"{first} {last}", "the engineer"]
        documents += [str(k)] * 2
        chains += ["1", "1"]
        entries += [f"{first}_{last}"] * 2
    empty = [""] * len(names)
    known = Mentions(names, documents, empty, empty, chains, entries)
    listed = EntityList.build([(f"{first} {last}", f"{first}_{last}", 1.0) for first, last in people])
    model = train_links(describe_linked(known, listed))
    asked = Mentions(["Cleo Stone", "the poet"], ["new"] * 2, ["", ""], ["", ""], ["1", "1"])
    assert [entry for entry, _ in model.link(asked, Knowledge.of(listed)).best()] == ["Cleo_Stone"] * 2
    parted = Mentions(["Cleo Stone", "the poet"], ["new"] * 2, ["", ""], ["", ""], ["1", "2"])
    found = model.link(parted, Knowledge.of(listed))
    assert "Cleo_Stone" not in dict(found.ranked(1, 99))


def test_weights_are_where_the_gradient_is_none(trained: tuple[LinkModel, Mentions, EntityList]) -> None:
    _, known, listed = trained
    (part, *_) = describe_linked(known, listed)
    weights = fit([(part.problem, part.truth)], 1.0)

    def loss(some: np.ndarray) -> float:
        p = softmax(part.problem, part.problem.values @ some)
        return 0.5 * float(some @ some) - float(np.log(p[part.truth]).sum())

    step = 1e-4
    for k in (0, 5, 20, len(FIRST) - 1):
        moved = np.zeros(len(FIRST))
        moved[k] = step
        assert abs(loss(weights + moved) - loss(weights - moved)) / (2 * step) < 0.05


def test_names_of_a_fold_come_from_the_others() -> None:
    mentions = Mentions(["Zog", "Zog"], ["a", "a"], ["", ""], ["", ""], None, ["Q1", "Q1"])
    (part,) = describe_linked(mentions, None)
    assert part.problem.entries == [NIL, "", NIL, ""]  # nothing but its own document names it


def test_a_model_comes_back(trained: tuple[LinkModel, Mentions, EntityList], tmp_path: Path) -> None:
    model, known, listed = trained
    model.save(tmp_path / "links")
    again = load_link_model(tmp_path / "links")
    some = known.take(np.arange(12))
    knowledge = Knowledge.of(listed, known)
    assert np.allclose(again.link(some, knowledge).probability, model.link(some, knowledge).probability)


def test_the_model_that_comes_with_onoma_links_by_a_list_alone() -> None:
    listed = EntityList.build([("Paris", "Q90", 9.0), ("Paris", "Q830149", 1.0), ("Angela Merkel", "Q567", 5.0)])
    rows = [
        {"name": name, "document": "d", "type": kind, "context": "the city"}
        for name, kind in (("Paris", "LOC"), ("ANGELA MERKEL", "PER"), ("Xandor Quy", "PER"))
    ]
    best = link_records(rows, listed).best()
    assert [entry for entry, _ in best] == ["Q90", "Q567", NIL]
    assert link_model().facts


def test_an_empty_problem_is_no_trouble(trained: tuple[LinkModel, Mentions, EntityList]) -> None:
    model, known, listed = trained
    nobody = known.take(np.zeros(0, np.int64))
    assert model.link(nobody, Knowledge.of(listed, known)).best() == []
    assert len(describe(nobody, None, None, Knowledge.of(None, known).profiles).entries) == 0


def test_groups_attach_to_entries_or_found_entities() -> None:
    links = [[("Q1", 0.6), (NIL, 0.4)], [("Q1", 0.7), (NIL, 0.3)], [(NIL, 1.0)], [("Q2", 0.95), (NIL, 0.05)]]
    rooted = root_entities(np.array([0, 0, 1, 0]), links)
    assert rooted.labels.tolist() == [0, 0, 1, 2]
    assert rooted.entries == ["Q1", "Q1", None, "Q2"]


def _problem(*sizes: int) -> Problem:
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Problem(offsets, ["x"] * int(offsets[-1]), np.zeros((int(offsets[-1]), 1)))


def test_restated_answers_are_as_often_right_as_was_seen() -> None:
    rng = np.random.default_rng(0)
    true = rng.uniform(0.05, 0.95, 20_000)
    stated = 1 / (1 + np.exp(-2.5 * np.log(true / (1 - true))))  # too sure of itself
    right = rng.random(20_000) < true
    told = Reliability.fit(stated, np.full(20_000, 0.1), right)
    assert told.slope == pytest.approx(0.4, abs=0.02)
    problem = _problem(*[3] * 20_000)
    rows = np.stack([stated, (1 - stated) / 2, (1 - stated) / 2], axis=1).ravel()
    restated = told.restate(problem, rows).reshape(-1, 3)
    assert np.allclose(restated.sum(axis=1), 1.0)
    sure = (stated >= 0.5) & (true > 0.7)
    assert restated[sure, 0].mean() == pytest.approx(right[sure].mean(), abs=0.02)


def test_restating_keeps_the_answer_and_the_order() -> None:
    problem = _problem(4, 4, 2)
    rows = np.array([0.45, 0.44, 0.06, 0.05, 0.1, 0.5, 0.2, 0.2, 0.6, 0.4])
    found = Reliability(bias=-3.0, slope=0.3).restate(problem, rows)
    assert [found[a:b].sum() for a, b in ((0, 4), (4, 8), (8, 10))] == pytest.approx([1.0, 1.0, 1.0])
    assert found[0] >= found[1] > found[2]
    assert int(found[4:7].argmax()) == 1
    assert Reliability().restate(problem, rows) is rows


def test_how_often_answers_are_right_is_kept_in_the_file(
    tmp_path: Path, trained: tuple[LinkModel, Mentions, EntityList]
) -> None:
    trained[0].save(tmp_path / "links")
    assert load_link_model(tmp_path / "links").reliability == trained[0].reliability
    assert trained[0].reliability != Reliability()
