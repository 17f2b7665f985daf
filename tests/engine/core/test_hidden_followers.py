"""A roll that follows a hidden one discloses no more of it than the hidden roll itself."""

import pytest

from tests.engine.helpers.stage import code_of
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.errors import Refused


def hidden_hit() -> tuple[Table, RollHandle, CharacterHandle]:
    """A hidden attack that hit, its victim waiting to soak."""
    table = Table("scarterra", dice="scripted")
    archer = table.character("Archer", attributes={"Dexterity": 3})
    guard = table.character("Guard", attributes={"Stamina": 2})
    attack = table.declare(
        archer,
        visibility="gm",
        attribute="Dexterity",
        combat=True,
        opponent=guard.id,
        soak="Stamina",
    )
    attack.decline()
    attack.roll(faces=[8, 8, 2])
    attack.resolve()
    return table, attack, guard


def test_an_open_roll_cannot_follow_a_hidden_one() -> None:
    table, attack, guard = hidden_hit()
    size = len(table.entries)
    with pytest.raises(Refused) as refused:
        table.declare(guard, follows=(attack, "soak"))
    assert refused.value.code == "not-seen"
    assert refused.value.allowed == ("visibility gm", "reveal roll 1 first")
    assert len(table.entries) == size


def test_a_roll_that_follows_a_hidden_one_is_as_hidden_and_revealed_after_it() -> None:
    table, attack, guard = hidden_hit()
    soak = table.declare(guard, follows=(attack, "soak"), visibility="gm")
    soak.roll(faces=[9, 2])
    soak.resolve()
    assert {entry.kind for entry in table.entries[-3:]} == {"hidden"}
    assert code_of(table.submit, NARRATOR, c.Reveal(soak.number)) == "not-offered"
    table.submit(NARRATOR, c.Reveal(attack.number))
    table.submit(NARRATOR, c.Reveal(soak.number))
    assert soak.apply_damage().amount == 1


def test_after_the_revelation_an_open_roll_may_follow() -> None:
    table, attack, guard = hidden_hit()
    table.submit(NARRATOR, c.Reveal(attack.number))
    assert table.declare(guard, follows=(attack, "soak")).state.visibility == "public"
