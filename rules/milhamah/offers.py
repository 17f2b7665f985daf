"""Everything that may happen next in a roll of Milhamah, and by whom.

Opposed Rolls, in this order: the reaction; the initiator's throw, freezes, flips and rerolls; his
choice after a natural root; the same of the reactor; then what a botch gives or a blow hits.
"""

from typing import cast

from ...events.base import Face
from ..ruleset import Hand, Offer, Roll, Sheet, Sheets, awaited, opponent_of, reaction_of
from .damage import location, strikes
from .letters import (
    ALPHABET,
    CIPHERS,
    WILD,
    Kind,
    kinds_of,
    letters_on,
    opposites,
    spelling,
    spells,
)
from .options import Options, sides
from .outcome import GAINED, REWARDS
from .pool import (
    COUNTER,
    INITIATOR,
    LOCATION,
    REACTOR,
    flips_left,
    next_reroll,
    opposed,
    side_of,
)
from .score import FAILED, gains, natural, prevented, score

AFTER_NATURAL = {False: ("bonus", "merit"), True: ("prevent", "allow")}
"""The choices after a natural root, by whether the roll is opposed (The Natural Shoresh)."""


MERIT = "By another page of the author's: a Merit Point adds a die to a reroll, at most BLE."


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    """What may happen next; what is `due` must happen before `resolve`."""
    initiator = roll.hand(INITIATOR)
    if initiator is None:
        return _before(roll)
    if roll.outcome is not None:
        found = _after(roll, initiator, roll.outcome.degree, sheet)
        return (*found, *_flavours(roll, roll.hands))
    following = _next(roll, initiator, sheet)
    handled = {offer.hand for offer in following}
    closed = tuple(hand for hand in roll.hands if hand.name not in handled)
    resolve = Offer(trigger="resolve", character=roll.character)
    return (*following, resolve, *_flavours(roll, closed))


def _before(roll: Roll) -> tuple[Offer, ...]:
    """The opponent may react before the dice fall, or decline; then the initiator throws."""
    if waiting := awaited(roll, *opponent_of(roll.declaration)):
        return waiting
    taken = roll.link == COUNTER and roll.options.counter == "dice"
    return (_throw(roll, INITIATOR, roll.character, link=COUNTER if taken else ""),)


def _throw(roll: Roll, hand: str, character: str, *, link: str = "") -> Offer:
    dice = kinds_of(side_of(roll, hand).dice or {})
    return Offer(trigger="roll", character=character, due=True, hand=hand, dice=dice, link=link)


def _next(roll: Roll, initiator: Hand, sheet: Sheets) -> tuple[Offer, ...]:
    """The first step that is not finished."""
    options: Options = roll.options
    against = opposed(roll, options)
    whole = natural(roll, initiator, options)
    reactor = roll.hand(REACTOR)
    begun = roll.hand(LOCATION) is not None or not GAINED.keys().isdisjoint(roll.choices)
    if reactor is None and not begun and "natural" not in roll.choices:
        found = _handling(roll, initiator, sheet, due=against or whole)
        if found:
            return found
        if whole:
            return (_choice("natural", roll.character, AFTER_NATURAL[against]),)
    if not against:
        return ()
    if prevented(roll) or reaction_of(roll) is None:
        return _last(roll)
    if reactor is None:
        return (_throw(roll, REACTOR, roll.declaration.opponent),)
    found = () if begun else _handling(roll, reactor, sheet, due=True)
    return found or _last(roll)


def _handling(roll: Roll, hand: Hand, sheet: Sheets, *, due: bool) -> tuple[Offer, ...]:
    """Freezing, rerolling and flipping, while either of these is left; else the hand is closed."""
    free = tuple(die.id for die in hand.dice if not die.frozen)
    able = (
        *_reroll(roll, hand, free, sheet(hand.character)),
        *_cipher(roll, hand),
    )
    if not free or not able:
        return ()
    every = tuple(die.id for die in hand.dice)
    freeze = Offer(trigger="freeze", character=hand.character, due=due, hand=hand.name, dice=every)
    return (freeze, *able)


def _reroll(roll: Roll, hand: Hand, free: tuple[str, ...], sheet: Sheet) -> tuple[Offer, ...]:
    """The next reroll (Reroll chance); a Merit Point adds a die, at most as many as BLE."""
    x = next_reroll(roll, hand, roll.options)
    if x is None:
        return ()
    most = min(x, len(free))
    points = min(sheet.whole("BLE"), sheet.tracks.get("merit", 0))
    extra = max(0, min(points, len(free) - most))
    if most + extra == 0:
        return ()
    return (
        Offer(
            trigger="reroll",
            character=hand.character,
            hand=hand.name,
            dice=free,
            most=most,
            extra=extra,
            extra_cost=("merit", 1) if extra else ("", 0),
            note=MERIT if extra else "",
        ),
    )


def _cipher(roll: Roll, hand: Hand) -> tuple[Offer, ...]:
    """Unfrozen dice may be turned to the face opposite the one they fell on (Reroll chance)."""
    most = flips_left(roll, hand, roll.options)
    if most <= 0:
        return ()
    to: dict[str, dict[Face, int]] = {
        die.id: dict.fromkeys(opposites(sides(roll.options, cast(Kind, die.kind)), die.landed), 1)
        for die in hand.dice
        if not die.frozen
    }
    return (
        Offer(
            trigger="adjust",
            character=hand.character,
            hand=hand.name,
            dice=tuple(to),
            most=most,
            means="cipher",
            to=to,
            note=_ciphers(hand),
        ),
    )


def _ciphers(hand: Hand) -> str:
    """The cipher of each colour in the hand, and where that is from."""
    kinds = {die.kind for die in hand.dice}
    named = (
        f"{colour} dice turn by {name}"
        for colour, name in CIPHERS.items()
        if {f"{colour}-a", f"{colour}-b"} & kinds
    )
    return f"By another page of the author's: {', '.join(named)}."


def _last(roll: Roll) -> tuple[Offer, ...]:
    """After both hands: what a botch gives the other side, or where the blow hits."""
    options: Options = roll.options
    result = score(roll, options)
    who, choice, successes = gains(roll, result)
    if successes > 0 and choice not in roll.choices:
        most = 2 if options.botch_rewards == "both" else 1
        rewards = tuple(name for name, gained in REWARDS.items() if len(gained) <= most)
        return (_choice(choice, who, rewards),)
    if not strikes(roll, result.degree, options):
        return ()
    hand = roll.hand(LOCATION)
    if hand is None:
        rethrown = options.location_die == "wilds" and options.location_wild == "rethrow"
        return (
            Offer(
                trigger="roll",
                character=roll.character,
                due=True,
                hand=LOCATION,
                dice=(LOCATION,),
                again=(WILD,) if rethrown else (),
            ),
        )
    if location(roll, options) is None:
        return (_choice("location", roll.character, tuple(ALPHABET)),)
    return ()


def _choice(choice: str, character: str, options: tuple[Face, ...]) -> Offer:
    return Offer(trigger="adjust", character=character, due=True, choice=choice, options=options)


def _after(roll: Roll, initiator: Hand, degree: str, sheet: Sheets) -> tuple[Offer, ...]:
    """Once resolved: the damage of a blow, the counter to a failure."""
    found: list[Offer] = []
    hit = strikes(roll, degree, roll.options) and location(roll, roll.options) is not None
    if hit and not roll.damaged:
        found.append(Offer(trigger="apply_damage", character=roll.character))
    roots = _counters(roll, initiator, degree, sheet)
    if roots:
        found.append(
            Offer(
                trigger="declare",
                character=roll.declaration.opponent,
                link=COUNTER,
                choice="root",
                options=roots,
            )
        )
    return tuple(found)


def _counters(roll: Roll, initiator: Hand, degree: str, sheet: Sheets) -> tuple[str, ...]:
    """The roots of the opponent's skills that the failed dice spell (Opposed Rolls)."""
    options: Options = roll.options
    if (
        degree not in FAILED
        or reaction_of(roll) is None
        or roll.link == COUNTER
        or options.counter == "none"
        or natural(roll, initiator, options)
    ):
        return ()
    known = sheet(roll.declaration.opponent).attributes
    enough = ("wholly",) if options.counter_match == "repeats" else ("wholly", "but for repeats")
    shown = tuple(die.face for die in initiator.dice)
    roots = (spelling(root) for skill, root in options.skill_roots.items() if skill in known)
    return tuple(dict.fromkeys(root for root in roots if spells(shown, root) in enough))


def _flavours(roll: Roll, hands: tuple[Hand, ...]) -> tuple[Offer, ...]:
    """Other roots that the letters spell, for the story (Flavor)."""
    tones = ("harmless", "harmful") if roll.options.players_know_hebrew else ("harmless",)
    return tuple(
        Offer(trigger="flavour", character="", hand=hand.name, choice=tone, options=letters)
        for hand in hands
        if hand.name != LOCATION
        for letters in (letters_on([die.face for die in hand.dice]),)
        if letters
        for tone in tones
    )
