"""Milhamah's rules and an oracle written from the book agree in every figure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from tests.oracles import milhamah as book
from urim.errors import Refused
from urim.rules.milhamah import RULESET, Declaration, Options, Reaction
from urim.rules.milhamah.declare import CIRCUMSTANCES, TARGETS
from urim.rules.readings import readings_of
from urim.rules.ruleset import Damage, Die, Hand, Outcome, Roll, Sheet

READINGS = readings_of(Options)
SKILLS = {"wind": "רוח", "leap": "חנן", "echo": "דדג"}
ATTRIBUTES = {"BLE": 3, "GRA": 2, "VIG": 2, "wind": 2, "leap": 1, "echo": 0}
ETGAR, TOAD = "c1", "c2"
ROOTS = ("רוח", "חנן", "אש", "דדג", "שלום")
LETTERS = "אבדגהוחלמנרש"
Json = dict[str, Any]


class Case(Struct, frozen=True, kw_only=True):
    """A roll as plain JSON, and what the characters' sheets held when it was declared."""

    options: Json
    wish: Json
    reactions: tuple[tuple[str, Json | None], ...]
    counter: bool
    tracks: Mapping[str, int]
    victim: Mapping[str, int]
    hands: Mapping[str, Json] = {}
    choices: Mapping[str, str] = {}


def status(luck: Random) -> Json:
    """A status of random units and, now and then, of few colours."""
    found: Json = {unit: luck.randint(-3, 3) for unit in "RC" if luck.random() < 0.5}
    if luck.random() < 0.5:
        found["D"] = luck.choice([-8, -6, -2, 1, 2, 4])
    if luck.random() < 0.2:
        found["colours"] = luck.sample(["red", "blue", "green"], luck.randint(1, 2))
    return found


def side(luck: Random) -> Json:
    """The root and the rating of one side, named or by an attribute and a skill."""
    attribute, skill = luck.choice(["BLE", "GRA"]), luck.choice(sorted(SKILLS))
    found: Json = {"attribute": attribute}
    if luck.random() < 0.5:
        found["skill"] = skill
    if luck.random() < 0.5:
        found["root"] = luck.choice(ROOTS)
    if luck.random() < 0.5:
        found["rating"] = luck.randint(-2, 6)
    if luck.random() < 0.4:
        found["status"] = {f"s{i}": status(luck) for i in range(luck.randint(1, 2))}
    return found


def declared(luck: Random) -> Case:
    """A declaration, and its reaction, under random values of all readings."""
    chosen = {one.name: luck.choice((one.default, *one.others)) for one in READINGS}
    wish = side(luck)
    if luck.random() < 0.8:
        wish["target"] = luck.choice([*TARGETS, 1, 3, 9])
    if luck.random() < 0.4:
        wish["modifiers"] = {name: luck.randint(-2, 2) for name in ("far", "lit")}
    if luck.random() < 0.4:
        cover = luck.choice(("partial cover", "complete cover"))  # never both
        names = [name for name in CIRCUMSTANCES if name != cover]
        wish["circumstances"] = luck.sample(names, luck.randint(1, 3))
    reactions: tuple[tuple[str, Json | None], ...] = ()
    if luck.random() < 0.8:
        wish |= {"opponent": TOAD, "combat": luck.random() < 0.7}
        reply = side(luck) if luck.random() < 0.7 else None
        if reply is not None and chosen["difficulty_step"] and luck.random() < 0.4:
            reply["modifiers"] = {name: luck.randint(-2, 2) for name in ("swamp", "rain")}
        reactions = ((TOAD, reply),)
    armour = {f"armour:{place}": luck.randint(0, 2) for place in sorted(set(book.PLACES.values()))}
    room = chosen["wound_track"]
    grades = zip(("light", "serious", "critical"), room, strict=True)
    return Case(
        options=to_builtins(Options(skill_roots=SKILLS, **chosen)),
        wish=wish,
        reactions=reactions,
        counter=bool(reactions) and luck.random() < 0.2,
        tracks={"xr": luck.choice([0, 0, 2]), "pocket": luck.choice([0, 0, 3])},
        victim={**armour, "soak": luck.randint(0, 2), **{g: luck.randint(0, n) for g, n in grades}},
    )


def thrown(luck: Random, number: int, root: str) -> Json:
    """A hand of so many dice, of letters of the root more often than not."""
    liked = luck.choice([root, root + LETTERS, LETTERS + "***", "*בגדזט"])
    again = luck.choice([0, 0, 1, 2])
    dice = []
    for _ in range(number):
        faces = [luck.choice(liked) for _ in range(1 + again)]
        dice.append({"thrown": faces, "face": faces[-1]})
    if luck.random() < 0.3 and not again:
        for die, letter in zip(dice, root, strict=False):
            die["thrown"], die["face"] = [letter], letter
    return {"dice": dice, "rerolls": again}


def played(luck: Random, case: Case) -> Case:
    """The same with its dice thrown and its choices made, as the book's course has it."""
    options, wish = case.options, case.wish
    number = 8 if case.counter and options["counter"] == "dice" else book.dice(options, wish)
    hands = {"initiator": thrown(luck, number, book.root(options, wish))}
    choices: dict[str, str] = {}
    foe = dict(case.reactions).get(TOAD)
    against = book.dice(options, foe) if foe is not None else 0
    case = replace(case, hands=hands, choices=choices)
    found = scored(case)
    opposed = "prevented" in found["figures"]
    if found["figures"]["natural"]:
        choices["natural"] = luck.choice(("prevent", "allow") if opposed else ("bonus", "merit"))
    if foe is not None and choices.get("natural") != "prevent":
        hands["reactor"] = thrown(luck, against, book.root(options, foe))
    found = scored(case)
    for choice, gained in (("reward", "xr"), ("gain", "opponent_xr")):
        if found["figures"].get(gained):
            both = ["both"] if options["botch_rewards"] == "both" else []
            choices[choice] = luck.choice(["xr", "pocket", "none", *both])
    if book.wounds(options, wish, found["degree"], opposed=opposed):
        wild = options["location_die"] == "wilds" and luck.random() < 0.3
        faces = ["*"] if wild else []
        if not wild or options["location_wild"] == "rethrow":
            faces = [*faces, luck.choice(sorted(book.PLACES))]
        else:
            choices["location"] = luck.choice(sorted(book.PLACES))
        hands["location"] = {"dice": [{"thrown": faces, "face": faces[-1]}], "rerolls": 0}
    return case


def scored(case: Case) -> dict[str, Any]:
    """What the book makes of it."""
    return book.judged(
        case.options,
        case.wish,
        who=ETGAR,
        attributes=ATTRIBUTES,
        has=book.settled(case.options, case.wish, case.tracks, counter=case.counter),
        reactions=case.reactions,
        theirs=ATTRIBUTES,
        hands=case.hands,
        choices=case.choices,
        counter=case.counter,
    )


def sheet(case: Case, who: str) -> Sheet:
    return Sheet(who, ATTRIBUTES, case.tracks if who == ETGAR else case.victim)


def ruled(case: Case) -> Roll:
    """The roll as the rules settle it, without its hands. Raises Refused."""
    options = convert(case.options, Options)
    link = "counter" if case.counter else None
    wish = convert(case.wish, Declaration)
    declaration, spent = RULESET.settle(options, wish, sheet(case, ETGAR), link)
    has = book.settled(case.options, case.wish, case.tracks, counter=case.counter)
    effects = {(one.character, one.track): one.delta for one in spent}
    kept = {"xr": case.tracks["xr"] - has["xr"], "pocket": has["pocket"]}
    changed = {track: now - case.tracks[track] for track, now in kept.items()}
    assert effects == {(ETGAR, track): delta for track, delta in changed.items() if delta}
    roll = Roll(options=options, character=ETGAR, declaration=declaration, link=link)
    answers: list[tuple[str, Any]] = []
    for who, given in case.reactions:
        reaction = None if given is None else convert(given, Reaction)
        answers.append((who, RULESET.answer(roll, reaction, sheet(case, who))[0]))
    return replace(roll, reactions=tuple(answers))


def with_hands(roll: Roll, case: Case) -> Roll:
    """The same with the dice and the choices of the case."""
    taken = case.counter and case.options["counter"] == "dice"
    hands: list[Hand] = []
    for name, hand in case.hands.items():
        dice = tuple(
            Die(f"{name}{at}", "red-a", tuple(die["thrown"]), die["face"], die["face"])
            for at, die in enumerate(hand["dice"], 1)
        )
        who = TOAD if name == "reactor" else ETGAR
        hands.append(Hand(name, who, dice, hand["rerolls"], (), taken and name == "initiator"))
    return replace(roll, hands=tuple(hands), choices=dict(case.choices))


def flat(result: Outcome | Damage) -> dict[str, Any]:
    """An outcome or damage as the book's side gives it."""
    effects = [(one.character, one.track, one.delta) for one in result.effects]
    if isinstance(result, Damage):
        return {"amount": result.amount, "figures": result.figures, "effects": effects}
    return {
        "degree": result.degree,
        "margin": result.margin,
        "figures": result.figures,
        "effects": effects,
    }


def damage_of(roll: Roll, case: Case) -> dict[str, Any] | None:
    """What the rules do to the opponent; None where they do nothing."""
    try:
        return flat(RULESET.damage(roll, lambda who: sheet(case, who)))
    except Refused:
        return None


def cases(count: int, seed: int) -> Iterator[tuple[Random, Case]]:
    for number in range(count):
        luck = Random(f"milhamah-{seed}-{number}")  # noqa: S311 - tests, no secrets
        yield luck, declared(luck)


@pytest.mark.prove
def test_the_rules_score_as_the_book_does(count: int, seed: int) -> None:
    seen: Counter[str] = Counter()
    for luck, case in cases(8 * count, seed):
        try:
            full = played(luck, case)
            book.settled(case.options, case.wish, case.tracks)
        except book.Impossible:
            with pytest.raises(Refused):
                ruled(case)
            seen["refused"] += 1
            continue
        expected = scored(full)
        roll = with_hands(ruled(full), full)
        outcome = RULESET.outcome(roll)
        assert flat(outcome) == expected, full
        seen[outcome.degree] += 1
        roll = replace(roll, outcome=outcome)
        letter = expected["figures"].get("letter")
        hit = None
        if letter:
            hit = book.hurt(full.options, TOAD, full.victim, expected["margin"], letter)
            seen["hurt"] += 1
        assert damage_of(roll, full) == hit, full
    every = {"botch", "failure", "success at a cost", "success", "natural success"}
    assert set(seen) >= {*every, "critical success", "hurt", "refused"}


# --- every throw of small pools -------------------------------------------------------------------

SMALL = {"stunned": {"D": -6}}
SMALLER = {"stunned": {"D": -7}}
SINGLE: tuple[Sequence[Any], ...] = (
    ({"root": "רוח", "target": 1}, {}),
    ({"root": "רוח", "target": 2}, {}),
    ({"root": "רוח", "target": 2}, {"wild_only_botch": False}),
    ({"root": "רו", "target": 1}, {}),
    ({"root": "רו", "target": 3}, {}),
    ({"root": "רו", "target": 3}, {"natural_bonus_before_compare": False}),
    ({"root": "רו", "target": 2}, {"first_roll_natural": "opposed"}),
    ({"root": "רו", "target": 2}, {"first_roll_natural_bonus": 2}),
    ({"root": "אא", "target": 1}, {}),
    ({"root": "אא", "target": 1}, {"natural_counts_repeats": False}),
    ({"root": "אש", "target": 2, "modifiers": {"far": 1}}, {}),
    ({"root": "אש", "target": 2, "modifiers": {"far": 1}}, {"difficulty_step": 2}),
    ({"root": "אש", "target": 2, "circumstances": ["ambushed", "unnoticed"]}, {}),
    ({"root": "אש", "target": 3, "circumstances": ["unnoticed"]}, {"combat_step": 2}),
    ({"root": "אש", "target": 1, "dice": {"red": 1, "green": 1}}, {}),
    ({"root": "פה", "target": 1, "dice": {"green": 2}}, {}),
)
AGAINST: tuple[Sequence[Any], ...] = (
    ({"root": "רו"}, {"root": "חנ", "rating": 0}, {}),
    ({"root": "רו"}, {"root": "חנ", "rating": 3}, {"advantage_adds_to": "successes"}),
    ({"root": "רו"}, {"root": "זא", "rating": 0}, {"natural_bonus_opposed": "len"}),
    ({"root": "רו"}, {"root": "א", "rating": 0, "skill": "echo"}, {"reactor_natural": True}),
    ({"root": "אז", "combat": True}, {"root": "רו", "rating": 0}, {}),
    ({"root": "אז", "combat": True}, None, {}),
    ({"root": "אז", "combat": True}, None, {"declined": "unopposed"}),
    ({"root": "אז", "combat": False}, None, {}),
)


def small(wish: Json, reaction: Json | None, options: Json, *, opposed: bool) -> Case:
    """A roll of two dice, with one against them where somebody reacts."""
    wish = {"rating": 1, "status": SMALL, "leave": True, **wish}
    if opposed:
        wish |= {"opponent": TOAD}
    given = None if reaction is None else {"status": SMALLER, **reaction}
    return Case(
        options=to_builtins(Options(skill_roots={"echo": "א"}, **options)),
        wish=wish,
        reactions=((TOAD, given),) if opposed else (),
        counter=False,
        tracks={"xr": 0, "pocket": 0},
        victim={},
    )


def odds(case: Case) -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
    """The exact odds of degree and margin over every throw: of the rules, and of the book."""
    roll = ruled(case)
    kinds = RULESET.faces(roll.options)
    dice = {"initiator": _kinds(roll.declaration.dice)}
    reaction = dict(roll.reactions).get(TOAD)
    if reaction is not None:
        dice["reactor"] = _kinds(reaction.dice)
    names = [name for name, each in dice.items() for _ in each]
    found: tuple[Counter[Any], Counter[Any]] = (Counter(), Counter())
    for throw in product(*(kinds[kind] for each in dice.values() for kind in each)):
        hands: dict[str, Json] = {name: {"dice": [], "rerolls": 0} for name in dice}
        for name, face in zip(names, throw, strict=True):
            hands[name]["dice"].append({"thrown": [str(face)], "face": str(face)})
        one = replace(case, hands=hands)
        expected = scored(one)
        if expected["figures"]["natural"]:
            choice = "allow" if "prevented" in expected["figures"] else "bonus"
            one = replace(one, choices={"natural": choice})
            expected = scored(one)
        outcome = RULESET.outcome(with_hands(roll, one))
        found[0][outcome.degree, outcome.margin] += 1
        found[1][expected["degree"], expected["margin"]] += 1
    rules, theirs = ({key: Fraction(n, c.total()) for key, n in c.items()} for c in found)
    return rules, theirs


def _kinds(dice: Mapping[Any, int]) -> list[str]:
    """The kinds of dice of each colour: A and B by turns."""
    return [f"{colour}-{'ab'[at % 2]}" for colour, n in dice.items() for at in range(n)]


@pytest.mark.parametrize(("wish", "options"), SINGLE)
def test_the_odds_of_two_dice_are_the_books(wish: Json, options: Json) -> None:
    rules, theirs = odds(small(wish, None, options, opposed=False))
    assert rules == theirs
    assert sum(rules.values()) == 1
    assert len(rules) > 1


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("wish", "reaction", "options"), AGAINST)
def test_the_odds_of_two_dice_against_one_are_the_books(
    wish: Json, reaction: Json | None, options: Json
) -> None:
    rules, theirs = odds(small(wish, reaction, options, opposed=True))
    assert rules == theirs
    assert sum(rules.values()) == 1
    assert len(rules) > 1
