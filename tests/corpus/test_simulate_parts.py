"""The parts the simulators share: dials, draws, letters, names, places, words, rendering."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.simulate import AuthorSettings, MentionSettings, PeopleSettings, dials
from onoma.corpus.simulate.dials import check_rows
from onoma.corpus.simulate.draw import around_one, lasting, power_law_sizes, ragged, spread_sizes, zipf_ranks
from onoma.corpus.simulate.letters import LetterModel
from onoma.corpus.simulate.names import american_given, american_nicknames, american_surnames, pool_of
from onoma.corpus.simulate.places import cities, draw_addresses, street_lines
from onoma.corpus.simulate.regions import world_names
from onoma.corpus.simulate.render import choose, gather, numbered, phrases
from onoma.corpus.simulate.words import N_COMMON, Mixture, draw_words, vocabulary
from onoma.errors import SettingsError
from onoma.numerics.rng import stream

ALL = [(cls, each) for cls in (PeopleSettings, AuthorSettings, MentionSettings) for each in dials(cls)]


@pytest.mark.parametrize(("cls", "each"), ALL, ids=[f"{cls.__name__}-{each.name}" for cls, each in ALL])
def test_a_dial_keeps_its_range(cls, each):
    assert each.low <= each.default <= each.high
    others = {"noise": 0.0, "own": 0.0} if cls is MentionSettings else {}
    for value in (each.low, each.high):
        assert getattr(cls(**others | {each.name: value}), each.name) == value
    for value in (each.low - 1, each.high + 1, float("nan"), "much", None, True):
        with pytest.raises(SettingsError, match=each.name):
            cls(**{each.name: value})


def test_a_whole_number_stays_whole():
    with pytest.raises(SettingsError, match="a whole number from 1"):
        AuthorSettings(topics=2.5)


def test_common_and_own_words_cannot_exceed_the_text():
    with pytest.raises(SettingsError, match="more than all of it"):
        MentionSettings(noise=0.7, own=0.6)


@pytest.mark.parametrize("n", [0, -1, 10**9, 2.0, True, None])
def test_rows_are_a_sensible_number(n):
    with pytest.raises(SettingsError, match="from 1 to 100,000,000"):
        check_rows(n)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3000), st.floats(1.2, 5), st.integers(1, 50), st.integers(0, 99))
def test_power_law_sizes_sum_and_stay_in_range(n, exponent, largest, seed):
    sizes = power_law_sizes(stream(seed), n, exponent=exponent, largest=largest)
    assert sizes.sum() == n
    assert sizes.min() >= 1
    assert sizes.max() <= largest


def test_power_law_sizes_follow_the_law():
    sizes = power_law_sizes(stream(0), 400_000, exponent=2.0, largest=500)
    share = np.bincount(sizes)[1:5] / len(sizes)
    law = np.arange(1.0, 501) ** -2
    assert np.allclose(share, (law / law.sum())[:4], atol=0.004)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 2000), st.floats(0, 0.95), st.floats(0, 4), st.integers(0, 99))
def test_spread_sizes_sum_and_keep_the_share_of_duplicates(n, duplicates, clumping, seed):
    sizes = spread_sizes(stream(seed), n, duplicates=duplicates, clumping=clumping)
    assert sizes.sum() == n
    assert sizes.min() >= 1
    assert len(sizes) == n - min(round(n * duplicates), n - 1)


@pytest.mark.parametrize("variation", [0.0, 1e-300, 0.3, 0.7])
def test_around_one_has_the_variation_asked_for(variation):
    drawn = around_one(stream(0), 50_000, variation=variation)
    assert abs(drawn.mean() - 1) < 0.02
    assert abs(drawn.std() - variation) < 0.03


def test_clumping_makes_larger_entities():
    even, uneven = (spread_sizes(stream(0), 20_000, duplicates=0.5, clumping=c).max() for c in (0.0, 3.0))
    assert uneven > 2 * even


@pytest.mark.parametrize("exponent", [0.6, 1.0, 1.5])
def test_zipf_ranks_follow_the_law(exponent):
    ranks = zipf_ranks(stream(0), 300_000, among=1000, exponent=exponent)
    assert ranks.min() == 0
    assert ranks.max() < 1000
    edges = np.array([1.0, 2.0, 5.0, 50.0, 1001.0])

    def area(x):
        return np.log(x) if exponent == 1 else (x ** (1 - exponent) - 1) / (1 - exponent)

    expected = np.diff(area(edges)) / area(1001.0)
    found = np.histogram(ranks, bins=edges - 1)[0] / len(ranks)
    assert np.allclose(found, expected, atol=0.005)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=20))
def test_ragged_is_ranges_one_after_the_other(pairs):
    starts, lengths = (np.array([pair[i] for pair in pairs], dtype=np.int64) for i in (0, 1))
    assert ragged(starts, lengths).tolist() == [x for a, k in pairs for x in range(a, a + k)]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_lasting_remembers_the_last_change(steps):
    starts = np.array([True, *(start for start, _ in steps[1:])])
    changes = np.array([change for _, change in steps])
    first, fresh = np.arange(len(steps)), 100 + np.arange(len(steps))
    expected, current = [], -1
    for i in range(len(steps)):
        if starts[i]:
            current = first[i]
        elif changes[i]:
            current = fresh[i]
        expected.append(current)
    assert lasting(first, fresh, starts=starts, changes=changes).tolist() == expected


def test_invented_words_are_new_and_different_and_made_of_seen_triples():
    words = ["banana", "bandana", "nadia", "andiron", "ironed"]
    found = LetterModel.of(words).invent(stream(0), 30, known=words).to_pylist()
    assert len(set(found)) == len(found) > 5
    assert not set(found) & set(words)
    triples = {f"^{word}$"[i : i + 3] for word in words for i in range(len(word))}
    assert {f"^{word}$"[i : i + 3] for word in found for i in range(len(word))} <= triples


def test_a_model_of_one_word_gives_up():
    assert len(LetterModel.of(["abcde"]).invent(stream(0), 10, known=["abcde"])) == 0


def test_american_surnames_have_the_shares_of_the_census_of_2000():
    pool = american_surnames()
    share = np.sort(pool.weights / pool.weights.sum())[::-1]
    assert len(set(pool.values.to_pylist())) == len(pool) == 150_000
    assert abs(share[0] - 0.00881) < 0.0001  # Smith
    assert 0.16 < share[:100].sum() < 0.20
    assert abs(share[:1000].sum() - 0.406) < 0.001


def test_women_and_men_have_their_own_names():
    pool, n_women = american_given()
    names = pool.values.to_pylist()
    assert "Jennifer" in names[:n_women]
    assert "Michael" in names[n_women:]
    assert abs(pool.weights[:n_women].sum() - 0.5) < 1e-9


def test_nicknames_are_those_of_the_name():
    forms, code = american_nicknames()
    names = american_given()[0].values.to_pylist()
    assert forms[code[names.index("William")]].as_py() in {"Will", "Bill", "Wil", "Bell", "Bela"}
    assert (code < 0).any()


def test_a_pool_in_alphabetical_order_is_not_ranked_by_the_alphabet():
    words = [f"{letter}x" for letter in "abcdefghij"]
    assert pool_of(words).values.to_pylist() != words
    assert sorted(pool_of(words).values.to_pylist()) == words
    assert pool_of(["c", "a", "b"]).values.to_pylist() == ["c", "a", "b"]
    assert pool_of({"b": 3.0, "a": 1.0}).weights.tolist() == [3.0, 1.0]


def test_tempered_weights():
    pool = pool_of({"a": 9.0, "b": 1.0})
    assert pool.tempered(0.0).weights.tolist() == [1.0, 1.0]
    assert abs((pool.tempered(2.0).draw(stream(0), 20_000) == 0).mean() - 81 / 82) < 0.01


def test_regions_are_romanised_and_share_one():
    world = world_names()
    assert abs(sum(region.share for region in world.regions) - 1) < 1e-9
    by_name = {region.name: region for region in world.regions}
    korean = by_name["korean"].surnames
    share = dict(zip(korean.values.to_pylist(), korean.weights / korean.weights.sum(), strict=True))
    assert max(share, key=share.get) == "Kim"
    chinese = by_name["chinese"].surnames
    assert chinese.values.to_pylist()[:3] == ["Wang", "Li", "Zhang"]
    everything = "".join(world.surnames.to_pylist()) + "".join(world.given.to_pylist())
    assert not re.search(r"[^\u0000-\u024f\u1e00-\u1eff\u2019]", everything)


def test_codes_of_a_region_are_its_own_names():
    world = world_names()
    code = next(i for i, region in enumerate(world.regions) if region.name == "korean")
    surname, given_name, middle = world.draw(stream(0), np.full(200, code), power=1.0)
    region = world.regions[code]
    assert set(gather(world.surnames, surname).to_pylist()) <= set(region.surnames.values.to_pylist())
    assert set(gather(world.given, given_name).to_pylist()) <= set(region.given.values.to_pylist())
    assert set(gather(world.given, middle).to_pylist()) <= set(region.given.values.to_pylist())


def test_a_postcode_lies_in_its_state_and_a_street_keeps_its_kind():
    from faker.providers.address.en_US import Provider

    where = draw_addresses(stream(0), 20_000)
    states = gather(cities().states, where.city).to_pylist()
    low, high = np.array([Provider.states_postcode[state] for state in states]).T
    assert ((low <= where.postcode) & (where.postcode <= high)).all()
    assert where.kind.min() == 0
    assert where.unit.min() == 0
    lines = street_lines(where, np.arange(200), np.zeros(200, dtype=bool)).to_pylist()
    short = street_lines(where, np.arange(200), np.ones(200, dtype=bool)).to_pylist()
    assert any(line.endswith(" Street") for line in lines)
    assert not any(line.endswith(" Street") for line in short)
    assert any(" Apt. " in line for line in lines)


def test_words_go_by_topic_and_owner():
    n = 30_000
    topic, owner = np.repeat([0, 1], n // 2), np.repeat([5, 6], n // 2)

    def overlap(mixture):
        words = draw_words(stream(0), topic, owner, mixture)
        assert words.min() >= 0
        assert words.max() < len(vocabulary())
        a, b = words[: n // 2], words[n // 2 :]
        return np.isin(a, b).mean()

    assert overlap(Mixture(common=1.0, own=0.0, n_topics=2)) > 0.95
    assert overlap(Mixture(common=0.0, own=0.0, n_topics=2)) == 0
    assert overlap(Mixture(common=0.0, own=1.0, n_topics=2)) == 0
    common = draw_words(stream(0), topic, owner, Mixture(common=0.4, own=0.3, n_topics=2)) < N_COMMON
    assert abs(common.mean() - 0.4) < 0.02


def test_rendering():
    words = pa.array(["a", "b", "c"])
    assert gather(words, np.array([2, -1, 0])).to_pylist() == ["c", None, "a"]
    assert phrases(words, np.array([0, 1, 2], dtype=np.int32), np.array([2, 0, 1])).to_pylist() == ["a b", "", "c"]
    assert choose(np.array([True, False, True]), None, words).to_pylist() == [None, "b", None]
    assert numbered(np.array([5]), digits=3).to_pylist() == ["005"]


@pytest.mark.parametrize(("cls", "each"), ALL, ids=[f"{cls.__name__}-{each.name}" for cls, each in ALL])
def test_the_guide_says_what_each_dial_does(cls, each):
    page = (Path(__file__).parents[2] / "docs" / "simulate.md").read_text("utf-8")
    assert f"| `{each.name}` | {each.default:g} | {each.low:g} – {each.high:g} | {each.doc} |" in page
