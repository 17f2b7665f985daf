"""The short demonstration: one fair roll, its dispute, what the log answers, the ruling, the audit.

All of it happens as it is printed: a database is made, two seats and a narrator play, dice fall
that nobody knew before, a bundle is written and audited. So the dice differ from run to run.
"""

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from importlib import resources
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace
from rich.table import Table
from rich.text import Text

from ...errors import Defect
from ...events import roll as rolled
from ...events.codec import RecordedEvent
from ...events.entry import Entry
from ...events.log.location import Location
from ...events.throw import commitment, dice, seed_from, throw_id, transcript
from ...projections.account import HANDLED
from ...projections.history import HistoryLine, history
from ...projections.result import Result, outcome_result
from ..audit import Report, audit
from ..core import commands
from ..core.commands import AnyCommand
from ..render.account import heading, result_panel
from ..render.audit import audit_lines, audit_object
from ..render.dice import dice_rows
from ..render.table import table_objects
from ..render.text import Page, page, pen_of
from ..service.beside import secrets_of
from ..table import RollHandle
from ..table import Table as Played
from .database import on_written_log
from .export import bundle_lines
from .shared import print_objects

TALE = resources.files(str(__package__)) / "demo.toml"
"""The file of the demonstration: what is declared and said, and the system."""

Data = dict[str, Any]


def tell(out: Page, log: Location | None, *, as_json: bool = False) -> int:
    """Play it and print it, or its log and its audit as JSON; the exit code.

    The table is kept in `log`, or thrown away at the end.
    """
    tale = tomllib.loads(TALE.read_text("utf-8"))
    with TemporaryDirectory(prefix="urim-") as place:
        directory = Path(place)
        database = log or directory / "demo.db"
        silent = page(StringIO()) if as_json else out
        with Played(tale["system"], log=database) as table:
            _Tale(silent, table, tale).play()
            entries = table.aggregate
        report = _audited(database, entries.opened.id, directory / "demo.urim.jsonl")
    if as_json:
        print_objects([*table_objects(entries, None), audit_object(report)])
    else:
        _show_audit(out, report)
        _next(out, tale["next"], log, entries.opened.id)
    return report.exit


class _Tale:
    """The play at one table, printed as it goes."""

    def __init__(self, out: Page, table: Played, tale: Data) -> None:
        self.out = out
        self.pen = pen_of(out)
        self.table = table
        self.tale = tale

    def say(self, text: str, style: str = "") -> None:
        """A paragraph of the demonstration's own."""
        self.out.print(self.pen.text(text, style))

    def title(self, text: str) -> None:
        """A heading."""
        self.out.print()
        self.say(text, "bold underline")

    def play(self) -> None:
        """From the first seat to the ruling."""
        dispute, second = self.tale["dispute"], self.tale["seat"][1]["id"]
        self.title("1  A roll")
        self.say(
            f"{self.tale['roll']['scene']} Each line below is an entry of the table's log. The "
            "dice are fair: nobody knows them yet."
        )
        roll = self._rolled()
        self.title("2  A dispute")
        self.say(dispute["scene"])
        raised = commands.Dispute(roll.number)
        [entry, *_] = self._did(partial(self._words, second, raised, dispute["reason"]))
        self.title("3  What the log answers")
        self._proved(roll)
        self.title("4  The ruling, and what it changes")
        self._ruled(roll, entry)

    def _rolled(self) -> RollHandle:
        table, roll = self.table, self.tale["roll"]
        self._words("narrator", commands.NameSeat("narrator"), "Narrator")
        for each in self.tale["seat"]:
            table.seat(each["id"], name=each["name"])
        first, second = (
            table.character(each["character"], seat=each["id"], attributes=each["attributes"])
            for each in self.tale["seat"]
        )
        before = len(table.entries)
        made = table.declare(first, **roll["declaration"], opponent=second.id)
        made.react(**roll["reaction"])
        self._shown(before)
        for hand in ("initiator", "reactor"):
            self._did(partial(made.roll, hand))
        self._did(made.resolve)
        self._panel(made, self._outcome(made))
        return made

    def _words(self, seat: str, command: AnyCommand, text: str) -> None:
        self.table.submit_worded(seat, command, text)

    def _did(self, act: Callable[[], object]) -> tuple[Entry, ...]:
        """Do something, and print what it added to the log."""
        before = len(self.table.entries)
        act()
        return self._shown(before)

    def _shown(self, before: int) -> tuple[Entry, ...]:
        table = self.table.aggregate
        records = [record for record in table.records[before:] if record is not None]
        for record, line in zip(records, history(table.opened, records), strict=True):
            self._line(line)
            self._dice(record)
        return tuple(table.entries[before:])

    def _line(self, line: HistoryLine) -> None:
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(style="dim", justify="right", width=4)
        grid.add_row(str(line.seq), self.pen.text(line.text))
        self.out.print(grid)

    def _dice(self, record: RecordedEvent) -> None:
        event = record.event
        if not isinstance(event, HANDLED):
            return
        hand = self.table.state.rolls[event.roll].roll.hand(event.hand)
        if hand is not None:
            self.out.print(dice_rows(hand, self.pen, self.out.width))

    def _outcome(self, roll: RollHandle) -> Result:
        found = outcome_result(self.table.state, roll.state)
        if found is None:
            raise Defect("the demonstration's roll has no outcome")
        return found

    def _panel(self, roll: RollHandle, result: Result) -> None:
        title = heading(self.pen, self.table.state, roll.state)
        self.out.print(result_panel(self.pen, title, result))

    def _proved(self, roll: RollHandle) -> None:
        """The first throw, proved from the log alone as anybody can."""
        table = self.table.aggregate
        trail = roll.state.trail
        thrown = next(entry for entry in trail if isinstance(entry.event, rolled.DiceRolled))
        event = thrown.event
        proof = event.proof if isinstance(event, rolled.DiceRolled) else None
        if not isinstance(event, rolled.DiceRolled) or proof is None or proof.committed is None:
            raise Defect("the demonstration's throw has no proof")
        id = throw_id(table.opened.id, roll.number, proof.throw)
        seed = seed_from(proof.seed or "")
        bound = table.entries[proof.committed]
        declared = trail[0].event
        kinds = [table.opened.game.faces[die.kind] for die in event.dice]
        made = transcript(id, bound.seq, bound.leaf, event.by, proof.nonce)
        again = [
            kind[at] for kind, at in zip(kinds, dice(seed, made, map(len, kinds)), strict=True)
        ]
        shown = commitment(id, seed).hex()
        if not isinstance(declared, rolled.RollDeclared) or declared.commit != shown:
            raise Defect("the demonstration's seed is not the one that was committed to")
        if again != [die.face for die in event.dice]:
            raise Defect("the demonstration's dice are not those of its seed")
        self.say(
            f"{self.tale['dispute']['question']} They come from two secret numbers: one of the "
            f"table's, and one of the player's. Entry {bound.seq} published a SHA-256 hash over "
            "the table's number, before the player's number was known. So the table could not "
            f"change its number later. Entry {thrown.seq} shows both:\n"
        )
        self.say(f"   table's number   {seed.hex()[:40]}…")
        self.say(f"   its hash         {shown[:40]}… as in entry {bound.seq}")
        self.say(f"   player's number  {(proof.nonce or '')[:40]}…")
        self.say(f"   dice from both   {' '.join(map(str, again))}")
        self.say(
            "\nThese are the dice above, so nobody chose them. And what was declared? The log "
            "still has it:\n"
        )
        first = next(entry for entry in trail if isinstance(entry.event, rolled.ReactionDeclared))
        for line in history(table.opened, [first]):
            self._line(line)
        self.say(f"\n{self.tale['dispute']['answer']}")

    def _ruled(self, roll: RollHandle, dispute: Entry) -> None:
        second = next(who for who, _ in roll.state.roll.reactions)
        ruling = self.tale["ruling"]
        before = self._outcome(roll)
        rule = commands.Rule(
            roll.number, dispute.seq, "amend", character=second, fields=ruling["fields"]
        )
        self._did(partial(self._words, "narrator", rule, ruling["reason"]))
        after = self._outcome(roll)
        changed = tuple(item for item in after.items if item not in before.items)
        self._panel(roll, replace(after, items=changed, idle=(), readings=()))
        was, now = before.headline, after.headline
        change = "The result is the same" if was == now else f"It was {was}, and is {now} now"
        self.say(f"{change}. No die was thrown again, and nothing was deleted.")


def _audited(database: Location, table: str, bundle: Path) -> Report:
    """Write a bundle of the table, and audit it."""
    secrets = secrets_of(database)
    lines = on_written_log(database, lambda log: bundle_lines(log, secrets, table))
    bundle.write_bytes(b"".join(lines))
    return audit(bundle)


def _show_audit(out: Page, report: Report) -> None:
    pen = pen_of(out)
    out.print()
    out.print(pen.text("5  The audit", "bold underline"))
    out.print(pen.text(AUDIT))
    out.print()
    for line in audit_lines(report, pen):
        out.print(line)


AUDIT = """\
The table becomes one file. An audit trusts nothing in it that it has not computed \
itself: each hash, each die, and each decision by the rules of the game."""


def _next(out: Page, commands: Mapping[str, str], log: Location | None, table: str) -> None:
    """What to do next: each command, and what it is for."""
    pen = pen_of(out)
    out.print()
    out.print(pen.text("What to do next", "bold underline"))
    again = {f"urim replay {log} {table} --roll 1": "this roll again, step by step"} if log else {}
    for command, about in {**again, **commands}.items():
        out.print(Text.assemble(f"  {command:<40}", (about, "dim")))
