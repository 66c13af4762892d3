"""Data classes made plainly behave as those that Python makes."""

import subprocess
import sys

CLASSES = """
import dataclasses, sys
if sys.argv[1] == "plainly":
    from onoma.cli.plain_classes import make_plainly
    make_plainly()
from dataclasses import dataclass, field

@dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.5
    hidden: str = field(default="h", repr=False, hash=False, compare=False)

@dataclass(frozen=True)
class Named(Point):
    name: str = "n"

@dataclass(frozen=True)
class Nothing:
    pass

@dataclass(frozen=True)
class One:
    x: object

@dataclass
class Open:
    x: object = None

class Below(Point):
    pass

def tried(do):
    try:
        return do()
    except Exception as error:
        return type(error).__name__, str(error)

point, named, below, own = Point(1), Named(1, 2.0), Below(3), Open()
own.x = own
print(point, named, below, Nothing(), One((1,)), own)
print(hash(point) == hash((1, 0.5)), hash(named) == hash((1, 2.0, "n")), hash(Nothing()) == hash(()))
print(hash(One(1)) == hash((1,)), tried(lambda: hash(own)), tried(lambda: hash(One([]))))
print(point == Point(1, 0.5, "other"), point == Point(2), point == named, {point: 1}[Point(1)])
for each, name in ((point, "x"), (point, "other"), (named, "x"), (named, "name"), (below, "x")):
    print(tried(lambda: setattr(each, name, 1)), tried(lambda: delattr(each, name)))
below.other = 1
print(below.other, dataclasses.replace(named, x=5), dataclasses.asdict(named), dataclasses.astuple(point))
print(dataclasses._repr_fn.__module__ == "dataclasses", file=sys.stderr)
"""


def told(how: str) -> tuple[str, str]:
    done = subprocess.run([sys.executable, "-c", CLASSES, how], capture_output=True, text=True, check=True)
    return done.stdout, done.stderr.strip()


def test_they_show_refuse_compare_and_hash_alike():
    plain, usual = told("plainly"), told("usually")
    assert plain[0] == usual[0]
    assert usual[1] == "True"
    if sys.version_info < (3, 13):
        assert plain[1] == "False"
