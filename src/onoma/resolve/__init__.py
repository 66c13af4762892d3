"""Across documents and records: which mentions are the same thing.

The package can be called: `onoma.resolve(table)` is `onoma.api.resolve(table)`.
"""

from onoma.door import open_door

__all__ = ["resolve"]

open_door(__name__)
