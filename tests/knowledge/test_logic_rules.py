import pytest

from onoma.errors import DataError
from onoma.knowledge.logic_rules import Literal, Rule, check_rules, parse_rule, read_rules


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("a => b", "a(X, Y) => b(X, Y)"),
        ("a(X, Y) ⇒ b(Y, X)", "a(X, Y) => b(Y, X)"),
        ("in(C,R) :- near(C,D), in(D,S), in(S,R)", "near(C, D) & in(D, S) & in(S, R) => in(C, R)"),
        ("a(X, Y) & not b(X, Y) => c(X, Y)", "a(X, Y) & not b(X, Y) => c(X, Y)"),
        ("0.25 :: a => not b", "0.25 :: a(X, Y) => not b(X, Y)"),
        ("path#appos|->unit->|pobj:INV => REL$/organization/child", None),
    ],
)
def test_rules_are_read_and_printed(text, printed):
    rule = parse_rule(text)
    assert printed is None or str(rule) == printed
    assert parse_rule(str(rule)) == rule


def test_quoted_names_may_hold_anything():
    rule = parse_rule("'path#a, b (c)' => 'x & y'")
    assert rule == Rule((Literal("path#a, b (c)", "X", "Y"),), Literal("x & y", "X", "Y"))
    assert parse_rule(str(rule)) == rule
    turned = parse_rule("'is => in'(X, Z) :- 'a, b'(X, Y), 'not c'(Y, Z)")
    assert [each.relation for each in turned.literals] == ["a, b", "not c", "is => in"]
    assert parse_rule(str(turned)) == turned


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b", "is no rule"),
        ("=> b", "is no rule"),
        ("a(X) => b(X)", r"is not relation\(X, Y\)"),
        ("a(X, Y) => b(X, Z)", "the variable Z stands in no positive literal"),
        ("not a(X, Y) => b(X, Y)", "the variable X stands in no positive literal"),
        ("2 :: a => b", "the weight is 2"),
        ("often :: a => b", "is not a number"),
    ],
)
def test_bad_rules_say_what_is_wrong(text, message):
    with pytest.raises(DataError, match=message):
        parse_rule(text)


def test_a_file_of_rules(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("# comment\n\n//1\t0.97\na => b\n0.5 :: b => c\n")
    assert [rule.weight for rule in read_rules(path)] == [1.0, 0.5]
    path.write_text("a => b\nb c\n")
    with pytest.raises(DataError, match=r"rules\.txt, row 2"):
        read_rules(path)
    path.write_text("# nothing\n")
    with pytest.raises(DataError, match="holds no rule"):
        read_rules(path)


def test_contradictory_rules_are_refused_unless_they_are_soft():
    firm = [
        parse_rule("a(X, Y) & b(Y, Z) => c(X, Z)"),
        parse_rule("not c(P, R) :- a(P, Q), b(Q, R)"),
    ]
    with pytest.raises(DataError, match=r"(?s)contradict each other.*weights below 1"):
        check_rules(firm)
    check_rules([firm[0], parse_rule("0.5 :: not c(P, R) :- a(P, Q), b(Q, R)")])
    check_rules([firm[0], parse_rule("not c(R, P) :- a(P, Q), b(Q, R)")])
