"""Rolls of Scarterra as its rules see them, and a naive count of what they come to."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.rules.rolls import hand
from urim.rules.ruleset import Hand, Outcome, Roll
from urim.rules.scarterra import RULESET, Declaration, Options, Reaction

Faces = Sequence[int]

ANN, BERT, CID, DORA = "ann", "bert", "cid", "dora"


def scarterra(
    *rounds: Faces | Mapping[str, Faces],
    opponent: Mapping[str, Any] | None = None,
    helpers: Iterable[Mapping[str, Any]] = (),
    declined: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    **declared: Any,
) -> Roll:
    """A roll of Ann's; Bert resists where `opponent` is given, Cid and Dora help as `helpers` say.

    Each of `rounds` holds the faces of the initiator's hand, or of several by hand. Reactions are
    their fields; their dots are as many as the dice thrown unless they say otherwise.
    """
    by_round = [each if isinstance(each, Mapping) else {"initiator": each} for each in rounds]
    reactions = [(who, _reaction(given)) for who, given in _given(opponent, helpers)]
    asked = [who for who, _ in reactions] + list(declined)
    fields: dict[str, Any] = {
        "dots": 1,
        "difficulty": 6,
        "opponent": BERT if BERT in asked else None,
        "helpers": tuple(who for who in asked if who != BERT),
        **declared,
    }
    declaration = Declaration(**fields)
    return Roll(
        options=Options(**options or {}),
        character=ANN,
        declaration=declaration,
        reactions=(*reactions, *((who, None) for who in declined)),
        hands=tuple(_hands(by_round)),
    )


def _reaction(given: Mapping[str, Any]) -> Reaction:
    fields: dict[str, Any] = {"dots": 1, **given}
    return Reaction(**fields)


def _given(
    opponent: Mapping[str, Any] | None, helpers: Iterable[Mapping[str, Any]]
) -> list[tuple[str, Mapping[str, Any]]]:
    resisting = [] if opponent is None else [(BERT, opponent)]
    return [*resisting, *zip((CID, DORA), helpers, strict=False)]


def _hands(rounds: Iterable[Mapping[str, Faces]]) -> Iterable[Hand]:
    start = 1
    for number, hands in enumerate(rounds, 1):
        for name, faces in hands.items():
            who = {"initiator": ANN, "reactor": BERT}.get(name, name.removeprefix("helper:"))
            full = name if number == 1 else f"{number}:{name}"
            yield hand(full, who, faces, kind="d10", start=start)
            start += len(faces)


def outcome(*rounds: Faces | Mapping[str, Faces], **declared: Any) -> Outcome:
    """What such a roll comes to."""
    return RULESET.outcome(scarterra(*rounds, **declared))
