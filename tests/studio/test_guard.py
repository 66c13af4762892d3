"""Who is let in: the token once, then the cookie; names of this machine; changes from its own pages; not too much."""

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from onoma.studio.guard import LARGEST, POLICY
from studio.visiting import HOME, TOKEN


@pytest.fixture
def stranger(reader):
    return TestClient(reader.app, base_url=HOME, cookies={})


def test_nothing_without_the_token(stranger):
    for path in ("/", "/search?q=a", "/static/studio.css", "/review/items", "/?token=wrong", "/?token="):
        assert stranger.get(path).status_code == 401, path
    assert stranger.post("/review/answer", headers={"origin": HOME}, json={}).status_code == 401


def test_the_token_is_brought_once_and_is_not_the_cookie(stranger):
    entered = stranger.get("/", params={"token": TOKEN})
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and TOKEN not in cookie
    assert TOKEN not in entered.text and 'content="0;url=/"' in entered.text
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("path", ["/<script>", "//evil.example", '/"><img>', "/a/../b"])
def test_what_is_opened_first_repeats_nothing(stranger, path):
    told = stranger.get(path, params={"token": TOKEN, 'x"><script>': "y", "q": '"><script>1</script>'}).text
    assert "<script>" not in told and "<img" not in told and "evil" not in told


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8770", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_another_name_for_this_machine_is_refused(reader, host):
    assert reader.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:8770", "[::1]:9", "localhost"])
def test_names_of_this_machine_are_answered(reader, host):
    assert reader.get("/", headers={"host": host}).status_code in (200, 401)


@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://127.0.0.1:9999", "http://localhost:8770", HOME + ".evil"]
)
def test_changes_come_from_its_own_pages_only(writer, desk, origin):
    headers = {} if origin is None else {"origin": origin}
    client = TestClient(writer.app, base_url=HOME, cookies=dict(writer.cookies))
    for path in ("/review/answer", "/judge", "/undo", "/change/commit", "/change/preview", "/jobs/stop"):
        assert client.post(path, headers=headers, data={"kind": "same", "a": "p0", "b": "p1"}).status_code == 403
    crossed = {"origin": HOME, "sec-fetch-site": "same-site"}
    assert client.post("/judge", headers=crossed, data={"kind": "same", "a": "p0", "b": "p1"}).status_code == 403
    with desk.reading() as base:
        assert base.value("SELECT count(*) FROM judgements") == 0


def test_large_requests_are_refused_whatever_they_say(writer):
    large = b"a" * (LARGEST + 1)
    assert writer.post("/judge", content=large).status_code == 413
    assert writer.post("/judge", content=iter([large])).status_code == 413  # without saying how much comes
    assert writer.post("/judge", content=b"x", headers={"content-length": "-1"}).status_code == 413
    assert writer.get("/search", params={"q": "a" * 9_000}).status_code == 414
    assert writer.put("/judge").status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "..%2fapp.py",
        "%2e%2e/guard.py",
        "vendor/../../app.py",
        "/etc/passwd",
        "studio.css/..",
        "nothing.js",
    ],
)
def test_no_file_but_those_of_the_studio(reader, path):
    found = reader.get(f"/static/{path}")
    assert found.status_code in (404, 401, 400)
    assert "import" not in found.text and "root:" not in found.text


def test_pages_run_no_script_but_ours(reader):
    for path in ("/", "/search", "/review", "/settings", "/nothing"):
        found = reader.get(path)
        assert found.headers["content-security-policy"] == POLICY
        assert "unsafe" not in POLICY and found.headers["x-frame-options"] == "DENY"
        assert "<script>" not in found.text and " style=" not in found.text and " onclick" not in found.text
        assert "http://" not in found.text.replace("http://www.w3.org", "") and "https://" not in found.text


def test_a_reader_changes_nothing(reader, people):
    a, b = people["id"][0].as_py(), people["id"][1].as_py()
    for path, data in (
        ("/judge", {"kind": "same", "a": a, "b": b}),
        ("/undo", {"numbers": 1}),
        ("/change/preview", {"what": "merge", "entity": a, "other": b}),
        ("/change/commit", {"pairs": "[]"}),
        ("/jobs/stop", {"note": "x"}),
    ):
        assert reader.post(path, data=data).status_code == 403, path
    assert reader.post("/review/answer", json={"kind": "same", "a": a, "b": b}).status_code == 403


def test_sockets_are_closed(reader):
    with pytest.raises(WebSocketDisconnect), TestClient(reader.app, base_url=HOME).websocket_connect("/"):
        pass
