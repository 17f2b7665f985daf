"""A quick roll: declared, thrown and resolved by one request, where one throw is all it takes."""

from msgspec.structs import replace

from ...errors import Refused
from ...events.entry import Entry
from ...projections.tables import TableState
from ..core.aggregate import Aggregate
from ..core.commands import Declare, Resolve, RollDice, Worded, apart
from ..core.offers import offers, ways
from ..core.visibility import visible_part


def quick_roll(
    aggregate: Aggregate, seat: str, asking: Declare | Worded, request: str
) -> tuple[Entry, ...]:
    """Declare, throw the one hand that is offered, resolve: the entries of all three commits.

    The commits have the request ids `ID.1`, `ID.2`, `ID.3`: the same request gives the same
    entries again. A roll that then waits for somebody (a choice, an opponent, another seat's
    resolution) is left as it is, for ordinary commands. Raises Refused, with nothing changed,
    where the declaration is refused, as it is with fair dice at a table above level `server`, or no
    single throw is offered after it.
    """
    declare, text = apart(asking)
    command = replace(declare, level="server" if aggregate.opened.source == "fair" else None)
    body = aggregate.body(command)
    if aggregate.answered(seat, f"{request}.1", body) is None:
        ahead = aggregate.prepare(seat, body, text=text).state
        _first_hand(ahead, len(ahead.rolls))
    done = aggregate.submit(seat, Worded(command, text) if text else command, f"{request}.1")
    declared = aggregate.records[done[0].seq]
    roll = getattr(declared.event, "roll", 0) if declared else 0
    thrown = aggregate.submit(seat, _throw(aggregate, roll), f"{request}.2")
    end = Resolve(roll)
    ended = aggregate.answered(seat, f"{request}.3", aggregate.body(end))
    if ended is None and not _resolves(aggregate.opened, seat, roll):
        return (*done, *thrown)
    return (*done, *thrown, *aggregate.submit(seat, end, f"{request}.3"))


def _resolves(state: TableState, seat: str, number: int) -> bool:
    """Whether the roll waits for nothing but this seat's resolution."""
    if visible_part(state, seat, state.rolls[number]) != "everything":
        return False
    ends = [offer for offer in offers(state, state.rolls[number]) if offer.trigger == "resolve"]
    narrates = state.seats[seat].role == "narrator"
    return any(narrates or state.characters[offer.character].seat == seat for offer in ends)


def _throw(aggregate: Aggregate, number: int) -> RollDice:
    """The command that throws the roll's first hand: as it was made, or as it is offered."""
    roll = aggregate.opened.rolls[number]
    if roll.roll.hands:
        made = next(entry.event for entry in roll.trail if hasattr(entry.event, "hand"))
        proof = getattr(made, "proof", None)
        return RollDice(number, roll.roll.hands[0].name, proof.committed if proof else None)
    waiting = roll.outstanding
    hand = _first_hand(aggregate.opened, number)
    return RollDice(number, hand, waiting.seq if waiting else None)


def _first_hand(state: TableState, number: int) -> str:
    """The one hand offered to begin with. Raises Refused where there is none, or a choice."""
    every = offers(state, state.rolls[number])
    hands = [offer.hand for offer in every if offer.trigger == "roll"]
    if len(hands) != 1:
        why = "a quick roll begins with one throw; this one does not"
        raise Refused("not-offered", why, allowed=ways(every))
    return hands[0]
