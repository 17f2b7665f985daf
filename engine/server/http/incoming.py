"""What a request brings, read strictly: who asks, its path's numbers, its parameters, its body."""

import re
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qsl

from litestar import Request
from litestar.exceptions import InternalServerException
from litestar.params import FromPath
from msgspec.json import Decoder

from ....errors import Refused
from ....events.strict import MOST, Malformed, strict_object
from ....rules.words import ENGLISH
from ...core.parse import refusal
from ...wire.numbers import DEEP
from ..admission.denied import Denied

T = TypeVar("T")

AnyRequest = Request[Any, Any, Any]

InPath: TypeAlias = FromPath[str]
"""A part of an address, as it was sent: `number` reads it where it is one."""

ROLLS = 1_000_000_000
"""The largest number of a roll."""

PARAMETERS = 20
"""Parameters of a request that are looked at, at most."""

SHOWN = 40
"""Characters of a value that a refusal shows, at most."""

WHOLE = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)

LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,3}", re.ASCII)

TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


# --- the path and the parameters ------------------------------------------------------------------


def number(text: str, name: str, *, least: int = 0, most: int = MOST) -> int:
    """A whole number. Raises Refused: "malformed" for another text, and "out-of-range"."""
    allowed = [f"{least} to {most}"]
    if not WHOLE.fullmatch(text):
        raise Refused("malformed", f"{name} is {text[:SHOWN]!r}: no whole number", allowed=allowed)
    if len(text) > len(f"-{MOST}") or not least <= int(text) <= most:
        raise Refused("out-of-range", f"{name} is {text[:SHOWN]}", allowed=allowed)
    return int(text)


def roll_number(text: str, *, least: int = 1) -> int:
    """The number of a roll. Raises Refused as `number` does."""
    return number(text, "roll", least=least, most=ROLLS)


def parameters(request: AnyRequest, *names: str) -> Mapping[str, str]:
    """The request's parameters by name. Raises Refused("malformed") for one of another name."""
    query: bytes = request.scope["query_string"]
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
            max_num_fields=PARAMETERS,
        )
    except ValueError as error:
        why = "the address has parameters that cannot be read"
        raise Refused("malformed", why, allowed=names or ["none"]) from error
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in names:
            why = f"no parameter {name[:SHOWN]!r} here"
            raise Refused("malformed", why, allowed=names or ["none"])
        if name in found:
            raise Refused("malformed", f"the parameter {name!r} is there twice", allowed=["once"])
        found[name] = value
    return found


def language_of(found: Mapping[str, str]) -> str:
    """The language that is asked for. Raises Refused("malformed") for what is no tag of one."""
    language = found.get("language", ENGLISH)
    if not LANGUAGE.fullmatch(language):
        why = f"language is {language[:SHOWN]!r}"
        raise Refused("malformed", why, allowed=["a tag as `en` or `pt-BR`"])
    return language


# --- the body -------------------------------------------------------------------------------------


async def body_of(request: AnyRequest) -> bytes:
    """The body, as it came.

    Raises Denied: "not-json" for one that is not sent as JSON, before it is read; the framework
    refuses one that is too long as soon as that is known. Raises Refused("malformed") for one that
    is nested too deep.
    """
    if request.content_type[0] != "application/json":
        raise Denied("not-json")
    try:
        data = await request.body()
    except InternalServerException as error:
        raise Denied("unavailable") from error  # the client is gone
    check_depth(data)
    return data


def as_form(data: bytes, decoder: Decoder[T]) -> T:
    """A body that is no secret, as the struct that `decoder` makes.

    Raises Refused: "malformed" for no strict JSON, else as `core.parse.refusal` says of a field.
    """
    try:
        found = strict_object(data)
    except Malformed as error:
        raise Refused("malformed", f"no strict JSON: {error}") from error
    try:
        return decoder.decode(data)
    except (ValueError, RecursionError) as error:
        raise refusal(error, found, decoder.type) from error


def check_depth(data: bytes) -> None:
    """Raises Refused("malformed") for JSON that is nested more than DEEP deep."""
    if data.count(b"{") + data.count(b"[") <= DEEP:
        return
    depth = 0
    for bracket in re.findall(rb"[\[\]{}]", TEXTS.sub(b"", data)):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEP:
            why = f"the body is nested more than {DEEP} deep"
            raise Refused("malformed", why, allowed=[f"at most {DEEP}"])
