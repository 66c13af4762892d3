from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.pipeline.names import cluster_names, find_tree, read_mentions, tell_tree

NAMES = ["Ada Lovelace", "A. Lovelace", "Ada Lovelace", "Alan Turing", "Turing, Alan"]


def test_the_table_has_a_row_for_each_name_given():
    table = cluster_names(NAMES).table
    assert table.column("name").to_pylist() == NAMES
    assert table.column("entity").to_pylist() == [0, 0, 0, 1, 1]
    assert set(table.column("title").to_pylist()) <= set(NAMES)
    parents = table.column("parent").to_pylist()
    assert parents[0] == parents[2]
    assert sum(parent is None for _, parent in set(zip(NAMES, parents, strict=True))) == 2


def test_a_tree_counts_repeated_names():
    tree = find_tree(cluster_names(NAMES).table, "A. Lovelace")
    assert "Ada Lovelace ×2" in tell_tree(tree)


def test_a_tree_needs_parents():
    with pytest.raises(DataError, match="no column entity, parent"):
        find_tree(pa.table({"name": ["a"]}), "a")


def test_names_are_read_from_lists_and_tables(tmp_path):
    Path(tmp_path / "a.txt").write_text("\ufeffAda\n\n  Alan \n")
    assert list(read_mentions(tmp_path / "a.txt").names) == ["Ada", "Alan"]
    Path(tmp_path / "a.csv").write_text("label,note\nAda,x\nAlan,y\n")
    assert list(read_mentions(tmp_path / "a.csv", name="label", kind="note").kinds or []) == ["x", "y"]
    with pytest.raises(SettingsError, match="which has the names"):
        read_mentions(tmp_path / "a.csv")


def test_a_list_in_another_encoding_is_read(tmp_path):
    Path(tmp_path / "a.txt").write_bytes("Kurt Gödel\nEmmy Noether\n".encode("latin1"))
    assert list(read_mentions(tmp_path / "a.txt").names) == ["Kurt Gödel", "Emmy Noether"]


def test_languages_and_dates_are_columns(tmp_path):
    path = tmp_path / "mentions.csv"
    path.write_text("name,lang,when\nAda Lovelace,en,1843-10-01\nA. Lovelace,fr,n/a\nAda Lovelace,,1850\n", "utf-8")
    mentions = read_mentions(path, name="name", language="lang", date="when", is_apart=True)
    assert mentions.languages == ["en", "fr", ""]
    np.testing.assert_allclose(mentions.years, [1843.75, np.nan, 1850.0])
    assert len(cluster_names(mentions).phylogeny.nodes) == 3
    assert len(cluster_names(read_mentions(path, name="name")).phylogeny.nodes) == 2
