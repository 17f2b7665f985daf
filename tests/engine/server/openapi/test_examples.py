"""The examples of the OpenAPI document are requests of every command, and mean what they meant."""

import json
from pathlib import Path

import pytest

from urim.engine.core.commands import BeginEpoch, OpenTable
from urim.engine.core.parse import COMMANDS, body_of, read_command
from urim.engine.core.request import read_request
from urim.engine.server.openapi.examples import OPENING, examples

GOLDEN = Path(__file__).parents[2] / "core" / "golden"

EXAMPLES = examples()

OTHERS = {tag for tag, kind in COMMANDS.items() if kind in (OpenTable, BeginEpoch)}
"""What no seat sends to its table."""


def golden(tag: str) -> dict[str, object]:
    """The golden sample of a command, without the hash of its text."""
    found: dict[str, object] = json.loads((GOLDEN / f"{tag.replace('/', '-')}.json").read_bytes())
    found.pop("text", None)
    return found


def test_every_command_of_a_seat_has_an_example() -> None:
    assert set(EXAMPLES) == set(COMMANDS) - OTHERS


@pytest.mark.parametrize("tag", EXAMPLES)
def test_an_example_is_the_golden_sample(tag: str) -> None:
    request = read_request(EXAMPLES[tag].written())
    body = json.loads(request.body)
    hash = body.pop("text", None)
    assert body == golden(tag)
    assert hash == (request.text.hash if request.text else None)
    rule = read_command(request.body.encode()).text_rule
    assert (hash is None) == (rule is None)


def test_the_opening_is_the_golden_sample_but_for_its_system() -> None:
    assert json.loads(body_of(OPENING)) == golden("open/2") | {"ruleset": "a-system"}
