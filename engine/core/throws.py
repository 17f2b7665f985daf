"""A throw is made: at once, or at level `table` once every seat asked has opened its share."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from ...errors import Defect, Refused
from ...events import roll as rolled
from ...events.base import Thrown
from ...events.codec import Event
from ...events.share import LENGTH, reaches
from ...projections.levels import anchored, level_next
from ...projections.rollstate import Ask as WaitingAsk
from ...projections.rollstate import Outstanding, RollState
from ...projections.tables import Anchor, TableState
from ...rules.ruleset import Offer
from .attempt import Attempt, roll_of
from .commands import AnyThrow, Ask, BreakThrow, OpenShare, Reroll, RollDice, Throw
from .fitting import fitting
from .guards import ask_of, thrown_by, throws_dice
from .offers import offers, price_of
from .sources import Source, ThrowRequest
from .visibility import outstanding_for

Shares: TypeAlias = tuple[tuple[str, str], ...]
"""(seat, share) of the seats that add to a throw beside its roller."""

# --- the throw ------------------------------------------------------------------------------------


def thrown(command: RollDice, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """A hand's first throw, or the dice it takes over, or no dice at all."""
    if attempt.known_offer.link or not _dice(command, attempt):
        _nothing_to_prove(command, attempt.known_offer)
        return (_without_proof(command, attempt),)
    must_answer(attempt, command)
    return _first_thrown(command, attempt, source, ())


def _first_thrown(
    command: RollDice, attempt: Attempt, source: Source, witnesses: Shares
) -> tuple[Event, ...]:
    dice, proof = source.throw(_throw_request(attempt, command, witnesses))
    event = _without_proof(command, attempt)
    return (replace(event, dice=dice, proof=proof),)


def _without_proof(command: RollDice, attempt: Attempt) -> rolled.DiceRolled:
    """The throw of no dice, or of those that it takes over."""
    offer = attempt.known_offer
    taken, dice = _taken_over(attempt) if offer.link else (None, ())
    return rolled.DiceRolled(
        attempt.seat,
        attempt.known_roll.number,
        offer.character,
        offer.hand,
        dice,
        command.option,
        taken=taken,
    )


def rerolled(command: Reroll, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """Some dice of a hand thrown again; those beyond the free ones are paid for."""
    must_answer(attempt, command)
    return _thrown_again(command, attempt, source, ())


def _thrown_again(
    command: Reroll, attempt: Attempt, source: Source, witnesses: Shares
) -> tuple[Event, ...]:
    roll, offer = attempt.known_roll, attempt.known_offer
    dice, proof = source.throw(_throw_request(attempt, command, witnesses))
    effects = price_of(offer, len(command.dice))
    return (rolled.DiceRerolled(attempt.seat, roll.number, offer.hand, dice, proof, effects),)


def _dice(command: AnyThrow, attempt: Attempt) -> tuple[tuple[str, str], ...]:
    """The dice that a throw throws, (id, kind) each, in order."""
    roll, offer = attempt.known_roll, attempt.known_offer
    if isinstance(command, Reroll):
        hand = roll.roll.hand(offer.hand)
        kinds = {die.id: die.kind for die in hand.dice} if hand else {}
        return tuple((id, kinds[id]) for id in command.dice)
    first = 1 + sum(len(hand.dice) for hand in roll.roll.hands)
    thrown = offer.dice if command.option is None else offer.dice[: command.option]
    return tuple((f"d{first + at}", kind) for at, kind in enumerate(thrown))


def _taken_over(attempt: Attempt) -> tuple[int, tuple[Thrown, ...]]:
    """The parent's number and dice, which the first hand of this roll takes over as they are."""
    roll, ruleset = attempt.known_roll, attempt.table.game.ruleset
    if roll.follows is None:
        why = f"roll {roll.number} follows no roll that it could take dice from"
        raise Refused("not-offered", why)
    number, link = roll.follows
    parent, of = roll_of(attempt.table, number).roll, roll.roll
    _, dice = ruleset.completed(of.options, of.declaration, link, parent)
    return number, tuple(Thrown(die.id, die.kind, die.face) for die in dice)


def _throw_request(attempt: Attempt, command: AnyThrow, witnesses: Shares) -> ThrowRequest:
    roll = attempt.known_roll
    request = ThrowRequest(
        table=attempt.table.id,
        roll=roll.number,
        throw=roll.throws,
        roller=attempt.seat,
        dice=_dice(command, attempt),
        faces=attempt.table.game.at(roll.declared).faces,
        again=attempt.known_offer.again,
        nonce=command.nonce,
        witnesses=witnesses,
        typed=command.faces,
    )
    if roll.outstanding is None:
        return request
    waiting = roll.outstanding
    return replace(request, committed=waiting.seq, leaf=waiting.leaf, commit=waiting.commit)


def _nothing_to_prove(command: Throw, offer: Offer) -> None:
    given = [name for name in ("committed", "nonce", "faces") if getattr(command, name) is not None]
    if given:
        raise Refused(
            "nonce",
            f"{', '.join(given)} given, but {offer.hand} throws no dice",
            allowed=["neither"],
        )


# --- what a throw answers -------------------------------------------------------------------------


def must_answer(attempt: Attempt, command: AnyThrow) -> None:
    """Check that a throw answers the outstanding commitment, with the nonce its level asks for.

    Raises Refused "commitment" or "nonce", naming what was expected. Where nothing is committed
    (dice that are not fair), neither may be given.
    """
    roll = attempt.known_roll
    if outstanding_for(attempt.table, attempt.seat, roll) is None:
        if command.committed is not None or command.nonce is not None:
            raise Refused(
                "nonce", "these dice take no commitment and no nonce", allowed=["neither"]
            )
        return
    level = level_next(attempt.table, attempt.seat, roll)
    if level == "table":
        why = f"throw {roll.throws} of roll {roll.number} is at level table"
        raise Refused("nonce", f"{why}, and needs a share of every seat asked", allowed=["ask"])
    _must_answer(attempt, command.committed)
    given, asked = command.nonce is not None, level == "player"
    if given and not asked:
        raise Refused("nonce", f"level {level} takes no nonce", allowed=["none"])
    if asked and not given:
        why = f"level {level} needs the roller's nonce"
        raise Refused("nonce", why, allowed=["64 hex digits"])


def _must_answer(attempt: Attempt, committed: int | None) -> Outstanding:
    """The commitment that the next throw answers. Raises Refused where another entry is named.

    Who throws a blind roll again names the one that it sees, and answers this one.
    """
    roll = attempt.known_roll
    waiting = outstanding_for(attempt.table, attempt.seat, roll)
    if waiting is None or roll.outstanding is None:
        raise Refused("commitment", "these dice take no commitment", allowed=["none"])
    if committed != waiting.seq:
        raise Refused(
            "commitment",
            f"throw {waiting.throw} of roll {roll.number} answers entry {committed}, "
            f"which is not the outstanding commitment",
            allowed=[f"entry {waiting.seq}"],
        )
    return roll.outstanding


# --- level `table` --------------------------------------------------------------------------------


def throw_asked(command: Ask, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The throw planned, and a share asked of every seat that the roller names."""
    table, roll, seat = attempt.table, attempt.known_roll, attempt.seat
    waiting = _must_answer(attempt, command.committed)
    offer = attempt.known_offer
    if not throws_dice(offer) or command.option == 0:
        why = f"{offer.trigger} {offer.hand} throws no dice"
        raise Refused("not-offered", why, allowed=[offer.trigger])
    throw = thrown_by(command)
    kinds = _dice(throw, attempt)
    asked = tuple((id, _next_link(table, id)) for id in _asked(command, table, seat))
    named = {id for id, _ in asked}
    left = tuple(id for id in anchored(table, seat) if id not in named)
    trigger: Literal["roll", "reroll"] = "roll" if isinstance(throw, RollDice) else "reroll"
    number, at = roll.number, roll.throws
    plan = rolled.ThrowPlanned(seat, number, at, trigger, command.hand, kinds, command.option)
    return (plan, rolled.ThrowAsked(seat, number, at, waiting.seq, asked, left))


def _asked(command: Ask, table: TableState, seat: str) -> tuple[str, ...]:
    """The seats asked, by id: the roller's own, and another one at least that has an anchor.

    Raises Refused: "malformed" for a list that is none, "not-offered" for a seat without an anchor.
    """
    everybody = [seat, *anchored(table, seat)]
    names = set(command.asked)
    if seat not in names or len(names) != len(command.asked) or len(names) == 1:
        why = "asked are the roller's seat and others, each once"
        raise Refused("malformed", f"{why}; named: {', '.join(command.asked)}", allowed=everybody)
    if strange := sorted(names - set(everybody)):
        why = f"seat {', '.join(map(repr, strange))} has no anchor"
        raise Refused("not-offered", why, allowed=everybody)
    return tuple(sorted(names))


def _next_link(table: TableState, seat: str) -> int:
    """Which link an ask takes from a seat. Raises Refused where its chain is used up."""
    anchor = table.seats[seat].anchor
    asks = anchor.asks + 1 if anchor else 1
    if asks > LENGTH:
        why = f"the chain of seat {seat!r} answered {LENGTH:,} asks, which is all of it"
        raise Refused("not-offered", why, allowed=["anchor-shares", "leave it out"])
    return asks


def share_opened(command: OpenShare, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The share of a seat that was asked; and behind the last one the throw."""
    seat, ask = attempt.seat, ask_of(attempt)
    must_be_next(attempt.table, seat, command.share, dict(ask.asked)[seat])
    share = rolled.ShareOpened(seat, ask.roll, ask.throw, command.share)
    if ask.waiting != (seat,):
        return (share,)
    opened = (*ask.opened, (seat, command.share))
    return (share, *_thrown_with(opened, ask, attempt, source))


def must_be_next(table: TableState, seat: str, share: str, i: int) -> None:
    """Refuse with "nonce" a share that is not link `i` of the seat's chain."""
    anchor = table.seats[seat].anchor
    if anchor is None or not reaches(table.id, seat, share, i, anchor.link, anchor.at):
        why = f"{share} is not link {i} of the chain of seat {seat!r}"
        raise Refused("nonce", why, allowed=[f"the link that leads to {ask_link(anchor)}"])


def ask_link(anchor: Anchor | None) -> str:
    """The newest link of a chain that is known, for a refusal."""
    return f"link {anchor.at}, {anchor.link}" if anchor else "no anchor"


def _thrown_with(
    shares: tuple[tuple[str, str], ...], ask: WaitingAsk, attempt: Attempt, source: Source
) -> tuple[Event, ...]:
    """The throw that was asked for, with these shares: of the roller, and of the others."""
    throw, inner = waiting_throw(ask, attempt)
    own = dict(shares)[ask.seat]
    others = tuple((seat, share) for seat, share in shares if seat != ask.seat)
    return THROWN[throw.trigger](replace(throw, nonce=own), inner, source, others)


def waiting_throw(ask: WaitingAsk, attempt: Attempt) -> tuple[AnyThrow, Attempt]:
    """The throw that waits in the attempt's roll, and its roller's attempt to make it.

    Raises Defect where the roll has no plan of it.
    """
    roll = attempt.known_roll
    plan = planned(roll, ask.throw)
    throw = throw_in(plan)
    inner = Attempt(attempt.table, ask.seat, throw, roll, now=attempt.now)
    inner.offer = fitting(offers(attempt.table, roll), throw, roll)
    return throw, inner


def planned(roll: RollState, throw: int) -> rolled.ThrowPlanned:
    """The plan of a throw. Raises Defect where the roll has none."""
    for entry in reversed(roll.trail):
        if isinstance(entry.event, rolled.ThrowPlanned) and entry.event.throw == throw:
            return entry.event
    raise Defect(f"throw {throw} of roll {roll.number} was asked for without a plan")


def throw_in(plan: rolled.ThrowPlanned) -> AnyThrow:
    """The throw that a plan is of."""
    if plan.trigger == "roll":
        return RollDice(plan.roll, plan.hand, option=plan.option)
    return Reroll(roll=plan.roll, hand=plan.hand, dice=tuple(die for die, _ in plan.dice))


def throw_broken(command: BreakThrow, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The throw that waits broken off: its seed opened, the next one committed to."""
    table, ask = attempt.table, ask_of(attempt)
    seed = source.open(table.id, ask.roll, ask.throw)
    following = source.commit(table.id, ask.roll, ask.throw + 1)
    if seed is None or following is None:
        raise Defect(f"dice {source.name} wait for shares")
    return (rolled.ThrowBroken(attempt.seat, ask.roll, ask.throw, ask.waiting, seed, following),)


THROWN: Mapping[str, Callable[[Any, Attempt, Source, Shares], tuple[Event, ...]]] = {
    "roll": _first_thrown,
    "reroll": _thrown_again,
}
"""What each trigger of a throw leads to."""
