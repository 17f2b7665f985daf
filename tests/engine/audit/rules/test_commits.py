"""What a commit says was asked is held against its form and its entries, each fault seen alone."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.audited import (
    LEGAL,
    RULES,
    event_of,
    failures,
    find,
    going_on,
    judged,
    log_of,
    loud,
    strictly_failed,
    without,
    words_of,
)
from tests.engine.helpers.bodies import (
    asked_on,
    asking,
    asking_at,
    body,
    command_in,
    with_body,
)
from tests.engine.helpers.bundles import Log, at, forged, wrong
from tests.engine.helpers.bundles import judged as judged_whole
from tests.engine.helpers.stage import fight, pray
from tests.sealing import asked_of, payload_of, resealed, sealed, sealed_raw
from urim.engine.audit.report import Result
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.asked import BODY, Asked, Text
from urim.events.entry import Entry, withhold

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


def only(result: Result) -> tuple[int | None, str]:
    """The first remark of a step: its entry, and why."""
    return result.remarks[0].seq, result.remarks[0].why


def test_the_honest_logs_pass() -> None:
    for log in (LOG, VOIDED):
        assert loud(judged(log)) == []
        assert strictly_failed(log) == []


# --- where `asked` is -----------------------------------------------------------------------------


def silent(entry: Entry) -> Entry:
    """The entry without what was asked."""
    payload = payload_of(event_of([entry], 0))
    return sealed_raw(entry.seq, entry.at, payload, entry.salt or b"", entry.kind, entry.commit)


def saying(entry: Entry, asked: Asked | None) -> Entry:
    """The entry with what was asked, wherever it is in its commit."""
    payload = payload_of(event_of([entry], 0), asked)
    return sealed_raw(entry.seq, entry.at, payload, entry.salt or b"", entry.kind, entry.commit)


def test_what_was_asked_is_dropped() -> None:
    results = judged(put(LOG, silent(LOG[THROWN])))
    assert only(results[LEGAL]) == (
        THROWN,
        f"the entry does not say what was asked, in commit {THROWN}",
    )


def test_what_was_asked_is_moved_to_the_second_entry() -> None:
    asked = asked_of(VOIDED[VOID])
    log = put(VOIDED, silent(VOIDED[VOID]), saying(VOIDED[VOID + 1], asked))
    found = failures(judged(log))
    assert found[:2] == [(LEGAL, VOID), (LEGAL, VOID + 1)]


def test_what_was_asked_is_said_twice() -> None:
    log = put(VOIDED, saying(VOIDED[VOID + 1], asked_of(VOIDED[VOID])))
    assert only(judged(log)[LEGAL]) == (
        VOID + 1,
        f"the entry says what was asked, in commit {VOID}",
    )


def test_a_commit_is_cut_in_two() -> None:
    rest = [replace(entry, commit=VOID + 1) for entry in VOIDED[VOID + 1 : TEXT + 1]]
    found = failures(judged(put(VOIDED, *rest)))
    assert (LEGAL, VOID) in found
    assert (LEGAL, VOID + 1) in found


def test_two_commits_are_one() -> None:
    one = [replace(LOG[THROWN + 1], commit=THROWN)]
    assert (LEGAL, THROWN + 1) in failures(judged(put(LOG, *one)))


def test_a_commit_is_numbered_by_another_entry() -> None:
    for number in (0, THROWN - 1):
        log = put(LOG, replace(LOG[THROWN], commit=number))
        found = judged(log)[LEGAL].remarks
        assert (THROWN, "a commit begins at another entry than its first") in [
            (each.seq, each.why) for each in found
        ]


def test_a_commit_is_of_one_time() -> None:
    late = resealed(VOIDED[VOID + 1], at=VOIDED[VOID].at + 1)
    assert only(judged(put(VOIDED, late))[LEGAL]) == (
        VOID,
        "the entries of one commit are of different times",
    )


# --- the request ----------------------------------------------------------------------------------


@pytest.mark.parametrize("request_id", ["r1", "R.-_9", "x" * 64, f"~{THROWN}"])
def test_a_request_id_that_a_client_may_send_or_the_hosts_own_passes(request_id: str) -> None:
    log = asking_at(LOG, THROWN, command_in(LOG[THROWN]), request_id)
    assert loud(judged(log)) == []


@pytest.mark.parametrize(
    "request_id",
    ["", "a b", "a/b", "é", "x" * 65, "r1\n", "~", f"~{THROWN - 1}", f"~0{THROWN}", "~x"],
)
def test_another_request_id_fails(request_id: str) -> None:
    log = asking_at(LOG, THROWN, command_in(LOG[THROWN]), request_id)
    results = judged(log)
    assert failures(results) == [(LEGAL, THROWN)]
    assert only(results[LEGAL])[1] == "a request id that no client may send"


def test_a_seat_uses_a_request_id_once() -> None:
    by = event_of(LOG, THROWN).by
    later = find(LOG, rolled.RollResolved)
    assert event_of(LOG, later).by == by
    first = asking_at(LOG, THROWN, command_in(LOG[THROWN]), "mine")
    twice = asking_at(first, later, command_in(LOG[later]), "mine")
    results = judged(twice)
    assert failures(results) == [(LEGAL, later)]
    assert only(results[LEGAL])[1] == f"seat {by} has used request mine before"


def test_two_seats_may_use_the_same_request_id() -> None:
    narrators = next(e.seq for e in LOG if event_of(LOG, e.seq).by == NARRATOR and e.seq)
    first = asking_at(LOG, narrators, command_in(LOG[narrators]), "mine")
    assert loud(judged(asking_at(first, THROWN, command_in(LOG[THROWN]), "mine"))) == []


# --- the body -------------------------------------------------------------------------------------


def text_of(entry: Entry) -> str:
    """The body of what was asked."""
    asked = asked_of(entry)
    assert asked is not None
    return asked.body


def nested(depth: int) -> str:
    """A body that is nested so deep."""
    return '{"do":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


NOT_STRICT: dict[str, Callable[[str], str]] = {
    "a key twice": lambda text: text.replace('"roll":1', '"roll":1,"roll":1'),
    "a key twice, deep inside": lambda text: text.replace("}", ',"x":[{"a":1,"a":1}]}'),
    "minus zero": lambda text: text.replace('"roll":1', '"roll":-0'),
    "a fraction": lambda text: text.replace('"roll":1', '"roll":1.0'),
    "an exponent": lambda text: text.replace('"roll":1', '"roll":1e0'),
    "beyond 2^53": lambda text: text.replace('"roll":1', f'"roll":{1 << 53}'),
    "half of a surrogate pair": lambda text: text.replace("initiator", "\\ud800"),
    "a byte order mark": lambda text: f"\ufeff{text}",
    "depth 65": lambda text: nested(65),
    "no object": lambda text: f"[{text}]",
    "no JSON": lambda text: text[:-1],
    "two objects": lambda text: f"{text}{text}",
    "a constant": lambda text: text.replace('"roll":1', '"roll":NaN'),
    "nothing": lambda text: "",
}


@pytest.mark.parametrize("bend", NOT_STRICT.values(), ids=NOT_STRICT)
def test_a_body_that_is_not_strict_fails_step_1(bend: Callable[[str], str]) -> None:
    honest = text_of(LOG[THROWN])
    bent = bend(honest)
    assert bent != honest
    log = asking_at(LOG, THROWN, bent)
    assert strictly_failed(log) == [THROWN]


def test_a_body_has_16_kib_at_most() -> None:
    honest = text_of(LOG[THROWN])
    for more, failed in ((0, []), (1, [THROWN])):
        long = honest + " " * (BODY - len(honest.encode()) + more)
        log = asking_at(LOG, THROWN, long)
        assert strictly_failed(log) == failed
        assert loud(judged(log)) == [] or failed


def test_a_body_of_depth_64_is_strict_and_no_command() -> None:
    log = asking_at(LOG, THROWN, nested(64))
    assert strictly_failed(log) == []
    assert (LEGAL, THROWN) in failures(judged(log))


@pytest.mark.parametrize(
    "text",
    ["{}", '{"do":"dance/1"}', '{"do":"roll/2"}', '{"do":"roll/1"}', '{"do":1}'],
)
def test_a_body_that_is_no_command_fails_step_10(text: str) -> None:
    log = asking_at(LOG, THROWN, text)
    assert strictly_failed(log) == []
    assert (LEGAL, THROWN) in failures(judged(log))
    assert "what was asked is no command" in only(judged(log)[LEGAL])[1]


def test_a_body_may_be_written_otherwise() -> None:
    command = json.loads(text_of(LOG[THROWN]))
    loose = json.dumps(dict(reversed(command.items())), indent=1)
    assert loud(judged(asking_at(LOG, THROWN, loose))) == []


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
    first = min((at or 0, step) for step, at in failures(judged(log)))
    assert first[0] == seq
    assert first[1] in (LEGAL, RULES)


# --- the entries ----------------------------------------------------------------------------------


def test_an_event_is_added() -> None:
    event = event_of(VOIDED, VOID + 1)
    log = asked_on(VOIDED[:VOID], c.Resolve(1), event_of(VOIDED, VOID))
    assert (LEGAL, VOID) in failures(judged(log))
    more = tabled.Noted(NARRATOR, 0)
    added = put(VOIDED[: TEXT + 1], sealed(TEXT, VOIDED[VOID].at, more, first=VOID))
    text = resealed(VOIDED[TEXT], seq=TEXT + 1)
    results = judged([*added, text])
    assert failures(results) == [(LEGAL, TEXT)]
    assert only(results[LEGAL])[1] == "what was asked does not lead to this"
    assert isinstance(event, rolled.RollVoided)


def test_an_event_is_left_out() -> None:
    results = judged(without(VOIDED[: TEXT + 1], TEXT - 1))
    assert failures(results) == [(LEGAL, TEXT - 2)]
    assert only(results[LEGAL])[1] == "what was asked leads to one more entry"


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
    assert (LEGAL, one.seq) in failures(judged(swapped))


def test_the_first_event_is_exchanged_with_another() -> None:
    one, other = VOIDED[VOID], VOIDED[VOID + 1]
    swapped = put(
        VOIDED,
        resealed(one, event_of(VOIDED, other.seq)),
        resealed(other, event_of(VOIDED, one.seq)),
    )
    assert (LEGAL, VOID) in failures(judged(swapped))


def test_an_entry_that_nobody_asked_for_fails() -> None:
    log = going_on(LOG, tabled.SeatLeft(NARRATOR, "p1"))
    assert failures(judged(log)) == [(LEGAL, len(LOG))]


def test_a_command_that_leads_to_nothing_leaves_no_entry() -> None:
    """The same seat for a character: the command changes nothing, so no event may come of it."""
    same = tabled.CharacterGiven(NARRATOR, "c1", "p1")
    log = asked_on(LOG, c.GiveCharacter("c1", "p1"), same)
    assert failures(judged(log)) == [(LEGAL, len(LOG))]


# --- texts ----------------------------------------------------------------------------------------


def test_a_text_that_does_not_fit_its_hash_fails() -> None:
    said = event_of(VOIDED, TEXT)
    for other in (
        replace(said, text=f"{said.text}."),
        replace(said, salt="00" * 16),
        replace(said, text="\x00"),
    ):
        results = judged(put(VOIDED, resealed(VOIDED[TEXT], other)))
        assert failures(results) == [(LEGAL, TEXT)]
        assert only(results[LEGAL])[1] == "the text is not the one that the command names"
        assert loud(judged(with_body(VOIDED, TEXT, other))) == []


def test_a_line_of_a_text_cannot_be_moved_to_its_salt() -> None:
    salt, two = "5a" * 16, "The first line.\nThe second."
    log = with_body(VOIDED, TEXT, tabled.TextSaid(NARRATOR, salt, two))
    assert loud(judged(log)) == []
    moved = tabled.TextSaid(NARRATOR, f"{salt}\nThe first line.", "The second.")
    assert Text(moved.salt, moved.text).hash == Text(salt, two).hash
    assert failures(judged(put(log, resealed(log[TEXT], moved)))) == [(LEGAL, TEXT)]


@pytest.mark.parametrize("salt", ["", "5a", "5A" * 16, "5a" * 17, "5a" * 16 + "\n"])
def test_a_salt_is_32_hex_digits(salt: str) -> None:
    log = with_body(VOIDED, TEXT, tabled.TextSaid(NARRATOR, salt, "A text."))
    assert failures(judged(log)) == [(LEGAL, TEXT)]


def test_a_text_that_another_said_fails() -> None:
    said = event_of(VOIDED, TEXT)
    log = put(VOIDED, resealed(VOIDED[TEXT], replace(said, by="p1")))
    assert failures(judged(log)) == [(LEGAL, TEXT)]


def test_a_text_comes_exactly_where_the_command_names_one() -> None:
    named = command_in(VOIDED[VOID])
    assert isinstance(named, c.Void)
    unnamed = asking_at(VOIDED, VOID, replace(named, text=None))
    assert (LEGAL, VOID) in failures(judged(unnamed))
    missing = judged(VOIDED[:TEXT])
    assert failures(missing) == [(LEGAL, VOID)]
    erased = put(VOIDED[: TEXT + 1], withhold(VOIDED[TEXT]))
    assert loud(judged(erased)) == []
    unnamed_and_erased = asking_at(erased, VOID, replace(named, text=None))
    assert (LEGAL, VOID) in failures(judged(unnamed_and_erased))


def test_a_text_is_named_by_a_command_that_takes_one() -> None:
    plain = '{"do":"resolve/1","roll":1,"text":"%s"}' % ("ab" * 32)
    log = asking_at(LOG, find(LOG, rolled.RollResolved), plain)
    assert (LEGAL, find(LOG, rolled.RollResolved)) in failures(judged(log))


def test_a_text_is_of_its_class_and_nothing_else_is() -> None:
    for kind in ("open", "hidden", "hidden-text"):
        log = put(VOIDED, resealed(VOIDED[TEXT], kind=kind))
        assert (LEGAL, TEXT) in failures(judged(log)), kind
    log = put(VOIDED, resealed(VOIDED[TEXT - 1], kind="text"))
    assert (LEGAL, TEXT - 1) in failures(judged(log))
    assert (LEGAL, THROWN) in failures(judged(put(LOG, resealed(LOG[THROWN], kind="text"))))


def test_a_void_cannot_be_erased_as_a_text() -> None:
    log = put(LOG, withhold(resealed(LOG[THROWN], kind="text")))
    assert (LEGAL, THROWN) in failures(judged(log))


def test_a_text_is_the_last_of_its_commit_and_never_the_first() -> None:
    text = VOIDED[TEXT]
    early = put(
        VOIDED[: TEXT + 1],
        resealed(text, seq=TEXT - 1),
        resealed(VOIDED[TEXT - 1], seq=TEXT),
    )
    assert (LEGAL, TEXT - 1) in failures(judged(early))
    alone = tabled.TextSaid(NARRATOR, "ab" * 16, "A text.")
    at = VOIDED[-1].at + 1
    first = [*VOIDED, sealed(len(VOIDED), at, alone, kind="text", asked=body(c.Note(0)))]
    assert (LEGAL, len(VOIDED)) in failures(judged(first))
    for log in (first, [*VOIDED, withhold(first[-1])]):
        assert (LEGAL, len(VOIDED)) in failures(judged(log))


def test_two_texts_are_one_too_many() -> None:
    text = VOIDED[TEXT]
    log = [*VOIDED[: TEXT + 1], resealed(text, seq=TEXT + 1)]
    assert (LEGAL, TEXT) in failures(judged(log))
    gone = [*VOIDED[:TEXT], withhold(text), withhold(resealed(text, seq=TEXT + 1))]
    assert (LEGAL, TEXT) in failures(judged(gone))


def test_an_opening_has_no_text() -> None:
    hashed = Text("ab" * 16, "A text.").hash
    opened = {**json.loads(text_of(LOG[0])), "text": hashed}
    said = tabled.TextSaid(NARRATOR, "ab" * 16, "A text.")
    log = [
        asking(LOG[0], json.dumps(opened, separators=(",", ":"))),
        sealed(1, LOG[0].at, said, kind="text", first=0),
    ]
    assert (LEGAL, 0) in failures(judged(log))


# --- throws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["server", "player"])
def test_a_declaration_and_its_throw_are_two_commits(level: Any) -> None:
    """A host that puts both into one knows what would fall before it commits itself."""
    log = Log()
    seq = log.throw(log.declare(level))
    declared = seq - 1
    assert isinstance(event_of(log.entries, declared), rolled.RollDeclared)
    thrown = resealed(silent(log.entries[seq]), at=log.entries[declared].at, first=declared)
    one = put(log.entries, thrown)
    report = judged_whole(forged(one))
    throws, legal = at(report, 6), at(report, LEGAL)
    assert [(each.seq, each.why) for each in throws.remarks] == [
        (seq, "throw 0 answers a commitment of its own commit")
    ]
    assert (seq, "what was asked does not lead to this") == only(legal)
    assert wrong(judged_whole(forged(log.entries))) == {}


def test_a_text_of_a_hidden_roll_is_hidden_and_last() -> None:
    table, etgar, _ = fight()
    roll = pray(table, etgar, visibility="gm")
    said = table.submit(NARRATOR, c.worded(c.Dispute(roll.number), "Why?"))
    shown = put(table.entries, resealed(said[-1], kind="text"))
    assert loud(judged(table.entries)) == []
    assert (LEGAL, said[-1].seq) in failures(judged(shown))


def test_a_text_behind_a_command_that_names_none_fails() -> None:
    declared = find(LOG, rolled.RollDeclared)
    command = command_in(LOG[declared])
    assert isinstance(command, c.Declare) and command.text is not None
    log = asking_at(LOG[: declared + 2], declared, replace(command, text=None))
    assert failures(judged(log)) == [(LEGAL, declared)]
