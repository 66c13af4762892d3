"""Mentions found among the fields of a table, and contexts cut from documents."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import SettingsError, UnsupportedError
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig

SETTINGS = ResolveConfig(model="cross-document")


def mentions(*, named=True):
    rng = np.random.default_rng(2)
    person = np.repeat(np.arange(6), 8)
    texts = [" ".join(f"word{chr(97 + p)}{chr(97 + w)}" for w in rng.integers(0, 15, 12)) for p in person]
    names = [f"Ada{chr(97 + p)} Love{chr(97 + p)}" if named else "John Smith" for p in person]
    return pa.table({"name": names, "context": texts, "cluster_id": [f"p{p}" for p in person]}), person


@pytest.mark.parametrize("named", [True, False])
def test_records_are_resolved(named):
    table, person = mentions(named=named)
    found = resolve(table, config=SETTINGS)
    labels = found.clustering.labels
    assert np.mean((labels[:, None] == labels) == (person[:, None] == person)) > 0.9
    assert any("context" in note for note in found.notes)
    assert found.canopy_recall is None
    assert found.memberships.num_rows == len(table)
    assert 0 <= found.probability.min() <= found.probability.max() <= 1
    with pytest.raises(UnsupportedError, match="the model cross-document weighs no pairs"):
        found.weights()
    with pytest.raises(UnsupportedError, match="the model cross-document weighs no pairs"):
        found.explain(0, 1)
    assert found.memberships.equals(resolve(table, config=SETTINGS).memberships)


def test_a_number_of_entities():
    table, _ = mentions(named=False)
    found = resolve(table, config=ResolveConfig(model="cross-document", entities=6))
    assert abs(found.clustering.n_entities - 6) <= 1
    with pytest.raises(UnsupportedError, match=r"the model pairwise takes no --entities\n.* cross-document"):
        resolve(table, config=ResolveConfig(model="pairwise", entities=6))


def test_sources_are_documents():
    table, person = mentions()
    found = resolve(
        table.append_column("page", pa.array([f"page {p}" for p in person])), source="page", config=SETTINGS
    )
    assert any("the document the source" in note for note in found.notes)


def test_no_context_is_an_error_that_helps():
    table = pa.table({"name": ["Ada Lovelace", "A. Lovelace", "Bob Stone"], "city": ["Bath", "Bath", "Ulm"]})
    with pytest.raises(SettingsError, match="needs a column of text around each mention") as caught:
        resolve(table, config=SETTINGS)
    assert "--field COLUMN=text" in str(caught.value)
