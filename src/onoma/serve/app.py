"""The HTTP service: one route for each question, JSON in and out, described by OpenAPI at /docs.

It is for this machine: it listens on the loopback, answers no other host name (so that no web page reaches it by a name
that points here), and lets the pages of no other origin read it but OpenRefine's. Where it writes, or listens to
others, whoever asks needs its token.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import FastAPI, HTTPException, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import ConfigDict, Field
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import onoma
from onoma.errors import OnomaError, SettingsError, UnsupportedError
from onoma.serve.described import CONDITION, describe_columns
from onoma.serve.reconcile import add_reconciliation
from onoma.serve.service import Json, Service

__all__ = ["make_app"]

_LARGEST = 1_000_000
"""Bytes of a request."""
_TOO_LARGE = f"a request has at most {_LARGEST:,} bytes"
_MOST = 1_000
"""Records of a request."""
ORIGINS = ("http://127.0.0.1:3333", "http://localhost:3333")
"""Where OpenRefine's pages come from."""
_LOCAL = ("127.0.0.1", "localhost", "[::1]", "testserver")


Record = Annotated[dict[str, str | float | bool | None], Field(min_length=1)]
Bounded = Annotated[int, Field(ge=1, le=200)]
STRICT = ConfigDict(extra="forbid")
"""What is not known is refused: a word that is misspelt would be left aside in silence."""


@dataclass
class Problem:
    """Why something was refused."""

    detail: str
    hint: str | None = None


_PROBLEMS: dict[int | str, str] = {
    400: "The body cannot be read.",
    401: "The token is missing, or is another.",
    403: "The service, or the model, does not do that.",
    404: "There is no such thing.",
    413: "Too much was sent.",
    422: "What was sent is not understood.",
}


@dataclass
class FindOne:
    """A record to find."""

    __pydantic_config__ = STRICT

    record: Record
    most: Bounded = 5


@dataclass
class FindMany:
    """Records to find."""

    __pydantic_config__ = STRICT

    records: list[Record]
    most: Bounded = 5


@dataclass
class AddOne:
    """A record to add."""

    __pydantic_config__ = STRICT

    record: Record


@dataclass
class Judged:
    """What a person says of two records."""

    __pydantic_config__ = STRICT

    kind: Literal["same", "different"]
    a: str
    b: str
    by: str = ""
    weight: Annotated[float | None, Field(gt=0.0, le=60.0)] = None


@dataclass
class Proposed:
    """What a person may say of two records, and why."""

    __pydantic_config__ = STRICT

    kind: Literal["same", "different"]
    a: str
    b: str
    by: str = ""
    why: str = ""


Name = Annotated[str, Path(min_length=1, max_length=500)]
Most = Annotated[int, Query(ge=1, le=200)]
Condition = Annotated[str, Field(max_length=2_000, json_schema_extra={"format": CONDITION})]


def make_app(
    service: Service, *, token: str = "", hosts: Sequence[str] = (), origins: Sequence[str] = ORIGINS
) -> FastAPI:
    """Return the application of a service.

    Parameters
    ----------
    token
        What whoever asks must bring (`Authorization: Bearer TOKEN`, or `?token=`); empty: nothing.
    hosts
        Host names that it answers to, beside those of this machine.
    origins
        Origins whose pages may read answers.
    """
    app = FastAPI(
        title="Onoma",
        version=onoma.__version__,
        description=f"The knowledge base {service.path.name}.",
        responses={code: {"model": Problem, "description": why} for code, why in _PROBLEMS.items()},
    )
    app.add_middleware(CORSMiddleware, allow_origins=list(origins), allow_methods=["GET", "POST"], allow_headers=["*"])
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*_LOCAL, *hosts])
    app.add_middleware(_Guard, token=token)
    _tell_problems(app)
    _add_questions(app, service)
    _add_changes(app, service)
    add_reconciliation(app, service)
    describe_columns(app, service)
    return app


class _Guard:
    """Asks for the token, and bounds what is sent."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refused(Request(scope))
        if refused is not None:
            await refused(scope, receive, send)
            return
        n_bytes = 0

        async def bounded() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > _LARGEST:  # of a length that it did not tell
                raise HTTPException(413, _TOO_LARGE)
            return message

        await self._app(scope, bounded, send)

    def _refused(self, request: Request) -> JSONResponse | None:
        if self._token and not _brings(request, self._token):
            return JSONResponse({"detail": "a token is needed: Authorization: Bearer TOKEN"}, status_code=401)
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _LARGEST:
            return JSONResponse({"detail": _TOO_LARGE}, status_code=413)
        return None


def _tell_problems(app: FastAPI) -> None:
    """Turn errors into answers."""

    @app.exception_handler(RequestValidationError)
    async def not_understood(_: Request, error: RequestValidationError) -> JSONResponse:
        # What was sent is not repeated: it need not be text.
        told = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        return JSONResponse({"detail": "; ".join(told).encode("ascii", "replace").decode()}, status_code=422)

    @app.exception_handler(405)
    async def not_so(request: Request, _: Exception) -> JSONResponse:
        here = [
            route for route in app.routes if isinstance(route, APIRoute) and route.path_regex.match(request.url.path)
        ]
        allowed = ", ".join(sorted({method for route in here for method in route.methods}))
        told = {"detail": f"{request.method} is not what is done here; it is {allowed}"}
        return JSONResponse(told, status_code=405, headers={"allow": allowed})

    @app.exception_handler(OnomaError)
    async def told(_: Request, error: OnomaError) -> JSONResponse:
        code = 403 if isinstance(error, UnsupportedError) else 422 if isinstance(error, SettingsError) else 404
        hint = getattr(error, "hint", None)
        return JSONResponse({"detail": error.message} | ({"hint": hint} if hint else {}), status_code=code)


def _brings(request: Request, token: str) -> bool:
    given = request.headers.get("authorization", "").removeprefix("Bearer ") or request.query_params.get("token", "")
    return hmac.compare_digest(given.encode(), token.encode())


def _add_questions(app: FastAPI, service: Service) -> None:
    """Add the routes that change nothing."""

    @app.get("/api/overview")
    def overview() -> Json:
        """Say what there is."""
        return service.overview()

    @app.get("/api/search")
    def search(q: Annotated[str, Query(min_length=1, max_length=500)], most: Most = 10) -> Json:
        """Find entities by name, spelt roughly right."""
        return service.search(q, most=most)

    @app.post("/api/find")
    def find(asked: FindOne) -> Json:
        """Say which entities a record may be, nothing added."""
        return service.find(asked.record, most=asked.most).as_dict()

    @app.post("/api/find_many")
    def find_many(asked: FindMany) -> Json:
        """Say the same of many records, each asked alone."""
        if len(asked.records) > _MOST:
            raise HTTPException(413, f"at most {_MOST:,} records a request")
        return {"records": [service.find(each, most=asked.most).as_dict() for each in asked.records]}

    @app.get("/api/entities/{name:path}/explain")
    def explain(name: Name) -> Json:
        """Say what holds an entity together, and what it hangs on."""
        return service.explain(name)

    @app.get("/api/entities/{name:path}/history")
    def history(name: Name) -> Json:
        """Tell the life of an entity."""
        return service.history(name)

    @app.get("/api/entities/{name:path}/values")
    def values(name: Name) -> Json:
        """Say where the values of an entity come from: record, rule, and what the others say."""
        return service.values(name)

    @app.get("/api/entities/{name:path}")
    def entity(name: Name) -> Json:
        """Return an entity, its canonical values and its records."""
        return service.entity(name)

    @app.get("/api/pairs")
    def pair(a: Annotated[str, Query(max_length=500)], b: Annotated[str, Query(max_length=500)]) -> Json:
        """Say why two records are, or are not, the same: the waterfall of bits."""
        return service.pair(a, b)

    @app.get("/api/count")
    def count(where: Condition | None = None, level: Annotated[float, Query(gt=0.0, lt=1.0)] = 0.95) -> Json:
        """Count entities, with an interval; `where` is a condition on the columns of a record."""
        return service.count(where, level=level)

    @app.get("/api/review")
    def review(most: Most = 10) -> Json:
        """Return the pairs most worth a person's look."""
        return service.review(most=most)

    @app.get("/api/judgements")
    def judgements() -> Json:
        """Return what people have said."""
        return service.judgements()

    @app.get("/api/proposals")
    def proposals() -> Json:
        """Return what waits for a person."""
        return service.proposals()


def _add_changes(app: FastAPI, service: Service) -> None:
    """Add the routes that write; a service that reads only refuses them."""
    number = Annotated[int, Path(ge=1, le=2**53)]

    @app.post("/api/records")
    def add(asked: AddOne) -> Json:
        """Add a record in one transaction."""
        return service.add(asked.record)

    @app.post("/api/judgements")
    def judge(said: Judged) -> Json:
        """Say that two records are the same, or different."""
        return service.judge(said.kind, said.a, said.b, by=said.by, weight=said.weight)

    @app.delete("/api/judgements/{judgement}")
    def retract(judgement: number) -> Json:
        """Take a judgement back."""
        return service.retract([judgement])

    @app.post("/api/proposals")
    def propose(said: Proposed) -> Json:
        """Suggest a judgement for a person to accept."""
        return service.propose(said.kind, said.a, said.b, by=said.by, why=said.why)

    @app.post("/api/proposals/{proposal}/accept")
    def accept(proposal: number) -> Json:
        """Make a proposal a judgement."""
        return service.accept(proposal)

    @app.post("/api/proposals/{proposal}/reject")
    def reject(proposal: number) -> Json:
        """Put a proposal aside."""
        return service.reject(proposal)
