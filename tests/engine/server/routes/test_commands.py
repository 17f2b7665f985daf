"""What a seat has done over HTTP: bodies, refusals with moves, repetitions, previews."""

import json
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.engine.helpers.stages.server import Served
from tests.engine.server.http_table import FACES, HIDDEN, LIVE, MISSING, OPEN, TABLE, WISH, Site
from tests.engine.server.openapi.test_document import DOCUMENT, validator
from tests.engine.server.routes.test_reading import refused
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest
from urim.engine.server.openapi.examples import examples
from urim.engine.wire.numbers import DEEP, FRAME

FAST = 100_000
"""Requests a second: these tests ask more than a seat may."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table with an open roll, a hidden one, and one that waits for its throw."""
    with Served(tmp_path_factory.mktemp("site"), rate=FAST, burst=FAST) as served:
        found = Site(served)
        yield found
        found.close()


def asking(command: c.Command, request: str | None = None) -> bytes:
    """A request as it is sent."""
    return WireRequest(body_of(command).decode(), request).written()


def size_of(site: Site) -> int:
    """How many entries the table has."""
    return int(site.get("p1", "/entries?after=-1").headers["urim-size"])


# --- done -----------------------------------------------------------------------------------------


def test_a_request_is_done_and_answered_with_its_entries(site: Site) -> None:
    before = size_of(site)
    found = site.does("p1", c.Declare("c1", dict(WISH)))
    schema = DOCUMENT["paths"]["/tables/{table}/requests"]["post"]["responses"]["200"]
    validator(schema["content"]["application/json"]["schema"]).validate(found)
    assert found["seqs"] == list(range(before, found["size"]))
    lines = site.get("p1", f"/entries?after={before - 1}").text.splitlines()
    assert [json.loads(line) for line in lines] == found["entries"]
    assert int(found["head"].split("\n")[1]) == found["size"]


def test_the_same_request_is_done_once(site: Site) -> None:
    asked = c.Declare("c1", dict(WISH))
    first = site.ask("p1", asked, "once-and-again")
    size = size_of(site)
    again = site.ask("p1", asked, "once-and-again")
    assert again.json() == first.json()
    assert size_of(site) == size
    problem = refused(site.ask("p1", c.Resolve(OPEN), "once-and-again"), 409, "request-reused")
    assert problem["allowed"] == ["a new id"]


def test_what_a_seat_may_not_see_of_its_request_is_sealed(site: Site) -> None:
    wish = c.Declare("c1", dict(WISH), "blind")
    roll = json.loads(site.does("p1", wish)["entries"][0]["payload"])["event"]["roll"]
    thrown = site.does("p1", c.RollDice(roll, "initiator", faces=FACES))
    assert [set(line) for line in thrown["entries"]] == [{"seq", "commit", "at", "class", "digest"}]


def test_every_example_is_read_as_a_request(tmp_path: Path) -> None:
    with Served(tmp_path, rate=FAST, burst=FAST) as served:
        site = Site(served)
        read_examples(site)
        site.close()


def read_examples(site: Site) -> None:
    """Send every example; one of them lets the seat go."""
    for tag, each in examples().items():
        answer = site.post("p1", each.written())
        # What it is about is not at this table; but nothing is wrong with its form.
        assert answer.status_code in (200, 403, 404, 409, 422), tag
        assert "code" not in answer.json() or answer.json()["code"] != "malformed", answer.text


# --- who may --------------------------------------------------------------------------------------


def test_a_token_is_asked_for_before_the_body_is_looked_at(site: Site) -> None:
    url = f"{site.served.url}/tables/{TABLE}/requests"
    for content in (b"x" * (FRAME + 1), b"nonsense"):
        refused(httpx.post(url, content=content), 401, "no-token")


# --- refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "command", "status", "codes"),
    [
        ("p1", c.RollDice(LIVE, "initiator", faces=("x",)), 422, ("face", "dice-short")),
        ("p2", c.RollDice(LIVE, "initiator", faces=FACES), 403, ("not-yours",)),
    ],
    ids=["the face", "another's"],
)
def test_whatever_is_wrong_with_it_the_moves_of_its_roll_come(
    site: Site, who: str, command: c.Command, status: int, codes: tuple[str, ...]
) -> None:
    found = refused(site.ask(who, command), status, *codes)
    legal = [each for each in site.get(who, f"/rolls/{LIVE}/moves").json() if each["legal"]]
    assert found["moves"] == legal != []


@pytest.mark.parametrize("roll", [LIVE, HIDDEN, MISSING])
def test_a_body_with_an_unknown_field_names_its_roll(site: Site, roll: int) -> None:
    body = json.dumps({"do": "resolve/1", "roll": roll, "what": 1})
    found = refused(site.post("p1", WireRequest(body, "what").written()), 404, "unknown")
    legal = [each for each in site.get("p1", "/moves").json() if each["roll"] == roll]
    assert found.get("moves", []) == [move for each in legal for move in each["moves"]]
    assert bool(legal) == (roll == LIVE)


DEEP_JSON = b'{"request":"x","body":' + b"[" * DEEP + b"]" * DEEP + b"}"

MALFORMED = (
    b"", b"nonsense", b"[]", b"null", b"{}", b'{"request":"x"}', b'{"request":1,"body":"{}"}',
    b'{"request":"x","body":"{}","body":"{}"}', b'{"request":"x","body":"nonsense"}',
    b'{"request":"x","body":"{}"} ' + b"x", b'{"request":"\xff","body":"{}"}',
    b'{"request":"x","body":"\\ud800"}', b'{"request":"a b","body":"{\\"do\\":\\"resolve/1\\"}"}',
    DEEP_JSON, b"[" * 60_000, b'{"request":"x","body":"' + b"[" * 30_000 + b'"}',
    b'{"request":"x","body":"{}","text":{"salt":"","text":"\\udc00"}}',
)  # fmt: skip


@pytest.mark.parametrize("data", MALFORMED, ids=range(len(MALFORMED)))
@pytest.mark.parametrize("path", ["/requests", "/preview"])
def test_what_is_no_request_is_malformed(site: Site, path: str, data: bytes) -> None:
    codes = ("malformed", "too-long", "unknown")
    answer = site.post("p1", data, path)
    refused(answer, answer.status_code, *codes)
    assert answer.status_code == (404 if answer.json()["code"] == "unknown" else 422)


def test_a_request_without_an_id_could_not_be_sent_again(site: Site) -> None:
    found = refused(site.post("p1", asking(c.Resolve(OPEN))), 422, "malformed")
    assert "no id" in found["why"]


def test_an_unknown_field_is_named(site: Site) -> None:
    found = refused(site.post("p1", b'{"request":"x","body":"{}","seat":"p2"}'), 404, "unknown")
    assert "seat" in found["why"]


def test_brackets_in_words_are_no_depth(site: Site) -> None:
    words = c.worded(c.NameSeat("p1"), "[" * 100)
    asked = WireRequest(body_of(words.command).decode(), "brackets", words.text)
    assert site.post("p1", asked.written()).status_code == 200


def test_json_may_name_its_characters(site: Site) -> None:
    named = {"Content-Type": "application/json; charset=utf-8"}
    data = asking(c.Resolve(LIVE), "x")
    answer = site.clients["p1"].post(f"/tables/{TABLE}/requests", content=data, headers=named)
    assert answer.status_code == 409


# --- previews -------------------------------------------------------------------------------------


def test_a_preview_shows_what_would_be_and_does_nothing(site: Site) -> None:
    size = size_of(site)
    body = body_of(c.RollDice(LIVE, "initiator")).decode()
    answer = site.post("p1", json.dumps({"body": body}).encode(), "/preview")
    assert answer.status_code == 200, answer.text
    assert answer.json()["type"] == "preview"
    assert len(answer.json()["dice"]) == len(FACES)
    validator({"$ref": "#/components/schemas/Preview"}).validate(answer.json())
    assert size_of(site) == size


def test_a_preview_is_refused_as_the_command_would_be(site: Site) -> None:
    body = body_of(c.Resolve(LIVE)).decode()
    answer = site.post("p1", json.dumps({"body": body}).encode(), "/preview")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    validator({"$ref": "#/components/schemas/Refusal"}).validate(found)
    asked = refused(site.ask("p1", c.Resolve(LIVE)), 409, "wrong-state", "due")
    assert found.pop("type") == "refusal"
    assert found.items() <= asked.items()
    answer = site.post("p1", json.dumps({"body": "{}"}).encode(), "/preview")
    refused(answer, 422, "malformed")  # what is no command is a problem as before
