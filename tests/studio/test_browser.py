"""Every screen in a real browser: walked by keys, judged, merged, split, undone, and compared with the command line.

It makes the pictures of the docs where `ONOMA_PICTURES` names a folder.
"""

import contextlib
import os
import re
import shutil
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("playwright", reason="playwright is not installed (make browser)")
pytest.importorskip("axe_core_python", reason="axe-core is not installed (make browser)")
uvicorn = pytest.importorskip("uvicorn", reason="the extra studio is not installed")

from axe_core_python.sync_playwright import Axe  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from onoma.corpus.simulate import simulate_people  # noqa: E402
from onoma.kb.database import read_knowledge_base, write_in_place  # noqa: E402
from onoma.kb.judge import Said, judge_in, retract_in  # noqa: E402
from onoma.studio.app import make_app  # noqa: E402
from onoma.studio.desk import Desk  # noqa: E402
from studio.payloads import make_hostile, payloads  # noqa: E402
from studio.visiting import TOKEN, make_base, make_text_base  # noqa: E402

BROWSER = os.environ.get("ONOMA_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no browser (make browser)")
N_RECORDS, N_JUDGED = 5_000, 30
PATIENCE = 120_000
"""Milliseconds that a page may take on a machine that is busy."""


@pytest.fixture(scope="module")
def base_file(tmp_path_factory):
    return make_base(simulate_people(N_RECORDS, seed=7), tmp_path_factory.mktemp("walk") / "people.duckdb")


@contextlib.contextmanager
def listening(path):
    """A studio that listens, and its address."""
    desk = Desk(path, write=True, by="ada")
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(desk, token=TOKEN), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    desk.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", desk
    finally:  # one that fails leaves nothing behind that holds the file
        server.should_exit = True
        thread.join()
        desk.close()


@pytest.fixture(scope="module")
def served(base_file):
    copy = base_file.with_name("copy.duckdb")
    shutil.copyfile(base_file, copy)
    with listening(base_file) as (home, desk):
        yield home, desk, copy


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


BROKEN_OFF = ("htmx:afterRequest", "htmx:sendError", "htmx:sendAbort")
"""What htmx says of a request that ends because its page is left: a result is opened while more is asked for."""


def is_problem(said):
    return said.type == "error" and not said.text.startswith(BROKEN_OFF)


@contextlib.contextmanager
def opened(chromium, home, width=1280, **more):
    """A tab that has brought the token; it notes what goes wrong in it."""
    context = chromium.new_context(viewport={"width": width, "height": 860}, **more)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.set_default_navigation_timeout(PATIENCE)
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda said: page.problems.append(said.text) if is_problem(said) else None)
    try:
        page.goto(f"{home}/?token={TOKEN}")
        page.wait_for_url(f"{home}/")
        yield page
    finally:
        context.close()


@pytest.fixture
def tab(chromium, served):
    with opened(chromium, served[0]) as page:
        yield page
        assert page.problems == []


def groups(rows):
    found = {}
    for entity, key in rows:
        found.setdefault(entity, set()).add(key)
    return found


MEMBERS = "SELECT entity, id FROM memberships"


def picture(page, name, *, full=False):
    folder = os.environ.get("ONOMA_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=full)


def wait_until(condition, seconds=PATIENCE / 1_000):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def judge_by_keys(tab, n):
    """Answer n pairs by the keyboard alone; return what was said."""
    said = []
    for i in range(n):
        links = tab.locator(".card thead a")
        links.first.wait_for()
        a, b = links.all_inner_texts()
        key, kind = ("y", "same") if i % 3 else ("n", "different")
        tab.keyboard.press(key)
        tab.wait_for_function("before => document.querySelector('.last')?.textContent.includes(before)", arg=a)
        said.append((kind, a, b))
    return said


def test_pairs_are_judged_by_keys_alone_as_the_command_line_would(tab, served):
    home, desk, copy = served
    tab.keyboard.press("g")
    tab.keyboard.press("r")
    tab.wait_for_url(f"{home}/review")
    tab.locator(".card").wait_for()
    assert "the same" not in tab.locator(".card thead th").first.inner_text()  # the score is hidden
    picture(tab, "studio-review")
    said = judge_by_keys(tab, N_JUDGED)
    tab.keyboard.press("e")
    tab.locator(".waterfall").wait_for()
    desk.queue.wait()
    tab.keyboard.press("u")
    wait_until(lambda: desk.queue.state()["kept"] == N_JUDGED - 1)
    desk.queue.wait()
    assert not desk.queue.state()["refused"]
    with write_in_place(copy) as base:  # what `onoma judge` does, one after the other
        for each in said:
            judge_in(base, [Said(*each)], by="ada")
        retract_in(base, [N_JUDGED])
    with desk.reading() as base:
        mine = base.rows("SELECT kind, a, b FROM judgement_current ORDER BY judgement")
        here = groups(base.rows(MEMBERS))
    with read_knowledge_base(copy) as base:
        theirs = base.rows("SELECT kind, a, b FROM judgement_current ORDER BY judgement")
        there = groups(base.rows(MEMBERS))
    assert mine == theirs
    assert sorted(map(sorted, here.values())) == sorted(map(sorted, there.values()))


SLOW = """() => {
    const real = window.fetch;
    let first = true;
    window.fetch = async (path, how) => {
        if (first && path === "/review/answer") { first = false; await new Promise((go) => setTimeout(go, 600)); }
        return real(path, how);
    };
}"""
"""The first answer takes its time on the way."""


def test_answers_do_not_overtake_each_other(tab, served):
    home, desk, _ = served
    tab.goto(f"{home}/review")
    tab.locator(".card").wait_for()
    tab.evaluate(SLOW)
    kept = desk.queue.state()["kept"]
    said = judge_by_keys(tab, 2)
    wait_until(lambda: desk.queue.state()["kept"] == kept + 2)
    with desk.reading() as base:
        assert base.rows("SELECT kind, a, b FROM judgement_current ORDER BY judgement")[-2:] == said
    for n in (1, 0):
        tab.keyboard.press("u")
        wait_until(lambda n=n: desk.queue.state()["kept"] == kept + n)
    desk.queue.wait()


def test_entities_are_merged_split_and_all_is_undone(tab, served):
    home, desk, _ = served
    with desk.reading() as base:
        before = groups(base.rows(MEMBERS))
    names = sorted(before, key=lambda name: (-len(before[name]), name))
    one, two = names[0], names[1]
    tab.goto(f"{home}/entity?id={one}")
    tab.fill("#other", two)
    tab.get_by_role("button", name="Merge with it…").press("Enter")
    tab.get_by_role("button", name="Commit").wait_for()
    picture(tab, "studio-preview")
    tab.get_by_role("button", name="Commit").press("Enter")
    tab.wait_for_url("**/entity?id=*")
    with desk.reading() as base:
        merged = groups(base.rows(MEMBERS))
    assert any({min(before[one]), min(before[two])} <= each for each in merged.values())
    with desk.reading() as base:
        record = base.value("SELECT b FROM judgement_current ORDER BY judgement DESC LIMIT 1")
    tab.goto(f"{home}/entity?id={record}")
    tab.get_by_label(f"choose record {record}").press("Space")
    tab.get_by_role("button", name="Split off the chosen…").press("Enter")
    # Both cannot be: the merge says that they are the same.
    tab.get_by_role("alert").wait_for()
    assert "contradicts" in tab.get_by_role("alert").inner_text()
    tab.problems.clear()  # the browser notes a page that refuses
    tab.goto(f"{home}/history")
    tab.locator("button[aria-label^='Undo judgement']").first.press("Enter")
    tab.wait_for_url(f"{home}/history")
    with desk.reading() as base:
        assert sorted(map(sorted, groups(base.rows(MEMBERS)).values())) == sorted(map(sorted, before.values()))
    pair = next(name for name in names if len(before[name]) == 2)
    record = min(before[pair])
    tab.goto(f"{home}/entity?id={pair}")
    tab.get_by_label(f"choose record {record}").press("Space")
    tab.get_by_role("button", name="Split off the chosen…").press("Enter")
    tab.get_by_role("button", name="Commit").press("Enter")
    tab.wait_for_url("**/entity?id=*")
    with desk.reading() as base:
        assert not any(before[pair] <= each for each in groups(base.rows(MEMBERS)).values())


def screens(desk):
    with desk.reading() as base:
        entity = base.value("SELECT entity FROM entities ORDER BY size DESC, entity LIMIT 1")
        a, b = (
            key for (key,) in base.rows("SELECT id FROM memberships WHERE entity = ? ORDER BY id LIMIT 2", [entity])
        )
        name = base.value("SELECT surname FROM entities ORDER BY entity LIMIT 1")
    found = {"overview": "/", "search": f"/search?q={name[:4]}x{name[4:]}", "entity": f"/entity?id={entity}"}
    found |= {"pair": f"/pair?a={a}&b={b}", "review": "/review", "history": "/history", "jobs": "/jobs"}
    return found | {"settings": "/settings", "error": "/nothing"}


def check_readable(page, name):
    found = Axe().run(page)["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:2]) for each in found] == [], name


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light"), (3840, "light")])
def test_every_screen_can_be_read_by_everybody(chromium, served, width, scheme):
    home, desk, _ = served
    with opened(chromium, home, width, color_scheme=scheme) as page:
        look_at_all(page, home, desk, width, scheme)


def look_at_all(page, home, desk, width, scheme):
    for name, path in screens(desk).items():
        page.goto(home + path)
        if name == "review":
            page.locator(".card, #review p").first.wait_for()
        if name == "entity":
            page.get_by_text("All one with probability").wait_for()
            page.locator("ul.tree, p.note", has_text=re.compile("descends|one name")).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is wider than {width}"
        if width != 3840:  # the same page, only wider
            check_readable(page, name)
        if (width, scheme) == (1280, "light") and name in ("overview", "search", "entity", "pair"):
            picture(page, f"studio-{name}")
        if (width, scheme) == (1280, "dark") and name == "entity":
            picture(page, "studio-dark")
        if width == 360 and name == "review":
            picture(page, "studio-phone")


def test_search_as_one_types_and_keys(tab, served):
    with served[1].reading() as base:
        name = str(base.value("SELECT surname FROM entities WHERE length(surname) > 5 ORDER BY entity LIMIT 1"))
    tab.keyboard.press("/")
    assert tab.evaluate("document.activeElement.id") == "quick"
    tab.keyboard.press("Escape")
    tab.keyboard.press("g")
    tab.keyboard.press("f")
    tab.wait_for_url("**/search")
    tab.locator("#q").wait_for()
    tab.keyboard.type(name.lower())
    tab.wait_for_function("name => document.querySelector('#found q')?.textContent === name", arg=name.lower())
    assert name in tab.locator("#found").inner_text()
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("j")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/entity?id=*")
    tab.keyboard.press("?")
    assert tab.locator("#keys").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_preview_can_be_read_by_everybody(chromium, served, scheme):
    home, desk, _ = served
    with desk.reading() as base:
        one, two = (e for (e,) in base.rows("SELECT entity FROM entities ORDER BY size DESC, entity LIMIT 2"))
    with opened(chromium, home, color_scheme=scheme) as page:
        page.goto(f"{home}/entity?id={one}")
        page.fill("#other", two)
        page.get_by_role("button", name="Merge with it…").press("Enter")
        page.get_by_role("button", name="Commit").wait_for()
        check_readable(page, "preview")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_documents_can_be_read_by_everybody(chromium, tmp_path, scheme):
    with (
        listening(make_text_base(tmp_path / "text.duckdb")) as (home, _),
        opened(chromium, home, color_scheme=scheme) as page,
    ):
        for path in ("/texts", "/text?document=d.txt", "/text?document=d.txt&chain=r1", "/entity?id=e0", "/"):
            page.goto(home + path)
            page.locator("main h1").first.wait_for()
            check_readable(page, path)


def test_two_hundred_payloads_execute_nothing(chromium, tmp_path):
    """Names, columns, sources, reasons, entity and record ids that become script where a page forgets to escape."""
    first = make_base(simulate_people(600, seed=5), tmp_path / "people.duckdb")
    asked = []
    with (
        listening(make_hostile(first, tmp_path / "hostile.duckdb")) as (home, desk),
        opened(chromium, home) as page,
    ):
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
        with desk.reading() as base:
            entities = [e for (e,) in base.rows("SELECT entity FROM entities ORDER BY entity")]
            pair = [f"{s}:{k}" for s, k in base.rows("SELECT source, id FROM memberships ORDER BY record LIMIT 2")]
        shown = ""
        paths = [f"/search?page={i + 1}" for i in range(-(-len(entities) // 50))]
        paths += [f"/entity?{urlencode({'id': e})}" for e in entities[:200:20]]
        paths += [f"/search?{urlencode({'q': text, 'source': text})}" for text in payloads()[::20]]
        paths += [f"/pair?{urlencode({'a': pair[0], 'b': pair[1]})}", "/", "/review", "/history", "/settings", "/jobs"]
        for path in paths:
            page.goto(home + path)
            page.wait_for_load_state("networkidle")
            shown += page.locator("main").inner_text() if path.startswith("/search?page") else ""
            assert page.evaluate("window.pwned === undefined"), path
            for element in page.locator("main [tabindex], main [autofocus], main a").all()[:3]:
                element.focus()
            assert page.evaluate("window.pwned === undefined"), path
        assert [url for url in asked if not url.startswith(home)] == []
        assert [said for said in page.problems if "Content Security Policy" in said] == []
        squeezed = "".join(shown.split())
        assert [text for text in payloads() if "".join(text.split()).strip("\x00") not in squeezed] == []
