"""What happened and was not taken yet: as much of it as can be of use, and no more."""

from collections import deque
from collections.abc import Sequence

from ...events.log.protocol import CaughtUp
from ..seat.happened import Contradicted, EpochSeen, Happened, HeadSeen, NotMine, Taken, Undone
from ..service.feed import Present

MOST = 1_000
"""Events that wait to be taken, at most."""

WARNINGS = (NotMine, Undone, EpochSeen, Contradicted)
"""What a player must see: it is dropped last."""

OVER = (HeadSeen, CaughtUp, Present)
"""What says nothing more once a later one is there."""


class Happenings:
    """Events in the order in which they happened, at most MOST.

    Where nobody takes them, those of entries become one, and of heads and presence the newest
    stays; then the oldest go, warnings last.
    """

    def __init__(self) -> None:
        self._found: deque[Happened] = deque()

    def __len__(self) -> int:
        return len(self._found)

    @property
    def warnings(self) -> tuple[Happened, ...]:
        """What a player must see among those that wait."""
        return tuple(each for each in self._found if isinstance(each, WARNINGS))

    def add(self, found: Sequence[Happened]) -> None:
        """More happened."""
        self._found.extend(found)
        if len(self._found) > MOST:
            self._found = deque(_shorter(self._found))

    def take(self) -> Happened:
        """The oldest, which is dropped. Raises IndexError where there is none."""
        return self._found.popleft()


def _shorter(found: Sequence[Happened]) -> list[Happened]:
    """Half of MOST at most: one `Taken` for all in a row, then the newest, warnings first."""
    last = {type(each): place for place, each in enumerate(found)}
    left = [e for i, e in enumerate(found) if not isinstance(e, OVER) or last[type(e)] == i]
    taken = [each for each in left if isinstance(each, Taken)]
    if taken:
        whole = Taken(taken[0].start, taken[-1].stop)
        newest = taken[-1]
        left = [
            whole if e is newest else e for e in left if e is newest or not isinstance(e, Taken)
        ]
    left = _without(left, len(left) - MOST // 2, (*WARNINGS, Taken))
    return left[-(MOST // 2) :]


def _without(found: Sequence[Happened], count: int, but: tuple[type, ...]) -> list[Happened]:
    """Without so many of the oldest, none of which is of these types."""
    kept = list[Happened]()
    for each in found:
        if count > 0 and not isinstance(each, but):
            count -= 1
        else:
            kept.append(each)
    return kept
