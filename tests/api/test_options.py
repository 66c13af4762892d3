import dataclasses
import inspect
import typing

import onoma
from onoma.api import LinkOptions, ResolveOptions, link, resolve
from onoma.resolve.config import ResolveConfig


def test_editors_see_the_options_that_there_are():
    fields = {each.name: each.type for each in dataclasses.fields(ResolveConfig)}
    assert typing.get_type_hints(ResolveOptions) == fields
    told = ("source", "link", "link_and_dedupe")
    assert typing.get_type_hints(LinkOptions) == {k: v for k, v in fields.items() if k not in told}


def test_signatures_name_every_option():
    named = inspect.signature(onoma.resolve).parameters
    assert [*inspect.signature(resolve).parameters] == [*named]
    assert {each.name for each in dataclasses.fields(ResolveConfig)} <= {*named}
    assert named["seed"].default == 0 and named["seed"].annotation is int
    assert "link" not in inspect.signature(link).parameters
    for name in named:
        assert f"\n    {name}\n" in resolve.__doc__ or name in ("table", "config")
