"""Merging, splitting and moving with a preview; judging a pair; taking back."""

import json
from collections.abc import Sequence
from typing import Annotated

from fastapi import FastAPI, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from onoma.errors import SettingsError, UnsupportedError
from onoma.kb.judge import Said
from onoma.kb.regroup import Grouping, merge_entities, move_records, split_records
from onoma.kb.world import find_entity
from onoma.studio.desk import Desk
from onoma.studio.naming import entity_labels
from onoma.studio.pages import Pages, link

__all__ = ["add_changes"]

Text = Annotated[str, Form(max_length=1_000)]


def add_changes(app: FastAPI, desk: Desk, pages: Pages) -> None:
    """Add what changes the knowledge base."""

    @app.post("/change/preview")
    def preview(
        request: Request,
        what: Text,
        entity: Text = "",
        other: Text = "",
        records: Annotated[list[str] | None, Form()] = None,
    ) -> HTMLResponse:
        _check(desk)
        said = _said(desk, what, entity, other, records or [])
        found = desk.preview(said)
        with desk.reading() as base:
            names = [group.entity for group in (*found.before, *found.after)]
            labels = entity_labels(base, names)
        values = {
            "what": what,
            "said": [(each, packed(each)) for each in said],
            "before": found.before,
            "after": found.after,
            "labels": labels,
            "moved": _moved(found.before, found.after),
            "update": found.update,
            "back": link("/entity", id=entity) if entity else "/",
        }
        return pages.show(request, "preview.html", values)

    @app.post("/change/commit")
    def commit(pairs: Annotated[list[str], Form()]) -> RedirectResponse:
        _check(desk)
        said = [_parsed(each) for each in pairs]
        desk.judge(said)
        with desk.reading() as base:
            entity = find_entity(base, said[0].a)
        return RedirectResponse(link("/entity", id=entity), status_code=303)

    @app.post("/judge")
    def judge(kind: Text, a: Text, b: Text) -> RedirectResponse:
        _check(desk)
        desk.judge([Said("same" if kind == "same" else "different", a, b)])
        return RedirectResponse(link("/pair", a=a, b=b), status_code=303)

    @app.post("/undo")
    def undo(numbers: Annotated[list[int], Form()], back: Text = "/history") -> RedirectResponse:
        _check(desk)
        desk.retract(numbers)
        # Only our own pages: a path that begins with two strokes is another host's.
        target = back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/history"
        return RedirectResponse(target, status_code=303)


def _check(desk: Desk) -> None:
    if not desk.write:
        raise UnsupportedError("this studio reads only", hint="Begin it without --read-only.")


def _said(desk: Desk, what: str, entity: str, other: str, records: Sequence[str]) -> list[Said]:
    with desk.reading() as base:
        if what == "merge":
            return merge_entities(base, [entity, *([other] if other else [])])
        if what == "split":
            return split_records(base, entity, records)
        if what == "move":
            if not other:
                raise SettingsError("where the records move to is missing", hint="Name the other entity by its id.")
            return move_records(base, entity, records, other)
    raise SettingsError(f"a change is a merge, a split or a move, not {what!r}")


def _moved(before: Sequence[Grouping], after: Sequence[Grouping]) -> dict[str, str]:
    """Return for each record that changes its entity where it was."""
    was = {record: group.entity for group in before for record, _ in group.records}
    return {
        record: was.get(record, "")
        for group in after
        for record, _ in group.records
        if was.get(record, group.entity) != group.entity
    }


def packed(said: Said) -> str:
    """Write what is said of two records as one value of a form."""
    return json.dumps([said.kind, said.a, said.b])


def _parsed(text: str) -> Said:
    try:
        kind, a, b = (str(part) for part in json.loads(text))
    except ValueError as error:
        raise SettingsError("a change is not understood", hint="Begin again from the page of the entity.") from error
    return Said("same" if kind == "same" else "different", a, b)
