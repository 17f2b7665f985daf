"""The files of the page: modules, styles, shapes of engine/server/web, and the verifier.

A browser keeps each file and asks whether it is still the same, so that a new server's page is
never made of old parts. A file that changes on the disk is read again: who works on the page only
reloads it.
"""

import gzip
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from litestar import Response, get
from msgspec import Struct

from ... import verifier
from ...verifier.build import spare
from ..admission.denied import Denied
from ..http.incoming import AnyRequest, InPath
from ..http.replies import takes_gzip

WEB = Path(__file__).resolve().parent.parent / "web"
"""Where the page is."""

VERIFIER = Path(verifier.__file__).resolve().parent
"""Where the verifier is."""

CHECKS = ("seat.js", "urimcheck.js")
"""The modules of it that the page loads."""

WORKER = "sw.js"
"""The page's service worker: it may stand before all paths, and fetch from this server alone."""

WORKS = {
    "Service-Worker-Allowed": "/",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
}
"""Headers of the service worker: its policy is its own, not the page's."""

MEDIA = {
    "css": "text/css",
    "js": "text/javascript",
    "json": "application/json",
    "mjs": "text/javascript",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
"""Media types by the ends of names; texts are UTF-8. A file of another end is not served."""

SPARED = (".css", ".js")
"""Files of ours that are sent without their comments."""

FILE = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_-]*/)*[A-Za-z0-9][A-Za-z0-9_.-]*\.([a-z]+)", re.ASCII)
"""Paths that a file of the page may have: no dot begins a part, so none leads out of the folder."""

HEADERS = {
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}
"""What goes with every page and every file of one, beside what goes with every answer.

They are many files: what does nothing for a file stays away.
"""

HARD = 9
"""How hard gzip tries: once for each file."""


class Packed(Struct, frozen=True):
    """A file as it is sent: whole, compressed, and the tag by which a browser knows it."""

    data: bytes
    small: bytes
    tag: str


def packed(data: bytes) -> Packed:
    """A file, compressed."""
    # Weak: compressed or not, it is the same file. So many digits tell its versions apart.
    tag = f'W/"{sha256(data).hexdigest()[:12]}"'
    return Packed(data, gzip.compress(data, HARD, mtime=0), tag)


@lru_cache(maxsize=512)
def _kept(path: Path, changed: int, size: int) -> Packed:
    data = path.read_bytes()
    return packed(spare(data) if path.suffix in SPARED else data)


def replied(
    request: AnyRequest, found: Packed, media: str, headers: Mapping[str, str]
) -> Response[bytes]:
    """A file, compressed where the browser takes it; 304 without it where it has that one."""
    sent = {**HEADERS, **headers, "ETag": found.tag}
    if found.tag in (each.strip() for each in request.headers.get("if-none-match", "").split(",")):
        return Response(b"", status_code=304, headers=sent, media_type=media)
    data = found.data
    if len(found.small) < len(data) and takes_gzip(request.headers.get("accept-encoding", "")):
        sent["Content-Encoding"] = "gzip"
        data = found.small
    return Response(data, headers=sent, media_type=media)


def _sent(request: AnyRequest, folder: Path, name: str) -> Response[bytes]:
    """A file of a folder. Raises Denied("no-route") where there is none of this name."""
    fits = FILE.fullmatch(name)
    media = MEDIA.get(fits[1]) if fits else None
    path = folder / name
    if media is None or not path.is_file():
        raise Denied("no-route")
    known = path.stat()
    headers = WORKS if name == WORKER else {}
    return replied(request, _kept(path, known.st_mtime_ns, known.st_size), media, headers)


@get("/web/{path:path}", include_in_schema=False, sync_to_thread=False)
def web(request: AnyRequest, path: InPath) -> Response[bytes]:
    """A file of the page."""
    return _sent(request, WEB, path.removeprefix("/"))


@get("/web/verifier/{name:str}", include_in_schema=False, sync_to_thread=False)
def module(request: AnyRequest, name: InPath) -> Response[bytes]:
    """A module of the verifier that the page loads."""
    return _sent(request, VERIFIER, name if name in CHECKS else "")


HANDLERS = (web, module)
