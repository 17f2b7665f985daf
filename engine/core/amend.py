"""A declaration is corrected, or its roll voided, and the rolls that follow it with it.

An amendment asks one question: had the declaration been right from the start, would everything that
was thrown and chosen have been possible? Only then is it allowed; otherwise: void, declare again.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from ...errors import Damaged, Refused
from ...events import roll as rolled
from ...events import ruling
from ...events.base import JSON, Effect
from ...events.codec import Event, RecordedEvent
from ...events.table import SPENT
from ...projections.automaton import ROWS, SETTLED, State
from ...projections.corrections.propagation import propagated
from ...projections.rolls import evolve, redeclared
from ...projections.rollstate import Game, RollState
from ...projections.rulings import declared_instead
from ...projections.tables import TableState, fold
from ...projections.tracks import DECLARING, settles, sheets_at
from ...rules import ruleset_named
from ...rules.ruleset import Roll, Sheet, declines
from .attempt import Attempt, CommandAt
from .commands import Amend, AnyThrow, Declare, React, Replace, RollCommand, Rule
from .declare import (
    damage_event,
    effects_taken,
    json_of,
    json_of_outcome,
    must_be_there,
    must_have,
    read_declaration,
)
from .fitting import fitting
from .guards import must_name_ruling
from .offers import describe, due, offers, price_of
from .parse import read_as
from .sources import Source
from .throws import planned, throw_in
from .visibility import involved
from .void import voided

OFFERED = frozenset(
    row.events[0] for row in ROWS if row.guard == "offered" and row.to not in SETTLED
)
"""Events that the rules must have offered, until the roll is resolved."""

SAYING = (*DECLARING, rolled.ReactionDeclared, ruling.RollAmended, ruling.RulingMade)
"""Events of what somebody declares or answers, and of what corrects it."""

TRIGGER_OF: Mapping[type, str] = {row.events[0]: row.trigger for row in ROWS}
"""The trigger behind each event."""

SETTLING = (rolled.RollResolved, rolled.DamageApplied, ruling.RollAmended)
"""Events that an amendment announces again, or that lapse with it."""


# --- replace: before the first throw --------------------------------------------------------------


def replaced(command: Replace, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The declaration settled again with other fields, as if the first had never been paid for."""
    roll, game = attempt.known_roll, attempt.table.game
    must_have(roll.roll.declaration, command.fields)
    known = said(attempt.table, roll, roll.roll.character, attempt.command_at)
    asked = known | command.fields
    wish = read_declaration(attempt.table, asked, narrator=True)
    sheet = sheet_without(attempt.table, roll)
    declaration, effects = game.ruleset.settle(roll.roll.options, wish, sheet, roll.roll.link)
    declaration = _completed(attempt.table, roll, declaration)
    must_be_there(attempt.table, declaration, besides=involved(attempt.table, roll))
    offers(
        attempt.table, replace(roll, roll=replace(roll.roll, declaration=declaration), vetoed=False)
    )
    return (ruling.DeclarationReplaced(attempt.seat, roll.number, json_of(declaration), effects),)


def sheet_without(table: TableState, roll: RollState) -> Sheet:
    """The roller's sheet as it is now, without what this roll has cost it."""
    without = replace(roll, state="voided")
    rolls = table.rolls.set(roll.number, without)
    _, tracks = propagated(table.game, table.ratings, rolls, table.timeline, without, table.tracks)
    who = roll.roll.character
    return Sheet(who, table.characters[who].attributes, tracks[who])


# --- amend ----------------------------------------------------------------------------------------


def amended(command: Amend, attempt: Attempt, source: Source) -> tuple[Event, ...]:
    """The amendment; the rolls that follow are amended too, or voided if no longer offered."""
    roll = attempt.known_roll
    must_name_ruling(roll, command.against)
    declaration = _corrected(attempt, roll, command)
    if declaration in (roll.roll.declaration, _reactions_of(roll.roll).get(command.character)):
        return ()
    declared = json_of(declaration)
    events = _amendment(attempt.table, attempt, roll, command.character, declared, source)
    return tuple(_where_they_stood(attempt, events))


def _where_they_stood(attempt: Attempt, events: Iterable[Event]) -> Iterator[Event]:
    """These events, then the damage of every amended roll that had landed and still does.

    Outcomes and damage are those of the sheets where they stood first: there they count.
    """
    after, landed = attempt.table, list[int]()
    for each in events:
        event = each
        if isinstance(event, ruling.RollAmended):
            landed += [event.roll] if attempt.table.rolls[event.roll].state == "damaged" else []
            event = replace(event, effects=_effects_then(after, event))
        after = table_after(after, event)
        yield event
    for number in landed:
        roll = after.rolls[number]
        if any(offer.trigger == "apply_damage" for offer in offers(after, roll)):
            first = next(e.seq for e in roll.trail if isinstance(e.event, rolled.DamageApplied))
            sheets = sheets_at(after.ratings, after.tracks_before(first), first)
            damage = after.game.ruleset.damage(roll.roll, sheets)
            event = damage_event(attempt.seat, number, damage)
            after = table_after(after, event)
            yield event


def _effects_then(table: TableState, event: ruling.RollAmended) -> tuple[Effect, ...]:
    """What an amended outcome costs and gives in the place of the first."""
    trail = table.rolls[event.roll].trail
    first = next((entry.seq for entry in trail if settles(entry.event)), table.size)
    return effects_taken(table, table.tracks_before(first), event.effects)


def table_after(table: TableState, *events: Event) -> TableState:
    """The table after these events, as their entries are about to be."""
    for event in events:
        table = fold(table, RecordedEvent(table.size, table.at, b"", event), ruleset_named)
    return table


def _corrected(attempt: Attempt, roll: RollState, command: Amend) -> Struct:
    """The declaration with the amended fields as the system reads them, all others kept."""
    table, game, who = attempt.table, attempt.table.game, command.character
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
    must_have(before, command.fields)
    asked, first, paid = said(table, roll, who, attempt.command_at), before, _paid(roll, who)
    if table.core >= SPENT:
        first, paid = _settled(table, roll, who, asked)
    settled, price = _settled(table, roll, who, asked | command.fields, command.fields)
    if of_roller:
        must_be_there(table, settled, besides=_there_then(table, roll))
    if price != paid:
        raise Refused(
            "history",
            f"with this declaration {who} would have paid another price",
            allowed=["void and declare again"],
        )
    then, now = asdict(first), asdict(settled)
    follow_from_it = [name for name in now if table.core >= SPENT and now[name] != then[name]]
    return replace(before, **{name: now[name] for name in (*command.fields, *follow_from_it)})


def said(table: TableState, roll: RollState, who: str, command_at: CommandAt) -> JSON:
    """What somebody declared or answered last, as JSON, without what the rules had filled in.

    In a log of before `SPENT` with it, but for what they take from the sheet alone.
    """
    last: Struct = {**_reactions_of(roll.roll), roll.roll.character: roll.roll.declaration}[who]
    taken = table.game.ruleset.settled
    found = {name: value for name, value in json_of(last).items() if name not in taken}
    if table.core < SPENT:
        return found
    named = _named(table, roll, who, command_at)
    return {name: value for name, value in found.items() if named is None or name in named}


def _named(
    table: TableState, roll: RollState, who: str, command_at: CommandAt
) -> frozenset[str] | None:
    """The fields that were named in what somebody declared or answered, and in corrections of it.

    None for all of them, where the roll that a ruling had declared again is not seen.
    """
    named: frozenset[str] | None = frozenset()
    roller = roll.roll.character
    if not roll.trail[0].first:  # a ruling had it declared again
        of = (each for each in table.rolls.values() if roll.number in declared_instead(each))
        before = next(of, None)
        named = None if before is None else _named(table, before, who, command_at)
    for entry in roll.trail:
        command: Any = (
            command_at(entry.seq) if entry.first and type(entry.event) in SAYING else None
        )
        if getattr(command, "character", roller) != who or (
            who == roller and type(command) is React
        ):
            continue  # a roller's own answer is no part of its declaration
        match command:
            case Declare(declaration=fields) | React(reaction=dict(fields)):
                named = _not_null(fields)
            case Replace(fields=fields) | Amend(fields=fields) | Rule(fields=dict(fields)):
                named = None if named is None else named - fields.keys() | _not_null(fields)
            case _:
                pass
    return named


def _not_null(fields: JSON) -> frozenset[str]:
    """The fields of a command that say something: null is what the rules are to fill in."""
    return frozenset(name for name, value in fields.items() if value is not None)


def _settled(
    table: TableState, roll: RollState, who: str, wish: JSON, amended: Iterable[str] = ()
) -> tuple[Struct, tuple[Effect, ...]]:
    """What a character declares in a roll, or answers, as its sheet was then, and the price.

    Raises Refused for an amended field that comes from the roll which this one follows. In a log of
    before `SPENT` nothing was taken from that once more.
    """
    ruleset, sheet = table.game.ruleset, _sheet_then(table, roll, who)
    if who != roll.roll.character:
        return ruleset.answer(roll.roll, read_as(wish, ruleset.Reaction), sheet)
    read = read_declaration(table, wish, narrator=True)
    settled, price = ruleset.settle(roll.roll.options, read, sheet, roll.roll.link)
    if table.core < SPENT:
        return settled, price
    completed = _completed(table, roll, settled)
    for name in amended:
        if getattr(completed, name) != getattr(settled, name):
            why = f"{name} was taken from the roll that this one follows, and stays"
            raise Refused("not-yours", why, allowed=["void and declare again"])
    return completed, price


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
    """The sheet on which a character declared, or answered, as it was before that.

    In a log of before `SPENT` everybody did so with the tracks of before the roll.
    """
    at = _declared_last(roll, who).seq
    before = at if table.core >= SPENT else roll.trail[0].seq
    return Sheet(who, table.ratings(who, at), table.tracks_before(before)[who])


def _amendment(
    table: TableState,
    attempt: Attempt,
    roll: RollState,
    character: str,
    declared: JSON,
    source: Source,
) -> tuple[Event, ...]:
    game, seat = table.game, attempt.seat
    right, needless = replayed(table, roll, character, declared, attempt.command_at)
    live = roll.roll.outcome is None
    _must_not_wait_in_vain(table, right, roll.state if live else "resolved")
    if live:
        event = ruling.RollAmended(seat, roll.number, character, declared, needless=needless)
        return (event,)
    outcome = game.ruleset.outcome(right.roll)
    event = ruling.RollAmended(
        seat,
        roll.number,
        character,
        declared,
        json_of_outcome(outcome),
        outcome.effects,
        needless,
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
            declared = json_of(_completed(after, child, child.roll.declaration))
            amendments += _amendment(after, attempt, child, child.roll.character, declared, source)
        else:
            voids += voided(table, seat, child, source)
    return (*amendments, *voids)


def _must_not_wait_in_vain(table: TableState, right: RollState, state: State) -> None:
    """Refuse where something would be due that can be done in this state no more."""
    for offer in due(offers(table, right)):
        if not any(row.trigger == offer.trigger and state in row.sources for row in ROWS):
            raise Refused(
                "history",
                f"roll {right.number} would wait for: {describe(offer)}",
                allowed=["void and declare again"],
            )


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
    parent, options = table.rolls[number].roll, roll.roll.options
    completed: Struct = table.game.ruleset.completed(options, declaration, link, parent)[0]
    return completed


# --- what happened, replayed under another declaration --------------------------------------------


def replayed(
    table: TableState, roll: RollState, character: str, declared: JSON, command_at: CommandAt
) -> tuple[RollState, tuple[int, ...]]:
    """The roll replayed with another declaration, or reaction, in place of its own.

    With it the entries that fall: what nobody would have been asked for, or allowed, and what is
    asked for no more. Raises Refused("history") at the first event that would not have been
    possible, or would have been another character's, where it would need dice never thrown, had a
    price, or is a reaction.
    """
    was, state = None, None
    right = redeclared(roll.roll, character, declared, table.game)
    fallen: list[tuple[RecordedEvent, Refused]] = []
    for entry in roll.trail:
        falls = False
        if was is not None and state is not None and type(entry.event) in OFFERED:
            shared = not entry.first  # else its commit begins with it
            command: Any = _of_shares(roll, entry.event) if shared else command_at(entry.seq)
            try:
                _must_have_been_offered(table, was, state, entry, command)
            except Refused as error:
                priced = bool(getattr(entry.event, "effects", None))
                if priced or not isinstance(entry.event, FALLING):
                    raise
                fallen.append((entry, error))
                falls = True
        was = evolve(was, entry, table.game)
        if not falls and not isinstance(entry.event, SETTLING):
            state = _evolved(state, entry, right, table.game)
    if state is None:
        raise Damaged(f"roll {roll.number} has no entries")
    _must_be_needless(table, state, fallen)
    return state, tuple(entry.seq for entry, _ in fallen)


def _of_shares(roll: RollState, event: Any) -> AnyThrow:
    """The throw that fell in the commit of its last share: what its ask planned."""
    return throw_in(planned(roll, event.proof.throw))


FALLING = (
    rolled.DiceRolled,
    rolled.DiceFrozen,
    rolled.DiceRerolled,
    rolled.DiceAdjusted,
    rolled.ChoiceMade,
)
"""Events that an amendment may let fall."""


def _must_be_needless(
    table: TableState, right: RollState, fallen: Iterable[tuple[RecordedEvent, Refused]]
) -> None:
    """Refuse what fell where the rules still ask for it: then it was wrong, and not needless."""
    asked = {(offer.trigger, offer.hand, offer.choice) for offer in offers(table, right)}
    for entry, refusal in fallen:
        event = entry.event
        trigger = TRIGGER_OF[type(event)]
        place = (trigger, getattr(event, "hand", ""), getattr(event, "choice", ""))
        if place in asked:
            raise refusal


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
    before = table_before(table, involved(table, was) | involved(table, state), entry.seq)
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


def table_before(table: TableState, about: Iterable[str], seq: int) -> TableState:
    """The table with the sheets of these characters as they were before entry `seq`."""
    characters, tracks = table.characters, table.tracks
    for who in about:
        known = table.characters[who]
        characters = characters.set(who, replace(known, attributes=known.attributes_before(seq)))
        tracks = tracks.set(who, table.timeline.before(who, seq, tracks[who]))
    return replace(table, characters=characters, tracks=tracks)
