"""How often an address may be wrong: by the bucket, whatever its address looks like, in bounds."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from litestar.datastructures import Headers

from tests.engine.helpers.clocks import Seconds
from urim.engine.server.admission.addresses import address_of
from urim.engine.server.admission.denied import Denied
from urim.engine.server.admission.guesses import Guesses
from urim.engine.server.process.config import Config


def wrong(guesses: Guesses, address: str, times: int) -> int:
    """How many guesses of an address were let through."""
    done = 0
    for _ in range(times):
        try:
            guesses.wrong(address)
        except Denied:
            continue
        done += 1
    return done


def test_a_bucket_fills_again_with_time() -> None:
    clock = Seconds(0.0)
    guesses = Guesses(rate=0.5, burst=3, clock=clock)
    assert wrong(guesses, "one", 5) == 3
    with pytest.raises(Denied) as denied:
        guesses.check("one")
    assert denied.value.retry_after == 2.0
    assert wrong(guesses, "other", 5) == 3
    clock.now = 2.0
    assert wrong(guesses, "one", 5) == 1
    clock.now = 1_000_000.0
    assert wrong(guesses, "one", 5) == 3


def test_a_guess_that_was_right_is_given_back() -> None:
    guesses = Guesses(burst=2, clock=Seconds(0.0))
    for _ in range(10):
        guesses.wrong("one")
        guesses.right("one")
    assert len(guesses) == 0
    guesses.wrong("one")
    guesses.wrong("one")
    guesses.right("one")
    assert wrong(guesses, "one", 2) == 1


def test_what_is_remembered_of_a_million_addresses_and_tokens_is_bounded() -> None:
    guesses = Guesses(addresses=10, clock=Seconds(0.0))
    for number in range(1_000):
        guesses.wrong(str(number))
        guesses.good(f"token {number}")
    assert len(guesses) == 20
    assert guesses.knows("token 999")
    assert not guesses.knows("token 989")
    guesses.bad("token 999")
    assert not guesses.knows("token 999")


def test_an_address_that_is_still_wrong_is_not_the_one_that_is_forgotten() -> None:
    guesses = Guesses(burst=2, addresses=10, clock=Seconds(0.0))
    assert wrong(guesses, "one", 2) == 2
    for number in range(9):
        guesses.wrong(str(number))
    guesses.right("0")
    assert wrong(guesses, "one", 1) == 0


PROXY = Config(behind_proxy=True)


def address(client: str | None, *lines: str, config: Config = PROXY) -> str:
    host = None if client is None else SimpleNamespace(host=client)
    headers = Headers([(b"x-forwarded-for", line.encode()) for line in lines])
    return address_of(cast(Any, SimpleNamespace(client=host, headers=headers)), config)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["192.0.2.1"], "192.0.2.1"),
        (["198.51.100.1, 192.0.2.1"], "192.0.2.1"),
        (["198.51.100.1", "192.0.2.1"], "192.0.2.1"),
        (["192.0.2.1:4711"], "192.0.2.1"),
        (["[2001:db8:1:2:3:4:5:6]:4711"], "2001:db8:1:2::"),
        (["2001:db8:1:2:ffff::1"], "2001:db8:1:2::"),
        (["::ffff:192.0.2.1"], "192.0.2.1"),
        (["unknown"], "127.0.0.1"),
        (["192.0.2.1,"], "127.0.0.1"),
        ([""], "127.0.0.1"),
        ([], "127.0.0.1"),
        (["x" * 10_000], "127.0.0.1"),
    ],
)
def test_behind_a_proxy_the_last_address_counts(lines: list[str], found: str) -> None:
    assert address("127.0.0.1", *lines) == found


def test_who_is_no_proxy_is_not_believed() -> None:
    assert address("192.0.2.7", "198.51.100.1") == "192.0.2.7"
    assert address("127.0.0.1", "198.51.100.1", config=Config()) == "127.0.0.1"
    assert address(None, "198.51.100.1") == ""
