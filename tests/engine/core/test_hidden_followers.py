"""Nothing follows a hidden roll before its reveal, and what follows a roll is public."""

import pytest

from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.core.moves import legal_moves, moves
from urim.engine.table import CharacterHandle, RollHandle, Table
from urim.errors import Refused
from urim.events.base import Visibility


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


@pytest.mark.parametrize("visibility", ["public", "gm", "blind", "self"])
def test_nothing_follows_a_hidden_roll(visibility: Visibility) -> None:
    table, attack, guard = hidden_hit()
    size = len(table.entries)
    with pytest.raises(Refused) as refused:
        table.declare(guard, follows=(attack, "soak"), visibility=visibility)
    assert refused.value.code == "not-offered"
    assert refused.value.allowed == ("reveal roll 1 first",)
    assert len(table.entries) == size


def test_it_is_offered_to_nobody_before_the_reveal() -> None:
    table, attack, guard = hidden_hit()
    for seat in table.state.seats:
        assert not {m.trigger: m for m in moves(table.state, seat, 1)}["declare"].legal
        triggers = {m.trigger for each in legal_moves(table.state, seat) for m in each.moves}
        assert "apply_damage" not in triggers
    table.submit(NARRATOR, c.Reveal(attack.number))
    follows = {m.trigger: m for m in moves(table.state, guard.seat, 1)}["declare"]
    assert [offer.link for offer in follows.offers] == ["soak"]


@pytest.mark.parametrize("visibility", ["gm", "blind", "self"])
def test_what_follows_a_revealed_roll_is_public(visibility: Visibility) -> None:
    table, attack, guard = hidden_hit()
    table.submit(NARRATOR, c.Reveal(attack.number))
    with pytest.raises(Refused) as refused:
        table.declare(guard, follows=(attack, "soak"), visibility=visibility)
    assert refused.value.code == "not-offered"
    assert refused.value.allowed == ("visibility public",)
    assert table.declare(guard, follows=(attack, "soak")).state.visibility == "public"
