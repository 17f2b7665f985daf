"""Every event survives its bytes, and bytes that were once stored keep their meaning for ever."""

import types
import typing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sealing import sealed, sealed_raw
from urim.errors import Damaged
from urim.events.asked import Asked
from urim.events.codec import (
    BEGINS,
    EVENTS,
    GONE,
    UPCASTS,
    Event,
    Payload,
    RecordedEvent,
    asked_in,
    decode,
    encode,
    event_json,
    read_event,
    recorded,
)
from urim.events.entry import withhold
from urim.events.roll import DiceFrozen, RollDeclared
from urim.events.ruling import RollAmended
from urim.events.table import Noted

GOLDEN = Path(__file__).with_name("golden")
SAMPLES = sorted(GOLDEN.glob("*.json"))
BOUND = "roll-voided-1.json"
"""The one sample of a version that is upcast, but not with all that it holds."""

NOTED = Noted(by="p1", about=3)
ASKED = Asked("r1", '{"do":"note/1","about":3,"text":"אשר"}')

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
HALVES = st.integers(-(10**6), 10**6).map(lambda number: number + 0.5)
SCALARS = (
    st.none() | st.booleans() | NUMBERS | TEXT | st.floats(allow_nan=False, allow_infinity=False)
)
OBJECTS = st.dictionaries(
    TEXT,
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=3,
)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Any value that a field of this type may hold."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        hints = typing.get_type_hints(hint)
        fields = {name: values(hints[name]) for name in hint.__struct_fields__}
        return st.builds(hint, **fields)
    if origin is typing.Literal:
        return st.sampled_from(args)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([values(arg) for arg in args])
    if origin is tuple and args[-1] is Ellipsis:
        return st.lists(values(args[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, args))
    if hint == dict[str, Any]:
        return OBJECTS
    if origin is dict:
        return st.dictionaries(values(args[0]), values(args[1]), max_size=3)
    if hint is Any:
        return OBJECTS | SCALARS
    simple = {int: NUMBERS, float: HALVES, str: TEXT, type(None): st.none(), bool: st.booleans()}
    return simple[hint]


def sample_of(tag: str) -> Path:
    return GOLDEN / f"{tag.replace('/', '-')}.json"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("tag", EVENTS)
@settings(max_examples=25)
@given(data=st.data())
def test_every_event_survives_its_bytes(tag: str, data: st.DataObject) -> None:
    event = data.draw(values(EVENTS[tag]))
    asked = data.draw(st.none() | st.builds(Asked, request=TEXT, body=TEXT))
    stored = encode(event, asked)
    assert decode(stored) == Payload(asked=asked, event=event)
    assert stored.startswith(BEGINS) == (asked is not None)
    assert msgspec.json.decode(stored)["event"]["type"] == tag
    assert read_event(event_json(event)) == event
    assert encode(event) == b'{"event":%b}' % event_json(event)


@pytest.mark.parametrize("tag", EVENTS)
def test_every_event_has_a_golden_sample_with_every_field_set(tag: str) -> None:
    sample = sample_of(tag)
    assert sample.exists(), f"store one {tag} with every field set as {sample}"
    assert set(msgspec.json.decode(sample.read_bytes())) == {
        "type",
        *EVENTS[tag].__struct_fields__,
    }


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_every_golden_sample_still_means_what_it_meant(sample: Path) -> None:
    stored = sample.read_bytes()
    tag = msgspec.json.decode(stored)["type"]
    assert sample == sample_of(tag)
    if tag in GONE or sample.name == BOUND:
        return
    event = read_event(stored)
    if tag in EVENTS:
        assert type(event) is EVENTS[tag]
        assert event_json(event) == stored
    else:
        assert tag in UPCASTS


@pytest.mark.parametrize("tag", GONE)
def test_an_event_that_is_read_no_more_is_refused_by_its_name(tag: str) -> None:
    with pytest.raises(Damaged, match=f"{tag} is of an earlier version"):
        read_event(sample_of(tag).read_bytes())
    assert tag not in EVENTS
    assert tag not in UPCASTS


def test_a_void_that_opens_a_nonce_bound_before_its_throw_is_refused() -> None:
    stored = (GOLDEN / BOUND).read_bytes()
    with pytest.raises(Damaged, match=r"nonce of roll-voided/1"):
        read_event(stored)
    old = msgspec.json.decode(stored)
    del old["nonce"]
    assert event_json(read_event(msgspec.json.encode(old))).startswith(b'{"type":"roll-voided/2"')


def test_golden_samples_are_added_and_never_edited_or_removed() -> None:
    # `sha256sum *.json > SHA256SUMS` in their folder writes the list again, for additions alone.
    listed = (GOLDEN / "SHA256SUMS").read_text().splitlines()
    assert listed == [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in SAMPLES]


def test_tags_name_the_type_and_the_version() -> None:
    for tag, event in EVENTS.items():
        name, _, version = tag.partition("/")
        assert name.replace("-", "") == event.__name__.lower()
        assert int(version) >= 1
    assert not set(EVENTS) & set(UPCASTS)


def test_a_payload_has_the_bytes_of_the_definition() -> None:
    event = b'{"type":"noted/1","by":"p1","about":3}'
    assert event_json(NOTED) == event
    assert encode(NOTED) == b'{"event":%b}' % event
    body = '"{\\"do\\":\\"note/1\\",\\"about\\":3,\\"text\\":\\"אשר\\"}"'.encode()
    asked = b'{"request":"r1","body":%b}' % body
    assert encode(NOTED, ASKED) == b'{"asked":%b,"event":%b}' % (asked, event)
    assert decode(encode(NOTED, ASKED)) == Payload(asked=ASKED, event=NOTED)


NO_EVENTS = {
    "no JSON": b"event",
    "nothing": b"",
    "cut short": event_json(NOTED)[:-1],
    "something after it": event_json(NOTED) + b"{}",
    "no object": b'["noted/1"]',
    "no type": b'{"by":"p1","about":3}',
    "an unknown type": b'{"type":"rumoured/1","by":"p1"}',
    "an unknown version": b'{"type":"noted/2","by":"p1","about":3}',
    "a type without version": b'{"type":"noted","by":"p1","about":3}',
    "a type that is a number": b'{"type":1,"by":"p1","about":3}',
    "an unknown field": b'{"type":"noted/1","by":"p1","about":3,"text":"x"}',
    "a missing field": b'{"type":"noted/1","by":"p1"}',
    "a field of another type": b'{"type":"noted/1","by":"p1","about":"3"}',
    "an unknown field inside": b'{"type":"dice-rerolled/1","by":"p1","roll":1,"hand":"h","dice":[],'
    b'"proof":{"throw":0,"source":"fair","luck":1}}',
    "an unknown choice": b'{"type":"seat-taken/1","by":"p1","seat":"p1","role":"king"}',
    "nested without end": b'{"type":"noted/1","by":' + b"[" * 100_000,
}

EVENT = event_json(NOTED)
NO_PAYLOADS = {
    "an event alone": EVENT,
    "no event": b'{"asked":{"request":"r","body":"{}"}}',
    "nothing in it": b"{}",
    "a list": b"[%b]" % EVENT,
    "another field": b'{"event":%b,"by":"p1"}' % EVENT,
    "something after it": encode(NOTED) + b"{}",
    "a body that is no text": b'{"asked":{"request":"r","body":{}},"event":%b}' % EVENT,
    "a request that is no text": b'{"asked":{"request":1,"body":"{}"},"event":%b}' % EVENT,
    "no body": b'{"asked":{"request":"r"},"event":%b}' % EVENT,
    "no request": b'{"asked":{"body":"{}"},"event":%b}' % EVENT,
    "more than was asked": b'{"asked":{"request":"r","body":"{}","by":"p1"},"event":%b}' % EVENT,
    "what was asked as a text": b'{"asked":"{}","event":%b}' % EVENT,
}

REFUSED = {
    **{name: b'{"event":%b}' % json for name, json in NO_EVENTS.items()},
    **{f"payload: {name}": payload for name, payload in NO_PAYLOADS.items()},
}


@pytest.mark.parametrize("payload", REFUSED.values(), ids=REFUSED)
def test_bytes_that_are_no_event_known_here_are_damaged(payload: bytes) -> None:
    with pytest.raises(Damaged, match="not an event of a version known here"):
        decode(payload)


@pytest.mark.parametrize("json", NO_EVENTS.values(), ids=NO_EVENTS)
def test_json_that_is_no_event_known_here_is_damaged(json: bytes) -> None:
    with pytest.raises(Damaged, match="not an event of a version known here"):
        read_event(json)


@pytest.mark.parametrize(
    "json",
    [
        b'{"type":[]}',
        b'{"type":{}}',
        b'{"type":"noted/1","by":"\xff","about":3}',
    ],
)
def test_a_type_that_is_no_text_or_text_that_is_no_utf8_is_damaged_too(json: bytes) -> None:
    with pytest.raises(Damaged):
        read_event(json)
    with pytest.raises(Damaged):
        decode(b'{"asked":{"request":"r","body":"{}"},"event":%b}' % json)


@given(st.binary(max_size=100) | OBJECTS.map(msgspec.json.encode))
def test_any_bytes_are_an_event_or_damaged_and_nothing_else(payload: bytes) -> None:
    with pytest.raises(Damaged):
        decode(payload)


def test_fields_that_hold_their_default_are_not_stored() -> None:
    declared = RollDeclared(
        by="p1", roll=1, character="c", declaration={}, visibility="public", level="server"
    )
    assert not {"follows", "effects", "commit"} & set(msgspec.json.decode(event_json(declared)))


# Made up: noted/0 called the entry `entry`; noted/00 called "by whom" `who`.
def noted_00(old: dict[str, Any]) -> dict[str, Any]:
    return {"type": "noted/0", "by": old["who"], "entry": old["entry"]}


def noted_0(old: dict[str, Any]) -> dict[str, Any]:
    return {"type": "noted/1", "by": old["by"], "about": old["entry"]}


OLD = {"noted/00": noted_00, "noted/0": noted_0}


@pytest.mark.parametrize(
    "json",
    [
        b'{"type":"noted/0","by":"p1","entry":3}',
        b'{"type":"noted/00","who":"p1","entry":3}',
    ],
)
def test_an_old_version_is_brought_up_step_by_step(json: bytes) -> None:
    assert read_event(json, OLD) == NOTED
    first = b'{"asked":{"request":"r1","body":%b},"event":%b}' % (
        msgspec.json.encode(ASKED.body),
        json,
    )
    assert decode(first, OLD) == Payload(asked=ASKED, event=NOTED)
    with pytest.raises(Damaged):
        read_event(json)


def test_a_current_version_passes_by_every_upcast() -> None:
    assert decode(encode(NOTED, ASKED), OLD) == Payload(asked=ASKED, event=NOTED)


def test_an_upcast_that_makes_no_event_is_damaged() -> None:
    with pytest.raises(Damaged, match="missing required field"):
        read_event(b'{"type":"noted/0"}', {"noted/0": lambda old: {"type": "noted/1"}})


@pytest.mark.parametrize("more", [b',"by":"p1"', b',"asked":{"request":"r1"}'])
def test_an_upcast_forgives_nothing_beside_the_event(more: bytes) -> None:
    old = b'{"event":{"type":"noted/0","by":"p1","entry":3}%b}'
    assert decode(old % b"", OLD) == Payload(event=NOTED)
    with pytest.raises(Damaged):
        decode(old % more, OLD)


def test_an_entry_is_opened_with_its_place() -> None:
    entry = sealed(5, 99, NOTED)
    assert recorded(entry) == RecordedEvent(5, 99, entry.leaf, NOTED, first=True)
    later = sealed(5, 99, NOTED, first=4)
    assert recorded(later) == RecordedEvent(5, 99, later.leaf, NOTED, first=False)


def test_what_was_asked_is_in_the_first_entry_of_a_commit_alone() -> None:
    assert asked_in(sealed_raw(5, 99, encode(NOTED, ASKED))) == ASKED
    assert asked_in(sealed_raw(6, 99, encode(NOTED))) is None
    with pytest.raises(Damaged, match="entry 7: the payload is withheld"):
        asked_in(withhold(sealed(7, 99, NOTED)))


def test_an_entry_that_cannot_be_opened_says_which() -> None:
    frozen: Event = DiceFrozen(by="p1", roll=1, hand="initiator", dice=("d1",))
    for entry in (
        withhold(sealed(5, 99, frozen, kind="hidden")),
        sealed_raw(5, 99, b"{}"),
    ):
        with pytest.raises(Damaged, match="entry 5") as damage:
            recorded(entry)
        assert damage.value.seq == 5


def test_a_first_version_of_an_amendment_let_nothing_fall() -> None:
    old = sample_of("roll-amended/1").read_bytes()
    event = read_event(old)
    assert isinstance(event, RollAmended)
    assert event.needless == ()
    with pytest.raises(Damaged, match="has no field `needless`"):
        read_event(old[:-1] + b',"needless":[21]}')
