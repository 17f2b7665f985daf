"""A character is carried to the next table, as a file: what it had, and where it was."""

import json
from collections.abc import Iterator

import pytest
from msgspec import convert, to_builtins
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.web.browser.conftest import NUMBERS
from tests.engine.server.web.browser.page import Person, leave
from tests.engine.server.web.browser.tables import Evening
from urim.engine.core import commands as c
from urim.engine.seat.carried import Was, carried, read_carried

pytestmark = pytest.mark.slow

RATINGS = {"BLE": 3, "wind attack": 2}
FILE = "dialog input[type=file]"


@pytest.fixture
def later(browser: Browser, served: Served) -> Iterator[Evening]:
    """The next table."""
    found = Evening(browser, served, f"later{next(NUMBERS):03}")
    yield found
    leave(found.people)


def bring(person: Person, file: bytes) -> str:
    """Give the form of a new character a file; what it says of it."""
    if not person.page.locator(FILE).is_visible():
        person.page.locator("dialog summary", has_text=person.say("character.file")).click()
    person.page.locator(FILE).set_input_files(
        {"name": "etgar.json", "mimeType": "application/json", "buffer": file}
    )
    said = person.page.locator("dialog [role=status]").first
    expect(said).not_to_be_empty()
    return said.inner_text()


def test_a_character_comes_to_the_next_table_with_what_it_has(
    evening: Evening, later: Evening
) -> None:
    evening.opens("milhamah", level="player")
    evening.enters("p1", "Etgar <b>", RATINGS)
    evening.does(NARRATOR, c.SetTrack("c1", "soak", 2))
    evening.does(NARRATOR, c.SetTrack("c1", "armour:belly", 1))
    size = evening.state.size
    ruth = evening.guest("Ruth", "p1")
    ruth.button("character.edit").first.click()
    with ruth.page.expect_download() as saving:
        ruth.button("carried.leave").click()
    file = saving.value.path().read_bytes()
    was = json.loads(file)["was"]
    assert was == {"host": evening.url, "table": evening.table, "entries": was["entries"]}
    assert was["entries"] >= size
    # The shell's file (`urim export --format character`) is the very same.
    ours = carried(evening.state, "c1")
    assert read_carried(file, "milhamah") == replace(ours, was=convert(was, Was))
    ours_as_json = {**to_builtins(ours), "was": was}
    assert file.decode("utf-8") == json.dumps(ours_as_json, ensure_ascii=False, indent=1)
    later.opens("milhamah", level="player")
    for name, seat in (("Noa", NARRATOR), ("Ruth", "p1")):
        other = later.guest(name, seat)
        other.button("character.enter").first.click()
        said = bring(other, file)
        assert evening.table in said
        assert ("soak 2" in said) == (seat == "p1")
        dialog = other.page.get_by_role("dialog")
        dialog.locator("button.main").click()
        dialog.wait_for(state="detached")
        other.rests(later.state.size)
    etgar, again = (later.state.characters[id] for id in ("c1", "c2"))
    assert etgar.attributes == again.attributes == RATINGS
    assert later.state.name_of(etgar.id) == "Etgar <b>"
    before, now, fresh = (
        at.state.sheet(who).tracks
        for at, who in ((evening, "c1"), (later, etgar.id), (later, again.id))
    )
    assert dict(now) == dict(before) != dict(fresh)


def test_what_is_no_character_of_this_system_fills_in_nothing(evening: Evening) -> None:
    evening.opens("sagatafl", level="player")
    ruth = evening.guest("Ruth", "p1")
    ruth.button("character.enter").first.click()
    good = {
        "type": "urim/character/1",
        "system": "sagatafl",
        "name": "Asta",
        "attributes": {"Body": 4},
        "tracks": {},
    }
    wrong = (
        b"[",
        b"null",
        *(
            json.dumps({**good, **changed}).encode()
            for changed in ({"type": "urim/kept/1"}, {"name": 3}, {"attributes": {"Body": "4"}})
        ),
    )
    for file in wrong:
        assert bring(ruth, file) == ruth.say("carried.no-sheet")
    other = json.dumps({**good, "system": "milhamah"}).encode()
    assert "milhamah" in bring(ruth, other)
    expect(ruth.page.locator("dialog input[name=name]")).to_have_value("")
    bring(ruth, json.dumps(good).encode())
    expect(ruth.page.locator("dialog input[name=name]")).to_have_value("Asta")
