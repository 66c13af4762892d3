"""Compiled kernels taken from Numba's cache without what only a compiler would ask of them.

The cache holds a kernel twice: as machine code, which is run, and as code that can still be put into other kernels. To
read the second, and to list all that is in it, takes longer than the rest of loading, and only a kernel that is
compiled anew needs it. So it is read when one does.
"""

from typing import Any

import llvmlite.binding as llvm
from numba.core import codegen
from numba.core.registry import cpu_target

__all__ = ["read_machine_code_only"]


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel."""

    _machine_code: bytes | None = None
    _bitcode: bytes | None = None

    @classmethod
    def _unserialize(cls, owner: Any, state: tuple[str, str, Any]) -> Any:  # noqa: ANN401
        name, kind, data = state
        if kind != "object":
            return super()._unserialize(owner, state)
        self = owner.create_library(name)
        self._machine_code, self._bitcode = data
        self.enable_object_caching()
        self._set_compiled_object(self._machine_code)
        self._finalize_final_module()
        return self

    def get_pointer_to_function(self, name: str) -> int:
        """Return where a function is in memory; 0: there is none of that name."""
        if self._machine_code is None:
            return int(super().get_pointer_to_function(name))
        # Machine code holds the names of its functions as they are.
        is_there = name.encode() in self._machine_code
        return int(self._codegen._engine.get_function_address(name)) if is_there else 0

    def _get_module_for_linking(self) -> Any:  # noqa: ANN401
        if self._bitcode is not None and self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self._bitcode)
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return super()._get_module_for_linking()


def read_machine_code_only() -> None:
    """Let kernels be loaded so from now on; where this Numba is made otherwise, as it has it."""
    owner: Any = cpu_target.target_context.codegen()  # type: ignore[no-untyped-call]
    needed = ("_unserialize", "_get_module_for_linking", "get_pointer_to_function", "_finalize_final_module")
    if getattr(owner, "_library_class", None) is codegen.JITCodeLibrary and all(
        hasattr(codegen.JITCodeLibrary, name) for name in needed
    ):
        owner._library_class = _Library
