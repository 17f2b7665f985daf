"""The page of version 0.2, open or kept in a browser, whose server is that of today; and back."""

import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.engine.helpers import chromium
from tests.engine.server.web.browser.page import Person
from tests.mixed.program import Program, port_of
from tests.tools import needed

pytestmark = pytest.mark.slow

TABLE = "table001"

DECLARED = """
const before = new Set(app.live.value.rolls.keys());
const { table, seat } = app.session.value;
const character = `c${seat.slice(1)}`;
const said = await app.ask({ do: "declare/1", character, declaration: { expression: "2d6" } });
if (said.type !== "done") return said;
return { ...said, roll: [...app.live.value.rolls.keys()].find((each) => !before.has(each)) };
"""
"""Declares a roll of plain dice: what was answered, and its number."""

THROWN = """
const offers = () => (app.moves.value.get(argument)?.moves ?? [])
    .flatMap((each) => each.offers ?? []).filter((each) => each.trigger === "roll");
await once(() => offers().length);
return app.throwDice(argument, offers()[0].hand);
"""
"""Throws the dice of a roll, with the shares of all who are there."""

FELL = "app.live.value.rolls.get({})?.hands.length"

LIVE = "app.link.value.state === 'live' && app.sight.value?.size === app.live.value.size"

QUIET = "app.seal.value.state !== 'red' && app.sharing.value.trouble === null"
"""Nothing is said to be wrong: neither of the log, nor of what was done in the seat's name."""

ANCHORED = "app.sharing.value.anchor !== ''"

CUT = (
    r"ERR_CONNECTION",
    r"ERR_FAILED",
    r"WebSocket connection",
    r"status of 40[49]",
    r"Response status 404",
    r"unknown error occurred when fetching the script",
)
"""What a browser itself writes where the server is away, refuses, or has not what is asked for."""


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Chromium; where there is none the test is skipped, and CI takes no skips."""
    with chromium.browser(needed("chromium")) as running:
        yield running


def sits(person: Person, link: str) -> None:
    """Somebody takes a seat and brings a character, without a word of the page."""
    person.allows += CUT
    url, _, secret = link.partition("#i=")
    person.opens(url)
    person.do("return app.join(argument, 'Ruth')", secret)
    person.until(LIVE)
    seat = person.do("return app.session.value.seat")
    command = {"do": "enter/1", "character": f"c{seat[1:]}", "seat": seat}
    done = person.do("return app.ask(argument, 'Asta')", command)
    assert done["type"] == "done", done


def declares(person: Person) -> int:
    """Somebody declares a roll; its number."""
    person.until(LIVE)
    done = person.do(DECLARED)
    assert done["type"] == "done", done
    return int(done["roll"])


def throws(person: Person, roll: int) -> None:
    """Somebody throws it, where the page does not do so by itself."""
    if not person.do("return 'stepwise' in app"):
        done = person.do(THROWN, roll)
        assert done["type"] == "done", done
    person.until(FELL.format(roll))
    person.until(f"app.live.value.ask === null && ({QUIET})")


def of_today(person: Person) -> bool:
    """Whether the page is that of today."""
    return bool(person.page.locator("meta[name=urim-frames]").count())


def goes_back(old: Program, database: Path, port: int, loaded: Person, stayed: Person) -> None:
    """The server is that of before: for a page that is loaded anew, and for one that stayed."""
    access = database.with_name("night.db.secrets") / "access.db"
    shutil.copy(access.with_name("access.db.schema-1"), access)
    with old.serves(database, port) as server:
        stayed.until(LIVE)
        done = stayed.do('return app.ask({do: "note/1", about: 0}, "a note")')
        assert done["type"] == "done", done
        loaded.page.reload()
        loaded.until(LIVE)
        assert of_today(stayed) and not of_today(loaded)
        throws(loaded, declares(loaded))
        stayed.until(QUIET)
        assert server.end(signal.SIGTERM)[0] == 0


def test_pages_of_before_go_on_and_are_those_of_today_once_loaded_again(
    browser: Browser, old: Program, new: Program, tmp_path: Path
) -> None:
    database = tmp_path / "night.db"
    ruth, noam = Person(browser, "Ruth"), Person(browser, "Noam")
    with old.serves(database) as server:
        port = port_of(server)
        links = old.opens(server, server.host_link or "", TABLE, "table", "p1", "p2")
        for person, seat in ((ruth, "p1"), (noam, "p2")):
            sits(person, links[seat])
            person.until(ANCHORED)
        throws(ruth, declares(ruth))
        ruth.do("await navigator.serviceWorker.ready")
        assert server.end(signal.SIGTERM)[0] == 0
    waiting = ruth.do(  # what is asked while nobody answers is kept, and sent by the page of today
        f"void (async () => {{ {DECLARED} }})(); return app.live.value.rolls.size"
    )
    with new.serves(database, port) as server:
        noam.until(LIVE)
        ruth.page.reload()
        ruth.until(f"{LIVE} && app.live.value.rolls.size > {waiting}")
        assert of_today(ruth) and not of_today(noam)
        throws(noam, declares(noam))  # asks the page of today for its share
        ruth.until(QUIET)
        throws(ruth, declares(ruth))  # and that of before
        noam.page.reload()
        noam.until(LIVE)
        assert of_today(noam)
        for person in (ruth, noam):
            throws(person, declares(person))
        code, said = server.end(signal.SIGTERM)
        assert code == 0
        assert said.count("is upgraded from schema 1 to 2") == 1, said
    goes_back(old, database, port, ruth, noam)
    for person in (ruth, noam):
        person.leaves()
    bundle = str(tmp_path / "night.urim.jsonl")  # in processes: a browser's loop runs in this one
    new.does("host", "export", str(database), TABLE, "--format", "bundle", "--out", bundle)
    new.does("host", "audit", bundle)


def test_a_page_of_before_stops_at_an_entry_that_it_does_not_know(
    browser: Browser, old: Program, new: Program, tmp_path: Path
) -> None:
    """It names the entry, and the page of today goes on from there."""
    database = tmp_path / "night.db"
    ruth = Person(browser, "Ruth")
    with old.serves(database) as server:
        port = port_of(server)
        links = old.opens(server, server.host_link or "", TABLE, "player", "p1")
        [joined] = old.does("narrator", "join", links["narrator"])
        sits(ruth, links["p1"])
        assert server.end(signal.SIGTERM)[0] == 0
    with new.serves(database, port) as server:
        ruth.until(LIVE)
        ahead = ruth.do('return app.preview({do: "resolve/1", roll: 7})')
        assert (ahead["type"] != "preview") and "roll 7" in ahead["why"], ahead
        new.does("narrator", "name-table", joined["url"], "Friday")
        ruth.until("app.seal.value.state === 'red'")
        wrong = ruth.do("return app.seal.value.wrong[0]")
        assert wrong["why"] == "the payload cannot be read"
        ruth.page.reload()
        ruth.until(f"{LIVE} && ({QUIET})")
        log = ruth.do("return app.live.value.log.map((each) => each.type)")
        assert log[wrong["seq"]] == "table-set/1"
        throws(ruth, declares(ruth))
        ruth.leaves()  # first: what a page is kept by it fetches for two seconds
        assert server.end(signal.SIGTERM)[0] == 0
