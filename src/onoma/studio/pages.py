"""How pages are made: templates that escape every value, and the files that they load."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import jinja2
from fastapi import Request
from fastapi.responses import HTMLResponse, Response

import onoma
from onoma.studio.desk import Desk

__all__ = ["STATIC", "Pages", "static_file"]

STATIC = {
    "studio.css": "text/css",
    "studio.js": "text/javascript",
    "review.js": "text/javascript",
    "icon.svg": "image/svg+xml",
    "vendor/htmx.min.js": "text/javascript",
    "vendor/htm-preact.js": "text/javascript",
    "vendor/LICENSES.txt": "text/plain",
}
"""All files that the studio gives; whatever else is asked for is not there."""


class Pages:
    """The pages of a studio."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("onoma.studio"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self._templates.filters |= {"percent": percent, "number": number, "bits": bits, "when": when}
        self._templates.globals |= {"link": link, "static": _static_link, "version": onoma.__version__}

    def show(self, request: Request, template: str, values: Mapping[str, Any], *, code: int = 200) -> HTMLResponse:
        """Return a page; a part of one where htmx asks."""
        about = {
            "name": self.desk.path.name,
            "writes": self.desk.write,
            "is_text": self.desk.is_text,
            "here": request.url.path,
            "is_part": request.headers.get("hx-request") == "true" and "hx-boosted" not in request.headers,
        }
        return HTMLResponse(self._templates.get_template(template).render(about | dict(values)), status_code=code)


def percent(value: float | None) -> str:
    """Write a probability: never 100 % of what is not certain.

    Examples
    --------
    >>> [percent(p) for p in (None, 0.5, 0.9996, 1.0, 0.0004)]
    ['–', '50 %', '> 99.9 %', '100 %', '< 0.1 %']
    """
    if value is None:
        return "–"
    if value >= 1.0 or value <= 0.0:
        return f"{value:.0%}".replace("%", " %")
    if value > 0.999 or value < 0.001:
        return "> 99.9 %" if value > 0.5 else "< 0.1 %"
    digits = 1 if value > 0.95 or value < 0.05 else 0
    return f"{100 * value:.{digits}f} %"


def number(value: float | None) -> str:
    """Write a number for people."""
    return "–" if value is None else f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def bits(value: float) -> str:
    """Write bits with their sign, a minus that is one."""
    return f"{value:+.1f}".replace("-", "−")


def when(value: object) -> str:
    """Write a moment, to the minute."""
    return str(value or "")[:16]


def link(path: str, **query: object) -> str:
    """Return an address; what is said of it is escaped, whatever it is."""
    return f"{path}?{urlencode({name: str(value) for name, value in query.items()})}" if query else path


@cache
def static_file(name: str) -> tuple[bytes, str]:
    """Return the content of a file and a fingerprint of it."""
    content = files("onoma.studio").joinpath("static", *name.split("/")).read_bytes()
    return content, hashlib.sha256(content).hexdigest()[:12]


def _static_link(name: str) -> str:
    return f"/static/{name}?v={static_file(name)[1]}"


def give_file(name: str, version: str = "") -> Response | None:
    """Return a file of the studio; None if there is no such one. Asked for by its fingerprint, it may be kept."""
    if name not in STATIC:
        return None
    content, print_ = static_file(name)
    keep = "max-age=31536000, immutable" if version == print_ else "no-cache"
    return Response(content, media_type=STATIC[name], headers={"cache-control": keep})
