"""A scenario as it was played, for a terminal: every step in words, its dice, outcome and damage.

It fits 80 columns, and shows as much without colours, and in ASCII, as with them.
"""

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ...errors import Refused
from ...events import roll as rolled
from ...events.codec import RecordedEvent, recorded
from ...projections.account import HANDLED
from ...projections.health import health
from ...projections.history import history
from ...projections.tables import TableState, fold, pass_over
from ...projections.wording import rating_text
from ...rules import ruleset_named
from ..scenario import Failure, Play, Played, Progress
from .account import BAD, EVEN, GOOD, announced
from .dice import dice_rows
from .text import Pen, pen_of
from .tracks import Writer, by_entrance, changes_text, health_table, here_by_entrance, revised_panel

MARGIN = 4
"""Columns left of what a step shows, for its number."""


def show_play(console: Console, play: Play, progress: Progress | None = None) -> None:
    """Print a whole play: who is there, every step, how everybody is at the end, what failed.

    `progress` is called after every step.
    """
    pen = pen_of(console)
    for part in opening(play, pen):
        console.print(part)
    for number, shown in enumerate(steps_of(play, pen, console.width), 1):
        console.print(shown)
        console.print()
        if progress is not None:
            progress(number, len(play.steps))
    for part in ending(play, pen):
        console.print(part)


def opening(play: Play, pen: Pen) -> Iterator[RenderableType]:
    """The title, what it is about, the system and its dice, and everybody's ratings."""
    scenario, state = play.scenario, seated(play)
    dot = f" {pen.glyph('dot')} "
    yield pen.text(scenario.title, "bold underline")
    facts = (state.game.ruleset.title, f"dice {state.source}", f"level {state.level}")
    yield pen.text(dot.join(facts), "dim")
    if scenario.about:
        yield Text()
        yield pen.text(" ".join(scenario.about.split()), "italic")
    yield Text()
    writer = Writer(state, pen)
    for id in by_entrance(state):
        character = state.characters[id]
        ratings = (
            f"{writer.label(name)} {rating_text(rating)}"
            for name, rating in character.attributes.items()
        )
        tracks = ((name, state.tracks[id].get(name)) for name in writer.known)
        raised = (f"{writer.label(name)} {value}" for name, value in tracks if value)
        line = Text.assemble((pen.isolated(state.name_of(id)), "bold"), "  ", dot.join(ratings))
        yield line.append("".join(f"{dot}{item}" for item in raised), "dim")
    yield Text()


def seated(play: Play) -> TableState:
    """The table when everybody had been seated, before the first step."""
    aggregate = play.aggregate
    first = min((done.entries[0].seq for done in play.steps if done.entries), default=None)
    state: TableState | None = None
    for entry, record in zip(aggregate.entries[:first], aggregate.records, strict=False):
        if record is not None:
            state = fold(state, record, ruleset_named)
        elif state is not None:
            state = pass_over(state, entry)
    return state or aggregate.opened


def steps_of(play: Play, pen: Pen, width: int) -> Iterator[RenderableType]:
    """Every step, its number on its left."""
    before = seated(play)
    for played in play.steps:
        grid = Table.grid()
        grid.add_column(width=MARGIN, style="dim", no_wrap=True)
        grid.add_column()
        grid.add_row(str(played.number), Group(*step(played, before, pen, width - MARGIN)))
        yield grid
        before = played.state


def step(played: Played, before: TableState, pen: Pen, width: int) -> Iterator[RenderableType]:
    """One step: its comment, its entries in words, and what they changed on the table."""
    comment = played.step.get("comment")
    if comment:
        yield pen.text(comment, "italic")
    if played.refused:
        yield refusal(played.refused, str(played.step.get("do")), pen)
        return
    records = [recorded(entry) for entry in played.entries if entry.payload is not None]
    for line in history(played.state, records):
        yield pen.text(line.text, "dim" if line.roll is None else "")
    if not records:
        yield Text("nothing changes", "dim")
    yield from _shown(played, records, before, Writer(played.state, pen), width)


def _shown(
    played: Played, records: Iterable[RecordedEvent], before: TableState, writer: Writer, width: int
) -> Iterator[RenderableType]:
    """The dice, panels and changed tracks that a step's events lead to."""
    settled = False
    for record in records:
        event = record.event
        if not isinstance(event, rolled.RollEventBase) or event.roll not in writer.state.rolls:
            continue
        roll = writer.state.rolls[event.roll]
        if isinstance(event, HANDLED):
            hand = roll.roll.hand(event.hand)
            if hand is not None:
                yield dice_rows(hand, writer.pen, width)
            continue
        settled = settled or isinstance(event, rolled.DamageApplied)
        panel = announced(writer.pen, writer.state, event)
        if panel is not None:
            yield panel
    changed = None if settled else changes_text(writer, before)
    if changed:
        yield changed


def refusal(error: Refused, what: str, pen: Pen) -> Text:
    """A refusal in words: its code, why, and what would be allowed."""
    refused = f"{pen.glyph('wrong')} {pen.write(what)} is refused ({error.code})"
    text = Text.assemble((refused, EVEN), f": {pen.write(error.why)}")
    if error.allowed:
        text.append(f"\nallowed: {pen.write(error.allowed_text)}", "dim")
    return text


def ending(play: Play, pen: Pen) -> Iterator[RenderableType]:
    """Everybody's health, what counts otherwise now, the log's size and root, the failures."""
    aggregate = play.aggregate
    writer = Writer(aggregate.opened, pen)
    everybody = [health(aggregate.opened, id) for id in here_by_entrance(aggregate.opened)]
    if everybody and writer.known:
        yield health_table(writer, everybody)
    for each in everybody:
        revised = revised_panel(writer, each)
        if revised:
            yield revised
    dot = f" {pen.glyph('dot')} "
    size = f"{len(play.steps)} steps{dot}{len(aggregate.entries)} entries"
    yield Text(f"{size}{dot}Merkle root\n{aggregate.frontier.root().hex()}", "dim")
    yield from failures_text(play.failures, pen)


def failures_text(failures: Iterable[Failure], pen: Pen) -> Iterator[Text]:
    """The expectations that did not hold, one a line; or that all of them did."""
    found = [Text(f"{pen.glyph('wrong')} {pen.write(failure)}", BAD) for failure in failures]
    yield from found or [Text(f"{pen.glyph('done')} every expectation holds", GOOD)]
