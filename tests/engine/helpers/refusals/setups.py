"""Tables at the points where something can be refused: each by a name that says how far it is.

The narrator's seat is `narrator`; Etgar (c1) is on p1, the Toad (c2) on p2, Rachel (c3) on p3; a
witness sits on `watcher`. Rolls are Etgar's, against the Toad where somebody reacts.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tests.engine.helpers.timed import anchor, ask, open_shares
from urim import Table
from urim.engine.core import commands
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.table import RollHandle
from urim.events.base import Level, Visibility
from urim.rules.milhamah.letters import KINDS

TABLE = "refusals"
NONCE = "0f" * 32
PAIRS = ["רו", "חב", "גד", "הז", "טי", "כ*"]
"""Opposite faces of every die of these tables."""

NATURAL = tuple("רוחבגדהז")
NOTHING = tuple("אבגדהוזט")
SOME = tuple("רבגדהזטי")
GUARD = tuple("שמרבגדהז")
"""Faces that spell the Toad's skill, and of Etgar's root one letter."""


ACTION: dict[str, Any] = {"root": "רוח", "rating": 2}


def seated(dice: str = "scripted", level: Level = "player") -> Table:
    """Everybody sits, and nobody has declared anything."""
    options: dict[str, Any] = {"skill_roots": {"guard": "שמר"}, "reactor_botch": False}
    options["faces"] = dict.fromkeys(KINDS, PAIRS)
    table = Table("milhamah", dice=dice, id=TABLE, options=options, level=level)
    table.character("Etgar", attributes={"BLE": 3, "VIG": 1})
    table.character("Toad", attributes={"GRA": 2, "VIG": 2, "guard": 1})
    table.character("Rachel", attributes={"BLE": 2}, tracks={"merit": 1})
    table.seat("watcher", role="witness")
    return table


def plain(table: Table, **more: Any) -> RollHandle:
    """Etgar's unopposed roll, declared: two dice to reroll."""
    declaration = {"root": "רוח", "rating": 2, **more}
    table.submit("p1", commands.Declare("c1", declaration))
    return RollHandle(table, len(table.state.rolls))


def opposed(table: Table, *, visibility: Visibility = "public") -> RollHandle:
    """Etgar's attack on the Toad, declared."""
    declaration = {"root": "רוח", "rating": 2, "opponent": "c2", "combat": True}
    table.submit("p1", commands.Declare("c1", declaration, visibility))
    return RollHandle(table, len(table.state.rolls))


def answered(table: Table, *, visibility: Visibility = "public") -> RollHandle:
    """The Toad has reacted."""
    roll = opposed(table, visibility=visibility)
    roll.react(root="חנן", rating=1)
    return roll


def at_choice(table: Table, *, visibility: Visibility = "public") -> RollHandle:
    """Etgar stands on a natural root."""
    roll = answered(table, visibility=visibility)
    roll.roll(faces=NATURAL)
    roll.stand()
    return roll


def at_location(table: Table, *, visibility: Visibility = "public") -> RollHandle:
    """The Toad answered and has nothing; the blow must land."""
    roll = at_choice(table, visibility=visibility)
    roll.choose("natural", "allow")
    roll.roll(faces=NOTHING)
    roll.stand()
    return roll


def struck(table: Table, *, visibility: Visibility = "public") -> RollHandle:
    """A critical success, announced."""
    roll = at_location(table, visibility=visibility)
    roll.roll("location", faces="מ")
    roll.resolve()
    return roll


def failed(table: Table) -> RollHandle:
    """Etgar's attack failed, and the Toad may counter."""
    roll = answered(table)
    roll.roll(faces=GUARD)
    roll.stand()
    roll.roll(faces=tuple("חנבגדהוז"))
    roll.stand()
    roll.resolve()
    return roll


def _rolled(table: Table) -> None:
    plain(table).roll(faces=SOME)


def _rerolled(table: Table) -> None:
    roll = plain(table)
    roll.roll(faces=NATURAL)
    roll.reroll("d4", faces="ט")


def _flipped(table: Table) -> None:
    roll = plain(table)
    roll.roll(faces=SOME)
    roll.adjust({"d2": "ח"})


def _frozen(table: Table) -> None:
    roll = plain(table)
    roll.roll(faces=SOME)
    roll.freeze("d1", "d2")


def _resolved(table: Table) -> None:
    roll = plain(table)
    roll.roll(faces=SOME)
    roll.resolve()


def _damaged(table: Table) -> None:
    struck(table).apply_damage()


def _voided(table: Table) -> None:
    plain(table).void("a slip")


def _vetoed(table: Table) -> None:
    plain(table)
    table.submit("narrator", commands.worded(commands.Veto(1), "not here"))


def _countered(table: Table) -> None:
    failed(table)
    declaration = {"skill": "guard", "rating": 0, "combat": True}
    table.submit("p2", commands.Declare("c2", declaration, follows=(1, "counter")))


def _disputed(table: Table) -> None:
    _resolved(table)
    table.submit("p2", commands.worded(commands.Dispute(1), "she sneezed"))


def _natural(table: Table) -> None:
    roll = plain(table)
    roll.roll(faces=NATURAL)
    roll.stand()


def _hidden(visibility: Visibility) -> Callable[[Table], object]:
    def hide(table: Table) -> None:
        declaration = {"root": "רוח", "rating": 2}
        table.submit("p1", commands.Declare("c1", declaration, visibility))
        RollHandle(table, 1).roll(faces=SOME)

    return hide


def _revealed(table: Table) -> None:
    _hidden("gm")(table)
    table.submit("narrator", commands.Reveal(1))


def _anchored(*seats: str) -> Callable[[Table], object]:
    """A throw at level table is declared, and these seats have chains of shares."""

    def build(table: Table) -> None:
        plain(table)
        anchor(table, *seats)

    return build


def _asked(table: Table) -> None:
    _anchored("p1", "p2", "p3")(table)
    ask(table, "p2")


def _asked_second(table: Table) -> None:
    _anchored("p1", "p2", "p3")(table)
    plain(table)
    ask(table, "p2", roll=2)


def _opened(table: Table) -> None:
    _asked(table)
    open_shares(table, "p2")


def _thrown(table: Table) -> None:
    _opened(table)
    open_shares(table, "p1")


def _left(table: Table) -> None:
    _anchored("p1", "p2", "p3")(table)
    table.submit("p3", commands.LeaveSeat("p3"))


def _confirmed(table: Table) -> None:
    _typed(table)
    table.submit("p2", commands.Confirm(1, 0))


def _typed(table: Table) -> None:
    _rolled(table)


SETUPS: Mapping[str, tuple[str, Level, Callable[[Table], object]]] = {
    "seated": ("scripted", "player", lambda table: None),
    "declared": ("scripted", "player", plain),
    "rolled": ("scripted", "player", _rolled),
    "rerolled": ("scripted", "player", _rerolled),
    "flipped": ("scripted", "player", _flipped),
    "frozen": ("scripted", "player", _frozen),
    "natural": ("scripted", "player", _natural),
    "resolved": ("scripted", "player", _resolved),
    "voided": ("scripted", "player", _voided),
    "vetoed": ("scripted", "player", _vetoed),
    "disputed": ("scripted", "player", _disputed),
    "erased": ("scripted", "player", lambda table: table.submit("narrator", commands.Erase(3))),
    "opposed": ("scripted", "player", opposed),
    "answered": ("scripted", "player", answered),
    "at choice": ("scripted", "player", at_choice),
    "at location": ("scripted", "player", at_location),
    "struck": ("scripted", "player", struck),
    "struck in the dark": ("scripted", "player", lambda table: struck(table, visibility="gm")),
    "damaged": ("scripted", "player", _damaged),
    "failed": ("scripted", "player", failed),
    "countered": ("scripted", "player", _countered),
    "gm": ("scripted", "player", _hidden("gm")),
    "blind": ("scripted", "player", _hidden("blind")),
    "self": ("scripted", "player", _hidden("self")),
    "revealed": ("scripted", "player", _revealed),
    "fair": ("fair", "player", plain),
    "server": ("fair", "server", plain),
    "table": ("fair", "table", _anchored("p1", "p2", "p3")),
    "alone": ("fair", "table", _anchored("p1")),
    "unanchored": ("fair", "table", _anchored("p2", "p3")),
    "asked": ("fair", "table", _asked),
    "asked second": ("fair", "table", _asked_second),
    "opened": ("fair", "table", _opened),
    "thrown": ("fair", "table", _thrown),
    "left": ("fair", "table", _left),
    "seeded": ("seeded:7", "player", plain),
    "manual": ("manual", "player", plain),
    "typed": ("manual", "player", _typed),
    "confirmed": ("manual", "player", _confirmed),
}
"""Dice, level and what is done once everybody sits, by name; `closed` is a table not yet opened."""


def table_at(name: str) -> Aggregate:
    """The table of that name, built again."""
    if name == "closed":
        return Aggregate(environment("scripted"))
    dice, level, build = SETUPS[name]
    table = seated(dice, level)
    build(table)
    return table.aggregate
