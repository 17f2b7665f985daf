"""Who looks back: what would be different, or could have been otherwise, a case file, luck.

All of it is made of what the seat may have: the entries as it is shown them, and its bundle.
"""

from functools import partial

from litestar import Response, get, post
from msgspec.json import Decoder

from ...case.gather import case_of
from ...case.page import page
from ...whatif.alternatives import alternatives
from ...whatif.changes import Change
from ...whatif.difference import what_if
from ...whatif.seen import items_of
from ...wire.bodies import AlternativesBody, WhatIfBody
from ..asker import Asker, asker_of, full_link
from ..http.incoming import (
    AnyRequest,
    InPath,
    as_form,
    body_of,
    language_of,
    parameters,
    roll_number,
)
from ..http.replies import HTML, answered
from ..lane import short_enough
from ..running import running_of
from ..sizes import size_of
from .commands import not_too_fast

_changes: Decoder[WhatIfBody] = Decoder(WhatIfBody)


@post("/tables/{table:str}/whatif", status_code=200)
async def whatif(request: AnyRequest, table: InPath) -> Response[bytes]:
    """What would be different, on what the seat may see: nothing is thrown or kept."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    data = await body_of(request)
    not_too_fast(request, asker)
    changes: tuple[Change, ...] = as_form(data, _changes).changes
    await _bounded(asker, "urim whatif")
    entries = await asker.front.view(table, asker.seat)

    def work() -> object:
        return what_if(items_of(entries), changes, seat=asker.seat, language=language)

    return answered(await running_of(request).lane.do(table, asker.seat, work))


@get("/tables/{table:str}/rolls/{roll:str}/alternatives")
async def roll_alternatives(request: AnyRequest, table: InPath, roll: InPath) -> Response[bytes]:
    """What could have been otherwise in a roll, each with the change to ask about."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    wanted = roll_number(roll)
    not_too_fast(request, asker)
    await _bounded(asker, "urim whatif")
    entries = await asker.front.view(table, asker.seat)

    def work() -> object:
        found = alternatives(items_of(entries), wanted, seat=asker.seat, language=language)
        return AlternativesBody(roll=wanted, alternatives=found)

    return answered(await running_of(request).lane.do(table, asker.seat, work))


@get("/tables/{table:str}/rolls/{roll:str}/case")
async def case(request: AnyRequest, table: InPath, roll: InPath) -> Response[bytes]:
    """The case file of a roll, one page, of the table's bundle as the seat may have it."""
    asker = await asker_of(request, "bundle", table)
    parameters(request)
    wanted = roll_number(roll)
    not_too_fast(request, asker)
    await _bounded(asker, "urim case")
    lines = [line async for line in await asker.front.bundle(table, asker.seat)]
    link = await full_link(request, asker, wanted)
    work = partial(_page, b"".join(lines), wanted, asker.seat, link or "")
    made = await running_of(request).lane.do(table, asker.seat, work)
    return Response(made, media_type=HTML)


def _page(content: bytes, roll: int, seat: str, link: str) -> bytes:
    return page(case_of(content, roll, seat), link).encode("utf-8")


@get("/tables/{table:str}/luck")
async def luck(request: AnyRequest, table: InPath) -> Response[bytes]:
    """What fell less what was to be expected, by seat, in the rolls that have ended."""
    asker = await asker_of(request, "sight", table)
    parameters(request)
    not_too_fast(request, asker)
    await _bounded(asker, "urim luck")
    entries = await asker.front.view(table, asker.seat)
    running = running_of(request)
    return answered(
        await running.odds.turn(table, asker.seat, partial(running.worker.luck, entries))
    )


async def _bounded(asker: Asker, command: str) -> None:
    """Raises Refused("out-of-range") for a table that is too long for the lane."""
    short_enough(await size_of(asker, await asker.front.head(asker.table)), command)


HANDLERS = (whatif, roll_alternatives, case, luck)
