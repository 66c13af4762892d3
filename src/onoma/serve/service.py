"""What a service answers, whoever asks: one method for each question, plain JSON in and out.

The file is held open. A service that only reads follows what other processes write: when the file is another one, it is
opened again. One that writes has the file alone; its readers see the state before or after a change, never part of it.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from onoma.errors import DataError, UnsupportedError
from onoma.kb.ask.golden import golden_values
from onoma.kb.database import Held, KnowledgeBase, file_stamp, hold_knowledge_base
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.judge import Around, Said, judge_in, list_judgements, retract_in
from onoma.kb.lookup.find import Finding
from onoma.kb.lookup.live import Live
from onoma.kb.lookup.words import WordIndex, search_entities
from onoma.kb.proposals import accept_proposal, list_proposals, propose, reject_proposal
from onoma.kb.query import count_entities, history, record_rows
from onoma.kb.report import run_lines
from onoma.kb.review import doubts
from onoma.kb.world import find_entity

__all__ = ["Json", "Service", "open_service", "plain"]

Json = dict[str, object]


class Service:
    """A knowledge base that is held open and asked by many."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        self.path, self.write = path, write
        self._lock = threading.RLock()
        self._stack = contextlib.ExitStack()
        self._stamp: tuple[int, ...] = ()
        self._held = self._open()
        self.live = Live(path, self._held)
        self._words_lock = threading.Lock()
        self._words: tuple[object, WordIndex] | None = None

    def _open(self) -> Held:
        self._stamp = file_stamp(self.path)
        return self._stack.enter_context(hold_knowledge_base(self.path, write=self.write))

    def close(self) -> None:
        """Let go of the file."""
        self._stack.close()

    def _current(self) -> Held:
        """Return the file as it is now: of one that others write, the new one."""
        with self._lock:
            if not self.write and file_stamp(self.path) != self._stamp:
                self._stack.close()
                self._held = self._open()
                self.live = Live(self.path, self._held)
            return self._held

    @contextlib.contextmanager
    def reading(self) -> Iterator[KnowledgeBase]:
        """Give one state to read."""
        with self._current().reading() as base:
            yield base

    @contextlib.contextmanager
    def writing(self) -> Iterator[KnowledgeBase]:
        """Let one thread change something: all of it is there at the end, or nothing."""
        self._check_writes()
        with self._held.writing() as base:
            yield base

    @contextlib.contextmanager
    def judging(self, *, follows: bool = True) -> Iterator[tuple[KnowledgeBase, Around]]:
        """Let one thread judge; what is held in memory follows, but where all is taken back in the end."""
        self._check_writes()
        with self.live.judging(follows=follows) as opened:
            yield opened

    def around(self) -> Around:
        """Return where the records around some come from."""
        self._current()
        return self.live.around()

    def _check_writes(self) -> None:
        if not self.write:
            raise UnsupportedError("this service reads only", hint="Begin it with onoma serve KB --write.")

    def overview(self) -> Json:
        """Say what there is: how many records and entities, the model, the fields, the last runs."""
        with self.reading() as base:
            records = int(base.value("SELECT count(*) FROM memberships"))
            entities = int(base.value("SELECT count(*) FROM entities"))
            fields = base.query('SELECT "column", kind, reason FROM fields').to_pylist()
            sizes = base.rows("SELECT size, count(*) FROM entities GROUP BY size ORDER BY size")
            runs = [list(map(plain, row)) for row in run_lines(base)[-10:]]
            judged = len(list_judgements(base))
            waiting = len(list_proposals(base))
        return {
            "name": self.path.name,
            "records": records,
            "entities": entities,
            "sizes": {str(size): n for size, n in sizes},
            "fields": fields,
            "runs": runs,
            "judgements": judged,
            "proposals": waiting,
            "writes": self.write,
        }

    def columns(self) -> list[str]:
        """Return the columns of the data."""
        with self.reading() as base:
            return [str(name) for (name,) in base.rows("SELECT name FROM columns")]

    def search(self, name: str, *, most: int = 10) -> Json:
        """Find entities by name, spelt roughly right."""
        words = self.words()
        with self.reading() as base:
            found = search_entities(base, words, name, most=most)
        return {"entities": [{key: plain(value) for key, value in each._asdict().items()} for each in found]}

    def words(self) -> WordIndex:
        """Return the words of all records; whoever asks first waits until they are read."""
        with self.reading() as base:
            sql = "SELECT count(*), max(onoma_record), count(onoma_retracted) FROM records"
            key = (base.rows(sql)[0], self._held)
            with self._words_lock:
                if self._words is None or self._words[0] != key:
                    self._words = (key, WordIndex.load(base))
                return self._words[1]

    def find(self, record: Mapping[str, object], *, most: int = 5) -> Finding:
        """Say which entities a record may be, nothing added."""
        self._current()
        return self.live.find(record, most=most)

    def entity(self, name: str) -> Json:
        """Return an entity: its canonical values and its records."""
        with self.reading() as base:
            entity = find_entity(base, name)
            row = base.query("SELECT * FROM entities WHERE entity = ?", [entity]).to_pylist()
            records = record_rows(base, entity)
        values = row[0] if row else {"entity": entity}
        first = {key: plain(values.pop(key, None)) for key in ("entity", "size", "probability", "record")}
        shown = {key: plain(value) for key, value in values.items() if value is not None}
        return first | {"values": shown, "records": [{k: plain(v) for k, v in each.items()} for each in records]}

    def values(self, name: str) -> Json:
        """Say where the values of an entity come from: record, rule, and what the others say."""
        with self.reading() as base:
            found = golden_values(base, name)
        return {"values": [each.as_dict() for each in found]}

    def history(self, name: str) -> Json:
        """Tell the life of an entity."""
        with self.reading() as base:
            return {"events": [each._asdict() for each in history(base, name)]}

    def explain(self, name: str) -> Json:
        """Say what holds an entity together, and what it hangs on."""
        with self.reading() as base:
            return explain_entity(base, name, around=self.around()).as_dict()

    def pair(self, a: str, b: str) -> Json:
        """Say why two records are, or are not, the same: the waterfall of bits."""
        with self.reading() as base:
            return explain_records(base, a, b, around=self.around()).as_dict()

    def count(self, where: str | None = None, *, level: float = 0.95) -> Json:
        """Count entities, with an interval."""
        with self.reading() as base:
            return count_entities(base, where=where, level=level).as_dict()

    def review(self, *, most: int = 10) -> Json:
        """Return the pairs most worth a person's look, with both records."""
        with self.reading() as base:
            found = doubts(base, most=most, one_of_each=True)
            return {"pairs": [each._asdict() for each in found]}

    def judgements(self) -> Json:
        """Return what people have said."""
        with self.reading() as base:
            return {"judgements": [each.as_dict() for each in list_judgements(base, retracted=True)]}

    def proposals(self) -> Json:
        """Return what waits for a person."""
        with self.reading() as base:
            return {"proposals": [each.as_dict() for each in list_proposals(base)]}

    def add(self, record: Mapping[str, object]) -> Json:
        """Add a record."""
        self._check_writes()
        return self.live.add(record, command="onoma serve").as_dict()

    def judge(
        self, kind: Literal["same", "different"], a: str, b: str, *, by: str = "", weight: float | None = None
    ) -> Json:
        """Keep a judgement, and resolve again what it touches."""
        with self.judging() as (base, around):
            kept, update = judge_in(base, [Said(kind, a, b, weight)], by=by, command="onoma serve", around=around)
        return {"judgements": [each.as_dict() for each in kept], "update": update.as_dict()}

    def retract(self, numbers: Sequence[int]) -> Json:
        """Take judgements back."""
        with self.judging() as (base, around):
            update = retract_in(base, numbers, command="onoma serve", around=around)
        return {"update": update.as_dict()}

    def propose(self, kind: Literal["same", "different"], a: str, b: str, *, by: str = "", why: str = "") -> Json:
        """Keep a proposal for a person to accept."""
        with self.writing() as base:
            return propose(base, Said(kind, a, b), by=by, why=why).as_dict()

    def accept(self, number: int, *, by: str = "") -> Json:
        """Make a proposal a judgement."""
        with self.judging() as (base, around):
            kept, update = accept_proposal(base, number, by=by, command="onoma serve", around=around)
        return {"judgements": [each.as_dict() for each in kept], "update": update.as_dict()}

    def reject(self, number: int) -> Json:
        """Put a proposal aside."""
        with self.writing() as base:
            reject_proposal(base, number)
        return {"rejected": number}


def plain(value: object) -> object:
    """Return a value that JSON can hold."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return str(value)


@contextlib.contextmanager
def open_service(path: Path, *, write: bool = False) -> Iterator[Service]:
    """Hold a knowledge base open for a service."""
    if not path.is_file():
        raise DataError("there is no such file", file=path, hint="Make one: onoma resolve people.csv -o people.duckdb.")
    service = Service(path, write=write)
    try:
        yield service
    finally:
        service.close()
