"""What describes the server: the systems and their schemas, for anybody."""

import httpx
import pytest
from jsonschema_rs import Draft202012Validator, meta

from tests.engine.helpers.stages.server import Served
from urim.rules import ruleset_named, ruleset_names
from urim.rules.forms import fields_of


def got(served: Served, path: str, status: int = 200) -> httpx.Response:
    """What anybody gets there."""
    answer = httpx.get(f"{served.url}{path}")
    assert answer.status_code == status, path
    return answer


def test_the_systems_are_listed(served: Served) -> None:
    found = got(served, "/systems").json()["systems"]
    assert [each["name"] for each in found] == list(ruleset_names())
    assert {each["type"] for each in found} == {"system"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ruleset_names())
def test_a_system_says_what_its_forms_ask_for(served: Served, name: str) -> None:
    found = got(served, f"/systems/{name}").json()
    for part in ("declaration", "reaction", "options"):
        kind = getattr(ruleset_named(name), part.capitalize())
        kind = ruleset_named(name).Options if part == "options" else kind
        form = found[part]
        assert [each["name"] for each in form["fields"]] == [f.name for f in fields_of(kind)]
        meta.validate(form["schema"])


def test_the_schemas_of_one_system(served: Served) -> None:
    found = got(served, "/schema.json?system=plain").json()
    meta.validate(found)
    validator = Draft202012Validator({"$ref": "#/$defs/commands.Declare", "$defs": found["$defs"]})
    declare = {"do": "declare/1", "character": "c1", "declaration": {"expression": "4d6kh3"}}
    assert validator.is_valid(declare)
    assert not validator.is_valid(declare | {"declaration": {"expression": 4}})
    # The frames and bodies are there too, as they are without a system.
    assert set(got(served, "/schema.json").json()["$defs"]) - set(found["$defs"]) == {
        "words",
        "word",
    }


@pytest.mark.parametrize("path", ["/systems/chess", "/schema.json?system=chess"])
def test_a_system_that_is_not_there(served: Served, path: str) -> None:
    answer = got(served, path, 404)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "unknown"
    assert answer.json()["allowed"] == list(ruleset_names())
