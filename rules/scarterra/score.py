"""The score of a Scarterra roll: successes, ones, and their sum round by round."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ..ruleset import Hand, Roll
from .declare import ROUNDS_MOST, Reaction, Side, asked
from .settle import difficulty_of

INITIATOR, REACTOR = "initiator", "reactor"

End: TypeAlias = Literal["", "reached", "lost", "ruined", "late"]
"""How an extended roll ended; "" while it may go on."""


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

    @property
    def counted(self) -> int:
        """Net successes as they count together with another side's: at 0 or more."""
        return max(0, self.net)


class Round(Struct, frozen=True):
    """Everybody's throw; `scores` by the hand's name in the first round, `waiting` hands due."""

    number: int
    scores: dict[str, Score]
    waiting: tuple[str, ...]

    @property
    def own(self) -> Score:
        """The initiator's."""
        return self.scores[INITIATOR]

    @property
    def gained(self) -> int:
        """The net successes of all together, or the initiator's lead over who resists."""
        counted = {hand: score.counted for hand, score in self.scores.items()}
        against = counted.pop(REACTOR, 0)
        return sum(counted.values()) - against

    def botched(self, opts: Any) -> bool:
        """Whether the round is a botch: of several who cooperate, of all (Cooperative Rolls)."""
        botches = [score.botched for score in self.scores.values()]
        if all(botches) and not self.waiting:
            return True
        return any(botches) and opts.cooperative_botch == "any"


class Standing(Struct, frozen=True):
    """How far an extended roll is: the total after each round, and how it ended."""

    totals: tuple[int, ...]
    end: End

    @property
    def total(self) -> int:
        """The successes so far; of a resisted one the initiator's lead, below 0 the opponent's."""
        return self.totals[-1] if self.totals else 0


def reactions(roll: Roll) -> dict[str, Reaction]:
    """Who reacted, and did not decline, by character."""
    return {who: reaction for who, reaction in roll.reactions if reaction is not None}


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
    target = roll.declaration.target or 0
    resisted = REACTOR in sides(roll)
    totals: list[int] = []
    for each in played:
        if not resisted and each.botched(opts):
            totals.append(0)
            if opts.extended_botch == "ruin":
                return Standing(tuple(totals), "ruined")
            continue
        totals.append((totals[-1] if totals else 0) + each.gained)
    total = totals[-1] if totals else 0
    if total >= target:
        return Standing(tuple(totals), "reached")
    if resisted and total <= -target:
        return Standing(tuple(totals), "lost")
    late = len(played) >= (roll.declaration.deadline or ROUNDS_MOST)
    return Standing(tuple(totals), "late" if late else "")
