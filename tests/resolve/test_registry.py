"""Which models there are, and how they refuse."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from onoma.errors import SettingsError, UnsupportedError
from onoma.resolve.config import ResolveConfig
from onoma.resolve.contract import Capability
from onoma.resolve.registry import check, find_model, model_names, register, require, settings_of, unregister


@dataclass(frozen=True, kw_only=True)
class Inner:
    depth: int = 3


@dataclass(frozen=True, kw_only=True)
class Settings:
    heat: float = 1.0
    steps: int | None = None
    way: Literal["up", "down"] = "up"
    inner: Inner = field(default_factory=Inner)


class Stub:
    name = "stub"
    summary = "nothing"
    settings = Settings
    capabilities = frozenset({Capability.BLOCK, Capability.LABELS})
    conflicts = (frozenset({"block", "labels"}),)


@pytest.fixture
def stub():
    register(Stub())
    yield find_model("stub")
    unregister("stub")


def test_models_are_found_by_name(stub):
    assert "stub" in model_names() and stub.settings is Settings
    unregister("stub")
    assert "stub" not in model_names()
    assert all(find_model(name).name == name for name in model_names())


def test_settings_are_built_and_their_types_checked(stub):
    given = {"heat": 2, "steps": 4, "way": "down", "inner": {"depth": 5}}
    built = settings_of(stub, ResolveConfig(model="stub", model_settings=given))
    assert built == Settings(heat=2, steps=4, way="down", inner=Inner(depth=5))
    for wrong in (
        {"heat": "hot"},
        {"steps": 1.5},
        {"steps": True},
        {"way": "left"},
        {"inner": {"deep": 1}},
        {"het": 1},
    ):
        with pytest.raises(SettingsError, match="the model stub"):
            settings_of(stub, ResolveConfig(model="stub", model_settings=wrong))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"weights": "w.toml"}, "takes no --weights"),
        ({"link": True, "source": "s"}, "takes no --link"),
        ({"samples": 3}, "takes no --samples"),
        ({"partitions": 3}, "takes no --partitions"),
        ({"block": "b", "labels": "l"}, "does not take --block and --labels together"),
    ],
)
def test_what_is_not_declared_is_refused_by_name_with_those_that_can(stub, given, said):
    with pytest.raises(UnsupportedError, match=f"the model stub {said}") as error:
        check(stub, ResolveConfig(model="stub", **given))
    assert "copying" in str(error.value) or "together" in said
    check(stub, ResolveConfig(model="stub", block="b"))


def test_one_to_one_between_many_sources_is_a_capability_of_its_own():
    config = ResolveConfig(model="pairwise", link=True, one_to_one=True, source="s")
    check(find_model("pairwise"), config, n_sources=2)
    with pytest.raises(UnsupportedError, match="between two sources only"):
        check(find_model("pairwise"), config, n_sources=3)
    check(find_model("copying"), config, n_sources=3)


def test_what_a_result_cannot_do_is_refused_in_the_same_way():
    require("copying", Capability.EXPLAIN, "weighs no pairs")
    with pytest.raises(UnsupportedError, match="the model exact-match weighs no pairs"):
        require("exact-match", Capability.EXPLAIN, "weighs no pairs")
