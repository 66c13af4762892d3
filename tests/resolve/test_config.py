"""Settings in a file: what is allowed, and what comes back."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.errors import DataError, SettingsError
from onoma.resolve.config import OPTIONS, ResolveConfig, config_table, read_config, to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLAIN = st.one_of(st.integers(), st.booleans(), st.floats(0.01, 0.99), TEXT, st.lists(TEXT, max_size=3))


def test_a_file(tmp_path):
    path = tmp_path / "job.toml"
    path.write_text(
        'id = "key"\nlink = true\nexclude = ["a", "b"]\nalso_compare = ["phone", ["surname", "city"]]\n'
        'merge_cost = 0.8\nseed = 7\nsamples = 50\n[kinds]\n"the title" = "text"\n',
        "utf-8",
    )
    assert read_config(path).asked == {
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
        ({"seeds": 1}, "there is no option 'seeds'; there are id, source"),
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
        (
            {"kinds": {"a": {"levels": {"x": "a = c"}}}},
            "the level 'x' of the kind 'custom', 'a = c', is not understood",
        ),
        ({"parse": {"a": 1}}, "it is a table of columns and what they hold: citation, address"),
        ({"parse": {"a": ""}}, "it is a table of columns and what they hold"),
        ({"block_on": [1]}, "it is a list of conditions in SQL"),
    ],
)
def test_what_is_not_allowed(found, said):
    with pytest.raises(SettingsError, match="job.toml: ") as error:
        ResolveConfig.of(found, "job.toml")
    assert said in str(error.value)


def test_a_slip_of_the_keyboard():
    with pytest.raises(SettingsError, match="Did you mean 'merge_cost'"):
        ResolveConfig.of({"merge-cost": 0.5}, "job.toml")


def test_what_is_no_toml(tmp_path):
    path = tmp_path / "job.toml"
    path.write_text("seed: 1", "utf-8")
    with pytest.raises(DataError, match="is not TOML"):
        read_config(path)


@given(st.dictionaries(TEXT, PLAIN, max_size=4), st.dictionaries(TEXT, TEXT, max_size=3))
def test_what_is_written_is_read_again(plain, kinds):
    settings = plain | ({"kinds": kinds} if kinds else {})
    assert tomllib.loads(to_toml(settings)) == settings


def test_every_option_has_a_type_that_is_checked():
    good = {"text": "x", "flag": True, "columns": ["x"], "rules": ["x"], "share": 0.5, "whole": 3}
    good |= {"kinds": {"x": "text"}, "table": {"heat": 2.0}, "conditions": ["l.x = r.x"], "names": {"x": "y"}}
    good |= {"golden": {"x": "longest"}, "parsers": {"x": "citation"}}
    for name, option in OPTIONS.items():
        base = ResolveConfig(link=name == "one_to_one")
        value = "mutation" if name == "comparison" else good[option.sort]
        assert name in ResolveConfig.of({name: value}, base=base).asked
        with pytest.raises(SettingsError):
            ResolveConfig.of({name: None})
        if option.sort not in ("text", "conditions"):  # one condition may stand alone
            with pytest.raises(SettingsError, match=f"{name} is .* it is a"):
                ResolveConfig(**{name: "no such thing"})


def test_what_is_asked_for_is_repeated_by_json_and_by_toml():
    config = ResolveConfig(
        kinds={"the title": "text"},
        also_compare=(("a", "b"), ("c",)),
        model="pairwise",
        model_settings={"heat": 4.0, "canopies": {"hot": 20}},
    )
    assert ResolveConfig.of(config.to_json()) == config
    assert ResolveConfig.of(tomllib.loads(config.to_toml())) == config


def test_what_is_said_later_wins_and_tables_are_joined():
    base = ResolveConfig(kinds={"a": "text", "b": "code"}, seed=3)
    found = ResolveConfig.of({"kinds": {"b": "date"}}, base=base)
    assert found.kinds == {"a": "text", "b": "date"} and found.seed == 3
    parsed = ResolveConfig(parse={"x": Path("mine")})
    assert ResolveConfig.of({"parse": {"y": "address"}}, base=parsed).parse == {"x": "mine", "y": "address"}


@pytest.mark.parametrize(
    ("given", "said"),
    [({"one_to_one": True}, "for linking"), ({"labels": "x", "weights": "y"}, "not both"), ({"comparison": "x"}, "no")],
)
def test_what_contradicts_itself(given, said):
    with pytest.raises(SettingsError, match=said):
        ResolveConfig(**given)


def test_the_table_of_the_documentation_has_every_option():
    table = config_table("copying")
    assert all(f"| `{option.option}` | `{name}` |" in table for name, option in OPTIONS.items())
