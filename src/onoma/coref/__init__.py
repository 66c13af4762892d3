"""Coreference within a document: which mentions of a text are one thing, and how sure that is.

The package can be called: `onoma.coref(text)` is `onoma.api.coref(text)`.
"""

from onoma.door import open_door

__all__ = ["coref"]

open_door(__name__)
