"""A table grown old: evenings of other characters behind it, with all that they left in the log."""

from functools import cache

from msgspec.structs import replace

from tests.engine.helpers.stage import fight, hit, pray
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import CharacterHandle, Table
from urim.engine.testing.plugin.tables import FixtureTable
from urim.events.codec import Event, RecordedEvent
from urim.events.table import EntryErased

SEAT = "p8"
"""The seat of the characters of those evenings, `old1` and `old2`."""


def age(table: Table, entries: int) -> None:
    """Let evenings go by until the table has so many entries more, or a few more than that."""
    assert isinstance(table, FixtureTable)
    seating, played = evening()
    for record in seating:
        table.append(record.event)
    end = len(table.entries) + entries
    while len(table.entries) < end:
        seqs = len(table.entries) - played[0].seq
        rolls = table.state.last_roll
        for record in played:
            table.append(_moved(record.event, seqs, rolls))


def _moved(event: Event, seqs: int, rolls: int) -> Event:
    """The event of another evening: the entries and rolls that it names are that much later."""
    numbers = {"about": seqs, "seq": seqs, "dispute": seqs, "roll": rolls}
    known = {name: getattr(event, name, None) for name in numbers}
    return replace(event, **{k: v + numbers[k] for k, v in known.items() if v is not None})


@cache
def evening() -> tuple[tuple[RecordedEvent, ...], tuple[RecordedEvent, ...]]:
    """What seats the two, and an evening of theirs.

    A blow lands, is disputed and stands; a note stays and another is erased; somebody is named
    again, healed, rated; a prayer is hidden and revealed. No roll is left open.
    """
    table, *_ = fight()
    begun = len(table.entries)
    table.submit(NARRATOR, c.TakeSeat(SEAT))
    for id in ("old1", "old2"):
        table.submit(NARRATOR, c.EnterCharacter(id, SEAT, {"BLE": 3, "GRA": 2, "VIG": 2}))
    seated = len(table.entries)
    first, second = (CharacterHandle(table, id) for id in ("old1", "old2"))
    blow = hit(table, first, second)
    [dispute, _] = table.submit(SEAT, c.worded(c.Dispute(blow.number), "It missed."))
    stands = c.Rule(blow.number, dispute.seq, "stands")
    table.submit(NARRATOR, c.worded(stands, "It did not."))
    table.submit(SEAT, c.worded(c.Note(dispute.seq), "We shall see."))
    [_, text] = table.submit(SEAT, c.worded(c.Note(dispute.seq), "Not now."))
    table.submit(SEAT, c.worded(c.NameCharacter("old1"), "Dana"))
    for track in ("light", "serious", "critical"):
        table.submit(NARRATOR, c.SetTrack("old2", track, 0))
    for rating in (4, 3):
        table.submit(NARRATOR, c.SetAttribute("old1", "BLE", rating))
    secret = pray(table, first, visibility="gm")
    secret.resolve()
    table.submit(NARRATOR, c.Reveal(secret.number))
    records = tuple(record for record in table.aggregate.records if record is not None)
    erased = replace(records[-1], event=EntryErased(NARRATOR, text.seq))
    return records[begun:seated], (*records[seated:], erased)
