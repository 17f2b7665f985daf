"""The dice of a what-if: those that fell in the log for the same request, and no others.

A hand's first throw takes the dice of its request in order, a reroll takes each die by its id. What
proves a throw (commitments, seeds, nonces, shares) is not asked about: nothing is proved here.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ...events import roll as rolled
from ...events.base import Thrown
from ...events.codec import Event
from ..core.rerun import NeverThrown
from ..core.sources import ThrowRequest

PLACEHOLDER = "0" * 64
"""In the place of a commitment, a seed or a nonce."""


class Fallen:
    """A source of dice that answers with those of the commit at work.

    `missing` are the dice that its last throw needed and that did not fall: (id, kind) each.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.missing: tuple[tuple[str, str], ...] = ()
        self._event: rolled.DiceRolled | rolled.DiceRerolled | None = None

    def take(self, events: Iterable[Event]) -> None:
        """Answer with the dice of these events, which are one commit's."""
        self._event = None
        for event in events:
            if isinstance(event, (rolled.DiceRolled, rolled.DiceRerolled)) and event.proof:
                self._event = event

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """Something, where the table's dice are committed to."""
        return PLACEHOLDER if self.name == "fair" else None

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """Something, where there would be a seed."""
        return PLACEHOLDER if self.name == "fair" else None

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], rolled.Proof]:
        """The dice as they fell. Raises NeverThrown for the first that did not."""
        found = [self._fell(request, at, die, kind) for at, (die, kind) in enumerate(request.dice)]
        pairs = zip(request.dice, found, strict=True)
        self.missing = tuple(die for die, fell in pairs if fell is None)
        event = self._event
        if self.missing or event is None or event.proof is None:
            raise NeverThrown(request.roll, request.throw, (self.missing or request.dice)[0][0])
        proof = replace(
            event.proof, throw=request.throw, committed=request.committed, nonce=request.nonce
        )
        return tuple(die for fell in found if fell is not None for die in fell), proof

    def _fell(
        self, request: ThrowRequest, at: int, die: str, kind: str
    ) -> tuple[Thrown, ...] | None:
        """A die with the faces that it fell on, one more each time it was thrown again at once."""
        faces = request.faces[kind]
        if self.name == "scripted":
            faces = tuple(face for table in request.faces.values() for face in table)
        thrown: list[Thrown] = []
        for each in self._of(at, die):
            if each.kind != kind or each.face not in faces:
                return None
            thrown.append(Thrown(die, kind, each.face))
            if each.face not in request.again:
                return tuple(thrown)
        return None

    def _of(self, at: int, die: str) -> Iterator[Thrown]:
        """What the log has of one die: by its place in a first throw, else by its id."""
        if self._event is None:
            return
        dice: Sequence[Thrown] = self._event.dice
        if isinstance(self._event, rolled.DiceRolled):
            ids = tuple(dict.fromkeys(each.die for each in dice))
            die = ids[at] if at < len(ids) else ""
        yield from (each for each in dice if each.die == die)
