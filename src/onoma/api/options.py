"""The options of `onoma.resolve` and `onoma.link`, for editors and type checkers: the fields of `ResolveConfig`.

`ResolveConfig` is the one list of options; a test compares this one with it. (Type checkers read programs without
running them, so that for them the list has to be written down.)
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar

from onoma.resolve.config import OPTIONS, ResolveConfig

__all__ = ["LinkOptions", "ResolveOptions", "with_options"]

Function = TypeVar("Function", bound=Callable[..., Any])


class LinkOptions(TypedDict, total=False):
    """What can be said about linking; see `ResolveConfig`."""

    id: str | None
    kinds: Mapping[str, Any]
    map: Mapping[str, str]
    parse: Mapping[str, str]
    exclude: tuple[str, ...]
    truth: str | None
    one_to_one: bool
    one_type: bool
    block: str | None
    also_compare: tuple[tuple[str, ...], ...]
    block_on: tuple[str, ...]
    must_link_on: tuple[str, ...]
    cannot_link_on: tuple[str, ...]
    golden: Mapping[str, str]
    labels: str | None
    weights: str | None
    documents: str | None
    encoding: str | None
    model: str
    comparison: str | None
    merge_cost: float | None
    samples: int | None
    burn_in: int | None
    neighbours: int | None
    entities: int | None
    rounds: int | None
    partitions: int | None
    model_settings: Mapping[str, Any]
    no_check: bool
    review_budget: int | None
    seed: int


class ResolveOptions(LinkOptions, total=False):
    """What can be said about a resolution; see `ResolveConfig`."""

    source: str | None
    link: bool
    link_and_dedupe: bool


def with_options(options: type) -> Callable[[Function], Function]:
    """Return a decorator that shows, in place of `**options`, every option with its type and default."""

    def decorate(function: Function) -> Function:
        own = inspect.signature(function)
        fixed = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        named = [
            inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=_default(each), annotation=each.type)
            for each in dataclasses.fields(ResolveConfig)
            if each.name in options.__annotations__
        ]
        function.__signature__ = own.replace(parameters=[*fixed, *named])  # type: ignore[attr-defined]
        told = "\n".join(f"    {each.name}\n        {_told(each.name)}" for each in named)
        function.__doc__ = (function.__doc__ or "").replace("    options\n        See `ResolveConfig`.", told, 1)
        return function

    return decorate


def _default(field: "dataclasses.Field[Any]") -> object:
    return {} if field.default is dataclasses.MISSING else field.default


def _told(name: str) -> str:
    from onoma.resolve.registry import AUTO, model_names

    models = ", ".join(each for each in model_names() if each != AUTO)
    return OPTIONS[name].help.replace("{models}", models)
