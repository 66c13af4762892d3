"""Rules: what they look like, and where they hold.

Four ways to write a rule, one a line; `#` and `//` begin a comment:

    locatedIn(C, R) :- neighborOf(C, D), locatedIn(D, R)
    profAt(X, Y) & not retired(X, Y) => worksFor(X, Y)
    profAt => worksFor                                       both on the same pair
    ?x  profAt  ?y   => ?x  worksFor  ?y                     as AMIE prints it, with its figures or without

A weight from 0 to 1 may stand before it: `0.9 :: profAt => worksFor`. What stands in parentheses are variables, however
they are called; a name in single quotes may hold anything. `⇒` and `==>` are arrows too.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from onoma.corpus.readers.source import read_text
from onoma.errors import DataError

__all__ = ["Literal", "Rule", "check_rules", "parse_rule", "read_rules"]

_ATOM = re.compile(r"^\s*(?P<sign>(?:not\s+|¬\s*|!\s*)?)(?P<name>[^()]+?)\s*(?:\((?P<args>[^()]*)\))?\s*$")
_BETWEEN = re.compile(r"(?:\s*[&∧]\s*|\s*,\s*)(?![^(]*\))")
_QUOTED = re.compile(r"'([^']+)'")
_SAFE = re.compile(r"^(?!not |[¬!'])[^(),&∧']+$")
"""Names that need no quotes."""
_PAIR = ("X", "Y")
_AMIE_ATOM = re.compile(r"\?(\w+)\s+<?([^\s?<>]+)>?\s+\?(\w+)\s*")


@dataclass(frozen=True)
class Literal:
    """A relation between two variables, or its negation."""

    relation: str
    subject: str
    object: str
    negated: bool = False

    def __str__(self) -> str:
        safe = _SAFE.match(self.relation) and not any(mark in self.relation for mark in ("=>", "⇒", ":-", " :: "))
        name = self.relation if safe else f"'{self.relation}'"
        return f"{'not ' if self.negated else ''}{name}({self.subject}, {self.object})"


@dataclass(frozen=True)
class Rule:
    """If all of the body holds, so does the head."""

    body: tuple[Literal, ...]
    head: Literal
    weight: float = 1.0

    def __str__(self) -> str:
        weight = "" if self.weight == 1 else f"{self.weight:g} :: "
        return f"{weight}{' & '.join(map(str, self.body))} => {self.head}"

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The body, then the head."""
        return (*self.body, self.head)

    @property
    def on_one_pair(self) -> bool:
        """Whether all literals speak of the same two things in the same order."""
        return all((each.subject, each.object) == (self.head.subject, self.head.object) for each in self.body)


def parse_rule(text: str, *, file: Path | None = None, row: int | None = None) -> Rule:
    """Read one rule.

    Examples
    --------
    >>> print(parse_rule("0.9 :: in(C, R) :- near(C, D), in(D, R)"))
    0.9 :: near(C, D) & in(D, R) => in(C, R)
    >>> print(parse_rule("profAt => worksFor"))
    profAt(X, Y) => worksFor(X, Y)
    """
    if (mined := _amie(text)) is not None:
        return mined
    # Quoted names are put aside, so that nothing in them is taken for a sign.
    quoted = _QUOTED.findall(text)
    numbers = iter(range(len(quoted)))
    bare = _QUOTED.sub(lambda _: f"\0{next(numbers)}", text)
    weight, _, rest = bare.rpartition(" :: ") if " :: " in bare else ("1", "", bare)
    body, head = _sides(rest, text, file, row)
    try:
        value = float(weight)
    except ValueError:
        raise DataError(f"the weight {weight!r} is not a number", file=file, row=row) from None
    if not 0 <= value <= 1:
        raise DataError(f"the weight is {value:g}; it is from 0 to 1", file=file, row=row)
    literals = [_literal(part, text, quoted, file, row) for part in _BETWEEN.split(body) if part.strip()]
    rule = Rule(tuple(literals), _literal(head, text, quoted, file, row), value)
    bound = {name for each in rule.body if not each.negated for name in (each.subject, each.object)}
    loose = [name for each in rule.literals for name in (each.subject, each.object) if name not in bound]
    if loose:
        raise DataError(
            f"in {text.strip()!r} the variable {loose[0]} stands in no positive literal of the body",
            file=file,
            row=row,
            hint="Every variable must stand in a literal of the body that is not negated.",
        )
    return rule


def read_rules(path: Path, *, rejected: list[str] | None = None, notes: list[str] | None = None) -> list[Rule]:
    """Read a file of rules, plain or packed; contradictory ones are an error.

    A line that is no rule is an error, or where a list is given is passed over and what is wrong added to the list.
    What should be known of how the file was read is added to the notes.
    """
    rules = []
    text = read_text(path, notes=notes).removeprefix("\ufeff")
    for row, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith(("#", "//")):
            continue
        try:
            rules.append(parse_rule(line, file=path, row=row))
        except DataError as error:
            if rejected is None:
                go_on = "To go on without such lines, choose on_error='reject'."
                error.hint = go_on if error.hint is None else f"{error.hint} {go_on}"
                raise
            rejected.append(error.message)
    if not rules:
        raise DataError("holds no rule", file=path, hint="A rule: profAt(X, Y) => worksFor(X, Y)")
    check_rules(rules)
    return rules


def check_rules(rules: Sequence[Rule]) -> None:
    """Refuse two rules of full weight with one body whose heads deny each other.

    Softer rules may disagree: then the facts decide.
    """
    firm: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        if rule.weight < 1:
            continue
        body, head = _renamed(rule)
        other = firm.get((body, head[:3], not head[3]))
        if other is not None:
            raise DataError(
                f"two rules contradict each other: {other}, and {rule}",
                hint="Leave one out, or give them weights below 1: 0.9 :: …",
            )
        firm[(body, head[:3], head[3])] = rule


def _renamed(rule: Rule) -> tuple[object, tuple[object, ...]]:
    """Return body and head with variables numbered in order, so that names do not matter."""
    names: dict[str, int] = {}

    def key(each: Literal) -> tuple[object, ...]:
        places = tuple(names.setdefault(name, len(names)) for name in (each.subject, each.object))
        return (each.relation, *places, each.negated)

    head = key(rule.head)
    return frozenset(key(each) for each in sorted(rule.body, key=str)), head


def _amie(text: str) -> Rule | None:
    """Read a rule as AMIE prints it, `?a  r  ?b  ?b  s  ?c   => ?a  t  ?c`, with figures after tabs; else return None.

    Of one figure that is the weight; of several the second, AMIE's standard confidence.
    """
    rule, *figures = text.strip().split("\t")
    parts = rule.split("=>")
    if len(parts) != 2:
        return None
    body, head = (
        tuple(Literal(relation, first.upper(), second.upper()) for first, relation, second in _AMIE_ATOM.findall(part))
        for part in parts
    )
    left = "".join(_AMIE_ATOM.sub("", part).strip() for part in parts)
    if left or not body or len(head) != 1:
        return None
    try:
        weight = float(figures[min(1, len(figures) - 1)]) if figures else 1.0
    except ValueError:
        return None
    bound = {name for each in body for name in (each.subject, each.object)}
    if not {head[0].subject, head[0].object} <= bound or not 0 <= weight <= 1:
        return None
    return Rule(body, head[0], weight)


def _sides(text: str, whole: str, file: Path | None, row: int | None) -> tuple[str, str]:
    for arrow, turned in (("==>", False), ("=>", False), ("⇒", False), (":-", True)):
        if text.count(arrow) == 1:
            left, right = text.split(arrow)
            if left.strip() and right.strip():
                return (right, left) if turned else (left, right)
    raise DataError(
        f"{whole.strip()!r} is no rule",
        file=file,
        row=row,
        hint="Write body => head, or head :- body: in(C, R) :- near(C, D), in(D, R)",
    )


def _literal(text: str, whole: str, quoted: Sequence[str], file: Path | None, row: int | None) -> Literal:
    found = _ATOM.match(text)
    args: Iterable[str] = _PAIR
    if found is not None and found["args"] is not None:
        args = [name.strip() for name in found["args"].split(",")]
    names = tuple(args)
    if found is None or len(names) != 2 or not all(names):
        raise DataError(
            f"{text.strip()!r} in {whole.strip()!r} is not relation(X, Y), nor not relation(X, Y)",
            file=file,
            row=row,
            hint="A name with commas or parentheses goes in single quotes: 'r(1)'(X, Y).",
        )
    name = quoted[int(found["name"][1:])] if found["name"].startswith("\0") else found["name"]
    return Literal(name, names[0], names[1], negated=bool(found["sign"]))
