"""What-ifs, alternatives and case files over HTTP: what they say, for whom, and how much of it."""

import json
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.json import decode, encode

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.http_table import FACES, HIDDEN, LIVE, MISSING, OPEN, TABLE, WISH, Site
from tests.engine.server.openapi.test_document import DOCUMENT, validator
from tests.engine.server.routes.test_reading import refused
from urim.engine.core import commands as c
from urim.engine.server import lane
from urim.engine.server.routes import court
from urim.engine.whatif.changes import Voided
from urim.engine.whatif.difference import what_if
from urim.engine.whatif.seen import items_of

VOID = {"change": "voided", "roll": OPEN}

BLIND = 4
"""A roll of p1's whose dice the narrator alone sees."""

OTHER_FACES = tuple("ששששששקק")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table with a roll of an outcome, and a hidden one."""
    with Served(tmp_path_factory.mktemp("site")) as served:
        found = Site(served)
        found.does("p1", c.Resolve(OPEN))
        yield found
        found.close()


def asked(site: Site, who: str, *changes: Any, path: str = "/whatif") -> Any:
    """The answer to a what-if."""
    return site.post(who, json.dumps({"changes": changes}).encode(), path)


def shown(site: Site, who: str, *changes: Any, path: str = "/whatif") -> Any:
    """What a what-if shows."""
    answer = asked(site, who, *changes, path=path)
    assert answer.status_code == 200, answer.text
    return answer.json()


# --- a what-if ------------------------------------------------------------------------------------


def test_both_sides_of_a_ruling_are_shown(site: Site) -> None:
    size = site.get("p1", "").json()["size"]
    found = shown(site, "p1", VOID)
    schema = DOCUMENT["paths"]["/tables/{table}/whatif"]["post"]["responses"]["200"]
    validator(schema["content"]["application/json"]["schema"]).validate(found)
    [roll] = found["rolls"]
    assert (roll["roll"], roll["before"]["state"], roll["after"]["state"]) == (
        *(OPEN, "resolved"),
        "voided",
    )
    assert roll["before"]["outcome_words"]["head"]
    assert site.get("p1", "").json()["size"] == size


def test_it_is_what_the_whole_log_says(site: Site) -> None:
    """For who sees all of it; the numbers are those of `urim whatif`."""
    table = site.served.run(site.served.service.aggregate(TABLE))
    found = what_if(items_of(table.entries), [Voided(OPEN)], seat="p2")
    assert shown(site, "p2", VOID) == decode(encode(found))


def test_a_language_is_a_tag_of_one(site: Site) -> None:
    assert shown(site, "p1", VOID, path="/whatif?language=he") == shown(site, "p1", VOID)
    for path in ("/whatif?language=", "/whatif?language=a_b", "/whatif?seat=p2"):
        refused(asked(site, "p1", VOID, path=path), 422, "malformed")


@pytest.mark.parametrize(
    ("changes", "code", "says"),
    [
        ((), "malformed", "changes"),
        ((VOID,) * 9, "too-long", "changes"),
        (({"change": "voided", "roll": MISSING},), "not-seen", "no roll 9"),
        (({"change": "voided", "roll": -1},), "unknown", "no roll -1"),
        (({"change": "voided"},), "malformed", "roll"),
        (({"change": "voided", "roll": "1"},), "malformed", "roll"),
        (({"change": "stolen", "roll": 1},), "malformed", "stolen"),
        (({"change": "voided", "roll": 1, "more": 1},), "unknown", "more"),
        (({"change": "reading", "name": "nature", "value": 1},), "unknown", "nature"),
        (({"change": "reading", "name": "supply", "value": "x"},), "malformed", "supply"),
        (({"change": "instead", "seq": 999, "fields": {}},), "unknown", "999"),
        (({"change": "instead", "seq": 0, "fields": {"ruleset": "x"}},), "unknown", "x"),
        (({"change": "declared", "roll": OPEN, "fields": {"x": 1}},), "unknown", "'x'"),
        (({"change": "withdrawn", "roll": HIDDEN},), "not-seen", f"no roll {HIDDEN}"),
    ],
)
def test_a_refusal_names_what_is_wrong(site: Site, changes: Any, code: str, says: str) -> None:
    answer = asked(site, "p1", *changes)
    assert answer.json()["code"] == code, answer.text
    assert answer.status_code in (403, 404, 422)
    assert says in answer.json()["why"] + str(answer.json().get("allowed"))


def test_another_body_is_refused(site: Site) -> None:
    for data in (b"", b"[]", b"{", b'{"changes":{}}', b'{"changes":[1]}', b'{"changes":[],"x":1}'):
        refused(site.post("p1", data, "/whatif"), 422, "malformed", "out-of-range")
    refused(site.post("p1", b"[" * 5000, "/whatif"), 422, "malformed")


# --- what could have been otherwise ---------------------------------------------------------------


def test_each_alternative_can_be_asked_about(site: Site) -> None:
    found = site.get("p1", f"/rolls/{OPEN}/alternatives").json()
    assert [each["kind"] for each in found["alternatives"]] == ["withdrawn"]
    for each in found["alternatives"]:
        assert asked(site, "p1", each["change"]).status_code == 200, each


def test_a_roll_that_is_hidden_has_none_as_one_that_is_not_there(site: Site) -> None:
    hidden, missing = (site.get("p1", f"/rolls/{n}/alternatives") for n in (HIDDEN, MISSING))
    refused(missing, 403, "not-seen")
    assert hidden.text.replace(f"roll {HIDDEN}", "roll 9") == missing.text


# --- what is hidden -------------------------------------------------------------------------------


def told(folder: Path, faces: tuple[str, ...], bonus: int) -> list[str]:
    """All that p1 is shown and refused at a table whose hidden roll was thrown so."""
    folder.mkdir()
    with Served(folder) as served:
        site = Site(served)
        site.does("p1", c.Resolve(OPEN))
        site.does("p2", c.RollDice(HIDDEN, "initiator", faces=faces))
        site.does("p2", c.Freeze(HIDDEN, "initiator", ("d1", "d2")[:bonus]))
        size = site.get("p1", "").json()["size"]
        changes: list[Any] = [VOID, {"change": "reading", "name": "supply", "value": 9}]
        changes += [{"change": "voided", "roll": n} for n in (HIDDEN, LIVE, MISSING)]
        changes += [{"change": "withdrawn", "roll": n} for n in (OPEN, HIDDEN)]
        changes += [{"change": "instead", "seq": seq, "fields": {}} for seq in range(size)]
        found = [asked(site, "p1", each).text for each in changes]
        found += [site.get("p1", f"/rolls/{n}/alternatives").text for n in (OPEN, HIDDEN, LIVE)]
        # A case file has the bundle's hashes, which are random; but not of what is hidden.
        found.append(site.get("p1", f"/rolls/{HIDDEN}/case").text)
        case = site.get("p1", f"/rolls/{OPEN}/case")
        assert case.status_code == 200
        assert "Gra" not in case.text
        site.close()
    return found


def test_what_is_hidden_changes_nothing_that_a_seat_is_told(tmp_path: Path) -> None:
    one = told(tmp_path / "one", FACES, 1)
    other = told(tmp_path / "other", OTHER_FACES, 2)
    assert one == other
    assert len(one) > 12


def test_a_blind_roll_is_decided_again_for_who_sees_its_dice_alone(tmp_path: Path) -> None:
    """Beside a roll that the narrator may not see: what is sealed hides nothing else."""
    with Served(tmp_path) as served:
        site = Site(served)
        site.does("p1", c.Declare("c1", dict(WISH), "blind"))
        site.does("p1", c.RollDice(BLIND, "initiator", faces=FACES))
        for change in (
            {"change": "voided", "roll": BLIND},
            {"change": "withdrawn", "roll": BLIND},
            {"change": "declared", "roll": BLIND, "fields": {"rating": 3}},
        ):
            [roll] = shown(site, NARRATOR, change)["rolls"]
            assert roll["roll"] == BLIND
            answer = asked(site, "p1", change)
            refused(answer, 403, "not-seen")
            assert answer.json()["why"] == f"roll {BLIND} is hidden"
        hidden, missing = (
            asked(site, NARRATOR, {"change": "voided", "roll": n}) for n in (HIDDEN, MISSING)
        )
        refused(hidden, 403, "not-seen")
        assert hidden.text.replace(f"roll {HIDDEN}", "roll 9") == missing.text
        site.close()


# --- the case file --------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["p1", "p2", NARRATOR, "auditor"])
def test_a_case_file_is_one_page(site: Site, who: str) -> None:
    answer = site.get(who, f"/rolls/{OPEN}/case")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.text.startswith("<!doctype html>")
    assert "<script" not in answer.text


def test_a_case_file_has_the_link_of_its_roll_where_a_narrator_allows_it(site: Site) -> None:
    assert f"/r/{TABLE}/{OPEN}" not in site.get("p1", f"/rolls/{OPEN}/case").text
    site.does(NARRATOR, c.SetTable(f"links/{OPEN}", value=True))
    link = site.get("p1", f"/rolls/{OPEN}/link").json()["link"]
    assert f'<a href="{link}">' in site.get("p1", f"/rolls/{OPEN}/case").text
    site.does(NARRATOR, c.SetTable(f"links/{OPEN}", value=None))


def test_a_hidden_rolls_case_is_as_that_of_none(site: Site) -> None:
    for who in ("p1", "auditor"):
        hidden, missing = (site.get(who, f"/rolls/{n}/case") for n in (HIDDEN, MISSING))
        refused(missing, 403, "not-seen")
        assert hidden.text.replace(f"roll {HIDDEN}", "roll 9") == missing.text
    assert site.get("p2", f"/rolls/{HIDDEN}/case").status_code == 200


# --- how much of it -------------------------------------------------------------------------------


def test_a_table_that_is_too_long_is_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane, "ENTRIES", 5)
    for answer in (
        asked(site, "p1", VOID),
        site.get("p1", f"/rolls/{OPEN}/alternatives"),
        site.get("auditor", f"/rolls/{OPEN}/case"),
    ):
        refused(answer, 422, "out-of-range")
        assert "at most 5" in answer.json()["allowed"]
        assert "bundle" in answer.json()["allowed"][1]


def test_a_seat_has_one_under_way_at_a_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, held = Event(), Event()

    def slow(*given: Any, **named: Any) -> Any:
        begun.set()
        assert held.wait(60)
        return what_if(*given, **named)

    monkeypatch.setattr(court, "what_if", slow)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(asked, site, "p1", VOID)
        assert begun.wait(60)
        second = asked(site, "p1", VOID)
        held.set()
    assert first.result().status_code == 200
    refused(second, 429, "too-fast")
    assert second.headers["retry-after"] == "1"
    assert "under way" in second.json()["why"]
