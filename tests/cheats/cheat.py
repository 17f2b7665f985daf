"""One way to cheat, and how a module of cheats plants its own.

What each cheat is called and how it must end stands in tests/cheats.toml.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from msgspec import Struct, convert

from tests.cheats.forging import Made

Verdict: TypeAlias = Literal["fail", "look", "stated", "not checked", "no rules", "refused"]
"""How a verifier ends at the step that catches a cheat; only a failure is a verdict on the log.

What is refused has no verdict at all, and `step` is where it would have one."""

Play: TypeAlias = Callable[..., Made]
"""A play with the cheat in it; told `True`, its honest twin."""

DATA = Path(__file__).parents[1] / "cheats.toml"


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """A cheat as the data has it; what each key says stands there."""

    id: str
    name: str
    twin: str
    step: int
    audit: Verdict
    page: Verdict
    why: str
    page_step: int = 0
    alone: int = 0
    before: tuple[int, ...] = ()
    says: str = ""
    seen: bool = False


def rows() -> Mapping[str, Row]:
    """Every row of the data by its id, in its order. Raises ValueError for an id that is twice."""
    found = convert(tomllib.loads(DATA.read_text("utf-8"))["cheat"], list[Row])
    by_id = {row.id: row for row in found}
    if len(by_id) != len(found):
        raise ValueError("an id is twice in the data of cheats")
    return by_id


ROWS = MappingProxyType(rows())


class Cheat(Struct, frozen=True):
    """One way to cheat: `step` of the audit must catch it, and `audit` say so there.

    That is where its host forged what was asked too. `alone` is the step that catches it where the
    event alone is forged. The page says `page`, at `page_step`.
    """

    row: Row
    play: Play

    @property
    def id(self) -> str:
        """Its number in the specification of `urim/1`, with a letter."""
        return self.row.id

    @property
    def alone(self) -> int:
        """The step that catches the event alone."""
        return self.row.alone or self.row.step

    @property
    def page_step(self) -> int:
        """The step at which the page catches it."""
        return self.row.page_step or self.row.step

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in the list."""
        number = self.id.rstrip("abcdefghijklmnopqrstuvwxyz")
        return int(number), self.id[len(number) :]


class Planted:
    """The cheats of one module, each planted at the function that plays it."""

    def __init__(self) -> None:
        self.cheats: list[Cheat] = []

    def __call__(self, id: str, **given: Any) -> Callable[[Play], Play]:
        """Plant a function that is told whether to be honest, and what is `given` besides."""

        def plant(play: Play) -> Play:
            self.cheats.append(Cheat(ROWS[id], partial(play, **given) if given else play))
            return play

        return plant
