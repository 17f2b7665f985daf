"""The luck of a table over HTTP: of which rolls, and for whom."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.json import decode, encode

from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from tests.engine.server.http_table import TABLE
from tests.engine.server.openapi.test_document import validator
from tests.engine.server.routes.test_reading import holds, refused
from urim.engine.core import commands as c
from urim.engine.server.worker import luck

BY = {"c1": "p1", "c2": "p2"}


class Site:
    """A served table of plain dice with two players, each of whom has a character."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.tokens = served.open(TABLE, ruleset="plain")
        for who, seat in BY.items():
            self.does(NARRATOR, c.EnterCharacter(who, seat))
        self.rolls = 0

    def does(self, seat: str, command: c.AnyCommand) -> None:
        self.served.run(self.served.service.submit(TABLE, seat, command))

    def throws(self, who: str, face: int, seen: Any = "public", *, ends: bool = True) -> None:
        """A roll of 1d20, which ends unless told otherwise."""
        self.rolls += 1
        self.does(BY[who], c.Declare(who, {"expression": "1d20"}, seen))
        self.does(BY[who], c.RollDice(self.rolls, "dice", faces=(face,)))
        if ends:
            self.does(BY[who], c.Resolve(self.rolls))

    def luck(self, who: str) -> httpx.Response:
        url = f"{self.served.url}/tables/{TABLE}/luck"
        return httpx.get(url, headers=bearer(self.tokens[who]))


@pytest.fixture
def site(tmp_path: Path) -> Generator[Site]:
    with Served(tmp_path) as served:
        yield Site(served)


def sums(answer: httpx.Response) -> dict[str, float]:
    """The luck of each seat."""
    return {seat["seat"]: seat["luck"] for seat in holds(answer)["seats"]}


def test_each_seat_sees_the_luck_of_what_it_sees(site: Site) -> None:
    assert holds(site.luck("p1")) == {
        "aim": "margin",
        "luck": 0,
        "seats": [],
        "rolls": {},
        "standing": 0,
        "left": {},
    }
    site.throws("c1", 20)
    site.throws("c2", 3, "gm")
    assert sums(site.luck("p1")) == {"p1": 9.5}
    assert sums(site.luck("p2")) == sums(site.luck(NARRATOR)) == {"p1": 9.5, "p2": -7.5}
    site.does(NARRATOR, c.Reveal(2))
    assert holds(site.luck("p1")) == holds(site.luck("p2"))
    entries = site.served.run(site.served.service.view(TABLE, "p1"))
    assert holds(site.luck("p1")) == decode(encode(luck(entries)))


def test_of_a_roll_that_goes_on_it_says_nothing(site: Site) -> None:
    site.throws("c1", 20, ends=False)
    assert holds(site.luck("p1"))["rolls"] == {}
    site.does("p1", c.Resolve(1))
    assert holds(site.luck("p1"))["rolls"] == {"1": 9.5}


def test_it_is_what_the_document_says(site: Site) -> None:
    site.throws("c1", 20)
    told = holds(site.luck("p1"))
    validator({"$ref": "#/components/schemas/TableLuck"}).validate(told)
    assert told["seats"][0]["play"] is None


def test_who_has_no_seat_has_none(site: Site) -> None:
    token = site.served.token(TABLE, "auditor")
    url = f"{site.served.url}/tables/{TABLE}/luck"
    refused(httpx.get(url, headers=bearer(token)), 403, "no-right")
