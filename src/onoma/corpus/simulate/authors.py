"""Authorships of a bibliography: one row for each author of each paper, to be sorted out by who is who.

The difficulty is in the names: many people share a first initial and a surname, and one person signs in many ways.
Evidence is in the co-authors, the words of the title, the venue and the year (`bibliography.py`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.simulate.bibliography import Bibliography, draw_bibliography
from onoma.corpus.simulate.dials import Dials, check_rows, dial
from onoma.corpus.simulate.draw import ragged, zipf_ranks
from onoma.corpus.simulate.noise import happens, initials, slips, unaccented
from onoma.corpus.simulate.regions import world_names
from onoma.corpus.simulate.render import batches, choose, gather, gold, join, phrases
from onoma.corpus.simulate.words import Mixture, draw_words, vocabulary
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["AuthorSettings", "author_batches", "simulate_authors"]

VENUES = (
    ("Journal of ", "J. "),
    ("Proceedings of the Conference on ", "Proc. "),
    ("Transactions on ", "Trans. "),
    ("Annals of ", "Ann. "),
    ("International Review of ", "Int. Rev. "),
)


@dataclass(frozen=True, kw_only=True)
class AuthorSettings(Dials):
    """Dials of `simulate_authors`."""

    tail: float = dial(2.0, 1.2, 5.0, "exponent of the number of papers of an author (Lotka: 2); higher is lighter")
    largest: int = dial(500, 1, 10_000, "most papers an author can have")
    group: int = dial(100, 1, 5_000, "mean number of authors in the circle who write papers together")
    team: float = dial(3.5, 1.0, 20.0, "authors a paper should have on average; prolific ones in small groups lower it")
    mobility: float = dial(0.2, 0.0, 1.0, "share of authors with four papers or more who change groups once")
    topics: int = dial(200, 1, 2_000, "number of topics, each with its words and venues")
    title: float = dial(9.0, 3.0, 40.0, "mean number of words in a title (at least three)")
    first_year: int = dial(1990, 1800, 2100, "first year of publication")
    years: int = dial(30, 1, 200, "how many years the bibliography covers")
    ambiguity: float = dial(1.0, 0.0, 2.0, "power of the name frequencies: 0 all names alike, 1 as in life")
    initials: float = dial(0.4, 0.0, 1.0, "share of papers signed with initials")
    middles: float = dial(0.5, 0.0, 1.0, "share of authors with a middle name, where that is a custom")
    dropped: float = dial(0.35, 0.0, 1.0, "chance that an author's middle name is left out")
    nicknames: float = dial(0.03, 0.0, 1.0, "chance that a nickname stands for the given name, if there is one")
    spellings: float = dial(0.4, 0.0, 1.0, "chance that accents and hyphens are lost (Müller, Xiao-Ming)")
    typos: float = dial(0.01, 0.0, 0.5, "chance of a slip in the given name; the same again in the surname")
    formats: float = dial(0.3, 0.0, 1.0, "chance that the venue is abbreviated")
    missing: float = dial(0.03, 0.0, 0.5, "chance that the venue is left out; the same again for the year")


def simulate_authors(
    n: int, *, seed: int = 0, settings: AuthorSettings | None = None, progress: Progress = SILENT
) -> pa.Table:
    """Return n authorships: `id`, `cluster_id`, first, middle, last, title, coauthors, venue, year.

    Rows of one paper agree in title and year. `coauthors` lists the paper's other authors, `J Smith; W Zhang`; it is
    null for a paper of one. `middle` is null where the author has none or left it out.

    Parameters
    ----------
    n
        How many authorships.
    seed
        Same seed, same table.
    settings
        The dials; see `dials(AuthorSettings)`.
    progress
        Where to show how far it is.

    Examples
    --------
    >>> table = simulate_authors(1000, seed=1)
    >>> table.column_names
    ['id', 'cluster_id', 'first', 'middle', 'last', 'title', 'coauthors', 'venue', 'year']
    """
    return pa.Table.from_batches(author_batches(n, seed=seed, settings=settings, progress=progress))


def author_batches(
    n: int, *, seed: int = 0, settings: AuthorSettings | None = None, progress: Progress = SILENT
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `simulate_authors` a batch at a time: memory for codes only, about 80 bytes a row."""
    settings = settings or AuthorSettings()
    world = draw_bibliography(check_rows(n), seed, settings)
    signed = _signed(world)
    venues = _venues(world, seed)
    order = stream(seed, "authors", "order").permutation(n)

    def render(number: int, rows: NDArray[np.int64]) -> dict[str, pa.Array]:
        columns = {"cluster_id": gold(world.author[rows])}
        columns |= _names(world, rows, settings, seed=seed, batch=number)
        columns |= {"title": _titles(world, rows), "coauthors": _coauthors(world, rows, signed)}
        return columns | _places(world, rows, venues, settings, stream(seed, "authors", "places", number))

    return batches(order, render, name="authors", progress=progress)


def _names(
    world: Bibliography, rows: NDArray[np.int64], settings: AuthorSettings, *, seed: int, batch: int
) -> dict[str, pa.Array]:
    rng = stream(seed, "authors", "names", batch)
    names, who, n = world_names(), world.author[rows], len(rows)
    given, middle = world.authors.given[who], world.authors.middle[who]
    lost = happens(rng, settings.spellings, n)
    nickname = names.nickname_of[given]
    first = _respelt(gather(names.given, given), lost)
    first = choose(happens(rng, settings.nicknames, n) & (nickname >= 0), gather(names.nicknames, nickname), first)
    last = gather(names.surnames, world.authors.surname[who])
    last = choose(lost, unaccented(last), last)
    first, last = (
        slips(column, happens(rng, settings.typos, n), scanned=0.1, seed=seed, keys=("authors", "typos", part, batch))
        for part, column in (("first", first), ("last", last))
    )
    brief = world.papers.signs_briefly[world.paper[rows]]
    second = gather(names.given, np.where(happens(rng, settings.dropped, n), -1, middle))
    spelt_out = ~brief & (rng.random(n) < 0.3)
    return {
        "first": choose(brief, initials(first), first),
        "middle": choose(spelt_out, second, initials(second)),
        "last": last,
    }


def _respelt(column: pa.Array, lost: NDArray[np.bool_]) -> pa.Array:
    """Return given names without accents, double ones in one word, where these are lost."""
    hyphened = np.asarray(pc.match_substring(column, "-"))
    joined = pc.utf8_capitalize(pc.replace_substring(column, "-", ""))
    return choose(lost, unaccented(choose(hyphened, joined, column)), column)


def _titles(world: Bibliography, rows: NDArray[np.int64]) -> pa.Array:
    title, paper = world.papers.title, world.paper[rows]
    lengths = title[paper + 1] - title[paper]
    words = world.papers.words[ragged(title[paper], lengths)]
    return pc.utf8_capitalize(phrases(vocabulary(), words, lengths))


def _signed(world: Bibliography) -> pa.Array:
    """Return every author as co-authors are listed: `J Smith`."""
    names = world_names()
    first = initials(gather(names.given, world.authors.given))
    return join([first, gather(names.surnames, world.authors.surname)], " ")


def _coauthors(world: Bibliography, rows: NDArray[np.int64], signed: pa.Array) -> pa.Array:
    slots, paper = world.papers.slots, world.paper[rows]
    teams = slots[paper + 1] - slots[paper]
    member = ragged(slots[paper], teams)
    others = member[member != np.repeat(rows, teams)]
    listed = phrases(signed, world.author[others], teams - 1, by="; ")
    return choose(teams == 1, None, listed)


def _venues(world: Bibliography, seed: int) -> tuple[pa.Array, pa.Array]:
    """Return the venues' full and short names: a kind, and two words of the topic."""
    rng = stream(seed, "authors", "venues")
    venue = np.arange(int(world.papers.venue.max()) + 1)
    kind = zipf_ranks(rng, len(venue), among=len(VENUES), exponent=0.7)
    mixture = Mixture(common=0.0, own=0.4, n_topics=world.n_topics)
    words = [
        pc.utf8_capitalize(gather(vocabulary(), draw_words(rng, venue % world.n_topics, venue, mixture)))
        for _ in range(2)
    ]
    full, short = (gather(pa.array(names), kind) for names in zip(*VENUES, strict=True))
    cut = [join([pc.utf8_slice_codeunits(word, 0, 4), pa.scalar(".")]) for word in words]
    return join([full, join([words[0], words[1]], " ")]), join([short, join([cut[0], cut[1]], " ")])


def _places(
    world: Bibliography,
    rows: NDArray[np.int64],
    venues: tuple[pa.Array, pa.Array],
    settings: AuthorSettings,
    rng: np.random.Generator,
) -> dict[str, pa.Array]:
    paper, n = world.paper[rows], len(rows)
    venue = world.papers.venue[paper]
    venue = np.where(happens(rng, settings.missing, n), -1, venue)
    return {
        "venue": choose(happens(rng, settings.formats, n), gather(venues[1], venue), gather(venues[0], venue)),
        "year": pa.array(world.papers.year[paper], mask=happens(rng, settings.missing, n)),
    }
