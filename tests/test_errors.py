"""Errors say what came, where, and what to try; they are also of the built-in kind."""

import pytest

from onoma.errors import ConvergenceWarning, DataError, OnomaError, SettingsError, UnsupportedError, shown_path


def test_where_it_stands_comes_first_and_the_hint_last():
    error = DataError("has no id", file="a.csv", row=1200, column="key", hint="Name another column.")
    assert str(error) == "a.csv, row 1,200, column 'key': has no id\nName another column."
    assert (error.file, error.row, error.column) == ("a.csv", 1200, "key")
    assert error.message == "a.csv, row 1,200, column 'key': has no id"


def test_without_a_place_or_a_hint_it_is_the_message_alone():
    assert str(DataError("is damaged")) == "is damaged"
    assert str(OnomaError("no", hint="Try yes.")) == "no\nTry yes."


@pytest.mark.parametrize(
    ("error", "kind"), [(DataError, ValueError), (SettingsError, ValueError), (UnsupportedError, NotImplementedError)]
)
def test_callers_may_catch_either(error, kind):
    assert issubclass(error, OnomaError) and issubclass(error, kind)
    assert issubclass(ConvergenceWarning, UserWarning)


@pytest.mark.parametrize(("path", "shown"), [("a.csv", "a.csv"), ("caf\udce9", "caf\\xe9"), ("né", "né")])
def test_paths_can_be_printed(path, shown):
    assert shown_path(path) == shown and shown_path(path).encode("utf-8")
