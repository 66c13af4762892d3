import numpy as np

from coref.worlds import make_document, make_volta
from onoma.coref.constraints import CONSTRAINTS, WITHIN, Rule, constraint_matrix, fit_weights
from onoma.coref.decode import DECODERS
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


def _volta():
    document = make_volta()
    prepared = prepare(document, candidate_mentions(document), {})
    rows = {" ".join(document.words[s.start : s.end]): k for k, s in enumerate(prepared.spans) if s.start != 10}
    return prepared, rows, [s.start for s in prepared.spans].index(10)


def test_what_stands_inside_a_phrase_is_not_that_phrase():
    prepared, rows, _ = _volta()
    spoken = WITHIN.speaks(prepared)
    np.testing.assert_array_equal(spoken, spoken.T)
    for inner, outer in (
        ("her", "her cousin Mia 's"),
        ("Volta", "Volta Motors"),
        ("her cousin Mia 's", "her cousin Mia 's friend"),
    ):
        assert spoken[rows[inner], rows[outer]], (inner, outer)
    assert not spoken[rows["their"], rows["the young who love their VM"]]  # in a clause about it
    assert not spoken[rows["Volta"], rows["her"]]


def test_no_decoder_links_what_is_inside_with_what_it_is_inside():
    prepared, rows, alone = _volta()
    likes = np.where(np.tri(len(prepared), k=-1) > 0, 5.0, -np.inf)
    np.fill_diagonal(likes, 0.0)
    rules = constraint_matrix(prepared, [WITHIN])
    inner, outer = rows["Volta"], rows["Volta Motors"]
    for gamma in (0.0, 1.0):
        labels = prepared.linked(likes, rules, gamma)
        assert labels[inner] != labels[outer]
        assert labels[alone] == labels[outer]  # Volta by itself is the firm,
        assert (labels == labels[inner]).sum() == 1  # and then no part of its name is a mention
    few = np.ix_([outer, inner], [outer, inner])
    for name, decode in DECODERS.items():
        assert decode(likes[few]).tolist() == [0, 0], name
        assert decode((likes + rules)[few]).tolist() == [0, 1], name
