import numpy as np
import pytest

from onoma.resolve.names.references import link_names


def test_names_find_their_references():
    references = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel", "Emmy Noether"]
    names = ["Turing, Alan M.", "G. Hopper", "Goedel, Kurt", "Pablo Picasso", "Emmy Noether"]
    links = link_names(references, names)
    assert links.reference[[0, 1, 2, 4]].tolist() == [1, 2, 3, 4]
    assert links.probability[[0, 1, 2, 4]].min() > 0.5
    assert links.probability[3] < 0.5


def test_references_compete():
    links = link_names(["John Smith", "Jane Smith", "Xaver Quint"], ["J. Smith", "Quint"])
    assert links.probability[0] < 0.75


@pytest.mark.parametrize(("references", "names"), [([], ["a"]), (["a"], []), (["", "🙂"], ["", "b"])])
def test_nothing_near_is_no_link(references, names):
    links = link_names(references, names)
    assert len(links.reference) == len(names)
    assert (links.reference[np.flatnonzero(links.probability == 0)] == -1).all()
