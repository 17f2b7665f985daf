"""Whose fault it was: every error that Urim raises, in one tree.

    UrimError
    ├── Refused     the caller's: a command or an input that cannot be used; nothing was changed
    ├── Damaged     the log's: an entry that is damaged, forged, or of a version not known here
    ├── Unavailable the place's where the log is kept: no space, no lock, no disk; try again later
    └── Defect      ours: a law of Urim broken by Urim; please report it

Commands are refused by code. The codes are stable: a client may branch on them, never on the words.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any

CODES: Mapping[str, str] = MappingProxyType(
    {
        "malformed": "not of the form that is needed",
        "too-long": "more text, bytes or items than the limit",
        "out-of-range": "a number outside its bounds",
        "unknown": "no such roll, die, character, seat, hand, system, field or reading",
        "taken": "the id is in use already",
        "not-yours": "the seat does not own the character, or lacks the role",
        "not-seen": "the seat may not see the roll it wants to act in",
        "wrong-state": "the roll's state does not know this trigger",
        "not-offered": "the rules offer nothing of the kind now",
        "due": "something must happen first",
        "frozen": "the die is frozen",
        "too-many": "more dice, or a higher cost, than offered",
        "needs-leave": "only the narrator may grant it",
        "history": "what was thrown or chosen would not have been possible",
        "commitment": "not the outstanding commitment",
        "nonce": "a nonce is missing, malformed or not wanted at this level",
        "dice-short": "the scripted or typed dice run out",
        "dice-left": "scripted or typed dice are left over",
        "face": "a face that the die does not have",
        "request-reused": "the request id was used for another command",
        "not-signed": "not signed by the seat's key over a head of the log, or signed without one",
        "over-budget": "more than a service lets one seat have at once, or write in an hour",
        "unreadable": "a file or text that cannot be read as what it should be",
    }
)
"""Every code of a refusal, and what it means."""


def where(error: BaseException) -> str:
    """The line that raised it: folder, file, number, and its function; "" where that is lost."""
    found = error.__traceback__
    while found is not None and found.tb_next is not None:
        found = found.tb_next
    if found is None:
        return ""
    code = found.tb_frame.f_code
    place = "/".join(code.co_filename.replace("\\", "/").split("/")[-2:])
    return f"{place}:{found.tb_lineno} in {code.co_qualname}"


ALLOWED = 20
"""Items that a refusal lists, at most: enough to choose from, and never a table's whole history."""


class UrimError(Exception):
    """Any error of Urim. Catch its subclasses by whose fault it was."""


class Refused(UrimError):
    """A command or an input that cannot be used; nothing was changed.

    `code` is one of CODES; `why` says in a sentence what was wrong with which value; `allowed`
    lists what would be allowed now, most useful first, and may be empty. It has ALLOWED items at
    most; `left_out` is how many more there are. `seconds` is after how long the same may be done,
    where only time is wanting, and that is known.
    """

    def __init__(
        self,
        code: str,
        why: str,
        *,
        allowed: Iterable[object] = (),
        left_out: int = 0,
        seconds: float | None = None,
    ) -> None:
        """`left_out` counts what `allowed` lacks already, where the list was cut before."""
        if code not in CODES:
            raise Defect(f"no such refusal code: {code!r}")
        self.code = code
        self.why = why
        self.seconds = seconds
        items = iter(allowed)
        self.allowed: tuple[str, ...] = tuple(str(item) for item in islice(items, ALLOWED))
        self.left_out = left_out + sum(1 for _ in items)
        super().__init__(code, why, self.allowed)

    def __reduce__(self) -> tuple[Any, ...]:
        """It goes from one process to another."""
        again = partial(
            type(self), allowed=self.allowed, left_out=self.left_out, seconds=self.seconds
        )
        return again, (self.code, self.why)

    def __str__(self) -> str:
        return f"{self.why}; allowed: {self.allowed_text}" if self.allowed else self.why

    @property
    def allowed_text(self) -> str:
        """What would be allowed, in a row, with how many more there are; empty for nothing."""
        more = f" and {self.left_out:,} more" if self.left_out else ""
        return f"{', '.join(self.allowed)}{more}"

    def listed(self) -> dict[str, object]:
        """`allowed` as JSON shows it, with `left_out` where it is not 0."""
        more = {"left_out": self.left_out} if self.left_out else {}
        return {"allowed": list(self.allowed), **more}

    def reworded(self, why: str) -> "Refused":
        """The same refusal, with another sentence: where it happened, say."""
        return Refused(
            self.code, why, allowed=self.allowed, left_out=self.left_out, seconds=self.seconds
        )


class Damaged(UrimError):
    """A log that is not what was written: a flipped bit, a forged entry, an unknown version.

    `seq` is the entry's sequence number, counted from 0, where it is known.
    """

    def __init__(self, why: str, *, seq: int | None = None) -> None:
        self.why = why
        self.seq = seq
        super().__init__(why, seq)

    def __str__(self) -> str:
        return self.why if self.seq is None else f"entry {self.seq}: {self.why}"


class Unavailable(UrimError):
    """The place where a log is kept cannot do what it was asked: no space, a lock, a failing disk.

    Nothing is wrong with the command or the log. Nothing was acknowledged, so ask again, under the
    same request id: whatever became of the first attempt, it will not be kept twice. `why` says in
    a sentence what failed where.
    """

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class Defect(UrimError):
    """A law of Urim broken by Urim itself."""


def pip_install(extra: str) -> str:
    """How to install Urim with an extra: by no name, which anybody could take while it is free."""
    return f'pip install "path/to/urim[{extra}]", with the path of the checkout or the wheel'
