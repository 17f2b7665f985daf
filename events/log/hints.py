"""Hints that processes on one log give one another: none is kept, and any may be lost.

Beside `EventLog`, not part of it: a log has this where its wake-ups can carry a few words more. One
in a file, or in memory, does not.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

Heard: TypeAlias = Callable[[str, str], None]
"""Called with what a hint is about, one word or several, and with its words."""


@runtime_checkable
class Hints(Protocol):
    """What carries hints to every process that has the same log open, this one included."""

    def hint(self, about: str, words: str) -> None:
        """Give a hint soon, if that goes; a later one about the same thing takes its place.

        Raises Refused("malformed") where it is too long, or is not printable ASCII of one line;
        `about` must not have the character `|`.
        """
        ...

    def hear(self, heard: Heard) -> Callable[[], None]:
        """Call this with every hint that comes, until what is given back is called.

        Who may open the log may give a hint: believe nothing of it that matters.
        """
        ...
