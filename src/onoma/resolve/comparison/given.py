"""Weights that are given in a file, instead of learnt.

The table `weights` that a run writes (CSV, Parquet…: `field`, `level`, `bits` and, if they are there, `copied` and
`strangers`), or JSON or TOML:

    prior = -10.5             # bits of a pair before any evidence; left out: learnt

    [fields.surname]
    equal = 9.2
    "one slip" = 5.0
    different = -4.0

    [fields.city]
    equal = { bits = 6.1, copied = 0.9, strangers = 0.013 }

With both shares of a level, equal values weigh the more the rarer they are; bits alone are taken as they are. Fields
that are not mentioned say nothing. How fields depend on each other, and relatives, are not in such a file.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.readers.source import read_text
from onoma.corpus.readers.table import read_table
from onoma.errors import DataError
from onoma.resolve.comparison.weights import COPIED, FRESH, RELATED, Evidence, Weights, edge_weights
from onoma.resolve.fields.field import FieldData

__all__ = ["GivenWeights", "LevelShares", "field_names", "read_weights", "weights_from"]

_N_ROUNDS = 40
_MOST_BITS = 1000
SHARES = ("bits", "copied", "strangers")
"""What may be said of a level."""


@dataclass(frozen=True)
class LevelShares:
    """What is given about one level of one field."""

    bits: float
    copied: float | None = None
    strangers: float | None = None


@dataclass(frozen=True)
class GivenWeights:
    """What is given about fields, level by level."""

    fields: Mapping[str, Mapping[str, LevelShares]]
    prior: float | None = None
    """Bits."""
    file: str = ""


def read_weights(path: str | Path) -> GivenWeights:
    """Read a file of weights."""
    path = Path(path)
    if path.suffix.lower() in (".json", ".toml"):
        return _read_text(path)
    table = read_table(path).table
    missing = [name for name in ("field", "level", "bits") if name not in table.column_names]
    if missing:
        raise DataError(f"a table of weights has the columns field, level, bits; there is no {missing[0]!r}", file=path)
    fields: dict[str, dict[str, LevelShares]] = {}
    for number, row in enumerate(table.to_pylist(), 1):
        shares = [
            None if row.get(name) is None else _number(row, name, number, path) for name in ("copied", "strangers")
        ]
        if any(share is not None and not 0.0 <= share <= 1.0 for share in shares):
            raise DataError(f"row {number:,}: a share is from 0 to 1", file=path)
        bits = _number(row, "bits", number, path)
        fields.setdefault(str(row["field"]), {})[str(row["level"])] = LevelShares(bits, *shares)
    return GivenWeights(fields, None, str(path))


def _number(row: Mapping[str, object], name: str, number: int, path: Path) -> float:
    try:
        found = float(str(row[name]))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise DataError(f"record {number:,} has {row[name]!r}, which is no number", file=path, column=name)
    return found


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MOST_BITS:
        raise ValueError(f"{value!r} is no number of bits; it is from -{_MOST_BITS} to {_MOST_BITS}")
    return float(value)


def _level(said: object) -> LevelShares:
    """Return what is said of a level: bits, or a table of bits and both shares."""
    if not isinstance(said, Mapping):
        return LevelShares(_finite(said))
    unknown = sorted({*said} - {*SHARES})
    if unknown:
        raise ValueError(f"a level has {', '.join(SHARES)}, and no {unknown[0]!r}")
    bits, *shares = (None if name not in said else _finite(said[name]) for name in SHARES)
    if bits is None or any(share is not None and not 0.0 <= share <= 1.0 for share in shares):
        raise ValueError("a level has bits, and shares from 0 to 1")
    return LevelShares(bits, *shares)


def _read_text(path: Path) -> GivenWeights:
    import tomllib  # most runs have no such file

    try:
        text = read_text(path)
        found = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
        prior = found.get("prior")
        fields = {
            str(name): {str(level): _level(said) for level, said in levels.items()}
            for name, levels in found["fields"].items()
        }
        return GivenWeights(fields, None if prior is None else _finite(prior), str(path))
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise DataError(
            f"is no file of weights: {error}",
            file=path,
            hint='It looks like {"prior": -10, "fields": {"surname": {"equal": 9, "different": -4}}}.',
        ) from error


def weights_from(given: GivenWeights, names: Sequence[tuple[str, Sequence[str]]], evidence: Evidence) -> Weights:
    """Return given weights for the fields (name and levels) that were compared."""
    _check(given, names)
    k, n_fields = int(evidence.n_levels.max()), len(names)
    tables = np.full((3, n_fields, k + 1, k), -np.inf)
    keep = np.zeros((n_fields, k + 1))
    for f, (name, levels) in enumerate(names):
        known = given.fields.get(name)
        copied, fresh = _shares(levels, known)
        tables[COPIED, f, :, : len(levels)] = copied
        tables[FRESH, f, :, : len(levels)] = tables[RELATED, f, :, : len(levels)] = fresh
        if known is not None and f != evidence.contrast:
            keep[f] = float(all(each.copied is not None and each.strangers is not None for each in known.values()))
    kappa = 1e-6 if given.prior is None else float(2.0**given.prior)
    weights = Weights(np.full(n_fields, -1), tables, keep, kappa, 0.0, evidence.n_levels)
    return weights if given.prior is not None else _with_kappa(evidence, weights)


def field_names(
    fields: Sequence[FieldData], contrast: Sequence[str], evidence: Evidence
) -> list[tuple[str, Sequence[str]]]:
    """Return the names and the levels of what was compared, the contrast with rivals included."""
    names: list[tuple[str, Sequence[str]]] = [(each.name, each.levels) for each in fields]
    return [*names, ("contrast", contrast)] if evidence.contrast >= 0 else names


def _shares(
    levels: Sequence[str], known: Mapping[str, LevelShares] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log shares of copies and of strangers at each level, or numbers with the same difference."""
    even = np.full(len(levels), -np.log(len(levels)))
    if known is None:
        return even, even
    each = [known[level] for level in levels]
    if all(one.copied is not None and one.strangers is not None for one in each):
        shares = np.array([[one.copied, one.strangers] for one in each], dtype=np.float64)
        return np.log(np.maximum(shares[:, 0], 1e-12)), np.log(np.maximum(shares[:, 1], 1e-12))
    return even + np.array([one.bits for one in each]) * np.log(2.0), even


def _check(given: GivenWeights, names: Sequence[tuple[str, Sequence[str]]]) -> None:
    known = dict(names)
    for name, levels in given.fields.items():
        if name not in known:
            hint = f"The fields are {', '.join(known)}."
            raise DataError(f"there are weights for {name!r}, which is no field", file=given.file, hint=hint)
        odd = sorted(set(levels) ^ set(known[name]))
        if odd:
            said = "is no level" if odd[0] in levels else "has no weight"
            hint = f"The levels of {name} are: {', '.join(known[name])}."
            raise DataError(f"{odd[0]!r} {said} of {name!r}", file=given.file, hint=hint)


def _with_kappa(evidence: Evidence, weights: Weights) -> Weights:
    """Learn the prior alone: expected origins of records whose rivals come earlier with probability one half."""
    factor, _ = edge_weights(evidence, weights)
    factor = factor / weights.kappa
    kappa = 0.2 * evidence.n / evidence.n_pairs
    for _ in range(_N_ROUNDS):
        z = kappa * factor
        rivals = np.bincount(evidence.a, z, evidence.n) + np.bincount(evidence.b, z, evidence.n)
        links = sum(float((0.5 * z / (1.0 + z + 0.5 * (rivals[end] - z))).sum()) for end in (evidence.a, evidence.b))
        kappa = max(links, 0.5) / evidence.n_pairs
    return Weights(weights.parent, weights.tables, weights.keep, kappa, 0.0, weights.n_levels)
