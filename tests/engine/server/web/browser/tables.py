"""A table on a real server, and the people who come to it."""

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Browser

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.web.browser.page import Person
from urim.engine.core import commands as c
from urim.engine.core.offers import due, offers
from urim.engine.server.running import milliseconds
from urim.errors import Refused
from urim.events.base import Role
from urim.projections.rollstate import RollState
from urim.projections.tables import TableState
from urim.rules.ruleset import Offer

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

    # --- without a page ---------------------------------------------------------------------------

    def does(self, seat: str, asking: c.Asking) -> int:
        """Have a seat do something; the number of its first entry."""
        done = self.served.run(self.served.service.submit(self.table, seat, asking))
        return int(done[0].seq)

    def enters(self, seat: str, name: str, ratings: Mapping[str, float]) -> None:
        """Have a seat's character come to the table: c1 of p1, and so on."""
        character = c.EnterCharacter(f"c{seat[1:]}", seat, dict(ratings))
        self.does(seat, c.worded(character, name))

    def plays(self, seat: str, declares: c.Declare) -> int:
        """Have a seat declare a roll, and do all that is due in it; the roll's number."""
        self.does(seat, declares)
        number = self.state.last_roll
        while (roll := self.state.rolls[number]).state != "resolved":
            wanted = due(offers(self.state, roll))
            try:
                self.does(seat, _plainly(roll, wanted[0]) if wanted else c.Resolve(number))
            except Refused:
                if self.state.rolls[number] == roll:
                    raise
                # else a page of the seat was quicker
        return number

    @property
    def state(self) -> TableState:
        """The table as the server has it."""
        return self.served.run(self.served.service.state(self.table))


def _plainly(roll: RollState, offer: Offer) -> c.Asking:
    """Throw, stand, the last of the choices."""
    match offer.trigger:
        case "roll":
            committed = roll.outstanding.seq if roll.outstanding else None
            return c.RollDice(roll.number, offer.hand, committed=committed)
        case "freeze":
            return c.Freeze(roll.number, offer.hand, offer.dice)
        case _:
            return c.Choose(roll.number, offer.choice, str(offer.options[-1]))
