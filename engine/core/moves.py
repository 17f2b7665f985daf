"""What a seat may do now in a roll, what not, and why; and what a table waits for it to do."""

from collections.abc import Collection, Iterable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from ...errors import Refused
from ...projections.automaton import LIVE, TRIGGERS, State, Trigger
from ...projections.corrections.annotations import stale_texts
from ...projections.disputes import under_dispute
from ...projections.levels import level_next
from ...projections.rollstate import Ask, RollState
from ...projections.rulings import open_disputes
from ...projections.tables import TableState
from ...rules.ruleset import Offer
from ...rules.words import ENGLISH
from .attempt import Attempt, here, roll_of, seat_of
from .commands import RollCommand
from .guards import (
    BEFORE_DICE,
    UNSEEN,
    ask_unseen,
    throws_dice,
    typed_throws,
    visible_offers,
)
from .labels import Labels, in_words, labels
from .machine import ask, triggers_of
from .offers import due, offers
from .step import STEPS, next_step
from .view import view_of
from .visibility import visible_part

THROWS: tuple[Trigger, ...] = ("roll", "reroll")
"""The triggers that throw dice."""

WITH_DICE: tuple[Trigger, ...] = ("freeze", "reroll", "adjust")
"""What may be done with the dice on the table, in the order of a roll."""


class Move(Struct, frozen=True):
    """One trigger of a roll for one seat, now.

    A `legal` one has the `offers` that the seat may take up, where the rules offer it; `words` says
    each of them as people would, and `labels` what they call what it names, where a language was
    asked for. Any other has the refusal: its stable `code`, `why` in a sentence, and `allowed`,
    what would do instead; `left_out` is how many more there are.
    """

    trigger: Trigger
    legal: bool
    offers: tuple[Offer, ...] = ()
    code: str | None = None
    why: str | None = None
    allowed: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    labels: tuple[Labels, ...] = ()
    left_out: int = 0


class RollMoves(Struct, frozen=True, tag="moves", tag_field="type"):
    """Every legal move of one seat in one roll; roll None, in state `new`: a roll to declare.

    The state is None where the roll is hidden from the seat, which may act about its shares.
    `hangs` says, in sentences, what the roll took from rolls that were voided or amended since.
    `disputed` are the rolls under dispute that it depends on: itself, and those that it follows.
    `step` is the offer that the seat takes up next, where nobody has anything to decide.
    """

    roll: int | None
    state: State | None
    moves: tuple[Move, ...]
    hangs: tuple[str, ...] = ()
    disputed: tuple[int, ...] = ()
    step: Offer | None = None


class Awaiting(Struct, frozen=True, tag="awaiting", tag_field="type"):
    """Something that a table waits for one seat to do.

    `trigger` is what, in which `roll`, for which `character` ("" where it is for none). `about` is
    the entry of the dispute to rule on, or the throw to confirm or open a share for. `why` says it
    in a sentence. `disputed` are the rolls under dispute that this one depends on. `also` is what
    may be done before the roll is resolved, `choice` what is to be chosen, in words. `since` is the
    time of the roll's last entry, or of the ask for shares, in milliseconds since 1970.
    """

    roll: int
    trigger: Trigger
    character: str
    why: str
    about: int | None = None
    disputed: tuple[int, ...] = ()
    also: tuple[Trigger, ...] = ()
    choice: str = ""
    since: int = 0


class Awaited(Struct, frozen=True, tag="awaited", tag_field="type"):
    """Somebody whom a table waits for, as far as another seat may know: a seat, where, what for.

    `until` is when the others may go on without it, in milliseconds since 1970; None for never.
    `also`, `choice` and `since` are as of Awaiting.
    """

    seat: str
    roll: int
    trigger: Trigger
    until: int | None = None
    also: tuple[Trigger, ...] = ()
    choice: str = ""
    since: int = 0


# --- moves ----------------------------------------------------------------------------------------


def moves(table: TableState, seat: str, number: int, *, now: int | None = None) -> tuple[Move, ...]:
    """Every trigger of roll `number` for this seat, in the order of the table of transitions.

    The seat's own view of the table decides: what is hidden from it makes no difference.

    `declare` is a roll that follows this one. `now` is the time in milliseconds since 1970, or the
    latest entry's: some moves wait for it. Raises Refused("unknown") for a seat or a roll that is
    not there.
    """
    seat_of(table, seat)
    table = view_of(table, seat)
    if table.withheld and number > 0 and number not in table.rolls:
        return tuple(_unseen(table, seat, number, trigger, now) for trigger in TRIGGERS)
    roll = roll_of(table, number, seat)
    known = {move.trigger: move for move in _known(table, seat, roll, now)}
    legal = [move for move in known.values() if move.legal]
    instead = [move.trigger for move in sorted(legal, key=lambda move: not move.offers)]
    return tuple(
        known[trigger] if trigger in known else _move(table, seat, roll, trigger, now, instead)
        for trigger in TRIGGERS
    )


def legal_moves(
    table: TableState,
    seat: str,
    *,
    now: int | None = None,
    rolls: Collection[int] | None = None,
) -> tuple[RollMoves, ...]:
    """Every legal move of this seat: a new roll of each of its characters, then roll by roll.

    With `rolls` these alone are looked at. Rolls in which the seat may do nothing are left out.
    Raises Refused("unknown") for a seat that is not there.
    """
    seat_of(table, seat)
    table = view_of(table, seat)
    own = [who.id for _, who in sorted(table.characters.items()) if who.here and who.seat == seat]
    fresh = tuple(Offer(trigger="declare", character=who) for who in own)
    some = table.some_rolls(rolls)
    sentences = stale_texts(table, None if rolls is None else some)
    found = [RollMoves(None, "new", (Move("declare", legal=True, offers=fresh),))] if own else []
    for roll in some:
        legal, stale = _legal(table, seat, roll, now), sentences.get(roll.number, ())
        disputed, step = under_dispute(table, roll), _step(table, seat, roll, legal)
        found.append(RollMoves(roll.number, roll.state, legal, stale, disputed, step))
    for number in _unseen_numbers(table):
        moves_there = (_unseen(table, seat, number, trigger, now) for trigger in UNSEEN)
        found.append(RollMoves(number, None, tuple(move for move in moves_there if move.legal)))
    return tuple(of for of in found if of.moves)


def legal_in(
    table: TableState, seat: str, number: int, *, now: int | None = None
) -> tuple[Move, ...]:
    """The legal moves of this seat in one roll that it sees, none where it sees no such roll.

    Raises Refused("unknown") for a seat that is not there.
    """
    seat_of(table, seat)
    table = view_of(table, seat)
    roll = table.rolls.get(number)
    return () if roll is None else _legal(table, seat, roll, now)


def _legal(table: TableState, seat: str, roll: RollState, now: int | None) -> tuple[Move, ...]:
    return tuple(move for move in _known(table, seat, roll, now) if move.legal)


def _step(table: TableState, seat: str, roll: RollState, legal: Iterable[Move]) -> Offer | None:
    """The next step of a roll, where this seat may do something like it."""
    may = any(move.trigger in (*STEPS, "ask") for move in legal)
    return next_step(table, seat, roll) if may else None


def _unseen_numbers(table: TableState) -> tuple[int, ...]:
    """The roll that is hidden from this view, and whose throw waits for shares, if there is one."""
    ask = table.ask
    return () if ask is None or ask.roll in table.rolls else (ask.roll,)


def _unseen(table: TableState, seat: str, number: int, trigger: Trigger, now: int | None) -> Move:
    """What a seat may do in a roll that is hidden from it."""
    try:
        ask_unseen(Attempt(table, seat, RollCommand(number), None, trigger, now=now))
    except Refused as error:
        return _refused(trigger, error)
    return Move(trigger, legal=True)


def _refused(trigger: Trigger, error: Refused) -> Move:
    return Move(
        trigger,
        legal=False,
        code=error.code,
        why=error.why,
        allowed=error.allowed,
        left_out=error.left_out,
    )


def _known(table: TableState, seat: str, roll: RollState, now: int | None) -> Iterator[Move]:
    """The moves that the roll's state knows."""
    for trigger in ("declare", *triggers_of(roll.state)):
        yield _move(table, seat, roll, trigger, now)


def _move(
    table: TableState,
    seat: str,
    roll: RollState,
    trigger: Trigger,
    now: int | None,
    legal: Iterable[str] = (),
) -> Move:
    try:
        found = _possible(table, seat, roll, trigger, now, legal)
    except Refused as error:
        return _refused(trigger, error)
    return Move(trigger, legal=True, offers=found)


def _possible(
    table: TableState,
    seat: str,
    roll: RollState,
    trigger: Trigger,
    now: int | None,
    legal: Iterable[str] = (),
) -> tuple[Offer, ...]:
    """The offers behind a trigger. Raises Refused where the seat may not fire it."""
    attempt = Attempt(table, seat, RollCommand(roll.number), roll, trigger, now=now)
    ask(attempt, legal)
    return attempt.offers


def in_language(
    table: TableState, moves: Iterable[Move], language: str = ENGLISH
) -> tuple[Move, ...]:
    """These moves, each with its offers in the words of a language, or else in English."""
    return tuple(
        replace(
            move,
            words=tuple(in_words(table, offer, language=language) for offer in move.offers),
            labels=tuple(labels(table, offer, language=language) for offer in move.offers),
        )
        for move in moves
    )


# --- what waits -----------------------------------------------------------------------------------


def awaiting(
    table: TableState, seat: str, *, now: int | None = None, language: str = ENGLISH
) -> tuple[Awaiting, ...]:
    """What the table waits for this seat to do, by roll: as far as the seat may know.

    Each is a legal move of the seat's: what is due of its characters, an end to a roll in which
    nothing is due, a share that it was asked for, a throw to break off, a dispute to rule on, a
    vetoed declaration to replace, a roll to reveal that cannot go on before, faces typed in a roll
    that goes on. For a hidden roll that has ended nobody waits. What is due is said in a language,
    or else in English. Raises Refused("unknown") for a seat that is not there.
    """
    seat_of(table, seat)
    table = view_of(table, seat)
    if table.ask is not None:
        return tuple(_shares(table, table.ask, seat, now))
    return tuple(
        replace(each, disputed=under_dispute(table, roll), since=roll.trail[-1].at)
        for roll in table.open_rolls()
        for each in _awaiting(table, seat, roll, now, language)
    )


def _awaiting(
    table: TableState, seat: str, roll: RollState, now: int | None, language: str
) -> Iterator[Awaiting]:
    wanted = frozenset(_wanted(table, seat, roll))
    known = ("declare", *triggers_of(roll.state))
    tried = (_move(table, seat, roll, each, now) for each in known if each in wanted)
    legal: dict[Trigger, Move] = {move.trigger: move for move in tried if move.legal}
    if roll.state in LIVE:
        yield from _to_go_on(table, seat, roll, legal, language)
    yield from _ruled(seat, roll, legal)
    if "apply_damage" in legal:
        who = legal["apply_damage"].offers[0].character
        yield Awaiting(roll.number, "apply_damage", who, "its damage is not applied")
    if "reveal" in legal and _in_the_dark(table, roll):
        yield Awaiting(roll.number, "reveal", "", "who is to go on does not see it")


def _wanted(table: TableState, seat: str, roll: RollState) -> Iterator[Trigger]:
    """What somebody can be waited for to do with a roll: of all that it knows these are few."""
    if roll.state in LIVE:
        for offer in visible_offers(table, seat, roll):
            yield offer.trigger
        if roll.outstanding is not None:
            yield "ask"
        if roll.vetoed:
            yield "replace"
        if roll.hidden:
            yield "reveal"
        if typed_throws(roll):
            yield "confirm"
    elif roll.state == "resolved":
        yield "apply_damage"
    if open_disputes(roll):
        yield "rule"


def _ruled(seat: str, roll: RollState, legal: dict[Trigger, Move]) -> Iterator[Awaiting]:
    """What waits for somebody's word."""
    number = roll.number
    if "replace" in legal and roll.vetoed:
        yield Awaiting(number, "replace", roll.roll.character, "the declaration was vetoed")
    if "rule" in legal:
        for seq in open_disputes(roll):
            yield Awaiting(number, "rule", "", f"entry {seq} disputes it", seq)
    if "confirm" in legal and roll.state in LIVE:
        for throw, seats in typed_throws(roll).items():
            if len(seats) == 1 and seat not in seats:
                why = f"seat {seats[0]!r} typed the faces of throw {throw}"
                yield Awaiting(number, "confirm", "", why, throw)


def _to_go_on(
    table: TableState,
    seat: str,
    roll: RollState,
    legal: dict[Trigger, Move],
    language: str,
) -> Iterator[Awaiting]:
    """What is due, or where nothing is, the end of the roll."""
    offered = [offer for move in legal.values() for offer in move.offers]
    for offer in due(offered):
        trigger: Trigger = offer.trigger
        if trigger in THROWS and "ask" in legal and throws_dice(offer):
            trigger = "ask"
        name = "a narrator" if offer.narrator else table.name_of(offer.character)
        why = f"due of {name}: {in_words(table, offer, language=language)}"
        if trigger == "roll" and visible_part(table, seat, roll) == "declaration":
            why += " (a blind roll does not show whether it was thrown)"
        choice = _choice(table, offer, language)
        yield Awaiting(roll.number, trigger, offer.character, why, choice=choice)
    for offer in legal["resolve"].offers if "resolve" in legal else ():
        # A narrator may resolve for anybody, and is waited for where the owner cannot.
        if offer.narrator or _able(table, roll, offer) in (seat, ""):
            also = _also(offered, offer)
            why = "nothing is due before it is resolved"
            why += f": {', '.join(also)} or resolve" if also else ""
            yield Awaiting(roll.number, "resolve", offer.character, why, also=also)


def _also(offered: Iterable[Offer], end: Offer) -> tuple[Trigger, ...]:
    """What may still be done with the dice of who may end the roll."""
    own = {each.trigger for each in offered if each.character == end.character}
    return tuple(trigger for trigger in WITH_DICE if trigger in own)


def _choice(table: TableState, offer: Offer, language: str) -> str:
    """What is to be chosen, in words; "" where an offer adjusts dice."""
    chosen = offer.trigger == "adjust" and offer.choice
    return labels(table, offer, language=language).choice if chosen else ""


def _able(table: TableState, roll: RollState, offer: Offer) -> str:
    """The seat that the offer is to; "" where nobody is there, or it does not see enough."""
    owners = [table.characters[offer.character].seat]
    if offer.narrator:
        owners = [each.id for each in table.seats.values() if each.role == "narrator"]
    for owner in owners:
        part = visible_part(table, owner, roll)
        sees = part == "everything" or (part == "declaration" and offer.trigger in BEFORE_DICE)
        if sees and here(table, owner):
            return owner
    return ""


def _in_the_dark(table: TableState, roll: RollState) -> bool:
    """Whether what is due can be done by nobody before the roll is revealed."""
    waiting = due(offers(table, roll)) if roll.state in LIVE else ()
    return bool(waiting) and not any(_able(table, roll, offer) for offer in waiting)


def _shares(table: TableState, ask: Ask, seat: str, now: int | None) -> Iterator[Awaiting]:
    """What a throw that waits for shares waits for this seat to do; nothing else may happen."""
    number, throw = ask.roll, ask.throw
    roll = table.rolls.get(number)
    disputed = () if roll is None else under_dispute(table, roll)
    if seat in ask.waiting:
        why = f"seat {ask.seat!r} asks for a share for throw {throw}"
        yield Awaiting(number, "open_share", "", why, throw, disputed, since=ask.at)
    breaks = seat == ask.seat or table.seats[seat].role == "narrator"
    if breaks and now is not None and now >= ask.until:
        silent = ", ".join(map(repr, ask.waiting))
        why = f"throw {throw} waits for a share of seat {silent}"
        yield Awaiting(number, "break_throw", "", why, throw, disputed, since=ask.at)


# --- who else is waited for -----------------------------------------------------------------------


def awaited(table: TableState, seat: str, *, language: str = ENGLISH) -> tuple[Awaited, ...]:
    """Whom the table waits for beside this seat, by roll: as far as its view of the table shows.

    They are: who is to do what is due in a roll, or to end one in which nothing is; while a throw
    waits for shares, who was asked for one and opened none. Each is there once for a roll and a
    trigger. Of a roll that the seat sees no dice of, nobody is named who is to throw: it does not
    show whether that was done. Nobody is named who left. Raises Refused("unknown") for a seat that
    is not there.
    """
    seat_of(table, seat)
    table = view_of(table, seat)
    found: dict[Awaited, None] = {}
    ask = table.ask
    if ask is not None:
        shares = partial(
            Awaited, roll=ask.roll, trigger="open_share", until=ask.until, since=ask.at
        )
        silent = map(shares, ask.waiting)
        return tuple(each for each in silent if each.seat != seat)
    for roll in table.open_rolls():
        if roll.state in LIVE:
            found |= dict.fromkeys(_of_others(table, seat, roll, language))
    others = (each for each in found if each.seat != seat and here(table, each.seat))
    return tuple(sorted(others, key=lambda each: each.roll))


def _of_others(table: TableState, seat: str, roll: RollState, language: str) -> Iterator[Awaited]:
    """Who is to do what is due, or to end the roll."""
    offered = visible_offers(table, seat, roll)
    sees = visible_part(table, seat, roll) == "everything"
    for offer in due(offered) or [each for each in offered if each.trigger == "resolve"]:
        throws = offer.trigger in THROWS
        if not sees and throws:
            continue
        for who in _takers(table, roll, offer):
            asks = throws and roll.outstanding is not None and throws_dice(offer)
            asks = asks and level_next(table, who, roll) == "table"
            also = _also(offered, offer) if offer.trigger == "resolve" else ()
            choice = _choice(table, offer, language)
            trigger: Trigger = "ask" if asks else offer.trigger
            since = roll.trail[-1].at
            yield Awaited(who, roll.number, trigger, also=also, choice=choice, since=since)


def _takers(table: TableState, roll: RollState, offer: Offer) -> tuple[str, ...]:
    """The seats that an offer is to; a roll that its owner cannot end is a narrator's to end."""
    owner = "" if offer.narrator else _able(table, roll, offer)
    if owner:
        return (owner,)
    if offer.narrator or offer.trigger == "resolve":
        return tuple(id for id, each in sorted(table.seats.items()) if each.role == "narrator")
    return ()
