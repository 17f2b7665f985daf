"""One way to cheat, and how a module of cheats plants its own."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from tests.cheats.forging import Made

Verdict: TypeAlias = Literal["fail", "finding", "not-checked", "look"]
"""How the audit ends at the step that catches a cheat; a look is a remark of a step that passes."""

Play: TypeAlias = Callable[..., Made]
"""A play with the cheat in it; told `True`, its honest twin."""


class Cheat(Struct, frozen=True):
    """One way to cheat: `step` of the audit must catch it, with `verdict`.

    That is where its host forged what was asked too. `alone` is the step that catches it where the
    event alone is forged, the same one unless another is named. The steps `before` it fail too.

    `id` is its number in the list that the specification of `urim/1` gives, with a letter where
    there is another way to the same end. `why` says why that step and none before. With
    `needs_seen` nothing in the file alone is wrong: it takes a checkpoint that somebody held on to.
    `says` are words of the remark; where it is a look its honest twin has none with them.
    """

    id: str
    name: str
    step: int
    why: str
    play: Play
    needs_seen: bool = False
    verdict: Verdict = "fail"
    alone: int = 0
    before: tuple[int, ...] = ()
    says: str = ""

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands in the list."""
        number = self.id.rstrip("abcdefghijklmnopqrstuvwxyz")
        return int(number), self.id[len(number) :]


class Planted:
    """The cheats of one module, each planted at the function that plays it."""

    def __init__(self) -> None:
        self.cheats: list[Cheat] = []

    def __call__(
        self,
        id: str,
        name: str,
        step: int,
        why: str,
        *,
        needs_seen: bool = False,
        verdict: Verdict | None = None,
        alone: int | None = None,
        before: tuple[int, ...] = (),
        says: str = "",
        **given: Any,
    ) -> Callable[[Play], Play]:
        """Plant a function that is told whether to be honest, and what is `given` besides."""

        def plant(play: Play) -> Play:
            told = partial(play, **given) if given else play
            ends: Verdict = verdict or ("finding" if step in FINDINGS else "fail")
            where = alone or step
            cheat = Cheat(id, name, step, why, told, needs_seen, ends, where, before, says)
            self.cheats.append(cheat)
            return play

        return plant


FINDINGS = (14, 16)
"""The steps that prove nothing: they ask people to look closer."""
