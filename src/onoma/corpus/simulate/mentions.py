"""Mentions of people in text: a name as it was written and the words around it.

The setting is that of Person-X corpora (Gooi and Allan, 2004): names that many different people bear, each mention in
its own document. A person has a main topic, a second one, and words of their own; the context is a bag of words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.simulate.contexts import contexts, mixture_of
from onoma.corpus.simulate.dials import Dials, check_rows, dial
from onoma.corpus.simulate.draw import power_law_sizes, zipf_ranks
from onoma.corpus.simulate.names import american_given, american_nicknames, american_surnames
from onoma.corpus.simulate.noise import happens, initials, slips
from onoma.corpus.simulate.render import batches, choose, gather, gold, join
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["MentionSettings", "mention_batches", "simulate_mentions"]

FORMS = np.cumsum([0.3, 0.25, 0.2, 0.1])
"""Of the mentions that are not the full name: Smith, J. Smith, Smith John after a comma, Dr Smith, else a nickname."""


@dataclass(frozen=True, kw_only=True)
class MentionSettings(Dials):
    """Dials of `simulate_mentions`."""

    tail: float = dial(1.7, 1.2, 5.0, "exponent of the number of mentions of a person; higher is lighter")
    largest: int = dial(2_000, 1, 1_000_000, "most mentions a person can have")
    ambiguity: float = dial(3.0, 1.0, 1_000.0, "mean number of people who bear a name; 1 gives everyone their own")
    variants: float = dial(0.4, 0.0, 1.0, "share of mentions that are not the full name")
    typos: float = dial(0.01, 0.0, 0.5, "chance of a slip in a name")
    context: float = dial(30.0, 1.0, 300.0, "mean number of words around a name")
    noise: float = dial(0.5, 0.0, 1.0, "share of context words that are common to all topics")
    own: float = dial(0.15, 0.0, 1.0, "share of context words that are the person's own; with noise at most 1")
    focus: float = dial(0.8, 0.5, 1.0, "share of topic words from the person's main topic; the rest from a second")
    topics: int = dial(100, 1, 2_000, "number of topics")

    def __post_init__(self) -> None:
        super().__post_init__()
        mixture_of(self)


@dataclass(frozen=True, eq=False)
class Persons:
    """One entry for each person, and the person of each mention."""

    given: NDArray[np.int32]
    surname: NDArray[np.int32]
    topics: NDArray[np.int32]
    person: NDArray[np.int32]


def simulate_mentions(
    n: int, *, seed: int = 0, settings: MentionSettings | None = None, progress: Progress = SILENT
) -> pa.Table:
    """Return n mentions: `id`, `cluster_id`, `name`, `context`.

    Parameters
    ----------
    n
        How many mentions.
    seed
        Same seed, same table.
    settings
        The dials; see `dials(MentionSettings)`.
    progress
        Where to show how far it is.

    Examples
    --------
    >>> simulate_mentions(100, seed=1).column_names
    ['id', 'cluster_id', 'name', 'context']
    """
    return pa.Table.from_batches(mention_batches(n, seed=seed, settings=settings, progress=progress))


def mention_batches(
    n: int, *, seed: int = 0, settings: MentionSettings | None = None, progress: Progress = SILENT
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `simulate_mentions` a batch at a time: memory for codes only, about 30 bytes a row."""
    settings = settings or MentionSettings()
    persons = _draw(check_rows(n), seed, settings)
    order = stream(seed, "mentions", "order").permutation(n)

    def render(number: int, rows: NDArray[np.int64]) -> dict[str, pa.Array]:
        rng = stream(seed, "mentions", "batch", number)
        who = persons.person[rows]
        name = slips(
            _names(rng, persons, who, settings),
            happens(rng, settings.typos, len(rows)),
            scanned=0.1,
            seed=seed,
            keys=("mentions", "typos", number),
        )

        def topic_of(owner: NDArray[np.int32]) -> NDArray[np.int32]:
            second = happens(rng, 1 - settings.focus, len(owner))
            return persons.topics[owner, second.astype(np.int8)]

        return {"cluster_id": gold(who), "name": name, "context": contexts(rng, who, settings, topic_of)}

    return batches(order, render, name="mentions", progress=progress)


def _draw(n: int, seed: int, settings: MentionSettings) -> Persons:
    rng = stream(seed, "mentions")
    sizes = power_law_sizes(rng, n, exponent=settings.tail, largest=settings.largest)
    entities = len(sizes)
    n_names = max(1, round(entities / settings.ambiguity))
    given, surname = distinct_names(rng, n_names)
    # Every name has a bearer; the others take names by Zipf's law.
    further = zipf_ranks(rng, entities - n_names, among=n_names, exponent=0.7)
    name = rng.permutation(np.concatenate([np.arange(n_names), further]))
    topics = rng.integers(0, settings.topics, (entities, 2), dtype=np.int32)
    person = np.repeat(np.arange(entities, dtype=np.int32), sizes)
    return Persons(given[name], surname[name], topics, person)


def distinct_names(rng: np.random.Generator, n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return n different full names, drawn by their frequencies."""
    given, surnames = american_given()[0], american_surnames()
    found = np.empty(0, dtype=np.int64)
    while len(found) < n:
        more = n - len(found) + 64
        drawn = given.draw(rng, more).astype(np.int64) * len(surnames) + surnames.draw(rng, more)
        found = np.concatenate([found, drawn])
        _, first = np.unique(found, return_index=True)
        found = found[np.sort(first)]
    first_name, last_name = np.divmod(found[:n], len(surnames))
    return first_name.astype(np.int32), last_name.astype(np.int32)


def _names(rng: np.random.Generator, persons: Persons, who: NDArray[np.int32], settings: MentionSettings) -> pa.Array:
    values = american_given()[0].values
    nicknames, nickname_of = american_nicknames()
    given = gather(values, persons.given[who])
    surname = gather(american_surnames().values, persons.surname[who])
    code = nickname_of[persons.given[who]]
    pet = choose(code >= 0, gather(nicknames, code), given)
    form = np.searchsorted(FORMS, rng.random(len(who)), side="right")
    form[~happens(rng, settings.variants, len(who))] = -1
    brief = join([initials(given), pa.scalar(". "), surname])
    forms = (surname, brief, join([surname, given], ", "), join([pa.scalar("Dr "), surname]), join([pet, surname], " "))
    name = join([given, surname], " ")
    for number, written in enumerate(forms):
        name = choose(form == number, written, name)
    return name
