"""What the figures of Milhamah are, how they add up, which dice make them, and why a degree is so.

Numbers are successes or dice; of damage they are points, one for each success beyond the target.
"""

from collections.abc import Iterator, Mapping

from ..figures import Figure, Sum, Term, Value, name_of, owned
from ..ruleset import Damage, Hand, Outcome, Roll, Want
from .damage import CRITICAL, GRADES
from .letters import WILD
from .pool import INITIATOR, LOCATION, REACTOR, root_of
from .score import prevented, reactor_botch

BASIC, SUCCESSES = "The basic roll mechanic", "Successes"
REROLL, DIFFICULTY, RESULTS = "Reroll chance", "Difficulty", "The final results"
OPPOSED, COMBAT, NATURAL = "Opposed Rolls", "Combat modifiers", "The Natural Shoresh"
HIT, BOTCH = "Critical success", "Critical failure"

ADDS = ("adds_once", "xr_in")
LEAD = ("advantage_adds_to", *ADDS)
BONUS = ("natural_bonus_before_compare", "natural_bonus_opposed")
REACTOR_BOTCH = ("reactor_botch", "wild_only_botch")
FIRST = ("first_roll_natural", "first_roll_natural_bonus", "counter_first_roll")

X: Mapping[str, Figure] = {
    "root": Figure(form="letter", heading=BASIC),
    "rating": Figure(unit="die", heading=REROLL),
    "r": Figure(unit="die", heading=REROLL, parts=("name",)),
    "xr_used": Figure(unit="die", heading=RESULTS),
    "x_gained": Figure(unit="die", heading=REROLL),
    "modifier": Figure(heading=DIFFICULTY, parts=("name",)),
    "modifier_step": Figure(heading=DIFFICULTY, readings=("difficulty_step",), fact=True),
    "x_modifiers": Figure(unit="die", heading=OPPOSED, readings=("difficulty_step",)),
    "total": Figure(unit="die", heading=OPPOSED),
    "x_advantage": Figure(unit="die", heading=OPPOSED, readings=LEAD),
    "circumstance": Figure(heading=COMBAT, parts=("name",)),
    "circumstance_step": Figure(heading=COMBAT, readings=("combat_step",), fact=True),
    "x_circumstances": Figure(unit="die", heading=COMBAT, readings=("combat_step",)),
    "x": Figure(unit="die", heading=REROLL),
    "rerolls": Figure(unit="reroll", heading=REROLL, fact=True),
}
"""How many dice may be rerolled, and why."""

SCORED: Mapping[str, Figure] = {
    "letters": Figure(unit="success", heading=SUCCESSES, dice="count"),
    "wilds": Figure(unit="success", heading=SUCCESSES, dice="count"),
    "pocketed": Figure(unit="success", heading=BOTCH),
    "advantage": Figure(unit="success", heading=OPPOSED, readings=LEAD),
    "before_bonus": Figure(unit="success", heading=RESULTS),
    "natural": Figure(form="flag", heading=NATURAL, readings=("natural_counts_repeats",)),
    "bonus": Figure(unit="success", heading=NATURAL, readings=BONUS),
    "first_roll_bonus": Figure(unit="success", heading=OPPOSED, readings=FIRST),
    "successes": Figure(unit="success", heading=SUCCESSES),
}
"""The initiator's successes."""

NEEDED: Mapping[str, Figure] = {
    "difficulty": Figure(unit="success", heading=DIFFICULTY),
    "modifiers": Figure(unit="success", heading=DIFFICULTY, readings=("difficulty_step",)),
    "circumstances": Figure(unit="success", heading=COMBAT, readings=("combat_step",)),
    "opponent": Figure(form="character", heading=OPPOSED),
    "opponent_root": Figure(form="letter", heading=OPPOSED),
    "opponent_rating": Figure(unit="die", heading=OPPOSED),
    "opponent_r": Figure(unit="die", heading=REROLL, parts=("name",)),
    "opponent_modifier": Figure(heading=DIFFICULTY, parts=("name",)),
    "opponent_modifier_step": Figure(heading=DIFFICULTY, readings=("difficulty_step",), fact=True),
    "opponent_x_modifiers": Figure(unit="die", heading=OPPOSED, readings=("difficulty_step",)),
    "opponent_total": Figure(unit="die", heading=OPPOSED),
    "opponent_x_advantage": Figure(unit="die", heading=OPPOSED, readings=LEAD),
    "opponent_x": Figure(unit="die", heading=REROLL),
    "opponent_letters": Figure(unit="success", heading=SUCCESSES, dice="count"),
    "opponent_bonus": Figure(
        unit="success",
        heading=NATURAL,
        readings=("natural_bonus_opposed", "natural_counts_repeats", "reactor_natural"),
    ),
    "opponent_advantage": Figure(unit="success", heading=OPPOSED, readings=LEAD),
    "prevented": Figure(form="flag", heading=NATURAL),
    "compared": Figure(unit="die", heading=OPPOSED, readings=("adds_once",), whose="roller"),
    "opponent_compared": Figure(unit="die", heading=OPPOSED, readings=("adds_once",)),
    "counted_already": Figure(unit="die", heading=RESULTS, readings=ADDS),
    "declined": Figure(form="characters", heading=OPPOSED, readings=("declined",)),
    "target": Figure(unit="success", heading=RESULTS),
}
"""What they must be more than."""

AFTER: Mapping[str, Figure] = {
    "margin": Figure(unit="success", heading=RESULTS),
    "natural_choice": Figure(form="name", heading=NATURAL),
    "severity": Figure(unit="wild", heading=RESULTS),
    "xr": Figure(unit="success", heading=RESULTS),
    "reward": Figure(form="name", heading=BOTCH, readings=("botch_rewards",)),
    "opponent_severity": Figure(
        unit="wild", heading=RESULTS, readings=REACTOR_BOTCH, dice="count", counts="against"
    ),
    "opponent_xr": Figure(unit="success", heading=RESULTS),
    "gain": Figure(form="name", heading=BOTCH, readings=("botch_rewards",)),
    "letter": Figure(form="letter", heading=HIT, readings=("location_die", "location_wild")),
    "location": Figure(form="name", heading=HIT),
    "lapsed": Figure(unit="success", heading=BOTCH, readings=("pocket_lapses",), fact=True),
}
"""What follows from the degree, or was chosen."""

HURT: Mapping[str, Figure] = {
    "raw": Figure(unit="point", heading=HIT),
    "armour": Figure(unit="point", heading=HIT),
    "armour_spent": Figure(unit="point", heading=HIT),
    "soak": Figure(unit="point", heading=HIT, readings=("soak_start",)),
    "soak_spent": Figure(unit="point", heading=HIT),
    "through": Figure(unit="point", heading=HIT),
    "room": Figure(unit="wound", heading=HIT, readings=("wound_track",), parts=("name",)),
    "wounds": Figure(unit="wound", heading=HIT, parts=("name",)),
    "overflow": Figure(unit="point", heading=HIT),
    "fatal": Figure(form="flag", heading=HIT),
    "amount": Figure(unit="point", heading=HIT),
}
"""What becomes of a blow."""

FIGURES: Mapping[str, Figure] = {
    **owned(X, "roller", "modifier", "modifier_step", "circumstance", "circumstance_step"),
    **owned(SCORED, "roller"),
    **NEEDED,
    **AFTER,
    **owned(HURT, "target", "raw", "through", "overflow", "fatal", "amount"),
}
"""Every figure of an outcome or of damage."""

COMPARED: Mapping[str, str] = {
    "success": "more_than",
    "success at a cost": "as_many_as",
    "failure": "fewer_than",
}
WITHOUT: Mapping[str, str] = {
    "success at a cost": "as_many_without_its_bonus",
    "failure": "fewer_without_its_bonus",
}
"""Why a degree is so, by degree: of any roll, and of a natural root without its bonus."""

PROTECTED = (("armour_spent", "armour"), ("soak_spent", "soak"))
WOUNDED = tuple((f"wounds:{grade}", f"room:{grade}") for grade in GRADES)
"""What a blow is spent on, in this order, and what there is of it; wounds by what gets through."""


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    """The dice to reroll of both sides, the successes, what they must beat, and the margin."""
    figures = outcome.figures
    return (
        *_x(figures),
        *_scored(figures),
        *_target(figures),
        *_after(figures),
        _margin(outcome),
    )


def _x(figures: Mapping[str, Value]) -> Iterator[Sum]:
    opposed = "prevented" in figures
    gained = (*_of(figures, "r"), *_if(figures, "xr_used"))
    if gained or figures["x_gained"]:
        yield Sum(total="x_gained", terms=gained)
    if opposed:
        yield Sum(total="x_modifiers", terms=_modifiers(figures, -1))
        yield Sum(total="x_circumstances", terms=_circumstances(figures, -1))
    yield Sum(total="total", terms=_terms("rating", "x_gained", "x_modifiers"))
    yield Sum(total="x", terms=_terms("total", "x_advantage", "x_circumstances"), least=0)
    if "opponent_total" in figures:
        given = (*_of(figures, "opponent_r"), *_if(figures, "opponent_x_modifiers"))
        if "opponent_x_modifiers" in figures:
            step = _number(figures, "opponent_modifier_step", 1)
            named = _of(figures, "opponent_modifier", -step)
            yield Sum(total="opponent_x_modifiers", terms=named)
        yield Sum(total="opponent_total", terms=(*_terms("opponent_rating"), *given))
        yield Sum(
            total="opponent_x", terms=_terms("opponent_total", "opponent_x_advantage"), least=0
        )
        yield from _advantage(figures)


def _advantage(figures: Mapping[str, Value]) -> Iterator[Sum]:
    """The difference of what is compared, in dice or in successes of the higher side."""
    ours, theirs = _compared(figures, ""), _compared(figures, "opponent_")
    if ours == "compared":
        summed = _number(figures, "total") + _number(figures, "x_circumstances") == figures[ours]
        yield Sum(
            total=ours, terms=_terms(*(("total", "x_circumstances") if summed else ("rating",)))
        )
    if theirs == "opponent_compared":
        yield Sum(total=theirs, terms=_terms("opponent_rating"))
    sides = (
        (ours, theirs, ("x_advantage", "advantage")),
        (theirs, ours, ("opponent_x_advantage", "opponent_advantage")),
    )
    already = tuple(Term("counted_already", -1) for _ in _if(figures, "counted_already"))
    for own, other, names in sides:
        if _number(figures, own) <= _number(figures, other):
            continue
        found = [name for name in names if figures[name]] or list(names[:1] if already else ())
        for name in found:
            yield Sum(total=name, terms=(Term(own), Term(other, -1), *already), least=0)


def _compared(figures: Mapping[str, Value], side: str) -> str:
    """What a side compares: its total, unless something else is announced."""
    return f"{side}compared" if f"{side}compared" in figures else f"{side}total"


def _scored(figures: Mapping[str, Value]) -> Iterator[Sum]:
    yield Sum(total="before_bonus", terms=_terms("letters", "wilds", "pocketed", "advantage"))
    if figures["bonus"]:
        yield Sum(total="bonus", terms=(_bonus(figures, "bonus", "root"),))
    yield Sum(total="successes", terms=_terms("before_bonus", "bonus", "first_roll_bonus"))
    if figures.get("opponent_bonus"):
        terms = (_bonus(figures, "opponent_bonus", "opponent_root"),)
        yield Sum(total="opponent_bonus", terms=terms)


def _bonus(figures: Mapping[str, Value], bonus: str, root: str) -> Term:
    """A success for each letter of the root, or one, as an opposed natural root may earn."""
    letters = len(str(figures[root]))
    if "prevented" in figures and figures[bonus] == 1 != letters:
        return Term("opposed_natural", constant=1)
    return Term("letters_of_the_root", constant=letters)


def _target(figures: Mapping[str, Value]) -> Iterator[Sum]:
    if "prevented" not in figures:
        yield Sum(total="modifiers", terms=_modifiers(figures, 1))
        yield Sum(total="circumstances", terms=_circumstances(figures, 1))
        yield Sum(total="target", terms=_terms("difficulty", "modifiers", "circumstances"), least=1)
    elif "opponent_root" in figures:
        terms = _terms("opponent_letters", "opponent_bonus", "opponent_advantage")
        yield Sum(total="target", terms=terms)
    else:
        yield Sum(total="target", terms=(Term("no_reaction", constant=0),))


def _after(figures: Mapping[str, Value]) -> Iterator[Sum]:
    if "severity" in figures:
        yield Sum(total="severity", terms=_terms("wilds"))
    if "xr" in figures:
        yield Sum(total="xr", terms=_terms("target"))
    if "opponent_xr" in figures:
        yield Sum(total="opponent_xr", terms=_terms("successes"))


def _margin(outcome: Outcome) -> Sum:
    """Successes beyond the target; a botch counts as none at all (The final results)."""
    made = _number(outcome.figures, "successes")
    none = (Term("botched", -1, made),) if outcome.degree == "botch" and made else ()
    return Sum(total="margin", terms=(Term("successes"), *none, Term("target", -1)))


def _modifiers(figures: Mapping[str, Value], way: int) -> tuple[Term, ...]:
    return _of(figures, "modifier", way * _number(figures, "modifier_step", 1))


def _circumstances(figures: Mapping[str, Value], way: int) -> tuple[Term, ...]:
    return _of(figures, "circumstance", way * _number(figures, "circumstance_step", 1))


def _of(figures: Mapping[str, Value], name: str, times: int = 1) -> tuple[Term, ...]:
    """Every figure of a family."""
    return tuple(Term(key, times) for key in figures if ":" in key and name_of(key) == name)


def _if(figures: Mapping[str, Value], *names: str) -> tuple[Term, ...]:
    return tuple(Term(name) for name in names if name in figures)


def _terms(*names: str) -> tuple[Term, ...]:
    return tuple(map(Term, names))


def _number(figures: Mapping[str, Value], key: str, otherwise: int = 0) -> int:
    found = figures.get(key, otherwise)
    return found if isinstance(found, int) else otherwise


def damage_sums(damage: Damage) -> tuple[Sum, ...]:
    """The margin, spent on armour, soak and each grade of wounds in turn, and what is left."""
    return tuple(_spent(damage.figures))


def _spent(figures: Mapping[str, Value]) -> Iterator[Sum]:
    yield Sum(total="raw", terms=_terms("margin"), least=0)
    yield Sum(total="amount", terms=_terms("raw"))
    left = _terms("raw")
    for spent, most in PROTECTED:
        if spent in figures:
            yield Sum(total=spent, terms=left, most=most)
            left = (*left, Term(spent, -1))
    if "through" in figures:
        yield Sum(total="through", terms=left)
        left = _terms("through")
    for spent, most in WOUNDED:
        if spent in figures:
            yield Sum(total=spent, terms=left, most=most)
            left = (*left, Term(spent, -1))
    yield Sum(total="overflow", terms=left)


def counts(roll: Roll) -> dict[str, tuple[str, ...]]:
    """The dice that show a letter of their side's root, the initiator's Wilds, the place's die."""
    found: dict[str, tuple[str, ...]] = {}
    if (hand := roll.hand(INITIATOR)) is not None:
        found["letters"] = _lettered(roll, hand)
        found["wilds"] = tuple(die.id for die in hand.dice if die.face == WILD)
    if (hand := roll.hand(REACTOR)) is not None and not prevented(roll):
        found["opponent_letters"] = _lettered(roll, hand)
        if reactor_botch(hand, len(found["opponent_letters"]), roll.options) is not None:
            found["opponent_severity"] = tuple(die.id for die in hand.dice if die.face == WILD)
    if (hand := roll.hand(LOCATION)) is not None:
        found["letter"] = tuple(die.id for die in hand.dice if die.face != WILD)
    return found


def wants(roll: Roll, hand: Hand) -> tuple[Want, ...]:
    """The letters of the root that a side's hand tries to spell, each once."""
    root = root_of(roll, hand.name) if hand.name in (INITIATOR, REACTOR) else ""
    return tuple(
        Want(letter, tuple(die.id for die in hand.dice if die.face == letter))
        for letter in dict.fromkeys(root)
    )


def _lettered(roll: Roll, hand: Hand) -> tuple[str, ...]:
    root = root_of(roll, hand.name)
    return tuple(die.id for die in hand.dice if str(die.face) in root)


def reason(outcome: Outcome) -> str:
    """Why the degree is that one: its way among those that the book has."""
    figures = outcome.figures
    opposed, reacted = "prevented" in figures, "opponent_root" in figures
    if outcome.degree == "botch":
        return _botched(figures)
    if outcome.degree == CRITICAL:
        return "not_answered" if reacted else "not_resisted"
    if outcome.degree == "natural success":
        if figures.get("prevented"):
            return "prevented"
        beaten = _number(figures, "before_bonus") > _number(figures, "target")
        return "natural" if beaten else "natural_by_its_bonus"
    if outcome.degree == "success" and opposed and not reacted:
        return "no_reaction"
    if figures["natural"] and not figures["bonus"]:
        return WITHOUT[outcome.degree]
    return f"{COMPARED[outcome.degree]}_{'the_opponent' if opposed else 'the_target'}"


def _botched(figures: Mapping[str, Value]) -> str:
    if figures["pocketed"]:
        return "pocket_alone"
    return "wilds_alone" if figures["wilds"] else "no_letter"
