"""Records resolved by one name and its context: the phylogeny told in the words of the other models."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.progress import SILENT, Progress
from onoma.resolve.blocking.canopies import Candidates
from onoma.resolve.fields.field import FieldData
from onoma.resolve.models.phylogeny.mentions import Mentions
from onoma.resolve.models.phylogeny.model import NameModel, Phylogeny, PhylogenySettings
from onoma.resolve.models.phylogeny.topics import find_topics, tokens_of
from onoma.resolve.posterior.copying import Draws

__all__ = ["name_draws", "name_fields"]

_NAMES = ("person", "organisation", "place", "text")
"""Kinds of fields that may be the name, the best first."""
_ONE_WORD = 1.3
"""Words in a value, on average, up to which it is a part of a name."""


def name_fields(fields: Sequence[FieldData]) -> list[FieldData]:
    """Return the fields that name a record: of the first kind there is, the fullest, or all where each has one word."""
    for kind in _NAMES:
        named = [field for field in fields if field.kind == kind]
        if named:
            fullest = max(named, key=_mean_words)
            return [fullest] if _mean_words(fullest) > _ONE_WORD else named
    raise SettingsError(
        f"the phylogeny needs a name; the fields are {', '.join(f'{field.name} ({field.kind})' for field in fields)}",
        hint="Say which column is one: --field COLUMN=person.",
    )


def _mean_words(field: FieldData) -> float:
    words = [value.count(" ") + 1 for value in field.values]
    return float(np.average(words, weights=field.counts)) if words else 0.0


def name_draws(
    fields: Sequence[FieldData],
    *,
    block: NDArray[np.int32] | None = None,
    settings: PhylogenySettings | None = None,
    progress: Progress = SILENT,
) -> tuple[Candidates, Draws]:
    """Resolve records by their names; fields of text are context. Return the candidate pairs and what was sampled.

    Parameters
    ----------
    block
        Only records of one block can be the same.
    """
    named = name_fields(fields)
    names = [" ".join(filter(None, parts)) for parts in zip(*map(_texts, named), strict=True)]
    kinds = None if block is None else [str(number) for number in block.tolist()]
    mentions = Mentions(names, kinds, topics=_topics(fields, named, settings), is_apart=True)
    model = NameModel(mentions, settings or PhylogenySettings())
    model.learn(progress=progress)
    return _told(model.sample(progress=progress))


def _texts(field: FieldData) -> list[str]:
    return ["" if code < 0 else field.examples[code] for code in field.codes.tolist()]


def _topics(
    fields: Sequence[FieldData], named: Sequence[FieldData], settings: PhylogenySettings | None
) -> NDArray[np.int32] | None:
    context = [_texts(field) for field in fields if field.kind == "text" and field not in named]
    if not context:
        return None
    texts = [" ".join(parts) for parts in zip(*context, strict=True)]
    return find_topics(tokens_of(texts), seed=settings.seed if settings else 0).most


def _told(phylogeny: Phylogeny) -> tuple[Candidates, Draws]:
    """Tell a phylogeny, one node a record, as pairs in order and as draws."""
    pairs, descent, place = phylogeny.pairs, phylogeny.descent, phylogeny.nodes.place
    record = np.empty(len(place), dtype=np.int32)
    record[place] = np.arange(len(place), dtype=np.int32)
    one, other = record[pairs.a], record[pairs.b]
    a, b = np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((b, a))
    copied = descent.descended.reshape(-1, 2).sum(1)[order]
    together = descent.together[order]
    roots = record[descent.roots[:, place]]
    n_alone = len(place) - len(np.unique(np.concatenate([a, b])))
    draws = Draws(descent.n_sweeps, copied, np.zeros(len(a)), together, together, descent.n_entities, roots)
    return Candidates(a[order], b[order], 0, n_alone), draws
