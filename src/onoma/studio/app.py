"""The application: one route for each page."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import FastAPI, Form, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from onoma.errors import DataError, OnomaError, SettingsError, UnsupportedError
from onoma.jobs import ask_to_stop
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.query import history
from onoma.kb.texts import explain_text_entity
from onoma.studio.changes import add_changes
from onoma.studio.charts import reliability
from onoma.studio.desk import Desk
from onoma.studio.entity import entity_page, lineage_of, neighbours, pair_page
from onoma.studio.guard import App, Guard
from onoma.studio.pages import Pages, give_file
from onoma.studio.past import history_page, jobs_page, settings_page, text_page, texts_page
from onoma.studio.reviewing import add_review
from onoma.studio.search import Asked, search

__all__ = ["make_app"]

Name = Annotated[str, Query(min_length=1, max_length=1_000)]
Text = Annotated[str, Query(max_length=500)]


def make_app(desk: Desk, *, token: str, hosts: Sequence[str] = ()) -> App:
    """Return the application of a studio, behind its guard.

    Parameters
    ----------
    token
        What the address that is opened first must bring.
    hosts
        Names that it answers to, beside those of this machine.
    """
    app = FastAPI(title="Onoma studio", docs_url=None, redoc_url=None, openapi_url=None)
    pages = Pages(desk)
    _add_errors(app, pages)
    _add_pages(app, desk, pages)
    add_review(app, desk, pages)
    add_changes(app, desk, pages)
    return Guard(app, token=token, hosts=hosts)


def _add_errors(app: FastAPI, pages: Pages) -> None:
    """Turn errors into pages, or into objects where a script asked."""

    def told(request: Request, code: int, message: str, hint: str | None = None) -> Response:
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"problem": message, "hint": hint}, status_code=code)
        return pages.show(request, "error.html", {"code": code, "message": message, "hint": hint}, code=code)

    @app.exception_handler(OnomaError)
    async def refused(request: Request, error: OnomaError) -> Response:
        code = 403 if isinstance(error, UnsupportedError) else 422 if isinstance(error, SettingsError) else 404
        return told(request, code, error.message, error.hint)

    @app.exception_handler(RequestValidationError)
    async def not_understood(request: Request, error: RequestValidationError) -> Response:
        where = ", ".join(str(each["loc"][-1]) for each in error.errors())
        return told(request, 422, f"what was sent is not understood: {where.encode('ascii', 'replace').decode()}")

    @app.exception_handler(HTTPException)
    async def not_there(request: Request, error: HTTPException) -> Response:
        return told(request, error.status_code, "there is no such page" if error.status_code == 404 else error.detail)


def _add_pages(app: FastAPI, desk: Desk, pages: Pages) -> None:
    """Add the pages that change nothing."""

    @app.get("/static/{name:path}")
    def static(name: str, v: str = "") -> Response:
        found = give_file(name, v)
        if found is None:
            raise HTTPException(404)
        return found

    @app.get("/")
    def first(request: Request) -> HTMLResponse:
        found = desk.overview()
        curve = reliability(found["quality"].get("reliability") or [])
        return pages.show(request, "overview.html", found | {"curve": curve})

    @app.get("/search")
    def look(
        request: Request,
        q: Text = "",
        source: Text = "",
        size: Text = "",
        doubt: Text = "",
        kind: Text = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> HTMLResponse:
        words = desk.words()
        with desk.reading() as base:
            found = search(base, words, Asked(q, source, size, doubt, kind, page))
        return pages.show(request, "search.html", found)

    @app.get("/entity")
    def entity(request: Request, id: Name) -> HTMLResponse:
        with desk.reading() as base:
            found = entity_page(base, id)
            found["near"] = neighbours(base, found["entity"])
        return pages.show(request, "entity.html", found)

    @app.get("/entity/why")
    def why(request: Request, id: Name) -> HTMLResponse:
        with desk.reading() as base:
            try:
                found = {"why": explain_entity(base, id, around=desk.service.around()), "refused": ""}
            except OnomaError as error:
                found = {"why": None, "refused": error.message}
        return pages.show(request, "why.html", found)

    @app.get("/entity/names")
    def names(request: Request, id: Name) -> HTMLResponse:
        with desk.reading() as base:
            return pages.show(request, "names.html", lineage_of(base, id))

    @app.get("/entity/history")
    def life(request: Request, id: Name) -> HTMLResponse:
        with desk.reading() as base:
            found = history(base, id)
        return pages.show(request, "life.html", {"events": found[::-1][:200], "n_events": len(found)})

    @app.get("/pair")
    def pair(request: Request, a: Name, b: Name) -> HTMLResponse:
        with desk.reading() as base:
            found = pair_page(base, explain_records(base, a, b, around=desk.service.around()))
        return pages.show(request, "pair.html", found)

    _add_more(app, desk, pages)


def _add_more(app: FastAPI, desk: Desk, pages: Pages) -> None:
    """Add what happened, how it was made, the documents, and the work under way."""
    number = Annotated[int, Query(ge=1, le=100_000)]

    @app.get("/history")
    def past(request: Request, before: Annotated[int | None, Query(ge=0)] = None) -> HTMLResponse:
        with desk.reading() as base:
            return pages.show(request, "history.html", history_page(base, before))

    @app.get("/settings")
    def settings(request: Request) -> HTMLResponse:
        with desk.reading() as base:
            return pages.show(request, "settings.html", settings_page(base))

    @app.get("/texts")
    def texts(request: Request, page: number = 1) -> HTMLResponse:
        if not desk.is_text:
            raise DataError("this knowledge base was not built from documents", hint="onoma build makes such ones.")
        with desk.reading() as base:
            return pages.show(request, "texts.html", texts_page(base, page))

    @app.get("/text")
    def text(request: Request, document: Name, chain: Text = "") -> HTMLResponse:
        if not desk.is_text:
            raise DataError("this knowledge base was not built from documents", hint="onoma build makes such ones.")
        with desk.reading() as base:
            found = text_page(base, document, chain)
            about = explain_text_entity(base, found["entity"], most=12) if found["entity"] else None
        return pages.show(request, "text.html", found | {"text": about})

    @app.get("/jobs")
    def jobs(request: Request) -> HTMLResponse:
        return pages.show(request, "jobs.html", jobs_page(desk.path))

    @app.post("/jobs/stop")
    def stop(note: Annotated[str, Form(max_length=500)]) -> RedirectResponse:
        if not desk.write:
            raise UnsupportedError("this studio reads only", hint="Begin it without --read-only.")
        if not ask_to_stop(desk.path.absolute().parent, note):
            raise DataError("that work has ended, or cannot be stopped with an answer now")
        return RedirectResponse("/jobs", status_code=303)
