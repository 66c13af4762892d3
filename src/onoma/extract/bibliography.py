"""Fields of references as BibTeX: names joined by *and*, volumes apart from numbers, ranges of pages.

Labels are those of the ready extractor of citations; what an extractor of one's own calls otherwise is written as it
is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from onoma.extract.extractor import Span

__all__ = ["bibtex", "names_of"]

_AS = {"container-title": "booktitle", "location": "address", "tech": "type"}
_LEFT_OUT = frozenset(("citation-number",))
_NAMES = ("author", "editor", "translator")
_AS_IT_IS = ("url", "doi")
_EDGES = ' .,;:()[]"“”'
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[- ]?){1,4}(?:,? ?(?:Jr|Sr|II|III)\.?)?", re.UNICODE)
_CAPITALS = re.compile(r"[A-Z]{1,3}\.?")
_ALSO = re.compile(r",?\s*\b(?:et\.? al\.?|and others|u\. ?a\.)\s*$", re.IGNORECASE)
_AND = re.compile(r"\s*(?:;|,?\s+(?:and|und|et|y)\s+|,?\s*&\s*)\s*")
_EDITORS = re.compile(r"^\s*(?:in:?|eds?\.?(?: by)?|edited by)\s+|[\s,(]+eds?(?:itors?)?[.)]*\s*$", re.IGNORECASE)
_JOURNAL = re.compile(r"(?P<year>\d{4})\D{0,12};\s*(?P<volume>\w+)(?:\((?P<number>[^)]+)\))?:\s*(?P<pages>[\w–-]+)")
_VOLUME = re.compile(
    r"(?:vol(?:ume)?\.?\s*)?(?P<volume>\w+)(?:\s*\((?P<a>[^)]+)\)?|\s*[,:;]?\s*(?:no|nr|num(?:ber)?|issue)\.?\s*(?P<b>[\w–/-]+))?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_RANGE = re.compile(r"(?<=\w)\s*[–—-]+\s*(?=\w)")
_SPECIAL = re.compile(r"(?<!\\)([&%#$_])")


def bibtex(spans: Sequence[Span], number: int) -> str:
    """Return one reference as an entry.

    Examples
    --------
    >>> found = [("author", "Doe, J. & Roe, R."), ("title", "On sums."), ("journal", "J. Sums"), ("volume", "3(2),")]
    >>> print(bibtex([Span(label, text, 0, 0, 1.0) for label, text in found], 1))
    @article{ref1,
      author = {Doe, J. and Roe, R.},
      title = {On sums},
      journal = {J. Sums},
      volume = {3},
      number = {2},
    }
    <BLANKLINE>
    """
    found: dict[str, list[str]] = {}
    for span in spans:
        found.setdefault(span.label, []).append(span.text)
    fields: dict[str, str] = {}
    for label, texts in found.items():
        if label not in _LEFT_OUT:
            for name, value in _fields(label, texts):
                if value:
                    fields.setdefault(name, value)
    if "year" not in fields and (years := _YEAR.findall(fields.get("booktitle", ""))):
        fields["year"] = years[-1]  # *ICML 2001*
    kind = _kind(fields)
    if kind == "phdthesis" and "publisher" in fields:
        fields["school"] = fields.pop("publisher")
    body = "".join(f"  {name} = {{{_escaped(name, value)}}},\n" for name, value in fields.items())
    return f"@{kind}{{ref{number},\n{body}}}\n"


def names_of(text: str) -> list[str]:
    """Return the names of a list of people.

    Examples
    --------
    >>> names_of("Chang, M.-W., Ratinov, L., & Roth, D.")
    ['Chang, M.-W.', 'Ratinov, L.', 'Roth, D.']
    >>> names_of("Bird, Steven, Ewan Klein, and Edward Loper.")
    ['Bird, Steven', 'Ewan Klein', 'Edward Loper']
    >>> names_of("Vaswani A, Shazeer N, et al.")
    ['Vaswani A', 'Shazeer N', 'others']
    """
    text = _EDITORS.sub("", text.strip())
    others = bool(_ALSO.search(text))
    parts = [part for part in _AND.split(_ALSO.sub("", text)) if part.strip(" ,;:")]
    found = [name for part in parts for name in _of_commas([each.strip(" :") for each in part.split(",")])]
    return [_trimmed(name) for name in found] + ["others"] * others


def _of_commas(chunks: Sequence[str]) -> Iterator[str]:
    """Yield names of a list between commas: *Roth, D.* is one, *Dan Roth, Ming Chang* are two."""
    chunks = [chunk for chunk in chunks if chunk]
    at = 0
    while at < len(chunks):
        name, following = chunks[at], chunks[at + 1] if at + 1 < len(chunks) else ""
        is_given = bool(following) and (
            _is_initials(following) or (at == 0 and " " not in name and " " not in following)
        )
        if is_given and not _is_initials(name):
            yield f"{name}, {following}"
            at += 2
        else:
            yield name
            at += 1


def _is_initials(text: str) -> bool:
    return bool(_INITIALS.fullmatch(text) if "." in text or len(text) == 1 else _CAPITALS.fullmatch(text))


def _trimmed(name: str) -> str:
    """Return a name without the stop of its sentence; the stop of an initial stays."""
    name = name.strip(" ,;:()[]")
    last = name.rstrip(".").rpartition(" ")[2]
    return name if len(last) == 1 or "." in last else name.rstrip(".")


def _fields(label: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    text = "; ".join(texts)
    name = _AS.get(label, label)
    if label in _NAMES:
        yield name, " and ".join(each for part in texts for each in names_of(part))
    elif label == "date":
        years = _YEAR.findall(text)
        yield "year", years[0] if years else text.strip(_EDGES)
        if month := _MONTH.search(text):
            yield "month", month[0]
    elif label == "volume":
        yield from _of_volume(text.strip(_EDGES))
    elif label == "pages":
        bare = re.sub(r"^(?:pp?\.?|pages?|S\.)\s*(?=\w*\d)", "", text.strip(_EDGES), flags=re.IGNORECASE)
        yield name, _RANGE.sub("--", bare)
    elif label in _AS_IT_IS:
        yield name, text.strip(" ,;<>").rstrip(".")
    elif label == "title":
        yield name, ": ".join(part.strip(_EDGES) for part in texts)
    elif name == "booktitle":
        yield name, re.sub(r"^in:?\s+", "", text.strip(_EDGES), flags=re.IGNORECASE)
    elif label == "edition":
        yield name, re.sub(r"\s*\bed(?:ition|n)?\.?$", "", text.strip(_EDGES), flags=re.IGNORECASE)
    else:
        yield name, "; ".join(_bare(part) for part in texts)


def _bare(text: str) -> str:
    """Return a field without the marks around it; brackets go in pairs."""
    text = text.strip(' .,;:"“”')
    return text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text


def _of_volume(text: str) -> Iterator[tuple[str, str]]:
    """*88(3)*, *vol. 7, no. 2*, and *2017;30:5998-6008*, which is a year, a volume and pages."""
    if found := _JOURNAL.fullmatch(text):
        for name, value in found.groupdict().items():
            yield name, _RANGE.sub("--", value) if value and name == "pages" else value or ""
    elif found := _VOLUME.fullmatch(text):
        yield "volume", found["volume"]
        yield "number", (found["a"] or found["b"] or "").strip()
    else:
        yield "volume", text


def _kind(fields: Mapping[str, str]) -> str:
    if "journal" in fields:
        return "article"
    if "booktitle" in fields:
        return "inproceedings"
    genre = fields.get("genre", "").lower()
    if "thesis" in genre or "dissertation" in genre:
        return "mastersthesis" if "master" in genre else "phdthesis"
    return "book" if "publisher" in fields and "title" in fields else "misc"


def _escaped(name: str, value: str) -> str:
    value = value.replace("{", "").replace("}", "")
    return value if name in _AS_IT_IS else _SPECIAL.sub(r"\\\1", value)
