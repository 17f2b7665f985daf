"""Logs in which something happened that was not allowed: step 10."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from tests.engine.helpers.audited import (
    event_of,
    find,
    forged,
    going_on,
    log_of,
    without,
    words_of,
)
from tests.engine.helpers.bodies import asked_for, asked_on, command_for, with_body
from tests.engine.helpers.forged import (
    NOTHING,
    UNLIKE,
    Forgery,
    Make,
    class_of,
    field,
    key,
    more,
)
from urim.engine.core.decide_table import CORE
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.base import Thrown


def damaged_twice(whole: bool) -> Forgery:
    """The blow that landed lands again."""
    entries = log_of("milhamah/critical-hit")
    seq = find(entries, rolled.DamageApplied)
    more = asked_for if whole else going_on
    again = more(entries[: seq + 1], event_of(entries, seq))
    return Forgery(again, seq + 1, "apply_damage is not possible" if whole else NOTHING)


def frozen_rerolled(whole: bool) -> Forgery:
    """A frozen die among those thrown again."""
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.DiceRerolled)
    event = event_of(entries, seq)
    thrown = {item.die for item in event.dice}
    frozen = rolled.DiceFrozen(event.by, event.roll, event.hand, (min(thrown),))
    more = asked_for if whole else going_on
    log = more(asked_for(entries[:seq], frozen), event)
    return Forgery(log, seq + 1, "is frozen and cannot be thrown" if whole else NOTHING)


def too_many_rerolled(whole: bool) -> Forgery:
    """More dice thrown again than the rules give at any price."""
    entries = log_of("milhamah/merit")
    seq = find(entries, rolled.DiceRerolled)
    event = event_of(entries, seq)
    hand = find(entries, rolled.DiceRolled, lambda e: (e.roll, e.hand) == (event.roll, event.hand))
    dice = event_of(entries, hand).dice
    if whole:
        log = with_body(entries[: seq + 1], seq, replace(event, dice=dice))
        return Forgery(log, seq, "dice to reroll")
    return Forgery(forged(entries[: seq + 1], seq, dice=dice), seq, UNLIKE)


def _hand(change: Callable[[tuple[Thrown, ...]], tuple[Thrown, ...]], says: str) -> Make:
    def make(whole: bool) -> Forgery:
        entries = log_of("milhamah/cliff")
        seq = find(entries, rolled.DiceRolled)
        event = event_of(entries, seq)
        dice = change(event.dice)
        if whole:
            log = with_body(entries[: seq + 1], seq, replace(event, dice=dice))
            return Forgery(log, seq, says)
        return Forgery(forged(entries[: seq + 1], seq, dice=dice), seq, UNLIKE)

    return make


def again_left_out(whole: bool) -> Forgery:
    """A die that has to be thrown again where it fell, and was not."""
    entries = log_of("milhamah/critical-hit")

    def twice(event: Any) -> bool:
        return len({item.die for item in event.dice}) < len(event.dice)

    seq = find(entries, rolled.DiceRolled, twice)
    event = event_of(entries, seq)
    if whole:
        log = with_body(entries[: seq + 1], seq, replace(event, dice=event.dice[:1]))
        return Forgery(log, seq, "d17 has none")
    return Forgery(forged(entries[: seq + 1], seq, dice=event.dice[:1]), seq, UNLIKE)


def follower_left_out(whole: bool) -> Forgery:
    """An amendment of two rolls that follow, and one of them left alone: the first, or the last."""
    entries = log_of("age_of_magic/amend-attack")
    seq = find(entries, ruling.RollAmended)
    text = words_of(entries, seq)
    assert text is not None
    left_out = range(seq + 2, text) if whole else (seq + 1,)
    log = without(entries[: text + 1], *left_out)
    return Forgery(log, seq + 1, "leads to one more entry" if whole else "roll is not")


def follower_to_come(whole: bool) -> Forgery:
    """A log that ends in the middle of an amendment, with its text or without."""
    entries = log_of("age_of_magic/amend-attack")
    seq = find(entries, ruling.RollAmended)
    if whole:
        text = words_of(entries, seq)
        assert text is not None
        log = without(entries[: text + 1], *range(seq + 1, text))
        return Forgery(log, seq, "what was asked leads to one more entry")
    return Forgery(entries[: seq + 1], seq, "the text that is named is missing")


def follower_voided_twice(whole: bool) -> Forgery:
    """A follower voided once more behind the roll and itself."""
    entries = log_of("age_of_magic/void-attack")
    seq = find(entries, rolled.RollVoided)
    first, second = event_of(entries, seq), event_of(entries, seq + 1)
    if whole:
        log = asked_on(entries[:seq], command_for(first), first, second, second)
        return Forgery(log, seq + 2, "what was asked does not lead to this")
    log = going_on(entries[:seq], first, second, second)
    return Forgery(log, seq, NOTHING)


def rolled_on(whole: bool) -> Forgery:
    """A die thrown once everything was over."""
    entries = log_of("milhamah/cliff")
    event = event_of(entries, find(entries, rolled.DiceRolled))
    more = asked_for if whole else going_on
    says = "is not possible for roll 1" if whole else NOTHING
    return Forgery(more(entries, event), len(entries), says)


def skipped_number(whole: bool) -> Forgery:
    """A roll numbered as if another had been declared before; no body has the number."""
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.RollDeclared)
    end = (words_of(entries, seq) or seq) + 1
    log = forged(entries[:end], seq, roll=2)
    return Forgery(log, seq, "roll is not what it must be")


def broken_off_early(whole: bool) -> Forgery:
    """A throw broken off while a seat still had time."""
    entries = log_of("shares/broken")
    seq = find(entries, rolled.ThrowBroken)
    more = asked_for if whole else going_on
    says = "may still open a share" if whole else NOTHING
    return Forgery(more(entries[:seq], event_of(entries, seq)), seq, says)


def given_meanwhile(whole: bool) -> Forgery:
    """A character handed over while a throw waits for shares."""
    entries = log_of("shares/everybody")
    seq = find(entries, rolled.ThrowAsked) + 1
    given = tabled.CharacterGiven(
        NARRATOR, event_of(entries, find(entries, tabled.CharacterEntered)).character, NARRATOR
    )
    more = asked_for if whole else going_on
    says = "has to wait" if whole else NOTHING
    return Forgery(more(entries[:seq], given), seq, says)


NOWHERE = rolled.Proof(0, "manual")

FORGERIES: Mapping[str, Make] = {
    "damage twice": damaged_twice,
    "a frozen die": frozen_rerolled,
    "too many dice": too_many_rerolled,
    "a die more": _hand(lambda dice: (*dice, Thrown("d9", dice[0].kind, dice[0].face)), "faces"),
    "a die less": _hand(lambda dice: dice[:-1], "faces"),
    "a die of another kind": _hand(lambda dice: (replace(dice[0], kind="d10"), *dice[1:]), UNLIKE),
    "a die under another id": _hand(lambda dice: (replace(dice[0], die="d7"), *dice[1:]), UNLIKE),
    "a die not thrown again": again_left_out,
    "dice from elsewhere": field(
        "milhamah/cliff", rolled.DiceRolled, "proof.source is not", proof=NOWHERE
    ),
    "the other's adjustment": field(
        "majesty/adjusted-by-the-roller",
        rolled.DiceAdjusted,
        "does not act for",
        by="p2",
    ),
    "another seat's dice": field(
        "milhamah/cliff", rolled.DiceRolled, "does not act for", by=NARRATOR
    ),
    "a field that is the narrator's to set": field(
        "milhamah/cliff",
        rolled.RollDeclared,
        "is the narrator's to set",
        alone="declaration.leave",
        declaration=key("leave", True),
    ),
    "a void by a player": field(
        "milhamah/void-follower", rolled.RollVoided, "void is a narrator's", by="p1"
    ),
    "tracks brought by a player": field(
        "milhamah/critical-hit",
        tabled.CharacterEntered,
        "tracks are the narrator's to set",
        lambda event: bool(event.tracks),
        by="p2",
    ),
    "a track set by a player": field(
        "scarterra/wounds", tabled.TrackSet, "setting a track is a narrator's", by="p1"
    ),
    "a rating set by a player": field(
        "sagatafl/lesson", tabled.AttributeSet, "setting a rating is a narrator's", by="p1"
    ),
    "a seat that nobody has": field(
        "milhamah/cliff", rolled.RollResolved, "no seat 'ghost'", by="ghost"
    ),
    "a ruling without a dispute": more(
        "milhamah/cliff",
        "no open dispute",
        ruling.RulingMade(NARRATOR, 1, 3, "stands"),
    ),
    "a roll that was never declared": more(
        "milhamah/cliff", "no roll 9", rolled.RollResolved("p1", 9, {"degree": "failure"})
    ),
    "an entry that is no text erased": more(
        "milhamah/cliff", "is no text", tabled.EntryErased(NARRATOR, 1)
    ),
    "another's name erased": more(
        "milhamah/critical-hit",
        "erasing what another wrote is a narrator's",
        tabled.EntryErased("p2", 3),
    ),
    "a note about what is to come": more(
        "milhamah/cliff", "no entry 999", tabled.Noted(NARRATOR, 999)
    ),
    "a table opened again": more(
        "milhamah/cliff",
        "is open already",
        tabled.TableOpened(NARRATOR, "fixture0", "milhamah", 1, {}, "scripted", "player", CORE),
    ),
    "a character that is there already": more(
        "milhamah/cliff",
        "is at the table",
        tabled.CharacterEntered(NARRATOR, "c1", "p1", {}, {}),
    ),
    "a command that changes nothing": more(
        "milhamah/cliff",
        "what was asked does not lead to this",
        tabled.CharacterGiven(NARRATOR, "c1", "p1"),
    ),
    "another's character taken away": more(
        "milhamah/critical-hit",
        "does not act for",
        tabled.CharacterRemoved("p2", "c1"),
    ),
    "a character taken away that acts in a roll": more(
        "milhamah/taken-away", "acts in roll", tabled.CharacterRemoved(NARRATOR, "c3")
    ),
    "a character taken away that is not there": more(
        "milhamah/taken-away", "was taken away by entry", tabled.CharacterRemoved(NARRATOR, "c2")
    ),
    "an epoch of another number": more(
        "milhamah/cliff", "epoch is not what it must be", tabled.EpochBegun(NARRATOR, 2, ())
    ),
    "an epoch begun by a player": more(
        "milhamah/cliff", "beginning an epoch is a narrator's", tabled.EpochBegun("p1", 1, ())
    ),
    "an epoch for a throw that does not wait": more(
        "milhamah/cliff",
        "commits is not what it must be",
        tabled.EpochBegun(NARRATOR, 1, (tabled.Recommitted(1, 0, "ab" * 32),)),
    ),
    "a follower left out": follower_left_out,
    "a follower still to come": follower_to_come,
    "a follower voided twice": follower_voided_twice,
    "a throw in a roll that is over": rolled_on,
    "a number left out": skipped_number,
    "a character given while a throw waits": given_meanwhile,
    "a throw broken off too early": broken_off_early,
    "a hidden entry that is open": class_of(
        "hidden-gm", rolled.RollRevealed, "wrong class", "hidden"
    ),
    "an open entry that is hidden": class_of(
        "milhamah/cliff", rolled.RollResolved, "wrong class", "hidden"
    ),
    "an opening that is hidden": class_of(
        "milhamah/cliff", tabled.TableOpened, "wrong class", "hidden"
    ),
}
"""Every forgery by what it is about."""
