"""Evenings full of hidden rolls, texts, and seats that come, go and give characters away.

Each step is two numbers: which kind of command, and what it is about; most of them can be shrunk.
A step that is refused changes nothing.
"""

from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from tests.engine.helpers.stage import ROOT
from urim.engine.core import commands as c
from urim.engine.core.limits import NARRATOR
from urim.events.base import Role, Visibility
from urim.projections.rulings import latest_ruling
from urim.projections.tables import TableState

TABLE = "evening1"
DICE = "seeded:evening"

SEATS = (NARRATOR, "p1", "p2", "p3")
CHARACTERS = ("c1", "c2")
VISIBILITIES: tuple[Visibility, ...] = ("gm", "blind", "self", "public")
ROLES: tuple[Role, ...] = ("player", "narrator")

OPENING: tuple[tuple[str, c.Asking], ...] = (
    *((NARRATOR, c.TakeSeat(seat)) for seat in SEATS[1:]),
    (NARRATOR, c.EnterCharacter("c1", "p1", {"BLE": 3})),
    (NARRATOR, c.EnterCharacter("c2", "p2", {"GRA": 2})),
)

Step = tuple[int, int]
Asked = tuple[str, c.Asking]

steps = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9_999)), max_size=40)
"""The steps of an evening."""


class Choice:
    """A number, taken apart into choices."""

    def __init__(self, number: int) -> None:
        self.left = number

    def of(self, count: int) -> int:
        """A number below the count."""
        self.left, found = divmod(self.left, max(1, count))
        return found


def _declare(state: TableState, choice: Choice) -> Asked:
    visibility = VISIBILITIES[choice.of(4)]
    who = choice.of(2)
    wish: dict[str, object] = {"root": ROOT, "rating": 2}
    if choice.of(2):
        wish["opponent"] = CHARACTERS[1 - who]
    return _owner(state, CHARACTERS[who]), c.Declare(CHARACTERS[who], wish, visibility)


def _react(state: TableState, choice: Choice) -> Asked:
    roll, who = _roll(state, choice), CHARACTERS[choice.of(2)]
    return _owner(state, who), c.React(roll, who, {"root": "חננ", "rating": 3})


def _throw(state: TableState, choice: Choice) -> Asked:
    number = _roll(state, choice)
    roll = state.rolls.get(number)
    who = roll.roll.character if roll else CHARACTERS[0]
    return _owner(state, who), c.RollDice(number, "initiator")


def _reveal(state: TableState, choice: Choice) -> Asked:
    return NARRATOR, c.Reveal(_roll(state, choice))


def _void(state: TableState, choice: Choice) -> Asked:
    number = _roll(state, choice)
    roll = state.rolls.get(number)
    against = None if roll is None else latest_ruling(roll)
    return NARRATOR, c.worded(c.Void(number, against=against), "a mistake")


def _note(state: TableState, choice: Choice) -> Asked:
    # The latest ones: they are of rolls.
    about = max(0, state.size - 1 - choice.of(12))
    return SEATS[choice.of(4)], c.worded(c.Note(about), f"about {about}", f"{state.size:032x}")


def _erase(state: TableState, choice: Choice) -> Asked:
    texts = sorted((text.seq, text.by) for _, about in state.texts.items() for text in about)
    seq, by = texts[choice.of(len(texts))] if texts else (0, NARRATOR)
    return by, c.Erase(seq)


def _give(state: TableState, choice: Choice) -> Asked:
    return NARRATOR, c.GiveCharacter(CHARACTERS[choice.of(2)], SEATS[choice.of(4)])


def _leave(state: TableState, choice: Choice) -> Asked:
    return NARRATOR, c.LeaveSeat(SEATS[choice.of(4)])


def _take(state: TableState, choice: Choice) -> Asked:
    role = ("player", "narrator")[choice.of(2)]
    return NARRATOR, c.TakeSeat(
        (*SEATS[1:], "p4")[choice.of(4)], "narrator" if role == "narrator" else "player"
    )


def _mark(state: TableState, choice: Choice) -> Asked:
    return NARRATOR, c.SetTrack("c1", "xr", choice.of(5))


KINDS: Mapping[Callable[[TableState, Choice], Asked], int] = {
    _declare: 20,
    _throw: 18,
    _react: 10,
    _note: 12,
    _reveal: 8,
    _erase: 8,
    _give: 8,
    _leave: 4,
    _take: 8,
    _mark: 2,
    _void: 2,
}
"""Every kind of step, and how many of a hundred it is."""


def asked_by(state: TableState, step: Step) -> Asked:
    """The seat that asks in this step, and what."""
    number = step[0]
    for kind, share in KINDS.items():
        if number < share:
            return kind(state, Choice(step[1]))
        number -= share
    raise AssertionError(step)


def _owner(state: TableState, character: str) -> str:
    return state.characters[character].seat


def _roll(state: TableState, choice: Choice) -> int:
    """One of the latest rolls; 1 where there is none."""
    return max(1, len(state.rolls) - choice.of(3))
