"""The OpenAPI document: valid, whole, and what the server really has."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from tests.engine.helpers.stages.server import Served
from urim.engine.access.rights import RIGHTS
from urim.engine.server.app import application
from urim.engine.server.openapi.document import PARAMETERS, document, schemas
from urim.engine.server.openapi.operations import OPERATIONS
from urim.errors import CODES

DOCUMENT: dict[str, Any] = json.loads(document())
METHODS = ("get", "post", "put", "patch", "delete")


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Every operation: its method, its path, what the document says of it."""
    return [
        (method, path, each[method])
        for path, each in DOCUMENT["paths"].items()
        for method in METHODS
        if method in each
    ]


EACH = pytest.mark.parametrize(
    ("method", "path", "found"),
    operations(),
    ids=[each["operationId"] for *_, each in operations()],
)


def test_it_is_valid() -> None:
    # In a process of its own: it changes what Hypothesis shows of the laws of others.
    program = "from schemathesis import openapi; openapi.from_dict(json.load(sys.stdin)).validate()"
    words = [sys.executable, "-c", f"import json, sys; {program}"]
    subprocess.run(words, input=json.dumps(DOCUMENT), text=True, check=True)


def test_its_schemas_are_valid() -> None:
    for each in schemas().values():
        meta.validate(each)


def test_every_reference_leads_somewhere() -> None:
    named = set(re.findall(rb'"\$ref":"([^"]*)"', document()))
    assert named
    assert named <= {f"#/components/schemas/{name}".encode() for name in schemas()}


@EACH
def test_an_operation_is_described(method: str, path: str, found: dict[str, Any]) -> None:
    assert re.fullmatch("[a-z][A-Za-z]+", found["operationId"])
    assert found["summary"].endswith(".")
    assert found["security"] in ([], [{"token": []}])
    secret = path in ("/access/exchange", "/access/invitation")
    assert ("401" in found["responses"]) == bool(found["security"]) or secret
    in_path = {each["name"] for each in found.get("parameters", ()) if each["in"] == "path"}
    assert in_path == set(re.findall(r"{(\w+)}", path))
    assert ("requestBody" in found) == (method == "post")
    for status, each in found["responses"].items():
        problem = "application/problem+json" in each["content"]
        assert problem == (int(status) >= 400)


def test_each_operation_has_a_name_of_its_own_and_a_known_right() -> None:
    assert len({each.id for each in OPERATIONS}) == len(OPERATIONS)
    assert {each.needs for each in OPERATIONS} <= {*RIGHTS, "token", None}
    assert {name for each in OPERATIONS for name in each.takes} <= set(PARAMETERS)
    assert {code for each in OPERATIONS for code in each.refuses} - {"*"} <= {*CODES, *OURS_THERE}


OURS_THERE = ("no-token", "too-fast", "unavailable", "forked")


def test_every_example_has_the_schema_of_its_body() -> None:
    shown = 0
    for *_, each in operations():
        content = each.get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in content.get("examples", {}).values():
            validator(content["schema"]).validate(example["value"])
            shown += 1
    assert shown == 2 * 38 + 1 + 14


def test_all_that_is_sent_has_an_example() -> None:
    for *_, each in operations():
        content = each.get("requestBody", {}).get("content", {}).get("application/json", {})
        assert ("examples" in content) == bool(content), each["operationId"]


LONG = {
    "openapi", "schema", "systems", "system", "sight", "roll", "account", "moves", "seats",
    "characters", "choices", "rollables", "rollDice", "preview", "whatIf",
}  # fmt: skip
"""Answers in JSON that are too long for an example, or have one beside them."""


def test_the_main_answers_have_examples_of_their_schema() -> None:
    without = set()
    for *_, each in operations():
        [content] = [
            one for status, found in each["responses"].items() if status < "300"
            for one in found["content"].items()
        ]  # fmt: skip
        if "example" not in content[1]:
            without |= {each["operationId"]} if content[0] == "application/json" else set()
            continue
        example = content[1]["example"]
        validator(content[1]["schema"]).validate(example)
        if content[0] == "application/x-ndjson":
            line = DOCUMENT["components"]["schemas"]["EntryLine"]
            validator(line).validate(json.loads(example))
    assert without == LONG


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """A validator of a schema of the document."""
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def test_the_server_has_these_routes_and_no_others(served: Served) -> None:
    routes = {
        (method.lower(), re.sub(r"{(\w+):\w+}", r"{\1}", route.path))
        for route in application(served.here).routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
    }
    listed = {(method, path) for method, path, _ in operations()}
    assert routes - listed == PAGES
    assert listed <= routes


PAGES = {
    *(("get", path) for path in ("/verifier", "/web/{path}", "/web/verifier/{name}")),
    *(("get", path) for path in ("/r/{table}/{roll}", "/r/{table}/{roll}/{pin}")),
}
"""What is for people, and no operation."""
