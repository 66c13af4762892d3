"""Settings in a file: what is allowed, and what comes back."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.errors import DataError, SettingsError
from onoma.pipeline.settings import KEYS, check_settings, read_settings, to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLAIN = st.one_of(st.integers(), st.booleans(), st.floats(0.01, 0.99), TEXT, st.lists(TEXT, max_size=3))


def test_a_file(tmp_path):
    path = tmp_path / "job.toml"
    path.write_text(
        'id = "key"\nlink = true\nexclude = ["a", "b"]\nalso_compare = ["phone", ["surname", "city"]]\n'
        'merge_cost = 0.8\nseed = 7\nsamples = 50\n[kinds]\n"the title" = "text"\n',
        "utf-8",
    )
    assert read_settings(path) == {
        "id": "key",
        "link": True,
        "exclude": ("a", "b"),
        "also_compare": (("phone",), ("surname", "city")),
        "merge_cost": 0.8,
        "seed": 7,
        "samples": 50,
        "kinds": {"the title": "text"},
    }


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"seeds": 1}, "there is no setting 'seeds'; there are id, source"),
        ({"seed": -1}, "seed is -1; it is a whole number from 0 up"),
        ({"seed": True}, "seed is True"),
        ({"seed": "1"}, "seed is '1'"),
        ({"samples": 0}, "samples is 0; it is a whole number from 1 up"),
        ({"merge_cost": 1}, "merge_cost is 1; it is a number between 0.01 and 0.99"),
        ({"link": "yes"}, "link is 'yes'; it is a truth value"),
        ({"id": ""}, "id is ''; it is a text"),
        ({"exclude": "a"}, "exclude is 'a'; it is a list of columns"),
        ({"also_compare": [[]]}, "also_compare"),
        ({"also_compare": [["a", 1]]}, "also_compare"),
        ({"kinds": ["text"]}, "it is a table of columns and kinds"),
        ({"kinds": {"a": 1}}, "it is a table of columns and kinds"),
    ],
)
def test_what_is_not_allowed(found, said):
    with pytest.raises(SettingsError, match="job.toml: ") as error:
        check_settings(found, "job.toml")
    assert said in str(error.value)


def test_a_slip_of_the_keyboard():
    with pytest.raises(SettingsError, match="Did you mean 'merge_cost'"):
        check_settings({"merge-cost": 0.5}, "job.toml")


def test_what_is_no_toml(tmp_path):
    path = tmp_path / "job.toml"
    path.write_text("seed: 1", "utf-8")
    with pytest.raises(DataError, match="is not TOML"):
        read_settings(path)


@given(st.dictionaries(TEXT, PLAIN, max_size=4), st.dictionaries(TEXT, TEXT, max_size=3))
def test_what_is_written_is_read_again(plain, kinds):
    settings = plain | ({"kinds": kinds} if kinds else {})
    assert tomllib.loads(to_toml(settings)) == settings


def test_every_setting_has_a_type_that_is_checked():
    good = {"text": "x", "truth": True, "list": ["x"], "number": 0.5, "whole": 3, "table": {"x": "text"}}
    for key, kind in KEYS.items():
        assert check_settings({key: good[kind.split()[0]]}, "x")
        with pytest.raises(SettingsError):
            check_settings({key: None}, "x")
