"""A roll in one request: declared, and gone on with as far as nobody has anything to decide."""

from typing import Any

from litestar import Response, post
from msgspec.json import Decoder

from ....errors import Refused
from ....events.codec import decode
from ....events.entry import Entry
from ....events.roll import RollDeclared
from ....rules import ruleset_named
from ....rules.ruleset import Offer
from ...core.choices import typed_field
from ...core.commands import AnyCommand, Declare, Reroll, RollDice
from ...core.guards import throws_dice
from ...core.parse import body_of as written
from ...core.request import WireRequest
from ...core.sight import CommitmentSight, RollSight, Sight
from ...core.step import PLAIN
from ...wire.bodies import RollBody, RolledBody
from ..asker import Asker, asker_of, full_link
from ..http.incoming import AnyRequest, InPath, as_form, body_of, language_of, parameters
from ..http.replies import answered
from .commands import not_too_fast

_rolls: Decoder[RollBody] = Decoder(RollBody)


@post("/tables/{table:str}/rolls", status_code=200)
async def roll(request: AnyRequest, table: InPath) -> Response[bytes]:
    """Declare a roll, and throw and resolve it as far as nothing is to be decided.

    Each step is a request of its own in the log. The same body again declares nothing anew: it goes
    on where the roll was left.
    """
    asker = await asker_of(request, "command", table)
    language = language_of(parameters(request, "language"))
    data = await body_of(request)
    not_too_fast(request, asker)
    wish = as_form(data, _rolls)
    command = declared(await asker.front.sight(asker.table, asker.seat, rolls=()), wish)
    body = WireRequest(written(command).decode("utf-8"), wish.request, wish.text).written()
    [entry, *_] = await asker.front.submit_request(asker.table, asker.seat, body)
    sight, found = await _gone_on(asker, entry, language)
    account = await asker.front.account(asker.table, asker.seat, found.roll, language=language)
    last = account.damage or account.outcome
    headline = last.headline if last else ""
    link = await full_link(request, asker, found.roll)
    return answered(RolledBody(wish.request, sight.size, headline, link, found))


def declared(sight: Sight, wish: RollBody) -> Declare:
    """The declaration that is wished for. Raises Refused("malformed") where it is not clear."""
    return Declare(
        wish.character or _own(sight),
        _wanted(sight, wish),
        visibility=wish.visibility,
        level=wish.level,
        text=None if wish.text is None else wish.text.hash,
    )


def _own(sight: Sight) -> str:
    own = [each.id for each in sight.characters if each.here and each.seat == sight.seat]
    if len(own) != 1:
        why = f"`character` is missing: seat {sight.seat!r} acts for {len(own) or 'no'} characters"
        raise Refused("malformed", why, allowed=own)
    return own[0]


def _wanted(sight: Sight, wish: RollBody) -> dict[str, Any]:
    field = typed_field(ruleset_named(sight.system))
    ways = ["declaration", "expression"] if field else ["declaration"]
    if wish.expression is not None and not field:
        why = f"{sight.system} has a form of its own: a roll is no `expression`"
        raise Refused("malformed", why, allowed=ways)
    if wish.declaration is not None and wish.expression is None:
        return wish.declaration
    if wish.declaration is None and wish.expression is not None:
        return {field: wish.expression}
    why = "a roll is wanted by one of `declaration` and `expression`"
    raise Refused("malformed", why, allowed=ways)


# --- what needs no decision -----------------------------------------------------------------------


async def _gone_on(asker: Asker, entry: Entry, language: str) -> tuple[Sight, RollSight]:
    """The roll that an entry declared, once what needs no decision in it is done.

    Raises Refused("not-seen") where it is hidden from the seat now: its character was given away.
    """
    done: tuple[Offer, CommitmentSight | None] | None = None
    refused: Refused | None = None
    while True:
        sight = await asker.front.sight(
            asker.table, asker.seat, language=language, rolls=_declared_by(entry)
        )
        if not sight.rolls:
            why = f"the roll that entry {entry.seq} declared is hidden from this seat"
            raise Refused("not-seen", why)
        [found] = sight.rolls
        step = await _step(asker, sight, found)
        if step is None:
            return sight, found
        if (step, found.commitment) == done:
            # A blind roll does not show its roller that it was thrown: it would be next for ever.
            if refused is not None and found.seen == "everything":
                raise refused
            return sight, found
        done, refused = (step, found.commitment), None
        try:
            await asker.front.submit(asker.table, asker.seat, _command(found, step))
        except Refused as error:
            refused = error  # it is nothing where somebody else was first


def _declared_by(entry: Entry) -> tuple[int, ...]:
    """The number of the roll that an entry declared; none of one that the seat may not have."""
    event = None if entry.payload is None else decode(entry.payload).event
    return (event.roll,) if isinstance(event, RollDeclared) else ()


async def _step(asker: Asker, sight: Sight, found: RollSight) -> Offer | None:
    """The next step, where the server may take it: a seat adds to a fair throw by itself alone."""
    every = await asker.front.legal_moves(asker.table, asker.seat, rolls=(found.roll,))
    step = next((each.step for each in every if each.roll == found.roll), None)
    by_seat = sight.dice.startswith("fair") and found.next_level != "server"
    by_seat = by_seat or sight.dice == "scripted"  # whose faces come with the throw
    throws = step is not None and step.trigger not in PLAIN and throws_dice(step)
    return None if throws and by_seat else step


def _command(found: RollSight, step: Offer) -> AnyCommand:
    if step.trigger in PLAIN:
        return PLAIN[step.trigger](found.roll)
    proof = found.commitment if throws_dice(step) else None
    committed = None if proof is None else proof.seq
    if step.trigger == "reroll":
        return Reroll(found.roll, step.hand, committed, dice=step.dice)
    return RollDice(found.roll, step.hand, committed)


HANDLERS = (roll,)
