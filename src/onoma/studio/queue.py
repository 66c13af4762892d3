"""The pairs to be decided, and the thread that writes what was decided.

An answer is taken at once and written by one thread, in the order in which answers came; so saving never makes a person
wait, and the next pair, which is of other records, is there already. What cannot be kept (it contradicts an earlier
judgement) is told, and the pair comes back.
"""

import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal

from onoma.errors import OnomaError, SettingsError
from onoma.kb.commit import Update
from onoma.kb.judge import Said
from onoma.kb.review import Doubt, doubts
from onoma.kb.world import find_record_keys

if TYPE_CHECKING:
    from onoma.studio.desk import Desk

__all__ = ["Answer", "Queue"]

_AHEAD = 300
"""Pairs that are looked up at a time."""
_GRACE = 0.1
"""Seconds before an answer is written: the next pair comes first, and an answer taken back at once costs nothing."""
_SKIPPED = "studio_skipped"
State = Literal["waiting", "kept", "refused", "undone"]


@dataclass
class Answer:
    """What somebody said of a pair, and what became of it."""

    number: int
    kind: str
    a: str
    b: str
    state: State = "waiting"
    judgement: int | None = None
    problem: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        return dict(vars(self))


@dataclass
class Settled:
    """What the answers so far did."""

    answers: int = 0
    records: int = 0
    changes: dict[str, int] = field(default_factory=dict)


class Queue:
    """The pairs of one knowledge base, most worth first."""

    def __init__(self, desk: "Desk") -> None:
        self._desk = desk
        self._lock = threading.RLock()
        self._pairs: list[Doubt] = []
        self._is_loaded = self._is_stale = False
        self._skipped: set[frozenset[str]] = set()
        self._answers: list[Answer] = []
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._hurry = threading.Event()
        """Set while somebody waits for all that was decided to be written."""
        self.settled = Settled()

    def start(self) -> None:
        """Begin to look for pairs, and to write."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="studio-writer")
            self._thread.start()
            self._work.put(self._load)

    def close(self) -> None:
        """Write what waits, and end."""
        if self._thread is not None:
            self._hurry.set()
            self._work.put(None)
            self._thread.join()
            self._thread = None

    def wait(self) -> None:
        """Wait until all that was decided is written."""
        if self._thread is None:
            return
        done = threading.Event()
        self._hurry.set()
        self._work.put(done.set)
        done.wait()
        self._hurry.clear()

    def next(self, most: int = 8) -> list[Doubt]:
        """Return the next pairs to decide."""
        if not self._is_loaded:
            self.start()
            self.wait()
        left = self._open()
        if left or not self._is_stale or self.is_writing:
            return left[:most]
        self._work.put(self._load)  # an answer may have made another pair of its records worth asking
        self.wait()
        return self._open()[:most]

    def _open(self) -> list[Doubt]:
        """Return the pairs that nobody decided or put aside."""
        with self._lock:
            taken = {frozenset((each.a, each.b)) for each in self._answers if each.state in ("waiting", "kept")}
            taken |= self._skipped
            return [pair for pair in self._pairs if frozenset((pair.a, pair.b)) not in taken]

    @property
    def is_writing(self) -> bool:
        """Whether answers wait to be written."""
        return any(each.state == "waiting" for each in self._answers)

    @property
    def kept(self) -> int:
        """How many answers of this sitting are kept."""
        return sum(each.state == "kept" for each in self._answers)

    def answer(self, kind: str, a: str, b: str) -> Answer:
        """Take an answer; it is written soon."""
        if kind not in ("same", "different"):
            raise SettingsError(f"two records are 'same' or 'different', not {kind!r}")
        said = Said("same" if kind == "same" else "different", a, b)
        with self._desk.reading() as base:
            find_record_keys(base, [a, b])
        with self._lock:
            found = Answer(len(self._answers) + 1, kind, a, b)
            self._answers.append(found)
        self.start()
        self._work.put(lambda: self._keep(found, said))
        return found

    def skip(self, a: str, b: str) -> None:
        """Put a pair aside, for good: it is not asked again by the studio."""
        with self._lock:
            self._skipped.add(frozenset((a, b)))
            told = json.dumps(sorted(sorted(each) for each in self._skipped))
        if self._desk.write:
            self.start()
            self._work.put(lambda: self._remember(told))

    def undo(self) -> Answer | None:
        """Take the last answer back; None if there is none."""
        with self._lock:
            mine = [each for each in self._answers if each.state in ("waiting", "kept")]
            if not mine:
                return None
            found = mine[-1]
            was, found.state = found.state, "undone"
        if was == "kept" or found.judgement is not None:
            self._work.put(lambda: self._take_back(found))
        return found

    def state(self) -> dict[str, object]:
        """Say what was decided, what waits to be written, and what could not be kept."""
        with self._lock:
            told = [each.as_dict() for each in self._answers if each.state == "refused"]
            counts = {name: sum(each.state == name for each in self._answers) for name in ("waiting", "kept")}
            done = {"records": self.settled.records, "changes": dict(self.settled.changes)}
        return counts | {"refused": told, "settled": done, "left": len(self._open())}

    def note(self, update: Update) -> None:
        """Count what a change settled."""
        with self._lock:
            self._is_stale = True
            self.settled.answers += 1
            self.settled.records += update.n_touched
            for kind, n in update.changes.items():
                self.settled.changes[kind] = self.settled.changes.get(kind, 0) + n

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _load(self) -> None:
        """Look up the pairs most worth asking about."""
        found: list[Doubt] = []
        skipped: list[list[str]] = []
        # Ctrl-C interrupts a query that is under way; the thread goes on, to write what waits and end.
        with contextlib.suppress(Exception), self._desk.reading() as base:
            skipped = json.loads(base.meta(_SKIPPED) or "[]")
            found = doubts(base, most=_AHEAD, one_of_each=True)
        with self._lock:
            self._pairs, self._is_loaded, self._is_stale = found, True, False
            self._skipped |= {frozenset(each) for each in skipped}

    def _keep(self, answer: Answer, said: Said) -> None:
        self._hurry.wait(_GRACE)
        if self._is_undone(answer):
            return
        try:
            number = self._desk.judge([said])[0]
        except OnomaError as error:
            with self._lock:
                answer.state, answer.problem = "refused", error.message
            return
        with self._lock:
            answer.judgement = number
            is_undone = self._is_undone(answer)
            answer.state = "undone" if is_undone else "kept"
        if is_undone:  # while it was being written
            self._take_back(answer)

    def _is_undone(self, answer: Answer) -> bool:
        with self._lock:
            return answer.state == "undone"

    def _take_back(self, answer: Answer) -> None:
        if answer.judgement is None:
            return
        try:
            self._desk.retract([answer.judgement])
        except OnomaError as error:  # taken back already, elsewhere
            answer.problem = error.message

    def _remember(self, told: str) -> None:
        with contextlib.suppress(OnomaError), self._desk.writing() as base:
            base.set_meta(_SKIPPED, told)
