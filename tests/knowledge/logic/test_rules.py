import lzma

import pytest

from onoma.errors import DataError
from onoma.knowledge.logic.rules import Literal, Rule, check_rules, parse_rule, read_rules


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


def test_rule_files_as_people_have_them(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_bytes("\ufeffa(x,y)==>b(y,x)\r\n".encode())
    assert [str(rule) for rule in read_rules(path)] == ["a(x, y) => b(y, x)"]
    packed = tmp_path / "rules.txt.xz"
    packed.write_bytes(lzma.compress(b"a => b\n"))
    assert len(read_rules(packed)) == 1
    path.write_bytes(b"a => caf\xe9\n")
    notes = []
    assert [str(rule) for rule in read_rules(path, notes=notes)] == ["a(X, Y) => café(X, Y)"]
    assert "rules.txt is not UTF-8 and was read as cp1252" in notes[0]
    path.write_bytes("a => café\nb => été\n".encode() + b"a => caf\xe9\n")  # UTF-8 with damage in it
    with pytest.raises(DataError, match=r"row 3: byte 9 of the line is 0xE9, which is not UTF-8"):
        read_rules(path)
    with pytest.raises(DataError, match="is a folder"):
        read_rules(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        read_rules(tmp_path / "nothing.txt")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("?b  near  ?a   => ?a  near  ?b", "near(B, A) => near(A, B)"),
        ("?b  <near>  ?a   => ?a  <near>  ?b\t0.906187625", "0.906188 :: near(B, A) => near(A, B)"),
        (
            "?a  /x./y/in  ?f  ?f  in  ?b   => ?a  in  ?b\t0.04\t0.19\t0.83\t30\t151\t36\t?b\t0.0\t0.0",
            "0.19 :: /x./y/in(A, F) & in(F, B) => in(A, B)",
        ),
    ],
)
def test_rules_as_amie_prints_them(text, printed):
    assert str(parse_rule(text)) == printed


def test_lines_that_are_no_rules_are_passed_over_on_request(tmp_path):
    path = tmp_path / "amie.txt"
    path.write_text("Loading files... \n?b  near  ?a   => ?a  near  ?b\t0.9\nMining done in 2 s\n")
    with pytest.raises(DataError, match=r"(?s)row 1: 'Loading files\.\.\.' is no rule.*on_error='reject'"):
        read_rules(path)
    rejected = []
    assert len(read_rules(path, rejected=rejected)) == 1
    assert len(rejected) == 2
    assert "row 3" in rejected[1]
