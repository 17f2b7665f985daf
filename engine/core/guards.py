"""Who may fire which trigger: named functions that return True or raise Refused."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import cast

from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...projections.automaton import ROWS, Trigger
from ...projections.levels import level_next
from ...projections.rollstate import Ask as WaitingAsk
from ...projections.rollstate import RollState
from ...projections.rulings import open_disputes, rulings_on
from ...projections.tables import TableState
from ...rules.ruleset import Offer
from .attempt import Attempt, acts_for, must_narrate, must_own, present, roll_of
from .commands import Ask, Confirm, Declare, Reroll, RollCommand, RollDice, Rule
from .fitting import fitting
from .offers import due, following, offers, ways
from .visibility import must_see, visible_part

BEFORE_DICE = ("react", "roll")
"""Triggers that need no sight of the dice: a participant fires them in a blind roll too."""


def owned(attempt: Attempt) -> bool:
    """The seat acts for the character; a roll that follows another is offered by that one."""
    command = cast(Declare, attempt.command)
    present(attempt.table, command.character)
    must_own(attempt.table, attempt.seat, command.character)
    if command.follows:
        parent = roll_of(attempt.table, command.follows[0], attempt.seat)
        must_see(attempt.table, attempt.seat, parent)
        if parent.hidden:
            why = f"nothing follows roll {parent.number} while it is hidden"
            raise Refused("not-offered", why, allowed=[f"reveal roll {parent.number} first"])
        attempt.offer = following(attempt.table, parent, command)
    return True


def offered(attempt: Attempt) -> bool:
    """The rules offer it to a character of the seat's; a narrator may resolve for anybody.

    Where the attempt only asks what is possible, every offer that the seat could take up is found.
    """
    table, roll = attempt.table, attempt.known_roll
    must_see(table, attempt.seat, roll, dice=attempt.trigger not in BEFORE_DICE)
    if isinstance(attempt.command, Declare):
        raise Refused("not-offered", "a declaration takes up no offer of its own roll")
    seen = visible_offers(table, attempt.seat, roll)
    if attempt.only_asks:
        attempt.offers = _thrown_at_once(attempt, _takeable(attempt, seen))
        return True
    if attempt.trigger == "apply_damage" and (followers := table.followers(roll.number)):
        last = followers[-1].number
        why = f"roll {last} follows roll {roll.number}, and damage is its to apply"
        raise Refused("not-offered", why, allowed=[f"roll {last}"])
    attempt.offer = offer = fitting(seen, attempt.command, roll)
    if _may_take(attempt, offer):
        return True
    if offer.narrator:
        must_narrate(table, attempt.seat, f"{attempt.trigger} {offer.choice}".rstrip())
    else:
        must_own(table, attempt.seat, offer.character)
    return True


def _thrown_at_once(attempt: Attempt, found: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """These offers, at level `table` without those whose throw is asked for.

    Raises Refused("nonce") where no other is left.
    """
    roll = attempt.known_roll
    if attempt.trigger not in ("roll", "reroll") or roll.outstanding is None:
        return found
    if level_next(attempt.table, attempt.seat, roll) != "table":
        return found
    left = tuple(offer for offer in found if not throws_dice(offer))
    if not left:
        why = f"throw {roll.throws} of roll {roll.number} is at level table"
        raise Refused("nonce", f"{why}, and needs a share of every seat asked", allowed=["ask"])
    return left


def _takeable(attempt: Attempt, seen: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """The offers of the attempt's trigger that its seat may take up. Raises Refused for none."""
    table, trigger = attempt.table, attempt.trigger
    found = [offer for offer in seen if offer.trigger == trigger]
    if not found:
        waiting = due(seen) if trigger == "resolve" else ()
        if waiting:
            raise Refused("due", "something must happen first", allowed=ways(waiting))
        why = f"the rules offer no {trigger} now"
        raise Refused("not-offered", why, allowed=ways(seen))
    own = tuple(offer for offer in found if _may_take(attempt, offer))
    if not own:
        who = dict.fromkeys(table.name_of(offer.character) for offer in found)
        why = f"{trigger} is for {', '.join(who)}"
        raise Refused("not-yours", why, allowed=ways(found))
    return own


def _may_take(attempt: Attempt, offer: Offer) -> bool:
    """Whether the offer is to the attempt's seat; a narrator resolves for anybody."""
    table, seat = attempt.table, attempt.seat
    narrates = table.seats[seat].role == "narrator"
    if narrates and (offer.narrator or attempt.trigger == "resolve"):
        return True
    return not offer.narrator and acts_for(table, seat, offer.character)


def visible_offers(table: TableState, seat: str, roll: RollState) -> tuple[Offer, ...]:
    """What is offered, as far as the seat may know: who sees no dice must not infer them.

    A participant of a blind roll knows what follows from the declaration alone: the reactions, and
    the first hand of every character.
    """
    everything = offers(table, roll)
    if visible_part(table, seat, roll) == "everything":
        return everything
    thrown = {hand.character for hand in roll.roll.hands}
    known = (o for o in everything if o.trigger in BEFORE_DICE and o.character not in thrown)
    return tuple(replace(offer, note="") for offer in known)


def narrates(attempt: Attempt) -> bool:
    """The seat is a narrator's and may see the roll."""
    must_see(attempt.table, attempt.seat, attempt.known_roll)
    must_narrate(attempt.table, attempt.seat, attempt.trigger)
    return True


def asks(attempt: Attempt) -> bool:
    """The next throw of the seat is at level `table`, and it has an anchor, and is offered it."""
    table, roll, seat = attempt.table, attempt.known_roll, attempt.seat
    must_see(table, seat, roll, dice=False)
    if roll.outstanding is None:
        why = f"the dice of this table are {table.source}: nobody adds to them"
        raise Refused("nonce", why, allowed=["roll or reroll"])
    level = level_next(table, seat, roll)
    if level != "table":
        why = f"the next throw of seat {seat!r} in roll {roll.number} is at level {level}"
        raise Refused("nonce", why, allowed=["roll or reroll"])
    if table.seats[seat].anchor is None:
        why = f"seat {seat!r} has no anchor, so nobody could check its share"
        raise Refused("not-offered", why, allowed=["anchor-shares"])
    if isinstance(attempt.command, Ask):
        throw = thrown_by(attempt.command)
        inner = Attempt(table, seat, throw, roll, now=attempt.now)
        offered(inner)
        attempt.offer = inner.offer
        return True
    attempt.offers = tuple(filter(throws_dice, _offers_to_throw(attempt)))
    if not attempt.offers:
        why = f"seat {seat!r} is offered no throw in roll {roll.number}"
        raise Refused("not-offered", why, allowed=ways(visible_offers(table, seat, roll)))
    return True


def thrown_by(ask: Ask) -> RollDice | Reroll:
    """The throw that an ask is for."""
    if ask.dice is None:
        return RollDice(ask.roll, ask.hand, option=ask.option)
    return Reroll(roll=ask.roll, hand=ask.hand, dice=ask.dice)


def throws_dice(offer: Offer) -> bool:
    """Whether dice fall that need a proof: not where they are only taken over, or there are none.

    Of an offer that leaves the number of dice open, some.
    """
    return not offer.link and (bool(offer.dice) or offer.trigger == "reroll")


def _offers_to_throw(attempt: Attempt) -> Iterator[Offer]:
    """The offers of a throw that the seat may take up."""
    roll = attempt.known_roll
    for trigger in ("roll", "reroll"):
        bare = RollCommand(roll.number)
        inner = Attempt(attempt.table, attempt.seat, bare, roll, trigger, now=attempt.now)
        if (roll.state, trigger) in THROWING:
            with suppress(Refused):
                yield from _takeable(inner, visible_offers(attempt.table, attempt.seat, roll))


THROWING = frozenset(
    (state, row.trigger) for row in ROWS if row.guard == "offered" for state in row.sources
)
"""The states and triggers that are the rules' to offer."""


def asked(attempt: Attempt) -> bool:
    """The table waits for a share of this seat for a throw of the roll."""
    ask = ask_of(attempt)
    if attempt.seat not in ask.waiting:
        opened = any(seat == attempt.seat for seat, _ in ask.opened)
        why = "opened its share already" if opened else "is not asked for a share"
        place = f"throw {ask.throw} of roll {ask.roll}"
        why = f"seat {attempt.seat!r} {why}, for {place}"
        raise Refused("not-offered", why, allowed=[f"seat {seat!r}" for seat in ask.waiting])
    return True


def breaks(attempt: Attempt) -> bool:
    """The table waits for shares of a throw of the roll, for 10 seconds or more, or by post."""
    ask = ask_of(attempt)
    if attempt.now < ask.until:
        raise _early(attempt, ask)
    return True


def reveals(attempt: Attempt) -> bool:
    """The roll is hidden; the seat a narrator who sees it, or the roller if nobody else does."""
    roll = attempt.known_roll
    must_see(attempt.table, attempt.seat, roll)
    if not roll.hidden:
        raise Refused("not-offered", f"roll {roll.number} is open already", allowed=[])
    if roll.visibility != "self":
        must_narrate(attempt.table, attempt.seat, "reveal")
    return True


def presides(attempt: Attempt) -> bool:
    """The seat is a narrator's: what nobody else can end, he can."""
    must_narrate(attempt.table, attempt.seat, attempt.trigger)
    return True


def corrects(attempt: Attempt) -> bool:
    """A narrator who sees the roll."""
    return narrates(attempt)


def withdraws(attempt: Attempt) -> bool:
    """The roller's seat."""
    must_own(attempt.table, attempt.seat, attempt.known_roll.roll.character)
    return True


def vetoes(attempt: Attempt) -> bool:
    """A narrator who may correct the roll, whose declaration is not refused yet."""
    corrects(attempt)
    if attempt.known_roll.vetoed:
        why = f"roll {attempt.known_roll.number} is vetoed already"
        raise Refused("not-offered", why, allowed=["replace", "void"])
    return True


def rules(attempt: Attempt) -> bool:
    """A narrator, and a dispute that nobody decided; who does not see the roll may void it."""
    if not voids_unseen(attempt):
        must_see(attempt.table, attempt.seat, attempt.known_roll)
    must_narrate(attempt.table, attempt.seat, attempt.trigger)
    # A command names its dispute, and is refused for it by name when it is decided.
    if not isinstance(attempt.command, Rule) and not open_disputes(attempt.known_roll):
        why = f"roll {attempt.known_roll.number} has no open dispute"
        raise Refused("unknown", why, allowed=["dispute"])
    return True


def confirms(attempt: Attempt) -> bool:
    """Some throw of the roll was typed in by another seat, and this one confirmed it not yet."""
    must_see(attempt.table, attempt.seat, attempt.known_roll)
    if isinstance(attempt.command, Confirm):  # names its throw, and is refused for it by name
        return True
    typed = typed_throws(attempt.known_roll)
    if not typed:
        why = f"no throw of roll {attempt.known_roll.number} was typed in"
        raise Refused("unknown", why, allowed=["physical dice"])
    if not any(attempt.seat not in seats for seats in typed.values()):
        why = f"seat {attempt.seat!r} typed or confirmed every throw already"
        raise Refused("not-yours", why, allowed=["another seat"])
    return True


def voids_unseen(attempt: Attempt) -> bool:
    """Whether a narrator's ruling voids a roll that its roller alone may see.

    Nobody who sees it could rule on it: so the narrator may, who is then shown no more than before.
    """
    roll, command, seat = attempt.roll, attempt.command, attempt.table.seats[attempt.seat]
    voids = isinstance(command, Rule) and command.ruling == "void" and seat.role == "narrator"
    return voids and roll is not None and roll.hidden and roll.visibility == "self"


def must_name_ruling(roll: RollState, against: int | None) -> None:
    """Refuse with "history" what contradicts a ruling and does not name it; the latest counts.

    Refuses with "unknown" an entry that is no ruling on this roll.
    """
    made = rulings_on(roll)
    if against is not None and against not in made:
        why = f"entry {against} is no ruling on roll {roll.number}"
        raise Refused("unknown", why, allowed=[f"against {seq}" for seq in made[-1:]])
    if made and against != made[-1]:
        why = f"entry {made[-1]} is a ruling on roll {roll.number}, and this would contradict it"
        raise Refused("history", why, allowed=[f"against {made[-1]}"])


def typed_throws(roll: RollState) -> dict[int, tuple[str, ...]]:
    """The throws of physical dice, each with the seats that typed it in or confirmed it."""
    seats: dict[int, tuple[str, ...]] = {}
    for entry in roll.trail:
        event = entry.event
        proof = getattr(event, "proof", None)
        if proof is not None and proof.source == "manual":
            seats[proof.throw] = (event.by,)
        elif isinstance(event, rolled.ThrowConfirmed):
            seats[event.throw] = (*seats.get(event.throw, ()), event.by)
    return seats


def anyone(attempt: Attempt) -> bool:
    """Any seat that may see the roll; in a blind one its participants, who see no dice."""
    must_see(attempt.table, attempt.seat, attempt.known_roll, dice=False)
    return True


GUARDS: Mapping[str, Callable[[Attempt], bool]] = {
    guard.__name__: guard
    for guard in (
        *(owned, offered, narrates, presides, corrects, withdraws, vetoes, rules, confirms),
        *(asks, asked, breaks, reveals, anyone),
    )
}
"""The guards by the names that the table of transitions uses."""


def rules_unseen(attempt: Attempt) -> bool:
    """Refuse a ruling on a roll that the view has not; a narrator hears which one may be made.

    It is the same for every number of a roll that may be there, and hidden.
    """
    command, table = attempt.command, attempt.table
    other = isinstance(command, Rule) and command.ruling != "void"
    if other and table.withheld and table.seats[attempt.seat].role == "narrator":
        why = f"seat {attempt.seat!r} sees no roll {attempt.number}: unseen it may only be voided"
        raise Refused("not-seen", why, allowed=["void", "after it is revealed"])
    roll_of(table, attempt.number, attempt.seat)
    return True


UNSEEN: Mapping[Trigger, Callable[[Attempt], bool]] = {
    "open_share": asked,
    "break_throw": breaks,
}
"""The guards of what a seat may do in a roll that is hidden from it: about its shares alone."""


def ask_unseen(attempt: Attempt) -> None:
    """Find out whether the seat may do this in a roll that its view of the table does not have.

    Raises Refused: as `roll_of` does where there is no such roll, and for all that is about more
    than the shares of a throw.
    """
    guard = next((guard for trigger, guard in UNSEEN.items() if trigger == attempt.trigger), None)
    if attempt.trigger == "rule":
        rules_unseen(attempt)
    ask = attempt.table.ask
    if guard is None or ask is None or ask.roll != attempt.number:
        roll_of(attempt.table, attempt.number, attempt.seat)
    else:
        guard(attempt)


def ask_of(attempt: Attempt) -> WaitingAsk:
    """The throw of the roll that waits for shares. Raises Refused("nonce") where none does."""
    ask = attempt.table.ask
    if ask is None or ask.roll != attempt.number:
        waits = f"throw {ask.throw} of roll {ask.roll}" if ask else "no throw"
        why = f"{waits} waits for shares at this table, none of roll {attempt.number}"
        raise Refused("nonce", why, allowed=[f"roll {ask.roll}"] if ask else ["ask"])
    return ask


def must_not_wait(table: TableState, what: str, now: int) -> None:
    """Refuse with "due" all that may not come between an ask and its throw.

    Shares, notes and a new epoch may; so nobody changes what the throw means who knows more of it
    than the others.
    """
    ask = table.ask
    if ask is None:
        return
    why = f"{what} has to wait: throw {ask.throw} of roll {ask.roll} waits for shares of "
    raise Refused("due", f"{why}{_named(ask.waiting)}", allowed=["open_share", _breaking(ask, now)])


def _early(attempt: Attempt, ask: WaitingAsk) -> Refused:
    waits = f"{_named(ask.waiting)} may still open a share"
    left = _left(ask, attempt.now)
    return Refused("due", f"{waits}, for {left} s", allowed=["open_share", f"in {left} s"])


def _breaking(ask: WaitingAsk, now: int) -> str:
    left = _left(ask, now)
    return f"break_throw in {left} s" if left > 0 else "break_throw"


def _left(ask: WaitingAsk, now: int) -> int:
    return -((now - ask.until) // 1_000)  # seconds, rounded up


def _named(seats: tuple[str, ...]) -> str:
    return f"seat {', '.join(map(repr, seats))}"
