"""The pages that come from the code are those the code gives; the papers are all named."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_command_line_reference_is_current():
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == generator().command_line(), "run: make docs"


def test_examples_stand_in_blocks_and_summaries_are_whole():
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert "$ onoma resolve people.csv -o resolved.csv\n" in page
    assert not [line for line in page.splitlines() if line.startswith("  onoma") or "<span" in line]
    assert not [line for line in page.splitlines() if line.startswith("* `") and line.endswith("...")]


def test_formulas_become_mathml():
    pytest.importorskip("latex2mathml", reason="make docs installs it")
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    found = hooks.on_page_content(r'<p><span class="arithmatex">\(a &lt; \kappa\)</span></p>')
    assert found.startswith("<p><math") and "003C;" in found and "arithmatex" not in found


def test_the_results_are_current():
    assert (ROOT / "docs" / "results.md").read_text("utf-8") == generator().results(), "run: make docs"


def test_sixteen_papers_are_cited():
    assert (ROOT / "CITATION.cff").read_text("utf-8").count("- type: conference-paper") == 16


def test_pins_name_no_index():
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text("utf-8")
        assert "://" not in text
        assert "--index" not in text
        assert "--find-links" not in text


def test_the_table_of_options_is_current():
    assert (ROOT / "docs" / "options.md").read_text("utf-8") == generator().options(), "run: make docs"
