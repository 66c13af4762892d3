import numpy as np
import pyarrow.compute as pc
import pytest

from onoma.corpus.simulate import AuthorSettings, author_batches, simulate_authors, statistics
from onoma.corpus.simulate.bibliography import draw_bibliography
from onoma.errors import SettingsError

STILL = dict.fromkeys(("initials", "dropped", "nicknames", "spellings", "typos", "formats", "missing"), 0.0)
N = 8000


def still(**turned):
    return AuthorSettings(**STILL | turned)


def measure(**turned):
    return statistics(simulate_authors(N, seed=1, settings=still(**turned)), "authors")


@pytest.fixture(scope="module")
def table():
    return simulate_authors(30_000, seed=1)


@pytest.fixture(scope="module")
def world():
    return draw_bibliography(30_000, 1, AuthorSettings())


def test_the_table(table):
    assert len(pc.unique(table["id"])) == table.num_rows == 30_000
    for field in ("cluster_id", "first", "last", "title"):
        assert table[field].null_count == 0
    assert 1990 <= pc.min(table["year"]).as_py() <= pc.max(table["year"]).as_py() <= 2019


def test_same_seed_same_table_other_seed_another(table):
    assert simulate_authors(30_000, seed=1).equals(table)
    assert pc.equal(simulate_authors(30_000, seed=2)["last"], table["last"]).to_numpy().mean() < 0.1


def test_nobody_signs_a_paper_twice(world):
    signature = world.paper.astype(np.int64) * len(world.authors.given) + world.author
    assert len(np.unique(signature)) == len(signature)
    assert (np.diff(world.paper) >= 0).all()
    assert (world.papers.slots[world.paper] <= np.arange(30_000)).all()
    assert world.papers.slots[-1] == 30_000


def test_careers_have_an_end_and_colleagues_meet_again(world):
    order = np.argsort(world.author, kind="stable")
    year = world.papers.year[world.paper][order]
    starts = np.flatnonzero(np.diff(world.author[order], prepend=-1))
    span = np.maximum.reduceat(year, starts) - np.minimum.reduceat(year, starts)
    size = np.diff(np.append(starts, len(order)))
    regular = (size >= 3) & (size <= 10)
    assert 2 < span[regular].mean() < 15
    # Pairs of authors on one paper: many are on another paper together too.
    first = world.papers.slots[:-1][np.diff(world.papers.slots) >= 2]
    pair = np.sort(np.stack([world.author[first], world.author[first + 1]]), axis=0)
    _, times = np.unique(pair, axis=1, return_counts=True)
    assert (times > 1).mean() > 0.05


def test_rows_of_one_paper_agree_and_list_each_other():
    table = simulate_authors(3000, seed=1, settings=still(initials=1.0))
    papers: dict[str, list[dict]] = {}
    for row in table.to_pylist():
        papers.setdefault(row["title"], []).append(row)
    teams = [team for team in papers.values() if len(team) > 1]
    assert len(teams) > 300
    for team in teams:
        assert len({(row["year"], row["venue"]) for row in team}) == 1
        signed = sorted(f"{row['first']} {row['last']}" for row in team)
        for row in team:
            others = signed.copy()
            others.remove(f"{row['first']} {row['last']}")
            assert sorted((row["coauthors"] or "").split("; ")) == (others or [""])
    alone = [row for team in papers.values() if len(team) == 1 for row in team]
    assert all(row["coauthors"] is None for row in alone)


def test_defaults_are_in_the_documented_ranges(table):
    found = statistics(table, "authors")
    assert 3.6 < found.mean_size < 4.8
    assert 0.58 < found.singletons < 0.63  # Lotka: 61 % of authors write one paper
    assert abs(found.tail_exponent - 2.0) < 0.05
    assert 0.15 < found.shared_initials < 0.25
    assert found.shared_names < 0.06
    assert 1.6 < found.forms < 2.3
    assert abs(found.missing["venue"] - 0.03) < 0.01


def test_more_authors_more_ambiguity(table):
    small = statistics(simulate_authors(3000, seed=1), "authors")
    assert statistics(table, "authors").shared_initials > 1.3 * small.shared_initials


def test_with_every_dial_at_zero_authors_sign_alike():
    found = measure()
    assert found.forms == 1
    assert found.differing["first"] == found.differing["last"] == 0
    assert found.missing["venue"] == found.missing["year"] == 0


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("initials", {"first"}),
        ("nicknames", {"first"}),
        ("spellings", {"first", "last"}),
        ("typos", {"first", "last"}),
    ],
)
def test_a_dial_moves_what_it_says_and_nothing_else(name, fields):
    little, much = measure(**{name: 0.05}).differing, measure(**{name: 0.5}).differing
    for field in ("first", "last"):
        assert much[field] > little[field] > 0 if field in fields else much[field] == 0


def test_initials_is_the_share_of_papers_signed_so():
    for share in (0.0, 0.5, 1.0):
        first = simulate_authors(60_000, seed=1, settings=still(initials=share))["first"]
        assert abs(pc.mean(pc.equal(pc.utf8_length(first), 1)).as_py() - share) < 0.1


def test_middle_names():
    none = simulate_authors(N, seed=1, settings=still(middles=0.0))
    assert none["middle"].null_count == N
    kept, dropped = measure(middles=1.0).missing["middle"], measure(middles=1.0, dropped=0.5).missing["middle"]
    assert kept < dropped


def test_formats_and_missing():
    venues = simulate_authors(N, seed=1, settings=still(formats=1.0))["venue"]
    assert pc.all(pc.match_substring(venues, ".")).as_py()
    assert not pc.any(pc.match_substring(simulate_authors(N, seed=1, settings=still())["venue"], ".")).as_py()
    assert abs(measure(missing=0.3).missing["year"] - 0.3) < 0.03


def test_tail_and_largest():
    heavy, light = measure(tail=1.6), measure(tail=3.0)
    assert heavy.mean_size > 2 * light.mean_size
    assert measure(largest=5).largest == 5
    assert measure(largest=1).singletons == 1


def test_ambiguity_moves_shared_names():
    shares = [measure(ambiguity=a).shared_initials for a in (0.0, 1.0, 1.5)]
    assert shares[0] < shares[1] < shares[2]


def test_team_moves_coauthors():
    assert measure(team=1.0).missing["coauthors"] > measure(team=6.0).missing["coauthors"] + 0.2


def test_mobility_moves_authors_between_groups():
    def groups(mobility):
        world = draw_bibliography(N, 1, still(mobility=mobility))
        pairs = np.unique(world.author.astype(np.int64) * 100_000 + world.papers.group[world.paper])
        return len(pairs) - len(np.unique(world.author))

    assert groups(0.0) == 0
    assert groups(1.0) > groups(0.3) > 0


def test_group_topics_title_and_years():
    assert (
        draw_bibliography(N, 1, still(group=200)).papers.group.max()
        < draw_bibliography(N, 1, still(group=10)).papers.group.max()
    )
    assert draw_bibliography(N, 1, still(topics=3)).papers.topic.max() == 2
    title = simulate_authors(N, seed=1, settings=still(title=20.0))["title"]
    words = pc.mean(pc.count_substring(title, " ")).as_py() + 1
    assert abs(words - 20) < 1
    year = simulate_authors(N, seed=1, settings=still(first_year=1900, years=5))["year"]
    assert (pc.min(year).as_py(), pc.max(year).as_py()) == (1900, 1904)


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_small_corpora(n):
    table = simulate_authors(n, seed=n)
    assert table.num_rows == n
    assert statistics(table, "authors").rows == n


def test_no_rows_is_refused_before_any_work():
    with pytest.raises(SettingsError, match="0 rows"):
        author_batches(0)
