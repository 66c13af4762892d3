"""What is compiled for kernels alone is nowhere called from Python, where there would be nothing to call."""

import ast
import importlib
from pathlib import Path

import onoma

SOURCE = Path(onoma.__file__).parent
TESTS = Path(__file__).parents[1]


def module_of(path):
    return ".".join(["onoma", *path.relative_to(SOURCE).with_suffix("").parts])


def inner_functions():
    """Return the names of inner kernels by module."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        if "@inner" not in text and "@within" not in text:
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and {"inner", "within"} & {*map(ast.unparse, node.decorator_list)}:
                found.setdefault(module_of(path), set()).add(node.name)
    return found


def taken_from(path, inner):
    """Return the inner kernels that a file imports, or asks a module for; most name no module that has any."""
    text = path.read_text("utf-8")
    if not any(module.rpartition(".")[2] in text for module in inner):
        return set()
    tree = ast.parse(text)
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    found = {each.name for node in imported for each in node.names if each.name in inner.get(node.module, ())}
    modules = {each.asname or each.name: f"{node.module}.{each.name}" for node in imported for each in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {node.attr} & inner.get(modules.get(node.value.id, ""), set())
    return found


def test_inner_kernels_are_called_by_kernels_alone():
    inner = inner_functions()
    assert {"compare_root", "regraft"} <= inner["onoma.resolve.models.hierarchical._moves_kernels"]
    assert all(module.rpartition(".")[2].endswith("_kernels") for module in inner)
    for path in (*SOURCE.rglob("*.py"), *TESTS.rglob("*.py")):
        if not path.stem.endswith("_kernels") or path.is_relative_to(TESTS):
            assert not taken_from(path, inner), path


def test_a_file_that_takes_one_is_found(tmp_path):
    inner = inner_functions()
    for text in (
        "from onoma.resolve.models.hierarchical._moves_kernels import compare_root",
        "from onoma.resolve.models.hierarchical import _moves_kernels as kernels\nkernels.compare_root()",
    ):
        (tmp_path / "calls.py").write_text(text)
        assert taken_from(tmp_path / "calls.py", inner) == {"compare_root"}


def test_they_are_kernels_without_a_way_in_from_python():
    kernels = importlib.import_module("onoma.resolve.models.hierarchical._moves_kernels")
    assert kernels.compare_root.targetoptions["no_cpython_wrapper"]
    assert "no_cpython_wrapper" not in kernels.run_canopies.targetoptions
