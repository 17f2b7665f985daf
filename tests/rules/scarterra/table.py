"""A table of Scarterra with three characters, and what is offered and known in a roll of theirs."""

from typing import Any

from tests.rules.rolls import brief
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.projections.outcomes import so_far
from urim.rules.ruleset import Outcome

Cast = tuple[Table, CharacterHandle, CharacterHandle, CharacterHandle]


def seated(**options: Any) -> Cast:
    """A table with these readings: Ann, Bert who can soak, and Cid, ids c1 to c3."""
    table = FixtureTable("scarterra", options=options)
    ann = table.character("Ann", attributes={"Dexterity": 3, "Archery": 2})
    bert = table.character("Bert", attributes={"Dexterity": 2, "Stamina": 2, "Armor": 1})
    return table, ann, bert, table.character("Cid", attributes={"Dexterity": 2})


def offered(roll: RollHandle) -> list[str]:
    """The roll's offers in a few words, links and all."""
    return [f"{brief(offer)} {offer.link}".strip() for offer in roll.offers]


def now(roll: RollHandle) -> Outcome:
    """What the roll comes to so far."""
    found = so_far(roll.table.state.game, roll.state)
    assert found is not None
    return found


def dots(found: Outcome) -> dict[str, object]:
    """What the roller threw for, by trait."""
    return {
        key.removeprefix("dots:"): value
        for key, value in found.figures.items()
        if key.startswith("dots:")
    }


def hit(
    table: Table,
    who: CharacterHandle,
    whom: CharacterHandle,
    faces: tuple[int, ...] | list[int] = (6, 7, 8),
    **more: Any,
) -> RollHandle:
    """An attack that is not dodged, resolved; three successes unless faces are given."""
    attack = table.declare(who, dots=len(faces), opponent=whom.id, combat=True, **more)
    attack.decline()
    attack.roll(faces=faces)
    attack.resolve()
    return attack
