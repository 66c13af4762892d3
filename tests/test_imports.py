"""What is loaded, and when: nothing heavy at the start, nothing that only Unix has at any import."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import onoma

SOURCE = Path(onoma.__file__).parent
UNIX_ONLY = {
    *("resource", "fcntl", "termios", "tty", "pty", "pwd", "grp", "syslog", "crypt", "spwd", "nis", "posix"),
    *("readline", "ossaudiodev"),
}
HEAVY = ("numba", "scipy", "duckdb", "pyarrow", "numpy", "pandas", "altair")


def at_import(tree):
    """Yield what a module imports as it is loaded: not inside functions, nor where an absence is caught."""
    for node in tree if isinstance(tree, list) else [tree]:
        if isinstance(node, ast.Import):
            yield from (each.name.split(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]
        elif isinstance(node, ast.Try):
            if not any("ImportError" in ast.unparse(each.type or ast.Constant("")) for each in node.handlers):
                yield from at_import([*node.body, *node.orelse, *node.finalbody])
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from at_import(list(ast.iter_child_nodes(node)))


def test_nothing_imports_what_only_unix_has():
    modules = [*SOURCE.rglob("*.py")]
    assert len(modules) > 200
    found = {}
    for path in modules:
        used = UNIX_ONLY & {*at_import(ast.parse(path.read_text("utf-8")))}
        if used:
            found[str(path.relative_to(SOURCE))] = used
    assert found == {}


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import fcntl", ["fcntl"]),
        ("if True:\n    from resource import getrusage", ["resource"]),
        ("class A:\n    import pwd", ["pwd"]),
        ("try:\n    import fcntl\nexcept ImportError:\n    pass", []),
        ("try:\n    import fcntl\nfinally:\n    pass", ["fcntl"]),
        ("def f():\n    import resource", []),
    ],
)
def test_the_scan_sees_what_is_loaded_and_only_that(code, found):
    assert [*at_import(ast.parse(code))] == found


COMMAND = "import sys; sys.argv = ['onoma', {!r}]\nfrom onoma.cli.app import main\ntry: main()\nexcept SystemExit: pass"


@pytest.mark.parametrize("code", ["import onoma; dir(onoma)", COMMAND.format("--version"), COMMAND.format("--help")])
def test_the_start_loads_nothing_heavy(code):
    tell = f"\nimport sys, json; print(json.dumps([m for m in {HEAVY} if m in sys.modules]), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + tell], capture_output=True, text=True, check=True)
    assert json.loads(done.stderr.splitlines()[-1]) == []


def test_annotating_text_loads_neither_pandas_nor_duckdb(tmp_path):
    (tmp_path / "a.txt").write_text("Ada met Grace in York.\n", "utf-8")
    code = (
        "import sys\n"
        "from onoma.cli.app import main\n"
        f"sys.argv = ['onoma', 'annotate', r'{tmp_path / 'a.txt'}', '-o', r'{tmp_path / 'a.jsonl'}']\n"
        "try:\n    main()\nexcept SystemExit as stop:\n    assert not stop.code, stop.code\n"
        "print([name for name in ('pandas', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr
