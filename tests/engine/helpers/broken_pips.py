"""The tests' own system with one thing wrong in it at a time, and the law that this breaks."""

from collections.abc import Callable
from itertools import count as counting
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from tests.engine.helpers import pips
from tests.engine.helpers.pips import PIPS
from urim.errors import Refused
from urim.events.base import Effect
from urim.rules.figures import Figure
from urim.rules.forms import field
from urim.rules.readings import reading
from urim.rules.ruleset import (
    Damage,
    Offer,
    Outcome,
    Roll,
    Ruleset,
    Scored,
    Sheet,
    Sheets,
    Track,
)


def offering(change: Callable[[Roll, Offer], Offer | None], **where: Any) -> Ruleset:
    """The system with the offers that match `where` changed, or (None) left out."""

    def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
        found: list[Offer] = []
        for offer in pips.offers(roll, sheet):
            matches = all(getattr(offer, name) == value for name, value in where.items())
            changed = change(roll, offer) if matches else offer
            found += [changed] if changed else []
        return tuple(found)

    return replace(PIPS, offers=offers)


def spoken(key: str, text: str | None) -> Ruleset:
    """The system with another word, or without one."""
    words = {name: said for name, said in PIPS.words["en"].items() if name != key}
    return replace(PIPS, words={"en": words if text is None else {**words, key: text}})


def skill_by_target(
    options: pips.Options, declaration: pips.Declaration, sheet: Sheet, link: str | None
) -> tuple[pips.Declaration, tuple[Effect, ...]]:
    """Settling that fills in a field by another one, which may be corrected."""
    skill = declaration.skill or declaration.target + 1
    return replace(declaration, skill=skill), ()


def putting(**changes: Any) -> Callable[[Roll, Offer], Offer]:
    """Other values in an offer's fields."""
    return lambda roll, offer: replace(offer, **changes)


def with_outcome(change: Callable[[Outcome], Outcome]) -> Ruleset:
    """The system with its outcomes changed."""
    return replace(PIPS, outcome=lambda roll: change(pips.outcome(roll)))


calls = counting()


def moody(outcome: Outcome) -> Outcome:
    """Another margin every time."""
    return replace(outcome, margin=next(calls))


def without_room(roll: Roll, sheet: Sheets) -> Damage:
    """Damage that a track has no room for."""
    found = pips.damage(roll, sheet)
    more = tuple(replace(each, delta=each.delta + 9) for each in found.effects)
    return replace(found, effects=more)


def failing(roll: Roll) -> Outcome:
    """A figure that is not there."""
    raise KeyError(roll.character)


def refusing(*given: object) -> Any:
    """A refusal, whatever is asked."""
    raise Refused("not-offered", "no")


def remembering() -> Ruleset:
    """Damage that depends on how many tables were opened by then: on what is in no log."""
    opened: list[None] = []

    def tracks(options: Any) -> Any:
        opened.append(None)
        return pips.tracks(options)

    def damage(roll: Roll, sheet: Sheets) -> Any:
        done = pips.damage(roll, sheet)
        return replace(done, effects=(Effect(done.target, "hurt", 1 + len(opened) % 7),))

    return replace(PIPS, tracks=tracks, damage=damage)


def counting_declarations() -> Ruleset:
    """Offers with a note that depends on how often anything was declared."""
    declared: list[None] = []

    def settle(*given: Any) -> Any:
        declared.append(None)
        return pips.settle(*given)

    def offers(roll: Roll, sheet: Sheets) -> tuple[Offer, ...]:
        note = str(len(declared))
        return tuple(replace(offer, note=note) for offer in pips.offers(roll, sheet))

    return replace(PIPS, settle=settle, offers=offers)


def by_turns(*answers: Any) -> Callable[[Any], Any]:
    """Another answer every time."""
    given = counting()
    return lambda options: answers[next(given) % len(answers)]


def keeping() -> Ruleset:
    """Outcomes that keep every roll they were asked about."""
    kept: list[Roll] = []

    def outcome(roll: Roll) -> Outcome:
        kept.append(roll)
        return pips.outcome(roll)

    return replace(PIPS, outcome=outcome)


def one_for_all() -> Ruleset:
    """Outcomes that share one object for their figures, filled again each time."""
    figures: dict[str, Any] = {}

    def outcome(roll: Roll) -> Outcome:
        found = pips.outcome(roll)
        figures.update(found.figures, asked=figures.get("asked", 0) + 1)
        return replace(found, figures=figures)

    return replace(PIPS, outcome=outcome)


def scribbling(options: Any, declaration: Any, sheet: Sheet, link: str | None) -> Any:
    """A sheet that is written on."""
    attributes: Any = sheet.attributes
    attributes["seen"] = 1
    return pips.settle(options, declaration, sheet, link)


def too_early(roll: Roll) -> Outcome:
    """An outcome that looks for dice before they are thrown."""
    hand: Any = roll.hand(pips.MAIN)
    dice = len(hand.dice)
    return replace(pips.outcome(roll), margin=dice)


def once_only(roll: Roll, sheet: Sheets) -> Any:
    """Damage that is refused when it is asked for again."""
    if roll.damaged:
        raise Refused("not-offered", "it was done")
    return pips.damage(roll, sheet)


def unhurt_only(roll: Roll, sheet: Sheets) -> Any:
    """Damage that is refused on a sheet as it may be once other rolls are voided."""
    if roll.damaged and sheet(roll.declaration.victim).tracks.get("hurt") == 9:
        raise Refused("not-offered", "hurt enough")
    return pips.damage(roll, sheet)


def at_somebody(roll: Roll) -> Outcome:
    """An outcome that costs the victim something, named or not."""
    found = pips.outcome(roll)
    victim = roll.declaration.victim
    gone = (Effect(victim, "breath", -1),) if victim else ()
    return replace(found, effects=(*found.effects, *gone))


class Changeable(Struct, kw_only=True):
    """A declaration that can be changed."""

    dice: int = 3


class Within(Struct, frozen=True):
    """A declaration with something in it that can be changed."""

    parts: tuple[Changeable, ...] = ()
    by_name: dict[str, Changeable | None] = {}


class Touchy(pips.Declaration, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A declaration that cannot be read once it is settled."""

    skill: Annotated[int, Meta(le=0), field("Skill", "The rating that counts.")] = 0


class Unbounded(pips.Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reading with a value beyond its own bounds."""

    size: Annotated[int, reading("x", heading="x", assumed="", others=(9,), le=3)] = 1


class Idle(pips.Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reading that decides nothing."""

    colour: Annotated[bool, reading("x", heading="x", assumed="")] = True


class Eager(pips.Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reading that acts before the outcome, which does not look at it."""

    eager: Annotated[bool, reading("x", heading="x", assumed="")] = True


def acting(**functions: Any) -> Ruleset:
    """The system with that reading, and functions in which it acts."""
    return replace(PIPS, Options=Eager, **functions)


def eagerly_settled(options: Any, declaration: Any, sheet: Sheet, link: str | None) -> Any:
    """A target that is 1 lower."""
    settled, price = pips.settle(options, declaration, sheet, link)
    return replace(settled, target=max(1, settled.target - options.eager)), price


def eagerly_answered(roll: Roll, reaction: Any, sheet: Sheet) -> Any:
    """One die, whatever was wished."""
    return (replace(reaction, dice=1) if roll.options.eager else reaction), ()


def eagerly_followed(declaration: Any, link: str, parent: Roll) -> Any:
    """Another target than the parent's."""
    completed, dice = pips.follow(declaration, link, parent)
    return (replace(completed, target=1) if parent.options.eager else completed), dice


def eagerly_thrown(roll: Roll, offer: Offer) -> Offer:
    """Sixes are thrown again at once."""
    return replace(offer, again=(6,)) if roll.options.eager else offer


def eagerly_rerolled(roll: Roll, offer: Offer) -> Offer | None:
    """A reroll that is not offered otherwise."""
    return offer if roll.options.eager else None


def frozen_too(roll: Roll, offer: Offer) -> Offer:
    """A reroll of every die, frozen or not."""
    hand = roll.hand(offer.hand)
    return replace(offer, dice=tuple(die.id for die in hand.dice) if hand else ())


def due_for_ever(roll: Roll, offer: Offer) -> Offer:
    """A choice in the place of the end, again and again."""
    name = f"choice {len(roll.choices)}"
    return Offer(trigger="adjust", character=offer.character, due=True, choice=name, options=("a",))


BROKEN: dict[str, tuple[str, Ruleset]] = {
    "a reading beyond its own bounds": ("options", replace(PIPS, Options=Unbounded)),
    "damage beyond its track": ("spent", replace(PIPS, damage=without_room)),
    "an outcome that fails": ("raises", replace(PIPS, outcome=failing)),
    "an outcome by mood": ("pure", with_outcome(moody)),
    "a tally of nothing": ("tally", replace(PIPS, tally=lambda roll, hand, faces, left: 0)),
    "a score of its own": ("score", replace(PIPS, score=lambda roll: Scored("success", 99))),
    "a reach of nothing": ("reach", replace(PIPS, reach=lambda roll, hand: ())),
    "dice of no kind": ("offers", offering(putting(dice=("d7",)), trigger="roll", options=())),
    "a throw that never ends": ("offers", offering(putting(again=range(1, 7)), trigger="roll")),
    "a hand thrown twice": ("offers", offering(putting(hand="main"), trigger="roll", hand="help")),
    "more dice than there are": (
        "offers",
        offering(putting(options=(9,)), link="", hand="main", trigger="roll"),
    ),
    "a reroll of frozen dice": ("offers", offering(frozen_too, trigger="reroll")),
    "a reroll of no die": ("offers", offering(putting(most=0, extra=0), trigger="reroll")),
    "a reroll of more dice than it may be": (
        "offers",
        offering(putting(least=9), trigger="reroll"),
    ),
    "a reroll of no die at least": ("offers", offering(putting(least=0), trigger="reroll")),
    "a price beyond the purse": ("offers", offering(putting(extra_cost=("breath", 99)), extra=1)),
    "a price on no track": ("offers", offering(putting(extra_cost=("gold", 0)), extra=1)),
    "a die of another hand": ("offers", offering(putting(dice=("d99",)), trigger="freeze")),
    "a hand that is not there": ("offers", offering(putting(hand="left"), trigger="freeze")),
    "an adjustment of nothing": ("offers", offering(putting(most=0), means="nudge")),
    "a nameless adjustment": ("offers", offering(putting(means=""), means="nudge")),
    "a face that no die has": (
        "offers",
        offering(lambda r, o: replace(o, to={die: {7: 1} for die in o.dice}), means="nudge"),
    ),
    "nothing to choose": ("offers", offering(putting(options=()), choice="luck")),
    "a number to choose": ("offers", offering(putting(options=(1, 2)), choice="luck")),
    "nobody's end": ("offers", offering(putting(character=""), trigger="resolve")),
    "a stranger": ("involves", offering(putting(character="c9"), trigger="resolve")),
    "a helper that is not named": (
        "involves",
        replace(PIPS, involves=lambda declared: tuple(filter(None, [declared.victim]))),
    ),
    "a victim that is not named": (
        "involves",
        replace(PIPS, involves=lambda declared: tuple(filter(None, [declared.helper]))),
    ),
    "an effect on somebody who is not named": (
        "involves",
        replace(
            PIPS,
            outcome=at_somebody,
            involves=lambda declared: tuple(filter(None, [declared.helper])),
        ),
    ),
    "a declaration that can be changed": ("frozen", replace(PIPS, Declaration=Changeable)),
    "a part that can be changed": ("frozen", replace(PIPS, Reaction=Within)),
    "a field that is settled and not there": ("record", replace(PIPS, settled=("luck",))),
    "a rule for what is never offered": (
        "record",
        replace(PIPS, words={"en": {"rule.flavour": "Pips|nobody is offered it"}}),
    ),
    "a version that corrected nothing": ("version", replace(PIPS, version=2)),
    "a version that is none": ("version", replace(PIPS, version=0)),
    "a degree without a sentence": ("words", spoken("reason.failure", None)),
    "a reason that is no sentence": ("words", spoken("reason.failure", "too low")),
    "a sentence with a figure that is not there": ("words", spoken("reason.failure", "{tptal}.")),
    "a sentence with a flag": ("words", spoken("reason.success", "It was {luck}.")),
    "a label of no figure": ("words", spoken("figure.tptal", "total")),
    "a unit that counts nothing": ("words", spoken("unit.pip", "pip|pips")),
    "a clause of no value": ("words", spoken("reading.tie.draw", "a tie is a draw")),
    "a reading without a clause": ("words", spoken("reading.tie", None)),
    "a field that stays as it was filled in": (
        "settled",
        replace(PIPS, settle=skill_by_target, settled=()),
    ),
    "a rule without a heading": (
        "record",
        replace(PIPS, words={"en": {"rule.roll": "all dice are thrown"}}),
    ),
    "a figure of nobody's": (
        "record",
        replace(PIPS, figures={**PIPS.figures, "total": Figure(whose="the roler")}),
    ),
    "a die without faces": ("record", replace(PIPS, faces=lambda options: {"d6": ()})),
    "a track upside down": (
        "record",
        replace(PIPS, tracks=lambda options: {"breath": Track(least=2, most=1)}),
    ),
    "faces by turns": (
        "derived",
        replace(PIPS, faces=by_turns({"d6": (1, 2)}, {"d6": (1, 2, 3)})),
    ),
    "tracks by turns": (
        "derived",
        replace(PIPS, tracks=by_turns({"breath": Track()}, {"breath": Track(most=1)})),
    ),
    "an outcome that waits for dice": ("raises", replace(PIPS, outcome=too_early)),
    "an outcome that is none": ("answers", replace(PIPS, outcome=lambda roll: None)),
    "figures that no log can hold": (
        "figures",
        with_outcome(lambda o: replace(o, figures={**o.figures, "both": (1, 2)})),
    ),
    "a figure that is not declared": (
        "figures",
        with_outcome(lambda o: replace(o, figures={**o.figures, "mood": 1})),
    ),
    "a figure of two numbers": (
        "figures",
        with_outcome(lambda o: replace(o, figures={**o.figures, "skill": [2, 1]})),
    ),
    "a number of another size": (
        "figures",
        with_outcome(lambda o: replace(o, figures={**o.figures, "skill": 7})),
    ),
    "a number in no sum": ("figures", replace(PIPS, sums=lambda o: pips.sums(o)[1:])),
    "a margin without a sum": ("figures", replace(PIPS, sums=lambda o: pips.sums(o)[:1])),
    "a figure without its dice": ("figures", replace(PIPS, counts=lambda roll: {"pips": ()})),
    "damage without sums": ("figures", replace(PIPS, damage_sums=lambda damage: ())),
    "damage only once": ("fits", replace(PIPS, damage=once_only)),
    "damage on some sheets only": ("answers", replace(PIPS, damage=unhurt_only)),
    "a roll that is kept": ("leaves", keeping()),
    "an answer that is filled again": ("leaves", one_for_all()),
    "a sheet that is written on": ("leaves", replace(PIPS, settle=scribbling)),
    "offers by mood": (
        "pure",
        offering(lambda roll, offer: replace(offer, note=str(next(calls))), trigger="roll"),
    ),
    "offers by memory": ("pure", counting_declarations()),
    "a state that cannot": (
        "offers",
        offering(
            putting(trigger="freeze", hand="main", dice=("d1",)),
            trigger="roll",
            link="",
            hand="main",
        ),
    ),
    "a choice too long to make": ("fits", offering(putting(options=("x" * 201,)), choice="luck")),
    "damage that is refused": ("fits", replace(PIPS, damage=refusing)),
    "an outcome that is refused": ("fits", replace(PIPS, outcome=refusing)),
    "a die named twice": ("offers", offering(putting(dice=("d1", "d1")), trigger="reroll")),
    "no end": ("goes-on", offering(lambda roll, offer: None, trigger="resolve")),
    "an end that recedes": ("goes-on", offering(due_for_ever, trigger="resolve")),
    "due when all is over": ("goes-on", offering(putting(due=True), trigger="apply_damage")),
    "offers refused": ("goes-on", offering(refusing, trigger="resolve")),
    "a memory of its own": ("replays", remembering()),
    "a declaration not to be read again": ("evolves", replace(PIPS, Declaration=Touchy)),
    "an effect on no track": (
        "raises",
        with_outcome(lambda o: replace(o, effects=(Effect("c1", "gold", 1),))),
    ),
    "a reading that decides nothing": ("readings", replace(PIPS, Options=Idle)),
    "a reading kept back": ("listed", with_outcome(lambda o: replace(o, readings=()))),
    "a reading that acts in settle": ("listed", acting(settle=eagerly_settled)),
    "a reading that acts in answer": ("listed", acting(answer=eagerly_answered)),
    "a reading that acts in follow": ("listed", acting(follow=eagerly_followed)),
    "a reading that acts in a throw": (
        "listed",
        acting(offers=offering(eagerly_thrown, trigger="roll", hand=pips.MAIN, link="").offers),
    ),
    "a reading that acts in a reroll": (
        "listed",
        acting(offers=offering(eagerly_rerolled, trigger="reroll").offers),
    ),
    "a reading made up": (
        "listed",
        with_outcome(lambda o: replace(o, readings=(*o.readings, "mood"))),
    ),
}
"""What is wrong -> the law that the kit should name, and the system."""
