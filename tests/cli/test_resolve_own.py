"""Comparisons and rules of one's own on the command line: settings, refusals before the work, knowledge bases."""

import shlex
from pathlib import Path

import pytest

from onoma.kb.database import read_knowledge_base

ROWS = [("ABC-10234A", "Kim", "1"), ("abc 10234 B", "Kim", "2"), ("QRS-55871A", "Lee", "3"), ("qrs55871a", "Lee", "3")]
SETTINGS = """
id = "id"
model = "copying"
samples = 10
[kinds.part]
normalise = "upper(regexp_replace(x, '[^A-Za-z0-9]', '', 'g'))"
[kinds.part.levels]
"other revision" = "left(a, length(a) - 1) = left(b, length(b) - 1)"
close = "jaro_winkler(a, b) >= 0.92"
"""


@pytest.fixture
def parts(onoma):
    lines = ["id,part,owner,lot"]
    lines += [
        f"{k}.{i},{part[:4]}{k}{part[4:]},{owner} {k},{lot}{k}"
        for k in range(8)
        for i, (part, owner, lot) in enumerate(ROWS)
    ]
    Path("parts.csv").write_text("\n".join(lines) + "\n", "utf-8")
    Path("parts.toml").write_text(SETTINGS, "utf-8")
    return onoma


def test_levels_of_a_file_of_settings_are_shown_and_kept(parts):
    ran = parts("resolve parts.csv --settings parts.toml -o parts.duckdb --json")
    assert ran.code == 0, ran.err
    assert ran.json["fields"]["part"] == {"kind": "custom", "reason": "its levels were given"}
    assert "[kinds.part.levels]" in ran.json["settings"]
    with read_knowledge_base(Path("parts.duckdb")) as base:
        levels = [level for (level,) in base.rows("SELECT level FROM weights WHERE field = 'part'")]
    assert {"equal", "other revision", "close", "different"} <= set(levels)
    Path("new.csv").write_text("id,part,owner,lot\nnew,ABC-010234A,Kim 0,10\n", "utf-8")
    added = parts("resolve new.csv --into parts.duckdb --json")
    assert added.code == 0 and added.json["added"] == 1, added.err


def test_the_settings_printed_repeat_the_run(parts):
    first = parts("resolve parts.csv --settings parts.toml -o a.csv --json")
    Path("again.toml").write_text(first.json["settings"], "utf-8")
    assert parts("resolve parts.csv --settings again.toml -o b.csv --json").code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


def test_rules_are_options_and_are_said(parts):
    rules = ["--block-on", "l.owner = r.owner", "--must-link-on", "l.lot = r.lot"]
    rules += ["--cannot-link-on", "l.id = '0.0' AND r.id = '0.1'"]
    ran = parts("resolve parts.csv --settings parts.toml --exclude lot --json " + shlex.join(rules))
    assert ran.code == 0, ran.err
    assert any("rows for which l.owner = r.owner are compared" in note for note in ran.json["notes"])
    assert any("rules say of" in note for note in ran.json["notes"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--block-on", "l.lott = r.lot"], "--block-on, 'l.lott = r.lot', is not understood"),
        (["--must-link-on", "l.lot"], "is no condition"),
        (["--must-link-on", "l.lot = r.lot", "--cannot-link-on", "l.id <> r.id"], "the rules contradict each other"),
        (["--cannot-link-on", "true", "--model", "pairwise"], "takes no --cannot-link-on"),
        (["--field", "part=plate"], "there is no such kind"),
    ],
)
def test_what_is_wrong_is_said_before_the_work(parts, arguments, said):
    ran = parts("resolve parts.csv " + shlex.join(arguments))
    assert ran.code != 0 and said in ran.err and "Traceback" not in ran.err


def test_a_bad_level_names_the_file(parts):
    Path("bad.toml").write_text(SETTINGS.replace("jaro_winkler(a, b)", "jaro_winkler(a, c)"), "utf-8")
    ran = parts("resolve parts.csv --settings bad.toml")
    assert ran.code == 2 and "bad.toml: the level 'close'" in ran.err
