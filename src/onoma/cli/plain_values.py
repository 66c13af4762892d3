"""What is said on the command line, read without Pydantic where it is plain.

Typer reads every option by Pydantic, also those that were not said, and Pydantic takes longer to load than a small
table takes to be read. Words, whole numbers, files and choices that are in order need none of it; whatever is not goes
Typer's way, which says what is wrong.
"""

import re
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

_PARAMETER: Any = None
try:
    from typer._coercion import build_runtime_param
    from typer._param_types import coerce_cli_path
    from typer.core import _TyperParameter
except ImportError:  # an older Typer, which does not load it, or one that is made otherwise
    pass
else:
    _PARAMETER = _TyperParameter
_typers_own = getattr(_PARAMETER, "get_runtime_param", None)

__all__ = ["read_plainly"]

_WHOLE = re.compile(r"-?[0-9]{1,15}")


class _NotPlainError(Exception):
    """A value that is Typer's to read."""


class _PlainParam:
    """Reads the values of a parameter."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401
        """Return a value as it is wanted."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            return _plain(value, param.type_descriptor.annotation, param, ctx)
        except _NotPlainError:
            return build_runtime_param(param.type_descriptor).coerce(value, param=param, ctx=ctx)


def read_plainly() -> None:
    """Let the values of all parameters be read so from now on; where this Typer is made otherwise, as it has it."""
    if _typers_own is not None:
        _PARAMETER.get_runtime_param = _runtime_param


def _runtime_param(self: Any) -> Any:  # noqa: ANN401
    """Return what reads the values of a parameter."""
    if self._runtime_param is None:
        about = self.type_descriptor
        is_plain = about.file_annotation is None and about.parameter_info.parser is None
        self._runtime_param = _PlainParam() if is_plain else build_runtime_param(about)
    return self._runtime_param


def _plain(value: Any, wanted: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401
    """Return a value as it is wanted."""
    about = param.type_descriptor.parameter_info
    if get_origin(wanted) is list and isinstance(value, list | tuple):
        return [_plain(each, get_args(wanted)[0], param, ctx) for each in value]
    if wanted is str and type(value) is str:
        return value
    if wanted is Path and isinstance(value, str | Path) and about.path_type is None:
        return coerce_cli_path(Path(value), about, path_type=Path, param=param, ctx=ctx)
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        for member in wanted:
            if value is member or (type(value) is str and value == member.value):
                return member
    if wanted is int and type(value) is str and _WHOLE.fullmatch(value) and not about.clamp:
        number = int(value)
        if (about.min is None or number >= about.min) and (about.max is None or number <= about.max):
            return number
    raise _NotPlainError
