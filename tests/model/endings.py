"""How a throw that is not liked is ended once it is known, and the deed tried once more."""

from typing import Any

from tests.model.real import LEAGUE, ROLLER, Play
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR

SAME = "1d12+1-1"
"""The deed in other words."""

CORRECTED = {"expression": "1d12+1"}
"""The deed as the narrator corrects it: every total of the wrong class becomes one of the right."""


def tried(play: Play, **declared: Any) -> str | None:
    """The deed is declared once more, and asked for."""
    play.declare(**declared)
    play.ask()
    return play.hear()


def stopped(play: Play) -> None:
    """The throw is broken off, as its share is out."""
    play.log_held()
    play.host.break_off()


def voided(play: Play, heard: str) -> str | None:
    """The roll is void."""
    play.finish()
    play.host.ask(NARRATOR, commands.Void(play.number), words="It was not your turn.")
    return tried(play)


def vetoed(play: Play, heard: str) -> str | None:
    """The throw is broken off, and the declaration vetoed."""
    stopped(play)
    play.host.ask(NARRATOR, commands.Veto(play.number), words="There is nothing to find.")
    return tried(play)


def replaced(play: Play, heard: str) -> str | None:
    """The throw is broken off, and the declaration replaced."""
    stopped(play)
    fields = {"expression": SAME}
    play.host.ask(NARRATOR, commands.Replace(play.number, fields), words="He meant this.")
    play.ask()
    return play.hear()


def worded_otherwise(play: Play, heard: str) -> str | None:
    """The roll is left as it fell, and the same is declared in other words."""
    play.finish()
    return tried(play, expression=SAME)


def by_a_twin(play: Play, heard: str) -> str | None:
    """The roll is left as it fell, and another character of the seat tries."""
    play.finish()
    return tried(play, who=play.host.character(ROLLER, {}))


def by_another(play: Play, heard: str) -> str | None:
    """The roll is left as it fell, and another player in league tries it, or the narrator."""
    play.finish()
    play.roller = play.luck.one_of([seat for seat in LEAGUE if seat != play.roller])
    if play.host.state.seats[play.roller].anchor is None:
        play.host.anchor(play.roller)
    return tried(play, who=play.host.character(play.roller, {}))


def left(play: Play, heard: str) -> str | None:
    """The roller's seat leaves, and takes its place again."""
    play.finish()
    play.host.ask(ROLLER, commands.LeaveSeat(ROLLER))
    play.host.seat(ROLLER)
    play.host.anchor(ROLLER)
    return tried(play)


def ruled(play: Play, heard: str) -> str | None:
    """The narrator has the roll played again, for somebody in league disputes it."""
    play.finish()
    seq = play.host.ask("p2", commands.Dispute(play.number), words="He cannot know that.")
    play.host.ask(NARRATOR, commands.Rule(play.number, seq, "replay"), words="So be it.")
    play.number = len(play.host.state.rolls)
    play.ask()
    return play.hear()


def amended(play: Play, heard: str) -> None:
    """The narrator corrects what was declared once the dice lie there: the total is another."""
    _resolved(play)
    command = commands.Amend(play.number, "c1", CORRECTED)
    play.host.ask(NARRATOR, command, words="He forgot his bonus.")


def amended_by_ruling(play: Play, heard: str) -> None:
    """The same by a ruling, for somebody in league disputes the roll."""
    _resolved(play)
    seq = play.host.ask("p2", commands.Dispute(play.number), words="He has a bonus.")
    command = commands.Rule(play.number, seq, "amend", "c1", CORRECTED)
    play.host.ask(NARRATOR, command, words="So he has.")


def _resolved(play: Play) -> None:
    play.finish()
    play.host.ask(play.roller, commands.Resolve(play.number))


def hidden(play: Play, heard: str) -> str | None:
    """The roll is left as it fell, and the next one is hidden, to be told of where it is good."""
    play.finish()
    return tried(play, visibility="self")


def revealed(play: Play, heard: str) -> str | None:
    """The roll is hidden, and revealed if it is good."""
    found = hidden(play, heard)
    if found is not None and play.suits(play.shares(found)):
        play.finish()
        play.host.ask(play.roller, commands.Resolve(play.number))
        play.host.ask(play.roller, commands.Reveal(play.number))
        return None
    return found


ENDINGS = (
    *(voided, vetoed, replaced, ruled, worded_otherwise, by_a_twin, by_another, left),
    *(hidden, revealed, amended, amended_by_ruling),
)
"""How a throw that is not liked is ended, and tried again."""
