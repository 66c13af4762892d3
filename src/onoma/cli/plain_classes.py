"""Data classes made without compiling for each what is alike in all.

Python writes the text of six methods for a frozen data class and compiles them, a millisecond for each class, and a
command loads a hundred. To show an instance, to refuse that it is changed, to compare and to hash it are the same for
all of them but for the names of the fields. So these methods are made here, around the names; `__init__`, which is
called most, stays as it is.
"""

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

__all__ = ["make_plainly"]

_KNOWN = {
    "_frozen_get_del_attr": ("cls", "fields", "globals"),
    "_repr_fn": ("fields", "globals"),
    "_hash_fn": ("fields", "globals"),
}
"""The functions of Python's module that are replaced, and what they are given in the version that is known."""


def make_plainly() -> None:
    """Let data classes be made so from now on; where this Python makes them otherwise, as it has it."""
    module: Any = dataclasses
    for name, given in _KNOWN.items():
        code = getattr(getattr(module, name, None), "__code__", None)
        if code is None or code.co_varnames[: code.co_argcount] != given:
            return
    module._frozen_get_del_attr = _frozen
    module._repr_fn = _shown(module._recursive_repr)
    module._hash_fn = _hashed


def _frozen(cls: type[Any], fields: Sequence[Any], _: object) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return what refuses to set and to delete the fields of a class."""
    names = tuple(field.name for field in fields)

    def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: ANN401, N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:  # noqa: ANN401, N807
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__


def _shown(once: Callable[[Callable[[Any], str]], Any]) -> Callable[..., Any]:
    """Return what makes the method that shows an instance.

    Parameters
    ----------
    once
        Makes a method show `...` for an instance that holds itself.
    """

    def make(fields: Sequence[Any], _: object) -> Any:  # noqa: ANN401 (a method)
        names = tuple(field.name for field in fields)

        def __repr__(self: Any) -> str:  # noqa: ANN401, N807
            said = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
            return f"{self.__class__.__qualname__}({said})"

        return once(__repr__)

    return make


def _hashed(fields: Sequence[Any], _: object) -> Callable[[Any], int]:
    """Return the method that hashes an instance."""
    names = tuple(field.name for field in fields)
    if not names:
        return lambda self: hash(())  # noqa: ARG005
    values = attrgetter(*names)
    if len(names) == 1:
        return lambda self: hash((values(self),))
    return lambda self: hash(values(self))
