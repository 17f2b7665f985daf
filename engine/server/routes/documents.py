"""What describes the server: its OpenAPI document, its schemas, the systems that it has."""

import asyncio
from functools import cache
from importlib.resources import files
from typing import Any

from litestar import Response, get
from msgspec.json import encode

from ....errors import Refused
from ....rules import ruleset_named, ruleset_names
from ...render.systems import summary_object, system_object
from ...wire.schema import schema
from ..http.incoming import SHOWN, AnyRequest, InPath, parameters
from ..http.replies import JSON, TEXT
from ..openapi.document import document
from .assets import Packed, packed, replied

KEPT = {"Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*"}
"""Anybody may have these, and keep them for a while."""


@get("/openapi.json")
async def openapi(request: AnyRequest) -> Response[bytes]:
    """The OpenAPI document."""
    parameters(request)
    return Response(document(), media_type=JSON, headers=KEPT)


@get("/schema.json")
async def schemas(request: AnyRequest) -> Response[bytes]:
    """The JSON Schemas of commands, events, answers, bodies and frames, for one system or any."""
    name = parameters(request, "system").get("system")
    known = None if name is None else _known(name)
    return Response(await asyncio.to_thread(_schemas, known), media_type=JSON, headers=KEPT)


@cache
def _schemas(name: str | None) -> bytes:
    system = None if name is None else ruleset_named(name)
    whole = schema(system)
    for part in ("request", "answers", "frames", "bodies"):
        whole["$defs"] |= schema(system, part)["$defs"]
    return encode(whole)


def systems() -> tuple[tuple[str, str], ...]:
    """The systems that are installed, name and title; what cannot be loaded is left out."""
    return tuple((each["name"], each["title"]) for each in _summaries())


@cache
def _summaries() -> tuple[dict[str, Any], ...]:
    found: list[dict[str, Any]] = []
    for name in ruleset_names():
        try:
            found.append(summary_object(ruleset_named(name)))
        except Refused:
            continue
    return tuple(found)


def _known(name: str) -> str:
    """The name, where it is of a system. Raises Refused("unknown")."""
    names = [known for known, _ in systems()]
    if name not in names:
        raise Refused("unknown", f"no system called {name[:SHOWN]!r}", allowed=names)
    return name


@get("/systems")
async def listed(request: AnyRequest) -> Response[bytes]:
    """The systems that tables can have."""
    parameters(request)
    return Response(encode({"systems": _summaries()}), media_type=JSON, headers=KEPT)


@get("/systems/{name:str}")
async def system(request: AnyRequest, name: InPath) -> Response[bytes]:
    """One system: its forms, each with its fields and its schema, its dice, tracks and readings."""
    parameters(request)
    return replied(request, await asyncio.to_thread(_system, _known(name)), JSON, KEPT)


@cache
def _system(name: str) -> Packed:
    return packed(encode(system_object(ruleset_named(name))))


@get("/urim.d.ts")
async def typescript(request: AnyRequest) -> Response[bytes]:
    """The types of all that for TypeScript."""
    parameters(request)
    return Response(_typescript(), media_type=TEXT, headers=KEPT)


@cache
def _typescript() -> bytes:
    return (files("urim.engine.server") / "web" / "urim.d.ts").read_bytes()


HANDLERS = (openapi, schemas, listed, system, typescript)
