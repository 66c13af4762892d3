import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.phylogeny.model import PhylogenySettings
from onoma.resolve.models.phylogeny.records import name_draws, name_fields
from onoma.resolve.posterior.consensus import find_consensus

NAMES = ["Ada Lovelace", "Alan Turing", "A. Lovelace", "Alan Turing", None, "Turing, Alan", None]


def test_records_are_resolved_by_their_names():
    fields = prepare_fields(pa.table({"name": NAMES, "year": [1, 2, 3, 4, 5, 6, 7]}), kinds={"name": "person"}).fields
    candidates, draws, _ = name_draws(fields, settings=PhylogenySettings(n_samples=60, n_rounds=2))
    assert (candidates.a < candidates.b).all()
    assert (np.diff(candidates.a.astype(np.int64) * 100 + candidates.b) > 0).all()
    found = find_consensus(7, candidates.a, candidates.b, draws.together, draws.roots)
    assert found.clustering.labels.tolist() == [0, 1, 0, 1, 2, 1, 3]
    same = (draws.roots[:, candidates.a] == draws.roots[:, candidates.b]).mean(0)
    np.testing.assert_allclose(draws.together, same)


def test_records_of_different_blocks_stay_apart():
    fields = prepare_fields(
        pa.table({"name": ["Ada Lovelace", "Ada King Lovelace"] * 2}), kinds={"name": "person"}
    ).fields
    block = np.array([0, 0, 1, 1], np.int32)
    candidates, _, _ = name_draws(fields, block=block, settings=PhylogenySettings(n_samples=20, n_rounds=1))
    assert (block[candidates.a] == block[candidates.b]).all()


def test_without_a_name_there_is_no_phylogeny():
    fields = prepare_fields(pa.table({"year": ["1901", "1902", "1903"]}), kinds={"year": "number"}).fields
    with pytest.raises(SettingsError, match="needs a name"):
        name_fields(fields)


def test_parts_of_a_name_are_put_together():
    table = pa.table({"given": ["Ada", "Alan", "Grace"], "family": ["Lovelace", "Turing", "Hopper"]})
    fields = prepare_fields(table, kinds={"given": "person", "family": "person"}).fields
    assert [field.name for field in name_fields(fields)] == ["given", "family"]
    whole = table.append_column("name", pa.array(["Ada Lovelace", "Alan Turing", "Grace Hopper"]))
    fields = prepare_fields(whole, kinds=dict.fromkeys(whole.column_names, "person")).fields
    assert len(name_fields(fields)) == 1
