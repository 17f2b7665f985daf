"""Logs in which something happened that was not allowed: step 10."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from tests.engine.helpers.audited import LEGAL, event_of, find, forged, going_on, log_of, without
from tests.engine.helpers.forged import Forgery, Make, class_of, field, key, more
from urim.engine.core.limits import NARRATOR
from urim.events import roll as rolled
from urim.events import ruling
from urim.events import table as tabled
from urim.events.base import Thrown


def damaged_twice() -> Forgery:
    """The blow that landed lands again."""
    entries = log_of("milhamah/critical-hit")
    seq = find(entries, rolled.DamageApplied)
    again = going_on(entries[: seq + 1], event_of(entries, seq))
    return Forgery(again, seq + 1, LEGAL, "apply_damage is not possible")


def frozen_rerolled() -> Forgery:
    """A frozen die among those thrown again."""
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.DiceRerolled)
    event = event_of(entries, seq)
    thrown = {item.die for item in event.dice}
    frozen = rolled.DiceFrozen(event.by, event.roll, event.hand, (min(thrown),))
    log = going_on(entries[:seq], frozen, event)
    return Forgery(log, seq + 1, LEGAL, "is frozen and cannot be thrown")


def too_many_rerolled() -> Forgery:
    """More dice thrown again than the rules give at any price."""
    entries = log_of("milhamah/merit")
    seq = find(entries, rolled.DiceRerolled)
    event = event_of(entries, seq)
    hand = find(entries, rolled.DiceRolled, lambda e: (e.roll, e.hand) == (event.roll, event.hand))
    log = forged(entries[: seq + 1], seq, dice=event_of(entries, hand).dice)
    return Forgery(log, seq, LEGAL, "dice to reroll")


def _hand(change: Callable[[tuple[Thrown, ...]], tuple[Thrown, ...]]) -> Make:
    def make() -> Forgery:
        entries = log_of("milhamah/cliff")
        seq = find(entries, rolled.DiceRolled)
        dice = change(event_of(entries, seq).dice)
        log = forged(entries[: seq + 1], seq, dice=dice)
        return Forgery(log, seq, LEGAL, "other dice than were offered")

    return make


def again_left_out() -> Forgery:
    """A die that has to be thrown again where it fell, and was not."""
    entries = log_of("milhamah/critical-hit")

    def twice(event: Any) -> bool:
        return len({item.die for item in event.dice}) < len(event.dice)

    seq = find(entries, rolled.DiceRolled, twice)
    dice = event_of(entries, seq).dice[:1]
    log = forged(entries[: seq + 1], seq, dice=dice)
    return Forgery(log, seq, LEGAL, "other dice than were offered")


def follower_left_out() -> Forgery:
    """An amendment of a roll that another follows, and that one let be."""
    entries = log_of("age_of_magic/amend-attack")
    seq = find(entries, ruling.RollAmended)
    return Forgery(without(entries[: seq + 4], seq + 1), seq + 1, LEGAL, "a commit was broken off")


def follower_to_come() -> Forgery:
    """A log that ends in the middle of an amendment."""
    entries = log_of("age_of_magic/amend-attack")
    seq = find(entries, ruling.RollAmended)
    return Forgery(entries[: seq + 1], seq, LEGAL, "a commit was broken off")


def follower_voided_twice() -> Forgery:
    """A follower voided once more behind the roll and itself."""
    entries = log_of("age_of_magic/void-attack")
    seq = find(entries, rolled.RollVoided)
    first, second = event_of(entries, seq), event_of(entries, seq + 1)
    log = going_on(entries[:seq], first, second, second)
    return Forgery(log, seq + 2, LEGAL, "void is not possible")


def rolled_on() -> Forgery:
    """A die thrown once everything was over."""
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.DiceRolled)
    return Forgery(
        going_on(entries, event_of(entries, seq)), len(entries), LEGAL, "is not possible for roll 1"
    )


def skipped_number() -> Forgery:
    """A roll numbered as if another had been declared before."""
    entries = log_of("milhamah/cliff")
    seq = find(entries, rolled.RollDeclared)
    return Forgery(
        forged(entries[: seq + 1], seq, roll=2), seq, LEGAL, "roll is not what it must be"
    )


def passed_over_early() -> Forgery:
    """Seats passed over while they still had time."""
    entries = log_of("passed-over")
    seq = find(entries, rolled.SeatsPassedOver)
    log = going_on(entries[:seq], event_of(entries, seq))
    return Forgery(log, seq, LEGAL, "may still give a nonce")


def thrown_by_another() -> Forgery:
    """A throw by the seat that has the character now, its nonce bound by the one before."""
    entries = log_of("everybody")
    seq = find(entries, rolled.DiceRolled)
    event = event_of(entries, seq)
    given = tabled.CharacterGiven(NARRATOR, event.character, NARRATOR)
    log = going_on(entries[:seq], given, replace(event, by=NARRATOR))
    return Forgery(log, seq + 1, LEGAL, "did not bind the nonce")


NOWHERE = rolled.Proof(0, "manual")

FORGERIES: Mapping[str, Make] = {
    "damage twice": damaged_twice,
    "a frozen die": frozen_rerolled,
    "too many dice": too_many_rerolled,
    "a die more": _hand(lambda dice: (*dice, Thrown("d9", dice[0].kind, dice[0].face))),
    "a die less": _hand(lambda dice: dice[:-1]),
    "a die of another kind": _hand(lambda dice: (replace(dice[0], kind="d10"), *dice[1:])),
    "a die under another id": _hand(lambda dice: (replace(dice[0], die="d7"), *dice[1:])),
    "a die not thrown again": again_left_out,
    "dice from elsewhere": field(
        "milhamah/cliff", rolled.DiceRolled, "from elsewhere", LEGAL, proof=NOWHERE
    ),
    "the other's adjustment": field(
        "majesty/adjusted-by-the-roller",
        rolled.DiceAdjusted,
        "does not act for",
        LEGAL,
        by="p2",
    ),
    "another seat's dice": field(
        "milhamah/cliff", rolled.DiceRolled, "does not act for", LEGAL, by=NARRATOR
    ),
    "a field that is the narrator's to set": field(
        "milhamah/cliff",
        rolled.RollDeclared,
        "is the narrator's to set",
        LEGAL,
        declaration=key("leave", True),
    ),
    "a void by a player": field(
        "milhamah/void-follower", rolled.RollVoided, "void is a narrator's", LEGAL, by="p1"
    ),
    "tracks brought by a player": field(
        "milhamah/critical-hit",
        tabled.CharacterEntered,
        "tracks are the narrator's to set",
        LEGAL,
        lambda event: bool(event.tracks),
        by="p2",
    ),
    "a track set by a player": field(
        "scarterra/wounds", tabled.TrackSet, "setting a track is a narrator's", LEGAL, by="p1"
    ),
    "a seat that nobody has": field(
        "milhamah/cliff", rolled.RollResolved, "no seat 'ghost'", LEGAL, by="ghost"
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
        "milhamah/cliff", "is no name and no note", tabled.EntryErased(NARRATOR, 1)
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
        "no command leads to this",
        tabled.TableOpened(NARRATOR, "fixture0", "milhamah", 1, {}, "scripted", "player", 1),
    ),
    "a character that is there already": more(
        "milhamah/cliff",
        "is at the table",
        tabled.CharacterEntered(NARRATOR, "c1", "p1", {}, {}),
    ),
    "a command that changes nothing": more(
        "milhamah/cliff", "changes nothing", tabled.CharacterGiven(NARRATOR, "c1", "p1")
    ),
    "an epoch of another number": more(
        "milhamah/cliff", "epochs count from 1", tabled.EpochBegun(NARRATOR, 2, ())
    ),
    "an epoch begun by a player": more(
        "milhamah/cliff", "beginning an epoch is a narrator's", tabled.EpochBegun("p1", 1, ())
    ),
    "an epoch for a throw that does not wait": more(
        "milhamah/cliff",
        "a throw that does not wait",
        tabled.EpochBegun(NARRATOR, 1, (tabled.Recommitted(1, 0, "ab" * 32),)),
    ),
    "a follower left out": follower_left_out,
    "a follower still to come": follower_to_come,
    "a follower voided twice": follower_voided_twice,
    "a throw in a roll that is over": rolled_on,
    "a number left out": skipped_number,
    "a throw for which another seat bound its nonce": thrown_by_another,
    "seats passed over too early": passed_over_early,
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
