"""A table on a real server, and the people who come to it."""

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Browser

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.web.browser.page import Person
from urim.engine.server.running import milliseconds
from urim.events.base import Role

SEATS: Mapping[str, Role] = {"p1": "player", "p2": "player"}


class Evening:
    """One table. `url` is where people come in: the server, or what lies before it."""

    def __init__(self, browser: Browser, served: Served, table: str) -> None:
        self.browser = browser
        self.served = served
        self.table = table
        self.url = served.url
        self.people: list[Person] = []

    def opens(self, ruleset: str, seats: Mapping[str, Role] = SEATS, **how: Any) -> None:
        """Open the table: fair dice, and everybody adds chance, unless it is said otherwise."""
        options = {"source": "fair", "level": "table", **how}
        self.served.open(self.table, seats, ruleset=ruleset, **options)

    def link(self, seat: str) -> str:
        """A link to a seat."""
        role: Role = "narrator" if seat == NARRATOR else SEATS[seat]
        return f"{self.url}/#i={self.served.invitation(self.table, role, seat)}"

    def host(self) -> str:
        """The secret of the host's link."""
        served = self.served
        secret = served.run(served.access.host_link(milliseconds(), new=True))
        assert secret is not None
        return secret.reveal()

    def person(self, name: str, **options: Any) -> Person:
        """Somebody with a browser of their own, who has not come yet."""
        found = Person(self.browser, name, **options)
        self.people.append(found)
        return found

    def guest(self, name: str, seat: str, **options: Any) -> Person:
        """Somebody who sits down."""
        found = self.person(name, **options)
        found.comes(self.link(seat))
        return found
