"""Correcting text: from characters to words and tags, and from edits of words back to edits of characters.

Sentences and tags are those of the text room; words are cut as the n-grams know them. What is protected (code, markup,
formulas, addresses) takes part as a foreign word and is never edited. How often the writer slips is learnt from the
whole text (of a long one: from what was read so far and 2,000 sentences more). Applying all edits of a text gives its
correction; everything between edits stays byte for byte.
"""

import html
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from onoma.correct.calibration import AS_LEARNT
from onoma.correct.corrector import Caution, Correction, Corrector
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows, Encoded
from onoma.correct.protect import protected_spans
from onoma.correct.reasons import Reason
from onoma.correct.words import cut_words
from onoma.correct.writers import PRACTISED, Writer, shares
from onoma.errors import DataError, SettingsError
from onoma.text.annotate import Annotator
from onoma.text.tokens import Tokens

__all__ = [
    "PRECISION",
    "Corrected",
    "TextCorrector",
    "TextEdit",
    "corrections_page",
    "format_of",
    "read_plain",
]

PRECISION = 0.6
"""The precision that edits have on learners' essays unless asked otherwise."""
_OPEN = 0.4
"""From this precision down a text is taken for a learner's."""
_BATCH = 400
"""Sentences weighed together."""
_HELD = 5
"""Batches that are weighed before the first is decided: what they say of the writer counts for it."""
_LONGEST = 200
"""Sentences of more words are cut: they are lists or tables."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """An edit of a text: characters `start` to `end` become `replacement`."""

    start: int
    end: int
    source: str
    replacement: str
    type: str
    probability: float
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Corrected:
    """A text with its edits, in order."""

    source: str
    edits: Sequence[TextEdit]

    @property
    def text(self) -> str:
        """The text with all edits applied."""
        parts, at = [], 0
        for edit in self.edits:
            parts += [self.source[at : edit.start], edit.replacement]
            at = edit.end
        return "".join([*parts, self.source[at:]])


class TextCorrector:
    """Corrects texts.

    Parameters
    ----------
    model
        A folder with a corrector; None: the one that comes with Onoma.
    precision
        How many of the edits should be right, on text like learners' essays.
    types
        Which kinds of slips are mended.
    n_reasons
        How many reasons each edit brings.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        precision: float = PRECISION,
        types: Collection[str] = TYPES,
        n_reasons: int = 3,
    ) -> None:
        self.corrector = _loaded(None if model is None else str(model))
        self.threshold = self.corrector.threshold(precision)
        # Who asks for less than the default wants to see what may be wrong, not what surely is.
        share = min(max((precision - _OPEN) / (PRECISION - _OPEN), 0.0), 1.0)
        self.practised = share * PRACTISED
        # Of misspellings no essay says what a probability is worth: at the default they are taken at their word.
        self.least = dict.fromkeys(AS_LEARNT, share * precision)
        unknown = sorted(set(types) - set(TYPES))
        if unknown:
            raise SettingsError(f"there is no type {unknown[0]!r}; allowed: {', '.join(TYPES)}")
        self.types, self.n_reasons = tuple(types), n_reasons
        self.annotator = Annotator.load()

    def correct_words(self, sentences: Sequence[Sequence[str]]) -> list[list[Correction]]:
        """Return the corrections of sentences that are cut into words."""
        writer = Writer(self.corrector.writers, self.practised)
        out: list[list[Correction]] = []
        held: deque[tuple[Encoded, EditRows, NDArray[np.float64]]] = deque()
        for k in range(0, len(sentences), _BATCH):
            part = sentences[k : k + _BATCH]
            held.append(self.corrector.weigh(part, self._tags(part)))
            writer.see(shares(held[-1][2], held[-1][1]), sum(map(len, part)))
            if len(held) > _HELD:
                out += self._chosen(held.popleft(), writer)
        for weighed in held:
            out += self._chosen(weighed, writer)
        return out

    def _chosen(self, weighed: tuple[Encoded, EditRows, NDArray[np.float64]], writer: Writer) -> list[list[Correction]]:
        text, edits, p = weighed
        return self.corrector.choose(
            text,
            edits,
            writer.settle(p, edits),
            threshold=self.threshold,
            caution=Caution(self.least, writer.learner if self.practised else 1.0),
            types=self.types,
            n_reasons=self.n_reasons,
        )

    def correct(self, text: str, *, format: str = "text") -> Corrected:
        """Return a text's edits."""
        spans = protected_spans(text, format)
        places = list(self._sentences(text))
        sentences = [[_shown(text, a, b, spans) for a, b in place] for place in places]
        edits: list[TextEdit] = []
        for place, words, found in zip(places, sentences, self.correct_words(sentences), strict=True):
            for correction in found:
                edit = _in_text(text, place, correction)
                inside = range(max(correction.start - 1, 0), min(correction.end + 1, len(words)))
                if all(words[k] != _PROTECTED for k in inside) and (not edits or edit.start >= edits[-1].end):
                    edits.append(edit)
        return Corrected(text, edits)

    def _sentences(self, text: str) -> Iterator[list[tuple[int, int]]]:
        """Yield where the words of each sentence stand."""
        tokens = self.annotator.tokenise(text)
        for a, b in pairwise(tokens.sentences.tolist()):
            if b > a:
                start, end = int(tokens.starts[a]), int(tokens.ends[b - 1])
                words = [(start + x, start + y) for x, y in cut_words(text[start:end])]
                for k in range(0, len(words), _LONGEST):
                    yield words[k : k + _LONGEST]

    def _tags(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        tokens = Tokens.of_words(sentences)
        names = self.annotator.tagger.xpos_names
        flat = [names[k] for k in self.annotator.tag(tokens).xpos.tolist()] if len(tokens) else []
        out, at = [], 0
        for words in sentences:
            out.append(flat[at : at + len(words)])
            at += len(words)
        return out


def format_of(name: str) -> str:
    """Return what the name of a file says of its markup."""
    return {".md": "markdown", ".markdown": "markdown", ".tex": "latex"}.get(Path(name).suffix.lower(), "text")


def read_plain(name: str, standard_input: BinaryIO) -> str:
    """Return the text of a file as it is: ends of lines, byte order mark and all; `-` is standard input."""
    from onoma.corpus.readers.source import read_bytes  # brings Arrow, which correcting needs not

    raw = standard_input.read() if name == "-" else read_bytes(name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"is no UTF-8 text (byte {error.start:,})", file=name) from error


def corrections_page(found: Mapping[str, Corrected]) -> str:
    """Return a page that shows texts with their changes."""
    parts = []
    for name, corrected in found.items():
        shown, at = [], 0
        for edit in corrected.edits:
            why = f"{edit.type}, probability {edit.probability:.2f}"
            shown.append(html.escape(corrected.source[at : edit.start]))
            shown.append(f'<del title="{why}">{html.escape(edit.source)}</del>' if edit.source else "")
            shown.append(f'<ins title="{why}">{html.escape(edit.replacement)}</ins>' if edit.replacement else "")
            at = edit.end
        shown.append(html.escape(corrected.source[at:]))
        count = f"{len(corrected.edits):,} edit{'s' if len(corrected.edits) != 1 else ''}"
        parts.append(f"<h2>{html.escape(name)}</h2><p>{count}</p><pre>{''.join(shown)}</pre>")
    return _PAGE.format(body="".join(parts))


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Corrections</title>
<style>
body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b }}
pre {{ white-space: pre-wrap; font: inherit }}
del {{ background: #fde2e1; color: #8f1d14 }} ins {{ background: #dcf5e0; color: #0f5a23; text-decoration: none }}
@media (prefers-color-scheme: dark) {{ body {{ background: #161616; color: #e6e6e6 }}
del {{ background: #54201c; color: #ffc9c4 }} ins {{ background: #153f22; color: #c4f2cf }} }}
</style>
{body}
</html>
"""


@cache
def _loaded(folder: str | None) -> Corrector:
    return Corrector.load(folder)


_PROTECTED = "\ufffc"
"""What a protected word looks like to the model."""


def _shown(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> str:
    return _PROTECTED if any(a < end and start < b for a, b in spans) else text[start:end]


def _in_text(text: str, place: Sequence[tuple[int, int]], correction: Correction) -> TextEdit:
    """Return an edit of words as an edit of characters."""
    first, last, put = correction.start, correction.end, " ".join(correction.put)
    if first == last:  # put before a word, or a comma after one
        start = end = (
            place[first - 1][1]
            if put[0] in ",;." and first
            else place[first][0]
            if first < len(place)
            else place[-1][1]
        )
        put = put if put[0] in ",;." else f"{put} "
    elif not put and first:  # the blanks before a word go with it
        start, end = place[first - 1][1], place[last - 1][1]
        if text[start : place[first][0]].strip(" "):
            start = place[first][0]
    elif not put:
        start, end = place[first][0], place[last][0] if last < len(place) else place[last - 1][1]
    else:
        start, end = place[first][0], place[last - 1][1]
        before = text[start - 1 : start]
        if (
            before
            and not before.isspace()
            and correction.put[0][0].isalpha()
            and first
            and place[first - 1][1] == start
        ):
            put = f" {put}" if put not in ("n't", "'s") and before.isalnum() else put
    return TextEdit(start, end, text[start:end], put, correction.type, correction.probability, correction.reasons)
