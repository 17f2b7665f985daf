"""Everything that may happen next in a roll of Scarterra, and by whom.

In this order: those asked react; each round its hands are thrown in turn; then, whenever a round is
complete, another round or the resolution; then damage, a soak, or a further try.
"""

from ..ruleset import Offer, Roll, Sheets, awaited
from .damage import can_soak, hits
from .declare import Declaration, asked
from .options import HARDLY_WORTH_ROLLING
from .outcome import FAILED
from .score import INITIATOR, Standing, hand_name, resisted, rounds, sides, standing
from .settle import again, difficulty_of, pool


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """What may happen next; what is `due` must happen before `resolve`."""
    waiting = awaited(roll, *asked(roll.declaration))
    if waiting and not roll.hands:
        return waiting
    if roll.outcome is not None:
        return _after(roll, sheet)
    return _throws(roll)


def _throws(roll: Roll) -> tuple[Offer, ...]:
    """The next hand of the round, or a further round and the resolution."""
    played = rounds(roll, roll.options)
    if not played:
        return (_throw(roll, INITIATOR, 1, due=True),)
    number = len(played)
    if played[-1].waiting:
        hand = played[-1].waiting[0].removeprefix(f"{number}:")
        return (_throw(roll, hand, number, due=True),)
    if roll.declaration.target is None:
        return (Offer(trigger="resolve", character=roll.character),)
    found = standing(roll, played, roll.options)
    note = _progress(roll, found)
    resolve = Offer(trigger="resolve", character=roll.character, note=note)
    if found.end:
        return (resolve,)
    return (_throw(roll, INITIATOR, number + 1, note=note), resolve)


def _throw(roll: Roll, hand: str, number: int, *, due: bool = False, note: str = "") -> Offer:
    character, side = sides(roll)[hand]
    idle = HARDLY_WORTH_ROLLING.get(difficulty_of(roll, side, roll.options))
    return Offer(
        trigger="roll",
        character=character,
        due=due,
        hand=hand_name(hand, number),
        dice=("d10",) * pool(side, roll.options).dice,
        note=note or (f"Hardly worth rolling: {idle.example}." if idle else ""),
    )


def _progress(roll: Roll, found: Standing) -> str:
    """How far an extended roll is, a sentence."""
    target, deadline = roll.declaration.target, roll.declaration.deadline
    after = (
        f"after {len(found.totals)} of {deadline} rolls"
        if deadline
        else (f"after {len(found.totals)} roll{'s' if len(found.totals) > 1 else ''}")
    )
    if not resisted(roll, roll.options):
        ruined = ", ruined" if found.end == "ruined" else ""
        return f"{found.total} of {target} successes {after}{ruined}."
    if found.sums:
        ours, theirs = found.sums[-1]
        return f"{ours} against {theirs} of {target} successes {after}."
    if not found.total:
        return f"Neither side leads {after}; {target} are needed."
    side = "initiator" if found.total > 0 else "opponent"
    return f"The {side} leads by {abs(found.total)} of {target} {after}."


def _after(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """Once resolved: damage and the soak of a hit, or a further try of what failed."""
    declared: Declaration = roll.declaration
    hit = hits(roll)
    found: list[Offer] = []
    if (hit or declared.blow is not None) and not roll.damaged:
        found.append(Offer(trigger="apply_damage", character=roll.character))
        found.extend(_soak(roll, sheet) if hit else ())
    # Reflexive rolls answer events: there is nothing to decide to try again (Reflexive Dice Rolls).
    failed = roll.outcome is not None and roll.outcome.degree in FAILED
    if failed and not declared.combat and not declared.reflexive:
        harder = difficulty_of(roll, again(declared), roll.options)
        note = f"The next try is at difficulty {harder}."
        found.append(Offer(trigger="declare", character=roll.character, link="again", note=note))
    return tuple(found)


def _soak(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """The victim of a hit may soak it, if it has dots to soak with (Reflexive Dice Rolls)."""
    victim = sheet(roll.declaration.opponent)
    by = roll.declaration.soak or roll.options.soak_by
    if not can_soak(victim, by):
        return ()
    note = f"Soaked with {by}, at difficulty {roll.options.soak_difficulty}."
    return (Offer(trigger="declare", character=victim.character, link="soak", note=note),)
