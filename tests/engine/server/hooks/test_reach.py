"""Whom a server calls: no spelling of an address inside leads there, nor a name, nor a redirect."""

import asyncio
from collections.abc import Sequence

import pytest

from tests.engine.helpers.stages.receiver import Receiver
from urim.engine.server.hooks.caller import Answer, Caller
from urim.engine.server.hooks.reach import is_open, target_of
from urim.engine.server.process.config import Config
from urim.errors import Refused

SPELLINGS: Sequence[str] = (
    # this machine, by name and in every number
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.1/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://017700000001/",
    "https://0177.0.0.1/",
    "https://0177.0.0.0x1/",
    "https://127.0.0.1./",
    "https://127.000.000.001/",
    "https://0/",
    "https://0.0.0.0/",
    "https://255.255.255.255/",
    "https://[::1]/",
    "https://[::]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::10.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:0:7f00:1::]/",
    # others inside
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.64.0.1/",
    "https://192.0.0.192/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[fec0::1]/",
    "https://[ff02::1]/",
    "https://[2001:db8::1]/",
    # who reads the host otherwise
    "https://chat.example@127.0.0.1/",
    "https://user:word@chat.example/",
    "https://chat.example#@127.0.0.1/",
    "https://chat.example\\@127.0.0.1/",
    "https://127.0.0.1\\.chat.example/",
    "https://１２７.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https://127.0.0.1%2f.chat.example/",
    "https://chat.example:443@127.0.0.1/",
    "https:///127.0.0.1/",
    "https:127.0.0.1/",
    "https://chat.example:0x1bb/",
    "https://chat.example:99999/",
    "https://-chat.example/",
    "https://chat..example/",
    "https://chat_room.example/",
    "https://chat.example/ 127.0.0.1",
    "https://chat.example/\r\nHost: 127.0.0.1",
    "https://chat.example/\t",
    # another way in
    "http://chat.example/",
    "http://chat.example:443/",
    "https://chat.example:22/",
    "https://chat.example:6379/",
    "ftp://chat.example/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "//chat.example/",
    "chat.example",
    "",
)

INSIDE = (
    "127.0.0.1", "10.1.2.3", "169.254.169.254", "0.0.0.0", "100.64.0.1", "::1", "::",  # noqa: S104
    "::ffff:10.0.0.1", "fe80::1%eth0", "fd12::1", "64:ff9b::a00:1", "2002:a00:1::1",
)  # fmt: skip
"""What a name may lead to."""

OPEN = ("8.8.8.8", "2606:4700::1111")


def caller(*answers: Sequence[str], calls: Sequence[str] = (), patience: float = 2.0) -> Caller:
    """One that is given these addresses of every name, the next ones each time it asks."""
    left = [list(each) for each in answers]

    async def resolve(host: str, port: int) -> list[str]:
        assert host
        assert port
        return left.pop(0) if len(left) > 1 else left[0]

    return Caller(Config(calls=tuple(calls), call_patience=patience), resolve)


def called(by: Caller, url: str) -> Answer:
    return asyncio.run(by.call(url, {}, b"{}"))


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Whom somebody tried to reach: nobody is reached."""
    tried: list[object] = []

    async def connect(host: object, port: object, **_: object) -> None:
        tried.append((host, port))
        raise OSError("nobody is there")

    monkeypatch.setattr(asyncio, "open_connection", connect)
    return tried


@pytest.mark.parametrize("url", SPELLINGS)
def test_no_spelling_leads_inside(url: str, nobody: list[object]) -> None:
    # A resolver that reads every number as it likes, as some do.
    by = caller(["127.0.0.1"])
    with pytest.raises(Refused) as refused:
        target_of(url)
    assert refused.value.allowed
    assert called(by, url).status is None
    assert nobody == []


def test_there_are_enough_spellings() -> None:
    assert len(SPELLINGS) >= 60
    assert len({*SPELLINGS}) == len(SPELLINGS)


@pytest.mark.parametrize("address", INSIDE)
def test_no_name_leads_inside(address: str, nobody: list[object]) -> None:
    for found in ([address], [*OPEN, address], [address, *OPEN]):
        answer = called(caller(found), "https://chat.example/")
        assert "inside" in answer.why
        assert address not in answer.why
    assert nobody == []
    assert not is_open(address)


def test_a_name_without_addresses_leads_nowhere(nobody: list[object]) -> None:
    assert called(caller([]), "https://chat.example/").status is None
    assert nobody == []


def test_what_was_looked_at_is_connected_to_though_the_name_changes(nobody: list[object]) -> None:
    by = caller([OPEN[0]], ["127.0.0.1"])
    called(by, "https://chat.example/hooks")
    assert nobody == [(OPEN[0], 443)]
    assert "inside" in called(by, "https://chat.example/hooks").why
    assert nobody == [(OPEN[0], 443)]


def test_the_addresses_of_a_name_are_tried_in_turn(nobody: list[object]) -> None:
    called(caller(["8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1"]), "https://chat.example/")
    assert nobody == [("8.8.8.8", 443), ("8.8.4.4", 443), ("1.1.1.1", 443)]


@pytest.mark.parametrize("address", [*OPEN, "1.1.1.1", "172.32.0.1", "100.128.0.1", "2a00::1"])
def test_somebody_outside_is_called(address: str) -> None:
    assert is_open(address)
    shown = f"[{address}]" if ":" in address else address
    target = target_of(f"https://{shown}/hooks/1?wait=true")
    assert (target.host, target.port, target.path) == (address, 443, "/hooks/1?wait=true")
    assert target.authority == shown


def test_a_path_is_sent_as_it_is() -> None:
    target = target_of("https://chat.example/hooks/a%2Fb//c?x=1&y=%20")
    assert target.path == "/hooks/a%2Fb//c?x=1&y=%20"
    assert target_of("https://CHAT.example").path == "/"


# --- whom the host names --------------------------------------------------------------------------


def test_a_host_that_is_named_is_called_and_nobody_beside_it() -> None:
    named = ("10.0.0.5", "chat.lan:8065", "[fd00::5]:9000")
    good = (
        "https://10.0.0.5/x",
        "http://10.0.0.5/x",
        "http://chat.lan:8065/",
        "http://[fd00::5]:9000/",
    )
    for url in good:
        assert target_of(url, named).named
    for url in (
        "http://10.0.0.5:81/",
        "http://chat.lan/",
        "https://10.0.0.6/",
        "http://[fd00::5]/",
    ):
        with pytest.raises(Refused):
            target_of(url, named)


def test_a_redirect_from_a_host_that_is_named_leads_nowhere() -> None:
    with Receiver("redirect") as receiver:
        by = Caller(Config(calls=(receiver.place,)))
        answer = called(by, receiver.url)
        assert (answer.status, answer.why) == (307, "it answered 307")
        assert receiver.came == 1


def test_the_host_is_called_by_its_name() -> None:
    with Receiver() as receiver:
        place = f"chat.lan:{receiver.port}"
        assert called(caller(["127.0.0.1"], calls=[place]), f"http://{place}/x").good
        assert receiver.calls[0].headers["host"] == place


@pytest.mark.parametrize(
    "text",
    ["", "10.0.0.5:x", "http://10.0.0.5", "10.0.0.5/8", "a b", "*", "Chat.lan", "0x7f.1", "[::1"],
)
def test_what_is_no_host_is_refused_by_the_settings(text: str) -> None:
    with pytest.raises(Refused, match="no host"):
        Config(calls=(text,))


def test_an_address_is_not_shown_where_it_is_refused() -> None:
    for url in (
        "https://chat.example/secret\\",
        "ftp://x/secret",
        f"https://chat.example/{'s' * 999}",
    ):
        with pytest.raises(Refused) as refused:
            target_of(url)
        assert "secret" not in f"{refused.value}"
