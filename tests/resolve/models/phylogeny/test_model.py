import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.resolve.models.phylogeny.model import Mentions, NameModel, PhylogenySettings, fit_names
from onoma.resolve.names.letters import LetterMutations

PEOPLE = [
    ["Ada Lovelace", "A. Lovelace", "Lovelace, Ada", "Ada King Lovelace"],
    ["Alan Turing", "Alan M. Turing", "Turing, Alan", "Alan Mathison Turing"],
    ["Grace Hopper", "Grace Murray Hopper", "Hopper, Grace M."],
    ["Emmy Noether", "Amalie Emmy Noether"],
    ["Kurt Gödel", "Kurt Godel"],
]
QUICK = PhylogenySettings(n_samples=100, n_rounds=4)


def everyone():
    return [name for names in PEOPLE for name in names], [i for i, names in enumerate(PEOPLE) for _ in names]


def test_names_of_some_people_are_told_apart():
    names, gold = everyone()
    found = fit_names(names, settings=QUICK)
    assert found.labels.tolist() == gold
    assert found.probability.min() > 0.5


def test_the_same_seed_gives_the_same_answer():
    names, _ = everyone()
    one, other = (fit_names(names, settings=QUICK) for _ in range(2))
    np.testing.assert_array_equal(one.descent.parents, other.descent.parents)
    np.testing.assert_array_equal(one.mutations.log_ratios(), other.mutations.log_ratios())


def test_a_greater_root_weight_makes_more_entities():
    names, _ = everyone()
    model = NameModel(Mentions(names), QUICK)
    model.learn()
    found = [model.sample(root_weight=weight).consensus.clustering.n_entities for weight in (-20.0, 0.0, 30.0)]
    assert found[0] < found[1] < found[2] == len(names)


@pytest.mark.parametrize(
    "names",
    [[], [""], ["", " "], ["x"], ["🙂", "🙂🙂"], ["x" * 300, "x" * 299 + "y"], ["a" * 300 + " b", "🙂", ""],
     ["محمد علي", "محمد  علی", "\u202eمحمد"], ["e\u0301mile", "émile", "\u0301"], [" ".join("ab" * 80)] * 2,
     ["-", "--", "?"]],
)  # fmt: skip
def test_odd_names_are_handled(names):
    found = fit_names(names, settings=QUICK)
    assert len(found.labels) == len(names)
    assert np.isfinite(found.probability).all()


def test_an_empty_name_is_nobodys():
    assert fit_names(["", "Plato", " ", ""], settings=QUICK).labels.tolist() == [0, 1, 2, 3]


def test_every_pair_may_be_held_against_each_other():
    names, gold = everyone()
    found = fit_names(names, settings=PhylogenySettings(n_samples=100, n_rounds=4, neighbours=None))
    assert len(found.pairs.a) == len(names) * (len(names) - 1) // 2
    assert found.labels.tolist() == gold


def test_one_name_is_one_thing_whatever_its_composition():
    assert fit_names(["e\u0301mile zola", "émile zola", "Emile Zola"], settings=QUICK).labels.tolist() == [0, 0, 0]


def test_kinds_keep_names_apart():
    names = ["Victoria", "Victoria", "Queen Victoria", "Lake Victoria"]
    found = fit_names(Mentions(names, ["person", "place", "person", "place"]), settings=QUICK)
    assert found.labels[0] != found.labels[1]


def test_documents_and_topics_may_be_given():
    names, gold = everyone()
    repeated = [*names, *names]
    documents = [f"d{i % 5}" for i in range(len(repeated))]
    topics = np.array([*gold, *gold], np.int32)
    found = fit_names(Mentions(repeated, None, documents, topics), settings=QUICK)
    assert found.labels.tolist() == [*gold, *gold]
    for name in ("document", "topic"):
        assert found.parents.shares[name].sum() == pytest.approx(1.0)


def test_topics_are_sampled_where_their_shares_are_given():
    names, gold = everyone()
    shares = np.full((len(names), 5), 0.02)
    shares[np.arange(len(names)), gold] = 0.92
    found = fit_names(Mentions(names, topic_shares=shares), settings=QUICK)
    assert found.labels.tolist() == gold
    assert found.acceptance is not None
    assert 0.0 < found.acceptance[0] <= 1.0


def test_columns_have_one_value_for_each_name():
    with pytest.raises(DataError, match="2 names and 1 kinds"):
        Mentions(["a", "b"], ["x"])


def test_letters_alone_can_be_asked_for():
    found = fit_names(
        ["Jonathan Mayer", "Jonathan Meyer", "Q"], settings=PhylogenySettings(by_letters=True, n_rounds=3)
    )
    assert isinstance(found.mutations, LetterMutations)
    assert found.labels[0] == found.labels[1]


def test_languages_and_dates_may_be_given():
    names, gold = everyone()
    languages = ["en" if i % 2 else "" for i in gold]
    years = np.array([np.nan if i == 3 else 1900.0 + 10 * i for i in gold])
    found = fit_names(Mentions(names, languages=languages, years=years), settings=QUICK)
    assert found.labels.tolist() == gold
    assert found.parents.shares["date"][0] > 0.5
    with pytest.raises(DataError, match="years"):
        Mentions(names, years=years[1:])


def test_pragmatics_hold_mentions_of_one_name_together():
    names = ["CIA", "CIA", "CIA", "CIA", "Central Intelligence Agency", "Chuck's Ice Art", "CIA"]
    mentions = Mentions(names, is_apart=True)
    together = []
    for strength in (0.0, 3.0):
        settings = PhylogenySettings(n_samples=100, n_rounds=0, neighbours=None, pragmatics=strength, root_weight=9.0)
        found = fit_names(mentions, settings=settings)
        same = [found.nodes.name[a] == found.nodes.name[b] for a, b in zip(found.pairs.a, found.pairs.b, strict=True)]
        together.append(found.descent.together[same].mean())
    assert together[0] < 0.5 < together[1] - 0.2


def test_a_chain_may_begin_at_the_best_tree():
    names, gold = everyone()
    model = NameModel(Mentions(names), PhylogenySettings(n_samples=100, n_rounds=4, start="arborescence"))
    model.start_from_best()
    early = model.sampler.run(np.exp(np.clip(model.log_weights(), -80, 69)), n_sweeps=1, n_kept=1)
    assert early.n_entities[0] <= len(PEOPLE) + 1
    model.learn()
    assert model.sample().labels.tolist() == gold
    with pytest.raises(SettingsError, match="start"):
        PhylogenySettings(start="best")
