"""How quick the page is, in Chromium: long tasks, from an event to its paint, a long history.

What is loaded at first is bounded by a test; see tests/engine/server/web/browser/test_size.py.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession

from tests.bench.measure import Row, limited, middle
from tests.bench.report import Report
from tests.bench.server.size import FULL, Load
from tests.engine.helpers import chromium
from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.web.browser.page import Person
from tests.tools import found as found_program
from urim.engine.core import commands as c

SYSTEM, WISH, RATINGS = "sagatafl", {"trait": "Lockpicking", "rd": 7}, {"Lockpicking": 5}

GROUP = "The page in Chromium, seconds of the clock"

SLOWED = 4
"""How many times slower Chromium makes its processor for events."""

LINKS = 5
"""How often a link is opened."""

LONG_TASK, PAINTED, FOLDED = 0.05, 0.1, 2.0
"""Seconds that a task, an event's way to the screen and a thousand entries may take, at most."""

WATCH = """
globalThis.tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)))
    .observe({ type: "longtask", buffered: true });
globalThis.painted = [];
globalThis.opened = null;
globalThis.heard = 0;
let came = null;
const seen = new MessageChannel();
seen.port1.onmessage = ({ data }) => painted.push(performance.now() - data);
const Socket = WebSocket;
globalThis.WebSocket = class extends Socket {
    constructor(...given) {
        super(...given);
        this.addEventListener("message", ({ data }) => {
            opened ??= performance.now();
            if (data.includes('"type":"commit"')) came = heard = performance.now();
        });
    }
};
new MutationObserver(() => {
    if (came === null) return;
    const since = came;
    came = null;
    requestAnimationFrame(() => seen.port2.postMessage(since));
}).observe(document, { childList: true, subtree: true, characterData: true });
"""
"""Long tasks; and from each commit that came to the end of the frame with what it changed."""

BITS, LATENCY = 1_600_000, (0, 150)
"""A slow line: bits a second, and milliseconds there and back."""

VERDICT = 1.0
"""Seconds from a roll's link to its verdict, at most."""

JUDGED = """() => new Promise((resume) => {
    const at = document.getElementById("verdict");
    const said = () => at && !at.hidden && resume([at.dataset.tone, performance.now()]);
    new MutationObserver(said).observe(document, { attributes: true, subtree: true });
    said();
})"""
"""The verdict on a receipt, and the milliseconds since its link was opened."""

CHECKED = """return once(() => app.link.value.state === "live" && app.seal.value.size >= argument)
    .then(() => performance.now() - opened)"""


ADVISED = """globalThis.advised = new Promise((resume) => {
    const said = () => {
        if (!document.getElementById(`roll/${argument}`)?.querySelector(".ways li")) return;
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => resume(performance.now() - heard)));
    };
    const watch = new MutationObserver(said);
    watch.observe(document, { childList: true, subtree: true });
});"""
"""From the last commit that came to the frame with what is best in a roll."""

FELL = ("א", "ז", "ת", "ע", "ל", "צ", "מ", "ק")
"""Eight dice of Milhamah, five of which may be thrown again: 219 sets."""

ADVICE = 0.15
"""Seconds from a throw to what is best, at most."""


def rows(load: Load, folder: Path) -> list[Row]:
    """Tasks with rolls on the page, events on a slow processor, and a history that is read."""
    path = found_program("chromium")
    if path is None:
        return []
    with Served(folder, rate=1e5, burst=100_000) as served, chromium.browser(path) as browser:
        found: list[Row] = []
        for resolved in (True, False):
            table = f"page{'ended' if resolved else 'begun'}"
            _open(served, table)
            _rolls(served, table, load.page_rolls, resolved=resolved)
            with _visitor(browser, served, table) as person:
                found += _watched(person, served, table, load, resolved=resolved)
        found += [_linked(browser, served, "pageended", load.page_rolls, each) for each in LATENCY]
        found.append(_advised(browser, served))
        _open(served, "pagehistory")
        _notes(served, "pagehistory", load.page_history)
        with _visitor(browser, served, "pagehistory") as person:
            found.append(_history(person, load))
        return found


def _watched(
    person: Person, served: Served, table: str, load: Load, *, resolved: bool
) -> list[Row]:
    what = f"{load.page_rolls} rolls, {'the last of them open to view' if resolved else 'all open'}"
    _quiet(person)
    first = _longest(person)
    person.do("tasks.length = 0; painted.length = 0")
    _events(person, served, table, load.page_events)
    during = _longest(person)
    session: CDPSession = person.context.new_cdp_session(person.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    person.do("painted.length = 0")
    _events(person, served, table, load.page_events)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    painted = [each / 1000 for each in person.do("return painted")]
    opens, comes = f"longest task as it opens, {what}", f"longest task while events come, {what}"
    paints = f"event to paint, {SLOWED} times slower, {what}"
    return [
        _row(opens, "task", [first], LONG_TASK),
        _row(comes, "task", [during], LONG_TASK, count=load.page_events),
        _row(paints, "event", painted, PAINTED),
    ]


def _linked(browser: Browser, served: Served, table: str, roll: int, latency: int) -> Row:
    """From the link of a roll to the verdict on it, in a browser that knows nothing yet."""
    served.run(served.service.submit(table, NARRATOR, c.SetTable("links", value=True)))
    link = served.run(served.service.link(table, roll))
    line = {"offline": False, "latency": latency, "uploadThroughput": BITS / 8}
    taken: list[float] = []
    for _ in range(LINKS):
        context = browser.new_context()
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", {**line, "downloadThroughput": BITS / 8})
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
        page.goto(f"{served.url}{link}", wait_until="commit")
        tone, milliseconds = page.evaluate(JUDGED)
        if tone != "pass":
            raise ValueError(f"the receipt of roll {roll} is {tone}")
        taken.append(milliseconds / 1000)
        context.close()
    what = f"link to verdict, {SLOWED} times slower, 1.6 Mbit/s, {latency} ms there and back"
    return _row(what, "link", taken, VERDICT, more=f"roll {roll}; ")


def _advised(browser: Browser, served: Served) -> Row:
    """From a throw to what is best, on a slow processor; the server's own is as quick as it is."""
    table = "pageadvice"
    served.open(table, {"p1": "player"}, ruleset="milhamah", source="scripted", level="player")
    served.run(served.service.submit(table, NARRATOR, c.SetTable("advice", value=True)))
    _ask(served, table, c.EnterCharacter("c1", "p1", {}))
    taken: list[float] = []
    with _visitor(browser, served, table) as person:
        session = person.context.new_cdp_session(person.page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
        for number in range(1, LINKS + 2):
            wish = {"root": "אשר", "rating": 5, "target": number, "status": {"none": {"C": -1}}}
            _ask(served, table, c.Declare("c1", wish))
            if number > 1:
                _quiet(person)
                person.do(ADVISED, number)
            _ask(served, table, c.RollDice(number, "initiator", faces=FELL))
            if number > 1:
                taken.append(float(person.do("return advised")) / 1000)
            else:  # it is opened once, and there from then on
                title = person.say("advice.title")
                person.at(number).locator("summary", has_text=title).click()
                person.at(number).locator(".ways li").first.wait_for()
    what = f"throw to what is best, 219 sets, {SLOWED} times slower"
    return _row(what, "throw", taken, ADVICE)


def _history(person: Person, load: Load) -> Row:
    size = load.page_history
    taken = float(person.do(CHECKED, size)) / 1000
    more = f"longest task {_longest(person) * 1000:.0f} ms; "
    return _row(f"{size} entries folded and verified", "history", [taken], FOLDED, more=more)


def _row(
    what: str, unit: str, each: Sequence[float], most: float, *, count: int = 1, more: str = ""
) -> Row:
    """A row with a limit; of tasks that are none 1 ms stands there."""
    more += limited(middle(each), most, f"{most * 1000:,.0f} ms or less")
    return Row(group=GROUP, what=what, unit=unit, count=count, each=tuple(each), more=more)


def _longest(person: Person) -> float:
    """Seconds of the longest task; a millisecond where none was longer than 50 of them."""
    tasks: list[float] = person.do("return tasks")
    return max([1.0, *tasks]) / 1000


def _quiet(person: Person) -> None:
    person.rests()
    person.page.wait_for_timeout(300)


def _events(person: Person, served: Served, table: str, count: int) -> None:
    for _ in range(count):
        size = person.size
        _ask(served, table, c.worded(c.Note(0), "a note"))
        person.rests(size + 2)
    _quiet(person)


def _open(served: Served, table: str) -> None:
    served.open(table, {"p1": "player"}, ruleset=SYSTEM, source="seeded:page", level="server")
    _ask(served, table, c.EnterCharacter("c1", "p1", RATINGS))


def _rolls(served: Served, table: str, count: int, *, resolved: bool) -> None:
    for number in range(1, count + 1):
        _ask(served, table, c.Declare("c1", dict(WISH)))
        _ask(served, table, c.RollDice(number, "initiator"))
        if resolved:
            _ask(served, table, c.Resolve(number))


def _notes(served: Served, table: str, size: int) -> None:
    while served.run(served.service.state(table)).size < size:
        _ask(served, table, c.worded(c.Note(0), "a note"))


def _ask(served: Served, table: str, asking: Any) -> None:
    served.run(served.service.submit(table, "p1", asking))


@contextmanager
def _visitor(browser: Any, served: Served, table: str) -> Generator[Person]:
    person = Person(browser, "Ruth")
    person.context.add_init_script(WATCH)
    try:
        person.comes(f"{served.url}/#i={served.invitation(table, 'player', 'p1')}")
        yield person
    finally:
        person.context.close()


def test_page(report: Report, tmp_path: Path) -> None:
    report.add(rows(FULL, tmp_path))
