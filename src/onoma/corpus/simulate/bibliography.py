"""The world of `authors.py`: researchers, the groups they work in, the papers they write together.

Each author has a number of papers from a power law (Lotka, 1926: exponent 2, three authors in five write one paper).
Authors work in *groups*; a group has a topic, words of its own, a home region, a habit of small or large teams, and a
time line of papers. An author's papers are spread over a stretch of that line, each in a different place, so careers
have a beginning and an end, the same people write together again and again, and nobody signs a paper twice. Some
authors move to a second group in mid-career. All of it is array work, linear but for one sort.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.simulate.draw import power_law_sizes, ragged, zipf_ranks
from onoma.corpus.simulate.regions import world_names
from onoma.corpus.simulate.words import Mixture, draw_words
from onoma.numerics.rng import stream

if TYPE_CHECKING:
    from onoma.corpus.simulate.authors import AuthorSettings

__all__ = ["Authors", "Bibliography", "Papers", "draw_bibliography"]

TITLE = Mixture(common=0.35, own=0.2, n_topics=1)
AT_HOME = 0.5
"""The share of a group's authors who come from its home region; the others come from anywhere."""
HOUSE_STYLE = 0.8
"""The share of papers whose venue decides whether given names are spelt out; the others decide for themselves."""
CAREER = 0.6
"""An author's papers spread over at most this share of the group's time line."""
NO_MIDDLE = ("chinese", "korean", "japanese", "turkish", "finnish")


@dataclass(frozen=True, eq=False)
class Authors:
    """One entry for each author: codes of `world_names()`; middle is -1 where there is none."""

    surname: NDArray[np.int32]
    given: NDArray[np.int32]
    middle: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Papers:
    """One entry for each paper; its title is `words[title[p] : title[p + 1]]`, its authors stand from `slots[p]`."""

    slots: NDArray[np.int64]
    group: NDArray[np.int32]
    topic: NDArray[np.int32]
    year: NDArray[np.int32]
    venue: NDArray[np.int32]
    signs_briefly: NDArray[np.bool_]
    title: NDArray[np.int64]
    words: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Bibliography:
    """Authorships: slot s is the signature of `author[s]` under `paper[s]`, papers side by side."""

    authors: Authors
    papers: Papers
    author: NDArray[np.int32]
    paper: NDArray[np.int32]
    n_topics: int


def draw_bibliography(n: int, seed: int, settings: "AuthorSettings") -> Bibliography:
    """Draw authors, groups and papers with n authorships."""
    rng = stream(seed, "authors")
    sizes = power_law_sizes(rng, n, exponent=settings.tail, largest=settings.largest)
    group = _groups(rng, len(sizes), settings.group)
    n_groups = int(group[-1]) + 1
    authors = _names(rng, group, n_groups, settings)
    unit_author, unit_group, unit_size = _careers(rng, sizes, group, n_groups, settings.mobility)
    place, line = _time_lines(rng, unit_group, unit_size, n_groups, settings.team)
    author = np.repeat(unit_author, unit_size)
    # Random low bits put the authors of a paper in random order.
    order = np.argsort((place << np.int64(20)) | rng.integers(0, 1 << 20, n))
    place, author = place[order], author[order]
    starts = np.flatnonzero(np.diff(place, prepend=-1))
    paper = (np.cumsum(np.diff(place, prepend=-1) > 0) - 1).astype(np.int32)
    n_topics = min(settings.topics, n_groups)
    papers = _papers(rng, place[starts], np.append(starts, n), line, n_topics, settings)
    return Bibliography(authors, papers, author, paper, n_topics)


def _groups(rng: np.random.Generator, n_authors: int, mean: int) -> NDArray[np.int32]:
    """Return each author's group: runs of log-normal length."""
    lengths = np.empty(0, dtype=np.int64)
    while lengths.sum() < n_authors:
        more = rng.lognormal(np.log(mean) - 0.32, 0.8, int(n_authors / mean) + 8)  # mean of the law: mean
        lengths = np.concatenate([lengths, np.maximum(more, 1).astype(np.int64)])
    return np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)[:n_authors]


def _names(rng: np.random.Generator, group: NDArray[np.int32], n_groups: int, settings: "AuthorSettings") -> Authors:
    world = world_names()
    n = len(group)
    shares = np.cumsum([region.share for region in world.regions])[:-1]
    home = np.searchsorted(shares, rng.random(n_groups), side="right")
    anywhere = np.searchsorted(shares, rng.random(n), side="right")
    region = np.where(rng.random(n) < AT_HOME, home[group], anywhere)
    surname, given, middle = world.draw(rng, region, power=settings.ambiguity)
    none = np.array([place.name in NO_MIDDLE for place in world.regions])
    has_middle = (rng.random(n) < settings.middles) & ~none[region]
    return Authors(surname, given, np.where(has_middle, middle, -1).astype(np.int32))


def _careers(
    rng: np.random.Generator, sizes: NDArray[np.int32], group: NDArray[np.int32], n_groups: int, mobility: float
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return stays: author, group, number of papers. Movers, with four papers or more, leave half in each group."""
    moves = (sizes >= 4) & (rng.random(len(sizes)) < mobility) & (n_groups > 1)
    movers = np.flatnonzero(moves).astype(np.int32)
    left = sizes.copy()
    left[movers] -= sizes[movers] // 2
    everyone = np.arange(len(sizes), dtype=np.int32)
    # Another group, never the same: two stays in one would sign a paper twice.
    new_group = (group[movers] + rng.integers(1, max(n_groups, 2), len(movers), dtype=np.int32)) % n_groups
    return (
        np.concatenate([everyone, movers]),
        np.concatenate([group, new_group]),
        np.concatenate([left, sizes[movers] // 2]),
    )


@dataclass(frozen=True, eq=False)
class TimeLines:
    """Where each group's places for papers begin, and how many it has."""

    begin: NDArray[np.int64]
    length: NDArray[np.int64]


def _time_lines(
    rng: np.random.Generator, group: NDArray[np.int32], size: NDArray[np.int32], n_groups: int, team: float
) -> tuple[NDArray[np.int64], TimeLines]:
    """Return the place of every authorship, all those of one stay different.

    A stay of k papers takes one random place from each of k neighbouring stretches of equal length.
    """
    total = np.bincount(group, weights=size, minlength=n_groups)
    most = np.zeros(n_groups, dtype=np.int64)
    np.maximum.at(most, group, size)
    teams = np.maximum(team * rng.lognormal(-0.08, 0.4, n_groups), 1.0)
    length = np.maximum(np.ceil(total / teams).astype(np.int64), most)
    begin = np.cumsum(length) - length
    room = length[group] // size
    widest = np.maximum((room * CAREER).astype(np.int64), 1)
    stretch = np.minimum(widest ** rng.random(len(size)), widest).astype(np.int64)
    free = length[group] - stretch * size
    first = begin[group] + (rng.random(len(size)) * (free + 1)).astype(np.int64)
    within = ragged(np.zeros(len(size), dtype=np.int64), size)
    wide = np.repeat(stretch, size)
    jitter = (rng.random(len(within)) * wide).astype(np.int64)
    return np.repeat(first, size) + within * wide + jitter, TimeLines(begin, length)


def _papers(
    rng: np.random.Generator,
    place: NDArray[np.int64],
    slots: NDArray[np.int64],
    line: TimeLines,
    n_topics: int,
    settings: "AuthorSettings",
) -> Papers:
    """Draw year, topic, venue and title of each paper from its group and its place on the group's line."""
    n = len(place)
    group = (np.searchsorted(line.begin, place, side="right") - 1).astype(np.int32)
    position = (place - line.begin[group] + rng.random(n)) / line.length[group]
    # More papers are written every year: the density grows linearly, so the year goes with the square root.
    year = settings.first_year + (np.sqrt(position) * settings.years).astype(np.int32)
    topic = rng.integers(0, n_topics, len(line.begin), dtype=np.int32)[group]
    away = rng.random(n) < 0.1
    topic = np.where(away, rng.integers(0, n_topics, n, dtype=np.int32), topic)
    venue = _venues(rng, topic, group, n_topics)
    house_style = rng.random(int(venue.max()) + 1)[venue]
    style = np.where(rng.random(n) < HOUSE_STYLE, house_style, rng.random(n))
    lengths = 3 + rng.poisson(settings.title - 3, n)
    title = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(lengths, out=title[1:])
    mixture = Mixture(common=TITLE.common, own=TITLE.own, n_topics=n_topics)
    words = draw_words(rng, np.repeat(topic, lengths), np.repeat(group, lengths), mixture)
    return Papers(slots, group, topic, year.astype(np.int32), venue, style < settings.initials, title, words)


def _venues(
    rng: np.random.Generator, topic: NDArray[np.int32], group: NDArray[np.int32], n_topics: int
) -> NDArray[np.int32]:
    """Return a venue of each paper's topic: a group has its favourite, then the next few."""
    per_topic = max(3, len(topic) // (400 * n_topics))
    favourite = rng.integers(0, per_topic, int(group.max()) + 1)[group]
    choice = (favourite + zipf_ranks(rng, len(topic), among=per_topic, exponent=1.5)) % per_topic
    return (topic + n_topics * choice).astype(np.int32)
