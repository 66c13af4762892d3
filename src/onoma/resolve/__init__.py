"""Across documents and records: which mentions are the same thing.

The package can be called: `onoma.resolve(table)` is `onoma.resolve.api.resolve(table)`.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onoma.resolve.result import Resolution


class _Callable(ModuleType):
    def __call__(self, frame: object, **settings: Any) -> "Resolution":  # noqa: ANN401 (those of `resolve`)
        from onoma.resolve.api import resolve

        return resolve(frame, **settings)


sys.modules[__name__].__class__ = _Callable
