"""Deciding: the queue, the preview, undoing; what is kept is what the command line would keep."""

import shutil

from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.kb.review import doubts


def groups(path):
    """Return who is with whom."""
    with read_knowledge_base(path) as base:
        found = {}
        for entity, key in base.rows("SELECT entity, id FROM memberships ORDER BY id"):
            found.setdefault(entity, []).append(key)
    return found


def groups_in(desk):
    with desk.reading() as base:
        found = {}
        for entity, key in base.rows("SELECT entity, id FROM memberships ORDER BY id"):
            found.setdefault(entity, []).append(key)
    return found


def test_the_queue_asks_what_matters_most_first(writer, first_base):
    with read_knowledge_base(first_base) as base:
        wanted = [(each.a, each.b) for each in doubts(base, most=5, one_of_each=True)]
    found = writer.get("/review/items", params={"most": 5}).json()["items"]
    assert [(each["a"], each["b"]) for each in found] == wanted
    assert {each["state"] for each in found[0]["fields"]} <= {"same", "other", "missing"}


def test_answers_are_kept_as_the_command_line_keeps_them(writer, desk, first_base, tmp_path):
    other = tmp_path / "other.duckdb"
    shutil.copyfile(first_base, other)
    steps = []
    for kind in ("same", "different", "same", "different"):
        item = writer.get("/review/items", params={"most": 1}).json()["items"][0]
        steps.append((kind, item["a"], item["b"]))
        told = writer.post("/review/answer", json={"kind": kind, "a": item["a"], "b": item["b"]}).json()
        assert told["state"] in ("waiting", "kept")
        assert writer.get("/review/items", params={"most": 1}).json()["items"][:1] != [item]
    desk.queue.wait()
    assert writer.post("/review/undo").json()["undone"]["a"] == steps[-1][1]
    desk.queue.wait()
    state = writer.get("/review/state").json()
    assert state["kept"] == 3 and not state["refused"] and state["settled"]["records"]
    for kind, a, b in steps:
        judge(other, [Said(kind, a, b)], by="ada")
    retract_judgements(other, [4])
    assert groups_in(desk) == groups(other)
    for number in (3, 2, 1):
        writer.post("/review/undo")
        retract_judgements(other, [number])
    desk.queue.wait()
    assert writer.post("/review/undo").json()["undone"] is None
    assert groups_in(desk) == groups(other)


def test_what_contradicts_is_told_and_skipped_pairs_stay_away(writer, desk, people):
    a, b, c = (people["id"][i].as_py() for i in range(3))
    for kind, one, two in (("same", a, b), ("same", b, c), ("different", a, c)):
        assert writer.post("/review/answer", json={"kind": kind, "a": one, "b": two}).status_code == 200
    desk.queue.wait()
    [refused] = writer.get("/review/state").json()["refused"]
    assert "contradicts" in refused["problem"]
    assert writer.post("/review/answer", json={"kind": "same", "a": a, "b": "nobody"}).status_code == 404
    assert writer.post("/review/answer", json={"kind": "maybe", "a": a, "b": b}).status_code == 422
    first = writer.get("/review/items", params={"most": 1}).json()["items"][0]
    writer.post("/review/skip", json={"a": first["a"], "b": first["b"]})
    again = writer.get("/review/items", params={"most": 50}).json()["items"]
    assert (first["a"], first["b"]) not in [(each["a"], each["b"]) for each in again]
    desk.queue.wait()
    with desk.reading() as base:
        assert first["a"] in base.meta("studio_skipped")


def commit(client, text):
    """Send the form of a preview."""
    import html
    import re

    pairs = [html.unescape(each) for each in re.findall(r'name="pairs" value="([^"]*)"', text)]
    return client.post("/change/commit", data={"pairs": pairs}, follow_redirects=False)


def test_a_merge_is_previewed_kept_and_undone(writer, desk):
    before = groups_in(desk)
    one, two = sorted(before, key=lambda name: (-len(before[name]), name))[:2]
    text = writer.post("/change/preview", data={"what": "merge", "entity": one, "other": two}).text
    assert "Nothing is kept yet" in text
    assert groups_in(desk) == before
    assert commit(writer, text).status_code == 303
    with desk.reading() as base:
        [(number, run)] = base.rows("SELECT judgement, made FROM judgements")
        assert base.value("SELECT command FROM runs WHERE run = ?", [run]) == "onoma studio"
    merged = groups_in(desk)
    assert any({before[one][0], before[two][0]} <= set(each) for each in merged.values())
    assert "Undo judgement" in writer.get("/history").text
    assert (
        writer.post("/undo", data={"numbers": number, "back": "//evil"}, follow_redirects=False).headers["location"]
        == "/history"
    )
    assert sorted(groups_in(desk).values()) == sorted(before.values())


def test_records_are_split_off_and_moved(writer, desk):
    before = groups_in(desk)
    large = max(before, key=lambda name: (len(before[name]), name))
    record = before[large][0]
    text = writer.post("/change/preview", data={"what": "split", "entity": large, "records": [record]}).text
    assert commit(writer, text).status_code == 303
    after = groups_in(desk)
    home = next(each for each in after.values() if record in each)
    assert not set(home) & (set(before[large]) - {record})
    other = next(name for name in sorted(after) if record not in after[name] and len(after[name]) == 1)
    mine = next(name for name in after if record in after[name])
    text = writer.post(
        "/change/preview", data={"what": "move", "entity": mine, "other": other, "records": [record]}
    ).text
    assert commit(writer, text).status_code == 303
    with desk.reading() as base:
        numbers = [n for (n,) in base.rows("SELECT judgement FROM judgement_current")]
    assert any({record, after[other][0]} <= set(each) for each in groups_in(desk).values())
    writer.post("/undo", data={"numbers": numbers})
    assert sorted(groups_in(desk).values()) == sorted(before.values())


def test_changes_that_make_no_sense_are_refused(writer, desk):
    entity = next(name for name, each in groups_in(desk).items() if len(each) > 1)
    for data in (
        {"what": "merge", "entity": entity, "other": entity},
        {"what": "merge", "entity": entity},
        {"what": "split", "entity": entity},
        {"what": "move", "entity": entity},
        {"what": "erase", "entity": entity},
    ):
        assert writer.post("/change/preview", data=data).status_code == 422, data
    assert writer.post("/change/commit", data={"pairs": ["nonsense"]}).status_code == 422
    assert writer.post("/undo", data={"numbers": 99}).status_code == 404


def test_the_first_page_follows_what_is_decided(desk, people):
    a, b = people["id"][0].as_py(), people["id"][1].as_py()
    before = desk.overview()
    assert desk.overview() is before  # added up once
    desk.judge([Said("same", a, b)])
    after = desk.overview()
    assert (before["judgements"], after["judgements"]) == (0, 1) and after["n_runs"] == before["n_runs"] + 1
    with desk.reading() as base:
        assert after["entities"] == base.value("SELECT count(*) FROM entities")


def test_a_look_up_that_is_interrupted_ends_no_thread(desk, monkeypatch):
    def interrupted(*_, **__):
        message = "Query interrupted"
        raise RuntimeError(message)

    monkeypatch.setattr("onoma.studio.queue.doubts", interrupted)
    assert desk.queue.next() == []
    desk.queue.wait()  # the writer is there, and ends when it is told to
