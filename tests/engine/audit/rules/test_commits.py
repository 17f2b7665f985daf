"""What a commit says was asked is held against its entries, each fault seen alone."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.audited import (
    by_rules,
    event_of,
    failures,
    find,
    going_on,
    judged,
    log_of,
    loud,
    without,
    words_of,
)
from tests.engine.helpers.bodies import (
    asked_on,
    asking_at,
    command_in,
)
from tests.sealing import asked_of, compact, json_of, resealed, sealed, sealed_raw
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.engine.table import Table
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.entry import Entry

LOG = log_of("milhamah/cliff")
VOIDED = log_of("age_of_magic/void-attack")
DECLARED = find(LOG, rolled.RollDeclared)
THROWN = find(LOG, rolled.DiceRolled)
VOID = find(VOIDED, rolled.RollVoided)
TEXT = words_of(VOIDED, VOID) or 0


def put(entries: Sequence[Entry], *changed: Entry) -> list[Entry]:
    """The log with other entries in their places."""
    log = list(entries)
    for entry in changed:
        log[entry.seq] = entry
    return log


def test_the_honest_logs_pass() -> None:
    for log in (LOG, VOIDED):
        assert loud(judged(log)) == []


# --- the body -------------------------------------------------------------------------------------


def text_of(entry: Entry) -> str:
    """The body of what was asked."""
    asked = asked_of(entry)
    assert asked is not None
    return asked.body


@pytest.mark.parametrize(
    "text",
    ["{}", '{"do":"dance/1"}', '{"do":"roll/2"}', '{"do":"roll/1"}', '{"do":1}'],
)
def test_a_body_that_is_no_command_is_wrong(text: str) -> None:
    [(seq, why), *_] = by_rules(judged(asking_at(LOG, THROWN, text)))
    assert seq == THROWN
    assert "what was asked is no command" in why


def test_a_body_may_be_written_otherwise() -> None:
    command = json.loads(text_of(LOG[THROWN]))
    loose = json.dumps(dict(reversed(command.items())), indent=1)
    assert loud(judged(asking_at(LOG, THROWN, loose))) == []


@pytest.mark.parametrize(
    "other",
    [
        '{"by":"narrator","type":"table-set/1","name":"advice","value":true}',
        '{"type":"table-set/1","name":"advice","by":"narrator","value":true}',
    ],
    ids=["lower by its bytes", "higher"],
)
def test_a_payload_whose_fields_urimcheck_does_not_know_is_written_in_one_way(other: str) -> None:
    table = Table("milhamah", dice="scripted")
    [setting] = table.submit(NARRATOR, c.SetTable("advice", True))
    seq, was = setting.seq, table.entries[setting.seq]
    ours = compact(json_of(was))
    assert was.payload is not None and ours in was.payload and json.loads(other) == json_of(was)
    payload = was.payload.replace(ours, other.encode())
    log = put(table.entries, sealed_raw(seq, was.at, payload, was.salt or b""))
    assert by_rules(judged(log)) == [(seq, "the payload is written in another way")]


# --- the command ----------------------------------------------------------------------------------

OTHERS: dict[str, tuple[int, Any]] = {
    "of another kind": (THROWN, c.Resolve(1)),
    "about another roll": (THROWN, replace(command_in(LOG[THROWN]), roll=2)),
    "of other faces": (THROWN, replace(command_in(LOG[THROWN]), faces=(1, 1, 1))),
    "to open a table": (THROWN, c.OpenTable("fixture0", "milhamah", source="scripted")),
    "of another hand": (THROWN, replace(command_in(LOG[THROWN]), hand="opponent")),
    "for another table": (0, c.OpenTable("fixture9", "milhamah", source="scripted")),
    "for other rules": (0, c.OpenTable("fixture0", "majesty", source="scripted")),
    "for other dice": (0, c.OpenTable("fixture0", "milhamah", source="manual")),
    "for another level": (0, c.OpenTable("fixture0", "milhamah", {}, "scripted", "table")),
    "for a witness": (1, c.TakeSeat("p1", "witness")),
    "for another seat": (1, c.TakeSeat("p7")),
}


@pytest.mark.parametrize(("seq", "command"), OTHERS.values(), ids=OTHERS)
def test_another_command_does_not_lead_to_these_entries(seq: int, command: Any) -> None:
    log = asking_at(LOG, seq, command)
    assert min(by_rules(judged(log)))[0] == seq


# --- the entries ----------------------------------------------------------------------------------


def test_an_event_is_added() -> None:
    event = event_of(VOIDED, VOID + 1)
    log = asked_on(VOIDED[:VOID], c.Resolve(1), event_of(VOIDED, VOID))
    assert VOID in failures(judged(log))
    more = tabled.Noted(NARRATOR, 0)
    added = put(VOIDED[: TEXT + 1], sealed(TEXT, VOIDED[VOID].at, more, first=VOID))
    text = resealed(VOIDED[TEXT], seq=TEXT + 1)
    assert by_rules(judged([*added, text])) == [(TEXT, "what was asked does not lead to this")]
    assert isinstance(event, rolled.RollVoided)


def test_an_event_is_left_out() -> None:
    left = judged(without(VOIDED[: TEXT + 1], TEXT - 1))
    assert by_rules(left) == [(TEXT - 2, "what was asked leads to one more entry")]


def test_two_events_are_exchanged() -> None:
    log = log_of("age_of_magic/amend-attack")
    first = find(log, ruling.RollAmended)
    one, other = log[first + 1], log[first + 2]
    assert one.commit == other.commit == first
    swapped = put(
        log,
        resealed(one, event_of(log, other.seq)),
        resealed(other, event_of(log, one.seq)),
    )
    assert one.seq in failures(judged(swapped))


def test_the_first_event_is_exchanged_with_another() -> None:
    one, other = VOIDED[VOID], VOIDED[VOID + 1]
    swapped = put(
        VOIDED,
        resealed(one, event_of(VOIDED, other.seq)),
        resealed(other, event_of(VOIDED, one.seq)),
    )
    assert VOID in failures(judged(swapped))


def test_an_entry_that_nobody_asked_for_fails() -> None:
    log = going_on(LOG, tabled.SeatLeft(NARRATOR, "p1"))
    assert failures(judged(log)) == [len(LOG)]


def test_a_command_that_leads_to_nothing_leaves_no_entry() -> None:
    """The same seat for a character: the command changes nothing, so no event may come of it."""
    same = tabled.CharacterGiven(NARRATOR, "c1", "p1")
    log = asked_on(LOG, c.GiveCharacter("c1", "p1"), same)
    assert failures(judged(log)) == [len(LOG)]
