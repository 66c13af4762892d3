"""All bytes of a file are read, those of indexes too."""

import contextlib
import random

from onoma.errors import DataError
from onoma.kb import _schema
from onoma.kb.audit.blocks import wrong_blocks
from onoma.kb.audit.seals import audit, seal_all
from onoma.kb.database import read_knowledge_base


def test_one_flipped_byte_is_noticed_wherever_it_is(kb, monkeypatch):
    monkeypatch.setattr(_schema, "FEWEST_INDEXED", 0)  # indexes, too, which no query of the audit reads
    seal_all(kb)
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT count(*) FROM duckdb_indexes()")
    data = kb.read_bytes()
    assert audit(kb).is_whole
    rng = random.Random(0)
    places = [0, 9, 4_096, 8_200, len(data) - 1, *(rng.randrange(len(data)) for _ in range(25))]
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 0x10
        kb.write_bytes(flipped)
        with contextlib.suppress(DataError):
            assert not audit(kb).is_whole, place


def test_a_file_of_another_make_has_no_blocks(tmp_path):
    path = tmp_path / "other"
    path.write_bytes(bytes(20_000))
    assert wrong_blocks(path) == []
