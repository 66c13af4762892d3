"""Who writes to whom: letters, mails and by-lines.

A line that greets (*Dear Mr Brandt,*), the heads of a mail (*From: …*, *To: …*), the name below *Yours sincerely* and a
line *By Helen Marsh* name two parties. *I* is the writer, *you* the one written to; a greeting is no part of the name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from onoma.coref.discourse.voices import HEARER, PARTY, VOICE, isolate, voices_of
from onoma.coref.document import Document
from onoma.coref.lists import PEOPLE, listed

__all__ = ["with_letters"]

_LONGEST = 7
"""Words of a name in a greeting, with its titles; of a line that closes or signs."""
_FIRST_LINES = 6
"""Among so many lines stands a by-line."""

Span = tuple[int, int]


@dataclass
class _Letter:
    """A letter: where it begins, and the names that stand for its two parties."""

    start: int
    sender: list[Span] = field(default_factory=list)
    signed: list[Span] = field(default_factory=list)
    to: list[Span] = field(default_factory=list)
    greeted: list[Span] = field(default_factory=list)
    is_greeted: bool = False

    def writer(self, document: Document) -> list[Span]:
        """Return the names of the writer; where the head and the signature differ, it is who signs."""
        return _one_party(document, self.signed, self.sender)

    def reader(self, document: Document) -> list[Span]:
        """Return the names of the one written to."""
        return _one_party(document, self.greeted, self.to)


def with_letters(document: Document) -> Document:
    """Return a document that says who writes to whom, with the names that its greetings and signatures hold."""
    letters = [] if any(document.speakers) else _letters(document)
    if not letters:
        return document
    voices, heads, names = voices_of(document), document.heads.copy(), list(document.names)
    for number, letter in enumerate(letters):
        end = letters[number + 1].start if number + 1 < len(letters) else len(document)
        for column, spans in ((VOICE, letter.writer(document)), (HEARER, letter.reader(document))):
            if column == HEARER and not letter.is_greeted and not letter.to:
                continue
            party = int(voices.max()) + 1
            voices[letter.start : end, column] = party
            for start, stop in spans:
                voices[isolate(heads, document, start, stop), PARTY] = party
        for start, stop in (*letter.sender, *letter.signed, *letter.to, *letter.greeted):
            isolate(heads, document, start, stop)
            voices[start:stop, (VOICE, HEARER)] = 0  # the name itself is nobody's speech
            names = [name for name in names if name[1] <= start or stop <= name[0]]
            if document.words[start].lower() not in listed("general addresses"):
                names.append((start, stop, "PER"))
    return replace(document, voices=voices, heads=heads, names=sorted(names))


def _letters(document: Document) -> list[_Letter]:
    """Return the letters of a document; one that begins with a by-line is one without a reader."""
    found: list[_Letter] = []
    closed = False
    for number, (start, end) in enumerate(lines := document.line_spans()):
        words = [word.lower() for word in document.words[start:end]]
        last = found[-1] if found else None
        if len(words) > 2 and words[1] == ":" and words[0] in {"from", "to"}:
            spans = _names(document, start + 2, end)
            if spans and words[0] == "from":
                found.append(_Letter(start, sender=spans))
            elif spans and last is not None:
                last.to += spans
        elif (greeted := _greeting(document, start, end, words)) is not None:
            if last is None or last.is_greeted or last.signed:
                found.append(last := _Letter(start))
            last.greeted, last.is_greeted = greeted, True
        elif words[:1] == ["by"] and 3 <= len(words) <= _LONGEST and number < _FIRST_LINES and last is None:
            if len(spans := _names(document, start + 1, end)) == 1 and spans[0] == (start + 1, end):
                found.append(_Letter(start, sender=spans))
        elif closed and last is not None and len(words) <= _LONGEST:
            last.signed = _names(document, start, end)[:1]
        closed = _closes(words) and number + 1 < len(lines)
    return found


def _closes(words: Sequence[str]) -> bool:
    """Say whether a line closes a letter: *Yours sincerely,*, *With kind regards*, *Your loving niece,*."""
    kept = [word for word in words if word.isalpha()]
    known = [listed("closings"), *(listed(name) for name in (PEOPLE if kept[:1] == ["your"] else ()))]
    return 0 < len(kept) <= 4 and all(any(word in own for own in known) for word in kept)


def _greeting(document: Document, start: int, end: int, words: Sequence[str]) -> list[Span] | None:
    """Return whom a line greets, up to a comma, a colon or its end; None where it is no greeting."""
    skipped = 2 if words[:2] == ["my", "dear"] else 1
    if not words or words[skipped - 1] not in listed("greetings"):
        return None
    stop = start + skipped
    while stop < end and document.words[stop] not in {",", ":", "!", "—", "-"}:
        stop += 1
    if not 0 < stop - start - skipped <= _LONGEST:
        return None
    inner = document.words[start + skipped : stop]
    if not all(word[:1].isupper() or word.lower() in listed("general addresses") for word in inner):
        return None
    return _names(document, start + skipped, stop)


def _names(document: Document, start: int, end: int) -> list[Span]:
    """Return the spans between *and* and commas, as far as they are capitalised; addresses are left out."""
    spans, at = [], start
    for token in range(start, end + 1):
        if token == end or document.words[token].lower() in {"and", "&", ",", ";", "or", "<", "(", "[", "/"}:
            if at < token:
                spans.append((at, token))
            at = token + 1
            if token < end and document.words[token] in {"<", "(", "["}:
                break
    return [span for span in spans if all(_is_name_word(document.words[k]) for k in range(*span))]


def _is_name_word(word: str) -> bool:
    return word[:1].isupper() or word.lower() in listed("general addresses") or word in {".", "-", "de", "von", "van"}


def _one_party(document: Document, first: list[Span], second: list[Span]) -> list[Span]:
    """Return the spans of two lists that are one party's: both where they share a word, else the first list."""
    if len(first) > 1 or len(second) > 1:
        return []  # several people: no name stands for them all
    words = [{word.lower() for span in spans for word in document.words[slice(*span)]} for spans in (first, second)]
    return first + second if not first or not second or words[0] & words[1] else first
