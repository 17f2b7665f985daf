"""A table for the engine's tests: a fight between Etgar and the toad, every face as wanted."""

from typing import Any

from urim.engine.core.aggregate import Aggregate
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.errors import Refused

ROOT = "רוח"
NATURAL = tuple("וחרטלשנכ")
"""A first throw that holds the whole root."""

MISS = tuple("שזגכלקבט")
"""A throw without one letter of anybody's root."""

SKILLS = {"wind": ROOT, "jump": "חננ"}
NONCES = tuple(f"{number:064x}" for number in range(1, 40))
"""Nonces as clients send them."""


def fight(dice: str = "scripted", **given: Any) -> tuple[Table, CharacterHandle, CharacterHandle]:
    """A table with Etgar (c1, seat p1) and the toad (c2, seat p2)."""
    options = {"skill_roots": SKILLS, "reactor_botch": False, **given.pop("options", {})}
    table = FixtureTable("milhamah", dice=dice, options=options, **given)
    etgar = table.character("Etgar", attributes={"BLE": 3, "VIG": 2, "wind": 2})
    toad = table.character(
        "Toad", attributes={"GRA": 2, "VIG": 2, "jump": 1}, tracks={"soak": 2, "armour:belly": 2}
    )
    return table, etgar, toad


def strike(
    table: Table,
    attacker: CharacterHandle,
    target: CharacterHandle,
    *,
    place: str = "מ",
    **said: Any,
) -> RollHandle:
    """A blow whose critical success is resolved, not applied: margin 5 (3 letters, 2 of bonus)."""
    roll = table.declare(attacker, root=ROOT, rating=5, opponent=target.id, combat=True, **said)
    roll.react(root="חננ", rating=3)
    roll.roll(faces=NATURAL)
    roll.stand()
    roll.choose("natural", "allow")
    roll.roll(faces=MISS)
    roll.stand()
    roll.roll(faces=[place])
    roll.resolve()
    return roll


def hit(
    table: Table, attacker: CharacterHandle, target: CharacterHandle, **given: Any
) -> RollHandle:
    """A blow whose damage has landed."""
    roll = strike(table, attacker, target, **given)
    roll.apply_damage()
    return roll


def pray(
    table: Table, who: CharacterHandle, faces: tuple[str, ...] | None = MISS, **said: Any
) -> RollHandle:
    """An unopposed roll, thrown once and not resolved."""
    declaration: dict[str, Any] = {"root": ROOT, "rating": 2, **said}
    roll = table.declare(who, **declaration)
    roll.roll(faces=faces)
    return roll


def code_of(call: Any, *args: Any, **kwargs: Any) -> str:
    """The code that a call is refused with; "" where it is not."""
    try:
        call(*args, **kwargs)
    except Refused as error:
        return error.code
    return ""


def tracks(table: Table) -> dict[str, dict[str, int]]:
    """Every character's tracks that are not 0."""
    return {
        who: {name: value for name, value in sorted(tracks.items()) if value}
        for who, tracks in table.state.tracks.items()
    }


def replayed(table: Table) -> bool:
    """Whether the log, read again, is the same table."""
    again = Aggregate(table.aggregate.environment)
    again.load(table.entries)
    return again.opened == table.state
