"""Two players and a narrator, each in a browser of their own, play one roll of each system."""

import re

import pytest
from playwright.sync_api import expect

from tests.engine.server.web.browser.page import ends
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening


@pytest.mark.sampled(1, rest=1)
@pytest.mark.prove
@pytest.mark.parametrize("system", CASES)
def test_a_roll_is_played_to_its_end(evening: Evening, system: str) -> None:
    case = CASES[system]
    evening.opens(system)
    evening.enters("p1", "Asta", case.ratings)
    evening.enters("p2", "Bo", case.others)
    ruth, etgar = evening.guest("Ruth", "p1"), evening.guest("Etgar", "p2")
    dana = evening.guest("Dana", "narrator")
    roll = ruth.declares(case.declared)
    ends(roll, ruth, etgar, dana, answer=case.answer)
    for person in (ruth, etgar, dana):
        expect(person.at(roll).locator(".checked.right")).to_be_visible()
        expect(person.page.locator("button.seal")).to_have_class(re.compile("green"))
        assert person.do("return app.live.value.level") == "table"
