"""What the others see: hidden rolls, disputes, connections that are cut, and what is kept."""

import re
from collections.abc import Iterator
from typing import TypeAlias

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.engine.helpers.stages.server import NARRATOR
from tests.engine.server.web.browser.between import Between
from tests.engine.server.web.browser.page import ENDED, Person, ends, fill
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow

NETWORK = (
    r"WebSocket connection|fetching the script"
    r"|ERR_(CON|EMPTY|FAILED|INCOMPL|INTERNET|NETW|SOCKET)"
)
"""What the browser itself writes to the console when a connection is gone."""


NAMES = {"p1": "Ruth", "p2": "Etgar", "narrator": "Dana"}

Trio: TypeAlias = tuple[Person, Person, Person]


@pytest.fixture(scope="module")
def people(shared: Evening) -> Trio:
    """Ruth with a character, another player, and a narrator, where everybody adds chance."""
    shared.opens("sagatafl")
    found = tuple(shared.guest(name, seat) for seat, name in NAMES.items())
    shared.enters("p1", "Asta", CASES["sagatafl"].ratings)
    return found[0], found[1], found[2]


@pytest.fixture
def trio(shared: Evening, people: Trio) -> Iterator[Trio]:
    """The three, all awake and with all there is; afterwards no window is open."""
    for person in people:
        person.do("app.wake()")
        person.live()
        person.do("await once(() => app.sharing.value.anchor)")
    for person in people:
        person.rests(shared.state.size)
    yield people
    for person in people:
        person.page.keyboard.press("Escape")
        expect(person.page.get_by_role("dialog")).to_have_count(0)
        person.calm()


def test_a_hidden_roll_is_revealed_with_its_check_mark(trio: Trio) -> None:
    ruth, etgar, _ = trio
    roll = ruth.declares(CASES["sagatafl"].declared, visibility="self")  # it asks everybody
    ends(roll, ruth)
    etgar.rests(ruth.size)
    expect(etgar.at(roll)).to_contain_text(etgar.say("roll.hidden"))
    assert "Asta" not in etgar.at(roll).inner_text()
    expect(etgar.at(roll).locator("svg.die")).to_have_count(0)
    heading = ruth.at(roll).locator(".outcome h4").first
    expect(heading).to_contain_text("Asta")
    expect(heading).to_contain_text(ruth.say("hidden.self"))
    ruth.button("move.reveal", ruth.at(roll)).click()
    expect(heading).not_to_contain_text(ruth.say("hidden.self"))
    expect(etgar.at(roll).locator(".hand svg.die")).to_have_count(5)
    expect(etgar.at(roll).locator(".checked.right")).to_be_visible()
    expect(etgar.page.locator("button.seal")).to_have_class(re.compile("green"))


def test_every_page_shows_the_same_anchor_for_a_seat(trio: Trio) -> None:
    ruth, etgar, _ = trio
    mine = ruth.do("await once(() => app.sharing.value.anchor); return app.sharing.value.anchor")
    for person in (ruth, etgar):
        person.do(f"await once(() => app.live.value.seats.p1.anchor === {mine!r})")
        person.page.locator("button.seal").click()
        shown = person.page.get_by_role("dialog").locator(".anchors")
        expect(shown).to_contain_text(mine[:8])
    own = ruth.page.get_by_role("dialog").locator(".anchors div", has_text=mine[:8])
    expect(own).to_contain_text(ruth.say("seal.anchor-own"))
    expect(ruth.page.get_by_role("dialog")).to_contain_text(ruth.say("start.level-table"))
    expect(ruth.page.get_by_role("dialog")).to_contain_text(ruth.say("seal.limits"))


def test_a_throw_that_waits_names_who_is_silent_and_offers_a_way_out(
    trio: Trio, shared: Evening
) -> None:
    ruth, etgar, dana = trio
    for seat in ("p2", "narrator"):  # where a page was slow in an earlier throw, it is asked again
        shared.does(seat, c.worded(c.Note(0), "I am here."))
    for person in (etgar, dana):  # they sleep
        person.do("app.sleep()")
    roll = ruth.declares(CASES["sagatafl"].declared)  # which throws
    asking = ruth.page.locator(".asking")
    expect(asking).to_contain_text("Etgar")
    button = ruth.button("shares.break", asking)
    expect(button).to_be_visible(timeout=15_000)
    button.click()
    expect(asking).to_have_count(0)
    expect(ruth.page.locator(".timeline")).to_contain_text("no share of")
    ends(roll, ruth)
    expect(ruth.page.locator("button.seal")).to_have_class(re.compile("green"))


def test_a_card_says_who_had_no_part_in_its_throw(trio: Trio) -> None:
    ruth, etgar, _ = trio
    etgar.do("app.sleep()")
    etgar.until("app.link.value.state !== 'live'")
    roll = ruth.declares(CASES["sagatafl"].declared)
    ends(roll, ruth)
    said = ruth.say("roll.left", who="").split("\u2068")[0]
    expect(ruth.at(roll).locator("p.help", has_text=said)).to_contain_text("Etgar")


def test_a_roll_whose_next_step_is_of_somebody_who_does_not_see_it_says_so(
    evening: Evening,
) -> None:
    evening.opens("sagatafl", level="server")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    evening.enters(NARRATOR, "Troll", CASES["sagatafl"].ratings)
    wish = {"trait": "Lockpicking", "rd": 7, "opponent": "c1"}
    evening.does(NARRATOR, c.Declare("carrator", wish, visibility="self"))
    dana = evening.guest("Dana", NARRATOR)
    waits = dana.at(1).locator(".waits")
    expect(waits).to_have_text(dana.say("waits.dark"))
    dana.button("move.reveal", dana.at(1)).click()
    expect(waits).to_contain_text(dana.say("waits.react"))
    expect(waits).not_to_contain_text(dana.say("waits.dark"))


def test_a_dispute_comes_to_its_ruling(trio: Trio) -> None:
    ruth, etgar, dana = trio
    roll = ruth.declares(CASES["sagatafl"].declared)
    ends(roll, ruth)
    etgar.rests(ruth.size)
    disputes(etgar, roll, "It was a <b>lock</b>, not a door")
    window = rules(dana, roll, "amend")
    expect(window.locator("blockquote")).to_have_text("It was a <b>lock</b>, not a door")
    fill(window.locator(".ruling form"), {"rd": "9"})
    window.locator(".ruling form [id$='-text']").fill("It was a heavy lock")
    dana.button("dispute.rule-do", window).click()
    expect(etgar.page.get_by_role("dialog")).to_contain_text(etgar.say("dispute.ruled-amend"))
    expect(etgar.page.get_by_role("dialog").locator(".changed")).to_contain_text("→ 9")
    expect(ruth.at(roll)).to_contain_text(ruth.say("mark.amended"))
    expect(ruth.page.locator(".timeline")).to_contain_text("It was a heavy lock")

    for person in (etgar, dana):
        person.page.keyboard.press("Escape")
    disputes(etgar, roll, "I still doubt it")
    window = rules(dana, roll, "void")
    expect(window.locator(".ruling")).to_contain_text(dana.say("dispute.against", entry="")[:20])
    window.locator(".ruling textarea").fill("It counts for nothing")
    dana.button("dispute.rule-do", window).click()
    for person in (ruth, etgar, dana):
        expect(person.at(roll).locator(".state")).to_have_text(person.say("state.voided"))
        expect(person.page.locator(".timeline")).to_contain_text("It counts for nothing")
    expect(etgar.page.get_by_role("dialog")).to_contain_text(etgar.say("dispute.ruled-void"))
    reasons = etgar.page.get_by_role("dialog").locator("blockquote")
    expect(reasons.filter(has_text="It counts for nothing")).to_have_count(1)


def test_what_hung_on_a_voided_roll_is_named_to_all(evening: Evening) -> None:
    evening.opens("age_of_magic", level="server")
    evening.enters("p1", "Asta", CASES["age_of_magic"].ratings)
    for _ in range(2):
        evening.does("p1", c.Declare("c1", PUSHED))
    people = evening.guest("Ruth", "p1"), evening.guest("Etgar", "p2")
    evening.does("narrator", c.worded(c.Void(1), "It never was"))
    for person in people:
        warned = person.at(2).locator(".warn")
        expect(warned).to_contain_text("had counted on roll 1, which is void: tired 3 then, 2 now")


PUSHED = {"skill": "Stealth", "characteristic": "DX", "difficulty": 11, "push": True}
"""A declaration that makes its roller more tired."""


def disputes(person: Person, roll: int, reason: str) -> None:
    """Somebody disputes a roll."""
    person.at(roll).get_by_role("button", name=person.say("dispute.do-of", roll=roll)).click()
    person.page.get_by_role("dialog").locator("textarea").fill(reason)
    person.button("dispute.send").click()


def rules(narrator: Person, roll: int, ruling: str) -> Locator:
    """A narrator's window, with a ruling chosen."""
    narrator.at(roll).get_by_role("button", name=narrator.say("dispute.rule-of", roll=roll)).click()
    window = narrator.page.get_by_role("dialog")
    window.get_by_role("radio", name=narrator.say(f"ruling.{ruling}")).check()
    return window


def test_a_cut_in_the_midst_of_a_freeze_loses_nothing(evening: Evening, wire: Between) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    evening.url = wire.url
    ruth = evening.guest("Ruth", "p1")
    ruth.allows.append(NETWORK)
    roll = ruth.declares({"root": "רוח", "rating": 2})
    dice = ruth.at(roll).locator(".handled button.take")
    for at in (1, 4):
        dice.nth(at).click()
    words = ruth.form().locator(".asked input[maxlength='1000']")
    words.press_sequentially("half of a sen")
    wire.cut()
    evening.does("p2", c.worded(c.Note(0), "while she was away"))
    ruth.rests(evening.state.size)
    ruth.until("app.link.value.state === 'live'")
    expect(ruth.page.locator(".timeline")).to_contain_text("while she was away")
    expect(words).to_be_focused()
    words.press_sequentially("tence")
    expect(words).to_have_value("half of a sentence")
    expect(ruth.at(roll).locator("button.take[aria-pressed=true]")).to_have_count(2)
    dice.nth(1).focus()
    evening.does("p2", c.worded(c.Note(0), "once more"))
    ruth.rests(evening.state.size)
    expect(dice.nth(1)).to_be_focused()
    before = ruth.size
    ruth.at(roll).get_by_role("button", name=ruth.say("hand.freeze", n=2), exact=True).click()
    ruth.rests(before + 1)
    ends(roll, ruth)
    expect(words).to_have_value("half of a sentence")
    expect(ruth.page.locator("button.seal")).to_have_class(re.compile("green"))


HELD = """
const { fetch } = window;
const came = new Promise((now) => { window.movesCame = now; });
const over = new Promise((now) => { window.letGo = now; });
window.came = came;
window.fetch = async (url, how) => {
    if (/tables\\/\\w+\\?/.test(url)) await over;
    const answer = await fetch(url, how);
    if (/moves\\?/.test(url)) window.movesCame();
    return answer;
};"""
"""What the server says of the table waits, from here on, until `letGo()`; moves come at once."""


def test_moves_are_never_about_an_older_table_than_what_is_seen(evening: Evening) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    ruth = evening.guest("Ruth", "p1")
    roll = ruth.declares({"root": "רוח", "rating": 2})
    ruth.do(HELD)
    evening.does("p2", c.worded(c.Note(0), "the moves are asked for"))
    ruth.do("await came")
    evening.does(NARRATOR, c.worded(c.Void(roll), "it was none"))
    ruth.do("letGo()")
    moves = ruth.do(
        """await once(() => app.sight.value.size === argument[0]);
        return app.moves.value.get(argument[1])?.moves.map((each) => each.trigger) ?? []""",
        [evening.state.size, roll],
    )
    assert "freeze" not in moves


def test_what_came_before_is_readable_offline(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    ruth.allows.append(NETWORK)
    words = ruth.form().locator(".asked input[maxlength='1000']")
    words.fill("for later")
    ruth.context.set_offline(True)
    expect(ruth.page.locator(".link-mark")).to_have_text(ruth.say("link.offline"))
    expect(ruth.page.locator(".notices")).to_contain_text(ruth.say("link.offline-long"))
    expect(ruth.page.locator(".timeline")).to_contain_text("Asta")
    ruth.page.locator(".timeline input[type=range]").fill("0")
    expect(ruth.page.locator(".past")).to_be_visible()
    expect(ruth.page.locator(".character")).to_have_count(0)
    ruth.page.locator(".past button").click()
    ruth.context.set_offline(False)
    ruth.until("app.link.value.state === 'live'")
    expect(words).to_have_value("for later")


def test_the_page_of_a_link_says_where_it_leads_and_takes_nothing_yet(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.does(NARRATOR, c.worded(c.NameSeat(NARRATOR), "Dana"))
    evening.does(NARRATOR, c.worded(c.NameTable(), "Friday evening"))
    ruth = evening.person("Ruth")
    link = f"{evening.url}/#i={evening.served.invitation(evening.table, 'player', None)}"
    lead = ruth.page.locator(".door .lead")
    for _ in range(2):  # who only looks spends nothing
        ruth.opens(link)
        expect(ruth.page.locator("h1")).to_have_text("Dana invites you")
        expect(lead).to_have_text("To the table Friday evening, Sagatafl, as player.")
    ruth.comes(link)
    ruth.opens(evening.link("p1"))  # by who holds that seat, for another client of it
    expect(lead).to_have_text("To the table Friday evening, Sagatafl, as player.")
    expect(ruth.page.locator("h1")).to_have_text(ruth.say("join.title"))


@pytest.mark.slow
def test_who_came_in_and_heard_no_answer_comes_in_by_the_same_link_again(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    ruth, link = evening.person("Ruth"), evening.link("p1")
    ruth.allows += ["401", "ERR_FAILED"]

    def lost(route: Route) -> None:
        route.fetch()
        route.abort()

    ruth.context.route("**/access/exchange", lost)
    ruth.opens(link)
    ruth.page.locator("input[name=name]").fill("Ruth")
    ruth.page.locator("form button.main").click()
    expect(ruth.page.get_by_role("alert")).to_be_visible(timeout=60_000)
    ruth.context.unroute("**/access/exchange")
    ruth.page.reload()
    ruth.page.locator("input[name=name]").fill("Ruth")
    ruth.page.locator("form button.main").click()
    ruth.live()


@pytest.mark.slow
def test_who_comes_in_before_the_page_knows_where_a_link_leads_stays_in(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    ruth = evening.person("Ruth")
    ruth.allows.append("401")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    ruth.context.route("**/access/invitation", hold)
    ruth.opens(evening.link("p1"))
    ruth.joins()
    with ruth.page.expect_response("**/access/invitation") as late:
        held[0].continue_()
    assert late.value.status == 401
    late.value.finished()
    ruth.rests()
    assert ruth.do("return app.place.value.name") == "table"


def test_where_no_socket_opens_the_page_polls(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.person("Ruth")
    ruth.context.route_web_socket("**/*", lambda socket: socket.close())
    ruth.opens(evening.link("p1"))
    ruth.page.locator("input[name=name]").fill("Ruth")
    ruth.page.locator("form button.main").click()
    expect(ruth.page.locator(".link-mark")).to_have_text(ruth.say("link.polling"))
    expect(ruth.page.locator(".notices")).to_contain_text(ruth.say("link.polling-long"))
    ruth.until("app.sight.value?.seats.some((each) => each.id === 'p1' && each.anchor)")
    ruth.rests()
    roll = ruth.declares(CASES["sagatafl"].declared)
    # Nothing is to be decided: who presses would press what the page does by itself.
    expect(ruth.at(roll).locator(".state")).to_have_text(ENDED)


def test_who_types_keeps_the_field_when_its_choices_come(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    ruth = evening.guest("Ruth", "p1")
    waits: list[Route] = []

    def held(route: Route) -> None:
        waits.append(route)

    ruth.page.route("**/choices?*", held)
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth.page.locator(".new .rollables button").first.wait_for()
    field = ruth.form().locator("[id$='-trait']").first
    field.press_sequentially("Lock")
    assert waits
    ruth.page.unroute("**/choices?*")  # those that wait go on
    ruth.page.wait_for_load_state("networkidle")
    ruth.rests()
    field.press_sequentially("picking")
    expect(field).to_be_focused()
    expect(field).to_have_value("Lockpicking")


def test_a_table_is_called_what_its_narrator_calls_it(evening: Evening) -> None:
    ruth = evening.person("Ruth")
    ruth.opens(f"{evening.url}/#h={evening.host()}")
    ruth.page.locator("form button.main").click()
    form = ruth.page.locator("form.new-table")
    form.locator("input[name=title]").fill("Friday <b>evening</b>")
    form.locator("input[name=person]").fill("Ruth")
    id = form.locator("input[name=table]").input_value()
    form.locator("button.main").click()
    heading = ruth.page.locator("header.head h1")
    expect(heading).to_have_text("Friday <b>evening</b>")
    expect(heading).to_have_attribute("title", id)
    ruth.page.locator("button.mark").click()
    table = ruth.page.locator("button.table")
    expect(table.locator("strong")).to_have_text("Friday <b>evening</b>")
    expect(table).to_contain_text(id)
    table.click()
    ruth.live()
    said = next(seq for seq, text in evening_texts(ruth) if text == "Friday <b>evening</b>")
    ruth.do("await app.ask({ do: 'erase/1', seq: argument })", said)
    expect(heading).to_have_text(id)
    ruth.page.locator("button.mark").click()
    expect(table.locator("strong")).to_have_text(id)


def evening_texts(person: Person) -> list[tuple[int, str]]:
    """The texts that a page has, by their entries."""
    found = person.do("return app.sight.value.texts.map(({ seq, text }) => [seq, text])")
    return [(int(seq), str(text)) for seq, text in found]


def test_without_cryptography_of_the_browser_everything_is_checked(evening: Evening) -> None:
    """As over plain http from another machine, where browsers give a page none."""
    evening.opens("sagatafl")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.person("Ruth")
    ruth.context.add_init_script(
        "Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })"
    )
    ruth.comes(evening.link("p1"))
    assert ruth.do("return typeof crypto.subtle") == "undefined"
    ends(ruth.declares(CASES["sagatafl"].declared), ruth)
    expect(ruth.page.locator("button.seal")).to_have_class(re.compile("green"))
    assert ruth.do("return app.seal.value.unchecked.map(({ what }) => what)") == ["rules"]


def test_a_typed_throw_has_one_number(evening: Evening) -> None:
    evening.opens("plain", source="manual", level="server")
    evening.enters("p1", "Asta", {})
    evening.does("p1", c.Declare("c1", {"expression": "2d6"}))
    evening.does("p1", c.RollDice(1, "dice", faces=(3, 4)))
    card = evening.guest("Etgar", "p2").at(1)
    expect(card).to_contain_text("Throw 0: typed in, not confirmed yet.")
    expect(card.get_by_role("button", name="I saw it: confirm throw 0")).to_be_visible()
