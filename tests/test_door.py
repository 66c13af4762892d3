"""A room that can be called: a package and a function of one name."""

import inspect

import pytest

import onoma
from onoma.api import coref, evaluate, resolve


def test_the_room_is_a_package_and_a_function():
    import onoma.resolve.config

    assert callable(onoma.resolve) and inspect.ismodule(onoma.resolve)
    assert onoma.resolve.config.ResolveConfig is onoma.ResolveConfig
    assert onoma.evaluate(["a", "a"], [1, 1])["b3"].f1 == 1.0


@pytest.mark.parametrize(("room", "function"), [("resolve", resolve), ("evaluate", evaluate), ("coref", coref)])
def test_it_has_the_signature_of_the_function(room, function):
    opened = getattr(onoma, room)
    assert inspect.signature(opened) == inspect.signature(function)
    assert callable(getattr(opened, room))
    assert room in dir(opened) and repr(opened) == f"<function and package onoma.{room}>"


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'onoma.resolve' has no attribute 'nothing'"):
        _ = onoma.resolve.nothing
    with pytest.raises(AttributeError, match="did you mean 'register_kind'"):
        _ = onoma.register_kinds


def test_columns_of_names_are_named_in_help():
    parameters = inspect.signature(onoma.names).parameters
    assert {"name", "kind", "document", "context", "language", "date"} <= set(parameters)
    with pytest.raises(ValueError, match="names have no 'nmae'"):
        onoma.names(["Ann"], nmae="x")
