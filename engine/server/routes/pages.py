"""Pages for people: the page of the table, what every refusal means, and the verifier.

A link's secret is in the fragment of an address, which no browser sends: the page's script has it.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

from litestar import Response, get

from .... import __version__
from ...verifier.build import page, policy_of
from ...wire.numbers import CLOSES
from ...wire.problems import meanings
from ..http.incoming import AnyRequest
from ..running import running_of
from .assets import Packed, packed, replied
from .documents import systems
from .modules import modules

POLICY = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""What a page without a script may do: look like something, and fetch nothing else."""

TABLE_POLICY = (
    "default-src 'none'; script-src 'self' 'sha256-{imports}'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors {frames}"
)
"""What the page of the table may do: run this server's modules, and speak to this server alone.

`imports` is the hash of its import map, the one script that stands in the page; `frames` are the
origins of pages that may hold it.
"""

IMPORTS = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)

HTML = "text/html"


def sent(
    request: AnyRequest, content: Packed, policy: str, headers: Mapping[str, str] = {}
) -> Response[bytes]:
    """A page, with what it may do, and more headers."""
    own = {"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "same-origin"}
    return replied(request, content, HTML, {**own, **headers})


def _content(name: str) -> str:
    """A page of ours, with places for its parts."""
    return (files("urim.engine.server") / "web" / name).read_text("utf-8")


def filled(name: str, **parts: str) -> str:
    """A page of ours with its parts filled in."""
    return Template(_content(name)).substitute(parts)


@cache
def _index(frames: tuple[str, ...]) -> tuple[Packed, str]:
    """The page of the table, and its policy; `frames` are the origins that may hold it."""
    items = "\n".join(
        f"<li>{escape(title)}: <code>{escape(name)}</code></li>" for name, title in systems()
    )
    [imports] = IMPORTS.findall(_content("index.html"))
    links = "\n".join(f'<link rel="modulepreload" href="{path}">' for path in modules(imports))
    parts = {"systems": items, "modules": links, "frames": escape(" ".join(frames))}
    content = filled("index.html", version=escape(__version__), **parts)
    digest = b64encode(sha256(imports.encode()).digest()).decode()
    held = " ".join(frames) or "'none'"
    return packed(content.encode()), TABLE_POLICY.format(imports=digest, frames=held)


@get("/", include_in_schema=False, sync_to_thread=False)
def index(request: AnyRequest) -> Response[bytes]:
    """The page of the table; without a script it says what runs here, and where to read on."""
    return sent(request, *_index(running_of(request).config.frames))


@cache
def _refusals() -> Packed:
    rows = "\n".join(
        f'<tr id="{escape(code)}"><td><code>{escape(code)}</code></td><td>{status}</td>'
        f"<td>{escape(meaning)}</td></tr>"
        for code, status, meaning in meanings()
    )
    closes = "\n".join(
        f'<tr id="{code}"><td>{code}</td><td>{escape(why)}</td></tr>'
        for code, why in CLOSES.items()
    )
    return packed(filled("problems.html", problems=rows, closes=closes).encode())


@get("/problems", include_in_schema=False, sync_to_thread=False)
def refusals(request: AnyRequest) -> Response[bytes]:
    """Every refusal, where the `type` of a problem leads."""
    return sent(request, _refusals(), POLICY)


@cache
def _verifier() -> tuple[Packed, str]:
    """The verifier, and its own policy, which lets it run what is in it and use no network."""
    content = page()
    return packed(content.encode()), f"{policy_of(content)}; frame-ancestors 'none'"


@get("/verifier", include_in_schema=False, sync_to_thread=False)
def verifier_page(request: AnyRequest) -> Response[bytes]:
    """The page that checks bundles."""
    return sent(request, *_verifier())


HANDLERS = (index, refusals, verifier_page)
