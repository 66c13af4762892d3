r"""What is known, written down: the constraint language (TOML).

    [[dictionary]]                    # words or phrases that name something
    label = "Cuisine"
    words = ["thai", "dim sum"]       # and/or file = "cuisines.txt", an entry a line
    share = 0.8                       # in at least this share of their occurrences (default 0.8)
    each = true                       # a constraint for each word, not one for all (default false)

    [[pattern]]                       # words, a|b for either, # a number, * any word, {Label} a slot of 1 … longest words,
    pattern = "near {Location}"       # {Label: within # miles} a slot with given words
    share = 0.7

    [[token]]                         # a regular expression on one token
    regex = '^(19|20)\d\d\b'
    label = ["date"]                  # any of these

    [[start]]    label = ["author"]   share = 0.9      # the first segment's label; [[end]]: the last one's
    [[length]]   label = "*"  at_most = 2  share = 0.7 # of the segments of a label (*: each but the other label)
    [[order]]    label = "author"  after = ["title"]   share = 0.9   # what follows a label directly
    [[border]]   share = 0.9                           # labels change only after punctuation
    [[once]]     label = "title"                       # at most one run a text (SampleRank, CODL)
    [[present]]  label = "title"      share = 0.9      # at least one segment a text
    [[proportion]] label = "OTHER"    share = 0.5      # of all tokens, at least; most = … at most
    [[common]]   label = "OTHER"                       # no label has more tokens
    [[separator]] token = "|"                          # stands alone and is OTHER

Every table may have `strength` (p_i of SampleRank, default 1). The same file serves alternating projections, SampleRank,
CODL and the rule baseline; a way to learn that cannot use a kind of constraint says so.
"""  # noqa: E501

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from onoma.errors import DataError, SettingsError
from onoma.learning.taxonomy import Taxonomy

__all__ = ["Constraint", "LabelSet", "parse_constraints", "read_constraints", "read_labels"]

SLOT = re.compile(r"\{\s*([^{}:]+?)\s*(?::\s*([^{}]*?)\s*)?\}")
"""The slot of a pattern: its label, and the words given for it."""
KINDS = {
    "dictionary": {"label", "words", "file", "share", "each", "strength"},
    "pattern": {"pattern", "share", "longest", "strength"},
    "token": {"regex", "label", "share", "strength"},
    "start": {"label", "share", "strength"},
    "end": {"label", "share", "strength"},
    "length": {"label", "at_most", "share", "strength"},
    "order": {"label", "after", "share", "strength"},
    "border": {"share", "strength"},
    "once": {"label", "strength"},
    "present": {"label", "share", "strength"},
    "proportion": {"label", "share", "most", "strength"},
    "common": {"label", "strength"},
    "separator": {"token", "share", "strength"},
}
"""The kinds of constraints and the keys each may have."""


@dataclass(frozen=True)
class LabelSet:
    """The labels, their tree, and the one of everything else (None: every token belongs to a field)."""

    taxonomy: Taxonomy
    other: str | None = "OTHER"

    @property
    def other_id(self) -> int:
        """Return the number of the other label, -1 for none."""
        return -1 if self.other is None else self.taxonomy.labels.index(self.other)

    @classmethod
    def of(
        cls, labels: Sequence[str], *, other: str | None = "OTHER", parents: Mapping[str, str] | None = None
    ) -> "LabelSet":
        """Return labels by name; the other label is added in front if it is not among them."""
        names = list(labels) if other is None or other in labels else [other, *labels]
        up = {name: (parents or {}).get(name) for name in names}
        unknown = sorted(set(parents or {}) - set(names))
        if unknown:
            raise SettingsError(
                f"{', '.join(unknown)} has a parent but is no label", hint=f"Labels: {', '.join(names)}"
            )
        if not names or len(set(names)) < len(names):
            raise SettingsError("labels must be given, each once")
        return cls(Taxonomy.of(up), other)

    def find(self, name: str, where: str) -> int:
        """Return a label's number, or say which there are."""
        if name not in self.taxonomy.labels:
            raise SettingsError(
                f"{where}: there is no label {name!r}", hint=f"Labels: {', '.join(self.taxonomy.labels)}"
            )
        return self.taxonomy.labels.index(name)


@dataclass(frozen=True)
class Constraint:
    """One table of the file.

    Attributes
    ----------
    kind
        Which table.
    labels
        Numbers of the labels meant.
    words, pattern, regex, token
        What it looks for.
    share, most, strength, longest, at_most, each, after
        As in the file.
    name
        How it is called in reports.
    """

    kind: str
    name: str
    labels: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    pattern: str = ""
    regex: str = ""
    token: str = ""
    share: float = 0.8
    most: float | None = None
    strength: float = 1.0
    longest: int = 3
    at_most: int = 0
    each: bool = False
    after: tuple[int, ...] = ()

    def facts(self) -> dict[str, Any]:
        """Return it JSON-ready."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def read_labels(path: Path) -> LabelSet:
    """Read `labels = […]`, `other = "…"` (or false) and a table `[parents]`."""
    table = _read_toml(path)
    unknown = sorted(set(table) - {"labels", "other", "parents"})
    if unknown or not isinstance(table.get("labels"), list):
        raise DataError(
            f'has {", ".join(sorted(table)) or "nothing"}; wanted labels = ["…"], and other and [parents] if needed',
            file=path,
        )
    other = table.get("other", "OTHER")
    return LabelSet.of(
        [str(name) for name in table["labels"]],
        other=None if other is False else str(other),
        parents=table.get("parents", {}),
    )


def read_constraints(path: Path, labels: LabelSet) -> list[Constraint]:
    """Read a file of constraints."""
    return parse_constraints(_read_toml(path), labels, where=str(path), folder=path.parent)


def parse_constraints(
    table: Mapping[str, Any], labels: LabelSet, *, where: str = "constraints", folder: Path | None = None
) -> list[Constraint]:
    """Return the constraints of a TOML document; everything in it must be understood.

    Examples
    --------
    >>> labels = LabelSet.of(["CITY"])
    >>> parse_constraints({"dictionary": [{"label": "CITY", "words": ["rome"]}]}, labels)[0].words
    ('rome',)
    """
    found = []
    for kind, tables in table.items():
        if kind not in KINDS:
            raise SettingsError(f"{where}: there is no kind of constraint {kind!r}", hint=f"Kinds: {', '.join(KINDS)}")
        if not isinstance(tables, list):
            raise SettingsError(f"{where}: write [[{kind}]] with two brackets; there may be several")
        for i, each in enumerate(tables):
            found.append(_constraint(kind, each, labels, f"{where}: [[{kind}]] number {i + 1}", folder))
    return found


def _constraint(kind: str, table: Mapping[str, Any], labels: LabelSet, where: str, folder: Path | None) -> Constraint:
    unknown = sorted(set(table) - KINDS[kind])
    if unknown:
        raise SettingsError(
            f"{where} does not know {', '.join(unknown)}", hint=f"It may have: {', '.join(sorted(KINDS[kind]))}"
        )
    given: dict[str, Any] = {"kind": kind}
    for key in ("share", "most", "strength"):
        if key in table:
            given[key] = _number(table[key], f"{where}, {key}", top=None if key == "strength" else 1.0)
    for key in ("longest", "at_most"):
        if key in table:
            given[key] = int(_number(table[key], f"{where}, {key}", top=None))
    for key in ("pattern", "regex", "token"):
        if key in table:
            given[key] = str(table[key])
    given["each"] = bool(table.get("each", False))
    given["labels"] = _labels(table.get("label", ()), labels, where)
    given["after"] = _labels(table.get("after", ()), labels, where)
    if kind == "dictionary":
        given["words"] = _words(table, where, folder)
    _need(kind, given, labels, where)
    names = "/".join(labels.taxonomy.labels[y] for y in given["labels"])
    what = given.get("pattern") or given.get("regex") or given.get("token") or ""
    return Constraint(name=" ".join(part for part in (kind, what, names) if part), **given)


def _need(kind: str, given: Mapping[str, Any], labels: LabelSet, where: str) -> None:
    """Refuse a table that lacks what its kind cannot do without."""
    key = {"pattern": "pattern", "token": "regex", "separator": "token", "length": "at_most"}.get(kind)
    if key is not None and not given.get(key):
        raise SettingsError(f"{where} needs {key}")
    if kind not in ("pattern", "border", "separator") and not given["labels"]:
        raise SettingsError(f"{where} needs label")
    if kind == "token":
        try:
            re.compile(given["regex"])
        except re.error as error:
            raise SettingsError(f"{where}: {given['regex']!r} is no regular expression: {error}") from error
    if kind == "pattern":
        slots = SLOT.findall(given["pattern"])
        if len(slots) != 1:
            raise SettingsError(
                f"{where}: {given['pattern']!r} has {len(slots)} slots; it needs one",
                hint="For example: near {Location}",
            )
        labels.find(slots[0][0], where)
        if not SLOT.sub(r"\2", given["pattern"]).strip():
            raise SettingsError(
                f"{where}: {given['pattern']!r} has no words: it would fire everywhere",
                hint="Use [[proportion]] for that.",
            )


def _labels(value: Any, labels: LabelSet, where: str) -> tuple[int, ...]:  # noqa: ANN401
    if value == "*":
        return tuple(y for y in range(len(labels.taxonomy)) if y != labels.other_id)
    names = [value] if isinstance(value, str) else list(value)
    return tuple(labels.find(str(name), where) for name in names)


def _number(value: Any, where: str, *, top: float | None) -> float:  # noqa: ANN401
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or (top is not None and value > top):
        raise SettingsError(f"{where} is {value!r}; allowed are numbers from 0{'' if top is None else f' to {top:g}'}")
    return float(value)


def _words(table: Mapping[str, Any], where: str, folder: Path | None) -> tuple[str, ...]:
    if not isinstance(table.get("words", []), list):
        raise SettingsError(f"{where}: words is {table['words']!r}; it is a list", hint='For example: words = ["rome"]')
    words = [str(word) for word in table.get("words", ())]
    if "file" in table:
        path = Path(str(table["file"]))
        path = path if path.is_absolute() or folder is None else folder / path
        try:
            words += [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"the dictionary cannot be read: {error}", file=path) from error
    if not words:
        raise SettingsError(f"{where} has no words", hint='Give words = ["…"] or file = "…".')
    return tuple(dict.fromkeys(words))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"is no TOML: {error}", file=path) from error
