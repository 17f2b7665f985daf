"""Answers: JSON as the structs themselves are written, and streams of lines, compressed or not."""

import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from litestar import Response
from litestar.response import Stream
from msgspec.json import Encoder

from .incoming import AnyRequest
from .problems import log_failure

JSON = "application/json"
LINES = "application/x-ndjson"
TEXT = "text/plain"
HTML = "text/html"

GZIP = 31
"""What makes `zlib` write the header and the trailer of gzip."""

LEVEL = 3
"""How hard it tries: hashes and salts are most of a log, and no level makes them smaller."""

PART = 64 * 1024
"""Bytes of a stream that are sent at once, or compressed."""

_encoder = Encoder()


def answered(value: Any, status: int = 200) -> Response[bytes]:
    """A value as JSON."""
    return Response(_encoder.encode(value), status_code=status, media_type=JSON)


async def streamed(
    request: AnyRequest,
    lines: AsyncIterator[bytes],
    headers: dict[str, str] | None = None,
) -> Stream:
    """Lines as they come, compressed where the client takes it; the first is waited for.

    So what is refused is refused before anything is sent. What fails later ends the stream without
    its end, which every client notices.
    """
    first = await anext(lines, b"")
    sent = {"Vary": "Accept-Encoding", **(headers or {})}
    parts = _parts(request, first, lines)
    if takes_gzip(request.headers.get("accept-encoding", "")):
        sent["Content-Encoding"] = "gzip"
        parts = _compressed(parts)
    return Stream(parts, headers=sent, media_type=LINES)


def takes_gzip(header: str) -> bool:
    """Whether an `Accept-Encoding` takes gzip."""
    weights: dict[str, str] = {}
    for each in header.lower().split(","):
        name, _, rest = each.partition(";")
        weights[name.strip()] = rest.replace(" ", "").removeprefix("q=") or "1"
    weight = weights.get("gzip", weights.get("*", "0"))
    return weight.strip("0.") != ""


async def _parts(
    request: AnyRequest, first: bytes, lines: AsyncIterator[bytes]
) -> AsyncGenerator[bytes, None]:
    """The lines, several at once."""
    waiting, size = [first], len(first)
    try:
        async for line in lines:
            if size >= PART:
                yield b"".join(waiting)
                waiting, size = [], 0
            waiting.append(line)
            size += len(line)
    except Exception as error:
        log_failure(request, error)
        raise
    finally:
        close = getattr(lines, "aclose", None)
        if close is not None:
            await close()
    yield b"".join(waiting)


async def _compressed(parts: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    async with aclosing(parts):
        async for part in parts:
            if found := packer.compress(part):
                yield found
    yield packer.flush()
