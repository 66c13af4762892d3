"""What a later run needs: written and read again, and values written as the old ones were."""

import zipfile
import zlib

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.memory import FieldMemory, earlier_config, memory_from_bytes, remember, write_text, write_values
from onoma.kb.world import stored_memory
from onoma.numerics.archive import ArchiveError
from onoma.resolve.api import resolve

OWN = {"levels": {"close": "jaro_winkler(a, b) >= 0.9"}, "normalise": "upper(x)"}


def test_it_is_written_and_read_again(first_base):
    with read_knowledge_base(first_base) as base:
        memory = stored_memory(base)
    again = memory_from_bytes(memory.to_bytes())
    assert again.fields == memory.fields and again.config == memory.config and again.n_records == 400
    assert np.array_equal(again.weights.tables, memory.weights.tables) and again.why_not == ""


def test_damage_is_seen(first_base):
    with read_knowledge_base(first_base) as base:
        data = bytearray(stored_memory(base).to_bytes())
    with pytest.raises(DataError, match="nothing was learnt"):
        memory_from_bytes(b"")
    data[len(data) // 2] ^= 0xFF
    with pytest.raises((ArchiveError, ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error)):
        memory_from_bytes(bytes(data))


def test_more_records_make_each_the_less_likely_origin(first_base):
    with read_knowledge_base(first_base) as base:
        memory = stored_memory(base)
    assert memory.weights_for(800).kappa == pytest.approx(memory.weights.kappa / 2)


def written(field, values, beside=()):
    return write_values(field, pa.chunked_array([pa.array(values)]), beside)


def test_values_are_written_as_the_old_ones_were():
    field = FieldMemory("city", "category", "", ("city",), ("equal", "different"), placeholders=("none given",))
    found = written(field, ["York", "YORK ", "n/a", None, "None given", "Ely"])
    assert found.values == ["york", "ely"] and found.codes.tolist() == [0, 0, -1, -1, -1, 1]
    assert found.examples == ["York", "Ely"]


def test_how_a_date_is_read_depends_on_those_beside_it():
    field = FieldMemory("born", "date", "", ("born",), (), bare_years=True)
    assert written(field, ["03/04/1990"], beside=["12/31/1990"]).values == ["1990-03-04"]
    assert written(field, ["03/04/1990"], beside=["31/12/1990"]).values == ["1990-04-03"]
    assert written(field, ["1990-01-01"]).values == ["1990-00-00"]


def test_a_kind_of_ones_own_is_remembered_as_the_table_that_describes_it():
    rows = [{"id": str(i), "part": f"ab{i // 2}{'x' * (i % 2)}", "lot": f"{i // 2 * 7919}"} for i in range(40)]
    memory = remember(resolve(pa.Table.from_pylist(rows), kinds={"part": OWN}, model="copying", samples=10))
    spec = next(each for each in memory_from_bytes(memory.to_bytes()).fields if each.name == "part")
    assert spec.own == OWN and spec.kind == "custom" and spec.made.levels == ("equal", "close", "different")
    assert written(spec, ["ab1"]).values == ["AB1"]


def test_a_kind_that_is_not_here_is_named():
    with pytest.raises(SettingsError, match="there is no kind 'plate' here"):
        written(FieldMemory("car", "plate", "", ("car",), ()), ["x"])


def test_settings_of_an_earlier_version_are_said_as_they_are_now():
    config = earlier_config({"model": "copying", "n_samples": 50, "n_burn_in": 30, "canopies": {"neighbours": 7}})
    assert (config.model, config.samples, config.burn_in, config.neighbours) == ("copying", 50, None, 7)


def test_one_text_is_written_as_a_column_of_it(first_base):
    with read_knowledge_base(first_base) as base:
        fields = stored_memory(base).fields
        texts = ["Ada", "  Ada Mary ", "", " ", "N/A", "1990-01-01", "1/2/1990", "999999999", "O'Neil", "é\u202e", None]
        for field in fields:
            for text in texts:
                written = write_values(field, pa.chunked_array([pa.array([text], pa.string())]), [])
                code = int(written.codes[0])
                expected = (written.values[code], written.examples[code]) if code >= 0 else ("", "")
                assert write_text(field, text, []) == expected, (field.name, text)
