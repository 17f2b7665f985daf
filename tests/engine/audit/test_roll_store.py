"""What an audit stores comes back as it was, and what is not disclosed is counted exactly."""

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.engine.helpers.audited import LEVELS, evening, folded
from tests.engine.helpers.pips import PIPS
from tests.engine.helpers.stage import fight, hit, pray
from tests.engine.helpers.tables.trials import TRIALS
from urim.engine.audit.cache import Cache, PrivateFile
from urim.engine.audit.rerun import roll_store
from urim.engine.audit.rerun.deferred import Kind, Undisclosed
from urim.engine.audit.rerun.replay import Replay
from urim.engine.audit.rerun.roll_store import Rolls, RollStore
from urim.engine.core import commands
from urim.engine.core.parse import body_of
from urim.errors import Unavailable
from urim.events import roll as rolled
from urim.events.codec import RecordedEvent, recorded
from urim.projections.rolls import evolve
from urim.projections.rollstate import Outstanding, RollState
from urim.projections.rollstate import game as game_of
from urim.rules import ruleset_named


def rolls() -> tuple[Rolls, dict[int, RollState]]:
    """Six rolls of a table as an audit keeps them, and as they are."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    for _ in range(5):
        pray(table, etgar)
    known = {roll.number: roll for roll in table.state.rolls.values()}
    kept = RollStore(PrivateFile()).rolls(table.state.game)
    for number, roll in sorted(known.items()):
        kept = kept.set(number, roll).stored()
    return kept, known


def test_rolls_come_back_from_the_file_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", 2)
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
    monkeypatch.setattr(roll_store, "IN_MEMORY", 1)
    entries = evening(system, number, seed).aggregate.entries
    replay = Replay(ruleset_named, PrivateFile())
    replay.open(recorded(entries[0]))
    for entry in entries[1:]:
        if entry.payload is None:
            replay.pass_over(entry)
        else:
            replay.follow(entry, recorded(entry))
    state, known = replay.opened, folded(entries)[-1].rolls
    assert state is not None
    assert [state.rolls[roll.number] for roll in known.values()] == list(known.values())


def test_setting_a_roll_leaves_the_others_view_as_it_was() -> None:
    kept, known = rolls()
    other = kept.set(1, replace(known[1], state="voided"))
    assert (kept[1].state, other[1].state) == ("damaged", "voided")
    assert other.stored()[1].state == "voided"
    assert kept[1].state == "voided"  # only what was stored is for all


def test_a_roll_that_was_changed_after_it_came_back_is_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", 1)
    kept, known = rolls()
    fresh = Outstanding(3, "ab" * 32, 90, bytes(32))
    changed = replace(known[1], trail=known[1].trail[:-1], outstanding=fresh)
    kept = kept.set(1, changed).stored()
    assert kept[2] == known[2]
    assert kept[1].outstanding == fresh
    assert (known[1].state, kept[1].state, kept[1].damage) == ("damaged", "resolved", None)


def test_rolls_of_a_system_that_no_name_leads_to_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", 1)

    class Declaration(Struct, frozen=True):
        """A class of the test's own."""

        words: str = ""

    game = game_of(replace(PIPS, Declaration=Declaration), PIPS.Options())
    declared = rolled.RollDeclared("p1", 1, "c1", {"words": "high"}, "public", "server")
    roll = evolve(None, RecordedEvent(4, 0, bytes(32), declared), game)
    kept = RollStore(PrivateFile()).rolls(game).set(1, roll).stored()
    kept = kept.set(2, replace(roll, number=2)).stored()
    assert kept[1] == roll
    assert type(kept[1].roll.declaration) is Declaration


def test_followers_are_known_and_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", 1)
    following = RollStore(PrivateFile()).following()
    for number in (1, 2, 3):
        assert following.get(number, ()) == ()
        following = following.set(number, (number + 10,)).stored()
    assert [following.get(number, ()) for number in (1, 2, 3, 4)] == [(11,), (12,), (13,), ()]


def test_commands_come_back_from_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", 1)
    store = RollStore(PrivateFile())
    notes = {seq: commands.Note(seq, text="ab" * 32) for seq in (1, 2, 3)}
    for seq, note in notes.items():
        store.put_command(seq, body_of(note).decode())
    assert {seq: store.command_at(seq) for seq in notes} == notes
    with pytest.raises(LookupError):
        store.command_at(4)


def test_what_is_taken_out_of_an_index_stays_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", 1)
    index = RollStore(PrivateFile()).entry_rolls()
    for seq in (1, 2, 3):
        index = index.set(seq, seq + 10).stored()
    assert [index.get(seq) for seq in (1, 2, 3, 4)] == [11, 12, 13, None]
    less = index.delete(2)
    assert (less.get(2), index.get(2)) == (None, 12)
    assert [less.stored().get(seq) for seq in (1, 2, 3)] == [11, None, 13]


# --- the private file -----------------------------------------------------------------------------


def test_no_room_for_the_file_makes_the_audit_unavailable() -> None:
    with PrivateFile() as file:
        file.run("PRAGMA max_page_count = 40")
        cache = Cache[bytes](file, "things", 2, bytes, bytes)
        with pytest.raises(Unavailable, match="no room for the working data of an audit"):
            _fill(cache)


def _fill(cache: Cache[bytes]) -> None:
    for number in range(1_000):
        cache.put(number, bytes(4_000))


def test_a_closed_file_is_closed() -> None:
    with PrivateFile() as file:
        store = RollStore(file)
    with pytest.raises(Unavailable):
        store.command_at(0)


def test_a_cache_has_what_was_used_last_in_memory_and_writes_only_what_was_put() -> None:
    packed: list[str] = []

    def pack(word: str) -> bytes:
        packed.append(word)
        return word.encode()

    with PrivateFile() as file:
        cache = Cache[str](file, "words", 2, pack, bytes.decode)
        for number, word in enumerate(("alef", "bet", "gimel")):
            cache.put(number, word)
        assert packed == ["alef"]
        assert [cache.get(number) for number in (2, 0, 1, 0)] == ["gimel", "alef", "bet", "alef"]
        assert packed == ["alef", "bet", "gimel"]
        cache.hold(7, "waw")
        assert cache.get(7) == "waw"
        assert [cache.get(number) for number in (0, 1, 7)] == ["alef", "bet", None]
        assert packed == ["alef", "bet", "gimel"]


# --- what is not disclosed ------------------------------------------------------------------------


def test_the_first_entry_not_disclosed_is_the_first_of_any_kind() -> None:
    undisclosed = Undisclosed()
    assert (undisclosed.first(), undisclosed.any, undisclosed.gaps) == (None, False, False)
    for seq in (9, 10):
        undisclosed.note("withheld", seq)
    assert (undisclosed.first(), undisclosed.gaps) == (9, False)
    undisclosed.note("missing", 8)
    undisclosed.note("missing", 30)
    assert (undisclosed.first(), undisclosed.gaps) == (8, True)
    undisclosed.note("lost", 5)
    undisclosed.note("lost", 6)
    assert undisclosed.first() == 5


@pytest.mark.parametrize("how", ["withheld", "missing", "lost"])
def test_whatever_is_not_disclosed_matters(how: Kind) -> None:
    undisclosed = Undisclosed()
    undisclosed.note(how, 4)
    assert undisclosed.any
