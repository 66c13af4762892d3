"""Whatever stands in names, columns, files and ids: it is shown, and nothing of it is obeyed."""

import html.parser
from urllib.parse import urlencode

import pytest
from markupsafe import escape

from onoma.studio.desk import Desk
from studio.payloads import make_hostile, payloads
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
    return make_hostile(first_base, tmp_path_factory.mktemp("hostile") / "x.duckdb")


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
