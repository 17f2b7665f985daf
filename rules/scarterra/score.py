"""The score of a Scarterra roll: successes, ones, and their sum round by round."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ...events.base import Face
from ..ruleset import Hand, Roll, Tally, declined
from .declare import ROUNDS_MOST, Reaction, Side, asked
from .settle import difficulty_of

INITIATOR, REACTOR = "initiator", "reactor"

End: TypeAlias = Literal["", "reached", "lost", "ruined", "late"]
"""How an extended roll ended; "" while it may go on."""

ENDS: Mapping[int, End] = {1: "reached", -1: "lost"}
"""How a contest ends by who is ahead: the initiator (1) or the opponent (-1)."""

TIES: Mapping[str, int] = {"attacker": 1, "defender": -1, "neither": 0}
"""Who is held to be ahead of two who gathered as much, by the reading of a tie."""


class Score(Struct, frozen=True):
    """One hand: dice that show the difficulty or more, and dice that show 1 (The Rule of "1")."""

    successes: int
    ones: int

    @property
    def net(self) -> int:
        """Successes less ones; below 0 where the ones prevail."""
        return self.successes - self.ones

    @property
    def botched(self) -> bool:
        """Whether not a single die succeeded and one or more show 1 (Botching a roll)."""
        return self.successes == 0 and self.ones > 0


class Round(Struct, frozen=True):
    """Everybody's throw; `scores` by the hand's name in the first round, `waiting` hands due."""

    number: int
    scores: dict[str, Score]
    waiting: tuple[str, ...]

    @property
    def own(self) -> Score:
        """The initiator's."""
        return self.scores[INITIATOR]

    def gained(self, opts: Any) -> int:
        """The net successes of all together, or the initiator's lead over who resists."""
        if REACTOR in self.scores:
            return lead(self.own.net, self.scores[REACTOR].net, opts)
        return pooled([score.net for score in self.scores.values()], opts)

    def botched(self, opts: Any) -> bool:
        """Whether the round is a botch: of several who cooperate, of all (Cooperative Rolls)."""
        botches = [score.botched for score in self.scores.values()]
        if all(botches) and not self.waiting:
            return True
        return any(botches) and opts.cooperative_botch == "any"


class Standing(Struct, frozen=True):
    """How far an extended roll is: the total after each round, and how it ended.

    `sums`: after each round what either side has gathered itself, where that is what counts.
    `spoilt`: the rounds that were botched, by number.
    """

    totals: tuple[int, ...]
    end: End
    sums: tuple[tuple[int, int], ...] = ()
    spoilt: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """The successes so far; of a resisted one the initiator's lead, below 0 the opponent's."""
        return self.totals[-1] if self.totals else 0


def pooled(nets: Sequence[int], opts: Any) -> int:
    """The net successes of all who cooperate, and of one alone (Cooperative Rolls)."""
    if len(nets) > 1 and min(nets) < 0 and opts.below_zero == "counts":
        return sum(nets)
    return sum(max(0, net) for net in nets)


def lead(own: int, theirs: int, opts: Any) -> int:
    """What is left of one side's net successes (Resisted Rolls); below 0 the other side's.

    Who has no success has none left, whatever the other side shows.
    """
    if min(own, theirs) < 0 < max(own, theirs) and opts.below_zero == "counts":
        return own - theirs
    return max(0, own) - max(0, theirs)


def reactions(roll: Roll) -> dict[str, Reaction]:
    """Who reacted, and did not decline, by character."""
    return {who: reaction for who, reaction in roll.reactions if reaction is not None}


def resisted(roll: Roll, opts: Any) -> bool:
    """Whether somebody resists, if only with the nothing that declining counts as."""
    opponent = roll.declaration.opponent
    if opponent in declined(roll):
        return bool(opts.declined == "zero")
    return opponent in reactions(roll)


def sides(roll: Roll) -> dict[str, tuple[str, Side]]:
    """Who throws in each round and what they declared, by hand, in turn."""
    found: dict[str, tuple[str, Side]] = {INITIATOR: (roll.character, roll.declaration)}
    given = reactions(roll)
    for who in asked(roll.declaration):
        if who in given:
            hand = REACTOR if who == roll.declaration.opponent else f"helper:{who}"
            found[hand] = (who, given[who])
    return found


def hand_name(hand: str, number: int) -> str:
    """A hand's name in a round; the first round's has no number."""
    return hand if number == 1 else f"{number}:{hand}"


def score(hand: Hand, difficulty: int) -> Score:
    """The score of the faces that a hand shows (Basic Dice Rolls)."""
    faces = [int(die.face) for die in hand.dice]
    return Score(sum(face >= difficulty for face in faces), faces.count(1))


def tally(roll: Roll, hand: Hand, faces: Mapping[str, Face], left: int) -> Tally:
    """Successes less ones, and whether there is a success at all (The Rule of "1")."""
    found = sides(roll).get(hand.name.split(":", 1)[1] if hand.name[0].isdigit() else hand.name)
    if found is None:
        return 0
    difficulty, shown = difficulty_of(roll, found[1], roll.options), list(faces.values())
    successes = sum(int(face) >= difficulty for face in shown)
    return successes - shown.count(1), successes > 0


def rounds(roll: Roll, opts: Any) -> tuple[Round, ...]:
    """Every round that has begun, in order."""
    hands = {hand.name: hand for hand in roll.hands}
    throwing = {name: difficulty_of(roll, side, opts) for name, (_, side) in sides(roll).items()}
    found: list[Round] = []
    while hand_name(INITIATOR, len(found) + 1) in hands:
        found.append(_round(hands, throwing, len(found) + 1))
    return tuple(found)


def _round(hands: Mapping[str, Hand], throwing: Mapping[str, int], number: int) -> Round:
    """One round; `throwing` are the difficulties by hand, in the order of the throws."""
    scores: dict[str, Score] = {}
    waiting: list[str] = []
    for name, difficulty in throwing.items():
        hand = hands.get(hand_name(name, number))
        if hand is None:
            waiting.append(hand_name(name, number))
        else:
            scores[name] = score(hand, difficulty)
    return Round(number, scores, tuple(waiting))


def standing(roll: Roll, played: tuple[Round, ...], opts: Any) -> Standing:
    """How far an extended roll is after these rounds (Extended Rolls, Resisted Rolls)."""
    if resisted(roll, opts):
        return _contest(roll, played, opts)
    totals: list[int] = []
    spoilt: list[int] = []
    for each in played:
        if each.botched(opts):
            totals.append(0)
            spoilt.append(each.number)
            if opts.extended_botch == "ruin":
                return Standing(tuple(totals), "ruined", spoilt=tuple(spoilt))
            continue
        totals.append((totals[-1] if totals else 0) + max(0, each.gained(opts)))
    reached = totals[-1] >= roll.declaration.target if totals else False
    end: End = "reached" if reached else _late(roll, played)
    return Standing(tuple(totals), end, spoilt=tuple(spoilt))


def _late(roll: Roll, played: tuple[Round, ...]) -> End:
    return "late" if len(played) >= (roll.declaration.deadline or ROUNDS_MOST) else ""


def _contest(roll: Roll, played: tuple[Round, ...], opts: Any) -> Standing:
    """A contest after these rounds: nothing ruins it, and either side may win (Resisted Rolls)."""
    sums: tuple[tuple[int, int], ...] = ()
    if opts.resisted_extended == "own":
        ours = accumulate(max(0, each.own.net) for each in played)
        theirs = accumulate(
            max(0, each.scores[REACTOR].net if REACTOR in each.scores else 0) for each in played
        )
        sums = tuple(zip(ours, theirs, strict=True))
        leads = tuple(our - their for our, their in sums)
    else:
        leads = tuple(accumulate(each.gained(opts) for each in played))
    last = leads[-1] if leads else 0
    furthest = max(sums[-1]) if sums else abs(last)
    end: End = _late(roll, played)
    if furthest >= roll.declaration.target:
        end = ENDS.get((last > 0) - (last < 0) or TIES[opts.resisted_tie], end)
    return Standing(leads, end, sums)
