"""A folder of texts becomes a knowledge base; documents are added; what was read is not read again."""

import json
from pathlib import Path

import pytest

from onoma.corpus.documents import Text
from onoma.errors import DataError, SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.query import history, show
from onoma.kb.texts import explain_text_entity, named_entity
from onoma.pipeline.building.build import BuildJob, build, identity_of
from onoma.pipeline.building.grouping import group_records, touched_by
from onoma.pipeline.building.parts import Kept
from onoma.pipeline.building.reading import _retype, read_documents
from onoma.pipeline.coreference import coref_model
from onoma.pipeline.link_texts import LinkJob, link_files
from onoma.pipeline.linking import find_mention
from onoma.pipeline.text.annotation import pipeline_named

ADA = (
    "Ada Lovelace worked with Charles Babbage in London. She wrote notes on the Analytical Engine. "
    "Babbage admired Lovelace.\n"
)
BABBAGE = "Charles Babbage designed an engine. He lived in London. Ada Lovelace visited Babbage.\n"
TURING = "Alan Turing studied in Cambridge. Ada Lovelace was admired by Turing.\n"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    (folder / "ada.txt").write_text(ADA)
    (folder / "babbage.txt").write_text(BABBAGE)
    return folder


@pytest.fixture(scope="module")
def kb(texts: Path) -> Path:
    target = texts.parent / "kb.duckdb"
    report = build(BuildJob((str(texts),), target))
    assert report.documents == 2
    assert report.facts > 0
    assert not target.with_name("kb.duckdb.parts").exists()
    return target


def tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    names = ("sentences", "mentions", "memberships", "entities", "facts", "statements", "fact_sentences", "changes")
    with read_knowledge_base(path) as base:
        return {name: sorted(base.rows(f"FROM {name}"), key=repr) for name in names}


def test_paths_are_the_way_between_two_names() -> None:
    (read,) = read_documents([Text("a", ADA)], pipeline_named(None), coref_model())
    said = {(row["subject"], row["relation"], row["object"]) for row in read.paths}
    names = {row["id"]: row["name"] for row in read.records}
    told = {(names[a], relation, names[b]) for a, relation, b in said}
    assert ("Ada Lovelace", "nsubj<work>obl:with", "Charles Babbage") in told
    assert ("Charles Babbage", "nsubj<admire>obj", "Ada Lovelace") in told


def test_what_is_said_of_two_is_said_of_both_and_clauses_do_not_mix() -> None:
    text = "Ada Lovelace and Mary Somerville visited London. Charles Babbage said that Ada Lovelace lived in Paris."
    (read,) = read_documents([Text("c", text)], pipeline_named(None), coref_model())
    names = {row["id"]: row["name"] for row in read.records}
    told = {(names[row["subject"]], row["relation"], names[row["object"]]) for row in read.paths}
    assert {("Ada Lovelace", "nsubj<visit>obj", "London"), ("Mary Somerville", "nsubj<visit>obj", "London")} <= told
    assert ("Ada Lovelace", "nsubj<live>obl:in", "Paris") in told
    assert not [each for each in told if "Charles Babbage" in each]


def told_of(text: str) -> set[tuple[str, str, str]]:
    (read,) = read_documents([Text("a", text)], pipeline_named(None), coref_model())
    names = {row["id"]: row["name"] for row in read.records}
    return {(names[row["subject"]], row["relation"], names[row["object"]]) for row in read.paths}


def test_who_acts_in_a_clause_comes_first() -> None:
    told = told_of("Ada Lovelace admired the Royal Society, which Charles Babbage left.\n")
    assert ("Charles Babbage", "nsubj<leave acl:relcl<", "Royal Society") in told
    assert ("Ada Lovelace", "nsubj<admire>obj", "Royal Society") in told


def test_a_part_of_a_name_is_in_no_fact_and_a_title_makes_a_person() -> None:
    told = told_of("Mary Somerville sued the London Zoo. London was cold.\n")
    assert ("Mary Somerville", "nsubj<sue>obj", "London Zoo") in told
    assert not any("London" in (a, b) for a, _, b in told)
    text = "Lucy played for us. Harry met Miss Vane at a garden party. Mrs Vane wept at luncheon.\n"
    (read,) = read_documents([Text("a", text)], pipeline_named(None), coref_model())
    titled = {row["name"]: row["type"] for row in read.records if "Vane" in row["name"]}
    assert titled and set(titled.values()) == {"PER"}


def test_whose_something_is_is_written_in_one_way() -> None:
    for text in (
        "Mary Somerville is the sister of Ada Lovelace.\n",
        "Mary Somerville, the sister of Ada Lovelace, left London.\n",
        "Ada Lovelace's sister, Mary Somerville, left London.\n",
    ):
        assert ("Ada Lovelace", "nmod:poss<sister", "Mary Somerville") in told_of(text)


def test_a_place_is_told_with_its_preposition_and_two_subjects_are_none() -> None:
    told = told_of("The Royal Society is in London. The Indian and British writer Ada Lovelace wept.\n")
    assert ("Royal Society", "nsubj<be>obl:in", "London") in told
    assert not [each for each in told if {"Indian", "British"} <= {each[0], each[2]}]


def test_an_abbreviation_that_is_explained_is_one_with_the_name() -> None:
    text = "The Food Standards Agency (FSA) met in Leeds. Leeds United paid the FSA.\n"
    (read,) = read_documents([Text("a", text)], pipeline_named(None), coref_model())
    called = {row["name"]: row["names"] for row in read.records}
    assert called["Food Standards Agency"] == ["FSA", "Food Standards Agency"]
    assert called["Leeds"] == ["Leeds"]  # a place is not the club that has it in its name


def test_a_company_goes_by_its_first_word_and_a_university_does_not() -> None:
    names = {"1": "Meridian Shipping Corp.", "2": "Meridian", "3": "Boston University", "4": "Boston", "5": "Meridian"}
    kinds = {"1": "ORG", "2": "LOC", "3": "ORG", "4": "LOC", "5": "LOC"}
    records = [{"id": key, "name": name, "names": [name], "type": kinds[key]} for key, name in names.items()]
    _retype(records, {"5"})  # something is in it
    assert {row["id"]: row["type"] for row in records} == kinds | {"2": "ORG"}


def test_names_without_a_word_in_common_are_two() -> None:
    (read,) = read_documents([Text("b", BABBAGE)], pipeline_named(None), coref_model())
    assert {row["name"] for row in read.records} == {"Charles Babbage", "Ada Lovelace", "London"}


def test_a_name_is_found_and_a_stranger_is_none(kb: Path) -> None:
    found = find_mention(kb, {"name": "Lovelace", "type": "PER"})
    with read_knowledge_base(kb) as base:
        assert found.best is not None
        assert found.best.entity == named_entity(base, "ada lovelace")
    assert find_mention(kb, {"name": "Xandor Quy"}).best is None
    for wrong in ({"nam": "Ada"}, {"name": " "}, {}):
        with pytest.raises(SettingsError):
            find_mention(kb, wrong)


def test_entities_join_documents_and_say_their_sentences(kb: Path) -> None:
    with read_knowledge_base(kb) as base:
        (found, *_) = show(base, "ada lovelace")
        assert found.size == 2
        told = explain_text_entity(base, "Charles Babbage")
        assert {each["document"].rpartition("/")[2] for each in told.records} == {"ada.txt", "babbage.txt"}
        lived = next(each for each in told.facts if each["relation"] == "nsubj<live>obl:in")
        assert lived["sentence"] == "He lived in London."
        assert 0 < lived["probability"] <= 1
        assert history(base, told.entity)[0].kind == "created"
        offsets = base.rows(
            'SELECT d.text[m.start + 1:m."end"], m.text FROM mentions m JOIN documents d USING (document)'
        )
        assert all(cut == text for cut, text in offsets)


def test_a_part_of_a_name_will_do_where_one_has_it(kb: Path) -> None:
    with read_knowledge_base(kb) as base:
        assert explain_text_entity(base, "lovelace").name == "Ada Lovelace"
        with pytest.raises(DataError, match="there is no entity"):
            explain_text_entity(base, "lovel")


def test_a_run_goes_on_from_what_a_killed_one_read(texts: Path, kb: Path, tmp_path: Path) -> None:
    target = tmp_path / "kb.duckdb"
    pipeline = pipeline_named(None)
    kept = Kept(tmp_path / "kb.duckdb.parts", identity_of(pipeline))
    kept.open()
    text = Text(str(texts / "ada.txt"), ADA, str(texts / "ada.txt"))
    kept.save(text, read_documents([text], pipeline, coref_model())[0])
    (kept.folder / "torn.json.z").write_bytes(b"x")
    report = build(BuildJob((str(texts),), target))
    assert report.kept == 1
    assert tables(target) == tables(kb)


def test_documents_are_added_and_ids_are_kept(texts: Path, kb: Path, tmp_path: Path) -> None:
    target = tmp_path / "kb.duckdb"
    target.write_bytes(kb.read_bytes())
    more = tmp_path / "turing.txt"
    more.write_text(TURING)
    report = build(BuildJob((str(texts), str(more)), target, into=True))
    assert (report.known, report.documents) == (2, 1)
    with read_knowledge_base(target) as base, read_knowledge_base(kb) as before:
        ada = explain_text_entity(before, "Ada Lovelace").entity
        assert explain_text_entity(base, "Ada Lovelace").entity == ada
        assert len(explain_text_entity(base, ada).records) == 3
        old = before.rows("SELECT id, entity FROM memberships")
        assert set(old) <= set(base.rows("SELECT id, entity FROM memberships"))
        assert "joined" in {event.kind for event in history(base, ada)}


def test_a_changed_document_is_read_again(texts: Path, kb: Path, tmp_path: Path) -> None:
    target, folder = tmp_path / "kb.duckdb", tmp_path / "texts"
    folder.mkdir()
    (folder / "one.txt").write_text(ADA)
    build(BuildJob((str(folder),), target))
    (folder / "one.txt").write_text(TURING)
    report = build(BuildJob((str(folder),), target, into=True))
    assert report.changed == 1
    with read_knowledge_base(target) as base:
        assert base.value("SELECT count(*) FROM documents") == 1
        assert {name for (name,) in base.rows("SELECT name FROM entities")} >= {"Alan Turing", "Ada Lovelace"}
        assert not base.rows("SELECT * FROM entities WHERE name = 'Charles Babbage'")
        assert base.value("SELECT count(*) FROM facts WHERE subject NOT IN (SELECT entity FROM entities)") == 0


def test_a_knowledge_base_of_records_is_refused(tmp_path: Path) -> None:
    import onoma

    target = tmp_path / "people.duckdb"
    rows = [{"id": str(k), "name": name} for k, name in enumerate(["Ann Lee", "Ann Lee", "Bob Ray"])]
    onoma.resolve(rows).save(target)
    (tmp_path / "a.txt").write_text(ADA)
    with pytest.raises(DataError, match="built from records"):
        build(BuildJob((str(tmp_path / "a.txt"),), target, into=True))


def test_a_document_without_names_is_a_document(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "plain.txt").write_text("nothing is named here.\n")
    report = build(BuildJob((str(tmp_path / "empty.txt"), str(tmp_path / "plain.txt")), tmp_path / "kb.duckdb"))
    assert (report.documents, report.entities, report.facts) == (2, 0, 0)
    with read_knowledge_base(tmp_path / "kb.duckdb") as base:
        assert show(base, "anyone") == []


def test_names_are_grouped_and_only_near_ones_are_touched() -> None:
    rows = [
        {"name": name, "context": "engine notes", "document": str(k)} for k, name in enumerate(["Ada", "Ada", "Bo"])
    ]
    labels = group_records(rows).labels
    assert labels[0] == labels[1] != labels[2]
    assert touched_by(["Ada Byron"], ["Byron", "Babbage"]).tolist() == [True, False]


def test_entities_are_rooted_in_an_entity_list(texts: Path, tmp_path: Path) -> None:
    listed = tmp_path / "list.tsv"
    listed.write_text("alias\tentry\tcount\nAda Lovelace\tQ7259\t9\nLondon\tQ84\t9\nLondon\tQ92561\t1\n")
    target = tmp_path / "kb.duckdb"
    report = build(BuildJob((str(texts),), target, entities=listed))
    assert report.linked == 2
    with read_knowledge_base(target) as base:
        assert dict(base.rows("SELECT entry, name FROM entities WHERE entry IS NOT NULL")) == {
            "Q7259": "Ada Lovelace",
            "Q84": "London",
        }
        told = explain_text_entity(base, "London")
        assert told.links[0][0] == "Q84"
        sums = base.rows("SELECT sum(probability) FROM links GROUP BY id")
        assert all(total == pytest.approx(1.0, abs=1e-6) for (total,) in sums)


def test_links_of_texts_are_told_line_by_line(texts: Path, kb: Path, tmp_path: Path) -> None:
    target = tmp_path / "links.jsonl"
    counts = link_files(LinkJob((str(texts / "ada.txt"),), kb, target))  # a knowledge base from text is a list
    (line,) = target.read_text().splitlines()
    named = {row["name"]: row for row in json.loads(line)["named"]}
    with read_knowledge_base(kb) as base:
        assert named["Ada Lovelace"]["entry"] == explain_text_entity(base, "Ada Lovelace").entity
    assert {"start", "end", "text"} <= set(named["Ada Lovelace"]["mentions"][0])
    assert counts["linked"] >= 2


def test_the_front_door_builds(tmp_path: Path) -> None:
    import onoma

    (tmp_path / "a.txt").write_text(ADA)
    base = onoma.build(tmp_path / "a.txt", tmp_path / "kb.duckdb")
    assert base is not None
    assert (tmp_path / "kb.duckdb").exists()


BORN = {
    "Ada Lovelace": "London", "Kurt Godel": "Brno", "Emmy Noether": "Erlangen", "Alan Turing": "Paddington",
    "Max Planck": "Kiel",
}  # fmt: skip


def test_facts_that_are_not_there_are_told_before_any_document_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada met Bob.\n")
    target = tmp_path / "kb.duckdb"
    with pytest.raises(DataError, match="no such file"):
        build(BuildJob((str(tmp_path / "a.txt"),), target, facts=tmp_path / "none.tsv"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.txt"]


def test_known_facts_teach_what_paths_mean(tmp_path: Path) -> None:
    folder = tmp_path / "lives"
    folder.mkdir()
    for number, (who, where) in enumerate(BORN.items()):
        (folder / f"{number}.txt").write_text(f"{who} was born in {where}. {who} visited Paris.\n")
    known = tmp_path / "known.tsv"
    known.write_text("".join(f"{who}\tborn in\t{where}\n" for who, where in list(BORN.items())[:4]))
    target = tmp_path / "kb.duckdb"
    report = build(BuildJob((str(folder),), target, facts=known))
    assert report.learnt >= 1
    with read_knowledge_base(target) as base:
        told = base.rows(
            """SELECT s.name, o.name, f.source, x.text FROM facts f JOIN entities s ON s.entity = f.subject
            JOIN entities o ON o.entity = f.object JOIN fact_sentences x ON (x.subject, x.relation, x.object) =
            (f.subject, f.relation, f.object) WHERE f.relation = 'born in' ORDER BY ALL"""
        )
    assert ("Max Planck", "Kiel", "learnt", "Max Planck was born in Kiel.") in told
    assert ("Ada Lovelace", "London", "given", "Ada Lovelace was born in London.") in told
    assert all("born" in text for *_, text in told)
    # Documents that come later are read by the facts that are there.
    more = tmp_path / "more.txt"
    more.write_text("Carl Gauss was born in Brunswick.\n")
    build(BuildJob((str(more),), target, into=True))
    with read_knowledge_base(target) as base:
        learnt = base.rows("SELECT count(*) FROM facts WHERE source = 'learnt'")[0][0]
    assert learnt >= 2


def test_an_engine_reads_as_one_process_does(texts: Path, kb: Path, tmp_path: Path) -> None:
    build(BuildJob((str(texts),), tmp_path / "kb.duckdb", engine="local[2]"))
    assert tables(tmp_path / "kb.duckdb") == tables(kb)
    with pytest.raises(SettingsError, match="both jobs"):
        build(BuildJob((str(texts),), tmp_path / "other.duckdb", engine="local[2]", jobs=2))
    with pytest.raises(SettingsError, match="there is no engine"):
        build(BuildJob((str(texts),), tmp_path / "other.duckdb", engine="dask"))
