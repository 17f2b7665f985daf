"""What a seat reads of its table: its sight, its parts, moves, accounts, choices, rollables."""

from collections.abc import Mapping
from functools import partial

from litestar import Response, get

from ....errors import Refused
from ....events.base import JSON
from ....events.strict import Malformed, strict_object
from ...core.sight import RollSight, Sight
from ...service.reading import Answering, Rolls
from ...wire.bodies import AwaitingBody, DisputeBody, HistoryBody
from ..asker import Asker, asker_of
from ..http.incoming import (
    AnyRequest,
    InPath,
    check_depth,
    language_of,
    number,
    parameters,
    roll_number,
)
from ..http.replies import answered
from ..running import running_of
from .commands import not_too_fast

PAGE = 50
"""Accounts in one answer, at most."""

Answer = Response[bytes]

# --- the table ------------------------------------------------------------------------------------


@get("/tables/{table:str}")
async def table_sight(request: AnyRequest, table: InPath) -> Answer:
    """The table as the seat sees it."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    return answered(await asker.front.sight(table, asker.seat, language=language))


async def _sight(request: AnyRequest, table: str, rolls: Rolls = ()) -> Sight:
    asker = await asker_of(request, "sight", table)
    parameters(request)
    return await asker.front.sight(table, asker.seat, rolls=rolls)


@get("/tables/{table:str}/seats")
async def seats(request: AnyRequest, table: InPath) -> Answer:
    """Its seats."""
    return answered((await _sight(request, table)).seats)


@get("/tables/{table:str}/characters")
async def characters(request: AnyRequest, table: InPath) -> Answer:
    """Its characters, with their ratings and tracks."""
    return answered((await _sight(request, table)).characters)


@get("/tables/{table:str}/disputes")
async def disputes(request: AnyRequest, table: InPath) -> Answer:
    """The disputes about rolls that the seat sees, by entry."""
    found = [
        DisputeBody(
            roll=roll.roll,
            seq=each.seq,
            by=each.by,
            ruling=each.ruling,
            ruled=each.ruled,
            instead=each.instead,
        )
        for roll in (await _sight(request, table, None)).rolls
        for each in roll.disputes
    ]
    return answered(sorted(found, key=lambda dispute: dispute.seq))


@get("/tables/{table:str}/moves")
async def legal_moves(request: AnyRequest, table: InPath) -> Answer:
    """Every legal move of the seat, roll by roll."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    return answered(await asker.front.legal_moves(table, asker.seat, language=language))


@get("/tables/{table:str}/awaiting")
async def awaiting(request: AnyRequest, table: InPath) -> Answer:
    """What the table waits for: this seat, and others."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    found = await asker.front.waiting(table, asker.seat, language=language)
    return answered(AwaitingBody(size=found.size, mine=found.mine, others=found.others))


# --- its rolls ------------------------------------------------------------------------------------


@get("/tables/{table:str}/rolls/{roll:str}")
async def roll_sight(request: AnyRequest, table: InPath, roll: InPath) -> Answer:
    """A roll as the seat sees it."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    return answered(await _roll(asker, roll_number(roll), language))


async def _roll(asker: Asker, wanted: int, language: str) -> RollSight:
    sight = await asker.front.sight(asker.table, asker.seat, language=language, rolls=(wanted,))
    for each in sight.rolls:
        return each
    # Refused as every reading of a roll that the seat may not know, or that is not there.
    await asker.front.account(asker.table, asker.seat, wanted)
    return await _roll(asker, wanted, language)  # declared in between


@get("/tables/{table:str}/rolls/{roll:str}/account")
async def roll_account(request: AnyRequest, table: InPath, roll: InPath) -> Answer:
    """What happened in a roll, step by step."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    wanted = roll_number(roll)
    return answered(await asker.front.account(table, asker.seat, wanted, language=language))


@get("/tables/{table:str}/rolls/{roll:str}/moves")
async def roll_moves(request: AnyRequest, table: InPath, roll: InPath) -> Answer:
    """Every trigger of a roll for the seat: legal with its offers, or why it is not."""
    asker = await asker_of(request, "sight", table)
    language = language_of(parameters(request, "language"))
    wanted = roll_number(roll)
    return answered(await asker.front.moves(table, asker.seat, wanted, language=language))


@get("/tables/{table:str}/rolls/{roll:str}/odds")
async def roll_odds(request: AnyRequest, table: InPath, roll: InPath) -> Answer:
    """What may still come of a roll for an aim, and every way to decide, the best first."""
    asker = await asker_of(request, "sight", table)
    aim = parameters(request, "aim").get("aim", "")
    wanted = roll_number(roll)
    not_too_fast(request, asker)
    asked = await asker.front.question(table, asker.seat, wanted)
    running = running_of(request)
    return answered(
        await running.odds.turn(table, asker.seat, partial(running.worker.odds, asked, aim))
    )


@get("/tables/{table:str}/history")
async def history(request: AnyRequest, table: InPath) -> Answer:
    """The accounts of the rolls that the seat sees, some at once."""
    asker = await asker_of(request, "sight", table)
    found = parameters(request, "after", "most", "language")
    language = language_of(found)
    after = roll_number(found.get("after", "0"), least=0)
    most = number(found.get("most", str(PAGE)), "most", least=1, most=PAGE)
    front, seat = asker.front, asker.seat
    later = [each for each in await front.rolls(table, seat) if each > after]
    accounts = [await front.account(table, seat, each, language=language) for each in later[:most]]
    last = later[most - 1] if len(later) > most else None
    return answered(HistoryBody(accounts=tuple(accounts), after=last))


# --- what is to be filled in ----------------------------------------------------------------------


@get("/tables/{table:str}/choices")
async def choices(request: AnyRequest, table: InPath) -> Answer:
    """What a field of a declaration or of a reaction may be filled with now."""
    asker = await asker_of(request, "sight", table)
    names = ("character", "field", "reacts_to", "follows", "link", "so_far")
    found = parameters(request, *names)
    for name in ("character", "field"):
        if not found.get(name):
            raise Refused("malformed", f"the parameter `{name}` is missing", allowed=names)
    given = _answering(found)
    so_far = _so_far(found["so_far"]) if "so_far" in found else None
    who, field = found["character"], found["field"]
    front = asker.front
    return answered(await front.choices(table, asker.seat, who, field, so_far=so_far, **given))


@get("/tables/{table:str}/rollables")
async def rollables(request: AnyRequest, table: InPath) -> Answer:
    """The rolls that a character's sheet begins, or that answer a roll."""
    asker = await asker_of(request, "sight", table)
    names = ("character", "reacts_to", "follows", "link")
    found = parameters(request, *names)
    if not found.get("character"):
        raise Refused("malformed", "the parameter `character` is missing", allowed=names)
    given = _answering(found)
    return answered(await asker.front.rollables(table, asker.seat, found["character"], **given))


def _answering(found: Mapping[str, str]) -> Answering:
    """Which roll the parameters say is answered, and how."""
    given: Answering = {}
    if "reacts_to" in found:
        given["reacts_to"] = roll_number(found["reacts_to"])
    if ("follows" in found) != ("link" in found):
        why = "`follows` and `link` come together"
        raise Refused("malformed", why, allowed=["both", "neither"])
    if "follows" in found:
        given["follows"] = roll_number(found["follows"]), found["link"]
    return given


def _so_far(text: str) -> JSON:
    data = text.encode("utf-8")
    check_depth(data)
    try:
        return strict_object(data)
    except Malformed as error:
        why = f"the parameter `so_far` is no strict JSON: {error}"
        raise Refused("malformed", why, allowed=["a JSON object"]) from error


HANDLERS = (
    table_sight,
    seats,
    characters,
    disputes,
    legal_moves,
    awaiting,
    roll_sight,
    roll_account,
    roll_moves,
    roll_odds,
    history,
    choices,
    rollables,
)
