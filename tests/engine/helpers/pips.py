"""A game of plain six-sided dice that uses every kind of offer there is: the tests' own system."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from urim.errors import Refused
from urim.events.base import Effect, Face
from urim.rules.figures import Figure, Sum, Term, Value
from urim.rules.forms import CHARACTER, field
from urim.rules.readings import Consulted, reading
from urim.rules.ruleset import (
    Damage,
    Die,
    Hand,
    Offer,
    Outcome,
    Roll,
    Ruleset,
    Sheet,
    Sheets,
    Track,
)

MAIN, HELP, SECOND = "main", "help", "2:main"
Few = Annotated[int, Meta(ge=1, le=5)]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Three readings."""

    nudge: Annotated[
        int, reading("Dice may be nudged.", heading="Luck", assumed="", others=(0, 2), ge=0, le=3)
    ] = 1
    tie: Annotated[
        Literal["win", "lose"], reading("Reach the target.", heading="Ties", assumed="Equal wins.")
    ] = "win"
    guarded: Annotated[
        bool, reading("A guard takes the blow.", heading="Blows", assumed="Guard first.")
    ] = True


class Declaration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """So many dice against a target."""

    dice: Annotated[Few, field("Dice", "How many are thrown, 1 to 5.")] = 3
    target: Annotated[int, Meta(ge=1, le=60), field("Target", "Pips needed.")] = 10
    helper: Annotated[str | None, field("Helper", "Who adds dice.", picks=CHARACTER)] = None
    victim: Annotated[str | None, field("Victim", "Who is hit.", picks=CHARACTER)] = None
    rounds: Annotated[int, Meta(ge=1, le=2), field("Rounds", "1 or 2.")] = 1
    skill: Annotated[int, field("Skill", "As on the sheet.")] = 0


class Reaction(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dice that a helper throws."""

    dice: Annotated[Few, field("Dice", "How many are thrown, 1 to 5.")] = 1


def settle(
    options: Options, declaration: Declaration, sheet: Sheet, link: str | None
) -> tuple[Declaration, tuple[Effect, ...]]:
    skill = sheet.whole("skill")
    price = min(1, sheet.tracks.get("breath", 0))
    effects = (Effect(sheet.character, "breath", -price),) if price else ()
    return replace(declaration, skill=skill), effects


def answer(
    roll: Roll, reaction: Reaction | None, sheet: Sheet
) -> tuple[Reaction | None, tuple[Effect, ...]]:
    return reaction, ()


def involves(declaration: Declaration) -> tuple[str, ...]:
    return tuple(who for who in (declaration.helper, declaration.victim) if who)


def follow(
    declaration: Declaration, link: str, parent: Roll
) -> tuple[Declaration, tuple[Die, ...]]:
    if link != "again":
        raise Refused("unknown", f"no roll follows by {link!r}", allowed=["again"])
    lying = parent.hand(MAIN)
    dice = lying.dice if lying else ()
    taken = tuple(Die(die.id, die.kind, (die.face,), die.face, die.face) for die in dice)
    return replace(declaration, target=parent.declaration.target), taken


def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
    said: Declaration = roll.declaration
    main = roll.hand(MAIN)
    if said.helper and said.helper != roll.character and said.helper not in dict(roll.reactions):
        return (Offer(trigger="react", character=said.helper, due=True),)
    if main is None:
        return (_first(roll),)
    if roll.outcome is not None:
        return _after(roll)
    found = list(_handling(roll, main, sheet(roll.character)))
    helping = dict(roll.reactions).get(said.helper or "")
    if not found and helping and roll.hand(HELP) is None:
        found.append(_throw(HELP, said.helper or "", helping.dice, due=True))
    if not found and said.rounds == 2 and roll.hand(SECOND) is None:
        found.append(_throw(SECOND, roll.character, said.dice, due=False))
    if any(die.face == 6 for die in main.dice) and "luck" not in roll.choices:
        character, choices = roll.character, ("pip", "none")
        found.append(
            Offer(trigger="adjust", character=character, due=True, choice="luck", options=choices)
        )
    return (*found, Offer(trigger="resolve", character=roll.character))


def _first(roll: Roll) -> Offer:
    numbers = tuple(range(1, roll.declaration.dice + 1))
    if roll.link == "again":
        return replace(_throw(MAIN, roll.character, roll.declaration.dice, due=True), link="again")
    return replace(_throw(MAIN, roll.character, roll.declaration.dice, due=True), options=numbers)


def _throw(hand: str, character: str, dice: int, *, due: bool) -> Offer:
    return Offer(trigger="roll", character=character, due=due, hand=hand, dice=("d6",) * dice)


def _handling(roll: Roll, hand: Hand, sheet: Sheet) -> tuple[Offer, ...]:
    """One reroll of up to two dice, a third for a breath, and a nudge."""
    free = tuple(die.id for die in hand.dice if not die.frozen)
    if not free or hand.rerolls or roll.hand(SECOND) or roll.hand(HELP):
        return ()
    every = tuple(die.id for die in hand.dice)
    breath = sheet.tracks.get("breath", 0)
    common: dict[str, Any] = {"character": roll.character, "hand": hand.name}
    most = min(2, len(free))
    extra = min(len(free) - most, breath, 1)
    found = [
        Offer(trigger="freeze", due=roll.declaration.helper in dict(roll.reactions),
              dice=every, **common),
        Offer(trigger="reroll", dice=free, most=most, extra=extra,
              extra_cost=("breath", 1) if extra else ("", 0), **common),
    ]  # fmt: skip
    if roll.options.nudge:
        to: dict[str, dict[Face, int]] = {
            die.id: {
                face: abs(face - int(die.landed)) for face in range(1, 7) if face != die.landed
            }
            for die in hand.dice
            if not die.frozen
        }
        found.append(
            Offer(trigger="adjust", dice=free, means="nudge", most=roll.options.nudge, to=to,
                  **common)
        )  # fmt: skip
    return tuple(found)


def _after(roll: Roll) -> tuple[Offer, ...]:
    assert roll.outcome is not None
    won = roll.outcome.degree == "success"
    found: list[Offer] = []
    if won and roll.declaration.victim and not roll.damaged:
        found.append(Offer(trigger="apply_damage", character=roll.character))
    if not won and roll.link is None:
        found.append(Offer(trigger="declare", character=roll.character, link="again"))
    return tuple(found)


def outcome(roll: Roll) -> Outcome:
    if roll.hand(MAIN) is None:
        raise Refused("due", "nothing lies yet", allowed=["roll"])
    opts = Consulted(roll.options)
    if any(hand.means or any(die.face != die.landed for die in hand.dice) for hand in roll.hands):
        _ = opts.nudge  # without it no die could have been nudged
    pips = sum(int(die.face) for hand in roll.hands for die in hand.dice)
    skill, target = roll.declaration.skill, roll.declaration.target
    total = pips + skill + (roll.choices.get("luck") == "pip")
    margin = total - target
    won = margin > 0 or (margin == 0 and opts.tie == "win")
    gained = (Effect(roll.character, "breath", 1),) if won else ()
    degree = "success" if won else "failure"
    figures: dict[str, Value] = {"pips": pips, "skill": skill, "total": total, "target": target}
    if roll.choices.get("luck") == "pip":
        figures["luck"] = True
    return Outcome(degree, margin, figures, opts.names, gained)


HURT_MOST = 9


def damage(roll: Roll, sheet: Sheets) -> Damage:
    if roll.outcome is None or roll.declaration.victim is None:
        raise Refused("not-offered", "nobody is hit")
    victim = sheet(roll.declaration.victim)
    opts = Consulted(roll.options)
    amount = max(0, roll.outcome.margin)
    there = victim.tracks.get("guard", 0)
    spent = min(there, amount) if amount and there and opts.guarded else 0
    hurt = min(amount - spent, HURT_MOST - victim.tracks.get("hurt", 0))
    effects = tuple(
        Effect(victim.character, track, delta)
        for track, delta in (("guard", -spent), ("hurt", hurt))
        if delta
    )
    figures: dict[str, Value] = {"guard_spent": spent, "hurt": amount - spent}
    return Damage(victim.character, amount, figures, opts.names, effects)


FIGURES = {
    "pips": Figure(heading="Luck", readings=("nudge",), dice="sum"),
    "skill": Figure(),
    "luck": Figure(form="flag", heading="Luck"),
    "total": Figure(heading="Luck"),
    "target": Figure(heading="Ties", readings=("tie",)),
    "guard_spent": Figure(heading="Blows", readings=("guarded",)),
    "hurt": Figure(heading="Blows"),
}


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    lucky = (Term("lucky_pip", constant=1),) if "luck" in outcome.figures else ()
    return (
        Sum(total="total", terms=(Term("pips"), Term("skill"), *lucky)),
        Sum(total="margin", terms=(Term("total"), Term("target", -1))),
    )


def damage_sums(damage: Damage) -> tuple[Sum, ...]:
    return (
        Sum(total="amount", terms=(Term("margin"),), least=0),
        Sum(total="hurt", terms=(Term("amount"), Term("guard_spent", -1))),
    )


def counts(roll: Roll) -> Mapping[str, tuple[str, ...]]:
    return {"pips": tuple(die.id for hand in roll.hands for die in hand.dice)}


def faces(options: Options) -> Mapping[str, tuple[Face, ...]]:
    return {"d6": (1, 2, 3, 4, 5, 6)}


def tracks(options: Options) -> Mapping[str, Track]:
    return {
        "breath": Track(most=3, start=2),
        "guard": Track(start="skill"),
        "hurt": Track(most=HURT_MOST),
    }


WORDS = {
    "reason.success": "{total} reaches {target}.",
    "reason.failure": "{total} does not reach {target}.",
    "reading.nudge": "pips that luck adds to a die: {0}",
    "reading.tie": "a total that equals the target: {0}",
    "reading.guarded": "a guard takes the blow: {0}",
}

PIPS = Ruleset(
    name="pips",
    version=1,
    title="Pips",
    source="the tests",
    triggers=("react", "roll", "freeze", "reroll", "adjust", "resolve", "apply_damage", "declare"),
    Declaration=Declaration,
    Reaction=Reaction,
    Options=Options,
    faces=faces,
    tracks=tracks,
    involves=involves,
    settle=settle,
    answer=answer,
    follow=follow,
    offers=offers,
    outcome=outcome,
    damage=damage,
    settled=("skill",),
    figures=FIGURES,
    sums=sums,
    damage_sums=damage_sums,
    counts=counts,
    words={"en": WORDS},
)
