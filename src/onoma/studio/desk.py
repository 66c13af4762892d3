"""What the studio works on: a knowledge base that is held open, and what is kept beside it so that pages come at once.

* The state of all records, as arrays with an index (`kb/lookup`), for explanations and judgements: read once.
* The words of all records, for the search: read once, in a thread of its own.
* The pairs to be decided (`queue.py`), and one thread that writes what was decided.
"""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from onoma.errors import UnsupportedError
from onoma.kb.database import KnowledgeBase
from onoma.kb.judge import Around, Said, judge_in, retract_in
from onoma.kb.lookup.words import WordIndex
from onoma.kb.proposals import list_proposals
from onoma.kb.regroup import Preview, preview_judgements
from onoma.kb.texts import is_from_text
from onoma.serve.service import Service
from onoma.studio.overview import overview
from onoma.studio.queue import Queue

__all__ = ["Desk", "open_desk"]

COMMAND = "onoma studio"


class Desk:
    """A knowledge base on a desk.

    Parameters
    ----------
    by
        Who decides; kept with each judgement.
    """

    def __init__(self, path: Path, *, write: bool, by: str = "") -> None:
        self.path, self.write, self.by = path, write, by
        self.service = Service(path, write=write)
        self.queue = Queue(self)
        with self.reading() as base:
            self.is_text = is_from_text(base)
        """Whether it was built from documents."""
        self._lock = threading.Lock()
        self._overview: tuple[object, dict[str, Any]] | None = None

    def start(self) -> None:
        """Begin what goes on beside: the index of words, the pairs to be decided."""
        threading.Thread(target=self._prepare, daemon=True, name="studio-words").start()
        self.queue.start()

    def close(self) -> None:
        """Write what waits, and let go of the file."""
        self.queue.close()
        self.service.close()

    def _prepare(self) -> None:
        with contextlib.suppress(Exception):  # whoever asks first is told what is wrong
            self.overview()
        with contextlib.suppress(Exception):
            self.words()
        with contextlib.suppress(Exception):
            self.service.around()

    @contextlib.contextmanager
    def reading(self) -> Iterator[KnowledgeBase]:
        """Give one state to read."""
        with self.service.reading() as base:
            yield base

    @contextlib.contextmanager
    def writing(self) -> Iterator[KnowledgeBase]:
        """Change something: all of it, or nothing."""
        self._check_writes()
        with self.service.writing() as base:
            yield base

    @contextlib.contextmanager
    def judging(self, *, follows: bool = True) -> Iterator[tuple[KnowledgeBase, Around]]:
        """Judge: all of it is kept, or nothing; what is held in memory follows, but where all is taken back."""
        self._check_writes()
        with self.service.judging(follows=follows) as opened:
            yield opened

    def _check_writes(self) -> None:
        if not self.write:
            raise UnsupportedError(
                "this studio reads only", hint=f"Begin it without --read-only: onoma studio {self.path.name}"
            )

    def words(self) -> WordIndex:
        """Return the words of all records; whoever asks first waits until they are read."""
        return self.service.words()

    def overview(self) -> dict[str, Any]:
        """Return what the first page shows; it is added up once for each run."""
        with self.reading() as base:
            key = (*base.rows("SELECT max(run), count(*) FROM runs")[0], len(list_proposals(base)))
            with self._lock:
                if self._overview is None or self._overview[0] != key:
                    self._overview = (key, overview(base))
                return self._overview[1]

    def preview(self, said: Sequence[Said]) -> Preview:
        """Say what judgements would do; nothing is kept."""
        return preview_judgements(lambda: self.judging(follows=False), said, by=self.by)

    def judge(self, said: Sequence[Said]) -> list[int]:
        """Keep judgements; return their numbers."""
        with self.judging() as (base, around):
            kept, update = judge_in(base, said, by=self.by, command=COMMAND, around=around)
        self.queue.note(update)
        return [each.number for each in kept]

    def retract(self, numbers: Sequence[int]) -> None:
        """Take judgements back."""
        with self.judging() as (base, around):
            update = retract_in(base, numbers, command=COMMAND, around=around)
        self.queue.note(update)

    def doubt_left(self) -> float:
        """Return how many pairs are expected to be held wrongly."""
        with self.reading() as base:
            return float(base.value("SELECT coalesce(sum(least(probability, 1 - probability)), 0) FROM edges"))


@contextlib.contextmanager
def open_desk(path: Path, *, write: bool = True, by: str = "") -> Iterator[Desk]:
    """Hold a knowledge base open for a studio."""
    desk = Desk(path, write=write, by=by)
    try:
        yield desk
    finally:
        desk.close()
