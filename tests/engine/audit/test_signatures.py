"""Step 10 of an audit: each command of a seat with a key is signed, over a head of this log."""

from base64 import b64encode
from io import BytesIO
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.tables.forging import head, made
from tests.engine.helpers.tables.host import Host, signature_of
from tests.engine.helpers.tables.stages import brawl, prayer, restore
from tests.sealing import asked_of, resealed
from urim.engine.audit import Report, audit
from urim.engine.audit.report import Result
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.asked import Asked, Seen
from urim.events.checkpoint import public_key, read_key
from urim.events.merkle import EMPTY_ROOT

NAMED = commands.NameCharacter("c2")


def table() -> Host:
    """A table whose seat p2 has a key and has asked for something."""
    host = brawl()
    host.key("p2")
    host.ask("p2", NAMED, words="Toad")
    return host


def judged(host: Host, entries: Any = None, **given: Any) -> Report:
    file = made(host, entries)
    return audit(BytesIO(file.bundle), key=file.key, **given)


def legal(report: Report) -> Result:
    return report.results[9]


def whys(report: Report) -> list[str]:
    return [remark.why for remark in legal(report).remarks]


def asking(host: Host, seq: int, *, sign: bool = True, **changes: Any) -> list[Any]:
    """The log in which the request at `seq` says something else, signed anew."""
    log = list(host.entries)
    found = asked_of(log[seq])
    assert found is not None
    other: Asked = replace(found, **changes)
    if sign:
        sig = signature_of(host.keys["p2"], host.origin, "p2", other)
        other = replace(other, sig=sig)
    log[seq] = resealed(log[seq], asked=other)
    return log


def test_a_seat_that_signs_all_it_asks_passes() -> None:
    host = table()
    report = judged(host)
    assert (report.exit, legal(report).verdict) == (0, "pass")
    assert (report.seats, report.self_asserted_seats) == (("p2",), ("p2",))


def test_a_reader_names_the_key_of_a_seat() -> None:
    host = table()
    other = bytes(31) + b"\x09"
    for key, fine in ((host.key_of("p2"), True), (other, False)):
        report = judged(host, seats={"p2": key})
        assert (report.exit == 0, report.self_asserted_seats) == (fine, ())
        never = "seat p2 never asks with the key that was given for it"
        assert (never in whys(report)) != fine


WRONG: dict[str, tuple[dict[str, Any], bool, str]] = {
    "no signature": ({"sig": None}, False, "is not signed with it over a head"),
    "no head": ({"seen": None}, False, "is not signed with it over a head"),
    "another signature": ({"sig": b64encode(bytes(64)).decode()}, False, "is not of the key"),
    "a short signature": ({"sig": "AAAA"}, False, "is not of the key"),
    "no base64": ({"sig": "so it is"}, False, "is not signed with it over a head"),
    "another request": ({"request": "another"}, False, "is not of the key"),
    "another body": ({"body": "{}"}, False, "is not of the key"),
    "a root that is none": ({"seen": Seen(3, "ab")}, False, "is not of its form"),
    "a root of upper case": ({"seen": Seen(3, "AB" * 32)}, False, "is not of its form"),
    "another root": ({"seen": Seen(3, "ab" * 32)}, True, "is not this log's"),
    "a head below zero": ({"seen": Seen(-1, "ab" * 32)}, True, "more than there were"),
    "a head from before": ({"seen": Seen(0, EMPTY_ROOT.hex())}, True, "has seen 0 entries, and"),
    "an id of the host's": ({"request": "~6"}, True, "without an id of its own"),
}


@pytest.mark.parametrize(("changes", "sign", "why"), WRONG.values(), ids=WRONG)
def test_a_request_that_is_not_signed_as_it_must_be_fails(
    changes: dict[str, Any], sign: bool, why: str
) -> None:
    host = table()
    report = judged(host, asking(host, len(host.entries) - 2, sign=sign, **changes))
    assert legal(report).verdict == "fail"
    assert any(why in each for each in whys(report)), whys(report)


@pytest.mark.parametrize(("beyond", "fine"), [(0, True), (1, False)])
def test_nobody_has_seen_the_commit_that_answers_the_request(beyond: int, *, fine: bool) -> None:
    host = table()
    seq = len(host.entries) - 2
    log = asking(host, seq, seen=host.seen(seq + beyond))
    assert (legal(judged(host, log)).verdict == "pass") == fine


def test_the_first_request_of_a_key_may_have_seen_nothing() -> None:
    host = brawl()
    host.key("p2")
    seq = len(host.entries) - 1
    assert judged(host, asking(host, seq, seen=Seen(0, EMPTY_ROOT.hex()))).exit == 0


def test_a_further_key_is_signed_with_the_one_before() -> None:
    host = table()
    first, old = host.key_of("p2"), host.keys["p2"]
    new = host.drawn("a further key")
    public = public_key(host.origin, new).public
    seq = host.ask("p2", commands.TakeSeat("p2", key=b64encode(public).decode()))
    host.keys["p2"] = new
    host.ask("p2", NAMED, words="Toad again")
    for named in (first, public):
        assert judged(host, seats={"p2": named}).exit == 0
    for key, at, fine in ((old, seq, True), (new, seq, False), (old, seq + 1, False)):
        host.keys["p2"] = key
        assert (legal(judged(host, asking(host, at))).verdict == "pass") == fine


def test_a_signature_of_a_seat_without_a_key_fails() -> None:
    host = brawl()
    host.ask("p2", NAMED, words="Toad")
    host.keys["p2"] = host.drawn("key of p2")
    seq = len(host.entries) - 2
    report = judged(host, asking(host, seq, request="mine", seen=host.seen(seq)))
    assert "a request is signed, and seat p2 has no key" in whys(report)


def test_a_key_that_may_be_none_fails_where_payloads_are_read() -> None:
    host = brawl()
    host.key("p2")
    log = list(host.entries)
    small = b64encode(b"\x01" + bytes(31)).decode()
    event = replace(host.event(len(log) - 1), key=small)
    log[-1] = resealed(log[-1], event)
    assert judged(host, log).results[0].verdict == "fail"


def test_an_epoch_is_the_hosts_and_nobody_signs_it() -> None:
    host = brawl()
    host.key(NARRATOR)
    private = host.keys.pop(NARRATOR)
    restore(host)
    host.keys[NARRATOR] = private
    host.ask(NARRATOR, commands.SetTrack("c1", "merit", 1))
    assert judged(host).exit == 0


def test_what_was_asked_before_something_was_seen_is_counted() -> None:
    host = table()
    number = prayer(host)
    host.ask("p1", commands.Dispute(number), words="I doubt it.")
    for late in (0, 1, 2):
        seq = len(host.entries)
        host.ask("p2", commands.Dispute(number), words="So do I.")
        log = asking(host, seq, seen=host.seen(seq - late))
        said = [each for each in whys(judged(host, log)) if "was seen" in each]
        assert len(said) == (late == 2)  # the last entry is a text, the one before the dispute
        host = host.anew(host.entries[:seq])


def test_the_file_of_one_roll_shows_no_heads() -> None:
    host = table()
    number = prayer(host, "c2")
    host.throw(number)
    lines = bundle_of(host.aggregate, "", head(host), [read_key(host.vkey)], number)
    report = audit(BytesIO(b"".join(lines)), key=host.vkey)
    assert (report.exit, legal(report).verdict) == (3, "not-checked")
    assert "which heads the seats had seen needs the whole table" in whys(report)


def test_a_share_is_opened_over_a_head_that_covers_its_ask() -> None:
    host = brawl("table")
    host.key("p2")
    host.anchor("p1", "p2")
    number = prayer(host)
    ask = host.ask_for(number, "p1", "initiator")
    seq = host.open("p2")
    for size, fine in ((ask, False), (ask + 1, True)):
        log = asking(host, seq, seen=host.seen(size))
        assert (legal(judged(host, log)).verdict == "pass") == fine
