"""The one family of errors.

An error says what came, what is allowed and what to try, and where: file, row, column. Input errors are also the
built-in kind (`ValueError`, `KeyError`…) so that a caller may catch either.
"""

import os
from pathlib import Path

__all__ = ["ConvergenceWarning", "DataError", "OnomaError", "SettingsError", "UnsupportedError", "shown_path"]


def shown_path(path: str | Path) -> str:
    r"""Return a path as text that can be printed and stored: bytes of its name that are no UTF-8 as `\xNN`.

    Examples
    --------
    >>> shown_path("caf\udce9.csv")
    'caf\\xe9.csv'
    """
    return os.fsencode(str(path)).decode("utf-8", "backslashreplace") if not str(path).isascii() else str(path)


class OnomaError(Exception):
    """Anything Onoma refuses to do, or cannot do, with a message written for the person at the keyboard.

    Parameters
    ----------
    message
        What came and what is allowed.
    hint
        What to try.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n{self.hint}"


class DataError(OnomaError, ValueError):
    """Input that cannot be used as it is.

    Parameters
    ----------
    message
        What came and what is allowed.
    file, row, column
        Where. Rows count from 1; in a file with a header the header is row 1, as in a text editor.
    hint
        What to try.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        row: int | None = None,
        column: str | None = None,
        hint: str | None = None,
    ) -> None:
        where = ", ".join(
            part
            for part in (
                None if file is None else shown_path(file),
                None if row is None else f"row {row:,}",
                None if column is None else f"column {column!r}",
            )
            if part is not None
        )
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.file = file
        self.row = row
        self.column = column


class SettingsError(OnomaError, ValueError):
    """A setting that is unknown, ill-typed, out of range, or contradicts another."""


class UnsupportedError(OnomaError, NotImplementedError):
    """Something that makes sense but that Onoma does not do."""


class ConvergenceWarning(UserWarning):
    """An iterative method stopped at its limit; the message quotes the gap and the tolerance."""
