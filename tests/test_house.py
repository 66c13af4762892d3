"""How the house is kept: where files stand, how many a room holds, how much a function is told."""

import ast
from pathlib import Path

import pytest

import onoma

SOURCE = Path(onoma.__file__).parent
TESTS = Path(__file__).parent
MOST_MODULES, MOST_PARAMETERS = 25, 8


def modules(folder):
    return sorted(path for path in folder.rglob("*.py") if path.name != "__init__.py")


def parameters(function):
    """Return the names a function is called with, those of its object or class left out."""
    told = function.args
    given = [*told.posonlyargs, *told.args, *told.kwonlyargs, *(each for each in (told.vararg, told.kwarg) if each)]
    return [each.arg for each in given if each.arg not in ("self", "cls")]


def functions(path):
    return [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_resolve_has_eight_files_of_its_own():
    found = {path.stem for path in (SOURCE / "resolve").glob("*.py")} - {"__init__"}
    assert found == {"ready", "api", "result", "config", "contract", "registry", "auto", "sources"}


def test_no_room_is_crowded():
    crowded = {
        str(folder.relative_to(SOURCE)): n
        for folder in (SOURCE, *SOURCE.rglob("*/"))
        if (n := len([*folder.glob("*.py")])) > MOST_MODULES
    }
    assert crowded == {}


def test_no_function_is_told_too_much():
    """But kernels, which are told their arrays, and commands, whose parameters are their options."""
    found = {
        f"{path.relative_to(SOURCE)}: {each.name}": len(parameters(each))
        for path in modules(SOURCE)
        if not path.name.endswith("_kernels.py") and "cli" not in path.relative_to(SOURCE).parts
        for each in functions(path)
        if len(parameters(each)) > MOST_PARAMETERS
    }
    assert found == {}


@pytest.mark.parametrize("room", ["resolve", "kb"])
def test_every_module_has_a_test_of_its_name(room):
    """Kernels are tested beside their slow twins, through the file that owns their arrays."""
    missing = [
        str(path.relative_to(SOURCE))
        for path in modules(SOURCE / room)
        if not path.name.endswith("_kernels.py")
        and not (TESTS / path.relative_to(SOURCE).parent / f"test_{path.stem.lstrip('_')}.py").exists()
    ]
    assert missing == []
