"""Tracks recomputed from any entry are those recomputed from the first."""

from collections.abc import Sequence
from typing import Any

import pytest
from immutables import Map
from msgspec.structs import replace

from tests.engine.helpers.audited import folded, log_of
from tests.engine.helpers.stage import fight, pray, strike
from urim.engine.audit import replay as replay_module
from urim.engine.audit.cache import PrivateFile
from urim.engine.audit.replay import Replay, TrackLog
from urim.engine.audit.roll_store import Stored
from urim.engine.core.amend import tracks_before
from urim.engine.core.commands import Erase, Note, SetTrack, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.projections.tables import TableState
from urim.rules import ruleset_named


def brawl() -> Table:
    """Blows that wait for one another, tracks set by a narrator in between, some of them voided."""
    table, etgar, toad = fight()
    first = strike(table, etgar, toad)
    second = strike(table, etgar, toad)
    for value in (1, 0, 2):
        table.submit(NARRATOR, SetTrack(toad.id, "soak", value))
    first.apply_damage()
    pray(table, etgar)
    second.apply_damage()
    third = strike(table, etgar, toad)
    table.submit(NARRATOR, SetTrack(toad.id, "armour:belly", 1))
    third.apply_damage()
    strike(table, etgar, toad).apply_damage()
    for roll in (second, third):  # the earlier one first
        roll.void("It never was.")
    strike(table, etgar, toad).apply_damage()
    table.submit(NARRATOR, SetTrack(toad.id, "armour:belly", 2))
    return table


def followed(
    entries: Sequence[Entry], monkeypatch: pytest.MonkeyPatch, stride: int
) -> tuple[TableState, TrackLog]:
    """The table as an audit has it, and its log of track changes."""
    monkeypatch.setattr(replay_module, "STRIDE", stride)
    replay = Replay(ruleset_named, PrivateFile())
    replay.open(recorded(entries[0]))
    for entry in entries[1:]:
        replay.follow(entry, recorded(entry))
    state = replay.current()
    assert state is not None
    return state, replay.track_log


@pytest.mark.parametrize("stride", [1, 2, 3, 100])
def test_recomputed_from_any_entry_they_are_the_same(
    stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = brawl()
    state, track_log = followed(table.entries, monkeypatch, stride)
    assert state.tracks == table.state.tracks
    for first in range(len(table.entries)):
        assert track_log.recompute_from(state, first) == table.state.tracks
        assert track_log.recompute_from(state, first, first) == tracks_before(table.state, first)


def pushed_blow() -> Table:
    """A roll that changes tracks twice: its push is paid at once, its damage lands later."""
    table = Table("age_of_magic", dice="scripted")
    cogan = table.character("Cogan", attributes={"Brawling": 6, "ST": 3})
    brute = table.character("Brute", attributes={"EN": 3, "ST": 2})
    attack: dict[str, Any] = {"skill": "Brawling", "characteristic": "ST", "kind": "attack"}
    hit = table.declare(cogan, targets=[brute.id], difficulty=7, weapon=16, **attack)
    hit.roll(option=0)
    hit.resolve()
    blow = table.declare(cogan, follows=(hit, "damage"), push=True)
    blow.roll(option=0)
    blow.resolve()
    blow.apply_damage()
    return table


TABLES = {"a brawl": brawl, "a pushed blow": pushed_blow}
LOGS = ("milhamah/merit", "age_of_magic/void-attack", "engine/scenario/stories/age_of_magic")


@pytest.mark.parametrize("log", [*TABLES, *LOGS])
@pytest.mark.parametrize("stride", [1, 100])
def test_a_window_shows_what_tracks_were_from_its_first_entry_on(
    log: str, stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = TABLES[log]().entries if log in TABLES else log_of(log)
    state, track_log = followed(entries, monkeypatch, stride)
    whole = folded(entries)[-1]
    for first in range(2, len(entries)):
        window = track_log.window(state, first)
        for seq in range(first, len(entries)):
            assert tracks_before(window, seq) == tracks_before(whole, seq), (first, seq)


def test_the_first_entry_of_a_roll_that_changes_tracks_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = brawl()
    _, track_log = followed(table.entries, monkeypatch, 2)
    blow = next(e.seq for e in table.entries if b"damage-applied" in (e.payload or b""))
    assert track_log.first_change(1) == blow
    assert track_log.first_change(3) is None


def test_tracks_beyond_64_bits_are_stored_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forged prices may add up to any number, and an audit must go on."""
    table = brawl()
    state, track_log = followed(table.entries, monkeypatch, 1)
    last = recorded(table.entries[-1])
    vast = state.tracks.set("c1", state.tracks["c1"].set("luck", 1 << 70))
    track_log.add(replace(last, seq=last.seq + 1), vast)
    assert track_log.recompute_from(state, last.seq + 1, last.seq + 1) == vast


def test_an_audit_holds_no_index_that_grows_with_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    table = brawl()
    note = table.submit(NARRATOR, worded(Note(0), "to be erased"))[-1].seq
    log = [*table.entries]
    table.submit(NARRATOR, Erase(note))
    log += table.entries[len(log) :]
    state, _ = followed(log, monkeypatch, 100)
    last = table.state.rolls[max(roll.number for roll in table.state.rolls.values())]
    assert isinstance(table.state.entry_rolls, Map) and table.state.texts
    assert isinstance(state.entry_rolls, Stored) and isinstance(state.writings, Stored)
    assert state.entry_rolls.get(last.trail[0].seq) == last.number
    assert not state.sheets and not state.texts
