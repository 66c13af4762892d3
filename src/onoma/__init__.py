"""Onoma: from names to the things named."""

import importlib
from typing import Any

__version__ = "0.1.0"

_ROOMS = ("corpus", "evaluate", "graph", "learning", "mcmc", "numerics", "resolve", "text")


def __getattr__(name: str) -> Any:  # noqa: ANN401
    # Rooms are opened when they are entered: `import onoma` stays cheap.
    if name in _ROOMS:
        return importlib.import_module(f"onoma.{name}")
    if name == "annotate":
        return importlib.import_module("onoma.pipeline.annotation").annotate
    raise AttributeError(f"module 'onoma' has no attribute {name!r}")
