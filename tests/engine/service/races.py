"""What two processes do at the same moment on one database, step by step of a table's life."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from tests.engine.helpers.stages.epochs import begins
from tests.engine.helpers.stages.service import declare
from tests.engine.service.life import SALT, Part, answer, asks, opens, signs
from urim.engine.core.commands import EnterCharacter, Erase, Note, TakeSeat, worded
from urim.engine.service import Service

Doing: TypeAlias = Sequence[tuple[str, Part]]
"""What one process asks for, each under a name."""

COMMITS = 3
"""What each of the two commits under requests of its own."""

TEXT = 3
"""The text that both erase."""


def opening(table: str, name: str, mode: str) -> Doing:
    """Both open the table: under the same request, or each under its own."""
    request = "open" if mode == "same" else f"open-{name}"
    return [("open", opens(table, "fair", request))]


def sitting(table: str, name: str, mode: str) -> Doing:
    """Both let the same players sit down, under the same requests."""
    entering = worded(EnterCharacter("c1", "p1", {"BLE": 3}), "Etgar", SALT)
    return [
        ("sit", asks("sit", "narrator", TakeSeat("p1"), table)),
        ("enter", asks("enter", "narrator", entering, table)),
    ]


def committing(table: str, name: str, mode: str) -> Doing:
    """Each declares, and writes notes; one request is of both."""
    noting = [worded(Note(0), f"{name} {n}", SALT) for n in range(COMMITS)]
    return [
        ("both", asks("both", "p1", declare(), table)),
        *(
            (f"note-{name}-{n}", asks(f"note-{name}-{n}", "p1", each, table))
            for n, each in enumerate(noting)
        ),
    ]


def signing(table: str, name: str, mode: str) -> Doing:
    """Both ask for the head; one may have commits in between."""
    sign = partial(signs, table=table)
    own = asks(f"mark-{name}", "p1", worded(Note(0), f"mark {name}", SALT), table)
    return [("head", sign), (f"mark-{name}", own), ("head", sign)]


def erasing(table: str, name: str, mode: str) -> Doing:
    """Both erase a text: under the same request, or each under its own."""
    request = "erase" if mode == "same" else f"erase-{name}"
    return [("erase", asks(request, "narrator", Erase(TEXT), table))]


def epoch(table: str, name: str, mode: str) -> Doing:
    """Both begin an epoch, or one of them while the other commits."""

    async def begun(service: Service) -> str:
        entries = await service.begin_epoch(table, restored=True)
        return f"{begins(entries).epoch},{answer(entries)}"

    if mode == "same" or name == "one":
        return [("epoch", begun)]
    return [
        (f"late-{n}", asks(f"late-{n}", "p1", worded(Note(0), f"late {n}", SALT), table))
        for n in range(COMMITS)
    ]


RACES: dict[str, Callable[[str, str, str], Doing]] = {
    "opening": opening,
    "sitting": sitting,
    "committing": committing,
    "signing": signing,
    "erasing": erasing,
    "epoch": epoch,
}
