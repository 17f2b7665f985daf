"""The schemas of frames and bodies hold for what is sent, and for nothing else."""

import json
from functools import cache
from typing import Any, get_args

import pytest
from jsonschema_rs import Draft202012Validator, meta

from tests.engine.wire import samples
from urim.engine.core.schema import DIALECT
from urim.engine.wire import bodies, frames
from urim.engine.wire.schema import EVERY, WirePart, schema
from urim.errors import Refused
from urim.rules import ruleset_named

PARTS: dict[WirePart, set[str]] = {
    "frames": samples.kinds_of(samples.FRAMES),
    "bodies": samples.kinds_of(samples.BODIES),
}


@cache
def whole_of(part: WirePart) -> dict[str, Any]:
    """The schema of a part, which is one."""
    whole = schema(None, part)
    meta.validate(whole)
    return whole


@cache
def validator(part: WirePart, name: str | None = None) -> Draft202012Validator:
    """The schema of a part, or of one Struct of it."""
    whole = whole_of(part)
    ref = part if name is None else f"{part}.{name}"
    return Draft202012Validator(
        {"$schema": DIALECT, "$ref": f"#/$defs/{ref}", "$defs": whole["$defs"]}
    )


def part_of(name: str) -> WirePart:
    return next(part for part, names in PARTS.items() if name in names)


def test_every_frame_and_body_has_a_sample() -> None:
    for part, names in PARTS.items():
        assert {kind.__name__ for kind in EVERY[part]} == names


def test_a_sample_has_every_field() -> None:
    # A frame leaves out what it has by default: each field must be seen.
    for kind in EVERY["frames"]:
        fields = {*kind.__struct_encode_fields__, "type"}
        assert set(json.loads(samples.SENT[kind.__name__])) == fields


@pytest.mark.parametrize("name", samples.SENT)
def test_what_is_sent_is_valid(name: str) -> None:
    validator(part_of(name), name).validate(json.loads(samples.SENT[name]))
    validator(part_of(name)).validate(json.loads(samples.SENT[name]))


@pytest.mark.parametrize("name", samples.SENT)
def test_without_a_field_that_is_needed_it_is_not_valid(name: str) -> None:
    found: dict[str, Any] = json.loads(samples.SENT[name])
    needed = whole_of(part_of(name))["$defs"][f"{part_of(name)}.{name}"]["required"]
    assert needed
    for field in needed:
        less = {key: value for key, value in found.items() if key != field}
        assert not validator(part_of(name), name).is_valid(less), field


@pytest.mark.parametrize("kind", [*get_args(frames.Incoming), *get_args(bodies.Sent)])
def test_a_client_sends_no_other_field(kind: type[Any]) -> None:
    found = json.loads(samples.SENT[kind.__name__])
    assert not validator(part_of(kind.__name__), kind.__name__).is_valid({**found, "more": 1})


@pytest.mark.parametrize("kind", [*get_args(frames.Outgoing), *get_args(bodies.Replied)])
def test_a_newer_server_may_send_more(kind: type[Any]) -> None:
    found = json.loads(samples.SENT[kind.__name__])
    assert validator(part_of(kind.__name__), kind.__name__).is_valid({**found, "more": 1})


def test_entries_in_a_frame_are_lines() -> None:
    commit = json.loads(samples.SENT["CommitFrame"])
    del commit["entries"][0]["digest"]
    assert not validator("frames", "CommitFrame").is_valid(commit)


def test_an_event_in_a_payload_is_one_of_the_log() -> None:
    payload = json.loads(samples.SENT["Payload"])
    payload["event"]["type"] = "seat-left/0"
    assert not validator("bodies", "Payload").is_valid(payload)


def test_a_code_is_one_of_those_that_are_known() -> None:
    for name in ("Problem", "RefusedFrame"):
        found = {**json.loads(samples.SENT[name]), "code": "wrong"}
        assert not validator(part_of(name), name).is_valid(found)


def test_parts_of_a_table_are_there_too() -> None:
    assert schema(ruleset_named("plain"), "declaration")["$ref"] == "#/$defs/plain.Declaration"
    with pytest.raises(Refused, match="none is named") as caught:
        schema(None, "options")
    assert {"frames", "bodies"} <= set(caught.value.allowed)
