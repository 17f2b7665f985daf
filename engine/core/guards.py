"""Who may fire which trigger: named functions that return True or raise Refused."""

from collections.abc import Callable, Mapping
from typing import cast

from msgspec.structs import replace

from ...errors import Refused
from ...events import roll as rolled
from ...events.throw import nonce_commitment, throw_id
from ...projections.automaton import Trigger
from ...projections.rollstate import Binding, RollState
from ...projections.rulings import open_disputes, rulings_on
from ...projections.tables import TableState
from ...rules.ruleset import Offer
from .attempt import Attempt, acts_for, here, must_narrate, must_own, present, roll_of
from .commands import Confirm, Declare, Rule
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
        attempt.offers = _takeable(attempt, seen)
        return True
    if attempt.trigger == "apply_damage" and (followers := table.followers(roll.number)):
        last = followers[-1].number
        why = f"roll {last} follows roll {roll.number}, and damage is its to apply"
        raise Refused("not-offered", why, allowed=[f"roll {last}"])
    attempt.offer = offer = fitting(seen, attempt.command, roll)
    if _may_take(attempt, offer):
        return True
    if offer.narrator:
        must_narrate(table, attempt.seat, f"{attempt.trigger} {offer.choice}")
    else:
        must_own(table, attempt.seat, offer.character)
    return True


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


def throws_next(attempt: Attempt) -> bool:
    """The level is `table`, and the seat is offered a throw that no nonce is bound for yet."""
    roll = attempt.known_roll
    must_see(attempt.table, attempt.seat, roll, dice=False)
    if roll.level != "table" or roll.outstanding is None:
        raise Refused(
            "nonce",
            f"roll {roll.number} at level {roll.level} binds no nonces",
            allowed=["level table"],
        )
    if roll.binding is not None:
        raise Refused(
            "nonce", f"a nonce is bound already for throw {roll.throws}", allowed=["roll or reroll"]
        )
    seen = visible_offers(attempt.table, attempt.seat, roll)
    throws = [offer for offer in seen if offer.trigger in ("roll", "reroll")]
    if not any(acts_for(attempt.table, attempt.seat, offer.character) for offer in throws):
        raise Refused(
            "not-offered",
            f"seat {attempt.seat!r} is offered no throw in roll {roll.number}",
            allowed=ways(throws),
        )
    return True


def asked(attempt: Attempt) -> bool:
    """The roller asked this seat for a nonce; it has given none, and was not passed over."""
    binding = attempt.binding
    if binding is None or attempt.seat not in binding.asked:
        waiting = binding.asked if binding else ()
        raise Refused(
            "not-offered", f"seat {attempt.seat!r} was not asked for a nonce", allowed=waiting
        )
    if any(seat == attempt.seat for seat, _ in binding.given):
        raise Refused(
            "nonce", f"seat {attempt.seat!r} gave its nonce already", allowed=["once a throw"]
        )
    if attempt.seat in binding.passed:
        why = f"seat {attempt.seat!r} was passed over; throw {binding.throw} goes on without it"
        raise Refused("nonce", why, allowed=["the next throw"])
    return True


def passes_over(attempt: Attempt) -> bool:
    """The roller or a narrator; seats that were asked are silent, and their time has run out."""
    roller = binding_of(attempt).seat
    if attempt.seat != roller and attempt.table.seats[attempt.seat].role != "narrator":
        why = f"seat {attempt.seat!r} does not throw, and is no narrator's"
        raise Refused("not-yours", why, allowed=[f"seat {roller!r}", "a narrator"])
    passable(attempt)
    return True


def reports(attempt: Attempt) -> bool:
    """Any seat but the roller's; no nonce is missing but the roller's, whose time has run out."""
    withholds(attempt)
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
    """A narrator who sees the roll, for whose next throw no nonce is bound."""
    narrates(attempt)
    must_be_unbound(attempt.known_roll)
    return True


def withdraws(attempt: Attempt) -> bool:
    """The roller's seat, for whose throw no nonce is bound."""
    must_own(attempt.table, attempt.seat, attempt.known_roll.roll.character)
    must_be_unbound(attempt.known_roll)
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
        raise Refused("unknown", why, allowed=[f"against={seq}" for seq in made[-1:]])
    if made and against != made[-1]:
        why = f"entry {made[-1]} is a ruling on roll {roll.number}, and this would contradict it"
        raise Refused("history", why, allowed=[f"against={made[-1]}"])


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
        *(throws_next, asked, passes_over, reports, reveals, anyone),
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
    "witness": asked,
    "pass_over": passes_over,
    "report_withheld": reports,
}
"""The guards of what a seat may do in a roll that is hidden from it: about its nonces alone."""


def ask_unseen(attempt: Attempt) -> None:
    """Find out whether the seat may do this in a roll that its view of the table does not have.

    Raises Refused: as `roll_of` does where there is no such roll, and for all that is about more
    than the nonces of a throw.
    """
    guard = next((guard for trigger, guard in UNSEEN.items() if trigger == attempt.trigger), None)
    if attempt.trigger == "rule":
        rules_unseen(attempt)
    if guard is None or attempt.binding is None:
        roll_of(attempt.table, attempt.number, attempt.seat)
    else:
        guard(attempt)


def binding_of(attempt: Attempt) -> Binding:
    """The nonce bound for the roll's next throw. Raises Refused("nonce") where there is none."""
    if attempt.binding is None:
        throw = f"throw {attempt.roll.throws}" if attempt.roll else "the next throw"
        why = f"no nonce is bound for {throw} of roll {attempt.number}"
        raise Refused("nonce", why, allowed=["commit_nonce"])
    return attempt.binding


def must_be_bound(attempt: Attempt, nonce: str) -> None:
    """Refuse with "nonce" another nonce than the one bound for the roll's next throw."""
    roll, bound = attempt.known_roll, binding_of(attempt).nonce_commit
    if nonce_commitment(throw_id(attempt.table.id, roll.number, roll.throws), nonce).hex() != bound:
        raise Refused("nonce", f"nonce {nonce} is not the bound one", allowed=[bound])


def must_be_unbound(roll: RollState) -> None:
    """Refuse with "nonce" while a nonce is bound for the roll's next throw.

    Anybody who holds it, and the seed, may know by now what will come: nothing is put right before.
    """
    if roll.binding is not None:
        why = f"a nonce is bound for throw {roll.throws} of roll {roll.number}, which comes first"
        raise Refused("nonce", why, allowed=["roll or reroll", "void"])


def passable(attempt: Attempt) -> tuple[str, ...]:
    """The silent seats that may be passed over now: all of them, or before the time those who left.

    Raises Refused: "nonce" where nobody is silent, "due" with the seconds to wait.
    """
    binding = binding_of(attempt)
    if not binding.silent:
        why = f"every seat asked for throw {binding.throw} of roll {attempt.number} is heard"
        raise Refused("nonce", why, allowed=["roll or reroll"])
    if attempt.now >= binding.until:
        return binding.silent
    gone = tuple(seat for seat in binding.silent if not here(attempt.table, seat))
    if not gone:
        raise _early(attempt, binding, f"{_named(binding.silent)} may still give a nonce")
    return gone


def withholds(attempt: Attempt) -> Binding:
    """The nonce bound by a roller who was given every other one and did not throw in time.

    Raises Refused: "nonce" where the throw waits for others, or was reported; "not-yours" for the
    roller; "due" with the seconds to wait.
    """
    binding = binding_of(attempt)
    place = f"throw {binding.throw} of roll {attempt.number}"
    if attempt.seat == binding.seat:
        why = f"seat {attempt.seat!r} would report itself; {place} is its own to make"
        raise Refused("not-yours", why, allowed=["roll or reroll"])
    if binding.reported:
        why = f"{_named((binding.seat,))} was reported for {place} already"
        raise Refused("nonce", why, allowed=["once a throw"])
    if binding.silent:
        why = f"{place} waits for {_named(binding.silent)}"
        raise Refused("nonce", why, allowed=["witness", "pass_over"])
    if attempt.now < binding.until:
        raise _early(attempt, binding, f"{_named((binding.seat,))} may still make {place}")
    return binding


def _early(attempt: Attempt, binding: Binding, why: str) -> Refused:
    left = -((attempt.now - binding.until) // 1_000)  # rounded up
    return Refused("due", f"{why}, for {left} s", allowed=[f"in {left} s"])


def _named(seats: tuple[str, ...]) -> str:
    return f"seat {', '.join(map(repr, seats))}"
