"""A table as its log has it, for a terminal and as JSON: what happened, a roll step by step."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from msgspec import Struct, to_builtins
from msgspec.structs import replace
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...events.base import JSON
from ...events.codec import RecordedEvent
from ...events.entry import Entry
from ...projections.account import account, marks_text
from ...projections.health import health
from ...projections.history import history
from ...projections.isolates import bare
from ...projections.lexicon import Lexicon
from ...projections.tables import TableState
from ...rules.readings import readings_of
from ..core.aggregate import Aggregate
from ..core.attempt import roll_of
from ..core.sight import roll_sight
from .account import roll_panel
from .dice import dice_rows
from .forms import shown
from .json import entry_object
from .text import Pen
from .tracks import Writer, health_table, here_by_entrance

SEQ = 6
"""Columns for an entry's number."""


class Frame(Struct, frozen=True):
    """One step of a roll: the entry, in words, and the table after it.

    `since` is what became of the roll later: "voided", "amended" and the like.
    """

    seq: int
    text: str
    state: TableState
    since: tuple[str, ...] = ()


def about(table: Aggregate, number: int | None) -> list[RecordedEvent]:
    """The entries of a roll that can be read, with the texts about them; without a number, all."""
    records: Iterable[RecordedEvent | None] = table.records
    if number is not None:
        roll_of(table.opened, number)
        records = (table.records[seq] for seq in table.index.of_rolls.get(number, ()))
    return [record for record in records if record is not None]


# --- a table --------------------------------------------------------------------------------------


def table_parts(
    table: Aggregate,
    pen: Pen,
    width: int,
    number: int | None,
    worths: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[RenderableType]:
    """A table, or one of its rolls: what happened, how it came out, how everybody is.

    `worths`: what the roll was worth after an entry.
    """
    state = table.opened
    dot = f" {pen.glyph('dot')} "
    facts = [state.game.ruleset.title, f"dice {state.source}", f"{state.size} entries"]
    head = f"Table {state.id}"
    yield pen.text(f"{head}: {pen.isolated(state.name)}" if state.name else head, "bold underline")
    yield pen.text(dot.join([*facts, moment(state.at)]), "dim")
    yield Text()
    grid = Table.grid()
    grid.add_column(width=SEQ, style="dim", no_wrap=True)
    grid.add_column()
    for line in history(state, about(table, number)):
        worth = f"  {pen.glyph('to')} {worths[line.seq]}" if line.seq in worths else ""
        text = pen.text(f"{line.text}{worth}", "dim" if line.roll is None else "")
        grid.add_row(str(line.seq), text)
    yield grid
    if number is None:
        yield from _corrected(table, pen)
    else:
        yield from roll_parts(state, number, pen, width)
    writer = Writer(state, pen)
    if state.characters and writer.known:
        yield health_table(writer, [health(state, id) for id in here_by_entrance(state)])


def _corrected(table: Aggregate, pen: Pen) -> Iterator[RenderableType]:
    """The readings that came with newer rules than the table's, which it may take up one by one."""
    state = table.opened
    mine, options = state.game.ruleset, state.game.options
    newest = table.environment.rulesets(mine.name)
    came = [each for each in readings_of(newest.Options) if each.since > mine.version]
    left = [each for each in came if getattr(options, each.name) == each.before != each.default]
    if not left:
        return
    yield Text()
    yield pen.text(
        f"The table goes by version {mine.version} of its rules, and stays as it is. What came"
        " since holds for rolls declared from then on, where a narrator says so:"
    )
    yield pen.text(f"urim set-reading DB {state.id} NAME VALUE REASON --seat narrator", "bold")
    for each in left:
        values = f"{shown(each.default, pen)} since version {each.since}, here"
        yield pen.text(f"{each.name}: {values} {shown(each.before, pen)}")
        why = pen.text(f"{each.heading}: {each.says} {each.assumed}", "dim")
        yield Padding(why, (0, 0, 0, 2), expand=False)
    yield Text()


def roll_parts(state: TableState, number: int, pen: Pen, width: int) -> Iterator[RenderableType]:
    """A roll as it is now: every hand's dice, the outcome and the damage that were announced."""
    roll, lexicon = roll_of(state, number), Lexicon(state)
    for hand in roll.roll.hands:
        name = lexicon.hand(hand.name)
        who = lexicon.name(hand.character)
        yield Text(pen.write(name if who in name else f"{who}: {name}"), "cyan")
        yield dice_rows(hand, pen, width)
    panels = (roll_panel(pen, state, number, damage=damage) for damage in (False, True))
    yield from (panel for panel in panels if panel is not None)


def moment(at: int) -> str:
    """Milliseconds since 1970 as a date and a time, UTC."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


# --- a roll, step by step -------------------------------------------------------------------------


def frames(entries: Sequence[Entry], table: Aggregate, number: int) -> list[Frame]:
    """The steps of a roll, in order. Raises Refused("unknown") for a roll that is not there."""
    found: list[Frame] = []
    growing = Aggregate(table.environment)
    for record in about(table, number):
        growing.load(entries[len(growing.entries) : record.seq + 1])
        commit = growing.records[entries[record.seq].commit : record.seq + 1]
        *_, line = history(growing.opened, commit)  # a text is named after its commit's first event
        found.append(Frame(record.seq, line.text, growing.opened))
    last = marks_text(growing.opened, growing.opened.rolls[number])
    return [replace(frame, since=_later(last, frame.state, number)) for frame in found]


def _later(last: tuple[str, ...], then: TableState, number: int) -> tuple[str, ...]:
    """What became of a roll after a step."""
    known = marks_text(then, then.rolls[number])
    return tuple(words for words in last if words not in known)


def headline(frame: Frame, number: int, place: tuple[int, int], pen: Pen) -> Text:
    """Where a step is among all of its roll, how the roll is then, and what became of it later."""
    roll = frame.state.rolls[number]
    done = [words for words in marks_text(frame.state, roll) if words != roll.state]
    facts = [f"step {place[0]} of {place[1]}", f"entry {frame.seq}"]
    facts.append(", ".join([f"roll {number} {roll.state}", *done]))
    facts += [f"{words} since" for words in frame.since]
    return Text(f" {pen.glyph('dot')} ".join(facts), "dim")


def frame_parts(
    frame: Frame, number: int, place: tuple[int, int], pen: Pen, width: int
) -> RenderableType:
    """One step of a roll: its place among all, what happened, and the roll after it."""
    return Group(
        headline(frame, number, place, pen), *step_parts(frame, number, pen, width), Text()
    )


def step_parts(frame: Frame, number: int, pen: Pen, width: int) -> Iterator[RenderableType]:
    """What happened at a step, and the roll after it."""
    yield pen.text(frame.text)
    yield from roll_parts(frame.state, number, pen, width)


# --- as JSON --------------------------------------------------------------------------------------


def table_objects(table: Aggregate, number: int | None) -> Iterator[JSON]:
    """The table, its entries (one roll's) in words and as stored, its rolls (or that one).

    Of one roll its account too, as `projections.account` has it.
    """
    state = table.opened
    yield {
        "type": "table",
        **summary(table),
        "root": table.frontier.root().hex(),
        "options": to_builtins(state.game.options),
        "characters": {
            id: {"name": state.name_of(id), "tracks": dict(health(state, id).tracks)}
            for id in here_by_entrance(state)
        },
    }
    records = about(table, number)
    for line in history(state, records):
        found = entry_object(table.entries[line.seq])
        yield {"type": "entry", **found, "roll": line.roll, "text": bare(line.text)}
    for each in (
        sorted(roll.number for roll in state.rolls.values()) if number is None else [number]
    ):
        yield {"type": "roll", **bare(to_builtins(roll_sight(state, each)))}
    if number is not None:
        yield {"type": "account", **bare(to_builtins(account(state, records, number)))}


def summary(table: Aggregate) -> JSON:
    """One table's line in a list of tables."""
    state = table.opened
    return {
        "table": state.id,
        "name": state.name,
        "system": state.game.ruleset.name,
        "dice": state.source,
        "level": state.level,
        "entries": state.size,
        "rolls": len(state.rolls),
        "characters": [state.name_of(id) for id in here_by_entrance(state)],
        "begun": table.entries[0].at,
        "latest": state.at,
    }


def tables_table(summaries: Iterable[JSON], pen: Pen) -> Table:
    """The tables of a log, one a row."""
    table = Table(box=None, pad_edge=False)
    for name in ("table", "system", "dice"):
        table.add_column(name, style="bold" if name == "table" else "")
    table.add_column("entries", justify="right")
    table.add_column("rolls", justify="right")
    table.add_column("latest")
    table.add_column("characters")
    for each in summaries:
        name = f": {pen.isolated(each['name'])}" if each["name"] else ""
        cells = [f"{each['table']}{name}", each["system"], each["dice"]]
        cells += [each["entries"], each["rolls"]]
        names = ", ".join(map(pen.isolated, each["characters"]))
        latest = moment(each["latest"])
        table.add_row(*(Text(pen.write(cell)) for cell in (*cells, latest, names)))
    return table
