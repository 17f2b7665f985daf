"""The odds of a roll over HTTP: for whom, what they say, and the process that computes them."""

import asyncio
import os
import pickle
import signal
import struct
import time
from collections.abc import Generator
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import decode, encode

from tests.engine.helpers.stages.server import NARRATOR, Served
from tests.engine.server.http_table import HIDDEN, MISSING, OPEN, TABLE, Site
from tests.engine.server.routes.test_reading import holds, refused
from urim import Table
from urim.engine.core import commands as c
from urim.engine.core.odds import Question, answer, question
from urim.engine.server import worker
from urim.engine.server.worker import answers, best

BLIND = 4
"""A roll of p1's whose dice the narrator alone sees."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    """A table at which there is advice, but not in every roll."""
    with Served(tmp_path_factory.mktemp("site"), rate=1e5, burst=100_000) as served:
        found = Site(served)
        found.does(NARRATOR, c.SetTable("advice", value=True))
        found.does("p1", c.Declare("c1", {"root": "רוח", "rating": 0}, "blind"))
        found.does("p1", c.RollDice(BLIND, "initiator", faces=tuple("שזגכלקבט")))
        yield found
        found.close()


def odds(site: Site, roll: int = OPEN, who: str = "p1", **asked: str) -> Any:
    """What is answered about a roll."""
    return site.get(who, f"/rolls/{roll}/odds", params=asked)


def process(site: Site) -> int:
    """The process that computes."""
    found = site.served.here.worker.pid
    assert found is not None
    return found


# --- for whom -------------------------------------------------------------------------------------


def test_there_are_none_until_a_narrator_allows_it(site: Site) -> None:
    site.does(NARRATOR, c.SetTable(f"advice/{OPEN}", value=False))
    found = refused(odds(site), 403, "needs-leave")
    assert found["why"] == f"no narrator allows advice in roll {OPEN}"
    refused(odds(site, who="narrator"), 403, "needs-leave")
    site.does(NARRATOR, c.SetTable(f"advice/{OPEN}", value=None))
    assert odds(site).status_code == 200


def test_a_hidden_roll_has_none_as_one_that_is_not_there(site: Site) -> None:
    hidden, missing = (odds(site, number) for number in (HIDDEN, MISSING))
    refused(missing, 403, "not-seen")
    assert hidden.text.replace(f"roll {HIDDEN}", f"roll {MISSING}") == missing.text
    found = holds(odds(site, HIDDEN, "p2"))  # who may have them
    assert (found["exact"], found["against"]) == (False, False)
    assert found["why"].startswith("too much to count: 8 dice of initiator")


def test_who_may_not_see_the_dice_has_none(site: Site) -> None:
    found = refused(odds(site, BLIND), 403, "not-seen")
    assert "the dice of roll 4" in found["why"]
    assert odds(site, BLIND, "narrator").status_code == 200


# --- what they say --------------------------------------------------------------------------------


def test_they_are_those_of_the_shell(site: Site) -> None:
    for aim in ("success", "not botch", "margin"):
        told = holds(odds(site, aim=aim))
        table = site.served.run(site.served.service.state(TABLE))
        assert told == decode(encode(best(question(table, OPEN), aim)))
        assert abs(sum(told["degrees"].values()) - 1) < 1e-9
        assert len(told["ways"]) <= worker.WAYS + 1
        assert told["worth"] == max(way["worth"] for way in told["ways"])


def test_another_aim_is_refused_with_those_there_are(site: Site) -> None:
    found = refused(odds(site, aim="not a degree"), 404, "unknown")
    assert "success" in found["allowed"]
    refused(odds(site, aim=" "), 422, "malformed")
    refused(odds(site, goal="success"), 422, "malformed")


def plain(expression: str) -> Question:
    """A roll of plain dice."""
    table = Table("plain", dice="scripted")
    roll = table.declare(table.character("One"), expression=expression)
    return question(table.state, roll.state.number)


def lying() -> Question:
    """Eight dice of Milhamah, one of which may be turned: it takes seconds."""
    table = Table("milhamah", dice="scripted")
    roll = table.declare(table.character("One"), root="אשר", rating=6)
    roll.roll(faces=tuple("אזתעלצמק"))
    return question(table.state, roll.state.number)


# --- the process ----------------------------------------------------------------------------------


AIMS = (f"above {number}" for number in count())
"""Aims that nobody asked for yet: what is known is not computed again."""


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(site: Site) -> None:
    assert odds(site, aim=next(AIMS)).status_code == 200
    before = process(site)
    os.kill(before, signal.SIGKILL)
    answers = [odds(site, aim=next(AIMS)).status_code for _ in range(2)]
    assert answers[-1] == 200
    assert set(answers) <= {200, 422}
    assert process(site) != before


def test_what_takes_too_long_is_given_up_and_not_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert odds(site, aim=next(AIMS)).status_code == 200
    before, aim = process(site), next(AIMS)
    monkeypatch.setattr(worker, "SECONDS", 0.001)
    found = refused(odds(site, aim=aim), 422, "out-of-range")
    assert found["why"] == "too much to count: this takes over 0.001 s"
    monkeypatch.undo()
    refused(odds(site, aim=aim), 422, "out-of-range")
    assert odds(site, aim=next(AIMS)).status_code == 200
    assert process(site) != before


def test_what_others_asked_is_answered_at_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    aim = next(AIMS)
    first = odds(site, aim=aim)
    monkeypatch.setattr(worker, "SECONDS", 0.0)
    assert odds(site, who="p2", aim=aim).json() == first.json()
    for _ in range(worker.KEPT):
        refused(odds(site, aim=next(AIMS)), 422, "out-of-range")
    refused(odds(site, aim=aim), 422, "out-of-range")


def test_it_ends_itself_in_the_midst_of_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[int] = []
    monkeypatch.setattr(signal, "alarm", said.append)
    asked = pickle.dumps(("odds", (plain("1d6"), "success")))
    asks = BytesIO(struct.pack("!I", len(asked)) + asked)
    says = BytesIO()
    answers(asks, says)
    assert said == [worker.LAST, 0]
    assert worker.LAST > worker.SECONDS
    kind, found = pickle.loads(says.getvalue()[4:])  # noqa: S301  our own
    assert (kind, found) == ("odds", answer(plain("1d6"), "success"))


@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_with_the_server(tmp_path: Path, busy: bool) -> None:
    with Served(tmp_path) as served:
        site = Site(served, hidden=False)
        site.does(NARRATOR, c.SetTable("advice", value=True))
        assert odds(site).status_code == 200
        pid = process(site)
        if busy:  # in the midst of a question of some seconds
            work = served.here.worker.odds(lying(), "success")
            served.soon(lambda: asyncio.ensure_future(work))
            time.sleep(0.3)
        site.close()
    for _ in range(500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    raise AssertionError("the process goes on without its server")
