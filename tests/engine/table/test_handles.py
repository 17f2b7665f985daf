"""What a roll's handle cannot find among the offers it refuses in a sentence."""

import pytest

from tests.engine.helpers.stage import fight, pray
from urim import Refused, Table


def test_what_is_not_offered_is_named_with_the_roll() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    with pytest.raises(Refused) as refused:
        roll.apply_damage()
    assert refused.value.code == "not-offered"
    assert refused.value.why == "apply_damage is not offered in roll 1"


def test_a_hand_that_is_not_there_is_named() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar)
    with pytest.raises(Refused) as refused:
        roll.freeze("d1", hand="left")
    assert refused.value.why == "freeze left is not offered in roll 1"


def test_one_of_several_offers_must_be_named() -> None:
    table = Table("scarterra", dice="seeded:7")
    first, *others = (table.character(name, attributes={"Strength": 2}) for name in "ABC")
    roll = table.declare(first, attribute="Strength", helpers=[c.id for c in others], target=10)
    with pytest.raises(Refused) as refused:
        roll.decline()
    assert (refused.value.code, refused.value.allowed) == (
        "malformed",
        ("react of B", "react of C"),
    )
    assert refused.value.why == "roll 1 offers react in 2 ways; say which"


def test_a_roll_is_withdrawn_revealed_and_confirmed_by_its_handle() -> None:
    table = Table("plain", dice="manual", level="server")
    ann, bert = table.character("Ann"), table.character("Bert")
    table.declare(ann, expression="1d6").withdraw()
    assert table.state.rolls[1].state == "voided"
    alone = table.declare(ann, expression="1d6", visibility="self")
    roll = table.declare(ann, expression="1d6", visibility="gm")
    for hidden in (alone, roll):
        assert hidden.state.hidden
        hidden.reveal()
        assert not hidden.state.hidden
    roll.roll(faces=[3])
    roll.confirm(bert)
    with pytest.raises(Refused, match="confirmed"):
        roll.confirm(bert)
    roll.confirm()
