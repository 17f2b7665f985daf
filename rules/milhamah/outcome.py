"""The outcome of a Milhamah roll, with a figure for every step that led to it."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from ...events.base import Effect
from ..figures import Value
from ..readings import Consulted
from ..ruleset import Hand, Outcome, Roll, Scored, declined, reaction_of
from .damage import LOCATIONS, location, strikes
from .declare import CIRCUMSTANCES, Declaration, Reaction
from .letters import spelling, spells
from .pool import (
    COUNTER,
    INITIATOR,
    LOCATION,
    REACTOR,
    Pool,
    ahead,
    compared,
    given_by,
    pool,
    root_of,
    side_of,
    wanted,
)
from .score import FAILED, Reply, Score, Target, gains, prevented, score

Figures: TypeAlias = dict[str, Value]

SUPPLY_LEAST = 4  # no table has fewer dice of a colour
COLOURS_USUAL = 2  # "The basic roll mechanic"

ADVANTAGES: Mapping[str, tuple[str, ...]] = {
    INITIATOR: ("x_advantage", "advantage"),
    REACTOR: ("opponent_x_advantage", "opponent_advantage"),
}
"""What the advantage of each side's total can add to: the dice of its X, or its successes."""

REWARDS: Mapping[str, tuple[str, ...]] = {
    "both": ("xr", "pocket"),
    "xr": ("xr",),
    "pocket": ("pocket",),
    "none": (),
}
"""The tracks that grow by successes after the other side's botch, by what is chosen."""

GAINED: Mapping[str, str] = {"reward": "xr", "gain": "opponent_xr"}
"""The figure of these successes, by the choice: of the opponent, or of the initiator."""


def outcome(roll: Roll) -> Outcome:
    """The outcome of the faces shown now, its figures as `figures.py` declares them.

    Their order is that in which they explain the roll. Raises Refused before the first throw.
    """
    opts = Consulted(roll.options)
    result = score(roll, opts)
    figures = _own(roll, result, opts)
    if isinstance(result.against, Reply):
        figures |= _replied(roll, result.against, opts)
        figures |= _compared(roll, figures, opts)
        figures |= _counted_already(roll, figures, opts)
    else:
        figures |= _needed(roll.declaration, result.against, opts)
    if away := declined(roll):
        figures["declined"] = list(away)
    figures["target"] = result.target
    figures |= _chosen(roll, result)
    letter = location(roll, opts)
    if letter is not None:
        figures |= {"letter": letter, "location": LOCATIONS[letter]}
    if roll.declaration.idle:
        figures["lapsed"] = roll.declaration.idle if opts.pocket_lapses else 0
    effects = _effects(roll, result, opts)
    _acted(roll, result, opts)
    return Outcome(result.degree, result.margin, figures, opts.names, effects)


def scored(roll: Roll) -> Scored:
    """What `outcome` says without its figures; refused where it is."""
    result = score(roll, roll.options)
    return Scored(result.degree, result.margin, _effects(roll, result, roll.options))


def _own(roll: Roll, result: Score, opts: Any) -> Figures:
    """The initiator's X and successes."""
    hand = roll.hand(INITIATOR)
    own = pool(roll, INITIATOR, opts)
    against = isinstance(result.against, Reply)
    return {
        "root": root_of(roll, INITIATOR),
        "rating": own.rating,
        **_given(roll, INITIATOR, "r"),
        **({"xr_used": roll.declaration.xr} if roll.declaration.xr else {}),
        "x_gained": own.gained,
        **(_named(roll.declaration, opts) if against else {}),
        "x_modifiers": own.modifiers,
        "total": own.total,
        "x_advantage": own.advantage,
        **(_circumstances(roll.declaration, opts) if against else {}),
        "x_circumstances": own.circumstances,
        "x": own.x,
        "rerolls": hand.rerolls if hand else 0,
        "letters": result.letters,
        "wilds": result.wilds,
        "pocketed": result.pocketed,
        "advantage": result.advantage,
        "before_bonus": result.before_bonus,
        "natural": result.natural,
        "bonus": result.bonus,
        "first_roll_bonus": result.first_roll_bonus,
        "successes": result.successes,
    }


def _needed(declaration: Declaration, target: Target, opts: Any) -> Figures:
    """What an unopposed roll must beat."""
    return {
        "difficulty": target.difficulty,
        **_named(declaration, opts),
        "modifiers": target.modifiers,
        **_circumstances(declaration, opts),
        "circumstances": target.circumstances,
    }


def _replied(roll: Roll, reply: Reply, opts: Any) -> Figures:
    """The opponent's X and successes; of one that declined in combat there are none."""
    if reaction_of(roll) is None:
        return {"opponent": roll.declaration.opponent, "prevented": prevented(roll)}
    theirs = pool(roll, REACTOR, opts)
    return {
        "opponent": roll.declaration.opponent,
        "opponent_root": root_of(roll, REACTOR),
        "opponent_rating": theirs.rating,
        **_given(roll, REACTOR, "opponent_r"),
        **_answered(side_of(roll, REACTOR), theirs, opts),
        "opponent_total": theirs.total,
        "opponent_x_advantage": theirs.advantage,
        "opponent_x": theirs.x,
        "opponent_letters": reply.letters,
        "opponent_bonus": reply.bonus,
        "opponent_advantage": reply.advantage,
        "prevented": prevented(roll),
    }


def _compared(roll: Roll, figures: Figures, opts: Any) -> Figures:
    """What both sides compare, where that is another number than their total."""
    if reaction_of(roll) is None:
        return {}
    ours, theirs = compared(roll, INITIATOR, opts)
    found = {"": ours, "opponent_": theirs}
    return {f"{of}compared": n for of, n in found.items() if n != figures[f"{of}total"]}


def _given(roll: Roll, hand: str, name: str) -> Figures:
    """The R of each status of a side."""
    return {f"{name}:{status}": dice for status, dice in given_by(side_of(roll, hand)).items()}


def _answered(side: Declaration | Reaction, theirs: Pool, opts: Any) -> Figures:
    """The named modifiers of the opponent's side, where there are some."""
    named = {f"opponent_modifier:{name}": by for name, by in (side.modifiers or {}).items() if by}
    if not named:
        return {}
    sized = _sized("opponent_modifier_step", named, _step(named, opts))
    return {**sized, "opponent_x_modifiers": theirs.modifiers}


def _named(declaration: Declaration, opts: Any) -> Figures:
    """The named modifiers in steps, and what a step is worth where that is not 1."""
    steps = {f"modifier:{name}": by for name, by in declaration.modifiers.items() if by}
    return _sized("modifier_step", steps, _step(steps, opts))


def _step(steps: dict[str, int], opts: Any) -> int:
    return opts.difficulty_step if sum(steps.values()) else 1


def _circumstances(declaration: Declaration, opts: Any) -> Figures:
    """The circumstances of an attack in steps, and what a step is worth where that is not 1."""
    steps = {f"circumstance:{name}": CIRCUMSTANCES[name] for name in declaration.circumstances}
    return _sized("circumstance_step", steps, opts.combat_step if sum(steps.values()) else 1)


def _sized(name: str, steps: dict[str, int], size: int) -> Figures:
    return {**steps, **({name: size} if size != 1 else {})}


def _counted_already(roll: Roll, figures: Figures, opts: Any) -> Figures:
    """What the higher total gained and counts once, where the advantage is more or less for it."""
    for hand, names in ADVANTAGES.items():
        lead, already = ahead(roll, hand, opts)
        if already and (lead <= already or any(figures[name] for name in names)):
            return {"counted_already": already}
    return {}


def _chosen(roll: Roll, result: Score) -> Figures:
    """What was chosen after a natural root, or after a botch, and what that is worth.

    A botch's severity is its Wilds; opposed, the other side may gain by it (The final results).
    """
    found: dict[str, Value | None] = {}
    if result.natural:
        found["natural_choice"] = roll.choices.get("natural")
    if result.degree == "botch":
        found["severity"] = result.wilds
    if isinstance(result.against, Reply):
        found["opponent_severity"] = result.against.botch
    _, choice, successes = gains(roll, result)
    if choice:
        found |= {GAINED[choice]: successes, choice: roll.choices.get(choice)}
    return {name: value for name, value in found.items() if value is not None}


def _effects(roll: Roll, result: Score, opts: Any) -> tuple[Effect, ...]:
    """A natural root's Merit Point (The Natural Shoresh), or what a botch gives the opponent."""
    against = isinstance(result.against, Reply)
    if result.natural and not against and roll.choices.get("natural") == "merit":
        return (Effect(roll.character, "merit", 1),)
    who, choice, successes = gains(roll, result)
    if not successes:
        return ()
    rewards = REWARDS[roll.choices.get(choice, "none")]
    if len(rewards) > 1 and opts.botch_rewards == "one":
        rewards = rewards[:1]  # both cannot have been chosen under this reading; one is left
    return tuple(Effect(who, track, successes) for track in rewards)


def _acted(roll: Roll, result: Score, opts: Consulted) -> None:
    """Which readings decided before the score, when the roll was settled, or decide what follows.

    How many dice there are; a flip; a throw without dice; which die was thrown for the place; what
    a counter starts from; whether a failure may be countered; whether a success wounds.
    """
    for hand in roll.hands:
        if hand.name == LOCATION:
            opts.used("location_die")  # another one falls on other letters
            continue
        if _flipped(hand):
            opts.used("cipher_dice")
        if not hand.dice:
            opts.used("no_dice")
        if not hand.taken and _supplied(roll, hand.name):
            opts.used("supply")
    if roll.link == COUNTER or _countered(roll, result, opts):
        opts.used("counter")
    _ = strikes(roll, result.degree, opts)


def _flipped(hand: Hand) -> bool:
    """Whether a die of the hand was turned by a cipher, now or before a later throw."""
    return "cipher" in hand.means or any(die.face != die.landed for die in hand.dice)


def _supplied(roll: Roll, hand: str) -> bool:
    """Whether the number of dice that there are of a colour decided what was thrown.

    It did where there were fewer than wanted, where a third colour came in, and where one colour
    has more than the least supply.
    """
    side = side_of(roll, hand)
    dice = side.dice or {}
    fewer = sum(dice.values()) < wanted(side)
    return fewer or len(dice) > COLOURS_USUAL or max(dice.values(), default=0) > SUPPLY_LEAST


def _countered(roll: Roll, result: Score, opts: Consulted) -> bool:
    """Whether the dice of a failure spell the root of a skill: one that may know it may counter.

    A root that they spell but for repeats is one only by a reading, which decides then too.
    """
    hand = roll.hand(INITIATOR)
    if hand is None or reaction_of(roll) is None:
        return False
    if result.degree not in FAILED or result.natural:
        return False
    shown = tuple(die.face for die in hand.dice)
    found = {spells(shown, spelling(root)) for root in roll.options.skill_roots.values()}
    if "wholly" in found:
        return True
    return "but for repeats" in found and opts.counter_match == "letters"
