"""What a seat would have asked, so that one event comes of it: the command's body, from the event.

Written from the list of commands, without the engine that decides them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.codec import Event

Body = dict[str, Any]


def fields(*names: str) -> Callable[[Any], Body]:
    """A body that holds fields of the event as they are; a field without a value is left out."""
    return lambda event: {
        name: getattr(event, name) for name in names if getattr(event, name) is not None
    }


def thrown(event: Any) -> Body:
    """What every throw names."""
    proof = event.proof
    body: Body = {"roll": event.roll, "hand": event.hand}
    if proof is not None and proof.source in ("manual", "scripted"):
        body["faces"] = [die.face for die in event.dice]
    for name in ("committed", "nonce"):
        if proof is not None and getattr(proof, name) is not None:
            body[name] = getattr(proof, name)
    return body


def first_throw(event: Any) -> Body:
    return thrown(event) | fields("option")(event)


def reroll(event: Any) -> Body:
    return thrown(event) | {"dice": list(dict.fromkeys(die.die for die in event.dice))}


def taking(event: Any) -> Body:
    """A seat that takes a key keeps its role: the body names none."""
    return fields("seat", "key")(event) if event.key else fields("seat", "role")(event)


def asking(event: Any) -> Body:
    """An ask names the dice of a reroll; a plan of a first throw says them by itself."""
    body = fields("roll", "hand", "option")(event)
    dice = [die for die, _ in event.dice]
    return body | ({"dice": dice} if event.trigger == "reroll" else {})


def corrected(event: Any) -> Body:
    return {"roll": event.roll, "character": event.character, "fields": event.declared}


roll = fields("roll")

ASKED: Mapping[type, tuple[str, Callable[[Any], Body]]] = {
    tabled.TableOpened: (
        "open/2",
        fields("table", "ruleset", "options", "source", "level", "one_machine"),
    ),
    tabled.SeatTaken: ("take-seat/2", taking),
    tabled.SeatNamed: ("name-seat/1", fields("seat")),
    tabled.SeatLeft: ("leave-seat/1", fields("seat")),
    tabled.CharacterEntered: (
        "enter/1",
        fields("character", "seat", "attributes", "tracks"),
    ),
    tabled.CharacterNamed: ("name/1", fields("character")),
    tabled.CharacterGiven: ("give/1", fields("character", "seat")),
    tabled.CharacterRemoved: ("remove/1", fields("character")),
    tabled.TrackSet: ("set-track/1", fields("character", "track", "value")),
    tabled.AttributeSet: ("set-attribute/1", fields("character", "attribute", "value")),
    tabled.ShareAnchored: ("anchor-shares/1", fields("anchor")),
    tabled.Noted: ("note/1", fields("about")),
    tabled.EntryErased: ("erase/1", fields("seq")),
    tabled.EpochBegun: ("begin-epoch/1", fields()),
    rolled.RollDeclared: (
        "declare/1",
        fields("character", "declaration", "visibility", "level", "follows"),
    ),
    rolled.ReactionDeclared: ("react/1", fields("roll", "character", "reaction")),
    rolled.ThrowPlanned: ("ask/1", asking),
    rolled.ShareOpened: ("open_share/1", fields("roll", "share")),
    rolled.ThrowBroken: ("break_throw/1", roll),
    rolled.DiceRolled: ("roll/1", first_throw),
    rolled.DiceFrozen: ("freeze/1", fields("roll", "hand", "dice")),
    rolled.DiceRerolled: ("reroll/1", reroll),
    rolled.DiceAdjusted: ("adjust/1", fields("roll", "hand", "means", "dice")),
    rolled.ChoiceMade: ("choose/1", fields("roll", "choice", "option")),
    rolled.RollResolved: ("resolve/1", roll),
    rolled.DamageApplied: ("apply_damage/1", roll),
    rolled.RollVoided: ("void/3", roll),
    rolled.RollRevealed: ("reveal/1", roll),
    rolled.ThrowConfirmed: ("confirm/1", fields("roll", "throw")),
    ruling.DeclarationVetoed: ("veto/1", roll),
    ruling.DeclarationReplaced: (
        "replace/1",
        lambda event: {"roll": event.roll, "fields": event.declared},
    ),
    ruling.FlavourNamed: ("flavour/1", fields("roll", "hand", "words", "tone")),
    ruling.FateDecided: ("fate/1", fields("roll", "fate", "part")),
    ruling.RollAmended: ("amend/2", corrected),
    ruling.DisputeRaised: ("dispute/1", roll),
    ruling.RulingMade: ("rule/3", fields("roll", "dispute", "ruling")),
}
"""Event -> the command that leads to it as the first one, and how its body follows from it."""


def body_of(event: Event, text: str | None = None, behind: Sequence[Any] = ()) -> Body:
    """The body of the command; `text` is the hash of its text, `behind` what else comes of it."""
    do, others = ASKED[type(event)]
    body = {"do": do, **others(event), **({} if text is None else {"text": text})}
    for each in behind:
        if isinstance(each, rolled.ThrowAsked):
            body |= {"committed": each.committed, "asked": [seat for seat, _ in each.asked]}
    return body
