"""What a command would lead to, as far as its seat may see: nothing is thrown, nothing is kept."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...events.base import Effect, Thrown
from ...events.codec import RecordedEvent, event_json, read_event
from ...events.roll import Proof
from ...projections.automaton import State
from ...projections.hidden import DECLARED
from ...projections.outcomes import so_far
from ...projections.result import Result, outcome_result
from ...projections.rollstate import RollState
from ...projections.tables import TableState, fold
from ...rules import ruleset_named
from ...rules.ruleset import Damage, Offer, Outcome
from ...rules.words import ENGLISH
from . import door
from .attempt import Attempt, CommandAt, roll_of, seat_of, unknown_command
from .commands import (
    AnyCommand,
    BreakThrow,
    Declare,
    OpenShare,
    OpenTable,
    Reroll,
    RollCommand,
    Throw,
)
from .decide import Draft, decide
from .guards import ask_of, ask_unseen, visible_offers
from .machine import DOORS, fire
from .offers import price_of
from .sources import ThrowRequest
from .throws import must_be_next, waiting_throw
from .view import view_of
from .visibility import visible_part

NO_TEXT = "0" * 64
"""Stands for the hash of a text that is yet to be written."""


class Preview(Struct, frozen=True, kw_only=True, tag="preview", tag_field="type"):
    """What a command would lead to, as its seat would see it.

    `roll` is the command's (None: it is about the table), in `state` by then; `before` and `after`
    its outcome so far, now and by then, where there is one, and `before_words` and `after_words`
    the same for people; `damage` what would be announced.
    `effects` are what the characters would gain and lose at once, `offers` what the rules would
    allow next. `others` are the rolls voided or amended with it, and their states.

    Of a throw only `dice` is known, the kinds of the dice, and its price in `effects`.
    """

    roll: int | None = None
    state: State | None = None
    before: Outcome | None = None
    after: Outcome | None = None
    before_words: Result | None = None
    after_words: Result | None = None
    damage: Damage | None = None
    effects: tuple[Effect, ...] = ()
    offers: tuple[Offer, ...] = ()
    others: tuple[tuple[int, State], ...] = ()
    dice: tuple[str, ...] = ()


class NoDice(Struct, frozen=True):
    """A source that commits to nothing, opens nothing and throws nothing."""

    name: str = "none"

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        return None

    def open(self, table: str, roll: int, throw: int) -> str | None:
        return None

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        raise Refused("not-offered", "a throw cannot be previewed", allowed=["its dice and price"])


def preview(
    table: TableState,
    seat: str,
    command: AnyCommand,
    *,
    now: int | None = None,
    command_at: CommandAt = unknown_command,
    language: str = ENGLISH,
) -> Preview:
    """What this command of the seat's would lead to; raises Refused as the command itself would.

    The seat's own view of the table decides: what is hidden from it makes no difference.
    Of a throw it asks no commitment and no nonce, of a command that needs a text no text. `now` is
    the time in milliseconds since 1970, or the latest entry's; `command_at` gives the command
    behind an entry of the log, which an amendment needs; `language` is that of the words.
    """
    if isinstance(command, OpenTable):
        raise Refused("not-offered", "the opening of a table has no preview", allowed=["a command"])
    now = table.at if now is None else now
    table = view_of(table, seat)
    if isinstance(command, Throw) and command.roll in table.rolls:
        thrown = _throw(table, seat, command, now, language)
        if thrown is not None:
            return thrown
    if isinstance(command, RollCommand) and command.roll not in table.rolls:
        ask_unseen(Attempt(table, seat, command, None, now=now))
        return Preview(roll=command.roll)
    if isinstance(command, (OpenShare, BreakThrow)):
        return _about_shares(table, seat, command, now, language)
    door.check(table, seat, _without_text(command), None)
    drafts = decide(table, seat, _with_text(command), NoDice(), now=now, command_at=command_at)
    return _seen(table, _after(table, drafts, now), seat, command, drafts, language)


def _with_text(command: AnyCommand) -> AnyCommand:
    rule = command.text_rule
    needs = rule is not None and rule.needed and getattr(command, "text", None) is None
    return replace(command, text=NO_TEXT) if needs else command


def _without_text(command: AnyCommand) -> AnyCommand:
    return replace(command, text=None) if getattr(command, "text", None) else command


def _throw(table: TableState, seat: str, command: Throw, now: int, language: str) -> Preview | None:
    """The dice and the price of a throw; None where it throws none."""
    seat_of(table, seat)
    roll = roll_of(table, command.roll, seat)
    attempt = Attempt(table, seat, command, roll, now=now)
    fire(attempt)
    return _of_dice(table, seat, command, attempt, language)


def _of_dice(
    table: TableState, seat: str, command: Throw, attempt: Attempt, language: str
) -> Preview | None:
    """What a seat may know of a throw whose offer is found: the dice, the price, the state."""
    roll, offer = attempt.known_roll, attempt.known_offer
    before, before_words = _outcome(table, seat, roll, language)
    if isinstance(command, Reroll):
        hand = roll.roll.hand(offer.hand)
        kinds = tuple(die.kind for die in hand.dice if die.id in command.dice) if hand else ()
        effects = price_of(offer, len(command.dice))
    else:
        option: int | None = getattr(command, "option", None)
        kinds = () if offer.link else offer.dice if option is None else offer.dice[:option]
        effects = ()
    if not kinds:
        return None
    return Preview(
        roll=roll.number,
        state=DOORS[roll.state, command.trigger].to,
        before=before,
        before_words=before_words,
        effects=effects,
        dice=kinds,
    )


def _about_shares(
    table: TableState, seat: str, command: OpenShare | BreakThrow, now: int, language: str
) -> Preview:
    """A share, or a break: nothing shows but, with the last share, the dice and their price."""
    seat_of(table, seat)
    attempt = Attempt(table, seat, command, roll_of(table, command.roll, seat), now=now)
    roll = attempt.known_roll
    fire(attempt)
    ask, part = ask_of(attempt), visible_part(table, seat, roll)
    if isinstance(command, OpenShare):
        must_be_next(table, seat, command.share, dict(ask.asked)[seat])
        if ask.waiting == (seat,) and part == "everything":
            thrown = _of_dice(table, seat, *waiting_throw(ask, attempt), language)
            if thrown is not None:
                return thrown
    found, words = _outcome(table, seat, roll, language)
    return Preview(
        roll=roll.number,
        state=roll.state,
        before=found,
        after=found,
        before_words=words,
        after_words=words,
        damage=roll.damage if part == "everything" else None,
        offers=visible_offers(table, seat, roll),
    )


def _after(table: TableState, drafts: Sequence[Draft], now: int) -> TableState:
    """The table as these events would leave it."""
    for at, draft in enumerate(drafts):
        event = read_event(event_json(draft.event))  # as every fold sees it
        table = fold(
            table, RecordedEvent(table.size, now, b"", event, first=at == 0), ruleset_named
        )
    return table


def _seen(
    before: TableState,
    after: TableState,
    seat: str,
    command: AnyCommand,
    drafts: Sequence[Draft],
    language: str,
) -> Preview:
    """The difference between two tables, less what the seat may not see."""
    effects = tuple(_effects(before, after, seat, drafts))
    if not isinstance(command, (RollCommand, Declare)):
        return Preview(effects=effects)
    number = command.roll if isinstance(command, RollCommand) else before.next_roll
    roll, known = after.rolls[number], before.rolls.get(number)
    part = visible_part(after, seat, roll)
    old, old_words = _outcome(before, seat, known, language) if known else (None, None)
    new, new_words = _outcome(after, seat, roll, language)
    return Preview(
        roll=number,
        state=None if part == "nothing" else roll.state,
        before=old,
        after=new,
        before_words=old_words,
        after_words=new_words,
        damage=roll.damage if part == "everything" else None,
        effects=effects,
        offers=() if part == "nothing" else visible_offers(after, seat, roll),
        others=tuple(
            (other.number, other.state)
            for other in _touched(after, drafts)
            if other.number != number and visible_part(after, seat, other) != "nothing"
        ),
    )


def _outcome(
    table: TableState, seat: str, roll: RollState, language: str
) -> tuple[Outcome | None, Result | None]:
    """The roll's outcome so far, and the same in words, for a seat that may see its dice."""
    if visible_part(table, seat, roll) != "everything":
        return None, None
    found = so_far(table.game, roll)
    if found is None:
        return None, None
    return found, outcome_result(table, roll, language=language, outcome=found)


def _touched(after: TableState, drafts: Sequence[Draft]) -> Iterator[RollState]:
    """The rolls that the events are about, each once."""
    numbers = dict.fromkeys(getattr(draft.event, "roll", None) for draft in drafts)
    return (after.rolls[number] for number in numbers if number is not None)


def _effects(
    before: TableState, after: TableState, seat: str, drafts: Sequence[Draft]
) -> Iterator[Effect]:
    """By how much each track would change; as announced where a hidden roll is to change it."""
    seen = [draft for draft in drafts if _visible(after, seat, draft)]
    if any(draft.hidden for draft in drafts):
        yield from (each for draft in seen for each in getattr(draft.event, "effects", ()))
        return
    for who, tracks in sorted(before.tracks.items()):
        then = after.tracks[who]
        for name in dict.fromkeys((*tracks, *then)):  # a track that nobody touched may be missing
            change = then.get(name, 0) - tracks.get(name, 0)
            if change:
                yield Effect(who, name, change)


def _visible(after: TableState, seat: str, draft: Draft) -> bool:
    number = getattr(draft.event, "roll", None)
    part = "everything" if number is None else visible_part(after, seat, after.rolls[number])
    return part == "everything" or (part == "declaration" and isinstance(draft.event, DECLARED))
