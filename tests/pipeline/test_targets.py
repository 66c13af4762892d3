import pytest

from onoma.errors import DataError
from onoma.pipeline.targets import check_file, check_spared, check_table


def test_a_folder_or_a_file_in_no_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        check_file(tmp_path)
    with pytest.raises(DataError, match="there is no folder"):
        check_file(tmp_path / "no" / "x.svg")
    check_file(tmp_path / "x.svg")


@pytest.mark.parametrize("name", ["x.bib", "x", "x.duckdb", "x.conll"])
def test_what_is_no_table_is_refused_and_the_endings_are_named(tmp_path, name):
    with pytest.raises(DataError, match=r"a table can be written as \.csv") as caught:
        check_table(tmp_path / name)
    assert caught.value.hint == "For example: -o x.csv"


def test_a_packed_table_is_a_table(tmp_path):
    check_table(tmp_path / "x.csv.gz")


def test_what_is_read_is_not_written_over_under_any_name(tmp_path):
    facts, link = tmp_path / "kb.tsv", tmp_path / "link.tsv"
    facts.write_text("a\tb\tc\n")
    link.symlink_to(facts)
    for target in (facts, link):
        with pytest.raises(DataError, match="is read by this very command"):
            check_spared(target, [tmp_path / "absent", facts])
    check_spared(tmp_path / "new.csv", [facts])
