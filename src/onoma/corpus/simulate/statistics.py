"""What a corpus with gold labels is like: sizes, ambiguity, variation. It need not be a simulated one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.special import zeta

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, SettingsError

__all__ = ["Kind", "Statistics", "statistics"]

Kind = Literal["people", "authors", "mentions"]
FREE_TEXT = ("title", "coauthors", "context")
NAMES: Mapping[str, tuple[str, ...]] = {
    "people": ("given_name", "surname"),
    "authors": ("first", "last"),
    "mentions": ("name",),
}


@dataclass(frozen=True)
class Statistics:
    """The measures of one corpus."""

    rows: int
    entities: int
    mean_size: float
    largest: int
    singletons: float
    """Share of entities with one row."""
    tail_exponent: float | None
    """Maximum-likelihood exponent of the sizes under the zeta law P(k) ∝ k**-a; None if all are singletons."""
    shared_names: float
    """Share of entities with a full name (given name spelt out, and surname) that is also another entity's."""
    shared_initials: float
    """The same for the first initial and surname."""
    entities_per_name: float
    """Mean number of entities that bear one first initial and surname."""
    most_ambiguous: int
    """The most entities that bear one first initial and surname."""
    forms: float
    """Mean number of different names of an entity, over entities with two rows or more."""
    differing: dict[str, float]
    """For each field but free text, the share of pairs of rows of one entity, next to each other, that differ in it."""
    missing: dict[str, float]
    """For each field, the share of rows without a value."""


def statistics(table: pa.Table, kind: Kind) -> Statistics:
    """Measure a table with `cluster_id` and the fields of its kind.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> statistics(simulate_people(1000, seed=1), "people").entities
    600
    """
    if kind not in NAMES:
        raise SettingsError(f"there is no kind of corpus {kind!r}", hint="Kinds: " + ", ".join(NAMES))
    lacking = [name for name in ("cluster_id", *NAMES[kind]) if name not in table.column_names]
    if lacking or not table.num_rows:
        raise DataError(f"the table lacks {', '.join(map(repr, lacking)) or 'rows'}; it cannot be measured as {kind}")
    truth = Clustering.from_labels(table["cluster_id"])
    full, brief = _names(table, kind)
    fields = [name for name in table.column_names if name not in ("id", "cluster_id")]
    shared_full, _ = _sharing(full, truth)
    shared_brief, bearers = _sharing(brief, truth)
    return Statistics(
        rows=table.num_rows,
        entities=truth.n_entities,
        mean_size=float(truth.sizes.mean()),
        largest=int(truth.sizes.max()),
        singletons=float((truth.sizes == 1).mean()),
        tail_exponent=_tail_exponent(truth.sizes),
        shared_names=shared_full,
        shared_initials=shared_brief,
        entities_per_name=float(bearers.mean()) if len(bearers) else 0.0,
        most_ambiguous=int(bearers.max()) if len(bearers) else 0,
        forms=_forms(_codes(_written(table, kind)), truth),
        differing={name: _differing(_codes(table[name]), truth) for name in fields if name not in FREE_TEXT},
        missing={name: table[name].null_count / table.num_rows for name in fields},
    )


def _written(table: pa.Table, kind: str) -> pa.Array:
    parts = [table[name] for name in NAMES[kind]]
    return parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, " ")


def _names(table: pa.Table, kind: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return codes of the full names, and of initial and surname; -1 where the row does not have one."""
    name = pc.utf8_lower(_written(table, kind))
    if kind == "mentions":
        name = pc.replace_substring_regex(name, r"^([^,]+), (.+)$", r"\2 \1")
        name = pc.replace_substring_regex(name, r"^dr ", "")
    empty = pa.scalar(None, pa.string())
    full = pc.if_else(pc.match_substring_regex(name, r"^\pL[^. ].* "), name, empty)
    two = pc.if_else(pc.match_substring_regex(name, r"^[^ ]+ [^ ]"), name, empty)
    brief = pc.replace_substring_regex(two, r"^(\pL)[^ ]* ", r"\1 ")
    return _codes(full), _codes(brief)


def _codes(column: pa.Array | pa.ChunkedArray) -> NDArray[np.int64]:
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    # One copy, which also makes it writable: Numba would compile anew for Arrow's own memory.
    indices = [pc.fill_null(chunk.indices.cast(pa.int64()), -1) for chunk in encoded.chunks]
    return np.concatenate(indices)


def _sharing(name: NDArray[np.int64], truth: Clustering) -> tuple[float, NDArray[np.int64]]:
    """Return the share of entities that have a name in common with another, and how many bear each name."""
    names = Clustering.from_labels(name)
    one = _one_of_each(names.intersect(truth))
    bearers = np.bincount(names.labels[one], minlength=names.n_entities)
    shares = np.zeros(truth.n_entities, dtype=bool)
    shares[truth.labels[one[bearers[names.labels[one]] > 1]]] = True
    return float(shares.mean()), bearers


def _forms(name: NDArray[np.int64], truth: Clustering) -> float:
    one = _one_of_each(Clustering.from_labels(name).intersect(truth))
    forms = np.bincount(truth.labels[one], minlength=truth.n_entities)[truth.sizes > 1]
    forms = forms[forms > 0]
    return float(forms.mean()) if len(forms) else 1.0


def _one_of_each(cells: Clustering) -> NDArray[np.int64]:
    """Return one item of every entity."""
    return cells.order[cells.offsets[:-1]]


def _differing(value: NDArray[np.int64], truth: Clustering) -> float:
    """Compare each row with the next one of its entity, where both have a value."""
    together = np.ones(len(truth.order), dtype=bool)
    together[truth.offsets[:-1]] = False
    value = value[truth.order]
    here, before = value[1:], value[:-1]
    pairs = together[1:] & (here >= 0) & (before >= 0)
    return float((here != before)[pairs].mean()) if pairs.any() else 0.0


def _tail_exponent(sizes: NDArray[np.int64]) -> float | None:
    """Maximise -a · mean(log k) - log ζ(a)."""
    mean_log = float(np.log(sizes).mean())
    if mean_log == 0:
        return None
    from scipy.optimize import minimize_scalar  # takes long to load, and every command knows simulated names

    found = minimize_scalar(lambda a: a * mean_log + np.log(zeta(a)), bounds=(1.01, 20), method="bounded")
    return float(found.x)
