"""Refusals at level `table`: chains, what is asked for, shares, breaks; and levels.

What is too early, and what has to wait, is tested where the time is held (test_shares).
"""

from tests.engine.helpers.refusals.case import Case, body
from tests.engine.helpers.refusals.setups import ACTION, NONCE, TABLE
from tests.engine.helpers.timed import link_of
from urim.engine.core.commands import (
    AnchorShares,
    Ask,
    BreakThrow,
    Declare,
    OpenShare,
    RollDice,
    TakeSeat,
)

ZEROS = "0" * 64
KNOWN = f"the link that leads to link 0, {link_of(TABLE, 'p2', 0)}"


def asks(*asked: str, hand: str = "initiator", committed: int = 11, **more: object) -> Ask:
    """The roller's ask for its first throw."""
    return Ask(1, hand, committed, asked, **more)  # type: ignore[arg-type]  # right in each case


def opens(seat: str, i: int) -> OpenShare:
    """A link of that seat's chain as a share."""
    return OpenShare(1, link_of(TABLE, seat, i))


ASKS = (
    Case("a throw that nobody asked shares for", "table", "p1", RollDice(1, "initiator", 11, NONCE),
         "nonce", "throw 0 of roll 1 is at level table", "ask"),
    Case("asking without a chain of one's own", "unanchored", "p1", asks("p1", "p2"),
         "not-offered", "'p1' has no anchor", "anchor-shares"),
    Case("asking where nobody else has a chain", "alone", "p1", asks("p1", "p2"),
         "nonce", "in roll 1 is at level player", "roll or reroll"),
    Case("asking at level player", "fair", "p1", asks("p1", "p2"),
         "nonce", "in roll 1 is at level player", "roll or reroll"),
    Case("asking at level server", "server", "p1", asks("p1", "p2"),
         "nonce", "in roll 1 is at level server", "roll or reroll"),
    Case("asking for scripted dice", "declared", "p1", asks("p1", "p2"),
         "nonce", "the dice of this table are scripted", "roll or reroll"),
    Case("asking for another's throw", "table", "p2", asks("p1", "p2"),
         "not-yours", "'p2' does not act for Etgar", "seat 'p1'"),
    Case("asking for another hand", "table", "p1", asks("p1", "p2", hand="reactor"),
         "not-offered", "roll reactor", "roll initiator (8 dice)"),
    Case("asking for dice that do not lie", "table", "p1", asks("p1", "p2", dice=("d1",)),
         "not-offered", "reroll initiator", "roll initiator (8 dice)"),
    Case("asking for some of a hand", "table", "p1", asks("p1", "p2", option=3),
         "not-offered", "the number of dice is fixed, 3", "8"),
    Case("asking on another commitment", "table", "p1", asks("p1", "p2", committed=5),
         "commitment", "entry 5", "entry 11"),
    Case("asking nobody but oneself", "table", "p1", asks("p1"),
         "malformed", "the roller's seat and others", "p2"),
    Case("asking others but not oneself", "table", "p1", asks("p2", "p3"),
         "malformed", "named: p2, p3", "p1"),
    Case("asking somebody twice", "table", "p1", asks("p1", "p2", "p2"),
         "malformed", "each once", "p2"),
    Case("asking nobody at all", "table", "p1", asks(),
         "malformed", "the roller's seat and others", "p3"),
    Case("asking who has no chain", "table", "p1", asks("p1", "p2", "watcher"),
         "not-offered", "'watcher' has no anchor", "p2"),
    Case("asking who is not there", "table", "p1", asks("p1", "p9"),
         "not-offered", "'p9' has no anchor", "p3"),
    Case("asking who has left", "left", "p1", asks("p1", "p3"),
         "not-offered", "'p3' has no anchor", "p2"),
    Case("asking as somebody who is nobody", "table", "p9", asks("p1", "p9"),
         "unknown", "'p9'", "p1"),
    Case("asking more seats than there can be", "table", "p1",
         body("ask", roll=1, hand="initiator", committed=11, asked=[f"s{n}" for n in range(101)]),
         "too-long", "asked is [", "at most 100 items"),
)  # fmt: skip
"""What is no throw to ask for, or nobody to ask."""

OPENED = (
    Case("a share of somebody who is not asked", "asked", "p3", opens("p3", 1),
         "not-offered", "'p3' is not asked for a share", "seat 'p2'"),
    Case("a share where nothing waits", "table", "p2", opens("p2", 1),
         "nonce", "no throw waits for shares", "ask"),
    Case("a second share", "opened", "p2", opens("p2", 1),
         "not-offered", "'p2' opened its share already", "seat 'p1'"),
    Case("a share of nobody's chain", "asked", "p2", OpenShare(1, ZEROS),
         "nonce", f"{ZEROS} is not link 1", KNOWN),
    Case("another's share", "asked", "p2", opens("p1", 1),
         "nonce", "is not link 1 of the chain of seat 'p2'", KNOWN),
    Case("the anchor as a share", "asked", "p2", opens("p2", 0),
         "nonce", "is not link 1", KNOWN),
    Case("the share of the throw after", "asked", "p2", opens("p2", 2),
         "nonce", "is not link 1", KNOWN),
    Case("a share of no form", "asked", "p2", OpenShare(1, "0f"),
         "malformed", "share is '0f'", "64 hex digits, lower case"),
    Case("a share of a roll that never was", "asked", "p2", OpenShare(2, ZEROS),
         "unknown", "no roll 2", "1 to 1"),
    Case("a share of another roll than waits", "asked second", "p2", opens("p2", 1),
         "nonce", "throw 0 of roll 2 waits for shares at this table, none of roll 1", "roll 2"),
)  # fmt: skip
"""What is nobody's share."""

BROKEN = (
    Case("breaking what does not wait", "table", "p2", BreakThrow(1),
         "nonce", "no throw waits for shares", "ask"),
    Case("breaking as somebody who is nobody", "asked", "p9", BreakThrow(1),
         "unknown", "'p9'", "p1"),
    Case("breaking another roll's throw", "asked second", "p2", BreakThrow(1),
         "nonce", "throw 0 of roll 2 waits", "roll 2"),
    Case("breaking at once", "asked", "p2", BreakThrow(1),
         "due", "seat 'p1', 'p2' may still open a share", "open_share"),
)  # fmt: skip
"""What is not to be broken off."""

CHAINS = (
    Case("an anchor of no form", "seated", "p2", AnchorShares("AB" * 32),
         "malformed", "anchor is 'ABAB", "64 hex digits, lower case"),
    Case("an anchor of nobody's", "seated", "p9", AnchorShares(ZEROS), "unknown", "'p9'", "p1"),
    Case("the anchor of a chain that was used", "thrown", "p2",
         AnchorShares(link_of(TABLE, "p2", 0)),
         "nonce", "is a link of a chain of seat 'p2' that the log has",
         "a chain of new random bytes"),
    Case("a link that was opened as an anchor", "thrown", "p2",
         AnchorShares(link_of(TABLE, "p2", 1)),
         "nonce", "is a link of a chain of seat 'p2' that the log has",
         "a chain of new random bytes"),
    Case("a seat while a throw waits", "asked", "narrator", TakeSeat("p9"),
         "due", "throw 0 of roll 1 waits for shares of seat 'p1', 'p2'", "open_share"),
    Case("a roll while a throw waits", "asked", "p3", Declare("c3", ACTION),
         "due", "declare has to wait", "break_throw in 10 s"),
)  # fmt: skip
"""What is no chain; and what has to wait."""

LEVELS = (
    Case("level table where one machine plays", "closed", "narrator",
         body("open", table=TABLE, ruleset="milhamah", source="scripted", level="table",
              one_machine=True),
         "malformed", "where one machine plays every seat", "level player"),
    Case("level table where one machine plays every seat", "fair", "p1",
         Declare("c1", ACTION, level="table"),
         "out-of-range", "level table is not one of this table, whose own is player", "player"),
    Case("a level below the table's", "table", "p1", Declare("c1", ACTION, level="player"),
         "out-of-range", "level player is not one of this table, whose own is table", "table"),
    Case("level server at a table of level player", "fair", "p1",
         Declare("c1", ACTION, level="server"),
         "out-of-range", "level server is not one of this table, whose own is player", "player"),
)  # fmt: skip
"""What would lower a level."""

CASES = (*ASKS, *OPENED, *BROKEN, *CHAINS, *LEVELS)
