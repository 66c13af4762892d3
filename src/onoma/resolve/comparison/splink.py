"""Models of Splink: their comparisons as levels of one's own, their m and u as weights, their blocking rules.

A model that Splink has saved (`linker.misc.save_model_to_json`) says for each comparison which SQL conditions are its
levels and, once trained, how often matches (m) and others (u) are at each. Conditions on one column become a kind of
one's own, m and u the shares of copies and strangers at its levels, and the probability that two random records match
the prior. What cannot be said here (conditions on several columns) is left out, and told.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onoma.corpus.readers.source import read_text
from onoma.corpus.store import check_expressions
from onoma.errors import DataError, OnomaError
from onoma.resolve.comparison.given import SHARES

__all__ = ["SplinkModel", "read_splink"]

_SIDE = re.compile(r'"?\b(\w+)_(l|r)\b"?')
_EQUAL = re.compile(r'"?(\w+)_l"?\s*=\s*"?(\w+)_r"?')
_MOST = 30.0
"""Bits that a level weighs at most: an m or u of 0 is what nobody has seen, and no proof."""


@dataclass(frozen=True)
class SplinkModel:
    """A model of Splink, said as settings and weights."""

    settings: dict[str, Any]
    """As TOML has them."""
    weights: dict[str, Any] | None
    """The prior and what each level weighs; None: the model was not trained."""
    notes: list[str] = field(default_factory=list)
    """What could not be taken over."""


@dataclass(frozen=True)
class _Comparison:
    column: str
    conditions: dict[str, str]
    shares: dict[str, tuple[float, float]]
    """m and u of each level."""
    is_adjusted: bool
    """Whether equal values weigh the more the rarer they are."""


def read_splink(path: Path) -> SplinkModel:
    """Read a model that Splink has saved as JSON."""
    try:
        model = json.loads(read_text(path))
        comparisons: Sequence[Mapping[str, Any]] = [each for each in model["comparisons"] if each["comparison_levels"]]
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        hint = "Splink saves one: linker.misc.save_model_to_json(FILE)."
        raise DataError(f"is no model of Splink: {why}", file=path, hint=hint) from error
    if not comparisons:
        raise DataError("is no model of Splink: it has no comparisons", file=path)
    notes: list[str] = []
    found: dict[str, _Comparison] = {}
    for each in comparisons:
        taken = _comparison(each, notes)
        if taken is not None and taken.column in found:
            notes.append(f"{taken.column} is compared twice; the first comparison is taken")
        elif taken is not None:
            found[taken.column] = taken
    if not found:
        raise DataError("no comparison of this model is of one column", file=path, hint="; ".join(notes))
    return SplinkModel(_settings(model, found, notes), _weights(model, found, notes), notes)


def _comparison(said: Mapping[str, Any], notes: list[str]) -> _Comparison | None:
    """Return a comparison of one column; None, and why, if it is of several."""
    name = str(said.get("output_column_name", "a comparison"))
    levels = [each for each in said["comparison_levels"] if not each.get("is_null_level")]
    texts = [str(each["sql_condition"]) for each in levels]
    columns = {found.group(1) for text in texts for found in _SIDE.finditer(text)}
    if len(columns) != 1:
        notes.append(f"{name} compares {len(columns)} columns at once ({', '.join(sorted(columns))}): left out")
        return None
    conditions: dict[str, str] = {}
    shares: dict[str, tuple[float, float]] = {}
    is_adjusted = False
    for at, (each, text) in enumerate(zip(levels, texts, strict=True)):
        if text.strip().upper() == "ELSE":
            level = "different"
        elif at == 0 and _EQUAL.fullmatch(text.strip()):
            level, is_adjusted = "equal", bool(each.get("tf_adjustment_column"))
        else:
            level = _named(str(each.get("label_for_charts") or text), conditions)
            condition = _SIDE.sub(lambda found: "a" if found.group(2) == "l" else "b", text)
            try:
                check_expressions([condition], ("a", "b"), f"the level {level!r} of {name}")
            except OnomaError as error:
                notes.append(f"{error}: the level is left out".splitlines()[0])
                continue
            conditions[level] = condition
        if each.get("m_probability") is not None and each.get("u_probability") is not None:
            shares[level] = (float(each["m_probability"]), float(each["u_probability"]))
    if "equal" not in shares and shares:
        shares["equal"] = next(iter(shares.values()))
    return _Comparison(columns.pop(), conditions, shares, is_adjusted)


def _named(label: str, taken: Mapping[str, str]) -> str:
    """Return a name for a level that none has yet."""
    return next(
        name for name in (label, *(f"{label} {i}" for i in range(2, 100))) if name not in (*taken, "equal", "different")
    )


def _settings(model: Mapping[str, Any], found: Mapping[str, _Comparison], notes: list[str]) -> dict[str, Any]:
    settings: dict[str, Any] = {"model": "copying"}
    if model.get("unique_id_column_name"):
        settings["id"] = str(model["unique_id_column_name"])
    if model.get("link_type") in ("link_only", "link_and_dedupe"):
        settings["source"] = str(model.get("source_dataset_column_name") or "source_dataset")
    if model.get("link_type") == "link_only":
        settings["link"] = True
    rules = [each if isinstance(each, str) else str(each.get("blocking_rule", "")) for each in _rules(model)]
    kept = []
    for rule in rules:
        if re.search(r"\bl\.", rule) and re.search(r"\br\.", rule):
            kept.append(rule)
        else:
            notes.append(f"the blocking rule {rule!r} is left out: it does not speak of l and r")
    if kept:
        settings["block_on"] = kept
    # Values are compared as they are; a column that is only equal or not has no levels of its own.
    kinds: dict[str, Any] = {}
    for column, each in found.items():
        conditions = each.conditions or {"equal but for case": "lower(a) = lower(b)"}
        kinds[column] = {"normalise": "x", "levels": conditions}
    return settings | {"kinds": kinds}


def _rules(model: Mapping[str, Any]) -> Sequence[Any]:
    found = model.get("blocking_rules_to_generate_predictions") or []
    return found if isinstance(found, list) else []


def _weights(model: Mapping[str, Any], found: Mapping[str, _Comparison], notes: list[str]) -> dict[str, Any] | None:
    untrained = [name for name, each in found.items() if len(each.shares) < 2]
    if untrained:
        notes.append(
            f"the model is not trained for {', '.join(untrained)}: what agreement weighs is learnt from your records"
        )
        return None
    fields = {}
    for name, each in found.items():
        levels: dict[str, Any] = {}
        for level, (m, u) in each.shares.items():
            bits = max(-_MOST, min(_MOST, math.log2(max(m, 1e-12) / max(u, 1e-12))))
            levels[level] = round(bits, 4)
            if level == "equal" and each.is_adjusted and 0 < m <= 1 and 0 < u <= 1:
                levels[level] = dict(zip(SHARES, (round(bits, 4), m, u), strict=True))
        for level in ("equal but for case",) if not each.conditions else ():
            levels[level] = levels.get("different", 0.0)
        levels.setdefault("different", 0.0)
        fields[name] = {level: levels[level] for level in ("equal", *levels) if level in levels}
    share = model.get("probability_two_random_records_match")
    prior = {} if not share or not 0 < share < 1 else {"prior": round(math.log2(share / (1 - share)), 4)}
    return prior | {"fields": fields}
