"""Settings as TOML, which Python reads but does not write."""

import json
import re
from collections.abc import Mapping

__all__ = ["to_toml"]


def to_toml(settings: Mapping[str, object]) -> str:
    """Write settings as TOML: texts, numbers, truth values, lists of these, and tables of them at the end.

    Examples
    --------
    >>> print(to_toml({"seed": 1, "link": True, "kinds": {"the title": "text"}}), end="")
    seed = 1
    link = true
    <BLANKLINE>
    [kinds]
    "the title" = "text"
    """
    return "\n".join(_lines(settings, ())) + "\n"


def _lines(settings: Mapping[str, object], within: tuple[str, ...]) -> list[str]:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in settings.items() if not isinstance(value, Mapping)]
    for key, value in settings.items():
        if isinstance(value, Mapping):
            path = (*within, key)
            lines += ["", f"[{'.'.join(map(_key, path))}]", *_lines(value, path)]
    return lines


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
