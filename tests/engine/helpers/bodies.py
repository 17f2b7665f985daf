"""The bodies of commands, forged to fit a forged event: the host wrote both.

A forgery is made twice. With the event alone what was asked is left as it was, and must lead to
something else. With its body too, the guard or the rule itself must refuse what is asked.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tests.sealing import asked_of, resealed, sealed
from urim.engine.core import commands as c
from urim.engine.core.commands import AnyCommand
from urim.engine.core.parse import read_logged, written
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.asked import Asked, Text
from urim.events.codec import Event, recorded
from urim.events.entry import Entry, EntryClass

WORDS = "Words of a forger."
"""The text that comes with a forged command which needs one."""

SALT = "5a" * 16
"""The salt of that text."""

COMMANDS: Mapping[type[Struct], type[Struct]] = {
    tabled.TableOpened: c.OpenTable,
    tabled.SeatTaken: c.TakeSeat,
    tabled.SeatNamed: c.NameSeat,
    tabled.SeatLeft: c.LeaveSeat,
    tabled.CharacterEntered: c.EnterCharacter,
    tabled.CharacterNamed: c.NameCharacter,
    tabled.CharacterGiven: c.GiveCharacter,
    tabled.CharacterRemoved: c.RemoveCharacter,
    tabled.TrackSet: c.SetTrack,
    tabled.ShareAnchored: c.AnchorShares,
    tabled.Noted: c.Note,
    tabled.EntryErased: c.Erase,
    tabled.EpochBegun: c.BeginEpoch,
    rolled.RollDeclared: c.Declare,
    rolled.ReactionDeclared: c.React,
    rolled.ThrowPlanned: c.Ask,
    rolled.ShareOpened: c.OpenShare,
    rolled.ThrowBroken: c.BreakThrow,
    rolled.DiceRolled: c.RollDice,
    rolled.DiceFrozen: c.Freeze,
    rolled.DiceRerolled: c.Reroll,
    rolled.DiceAdjusted: c.Adjust,
    rolled.ChoiceMade: c.Choose,
    rolled.RollResolved: c.Resolve,
    rolled.DamageApplied: c.ApplyDamage,
    rolled.RollVoided: c.Void,
    rolled.RollRevealed: c.Reveal,
    rolled.ThrowConfirmed: c.Confirm,
    ruling.DeclarationVetoed: c.Veto,
    ruling.DeclarationReplaced: c.Replace,
    ruling.FlavourNamed: c.Flavour,
    ruling.FateDecided: c.DecideFate,
    ruling.RollAmended: c.Amend,
    ruling.DisputeRaised: c.Dispute,
    ruling.RulingMade: c.Rule,
}
"""The command that leads to each event, where the event is the first of its commit."""


# --- bodies ---------------------------------------------------------------------------------------


def body(command: Any) -> str:
    """The body of a command, of any length; or of JSON that is none."""
    return written(command).decode()


def command_in(entry: Entry) -> AnyCommand:
    """The command that the first entry of a commit holds."""
    asked = asked_of(entry)
    assert asked is not None, "not the first entry of its commit"
    return read_logged(asked.body)


def asking(entry: Entry, command: Any, request: str | None = None) -> Entry:
    """The first entry of a commit, sealed as if this command had been asked, its event as it is.

    `command` may be a string: the body itself, whatever it is.
    """
    found = asked_of(entry)
    assert found is not None, "not the first entry of its commit"
    text = command if isinstance(command, str) else body(command)
    return resealed(entry, asked=Asked(found.request if request is None else request, text))


def asking_at(
    entries: Sequence[Entry], seq: int, command: Any, request: str | None = None
) -> list[Entry]:
    """The log with another command in the commit that entry `seq` belongs to."""
    first = entries[seq].commit
    return [*entries[:first], asking(entries[first], command, request), *entries[first + 1 :]]


# --- fields of an event, and of its command -------------------------------------------------------


def command_fitting(command: AnyCommand, old: Any, new: Any) -> AnyCommand:
    """The command with those fields changed in which the new event differs from the old one.

    They are the fields of the same name; of a declaration the keys that differ; of dice thrown the
    faces, where they are typed, and the ids of those thrown again; of a proof its nonce and
    commitment.
    """
    names = set(command.__struct_fields__)
    changes: dict[str, Any] = {}
    for name in old.__struct_fields__:
        was, now = getattr(old, name), getattr(new, name)
        if was == now:
            continue
        if name == "dice" and isinstance(new, (rolled.DiceRolled, rolled.DiceRerolled)):
            changes |= _dice(command, was, now)
        elif name == "proof":
            changes |= _proof(names, was, now)
        elif name == "declared":
            field = getattr(command, "fields", {})
            changes |= {"fields": _keys(field, was, now)} if "fields" in names else {}
        elif name not in names:
            continue
        elif isinstance(now, Mapping) and isinstance(was, Mapping):
            changes[name] = _keys(getattr(command, name) or {}, was, now)
        else:
            changes[name] = now
    return replace(command, **changes)


def _keys(asked: Mapping[str, Any], was: Mapping[str, Any], now: Mapping[str, Any]) -> Any:
    put = {key: value for key, value in now.items() if key not in was or was[key] != value}
    return {**{key: value for key, value in asked.items() if key in now or key not in was}, **put}


def _dice(command: AnyCommand, was: Any, now: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if getattr(command, "faces", None) is not None:
        found["faces"] = tuple(each.face for each in now)
    if isinstance(command, c.Reroll) and {e.die for e in was} != {e.die for e in now}:
        found["dice"] = tuple(dict.fromkeys(each.die for each in now))
    return found


def _proof(names: set[str], was: Any, now: Any) -> dict[str, Any]:
    return {
        name: getattr(now, name)
        for name in ("committed", "nonce")
        if now is not None and name in names and getattr(was, name, None) != getattr(now, name)
    }


def with_body(
    entries: Sequence[Entry], seq: int, event: Event, old: Event | None = None
) -> list[Entry]:
    """The log with another event at `seq`, and what was asked changed to fit it.

    `old` is the event that what was asked fits so far, by default the log's. Where the entry is
    not the first of its commit, only a text and those fields of the command change that had the
    event's old value.
    """
    first = entries[seq].commit
    command, old = command_in(entries[first]), old or recorded(entries[seq]).event
    if isinstance(event, tabled.TextSaid):
        fitting: Any = replace(command, text=Text(event.salt, event.text).hash)
    elif first == seq:
        fitting = command_fitting(command, old, event)
    else:
        names = set(command.__struct_fields__) & set(event.__struct_fields__)
        same = {n for n in names if getattr(command, n) == getattr(old, n)}
        fitting = replace(command, **{name: getattr(event, name) for name in same})
    log = list(entries)
    log[seq] = resealed(log[seq], event)
    log[first] = asking(log[first], fitting)
    return log


# --- events that nobody asked for, and a body for them --------------------------------------------


def command_for(event: Any, **more: Any) -> AnyCommand:
    """A command that asks for this event; `more` are fields of it that the event does not have.

    A text that it needs has the hash of WORDS.
    """
    kind: Any = COMMANDS[type(event)]
    names = set(kind.__struct_fields__)
    values = {n: getattr(event, n) for n in event.__struct_fields__ if n in names}
    if kind in (c.RollDice, c.Reroll):
        values |= _thrown(event, kind)
    if kind is c.Ask:
        again = tuple(die for die, _ in event.dice) if event.trigger == "reroll" else None
        values["dice"] = again  # the ask behind it says the rest
    if kind in (c.Amend, c.Replace):
        values["fields"] = event.declared
    values |= {name: value for name, value in more.items() if name in names}
    rule = kind.text_rule
    if rule is not None and rule.needed and values.get("text") is None:
        values["text"] = Text(SALT, WORDS).hash
    command: AnyCommand = kind(**values)
    return command


def _thrown(event: Any, kind: Any) -> dict[str, Any]:
    typed = event.proof is None or event.proof.source in ("scripted", "manual")
    found: dict[str, Any] = {"faces": tuple(each.face for each in event.dice) if typed else None}
    if event.proof is not None and not typed:
        found |= {"committed": event.proof.committed, "nonce": event.proof.nonce}
    if kind is c.Reroll:
        found["dice"] = tuple(dict.fromkeys(each.die for each in event.dice))
    return found


def asked_on(
    entries: Sequence[Entry],
    command: AnyCommand,
    *events: Event,
    kind: EntryClass = "open",
    words: str = WORDS,
) -> list[Entry]:
    """The log with one more commit: this command, these events, and its text where it names one."""
    log, first = list(entries), len(entries)
    at = log[-1].at + 1_000
    for seq, event in enumerate(events, first):
        log.append(sealed(seq, at, event, kind=kind, asked=body(command), first=first))
    if getattr(command, "text", None) is not None:
        said = tabled.TextSaid(events[0].by, SALT, words)
        text: EntryClass = "text" if kind == "open" else "hidden-text"
        log.append(sealed(len(log), at, said, kind=text, first=first))
    return log


def asked_for(entries: Sequence[Entry], *events: Event, kind: EntryClass = "open") -> list[Entry]:
    """The log with more entries, each a commit of its own with a body that asks for it."""
    log = list(entries)
    for event in events:
        log = asked_on(log, command_for(event), event, kind=kind)
    return log
