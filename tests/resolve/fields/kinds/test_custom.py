"""Kinds of one's own: from a table, a class, a function; what is wrong with them is said before the work."""

from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig, read_config
from onoma.resolve.fields import kinds
from onoma.resolve.fields.kinds import adopt_kind, find_kind, kind_names, register_kind
from onoma.resolve.fields.kinds.custom import CUTS, custom_kind
from onoma.resolve.fields.prepare import prepare_fields


@pytest.fixture(autouse=True)
def only_here(monkeypatch):
    monkeypatch.setattr(kinds, "_registered", {})


class Sku:
    """A part number: maker, number, revision."""

    levels: ClassVar = {
        "other revision": lambda a, b: a[:-1] == b[:-1],
        "same maker": "left(a, 3) = left(b, 3)",
    }

    def normalise(self, text):
        return text.upper().replace("-", "")

    def keys(self, text):
        return [text[:3]]


TABLE = {
    "normalise": "upper(replace(x, '-', ''))",
    "levels": {
        "close": "jaro_winkler(a, b) >= 0.92",
        "near": "abs(number(a) - number(b)) <= 2",
        "sounds alike": "soundex(a) = soundex(b)",
    },
    "keys": ["left(x, 1)", "soundex(x)"],
}


def level(kind, a, b):
    made = kind.prepare([a, b], np.ones(2, dtype=np.int64))
    return made.levels[int(made.compare(np.array([0], np.int32), np.array([1], np.int32))[0])]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("MARTHA", "MARHTA", "close"),
        ("9", "11", "near"),
        ("9", "12", "different"),
        ("ROBERT", "RUPERT", "sounds alike"),
        ("ANN", "ZOE", "different"),
    ],
)
def test_a_table_has_levels_in_order(a, b, expected):
    kind = custom_kind(TABLE)
    assert kind.levels == ("equal", "close", "near", "sounds alike", "different")
    assert level(kind, a, b) == level(kind, b, a) == expected


def test_functions_and_sql_may_be_mixed_and_the_first_that_holds_is_the_level():
    kind = custom_kind(Sku())
    assert kind.name == "sku" and kind.normalise(["ab-c1"]) == ["ABC1"]
    assert level(kind, "ABC1", "ABC2") == "other revision"
    assert level(kind, "ABC11", "ABC2") == "same maker"
    assert level(kind, "ABC11", "XBC11") == "different"


def test_a_condition_holds_in_either_order():
    shorter = custom_kind({"levels": {"begins": "starts_with(a, b)"}})
    assert level(shorter, "ab", "abc") == level(shorter, "abc", "ab") == "begins"
    own = custom_kind({"levels": {"begins": lambda a, b: a.startswith(b)}})
    assert level(own, "ab", "abc") == level(own, "abc", "ab") == "begins"


@pytest.mark.parametrize(("alike", "expected"), [(1.0, 1), (0.95, 1), (0.9, 2), (0.7, 3), (0.5, 4), (0.49, 5)])
def test_a_function_is_a_similarity_and_cut(alike, expected):
    kind = custom_kind(lambda a, b: alike, "mine")
    assert kind.name == "mine" and len(kind.levels) == len(CUTS) + 2
    assert level(kind, "a", "b") == kind.levels[expected]


def test_features_are_the_keys_or_words_and_trigrams():
    features = custom_kind(TABLE).prepare(["ROBERT", "RUPERT"], np.ones(2, dtype=np.int64)).features()
    shared = set(features.ids[: features.offsets[1]]) & set(features.ids[features.offsets[1] :])
    assert {features.texts[i] for i in shared} == {"left(x, 1): R", "soundex(x): R163"}
    own = custom_kind(Sku()).prepare(["ABC1"], np.ones(1, dtype=np.int64)).features()
    assert list(own.texts) == ["ABC1", "ABC"]
    plain = custom_kind({"levels": ["a < b"]}).prepare(["an ox"], np.ones(1, dtype=np.int64)).features()
    assert {"an ox", "an", "ox", " an"} <= set(plain.texts)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"levels": {"x": "a = c"}}, r"the level \'x\' of the kind \'custom\', \'a = c\', is not understood"),
        ({"levels": {"x": "a = b; SELECT 1"}}, "is not understood"),
        ({"levels": {"x": "a"}}, "is no condition: it gives VARCHAR"),
        ({"levels": {"x": "count(*) > 1"}}, "is not understood"),
        ({"levels": {"x": 3}}, "the level 'x' of the kind 'custom' is 3"),
        ({"levels": {}}, "has 0 levels"),
        ({"levels": {"x": "a < b", "equal": "a = b"}}, "has a level 'equal' of its own"),
        ({"levels": "a = b"}, "levels of the kind 'custom' are 'a = b'"),
        ({"level": {"x": "a = b"}}, "does not know 'level'"),
        ({"normalise": "x"}, "needs levels"),
        ({"levels": ["a < b"], "normalise": "upper(y)"}, "normalise of the kind"),
        ({"levels": ["a < b"], "normalise": 3}, "normalise of the kind 'custom' is 3"),
        ({"levels": ["a < b"], "keys": ["left(a, 3)"]}, "a key of the kind"),
        ({"levels": ["a < b"], "keys": [3]}, "keys of the kind"),
        (3, "is no kind of a column"),
    ],
)
def test_what_is_wrong_is_said(given, message):
    with pytest.raises(SettingsError, match=message):
        custom_kind(given)


def test_equal_and_different_may_be_named_where_they_always_are():
    levels = {"equal": "a = b", "close": "jaro_winkler(a, b) >= 0.9", "different": "else"}
    assert custom_kind({"levels": levels}).levels == ("equal", "close", "different")


def test_what_fails_in_a_function_is_told_with_the_values():
    with pytest.raises(SettingsError, match="the kind 'mine' failed on 'a' and 'b': ZeroDivisionError"):
        level(custom_kind(lambda a, b: 1 / 0, "mine"), "a", "b")
    with pytest.raises(SettingsError, match="gives 7 for 'a' and 'b'"):
        level(custom_kind(lambda a, b: 7, "mine"), "a", "b")
    with pytest.raises(SettingsError, match="could not answer: Conversion Error"):
        level(custom_kind({"levels": {"x": "a::INTEGER > 1"}}), "a", "b")
    with pytest.raises(SettingsError, match="it gives 3; it gives a text"):
        custom_kind({"levels": ["a < b"], "normalise": lambda text: 3}).normalise(["a"])


def test_kinds_are_adopted_by_name_or_as_tables():
    assert adopt_kind("text", "title") == "text"
    assert adopt_kind(TABLE, "part") == TABLE
    assert adopt_kind(Sku, "part") == "sku" and "sku" in kind_names()
    assert find_kind("sku").levels[1] == "other revision"
    assert adopt_kind(lambda a, b: a == b, "part") == "part"
    with pytest.raises(SettingsError, match="there is a kind 'text' already"):
        adopt_kind(TABLE | {"name": "text"}, "part")
    with pytest.raises(SettingsError, match="no kind 'skuu' here") as error:
        find_kind("skuu")
    assert "Did you mean 'sku'?" in str(error.value) and "entry point onoma.kinds" in str(error.value)


def test_a_kind_of_another_package_is_found_by_its_entry_point(monkeypatch):
    class Point:
        name = "theirs"

        @staticmethod
        def load():
            return Sku

    monkeypatch.setattr(kinds, "entry_points", lambda group, name="theirs": [Point] if name == "theirs" else [])
    assert "theirs" in kind_names() and find_kind("theirs").levels[2] == "same maker"


def test_a_whole_kind_stays_as_it_is():
    class Whole:
        name = "whole"

        def normalise(self, raw):
            return [text[:1] for text in raw]

        def prepare(self, values, counts):
            return find_kind("category").prepare(values, counts)

    assert register_kind(Whole()) == "whole"
    fields = prepare_fields(pa.table({"x": ["ab", "ac", "b"]}), kinds={"x": "whole"}).fields
    assert fields[0].values == ["a", "b"] and fields[0].kind == "whole"


def test_a_file_of_settings_describes_a_kind_and_says_it_again(tmp_path):
    path = tmp_path / "job.toml"
    path.write_text(ResolveConfig(kinds={"part": TABLE, "title": "text"}).to_toml(), "utf-8")
    assert read_config(path).kinds == {"part": TABLE, "title": "text"}
    path.write_text('[kinds.part.levels]\nx = "a = c"\n', "utf-8")
    with pytest.raises(SettingsError, match="the level 'x'"):
        read_config(path)


def test_weights_of_own_levels_are_learnt_shown_and_explained():
    rng = np.random.default_rng(1)
    maker = ["ABC", "XYZ", "QRS", "LMN"]
    numbers = [f"{maker[k % 4]}-{rng.integers(10_000, 99_999)}" for k in range(60)]
    rows = [
        {
            "id": f"{k}.{copy}",
            "part": number + "AB"[copy * (k % 2)],
            "lot": str(7919 * (k + 13)),
            "colour": "rgb"[k % 3],
        }
        for k, number in enumerate(numbers)
        for copy in range(2)
    ]
    found = resolve(pa.Table.from_pylist(rows), kinds={"part": Sku()}, model="copying")
    assert [(field.name, field.kind) for field in found.fields.fields][0] == ("part", "sku")
    told = found.weights()
    bits = {row["level"]: row for row in told.to_pylist() if row["field"] == "part"}
    assert {"equal", "other revision", "same maker", "different"} <= set(bits)
    explained = found.explain("1.0", "1.1")
    assert "other revision" in str(explained)
    assert found.clustering.n_entities == 60
