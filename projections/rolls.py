"""One roll as its entries leave it: the rules' Roll, and what only the log knows.

`evolve` is pure and total: it takes the state before an entry and the entry as decoded from its
bytes, looks at no other roll or character, and refuses nothing. Whether an entry was legal is the
business of anybody who decided it, or audits it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from msgspec import Struct, convert
from msgspec.structs import replace

from ..errors import Damaged
from ..events import roll as rolled
from ..events import ruling
from ..events.base import AdjustedDie, Effect, Face, Thrown
from ..events.codec import RecordedEvent
from ..events.table import Recommitted
from ..rules.ruleset import Damage, Die, Hand, Outcome, Roll, declines
from .automaton import after as state_after
from .handlers import row
from .rollstate import Game, Outstanding, RollState

S = TypeVar("S", bound=Struct)


def evolve(state: RollState | None, entry: RecordedEvent, game: Game) -> RollState:
    """The roll after one more of its entries; `state` is None before its first.

    Raises Damaged where the entry cannot be one of this roll: another first event than a
    declaration, a die or hand that does not exist, JSON that the system cannot read.
    """
    event = entry.event
    if isinstance(event, rolled.RollDeclared):
        if state is not None:
            raise Damaged(f"roll {event.roll} was declared already", seq=entry.seq)
        return _declared(entry, event, game)
    if state is None:
        raise Damaged(f"roll {getattr(event, 'roll', '?')} was never declared", seq=entry.seq)
    change = CHANGES.get(type(event))
    after = state if change is None else change(state, event, entry, game)
    moved = state_after(event, state.state)
    return replace(after, state=moved, trail=(*state.trail, entry))


def _declared(entry: RecordedEvent, event: rolled.RollDeclared, game: Game) -> RollState:
    return RollState(
        number=event.roll,
        seat=event.by,
        state=state_after(event, "new"),
        roll=Roll(
            options=game.at(entry.seq).options,
            character=event.character,
            declaration=_read(event.declaration, game.ruleset.Declaration, entry),
            link=event.follows[1] if event.follows else None,
        ),
        visibility=event.visibility,
        level=event.level,
        follows=event.follows,
        outstanding=_published(entry, 0, event.commit),
        trail=(entry,),
    )


def _reacted(
    state: RollState, event: rolled.ReactionDeclared, entry: RecordedEvent, game: Game
) -> RollState:
    given = None if event.reaction is None else _read(event.reaction, game.ruleset.Reaction, entry)
    return _with(state, reactions=(*state.roll.reactions, (event.character, given)))


def _rolled(
    state: RollState, event: rolled.DiceRolled, entry: RecordedEvent, game: Game
) -> RollState:
    dice = first_thrown(event.dice)
    hand = Hand(event.hand, event.character, dice, taken=event.taken is not None)
    return _thrown(_with(state, hands=(*state.roll.hands, hand)), entry, event.proof)


def _rerolled(
    state: RollState, event: rolled.DiceRerolled, entry: RecordedEvent, game: Game
) -> RollState:
    hand = _hand(state, event.hand, entry)
    after = thrown_again(hand, event.dice, last_means(state, event.hand))
    return _thrown(_with_hand(state, after), entry, event.proof)


def last_means(state: RollState, hand: str) -> str:
    """By what dice of a hand were put last; "" where none were."""
    gone = needless(state.trail)
    events = (item.event for item in reversed(state.trail) if item.seq not in gone)
    moved = (event for event in events if isinstance(event, rolled.DiceAdjusted))
    return next((event.means for event in moved if event.hand == hand), "")


def _frozen(
    state: RollState, event: rolled.DiceFrozen, entry: RecordedEvent, game: Game
) -> RollState:
    return _with_hand(state, frozen(_hand(state, event.hand, entry), event.dice))


def _adjusted(
    state: RollState, event: rolled.DiceAdjusted, entry: RecordedEvent, game: Game
) -> RollState:
    return _with_hand(state, adjusted(_hand(state, event.hand, entry), event.dice))


def _chosen(
    state: RollState, event: rolled.ChoiceMade, entry: RecordedEvent, game: Game
) -> RollState:
    return _with(state, choices={**state.roll.choices, event.choice: event.option})


def _resolved(
    state: RollState, event: rolled.RollResolved, entry: RecordedEvent, game: Game
) -> RollState:
    return _with(state, outcome=_outcome(event.outcome, event.effects, entry))


def _damaged(
    state: RollState, event: rolled.DamageApplied, entry: RecordedEvent, game: Game
) -> RollState:
    damage = _read({**event.damage, "target": event.target}, Damage, entry)
    announced = replace(damage, effects=event.effects)
    return replace(_with(state, damaged=True), damage=announced)


def _voided(
    state: RollState, event: rolled.RollVoided, entry: RecordedEvent, game: Game
) -> RollState:
    return replace(state, outstanding=None)


def _amended(
    state: RollState, event: ruling.RollAmended, entry: RecordedEvent, game: Game
) -> RollState:
    before = state.roll
    if event.needless or needless(state.trail):
        left = _without(state.trail, event.needless, game)
        before = replace(before, hands=left.hands, choices=left.choices)
    after = redeclared(before, event.character, event.declared, game, entry)
    if event.outcome is None:
        return replace(state, roll=after)
    outcome = _outcome(event.outcome, event.effects, entry)
    settled = replace(after, outcome=outcome, damaged=False)
    return replace(state, roll=settled, damage=None)


def needless(trail: Iterable[RecordedEvent]) -> frozenset[int]:
    """The entries of a roll that count no more since it was amended last."""
    events = [entry.event for entry in trail]
    amended = [event for event in events if isinstance(event, ruling.RollAmended)]
    return frozenset(amended[-1].needless) if amended else frozenset()


def as_of(roll: RollState, seq: int, game: Game) -> RollState:
    """A roll as it was after entry `seq`. Raises Damaged where it had no entry by then."""
    state: RollState | None = None
    for entry in roll.trail:
        if entry.seq <= seq:
            state = evolve(state, entry, game)
    if state is None:
        raise Damaged(f"roll {roll.number} was not declared yet")
    return state


ON_DICE = (
    rolled.RollDeclared,
    rolled.DiceRolled,
    rolled.DiceFrozen,
    rolled.DiceRerolled,
    rolled.DiceAdjusted,
    rolled.ChoiceMade,
)
"""Events that a roll's hands and choices come from."""


def _without(trail: Iterable[RecordedEvent], fallen: Collection[int], game: Game) -> Roll:
    """The roll's hands and choices, as if some of its entries had never been."""
    state: RollState | None = None
    for entry in trail:
        if isinstance(entry.event, ON_DICE) and entry.seq not in fallen:
            state = evolve(state, entry, game)
    if state is None:
        raise Damaged("an amendment lets the declaration itself fall")
    return state.roll


def _replaced(
    state: RollState, event: ruling.DeclarationReplaced, entry: RecordedEvent, game: Game
) -> RollState:
    after = redeclared(state.roll, state.roll.character, event.declared, game, entry)
    return replace(state, roll=after, vetoed=False)


def _vetoed(
    state: RollState, event: ruling.DeclarationVetoed, entry: RecordedEvent, game: Game
) -> RollState:
    return replace(state, vetoed=True)


def _revealed(
    state: RollState, event: rolled.RollRevealed, entry: RecordedEvent, game: Game
) -> RollState:
    return replace(state, revealed_at=entry.seq) if state.hidden else state


def _broken(
    state: RollState, event: rolled.ThrowBroken, entry: RecordedEvent, game: Game
) -> RollState:
    after = event.throw + 1
    return replace(state, throws=after, outstanding=_published(entry, after, event.next))


CHANGES: Mapping[type[Struct], Callable[[RollState, Any, RecordedEvent, Game], RollState]] = dict(
    [
        row(rolled.ReactionDeclared, _reacted),
        row(rolled.DiceRolled, _rolled),
        row(rolled.DiceFrozen, _frozen),
        row(rolled.DiceRerolled, _rerolled),
        row(rolled.DiceAdjusted, _adjusted),
        row(rolled.ChoiceMade, _chosen),
        row(rolled.RollResolved, _resolved),
        row(rolled.DamageApplied, _damaged),
        row(rolled.RollVoided, _voided),
        row(rolled.RollRevealed, _revealed),
        row(rolled.ThrowBroken, _broken),
        row(ruling.DeclarationVetoed, _vetoed),
        row(ruling.DeclarationReplaced, _replaced),
        row(ruling.RollAmended, _amended),
    ]
)
"""What each event changes; an event without a row changes nothing but the trail."""


def redeclared(
    roll: Roll,
    character: str,
    declared: dict[str, Any],
    game: Game,
    entry: RecordedEvent | None = None,
) -> Roll:
    """The roll with another declaration of its roller's, or another last reaction of somebody's."""
    if character == roll.character:
        return replace(roll, declaration=_read(declared, game.ruleset.Declaration, entry))
    given = _read(declared, game.ruleset.Reaction, entry)
    reactions = list(roll.reactions)
    for at in reversed(range(len(reactions))):
        if reactions[at][0] == character and not declines(reactions[at][1]):
            reactions[at] = (character, given)
            break
    return replace(roll, reactions=tuple(reactions))


def _read(value: dict[str, Any], kind: type[S], entry: RecordedEvent | None) -> S:
    try:
        return convert(value, kind)
    except (ValueError, TypeError) as error:
        raise Damaged(
            f"not a {kind.__name__}: {error}", seq=None if entry is None else entry.seq
        ) from error


def _outcome(value: dict[str, Any], effects: tuple[Effect, ...], entry: RecordedEvent) -> Outcome:
    return replace(_read(value, Outcome, entry), effects=effects)


def _hand(state: RollState, name: str, entry: RecordedEvent) -> Hand:
    hand = state.roll.hand(name)
    if hand is None:
        raise Damaged(f"roll {state.number} has no hand {name!r}", seq=entry.seq)
    return hand


def _thrown(state: RollState, entry: RecordedEvent, proof: rolled.Proof | None) -> RollState:
    """Count a throw and publish the commitment to the next."""
    if proof is None:
        return state
    throws = proof.throw + 1
    outstanding = _published(entry, throws, proof.next)
    return replace(state, throws=throws, outstanding=outstanding)


def recommitted(state: RollState, entry: RecordedEvent, fresh: Recommitted) -> RollState:
    """The roll with a fresh commitment for its outstanding throw, published by a new epoch."""
    return replace(state, outstanding=_published(entry, fresh.throw, fresh.commit))


def _published(entry: RecordedEvent, throw: int, commit: str | None) -> Outstanding | None:
    return None if commit is None else Outstanding(throw, commit, entry.seq, entry.leaf)


def _with(state: RollState, **changes: Any) -> RollState:
    return replace(state, roll=replace(state.roll, **changes))


def _with_hand(state: RollState, hand: Hand) -> RollState:
    return _with(
        state, hands=tuple(hand if old.name == hand.name else old for old in state.roll.hands)
    )


def first_thrown(thrown: Iterable[Thrown]) -> tuple[Die, ...]:
    """The dice of a first throw; one thrown again inside it shows the last face it fell on."""
    dice: dict[str, Die] = {}
    for item in thrown:
        before = dice[item.die].thrown if item.die in dice else ()
        dice[item.die] = Die(item.die, item.kind, (*before, item.face), item.face, item.face)
    return tuple(dice.values())


def thrown_again(hand: Hand, thrown: Iterable[Thrown], means: str) -> Hand:
    """The hand after a reroll: a die adjusted before it, by `means`, keeps its face for good."""
    fell: dict[str, tuple[Face, ...]] = {}
    for item in thrown:
        fell[item.die] = (*fell.get(item.die, ()), item.face)
    dice = tuple(
        replace(
            die, thrown=die.thrown + fell[die.id], landed=fell[die.id][-1], face=fell[die.id][-1]
        )
        if die.id in fell
        else replace(die, landed=die.face)
        for die in hand.dice
    )
    settled = tuple(means for die in hand.dice if die.face != die.landed)
    return replace(hand, dice=dice, rerolls=hand.rerolls + 1, means=hand.means + settled)


def frozen(hand: Hand, ids: Collection[str]) -> Hand:
    """The hand with exactly the dice in `ids` frozen."""
    dice = (
        die if die.frozen == (die.id in ids) else replace(die, frozen=die.id in ids)
        for die in hand.dice
    )
    return replace(hand, dice=tuple(dice))


def adjusted(hand: Hand, dice: Iterable[AdjustedDie]) -> Hand:
    """The hand with exactly these dice adjusted; every other die shows what it last landed on."""
    to = {item.die: item.face for item in dice}
    after = tuple(
        die if die.frozen else replace(die, face=to.get(die.id, die.landed)) for die in hand.dice
    )
    return replace(hand, dice=after)


def showing(hand: Hand, faces: Mapping[str, Face]) -> Hand:
    """A hand whose dice fell on other faces at their last throw."""
    return replace(hand, dice=tuple(_shows(die, faces[die.id]) for die in hand.dice))


def _shows(die: Die, face: Face) -> Die:
    """A die as it is, where it shows the face."""
    if die.face == face:
        return die
    return Die(die.id, die.kind, (*die.thrown[:-1], face), face, face, die.frozen)


def with_hand(roll: Roll, hand: Hand) -> Roll:
    """The roll with a hand in its place, or after the others."""
    there = any(old.name == hand.name for old in roll.hands)
    hands = tuple(hand if old.name == hand.name else old for old in roll.hands)
    return replace(roll, hands=hands if there else (*hands, hand))
