"""Entries are sealed to the byte, and a change of any part of one shows."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from urim.errors import Damaged
from urim.events.entry import (
    CLASSES,
    HIDDEN,
    TEXTS,
    Entry,
    EntryClass,
    digest_of,
    entry_bytes,
    leaf_of,
    seal,
    verify,
    withhold,
)

SALT = bytes(range(32))
PAYLOAD = '{"text":"אשר"}'.encode()
ENTRY = seal(7, 1_700_000_000_000, "open", SALT, PAYLOAD)

kinds: st.SearchStrategy[EntryClass] = st.sampled_from(CLASSES)
salts = st.binary(min_size=32, max_size=32)
entries = st.builds(
    seal, st.integers(0, 2**53), st.integers(0, 2**53), kinds, salts, st.binary(max_size=100)
)


def test_a_sealed_entry_has_the_bytes_of_the_definition() -> None:
    digest = sha256(b"urim/1 payload\n" + SALT + PAYLOAD)
    text = f"urim/1 entry\n7\n1700000000000\nopen\n{digest.hexdigest()}\n".encode()
    assert digest_of(SALT, PAYLOAD) == ENTRY.digest == digest.digest()
    assert entry_bytes(ENTRY.seq, ENTRY.at, ENTRY.kind, ENTRY.digest) == text
    assert leaf_of(text) == ENTRY.leaf == sha256(b"\x00" + text).digest()
    assert (ENTRY.seq, ENTRY.at, ENTRY.kind) == (7, 1_700_000_000_000, "open")
    assert (ENTRY.salt, ENTRY.payload) == (SALT, PAYLOAD)


def test_classes_say_who_may_have_a_payload_and_whether_it_is_a_text() -> None:
    assert CLASSES == ("open", "hidden", "text", "hidden-text")
    assert set(TEXTS) == {"text", "hidden-text"}
    assert set(HIDDEN) == {"hidden", "hidden-text"}


def test_the_commit_of_an_entry_is_kept_and_not_hashed() -> None:
    assert ENTRY.commit == 7
    later = seal(7, ENTRY.at, "open", SALT, PAYLOAD, 5)
    assert later.commit == withhold(later).commit == 5
    assert later.leaf == ENTRY.leaf
    verify(later)


@given(entries)
def test_what_was_sealed_verifies_whole_and_withheld(entry: Entry) -> None:
    verify(entry)
    verify(withhold(entry))


@given(entries)
def test_withholding_leaves_all_but_salt_and_payload(entry: Entry) -> None:
    bare = withhold(entry)
    assert (bare.salt, bare.payload) == (None, None)
    assert replace(bare, salt=entry.salt, payload=entry.payload) == entry
    assert withhold(bare) == bare


@pytest.mark.parametrize("other_salt", [bytes(32), SALT[::-1]])
def test_the_salt_hides_equal_payloads(other_salt: bytes) -> None:
    assert seal(7, ENTRY.at, "open", other_salt, PAYLOAD).digest != ENTRY.digest


TOUCHED = {
    "the sequence": {"seq": 8},
    "the time": {"at": ENTRY.at + 1},
    "the class": {"kind": "hidden"},
    "the digest": {"digest": bytes(32)},
    "the leaf": {"leaf": bytes(32)},
    "the leaf, to a larger one": {"leaf": b"\xff" * 32},
    "a leaf cut short": {"leaf": ENTRY.leaf[:31]},
    "the salt": {"salt": bytes(32)},
    "the payload": {"payload": PAYLOAD + b" "},
    "the payload emptied": {"payload": b""},
    "the salt alone withheld": {"salt": None},
    "the payload alone withheld": {"payload": None},
    "a byte moved from payload to salt": {"salt": SALT + PAYLOAD[:1], "payload": PAYLOAD[1:]},
    "a byte moved from salt to payload": {"salt": SALT[:31], "payload": SALT[31:] + PAYLOAD},
}


@pytest.mark.parametrize("change", TOUCHED.values(), ids=TOUCHED)
def test_an_entry_that_was_touched_is_damaged_and_says_which(change: dict[str, object]) -> None:
    touched = replace(ENTRY, **change)
    with pytest.raises(Damaged) as damage:
        verify(touched)
    assert damage.value.seq == touched.seq
    assert str(damage.value).startswith(f"entry {touched.seq}: ")


def with_leaf(**change: Any) -> Entry:
    """The entry changed, and a leaf made for what it says now."""
    entry = replace(ENTRY, **change)
    leaf = leaf_of(entry_bytes(entry.seq, entry.at, entry.kind, entry.digest))
    return replace(entry, leaf=leaf)


MISFORMED = {
    "a place before the first": ({"seq": -1}, "a field"),
    "a time before all times": ({"at": -1}, "a field"),
    "a commit before the first": ({"commit": -1}, "a field"),
    "a commit still to come": ({"commit": 8}, "a field"),
    "another class": ({"kind": "secret"}, "a field"),
    "a short digest": ({"digest": bytes(31)}, "a field"),
    "a long digest": ({"digest": bytes(33)}, "a field"),
    "another digest, a smaller one": ({"digest": bytes(32)}, "the payload does not match"),
    "another digest, a larger one": ({"digest": b"\xff" * 32}, "the payload does not match"),
    "no salt": ({"salt": None}, "together"),
    "no payload": ({"payload": None}, "together"),
}


@pytest.mark.parametrize(("change", "why"), MISFORMED.values(), ids=MISFORMED)
def test_an_entry_is_damaged_though_its_leaf_fits_it(change: dict[str, object], why: str) -> None:
    with pytest.raises(Damaged, match=why) as damage:
        verify(with_leaf(**change))
    assert damage.value.seq == change.get("seq", ENTRY.seq)


def test_the_first_entry_at_the_first_time_is_sound() -> None:
    verify(seal(0, 0, "open", SALT, PAYLOAD))


@given(entries, st.integers(0), st.integers(0, 7))
def test_no_bit_of_a_payload_can_be_flipped(entry: Entry, place: int, bit: int) -> None:
    payload = bytearray(entry.payload or b"\0")
    payload[place % len(payload)] ^= 1 << bit
    with pytest.raises(Damaged):
        verify(replace(entry, payload=bytes(payload)))


def test_entries_are_values() -> None:
    assert len({ENTRY, seal(ENTRY.seq, ENTRY.at, ENTRY.kind, SALT, PAYLOAD)}) == 1


def test_an_entry_cannot_be_changed_in_place() -> None:
    with pytest.raises(AttributeError):
        ENTRY.seq = 8  # type: ignore[misc]
