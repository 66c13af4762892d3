"""Edits of tokenised sentences: what a corrector proposes and what an annotator asks for.

An edit replaces the tokens `start` to `end` (exclusive) of a sentence by another string of tokens; an empty string
deletes them, `start == end` inserts. An annotator may accept several corrections of one span.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Edit", "EditedSentence", "apply_edits"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of one annotator.

    Parameters
    ----------
    start, end
        The tokens replaced, counted from 0, `end` exclusive.
    corrections
        What may stand in their place; tokens joined by single blanks, `""` deletes. The first is the preferred one.
    type
        What kind of error it mends, in the annotator's own scheme.
    """

    start: int
    end: int
    corrections: tuple[str, ...]
    type: str = ""

    @property
    def correction(self) -> str:
        """The preferred correction."""
        return self.corrections[0]


@dataclass(frozen=True)
class EditedSentence:
    """A tokenised sentence and the edits of each annotator, by annotator's number.

    An annotator without edits leaves the sentence as it is; a sentence without annotators has one who does so.
    """

    tokens: tuple[str, ...]
    annotators: Mapping[int, Sequence[Edit]] = field(default_factory=lambda: {0: ()})


def apply_edits(tokens: Sequence[str], edits: Iterable[Edit]) -> list[str]:
    """Return the sentence with every edit's preferred correction; edits must not overlap.

    Examples
    --------
    >>> apply_edits("The cat sat at mat".split(), [Edit(3, 4, ("on",)), Edit(4, 4, ("the",))])
    ['The', 'cat', 'sat', 'on', 'the', 'mat']
    """
    result = list(tokens)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        result[edit.start : edit.end] = edit.correction.split()
    return result
