"""The build with one rule taken out: which code of it is put out of force, and how.

A rule that two parts of the build hold is taken out of both; the client of the honest seat and the
audit share urimcheck's steps.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.model import real
from urim.engine.audit.rerun import Rerun
from urim.engine.core.commands import OpenShare
from urim.engine.seat import Seat
from urim.engine.seat.heads import Heads
from urim.engine.seat.nonces import Nonces
from urim.engine.seat.shares import Shares
from urim.engine.verifier import urimcheck
from urim.errors import Refused
from urim.events import share

Patch = pytest.MonkeyPatch


class Build(NamedTuple):
    """A rule of `tests.model.shares`, the way that it is against, and how it is taken out."""

    rule: str
    way: str
    words: str
    take_out: Callable[[Patch], None]


def around(patch: Patch, kind: Any, name: str, call: Callable[..., Any]) -> None:
    """Put `call` in the place of a function of a class: it is given the old one first."""
    old = getattr(kind, name)
    patch.setattr(kind, name, lambda *given, **more: call(old, *given, **more))


def next_link(seat: Any) -> str:
    """The link that the seat's client will open next."""
    shares = vars(seat)["_shares"]
    anchor, asks = vars(shares)["_anchor"], vars(shares)["_asks"]
    last = next(each.last for each in shares.chains if each.anchor == anchor)
    return share.link(seat.table, seat.id, last, asks + 1)


# --- the client -----------------------------------------------------------------------------------


def covers(patch: Patch) -> None:
    def open_share(old: Any, seat: Seat) -> bytes:
        try:
            return bytes(old(seat))
        except Refused:
            return seat.ask(OpenShare(1, next_link(seat)))

    around(patch, Seat, "open_share", open_share)


def extends(patch: Patch) -> None:
    patch.setattr(Heads, "resume", lambda *_: None)

    def restarted(old: Any, client: real.Client, entries: Any) -> Any:
        client.restart()
        return old(client, entries)

    around(patch, real.Client, "compare", restarted)


def keeps(patch: Patch) -> None:
    patch.setattr(real.Client, "compare", lambda *_: ())


def mine(patch: Patch) -> None:
    def took_place(old: Any, shares: Any, *given: Any) -> bool:
        old(shares, *given)
        vars(shares)["_strange"] = False
        return False

    around(patch, Shares, "took_place", took_place)


def over_head(patch: Patch) -> None:
    def throw(old: Any, seat: Seat, command: Any) -> Any:
        try:
            return old(seat, command)
        except Refused:
            nonce = vars(seat)["_draw"](32).hex()
            return replace(command, committed=seat.size, nonce=nonce)

    around(patch, Seat, "_throw", throw)


def one_nonce(patch: Patch) -> None:
    def nonce(old: Any, nonces: Any, *given: Any, **more: Any) -> Any:
        vars(nonces)["_held"].clear()
        return old(nonces, *given, **more)

    around(patch, Nonces, "nonce", nonce)


def fresh(patch: Patch) -> None:
    def throw(old: Any, seat: Seat, command: Any) -> Any:
        found = old(seat, command)
        if found.nonce is None or not seat.anchored:
            return found
        held = vars(vars(seat)["_nonces"])["_held"]
        held |= {key: replace(each, nonce=next_link(seat)) for key, each in held.items()}
        return replace(found, nonce=next_link(seat))

    around(patch, Seat, "_throw", throw)


# --- urimcheck, for the audit and the client ------------------------------------------------------


def unsaid(*words: str) -> Callable[[Patch], None]:
    """Nothing is wrong for a reason with one of these words."""

    def need(old: Any, log: Any, right: Any, why: str) -> Any:
        return any(each in why for each in words) or old(log, right, why)

    return lambda patch: around(patch, urimcheck.Report, "need", need)


def not_decided_again(patch: Patch) -> None:
    """Nothing is held against its body, neither by its fields nor by the rules."""
    patch.setattr(urimcheck, "bodies", lambda *_: None)
    patch.setattr(Rerun, "take", lambda *_: None)


def undecided(*words: str) -> Callable[[Patch], None]:
    """The same, and nothing is wrong for such a reason."""

    def take_out(patch: Patch) -> None:
        unsaid(*words)(patch)
        not_decided_again(patch)

    return take_out


def who_asked(patch: Patch) -> None:
    def opens_share(old: Any, log: Any, event: Any) -> None:
        seat, ask = log.seats.get(event["by"]), log.ask
        if ask is not None and seat and seat.link and event["by"] not in ask.asked:
            seat.asks += 1
            ask.asked[event["by"]] = seat.asks
        old(log, event)

    around(patch, urimcheck, "opens_share", opens_share)
    no_look("passed-over")(patch)
    not_decided_again(patch)


def anchored_before(patch: Patch) -> None:
    undecided("has no anchor")(patch)
    patch.setattr(urimcheck, "MEANWHILE", (*urimcheck.MEANWHILE, "share-anchored"))


def no_look(*kinds: str) -> Callable[[Patch], None]:
    """Looks of these kinds are not reported, nor are the columns that go with them."""

    def say(old: Any, log: Any, word: str, why: str, kind: str = "", about: Any = None) -> None:
        if kind not in kinds:
            old(log, word, why, kind, about)

    def drop(old: Any, *given: Any) -> None:
        column = given[5] if len(given) > 5 else "dropped"
        if column not in kinds:
            old(*given)

    def take_out(patch: Patch) -> None:
        around(patch, urimcheck.Report, "say", say)
        around(patch, urimcheck, "drop", drop)
        if "sealed" in kinds:
            patch.setattr(urimcheck, "sealed", lambda _: None)

    return take_out


DECIDED = "; no body is decided again"

BUILDS = (
    Build("covers", "covers", "`Seat.open_share` opens the next link when it is asked", covers),
    Build("extends", "extends", "`Heads.resume` forgets the heads", extends),
    Build("keeps", "extends", "nobody compares at the end", keeps),
    Build("mine", "mine", "`seat.shares` finds no share and no anchor strange", mine),
    Build("c-over-head", "c-over-head", "`Seat` sends c with the declaration", over_head),
    Build("one-c", "one-c", "`Nonces.nonce` draws another each time", one_nonce),
    Build("c-fresh", "c-fresh", "`Seat` sends the next link of its chain as c", fresh),
    Build(
        "committed", "committed", "no seed is held against its commitment",
        unsaid("commits to another seed"),
    ),
    Build(
        "dice-asked", "dice-asked", "no throw is held against its plan" + DECIDED,
        undecided("not as asked and planned"),
    ),
    Build(
        "who-asked", "who-asked", "any seat's share is taken; no look `passed-over`" + DECIDED,
        who_asked,
    ),
    Build(
        "all-open", "all-open", "dice may fall while shares are missing" + DECIDED,
        undecided("have not opened their shares"),
    ),
    Build(
        "share-fits", "share-fits", "any share fits its chain" + DECIDED,
        undecided("is not link"),
    ),
    Build(
        "anchored-before", "anchored-before",
        "a seat without an anchor may be asked, and anchor then" + DECIDED, anchored_before,
    ),
    Build("break-look", "break-look", "no look and no column `broken`", no_look("broken")),
    Build("again-look", "again-look", "no look and no column `dropped`", no_look("dropped")),
    Build(
        "epoch-look", "epoch-look",
        "no look `epoch`, nor `anchored-again` and `dropped`, which come with it",
        no_look("epoch", "anchored-again", "dropped"),
    ),
)  # fmt: skip
"""One for each rule that is worth more than a fair coin where it alone is taken out."""

BY_RULE: Mapping[str, Build] = {build.rule: build for build in BUILDS}
