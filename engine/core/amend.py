"""A declaration is corrected, or its roll voided, and the rolls that follow it with it.

An amendment asks one question: had the declaration been right from the start, would everything that
was thrown and chosen have been possible? Only then is it allowed; otherwise: void, declare again.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events import ruling
from ...events.base import JSON, Effect
from ...events.codec import Event, RecordedEvent
from ...projections.automaton import ROWS, SETTLED
from ...projections.rolls import evolve, redeclared
from ...projections.rollstate import Game, RollState
from ...projections.tables import TableState
from ...projections.tracks import DECLARING, Tracks, track_changes
from ...rules.ruleset import Roll, Sheet, declines
from .attempt import Attempt, CommandAt
from .commands import Amend, Replace, RollCommand
from .declare import json_of, json_of_outcome, merged, must_be_there, read_declaration
from .fitting import fitting
from .guards import must_be_unbound
from .offers import describe, due, offers, price_of
from .parse import read_as
from .sources import Source
from .visibility import involved
from .void import voided

OFFERED = frozenset(
    row.events[0] for row in ROWS if row.guard == "offered" and row.to not in SETTLED
)
"""Events that the rules must have offered, until the roll is resolved."""

SETTLING = (rolled.RollResolved, rolled.DamageApplied, ruling.RollAmended)
"""Events that an amendment announces again, or that lapse with it."""


# --- replace: before the first throw --------------------------------------------------------------


def replaced(command: Replace, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The declaration settled again with other fields, as if the first had never been paid for."""
    roll, game = attempt.known_roll, attempt.table.game
    fields = merged(attempt.table, roll.roll.declaration, command.fields)
    wish = read_declaration(attempt.table, fields, narrator=True)
    sheet = sheet_without(attempt.table, roll)
    declaration, effects = game.ruleset.settle(game.options, wish, sheet, roll.roll.link)
    declaration = _completed(attempt.table, roll, declaration)
    must_be_there(attempt.table, declaration, besides=involved(attempt.table, roll))
    offers(
        attempt.table, replace(roll, roll=replace(roll.roll, declaration=declaration), vetoed=False)
    )
    return (ruling.DeclarationReplaced(attempt.seat, roll.number, json_of(declaration), effects),)


def sheet_without(table: TableState, roll: RollState) -> Sheet:
    """The roller's sheet as it is now, without what this roll has cost it."""
    rolls = table.rolls.set(roll.number, replace(roll, state="voided"))
    who, tracks = roll.roll.character, table.tracks
    for change in track_changes(table.game, table.ratings, table.sheets, rolls):
        tracks = change.after
    return Sheet(who, table.characters[who].attributes, tracks[who])


# --- amend ----------------------------------------------------------------------------------------


def amended(command: Amend, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The amendment; the rolls that follow are amended too, or voided if no longer offered."""
    roll = attempt.known_roll
    declaration = _corrected(attempt.table, roll, command)
    if declaration in (roll.roll.declaration, _reactions_of(roll.roll).get(command.character)):
        return ()
    declared = json_of(declaration)
    return _amendment(attempt.table, attempt, roll, command.character, declared, source)


def _corrected(table: TableState, roll: RollState, command: Amend) -> Struct:
    """The declaration with the amended fields as the system reads them, all others kept."""
    game, who = table.game, command.character
    of_roller = who == roll.roll.character
    reactions = _reactions_of(roll.roll)
    before: Struct | None = roll.roll.declaration if of_roller else reactions.get(who)
    if before is None:
        raise Refused(
            "unknown",
            f"{who!r} declared nothing in roll {roll.number}",
            allowed=[roll.roll.character, *reactions],
        )
    taken = [name for name in command.fields if name in game.ruleset.settled]
    if taken:
        raise Refused(
            "not-yours",
            f"{taken[0]} was taken from the sheet and stays",
            allowed=["void and declare again"],
        )
    wish = merged(table, before, command.fields)
    sheet = _sheet_then(table, roll, who)
    if of_roller:
        read = read_declaration(table, wish, narrator=True)
        settled, price = game.ruleset.settle(game.options, read, sheet, roll.roll.link)
        must_be_there(table, settled, besides=_there_then(table, roll))
    else:
        read = read_as(wish, game.ruleset.Reaction)
        settled, price = game.ruleset.answer(roll.roll, read, sheet)
    if price != _paid(roll, who):
        raise Refused(
            "history",
            f"with this declaration {who} would have paid another price",
            allowed=["void and declare again"],
        )
    changes = {name: getattr(settled, name) for name in command.fields}
    return replace(before, **changes)


def _reactions_of(roll: Roll) -> dict[str, Struct]:
    """The last reaction of every character that did not decline."""
    return {who: reaction for who, reaction in roll.reactions if not declines(reaction)}


def _paid(roll: RollState, who: str) -> tuple[Effect, ...]:
    """What a character paid for what it declared last in a roll."""
    effects: tuple[Effect, ...] = getattr(_declared_last(roll, who).event, "effects", ())
    return effects


def _declared_last(roll: RollState, who: str) -> RecordedEvent:
    """The last entry of a roll in which this character declared something, or reacted."""
    kinds = DECLARING if who == roll.roll.character else (rolled.ReactionDeclared,)
    return next(
        entry
        for entry in reversed(roll.trail)
        if isinstance(entry.event, kinds) and getattr(entry.event, "character", who) == who
    )


def _sheet_then(table: TableState, roll: RollState, who: str) -> Sheet:
    """The sheet on which a character declared: its tracks before the roll, its ratings then."""
    tracks = tracks_before(table, roll.trail[0].seq)[who]
    return Sheet(who, table.ratings(who, _declared_last(roll, who).seq), tracks)


def _amendment(
    table: TableState,
    attempt: Attempt,
    roll: RollState,
    character: str,
    declared: JSON,
    source: Source,
) -> tuple[Event, ...]:
    must_be_unbound(roll)
    game, seat = table.game, attempt.seat
    right = replayed(table, roll, character, declared, attempt.command_at)
    if roll.roll.outcome is None:
        return (ruling.RollAmended(seat, roll.number, character, declared),)
    waiting = due(offers(table, right))
    if waiting:
        raise Refused(
            "history",
            f"roll {roll.number} would wait for: {describe(waiting[0])}",
            allowed=["void and declare again"],
        )
    outcome = game.ruleset.outcome(right.roll)
    event = ruling.RollAmended(
        seat,
        roll.number,
        character,
        declared,
        json_of_outcome(outcome),
        outcome.effects,
    )
    parent = replace(right.roll, outcome=outcome)
    voids: tuple[Event, ...] = ()
    amendments: tuple[Event, ...] = (event,)
    still_offered = {
        (offer.character, offer.link)
        for offer in game.ruleset.offers(parent, table.sheet)
        if offer.trigger == "declare"
    }
    after = replace(table, rolls=table.rolls.set(roll.number, replace(right, roll=parent)))
    for child in table.followers(roll.number):
        if (child.roll.character, child.roll.link) in still_offered:
            completed, _ = game.ruleset.follow(child.roll.declaration, str(child.roll.link), parent)
            amendments += _amendment(
                after, attempt, child, child.roll.character, json_of(completed), source
            )
        else:
            voids += voided(table, seat, child, source)
    return (*amendments, *voids)


def _there_then(table: TableState, roll: RollState) -> frozenset[str]:
    """Those whom a correction may name: once a roll is settled, those who were there before it.

    In a roll that goes on a character that was taken away since could be waited for in vain.
    """
    if roll.state not in SETTLED:
        return involved(table, roll)
    first = roll.trail[0].seq
    return frozenset(
        id
        for id, known in table.characters.items()
        if known.removed is None or known.removed > first
    )


def _completed(table: TableState, roll: RollState, declaration: Struct) -> Struct:
    if roll.follows is None:
        return declaration
    number, link = roll.follows
    completed: Struct
    completed, _ = table.game.ruleset.follow(declaration, link, table.rolls[number].roll)
    return completed


# --- what happened, replayed under another declaration --------------------------------------------


def replayed(
    table: TableState, roll: RollState, character: str, declared: JSON, command_at: CommandAt
) -> RollState:
    """The roll replayed with another declaration, or reaction, in place of its own.

    Raises Refused("history") at the first event that would not have been possible, or would have
    been another character's.
    """
    was, state = None, None
    right = redeclared(roll.roll, character, declared, table.game)
    for entry in roll.trail:
        if isinstance(entry.event, SETTLING):
            continue
        if was is not None and state is not None and type(entry.event) in OFFERED:
            command: Any = command_at(entry.seq)
            _must_have_been_offered(table, was, state, entry, command)
        was = _evolved(was, entry, roll.roll, table.game)
        state = _evolved(state, entry, right, table.game)
    if state is None:
        raise Damaged(f"roll {roll.number} has no entries")
    return state


def _evolved(state: RollState | None, entry: RecordedEvent, right: Roll, game: Game) -> RollState:
    """The roll after one more entry, its declaration and reactions those of `right`."""
    event = entry.event
    if isinstance(event, rolled.ReactionDeclared):
        _, reaction = right.reactions[0 if state is None else len(state.roll.reactions)]
        event = replace(event, reaction=None if reaction is None else json_of(reaction))
    after = evolve(state, replace(entry, event=event), game)
    return replace(after, roll=replace(after.roll, declaration=right.declaration))


def _must_have_been_offered(
    table: TableState,
    was: RollState,
    state: RollState,
    entry: RecordedEvent,
    command: RollCommand,
) -> None:
    """Refuse unless `state` offers what was asked, to the character that `was` offered it."""
    event = entry.event
    before = table_before(table, entry.seq)
    try:
        offer = fitting(offers(before, state), command, state)
        theirs = fitting(offers(before, was), command, was).character
        if offer.character != theirs:
            now, then = table.name_of(offer.character), table.name_of(theirs)
            raise Refused("history", f"it would be {now}'s to do, not {then}'s")
        if isinstance(event, rolled.DiceRerolled):
            dice = len({item.die for item in event.dice})
            if event.effects != price_of(offer, dice):
                raise Refused("history", "these dice would have had another price")
        if isinstance(event, rolled.DiceRolled):
            kinds = offer.dice if event.option is None else offer.dice[: event.option]
            thrown = tuple({item.die: item.kind for item in event.dice}.values())
            if thrown != kinds:
                raise Refused("history", f"{offer.hand} would throw {len(kinds)} other dice")
    except Refused as error:
        raise Refused(
            "history",
            f"with this declaration entry {entry.seq} would not have been possible: {error.why}",
            allowed=["void and declare again"],
        ) from error


def table_before(table: TableState, seq: int) -> TableState:
    """The table with every sheet as it was before entry `seq`."""
    changed = {
        id: replace(known, attributes=known.attributes_before(seq))
        for id, known in table.characters.items()
        if known.replaced
    }
    characters = table.characters.update(changed)
    return replace(table, characters=characters, tracks=tracks_before(table, seq))


def tracks_before(table: TableState, seq: int) -> Tracks:
    """Every character's tracks as they were before entry `seq`."""
    changes = track_changes(table.game, table.ratings, table.sheets, table.rolls)
    return next((change.before for change in changes if change.seq >= seq), table.tracks)
