"""The page's table of commands: it knows each, and sees every field in which an event differs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.verifier.bodies import ASKED, body_of
from tests.verifier.log import json_text, secret
from tests.verifier.nodejs import run
from urim.engine.core.limits import NAME, NEW_NAME, NOTE, REASON
from urim.engine.core.parse import COMMANDS, UPCASTS
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.base import AdjustedDie, Thrown
from urim.events.codec import Event, event_json

Pair = tuple[dict[str, Any], dict[str, Any]]

DICE = (Thrown("d2", "d12", 7), Thrown("d1", "d12", 12), Thrown("d1", "d12", 3))
FAIR = rolled.Proof(0, "fair", 6, secret("S"), secret("c"), secret("C"))
TYPED = rolled.Proof(0, "manual")
OPTIONS = {"botch": "table", "faces": {"red": ["אב"]}, "limit": 3}

EVENTS: tuple[Event, ...] = (
    tabled.TableOpened("n", "table001", "sagatafl", 1, OPTIONS, "seeded:7", "server", 1),
    tabled.SeatTaken("n", "p1", "witness"),
    tabled.SeatNamed("n", "p1"),
    tabled.SeatLeft("n", "p1"),
    tabled.CharacterEntered("n", "c1", "p1", {"BLE": 3}, {"wounds": 1}),
    tabled.CharacterNamed("n", "c1"),
    tabled.CharacterGiven("n", "c1", "p1"),
    tabled.TrackSet("n", "c1", "wounds", 2),
    tabled.ShareAnchored("p1", secret("x")),
    tabled.SeatTaken("p1", "p1", "narrator", "QUJD"),
    tabled.Noted("n", 6),
    tabled.EntryErased("n", 7),
    tabled.EpochBegun("n", 1, ()),
    rolled.RollDeclared("p1", 2, "c1", {"x": 1}, "gm", "table", (1, "soak"), commit=secret("C")),
    rolled.ReactionDeclared("p1", 2, "c1", {"x": 1}),
    rolled.ReactionDeclared("p1", 2, "c1", None),
    rolled.ThrowPlanned("p1", 2, 0, "roll", "initiator", (("d1", "d12"),), 2),
    rolled.ThrowPlanned("p1", 2, 1, "reroll", "initiator", (("d2", "d12"), ("d1", "d12"))),
    rolled.ShareOpened("p2", 2, 0, secret("x")),
    rolled.ThrowBroken("p2", 2, 0, ("p1",), secret("S"), secret("C")),
    rolled.DiceRolled("p1", 2, "c1", "initiator", DICE, 2, FAIR),
    rolled.DiceRolled("p1", 2, "c1", "initiator", DICE, 2, TYPED),
    rolled.DiceRolled("p1", 2, "c1", "initiator", DICE, taken=1),
    rolled.DiceRerolled("p1", 2, "initiator", DICE, FAIR),
    rolled.DiceRerolled("p1", 2, "initiator", DICE, TYPED),
    rolled.DiceFrozen("p1", 2, "initiator", ("d2", "d1")),
    rolled.DiceAdjusted("p1", 2, "initiator", "move", (AdjustedDie("d1", 5),)),
    rolled.ChoiceMade("p1", 2, "c1", "natural", "allow"),
    rolled.RollResolved("p1", 2, {}),
    rolled.DamageApplied("p1", 2, "c2", {}),
    rolled.RollVoided("n", 2, 1, secret("S")),
    rolled.RollVoided("n", 2),
    rolled.RollRevealed("n", 2),
    rolled.ThrowConfirmed("n", 2, 3),
    ruling.DeclarationVetoed("n", 2),
    ruling.DeclarationReplaced("n", 2, {"x": 1}),
    ruling.FlavourNamed("n", 2, "initiator", ("רוח",), "dark"),
    ruling.FateDecided("n", 2, "c2", "destroyed", "left arm"),
    ruling.RollAmended("n", 2, "c1", {"x": 1}),
    ruling.DisputeRaised("p1", 2),
    ruling.RulingMade("n", 2, 8, "void"),
    tabled.AttributeSet("n", "c1", "BLE", 4),
    tabled.CharacterRemoved("n", "c1"),
)

FREE = {
    *(("declare/1", "declaration"), ("enter/1", "tracks"), ("replace/1", "fields")),
    *(("amend/2", "fields"), ("react/1", "reaction")),
}
"""What only the rules can compare with its event; a reaction, but whether there is one."""

OTHERS: dict[type, Any] = {
    int: lambda value: value + 1,
    str: lambda value: f"{value}x",
    bool: lambda value: not value,
    list: lambda value: [*value, *value[:1]] if len(value) != 1 else [],
    dict: lambda value: {**value, "more": 1},
}
"""Another value than this one."""


def as_json(event: Event) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(event_json(event))
    return found


def pair(event: Event) -> Pair:
    """A body and the event that it leads to, both as JSON."""
    return json.loads(json_text(body_of(event))), as_json(event)


def compared(pairs: list[Pair], tmp_path: Path) -> tuple[dict[str, str | None], list[list[str]]]:
    """The commands that the page knows, with their text's rule, and what it says of each pair."""
    file = tmp_path / "pairs.json"
    file.write_text(json.dumps(pairs), encoding="utf-8")
    done = run("commands.mjs", file)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    return found["known"], found["found"]


def test_the_page_knows_every_command(tmp_path: Path) -> None:
    known, _ = compared([], tmp_path)
    assert sorted(known) == sorted([*COMMANDS, *UPCASTS])
    assert sorted(known) == sorted([*(do for do, _ in ASKED.values()), "withdraw/1", *UPCASTS])


def test_a_body_and_its_event_do_not_differ(tmp_path: Path) -> None:
    assert {type(event) for event in EVENTS} == set(ASKED)
    _, found = compared([pair(event) for event in EVENTS], tmp_path)
    assert found == [[]] * len(EVENTS)


def changes() -> list[tuple[str, Pair]]:
    """Every field of every body with another value, or left out; and the words to be found."""
    made: list[tuple[str, Pair]] = []
    for event in EVENTS:
        body, said = pair(event)
        for name in body.keys() - {"do"}:
            if (body["do"], name) in FREE:
                continue
            words = f"the event says another {name} than was asked for"
            other = OTHERS[type(body[name])](body[name])
            made.append((words, ({**body, name: other}, said)))
            if (body["do"], name) not in {("open/2", "one_machine"), ("open/2", "options")}:
                left = {key: value for key, value in body.items() if key != name}
                made.append((words, (left, said)))
        made.append((f"{body['do']} has no field more", ({**body, "more": 1}, said)))
    return made


def test_every_field_that_differs_is_seen(tmp_path: Path) -> None:
    made = changes()
    assert len(made) > 120
    _, found = compared([pair for _, pair in made], tmp_path)
    wrong = [(words, pair, said) for (words, pair), said in zip(made, found, strict=True)
             if words not in said]  # fmt: skip
    assert wrong == []


DICE_THROWN = as_json(rolled.DiceRolled("p1", 2, "c1", "initiator", DICE, proof=FAIR))
TYPED_IN = as_json(rolled.DiceRolled("p1", 2, "c1", "initiator", DICE, proof=TYPED))
THROW = {"do": "roll/1", "roll": 2, "hand": "initiator"}
REACT = {"do": "react/1", "roll": 2, "character": "c1"}

LEVELLED = rolled.RollDeclared("p1", 2, "c1", {}, "public", "player")
ASK = {"do": "ask/1", "roll": 2, "hand": "initiator", "committed": 6, "asked": ["n", "p2"]}
ASKED_FOR = as_json(rolled.ThrowAsked("p1", 2, 0, 6, (("n", 3), ("p2", 1))))

MORE: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "another event": ("leads to another event", {"do": "resolve/1", "roll": 2}, DICE_THROWN),
    "a nonce that nobody gave": ("another nonce", {**THROW, "committed": 6}, DICE_THROWN),
    "faces for fair dice": (
        "another faces",
        {**THROW, "committed": 6, "nonce": FAIR.nonce, "faces": [7, 12, 3]},
        DICE_THROWN,
    ),
    "faces in another order": ("another faces", {**THROW, "faces": [12, 7, 3]}, TYPED_IN),
    "a face as text": ("another faces", {**THROW, "faces": ["7", 12, 3]}, TYPED_IN),
    "a reaction where there was none": (
        "another reaction",
        {**REACT, "reaction": {}},
        as_json(rolled.ReactionDeclared("p1", 2, "c1", None)),
    ),
    "no reaction where there was one": (
        "another reaction",
        REACT,
        as_json(rolled.ReactionDeclared("p1", 2, "c1", {})),
    ),
    "dice in another order": (
        "another dice",
        {"do": "freeze/1", "roll": 2, "hand": "initiator", "dice": ["d1", "d2"]},
        as_json(rolled.DiceFrozen("p1", 2, "initiator", ("d2", "d1"))),
    ),
    "an option of another value": (
        "another options",
        {**pair(EVENTS[0])[0], "options": {"limit": 4}},
        as_json(EVENTS[0]),
    ),
    "asked as no list": ("another asked", {**ASK, "asked": "n"}, ASKED_FOR),
    "another seat asked": ("another asked", {**ASK, "asked": ["n", "p3"]}, ASKED_FOR),
    "one seat less asked": ("another asked", {**ASK, "asked": ["n"]}, ASKED_FOR),
    "another commitment asked for": ("another committed", {**ASK, "committed": 7}, ASKED_FOR),
    "an ask for another roll": ("another roll", {**ASK, "roll": 3}, ASKED_FOR),
    "a level that nobody named": (
        "another level",
        {"do": "declare/1", "character": "c1", "declaration": {}},
        as_json(LEVELLED),
    ),
    "another roll withdrawn": (
        "another roll",
        {"do": "withdraw/1", "roll": 3},
        as_json(rolled.RollVoided("p1", 2)),
    ),
    "a text where none belongs": ("has no field text", {**THROW, "text": secret("t")}, TYPED_IN),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", MORE)
def test_what_differs_is_named(name: str, tmp_path: Path) -> None:
    says, body, event = MORE[name]
    _, [found] = compared([(body, event)], tmp_path)
    assert any(says in why for why in found), found


SAME: dict[str, Pair] = {
    "defaults left out": (
        {"do": "declare/1", "character": "c1", "declaration": {}},
        as_json(rolled.RollDeclared("p1", 2, "c1", {"settled": 1}, "public")),
    ),
    "defaults written": (
        {
            "do": "declare/1",
            "character": "c1",
            "declaration": {},
            "visibility": "public",
            "level": None,
            "follows": None,
            "text": None,
        },
        as_json(rolled.RollDeclared("p1", 2, "c1", {}, "public")),
    ),
    "some options": (
        {**pair(EVENTS[0])[0], "options": {"limit": 3}},
        as_json(EVENTS[0]),
    ),
    "no options": (
        {"do": "open/1", "table": "table001", "ruleset": "plain"},
        as_json(tabled.TableOpened("n", "table001", "plain", 1, OPTIONS, "fair", "player", 1)),
    ),
    "seats asked in another order": ({**ASK, "asked": ["p2", "n"]}, ASKED_FOR),
    "an ask": (ASK, ASKED_FOR),
    "a level named by version 1": (
        {"do": "declare/1", "character": "c1", "declaration": {}},
        {
            **as_json(rolled.RollDeclared("p1", 2, "c1", {}, "public", "player")),
            "was": "roll-declared/1",
        },
    ),
    "a roll withdrawn": ({"do": "withdraw/1", "roll": 2}, as_json(rolled.RollVoided("p1", 2))),
    "a seat as a player": (
        {"do": "take-seat/1", "seat": "p1"},
        as_json(tabled.SeatTaken("n", "p1", "player")),
    ),
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", SAME)
def test_what_means_the_same_is_not_called_different(name: str, tmp_path: Path) -> None:
    _, found = compared([SAME[name]], tmp_path)
    assert found == [[]]


def test_the_page_knows_which_commands_have_a_text(tmp_path: Path) -> None:
    known, _ = compared([], tmp_path)
    for name, command in COMMANDS.items():
        rule = command.text_rule
        needed = "must" if rule in (NEW_NAME, NOTE, REASON) else "may" if rule else None
        assert rule is None or rule.needed == (needed == "must")
        assert rule is not NAME or needed == "may"
        assert known[name] == needed, name
