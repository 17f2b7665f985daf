"""Logs of what people do with rolls, characters and keys: each counted by its kind."""

from collections.abc import Mapping
from typing import Any, Literal

from tests.verifier.broken_seats import keyed, say
from tests.verifier.log import Ground, Log, secret
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled

Counted = Mapping[str, tuple[int, ...]]
"""By kind, the entries that are counted."""


def opened() -> Log:
    """A table before its first roll."""
    log = Log({})
    log.open()
    return log


def declare(
    log: Log, roll: int, wish: Mapping[str, Any], kind: Literal["open", "hidden"] = "open"
) -> int:
    """A roll of p1's with this declaration."""
    visibility: Literal["public", "gm"] = "public" if kind == "open" else "gm"
    commit = log.commit(roll, 0)
    event = rolled.RollDeclared("p1", roll, "c1", dict(wish), visibility, "player", commit=commit)
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
        "vetoed, and declared again": vetoed(),
        "a hidden roll": sealed(),
        "a nonce three times": nonces(),
        "a key left": key_left(),
        "asked before it was seen": unseen(),
    }
