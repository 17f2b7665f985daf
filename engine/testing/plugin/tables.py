"""A table for tests: seeded or scripted dice of any system, one that is not installed included.

    table = FixtureTable("a system")                  # scripted: faces come from the test
    table.dice("1 2 3", "4")                          # … queued here, or given with each throw
    table = FixtureTable(RULESET, seed="7")           # the same dice in every run

Under pytest the fixtures `urim_table` and `urim_tables` make them; a test that leaves queued faces
over fails. Elsewhere `check` raises.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ....errors import Refused
from ....events import roll as rolled
from ....events import table as tabled
from ....events.asked import Asked, host_request
from ....events.base import Face, Level
from ....events.codec import Event, encode
from ....events.entry import Entry, EntryClass, seal
from ....projections.tables import TableState
from ....projections.wording import counted
from ....rules.ruleset import Ruleset
from ...core.aggregate import Environment
from ...core.aggregate import environment as environment_of
from ...core.commands import Asking, OpenTable
from ...core.visibility import hidden, roll_about
from ...table import Table
from .script import Script, read_faces
from .watch import Refusal, note_debt, note_history

SCRIPTED = "scripted"

NOBODY = "{}"
"""What was asked for a fact: nothing that is a command."""


class FixtureTable(Table):
    """A table whose log is the same in every run, with a queue of faces if its dice are scripted.

    `system` is a name, or a Ruleset that need not be installed. With a `seed` (letters, digits,
    `.`, `_`, `-`) dice follow from it, else from the test. `options` are readings by name, `id` is
    8 to 32 of a-z and 0-9; `environment` brings a clock or a source of one's own, `opened` is the
    first event where it was written already. Raises Refused for what is not known.
    """

    def __init__(
        self,
        system: str | Ruleset,
        *,
        seed: str | int | None = None,
        dice: str | None = None,
        options: Mapping[str, Any] | None = None,
        id: str | None = None,
        level: Level = "player",
        one_machine: bool | None = None,
        environment: Environment | None = None,
        opened: tabled.TableOpened | None = None,
    ) -> None:
        source = _source(seed, dice)
        environment = environment or environment_of(source)
        self.script = Script()
        self.refusal: Refusal | None = None
        self.example: object = None
        """Which of many tries of a law made the table, if one did."""
        self.needs_scenario = True
        """Whether the report of a failure writes a scenario of the table."""
        self._opened = opened
        self._ruleset = system if isinstance(system, Ruleset) else None
        if environment.source.name == SCRIPTED:
            environment = replace(environment, source=self.script)
        if self._ruleset is not None:
            found = self._ruleset
            environment = replace(environment, rulesets=lambda name: found)
        name = system if isinstance(system, str) else system.name
        super().__init__(
            name,
            dice=source,
            id=id,
            options=options,
            level=level,
            one_machine=one_machine,
            environment=environment,
        )
        note_history(self)

    def __repr__(self) -> str:
        state = self.state
        name = state.game.ruleset.name
        sizes = f"{counted(len(state.rolls), 'roll')}, {counted(state.size, 'entry', 'entries')}"
        return f"<{name} table {state.id}: {sizes}>"

    @property
    def events(self) -> tuple[Event | None, ...]:
        """Every event of the log, None where one was erased."""
        return tuple(None if record is None else record.event for record in self.aggregate.records)

    def submit(self, seat: str, command: Asking, request: str | None = None) -> tuple[Entry, ...]:
        """Do what a seat asks and give the entries that it added. Raises Refused."""
        note_history(self)
        self.script.begin()
        try:
            if isinstance(command, OpenTable) and self._opened is not None:
                return (self.append(self._opened),)
            entries = super().submit(seat, command, request)
        except Refused as error:
            self.refusal = Refusal(seat, command, error)
            raise
        self.refusal = None
        self.script.keep()
        note_debt(self)
        return entries

    def append(self, event: Event) -> Entry:
        """Write an event into the log as a fact, without asking the rules, and give its entry.

        Nobody asked for it: its commit says so with an empty body, which no audit passes. A text
        belongs to the fact before it. Raises Damaged where it cannot follow on what the log holds.
        """
        fixture, now = self.aggregate.environment, self.aggregate.state
        opened = event.table if isinstance(event, tabled.TableOpened) else ""
        table = now.id if now else opened
        seq = len(self.aggregate.entries)
        kind: EntryClass = "hidden" if now and _hidden(now, event) else "open"
        asked = None if isinstance(event, tabled.TextSaid) else Asked(host_request(seq), NOBODY)
        if asked is None:
            kind = (
                "hidden-text" if now and now.commit and _hidden(now, now.commit.event) else "text"
            )
        payload = encode(event, asked)
        commit = now.commit.seq if asked is None and now and now.commit else seq
        at = self.aggregate.now()
        entry = seal(seq, at, kind, fixture.salt(table, seq), payload, commit)
        self.aggregate.load([entry])
        return entry

    # --- the queue of faces ---------------------------------------------------------------------

    def dice(self, *faces: Face) -> None:
        """Queue faces for the next throws: `dice("1 2 3")`, `dice(1, 2, 3)`, `dice("וחר")`.

        Raises Refused("face") for a face that no die of the system has, and where the dice of the
        table are not scripted.
        """
        if self.state.source != SCRIPTED:
            why = f"faces were queued, but the dice of this table are {self.state.source}"
            raise Refused("face", why, allowed=["a scripted table"])
        game = self.state.game
        known = dict.fromkeys(face for table in game.faces.values() for face in table)
        self.script.queue += read_faces(faces, known)
        note_debt(self)

    @property
    def left(self) -> tuple[Face, ...]:
        """The faces that are queued and were not thrown yet."""
        return tuple(self.script.queue)

    def owed(self) -> str:
        """What is wrong with leaving it now: faces that nobody threw. "" where nothing is."""
        if not self.left:
            return ""
        faces = " ".join(map(str, self.left))
        last = (
            f"the last throw was {self.script.last}" if self.script.last else "nothing was thrown"
        )
        return f"table {self.state.id}: faces left over: {faces}; {last}"

    def check(self) -> None:
        """Raise Refused("dice-left"), naming them, where queued faces are left over."""
        if self.owed():
            raise Refused("dice-left", self.owed(), allowed=["a throw for each face"])


def _source(seed: str | int | None, dice: str | None) -> str:
    if seed is None:
        return dice or SCRIPTED
    if dice is not None:
        why = f"seed {seed!r} and dice {dice!r} are both named"
        raise Refused("malformed", why, allowed=["a seed", "dice"])
    return f"seeded:{seed}"


def _hidden(state: TableState, event: Event) -> bool:
    """Whether an event's entry is sealed as hidden."""
    if isinstance(event, rolled.RollDeclared):
        return event.visibility != "public"
    if isinstance(event, (tabled.Noted, tabled.EntryErased)):
        about = event.about if isinstance(event, tabled.Noted) else event.seq
        return hidden(state, event, roll_about(state, about))
    number = event.roll if isinstance(event, rolled.RollEventBase) else 0
    return hidden(state, event, state.rolls.get(number))
