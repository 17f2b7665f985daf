"""An audit knows what tracks were, as they count now, before every entry."""

from collections.abc import Sequence
from typing import Any

import pytest
from immutables import Map

from tests.engine.helpers.audited import folded, log_of
from tests.engine.helpers.stage import fight, pray, strike
from urim.engine.audit.cache import PrivateFile
from urim.engine.audit.rerun import roll_store
from urim.engine.audit.rerun.replay import Replay
from urim.engine.audit.rerun.roll_store import RollStore, Stored
from urim.engine.core.commands import Erase, Note, SetTrack, worded
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events.codec import recorded
from urim.events.entry import Entry
from urim.projections.tables import TableState
from urim.projections.timeline import Moment
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


def followed(entries: Sequence[Entry]) -> TableState:
    """The table as an audit has it."""
    replay = Replay(ruleset_named, PrivateFile())
    replay.open(recorded(entries[0]))
    for entry in entries[1:]:
        replay.follow(entry, recorded(entry))
    assert replay.opened is not None
    return replay.opened


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
@pytest.mark.parametrize("memory", [1, 64])
def test_an_audit_knows_what_tracks_were_at_every_entry(
    log: str, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roll_store, "IN_MEMORY", memory)
    entries = TABLES[log]().entries if log in TABLES else log_of(log)
    state, whole = followed(entries), folded(entries)[-1]
    assert state.tracks == whole.tracks
    for seq in range(len(entries)):
        assert state.tracks_before(seq) == whole.tracks_before(seq), seq


def test_tracks_beyond_64_bits_are_stored_too() -> None:
    """Forged prices may add up to any number, and an audit must go on."""
    vast = Map({"luck": 1 << 70})
    held = RollStore(PrivateFile()).moments()
    for number in range(200):
        held = held.set(number, Moment(number, vast, 1)).stored()
    assert held.get(0) == Moment(0, vast, 1)


def test_an_audit_holds_no_index_that_grows_with_the_log() -> None:
    table = brawl()
    note = table.submit(NARRATOR, worded(Note(0), "to be erased"))[-1].seq
    log = [*table.entries]
    table.submit(NARRATOR, Erase(note))
    log += table.entries[len(log) :]
    state = followed(log)
    last = table.state.rolls[max(roll.number for roll in table.state.rolls.values())]
    assert isinstance(table.state.entry_rolls, Map) and dict(table.state.texts.items())
    assert isinstance(state.entry_rolls, Stored) and isinstance(state.writings, Stored)
    assert state.entry_rolls.get(last.trail[0].seq) == last.number
    assert isinstance(state.timeline.held, Stored) and not dict(state.texts.items())
