"""The options of `onoma resolve` that say how: made from the fields of `ResolveConfig`, so that there is one list."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from onoma.errors import SettingsError
from onoma.resolve.config import OPTIONS, Option
from onoma.resolve.registry import model_names

__all__ = ["said_options", "with_config_options"]

_TYPES: dict[str, Any] = {
    "text": str,
    "flag": bool,
    "whole": int,
    "share": float,
    "columns": list[str],
    "rules": list[str],
    "conditions": list[str],
    "kinds": list[str],
    "names": list[str],
    "parsers": list[str],
    "golden": list[str],
    "table": list[str],
}


def with_config_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with an option for each field of `ResolveConfig`; it is given those said, as `said`."""
    own = inspect.signature(command)
    fixed = [each for each in own.parameters.values() if each.name != "said"]
    made = [_parameter(option) for option in OPTIONS.values()]

    @functools.wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401
        said = {name: given.pop(name) for name in OPTIONS}
        command(**given, said=said_options(said))

    keyword = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in fixed]
    parameters = [*keyword[:_FIRST], *made, *keyword[_FIRST:]]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    return run


_FIRST = 4
"""So many of the command's own options stand before those made: what is read, and where the answer goes."""


def said_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were said, as `ResolveConfig` has them."""
    found = {}
    for name, value in given.items():
        if value is None or value == []:
            continue
        option = OPTIONS[name]
        if option.sort == "rules":
            value = [[part.strip() for part in rule.split(",") if part.strip()] for rule in value]
        elif option.sort in ("kinds", "names", "parsers", "golden", "table"):
            value = _table(option, value)
        found[name] = value
    return found


def _parameter(option: Option) -> inspect.Parameter:
    flags = [f"{option.option}/--no-{option.option[2:]}"] if option.sort == "flag" else [option.option]
    about: dict[str, Any] = {"help": option.help.replace("{models}", _models()), "show_default": False}
    if option.metavar:
        about["metavar"] = option.metavar
    if option.sort == "whole":
        about["min"] = option.least
    if option.sort == "share":
        about |= {"min": 0.01, "max": 0.99}
    wanted: Any = _TYPES[option.sort] | None
    annotation: Any = Annotated[wanted, typer.Option(*flags, **about)]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


@functools.cache
def _models() -> str:
    names = model_names()
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _table(option: Option, pairs: list[str]) -> dict[str, Any]:
    """Return a table of NAME=VALUE; a setting's value is a number or truth value where it is written like one."""
    is_setting = option.sort == "table"
    found: dict[str, Any] = {}
    for pair in pairs:
        name, separator, value = pair.rpartition("=") if option.sort == "kinds" else pair.partition("=")
        if not separator or not name or not value:
            raise SettingsError(f"{option.option} {pair!r} is not understood; it is {option.metavar}", hint=option.help)
        *within, last = name.split(".") if is_setting else [name]
        inner = found
        for part in within:
            inner = inner.setdefault(part, {})
        inner[last] = _literal(value) if is_setting else value
    return found


def _literal(text: str) -> object:
    import tomllib  # few settings are said so

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
