"""A table's story drawn by Hypothesis: a history of the kit, with every choice and die a draw.

What is drawn shrinks: to fewer moves, to the first of what is offered, to the first face of a die.
"""

from collections import deque
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.control import current_build_context
from hypothesis.strategies import SearchStrategy

from ....events.base import JSON, Face
from ....projections.history import history
from ....projections.rollstate import RollState
from ....rules.ruleset import Offer
from ...core.commands import Asking, EnterCharacter, TakeSeat
from ...core.limits import DICE, NARRATOR
from ...core.sources import ThrowRequest
from ..kit.luck import Luck
from ..kit.play import History
from ..kit.trial import LawBroken, Moment, Report, Trial
from ..plugin.tables import FixtureTable

IDLE = 8
"""Nothing is done instead of a move once in so many times."""

TRIES = 8
"""Declarations that are drawn until one of them is not refused."""

AGAIN = 3
"""Times that a die may fall on a face that throws it again, one after the other."""


@cache
def _below(most: int) -> SearchStrategy[int]:
    return st.integers(0, most - 1)


class Draws(Luck):
    """Luck that Hypothesis draws: 0 is what it tries to come back to."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__("hypothesis")
        self._draw = draw

    def below(self, most: int) -> int:
        """A number from 0 to `most` - 1, the smaller the simpler."""
        # Drawn even where there is no choice: a story of which parts are left out stays in step.
        return self._draw(_below(most))

    def seldom(self, times: int) -> bool:
        """Whether something happens that happens once in so many times, and is not simple."""
        return self.below(times) == times // 2  # the ends of a range are drawn more often


class Story:
    """A table and how it came about: every command, who gave it, and what happened."""

    def __init__(self, table: FixtureTable, commands: tuple[tuple[str, Asking], ...]) -> None:
        self.table = table
        self.commands = commands

    def __repr__(self) -> str:
        lines = history(self.table.state, self.table.aggregate.records)
        return "\n".join([repr(self.table), *(f"  {line.seq:4} {line.text}" for line in lines)])


class Drawn(History):
    """One table whose moves and faces Hypothesis draws from what the rules offer."""

    def __init__(
        self,
        trial: Trial,
        options: JSON,
        draw: st.DrawFn,
        wishes: SearchStrategy[JSON],
    ) -> None:
        self.trial = trial
        self.luck: Draws = Draws(draw)
        self.report = Report()
        self.story: list[str] = [f"options {options}"]
        self.declared = []
        self.commands: list[tuple[str, Asking]] = []
        self._vain: set[tuple[int, str]] = set()
        self._draw = draw
        self._wishes = wishes
        self.table = FixtureTable(trial.ruleset, options=options)
        self.table.example = current_build_context()
        self.table.script.falls = self._fallen
        self.aggregate = self.table.aggregate
        for number, who in enumerate(trial.characters, 1):
            self.submit(NARRATOR, TakeSeat(f"p{number}"))
            sheet = dict(who.attributes), dict(who.tracks)
            self.submit(NARRATOR, EnterCharacter(f"c{number}", f"p{number}", *sheet))

    def _fallen(self, request: ThrowRequest) -> tuple[Face, ...]:
        """The faces of a throw, the first of each die the simplest."""
        faces: list[Face] = []
        for _, kind in request.dice:
            every = list(request.faces[kind])
            for _ in range(min(AGAIN, DICE - len(request.dice))):
                faces.append(self._draw(st.sampled_from(every)))
                if faces[-1] not in request.again:
                    break
            else:
                left = [face for face in every if face not in request.again]
                faces.append(self._draw(st.sampled_from(left)))
        return tuple(faces)

    def submit(self, seat: str, command: Asking) -> None:
        """Do what a seat asks. Raises Refused."""
        super().submit(seat, command)
        self.commands.append((seat, command))

    def play_story(self, *, rolls: int, moves: int, voids: bool, ended: bool) -> Story:
        """The story, from its first declaration on; the table's dice are the caller's then."""
        self._begin()
        made = 1
        for _ in range(self.luck.below(moves + 1)):
            # Drawn, not called: what is drawn within is one thing for Hypothesis to leave out.
            step = partial(self._step, declares=made < rolls, voids=voids)
            made += self._draw(st.builds(step))
        for roll in self._rolls() if ended else ():
            _run(self._finish(roll.number))
        self.table.script.falls = None
        return Story(self.table, tuple(self.commands))

    def _step(self, *, declares: bool, voids: bool) -> int:
        """Nothing, which is simplest, or one move; how many rolls it declared."""
        if not self.luck.below(IDLE):
            return 0
        # The latest first: what came before it can then be left out.
        live = [roll for roll in reversed(self._rolls()) if self._playable(roll)]
        if declares and (not live or self.luck.seldom(5)):
            _run(self._declare())
            return 1
        if voids and self.luck.seldom(12):
            _run(self._narrate())
        elif live:
            _run(self._move(self.luck.one_of(live)))
        return 0

    def _move(self, roll: RollState) -> Iterator[Moment]:
        """One offer taken up, whatever was taken up before: a story shrinks move by move."""
        every = self._takeable(roll)
        if not every:
            raise LawBroken("goes-on", f"roll {roll.number} is offered nothing", self.story)
        yield from self._take(roll, self.luck.one_of(every))

    def _begin(self) -> None:
        """The first declaration, without which there is no story."""
        for _ in range(TRIES):
            _run(self._declare())
            if self.state.rolls:
                return
        reject()

    def _declare(self) -> Iterator[Moment]:
        """A declaration by the first character that may make it, if one of those drawn is legal."""
        wish = self._draw(self._wishes)
        for who in self.luck.shuffled(sorted(self.state.characters)):
            if self._declare_for(who, wish, None) is None:
                yield self._now(len(self.state.rolls))
                return

    def _take(self, roll: RollState, offer: Offer, *, last: bool = False) -> Iterator[Moment]:
        """Take up an offer; where no reaction that was drawn fits, the offer is left."""
        try:
            yield from super()._take(roll, offer, last=last)
        except LawBroken as broken:
            if offer.trigger != "react" or broken.law != "fits":
                raise

    def _follow(self, roll: RollState, offer: Offer) -> Iterator[Moment]:
        """A roll that follows; without declarations for its link the shortest, or any."""
        if offer.link in self.trial.followers:
            yield from super()._follow(roll, offer)
            return
        for wish in ({}, self._draw(self._wishes)):
            chosen = {offer.choice: self.luck.one_of(offer.options)} if offer.choice else {}
            given: dict[str, Any] = {**wish, **chosen}
            if self._declare_for(offer.character, given, (roll.number, offer.link)) is None:
                yield self._now(len(self.state.rolls))
                return
        self._vain.add((roll.number, offer.link))


def _run(moments: Iterator[Moment]) -> None:
    deque(moments, maxlen=0)
