"""A request over a wire is one strict JSON object, bounded before anything is decoded."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import encode

from urim.engine.core.commands import Note, worded
from urim.engine.core.limits import TEXT
from urim.engine.core.parse import body_of
from urim.engine.core.request import ENVELOPE, LONGEST, WireRequest, read_request
from urim.errors import Refused
from urim.events.asked import BODY, Text

SALT = "ab" * 16
WHOLE = {"request": "dana-1", "body": '{"do":"resolve/1","roll":1}', "text": None}


def refused(data: bytes) -> Refused:
    """The refusal of these bytes."""
    with pytest.raises(Refused) as error:
        read_request(data)
    return error.value


@given(
    body=st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    request=st.none() | st.from_regex(r"[A-Za-z0-9._-]{1,64}\Z"),
    text=st.none() | st.builds(Text, st.just(SALT), st.text(st.characters(codec="utf-8"))),
    escaped=st.booleans(),
    indent=st.none() | st.just(1),
)
def test_a_request_survives_its_bytes(
    body: str, request: str | None, text: Text | None, escaped: bool, indent: int | None
) -> None:
    whole = WireRequest(body, request, text)
    assert read_request(whole.written()) == whole
    said = None if text is None else {"text": text.text, "salt": text.salt}
    found = {"text": said, "request": request, "body": body}
    again = json.dumps(found, ensure_ascii=escaped, indent=indent).encode()
    assert read_request(again) == whole, "in another order, with null, blanks and escapes"


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(Refused):
        read_request(data)


def test_the_longest_body_and_text_fit_however_they_are_escaped() -> None:
    asking = worded(Note(0), "\U0001f600" * TEXT)
    worst = "".join(f"\\u{ord(letter):04x}" for letter in "x" * BODY).encode()
    text = json.dumps({"salt": asking.text.salt, "text": asking.text.text}).encode()
    data = b'{"request":"%b","body":"%b","text":%b}' % (b"r" * 64, worst, text)
    assert LONGEST - ENVELOPE < len(data) <= LONGEST
    assert read_request(data) == WireRequest("x" * BODY, "r" * 64, asking.text)


def test_a_request_beyond_the_bound_is_not_decoded() -> None:
    error = refused(b"\xff" * (LONGEST + 1))
    assert (error.code, error.allowed) == ("too-long", (f"at most {LONGEST}",))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no strict JSON"),
        (b"\xff", "no strict JSON: not JSON in UTF-8"),
        (b'{"body":"\xed\xa0\x80"}', "no strict JSON: not JSON in UTF-8"),
        (b'{"body":"\\ud800"}', "no strict JSON: half of a surrogate pair"),
        (b'{"body":"{}","body":"{}"}', "the key 'body' is twice"),
        (b'{"body":"{}","text":{"salt":"a","text":"b","salt":"a"}}', "the key 'salt' is twice"),
        (b'[{"body":"{}"}]', "not a JSON object"),
        (b"[" * LONGEST, "nested too deeply"),
        (b'{"body":' + b"[" * 60_000 + b"]" * 60_000 + b"}", "nested too deeply"),
        (b"{}", "missing required field `body`"),
        (b'{"body":{"do":"resolve/1"}}', "body is"),
        (b'{"body":"{}","request":1}', "request is 1"),
        (b'{"body":"{}","text":"words"}', "text is 'words'"),
        (b'{"body":"{}","text":{"text":"words"}}', "missing required field `salt`"),
    ],
)
def test_what_is_no_request_is_malformed(data: bytes, why: str) -> None:
    error = refused(data)
    assert error.code == "malformed" and why in error.why


@pytest.mark.parametrize(
    "more", [{"seat": "p1"}, {"text": {"salt": SALT, "text": "words", "by": "p1"}}]
)
def test_a_field_that_no_request_has_is_named(more: dict[str, Any]) -> None:
    error = refused(encode(WHOLE | more))
    assert error.code == "unknown" and ("seat" in error.why or "by" in error.why)
    if "seat" in more:
        assert error.allowed == ("body", "request", "text", "seen", "sig")


def test_a_body_is_kept_to_the_byte() -> None:
    body = ' {"roll" : 1, "do":"resolve\\/1"} '
    assert read_request(encode({"body": body})).body == body
    written = body_of(Note(0)).decode()
    assert read_request(WireRequest(written).written()).body == written
