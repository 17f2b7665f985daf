"""Pictures of the page for the documentation: dice of a seed and a clock that stands.

`python -m tests.engine.server.web.browser.pictures DIR` writes them. Fonts are the machine's, so
their bytes are the same on one machine alone.
"""

import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, FilePayload, FloatRect, Locator, ViewportSize, expect

from tests.engine.helpers import chromium
from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.helpers.tables.forging import lines, note
from tests.engine.helpers.tables.host import Host
from tests.engine.server.web.browser.page import Person, ends, fill
from tests.engine.server.web.browser.tables import Evening
from tests.tools import found, missing
from urim.engine.core import commands as c

TABLE = "tuesday1"
SEED = "seeded:castle-wall"

NOW = 1_790_000_000_000
"""When all of it happens, in milliseconds since 1970: a Monday evening, UTC."""

MOST = {"png": 150_000, "svg": 300_000}
"""Bytes of a picture at most, by what it is; one that moves is an SVG."""

PAPER: ViewportSize = {"width": 1000, "height": 880}

DESK, PHONE = {"width": 1280, "height": 680}, {"width": 360, "height": 760}
TALL = {"width": 1280, "height": 1600}

PART: FloatRect = {"x": 240, "y": 0, "width": 1040, "height": 680}
"""Of the window: where a dialog and the timeline are."""

GOBLIN = {"Stamina": 2, "Dexterity": 2}

WISH = {"root": "רוח", "rating": 3}

PEOPLE = (("c1", "p1", "Asta", {"BLE": 3, "GRA": 2}), ("c2", "p2", "Bo", {"VIG": 2}))


def main() -> None:
    """Write every picture to the directory that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.engine.server.web.browser.pictures DIR")
    path = found("chromium")
    if path is None:
        sys.exit(missing("chromium"))
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as tables, chromium.browser(path) as browser:
        for name in DRAWN:
            picture = drawn(name, browser, Path(tables) / name)
            kind = "svg" if picture.startswith(b"<svg") else "png"
            (folder / f"{name}.{kind}").write_bytes(picture)


def drawn(name: str, browser: Browser, folder: Path) -> bytes:
    """One picture. The folder is made, and holds the table's database."""
    folder.mkdir()
    with Served(folder, now=lambda: NOW, rate=1e5, burst=100_000) as served:
        evening = Evening(browser, served, TABLE)
        try:
            return DRAWN[name](evening)
        finally:
            for person in evening.people:
                person.context.close()


def _opened(evening: Evening) -> None:
    """A table with two characters, and a roll that has ended."""
    evening.opens("milhamah", source=SEED, level="server")
    evening.does(NARRATOR, c.worded(c.NameSeat(NARRATOR), "Dana"))
    evening.does("p2", c.worded(c.NameSeat("p2"), "Etgar"))
    for id, seat, name, ratings in PEOPLE:
        evening.does(seat, c.worded(c.EnterCharacter(id, seat, dict(ratings)), name))


def _came(evening: Evening, view: Mapping[str, int], theme: str, seat: str = "p1") -> Person:
    """Somebody at the table, in front of a window of this size."""
    names = {"p1": "Ruth", NARRATOR: "Dana"}
    person = evening.person(names[seat], timezone_id="UTC", viewport=dict(view))
    person.page.clock.install(time=NOW / 1000)
    person.comes(evening.link(seat))
    person.do("app.choose('theme', argument)", theme)
    return person


def _frozen(person: Person) -> int:
    """A roll whose dice are in hand, some of them taken up."""
    roll = person.declares(WISH)
    dice = person.at(roll).locator(".handled button.take")
    for at in (0, 3):
        dice.nth(at).click()
    return roll


def _shot(person: Person, part: FloatRect | None = None) -> bytes:
    """The window as it stands, at rest; or this part of it."""
    person.rests(person.size)
    person.do("app.notices.value = []; document.activeElement?.blur()")
    person.page.mouse.move(0, 0)
    person.page.clock.run_for(2000)
    return person.page.screenshot(animations="disabled", caret="hide", clip=part)


def _table(evening: Evening) -> bytes:
    """The whole page at a desk: a roll that has ended, and one in hand."""
    _opened(evening)
    ruth = _came(evening, DESK, "light")
    ends(ruth.declares(WISH), ruth)
    roll = _frozen(ruth)
    ruth.at(roll).evaluate("each => each.scrollIntoView()")
    return _shot(ruth)


def _phone(evening: Evening) -> bytes:
    """A freeze on a telephone, in the dark."""
    _opened(evening)
    ruth = _came(evening, PHONE, "dark")
    roll = _frozen(ruth)
    ruth.at(roll).evaluate("each => each.scrollIntoView()")
    return _shot(ruth)


def _freeze(evening: Evening) -> bytes:
    """One roll alone, its dice in hand."""
    _opened(evening)
    ruth = _came(evening, DESK, "light")
    roll = _frozen(ruth)
    _shot(ruth)
    return ruth.at(roll).screenshot(animations="disabled")


def _dispute(evening: Evening) -> bytes:
    """The narrator's window with a dispute, above the timeline."""
    _opened(evening)
    ruth = _came(evening, DESK, "light")
    roll = ruth.declares(WISH)
    ends(roll, ruth)
    evening.does("p2", c.worded(c.Dispute(roll), "The wall was wet: that is challenging."))
    dana = _came(evening, DESK, "light", NARRATOR)
    dana.at(roll).get_by_role("button", name=dana.say("dispute.rule-of", roll=roll)).click()
    expect(dana.page.get_by_role("dialog")).to_be_visible()
    return _shot(dana, PART)


def _alley(evening: Evening) -> int:
    """The table of docs/disputes.md: a blow, its soak, its damage, and the dispute about it.

    Gives the dispute's entry.
    """
    evening.opens("scarterra", source="manual", level="server")
    blow = {"attribute": "Strength", "ability": "Brawl", "opponent": "c2", "combat": True}
    for seat, asking in (
        (NARRATOR, c.worded(c.NameSeat(NARRATOR), "Dana")),
        ("p1", c.worded(c.NameSeat("p1"), "Ruth")),
        ("p1", c.worded(c.EnterCharacter("c1", "p1", {"Strength": 3, "Brawl": 2}), "Fenja")),
        (NARRATOR, c.worded(c.EnterCharacter("c2", NARRATOR, dict(GOBLIN)), "Goblin")),
        ("p1", c.Declare("c1", {**blow, "weapon": 2})),
        (NARRATOR, c.React(1, "c2", {"attribute": "Dexterity"})),
        ("p1", c.RollDice(1, "initiator", faces=(9, 8, 7, 3, 2))),
        (NARRATOR, c.RollDice(1, "reactor", faces=(2, 3))),
        ("p1", c.Resolve(1)),
        (NARRATOR, c.Declare("c2", {}, follows=(1, "soak"))),
        (NARRATOR, c.RollDice(2, "initiator", faces=(7, 1))),
        (NARRATOR, c.Resolve(2)),
        (NARRATOR, c.ApplyDamage(2)),
    ):
        evening.does(seat, asking)
    return evening.does("p1", c.worded(c.Dispute(1), "Her weapon is a stick: 1, not 2."))


def _in_view(evening: Evening) -> bytes:
    """A narrator's window with an amendment filled in, and what it would give."""
    _alley(evening)
    dana = _came(evening, TALL, "light", NARRATOR)
    dialog = _window(dana, "rule")
    dialog.get_by_role("radio", name=dana.say("ruling.amend")).check()
    fill(dialog.locator(".ruling"), {"weapon": "1"})
    return _part(dana, dialog.locator(".ruling .whatif"))


def _changed(evening: Evening) -> bytes:
    """A player's window after that ruling, with what it changed."""
    raised = _alley(evening)
    amend = c.Rule(1, raised, "amend", "c1", {"weapon": 1})
    evening.does(NARRATOR, c.worded(amend, "A stick it was."))
    ruth = _came(evening, TALL, "light")
    dialog = _window(ruth, "do")
    dialog.locator(".raised summary").click()
    return _part(ruth, dialog.locator(".raised"))


def _window(person: Person, may: str) -> Locator:
    """The window of the dispute of roll 1."""
    name = person.say(f"dispute.{may}-of", roll=1)
    person.at(1).get_by_role("button", name=name).click()
    return person.page.get_by_role("dialog")


def _part(person: Person, part: Locator) -> bytes:
    """A part of a window, once the server has answered."""
    person.page.clock.run_for(1000)
    expect(part.locator(".sides").last).to_be_visible()
    _shot(person)
    return part.screenshot(animations="disabled", caret="hide")


def _night() -> Host:
    """An evening of four fair throws, for which three seats were asked."""
    host = Host("sagatafl", seed="a fair night", level="table")
    for seat in ("p1", "p2", "p3"):
        host.seat(seat)
        host.anchor(seat)
    for seat in ("p1", "p2", "p1", "p3"):
        who = host.character(seat, {"Lockpicking": 5})
        roll = host.declare(who, trait="Lockpicking")
        host.ask_for(roll, seat, "initiator")
        host.open_all()
        host.ask(seat, c.Resolve(roll))
    return host


def _verifier(evening: Evening) -> bytes:
    """The verifier after it has read a bundle, with the key that the reader knows."""
    host = _night()
    signed = note(host.entries, host.origin, host.private)
    bundle = lines(host.entries, host.origin, [host.vkey], signed, host.event(0))
    page = evening.browser.new_page(viewport=PAPER)
    try:
        page.clock.install(time=NOW / 1000)
        page.goto(f"{evening.served.url}/verifier")
        file: FilePayload = {
            "name": "night.urim.jsonl",
            "mimeType": "application/jsonl",
            "buffer": bundle,
        }
        page.locator("summary", has_text="keys you trust").click()
        page.locator("#key").fill(host.vkey)
        page.locator("summary", has_text="keys you trust").click()
        page.get_by_label("Choose a bundle", exact=False).set_input_files(file)
        expect(page.locator("#verdict")).to_contain_text("Nothing is wrong.")
        page.clock.run_for(2000)
        return page.screenshot(animations="disabled", caret="hide")
    finally:
        page.close()


MOVING = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">
<style>g {{ opacity: 0; animation: shown {all}s steps(1) infinite }}
@keyframes shown {{ 0% {{ opacity: 1 }} {part}% {{ opacity: 0 }} }}
circle {{ fill: #f80; fill-opacity: .35; stroke: #f80; stroke-width: 3 }}
@media (prefers-reduced-motion: reduce) {{
g {{ animation: none }} g:last-of-type {{ opacity: 1 }} }}</style>
{frames}
</svg>
"""
FRAME = """<g style="animation-delay: {at}s">
<image width="{width}" height="{height}" href="data:image/jpeg;base64,{data}"/>{tap}</g>"""
LASTS = 3
"""Seconds of a frame."""

Frame = tuple[bytes, FloatRect | None]
"""A picture, and the place that is tapped on it."""


def moving(frames: Sequence[Frame], size: Mapping[str, int]) -> bytes:
    """Pictures one after the other, as one that moves; the last one where nothing shall move."""
    drawn = []
    for at, (data, tapped) in enumerate(frames):
        tap = ""
        if tapped is not None:
            x, y = tapped["x"] + tapped["width"] / 2, tapped["y"] + tapped["height"] / 2
            tap = f'<circle cx="{x:.0f}" cy="{y:.0f}" r="22"/>'
        encoded = b64encode(data).decode()
        drawn.append(FRAME.format(**size, at=LASTS * at, data=encoded, tap=tap))
    part, whole = 100 / len(drawn), LASTS * len(drawn)
    return MOVING.format(**size, all=whole, part=part, frames="\n".join(drawn)).encode()


def _roll(evening: Evening) -> bytes:
    """A fair throw on a telephone, from the sheet to the seal; its dice are others each time."""
    evening.opens("sagatafl", level="table")
    evening.enters("p1", "Asta", {"Lockpicking": 5, "Sneaking": 4, "Body": 3})
    evening.enters("p2", "Bo", {"Perception": 4})
    size = {"width": 390, "height": 700}
    people = [evening.person(n, viewport=dict(size)) for n in ("Ruth", "Etgar")]
    for person, seat in zip(people, ("p1", "p2"), strict=True):
        person.comes(evening.link(seat))
    ruth = people[0]
    lockpicking = ruth.page.locator(".new .rollables button").first
    difficult = ruth.page.locator(".new form.filling .chip").first
    seal = ruth.page.locator("button.seal")
    frames = [_frame(ruth, lockpicking)]
    lockpicking.click()
    frames.append(_frame(ruth, difficult))
    difficult.click()
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    ruth.at(1).evaluate("each => each.scrollIntoView()")
    frames.append(_frame(ruth, seal))
    seal.click()
    ruth.page.get_by_role("dialog").wait_for()
    frames.append(_frame(ruth))
    return moving(frames, size)


def _frame(person: Person, tapped: Locator | None = None) -> Frame:
    person.rests(person.size)
    person.do("app.notices.value = []; document.activeElement?.blur()")
    person.page.wait_for_timeout(800)
    place = tapped.bounding_box() if tapped else None
    shot = person.page.screenshot(animations="disabled", caret="hide", type="jpeg", quality=75)
    return shot, place


DRAWN: Mapping[str, Callable[[Evening], bytes]] = {
    "roll": _roll,
    "page": _table,
    "page-phone": _phone,
    "page-freeze": _freeze,
    "page-dispute": _dispute,
    "page-whatif": _in_view,
    "page-ruled": _changed,
    "verifier": _verifier,
}
"""The pictures by name, and what each shows."""


if __name__ == "__main__":
    main()
