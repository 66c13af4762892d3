"""Mentions as links to an encyclopaedia give them: an anchor text, the words around it, the page it points to.

The statistics are those of the corpus of 1.5 million links to Wikipedia of Singh, Subramanya, Pereira and McCallum
(2011): entities with six mentions or more, 35.7 on average with a variance of 5,191.7 (a log-normal has both), and one
of 6,096. An entity goes by several strings, of which short ones are others' too. The words around a mention are as in
`mentions.py`: common to all, of a topic, and the entity's own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.simulate.contexts import contexts, mixture_of
from onoma.corpus.simulate.dials import Dials, check_rows, dial
from onoma.corpus.simulate.mentions import distinct_names
from onoma.corpus.simulate.names import american_given, american_surnames
from onoma.corpus.simulate.noise import happens, initials
from onoma.corpus.simulate.render import batches, choose, gather, gold, join
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["LinkSettings", "link_batches", "simulate_links"]

_LEAST, _MEAN, _VARIANCE = 6, 35.7, 5191.7
"""Mentions of an entity: the fewest, the mean and the variance."""


@dataclass(frozen=True, kw_only=True)
class LinkSettings(Dials):
    """Dials of `simulate_links`."""

    largest: int = dial(6_096, 6, 1_000_000, "mentions of the entity that has most")
    short: float = dial(0.28, 0.0, 1.0, "share of mentions that are a surname (or, each fourth, a given name) alone")
    variants: float = dial(0.1, 0.0, 1.0, "share of mentions with one of an entity's own further strings")
    context: float = dial(36.0, 1.0, 300.0, "mean number of words around a name")
    noise: float = dial(0.5, 0.0, 1.0, "share of context words that are common to all topics")
    own: float = dial(0.12, 0.0, 1.0, "share of context words that are the entity's own; with noise at most 1")
    topics: int = dial(400, 1, 2_000, "number of topics; an entity has one")

    def __post_init__(self) -> None:
        super().__post_init__()
        mixture_of(self)


@dataclass(frozen=True, eq=False)
class _Entities:
    given: NDArray[np.int32]
    surname: NDArray[np.int32]
    topic: NDArray[np.int32]
    of: NDArray[np.int32]
    """The entity of each mention."""


def simulate_links(
    n: int, *, seed: int = 0, settings: LinkSettings | None = None, progress: Progress = SILENT
) -> pa.Table:
    """Return n mentions: `id`, `cluster_id`, `name`, `context`.

    Parameters
    ----------
    n
        How many mentions.
    seed
        Same seed, same table.
    settings
        The dials; see `dials(LinkSettings)`.
    progress
        Where to show how far it is.

    Examples
    --------
    >>> simulate_links(100, seed=1).column_names
    ['id', 'cluster_id', 'name', 'context']
    """
    return pa.Table.from_batches(link_batches(n, seed=seed, settings=settings, progress=progress))


def link_batches(
    n: int, *, seed: int = 0, settings: LinkSettings | None = None, progress: Progress = SILENT
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `simulate_links` a batch at a time."""
    settings = settings or LinkSettings()
    entities = _draw(check_rows(n), seed, settings)
    order = stream(seed, "links", "order").permutation(n)

    def render(number: int, rows: NDArray[np.int64]) -> dict[str, pa.Array]:
        rng = stream(seed, "links", "batch", number)
        who = entities.of[rows]
        names = _names(rng, entities, who, settings)
        return {
            "cluster_id": gold(who),
            "name": names,
            "context": contexts(rng, who, settings, lambda owner: entities.topic[owner]),
        }

    return batches(order, render, name="links", progress=progress)


def _sizes(rng: np.random.Generator, n: int, largest: int) -> NDArray[np.int64]:
    """Return log-normal sizes of at least six that sum to n, the first the largest."""
    # The largest entity, which is not drawn, has a part in the mean and in the variance; numbers are rounded down.
    # Where there are few others, that part would be all of it: then they keep most of theirs.
    mean = max(_MEAN - _LEAST + 1.0 - largest * _MEAN / n, 0.7 * _MEAN)
    spread = np.log1p(max(_VARIANCE - largest**2 * _MEAN / n, _VARIANCE / 2.0) / mean**2)
    centre = np.log(mean) - spread / 2.0
    many = int(n / _MEAN * 1.3) + 16
    sizes = np.minimum(_LEAST + rng.lognormal(centre, np.sqrt(spread), many).astype(np.int64), largest)
    sizes[0] = min(largest, max(n // 2, 1))
    n_entities = max(int(np.searchsorted(np.cumsum(sizes), n)), 1)
    sizes = sizes[:n_entities]
    sizes[-1] += n - sizes.sum()
    return sizes


def _draw(n: int, seed: int, settings: LinkSettings) -> _Entities:
    rng = stream(seed, "links")
    sizes = _sizes(rng, n, settings.largest)
    given, surname = distinct_names(rng, len(sizes))
    topic = rng.integers(0, settings.topics, len(sizes), dtype=np.int32)
    return _Entities(given, surname, topic, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))


def _names(rng: np.random.Generator, entities: _Entities, who: NDArray[np.int32], settings: LinkSettings) -> pa.Array:
    """Write the full name; or a part of it; or one of four strings that an entity has besides, the first most often."""
    given = gather(american_given()[0].values, entities.given[who])
    surname = gather(american_surnames().values, entities.surname[who])
    full = join([given, surname], " ")
    brief = join([initials(given), pa.scalar(". "), surname])
    forms = (join([surname, given], ", "), join([full, pa.scalar(" Jr.")]), join([pa.scalar("Sir "), full]), brief)
    which = np.minimum(rng.geometric(0.5, len(who)) - 1, len(forms) - 1)
    u = rng.random(len(who))
    name = choose(u < settings.short, surname, full)
    name = choose(u < 0.25 * settings.short, given, name)
    is_variant = (u >= settings.short) & happens(
        rng, min(settings.variants / max(1 - settings.short, 1e-9), 1.0), len(who)
    )
    for number, form in enumerate(forms):
        name = choose(is_variant & (which == number), form, name)
    return name
