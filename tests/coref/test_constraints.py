import numpy as np

from coref.worlds import make_document
from onoma.coref.constraints import CONSTRAINTS, Rule, constraint_matrix, fit_weights
from onoma.coref.features import prepare
from onoma.coref.mentions import candidate_mentions


def test_constraints_speak_of_the_pairs_they_should():
    document = make_document()
    spans = candidate_mentions(document)
    prepared = prepare(document, spans, {})
    where = {(s.start, s.end): k for k, s in enumerate(spans)}
    rules = {rule.name: rule.speaks(prepared) for rule in CONSTRAINTS}
    she, king, ada, daughters = where[9, 10], where[3, 8], where[0, 2], where[14, 16]
    assert rules["property mismatch"][she, king]
    assert rules["property mismatch"][daughters, she]
    assert not rules["property mismatch"][she, ada]
    assert not rules["modifier mismatch"][where[11, 13], king]
    for matrix in rules.values():
        np.testing.assert_array_equal(matrix, matrix.T)
    total = constraint_matrix(prepared, CONSTRAINTS)
    assert total[she, king] < 0


def test_weights_are_chosen_by_quality():
    rule = Rule("r", -1.0, lambda prepared: np.zeros((0, 0), bool))
    (chosen,) = fit_weights([rule], lambda rules: -abs(rules[0].weight + 2))
    assert chosen.weight == -2.0
    (ignored,) = fit_weights([rule], lambda rules: 0.0)
    assert ignored.weight == 0.0
