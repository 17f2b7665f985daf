"""Scripted dice from a queue: they fall in the order given, and must all be thrown.

A throw that is refused takes no face; a throw that names its own faces leaves the queue alone.
"""

from collections.abc import Callable, Collection, Iterable

from msgspec.structs import replace

from ....errors import Refused
from ....events.base import Face, Thrown
from ....events.roll import Proof
from ...core.sources import TYPED, ThrowRequest

Falls = Callable[[ThrowRequest], tuple[Face, ...]]
"""Gives the faces of one throw, one more for each die that is thrown again at once."""


class Script:
    """A source of the name `scripted` that takes faces from a queue where none are typed.

    `falls`, where it is set, is asked instead of the queue.
    """

    name = "scripted"

    def __init__(self) -> None:
        self.queue: list[Face] = []
        self.falls: Falls | None = None
        self.last = ""
        self._taking = 0

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """Nothing is committed to."""
        return None

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """There is no seed."""
        return None

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        """The next faces. Raises Refused "dice-short" or "face", naming the throw and the die."""
        self.last = named(request)
        if request.typed is None:
            given = tuple(self.queue[: needed(request, self.queue)])
            self._taking = len(given)
            request = replace(request, typed=self.falls(request) if self.falls else given)
        try:
            return TYPED[self.name].throw(request)
        except Refused as error:
            raise error.reworded(f"{self.last}: {error.why}") from None

    def begin(self) -> None:
        """Before a command: nothing is taken yet."""
        self._taking = 0

    def keep(self) -> None:
        """After a command that was not refused: what it took is gone."""
        del self.queue[: self._taking]
        self._taking = 0


def named(request: ThrowRequest) -> str:
    """A throw in a few words: `roll 1, throw 0 (p1: d1 d2 d3)`."""
    ids = " ".join(die for die, _ in request.dice)
    return f"roll {request.roll}, throw {request.throw} ({request.roller}: {ids})"


def needed(request: ThrowRequest, faces: Collection[Face]) -> int:
    """How many of the next faces the throw takes: more than its dice where one falls again."""
    left, count = len(request.dice), 0
    for face in faces:
        if not left:
            break
        count += 1
        left -= face not in request.again
    return count


def read_faces(given: Iterable[Face], known: Collection[Face]) -> list[Face]:
    """Faces as a test writes them: `"1 2 3"`, `"ו ח ר"`, `"וחר"`, or one after another.

    `known` are the faces that some die of the system has. Raises Refused("face") for any other.
    """
    found: list[Face] = []
    for item in given:
        for word in item.split() if isinstance(item, str) else (item,):
            found += _read(word, known)
    return found


def _read(word: Face, known: Collection[Face]) -> Iterable[Face]:
    if word in known:
        return (word,)
    if isinstance(word, str):
        if word.isdecimal() and int(word) in known:
            return (int(word),)
        if all(letter in known for letter in word):
            return word
    raise Refused("face", f"no die of this system shows {word!r}", allowed=map(str, known))
