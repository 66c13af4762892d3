"""Who may speak to the studio, and how much.

It is for the person who began it. So it answers only to names of this machine (a web page whose name was made to point
here is refused), only to a browser that brought the token once and has a cookie since, and it takes changes only from
its own pages. Its pages run no script and load nothing but what comes with the studio.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

__all__ = ["LARGEST", "LOCAL", "POLICY", "Guard"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine."""
LARGEST = 200_000
"""Bytes of a request's body."""
_LONGEST = 8_000
"""Bytes of a query."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""No script but ours, nothing inline, nothing from elsewhere."""
_HEADERS = (
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
)
_ENTERED = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%s">
<link rel="icon" href="/static/icon.svg"><title>Onoma studio</title>
<p><a href="%s">Go on to the studio</a></p></html>"""


class Guard:
    """Stands before an application.

    Parameters
    ----------
    token
        What the address that is opened first must bring.
    hosts
        Names that are answered to, beside those of this machine; `*`: any.
    """

    def __init__(self, app: App, *, token: str, hosts: Sequence[str] = ()) -> None:
        self.app, self.token = app, token
        self.hosts = {*LOCAL, *hosts}
        self.session = secrets.token_urlsafe(24)
        """What the cookie holds: not the token, which stands in the history of the browser."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        send = _with_headers(send)
        refused = self._why_not(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
            return
        entered = self._entered(scope, headers)
        if entered is not None:
            cookie = f"{self._cookie(scope)}={self.session}; HttpOnly; SameSite=Strict; Path=/"
            text = _ENTERED % (entered, entered)
            await _answer(send, 200, text, [("set-cookie", cookie)], kind="text/html")
            return
        if not self._is_known(scope, headers):
            await _answer(send, 401, "Open the address that `onoma studio` printed: it brings the token.")
            return
        body = await _read(receive)
        if body is None:
            await _answer(send, 413, f"A request has at most {LARGEST:,} bytes.")
            return
        await self.app(scope, _replay(body, receive), send)

    def _why_not(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Return why a request is refused, whoever sends it."""
        host = headers.get("host", "")
        if "*" not in self.hosts and _name(host) not in self.hosts:
            return 403, "The studio answers to names of this machine only."
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "The studio is asked by GET and POST."
        if scope["method"] == "POST":
            site = headers.get("sec-fetch-site", "same-origin")
            if headers.get("origin") != f"{scope['scheme']}://{host}" or site not in ("same-origin", "none"):
                return 403, "Changes are taken from the studio's own pages only."
        if len(scope.get("query_string", b"")) > _LONGEST:
            return 414, f"A query has at most {_LONGEST:,} bytes."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            return 413, f"A request has at most {LARGEST:,} bytes."
        return None

    def _entered(self, scope: Scope, headers: dict[str, str]) -> str | None:
        """Return where to go on, if the token was brought."""
        asked = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = dict(asked).get("token")
        if given is None or scope["method"] != "GET" or not _same(given, self.token):
            return None
        if headers.get("sec-fetch-dest", "document") != "document":
            return None
        # Of the path nothing is repeated in the page: what stands there may be anybody's.
        rest = urlencode([(name, value) for name, value in asked if name != "token" and name.isalpha()])
        path = scope["path"] if scope["path"].replace("/", "").isalpha() and "//" not in scope["path"] else "/"
        return path + (f"?{rest}".replace("&", "&amp;") if rest else "")

    def _is_known(self, scope: Scope, headers: dict[str, str]) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self._cookie(scope))
        return found is not None and _same(found.value, self.session)

    def _cookie(self, scope: Scope) -> str:
        """Return the name of the cookie; ports share theirs, and there may be a studio on each."""
        return f"onoma-{(scope.get('server') or ('', 0))[1] or 0}"


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def _name(host: str) -> str:
    """Return the name of a host without its port."""
    return host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]


async def _read(receive: Receive) -> bytes | None:
    """Return the body of a request; None if it is too large, whatever it said of itself."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read, then whatever comes after."""
    is_given = False

    async def next_message() -> MutableMapping[str, Any]:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message.get("headers", [])}
            more = [(name.encode(), value.encode()) for name, value in _HEADERS]
            if b"cache-control" not in there:
                more.append((b"cache-control", b"no-store"))
            message["headers"] = [*message.get("headers", []), *more]
        await send(message)

    return sending


async def _answer(
    send: Send, code: int, text: str, headers: Sequence[tuple[str, str]] = (), *, kind: str = "text/plain"
) -> None:
    told = [("content-type", f"{kind}; charset=utf-8"), *headers]
    encoded = [(name.encode(), value.encode("latin-1", "replace")) for name, value in told]
    await send({"type": "http.response.start", "status": code, "headers": encoded})
    await send({"type": "http.response.body", "body": text.encode()})
