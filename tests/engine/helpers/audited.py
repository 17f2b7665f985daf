"""Logs for the audit's rules: honest ones, and the same with an event forged and sealed again."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from tests import plays
from tests.engine.helpers.tables.evening import Evening
from tests.engine.helpers.tables.trials import TRIALS
from tests.sealing import asked_of, commit
from tests.sealing import resealed as resealed_entry
from urim.engine.audit import Report
from urim.engine.audit.rerun import run
from urim.engine.verifier import urimcheck
from urim.events.asked import host_request
from urim.events.codec import Event, RecordedEvent, recorded
from urim.events.entry import TEXTS, Entry, EntryClass
from urim.events.line import entry_line
from urim.events.roll import RollEventBase
from urim.events.table import EntryErased, Noted, TextSaid
from urim.projections.tables import Rulesets, TableState, fold, pass_over
from urim.rules import ruleset_named

FORM = ("parse", "transitions", "rulings")
"""The steps of urimcheck that say whether a commit is of its form."""

LEVELS = ("server", "player", "table")


def judged(entries: Iterable[Entry], *, rulesets: Rulesets = ruleset_named) -> Report:
    """What an audit says of these entries alone: of their form, and by the rules."""
    head: dict[str, Any] = {"scope": "table", "roll": None, "proof": None}
    head |= {"origin": "", "size": 0, "format": urimcheck.FORMATS[1]}
    lines = [urimcheck.entries(json.loads(entry_line(entry)), head) for entry in entries]
    proof = urimcheck.Report(head, lines)
    for line in proof.each("parse"):
        try:
            if line.payload is not None:
                urimcheck.read_payload(line)
        except urimcheck.Malformed as error:
            proof.need(False, str(error))
    parsed = [*proof.remarks]
    urimcheck.walk(proof)
    proof.remarks = parsed  # what is said of throws and of signatures needs a whole file
    urimcheck.transitions(proof)
    urimcheck.rulings(proof)
    return Report(proof, run(proof, rulesets))


def told(report: Report, word: str = "wrong") -> list[tuple[int, str]]:
    """What is said with this word of the form and by the rules: entry, and why."""
    remarks = [each for each in report.remarks if each.word == word]
    return [(each.seq or 0, each.why) for each in remarks if each.step in (*FORM, "rules")]


def failures(report: Report) -> list[int]:
    """The entries that are wrong, each once."""
    return sorted({seq for seq, _ in told(report)})


def by_rules(report: Report) -> list[tuple[int, str]]:
    """What is wrong by the rules alone: entry, and why."""
    return [(each.seq or 0, each.why) for each in report.rules.remarks if each.word == "wrong"]


def loud(report: Report) -> list[str]:
    """What is wrong, and what could not be checked."""
    return [f"{seq}: {why}" for word in ("wrong", "unchecked") for seq, why in told(report, word)]


# --- forging --------------------------------------------------------------------------------------


def event_of(entries: Sequence[Entry], seq: int) -> Any:
    """The event of an entry."""
    return recorded(entries[seq]).event


def forged(entries: Sequence[Entry], seq: int, **changes: Any) -> list[Entry]:
    """The log with fields of one event changed; with another seat its text is of that seat too."""
    event = replace(event_of(entries, seq), **changes)
    log = [*entries[:seq], resealed_entry(entries[seq], event), *entries[seq + 1 :]]
    text = words_of(entries, seq)
    if text is not None and text != seq and "by" in changes and entries[text].payload is not None:
        said = replace(event_of(entries, text), by=changes["by"])
        log[text] = resealed_entry(entries[text], said)
    return log


def resealed(entries: Sequence[Entry], seq: int, kind: EntryClass) -> list[Entry]:
    """The log with one entry of the other class."""
    entry = resealed_entry(entries[seq], kind=kind)
    return [*entries[:seq], entry, *entries[seq + 1 :]]


def without(entries: Sequence[Entry], *seqs: int) -> list[Entry]:
    """The log without some entries, the others moved up; nothing may point behind them.

    A commit of which the first entry is left out begins at the next one, without being asked for.
    """
    left = [entry for entry in entries if entry.seq not in seqs]
    firsts: dict[int, int] = {}
    for at, entry in enumerate(left):
        firsts.setdefault(entry.commit, at)
    return [_moved(entry, at, firsts[entry.commit]) for at, entry in enumerate(left)]


def _moved(entry: Entry, seq: int, first: int) -> Entry:
    if entry.seq == seq or entry.payload is None or entry.salt is None:
        return replace(entry, seq=seq, commit=first)
    asked = asked_of(entry)
    if asked is not None and asked.request == host_request(entry.seq):
        asked = replace(asked, request=host_request(seq))
    return resealed_entry(entry, seq=seq, first=first, asked=asked)


def words_of(entries: Sequence[Entry], seq: int) -> int | None:
    """The text of the commit that entry `seq` belongs to, if it has one."""
    last = [entry for entry in entries if entry.commit == entries[seq].commit][-1]
    return last.seq if last.kind in TEXTS else None


def going_on(entries: Sequence[Entry], *events: Event, kind: EntryClass = "open") -> list[Entry]:
    """The log with more entries than anybody asked for."""
    found = list(entries)
    for event in events:
        at = found[-1].at + 1_000
        found += commit(len(found), at, [event], kind=kind)
    return found


# --- logs -----------------------------------------------------------------------------------------


def log_of(name: str) -> tuple[Entry, ...]:
    """The log of the scenario of that name, `system/file` or a demonstration's."""
    path = next(each for each in plays.files() if plays.name_of(each).endswith(name))
    return plays.kept_of(path).log


def find(entries: Sequence[Entry], kind: type, test: Callable[[Any], bool] = bool) -> int:
    """The first entry with an event of that kind that passes the test."""
    return next(
        entry.seq
        for entry in entries
        if entry.payload is not None
        and isinstance(event_of(entries, entry.seq), kind)
        and test(event_of(entries, entry.seq))
    )


@cache
def evening(system: str, number: int, seed: int) -> Evening:
    """An honest evening played to its end; physical dice every fourth time."""
    trial = TRIALS[system]
    dice = "manual" if number % 4 == 3 else "fair"
    options = trial.options[number % len(trial.options)]
    level: Any = LEVELS[number % len(LEVELS)]
    played = Evening(trial, f"{seed}-{system}-{number}", options, dice=dice, level=level)
    for _ in played.play():
        pass
    return played


def about(entries: Sequence[Entry], roll: int) -> list[Entry]:
    """What a bundle about one roll has: its commits, its kin's, their notes', the table's."""
    events = {e.seq: event_of(entries, e.seq) for e in entries if e.payload is not None}
    kin = {roll}
    for _ in events:
        found = {pair for event in events.values() if (pair := _follows(event)) is not None}
        more = {each for pair in found if kin.intersection(pair) for each in pair}
        if more <= kin:
            break
        kin |= more
    wanted = {seq for seq, event in events.items() if getattr(event, "roll", None) in kin}
    for seq, event in events.items():
        if isinstance(event, Noted) and event.about in wanted:
            wanted.add(seq)
    last = max(wanted)
    table = {
        entry.seq
        for entry in entries[: last + 1]
        if entry.seq in events
        and not isinstance(events[entry.seq], (RollEventBase, Noted, TextSaid, EntryErased))
    }
    commits = {entries[seq].commit for seq in wanted | table}
    held = {entry.seq for entry in entries if entry.commit in commits}
    held |= {seq for seq, e in events.items() if isinstance(e, EntryErased) and e.seq in held}
    return [entry for entry in entries if entry.seq in held]


def _follows(event: Any) -> tuple[int, int] | None:
    after = getattr(event, "follows", None)
    return None if after is None else (event.roll, after[0])


def folded(entries: Sequence[Entry], rulesets: Rulesets = ruleset_named) -> list[TableState]:
    """The table after each entry, as a table in memory has it."""
    states: list[TableState] = []
    for entry in entries:
        before = states[-1] if states else None
        if entry.payload is None:
            assert before is not None
            states.append(pass_over(before, entry))
        else:
            record: RecordedEvent = recorded(entry)
            states.append(fold(before, record, rulesets))
    return states
