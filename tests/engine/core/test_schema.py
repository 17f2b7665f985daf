"""The JSON Schemas accept what the decoders accept, and refuse what these refuse."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta
from msgspec import ValidationError, convert
from msgspec.json import decode, encode

from tests import plays
from tests.engine.helpers.gone import still_read
from urim.engine.core.parse import COMMANDS, read_command
from urim.engine.core.parse import UPCASTS as COMMAND_UPCASTS
from urim.engine.core.schema import Part, schema
from urim.errors import Refused
from urim.events.codec import EVENTS, Event, Upcast, upcast
from urim.events.codec import UPCASTS as EVENT_UPCASTS
from urim.rules import BUILT_IN, ruleset_named
from urim.rules.forms import fields_of

HERE = Path(__file__).parent
COMMAND_SAMPLES = still_read(HERE / "golden")
EVENT_SAMPLES = still_read(HERE.parents[1] / "events" / "golden")
COMMANDS_NOW = [each for each in COMMAND_SAMPLES if json.loads(each.read_bytes())["do"] in COMMANDS]
EVENTS_NOW = [each for each in EVENT_SAMPLES if json.loads(each.read_bytes())["type"] in EVENTS]


@cache
def validator(system: str | None = None, part: Part | None = None) -> Draft202012Validator:
    """A schema, ready to check values."""
    made = schema(None if system is None else ruleset_named(system), part)
    meta.validate(made)
    return Draft202012Validator(made)


def current(sample: bytes, tag: str, upcasts: Mapping[str, Upcast]) -> Any:
    """The JSON of a golden sample, brought up to the version that a schema describes."""
    value = json.loads(sample)
    return upcast(value, tag, upcasts) or value


# --- what is accepted -----------------------------------------------------------------------------


@pytest.mark.parametrize("sample", COMMAND_SAMPLES, ids=lambda path: path.stem)
def test_a_golden_command_is_valid(sample: Path) -> None:
    validator(None, "commands").validate(current(sample.read_bytes(), "do", COMMAND_UPCASTS))


@pytest.mark.parametrize("sample", EVENT_SAMPLES, ids=lambda path: path.stem)
def test_a_golden_event_is_valid(sample: Path) -> None:
    validator(None, "events").validate(current(sample.read_bytes(), "type", EVENT_UPCASTS))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("system", BUILT_IN)
def test_all_that_scenarios_ask_and_log_is_valid(system: str) -> None:
    seen = set[str | bytes]()
    for path in plays.files():
        if system not in path.as_posix():
            continue
        for entry in plays.kept_of(path).log:
            if entry.payload is None:
                continue
            found = decode(entry.payload)
            asked = [decode(found["asked"]["body"].encode())] if "asked" in found else []
            for each in (found["event"], *asked):
                tag, text = each.get("type") or each.get("do"), encode(each)
                if text not in seen:
                    validator(system).validate(each)
                seen |= {tag, text}
    assert {"declare/1", "roll-declared/2", "roll-resolved/1", "table-opened/3"} <= seen


# --- what is refused ------------------------------------------------------------------------------

DECLARED: dict[str, Any] = {
    "milhamah": {"root": "רוח", "rating": 3, "dice": {"red": 4}, "status": {"Curse": {"R": -1}}},
    "sagatafl": {"trait": "Lockpicking", "modifiers": {"dark": 2}, "rd": 7},
    "majesty": {"kind": "strike", "value": 12, "opponent": "c2"},
    "scarterra": {"attribute": "Wits", "helpers": ["c2"], "difficulty": "easy", "target": 5},
    "age_of_magic": {"skill": "Swords", "luck": 3, "difficulty": 12.5, "targets": ["c2"]},
    "plain": {"expression": "4d6kh3"},
}

OTHER: tuple[Any, ...] = (
    *(-1000, 10**9, 3.5, True, None, "", "x" * 101, "\n"),
    *([], [1], {"a": 1}, {"": 1}, {"a": "b"}, {"x" * 101: 1}),
)
"""Values to put where another was."""


def mutated(value: Any) -> list[Any]:
    """The value with one part of it replaced, left out or added, in every way."""
    found: list[Any] = list(OTHER)
    if isinstance(value, dict):
        for key, item in value.items():
            found += [{**value, key: other} for other in mutated(item)]
            found.append({k: v for k, v in value.items() if k != key})
        found.append({**value, "no such field": 1})
    elif isinstance(value, list) and value:
        found += [[other] for other in mutated(value[0])]
        found.append(value * 101)
    return found


@pytest.mark.parametrize("system", BUILT_IN)
def test_a_declaration_is_valid_where_the_decoder_takes_it(system: str) -> None:
    ruleset, check = ruleset_named(system), validator(system, "declaration")
    every = [DECLARED[system], *mutated(DECLARED[system])]
    refused = 0
    for each in every:
        taken = _taken(each, ruleset.Declaration)
        refused += not taken
        assert check.is_valid(each) is taken, each
    assert refused > 10
    for name in ruleset.settled:
        assert not check.is_valid({**DECLARED[system], name: 1}), "nobody may give it"


def _taken(value: Any, kind: Any) -> bool:
    try:
        convert(value, kind, strict=True)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("sample", COMMANDS_NOW, ids=lambda path: path.stem)
def test_a_mutated_command_is_refused_by_both_or_by_none(sample: Path) -> None:
    value = json.loads(sample.read_bytes())
    check = validator(None, "commands")
    for each in mutated(value):
        if isinstance(each, dict) and each.get("do") == value["do"]:
            assert check.is_valid(each) is _accepted(each), each


def _accepted(value: Any) -> bool:
    try:
        read_command(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    except Refused:
        return False
    return True


@pytest.mark.parametrize("sample", EVENTS_NOW, ids=lambda path: path.stem)
def test_a_mutated_event_is_refused_by_both_or_by_none(sample: Path) -> None:
    value = json.loads(sample.read_bytes())
    check = validator(None, "events")
    for each in mutated(value):
        if isinstance(each, dict) and each.get("type") == value["type"]:
            assert check.is_valid(each) is _taken(each, Event), each


def test_what_has_no_tag_of_ours_is_no_command() -> None:
    check = validator(None, "commands")
    for each in (*OTHER, {"do": "roll/0", "roll": 1, "hand": "main"}, {"roll": 1}):
        assert not check.is_valid(each)


def test_the_end_of_a_text_is_its_end_in_every_language() -> None:
    seat = {"do": "take-seat/2", "seat": "p1"}
    check = validator(None, "commands")
    assert check.is_valid(seat)
    assert not check.is_valid({**seat, "seat": "p1\n"})
    assert "\\Z" not in json.dumps(schema())


@pytest.mark.parametrize("system", BUILT_IN)
def test_a_schema_says_who_gives_a_field_of_a_declaration_where_players_do_not(system: str) -> None:
    rules, made = ruleset_named(system), schema(ruleset_named(system), "commands")["$defs"]
    for part in ("Declaration", "Reaction"):
        shown = made[f"{system}.{part}"]["properties"]
        told = {name: each["x-set-by"] for name, each in shown.items() if "x-set-by" in each}
        assert told == {name: by for name in shown if (by := rules.set_by(name)) != "player"}
    options = made[f"{system}.Options"]["properties"].values()
    assert not any("x-set-by" in each for each in options)


# --- one system's ---------------------------------------------------------------------------------


def test_a_command_of_a_system_holds_its_declaration() -> None:
    declare = {"do": "declare/1", "character": "c1", "declaration": {"expression": "3d6"}}
    assert validator("plain", "commands").is_valid(declare)
    assert not validator("majesty", "commands").is_valid(declare)
    assert validator(None, "commands").is_valid(declare)


def test_a_system_opens_a_table_with_its_own_options() -> None:
    opened = {"do": "open/2", "table": "t0000001", "ruleset": "plain", "options": {"r": "until"}}
    check = validator("plain", "commands")
    assert check.is_valid(opened)
    assert not check.is_valid({**opened, "options": {"r": "never"}})
    assert not check.is_valid({**opened, "ruleset": "majesty"})


def test_a_character_may_decline() -> None:
    react = {"do": "react/1", "roll": 1, "character": "c2"}
    check = validator("majesty", "commands")
    assert check.is_valid(react)
    assert check.is_valid({**react, "reaction": None})
    assert check.is_valid({**react, "reaction": {"value": 3}})
    assert not check.is_valid({**react, "reaction": {"declined": True}})


def test_fields_are_corrected_alone() -> None:
    amend = {
        "do": "amend/2",
        "roll": 1,
        "character": "c1",
        "fields": {"value": 3},
        "text": "0" * 64,
    }
    check = Draft202012Validator(schema(ruleset_named("majesty"), "commands"))
    assert check.is_valid(amend), "without the kind, which a declaration needs"
    assert not check.is_valid({**amend, "fields": {"sheet_rating": 3}})
    assert not check.is_valid({**amend, "fields": {"valu": 3}})


def test_a_schema_shows_the_form() -> None:
    made = schema(ruleset_named("milhamah"), "declaration")
    shown = made["$defs"]["milhamah.Declaration"]["properties"]
    for each in fields_of(ruleset_named("milhamah").Declaration):
        found = shown.get(each.name, {"title": each.title, "description": each.help})
        assert (found["title"], found["description"]) == (each.title, each.help)
    assert shown["target"]["x-picks"] == {"of": "chart", "chart": "difficulties"}
    assert shown["leave"]["x-set-by"] == "narrator"
    assert shown["dice"]["anyOf"][0]["propertyNames"] == {"enum": ["blue", "green", "red"]}
    assert [each["name"] for each in made["x-charts"]] == ["difficulties", "circumstances"]
    assert set(made["$defs"]) == {"milhamah.Declaration", "milhamah.Status"}, "no other is needed"


def test_where_one_form_alone_is_possible_it_stands_by_itself() -> None:
    named = schema(None, "commands")["$defs"]
    assert named["commands.Declare"]["properties"]["declaration"] == {"$ref": "#/$defs/words"}
    either = named["commands.React"]["properties"]["reaction"]
    assert either == {"anyOf": [{"$ref": "#/$defs/words"}, {"type": "null"}]}


def test_any_system_has_no_declaration() -> None:
    with pytest.raises(Refused, match="none is named"):
        schema(None, "reaction")
