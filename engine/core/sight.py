"""The sight of a seat: the table as one seat may see it, as a structure that may be sent to it.

It is the only state that a server may send. It is made of the seat's view (`view_of`) alone: what
the seat may not see is not in the view, so it cannot be in here.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins

from ...events import ruling
from ...events.base import Effect, Level, Role, Visibility
from ...events.ruling import Ruling
from ...projections.account import Mark, marks_of
from ...projections.automaton import State
from ...projections.corrections.annotations import stale_text
from ...projections.corrections.changes import changes_of
from ...projections.corrections.stale import Stale, stale, stale_by_roll
from ...projections.disputes import under_dispute
from ...projections.levels import level_next
from ...projections.lexicon import Lexicon
from ...projections.rollstate import Ask, RollState
from ...projections.tables import TableState
from ...rules.ruleset import Damage, Die, Hand, Outcome, Roll, Want, declines
from ...rules.words import ENGLISH
from .attempt import roll_of, seat_of
from .view import view_of
from .visibility import visible_part

Seen: TypeAlias = Literal["declaration", "everything"]
"""How much of a roll the seat may see; of a blind one its participants see the declaration."""


class SeatSight(Struct, frozen=True, gc=False):
    """A seat: its id, its name (its id where it has none), its role, whether it was not left.

    `anchor` is its chain of shares, x_0 in 64 hex digits, of which `asks` throws asked for a link;
    `key` the public key in base64 that signs its commands.
    """

    id: str
    name: str
    role: Role
    here: bool
    anchor: str | None = None
    asks: int = 0
    key: str | None = None


class CharacterSight(Struct, frozen=True, gc=False):
    """A character: its id, its name, the seat that acts for it, ratings and tracks by name.

    One that is not `here` was taken away.
    """

    id: str
    name: str
    seat: str
    attributes: Mapping[str, int | float]
    tracks: Mapping[str, int]
    here: bool = True


class TrackSight(Struct, frozen=True, gc=False):
    """What people call a track, and its bounds; without `most` it has no upper one."""

    label: str
    least: int
    most: int | None


class TextSight(Struct, frozen=True, gc=False):
    """A text: its entry, the seat that wrote it, what it is about, its roll, the words.

    `about` is `table`, `seat:ID` or `character:ID` for a name, `entry:SEQ` for a label, a reason or
    a note.
    """

    seq: int
    by: str
    about: str
    roll: int | None
    text: str


class EffectSight(Struct, frozen=True, gc=False, omit_defaults=True):
    """A change of a character's track: `delta` as spent or gained, or `to` where it was set."""

    character: str
    track: str
    delta: int
    to: int | None = None


class OutcomeSight(Struct, frozen=True, gc=False, kw_only=True):
    """An outcome as announced; `head` and `text` are its degree and what came out, in words."""

    degree: str
    margin: int
    head: str
    text: str
    figures: Mapping[str, Any]
    readings: tuple[str, ...]
    effects: tuple[EffectSight, ...]


class DamageSight(Struct, frozen=True, gc=False, kw_only=True):
    """Damage as announced; `head` and `text` are its target's name and its amount in words."""

    target: str
    amount: int
    head: str
    text: str
    figures: Mapping[str, Any]
    readings: tuple[str, ...]
    effects: tuple[EffectSight, ...]


class HandSight(Struct, frozen=True, gc=False, kw_only=True):
    """A hand: its name in commands, its label, and the rest as `urim.rules.ruleset.Hand` has it.

    `wants` are the faces that the roll wants of it, with the dice that show them.
    """

    name: str
    label: str
    character: str
    dice: tuple[Die, ...]
    rerolls: int
    means: tuple[str, ...]
    taken: bool
    wants: tuple[Want, ...]


class ReactionSight(Struct, frozen=True, gc=False):
    """An answer to a declaration, as it was settled; None or `declined` where it was declined."""

    character: str
    reaction: dict[str, Any] | None
    declined: bool


class DisputeSight(Struct, frozen=True, gc=False):
    """A dispute: its entry, the seat that raised it, the ruling; `ruling` None: none was made.

    `ruled` is the entry of the ruling, which a later void or amendment names; `instead` the roll
    that was declared again in place of this one.
    """

    seq: int
    by: str
    ruling: Ruling | None
    ruled: int | None = None
    instead: int | None = None


class HangingSight(Struct, frozen=True, gc=False):
    """What a roll took from rolls that were voided or amended since: see `Stale`.

    `seq` is the entry in which `character` took it; `what` a field of a declaration, a track, a
    fate, or `follows`; `had` what it was, and `now` what it would be; `sources` the rolls; `text`
    says all that.
    """

    seq: int
    character: str
    what: str
    had: Any
    now: Any
    sources: tuple[int, ...]
    text: str


class CommitmentSight(Struct, frozen=True, gc=False):
    """The commitment that waits for a throw: number of the throw, commitment, its entry."""

    throw: int
    commit: str
    seq: int


class AskSight(Struct, frozen=True, gc=False, kw_only=True):
    """The throw that a table waits for, whose roller, on `seat`, asked for shares by entry `seq`.

    `asked` are (seat, which link of its chain it opens); those `waiting` opened none yet. `left`
    have an anchor, and were left out. It answers the commitment of entry `committed`. From `until`
    on anybody may break it off; `at` and `until` are in milliseconds since 1970.
    """

    roll: int
    throw: int
    seat: str
    seq: int
    at: int
    committed: int
    asked: tuple[tuple[str, int], ...]
    waiting: tuple[str, ...]
    left: tuple[str, ...]
    until: int


class RollSight(Struct, frozen=True, gc=False, kw_only=True):
    """A roll as far as the seat may see it, and not further than `seen` says.

    `seat` declared it by entry `seq` at `at`, in milliseconds since 1970, for `character`.
    `hidden`: some seats may not see all of it. `follows` is the roll that it follows and by which
    link, `followers` those that follow it and were not voided. `declaration` is as it was settled;
    `choices` are by their names, the final ones. `disputed` are the rolls under dispute that it
    depends on: itself, and those that it follows. `commitment` is what the next throw answers,
    None where there is none. `level` is the one that the declaration named; `next_level` that of
    the next throw, if the seat that sees this makes it.
    """

    roll: int
    seq: int
    at: int
    seat: str
    character: str
    state: State
    seen: Seen
    visibility: Visibility
    hidden: bool
    level: Level | None
    next_level: Level
    marks: tuple[Mark, ...]
    follows: tuple[int, str] | None
    followers: tuple[int, ...]
    declaration: dict[str, Any]
    reactions: tuple[ReactionSight, ...]
    choices: Mapping[str, str]
    hands: tuple[HandSight, ...]
    outcome: OutcomeSight | None
    damage: DamageSight | None
    disputes: tuple[DisputeSight, ...]
    hangs: tuple[HangingSight, ...]
    disputed: tuple[int, ...]
    commitment: CommitmentSight | None


class Sight(Struct, frozen=True, kw_only=True, tag="sight", tag_field="type"):
    """A table as one seat may see it, when its log had `size` entries; `at` is the last one's time.

    `name` is what people call the table, empty where nobody named it. `seat` is the one that sees
    it; times are milliseconds since 1970. `system` and `version` are its rules', `options` the
    readings in force and the system's data, `readings` those readings in words, as clauses. `dice`
    is their source, `level` who adds entropy where a roll does not say. `tracks` and `kinds` (of
    dice) are by name, what people call them. Seats and characters are by id, rolls by number, texts
    by entry. `ask` is the throw that waits for shares, which may be of a roll that is hidden from
    the seat; `kept_back` are the seats that kept a share back and did nothing since. At a table of
    `one_machine` one program plays every seat. Words are in `language`, or else in English.
    """

    table: str
    name: str
    seat: str
    language: str
    size: int
    at: int
    epoch: int
    system: str
    version: int
    dice: str
    level: Level
    one_machine: bool
    settings: Mapping[str, Any]
    options: dict[str, Any]
    readings: Mapping[str, str]
    tracks: Mapping[str, TrackSight]
    kinds: Mapping[str, str]
    seats: tuple[SeatSight, ...]
    characters: tuple[CharacterSight, ...]
    rolls: tuple[RollSight, ...]
    ask: AskSight | None
    kept_back: tuple[str, ...]
    texts: tuple[TextSight, ...]


# --- a table --------------------------------------------------------------------------------------


def sight(
    table: TableState, seat: str, *, language: str = ENGLISH, rolls: Collection[int] | None = None
) -> Sight:
    """The sight of a seat. Raises Refused("unknown") for a seat that is not there.

    With `rolls` these alone are in it, and no texts: it costs what they do, at any table.
    """
    seat_of(table, seat)
    view = view_of(table, seat)
    lexicon = Lexicon(view, language)
    game, some = view.game, view.some_rolls(rolls)
    found = stale_by_roll(view, None if rolls is None else some)
    tracks = {
        name: TrackSight(lexicon.of("track", name), track.least, track.most)
        for name, track in game.tracks.items()
    }
    return Sight(
        table=view.id,
        name=view.name,
        seat=seat,
        language=language,
        size=view.size,
        at=view.at,
        epoch=view.epoch,
        system=game.ruleset.name,
        version=game.ruleset.version,
        dice=view.source,
        level=view.level,
        one_machine=view.one_machine,
        settings=dict(sorted(view.settings.items())),
        options=to_builtins(game.options),
        readings=dict(_readings(lexicon)),
        tracks=tracks,
        kinds={kind: lexicon.of("kind", kind) for kind in game.faces},
        seats=tuple(_seats(view)),
        characters=tuple(_characters(view)),
        rolls=tuple(
            _roll(lexicon, roll, _seen(view, seat, roll), found.get(roll.number, ()), seat)
            for roll in some
        ),
        ask=None if view.ask is None else _ask(view.ask),
        kept_back=tuple(sorted(view.kept_back)),
        texts=tuple(_texts(view)) if rolls is None else (),
    )


def _readings(lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    """What the table reads, by the readings that have words."""
    for name in lexicon.rules.Options.__struct_fields__:
        if lexicon.reads(name):
            yield name, lexicon.reading(name)


def _seats(view: TableState) -> Iterator[SeatSight]:
    for id, seat in sorted(view.seats.items()):
        anchor = seat.anchor
        first, asks = (anchor.first, anchor.asks) if anchor else (None, 0)
        yield SeatSight(id, view.name_of(id), seat.role, seat.here, first, asks, seat.key)


def _characters(view: TableState) -> Iterator[CharacterSight]:
    for id, known in sorted(view.characters.items()):
        tracks = dict(sorted(view.tracks[id].items()))
        name, here = view.name_of(id), known.here
        yield CharacterSight(id, name, known.seat, known.attributes, tracks, here)


def _texts(view: TableState) -> Iterator[TextSight]:
    every = ((about, each) for about, written in view.texts.items() for each in written)
    for about, each in sorted(every, key=lambda pair: pair[1].seq):
        yield TextSight(each.seq, each.by, about, view.entry_rolls.get(each.seq), each.text)


# --- a roll ---------------------------------------------------------------------------------------


def roll_sight(table: TableState, number: int, *, language: str = ENGLISH) -> RollSight:
    """One roll, as who sees everything of it has it. Raises Refused for one that is not there."""
    roll = roll_of(table, number)
    found = stale(table, changes_of(table, roll.trail))
    return _roll(Lexicon(table, language), roll, "everything", found, roll.seat)


def _seen(view: TableState, seat: str, roll: RollState) -> Seen:
    return "everything" if visible_part(view, seat, roll) == "everything" else "declaration"


def _roll(
    lexicon: Lexicon, roll: RollState, seen: Seen, left: Iterable[Stale], seat: str
) -> RollSight:
    known, declared = roll.roll, roll.trail[0]
    return RollSight(
        roll=roll.number,
        seq=declared.seq,
        at=declared.at,
        seat=roll.seat,
        character=known.character,
        state=roll.state,
        seen=seen,
        visibility=roll.visibility,
        hidden=roll.hidden,
        level=roll.level,
        next_level=level_next(lexicon.state, seat, roll),
        marks=tuple(marks_of(lexicon.state, roll)),
        follows=roll.follows,
        followers=tuple(each.number for each in lexicon.state.followers(roll.number)),
        declaration=to_builtins(known.declaration),
        reactions=tuple(
            ReactionSight(who, to_builtins(given), declines(given))
            for who, given in known.reactions
        ),
        choices=dict(known.choices),
        hands=tuple(_hand(lexicon, known, hand) for hand in known.hands),
        outcome=_outcome(lexicon, known.outcome),
        damage=_damage(lexicon, roll.damage),
        disputes=tuple(_disputes(roll)),
        hangs=tuple(_stale(lexicon.state, each) for each in left),
        disputed=under_dispute(lexicon.state, roll),
        commitment=_commitment(roll),
    )


def _hand(lexicon: Lexicon, roll: Roll, hand: Hand) -> HandSight:
    return HandSight(
        name=hand.name,
        label=lexicon.hand(hand.name),
        character=hand.character,
        dice=hand.dice,
        rerolls=hand.rerolls,
        means=hand.means,
        taken=hand.taken,
        wants=lexicon.rules.wants(roll, hand),
    )


def _outcome(lexicon: Lexicon, outcome: Outcome | None) -> OutcomeSight | None:
    if outcome is None:
        return None
    head, text = lexicon.announced(outcome)
    return OutcomeSight(
        degree=outcome.degree,
        margin=outcome.margin,
        head=head,
        text=text,
        figures=outcome.figures,
        readings=outcome.readings,
        effects=tuple(map(_effect, outcome.effects)),
    )


def _damage(lexicon: Lexicon, damage: Damage | None) -> DamageSight | None:
    if damage is None:
        return None
    return DamageSight(
        target=damage.target,
        amount=damage.amount,
        head=lexicon.name(damage.target),
        text=lexicon.amount(damage.amount),
        figures=damage.figures,
        readings=damage.readings,
        effects=tuple(map(_effect, damage.effects)),
    )


def _effect(effect: Effect) -> EffectSight:
    return EffectSight(effect.character, effect.track, effect.delta, effect.to)


def _disputes(roll: RollState) -> Iterator[DisputeSight]:
    events = [(entry.seq, entry.event) for entry in roll.trail]
    made = {
        event.dispute: (seq, event) for seq, event in events if isinstance(event, ruling.RulingMade)
    }
    for seq, event in events:
        if isinstance(event, ruling.DisputeRaised):
            if seq in made:
                at, found = made[seq]
                yield DisputeSight(seq, event.by, found.ruling, at, found.instead)
            else:
                yield DisputeSight(seq, event.by, None)


def _stale(state: TableState, left: Stale) -> HangingSight:
    return HangingSight(
        seq=left.seq,
        character=left.character,
        what=left.what,
        had=left.had,
        now=left.now,
        sources=left.sources,
        text=f"Roll {left.roll} {stale_text(state, [left])}.",
    )


def _commitment(roll: RollState) -> CommitmentSight | None:
    waiting = roll.outstanding
    return None if waiting is None else CommitmentSight(waiting.throw, waiting.commit, waiting.seq)


def _ask(ask: Ask) -> AskSight:
    return AskSight(
        roll=ask.roll,
        throw=ask.throw,
        seat=ask.seat,
        seq=ask.seq,
        at=ask.at,
        committed=ask.committed,
        asked=ask.asked,
        waiting=ask.waiting,
        left=ask.left,
        until=ask.until,
    )
