"""In a browser: what is kept over a reload, and read without a network."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.engine.helpers import chromium
from tests.engine.helpers.stages.server import Served
from tests.tools import needed
from urim.engine.core.commands import AnchorShares, Note, OpenShare, worded
from urim.engine.table.shares import Shares

pytestmark = pytest.mark.slow

TABLE = "table001"
APP = 'const app = await import("/web/state/app.js");'
UNTIL = "for (let n = 0; n < 600; n++) { await new Promise((go) => setTimeout(go, 30));"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; where there is none the test is skipped, and CI takes no skips."""
    path = needed("chromium")
    with chromium.browser(path) as running:
        yield running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("served")) as running:
        running.open(TABLE, {"p1": "player"}, ruleset="sagatafl", source="fair")
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context()
    yield made
    made.close()


def do(page: Page, code: str) -> Any:
    """Do this with the page's own state."""
    return page.evaluate(f"async () => {{ {APP} {code} }}")


def once(page: Page, test: str) -> None:
    """Wait until something is so."""
    do(page, f"{UNTIL} if (await ({test})) return; }} throw new Error('never');")


@pytest.fixture
def page(served: Served, context: BrowserContext) -> Page:
    """A page that sat down as p1."""
    return seated(served, context, TABLE)


def seated(served: Served, context: BrowserContext, table: str) -> Page:
    """A page that sat down as p1 at a table."""
    made = context.new_page()
    made.goto(served.url)
    secret = served.invitation(table, "player", "p1")
    size = len(served.run(served.service.log.read(table)))
    assert do(made, f'return app.join("{secret}")') == {"type": "done"}
    once(made, 'app.link.value.state === "live"')
    anchors = "app.live.value.log.filter((each) => each.type === 'share-anchored/1')"
    once(made, f"{anchors}.some((each) => each.by === 'p1' && each.seq >= {size})")
    return made


def firsts(page: Page) -> list[str]:
    """The frames that the page sends from here on."""
    sent: list[str] = []
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame)))
    )
    return sent


def test_a_reload_keeps_seat_entries_and_forms_and_asks_for_no_history(page: Page) -> None:
    once(page, "Object.values(app.live.value.seats).some((each) => each.anchor)")
    size = do(page, "return app.live.value.size")
    do(page, 'app.draft("form").value = {text: "half a sen"};')
    sent = firsts(page)
    page.reload()
    once(page, 'app.link.value.state === "live"')
    assert do(page, "return app.live.value.size") == size
    assert f'"after":{size - 1}' in sent[0]
    assert do(page, 'return app.draft("form").value') == {"text": "half a sen"}
    once(page, "app.seal.value.size === app.live.value.size")
    assert do(page, "return app.seal.value.state") == "green"


def test_a_chain_is_kept_over_a_reload_and_a_throw_goes_on(
    served: Served, context: BrowserContext
) -> None:
    table, shares = "table002", Shares()
    served.open(table, {"p1": "player"}, ruleset="sagatafl", source="fair", level="table")
    anchor = AnchorShares(shares.draw(table, "narrator"))
    served.run(served.service.submit(table, "narrator", anchor))
    page = seated(served, context, table)
    once(page, "app.live.value.seats.p1?.anchor")
    do(page, 'return app.ask({do: "enter/1", character: "c1", seat: "p1", attributes: {Lock: 3}})')
    do(page, 'return app.ask({do: "declare/1", character: "c1", declaration: {trait: "Lock"}})')
    do(page, 'void app.throwDice(1, "initiator")')
    once(page, 'app.live.value.ask?.waiting.join() === "narrator"')
    page.reload()
    once(page, 'app.link.value.state === "live"')
    state = served.run(served.service.state(table))
    opened = OpenShare(1, shares.share(state, "narrator") or "")
    served.run(served.service.submit(table, "narrator", opened))
    once(page, "app.live.value.ask === null")
    once(page, "app.seal.value.size === app.live.value.size")
    assert do(page, "return app.seal.value.state") == "green"


def test_a_table_is_read_without_a_network_and_comes_back(
    served: Served, context: BrowserContext, page: Page
) -> None:
    size = do(page, "return app.live.value.size")
    once(page, "navigator.serviceWorker.ready.then(({ active }) => active !== null)")
    once(page, 'caches.match("/").then(Boolean)')
    context.set_offline(True)
    page.reload()
    once(page, f"app.live.value.size === {size}")
    once(page, 'app.link.value.state === "offline"')
    served.run(served.service.submit(TABLE, "narrator", worded(Note(0), "while away")))
    context.set_offline(False)
    once(page, 'app.link.value.state === "live"')
    assert do(page, "return [...app.live.value.texts.values()].at(-1).text") == "while away"


def test_a_token_is_in_no_address_and_the_secret_leaves_it(
    served: Served, context: BrowserContext
) -> None:
    page = context.new_page()
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    secret = served.invitation(TABLE, "player", "p1")
    page.goto(f"{served.url}/#i={secret}")
    do(page, "return app.join(app.place.value.secret)")
    once(page, 'app.link.value.state === "live"')
    assert "#" not in page.url
    token = do(page, "return app.session.value.token")
    assert not any(secret in address or token in address for address in addresses[1:])
