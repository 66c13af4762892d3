"""Whatever stands in names, columns, files and ids: it is shown, and nothing of it is obeyed."""

import html.parser
import itertools
import shutil
from urllib.parse import urlencode

import pyarrow as pa
import pytest
from markupsafe import escape

from onoma.kb.database import write_knowledge_base
from onoma.studio.desk import Desk
from studio.payloads import payloads
from studio.visiting import visit


class Look(html.parser.HTMLParser):
    """Collects what a browser would obey."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in ("iframe", "object", "embed", "base", "style", "img", "video", "math", "template", "x"):
            self.found.append(tag)
        if tag == "script" and not (given.get("src") or "").startswith("/static/"):
            self.found.append("script")
        for name, value in given.items():
            text = (value or "").strip().lower()
            if name.startswith(("on", "hx-on", "data-hx-on")) or name == "style":
                self.found.append(name)
            if name in ("href", "src", "action", "formaction") and not text.startswith(("/", "#")):
                self.found.append(f"{name}={value}")


def obeyed(text):
    look = Look()
    look.feed(text)
    return look.found


def test_the_look_sees_what_it_should():
    assert obeyed("<script>1</script>") == ["script"]
    assert obeyed('<a href="javascript:1" onclick=2>') == ["href=javascript:1", "onclick"]
    assert len(set(payloads())) == 200


@pytest.fixture(scope="module")
def hostile(first_base, tmp_path_factory):
    """A knowledge base whose values, columns, sources, reasons and ids are all of them payloads."""
    path = tmp_path_factory.mktemp("hostile") / "x.duckdb"
    shutil.copyfile(first_base, path)
    bad = payloads()
    with write_knowledge_base(path) as base:
        numbers = [n for (n,) in base.rows("SELECT record FROM memberships ORDER BY record")]
        texts = list(itertools.islice(itertools.cycle(bad), len(numbers)))
        ids = pa.table({"record": numbers, "text": texts, "id": [f"{i} {t}" for i, t in enumerate(texts)]})
        tables = {"bad": ids}
        set_values = (
            "UPDATE records SET surname = text, street = text, id = bad.id FROM bad WHERE record = onoma_record"
        )
        base.change(set_values, None, tables)
        set_ids = "UPDATE memberships m SET id = bad.id, source = 'src ' || text FROM bad WHERE bad.record = m.record"
        base.change(set_ids, None, tables)
        entities = [e for (e,) in base.rows("SELECT entity FROM entities ORDER BY entity")]
        names = pa.table({"entity": entities, "text": [f"{e} {bad[i % len(bad)]}" for i, e in enumerate(entities)]})
        for table in ("entities", "memberships", "changes"):
            sql = f"UPDATE {table} SET entity = names.text FROM names WHERE names.entity = {table}.entity"
            base.change(sql, None, {"names": names})
        base.change("UPDATE entities SET surname = entity, city = entity")
        base.change("UPDATE columns SET name = ? WHERE name = 'street'", [bad[3]])
        base.change('UPDATE fields SET "column" = ?, reason = ? WHERE "column" = \'street\'', [bad[3], bad[5]])
        base.change("UPDATE runs SET command = ?, settings = ?", [bad[0], bad[11]])
        base.change("UPDATE changes SET reason = ?", [bad[4]])
    return path


@pytest.fixture(scope="module")
def client(hostile):
    desk = Desk(hostile, write=True)
    yield visit(desk), desk
    desk.close()


def test_nothing_of_two_hundred_payloads_is_obeyed(client):
    browser, desk = client
    with desk.reading() as base:
        keys = base.rows("SELECT source || ':' || id, entity FROM memberships ORDER BY record")
    pages = [browser.get("/search", params={"page": page}) for page in range(1, 99) if (page - 1) * 50 < len(keys)]
    shown = "".join(page.text for page in pages)
    assert obeyed(shown) == []
    # All of them stand there, as text.
    assert [text for text in payloads() if str(escape(text)) not in shown] == []
    for text in payloads()[::8]:
        asked = {"q": text, "source": text, "kind": text, "doubt": text, "size": text}
        assert obeyed(browser.get("/search", params=asked).text) == [], text
        assert obeyed(browser.get("/entity", params={"id": text}).text) == []
        assert obeyed(browser.get("/pair", params={"a": text, "b": text}).text) == []
        assert obeyed(browser.get("/" + urlencode({"x": text})).text) == []
        assert obeyed(browser.post("/change/preview", data={"what": text, "entity": text}).text) == []
    for _, entity in keys[:200:8]:
        page = browser.get("/entity", params={"id": entity})
        assert page.status_code == 200, entity
        assert obeyed(page.text + browser.get("/entity/history", params={"id": entity}).text) == [], entity
    for path in ("/", "/search", "/history", "/settings", "/jobs", "/review"):
        page = browser.get(path)
        assert page.status_code == 200
        assert obeyed(page.text) == [], path


def test_what_scripts_ask_for_is_data(client):
    browser, _ = client
    found = browser.get("/review/items")
    assert found.headers["content-type"] == "application/json"
    assert found.headers["x-content-type-options"] == "nosniff"
