"""Counting rows without reading them, and reading them one by one."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.corpus.readers import careful
from onoma.corpus.readers.careful import count_rows, read_carefully
from onoma.corpus.readers.dialect import Dialect

VALUE = st.sampled_from(["", "x", '"x"', '"a\nb"', '"a\r\nb"', '"a,b"', '""', '"q""q"', '"\n"'])


@pytest.mark.parametrize("chunk", [1, 3, 7, 1 << 20])
@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(VALUE, min_size=2, max_size=2).map(",".join) | st.just(""), max_size=6),
    end=st.sampled_from(["\n", "\r\n"]),
    closed=st.booleans(),
)
def test_the_count_is_that_of_the_rows(
    rows: list[str], end: str, closed: bool, chunk: int, tmp_path_factory: pytest.TempPathFactory
):
    path = tmp_path_factory.mktemp("t") / "x.csv"
    path.write_bytes((end.join(["a,b", *rows]) + end * closed).encode())
    dialect = Dialect(",", ["a", "b"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(careful, "_CHUNK_BYTES", chunk)
        counted = count_rows(path, dialect)
    table, rejects = read_carefully(path, path, dialect, reject=True)
    assert len(rejects) == 0
    assert counted == len(table) == sum(map(bool, rows))


def test_one_column_counts_blank_lines(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("a\n1\n\n2\n\n")
    dialect = Dialect(",", ["a"])
    assert count_rows(path, dialect) == len(read_carefully(path, path, dialect, reject=False)[0]) == 4
