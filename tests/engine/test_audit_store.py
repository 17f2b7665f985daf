"""What an audit puts away comes back as it was, and counting on what is out of sight is exact."""

import sqlite3

import pytest
from msgspec.structs import replace

from tests.engine.stage import fight, hit, pray
from urim.engine import audit_store
from urim.engine.audit_doubts import Bits, Unseen
from urim.engine.audit_store import Following, Place, Rolls, Store
from urim.errors import Unavailable
from urim.projections.rollstate import RollState
from urim.rules.ruleset import Roll


def rolls() -> tuple[Rolls, dict[int, RollState]]:
    """Six rolls of a table as an audit keeps them, and as they are."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    for _ in range(5):
        pray(table, etgar)
    known = dict(table.state.rolls)
    kept = Rolls(Store().rolls, table.state.game.options)
    for number, roll in sorted(known.items()):
        kept = kept.set(number, roll).kept()
    return kept, known


def test_rolls_come_back_from_the_file_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_store, "NEAR", 2)
    kept, known = rolls()
    assert {number: kept[number] for number in known} == known
    assert len(kept) == len(known)
    assert 7 not in kept and kept.get(7) is None
    with pytest.raises(KeyError):
        kept[7]


def test_setting_a_roll_leaves_the_others_view_as_it_was() -> None:
    kept, known = rolls()
    other = kept.set(1, replace(known[1], state="voided"))
    assert (kept[1].state, other[1].state) == ("damaged", "voided")
    assert other.kept()[1].state == "voided"
    assert kept[1].state == "voided"  # only what was kept stands for all


def test_a_roll_that_was_changed_after_it_came_back_is_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit_store, "NEAR", 1)
    kept, known = rolls()
    kept = kept.set(1, replace(known[1], vetoed=True)).kept()
    assert kept[2] == known[2]
    assert kept[1].vetoed


def test_what_cannot_be_written_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_store, "NEAR", 1)
    kept, known = rolls()

    class Local(Roll, frozen=True):
        """A class that no name leads to."""

    roll = known[1].roll
    local = Local(options=roll.options, character=roll.character, declaration=roll.declaration)
    kept = kept.set(1, replace(known[1], roll=local)).kept()
    assert kept[2] == known[2]
    assert kept[1].roll is local
    kept = kept.set(1, known[1]).kept()
    assert kept[2] == known[2]
    assert kept[1] == known[1]


def test_followers_are_known_and_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_store, "NEAR", 1)
    following = Following(Store().following)
    for number in (1, 2, 3):
        assert following.get(number, ()) == ()
        following = following.set(number, (number + 10,)).kept()
    assert [following.get(number, ()) for number in (1, 2, 3, 4)] == [(11,), (12,), (13,), ()]


def test_places_are_known_before_and_after_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit_store, "BATCH", 2)
    store = Store()
    store.put_place(1, 7)
    assert store.place(1) == Place(7, None)
    store.put_place(2, None, "p1")
    assert [store.place(seq) for seq in (1, 2, 3)] == [Place(7, None), Place(None, "p1"), None]
    for seq in (2, 1):
        store.forget(seq)
        assert store.place(seq) is None


def test_no_room_for_the_file_is_nobodys_fault() -> None:
    store = Store()
    store.run("PRAGMA max_page_count = 40")
    with pytest.raises(Unavailable, match="cannot write down"):
        _fill(store)


def _fill(store: Store) -> None:
    for number in range(1_000):
        store.run("INSERT INTO rolls VALUES (?, ?)", (number, bytes(4_000)))


def test_a_closed_store_is_closed() -> None:
    store = Store()
    store.close()
    with pytest.raises((Unavailable, sqlite3.Error)):
        store.place(0)


# --- what is out of sight -------------------------------------------------------------------------


def test_bits_are_a_set_of_numbers() -> None:
    bits, numbers = Bits(), {3, 8, 9, 200, 15}
    for number in numbers:
        bits.add(number)
    assert {number for number in range(-10, 300) if number in bits} == numbers
    found: list[int | None] = []
    while bits.least is not None:
        found.append(bits.least)
        bits.discard(bits.least)
    assert found == sorted(numbers)
    bits.discard(4_000)
    assert bits.least is None


def test_the_first_entry_out_of_sight_is_the_first_that_stays_so() -> None:
    unseen = Unseen()
    unseen.withheld(4, hidden=False)
    assert unseen.first() is None
    unseen.withheld(7, hidden=True)
    unseen.withheld(9, hidden=True)
    assert unseen.first() == 7
    unseen.erased(7)
    assert (unseen.first(), unseen.is_withheld(7), unseen.is_withheld(4)) == (9, False, True)
    unseen.missing(8)
    unseen.missing(30)
    assert unseen.first() == 8
    unseen.lost(5)
    unseen.lost(6)
    assert unseen.first() == 5


def test_an_erased_text_alone_keeps_nothing_out_of_sight() -> None:
    unseen = Unseen()
    unseen.withheld(4, hidden=False)
    assert not unseen.any


@pytest.mark.parametrize("how", ["withheld", "missing", "lost"])
def test_anything_else_does(how: str) -> None:
    unseen = Unseen()
    if how == "withheld":
        unseen.withheld(4, hidden=True)
    else:
        getattr(unseen, how)(4)
    assert unseen.any
