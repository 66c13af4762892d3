"""Which edits annotators asked for: annotated edits reduced to what they change, and matched with proposals."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.edits import EditedSentence
from onoma.correct.candidates import Action
from onoma.correct.model import EditRows
from onoma.correct.words import fold

__all__ = ["right_rows", "wanted_edits"]

Wanted = dict[tuple[int, int, tuple[str, ...]], str]
"""(start, end, words put, in small letters) → type."""


def wanted_edits(sentence: EditedSentence) -> Wanted:
    """Return what annotators ask for, without the words that an edit leaves as they are.

    Examples
    --------
    >>> from onoma.corpus.edits import Edit
    >>> wanted_edits(EditedSentence(("a", "dog", "bark"), {0: [Edit(1, 3, ("dog barks",), "SVA")]}))
    {(2, 3, ('barks',)): 'SVA'}
    """
    found: Wanted = {}
    for edits in sentence.annotators.values():
        for edit in edits:
            for correction in edit.corrections:
                put = correction.split()
                start, end = edit.start, edit.end
                here = tuple(map(fold, put))
                if put != list(sentence.tokens[start:end]) and here == tuple(map(fold, sentence.tokens[start:end])):
                    found[start, end, tuple(put)] = edit.type  # capitals
                    continue
                while start < end and put and fold(sentence.tokens[end - 1]) == fold(put[-1]):
                    end, put = end - 1, put[:-1]
                while start < end and put and fold(sentence.tokens[start]) == fold(put[0]):
                    start, put = start + 1, put[1:]
                if start < end or put:
                    found[start, end, tuple(map(fold, put))] = edit.type
    return found


def right_rows(
    edits: EditRows, sentences: Sequence[EditedSentence], actions: Sequence[Action]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the right row of each place (what was asked for, or the edit that changes nothing), and which are."""
    wanted = [wanted_edits(sentence) for sentence in sentences]
    right = np.zeros(len(edits.actions), bool)
    columns = (edits.sentence.tolist(), edits.starts.tolist(), edits.ends.tolist(), edits.actions.tolist())
    for row, (sentence, start, end, action) in enumerate(zip(*columns, strict=True)):
        if action < 0 or not wanted[sentence]:
            continue
        put = actions[action].put
        if (start, end, put if actions[action].type == "case" else tuple(map(fold, put))) in wanted[sentence]:
            right[row] = True
    groups = edits.rows.groups
    chosen = groups[:-1].copy()
    hits = np.flatnonzero(right)
    where = np.searchsorted(groups, hits, side="right") - 1
    chosen[where[::-1]] = hits[::-1]
    return chosen, right
