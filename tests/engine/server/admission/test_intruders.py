"""Attacks on the way in: tokens that are not good, leaked links, guesses, and what logs show."""

import asyncio
import io
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.engine.helpers.clocks import Ahead, Seconds
from tests.engine.helpers.stages.server import NARRATOR, Served, bearer
from tests.engine.helpers.stages.sockets import opened, run
from tests.engine.helpers.stages.sooner import PATIENCE
from urim.engine.access.protocol import DAY
from urim.engine.access.secret import draw, hashed
from urim.engine.server.admission.guesses import Guesses
from urim.engine.wire import numbers
from urim.errors import Refused, Unavailable

TABLE = "table001"
CLIENT = "client-0000000000000001"


def leads(served: Served, secret: str) -> httpx.Response:
    return httpx.post(f"{served.url}/access/invitation", json={"secret": secret})


def exchange(served: Served, secret: str, who: str = CLIENT, **headers: str) -> httpx.Response:
    body = {"secret": secret, "client": who}
    return httpx.post(f"{served.url}/access/exchange", json=body, headers=headers)


def mine(served: Served, *headers: tuple[str, str]) -> httpx.Response:
    return httpx.get(f"{served.url}/access", headers=list(headers))


def with_token(served: Served, token: str) -> httpx.Response:
    return mine(served, ("Authorization", f"Bearer {token}"))


# --- tokens that are not good ---------------------------------------------------------------------


def same(answer: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """All of an answer but when it came."""
    headers = {name: value for name, value in answer.headers.items() if name != "date"}
    return answer.status_code, answer.content, headers


def test_every_token_that_is_not_good_gets_the_same_bytes_and_headers(tmp_path: Path) -> None:
    clock = Ahead()
    with Served(tmp_path, now=clock) as served:
        tokens = served.open(TABLE)
        expired = tokens["p2"]
        assert with_token(served, expired).status_code == 200
        clock.more = 367 * DAY
        good = served.token(TABLE, "auditor")
        revoked = served.token(TABLE, "auditor")
        with_token(served, revoked)
        httpx.delete(f"{served.url}/access", headers=bearer(revoked))
        invitation = served.invitation(TABLE, "auditor")
        kinds = {
            "none": mine(served),
            "empty": mine(served, ("Authorization", "Bearer")),
            "wrong": with_token(served, draw("t").reveal()),
            "nearly right": with_token(served, good[:-1]),
            "no form": with_token(served, "%00\t'; DROP TABLE tokens;--"),
            "long": with_token(served, "x" * 10_000),
            "longer than right": with_token(served, good + "x"),
            "expired": with_token(served, expired),
            "revoked": with_token(served, revoked),
            "an invitation": with_token(served, invitation),
            "another scheme": mine(served, ("Authorization", f"Basic {good}")),
            "twice": mine(
                served, ("Authorization", f"Bearer {good}"), ("Authorization", f"Bearer {good}")
            ),
            "in a cookie": mine(served, ("Cookie", f"token={good}")),
            "in the address": httpx.get(f"{served.url}/access?access_token={good}"),
            "a link that opens nothing": exchange(served, draw("i").reveal()),
        }
        assert with_token(served, good).status_code == 200
    assert len({repr(same(answer)) for answer in kinds.values()}) == 1, kinds
    assert kinds["none"].status_code == 401
    assert kinds["none"].headers["www-authenticate"] == "Bearer"
    assert kinds["none"].headers["cache-control"] == "no-store"


def test_the_same_work_is_done_for_every_token_that_is_not_good(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    lookup = served.access.lookup

    async def look(token: str, now: int) -> Any:
        looked.append(token)
        return await lookup(token, now)

    monkeypatch.setattr(served.access, "lookup", look)
    mine(served)
    with_token(served, "no form")
    with_token(served, draw("t").reveal())
    mine(served, ("Authorization", "Basic xyz"))
    assert len(looked) == 4
    assert looked[0] != looked[3]
    assert all(looked[each].startswith("urim-t1-") for each in (0, 2, 3))


def test_an_invitation_expires_with_the_server_s_clock(tmp_path: Path) -> None:
    clock = Ahead()
    with Served(tmp_path, now=clock) as served:
        gm = served.open(TABLE)[NARRATOR]
        answer = httpx.post(
            f"{served.url}/tables/{TABLE}/invitations",
            headers=bearer(gm),
            json={"role": "player", "seconds": 60},
        ).json()
        clock.more = 60_001
        assert exchange(served, answer["secret"]).status_code == 401
        clock.more = 0
        assert exchange(served, answer["secret"]).status_code == 200


# --- links that leaked ----------------------------------------------------------------------------


def test_the_host_s_link_is_good_once_and_a_new_one_ends_the_old_one(served: Served) -> None:
    old = served.host_token
    link = served.run(served.access.host_link(served.here.now(), new=True))
    assert link is not None
    assert with_token(served, old).status_code == 401
    token = exchange(served, link.reveal()).json()["token"]
    assert with_token(served, token).json()["role"] == "host"
    assert exchange(served, link.reveal(), "client-of-somebody-else-1").status_code == 401


# --- guesses --------------------------------------------------------------------------------------


@contextmanager
def guessed(path: Path, **settings: Any) -> Generator[tuple[Served, Seconds, Guesses]]:
    """A server whose time for guesses stands."""
    seconds = Seconds()
    guesses = Guesses(rate=1.0, burst=5, clock=seconds)
    with Served(path, known={"guesses": guesses}, **settings) as served:
        yield served, seconds, guesses


@pytest.mark.parametrize(
    "guess",
    [
        lambda served: with_token(served, draw("t").reveal()),
        lambda served: exchange(served, draw("i").reveal()),
        lambda served: exchange(served, "x"),
        lambda served: leads(served, draw("i").reveal()),
    ],
    ids=["tokens", "invitations", "what has no form", "where an invitation leads"],
)
def test_who_guesses_too_fast_waits_and_who_is_in_already_does_not(
    tmp_path: Path, guess: Callable[[Served], httpx.Response]
) -> None:
    with guessed(tmp_path) as (served, seconds, _):
        tokens = served.open(TABLE)
        assert with_token(served, tokens["p1"]).status_code == 200
        for _ in range(5):
            assert guess(served).status_code == 401
        late = guess(served)
        assert late.status_code == 429
        assert late.json()["code"] == "too-fast"
        assert late.headers["retry-after"] == "1"
        assert with_token(served, tokens["p1"]).status_code == 200
        # Who is new waits, with a good token too: it is not looked at.
        assert with_token(served, tokens["p2"]).status_code == 429
        seconds.now += 1
        assert with_token(served, tokens["p2"]).status_code == 200


def test_a_socket_of_an_address_that_guessed_too_fast_is_closed_for_now(tmp_path: Path) -> None:
    with guessed(tmp_path) as (served, _, __):
        token = served.open(TABLE)["p1"]
        answers = [with_token(served, draw("t").reveal()) for _ in range(6)]
        assert answers[-1].status_code == 429

        async def scene() -> None:
            async with opened(served, TABLE) as client:
                await client.send(type="enter", token=token)
                assert await client.closed() == numbers.MANY

        run(scene())


def test_tokens_that_are_guessed_at_once_are_guessed_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with guessed(tmp_path) as (served, _, __):
        looked_up = []
        lookup = served.access.lookup

        async def slow(token: str, now: int) -> Any:
            looked_up.append(token)
            await asyncio.sleep(0)
            return await lookup(token, now)

        monkeypatch.setattr(served.access, "lookup", slow)

        async def scene() -> None:
            async with httpx.AsyncClient(timeout=PATIENCE) as client:
                many = (
                    client.get(f"{served.url}/access", headers=bearer(f"wrong-{each}"))
                    for each in range(20)
                )
                answers = await asyncio.gather(*many)
            assert len(looked_up) == 5
            assert sorted(each.status_code for each in answers) == [401] * 5 + [429] * 15

        run(scene())


@pytest.mark.parametrize(
    ("error", "status"),
    [(Unavailable("locked"), 503), (Refused("over-budget", "busy"), 429), (None, 422)],
    ids=["unavailable", "over-budget", "malformed"],
)
def test_what_could_not_be_looked_at_is_no_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception | None, status: int
) -> None:
    async def fails(*_: object) -> None:
        raise error or AssertionError

    with guessed(tmp_path) as (served, _, guesses):
        served.open(TABLE)
        secret = served.invitation(TABLE, "auditor")
        with monkeypatch.context() as patched:
            if error is not None:
                patched.setattr(served.access, "exchange", fails)
            who = CLIENT if error is not None else "x"
            answers = [exchange(served, secret, who) for _ in range(8)]
        assert [answer.json()["code"] for answer in answers][-1] != "too-fast"
        assert {answer.status_code for answer in answers} == {status}
        assert len(guesses) == 0
        assert exchange(served, secret).status_code == 200


def test_a_right_invitation_is_no_guess(tmp_path: Path) -> None:
    with guessed(tmp_path) as (served, _, guesses):
        served.open(TABLE)
        for number in range(8):
            secret = served.invitation(TABLE, "auditor")
            assert exchange(served, secret, f"client-{number:016}").status_code == 200
        assert len(guesses) == 0


def test_a_token_that_was_good_is_a_guess_once_it_is_revoked(tmp_path: Path) -> None:
    with guessed(tmp_path) as (served, _, guesses):
        token = served.open(TABLE)["p1"]
        with_token(served, token)
        assert guesses.knows(token)
        httpx.delete(f"{served.url}/access", headers=bearer(token))
        answers = [with_token(served, token).status_code for _ in range(7)]
        assert answers == [401] * 5 + [429] * 2
        assert not guesses.knows(token)


def test_a_header_that_names_another_address_changes_nothing(tmp_path: Path) -> None:
    with guessed(tmp_path) as (served, _, guesses):
        for number in range(8):
            spoofed = {
                "X-Forwarded-For": f"198.51.100.{number}",
                "X-Real-IP": f"203.0.113.{number}",
            }
            answer = exchange(served, draw("i").reveal(), **spoofed)
            assert answer.status_code == (401 if number < 5 else 429)
        assert len(guesses) == 1


def test_a_proxy_that_is_believed_is_no_client_that_may_name_others(tmp_path: Path) -> None:
    with guessed(tmp_path, behind_proxy=True) as (served, _, __):
        answers = [
            mine(
                served,
                ("Authorization", "Bearer wrong"),
                ("X-Forwarded-For", f"198.51.100.{number}, 127.0.0.1"),
            )
            for number in range(6)
        ]
        assert answers[-1].status_code == 429


def test_behind_a_proxy_the_address_is_the_one_that_it_added(tmp_path: Path) -> None:
    with guessed(tmp_path, behind_proxy=True) as (served, _, guesses):
        for number in range(8):
            spoofed = f"198.51.100.{number}, 192.0.2.1"
            answer = exchange(served, draw("i").reveal(), **{"X-Forwarded-For": spoofed})
            assert answer.status_code == (401 if number < 5 else 429)
        other = exchange(served, draw("i").reveal(), **{"X-Forwarded-For": "192.0.2.2"})
        assert other.status_code == 401
        assert len(guesses) == 2


# --- what logs and errors show --------------------------------------------------------------------


def test_no_log_and_no_answer_shows_a_secret_that_was_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    for name in (
        "",
        "urim",
        "uvicorn",
        "uvicorn.error",
        "uvicorn.access",
        "litestar",
        "websockets",
    ):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.DEBUG)
        monkeypatch.setattr(logging.getLogger(name), "disabled", False)
    # The client's own lines have what it was given.
    handler.addFilter(lambda record: not record.name.startswith(("httpx", "httpcore")))
    root.addHandler(handler)
    try:
        with Served(tmp_path, known={"guesses": Guesses(burst=1_000_000)}) as served:
            secrets, answers = _everything_wrong(served)
    finally:
        root.removeHandler(handler)
    text = stream.getvalue()
    assert "admitted" in text
    assert "revoked" in text
    for secret in secrets:
        shown = (secret, secret[8:], hashed(secret).hex(), hashed(secret).hex()[:16])
        assert [line for line in text.splitlines() if any(each in line for each in shown)] == []
        assert [answer for answer in answers if any(each in answer for each in shown)] == []


def _everything_wrong(served: Served) -> tuple[list[str], list[str]]:
    """Secrets, sent wherever they may be sent by mistake; and the answers of all that failed."""
    tokens = served.open(TABLE)
    host, gm = served.host_token, tokens[NARRATOR]
    invitation = served.invitation(TABLE, "narrator", "second")
    secrets = [*tokens.values(), host, invitation, draw("t").reveal(), draw("i").reveal()]
    answers = []
    for secret in secrets:
        answers += [
            with_token(served, secret + "x"),
            exchange(served, secret + "x"),
            exchange(served, "none", secret),
            exchange(served, "none", secret + "!"),
            httpx.get(f"{served.url}/tables/{secret}", headers=bearer(gm)),
            httpx.get(f"{served.url}/{secret}", headers=bearer(gm)),
            httpx.get(f"{served.url}/access?token={secret}"),
            httpx.post(f"{served.url}/access/exchange", json={secret: "x", "client": CLIENT}),
            httpx.post(f"{served.url}/access/exchange", json={"secret": [secret], "client": 1}),
            httpx.post(f"{served.url}/access/exchange", content=secret.encode()),
            httpx.post(f"{served.url}/tables", headers=bearer(host), json={"table": secret}),
            httpx.delete(f"{served.url}/tables/{TABLE}/holders/{secret}", headers=bearer(gm)),
        ]
    good = exchange(served, invitation).json()["token"]
    httpx.delete(f"{served.url}/access", headers=bearer(good))
    # A good token's holder may be shown what it sent itself; nobody else is.
    return [*secrets, good], [answer.text for answer in answers]
