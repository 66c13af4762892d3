"""The review queue: pairs to decide, one key each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse

from onoma.errors import OnomaError, UnsupportedError
from onoma.kb.explain import explain_records
from onoma.kb.judge import check_judgeable, list_judgements
from onoma.kb.review import Doubt
from onoma.studio.desk import Desk
from onoma.studio.entity import judged_before, pair_page, side_by_side
from onoma.studio.pages import Pages

__all__ = ["add_review"]

Most = Annotated[int, Query(ge=1, le=50)]


@dataclass
class PairOf:
    """Two records."""

    a: str
    b: str


@dataclass
class SaidOf(PairOf):
    """What is said of two records."""

    kind: Literal["same", "different"]


def add_review(app: FastAPI, desk: Desk, pages: Pages) -> None:
    """Add the page of the queue and what it asks."""

    @app.get("/review")
    def review(request: Request) -> HTMLResponse:
        with desk.reading() as base:
            try:
                check_judgeable(base)
                refused = "" if desk.write else "this studio reads only: begin it without --read-only to decide"
            except UnsupportedError as error:
                refused = error.message
            judged = max(0, len(list_judgements(base)) - desk.queue.kept)
        return pages.show(request, "review.html", {"refused": refused, "judged": judged})

    @app.get("/review/items")
    def items(most: Most = 8) -> dict[str, object]:
        found = desk.queue.next(most)
        return {"items": _items(desk, found)} | desk.queue.state()

    @app.get("/review/why")
    def why(request: Request, a: str, b: str) -> HTMLResponse:
        with desk.reading() as base:
            found = pair_page(base, explain_records(base, a, b, around=desk.service.around()))
        return pages.show(request, "waterfall.html", found)

    @app.get("/review/state")
    def state() -> dict[str, object]:
        return desk.queue.state() | {"doubt_left": desk.doubt_left()}

    @app.post("/review/answer")
    def answer(said: SaidOf) -> dict[str, object]:
        _check(desk)
        return desk.queue.answer(said.kind, said.a, said.b).as_dict()

    @app.post("/review/skip")
    def skip(pair: PairOf) -> dict[str, object]:
        desk.queue.skip(pair.a, pair.b)
        return {"skipped": True}

    @app.post("/review/undo")
    def undo() -> dict[str, object]:
        _check(desk)
        found = desk.queue.undo()
        if found is None:
            return {"undone": None, "item": None}
        return {"undone": found.as_dict(), "item": _items(desk, [Doubt(found.a, found.b, float("nan"), 0.0)])[0]}


def _check(desk: Desk) -> None:
    if not desk.write:
        raise UnsupportedError("this studio reads only", hint="Begin it without --read-only.")


def _items(desk: Desk, found: Sequence[Doubt]) -> list[dict[str, Any]]:
    """Return pairs with their values, and what was said of them before."""
    if not found:
        return []
    pairs = [(each.a, each.b) for each in found]
    with desk.reading() as base:
        try:
            shown = side_by_side(base, pairs)
        except OnomaError:  # a record was taken away meanwhile
            shown = []
        before = judged_before(base, pairs)
    return [
        item
        | {
            "probability": None if each.probability != each.probability else each.probability,
            "worth": each.worth,
            "before": before.get(frozenset((each.a, each.b)), ""),
        }
        for item, each in zip(shown, found, strict=False)
    ]
