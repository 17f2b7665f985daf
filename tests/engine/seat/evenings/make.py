"""Record the evenings again: `python -m tests.engine.seat.evenings.make`. See README.md here.

Salts and keys are new each time; what a client must do is the same.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from tests.engine.helpers.stages.players import ALONE, Evening
from tests.engine.helpers.stages.service import TABLE
from tests.sealing import Said, asked_of, json_of, resealed
from urim.engine.core.commands import (
    AnchorShares,
    Ask,
    Asking,
    BreakThrow,
    Declare,
    Note,
    OpenShare,
    worded,
)
from urim.events.entry import Entry
from urim.events.line import entry_line
from urim.events.share import link

HERE = Path(__file__).parent

SEAT = "p2"
"""The seat that a client plays in every evening."""

DRAWS = ("a1" * 32, "b2" * 32)
"""What it draws for its chains, in order."""

OTHERS = {"p1": "c3" * 32, "narrator": "d4" * 32}
"""The last links of the other seats' chains; each is played by a program that opens at once."""

LATE = 10_000
"""Milliseconds after an ask from which on it may be broken off."""

Step = dict[str, Any]


def x(i: int, draw: int = 0) -> str:
    """The client's i-th link."""
    return link(TABLE, SEAT, DRAWS[draw], i)


def opening(i: int, draw: int = 0, roll: int = 1) -> Step:
    """That the client opens its i-th share."""
    return {"roll": roll, "share": x(i, draw)}


def anchoring(draw: int = 0) -> Step:
    """That the client publishes its anchor."""
    return {"anchor": x(0, draw)}


class Tape:
    """An evening as it is recorded: what the client is sent, and what it must do then."""

    def __init__(self, host: Evening) -> None:
        self.host = host
        self.steps: list[Step] = []
        self.asks = dict.fromkeys([*OTHERS, SEAT], 0)
        self.size = 0

    @classmethod
    async def begun(cls, **how: Any) -> "Tape":
        """A table with a roll of p1, and anchors of the other seats unless it is another table."""
        tape = cls(Evening())
        await tape.host.begin(anchored=False, **how)
        await tape.does("p1", Declare("c1", ALONE))
        for seat in OTHERS if not how else ():
            await tape.does(seat, AnchorShares(link(TABLE, seat, OTHERS[seat], 0)))
        return tape

    # --- the host -----------------------------------------------------------------------------

    async def does(self, seat: str, command: Asking) -> None:
        """A seat does something, of which the client is not sent anything yet."""
        await self.host.service.submit(TABLE, seat, command)

    async def ask(self, *seats: str) -> None:
        """The roller asks these seats and itself."""
        waiting = (await self.host.service.state(TABLE)).rolls[1].outstanding
        assert waiting is not None
        asked = tuple(sorted({"p1", *seats}))
        for seat in asked:
            self.asks[seat] += 1
        await self.does("p1", Ask(1, "initiator", waiting.seq, asked))

    async def open(self, seat: str, draw: int = 0) -> None:
        """A seat opens its share."""
        last = DRAWS[draw] if seat == SEAT else OTHERS[seat]
        await self.does(seat, OpenShare(1, link(TABLE, seat, last, self.asks[seat])))

    async def broken(self) -> None:
        """The roller breaks the throw off, ten seconds later."""
        aggregate = await self.host.service.aggregate(TABLE)
        now = aggregate.environment.clock
        late = replace(aggregate.environment, clock=lambda state: now(state) + LATE)
        aggregate.environment = late
        await self.does("p1", BreakThrow(1))

    async def log(self) -> list[Entry]:
        """All entries."""
        return [*await self.host.log.read(TABLE)]

    async def note(self, size: int | None = None) -> str:
        """A head that the host signs, of so many of its entries."""
        return self.signed((await self.log())[:size])

    def signed(self, entries: Sequence[Entry]) -> str:
        """A head of these entries, whatever the log is."""
        return self.host.note([each.leaf for each in entries]).decode()

    # --- what the client is sent ------------------------------------------------------------------

    def step(
        self, does: str, *sends: Step, tells: Sequence[int] = (), fault: bool = False, **more: Any
    ) -> None:
        """One message, or something that happens to the client, and what it must do then."""
        must = {"sends": list(sends), "tells": list(tells), "fault": fault}
        self.steps.append(
            {"does": does, **more, **{name: what for name, what in must.items() if what}}
        )

    async def history(self, *sends: Step, **must: Any) -> None:
        """The client comes in, or comes back: it is sent all, and a head of it at the end."""
        self.other(await self.log(), *sends, **must)

    def other(self, log: Sequence[Entry], *sends: Step, **must: Any) -> None:
        """The same, with these entries as the log."""
        self.step("enter")
        self.commits(log)
        self.step("caught-up", *sends, size=len(log), head=self.signed(log), **must)
        self.size = len(log)

    async def news(self, *sends: Step, head: bool = True, **must: Any) -> None:
        """It is sent what is new, with a head; what must come of it comes of the last commit."""
        log = await self.log()
        self.live(log[self.size :], await self.note() if head else None, *sends, **must)

    def live(self, entries: Sequence[Entry], head: str | None, *sends: Step, **must: Any) -> None:
        """It is sent these entries, with this head."""
        self.commits(entries)
        self.size = entries[-1].seq + 1
        last = self.steps.pop()
        self.step("commit", *sends, entries=last["entries"], size=last["size"], head=head, **must)

    def commits(self, entries: Iterable[Entry]) -> None:
        """It is sent these commits, without a head."""
        commits: dict[int, list[Any]] = {}
        for entry in entries:
            commits.setdefault(entry.commit, []).append(json.loads(entry_line(entry)))
        for lines in commits.values():
            self.step("commit", entries=lines, size=lines[-1]["seq"] + 1, head=None)

    async def came(self) -> None:
        """The client came in, and its anchor is published."""
        await self.history(anchoring())
        await self.does(SEAT, AnchorShares(x(0)))
        await self.news()


def forged(entry: Entry, **changed: Any) -> Entry:
    """An entry with another event, under the same request."""
    event: Said = json.dumps({**json_of(entry), **changed}, separators=(",", ":")).encode()
    return resealed(entry, event, asked=asked_of(entry))


# --- honest ---------------------------------------------------------------------------------------


async def played() -> Tape:
    """A throw that asks the seat, to its end, and a further roll."""
    tape = await Tape.begun()
    await tape.came()
    await tape.ask(SEAT, "narrator")
    await tape.news(opening(1))
    await tape.open(SEAT)
    await tape.open("p1")
    await tape.news()
    await tape.open("narrator")
    await tape.news()
    await tape.does("p1", Declare("c1", ALONE))
    await tape.news()
    return tape


async def asked_again() -> Tape:
    """A throw is broken off while the client is away; the next ask gets the next share."""
    tape = await Tape.begun()
    await tape.came()
    await tape.ask(SEAT)
    await tape.open("p1")
    await tape.broken()
    tape.step("restart")
    await tape.history()
    await tape.ask("narrator")
    await tape.news()
    await tape.open("p1")
    await tape.broken()
    await tape.news()
    await tape.does(SEAT, worded(Note(0), "back"))
    await tape.ask(SEAT, "narrator")
    await tape.news(opening(2))
    return tape


async def restarted() -> Tape:
    """The client dies after it opened, and before the log had it: the same share again."""
    tape = await Tape.begun()
    await tape.came()
    await tape.ask(SEAT)
    await tape.news(opening(1))
    tape.step("restart")
    await tape.history(opening(1))
    await tape.open(SEAT)
    await tape.news()
    await tape.open("p1")
    await tape.news()
    return tape


async def without_head() -> Tape:
    """The ask comes without a head, then an older one, then the one that covers it."""
    tape = await Tape.begun()
    await tape.came()
    await tape.ask(SEAT)
    before = tape.size
    await tape.news(head=False)
    tape.step("head", size=before, head=await tape.note(before))
    tape.step("head", opening(1), size=tape.size, head=await tape.note())
    return tape


async def one_machine() -> Tape:
    """At a table of one machine nobody is asked, so nobody anchors."""
    tape = await Tape.begun(one_machine=True, level="player")
    await tape.history()
    return tape


async def typed() -> Tape:
    """Nor where dice are typed in."""
    tape = await Tape.begun(source="manual", level="player")
    await tape.history()
    return tape


async def other_device() -> Tape:
    """Another device had anchored before: it is shown, and this one anchors again."""
    tape = await Tape.begun()
    await tape.does(SEAT, AnchorShares(x(0, 1)))
    seq = len(await tape.log()) - 1
    await tape.history(anchoring(), tells=[seq])
    await tape.does(SEAT, AnchorShares(x(0)))
    await tape.news()
    await tape.ask(SEAT)
    await tape.news(opening(1))
    return tape


async def head_lost() -> Tape:
    """The newest head is lost: the client keeps back, and anchors again after the throw."""
    tape = await Tape.begun()
    await tape.came()
    await tape.ask(SEAT)
    tape.step("lose-head")
    await tape.history()
    await tape.open("p1")
    await tape.broken()
    await tape.news(anchoring(1))
    return tape


async def epoch() -> Tape:
    """An epoch ends the chain, and the throw: a new chain once the player agrees."""
    tape = await Tape.begun()
    await tape.came()
    await tape.ask(SEAT)
    await tape.news(opening(1))
    await tape.open(SEAT)
    await tape.host.service.begin_epoch(TABLE, restored=True)
    seq = len(await tape.log()) - 1
    await tape.news(tells=[seq])
    await tape.does("p1", worded(Note(0), "sorry"))
    await tape.news()
    tape.step("agree", anchoring(1))
    return tape


# --- the host cheats ------------------------------------------------------------------------------


async def _asked() -> Tape:
    tape = await Tape.begun()
    await tape.came()
    await tape.ask(SEAT)
    return tape


async def strange_head() -> Tape:
    """The head that covers the ask is signed by somebody else."""
    tape = await _asked()
    log = await tape.log()
    head = tape.host.strange([each.leaf for each in log]).decode()
    tape.live(log[tape.size :], head, fault=True)
    return tape


async def other_root() -> Tape:
    """The head that covers the ask is of other entries."""
    tape = await _asked()
    log = await tape.log()
    head = tape.signed([*log[1:], log[0]])
    tape.live(log[tape.size :], head, fault=True)
    return tape


async def _two_asks(tape: Tape) -> list[Entry]:
    """The log with the same ask once more, as if it came a moment later."""
    log = await tape.log()
    return [*log[:-2], *(resealed(each, at=each.at + 1) for each in log[-2:])]


async def forked() -> Tape:
    """After the share was opened the log has another ask in that place."""
    tape = await _asked()
    await tape.news(opening(1))
    tape.step("restart")
    log = await _two_asks(tape)
    tape.other(log, fault=True)
    return tape


async def moved() -> Tape:
    """The same, and the client lost its head; then its share stands under the other ask."""
    tape = await _asked()
    await tape.news(opening(1))
    tape.step("lose-head")
    log = await _two_asks(tape)
    await tape.open(SEAT)
    opened = (await tape.log())[-1]
    tape.other(log)
    log.append(resealed(opened, at=log[-1].at + 1))
    tape.live(log[-1:], tape.signed(log), fault=True)
    return tape


async def skipped() -> Tape:
    """The first ask names the second share."""
    tape = await _asked()
    log = await tape.log()
    log[-1] = forged(log[-1], asked=[["p1", 1], [SEAT, 2]])
    tape.live(log[tape.size :], tape.signed(log), fault=True)
    return tape


async def used_again() -> Tape:
    """The second ask names the first share again."""
    tape = await _asked()
    await tape.news(opening(1))
    await tape.open("p1")
    await tape.broken()
    await tape.news()
    await tape.ask(SEAT)
    log = await tape.log()
    log[-1] = forged(log[-1], asked=[["p1", 2], [SEAT, 1]])
    tape.live(log[tape.size :], tape.signed(log), fault=True)
    return tape


async def anchor_made_up() -> Tape:
    """Somebody else anchors for the seat: it opens nothing more until its player agrees."""
    tape = await Tape.begun()
    await tape.came()
    await tape.does(SEAT, AnchorShares("ee" * 32))
    await tape.news(tells=[len(await tape.log()) - 1])
    await tape.ask(SEAT)
    await tape.news()
    await tape.open("p1")
    await tape.broken()
    await tape.news()
    tape.step("agree", anchoring(1))
    return tape


async def share_made_up() -> Tape:
    """A share of the seat stands there that this client did not open, though it fits its chain."""
    tape = await _asked()
    await tape.open(SEAT)
    seq = len(await tape.log()) - 1
    tape.step("restart")
    await tape.history(tells=[seq])
    await tape.open("p1")
    await tape.news()
    return tape


EVENINGS: tuple[Callable[[], Awaitable[Tape]], ...] = (
    played, asked_again, restarted, without_head, one_machine, typed, other_device, head_lost,
    epoch, strange_head, other_root, forked, moved, skipped, used_again, anchor_made_up,
    share_made_up,
)  # fmt: skip


async def recorded(evening: Callable[[], Awaitable[Tape]]) -> dict[str, Any]:
    """An evening as its file has it."""
    tape = await evening()
    known = {"table": TABLE, "seat": SEAT, "key": tape.host.key.vkey, "draws": DRAWS}
    about = " ".join((evening.__doc__ or "").split())
    return {"about": about, **known, "steps": tape.steps}


def main() -> None:
    """Write every file."""
    for each in EVENINGS:
        found = asyncio.run(recorded(each))
        steps = ",\n".join(json.dumps(step, ensure_ascii=False) for step in found.pop("steps"))
        head = json.dumps(found, ensure_ascii=False)[:-1]
        name = each.__name__.replace("_", "-")
        (HERE / f"{name}.json").write_text(f'{head}, "steps": [\n{steps}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
