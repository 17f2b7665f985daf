"""A seat with a key: what its requests must bring, and what is refused without."""

import os
from base64 import b64decode, b64encode
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct
from msgspec.structs import replace

from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.commands import Asking, worded
from urim.engine.core.parse import body_of
from urim.engine.core.signed import Signed
from urim.errors import Refused
from urim.events.asked import Asked, Seen, signed
from urim.events.codec import asked_in
from urim.events.entry import Entry
from urim.events.merkle import EMPTY_ROOT
from urim.events.share import link

TABLE = "table001"
ORIGIN = f"urim.local/t/{TABLE}"
LAST = "11" * 32
NOTHING = Seen(0, EMPTY_ROOT.hex())


class Client(Struct):
    """What a seat's own process holds: its key, and the log that it was sent."""

    table: Aggregate
    seat: str
    private: Ed25519PrivateKey
    origin: str = ORIGIN
    count: int = 0

    @property
    def public(self) -> str:
        return b64encode(self.private.public_key().public_bytes_raw()).decode()

    def head(self, size: int | None = None) -> Seen:
        """A head of the log, the newest unless a size is given."""
        size = len(self.table.entries) if size is None else size
        return Seen(size, self.table.root_at(size).hex())

    def signed(self, command: c.Command, request: str, seen: Seen | None = None) -> Signed:
        seen = seen or self.head()
        asked = Asked(request, body_of(command).decode(), seen)
        made = self.private.sign(signed(self.origin, self.seat, asked))
        return Signed(seen, b64encode(made).decode())

    def ask(self, asking: Asking, seen: Seen | None = None) -> tuple[Entry, ...]:
        """Ask for a command, signed over a head."""
        self.count += 1
        request = f"{self.seat}-{self.count}"
        command, _ = c.apart(asking)
        return self.table.submit(self.seat, asking, request, self.signed(command, request, seen))

    def take_key(self) -> tuple[Entry, ...]:
        return self.ask(c.TakeSeat(self.seat, key=self.public), NOTHING)


def opened() -> Aggregate:
    """A table with two players."""
    table = Aggregate(environment("fair"))
    table.submit("p0", c.OpenTable(TABLE, "plain"))
    for seat in ("p1", "p2"):
        table.submit("p0", c.TakeSeat(seat))
        table.submit("p0", c.EnterCharacter(f"c{seat[1]}", seat))
    return table


def client(table: Aggregate, seat: str = "p1") -> Client:
    return Client(table, seat, Ed25519PrivateKey.generate())


@pytest.fixture
def p1() -> Client:
    """The client of seat p1, which has taken its key."""
    found = client(opened())
    found.take_key()
    return found


def note(words: str = "so") -> Asking:
    return worded(c.Note(0), words)


def refusal(call: Callable[..., object], *args: object) -> Refused:
    with pytest.raises(Refused) as refused:
        call(*args)
    return refused.value


def state(table: Aggregate) -> object:
    return table.opened, len(table.entries)


# --- what is asked --------------------------------------------------------------------------------


def test_a_seat_takes_a_key_by_a_request_that_this_key_signed() -> None:
    p1 = client(opened())
    (entry,) = p1.take_key()
    seat = p1.table.opened.seats["p1"]
    assert (seat.key, seat.role) == (p1.public, "player")
    assert p1.table.last_asked("p1") == asked_in(entry)
    found = asked_in(entry)
    assert found is not None
    assert found.seen == NOTHING
    assert found.sig is not None and len(b64decode(found.sig)) == 64


def test_what_was_signed_and_seen_is_in_the_log_word_for_word(p1: Client) -> None:
    seen = p1.head(3)
    command, text = c.apart(note())
    brought = p1.signed(command, "n-1", seen)
    first, _ = p1.table.submit("p1", c.Worded(command, text), "n-1", brought)  # type: ignore[arg-type]
    assert asked_in(first) == Asked("n-1", body_of(command).decode(), seen, brought.sig)
    assert b'"seen":[3,"' in (first.payload or b"")


def test_a_seat_without_a_key_asks_as_before_and_signs_nothing(p1: Client) -> None:
    p2 = client(p1.table, "p2")
    first, _ = p1.table.submit("p2", note(), "n-1")
    assert asked_in(first) == Asked("n-1", (asked_in(first) or Asked("", "")).body)
    before = state(p1.table)
    assert refusal(p2.ask, note()).code == "not-signed"
    assert state(p1.table) == before


def test_nobody_signs_for_a_table_that_is_not_open_yet() -> None:
    p0 = client(Aggregate(environment("fair")), "p0")
    found = refusal(p0.ask, c.OpenTable(TABLE, "plain"), NOTHING)
    assert found.code == "not-signed"
    assert p0.table.state is None


# --- what is refused ------------------------------------------------------------------------------


def _changed(**change: object) -> Callable[[Client, c.Command], Signed]:
    """Signed as another table, seat or request than the one that is asked for."""

    def made(p1: Client, command: c.Command) -> Signed:
        request = str(change.get("request", "n-1"))
        who = replace(p1, **{name: value for name, value in change.items() if name != "request"})
        return who.signed(command, request)

    return made


def _seen(size: int, root: str | None = None) -> Callable[[Client, c.Command], Signed]:
    """Signed as it should be, over another head; below 0 it counts from the end, -1 is there."""

    def made(p1: Client, command: c.Command) -> Signed:
        at = size if size >= 0 else len(p1.table.entries) - size - 1
        fits = root or (p1.head(at).root if at <= len(p1.table.entries) else "00" * 32)
        return p1.signed(command, "n-1", Seen(at, fits))

    return made


def _sig(change: Callable[[str], str]) -> Callable[[Client, c.Command], Signed]:
    def made(p1: Client, command: c.Command) -> Signed:
        found = p1.signed(command, "n-1")
        return Signed(found.seen, change(found.sig))

    return made


def _later_head(p1: Client, command: c.Command) -> Signed:
    """Signed over one head, sent with another."""
    return Signed(p1.head(), p1.signed(command, "n-1", p1.head(3)).sig)


BAD: dict[str, tuple[str, Callable[[Client, c.Command], Signed | None]]] = {
    "nothing": ("not-signed", lambda p1, command: None),
    "another key": (
        "not-signed",
        lambda p1, command: client(p1.table).signed(command, "n-1"),
    ),
    "another command": (
        "not-signed",
        lambda p1, command: p1.signed(c.LeaveSeat("p1"), "n-1"),
    ),
    "another request": ("not-signed", _changed(request="n-2")),
    "another table": ("not-signed", _changed(origin="urim.local/t/table002")),
    "another host": ("not-signed", _changed(origin=f"elsewhere.example/t/{TABLE}")),
    "another seat": ("not-signed", _changed(seat="p2")),
    "another head": ("not-signed", _later_head),
    "a root of another log": ("not-signed", _seen(4, "ab" * 32)),
    "the root of another size": ("not-signed", _seen(4, EMPTY_ROOT.hex())),
    "a size beyond the log": ("not-signed", _seen(-2)),
    "an empty log again": ("not-signed", _seen(0)),
    "no base64": ("malformed", _sig(lambda sig: sig[:-1])),
    "the empty signature": ("malformed", _sig(lambda sig: "")),
    "a bit flipped": ("not-signed", _sig(lambda sig: ("B" if sig[0] == "A" else "A") + sig[1:])),
    "a root in capitals": ("malformed", _seen(4, "AB" * 32)),
    "half a pair in the root": ("malformed", _seen(4, "ab")),
}


@pytest.mark.parametrize("name", BAD)
def test_a_request_that_is_not_signed_as_it_should_be_changes_nothing(
    p1: Client, name: str
) -> None:
    code, made = BAD[name]
    asking = note()
    command, _ = c.apart(asking)
    before = state(p1.table)
    found = refusal(p1.table.submit, "p1", asking, "n-1", made(p1, command))
    assert found.code == code, found
    assert found.allowed
    assert state(p1.table) == before
    assert p1.table.submit("p1", asking, "n-1", p1.signed(command, "n-1"))


def test_a_refusal_names_what_is_missing(p1: Client) -> None:
    assert "without sig and seen" in str(refusal(p1.table.submit, "p1", note(), "n-1"))


def test_a_signed_request_has_an_id_of_its_own(p1: Client) -> None:
    asking = note()
    brought = p1.signed(c.apart(asking)[0], f"~{len(p1.table.entries)}")
    found = refusal(p1.table.submit, "p1", asking, None, brought)
    assert (found.code, "without an id" in found.why) == ("not-signed", True)


def test_what_was_seen_never_goes_back(p1: Client) -> None:
    p1.ask(note(), p1.head(5))
    p1.ask(note(), p1.head(5))
    found = refusal(p1.ask, note(), p1.head(4))
    assert found.code == "not-signed"
    assert found.allowed == ("a head of 5 to 10 entries",)
    p1.ask(note(), p1.head(6))
    assert refusal(p1.ask, note(), p1.head(5)).code == "not-signed"


def test_an_answer_is_given_again_whatever_was_seen_since(p1: Client) -> None:
    asking = note()
    command, _ = c.apart(asking)
    brought = p1.signed(command, "n-1", p1.head(3))
    first = p1.table.submit("p1", asking, "n-1", brought)
    p1.ask(note("more"))
    assert p1.table.submit("p1", asking, "n-1", brought) == first


def test_a_request_replayed_under_its_id_is_another_command_or_the_same_answer(p1: Client) -> None:
    p1.ask(note("one"))
    other, _ = c.apart(note("two"))
    brought = p1.signed(other, "p1-2")
    assert refusal(p1.table.submit, "p1", note("three"), "p1-2", brought).code == "request-reused"


# --- keys -----------------------------------------------------------------------------------------


def test_a_further_key_is_taken_by_a_request_that_the_old_one_signed(p1: Client) -> None:
    fresh = replace(p1, private=Ed25519PrivateKey.generate(), count=100)
    assert refusal(fresh.take_key).code == "not-signed"
    assert refusal(fresh.ask, c.TakeSeat("p1", key=fresh.public)).code == "not-signed"
    p1.ask(c.TakeSeat("p1", key=fresh.public))
    assert p1.table.opened.seats["p1"].key == fresh.public
    assert refusal(p1.ask, note()).code == "not-signed"
    assert fresh.ask(note())


def test_what_was_seen_is_kept_over_a_change_of_keys(p1: Client) -> None:
    fresh = replace(p1, private=Ed25519PrivateKey.generate(), count=100)
    p1.ask(c.TakeSeat("p1", key=fresh.public), p1.head(5))
    assert refusal(fresh.ask, note(), fresh.head(4)).code == "not-signed"
    assert fresh.ask(note(), fresh.head(5))


def test_the_first_key_is_signed_by_itself() -> None:
    p1 = client(opened())
    other = client(p1.table)
    taking = c.TakeSeat("p1", key=other.public)
    assert refusal(p1.ask, taking).code == "not-signed"
    assert refusal(p1.table.submit, "p1", taking, "n-1").code == "not-signed"
    assert p1.table.opened.seats["p1"].key is None


@pytest.mark.parametrize("key", [bytes(32), b"\xed" + bytes([255] * 30) + b"\x7f"])
def test_a_key_that_nobody_may_have_is_not_taken(key: bytes) -> None:
    p1 = client(opened())
    found = refusal(p1.ask, c.TakeSeat("p1", key=b64encode(key).decode()))
    assert (found.code, "cannot be used" in found.why) == ("malformed", True)


def test_nobody_gives_a_key_to_another_seat(p1: Client) -> None:
    p3 = client(p1.table, "p3")
    before = state(p1.table)
    for seat in ("p0", "p2"):
        for given in ("p1", "p2", "p3"):
            if seat != given:
                taking = c.TakeSeat(given, key=p3.public)
                assert refusal(p1.table.submit, seat, taking, "n-1").code == "not-yours"
    assert state(p1.table) == before


def test_a_seat_that_was_taken_away_and_comes_back_has_no_key(p1: Client) -> None:
    p1.ask(note())
    p1.table.submit("p0", c.LeaveSeat("p1"))
    assert refusal(p1.ask, note()).code
    p1.table.submit("p0", c.TakeSeat("p1"))
    assert p1.table.opened.seats["p1"].key is None
    assert p1.table.last_asked("p1") is None
    assert p1.table.submit("p1", note(), "n-9")
    assert refusal(p1.ask, note()).code == "not-signed"
    again = replace(p1, private=Ed25519PrivateKey.generate(), count=200)
    again.take_key()
    assert again.ask(note())


def test_a_request_id_of_before_is_not_free_again_for_who_takes_the_seat_next(p1: Client) -> None:
    p1.ask(note("mine"))
    p1.table.submit("p0", c.LeaveSeat("p1"))
    p1.table.submit("p0", c.TakeSeat("p1"))
    assert refusal(p1.table.submit, "p1", note("hers"), f"p1-{p1.count}").code == "request-reused"


def test_a_narrator_with_a_key_signs_too() -> None:
    p0 = client(opened(), "p0")
    p0.take_key()
    assert refusal(p0.table.submit, "p0", c.LeaveSeat("p1"), "n-1").code == "not-signed"
    assert p0.ask(c.LeaveSeat("p1"))


# --- origin, epochs, loaded logs ------------------------------------------------------------------


def test_the_origin_is_the_environments() -> None:
    p1 = client(opened())
    p1.table.environment = replace(p1.table.environment, origin=f"dice.example/t/{TABLE}")
    assert refusal(p1.take_key).code == "not-signed"
    p1.origin = f"dice.example/t/{TABLE}"
    assert p1.take_key()


def test_an_epoch_is_the_hosts_and_nobody_signs_it(p1: Client) -> None:
    p0 = client(p1.table, "p0")
    p0.take_key()
    p0.ask(note(), p0.head(7))
    p1.table.keep(p1.table.prepare("p0", body_of(c.BeginEpoch())))
    assert refusal(p0.ask, note(), p0.head(6)).code == "not-signed"
    assert p0.ask(note(), p0.head(7))
    assert p1.ask(note())


def test_a_loaded_log_knows_what_each_seat_had_seen(p1: Client) -> None:
    p1.ask(note(), p1.head(6))
    table = Aggregate(environment("fair", os.urandom(32)))
    table.load(p1.table.entries)
    again = replace(p1, table=table)
    assert table.opened.seats["p1"] == p1.table.opened.seats["p1"]
    assert refusal(again.ask, note(), again.head(5)).code == "not-signed"
    assert again.ask(note(), again.head(6))


# --- shares ---------------------------------------------------------------------------------------


def asked_for_shares() -> tuple[Client, Client]:
    """The clients of p1 and p2, which have keys; p1 asked for a throw that waits for both."""
    table = opened()
    p1, p2 = client(table), client(table, "p2")
    for each in (p1, p2):
        each.take_key()
        each.ask(c.AnchorShares(link(TABLE, each.seat, LAST, 0)))
    p1.ask(c.Declare("c1", {"expression": "1d6"}, level="table"))
    waiting = table.opened.rolls[1].outstanding
    assert waiting is not None
    p1.ask(c.Ask(1, "dice", committed=waiting.seq, asked=("p1", "p2")))
    return p1, p2


def test_a_share_is_opened_over_a_head_that_covers_its_ask() -> None:
    p1, p2 = asked_for_shares()
    ask = p1.table.opened.ask
    assert ask is not None
    opening = c.OpenShare(1, link(TABLE, "p2", LAST, 1))
    found = refusal(p2.ask, opening, p2.head(ask.seq))
    assert (found.code, found.allowed) == (
        "not-signed",
        (f"a head of {ask.seq + 1} entries or more",),
    )
    assert p2.ask(opening, p2.head(ask.seq + 1))
    assert p1.ask(c.OpenShare(1, link(TABLE, "p1", LAST, 1)))
    assert p1.table.opened.ask is None
    assert p1.table.opened.rolls[1].state == "rolled"


def test_a_share_that_is_not_signed_is_not_opened() -> None:
    p1, _ = asked_for_shares()
    opening = c.OpenShare(1, link(TABLE, "p2", LAST, 1))
    assert refusal(p1.table.submit, "p2", opening, "n-1").code == "not-signed"
