"""Onoma: from names to the things named.

    import onoma

    found = onoma.resolve("people.csv")      # a file, pandas, Polars, Arrow, DuckDB, a list of dicts
    found.to_pandas()                        # every row with its entity and a probability
    found.save("people.duckdb")              # a knowledge base
    onoma.open("people.duckdb").add("new.csv")

Everything here is loaded when it is first used, so that `import onoma` costs nothing. See docs/python.md.
"""

import importlib as _importlib

__version__ = "0.1.0"
__all__ = [  # noqa: RUF022 (as they are told)
    "resolve",
    "link",
    "open",
    "load",
    "evaluate",
    "names",
    "facts",
    "annotate",
    "coref",
    "correct",
    "register_kind",
    "build",
    "ResolveConfig",
    "Result",
    "KnowledgeBase",
    "OnomaError",
    "__version__",
]

_HOMES = {
    "ResolveConfig": "onoma.resolve.config",
    "OnomaError": "onoma.errors",
    "register_kind": "onoma.resolve.fields.kinds",
}
_ROOMS = ("resolve", "evaluate", "correct", "coref")
"""Rooms that are called."""
_SUBPACKAGES = (
    "corpus",
    "engines",
    "graph",
    "kb",
    "knowledge",
    "learning",
    "linking",
    "mcmc",
    "numerics",
    "text",
)


def __getattr__(name: str) -> object:
    if name in _ROOMS or name in _SUBPACKAGES:
        return _importlib.import_module(f"onoma.{name}")
    if name in __all__:
        found: object = getattr(_importlib.import_module(_HOMES.get(name, "onoma.api")), name)
        globals()[name] = found
        return found
    import difflib

    near = difflib.get_close_matches(name, __all__, n=1)
    raise AttributeError(f"module 'onoma' has no attribute {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def __dir__() -> list[str]:
    return sorted(__all__)
