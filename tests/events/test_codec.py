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
from urim.events.codec import EVENTS, UPCASTS, Event, RecordedEvent, decode, encode, recorded
from urim.events.entry import withhold
from urim.events.roll import DiceFrozen, RollDeclared
from urim.events.table import Noted

GOLDEN = Path(__file__).with_name("golden")
SAMPLES = sorted(GOLDEN.glob("*.json"))
NOTED = Noted(by="p1", about=3, text="אשר")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
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
    return {int: NUMBERS, str: TEXT, type(None): st.none(), bool: st.booleans()}[hint]


def sample_of(tag: str) -> Path:
    return GOLDEN / f"{tag.replace('/', '-')}.json"


@pytest.mark.parametrize("tag", EVENTS)
@settings(max_examples=25)
@given(data=st.data())
def test_every_event_survives_its_bytes(tag: str, data: st.DataObject) -> None:
    event = data.draw(values(EVENTS[tag]))
    stored = encode(event)
    assert decode(stored) == event
    assert encode(decode(stored)) == stored
    assert msgspec.json.decode(stored)["type"] == tag


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
    event = decode(stored)
    if tag in EVENTS:
        assert type(event) is EVENTS[tag]
        assert encode(event) == stored
    else:
        assert tag in UPCASTS


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


REFUSED = {
    "no JSON": b"event",
    "nothing": b"",
    "cut short": encode(NOTED)[:-1],
    "something after it": encode(NOTED) + b"{}",
    "no object": b'["noted/1"]',
    "no type": b'{"by":"p1","about":3,"text":"x"}',
    "an unknown type": b'{"type":"rumoured/1","by":"p1"}',
    "an unknown version": b'{"type":"noted/2","by":"p1","about":3,"text":"x"}',
    "a type without version": b'{"type":"noted","by":"p1","about":3,"text":"x"}',
    "a type that is a number": b'{"type":1,"by":"p1","about":3,"text":"x"}',
    "an unknown field": b'{"type":"noted/1","by":"p1","about":3,"text":"x","more":1}',
    "a missing field": b'{"type":"noted/1","by":"p1","about":3}',
    "a field of another type": b'{"type":"noted/1","by":"p1","about":"3","text":"x"}',
    "an unknown field inside": b'{"type":"dice-rerolled/1","by":"p1","roll":1,"hand":"h","dice":[],'
    b'"proof":{"throw":0,"source":"fair","luck":1}}',
    "an unknown choice": b'{"type":"seat-taken/1","by":"p1","seat":"p1","role":"king"}',
    "nested without end": b'{"type":"noted/1","by":' + b"[" * 100_000,
}


@pytest.mark.parametrize("payload", REFUSED.values(), ids=REFUSED)
def test_bytes_that_are_no_event_known_here_are_damaged(payload: bytes) -> None:
    with pytest.raises(Damaged, match="not an event of a version known here"):
        decode(payload)


@pytest.mark.parametrize(
    "payload",
    [
        b'{"type":[]}',
        b'{"type":{}}',
        b'{"type":"noted/1","by":"\xff","about":3,"text":"x"}',
    ],
)
def test_a_type_that_is_no_text_or_text_that_is_no_utf8_is_damaged_too(payload: bytes) -> None:
    with pytest.raises(Damaged):
        decode(payload)


@given(st.binary(max_size=100) | OBJECTS.map(msgspec.json.encode))
def test_any_bytes_are_an_event_or_damaged_and_nothing_else(payload: bytes) -> None:
    with pytest.raises(Damaged):
        decode(payload)


def test_fields_that_hold_their_default_are_not_stored() -> None:
    declared = RollDeclared(
        by="p1", roll=1, character="c", declaration={}, visibility="public", level="server"
    )
    assert not {"follows", "effects", "commit"} & set(msgspec.json.decode(encode(declared)))


# Made up: noted/0 called the text `words` and had no `about`; noted/00 called "by whom" `who`.
def noted_00(old: dict[str, Any]) -> dict[str, Any]:
    return {"type": "noted/0", "by": old["who"], "words": old["words"]}


def noted_0(old: dict[str, Any]) -> dict[str, Any]:
    return {"type": "noted/1", "by": old["by"], "about": 0, "text": old["words"]}


OLD = {"noted/00": noted_00, "noted/0": noted_0}


@pytest.mark.parametrize(
    "payload",
    [
        b'{"type":"noted/0","by":"p1","words":"x"}',
        b'{"type":"noted/00","who":"p1","words":"x"}',
    ],
)
def test_an_old_version_is_brought_up_step_by_step(payload: bytes) -> None:
    assert decode(payload, OLD) == Noted(by="p1", about=0, text="x")
    with pytest.raises(Damaged):
        decode(payload)


def test_a_current_version_passes_by_every_upcast() -> None:
    assert decode(encode(NOTED), OLD) == NOTED


def test_an_upcast_that_makes_no_event_is_damaged() -> None:
    with pytest.raises(Damaged, match="missing required field"):
        decode(b'{"type":"noted/0"}', {"noted/0": lambda old: {"type": "noted/1"}})


def test_an_entry_is_opened_with_its_place() -> None:
    entry = sealed(5, 99, NOTED)
    assert recorded(entry) == RecordedEvent(5, 99, entry.leaf, NOTED)


def test_an_entry_that_cannot_be_opened_says_which() -> None:
    frozen: Event = DiceFrozen(by="p1", roll=1, hand="initiator", dice=("d1",))
    for entry in (
        withhold(sealed(5, 99, frozen, kind="hidden")),
        sealed_raw(5, 99, b"{}"),
    ):
        with pytest.raises(Damaged, match="entry 5") as damage:
            recorded(entry)
        assert damage.value.seq == 5
