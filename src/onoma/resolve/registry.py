"""Which models there are, and the one place where a model refuses what it cannot do.

A model is registered by a line here, by `register`, or by another package through an entry point:

    [project.entry-points."onoma.models"]
    my-model = "my_package.model:MY_MODEL"

Nothing is loaded before it is asked for.
"""

import dataclasses
import difflib
import importlib
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from onoma.errors import SettingsError, UnsupportedError
from onoma.plugins import entry_points
from onoma.resolve.config import OPTIONS, ResolveConfig

if TYPE_CHECKING:
    from onoma.resolve.contract import Capability, Model

__all__ = [
    "AUTO",
    "check",
    "find_model",
    "model_names",
    "register",
    "require",
    "settings_of",
    "unregister",
    "why_refused",
]

AUTO = "auto"
"""Not a model: the choice is left to the data."""
GROUP = "onoma.models"
"""The group of entry points."""
_BUILT_IN = {
    "copying": "onoma.resolve.models.copying.model:COPYING",
    "pairwise": "onoma.resolve.models.pairwise.model:PAIRWISE",
    "hierarchical": "onoma.resolve.models.hierarchical.model:HIERARCHICAL",
    "phylogeny": "onoma.resolve.models.phylogeny.records:PHYLOGENY",
    "cross-document": "onoma.resolve.models.cross_document.model:CROSS_DOCUMENT",
    "correlation": "onoma.resolve.models.pairwise.correlation:CORRELATION",
    "exact-match": "onoma.resolve.models.exact_match.model:EXACT_MATCH",
}
_registered: dict[str, "Model"] = {}


def register(model: "Model") -> None:
    """Add a model; it is then known by its name wherever models are."""
    _registered[model.name] = model


def unregister(name: str) -> None:
    """Take away a model that `register` added."""
    _registered.pop(name, None)


def model_names() -> tuple[str, ...]:
    """Return what models are called: those of the house first, then those registered and of other packages."""
    others = [*_registered, *(point.name for point in entry_points(group=GROUP))]
    return tuple(dict.fromkeys([*_BUILT_IN, *others]))


def find_model(name: str) -> "Model":
    """Return the model of a name."""
    if name in _registered:
        return _registered[name]
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        found: Model = getattr(importlib.import_module(module), attribute)
        return found
    for point in entry_points(group=GROUP, name=name):
        loaded: Model = point.load()
        return loaded
    known = (AUTO, *model_names())
    near = difflib.get_close_matches(name, known, n=1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    raise SettingsError(f"there is no model {name!r}", hint=f"The models are {', '.join(known)}.{meant}")


def settings_of(model: "Model", config: ResolveConfig) -> Any:  # noqa: ANN401 (of the model's own type)
    """Return the model's own settings as a configuration has them."""
    return _built(model.settings, {**config.model_settings, **config.of_model()}, f"the model {model.name}")


def check(
    model: "Model",
    config: ResolveConfig,
    *,
    n_sources: int = 0,
    resume: bool = False,
    engine: bool = False,
) -> None:
    """Refuse what a model cannot do: the only place where that happens.

    Parameters
    ----------
    config
        What is asked for.
    n_sources
        How many sources the table has; 0: not known yet.
    resume
        Whether a stopped run is to go on.
    engine
        Whether partitions are carried.
    """
    why = why_refused(model, config, n_sources=n_sources, resume=resume, engine=engine)
    if why is not None:
        raise UnsupportedError(why[0], hint=why[1])
    settings_of(model, config)


def why_refused(
    model: "Model", config: ResolveConfig, *, n_sources: int = 0, resume: bool = False, engine: bool = False
) -> tuple[str, str] | None:
    """Return why a model does not do what is asked for, and what would; None if it does all of it."""
    from onoma.resolve.contract import Capability

    asked = {*config.asked, *(f"{name}={value}" for name, value in config.asked.items() if isinstance(value, str))}
    asked |= ({"resume"} if resume else set()) | ({"partitions"} if engine else set())
    wanted = [each for each in Capability if each.value in asked]
    if config.one_to_one and n_sources > 2:
        wanted.append(Capability.MANY_SOURCES)
    for capability in wanted:
        if capability not in model.capabilities:
            return _refusal(model, capability)
    own = {each.name for each in dataclasses.fields(model.settings)}
    for name in config.of_model():
        if name not in own:
            hint = _others(other for other in _all_models() if name in _names_of(other.settings))
            return f"the model {model.name} takes no {OPTIONS[name].option}", hint
    for together in model.conflicts:
        if together <= asked:
            said = " and ".join(_said(name) for name in sorted(together))
            return f"the model {model.name} does not take {said} together", "Leave one of them out."
    return None


def require(name: str, capability: "Capability", what: str) -> None:
    """Refuse something asked of a result whose model cannot do it, such as an explanation."""
    model = find_model(name)
    if capability not in model.capabilities:
        hint = _others(other for other in _all_models() if capability in other.capabilities)
        raise UnsupportedError(f"the model {name} {what}", hint=hint)


def _refusal(model: "Model", capability: "Capability") -> tuple[str, str]:
    if capability.value == "many_sources":
        said = f"the model {model.name} links one to one between two sources only"
    else:
        said = f"the model {model.name} takes no {_said(capability.value)}"
    return said, _others(other for other in _all_models() if capability in other.capabilities)


def _said(name: str) -> str:
    option, _, value = name.partition("=")
    return f"{OPTIONS[option].option if option in OPTIONS else f'--{option}'} {value}".strip()


def _others(models: Iterable["Model"]) -> str:
    names = [model.name for model in models]
    return f"Leave it out, or use a model that does: {', '.join(names)}." if names else "Leave it out."


def _all_models() -> list["Model"]:
    return [find_model(name) for name in model_names()]


def _names_of(settings: type[Any]) -> set[str]:
    return {each.name for each in dataclasses.fields(settings)}


def _built(settings: type[Any], given: Mapping[str, Any], where: str) -> Any:  # noqa: ANN401
    """Return a dataclass made of values by name, those of dataclasses within as tables."""
    known, hints = {each.name for each in dataclasses.fields(settings)}, get_type_hints(settings)
    made: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"It has {', '.join(known) or 'none'}."
            raise SettingsError(f"{where} has no setting {name!r}", hint=hint)
        made[name] = _value(hints[name], value, f"{where}: {name}")
    return settings(**made)


def _value(hint: Any, value: object, where: str) -> object:  # noqa: ANN401 (a type)
    """Return a value of a type; a table where that is a dataclass."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for option in options:
        if dataclasses.is_dataclass(option) and isinstance(value, Mapping):
            return _built(option, value, where)  # type: ignore[arg-type]
        if _is_of(option, value):
            return value
    said = " or ".join(getattr(option, "__name__", str(option)) for option in options)
    raise SettingsError(f"{where} is {value!r}; it is {said}")


def _is_of(option: Any, value: object) -> bool:  # noqa: ANN401 (a type)
    if get_origin(option) is Literal:
        return value in get_args(option)
    if option is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if option is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return not isinstance(option, type) or getattr(option, "_is_protocol", False) or isinstance(value, option)
