"""The successes that the dice of a Milhamah roll show now, and the degree they make."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

from msgspec import Struct, structs

from ...errors import Refused
from ...events.base import Face
from ..ruleset import Hand, Roll, Tally, reaction_of
from ..values import fell
from .damage import CRITICAL
from .declare import Declaration
from .letters import PAIRS, WILD, Kind, die_faces, opposites, spells
from .pool import (
    COUNTER,
    INITIATOR,
    LOCATION,
    REACTOR,
    advantage,
    circumstances,
    flips_left,
    modifiers,
    next_reroll,
    opposed,
    root_of,
)

FAILED = ("failure", "botch")


class Target(Struct, frozen=True):
    """The successes that an unopposed roll must beat: a difficulty and what changes it."""

    difficulty: int
    modifiers: int
    circumstances: int

    @property
    def successes(self) -> int:
        """The sum, at least 1."""
        return max(1, self.difficulty + self.modifiers + self.circumstances)


class Reply(Struct, frozen=True):
    """The reactor's successes: letters, a natural root's bonus, an advantage where that counts.

    `botch` is how severe his botch is, in Wilds; None where it is none.
    """

    letters: int = 0
    bonus: int = 0
    advantage: int = 0
    botch: int | None = None

    @property
    def successes(self) -> int:
        """All of them; none is a Wild's (Successes)."""
        return self.letters + self.bonus + self.advantage


class Score(Struct, frozen=True, kw_only=True):
    """The initiator's successes against what they must beat, in an opposed roll the reply's."""

    letters: int
    wilds: int
    pocketed: int
    advantage: int
    natural: bool
    bonus: int
    first_roll_bonus: int
    against: Target | Reply
    degree: str

    @property
    def before_bonus(self) -> int:
        """Successes without the bonuses of a natural root."""
        return self.letters + self.wilds + self.pocketed + self.advantage

    @property
    def successes(self) -> int:
        """Those that are compared."""
        return self.before_bonus + self.bonus + self.first_roll_bonus

    @property
    def target(self) -> int:
        """The successes that they are compared with."""
        return self.against.successes

    @property
    def margin(self) -> int:
        """Successes beyond the target; a botch counts as none at all (The final results)."""
        return (0 if self.degree == "botch" else self.successes) - self.target


def natural(roll: Roll, hand: Hand, opts: Any) -> bool:
    """Whether the hand shows its side's natural root now (The Natural Shoresh)."""
    return _whole([die.face for die in hand.dice], root_of(roll, hand.name), opts)


def prevented(roll: Roll) -> bool:
    """Whether the initiator's natural root prevents the reaction (The Natural Shoresh)."""
    return roll.choices.get("natural") == "prevent"


def score(roll: Roll, opts: Any) -> Score:
    """The score of the faces shown now; `opts` are the options, or they Consulted. Raises Refused.

    It is refused before the first throw; a hand that is still missing counts as no successes.
    """
    hand = roll.hand(INITIATOR)
    if hand is None:
        raise Refused("due", "the initiator has not thrown yet", allowed=("roll",))
    against = _reply(roll, opts) if opposed(roll, opts) else target(roll.declaration, opts)
    result = Score(
        letters=_letters(roll, hand),
        wilds=sum(die.face == WILD for die in hand.dice),
        pocketed=roll.declaration.pocketed,
        advantage=_lead(roll, INITIATOR, opts),
        natural=natural(roll, hand, opts),
        bonus=0,
        first_roll_bonus=0,
        against=against,
        degree="",
    )
    if result.natural:
        result = _with_bonus(result, roll, hand, opts)
    return structs.replace(result, degree=_degree(result, roll, opts))


def target(declaration: Declaration, opts: Any) -> Target:
    """What an unopposed roll must beat (Difficulty, Combat modifiers)."""
    return Target(
        int(declaration.target),
        modifiers(declaration, opts),
        circumstances(declaration.circumstances, opts),
    )


def _degree(result: Score, roll: Roll, opts: Any) -> str:
    """The first rung that holds, from the top (The final results, Critical success)."""
    over = roll.hand(REACTOR) is not None or reaction_of(roll) is None  # he declined
    unanswered = over and roll.choices.get("natural") == "allow" and result.target == 0
    rungs = (
        ("botch", _botched(result, opts)),
        (CRITICAL, result.natural and unanswered),
        ("natural success", result.natural and result.margin > 0),
        ("success", result.margin > 0),
        ("success at a cost", result.margin == 0),
    )
    return next((degree for degree, holds in rungs if holds), "failure")


def _botched(result: Score, opts: Any) -> bool:
    """Whether it is a botch: no letter, whatever the Wilds and the pocket hold (Botch)."""
    if result.letters or (result.wilds and not opts.wild_only_botch):
        return False
    return not (result.pocketed and opts.pocket_saves)


def _with_bonus(result: Score, roll: Roll, hand: Hand, opts: Any) -> Score:
    """A natural root's bonus added, where it is not a Merit Point (The Natural Shoresh)."""
    against = isinstance(result.against, Reply)
    if not against and roll.choices.get("natural") != "bonus":
        return result
    if result.margin <= 0 and not opts.natural_bonus_before_compare:
        return result
    root = root_of(roll, INITIATOR)
    bonus = len(root) if not against or opts.natural_bonus_opposed == "len" else 1
    first = _at_once(roll, root, hand, opts) and (against or opts.first_roll_natural == "both")
    return structs.replace(
        result, bonus=bonus, first_roll_bonus=opts.first_roll_natural_bonus if first else 0
    )


def _at_once(roll: Roll, root: str, hand: Hand, opts: Any) -> bool:
    """Whether the first throw was natural before any flip, and is kept (Opposed Rolls)."""
    if hand.rerolls or not _whole((die.thrown[0] for die in hand.dice), root, opts):
        return False
    return bool(roll.link != COUNTER or opts.counter_first_roll)


def _reply(roll: Roll, opts: Any) -> Reply:
    """The reactor's successes; none where his reaction is prevented, declined, not thrown yet."""
    hand = roll.hand(REACTOR)
    if hand is None or prevented(roll):
        return Reply()
    bonus = 0
    if natural(roll, hand, opts) and opts.reactor_natural:
        bonus = len(root_of(roll, REACTOR)) if opts.natural_bonus_opposed == "len" else 1
    letters = _letters(roll, hand)
    botch = reactor_botch(hand, letters, opts)
    if botch is not None:
        return Reply(botch=botch)  # it counts as none at all, an advantage with it
    return Reply(letters, bonus, _lead(roll, REACTOR, opts))


def reactor_botch(hand: Hand, letters: int, opts: Any) -> int | None:
    """The Wilds of a reactor without a letter, where that is a botch (The final results)."""
    if letters or not opts.reactor_botch:
        return None
    wilds = sum(die.face == WILD for die in hand.dice)
    return None if wilds and not opts.wild_only_botch else wilds


def gains(roll: Roll, result: Score) -> tuple[str, str, int]:
    """Who may gain by the other side's botch, the choice of what, and how many successes.

    An opponent by what he scored, the initiator by what he did; nobody where that is nothing.
    """
    if not isinstance(result.against, Reply):
        return "", "", 0
    if result.degree == "botch":
        return roll.declaration.opponent, "reward", result.target
    if result.against.botch is not None:
        return roll.character, "gain", result.successes
    return "", "", 0


def _letters(roll: Roll, hand: Hand) -> int:
    """Every die with a letter of the root counts (Successes)."""
    root = root_of(roll, hand.name)
    return len([die for die in hand.dice if str(die.face) in root])


def _lead(roll: Roll, hand: str, opts: Any) -> int:
    """The advantage in totals, where it is read as successes (Opposed Rolls)."""
    lead = advantage(roll, hand, opts)
    return lead if lead and opts.advantage_adds_to == "successes" else 0


def _whole(faces: Iterable[Face], root: str, opts: Any) -> bool:
    spelling = spells(faces, root)
    return spelling == "wholly" or (
        spelling == "but for repeats" and not opts.natural_counts_repeats
    )


def tally(roll: Roll, hand: Hand, faces: Mapping[str, Face], left: int) -> Tally:
    """The letters of the root, one by one, the Wilds, and dice that show neither (Successes).

    Where dice may be thrown again it is of which kind each is; where a cipher can turn them, what
    it would turn to; where the first throw may have been natural, what a turned one fell on. Of a
    hand that lies for good it is how many there are, and how far they spell the root; of a reactor
    no Wild counts. The die of a place counts for no success.
    """
    if hand.name == LOCATION:
        return WILD in faces.values()
    root, changes = root_of(roll, hand.name), not hand.stands
    turns = changes and flips_left(roll, hand, roll.options) > 0
    again = changes and next_reroll(roll, hand, roll.options) is not None
    first = not hand.rerolls and roll.options.first_roll_natural_bonus != 0
    if not (again or turns):
        return _lying(hand, root, faces, left, first=first)
    still, own = Open(root, again, turns, first), roll.options.faces
    found: list[tuple[str, ...]] = []
    for die in hand.dice:
        if (face := faces.get(die.id)) is not None:
            kind = cast(Kind, die.kind)
            pairs = own.get(kind, PAIRS[kind])
            found.append(_counts(Shown(pairs, kind, face, fell(die, face), die.frozen), still))
    return tuple(sorted(found))


class Open(NamedTuple):
    """What may still come of a hand: dice thrown again, or turned; a bonus for its first throw."""

    root: str
    again: bool
    turns: bool
    first: bool


class Shown(NamedTuple):
    """A die of pairs of faces, the one that it shows, and the one that it fell on."""

    pairs: tuple[str, ...]
    kind: Kind
    face: Face
    landed: Face
    frozen: bool


@lru_cache(maxsize=65_536)
def _counts(die: Shown, still: Open) -> tuple[str, ...]:
    """What a die counts for that may be thrown again, or turned."""
    kind, free = die.kind if still.again else "", "" if die.frozen else "free"
    known: tuple[str, ...] = (_counted(die.face, still.root), kind, free)
    if still.turns:
        known += _turned(die.pairs, die.face, still.root)
        if die.landed != die.face:
            known += ("turned", *_turned(die.pairs, die.landed, still.root))
    if die.landed != die.face and still.first:
        known += ("fell", _counted(die.landed, still.root))
    return known


def _lying(hand: Hand, root: str, faces: Mapping[str, Face], left: int, *, first: bool) -> Tally:
    """What dice count for that lie for good."""
    shown = [*faces.values()]
    both = [shown]
    if first:
        both.append([fell(die, faces[die.id]) for die in hand.dice if die.id in faces])
    letters, wilds = sum(str(face) in root for face in shown), shown.count(WILD)
    if left:  # of each letter no more than the root has
        spelled = (
            min(dice.count(each), most) for dice in both for each, most in _each_letter(root)
        )
        return letters, wilds, tuple(spelled)
    scored = letters + (wilds if hand.name == INITIATOR else 0), -1 if letters else wilds
    return scored, tuple(spells(dice, root) for dice in both)


@lru_cache(maxsize=1_024)
def _each_letter(root: str) -> tuple[tuple[str, int], ...]:
    """The letters of a root, and how often it has each."""
    return tuple(sorted(Counter(root).items()))


def _turned(pairs: tuple[str, ...], face: Face, root: str) -> tuple[str, ...]:
    """What a die that fell on the face would count for, were it turned."""
    return tuple(sorted(_counted(each, root) for each in opposites(die_faces(pairs), face)))


def _counted(face: Face, root: str) -> str:
    """A letter of the root, or a Wild; "" for any other face."""
    return str(face) if face == WILD or str(face) in root else ""
