import numpy as np
import pytest
import scipy.sparse as sp

from onoma.errors import SettingsError
from onoma.knowledge import rescal_start
from onoma.knowledge.rescal_start import leading_eigenvectors, symmetric_sum
from reference.random_facts import random_facts


@pytest.mark.parametrize("way", ["dense", "lanczos", "powers"])
def test_every_way_spans_the_leading_eigenvectors(way, monkeypatch):
    rng = np.random.default_rng(0)
    n = 40 if way == "dense" else 120
    basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
    values = np.concatenate([[30.0, -25.0, 20.0, -15.0], rng.uniform(-1, 1, n - 4)])
    S = sp.csr_array(basis * values @ basis.T)
    if way == "powers":
        monkeypatch.setattr(rescal_start, "_LANCZOS_CELLS", 0)
    found = leading_eigenvectors(S, 4, seed=1)
    np.testing.assert_allclose(found.T @ found, np.eye(4), atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(basis[:, :4].T @ found), 2.0, rtol=1e-3)
    assert found.tobytes() == leading_eigenvectors(S, 4, seed=1).tobytes()


def test_the_sum_is_over_relations_and_both_directions():
    facts = random_facts(0)
    dense = sum(X.toarray() for _, X in facts.slices())
    np.testing.assert_allclose(symmetric_sum(facts).toarray(), dense + dense.T)


def test_more_vectors_than_entities_are_refused():
    with pytest.raises(SettingsError, match="at most 3"):
        leading_eigenvectors(sp.csr_array(np.eye(3)), 4, seed=0)
