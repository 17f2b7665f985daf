"""Cheats with what was asked, in a log that is legal but for them: what each verifier must say.

The host holds every key, seals what it likes and signs it. docs/bundle.md shows this table.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec.structs import replace

from tests.engine.helpers.bundles import TABLE, Log, forged, honest, place
from tests.engine.helpers.decide_cases import DUEL
from tests.engine.helpers.stage import MISS, fight
from tests.sealing import compact, payload_of, resealed, sealed_raw
from urim.engine.core import commands as asked
from urim.engine.core.limits import NARRATOR
from urim.events.codec import encode
from urim.events.entry import Entry, EntryClass, withhold
from urim.events.roll import RollVoided
from urim.events.table import EntryErased, TextSaid

Entries = list[Entry]


class AskedCheat(NamedTuple):
    """A cheat, how it is made, and the first step that fails in each verifier; 0 is none."""

    name: str
    make: Callable[[], Entries]
    audit: int
    page: int


def log_of() -> Entries:
    return list(honest().entries)


def changed(at: int, change: Callable[[Any], Any], entries: Entries | None = None) -> Entries:
    """The log with the JSON of an entry's payload changed."""
    made = entries or log_of()
    entry = made[at]
    payload = compact(change(json.loads(entry.payload or b"")))
    made[at] = sealed_raw(at, entry.at, payload, entry.salt or b"", entry.kind, entry.commit)
    return made


def body(at: int, change: Callable[[str], str]) -> Entries:
    """The log with another body in an entry, given as its text."""

    def with_body(payload: Any) -> Any:
        said = payload["asked"]
        made = change(said["body"])
        assert made != said["body"]
        return {**payload, "asked": {**said, "body": made}}

    return changed(at, with_body)


def put(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


# --- commits and requests -------------------------------------------------------------------------


def dropped() -> Entries:
    return changed(place("server void"), lambda payload: {"event": payload["event"]})


def moved() -> Entries:
    """What was asked, from a void to the text behind it."""
    at = place("server void")
    said = json.loads(honest().entries[at].payload or b"")["asked"]
    return changed(at + 1, lambda payload: {"asked": said, **payload}, dropped())


def requested_twice() -> Entries:
    """Two commands of one seat under one request id."""

    def same(payload: Any) -> Any:
        return {**payload, "asked": {**payload["asked"], "request": "again"}}

    return changed(place("server void"), same, changed(place("ruling"), same))


def request(id: str) -> Callable[[], Entries]:
    def make() -> Entries:
        def other(payload: Any) -> Any:
            return {**payload, "asked": {**payload["asked"], "request": id}}

        return changed(place("server void"), other)

    return make


def short() -> Entries:
    """Two rolls that follow nothing, one declared, one with its dice; then a note."""
    log = Log()
    log.declare()
    log.declare()
    log.ask(NARRATOR, asked.Note(0), "A quiet evening.")
    return list(log.entries)


def added() -> Entries:
    """An event that the command does not lead to, in its commit."""
    entries = short()
    void = RollVoided(NARRATOR, 2, 0, None)
    text, first = entries.pop(), entries[-1]
    more = sealed_raw(text.seq, first.at, payload_of(void), bytes(32), first=first.seq)
    return [*entries, more, resealed(text, seq=text.seq + 1)]


def left_out() -> Entries:
    """A roll voided without the one that counters it; the reason right behind it."""
    table, etgar, _ = fight(options={"skill_roots": {"jump": "גט"}}, id=TABLE)
    roll = table.declare(etgar, **DUEL)
    roll.react(root="שז", rating=3)
    for faces in ("גטואאאאא", MISS):
        roll.roll(faces=faces)
        roll.stand()
    roll.resolve()
    table.submit("p2", asked.Declare("c2", {"root": "גט", "rating": 1}, follows=(1, "counter")))
    seq = table.state.size
    table.submit(NARRATOR, asked.worded(asked.Void(1), "Never mind."))
    *before, void, _, text = table.aggregate.entries
    assert void.seq == seq
    return [*before, void, resealed(text, seq=seq + 1)]


def own_commitment() -> Entries:
    """A declaration and its throw in one commit."""
    log = Log()
    roll = log.declare()
    seq = log.throw(roll)
    entries = list(log.entries)
    event = json.loads(entries[seq].payload or b"")["event"]
    payload = compact({"event": event})
    entries[seq] = sealed_raw(seq, entries[seq - 1].at, payload, first=seq - 1)
    return entries


# --- texts ----------------------------------------------------------------------------------------


def other_text() -> Entries:
    def said(payload: Any) -> Any:
        return {"event": {**payload["event"], "text": "It was me."}}

    return changed(place("ruling") + 1, said)


def no_text() -> Entries:
    """A note cut off before its text."""
    return short()[:-1]


def unnamed(*, gone: bool) -> Callable[[], Entries]:
    """A text behind a command that names none, erased perhaps."""

    def make() -> Entries:
        log = Log()
        log.declare()
        entries = list(log.entries)
        last = entries[-1]
        said = encode(TextSaid("p1", "0" * 32, "Psst."))
        entries.append(sealed_raw(last.seq + 1, last.at, said, kind="text", first=last.seq))
        if gone:
            erase = {"request": f"~{log.size + 1}", "body": f'{{"do":"erase/1","seq":{log.size}}}'}
            event = json.loads(payload_of(EntryErased("p1", log.size)))
            payload = compact({"asked": erase, **event})
            entries.append(sealed_raw(log.size + 1, last.at, payload))
            entries[log.size] = withhold(entries[log.size])
        return entries

    return make


def erased_void(kind: EntryClass = "open") -> Entries:
    """A void sealed as of this class, and erased instead of its reason."""
    log = Log()
    at = log.ask(NARRATOR, asked.Void(log.declare()), "It was too dark.")
    reason = log.entries[at + 1]
    erasure = log.ask(NARRATOR, asked.Erase(at + 1))
    entries = list(log.entries)
    entries[at] = withhold(resealed(entries[at], kind=kind))
    entries[at + 1] = reason

    def other(payload: Any) -> Any:
        said = {**payload["asked"], "body": json.dumps({"do": "erase/1", "seq": at})}
        return {"asked": said, "event": {**payload["event"], "seq": at}}

    return changed(erasure, other, entries)


def relabelled() -> Entries:
    """A line in the commit before it, which is not hashed."""
    entries = log_of()
    at = place("given")
    entries[at] = replace(entries[at], commit=at - 1)
    return entries


VOID, RULED = place("server void"), place("ruling")

CHEATS: tuple[AskedCheat, ...] = (
    AskedCheat("`asked` dropped", dropped, 10, 10),
    AskedCheat("`asked` moved to another entry of its commit", moved, 10, 10),
    AskedCheat("an entry's line put into the commit before", relabelled, 10, 10),
    AskedCheat("a request that no client may send", request("a b"), 10, 10),
    AskedCheat("the host's request id of another entry", request("~1"), 10, 10),
    AskedCheat("one request id of a seat in two commits", requested_twice, 10, 10),
    AskedCheat(
        "another command in the body", lambda: body(VOID, put("void/3", "dispute/1")), 10, 10
    ),
    AskedCheat(
        "another roll, die or nonce in the body",
        lambda: body(RULED, put('"roll":1', '"roll":2')),
        10,
        10,
    ),
    AskedCheat(
        "another wish in a declaration's body",
        lambda: body(place("declared"), put('"rating":2', '"rating":1')),
        11,
        0,
    ),
    AskedCheat(
        "a body with a key twice", lambda: body(RULED, put('{"do"', '{"roll":1,"do"')), 1, 1
    ),
    AskedCheat("a body with `-0`", lambda: body(RULED, put('"roll":1', '"roll":-0')), 1, 1),
    AskedCheat("a body with a lone surrogate", lambda: body(RULED, put("stands", "\\ud800")), 1, 1),
    AskedCheat("an event added to a commit", added, 10, 10),
    AskedCheat("an event left out of a commit", left_out, 10, 0),
    AskedCheat("a text that does not fit the body's hash", other_text, 10, 10),
    AskedCheat("a text left out", no_text, 10, 10),
    AskedCheat("a text that no body names", unnamed(gone=False), 10, 10),
    AskedCheat("a text that no body names, erased", unnamed(gone=True), 10, 10),
    AskedCheat("a void sealed as class `text`, and erased", lambda: erased_void("text"), 10, 10),
    AskedCheat("a void erased", erased_void, 5, 5),
    AskedCheat("a throw that answers a commitment of its own commit", own_commitment, 6, 6),
)


def bundle_of(entries: Entries) -> bytes:
    """A bundle of the whole table, signed as if nothing were wrong; hidden rolls disclosed."""
    return forged(entries)
