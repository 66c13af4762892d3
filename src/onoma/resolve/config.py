"""The one configuration of a resolution.

`ResolveConfig` is the single list of what can be said about a resolution. The options of `onoma resolve`, the keys of a
file of settings (TOML), the job that a knowledge base keeps, the keyword arguments of `onoma.resolve` and the table in
the documentation are all made from its fields: whoever adds a field adds it everywhere.

What a field means to a model is not decided here. An option that is not `None` (or empty, or false) is *asked for*, and
a model honours it or `onoma.resolve.registry.check` refuses it; nothing is ignored.
"""

import dataclasses
import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from onoma.corpus.writers.toml import to_toml
from onoma.errors import DataError, SettingsError

__all__ = [
    "COMPARISONS",
    "OF_THE_MODEL",
    "OPTIONS",
    "ComparisonName",
    "Option",
    "ResolveConfig",
    "config_table",
    "read_config",
    "to_toml",
]

ComparisonName = Literal["kinds", "mutation"]
COMPARISONS: tuple[ComparisonName, ...] = get_args(ComparisonName)

Sort = Literal[
    "text", "flag", "whole", "share", "columns", "rules", "conditions", "kinds", "names", "parsers", "golden", "table"
]
"""What a value is: a text; true or false; a whole number; a number between 0.01 and 0.99; columns; columns or lists of
columns; conditions in SQL; a table of columns and kinds; a table of columns and other names of theirs; a table of
columns and what they hold; a table of columns and golden rules; a table of names and values."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """What is known of one field of `ResolveConfig`: enough for a command-line option, a TOML key and a line of help.

    Parameters
    ----------
    name
        The field, which is also the TOML key and the keyword argument.
    help
        One line.
    sort
        What its values are.
    flag
        The command-line option, without the dashes, where it is not the name.
    metavar
        What stands for the value on the command line.
    least
        The least whole number allowed.
    of_model
        The model has a setting of this name: it takes the value, or the option is refused.
    """

    name: str
    help: str
    sort: Sort = "text"
    flag: str = ""
    metavar: str = ""
    least: int = 0
    of_model: bool = False

    @property
    def option(self) -> str:
        """The command-line option."""
        return "--" + (self.flag or self.name).replace("_", "-")

    @property
    def kind(self) -> str:
        """What the value is, in words."""
        return {
            "text": "text",
            "flag": "truth value",
            "whole": f"whole number from {self.least} up",
            "share": "number between 0.01 and 0.99",
            "columns": "list of columns",
            "rules": "list of columns or of lists of columns",
            "conditions": "list of conditions in SQL",
            "kinds": "table of columns and kinds",
            "names": "table of columns and what another table calls them",
            "parsers": "table of columns and what they hold: citation, address, or the folder of an extractor",
            "golden": "table of columns and rules",
            "table": "table of names and values",
        }[self.sort]


def _option(default: Any, help: str, **more: Any) -> Any:  # noqa: A002, ANN401 (a field of any type)
    about = {"option": {"help": help, **more}}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=about)
    return dataclasses.field(default=default, metadata=about)


@dataclass(frozen=True, kw_only=True)
class ResolveConfig:
    """How a table is resolved. Every field has a default; `None` leaves the choice to the data or to the model.

    Examples
    --------
    >>> config = ResolveConfig(link=True, source="file", samples=200)
    >>> print(config.to_toml(), end="")
    source = "file"
    link = true
    samples = 200
    seed = 0
    >>> ResolveConfig(sample=3)
    Traceback (most recent call last):
    ...
    TypeError: ResolveConfig.__init__() got an unexpected keyword argument 'sample'...
    """

    id: str | None = _option(None, "The column of ids; found, or made, if not given.")
    source: str | None = _option(None, "The column that says where a row comes from.")
    kinds: Mapping[str, Any] = _option(
        {},
        "What a column is: --field title=text. In TOML and Python also levels of your own.",
        sort="kinds",
        flag="field",
        metavar="COLUMN=KIND",
    )
    map: Mapping[str, str] = _option(
        {}, "What another file calls a column: --map title=paper_title.", sort="names", metavar="COLUMN=OTHER"
    )
    parse: Mapping[str, str] = _option(
        {},
        "A column of raw text into fields first: citation, address, or the folder of an extractor.",
        sort="parsers",
        metavar="COLUMN=WHAT",
    )
    exclude: tuple[str, ...] = _option((), "A column that is no evidence.", sort="columns", metavar="COLUMN")
    truth: str | None = _option(None, "A column with the true ids: scores the result, is never evidence.")
    link: bool = _option(default=False, help="Join rows of different sources only.", sort="flag")
    link_and_dedupe: bool = _option(
        default=False,
        help="Rows of one source may be the same, too; without it and --link the table decides.",
        sort="flag",
    )
    one_to_one: bool = _option(
        default=False,
        help="With --link: no source has duplicates inside, so an entity has at most one row of each.",
        sort="flag",
    )
    one_type: bool = _option(
        default=False,
        help="All rows are of one type; without it rows that fill other columns may be resolved for themselves.",
        sort="flag",
    )
    block: str | None = _option(None, "Only rows with the same value in this column can be the same.")
    also_compare: tuple[tuple[str, ...], ...] = _option(
        (),
        "Compare rows that agree on this column, or on these together, whatever else they share.",
        sort="rules",
        metavar="COLUMN[,COLUMN]",
    )
    block_on: tuple[str, ...] = _option(
        (),
        "Blocking rule: compare rows l and r for which this holds, besides those found: l.zip = r.zip.",
        sort="conditions",
        metavar="SQL",
    )
    must_link_on: tuple[str, ...] = _option(
        (), "Rows l and r for which this holds are one: l.email = r.email.", sort="conditions", metavar="SQL"
    )
    cannot_link_on: tuple[str, ...] = _option(
        (), "Rows l and r for which this holds are not one: l.visit = r.visit.", sort="conditions", metavar="SQL"
    )
    golden: Mapping[str, str] = _option(
        {},
        "Golden record: newest, longest, latest non-empty, source A, B: --golden phone=newest.",
        sort="golden",
        metavar="COLUMN=RULE",
    )
    labels: str | None = _option(None, "A column with the true ids of some rows: weights are learnt from it.")
    weights: str | None = _option(None, "User-supplied weights, instead of learning them.", metavar="FILE")
    documents: str | None = _option(
        None, "Texts (document, text) that mentions (document, start, end) stand in.", metavar="FILE"
    )
    encoding: str | None = _option(
        None, "Of files that are not UTF-8: cp1252, utf-16 and the like; found if not given.", metavar="NAME"
    )
    model: str = _option("auto", "auto (default), {models}.")
    comparison: str | None = _option(
        None,
        "kinds (default), or mutation: learn how values change, and compare so where that tells more.",
        of_model=True,
    )
    merge_cost: float | None = _option(
        None, "Cost of a false merge, of 1 for both errors together (0.5).", sort="share", of_model=True
    )
    samples: int | None = _option(
        None, "Samples of the posterior to draw.", sort="whole", least=1, of_model=True, metavar="N"
    )
    burn_in: int | None = _option(None, "Sweeps before the first sample.", sort="whole", of_model=True, metavar="N")
    neighbours: int | None = _option(
        None, "Blocking: rows that each is compared with.", sort="whole", least=1, of_model=True, metavar="N"
    )
    entities: int | None = _option(
        None, "Search for so many entities (cross-document).", sort="whole", least=1, of_model=True, metavar="N"
    )
    rounds: int | None = _option(
        None, "Rounds of sampling (cross-document: 20).", sort="whole", least=1, of_model=True, metavar="N"
    )
    partitions: int | None = _option(
        None,
        "Sample in so many partitions (8 with --engine); the answer depends on it, on the engine not.",
        sort="whole",
        least=1,
        metavar="N",
    )
    model_settings: Mapping[str, Any] = _option(
        {}, "A setting of the model itself: --set heat=4.", sort="table", flag="set", metavar="NAME=VALUE"
    )
    no_check: bool = _option(
        default=False,
        help="Do without the checks by decoys and planted copies; probabilities are then unchecked.",
        sort="flag",
    )
    review_budget: int | None = _option(
        None,
        "Leave out what is doubtful (own entity, marked), and list so many pairs whose answers help most.",
        sort="whole",
        least=1,
        metavar="N",
    )
    seed: int = _option(0, "The same seed gives the same result (0).", sort="whole")

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            value = getattr(self, name)
            if value == _DEFAULTS[name]:
                continue
            good = _as_used(option, value)
            if good is None:
                raise SettingsError(f"{name} is {value!r}; it is a {option.kind}")
            object.__setattr__(self, name, good)
        if self.comparison is not None and self.comparison not in COMPARISONS:
            raise SettingsError(
                f"there is no comparison {self.comparison!r}", hint=f"The comparisons are {', '.join(COMPARISONS)}."
            )
        if self.one_to_one and not self.link:
            raise SettingsError("one-to-one is for linking: at most one row of each source", hint="Add --link.")
        if self.link and self.link_and_dedupe:
            raise SettingsError("rows of one source are joined, or not", hint="Leave out --link or --link-and-dedupe.")
        if self.no_check and self.review_budget is not None:
            raise SettingsError("what is doubtful is known from the checks", hint="Leave out --no-check.")
        if self.labels is not None and self.weights is not None:
            raise SettingsError("weights are learnt from labels or given, not both", hint="Leave one of them out.")

    @classmethod
    def of(cls, given: Mapping[str, object], where: str = "", base: "ResolveConfig | None" = None) -> "ResolveConfig":
        """Return a configuration of options given by name; what is unknown or ill-typed says what is allowed.

        Parameters
        ----------
        given
            Options by name.
        where
            Where they stand, for errors: a file, or the command line.
        base
            What holds where nothing is given; `kinds`, `map`, `parse` and `model_settings` are joined name by name.

        Examples
        --------
        >>> ResolveConfig.of({"seed": 1, "also_compare": ["phone", ["surname", "city"]]}).also_compare
        (('phone',), ('surname', 'city'))
        >>> ResolveConfig.of({"sample": 3})
        Traceback (most recent call last):
        ...
        onoma.errors.SettingsError: there is no option 'sample'; ...
        """
        before = f"{where}: " if where else ""
        checked: dict[str, Any] = {}
        for name, value in given.items():
            if name not in OPTIONS:
                near = difflib.get_close_matches(name, OPTIONS, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else None
                raise SettingsError(f"{before}there is no option {name!r}; there are {', '.join(OPTIONS)}", hint=hint)
            try:
                good = _as_used(OPTIONS[name], value)
            except SettingsError as error:
                raise SettingsError(f"{before}{error.message}", hint=error.hint) from error
            if good is None:
                raise SettingsError(f"{before}{name} is {value!r}; it is a {OPTIONS[name].kind}")
            checked[name] = good
        base = base or cls()
        for name in ("kinds", "map", "parse", "model_settings"):
            if name in checked:
                checked[name] = {**getattr(base, name), **checked[name]}
        return replace(base, **checked)

    @property
    def asked(self) -> dict[str, Any]:
        """The options that are asked for: all that are not as they would be if nobody spoke."""
        return {name: getattr(self, name) for name in OPTIONS if getattr(self, name) != _DEFAULTS[name]}

    def of_model(self) -> dict[str, Any]:
        """Return the options that a model takes among its own settings, as far as they are given."""
        return {name: value for name, value in self.asked.items() if OPTIONS[name].of_model}

    def to_json(self) -> dict[str, Any]:
        """Return what is asked for as JSON holds it; `ResolveConfig.of` reads it again."""
        found: dict[str, Any] = json.loads(json.dumps(self.asked, default=_plain))
        return found | {"seed": self.seed}

    def to_toml(self, *, leave_out: tuple[str, ...] = ()) -> str:
        """Return a file of settings that says the same."""
        return to_toml({name: value for name, value in self.to_json().items() if name not in leave_out})


_DEFAULTS: dict[str, Any] = {
    each.name: {} if each.default is MISSING else each.default for each in dataclasses.fields(ResolveConfig)
}
OPTIONS: dict[str, Option] = {
    each.name: Option(name=each.name, **each.metadata["option"]) for each in dataclasses.fields(ResolveConfig)
}
"""Every option by its name, in the order in which they are told."""
OF_THE_MODEL = tuple(name for name, option in OPTIONS.items() if option.of_model)
"""Options that a model takes among its own settings."""
_EXAMPLE = 'Write lines such as: model = "copying". onoma resolve FILE --json prints, under settings, those of a run.'


def read_config(path: str | Path, base: ResolveConfig | None = None) -> ResolveConfig:
    """Read a file of settings; what is unknown or ill-typed is an error that says what is allowed."""
    import tomllib  # most runs have no such file

    try:
        found = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        told = "there is no such file" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise DataError(f"{told}; a file of settings is TOML", file=path, hint=_EXAMPLE) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"is not TOML: {error}", file=path, hint=_EXAMPLE) from error
    except RecursionError as error:
        raise DataError("is nested too deeply for a file of settings", file=path, hint=_EXAMPLE) from error
    except ValueError as error:  # a NUL in the name, a number of too many digits
        raise DataError(f"cannot be read: {error}", file=repr(str(path)), hint=_EXAMPLE) from error
    return ResolveConfig.of(found, str(path), base)


def config_table(models: str = "") -> str:
    """Return the options as a table in Markdown: what the documentation shows."""
    lines = ["| option | TOML and Python | value | |", "|---|---|---|---|"]
    for name, option in OPTIONS.items():
        said = option.help.replace("{models}", models)
        lines.append(f"| `{option.option}` | `{name}` | {option.kind} | {said} |")
    return "\n".join(lines) + "\n"


def _text_of(value: object) -> object:
    return (value if isinstance(value, str) else str(value)) if isinstance(value, str | Path) and str(value) else None


def _rules_of(value: object) -> object:
    if not isinstance(value, list | tuple):
        return None
    rules = tuple(
        (each,) if isinstance(each, str) else tuple(each) if isinstance(each, list | tuple) else () for each in value
    )
    return rules if all(rule and all(isinstance(name, str) for name in rule) for rule in rules) else None


def _columns_of(value: object) -> object:
    good = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return tuple(value) if good else None  # type: ignore[arg-type]


def _share_of(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and 0.01 <= value <= 0.99 else None  # type: ignore[operator]


def _kinds_of(value: object) -> object:
    """Return kinds by column; those of people's own are checked, and kept by name or as tables of texts."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        return None
    if all(isinstance(each, str) for each in value.values()):
        return dict(value)
    if any(isinstance(kind, int | float | list | tuple | None) for kind in value.values()):
        return None
    from onoma.resolve.fields.kinds import adopt_kind

    return {name: adopt_kind(kind, name) for name, kind in value.items()}


def _are_names(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(each, str) and each for each in [*value, *value.values()])


def _are_parsers(value: object) -> bool:
    return isinstance(value, Mapping) and _are_names({name: _text_of(each) for name, each in value.items()})


def _conditions_of(value: object) -> object:
    value = [value] if isinstance(value, str) else value
    return _columns_of(value)


def _golden_of(value: object) -> object:
    """Return rules by column, each of which can be read."""
    if not isinstance(value, Mapping) or not _are_names(value):
        return None
    from onoma.resolve.fields.golden import golden_rules

    golden_rules(value)
    return dict(value)


_READ: dict[Sort, Callable[[Any], object]] = {
    "text": _text_of,
    "flag": lambda value: value if isinstance(value, bool) else None,
    "share": _share_of,
    "columns": _columns_of,
    "rules": _rules_of,
    "conditions": _conditions_of,
    "kinds": _kinds_of,
    "names": lambda value: dict(value) if _are_names(value) else None,
    "parsers": lambda value: {column: str(what) for column, what in value.items()} if _are_parsers(value) else None,
    "golden": _golden_of,
    "table": lambda value: dict(value) if isinstance(value, Mapping) else None,
}


def _as_used(option: Option, value: object) -> object:
    """Return a value as it is used (tuples for lists); None if it is not allowed."""
    if option.sort == "whole":
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= option.least else None
    return _READ[option.sort](value)


def _plain(value: object) -> object:
    """Return what JSON does not know as something it does."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise SettingsError(f"{value!r} cannot be kept in a file of settings")
