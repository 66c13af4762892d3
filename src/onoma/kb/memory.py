"""What a later run needs of a resolution: how columns are read, and what agreement weighs.

Nothing is learnt anew from a few new records. They are written as the old ones were (the same kinds, the same values
taken for missing), and weighed by the weights that the old ones gave.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.numerics.archive import ArchiveError, read_sealed, write_sealed
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.blocking.conditions import RULES
from onoma.resolve.comparison.weights import Weights
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Capability
from onoma.resolve.fields.columns import read_texts
from onoma.resolve.fields.field import FieldData, Kind
from onoma.resolve.fields.kinds import VECTOR, find_kind
from onoma.resolve.fields.missing import all_by_form, by_form
from onoma.resolve.posterior.checkpoint import weight_parts
from onoma.resolve.registry import find_model, settings_of
from onoma.resolve.result import Resolution
from onoma.resolve.types.together import TypedResolution

__all__ = [
    "SEVERAL_TYPES",
    "TAKEN_APART",
    "FieldMemory",
    "Memory",
    "Written",
    "earlier_config",
    "flat_weights",
    "memory_from_bytes",
    "remember",
    "write_text",
    "write_values",
]

TAKEN_APART = "one column was taken apart into several fields, as all records together tell"
SEVERAL_TYPES = "rows are of several types, each with weights of its own"
_YEAR_ALONE = "1 January"
_FIRST_DAY = "-01-01"
_EARLIER = (
    ("comparison", "comparison", "kinds"),
    ("merge_cost", "threshold", 0.5),
    ("samples", "n_samples", 100),
    ("burn_in", "n_burn_in", 30),
    ("entities", "n_entities", None),
)
"""What an option is called now and was called before, and its value where nobody spoke."""


@dataclass(frozen=True)
class FieldMemory:
    """How one field was made of its columns."""

    name: str
    kind: str
    reason: str
    columns: tuple[str, ...]
    levels: tuple[str, ...]
    placeholders: tuple[str, ...] = ()
    """Normalised values that were taken for missing because they are too frequent."""
    bare_years: bool = False
    """A first of January is a year alone."""
    own: dict[str, Any] | None = None
    """Where the kind was described by a table: that."""

    @property
    def made(self) -> Kind:
        """How values are written and compared."""
        return find_kind(self.kind if self.own is None else self.own)


@dataclass(frozen=True, eq=False)
class Memory:
    """How records are read and weighed."""

    fields: tuple[FieldMemory, ...]
    weights: Weights
    n_records: int
    """Of how many records the weights were learnt."""
    config: ResolveConfig
    why_not: str = ""
    """Why new records cannot be added one by one, if they cannot."""
    is_stated: bool = False
    """All that is known of pairs is how probable somebody says they are: scores."""
    is_own: bool = False
    """The model draws for itself: what it says is kept as it is, and judgements are laid over it (`own/`)."""

    @property
    def blocking(self) -> CanopySettings:
        """How far to look for the neighbours of new records."""
        settings = settings_of(find_model(self.config.model), self.config)
        found: CanopySettings = getattr(settings, "blocking", None) or CanopySettings()
        return found

    def weights_for(self, n: int) -> Weights:
        """Return the weights for so many records: any one of them is the less likely to be the origin of another."""
        scale = self.n_records / max(n, 1)
        return replace(self.weights, kappa=self.weights.kappa * scale, sigma=self.weights.sigma * scale)

    def to_bytes(self) -> bytes:
        """Write it as arrays and JSON."""
        plain, arrays = weight_parts(self.weights)
        header = {
            "fields": [asdict(each) for each in self.fields],
            "weights": plain,
            "n_records": self.n_records,
            "config": self.config.to_json(),
            "why_not": self.why_not,
            "is_stated": self.is_stated,
            "is_own": self.is_own,
        }
        file = io.BytesIO()
        write_sealed(file, header, arrays, compress=True)
        return file.getvalue()


def memory_from_bytes(data: bytes) -> Memory:
    """Read what `Memory.to_bytes` wrote."""
    if not data:
        raise DataError("nothing was learnt that new records could be weighed by")
    header, arrays, is_sealed, is_whole = read_sealed(io.BytesIO(data))
    if is_sealed and not is_whole:
        raise ArchiveError("it does not fit its seal")
    parts: dict[str, Any] = header["weights"] | {
        name.removeprefix("weights."): np.ascontiguousarray(array) for name, array in arrays.items()
    }
    known = {each.name for each in fields(Weights)}
    weights = Weights(**{name: value for name, value in parts.items() if name in known})
    specs = tuple(_field_from(each) for each in header["fields"])
    config = ResolveConfig.of(header["config"]) if "config" in header else earlier_config(header["settings"])
    how = {name: header.get(name, False) for name in ("is_stated", "is_own")}
    return Memory(specs, weights, header["n_records"], config, header["why_not"], **how)


def _field_from(found: dict[str, Any]) -> FieldMemory:
    """Return a field that was kept as JSON, which has no tuples."""
    parts: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
    return FieldMemory(**parts)


def earlier_config(found: dict[str, Any]) -> ResolveConfig:
    """Return the configuration of settings that an earlier version kept; what was as it is now if nothing is said."""
    same = {"model": "model", "seed": "seed", "link": "link", "one_to_one": "one_to_one"}
    given = {name: found[old] for name, old in same.items() if found.get(old)}
    for name, old, default in _EARLIER:
        if found.get(old, default) != default:
            given[name] = found[old]
    if found.get("canopies", {}).get("neighbours") is not None:
        given["neighbours"] = found["canopies"]["neighbours"]
    return ResolveConfig.of(given)


def remember(resolution: Resolution, *, rules: bool = False) -> Memory | None:
    """Return what a later run needs; None if nothing was compared. `rules`: people asked for pairs of their own."""
    if resolution.posterior is None:
        return None
    specs = tuple(_remember_field(resolution, each) for each in resolution.fields.fields)
    why_not = _why_not(resolution, rules=rules)
    if resolution.weighed is None and not why_not:
        why_not = f"the model {resolution.config.model} weighs no pairs"
    weights = flat_weights() if resolution.weighed is None else resolution.weighed.weights
    return Memory(specs, weights, len(resolution.table), resolution.config, why_not, is_own=bool(why_not))


def flat_weights() -> Weights:
    """Return weights that say nothing of fields: all that is known of a pair is what is stated of it."""
    none = np.zeros(0, dtype=np.int64)
    return Weights(none, np.zeros((3, 0, 1, 1)), np.zeros((0, 1)), 1.0, 0.0, none)


def _remember_field(resolution: Resolution, field: FieldData) -> FieldMemory:
    gone = [each for each in resolution.fields.missing_report if each.column == field.name]
    frequent = [each.value for each in gone if by_form(each.value, field.kind) is None and each.value != _YEAR_ALONE]
    bare = field.kind == "date" and any(each.value == _YEAR_ALONE for each in gone)
    about = (field.name, field.kind, field.reason, field.columns, field.levels)
    said = resolution.config.kinds.get(field.columns[0])
    own = dict(said) if isinstance(said, Mapping) else None
    return FieldMemory(*about, placeholders=tuple(frequent), bare_years=bare, own=own)


def _why_not(resolution: Resolution, *, rules: bool) -> str:
    config = resolution.config
    if isinstance(resolution, TypedResolution):
        return SEVERAL_TYPES
    if len({field.columns for field in resolution.fields.fields}) < len(resolution.fields.fields):
        return TAKEN_APART
    if Capability.INCREMENTAL not in find_model(config.model).capabilities:
        return f"the model is {config.model}"
    if config.comparison not in (None, "kinds"):
        return "how values change is learnt from all records"
    if config.link:
        return "records are linked between sources"
    if resolution.block is not None or rules or any(getattr(config, rule) for rule in RULES):
        return "there are blocks, or pairs that were asked for"
    for field in resolution.fields.fields:
        if field.kind == VECTOR or len(field.columns) > 1:
            return f"the field {field.name} is made of vectors or of several columns"
        if field.kind == "set" and "left out of it" in field.reason:
            return f"the field {field.name} depends on another"
    return ""


@dataclass(frozen=True, eq=False)
class Written:
    """The values of some records in one field."""

    values: list[str]
    """Distinct and normalised."""
    examples: list[str]
    codes: NDArray[np.int32]
    """For each record its value; -1: missing."""


def write_text(field: FieldMemory, text: str | None, beside: Sequence[str]) -> tuple[str, str]:
    """Write the value of one new record as the old ones were written; return it and as it came, both empty if missing.

    It is what `write_values` does of a column of one, without the time that columns take.
    """
    raw = "" if text is None else text.strip()
    if not raw or by_form(raw, field.kind) is not None:
        return "", ""
    normal = field.made.normalise([raw, *beside])[0]
    value = normal[:4] + "-00-00" if field.bare_years and normal.endswith(_FIRST_DAY) else normal
    return ("", "") if value in field.placeholders or not value else (value, raw)


def write_values(field: FieldMemory, column: pa.ChunkedArray, beside: Sequence[str]) -> Written:
    """Write a column of new records as the old ones were written.

    Parameters
    ----------
    beside
        Raw values of old records. How a value is to be read may depend on the others (is 3/4 in March or in April?).
    """
    texts = read_texts(column, field.name)
    if texts is None:
        return Written([], [], np.full(len(column), -1, dtype=np.int32))
    reasons = all_by_form(texts.raw, field.kind)
    raw = list(texts.raw)
    kept = [i for i in range(len(raw)) if i not in reasons]
    normal = field.made.normalise([*(raw[i] for i in kept), *beside])[: len(kept)]
    gone = {"", *field.placeholders}
    known: dict[str, int] = {}
    examples: list[str] = []
    place = np.full(len(raw) + 1, -1, dtype=np.int32)  # the last is where -1 points
    for i, text in zip(kept, normal, strict=True):
        value = text[:4] + "-00-00" if field.bare_years and text.endswith(_FIRST_DAY) else text
        if value in gone:
            continue
        if value not in known:
            known[value] = len(known)
            examples.append(raw[i])
        place[i] = known[value]
    return Written(list(known), examples, place[texts.codes])
