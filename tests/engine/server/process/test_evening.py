"""Where an evening's server listens: private addresses alone, and one port on all of them."""

import socket
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from urim.engine.server.process import evening
from urim.errors import Refused


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.5", "169.254.3.4", "127.0.0.1",
     "fd12:3456::1", "::1"],
)  # fmt: skip
def test_private_addresses_are_allowed(address: str) -> None:
    assert evening.checked(address) == address


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("8.8.8.8", "8.8.8.8 is no private address: others could reach it"),
        ("172.32.0.1", "172.32.0.1 is no private address"),
        ("192.0.2.1", "192.0.2.1 is no private address"),
        ("100.64.0.1", "100.64.0.1 is no private address"),
        ("2001:db8::1", "2001:db8::1 is no private address"),
        ("fe80::1", "fe80::1 is no private address"),
        ("::ffff:8.8.8.8", "::ffff:8.8.8.8 is no private address"),
        ("0.0.0.0", "0.0.0.0 is every address of this machine, public ones too"),  # noqa: S104
        ("::", ":: is every address of this machine, public ones too"),
    ],
)
def test_every_other_address_is_refused_and_why(address: str, why: str) -> None:
    with pytest.raises(Refused, match=rf"^{why}") as refused:
        evening.checked(address)
    assert refused.value.code == "not-offered"


@pytest.mark.parametrize("address", ["", "laptop", "10.0.0.1:8000", "10.0.0", "http://10.0.0.1"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(Refused) as refused:
        evening.checked(address)
    assert refused.value.code == "malformed"
    assert repr(address) in refused.value.why


def test_what_is_found_by_itself_is_private_and_no_loopback() -> None:
    found = evening.own_addresses()
    assert [evening.checked(each) for each in found] == list(found)
    assert not [each for each in found if each.startswith("127.") or each == "::1"]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("Laptop", ("laptop", "laptop.local")),
        ("laptop.home.arpa", ("laptop.home.arpa", "laptop.local")),
        ("localhost", ()),
        ("", ()),
    ],
)
def test_a_machine_has_its_name_and_that_under_local(
    name: str, names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    assert evening.own_names() == names


# --- ports ----------------------------------------------------------------------------------------


@contextmanager
def two_ports() -> Generator[tuple[int, int]]:
    """A port that is in use on 127.0.0.2, and one that is free."""
    with socket.create_server(("127.0.0.2", 0)) as busy:
        with socket.create_server(("127.0.0.1", 0)) as other:
            free: int = other.getsockname()[1]
        yield busy.getsockname()[1], free


BOTH = ("127.0.0.1", "127.0.0.2")


def test_the_next_port_that_is_free_on_all_addresses_is_taken() -> None:
    with two_ports() as (busy, free), ExitStack() as held:
        listeners = evening.listening(BOTH, (busy, free))
        for each in listeners:
            held.enter_context(closing(each))
        assert [each.getsockname() for each in listeners] == [(each, free) for each in BOTH]
        with socket.create_server(("127.0.0.1", busy)):
            pass  # what it had of the first port it gave back


def test_where_no_port_is_free_it_is_refused() -> None:
    with two_ports() as (busy, _), pytest.raises(Refused) as refused:
        evening.listening(BOTH, (busy,))
    assert refused.value.code == "taken"
    assert f"127.0.0.2, port {busy} is in use" in refused.value.why


def test_an_address_of_another_machine_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        evening.listening(("127.0.0.1", "10.255.255.1"), (0, 0))
    assert refused.value.code == "unreadable"
