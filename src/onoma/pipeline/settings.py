"""The settings of a resolution as a TOML file: read, checked in full, written again.

What stands in a file is what can be said on the command line, and a run prints the file that repeats it.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from onoma.errors import DataError, SettingsError

__all__ = ["KEYS", "check_settings", "read_settings", "to_toml"]

KEYS: dict[str, str] = {
    "id": "text",
    "source": "text",
    "link": "truth value",
    "one_to_one": "truth value",
    "block": "text",
    "truth": "text",
    "exclude": "list of columns",
    "also_compare": "list of columns or of lists of columns",
    "model": "text",
    "comparison": "text",
    "labels": "text",
    "weights": "text",
    "merge_cost": "number between 0.01 and 0.99",
    "seed": "whole number from 0 up",
    "samples": "whole number from 1 up",
    "burn_in": "whole number from 0 up",
    "neighbours": "whole number from 1 up",
    "entities": "whole number from 1 up",
    "documents": "text",
    "encoding": "text",
    "partitions": "whole number from 1 up",
    "kinds": "table of columns and kinds",
}
"""What may stand in a file of settings, and what each is."""
_EXAMPLE = 'Write lines such as: model = "copying". onoma resolve FILE --json prints, under settings, those of a run.'


def read_settings(path: str | Path) -> dict[str, object]:
    """Read a file of settings; what is unknown or ill-typed is an error that says what is allowed."""
    try:
        found = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        told = "there is no such file" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise DataError(f"{told}; a file of settings is TOML", file=path, hint=_EXAMPLE) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"is not TOML: {error}", file=path, hint=_EXAMPLE) from error
    except RecursionError as error:
        raise DataError("is nested too deeply for a file of settings", file=path, hint=_EXAMPLE) from error
    except ValueError as error:  # a NUL in the name, a number of too many digits
        raise DataError(f"cannot be read: {error}", file=repr(str(path)), hint=_EXAMPLE) from error
    return check_settings(found, str(path))


def check_settings(found: Mapping[str, object], where: str) -> dict[str, object]:
    """Return settings as they are used (tuples for lists); refuse what is unknown or ill-typed.

    Examples
    --------
    >>> check_settings({"seed": 1, "also_compare": ["phone", ["surname", "city"]]}, "x.toml")
    {'seed': 1, 'also_compare': (('phone',), ('surname', 'city'))}
    """
    return {key: _checked(key, value, where) for key, value in found.items()}


def _checked(key: str, value: object, where: str) -> object:
    if key not in KEYS:
        near = difflib.get_close_matches(key, KEYS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else None
        raise SettingsError(f"{where}: there is no setting {key!r}; there are {', '.join(KEYS)}", hint=hint)
    good = _as_used(key, value)
    if good is None:
        raise SettingsError(f"{where}: {key} is {value!r}; it is a {KEYS[key]}")
    return good


def _as_used(key: str, value: object) -> object:
    """Return the value of a setting as it is used; None if it is not allowed."""
    kind = KEYS[key].split()[0]
    if kind == "text":
        return value if isinstance(value, str) and value else None
    if kind == "truth":
        return value if isinstance(value, bool) else None
    if kind == "number":
        good = isinstance(value, int | float) and not isinstance(value, bool) and 0.01 <= value <= 0.99
        return value if good else None
    if kind == "whole":
        least = int(KEYS[key].split()[3])
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None
    if kind == "table":
        good = isinstance(value, dict) and all(isinstance(each, str) for each in value.values())
        return value if good else None
    if not isinstance(value, list | tuple):
        return None
    if key == "exclude":
        return tuple(value) if all(isinstance(each, str) for each in value) else None
    rules = tuple((each,) if isinstance(each, str) else tuple(each) if isinstance(each, list) else () for each in value)
    return rules if all(rule and all(isinstance(name, str) for name in rule) for rule in rules) else None


def to_toml(settings: Mapping[str, object]) -> str:
    """Write settings as TOML: texts, numbers, truth values, lists of these, and tables of texts at the end.

    Examples
    --------
    >>> print(to_toml({"seed": 1, "link": True, "kinds": {"the title": "text"}}), end="")
    seed = 1
    link = true
    <BLANKLINE>
    [kinds]
    "the title" = "text"
    """
    lines = [f"{_key(key)} = {_value(value)}" for key, value in settings.items() if not isinstance(value, Mapping)]
    for key, value in settings.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{_key(key)}]", *(f"{_key(name)} = {_value(each)}" for name, each in value.items())]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    # JSON's escapes are TOML's, but for the control character 127.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
