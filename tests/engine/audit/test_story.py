"""What people did is looked at for what it was."""

from collections.abc import Callable
from io import BytesIO
from itertools import pairwise

import pytest

from tests.engine.helpers.tables.forging import head, made
from tests.engine.helpers.tables.host import Host
from tests.engine.helpers.tables.stages import brawl, circle, prayer, restore, void
from urim.engine.audit import audit
from urim.engine.bundle.write import bundle_of
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.checkpoint import read_key


def gives(host: Host, *seats: str) -> None:
    """c1 goes from seat to seat."""
    for seat, other in pairwise(seats):
        host.ask(seat, commands.GiveCharacter("c1", other))


@pytest.mark.parametrize(
    ("before", "after", "looks"),
    [
        (("p1", "p2"), ("p2", "p1"), 1),
        (("p1", "p2", "p1"), ("p1", "p2"), 0),
        (("p1", "p2", "p1", "p2"), ("p2", "p1"), 1),
        (("p1", "p2"), ("p2", "narrator"), 0),
    ],
    ids=["lent", "come back, thrown for by its owner", "lent once more", "lent on"],
)
def test_a_character_is_lent_for_a_throw_only_until_it_comes_back(
    before: tuple[str, ...], after: tuple[str, ...], looks: int
) -> None:
    host = brawl()
    number = prayer(host)
    gives(host, *before)
    host.throw(number)
    gives(host, *after)
    host.finish(number)
    file = made(host)
    found = [each.count for each in audit(BytesIO(file.bundle), key=file.key).looks]
    assert found == [1] * looks


def count(host: Host, kind: str, reader: str | None = None) -> int:
    """How many looks of a kind an audit finds: in the whole log, or in what a reader is given."""
    file = made(host)
    bundle = file.bundle
    if reader is not None:
        lines = bundle_of(host.aggregate, reader, head(host), [read_key(host.vkey)])
        bundle = b"".join(lines)
    found = audit(BytesIO(bundle), key=file.key).looks
    return sum(each.count for each in found if each.kind == kind)


@pytest.mark.parametrize(
    ("opened", "lent", "looks"), [(brawl, True, 1), (brawl, False, 0), (circle, True, 0)]
)
def test_another_seat_that_had_the_character_may_have_sent_a_nonce(
    opened: Callable[[], Host], lent: bool, looks: int
) -> None:
    host = opened()
    number = prayer(host)
    if lent:
        gives(host, "p1", "p2", "p1")
    host.ask("p1", commands.Withdraw(number))
    host.finish(prayer(host))
    assert count(host, "again") == looks


@pytest.mark.parametrize(("kept", "looks"), [(("p2",), 0), (("p2", NARRATOR), 1)])
def test_who_kept_a_share_back_is_not_one_to_ask(kept: tuple[str, ...], looks: int) -> None:
    host = circle()
    first = prayer(host, target=2)
    host.ask_for(first, "p1", "initiator")
    host.open("p1")
    for seat in (NARRATOR, "p2"):
        if seat not in kept:
            host.open(seat)
    host.break_off("p1")
    void(host, prayer(host))
    host.finish(prayer(host))
    assert count(host, "again") == looks


@pytest.mark.parametrize(("when", "looks"), [("before", 1), ("while it waits", 1), ("after", 0)])
def test_one_to_ask_must_be_there_from_the_declaration_on(when: str, looks: int) -> None:
    host = circle()
    if when == "before":
        restore(host)  # which ends every chain
    number = prayer(host)
    if when == "while it waits":
        restore(host)
    void(host, number)
    if when == "after":
        restore(host)
    host.finish(prayer(host))
    assert count(host, "again") == looks


def test_of_a_dropped_roll_the_next_one_alone_is_its_like() -> None:
    host = brawl()
    host.throw(prayer(host))
    for _ in range(3):
        host.finish(prayer(host))
    assert count(host, "again") == 1


@pytest.mark.parametrize(
    ("played", "all_shown", "looks"),
    [
        ("hidden, hidden, reveal, open", 1, 1),
        ("hidden, reveal, hidden, open", 0, 1),
        ("hidden, reveal, open, hidden, open", 0, 0),
    ],
    ids=["passed over", "perhaps", "thrown later"],
)
def test_a_hidden_roll_of_after_the_reveal_was_not_passed_over(
    played: str, all_shown: int, looks: int
) -> None:
    host = brawl()
    for target, act in enumerate(played.split(", "), 3):
        if act == "reveal":
            host.ask(NARRATOR, commands.Reveal(1))
        else:
            number = prayer(host, target=target, visibility="gm" if act == "hidden" else "public")
            host.throw(number)
            host.finish(number)
    assert (count(host, "some-hidden"), count(host, "some-hidden", "")) == (all_shown, looks)


def test_who_was_asked_before_an_epoch_has_no_share_in_the_throw() -> None:
    host = circle()
    number = prayer(host)
    host.ask("p1", commands.GiveCharacter("c1", "p2"))
    host.ask_for(number, "p2", "initiator")
    restore(host)
    host.throw(number)
    host.ask("p2", commands.GiveCharacter("c1", "p1"))
    host.finish(number)
    assert count(host, "given-back") == 1
