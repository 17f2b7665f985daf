"""What an audit puts away comes back as it was, and counting on what is out of sight is exact."""

import sqlite3

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.cheats.trials import TRIALS
from tests.engine.helpers.audited import LEVELS, evening, folded
from tests.engine.helpers.pips import PIPS
from tests.engine.helpers.stage import fight, hit, pray
from urim.engine.audit import roll_store
from urim.engine.audit.deferred import Bits, Undisclosed
from urim.engine.audit.replay import Replay
from urim.engine.audit.roll_store import Place, Rolls, RollStore
from urim.errors import Unavailable
from urim.events import roll as rolled
from urim.events.codec import RecordedEvent, recorded
from urim.projections.rolls import evolve
from urim.projections.rollstate import Binding, Outstanding, RollState, Witnessing
from urim.projections.rollstate import game as game_of
from urim.rules import ruleset_named


def rolls() -> tuple[Rolls, dict[int, RollState]]:
    """Six rolls of a table as an audit keeps them, and as they are."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    for _ in range(5):
        pray(table, etgar)
    known = dict(table.state.rolls)
    kept = RollStore().rolls(table.state.game)
    for number, roll in sorted(known.items()):
        kept = kept.set(number, roll).kept()
    return kept, known


def test_rolls_come_back_from_the_file_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll_store, "NEAR", 2)
    kept, known = rolls()
    assert {number: kept[number] for number in known} == known
    assert len(kept) == len(known)
    assert 7 not in kept and kept.get(7) is None
    with pytest.raises(KeyError):
        kept[7]


@pytest.mark.parametrize("system", TRIALS)
@pytest.mark.parametrize("number", range(len(LEVELS)))
def test_every_roll_of_an_evening_comes_back_as_it_is(
    system: str, number: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roll_store, "NEAR", 1)
    entries = evening(system, number, seed).aggregate.entries
    replay = Replay(ruleset_named)
    replay.open(recorded(entries[0]))
    for entry in entries[1:]:
        if entry.payload is None:
            replay.pass_over(entry)
        else:
            replay.follow(entry, recorded(entry))
    state, known = replay.opened, folded(entries)[-1].rolls
    assert state is not None
    assert {number: state.rolls[number] for number in known} == dict(known)


def test_setting_a_roll_leaves_the_others_view_as_it_was() -> None:
    kept, known = rolls()
    other = kept.set(1, replace(known[1], state="voided"))
    assert (kept[1].state, other[1].state) == ("damaged", "voided")
    assert other.kept()[1].state == "voided"
    assert kept[1].state == "voided"  # only what was kept stands for all


def test_a_roll_that_was_changed_after_it_came_back_is_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roll_store, "NEAR", 1)
    kept, known = rolls()
    fresh = Outstanding(3, "ab" * 32, 90, bytes(32))
    bound = Binding("p1", 3, "cd" * 32, 91, ("p2",), 1, 2, witnessing=Witnessing(5, "wait"))
    changed = replace(known[1], trail=known[1].trail[:-1], outstanding=fresh, binding=bound)
    kept = kept.set(1, changed).kept()
    assert kept[2] == known[2]
    assert (kept[1].outstanding, kept[1].binding) == (fresh, bound)
    assert (known[1].state, kept[1].state, kept[1].damage) == ("damaged", "resolved", None)


def test_rolls_of_a_system_that_no_name_leads_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roll_store, "NEAR", 1)

    class Declaration(Struct, frozen=True):
        """A class of the test's own."""

        words: str = ""

    game = game_of(replace(PIPS, Declaration=Declaration), PIPS.Options())
    said = rolled.RollDeclared("p1", 1, "c1", {"words": "high"}, "public", "server")
    roll = evolve(None, RecordedEvent(4, 0, bytes(32), said), game)
    kept = RollStore().rolls(game).set(1, roll).kept()
    kept = kept.set(2, replace(roll, number=2)).kept()
    assert kept[1] == roll
    assert type(kept[1].roll.declaration) is Declaration


def test_followers_are_known_and_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll_store, "NEAR", 1)
    following = RollStore().following()
    for number in (1, 2, 3):
        assert following.get(number, ()) == ()
        following = following.set(number, (number + 10,)).kept()
    assert [following.get(number, ()) for number in (1, 2, 3, 4)] == [(11,), (12,), (13,), ()]


def test_places_are_known_before_and_after_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roll_store, "BATCH", 2)
    store = RollStore()
    store.put_place(1, 7)
    assert store.place(1) == Place(7, None)
    store.put_place(2, None, "p1")
    assert [store.place(seq) for seq in (1, 2, 3)] == [Place(7, None), Place(None, "p1"), None]
    for seq in (2, 1):
        store.forget(seq)
        assert store.place(seq) is None


def test_no_room_for_the_file_is_nobodys_fault() -> None:
    store = RollStore()
    store.run("PRAGMA max_page_count = 40")
    with pytest.raises(Unavailable, match="cannot write down"):
        _fill(store)


def _fill(store: RollStore) -> None:
    for number in range(1_000):
        store.run("INSERT INTO rolls VALUES (?, ?)", (number, bytes(4_000)))


def test_a_closed_store_is_closed() -> None:
    store = RollStore()
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
    unseen = Undisclosed()
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
    unseen = Undisclosed()
    unseen.withheld(4, hidden=False)
    assert not unseen.any


@pytest.mark.parametrize("how", ["withheld", "missing", "lost"])
def test_anything_else_does(how: str) -> None:
    unseen = Undisclosed()
    if how == "withheld":
        unseen.withheld(4, hidden=True)
    else:
        getattr(unseen, how)(4)
    assert unseen.any
