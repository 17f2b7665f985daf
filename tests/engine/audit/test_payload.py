"""A payload is read strictly however it is written: the short way gives what the long does."""

import pytest
from msgspec.structs import replace

from tests.engine.helpers.audited import log_of
from tests.sealing import payload_of
from urim.engine.bundle import read as audit_payload
from urim.engine.bundle.read import event_of
from urim.errors import Damaged
from urim.events.asked import Asked
from urim.events.codec import asked_in, recorded
from urim.events.entry import Entry
from urim.events.strict import DEPTH, MOST, Malformed, strict_object

LOGS = ("milhamah/merit", "age_of_magic/void-attack", "engine/scenario/stories/age_of_magic")


def holding(said: bytes) -> Entry:
    """An entry with this JSON for an event; nobody looks at its digest here."""
    return Entry(3, 0, "open", bytes(32), bytes(32), 3, bytes(32), payload_of(said))


def reacted(reaction: str) -> Entry:
    """A reaction of these words, as an event is written."""
    rest = f'"by":"p1","roll":1,"character":"c1","reaction":{{{reaction}}}'
    return holding(f'{{"type":"reaction-declared/1",{rest}}}'.encode())


@pytest.mark.parametrize("log", LOGS)
def test_what_we_write_ourselves_is_read_once(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(audit_payload, "strict_object")
    for entry in log_of(log):
        if entry.payload is not None:
            assert event_of(entry) == (recorded(entry), asked_in(entry))


@pytest.mark.parametrize(
    "payload",
    [
        b'{"type": "seat-left/1", "by": "narrator", "seat": "p1"}',
        b'{"by":"narrator","seat":"p1","type":"seat-left/1"}',
        b'{"type":"seat-left/1","by":"narrator","seat":"\\u0070\\u0031"}',
    ],
)
def test_what_others_write_otherwise_is_the_same_event(payload: bytes) -> None:
    plain = b'{"type":"seat-left/1","by":"narrator","seat":"p1"}'
    assert event_of(holding(payload)) == event_of(holding(plain))


@pytest.mark.parametrize("number", [MOST, -MOST, 1234567890123456, 0.5, 1e300])
def test_numbers_within_bounds_are_read(number: float) -> None:
    record, _ = event_of(reacted(f'"a":[0,{number}]'))
    assert getattr(record.event, "reaction")["a"] == [0, number]  # noqa: B009


@pytest.mark.parametrize(
    ("reaction", "why"),
    [
        (f'"a":{MOST + 1}', "beyond"),
        (f'"a":{-MOST - 1}', "beyond"),
        (f'"a":[0,{MOST + 1}]', "beyond"),
        (f'"a":[{10**40}]', "beyond"),
        ('"a":1,"a":1', "twice"),
        ('"a":{"b":1,"b":1}', "twice"),
        ('"a":"\\ud800"', "surrogate"),
        ('"a":1e999', "beyond"),
    ],
)
def test_what_readers_of_json_differ_about_is_refused(reaction: str, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        event_of(reacted(reaction))


def test_an_event_nested_deeply_is_read_strictly(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def strictly(text: bytes) -> dict[str, object]:
        read.append(text)
        return strict_object(text)

    monkeypatch.setattr(audit_payload, "strict_object", strictly)
    deep = DEPTH - 3  # the payload's own three brackets count too
    event_of(reacted(f'"a":{"[" * deep}{"]" * deep}'))
    assert not read
    event_of(reacted(f'"a":{"[" * deep}{"]" * deep},"b":[]'))
    assert len(read) == 1
    with pytest.raises(Malformed, match=f"nested more than {DEPTH} deep"):
        event_of(reacted(f'"a":{"[" * (deep + 1)}{"]" * (deep + 1)}'))


def test_a_payload_that_is_no_event_is_refused_in_the_long_ways_words() -> None:
    for said, why in ((b"{}", "no event is called"), (b"[]", "beside what was asked")):
        with pytest.raises(Malformed, match=why):
            event_of(holding(said))
    with pytest.raises(Damaged, match="version known here"):
        event_of(holding(b'{"type":"seat-left/1","by":"narrator","seat":"p1","x":1}'))
    with pytest.raises(Malformed):
        event_of(replace(holding(b""), salt=None, payload=None))


LEFT = '{"type":"seat-left/1","by":"narrator","seat":"p1"}'
ASKED = '{"request":"r1","body":"{}"}'


def test_a_first_entry_says_what_was_asked() -> None:
    payload = f'{{"asked":{ASKED},"event":{LEFT}}}'.encode()
    record, asked = event_of(replace(holding(b"{}"), payload=payload))
    assert record.first
    assert asked == Asked("r1", "{}")
    record, asked = event_of(holding(LEFT.encode()))
    assert not record.first
    assert asked is None


@pytest.mark.parametrize(
    "payload",
    [
        "[]",
        "{}",
        LEFT,
        f'{{"asked":{ASKED}}}',
        f'{{"asked":null,"event":{LEFT}}}',
        f'{{"asked":{{}},"event":{LEFT}}}',
        f'{{"asked":{{"request":"r1","body":{{}}}},"event":{LEFT}}}',
        f'{{"asked":{{"request":1,"body":"{{}}"}},"event":{LEFT}}}',
        f'{{"asked":{{"request":"r1","body":"{{}}","sign":""}},"event":{LEFT}}}',
        f'{{"asked":{ASKED},"event":{LEFT},"seen":1}}',
        f'{{"asked":{ASKED},"asked":{ASKED},"event":{LEFT}}}',
    ],
)
def test_a_payload_of_another_form_is_refused(payload: str) -> None:
    with pytest.raises((Malformed, Damaged)):
        event_of(replace(holding(b"{}"), payload=payload.encode()))
