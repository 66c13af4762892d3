"""Values as JSON knows them."""

import datetime
import json
import math
from pathlib import Path

from onoma.errors import DataError

__all__ = ["to_json"]


def to_json(value: object, path: str | Path) -> str:
    """Write a value as JSON on one line: dates and times as ISO text, NaN and infinity as null.

    Examples
    --------
    >>> to_json({"day": datetime.date(2024, 2, 29), "share": math.nan}, "x.jsonl")
    '{"day": "2024-02-29", "share": null}'
    """
    try:
        return _ENCODER.encode(value)
    except ValueError:  # NaN or infinity somewhere inside
        return _ENCODER.encode(_without_nan(value))
    except TypeError as error:
        raise DataError(str(error), file=path, hint="Write .parquet instead.") from error


def _other(value: object) -> str:
    """Write what JSON has no word for."""
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        raise TypeError("binary values cannot be written as text")
    return str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_other)


def _without_nan(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
