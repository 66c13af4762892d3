"""What other packages bring: their entry points, looked for once.

To look for them is to read a file of every package installed: a fiftieth of a second, and the options of a command
alone would ask for them thirty times.
"""

from functools import cache
from importlib.metadata import EntryPoint, distributions
from importlib.metadata import entry_points as look

__all__ = ["entry_points"]

_OURS = "[onoma."
"""How the groups begin that are for us."""


@cache
def entry_points(group: str, name: str | None = None) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, or those of them with a name.

    Examples
    --------
    >>> entry_points("onoma.nothing")
    ()
    """
    if name is not None:
        return tuple(point for point in entry_points(group) if point.name == name)
    return tuple(look(group=group)) if _is_any() else ()


@cache
def _is_any() -> bool:
    """Say whether any package brings something for us: what is for others need not be taken apart."""
    return any(_OURS in (each.read_text("entry_points.txt") or "") for each in distributions())
