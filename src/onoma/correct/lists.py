"""Small lists that candidates are made from: closed classes, and words that writers take for each other."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

__all__ = [
    "ARTICLES", "AUXILIARIES", "CONFUSED", "CONTRACTED", "DELETED", "DETERMINERS", "MODALS", "NUCLE", "PREPOSITIONS",
    "PREPOSITIONS_PUT", "REPEATED", "TYPES", "UNCOUNTED",
]  # fmt: skip

NUCLE = {
    "article": "ArtOrDet", "preposition": "Prep", "number": "Nn", "agreement": "SVA", "form": "Vform", "tense": "Vt",
    "modal": "Vm", "word": "Wform", "spelling": "Mec", "comma": "Mec", "case": "Mec", "compound": "Mec",
    "style": "Wtone", "pronoun": "Pref", "choice": "Wci", "link": "Trans", "redundant": "Rloc-", "missing": "Others",
    "run-on": "Srun",
}  # fmt: skip
"""Our types, and the type of NUCLE that each mends."""
TYPES = tuple(NUCLE)

ARTICLES = frozenset(("a", "an", "the"))
PREPOSITIONS = (
    "of", "in", "to", "for", "on", "with", "at", "by", "from", "about", "as", "into", "through", "during", "over",
    "under", "between", "among", "within", "without", "towards", "toward", "upon", "against", "after", "before",
    "since", "until", "around", "across", "along", "behind", "beyond", "per", "up", "out", "onto", "throughout",
)  # fmt: skip
"""What may be taken away or replaced."""
PREPOSITIONS_PUT = ("", "of", "in", "to", "for", "on", "with", "at", "by", "from", "about", "as", "into", "through")
"""What may be put: nothing, and the prepositions that learners miss most."""
AUXILIARIES = ("is", "are", "be", "been", "being", "have", "has", "was", "were", "will")
MODALS: Mapping[str, tuple[str, ...]] = {
    "can": ("could", "may"), "could": ("can", "would"), "will": ("would", "can"), "would": ("will", "could"),
    "shall": ("should", "will"), "should": ("would",), "may": ("might", "can"), "might": ("may",),
}  # fmt: skip
DETERMINERS = frozenset(
    ("this", "these", "that", "those", "any", "some", "our", "their", "its", "his", "her", "my", "your", "one", "such")
)
"""Words in an article's place that may be one too many."""
DELETED = frozenset(
    (
        "do", "did", "does", "been", "being", "be", "has", "have", "had", "will", "would", "it", "also", "back", "out",
        "up", "that", "so", "and", "as", "then", "own", "which", "who", "how", "when", "more", "most", "very", "just",
        "even", "already", "them", "us", "'s",
    )
)  # fmt: skip
"""Words that writers put too often."""
CONTRACTED = {
    word.replace("'", ""): word
    for word in ("don't", "doesn't", "didn't", "isn't", "aren't", "wasn't", "weren't", "haven't", "hasn't", "couldn't",
                 "wouldn't", "shouldn't")
}  # fmt: skip
"""Contractions without their apostrophe that are no other word."""
REPEATED = frozenset(("the", "a", "an", "of", "and", "with", "for", "from", "to"))
"""Words that never follow themselves but by a slip; *that that* and *had had* may be meant."""

UNCOUNTED = frozenset(
    (
        "information", "advice", "furniture", "homework", "equipment", "knowledge", "software", "luggage", "feedback",
        "data", "machinery", "jewelry", "baggage", "hardware", "scenery", "evidence",
    )
)  # fmt: skip
"""Nouns without a plural."""

_SETS = """
choice: then than
choice: affect effect
choice: lose loose
choice: accept except
choice: advice advise
choice: beside besides
choice: economic economical
choice: historic historical
choice: later latter
choice: less fewer
choice: amount number
choice: much many
choice: little few
choice: raise rise
choice: lead led
choice: quite quiet
choice: weather whether
choice: principal principle
choice: past passed
choice: live life lives
choice: every all each
choice: another other
choice: other others
choice: people person
choice: especially specially
choice: maybe may_be
choice: everyday every_day
choice: hard hardly
choice: late lately
choice: good well
choice: bad badly
choice: high highly
choice: elder elderly elders
choice: medication medicine medical
choice: human humans
choice: make do
choice: say tell
choice: from form
choice: thing think
choice: were where
choice: there their they_'re
choice: your you_'re
choice: to too
choice: it's its
choice: of off
choice: sometime sometimes
choice: until till
choice: besides moreover
choice: too very
choice: almost most
choice: some any
choice: fun funny
choice: sensitive sensible
choice: data datum
choice: criteria criterion
choice: phenomenon phenomena
choice: know now
choice: threat treat
choice: bring take
choice: alone lonely
choice: borrow lend
choice: cloth clothes
choice: custom costume
choice: desert dessert
choice: ensure insure assure
choice: personal personnel
choice: precede proceed
choice: stationary stationery
choice: throughout through
choice: worse worst
choice: better best
choice: i'm i
pronoun: it they this
pronoun: its their
pronoun: them it
pronoun: this these
pronoun: that those
pronoun: that this
pronoun: he they
pronoun: his their
pronoun: him them
pronoun: these those
pronoun: we us
pronoun: they them
pronoun: i me
pronoun: your their
pronoun: our their
pronoun: which that who
pronoun: who whom
pronoun: whose which
pronoun: themselves them
article: this the
article: these the
article: those the
article: that the
article: their the
article: its the
article: our the
article: his the
article: any a
article: some the
article: a one
link: and or
link: where which
link: where when
link: when if
link: but and
link: while when
link: as because
link: however although
link: so and
link: if whether
link: such_as like
link: so therefore
link: also too
"""


class _Confused(Mapping[str, tuple[str, ...]]):
    """Word → words that it may stand for, with the type of the slip."""

    def __init__(self, text: str) -> None:
        self._types: dict[str, dict[str, str]] = defaultdict(dict)
        for line in text.strip().split("\n"):
            typed, _, words = line.partition(": ")
            each = [word.replace("_", " ") for word in words.split()]
            for word in each:
                for other in each:
                    if other != word and " " not in word:
                        self._types[word].setdefault(other, typed)

    def __getitem__(self, word: str) -> tuple[str, ...]:
        return tuple(self._types[word]) if word in self._types else ()

    def get(self, word: str, default: object = ()) -> tuple[str, ...]:  # noqa: ARG002
        return tuple(self._types[word]) if word in self._types else ()

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)

    def type_of(self, word: str, other: str) -> str:
        """Return the type of the slip."""
        return self._types[word][other]


CONFUSED = _Confused(_SETS)
