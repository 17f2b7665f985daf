"""Links to one roll: who has a seat asks for one, and who has one needs no seat to see the roll.

What a link pins is in the fragment of its address, which no browser sends: another receipt than the
newest one has it in its path.
"""

import asyncio
from contextlib import suppress
from html import escape
from typing import Any

from litestar import Response, get

from ....errors import Refused
from ...service.receipts import Receipt
from ...verifier.build import receipt
from ...wire.bodies import LinkBody
from ..admission.addresses import address_of
from ..admission.denied import Denied
from ..asker import asker_of, full_link
from ..http.incoming import AnyRequest, InPath, parameters, roll_number
from ..http.replies import answered
from ..running import running_of
from .assets import Packed, packed
from .pages import POLICY, filled, sent

PRIVATE = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex"}
"""A narrator may take a link back: nobody keeps what it shows, and nobody lists it."""

NONE = ("No roll to be seen here", "There is no such roll, or its link may not be shown.")
"""What is said of a roll that no link may show, whether it is there or not."""

ELSE = "This receipt cannot be shown"
"""What is said of a link to none that there is, or to one that cannot be proved any more."""


@get("/tables/{table:str}/rolls/{roll:str}/link")
async def link(request: AnyRequest, table: InPath, roll: InPath) -> Response[bytes]:
    """The link of a roll that the seat sees; null where no link may show it."""
    asker = await asker_of(request, "sight", table)
    parameters(request)
    number = roll_number(roll)
    await asker.front.account(table, asker.seat, number)  # refused where the seat may not know it
    return answered(LinkBody(roll=number, link=await full_link(request, asker, number)))


@get("/r/{table:str}/{roll:str}", include_in_schema=False)
async def newest(request: AnyRequest, table: InPath, roll: InPath) -> Response[bytes]:
    """The page of a roll's link, around the newest receipt."""
    return await _page(request, table, roll)


@get("/r/{table:str}/{roll:str}/{pin:str}", include_in_schema=False)
async def earlier(request: AnyRequest, table: InPath, roll: InPath, pin: InPath) -> Response[bytes]:
    """The page of a roll's link, around the receipt in the path."""
    return await _page(request, table, roll, pin)


async def _page(
    request: AnyRequest, table: str, roll: str, pin: str | None = None
) -> Response[bytes]:
    """The page; a roll that no link may show is answered as one that is not there."""
    running = running_of(request)
    number = 0  # what no roll has, for what is no number
    wait = running.buckets.take("", address_of(request, running.config))
    if wait:
        raise Denied("too-fast", retry_after=wait)
    with suppress(Refused):
        number = roll_number(roll)
    try:
        found = await running.front.receipt(table, number, pin)
    except Refused as refused:
        return _refusal(request, refused, f"/r/{table}/{roll}")
    frames = running.config.frames
    content, policy = await asyncio.to_thread(_made, found, frames)
    held = " ".join(frames) or "'none'"
    return sent(request, content, f"{policy}; frame-ancestors {held}", PRIVATE)


def _made(found: Receipt, frames: tuple[str, ...]) -> tuple[Packed, str]:
    """The page, compressed, and its policy: some milliseconds of work."""
    page, policy = receipt(*words_of(found), said_of(found, frames), found.bundle)
    return packed(page.encode()), policy


def words_of(found: Receipt) -> tuple[str, str]:
    """The title and the result, as chats show them."""
    return f"Roll {found.roll} at {found.name}", _headline(found) or "An earlier receipt of it"


def _headline(found: Receipt) -> str:
    if found.account is None:
        return ""
    marks = {*found.account.marks}
    if marks & {"voided", "vetoed"}:
        return "it counts for nothing"
    last = found.account.damage or found.account.outcome
    headline = last.headline if last else "no result yet"
    return f"under dispute: {headline}" if marks & {"disputed", "pending"} else headline


def said_of(found: Receipt, frames: tuple[str, ...]) -> dict[str, Any]:
    """What the page has beside the bundle: see `Said` in receipt.js."""
    steps = found.account.steps if found.account else ()
    return {
        "table": found.table,
        "roll": found.roll,
        "frames": frames,
        "headline": _headline(found),
        "steps": [
            {
                "seq": step.seq,
                "text": step.text,
                "dice": step.hand and [(die.die, die.face) for die in step.hand.dice],
            }
            for step in steps
        ],
    }


def _refusal(request: AnyRequest, refused: Refused, at: str) -> Response[bytes]:
    """A page that says why there is no receipt, with the newest one where there is one."""
    parts = NONE
    more = ""
    if refused.code in ("not-offered", "out-of-range", "too-long"):
        parts = (ELSE, f"{refused.why[:1].upper()}{refused.why[1:]}.")
        pins = refused.allowed if refused.code == "not-offered" else ()
        more = "".join(f'<p><a href="{at}#{each}">The newest receipt</a></p>' for each in pins)
    title, why = map(escape, parts)
    content = filled("no-receipt.html", title=title, why=why, more=more)
    answer = sent(request, packed(content.encode()), POLICY, PRIVATE)
    answer.status_code = 404
    return answer


HANDLERS = (link, newest, earlier)
