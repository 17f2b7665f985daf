"""A roll in one request: each step is a request of its own, and it stops where somebody decides."""

import json
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.helpers.said import RATINGS
from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from tests.engine.server.openapi.test_document import DOCUMENT, validator
from urim.engine.core import commands as c
from urim.events.asked import Text

FAST = 100_000
LABEL = Text("0" * 32, "Strength of an ox")

WISHES: Mapping[str, Mapping[str, Any]] = {
    "plain": {"expression": "4d6kh3"},
    "sagatafl": {"declaration": {"trait": "Lockpicking", "rd": 7}},
    "milhamah": {"declaration": {"attribute": "BLE", "target": "average"}},
    "majesty": {"declaration": {"kind": "check", "attribute": "Sight", "opposing": 3}},
    "scarterra": {"declaration": {"attribute": "Dexterity", "difficulty": 6}},
    "age_of_magic": {"declaration": {"skill": "Stealth", "characteristic": "DX", "difficulty": 0}},
}

ENDS: Mapping[str, str] = dict.fromkeys(("plain", "sagatafl", "scarterra"), "resolved")
"""Where a roll goes by itself; in the other systems somebody has something to decide first."""


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    """A server that takes as much as these tests ask."""
    with Served(tmp_path, rate=FAST, burst=FAST) as served:
        yield served


class Table:
    """A table of a system, with p1's character c1."""

    def __init__(self, served: Served, system: str, **opened: Any) -> None:
        settings = {"source": "fair", "level": "server"} | opened
        self.served, self.name = served, "rolling1"
        tokens = served.open(self.name, ruleset=system, **settings)
        ratings = {**RATINGS, "Lockpicking": 4, "Sight": 5, "Stealth": 4, "DX": 3, "Dexterity": 3}
        self.does(NARRATOR, c.EnterCharacter("c1", "p1", ratings))
        self.tokens = tokens

    def sends(self, method: str, path: str, seat: str, **given: Any) -> httpx.Response:
        """Ask something of the table."""
        url = f"{self.served.url}/tables/{self.name}{path}"
        return httpx.request(method, url, headers=bearer(self.tokens[seat]), timeout=60, **given)

    def does(self, seat: str, command: c.Asking) -> None:
        """Do something behind the server's front."""
        self.served.run(self.served.service.submit(self.name, seat, command))

    def rolls(self, wish: Mapping[str, Any], seat: str = "p1") -> httpx.Response:
        """Ask for a roll in one request."""
        return self.sends("POST", "/rolls", seat, json=dict(wish))

    def gets(self, path: str, seat: str = "p1") -> Any:
        """Read something of the table."""
        return self.sends("GET", path, seat).json()

    def asked(self) -> list[Mapping[str, Any]]:
        """What the seat p1 asked for, request by request."""
        lines = self.sends("GET", "/entries?after=-1", "p1").text.splitlines()
        payloads = [json.loads(json.loads(line).get("payload") or "{}") for line in lines]
        return [json.loads(each["asked"]["body"]) for each in payloads if "asked" in each]


@pytest.mark.parametrize("system", WISHES)
def test_a_roll_goes_as_far_as_nothing_is_to_be_decided(served: Served, system: str) -> None:
    table = Table(served, system)
    answer = table.rolls({"request": "one", **WISHES[system]})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    schema = DOCUMENT["paths"]["/tables/{table}/rolls"]["post"]["responses"]["200"]
    validator(schema["content"]["application/json"]["schema"]).validate(found)
    sight = table.gets("")
    assert found["roll"] == sight["rolls"][0]
    assert found["size"] == sight["size"]
    steps = [each["do"] for each in table.asked() if each["do"] != "take-seat/1"]
    (moves,) = (each for each in table.gets("/moves") if each["roll"] == 1)
    assert moves["step"] is None
    account = table.gets("/rolls/1/account")
    assert found["headline"] == (account["outcome"] or {}).get("headline", "")
    if system in ENDS:
        assert found["roll"]["state"] == ENDS[system]
        assert found["headline"]
        assert steps[-3:] == ["declare/1", "roll/1", "resolve/1"]
    else:
        assert found["roll"]["outcome"] is None


def test_its_link_is_in_the_answer_where_a_narrator_allows_it(served: Served) -> None:
    table = Table(served, "plain")
    assert table.rolls({"request": "one", "expression": "2d6"}).json()["link"] is None
    table.does(NARRATOR, c.SetTable("links", value=True))
    found = table.rolls({"request": "two", "expression": "2d6"}).json()
    assert found["link"].startswith(f"{served.url}/r/rolling1/2#")
    page = httpx.get(found["link"]).text
    assert f'og:description" content="{found["headline"]}"' in page
    hidden = {"request": "three", "expression": "2d6", "visibility": "self"}
    assert table.rolls(hidden).json()["link"] is None


def test_the_same_request_declares_once_and_goes_on(served: Served) -> None:
    table = Table(served, "plain")
    wish = {"request": "one", "text": {"salt": LABEL.salt, "text": LABEL.text}, "expression": "2d6"}
    with ThreadPoolExecutor(4) as at_once:
        answers = list(at_once.map(lambda _: table.rolls(wish), range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert table.rolls(wish).json() == table.rolls(wish).json()
    assert len(table.gets("")["rolls"]) == 1
    assert [each["text"] for each in table.gets("")["texts"]] == [LABEL.text]
    assert table.rolls({**wish, "expression": "3d6"}).json()["code"] == "request-reused"
    # It was declared elsewhere, and is gone on with.
    table.does("p1", c.Declare("c1", {"expression": "1d6"}))
    assert table.gets("")["rolls"][1]["state"] == "declared"
    assert table.rolls(wish).json()["roll"]["roll"] == 1


@pytest.mark.parametrize(("source", "level"), [("fair", "player"), ("scripted", "server")])
def test_a_throw_that_takes_more_of_its_seat_is_left_to_it(
    served: Served, source: str, level: str
) -> None:
    table = Table(served, "plain", source=source, level=level)
    found = table.rolls({"request": "one", "expression": "2d6"}).json()
    assert found["roll"]["state"] == "declared"
    assert found["headline"] == ""


def test_a_blind_roll_is_thrown_once_and_shows_its_roller_nothing(served: Served) -> None:
    table = Table(served, "plain")
    wish = {"request": "one", "expression": "2d6", "visibility": "blind"}
    first, again = table.rolls(wish).json(), table.rolls(wish).json()
    assert first == again
    assert first["headline"] == ""
    assert first["roll"]["hands"] == []
    (roll,) = table.gets("", NARRATOR)["rolls"]
    assert roll["state"] == "rolled"


def test_a_roll_whose_character_was_given_away_is_answered_as_its_seat_may_see_it(
    served: Served,
) -> None:
    table = Table(served, "plain")
    open_, hidden = ({"request": f"{seen}-1", "character": "c1", "expression": "2d6",
                      "visibility": seen} for seen in ("public", "gm"))  # fmt: skip
    assert [table.rolls(wish).status_code for wish in (open_, hidden)] == [200, 200]
    table.does(NARRATOR, c.GiveCharacter("c1", "p2"))
    size = table.gets("")["size"]
    assert table.rolls(open_).json()["roll"]["roll"] == 1
    assert table.rolls(hidden).json()["code"] == "not-seen"
    assert table.gets("")["size"] == size


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("system", "wish", "code", "named"),
    [
        ("plain", {"expression": "2d6"}, "malformed", "request"),
        ("plain", {"request": "a"}, "malformed", "expression"),
        ("plain", {"request": "a", "expression": "2d6", "declaration": {}}, "malformed", "one of"),
        ("plain", {"request": "a", "expression": "2q6"}, "malformed", "2q6"),
        ("plain", {"request": "a", "expression": "2d6", "character": "c9"}, "unknown", "c9"),
        ("plain", {"request": "a", "expression": "2d6", "how": 1}, "unknown", "how"),
        ("plain", {"request": "a", "expression": "2d6", "level": "god"}, "malformed", "god"),
        ("sagatafl", {"request": "a", "expression": "2d6"}, "malformed", "declaration"),
    ],
)
def test_a_wish_that_says_no_roll_is_refused(
    served: Served, system: str, wish: Mapping[str, Any], code: str, named: str
) -> None:
    table = Table(served, system)
    size = table.gets("")["size"]
    answer = table.rolls(wish)
    found = answer.json()
    assert found["code"] == code, found
    assert named in f"{found['why']} {found.get('allowed')}"
    assert table.gets("")["size"] == size


def test_a_seat_rolls_for_its_own_characters_alone(served: Served) -> None:
    table = Table(served, "plain")
    wish = {"request": "a", "expression": "2d6"}
    assert "no characters" in table.rolls(wish, "p2").json()["why"]
    assert table.rolls({**wish, "character": "c1"}, "p2").json()["code"] == "not-yours"
    table.does(NARRATOR, c.EnterCharacter("c2", "p1", {}))
    refused = table.rolls(wish).json()
    assert refused["allowed"] == ["c1", "c2"]
    assert table.rolls({**wish, "character": "c2"}).json()["roll"]["character"] == "c2"
