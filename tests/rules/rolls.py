"""Rolls, hands and sheets as the rules see them, built from the faces that lie."""

from collections.abc import Iterable, Mapping
from typing import Any

from urim.events.base import Face
from urim.rules.milhamah import Declaration, Options, Reaction
from urim.rules.ruleset import Die, Hand, Offer, Roll, Sheet, Sheets


def hand(
    name: str,
    character: str,
    faces: Iterable[Face],
    *,
    kind: str = "red-a",
    first: Iterable[Face] | None = None,
    frozen: Iterable[int] = (),
    rerolls: int = 0,
    means: tuple[str, ...] = (),
    taken: bool = False,
    start: int = 1,
) -> Hand:
    """A hand of dice d1, d2 … (from `start`) with these faces.

    `first` are the faces of the first throw where they differ, `frozen` positions of frozen dice.
    """
    shown = tuple(faces)
    thrown = shown if first is None else tuple(first)
    still = set(frozen)
    dice = tuple(
        Die(f"d{start + i}", kind, (a, b) if rerolls or a != b else (a,), b, b, i in still)
        for i, (a, b) in enumerate(zip(thrown, shown, strict=True))
    )
    return Hand(name, character, dice, rerolls=rerolls, means=means, taken=taken)


def sheet(character: str, attributes: Mapping[str, int] | None = None, /, **tracks: int) -> Sheet:
    """A character with these ratings and tracks."""
    return Sheet(character, attributes or {}, tracks)


def sheets(*known: Sheet) -> Sheets:
    """The sheets by character; any other character's is blank."""
    by_id = {one.character: one for one in known}
    return lambda character: by_id.get(character, sheet(character))


def milhamah(
    faces: str | None = None,
    *,
    reply: str | None = None,
    reaction: Reaction | None = None,
    declined: bool = False,
    location: str | None = None,
    choices: Mapping[str, str] | None = None,
    link: str | None = None,
    options: Mapping[str, Any] | None = None,
    initiator: Mapping[str, Any] | None = None,
    reactor: Mapping[str, Any] | None = None,
    **declared: Any,
) -> Roll:
    """A Milhamah roll of Etgar's; the toad opposes it if it replies, reacts or declines.

    `faces` and `reply` are what the hands show, one character a die; `initiator` and `reactor`
    say more about these hands. `location` are the faces on which the location die fell.
    """
    opposed = declined or reaction is not None or reply is not None
    dice = {"red": 4, "blue": 4}
    fields: dict[str, Any] = {"root": "רוח", "rating": 0, "target": 2, "dice": dice}
    fields["opponent"] = "toad" if opposed else None
    declaration = Declaration(**fields | declared)
    if reaction is None and reply is not None:
        reaction = Reaction(root="חננ", rating=0, dice=declaration.dice)
    hands: list[Hand] = []
    if faces is not None:
        hands.append(hand("initiator", "etgar", faces, **initiator or {}))
    if reply is not None:
        hands.append(hand("reactor", "toad", reply, start=9, **reactor or {}))
    if location is not None:
        die = Die("d17", "location", tuple(location), location[-1], location[-1])
        hands.append(Hand("location", "etgar", (die,)))
    return Roll(
        options=Options(**options or {}),
        character="etgar",
        declaration=declaration,
        reactions=(("toad", reaction),) if declined or reaction is not None else (),
        hands=tuple(hands),
        choices=choices or {},
        link=link,
    )


def brief(offer: Offer) -> str:
    """An offer's trigger, hand or choice, and an exclamation mark where it is due."""
    words = (offer.trigger, offer.hand, offer.means or offer.choice)
    return " ".join(word for word in words if word) + ("!" if offer.due else "")


def one(offers: Iterable[Offer], words: str) -> Offer:
    """The only offer that `brief` describes so, due or not."""
    (found,) = (offer for offer in offers if brief(offer).rstrip("!") == words)
    return found
