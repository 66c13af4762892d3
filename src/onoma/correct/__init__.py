"""Correction: what a writer meant to write, from native counts and learnt weights of edits.

The package can be called: `onoma.correct(text)` is `onoma.api.correct(text)`.
"""

from onoma.door import open_door

__all__ = ["correct"]

open_door(__name__)
