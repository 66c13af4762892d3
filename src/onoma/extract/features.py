"""From tokens to attributes: words, affixes, shapes, kinds, neighbours, pairs, positions, dictionaries, clusters.

Every distinct word is looked at once, in Python; everything after that is array work, so a million tokens of a few
thousand words cost little more than those words. A *family* gives each word at most one value (its lower-case form, its
last three letters, its shape…). A *template* is a family at a distance: the shape of the word before. Values seen less
often than `min_count` have no attribute.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.extract.tokens import Text
from onoma.learning.sequences.semicrf_layout import Sequences

__all__ = ["FeatureMaker", "FeatureSettings", "edge_classes", "word_kind", "word_shape"]

Ints = NDArray[np.int64]
_ALONE = re.compile(r"^\W+|\W+$")
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("url", re.compile(r"(https?:|www\.|doi:|10\.\d{4})")),
    ("year", re.compile(r"^\W*(1[6-9]|20)\d\d[a-z]?\W*$")),
    ("range", re.compile(r"^\W*\d+\s*[-–—:]+\s*\d+\W*$")),
    ("issue", re.compile(r"^\W*\d+\(\d+\)\W*$")),
    ("ordinal", re.compile(r"^\W*\d+(st|nd|rd|th)\W*$", re.IGNORECASE)),
    ("number", re.compile(r"^\W*\d+\W*$")),
    ("digits", re.compile(r"\d")),
    ("initial", re.compile(r"^\W*[^\W\d_]\.?(-?[^\W\d_]\.)*\W*$")),
    ("mark", re.compile(r"^\W+$")),
)


@dataclass(frozen=True)
class FeatureSettings:
    """Which attributes a token has.

    Parameters
    ----------
    window
        Words and kinds of so many neighbours on each side.
    affixes
        Prefixes and suffixes up to this length.
    pairs
        Whether a word with its neighbour is an attribute.
    position
        Whether the place in the text is.
    edges
        Whether borders after punctuation have transitions of their own.
    min_count
        A value must be seen so often.
    pair_count
        A pair of words must be seen so often.
    """

    window: int = 2
    affixes: int = 4
    pairs: bool = True
    position: bool = True
    edges: bool = False
    min_count: int = 1
    pair_count: int = 2


def word_shape(word: str) -> str:
    """Return a word's shape, runs cut to two.

    Examples
    --------
    >>> word_shape("McCallum,"), word_shape("pp."), word_shape("1024-32")
    ('XxXxx,', 'xx.', '99-99')
    """
    classes = ["X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in word[:40]]
    return "".join(c for i, c in enumerate(classes) if i < 2 or not (c == classes[i - 1] == classes[i - 2]))


def word_kind(word: str) -> str:
    """Return what kind of token this is.

    Examples
    --------
    >>> [word_kind(word) for word in ("1992.", "5-9", "J.", "NIPS", "Proc.", "of", "&")]
    ['year', 'range', 'initial', 'capitals', 'capital', 'small', 'mark']
    """
    for name, pattern in _KINDS:
        if pattern.search(word):
            return name
    core = _ALONE.sub("", word)
    return "capitals" if core.isupper() else "capital" if core[:1].isupper() else "small"


def edge_classes(texts: Sequence[Text]) -> NDArray[np.int8]:
    """Return the class of the border before each token: 0 plain, 1 after a comma, 2 after a full stop, 3 other."""
    found: dict[str, int] = {}
    classes = []
    for text in texts:
        before = 0
        for token in text.tokens:
            classes.append(before)
            if token not in found:
                found[token] = _edge(token)
            before = found[token]
    return np.array(classes, np.int8)


def _edge(token: str) -> int:
    last = token[-1]
    if last.isalnum():
        return 0
    # An initial's full stop ends no field.
    if last == "." and word_kind(token) == "initial":
        return 0
    return {",": 1, ".": 2}.get(last, 3)


@dataclass
class FeatureMaker:
    """Learns which attributes there are, and turns texts into them.

    Parameters
    ----------
    settings
        Which kinds of attributes.
    families
        Further families by name: a value for some lower-case words (a dictionary's name, a cluster).

    Attributes
    ----------
    names_
        The attributes' names by id.
    """

    settings: FeatureSettings = field(default_factory=FeatureSettings)
    families: dict[str, dict[str, str]] = field(default_factory=dict)
    values_: dict[str, dict[str, int]] = field(default_factory=dict)
    pair_keys_: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    def fit(self, texts: Sequence[Text]) -> Self:
        """Learn the values."""
        codes, words = _coded(texts)
        counts = np.bincount(codes, minlength=len(words))
        self.values_ = {}
        for name, value_of in self._families().items():
            seen: dict[str, int] = {}
            for word, count in zip(words, counts, strict=True):
                value = value_of(word)
                if value is not None:
                    seen[value] = seen.get(value, 0) + int(count)
            kept = [value for value, count in seen.items() if count >= self.settings.min_count]
            self.values_[name] = {value: i for i, value in enumerate(kept)}
        if self.settings.pairs:
            keys = self._pair_keys(self._columns(codes, words)["w"], _offsets(texts))
            found, seen_pairs = np.unique(keys[keys >= 0], return_counts=True)
            self.pair_keys_ = found[seen_pairs >= self.settings.pair_count]
        return self

    def transform(
        self,
        texts: Sequence[Text],
        *,
        segments: tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None = None,
        n_segment_attributes: int = 0,
        extra: NDArray[Any] | None = None,
        n_extra: int = 0,
    ) -> Sequences:
        """Return the texts as attributes; `extra` holds further ids (tokens × columns, -1 for none) below `n_extra`."""
        codes, words = _coded(texts)
        offsets = _offsets(texts)
        by_word, at = self._columns(np.arange(len(words)), words), 0
        near: dict[int, list[Ints]] = {}
        for name, distance in self._templates():
            values, beyond = by_word[name], len(self.values_[name])
            near.setdefault(distance, []).append(np.append(np.where(values >= 0, values + at, -1), at + beyond))
            at += beyond + 1
        bundles = _Bundles()
        for distance, columns in near.items():
            bundles.add(np.stack(columns, axis=1), _shifted(codes, offsets, distance, 0, len(words)))
        if self.settings.pairs:
            n = len(self.pair_keys_)
            pairs = self._pairs(by_word["w"][codes], offsets)
            before = np.where(np.isin(np.arange(len(codes)), offsets), -1, np.roll(pairs, 1))
            bundles.add(np.arange(at, at + n)[:, None], pairs)
            bundles.add(np.arange(at + n, at + 2 * n)[:, None], before)
            at += 2 * n
        if self.settings.position:
            places, of_token = np.unique(_positions(offsets, at), axis=0, return_inverse=True)
            bundles.add(places, of_token.ravel())
            at += _N_POSITIONS
        if extra is not None:
            for column in extra.T:
                bundles.add(np.arange(at, at + n_extra)[:, None], column)
        at += n_extra
        bundles.add(np.array([[at]]), np.zeros(len(codes), np.int64))  # every token has it: how common is a label?
        return Sequences.of(
            bundles.attributes(at + 1),
            offsets,
            edges=edge_classes(texts) if self.settings.edges else None,
            segments=segments,
            n_segment_attributes=n_segment_attributes,
            bundles=bundles.of_tokens(),
        )

    def names(self, extra: Sequence[str] = ()) -> list[str]:
        """Return the attributes' names by id."""
        found = []
        for name, distance in self._templates():
            place = f"[{distance:+d}]" if distance else ""
            found += [f"{name}{place}={value}" for value in self.values_[name]] + [f"{name}{place}=(end)"]
        if self.settings.pairs:
            words = list(self.values_["w"])
            n = len(words)
            for place in ("w,w[+1]", "w[-1],w"):
                found += [f"{place}={words[key // n]} {words[key % n]}" for key in self.pair_keys_]
        if self.settings.position:
            found += [f"tenth={i}" for i in range(10)] + [f"from start={i}" for i in range(3)]
            found += [f"from end={i}" for i in range(3)]
        return [*found, *extra, "any"]

    def facts(self) -> dict[str, Any]:
        """Return what is needed to make it again, JSON-ready."""
        return {
            "settings": asdict(self.settings),
            "families": self.families,
            "values": {name: list(values) for name, values in self.values_.items()},
            "pairs": self.pair_keys_.tolist(),
        }

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> "FeatureMaker":
        """Make it again."""
        maker = cls(FeatureSettings(**facts["settings"]), dict(facts["families"]))
        maker.values_ = {name: {v: i for i, v in enumerate(values)} for name, values in facts["values"].items()}
        maker.pair_keys_ = np.array(facts["pairs"], np.int64)
        return maker

    def _families(self) -> dict[str, Callable[[str], str | None]]:
        found: dict[str, Callable[[str], str | None]] = {"w": _lower, "core": _core, "shape": word_shape}
        found["kind"] = word_kind
        for size in range(1, self.settings.affixes + 1):
            found[f"prefix{size}"] = _prefix(size)
            found[f"suffix{size}"] = _suffix(size)
        found["marks"] = _marks
        for name, table in self.families.items():
            found[name] = _looked_up(table)
        return found

    def _templates(self) -> list[tuple[str, int]]:
        near = range(-self.settings.window, self.settings.window + 1)
        found = [("w", distance) for distance in near] + [("kind", distance) for distance in near]
        found += [("core", 0)]
        found += [("shape", distance) for distance in (-1, 0, 1)] + [("marks", distance) for distance in (-1, 0)]
        for size in range(1, self.settings.affixes + 1):
            found += [(f"prefix{size}", 0), (f"suffix{size}", 0)]
        found += [(f"suffix{size}", distance) for size in (3,) if self.settings.affixes >= 3 for distance in (-1, 1)]
        found += [(name, distance) for name in self.families for distance in (-1, 0, 1)]
        return found

    def _columns(self, codes: Ints, words: Sequence[str]) -> dict[str, Ints]:
        """Return the value of each token in each family, -1 for none."""
        found = {}
        for name, value_of in self._families().items():
            values = self.values_[name]
            by_word = [-1 if (value := value_of(word)) is None else values.get(value, -1) for word in words]
            found[name] = np.array(by_word, np.int64)[codes] if len(words) else np.zeros(0, np.int64)
        return found

    def _pair_keys(self, words: Ints, offsets: Ints) -> Ints:
        """Return the key of each token with the one after it, -1 at the end of a text or where a word is unknown."""
        n = len(self.values_["w"])
        after = _shifted(words, offsets, 1, 0, n)
        after[after == n] = -1
        return np.where((words >= 0) & (after >= 0), words * n + after, -1)

    def _pairs(self, words: Ints, offsets: Ints) -> Ints:
        keys = self._pair_keys(words, offsets)
        places = np.searchsorted(self.pair_keys_, keys)
        places[places == len(self.pair_keys_)] = 0
        is_known = (
            (keys >= 0) & (self.pair_keys_[places] == keys) if len(self.pair_keys_) else np.zeros(len(keys), bool)
        )
        return np.where(is_known, places, -1)


_N_POSITIONS = 16


def _positions(offsets: Ints, at: int) -> Ints:
    sizes = np.diff(offsets)
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
    total = np.repeat(sizes, sizes)
    back = total - 1 - place
    tenth = at + place * 10 // np.maximum(total, 1)
    return np.stack([tenth, np.where(place < 3, at + 10 + place, -1), np.where(back < 3, at + 13 + back, -1)], axis=1)


def _coded(texts: Sequence[Text]) -> tuple[Ints, list[str]]:
    """Return a number for each token and the distinct words the numbers stand for."""
    codes: dict[str, int] = {}
    found = [codes.setdefault(token, len(codes)) for text in texts for token in text.tokens]
    return np.array(found, np.int64), list(codes)


def _offsets(texts: Sequence[Text]) -> Ints:
    return np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)


def _shifted(values: Ints, offsets: Ints, distance: int, at: int, beyond: int) -> Ints:
    """Return each token's neighbour's value plus `at`; `at + beyond` outside the text, -1 where it has none."""
    n = len(values)
    sizes = np.diff(offsets)
    first, last = np.repeat(offsets[:-1], sizes), np.repeat(offsets[1:], sizes)
    there = np.arange(n) + distance
    is_in = (there >= first) & (there < last)
    found = values[np.where(is_in, there, 0)] if n else values
    return np.where(is_in, np.where(found >= 0, found + at, -1), at + beyond)


class _Bundles:
    """Collects bundles of attributes (rows of ids, -1 for none) and which of them each token has (-1: none)."""

    def __init__(self) -> None:
        self._rows: list[Ints] = []
        self._columns: list[Ints] = []
        self._n = 0

    def add(self, rows: Ints, of_token: Ints) -> None:
        self._rows.append(rows)
        self._columns.append(np.where(of_token >= 0, of_token + self._n, -1))
        self._n += len(rows)

    def attributes(self, width: int) -> sp.csr_array:
        if width > np.iinfo(np.int32).max:
            raise DataError(f"{width:,} attributes; at most 2**31 - 1 have room", hint="Raise min_count.")
        return sp.vstack([_matrix(rows, width) for rows in self._rows], format="csr")

    def of_tokens(self) -> sp.csr_array:
        return _matrix(np.stack(self._columns, axis=1), self._n)


def _matrix(ids: Ints, width: int) -> sp.csr_array:
    """Return a matrix with ones in the columns that each row names."""
    is_there = ids >= 0
    indptr = np.concatenate([[0], np.cumsum(is_there.sum(axis=1))])
    return sp.csr_array((np.ones(int(indptr[-1])), ids[is_there], indptr), shape=(len(ids), width))


def _lower(word: str) -> str:
    return word.lower()


def _core(word: str) -> str | None:
    core = _ALONE.sub("", word).lower()
    return re.sub(r"\d", "0", core) or None


def _marks(word: str) -> str | None:
    return re.sub(r"\w+", "_", word) if not word.isalnum() else None


def _prefix(size: int) -> Callable[[str], str | None]:
    def value(word: str) -> str | None:
        core = _ALONE.sub("", word).lower()
        return core[:size] if len(core) > size else None

    return value


def _suffix(size: int) -> Callable[[str], str | None]:
    def value(word: str) -> str | None:
        core = _ALONE.sub("", word).lower()
        return core[-size:] if len(core) > size else None

    return value


def _looked_up(table: Mapping[str, str]) -> Callable[[str], str | None]:
    def value(word: str) -> str | None:
        return table.get(_ALONE.sub("", word).lower() or word)

    return value
