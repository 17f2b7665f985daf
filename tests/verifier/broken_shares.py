"""What can be wrong with throws at level table: anchors, asks, shares, breaks, and honest twins."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec.structs import replace

from tests.sealing import resealed
from tests.verifier.broken import Broken
from tests.verifier.broken_asked import asked as with_asked
from tests.verifier.log import TABLE, Ground, Log, Twist, good, secret, with_proof
from urim.events import roll as rolled
from urim.events import share
from urim.events.roll import DiceRerolled, ShareOpened, ThrowBroken
from urim.events.table import (
    EpochBegun,
    Noted,
    Recommitted,
    SeatLeft,
    SeatTaken,
    ShareAnchored,
    TrackSet,
)

BOTH = {"p1": 1, "p2": 1}
"""p1, who throws, and p2 are asked for the first links of their chains."""

EARLY, LATE = 9_000, 10_000
"""Milliseconds after an ask at which a throw may not be broken off yet, and may."""


def begun(*seats: str, twists: Mapping[str, Twist] | None = None) -> Log:
    """A table where these seats have anchors; p1 and p2 where none is named."""
    log = Log(twists or {})
    log.open()
    log.anchor(*(seats or ("p1", "p2")))
    return log


def asked(kind: Literal["open", "hidden"] = "open", **ask: Any) -> Log:
    """A throw of roll 1 that waits for shares of p1 and p2."""
    log = begun()
    declared = log.declare(1, "table", kind=kind)
    log.ask(1, 0, ask.pop("committed", declared), ask.pop("asked", BOTH), kind=kind, **ask)
    return log


def thrown(twists: Mapping[str, Twist] | None = None) -> Log:
    """A roll at level table, thrown twice."""
    log = begun(twists=twists)
    first = log.share_throw(1, 0, log.declare(1, "table"), BOTH)
    log.share_throw(1, 1, first, {"p1": 2, "p2": 2})
    assert not log.twists
    return log


def broken_off(
    after: int = LATE, by: str = "p1", kept: tuple[str, ...] = ("p2",), **changes: Any
) -> Log:
    """p1 opens its share, p2 does not, the throw is broken off; and a note."""
    log = asked()
    log.open_share("p1", 1, 0, 1)
    log.at += after - 2_000
    event = ThrowBroken(by, 1, 0, kept, log.seed(1, 0), log.commit(1, 1))
    log.add(replace(event, **changes), "broken")
    log.add(Noted("narrator", 0), words="What a night.")
    return log


def asked_again(seat: str = "p2") -> Log:
    """After a break this seat says something, and the throw is asked for again, and falls."""
    log = broken_off()
    broke = len(log.entries) - 3
    log.add(Noted(seat, 0), words="I am here.")
    log.share_throw(1, 1, broke, {"p1": 2, "p2": 2})
    return log


def alone(seat: str | None = None) -> Log:
    """After a break p1 throws by itself; this seat did something before."""
    log = broken_off()
    broke = len(log.entries) - 3
    if seat is not None:
        log.add(Noted(seat, 0), words="I am here.")
    log.thrown(1, 1, Ground(broke, secret("c")))
    return log


def epoch_between(*, again: bool = True) -> Log:
    """An epoch while a throw waits; then both anchor again, and it is asked for again."""
    log = asked()
    log.open_share("p2", 1, 0, 1)
    log.epoch = 1
    begins = log.add(EpochBegun("narrator", 1, (Recommitted(1, 0, log.commit(1, 0)),)))
    if again:
        log.anchor("p1", "p2")
        log.share_throw(1, 0, begins, BOTH)
    return log


def narrators(level: Literal["player"] | None = None, anchored: bool = True) -> Log:
    """A throw by a narrator's seat with a nonce alone, at a table where p2 may have an anchor."""
    log = Log({"thrown 1/0": by("narrator"), "declared 1": by("narrator")})
    log.open()
    if anchored:
        log.anchor("p2")
    declared = log.declare(1, level)
    leaf = Ground(declared, secret("c"))
    event: Any = log.dice(1, 0, leaf)
    dice = log.fallen(1, 0, leaf, log.seed(1, 0), roller="narrator")
    log.twists["thrown 1/0"] = lambda _: replace(event, by="narrator", dice=dice)
    log.thrown(1, 0, leaf)
    return log


def by(seat: str) -> Twist:
    return lambda event: replace(event, by=seat)


def put(**fields: Any) -> Twist:
    return lambda event: replace(event, **fields)


def share_of(link: Callable[[Log], str]) -> Log:
    """The log of two throws with another link opened by p2 for the second."""
    log = begun()
    first = log.share_throw(1, 0, log.declare(1, "table"), BOTH)
    log.ask(1, 1, first, {"p1": 2, "p2": 2})
    log.add(ShareOpened("p2", 1, 1, link(log)))
    return log


def between(event: Any, words: str | None = None, kind: Literal["open", "hidden"] = "open") -> Log:
    """Something between ask and shares."""
    log = asked()
    seq = log.add(event, words=words, kind=kind)
    if kind == "hidden":
        log.withhold(*range(seq, len(log.entries)))
    return log


def fell_early() -> Log:
    """The dice fall with the first share: p1's is left out."""
    log = asked()
    committed = len(log.entries) - 3
    share = log.link("p2", 1)
    dice = log.dice(1, 0, Ground(committed, log.link("p1", 1), (("p2", share),)))
    log.add(ShareOpened("p2", 1, 0, share), more=[dice])
    return log


def not_thrown() -> Log:
    """Every share is open, and no dice fall."""
    log = asked()
    log.open_share("p2", 1, 0, 1)
    log.open_share("p1", 1, 0, 1)
    log.add(Noted("narrator", 0), words="Well?")
    return log


def anchored_again(link: int, *, fresh: bool = False) -> Log:
    """p2 anchors with a link of its chain after a throw, or with another chain's."""
    log = begun()
    log.share_throw(1, 0, log.declare(1, "table"), BOTH)
    anchor = log.link("p2", link)
    if fresh:
        log.epoch = 5
        anchor = log.link("p2", 0)
    log.add(ShareAnchored("p2", anchor))
    return log


def hidden_throw(*, breaks: bool = False) -> Log:
    """A throw of a hidden roll, not disclosed; or its break, hidden."""
    log = begun()
    hidden = log.declare(1, None, kind="hidden")
    if not breaks:
        seq = log.share_throw(1, 0, hidden, BOTH, kind="hidden")
        log.withhold(hidden, seq - 4, seq)
        return log
    plan = log.ask(1, 0, hidden, BOTH, kind="hidden")
    log.at += LATE
    gone = ThrowBroken("p1", 1, 0, ("p1", "p2"), log.seed(1, 0), log.commit(1, 1))
    seq = log.add(gone, kind="hidden")
    log.withhold(hidden, plan, seq)
    log.declare(2)
    return log


def hidden_note() -> Log:
    """A note about something hidden while a throw waits."""
    return between(Noted("narrator", 0), "Psst.", "hidden")


def hidden_between() -> Log:
    """A roll declared in secret while a throw waits; the shares come behind it."""
    log = asked()
    log.withhold(log.declare(2, None, kind="hidden"))
    log.open_share("p2", 1, 0, 1)
    return log


def sealed_break() -> Log:
    """A break that is hidden, and disclosed."""
    log = broken_off()
    place = len(log.entries) - 3
    log.entries[place] = resealed(log.entries[place], kind="hidden")
    return log


def left_then_asked() -> Log:
    """p2 left, came back, and is asked for a link of the chain from before."""
    log = begun()
    declared = log.declare(1, "table")
    log.add(SeatLeft("narrator", "p2"))
    log.add(SeatTaken("narrator", "p2", "player"))
    log.ask(1, 0, declared, BOTH)
    return log


def failing(step: int, says: str, log: Log, first: int | None = None) -> Broken:
    """A log in which the step says this."""
    return Broken(step, log.bundle(), says=says, first=first)


def of_asks() -> Mapping[str, Broken]:
    """Asks and plans."""
    ask = "asked 1/0 +1"

    def asking(**fields: Any) -> Log:
        return thrown({ask: put(**fields)})

    return {
        "6 an ask of another commitment": failing(
            6, "the ask of verify01/1/0 does not answer", asking(committed=4)
        ),
        "6 an ask in the commit of what it answers": failing(
            6, "a commitment of its own commit", own_commit()
        ),
        "6 an ask of before an epoch": failing(6, "from before the latest epoch", stale()),
        "6 an ask of before an epoch, of a hidden roll": failing(
            6, "does not answer the outstanding commitment", stale("hidden")
        ),
        "8 an ask at a table of one machine": failing(
            8, "at this table no throw asks", one_machine()
        ),
        "8 the roller alone": failing(
            8, "asks its roller alone", asked(asked={"p1": 1}, left=("p2",))
        ),
        "8 too many asked": failing(
            8, "asks too many seats", asked(asked={f"s{number:03}": 1 for number in range(101)})
        ),
        "8 without the roller": failing(
            8, "does not ask its roller", asked(asked={"p2": 1})
        ),
        "8 a seat twice": failing(
            8, "twice or out of order", asking(asked=(("p1", 1), ("p2", 1), ("p2", 1)))
        ),
        "8 out of order": failing(8, "twice or out of order", asking(asked=(("p2", 1), ("p1", 1)))),
        **_of_links(asking),
        "10 at level player": failing(
            10, "takes no shares", good({"declared 2": put(level="player")})
        ),
        "6 a plan of another throw": failing(
            6, "without a plan", thrown({"asked 1/0": put(throw=1)})
        ),
        "6 a plan without an ask": failing(
            6, "nobody is asked", thrown({ask: lambda _: Noted("p1", 0)})
        ),
        "6 two asks at once": failing(6, "while verify01/1/0 waits", two_asks()),
        "10 another seat than asked for": failing(10, "another asked", other_body()),
    }  # fmt: skip


def _of_links(asking: Callable[..., Log]) -> Mapping[str, Broken]:
    """Which links an ask names, and whom it leaves out."""
    return {
        "8 no anchor": failing(
            8, "asks seat narrator, which has no anchor", asked(asked={"narrator": 1, **BOTH})
        ),
        "8 an anchor of before": failing(8, "asks seat p2, which has no anchor", left_then_asked()),
        "8 a link skipped": failing(
            8, "for its next link", asking(asked=(("p1", 1), ("p2", 2)))
        ),
        "8 a link again": failing(
            8, "for its next link", thrown({"asked 1/1 +1": put(asked=(("p1", 2), ("p2", 1)))})
        ),
        "8 left out and not named": failing(
            8, "does not name the seats that it leaves out",
            good({"asked 2/0 +1": put(left=())}),
        ),
        "8 named as left out": failing(
            8, "does not name the seats that it leaves out", asking(left=("narrator",))
        ),
    }  # fmt: skip


def own_commit() -> Log:
    """An ask in the commit of the declaration that it answers."""
    log = asked()
    plan = len(log.entries) - 2
    for at in (plan, plan + 1):
        log.entries[at] = replace(log.entries[at], commit=plan - 1)
    return log


def one_machine() -> Log:
    """Shares asked for where one program plays every seat."""
    log = begun(twists={"opened": put(one_machine=True)})
    log.ask(1, 0, log.declare(1, "table"), BOTH)
    return log


def of_zeros() -> Log:
    """p2's chain ends with zeros."""
    log = begun()
    last = "0" * 64
    log.add(ShareAnchored("p2", share.link(TABLE, "p2", last, 0)))
    return log


def stale(kind: Literal["open", "hidden"] = "open") -> Log:
    """An ask for what was committed to before an epoch, which forgot the roll.

    A hidden roll is not disclosed.
    """
    log = begun()
    declared = log.declare(1, "table" if kind == "open" else None, kind=kind)
    log.epoch = 1
    log.add(EpochBegun("narrator", 1, ()))
    log.anchor("p1", "p2")
    plan = log.ask(1, 0, declared, BOTH, kind=kind)
    if kind == "hidden":
        log.withhold(declared, plan)
    return log


def two_asks() -> Log:
    """Another roll is asked for while one waits."""
    log = begun()
    one, other = log.declare(1, "table"), log.declare(2, "table")
    log.ask(1, 0, one, BOTH)
    log.ask(2, 0, other, {"p1": 2, "p2": 2})
    return log


def other_body() -> Log:
    """The command asked another seat than the event."""
    log = begun("p1", "p2", "narrator")
    declared = log.declare(1, "table")
    log.share_throw(1, 0, declared, BOTH, left=("narrator",))
    at = declared + 1
    body = '{"do":"ask/1","roll":1,"hand":"initiator","committed":%d,"asked":["narrator","p1"]}'
    return with_asked(at, log, body=body % declared)


def of_shares() -> Mapping[str, Broken]:
    """Anchors and shares."""
    return {
        "8 another link": failing(8, "is not link 2", share_of(lambda log: log.link("p2", 3))),
        "8 the same link": failing(8, "is not link 2", share_of(lambda log: log.link("p2", 1))),
        "8 no link": failing(8, "is not link 2", share_of(lambda log: "x")),
        "8 a share of a seat not asked": failing(
            8, "was not asked", between(ShareOpened("narrator", 1, 0, secret("x")))
        ),
        "8 a share that nobody asked for": failing(
            8, "does not wait for shares", good({"noted": lambda _: ShareOpened("p1", 2, 1, "x")})
        ),
        "8 a share twice": failing(8, "opened a share before", twice()),
        "8 an anchor of the chain before": failing(8, "had before", anchored_again(0)),
        "8 an anchor that is a link opened": failing(8, "had before", anchored_again(1)),
        "8 an anchor that is a link to come": failing(8, "had before", anchored_again(2)),
        "8 an anchor of nobody's": failing(
            8, "nobody ever took it", between_anchors(ShareAnchored("p9", secret("x")))
        ),
        "8 an anchor that is none": failing(
            8, "is none", between_anchors(ShareAnchored("p1", "x"))
        ),
    }


def of_shared_throws() -> Mapping[str, Broken]:
    """The throw that falls with the last share."""
    return {
        "6 thrown before the last share": failing(6, "before every share is open", fell_early()),
        "6 not thrown": failing(6, "is not thrown", not_thrown()),
        "8 another nonce than the share": failing(
            8, "another nonce than its roller's share",
            thrown({"share p1 1/1 +1": with_proof(nonce=secret("c"))}),
        ),
        "6 another hand": failing(
            6, "the hand of verify01/1/1 is not as planned",
            thrown({"share p1 1/1 +1": put(hand="guard")}),
        ),
        "6 dice in another order": failing(
            6, "the list of dice of verify01/1/1 is not as planned",
            thrown({"asked 1/1": lambda event: replace(event, dice=event.dice[::-1])}),
        ),
        "6 a die more": failing(
            6, "is not as planned",
            thrown({"asked 1/1": lambda event: replace(event, dice=event.dice[:2])}),
        ),
        "6 another option": failing(
            6, "the option of verify01/1/0", thrown({"asked 1/0": put(option=2)})
        ),
        "6 another trigger": failing(
            6, "what is thrown of verify01/1/0", thrown({"share p1 1/0 +1": _as_reroll})
        ),
        "6 thrown by another seat": failing(
            6, "the roller of verify01/1/1", thrown({"share p1 1/1 +1": by("p2")})
        ),
        "8 a nonce where shares are due": failing(
            8, "is of level table, and nobody", due_and_not_asked()
        ),
        "8 a narrator's throw with a nonce": failing(8, "is of level table", narrators()),
    }  # fmt: skip


def due_and_not_asked() -> Log:
    """A roll at level table, thrown with a nonce."""
    log = begun()
    log.thrown(1, 0, Ground(log.declare(1, "table"), secret("c")))
    return log


def between_anchors(event: Any) -> Log:
    log = begun()
    log.add(event)
    return log


def _as_reroll(event: Any) -> DiceRerolled:
    return DiceRerolled(event.by, event.roll, event.hand, event.dice, event.proof)


def twice() -> Log:
    log = asked()
    log.open_share("p2", 1, 0, 1)
    log.open_share("p2", 1, 0, 1)
    return log


def of_breaks() -> Mapping[str, Broken]:
    """Breaks, and what comes between."""
    void = rolled.RollVoided("narrator", 1, 0, secret("s"))
    return {
        "6 broken off too early": failing(6, "too early", broken_off(EARLY)),
        "6 others kept back": failing(6, "names others", broken_off(kept=("p1",))),
        "6 one more kept back": failing(6, "names others", broken_off(kept=("p1", "p2"))),
        "7 a break with another seed": failing(7, "another seed", broken_off(seed=secret("x"))),
        "6 a break without the next commitment": failing(
            6, "is not committed to", broken_off(next="x")
        ),
        "6 a break of what does not wait": failing(
            6, "does not wait for shares", broken_off(throw=1)
        ),
        "10 a break for some only": failing(10, "for everybody to see", sealed_break()),
        "6 a break that nobody sees": failing(6, "comes between", hidden_throw(breaks=True)),
        "6 something that nobody sees between": failing(6, "comes between", hidden_between()),
        "6 a track set between": failing(
            6, "comes between", between(TrackSet("narrator", "c1", "wounds", 1))
        ),
        "6 a void between": failing(6, "comes between", between(void, "No.")),
        "6 an anchor between": failing(
            6, "comes between", between(ShareAnchored("p2", secret("x")))
        ),
        "8 goes on through an epoch": failing(
            8, "does not wait for shares", gone_on()
        ),
        "8 alone, though another is awake": failing(8, "is of level table", alone("p2")),
    }  # fmt: skip


def gone_on() -> Log:
    """A share of an ask from before an epoch."""
    log = epoch_between(again=False)
    log.epoch = 0
    log.open_share("p1", 1, 0, 1)
    return log


def share_ways() -> Mapping[str, Broken]:
    """Every way by its name."""
    return {**of_asks(), **of_shares(), **of_shared_throws(), **of_breaks()}
