"""Refusals at level `table`: nonces bound, given and thrown with, seats passed over, throws late.

What is too early, and what time it is then, is tested where the time is held (test_witnessing).
"""

from tests.engine.helpers.refusals.case import Case, body
from tests.engine.helpers.refusals.setups import ACTION, NONCE, TABLE
from urim.engine.core.commands import (
    Amend,
    CommitNonce,
    Declare,
    PassOver,
    Replace,
    ReportWithheld,
    RollDice,
    SetWitnessing,
    Veto,
    Void,
    Witness,
    worded,
)
from urim.events.throw import nonce_commitment, throw_id

ZEROS, ONES = "0" * 64, "1" * 64
BOUND = nonce_commitment(throw_id(TABLE, 1, 0), NONCE).hex()


def throws(nonce: str) -> RollDice:
    """The roller throws with this nonce."""
    return RollDice(1, "initiator", 11, nonce)


NONCES = (
    Case("a throw that nobody bound a nonce for", "table", "p1", throws(NONCE),
         "nonce", "no nonce is bound for throw 0 of roll 1", "commit_nonce"),
    Case("a throw before the witness spoke", "bound", "p1", throws(NONCE),
         "nonce", "missing from p2", "pass_over"),
    Case("another nonce than the bound one", "witnessed", "p1", throws(ONES),
         "nonce", ONES, BOUND),
    Case("binding a second nonce", "bound", "p1", CommitNonce(1, ZEROS, 11, ("p2",)),
         "nonce", "bound already", "roll or reroll"),
    Case("binding at level player", "fair", "p1", CommitNonce(1, ZEROS, 11, ("p2",)),
         "nonce", "level player binds no nonces", "level table"),
    Case("binding another's throw", "table", "p2", CommitNonce(1, ZEROS, 11, ("p1",)),
         "not-offered", "'p2' is offered no throw", "roll initiator (8 dice)"),
    Case("binding to another commitment", "table", "p1", CommitNonce(1, ZEROS, 5, ("p2",)),
         "commitment", "entry 5", "11"),
    Case("asking oneself", "table", "p1", CommitNonce(1, ZEROS, 11, ("p1",)),
         "malformed", "the roller never", "p2"),
    Case("asking somebody twice", "table", "p1", CommitNonce(1, ZEROS, 11, ("p2", "p2")),
         "malformed", "once", "p2"),
    Case("asking nobody who is there", "table", "p1", CommitNonce(1, ZEROS, 11, ("p9",)),
         "unknown", "'p9'", "p2"),
    Case("asking nobody at all", "table", "p1", CommitNonce(1, ZEROS, 11, ()),
         "nonce", "nobody is asked", "watcher"),
    Case("asking somebody who left", "left", "p1", CommitNonce(1, ZEROS, 11, ("p3",)),
         "unknown", "'p3'", "p2"),
    Case("a witness nobody asked", "bound", "p3", Witness(1, ZEROS),
         "not-offered", "'p3' was not asked", "p2"),
    Case("a witness of nothing", "table", "p2", Witness(1, ZEROS),
         "not-offered", "'p2' was not asked"),
    Case("a witness who spoke already", "witnessed", "p2", Witness(1, ONES),
         "nonce", "gave its nonce already", "once a throw"),
    Case("a witness's malformed nonce", "bound", "p2", Witness(1, "0f"),
         "malformed", "nonce is '0f'", "64 hex digits, lower case"),
    Case("a witness who was passed over", "passed over", "p2", Witness(1, ZEROS),
         "nonce", "'p2' was passed over", "the next throw"),
)  # fmt: skip
"""What is no throw's nonce."""

LATE = (
    Case("passing over before anything is bound", "table", "p1", PassOver(1),
         "nonce", "no nonce is bound for throw 0 of roll 1", "commit_nonce"),
    Case("passing over as the one who is waited for", "bound", "p2", PassOver(1),
         "not-yours", "'p2' does not throw", "seat 'p1'"),
    Case("passing over nobody", "witnessed", "p1", PassOver(1),
         "nonce", "every seat asked for throw 0 of roll 1 is heard", "roll or reroll"),
    Case("passing over twice", "passed over", "narrator", PassOver(1),
         "nonce", "every seat asked", "roll or reroll"),
    Case("reporting before anything is bound", "table", "p2", ReportWithheld(1),
         "nonce", "no nonce is bound", "commit_nonce"),
    Case("reporting oneself", "witnessed", "p1", ReportWithheld(1),
         "not-yours", "'p1' would report itself", "roll or reroll"),
    Case("reporting who waits for others", "bound", "p3", ReportWithheld(1),
         "nonce", "waits for seat 'p2'", "pass_over"),
    Case("a player's minute", "seated", "p1", SetWitnessing(30),
         "not-yours", "'p1' is none", "seat 'narrator'"),
    Case("no time at all", "seated", "narrator", body("set-witnessing", seconds=0),
         "out-of-range", "seconds is 0"),
    Case("more than a day", "seated", "narrator", body("set-witnessing", seconds=86_401),
         "out-of-range", "seconds is 86401"),
    Case("half a second", "seated", "narrator", body("set-witnessing", seconds=0.5),
         "malformed", "seconds is 0.5"),
    Case("another policy", "seated", "narrator", body("set-witnessing", seconds=9, withheld="hang"),
         "malformed", "withheld is 'hang'"),
)  # fmt: skip
"""Who may not be hurried, or not by whom."""

STEERING = (
    Case("a veto of a throw that is bound", "bound", "narrator", worded(Veto(1), "no"),
         "nonce", "a nonce is bound for throw 0 of roll 1", "void"),
    Case("another declaration under a bound throw", "witnessed", "narrator",
         worded(Replace(1, {"target": 1}), "so"),
         "nonce", "a nonce is bound for throw 0 of roll 1", "roll or reroll"),
    Case("an amendment under a bound throw", "bound", "narrator",
         worded(Amend(1, "c1", {"target": 1}), "so"),
         "nonce", "a nonce is bound for throw 0 of roll 1", "void"),
    Case("opening a nonce that was not bound", "bound", "narrator", worded(Void(1, ZEROS), "so"),
         "nonce", ZEROS, BOUND),
    Case("opening a nonce where none is bound", "table", "narrator", worded(Void(1, NONCE), "so"),
         "nonce", "no nonce is bound", "commit_nonce"),
    Case("a level below the table's", "table", "p1", Declare("c1", ACTION, level="player"),
         "out-of-range", "level player is below the table's, table", "table"),
    Case("level server at a table of level player", "fair", "p1",
         Declare("c1", ACTION, level="server"),
         "out-of-range", "level server is below the table's, player", "player"),
)  # fmt: skip
"""What would steer a throw, or the trust in it."""

CASES = (*NONCES, *LATE, *STEERING)
