"""People before the page, each with a browser of their own.

ruth = Person(browser, "Ruth")
ruth.comes(link)
ruth.brings("Asta", {"Lockpicking": 5})
roll = ruth.declares({"trait": "Lockpicking"})
ends(roll, ruth)
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, WebError, expect
from playwright.sync_api import TimeoutError as Slow

PATIENCE = 30_000
"""Milliseconds until something that should be on the page is given up."""

MODULES = """
const app = await import("/web/state/app.js");
const { known, say } = await import("/web/words/index.js");
const { effect } = await import("@preact/signals-core");
const once = (test) => new Promise((resume) => {
    let stop = () => undefined;
    stop = effect(() => { if (test()) { queueMicrotask(() => stop()); resume(true); } });
});
"""
"""What code in the page may use: the state that the views read, and a wait for it."""

DRAWN = """const frame = () => new Promise((resume) =>
    requestAnimationFrame(() => setTimeout(resume)));
await frame();
await frame();"""
"""Waits until what the page knows is drawn, however slow the machine is."""

SEEN = """async () => {
    const { link, live, sight, moves } = await import("/web/state/app.js");
    return JSON.stringify({ link: link.value, size: live.value.size, sight: sight.value?.size,
        moves: moves.value, focus: document.activeElement.outerHTML.slice(0, 200),
        page: document.body.innerText, forms: [...document.forms].map((each) => each.outerHTML) });
}"""
"""What there is to see where a wait was in vain."""

NATURAL = (r"status of 409 .*/(choices|rollables)\?",)
"""What the browser itself writes where the server refuses: what may be picked for a reaction, once
the roll went on before its form was gone."""

expect.set_options(timeout=PATIENCE)

REPORT = """addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.effectiveDirective} ${event.blockedURI}`));"""

LATER = ("court", "line", "hooks", "advice", "luck", "carried")
"""Rooms of words that come with their views."""

ENDED = re.compile("resolved|damage applied|void")

READY = ":enabled:not([aria-disabled=true])"

DOES = (
    f".throwing .acts button.main{READY}",
    f".acts button{READY}:text-is('{{hand.stand}}')",
    f".resolving button.main{READY}",
    f".acts button{READY}:text-is('{{move.apply_damage}}')",
)
"""What somebody presses to go on with a roll, the first that there is; the page's words by key."""

ANSWERING = f".asks form.filling:has(button.main{READY}):not(.choosing *)"

CHOOSING = ".choosing:has(input:enabled)"

Values = Mapping[str, Any]
"""What a form is filled with: by the name of the field."""


ASKED = """const { role, seat } = app.session.value;
return role === "player" && !app.sight.value.characters.some((each) => each.seat === seat);"""
"""Whether a player who has come is asked for a character."""


class Person:
    """Somebody with a browser. `allows` are the complaints of the console that a test expects."""

    def __init__(self, browser: Browser, name: str, **options: Any) -> None:
        self.name = name
        self.faults: list[str] = []
        self.allows: list[str] = []
        self.context = browser.new_context(reduced_motion="reduce", locale="en", **options)
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(REPORT)
        self.context.on("console", self._console)
        self.context.on("weberror", self._thrown)
        self.context.on("dialog", lambda dialog: self.faults.append(f"dialog: {dialog.message}"))
        self.page: Page = self.context.new_page()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.text} {message.location.get('url', '')}")

    def _thrown(self, error: WebError) -> None:
        self.faults.append(str(error.error))

    def leaves(self) -> None:
        """Close the browser. Fails where the page complained of something."""
        self.context.close()
        self.calm()

    def calm(self) -> None:
        """Fails where the page complained of something; forgets what was allowed."""
        allowed = [re.compile(each) for each in (*NATURAL, *self.allows)]
        faults = [each for each in self.faults if not any(a.search(each) for a in allowed)]
        self.faults, self.allows = [], []
        assert not faults, f"{self.name}'s page: {faults}"

    # --- coming in --------------------------------------------------------------------------------

    def opens(self, url: str) -> None:
        """Open an address, as from elsewhere."""
        self.page.goto("about:blank")  # else another secret alone would not load the page
        self.page.goto(url)

    def comes(self, link: str) -> None:
        """Sit down by an invitation, once the page was told where it leads.

        Who is quicker has used it before the server is asked, which then refuses to say.
        """
        with self.page.expect_response("**/access/invitation"):
            self.opens(link)
        self.joins()

    def joins(self) -> None:
        """Sit down on the page of an invitation, and bring no character yet."""
        self.page.locator("input[name=name]").fill(self.name)
        self.page.locator("form button.main").click()
        self.live()
        if self.do(ASKED):
            dialog = self.page.get_by_role("dialog")
            dialog.wait_for()
            self.page.keyboard.press("Escape")
            dialog.wait_for(state="detached")

    def live(self) -> None:
        """Wait until all is there."""
        self.until("app.link.value.state === 'live' && app.sight.value && app.system.value")
        self.rests()

    def brings(self, character: str, ratings: Mapping[str, float]) -> None:
        """Bring a character to the table."""
        self.button("character.enter").first.click()
        dialog = self.page.get_by_role("dialog")
        dialog.locator("input[name=name]").fill(character)
        for at, (rating, value) in enumerate(ratings.items()):
            if at:
                dialog.locator("fieldset button.add").click()
            pair = dialog.locator("fieldset .pair").nth(at).locator("input")
            pair.first.fill(rating)
            pair.last.fill(str(value))
        dialog.locator("button.main").click()
        dialog.wait_for(state="detached")
        self.rests()

    # --- the state of the page --------------------------------------------------------------------

    def do(self, code: str, argument: Any = None) -> Any:
        """Run this in the page, and give what it returns (`app`, `once`, `argument`)."""
        return self.page.evaluate(f"async (argument) => {{ {MODULES} {code} }}", argument)

    def until(self, test: str) -> None:
        """Wait until this holds of the page's state."""
        patience = f"new Promise((_, no) => setTimeout(() => no(new Error('never')), {PATIENCE}))"
        try:
            self.do(f"return Promise.race([once(() => {test}), {patience}])")
        except Error as error:
            error.add_note(f"{self.name}'s page: {self.faults}, {self.page.evaluate(SEEN)}")
            raise

    @property
    def size(self) -> int:
        """How many entries the page has."""
        return int(self.do("return app.live.value.size"))

    def rests(self, size: int = 0) -> None:
        """Wait until the page has so many entries, and the server's words about the newest."""
        self.until(
            f"app.live.value.size >= {size} && app.sight.value?.size === app.live.value.size"
        )
        self.do(DRAWN)  # its moves came with them

    def say(self, key: str, **places: Any) -> str:
        """The page's words of a key, in its language now."""
        room = key.partition(".")[0].replace("whatif", "court")
        if room in LATER:
            self.do(f"await import('/web/words/{room}/index.js')")
        found = self.do("return known(argument[0]) && say(argument[0], argument[1])", [key, places])
        assert found, f"the page has no words for {key}"
        return str(found)

    def button(self, key: str, within: Locator | None = None) -> Locator:
        """A button with these words."""
        place = within or self.page.locator("body")
        return place.get_by_role("button", name=self.say(key), exact=True)

    def at(self, roll: int) -> Locator:
        """A roll on the page."""
        return self.page.locator(f"[id='roll/{roll}']")

    def state(self, roll: int) -> str:
        """What the page says of a roll's state."""
        return self.at(roll).locator(".state").inner_text()

    # --- playing ----------------------------------------------------------------------------------

    def form(self) -> Locator:
        """The form for a new roll; it is unfolded where it is folded."""
        folded = self.page.locator(".new h3 button[aria-expanded=false]")
        if folded.count():
            folded.click()
        return self.page.locator(".new form.filling")

    def declares(self, values: Values, **openness: str) -> int:
        """Declare a roll; its number. `openness`: `visibility` and `level`, as in the log."""
        form = self.form()
        fill(form, values)
        if openness:
            form.locator(".openness summary").click()
        for kind, word in openness.items():
            label = self.say(f"{kind}.{word}")
            form.locator(".openness").get_by_role("radio", name=label, exact=True).check()
        before = int(self.do("return app.live.value.rolls.size"))
        form.locator("button[type=submit]").click()
        self.until(f"app.live.value.rolls.size > {before}")  # an anchor may come in between
        self.rests()
        return int(self.do("return Math.max(...app.live.value.rolls.keys())"))

    def acts(self, roll: int, answer: Values | None, size: int) -> bool:
        """Do the next thing that a roll wants of this person; whether there was one.

        `size` are the entries there were when the roll was looked at: what came since may be what
        it wanted, which is then refused, or had been done by the page itself.
        """
        card = self.at(roll)
        if card.locator(ANSWERING).count():
            form = card.locator(ANSWERING).first
            if answer is None:
                self.button("form.decline", card).first.click()
            else:
                fill(unfolded(form), answer)
                form.locator("button[type=submit]").click()
        elif card.locator(CHOOSING).count():
            choice = card.locator(CHOOSING).first
            choice.locator(".chip").last.click()
            choice.locator("button.main").click()
        else:
            found = next((each for each in doing(self, DOES) if card.locator(each).count()), None)
            if found is None:
                return False
            try:
                card.locator(found).first.click(timeout=5_000)
            except Slow:  # an entry came in between, and the roll wants something else now
                return False
        self.rests(size + 1)
        return True


def doing(person: Person, selectors: Sequence[str]) -> list[str]:
    """These selectors with the page's own words in them."""
    return [re.sub("{(.*?)}", lambda found: person.say(found[1]), each) for each in selectors]


def unfolded(form: Locator) -> Locator:
    """A form, which is folded where the sheet can answer."""
    folded = form.locator("xpath=ancestor::details[not(@open)]/summary")
    if folded.count():
        folded.click()
    return form


def fill(form: Locator, values: Values) -> None:
    """Fill a system's form in, whatever its fields are made of."""
    for name, value in values.items():
        group = form.locator(f"details:has([id$='-{name}'])").first
        if group.count() and group.get_attribute("open") is None:
            group.locator("summary").first.click()
        try:
            put(form, name, str(value))
        except Error:  # its choices came just then, and a text became a list
            put(form, name, str(value))


def put(form: Locator, name: str, value: str) -> None:
    """Fill one field in."""
    field = form.locator(f"[id$='-{name}']").first
    own = form.locator(f"[id$='-{name}-own']")
    if field.get_attribute("role") == "radiogroup":
        field.get_by_role("radio", name=value, exact=True).check()
    elif own.count():
        own.fill(value)  # a number beside the lines of a chart
    elif field.evaluate("each => each.localName") == "select":
        field.select_option(value)
    else:
        field.fill(value)


def ends(roll: int, *people: Person, answer: Values | None = None) -> None:
    """Let these do what a roll wants of them, each when it is their turn, until it has ended."""
    for _ in range(200):
        size = max(person.size for person in people)
        for person in people:
            person.rests(size)
        if ENDED.fullmatch(people[0].state(roll)):
            break
        if not any(person.acts(roll, answer, size) for person in people):
            people[0].page.wait_for_timeout(50)
    for person in people:
        expect(person.at(roll).locator(".state")).to_have_text(ENDED)


def leave(people: Sequence[Person]) -> None:
    """Let all go, and fail for the first whose page complained."""
    for person in people:
        person.context.close()
    for person in people:
        person.calm()
