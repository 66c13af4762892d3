"""Engines by name."""

import pytest

from onoma.engines.local import LocalEngine
from onoma.errors import OnomaError, SettingsError
from onoma.pipeline.carriers import open_engine


@pytest.mark.parametrize("name", ["local", "local[3]", "processes[1]"])
def test_local_engines_have_names(name):
    with open_engine(name) as engine:
        assert isinstance(engine, LocalEngine)


@pytest.mark.parametrize("name", ["", "locale", "local[]", "local[-1]", "http://host", "local[2] "])
def test_other_names_are_refused(name):
    with pytest.raises(SettingsError, match="there is no engine"):
        open_engine(name)


def test_no_workers_is_refused():
    with pytest.raises(SettingsError, match="at least one"):
        open_engine("local[0]")


def test_a_cluster_that_is_not_there_is_said():
    pytest.importorskip("pyspark", reason="needs pyspark")
    # Where another test of this process has left its session open, that is what is said.
    with pytest.raises(OnomaError, match="no Spark master answers|needs Java|is open in this process"):
        open_engine("spark://127.0.0.1:1", timeout=0.1)
