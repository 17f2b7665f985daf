"""The build with one rule taken out: which code of it is put out of force, and how.

A rule that two parts of the build hold is taken out of both; the client of the honest seat and the
audit share their checks of throws.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.model import real
from urim.engine.audit.proof import shares as audited
from urim.engine.audit.proof.dice import Dice
from urim.engine.audit.proof.shares import DICE, MEANWHILE, OpenAsk, Shares
from urim.engine.audit.report import Findings
from urim.engine.audit.rerun.rules import Rules
from urim.engine.core.commands import OpenShare
from urim.engine.seat import Seat
from urim.engine.seat.heads import Heads
from urim.engine.seat.nonces import Nonces
from urim.engine.seat.shares import Shares as OwnShares
from urim.errors import Refused
from urim.events import share
from urim.events.table import ShareAnchored

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

    around(patch, OwnShares, "took_place", took_place)


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


# --- the audit, and the client's checks of throws -------------------------------------------------


def committed(patch: Patch) -> None:
    def seed(old: Any, dice: Any, step: int, seq: int, id: str, waiting: Any, opened: Any) -> Any:
        return old(dice, step, seq, id, None, opened)

    around(patch, Dice, "seed", seed)


def not_decided_again(patch: Patch) -> None:
    """Step 10 and 11 judge nothing: each body is taken as it is."""
    patch.setattr(Rules, "take", lambda *_: None)


def dice_asked(patch: Patch) -> None:
    def unlike(old: Any, shares: Shares, ask: OpenAsk, event: Any) -> Any:
        return old(shares, replace(ask, plan=None), event)

    around(patch, Shares, "_unlike", unlike)
    not_decided_again(patch)


def who_asked(patch: Patch) -> None:
    def opened(old: Any, shares: Shares, line: Any, record: Any, event: Any) -> None:
        people, ask = vars(shares)["_people"], vars(shares)["_ask"]
        chain = people.anchored().get(event.by)
        if ask is not None and chain is not None and event.by not in ask.asked:
            chain.asks += 1
            ask.asked[event.by] = chain.asks
        old(shares, line, record, event)

    around(patch, Shares, "opened", opened)
    not_decided_again(patch)


def all_open(patch: Patch) -> None:
    def meanwhile(old: Any, shares: Shares, ask: OpenAsk, line: Any) -> None:
        if line.record is None or not isinstance(line.record.event, DICE):
            old(shares, ask, line)

    around(patch, Shares, "_meanwhile", meanwhile)
    not_decided_again(patch)


def share_fits(patch: Patch) -> None:
    patch.setattr(share, "reaches", lambda *_: True)
    not_decided_again(patch)


def anchored_before(patch: Patch) -> None:
    def wrong(old: Any, shares: Shares, event: Any) -> Any:
        return (why for why in old(shares, event) if "has no anchor" not in why)

    around(patch, Shares, "_wrong_seats", wrong)
    patch.setattr(audited, "MEANWHILE", (*MEANWHILE, ShareAnchored))
    not_decided_again(patch)


def no_look(*kinds: str) -> Callable[[Patch], None]:
    """Looks of these kinds are not reported."""

    def look(old: Any, findings: Findings, step: int, kind: str, *more: Any) -> None:
        if kind not in kinds:
            old(findings, step, kind, *more)

    return lambda patch: around(patch, Findings, "look", look)


DECIDED = "; no body is decided again"

BUILDS = (
    Build("covers", "covers", "`Seat.open_share` opens the next link when it is asked", covers),
    Build("extends", "extends", "`Heads.resume` forgets the heads", extends),
    Build("keeps", "extends", "nobody compares at the end", keeps),
    Build("mine", "mine", "`seat.shares` finds no share and no anchor strange", mine),
    Build("c-over-head", "c-over-head", "`Seat` sends c with the declaration", over_head),
    Build("one-c", "one-c", "`Nonces.nonce` draws another each time", one_nonce),
    Build("c-fresh", "c-fresh", "`Seat` sends the next link of its chain as c", fresh),
    Build("committed", "committed", "`Dice.seed` compares no commitment", committed),
    Build("dice-asked", "dice-asked", "`Shares._unlike` reads no plan" + DECIDED, dice_asked),
    Build("who-asked", "who-asked", "`Shares.opened` takes any seat's" + DECIDED, who_asked),
    Build("all-open", "all-open", "`Shares` lets dice fall while it waits" + DECIDED, all_open),
    Build("share-fits", "share-fits", "`share.reaches` is true" + DECIDED, share_fits),
    Build(
        "anchored-before", "anchored-before",
        "`Shares` lets a seat without an anchor be asked, and anchor" + DECIDED, anchored_before,
    ),
    Build("break-look", "break-look", "no look `broken`", no_look("broken")),
    Build("again-look", "again-look", "no look `again`", no_look("again")),
    Build(
        "epoch-look", "epoch-look", "no look `epoch`, nor `anchored-again`, which comes with it",
        no_look("epoch", "anchored-again"),
    ),
)  # fmt: skip
"""One for each rule that is worth more than a fair coin where it alone is taken out."""

BY_RULE: Mapping[str, Build] = {build.rule: build for build in BUILDS}
