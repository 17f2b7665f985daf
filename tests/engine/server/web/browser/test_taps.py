"""What needs no decision happens by itself: taps from the wish to the result."""

import json
import re
import time
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.engine.server.web.browser.counting import COUNTING, taps
from tests.engine.server.web.browser.page import Person, fill, unfolded
from tests.engine.server.web.browser.systems import CASES
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c

pytestmark = pytest.mark.slow


def wishes(person: Person, values: dict[str, Any]) -> None:
    """Fill in the form for a new roll; from then on taps are counted."""
    fill(person.form(), values)
    person.page.evaluate(COUNTING)


def sends(person: Person) -> None:
    """Press the button of the form."""
    person.page.locator(".new form.filling button[type=submit]").click()


FALLS = "die => (die.classList.add('fell'), getComputedStyle(die).animationName)"
"""The animation of a die that has just been thrown."""


def state_of(evening: Evening) -> str:
    """The state of the first roll, as the server has it."""
    return evening.state.rolls[1].state


def words(person: Person, key: str) -> None:
    """The button of the form says this."""
    expect(person.page.locator(".new form.filling button[type=submit]")).to_have_text(
        person.say(key)
    )


def test_one_tap_throws_and_announces_where_nothing_is_to_be_decided(evening: Evening) -> None:
    evening.opens("sagatafl")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    evening.enters("p2", "Bo", {})
    ruth, etgar = evening.guest("Ruth", "p1"), evening.guest("Etgar", "p2")
    wishes(ruth, CASES["sagatafl"].declared)
    words(ruth, "form.roll")
    sends(ruth)
    for person in (ruth, etgar):
        expect(person.at(1).locator(".state")).to_have_text(person.say("state.resolved"))
    assert taps(ruth) == 1
    # Who wants each step has it.
    ruth.do("app.choose('stepwise', true)")
    ruth.form()
    wishes(ruth, CASES["sagatafl"].declared)
    words(ruth, "form.declare")
    sends(ruth)
    ruth.at(2).locator(".throwing button.main").click()
    ruth.at(2).locator(".resolving button.main").click()
    expect(ruth.at(2).locator(".state")).to_have_text(ruth.say("state.resolved"))
    assert taps(ruth) == 3
    ruth.page.reload()
    ruth.live()
    assert ruth.do("return app.stepwise.value") is True
    # And who wants nothing to move.
    ruth.page.emulate_media(reduced_motion="no-preference")
    assert ruth.page.locator(".die").first.evaluate(FALLS) == "fall"
    ruth.do("app.choose('motion', 'none')")
    expect(ruth.page.locator("html")).to_have_attribute("data-motion", "none")
    assert ruth.page.locator(".die").first.evaluate(FALLS) == "none"


def test_it_stops_where_somebody_may_decide(evening: Evening) -> None:
    case = CASES["majesty"]
    evening.opens("majesty")
    evening.enters("p1", "Asta", case.ratings)
    evening.enters("p2", "Bo", case.others)
    ruth, etgar = evening.guest("Ruth", "p1"), evening.guest("Etgar", "p2")
    wishes(ruth, case.declared)
    sends(ruth)
    etgar.rests(evening.state.size)
    answer = etgar.at(1).locator(".asks form.filling")
    expect(answer).to_have_count(1)
    assert etgar.page.title().startswith("(1) ")  # who looks elsewhere sees that the table waits
    assert state_of(evening) == "declared"
    fill(unfolded(answer), case.answer or {})
    etgar.page.evaluate(COUNTING)
    answer.locator("button[type=submit]").click()
    expect(etgar.page).not_to_have_title(re.compile(r"^\(1\)"))
    # It waited for another, so it falls at a tap of its own; and the dice may be adjusted then.
    throw = ruth.at(1).locator(".throwing button.main")
    expect(throw).to_be_enabled()
    ruth.rests(evening.state.size)
    assert state_of(evening) == "reacted"
    throw.click()
    expect(ruth.at(1).locator(".hand svg.die").first).to_be_visible()
    assert taps(ruth) == 2
    assert taps(etgar) == 1


def test_a_blind_roll_asks_nothing_more_of_who_throws_it(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    fill(ruth.form(), CASES["sagatafl"].declared)
    roll = ruth.declares({}, visibility="blind")
    expect(ruth.at(roll)).to_contain_text(ruth.say("throw.unseen"))
    assert [hand.name for hand in evening.state.rolls[roll].roll.hands] == ["initiator"]
    evening.does("narrator", c.worded(c.Note(0), "I wait."))
    ruth.rests(evening.state.size)
    assert len(evening.state.rolls[roll].roll.hands) == 1


def test_a_chain_of_throws_goes_on_behind_shares_and_after_a_reload(evening: Evening) -> None:
    evening.opens("plain")  # everybody adds chance
    evening.enters("p1", "Asta", {})
    ruth, etgar = evening.guest("Ruth", "p1"), evening.guest("Etgar", "p2")
    for person in (ruth, etgar):
        person.do("await once(() => app.sharing.value.anchor)")
    ruth.rests(evening.state.size)
    etgar.do("app.sleep()")
    etgar.until("app.link.value.state !== 'live'")
    wishes(ruth, {"expression": "2d6!+2d8!+2d10!"})
    sends(ruth)
    waits_for(evening, "p2")
    ruth.page.reload()
    ruth.live()
    assert evening.state.ask is not None
    etgar.do("app.wake()")
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    assert len(evening.state.rolls[1].roll.hands) == 3


def waits_for(evening: Evening, seat: str) -> None:
    """Until a throw waits for the share of this seat alone."""
    for _ in range(300):
        if evening.state.ask and evening.state.ask.waiting == (seat,):
            return
        time.sleep(0.1)
    raise AssertionError(f"no throw waits for {seat}: {evening.state.ask}")


def test_damage_that_nobody_may_change_is_applied(evening: Evening) -> None:
    """The last step too is the page's, of a roll whose dice somebody else's program threw."""
    evening.opens("sagatafl", level="server")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    evening.does("p1", c.Declare("c1", {"trait": "Lockpicking", "rd": 7}))
    committed = evening.state.rolls[1].outstanding
    assert committed is not None
    ruth.rests(evening.state.size)
    assert ruth.state(1) == ruth.say("state.declared")  # nobody did anything on this page
    evening.does("p1", c.RollDice(1, "initiator", committed=committed.seq))
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))


def test_a_die_that_does_not_count_looks_and_is_read_like_one(evening: Evening) -> None:
    evening.opens("plain", level="player")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    roll = ruth.declares({"expression": "4d6kh3"})
    card = ruth.at(roll)
    expect(card.locator(".state")).to_have_text(ruth.say("state.resolved"))
    expect(card.locator(".hand svg.die.idle")).to_have_count(1)
    dropped = card.locator(".hand [role=img]", has=ruth.page.locator("svg.idle"))
    assert ruth.say("die.idle") in (dropped.get_attribute("aria-label") or "")
    total = evening.state.rolls[roll].roll.outcome
    assert total is not None
    expect(card.locator(".verdict strong")).to_have_text(str(total.margin))
    expect(card.locator(".verdict")).not_to_contain_text("total")


def test_what_was_rolled_is_rolled_again_by_one_tap(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    again = ruth.page.locator(".again:not(.rollables) button:not(.plain)")
    expect(again).to_have_count(0)
    ruth.declares(CASES["sagatafl"].declared)
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    expect(again).to_have_text(["↻ Lockpicking · 7"])
    ruth.page.evaluate(COUNTING)
    again.click()
    expect(ruth.at(2).locator(".state")).to_have_text(ruth.say("state.resolved"))
    assert taps(ruth) == 1
    one, other = (evening.state.rolls[number].roll for number in (1, 2))
    assert one.declaration == other.declaration
    expect(again).to_have_count(1)  # the same wish is offered once
    form = ruth.form()
    fill(form, CASES["sagatafl"].declared)
    form.locator(".asked input[maxlength='1000']").fill("the <b>cellar</b> door")
    sends(ruth)
    expect(again).to_have_text(["↻ the <b>cellar</b> door", "↻ Lockpicking · 7"])
    again.first.click()
    expect(ruth.at(4).locator(".label")).to_have_text("the <b>cellar</b> door")


def test_what_is_wanted_stands_above_the_dice(evening: Evening) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Asta", CASES["milhamah"].ratings)
    ruth = evening.guest("Ruth", "p1")
    ruth.declares({"root": "רוח", "rating": 2})
    wants = ruth.at(1).locator(".hand .wants li")
    expect(wants).to_have_count(3)
    faces = [die.face for die in evening.state.rolls[1].roll.hands[0].dice]
    for at, letter in enumerate("רוח"):
        shown = faces.count(letter)
        expect(wants.nth(at)).to_have_class("found" if shown else "")
        expect(wants.nth(at)).to_contain_text(f"×{shown}" if shown else letter)
    # Nor is the outcome all that the table waits for.
    expect(ruth.page.locator(".awaits li")).to_contain_text(ruth.say("waits.freeze"))


def test_a_roll_is_kept_under_a_name(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    ruth.declares(CASES["sagatafl"].declared)
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    row = ruth.page.locator(".again:not(.rollables)")
    row.get_by_role("button", name=ruth.say("again.keep")).click()
    form = ruth.page.locator("form.keeping")
    name = form.locator("input")
    expect(name).to_have_value("Lockpicking · 7")
    name.fill("  ")
    name.press("Enter")
    expect(form).to_have_count(1)  # without a name nothing is kept
    name.fill("the <b>door</b>")
    form.locator("button").click()
    expect(form).to_have_count(0)  # and a tap on it rolls: it is no button to forget it
    kept = row.locator("button:not(.plain)")
    expect(kept).to_have_text(["★ the <b>door</b>"])
    ruth.page.reload()
    ruth.live()
    ruth.page.evaluate(COUNTING)
    kept.click()
    expect(ruth.at(2).locator(".state")).to_have_text(ruth.say("state.resolved"))
    assert taps(ruth) == 1
    one, other = (evening.state.rolls[number].roll for number in (1, 2))
    assert one.declaration == other.declaration
    # The line knows it by its name too.
    ruth.page.keyboard.press("/")
    line = ruth.page.locator(".line input")
    line.fill("The <b>door</b>")
    line.press("Enter")
    expect(ruth.at(3).locator(".state")).to_have_text(ruth.say("state.resolved"))
    assert evening.state.rolls[3].roll.declaration == one.declaration
    row.get_by_role("button", name=ruth.say("again.keep")).click()
    kept.click()
    row.get_by_role("button", name=ruth.say("again.keep")).click()
    expect(kept).to_have_text(["↻ Lockpicking · 7"])


def test_kept_rolls_go_to_another_device_of_the_seat(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.guest("Ruth", "p1")
    ruth.declares(CASES["sagatafl"].declared)
    ruth.page.get_by_role("button", name=ruth.say("again.keep")).click()
    form = ruth.page.locator("form.keeping")
    form.locator("input").fill("the <b>door</b>")
    form.locator("button").click()
    ruth.page.get_by_role("button", name=ruth.say("again.keep")).click()
    with ruth.page.expect_download() as saving:
        ruth.page.locator(".carried button").click()
    file = saving.value.path()
    other = evening.guest("Ruth's phone", "p1")
    row = other.page.locator(".again:not(.rollables)")
    row.get_by_role("button", name=other.say("again.keep")).click()
    bring = other.page.locator(".carried input[type=file]")
    forged = json.loads(file.read_text("utf-8"))
    forged["kept"]["c1"][0]["wish"]["command"] = {"do": "void/1", "roll": 1}
    for wrong in (json.dumps(forged), json.dumps({**forged, "table": "another"}), "[", "null"):
        bring.set_input_files(
            {"name": "a.json", "mimeType": "application/json", "buffer": wrong.encode()}
        )
        expect(other.page.locator(".carried [role=status]")).to_have_text(other.say("carried.none"))
    bring.set_input_files(file)
    row.get_by_role("button", name=other.say("again.keep")).click()
    expect(row.locator("button:not(.plain)").first).to_have_text("★ the <b>door</b>")


def declared(evening: Evening, roll: int) -> Any:
    """What a roll declares, as the server has it."""
    return evening.state.rolls[roll].roll.declaration


def test_the_same_answer_tapped_again_is_that_answer(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", {"Zero": 0})
    ruth = evening.guest("Ruth", "p1")
    ruth.allows.append("409")
    area = ruth.page.locator(".new")
    area.locator(".rollables button").first.click()
    hard = area.locator(".chip", has_text=re.compile("^very hard"))
    hard.click()
    refused = area.locator("form > .refused")
    expect(refused).to_be_visible()
    area.locator("form.filling input[inputmode]").fill("5")
    expect(refused).to_have_count(0)  # it is about another answer than this one
    evening.does("narrator", c.SetAttribute("c1", "Zero", 3))
    expect(area.locator(".rollables .rating")).to_have_text("3")
    hard.click()
    expect(ruth.at(1)).to_be_visible()
    assert declared(evening, 1).rd == 12


def test_a_roll_of_the_sheet_is_as_hidden_as_the_form_says(evening: Evening) -> None:
    evening.opens("plain", level="player")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    ruth.page.locator(".new .rollables button").first.wait_for()
    form = ruth.form()
    form.locator(".openness summary").click()
    form.get_by_label(ruth.say("visibility.gm"), exact=True).check(force=True)
    expect(ruth.page.locator(".new > .help")).to_contain_text(ruth.say("visibility.gm"))
    ruth.page.locator(".new .rollables button").first.click()
    expect(ruth.at(1)).to_be_visible()
    assert evening.state.rolls[1].hidden


def test_who_has_several_characters_sees_whose_sheet_it_is(evening: Evening) -> None:
    evening.opens("majesty", level="player")
    evening.enters("p1", "Asta", {"check": 5, "Precision": 3})
    bo = c.EnterCharacter("c9", "p1", {"Sight": 9})
    evening.does("p1", c.worded(bo, "Bo"))
    ruth = evening.guest("Ruth", "p1")
    area = ruth.page.locator(".new")
    buttons = area.locator(".rollables button")
    expect(buttons.first).to_have_text("Strike")
    ratings = buttons.filter(has_text="Precision Check").locator(".rating")
    expect(ratings).to_have_text("3")
    area.locator(".who button", has_text="Bo").click()
    expect(buttons.first).to_have_text("Sight Check 9")


def test_what_is_pressed_stays_under_the_finger(evening: Evening) -> None:
    evening.opens("plain", level="player")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    fill(ruth.form(), {"expression": "3d6"})
    button = ruth.page.locator(".new form.filling button[type=submit]")
    expect(button).not_to_have_attribute("aria-disabled", "true")
    button.hover()
    ruth.page.mouse.down()
    evening.does("p1", c.worded(c.EnterCharacter("c9", "p1", {}), "Bo"))
    ruth.rests(evening.state.size)  # a choice of characters is due above the button
    assert ruth.page.locator(".new .who").count() == 0
    ruth.page.mouse.up()
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    expect(ruth.page.locator(".new .who button")).to_have_count(2)
    # Who presses and never lets go has a page that goes on.
    ruth.page.mouse.down()
    evening.does("p1", c.worded(c.EnterCharacter("c8", "p1", {}), "Ada"))
    expect(ruth.page.locator(".new .who button")).to_have_count(3)


def test_a_second_tap_at_once_is_the_first_one(evening: Evening) -> None:
    evening.opens("plain", level="player")
    evening.enters("p1", "Asta", {})
    ruth = evening.guest("Ruth", "p1")
    button = ruth.page.locator(".new .rollables button").first
    ruth.page.evaluate("() => void (performance.now = () => 1000)")  # no browser taps too late
    button.click()
    expect(ruth.at(1).locator(".state")).to_have_text(ruth.say("state.resolved"))
    button.click()
    ruth.rests()
    assert len(evening.state.rolls) == 1


def test_the_rolls_of_a_sheet_are_asked_for_until_they_come(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    evening.enters("p1", "Asta", CASES["sagatafl"].ratings)
    ruth = evening.person("Ruth")
    ruth.allows.append("503")
    lost: list[str] = []

    def answer(route: Route) -> None:
        lost.append(route.request.url)
        if len(lost) > 2:
            route.continue_()
        else:
            route.fulfill(status=503, body="{}")

    ruth.page.route("**/rollables?*", answer)
    ruth.comes(evening.link("p1"))
    expect(ruth.page.locator(".new .rollables button")).to_have_count(1)
    assert len(lost) > 2
