"""What can stand in the place of a word: its inflections and the words derived from it.

A noun has a singular and a plural, a verb five forms, a word those derived from it (*success, successful, succeed*).
Made from lemminflect (MIT), AGID (SCOWL's permissive notice) and WordNet 3.0 (its own licence), kept to words
that native text uses; where a list knows several forms, the one that native text uses most.

Cost: 60,000 paradigms are read in a fiftieth of a second.
"""

import csv
import lzma
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from onoma.errors import DataError
from onoma.learning.packing import joined, load_arrays, parted, save_arrays

__all__ = ["SLOTS", "Forms", "english_forms", "make_forms"]

SLOTS = ("VB", "VBZ", "VBD", "VBN", "VBG")
"""The forms of a verb, in the order of a paradigm."""
_KIND = "correct/forms"
_BE = ("be", "is", "was", "been", "being")
_LEAST_LETTERS = 2


@dataclass(frozen=True)
class Forms:
    """Paradigms of nouns and verbs, and families of derived words.

    Examples
    --------
    >>> forms = Forms({"child": "children"}, {"go": ("go", "goes", "went", "gone", "going")}, {"success": ("succeed",)})
    >>> forms.singular["children"], forms.verb_slots("went")
    ('child', (('go', 'VBD'),))
    """

    plural: Mapping[str, str]
    verbs: Mapping[str, Sequence[str]]
    """Base form → its forms, in the order of `SLOTS`."""
    related: Mapping[str, Sequence[str]]

    @cached_property
    def singular(self) -> Mapping[str, str]:
        """Plural → singular."""
        return {many: one for one, many in reversed(list(self.plural.items()))}

    @cached_property
    def _slots(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        slots: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
        for lemma, forms in self.verbs.items():
            for slot, form in zip(SLOTS, forms, strict=True):
                slots[form][lemma, slot] = None
        return {form: tuple(found) for form, found in slots.items()}

    @cached_property
    def _told(self) -> Mapping[str, str]:
        """For each form its verbs and slots, in one text; as stored, so that loading makes no tuples."""
        return {form: " ".join(f"{lemma} {slot}" for lemma, slot in found) for form, found in self._slots.items()}

    def verb_slots(self, form: str) -> Sequence[tuple[str, str]]:
        """Return which forms of which verbs a word can be."""
        told = self._told.get(form)
        if told is None:
            return ()
        parts = told.split(" ")
        return tuple(zip(parts[::2], parts[1::2], strict=True))

    def irregular(self, word: str) -> tuple[str, str] | None:
        """Return past and participle of a verb that was formed like a regular one (*buyed*, *borned*).

        Examples
        --------
        >>> Forms({}, {"write": ("write", "writes", "wrote", "written", "writing")}, {}).irregular("writed")
        ('wrote', 'written')
        """
        if not word.endswith("ed"):
            return None
        for stem in (word[:-2], word[:-1]):
            forms = self.verbs.get(stem)
            if forms is not None and not forms[2].endswith("ed"):
                return forms[2], forms[3]
        slots = {slot for _, slot in self.verb_slots(word[:-2])}
        if slots and slots <= {"VBD", "VBN"}:
            return word[:-2], word[:-2]
        return None

    @cached_property
    def known(self) -> frozenset[str]:
        """Every form."""
        words = {*self.plural, *self.plural.values(), *self.related, *self._slots}
        return frozenset(words)

    def save(self, path: str | Path) -> None:
        """Write the paradigms."""
        arrays = {
            "singular": joined(self.plural),
            "plural": joined(self.plural.values()),
            "verbs": joined(form for forms in self.verbs.values() for form in forms),
            "forms": joined(self._slots),
            "slots": joined(" ".join(f"{lemma} {slot}" for lemma, slot in found) for found in self._slots.values()),
            "words": joined(self.related),
            "related": joined(" ".join(others) for others in self.related.values()),
        }
        save_arrays(path, _KIND, {}, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Forms":
        """Read paradigms."""
        _, arrays = load_arrays(path, _KIND)
        texts = {name: parted(stored) for name, stored in arrays.items()}
        cells, n = texts["verbs"], len(SLOTS)
        try:
            plural = dict(zip(texts["singular"], texts["plural"], strict=True))
            verbs = dict(zip(cells[::n], zip(*(cells[k::n] for k in range(n)), strict=True), strict=True))
            related = {
                word: tuple(others.split(" ")) for word, others in zip(texts["words"], texts["related"], strict=True)
            }
            found = cls(plural, verbs, related)
            found.__dict__["_told"] = dict(zip(texts["forms"], texts["slots"], strict=True))
        except (KeyError, ValueError) as error:
            raise DataError(f"is damaged: its paradigms do not fit together ({error})", file=path) from error
        return found


@cache
def english_forms() -> Forms:
    """Return the forms that come with Onoma.

    Examples
    --------
    >>> english_forms().verbs["bear"][SLOTS.index("VBN")]
    'born'
    """
    return Forms.load(Path(__file__).parent / "models" / "english" / "forms.npz")


def make_forms(folder: str | Path, count: Callable[[str], int]) -> Forms:
    """Make paradigms from open lexicons, for words that native text uses.

    Parameters
    ----------
    folder
        Laid out as `correction/lexicon` of the data.
    count
        How often native text uses a word; 0 leaves it out.
    """
    folder = Path(folder)
    plural: dict[str, str] = {}
    verbs: dict[str, Sequence[str]] = {}
    for lemma, category, alternatives in _inflections(folder):
        if len(lemma) < _LEAST_LETTERS or not lemma.isalpha() or not lemma.islower() or not count(lemma):
            continue
        forms = [max(cell, key=count) for cell in alternatives if cell]
        if not all(form.isalpha() for form in forms):
            continue
        if category == "noun" and forms and forms[0] != lemma and count(forms[0]) and lemma not in plural:
            plural[lemma] = forms[0]
        elif category == "verb" and len(forms) == 4 and lemma not in verbs and any(count(form) for form in forms):
            past, participle, ing, third = forms
            verbs[lemma] = (lemma, third, past, participle, ing)
    verbs["be"] = _BE
    return Forms(plural, verbs, _derived(folder, count))


def _inflections(folder: Path) -> Iterator[tuple[str, str, list[list[str]]]]:
    """Yield lemma, category and the alternatives of each inflected form."""
    for row in _rows(folder / "lemminflect-infl_lu.csv.xz"):
        cells = [cell.split("/") if cell else [] for cell in row[2:]]
        if row[1] == "verb" and len(cells) == 4:
            cells[1] = cells[1] or cells[0]
        if row[1] in ("noun", "verb"):
            yield row[0], row[1], cells
    for row in _rows(folder / "pyinflect-agid-infl.csv.xz"):
        cells = [[] if cell == "" else cell.split("/") for cell in row[2:]]
        if row[1] == "V" and len(cells) == 4:
            cells[1] = cells[0] if cells[1] == ["<>"] else cells[1]
            yield row[0], "verb", cells
        elif row[1] == "N":
            yield row[0], "noun", cells


def _derived(folder: Path, count: Callable[[str], int]) -> dict[str, tuple[str, ...]]:
    related: dict[str, dict[str, None]] = defaultdict(dict)
    with lzma.open(folder / "wordnet30-derivations.tsv.xz", "rt", encoding="utf-8") as file:
        for line in file:
            word, _, other, _ = line.rstrip("\n").split("\t")
            usable = all(each.isalpha() and each.islower() and count(each) for each in (word, other))
            # Only words that share their beginning: a learner's slip is one of endings (success, successful).
            if usable and word != other and word[:3] == other[:3]:
                related[word][other] = None
    return {word: _nearest(others, related, word) for word, others in sorted(related.items())}


def _nearest(others: Iterable[str], related: Mapping[str, Mapping[str, None]], word: str) -> tuple[str, ...]:
    """Return the derived words and theirs (success → successful → successfully)."""
    found = dict.fromkeys(others)
    for other in list(found):
        found.update(dict.fromkeys(each for each in related.get(other, ()) if each != word))
    return tuple(found)


def _rows(path: Path) -> Iterator[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.reader(file)
