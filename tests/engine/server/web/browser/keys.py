"""The keyboard alone: what somebody does who has no mouse."""

import re
from typing import Any

from playwright.sync_api import Locator
from playwright.sync_api import TimeoutError as Slow

from tests.engine.server.web.browser.page import CHOOSING, DOES, Person, Values, doing

MOST = 200
"""Presses of a key until what is looked for counts as out of reach."""

HERE = "each => each === document.activeElement"


class Keys:
    """A person's keyboard. Everything is reached by Tab and arrows, as focus goes."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.keyboard = person.page.keyboard

    def reaches(self, wanted: Locator) -> None:
        """Press Tab until this has the focus. Fails where it never does."""
        wanted.wait_for(state="attached")
        for _ in range(MOST):
            if wanted.evaluate(HERE):
                return
            self.keyboard.press("Tab")
        raise AssertionError(f"no Tab leads to {wanted}")

    def presses(self, wanted: Locator, key: str = "Enter") -> None:
        """Go to a button and press it."""
        self.reaches(wanted)
        self.keyboard.press(key)

    def types(self, field: Locator, text: str) -> None:
        """Go to a field and type."""
        self.reaches(field)
        self.keyboard.insert_text(text)

    def picks(self, field: Locator, value: str) -> None:
        """Go to a list and step down to this value. Fails where it has no such value."""
        field.locator(f"option[value='{value}']").wait_for(state="attached")
        self.reaches(field)
        for _ in range(MOST):
            if field.input_value() == value:
                return
            self.keyboard.press("ArrowDown")
        raise AssertionError(f"no arrow leads to {value}")

    def takes(self, group: Locator, label: str | None = None) -> None:
        """Go to a group of radio buttons, and with the arrows to the one of this label, or one."""
        radios = group.get_by_role("radio")
        radios.first.wait_for(state="attached")
        named = re.compile(f"^{re.escape(label or '')}")
        wanted = radios.first if label is None else group.get_by_role("radio", name=named)
        for _ in range(MOST):
            if radios.evaluate_all("all => all.includes(document.activeElement)"):
                break
            self.keyboard.press("Tab")
        self.keyboard.press("Space")
        for _ in range(radios.count()):
            if wanted.is_checked():
                return
            self.keyboard.press("ArrowDown")
        raise AssertionError(f"no arrow leads to {label}")

    def fills(self, form: Locator, values: Values) -> None:
        """Fill a form in; groups that are shut are opened."""
        for name, value in values.items():
            self._fills(form, name, value)

    def _fills(self, form: Locator, name: str, value: Any) -> None:
        field = form.locator(f"[id$='-{name}']").first
        own = form.locator(f"[id$='-{name}-own']")
        group = form.locator(f"details:has([id$='-{name}'])").first
        if group.count() and group.get_attribute("open") is None:
            self.presses(group.locator("summary").first)
        if field.get_attribute("role") == "radiogroup":
            self.takes(field, str(value))
        elif own.count():
            self.types(own, str(value))
        elif field.evaluate("each => each.localName") == "select":
            self.picks(field, str(value))
        else:
            self.types(field, str(value))

    def acts(self, roll: int, size: int) -> bool:
        """Do the next thing that a roll wants; whether there was one. `size`: see `Person.acts`."""
        card = self.person.at(roll)
        if card.locator(CHOOSING).count():
            choice = card.locator(CHOOSING).first
            self.takes(choice)
            self.presses(choice.locator("button.main"))
        else:
            found = next(
                (each for each in doing(self.person, DOES) if card.locator(each).count()), None
            )
            if found is None:
                return False
            try:
                self.presses(card.locator(found).first)
            except Slow:  # the page did it meanwhile, or the roll wants something else now
                return False
        self.person.rests(size + 1)
        return True
