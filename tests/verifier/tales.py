"""Logs of what people do with rolls, characters and keys: each counted by its kind."""

from collections.abc import Mapping
from typing import Any, Literal

from tests.verifier.broken_seats import keyed, say
from tests.verifier.log import Ground, Log, secret
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.base import Level

Counted = Mapping[str, tuple[int, ...]]
"""By kind, the entries that are counted."""


def opened() -> Log:
    """A table before its first roll."""
    log = Log({})
    log.open()
    return log


def declare(
    log: Log,
    roll: int,
    wish: Mapping[str, Any],
    kind: Literal["open", "hidden"] = "open",
    level: Level = "player",
) -> int:
    """A roll of p1's with this declaration."""
    visibility: Literal["public", "gm"] = "public" if kind == "open" else "gm"
    commit = log.commit(roll, 0)
    event = rolled.RollDeclared("p1", roll, "c1", dict(wish), visibility, level, commit=commit)
    return log.add(event, kind=kind)


def void(log: Log, roll: int, throw: int, by: str = "narrator") -> int:
    """The roll is voided, and opens its seed."""
    return log.add(rolled.RollVoided(by, roll, throw, log.seed(roll, throw)), words="Too far.")


def throw(log: Log, roll: int, declared: int, nonce: str = "") -> int:
    """p1 throws."""
    return log.thrown(roll, 0, Ground(declared, secret(nonce or f"nonce of {roll}")))


def ended(how: str) -> tuple[Log, Counted]:
    """A roll that comes to nothing in one way, and the same declared again in other words."""
    log = opened()
    first = declare(log, 1, {"a": 1, "b": [2]})
    by = {"withdrawn": "p1", "early-void": "narrator"}
    end = void(log, 1, 0, by[how]) if how in by else first
    if how == "late-void":
        throw(log, 1, first)
        end = void(log, 1, 1)
    if how == "replaced":
        end = log.add(ruling.DeclarationReplaced("narrator", 1, {"a": 3}), words="So.")
    again = declare(log, 2, {"b": [2], "a": 1})
    if how == "replaced":
        return log, {"again": (again,), "lying": (end, again), "correction": (end,)}
    if how == "lying":
        return log, {"again": (again,), "lying": (first, again)}
    if how == "withdrawn":  # nobody could know its dice without its own seat
        return log, {"lying": (again,), how: (end,)}
    return log, {"again": (again,), "lying": (again,), how: (end,)}


def given_meanwhile() -> tuple[Log, Counted]:
    """Another seat had the character of a roll before its own seat took it back."""
    log = opened()
    declare(log, 1, {})
    given = tuple(
        log.add(tabled.CharacterGiven(seat, "c1", other))
        for seat, other in (("p1", "p2"), ("p2", "p1"))
    )
    end = void(log, 1, 0, "p1")
    again = declare(log, 2, {})
    return log, {"again": (again,), "given": given, "withdrawn": (end,), "lying": (again,)}


def watched(what: str) -> tuple[Log, Counted]:
    """At level table a roll is voided before its ask, and declared again.

    Nobody could know its dice; but where p2 kept a share back before, or chains had ended.
    """
    log = opened()
    anchored = len(log.entries)
    log.anchor("p1", "p2")
    counted: dict[str, tuple[int, ...]] = {}
    if what == "kept":
        first = declare(log, 1, {"a": 1}, level="table")
        log.ask(1, 0, first, {"p1": 1, "p2": 1})
        log.open_share("p1", 1, 0, 1)
        log.at += 10_000
        seeds = log.seed(1, 0), log.commit(1, 1)
        end = log.add(rolled.ThrowBroken("p1", 1, 0, ("p2",), *seeds))
        counted = {"broken": (end,), "lying": (first,), "host-word": (anchored,)}
    declare(log, 2 if counted else 1, {}, level="table")
    roll = 2 if counted else 1
    if what == "epoch":
        log.epoch = 1
        fresh = tabled.Recommitted(1, 0, log.commit(1, 0))
        counted = {"epoch": (log.add(tabled.EpochBegun("narrator", 1, (fresh,))),)}
    end = void(log, roll, 0)
    again = declare(log, roll + 1, {}, level="table")
    looks = {} if what == "before the ask" else {"again": (again,)}
    lying = (*counted.get("lying", ()), again)
    return log, {**counted, **looks, "early-void": (end,), "lying": lying}


def vetoed() -> tuple[Log, Counted]:
    """A roll that was vetoed is neither left lying nor declared again."""
    log = opened()
    declare(log, 1, {"a": 1})
    veto = log.add(ruling.DeclarationVetoed("narrator", 1), words="No.")
    again = declare(log, 2, {"a": 1})
    return log, {"lying": (again,), "correction": (veto,)}


def sealed() -> tuple[Log, Counted]:
    """A hidden roll of which everybody may see the ask alone."""
    log = opened()
    log.anchor("p1", "p2")
    declared = declare(log, 1, {}, "hidden")
    thrown = log.share_throw(1, 0, declared, {"p1": 1, "p2": 1}, kind="hidden")
    log.withhold(declared, declared + 1, thrown)
    return log, {"hidden": (), "host-word": (5, 4)}


def nonces() -> tuple[Log, Counted]:
    """A nonce that is used three times is counted once, where it came last."""
    log = opened()
    places = [throw(log, roll, declare(log, roll, {"a": roll}), "same") for roll in (1, 2, 3)]
    return log, {"nonce": (places[-1],), "lying": tuple(place - 1 for place in places)}


def key_left() -> tuple[Log, Counted]:
    """A seat takes the place it has once more, without its key."""
    log = keyed()
    place = say(log, tabled.SeatTaken("p2", "p2", "player"))
    return log, {"key-reset": (place,)}


def unseen() -> tuple[Log, Counted]:
    """p2 asks twice before it saw p1's declaration, and once after that; its own need no head."""
    log = keyed()
    declared = declare(log, 1, {})
    choice = rolled.ChoiceMade("p2", 1, "c2", "side", "left")
    late = [say(log, choice, size=declared), say(log, choice, size=declared)]
    say(log, choice, size=declared + 1)
    return log, {"before-seen": (late[0],), "lying": (declared,)}


def tales() -> Mapping[str, tuple[Log, Counted]]:
    """Every log by its name, with what is counted of it."""
    ways = ("lying", "withdrawn", "early-void", "late-void", "replaced")
    return {
        **{f"{how}, and declared again": ended(how) for how in ways},
        **{
            f"at level table, {what}": watched(what) for what in ("before the ask", "kept", "epoch")
        },
        "taken back when another had the character": given_meanwhile(),
        "vetoed, and declared again": vetoed(),
        "a hidden roll": sealed(),
        "a nonce three times": nonces(),
        "a key left": key_left(),
        "asked before it was seen": unseen(),
    }
