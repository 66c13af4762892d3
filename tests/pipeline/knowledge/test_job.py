import gzip

import pytest

from onoma.errors import DataError, SettingsError
from onoma.pipeline.knowledge.job import counted, default_rank, read_facts_job
from reference.random_facts import write_world


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_world(tmp_path_factory.mktemp("facts"))


def test_a_relation_may_say_the_types(files, tmp_path):
    path = tmp_path / "facts.tsv"
    lines = (files / "types.tsv").read_text().splitlines()[1:]
    path.write_text(
        (files / "facts.tsv").read_text() + "".join(line.replace("\t", "\tis a\t") + "\n" for line in lines)
    )
    job = read_facts_job(files / "facts.tsv", types=str(files / "types.tsv"))
    other = read_facts_job(path, types="relation:is a")
    assert other.facts.table().equals(job.facts.table())
    assert (other.types.member.toarray() == job.types.member.toarray()).all()
    with pytest.raises(DataError, match=r"(?s)no fact has the relation 'isa'.*Did you mean is a"):
        read_facts_job(path, types="relation:isa")
    path.write_text("a\tis a\tb\n")
    with pytest.raises(DataError, match="every fact is of 'is a'"):
        read_facts_job(path, types="relation:is a")


def test_bad_input_is_said(files, tmp_path):
    facts = files / "facts.tsv"
    with pytest.raises(SettingsError, match="signatures need types"):
        read_facts_job(facts, signatures=files / "signatures.tsv")
    with pytest.raises(DataError, match="no name of an entity says its type"):
        read_facts_job(facts, types="names")
    (tmp_path / "types.tsv").write_text("nobody\tperson\n")
    with pytest.raises(DataError, match="none of the entities"):
        read_facts_job(facts, types=str(tmp_path / "types.tsv"))
    with pytest.raises(DataError, match="has 2 of the 3 columns"):
        read_facts_job(facts, types=str(files / "types.tsv"), signatures=files / "types.tsv")
    (tmp_path / "bad.tsv").write_text("a\tb\n")
    with pytest.raises(DataError, match="no facts to learn from"):
        read_facts_job(tmp_path / "bad.tsv", on_error="reject")


def test_what_was_not_used_is_noted(files, tmp_path):
    path = tmp_path / "facts.tsv"
    path.write_text((files / "facts.tsv").read_text() + "in\nspain\tin\teurope\nspain\tin\teurope\n")
    job = read_facts_job(path, types=str(files / "types.tsv"), on_error="reject")
    assert len(job.rejects) == 1
    assert any("1 line could not be read, the first in row 54: has 1 of the 3 parts" in note for note in job.notes)
    assert any("1 fact is said more than once" in note for note in job.notes)
    assert any("1 of 34 entities has no type" in note for note in job.notes)
    assert job.plan.rank == default_rank(job.facts) == 17


def test_types_may_stand_in_a_csv_packed_or_not(files, tmp_path):
    expected = read_facts_job(files / "facts.tsv", types=str(files / "types.tsv")).types
    text = (files / "types.tsv").read_text().replace("\t", ",")
    (tmp_path / "types.csv").write_text(text)
    (tmp_path / "types.csv.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("types.csv", "types.csv.gz"):
        found = read_facts_job(files / "facts.tsv", types=str(tmp_path / name)).types
        assert (found.member.toarray() == expected.member.toarray()).all()


def test_bad_rows_of_types_stop_or_are_passed_over(files, tmp_path):
    path = tmp_path / "types.tsv"
    path.write_text((files / "types.tsv").read_text() + "city00\t\n")
    n_lines = len(path.read_text().splitlines())
    with pytest.raises(DataError, match=rf"types\.tsv, row {n_lines}: a row lacks one of the 2 columns entity, type"):
        read_facts_job(files / "facts.tsv", types=str(path))
    job = read_facts_job(files / "facts.tsv", types=str(path), on_error="reject")
    assert any("1 row without all of the 2 columns" in note for note in job.notes)
    path.write_text((files / "types.tsv").read_text() + "half\n")
    job = read_facts_job(files / "facts.tsv", types=str(path), on_error="reject")
    assert any(f"1 line could not be read, the first in row {n_lines}" in note for note in job.notes)


def test_types_and_signatures_of_what_has_no_facts_are_noted(files, tmp_path):
    (tmp_path / "types.tsv").write_text((files / "types.tsv").read_text() + "ghost\tspirit\n")
    (tmp_path / "signatures.tsv").write_text("in\tcity\tcountry\nhaunts\tspirit\tcity\nowns\tperson\tcity\n")
    job = read_facts_job(files / "facts.tsv", types=str(tmp_path / "types.tsv"), signatures=tmp_path / "signatures.tsv")
    assert "types of 1 entity without facts were not used: 'ghost'" in job.notes
    assert any("signatures of 2 relations without facts were not used: 'haunts', 'owns'" in note for note in job.notes)


def test_an_entity_in_a_rule_is_no_variable(files, tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("in(X, france) => lives in(X, france)\n")
    with pytest.raises(DataError, match="stands france, the name of an entity"):
        read_facts_job(files / "facts.tsv", rules=path)
    (tmp_path / "facts.tsv").write_text("X\tin\tY1\n")
    path.write_text("in(X, Y1) => on(X, Y1)\n")
    assert len(read_facts_job(tmp_path / "facts.tsv", rules=path).rules) == 1


def test_one_and_many():
    assert [counted(n, "fact") for n in (0, 1, 2000)] == ["0 facts", "1 fact", "2,000 facts"]


def test_rules_of_other_relations_stop_or_are_passed_over(files, tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("lives in => in\nowns => in\nnonsense\n")
    with pytest.raises(DataError, match=r"row 3: 'nonsense' is no rule"):
        read_facts_job(files / "facts.tsv", rules=path)
    job = read_facts_job(files / "facts.tsv", rules=path, on_error="reject")
    assert [str(rule) for rule in job.rules] == ["lives in(X, Y) => in(X, Y)"]
    assert any("2 rules passed over, the first: " in note for note in job.notes)
    path.write_text("liveds in => in\n")
    with pytest.raises(DataError, match=r"(?s)no fact has the relation 'liveds in'.*Did you mean lives in.*'reject'"):
        read_facts_job(files / "facts.tsv", rules=path)
    with pytest.raises(DataError, match="no rule speaks of the relations of these facts"):
        read_facts_job(files / "facts.tsv", rules=path, on_error="reject")


def test_signatures_of_none_of_the_relations_are_an_error(files, tmp_path):
    path = tmp_path / "signatures.tsv"
    path.write_text("owns\tperson\tcity\n")
    with pytest.raises(DataError, match="no relation of the facts has a signature; signatures are of 'owns'"):
        read_facts_job(files / "facts.tsv", types=str(files / "types.tsv"), signatures=path)
