"""What an open dictionary knows of a form: which inflections of which categories it can be, and of which lemmas.

Read from the lists of lemminflect (MIT; from the NIH SPECIALIST lexicon) and AGID (SCOWL's permissive notice). A form's
*class* is the set of inflections it can be, one bit each, in the Penn tag set's terms.
"""

import csv
import lzma
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FORMS", "Lexicon", "read_lexicon"]

FORMS = ("NN", "NNS", "VB", "VBD", "VBN", "VBG", "VBZ", "JJ", "JJR", "JJS", "RB", "RBR", "RBS", "MD", "NNP")
"""The inflections a form can be; the bits of its class. NNP: a noun written with a capital."""
_BIT = {name: 1 << k for k, name in enumerate(FORMS)}
_INFLECTED = {"noun": ("NNS",), "verb": ("VBD", "VBN", "VBG", "VBZ"), "adj": ("JJR", "JJS"), "adv": ("RBR", "RBS")}
_BASE = {"noun": "NN", "verb": "VB", "adj": "JJ", "adv": "RB", "aux": "MD"}
_AGID = {"N": "noun", "V": "verb", "A": "adj"}


@dataclass(frozen=True)
class Lexicon:
    """Forms in small letters: the class of each, and the lemmas of (form, category)."""

    classes: dict[str, int]
    lemmas: dict[tuple[str, str], tuple[str, ...]]
    """Categories: noun, verb, adj, adv, aux."""


def read_lexicon(folder: str | Path) -> Lexicon:
    """Read the lists in a folder laid out as `correction/lexicon` of the data."""
    folder = Path(folder)
    classes: dict[str, int] = defaultdict(int)
    lemmas: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for lemma, category, forms in _inflections(folder):
        base = "NNP" if category == "noun" and lemma[:1].isupper() else _BASE[category]
        classes[lemma.lower()] |= _BIT[base]
        for name, alternatives in zip(_INFLECTED[category], forms, strict=False):
            for form in alternatives:
                classes[form.lower()] |= _BIT[name]
    for row in _rows(folder / "lemminflect-lemma_lu.csv.xz"):
        form, category, known = row[0], row[1], row[2].split("/")
        for lemma in known:
            lemmas[form.lower(), category][lemma] = None
            if lemma == form:
                base = "NNP" if category == "noun" and form[:1].isupper() else _BASE[category]
                classes[form.lower()] |= _BIT[base]
    return Lexicon(dict(classes), {key: tuple(value) for key, value in lemmas.items()})


def _inflections(folder: Path) -> Iterator[tuple[str, str, list[list[str]]]]:
    """Yield lemma, category and the alternatives of each inflected form."""
    for row in _rows(folder / "lemminflect-infl_lu.csv.xz"):
        forms = [cell.split("/") if cell else [] for cell in row[2:]]
        if row[1] == "verb" and len(forms) == 4 and not forms[1]:
            forms[1] = forms[0]
        yield row[0], row[1], forms
    for row in _rows(folder / "pyinflect-agid-infl.csv.xz"):
        forms = [[] if cell in ("", "<>") else cell.split("/") for cell in row[2:]]
        if row[1] == "V" and len(row) > 3 and row[3] == "<>":
            forms[1] = forms[0]
        yield row[0], _AGID[row[1]], forms


def _rows(path: Path) -> Iterator[list[str]]:
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.reader(file)
