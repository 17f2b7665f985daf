"""Hooks of a real server: what they are told, how it is signed, and what if nobody takes it."""

import base64
import hashlib
import hmac
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.helpers.clocks import Ahead
from tests.engine.helpers.stages.receiver import Receiver
from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from urim.engine.access.protocol import DAY
from urim.engine.core import commands as c
from urim.engine.core.parse import body_of
from urim.engine.core.request import WireRequest
from urim.engine.server.admission.buckets import Buckets
from urim.engine.server.running import milliseconds

TABLE = "table001"

EXPRESSION = {"expression": "2d6"}

numbers = count(1)


class Site:
    """A table of plain dice at which p1 has a character, and what its seats ask for."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.tokens = served.open(TABLE, ruleset="plain", source="seeded:hooks", level="server")
        self.does(NARRATOR, c.EnterCharacter("c1", "p1", {}))

    def ask(self, who: str, method: str, path: str, body: Any = None) -> httpx.Response:
        """A request of a seat's."""
        url = f"{self.served.url}/tables/{TABLE}{path}"
        return httpx.request(method, url, headers=bearer(self.tokens[who]), json=body, timeout=60)

    def does(self, who: str, asking: c.Asking) -> list[int]:
        """Have a command done; its entries."""
        command, text = c.apart(asking)
        asked = WireRequest(body_of(command).decode(), f"r-{next(numbers)}", text)
        url = f"{self.served.url}/tables/{TABLE}/requests"
        headers = {**bearer(self.tokens[who]), "Content-Type": "application/json"}
        answer = httpx.post(url, headers=headers, content=asked.written(), timeout=60)
        assert answer.status_code == 200, answer.text
        seqs: list[int] = answer.json()["seqs"]
        return seqs

    def rolls(self, who: str = "p1", **wish: Any) -> int:
        """A roll in one request; its number."""
        asked = {"request": f"r-{next(numbers)}", "expression": "2d6", **wish}
        answer = self.ask(who, "POST", "/rolls", asked)
        assert answer.status_code == 200, answer.text
        roll: int = answer.json()["roll"]["roll"]
        return roll

    def hook(self, who: str, receiver: Receiver, **known: str) -> dict[str, Any]:
        """A hook of a seat's; what was answered."""
        answer = self.ask(who, "POST", "/hooks", {"url": receiver.url, **known})
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def hooks(self, who: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask(who, "GET", "/hooks").json()["hooks"]
        return found

    def until(self, who: str, **known: Any) -> dict[str, Any]:
        """The one hook of a seat, once it is so."""
        end = time.monotonic() + 60
        while True:
            [hook] = self.hooks(who)
            if hook.items() >= known.items():
                return hook
            assert time.monotonic() < end, hook
            time.sleep(0.01)


@contextmanager
def begun(tmp_path: Path, *receivers: Receiver, **known: Any) -> Generator[Site]:
    """A server that may call these."""
    patience = known.pop("patience", 0.5)
    fast: dict[str, Any] = {"rate": 10_000.0, "burst": 10_000, "call_patience": patience}
    calls = tuple(each.place for each in receivers)
    now = known.pop("now", milliseconds)
    with Served(tmp_path, known=known, now=now, calls=calls, **fast) as served:
        yield Site(served)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as found:
        yield found


def types(receiver: Receiver) -> list[tuple[str, int]]:
    """What was taken, in short."""
    return [(call.json["type"], call.json["data"].get("roll")) for call in receiver.good]


# --- what is told ---------------------------------------------------------------------------------


def test_a_seat_is_told_what_waits_for_it_and_what_ended(
    tmp_path: Path, receiver: Receiver
) -> None:
    with begun(tmp_path, receiver) as site:
        site.hook("p1", receiver)
        first = site.rolls()
        receiver.until(lambda: types(receiver) == [("roll.ended", first)])
        site.does("p1", c.Declare("c1", dict(EXPRESSION)))
        receiver.until(lambda: types(receiver)[1:] == [("turn.waits", 2)])
        account = site.ask("p1", "GET", f"/rolls/{first}/account").json()
        ended, turn = (call.json for call in receiver.good)
        assert ended["data"]["text"].endswith(account["outcome"]["headline"])
        assert turn["data"]["trigger"] == "roll"
        [hook] = site.hooks("p1")
        assert hook["told"] is not None
        assert (hook["failing"], hook["over"]) == (None, False)


def test_a_narrator_is_told_of_a_dispute(tmp_path: Path, receiver: Receiver) -> None:
    with begun(tmp_path, receiver) as site:
        site.hook(NARRATOR, receiver)
        roll = site.rolls()
        site.does("p2", c.worded(c.Dispute(roll), "that die was cocked"))
        receiver.until(lambda: len(receiver.good) == 2)
        assert types(receiver) == [("roll.ended", roll), ("dispute.waits", roll)]
        assert "cocked" not in receiver.good[1].body.decode()


def test_a_room_is_told_what_everybody_may_see_and_whom_the_table_waits_for(
    tmp_path: Path, receiver: Receiver
) -> None:
    with begun(tmp_path, receiver) as site:
        site.hook(NARRATOR, receiver, view="table", form="content")
        site.does("p1", c.worded(c.NameSeat("p1"), "Ruth"))
        site.rolls(visibility="gm")
        seen = site.rolls()
        site.does("p1", c.Declare("c1", dict(EXPRESSION)))
        receiver.until(lambda: len(receiver.good) == 2)
        time.sleep(0.6)
        ended, turn = (call.json["text"] for call in receiver.good)
        assert f"roll {seen} of" in ended
        assert f"roll {seen + 1} waits for" in turn
        assert "Ruth" in turn
        assert "your" not in turn


def test_a_chat_is_sent_a_text_that_calls_nobody(tmp_path: Path, receiver: Receiver) -> None:
    with begun(tmp_path, receiver) as site:
        site.does(NARRATOR, c.worded(c.NameTable(), "@everyone <!channel>"))
        site.hook("p1", receiver, form="content")
        site.rolls()
        receiver.until(lambda: len(receiver.good) == 1)
        [call] = receiver.good
        assert call.json["content"] == call.json["text"]
        assert call.json["allowed_mentions"] == {"parse": []}
        assert "@everyone" not in call.json["text"]
        assert "<" not in call.json["text"]
        assert not {name for name in call.headers if name.startswith("webhook-")}


def test_a_call_is_signed_as_standard_webhooks_has_it(tmp_path: Path, receiver: Receiver) -> None:
    with begun(tmp_path, receiver) as site:
        secret = site.hook("p1", receiver)["secret"]
        site.rolls()
        receiver.until(lambda: len(receiver.good) == 1)
        [call] = receiver.good
    assert secret.startswith("whsec_")
    key = base64.b64decode(secret[6:])
    id, at = call.headers["webhook-id"], call.headers["webhook-timestamp"]
    signed = b".".join([id.encode(), at.encode(), call.body])
    found = hmac.new(key, signed, hashlib.sha256).digest()
    assert call.headers["webhook-signature"] == f"v1,{base64.b64encode(found).decode()}"
    assert abs(int(at) - time.time()) < 60
    assert call.headers["content-type"] == "application/json"
    assert {"type", "timestamp", "data"} == call.json.keys()


def test_what_is_secret_of_a_hook_is_in_no_other_answer(
    tmp_path: Path, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    with begun(tmp_path, receiver) as site:
        made = site.hook("p1", receiver)
        site.rolls()
        receiver.until(lambda: receiver.good)
        for who in ("p1", "p2", NARRATOR):
            for path in ("/hooks", "", "/entries", "/bundle"):
                text = site.ask(who, "GET", path).text
                assert made["secret"] not in text
                assert "/told" not in text
        assert site.hooks("p2") == site.hooks(NARRATOR) == []
        figures = httpx.get(f"{site.served.url}/metrics", headers=bearer(site.served.host_token))
        assert "/told" not in figures.text
        answer = site.ask("p2", "POST", "/hooks/test", {"hook": made["hook"]["id"]})
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown")
        site.ask("p2", "DELETE", f"/hooks/{made['hook']['id']}")
        assert len(site.hooks("p1")) == 1
    assert "/told" not in caplog.text
    assert made["secret"] not in caplog.text


# --- who comes and goes ---------------------------------------------------------------------------


def test_a_hook_that_was_taken_away_or_lost_its_token_is_told_nothing(
    tmp_path: Path, receiver: Receiver
) -> None:
    with begun(tmp_path, receiver) as site:
        made = [site.hook(who, receiver)["hook"]["id"] for who in ("p1", "p2")]
        site.rolls()
        receiver.until(lambda: len(receiver.good) == 2)
        assert site.ask("p1", "DELETE", f"/hooks/{made[0]}").json()["hooks"] == []
        site.ask(NARRATOR, "DELETE", "/seats/p2/holders")
        site.rolls()
        time.sleep(1)
        assert len(receiver.good) == 2


def test_there_are_four_hooks_of_a_seat(tmp_path: Path, receiver: Receiver) -> None:
    with begun(tmp_path, receiver) as site:
        for _ in range(4):
            site.hook("p1", receiver)
        answer = site.ask("p1", "POST", "/hooks", {"url": receiver.url})
        assert (answer.status_code, answer.json()["code"]) == (429, "over-budget")


def test_a_seat_that_left_is_told_nothing_more(tmp_path: Path, receiver: Receiver) -> None:
    with begun(tmp_path, receiver) as site:
        site.hook("p2", receiver)
        site.does(NARRATOR, c.LeaveSeat("p2"))
        hook = site.until("p2", over=True)
        assert hook["why"] == "the seat is not at the table any more"
        site.rolls()
        time.sleep(0.5)
        assert receiver.calls == []


def test_a_turn_that_is_over_at_once_is_not_told(tmp_path: Path, receiver: Receiver) -> None:
    with begun(tmp_path, receiver) as site:
        site.hook("p1", receiver)
        rolls = [site.rolls() for _ in range(20)]
        receiver.until(lambda: len(receiver.good) >= 20)
        assert types(receiver) == [("roll.ended", roll) for roll in rolls]


# --- test calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manner", "status", "why"),
    [
        ("good", 204, ""),
        ("500", 500, "it answered 500"),
        ("redirect", 307, "it answered 307"),
        ("hang", None, "no answer came within 0.5 seconds"),
        ("close", None, "cannot be reached, or closed"),
        ("cut", None, "cannot be reached, or closed"),
        ("junk", None, "cannot be reached, or closed"),
    ],
)
def test_a_test_call_says_what_was_answered(
    manner: Any, status: int | None, why: str, tmp_path: Path
) -> None:
    with Receiver(manner) as receiver, begun(tmp_path, receiver) as site:
        id = site.hook("p1", receiver)["hook"]["id"]
        answer = site.ask("p1", "POST", "/hooks/test", {"hook": id}).json()
        assert answer["status"] == status
        assert why in answer["why"]
        assert bool(answer["why"]) == bool(why)
        assert receiver.came == 1
        if receiver.good:
            assert receiver.good[0].json["type"] == "test.call"


def test_test_calls_have_a_pace(tmp_path: Path, receiver: Receiver) -> None:
    with begun(tmp_path, receiver) as site:
        asked = {"hook": site.hook("p1", receiver)["hook"]["id"]}
        answers = [site.ask("p1", "POST", "/hooks/test", asked) for _ in range(4)]
        assert [each.status_code for each in answers] == [200, 200, 200, 429]
        assert answers[-1].json()["code"] == "too-fast"
        assert int(answers[-1].headers["retry-after"]) > 5


# --- who does not take it -------------------------------------------------------------------------


@pytest.mark.sampled(2, rest=1)
@pytest.mark.parametrize("manner", ["500", "hang", "close", "cut", "redirect", "junk"])
def test_who_fails_is_told_again_in_order_and_says_so_meanwhile(
    manner: Any, tmp_path: Path
) -> None:
    with Receiver(manner) as receiver, begun(tmp_path, receiver) as site:
        site.hook("p1", receiver)
        rolls = [site.rolls() for _ in range(3)]
        hook = site.until("p1", told=None)
        receiver.until(lambda: receiver.came >= 2)
        hook = site.hooks("p1")[0]
        assert hook["failing"] is not None
        assert hook["why"]
        receiver.manner = lambda: "good"
        receiver.until(lambda: len(receiver.good) == 3)
        assert types(receiver) == [("roll.ended", roll) for roll in rolls]
        # What failed came again under the same id.
        ended = [call for call in receiver.calls if call.json["type"] == "roll.ended"]
        assert len({call.headers["webhook-id"] for call in ended}) == 3
        assert site.until("p1", failing=None)["why"] == ""


def test_who_is_slow_holds_up_nobody(tmp_path: Path) -> None:
    with ExitStack() as stack:
        slow, quick = stack.enter_context(Receiver("hang")), stack.enter_context(Receiver())
        site = stack.enter_context(begun(tmp_path, slow, quick, patience=5.0))
        for who in ("p1", "p1", "p2"):
            site.hook(who, slow)
        site.hook(NARRATOR, quick)
        for number in range(3):
            site.rolls()
            start = time.monotonic()
            quick.until(lambda known=number: len(quick.good) == known + 1)  # type: ignore[misc]
            assert time.monotonic() - start < 2
        assert slow.came >= 3
        assert slow.good == []


def test_who_takes_nothing_for_a_day_is_given_up_by_name(tmp_path: Path) -> None:
    clock = Ahead()
    with Receiver("500") as receiver, begun(tmp_path, receiver, now=clock) as site:
        made = site.hook("p1", receiver)["hook"]
        site.rolls()
        since = site.until("p1", why="it answered 500")["failing"]
        clock.more = DAY - 10_000
        site.served.soon(site.served.here.hooked.ring)
        receiver.until(lambda: receiver.came >= 2)
        assert not site.hooks("p1")[0]["over"]
        clock.more = DAY + 1_000_000
        site.served.soon(site.served.here.hooked.ring)
        hook = site.until("p1", over=True)
        assert (hook["failing"], hook["why"]) == (since, "it answered 500")
        came = receiver.came
        site.rolls()
        time.sleep(0.5)
        assert receiver.came == came
        # A test call that is taken lets it go on, from there.
        receiver.manner = lambda: "good"
        assert site.ask("p1", "POST", "/hooks/test", {"hook": made["id"]}).json()["status"] == 204
        site.until("p1", over=False, failing=None)
        last = site.rolls()
        receiver.until(lambda: types(receiver)[1:] == [("roll.ended", last)])


def test_who_says_that_it_is_gone_is_given_up_at_once(tmp_path: Path) -> None:
    with Receiver("gone") as receiver, begun(tmp_path, receiver) as site:
        site.hook("p1", receiver)
        site.rolls()
        assert site.until("p1", over=True)["why"] == "it answered 410"


def test_who_asks_for_time_is_given_it(tmp_path: Path) -> None:
    clock = Ahead()
    with Receiver("late") as receiver, begun(tmp_path, receiver, now=clock) as site:
        site.hook("p1", receiver)
        site.rolls()
        site.until("p1", why="it answered 429")
        time.sleep(2.5)
        assert receiver.came == 1
        clock.more = 31_000
        site.served.soon(site.served.here.hooked.ring)
        receiver.until(lambda: receiver.came == 2)


# --- several servers ------------------------------------------------------------------------------


def test_of_two_servers_one_calls(tmp_path: Path, receiver: Receiver) -> None:
    fast = {"tests": Buckets(1_000, 1_000)}
    with begun(tmp_path, receiver, **fast) as site:
        site.hook("p1", receiver)
        with Served(tmp_path, calls=(receiver.place,), call_patience=0.5):
            time.sleep(0.5)
            rolls = [site.rolls() for _ in range(5)]
            receiver.until(lambda: len(receiver.good) >= 5)
            time.sleep(2)
        assert types(receiver) == [("roll.ended", roll) for roll in rolls]
