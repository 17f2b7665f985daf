"""The value of a game: every line of play is tried, and what is found is kept.

The league picks the move that is worth most; an honest secret is a fair coin. Values are whole
numbers of 1/ONE while they are computed, so they are exact.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from tests.model.logs import EMPTY, Fold, Log, step
from tests.model.moves import Folded, Move, State, moves, start
from tests.model.seats import content
from tests.model.shares import Game

ONE = 1 << 20
SHORTEST = 5
"""Two anchors, a declaration, an ask and a throw: without them nothing stands."""


class Found(NamedTuple):
    """A game's value, how many states were looked at, and one best line of play."""

    value: Fraction
    states: int
    line: tuple[str, ...]


def folder(game: Game) -> Folded:
    """What a log comes to under the game's rules, kept for each log that was looked at."""
    known: dict[Log, Fold | None] = {(): EMPTY}

    def folded(log: Log) -> Fold | None:
        if log not in known:
            before = folded(log[:-1])
            known[log] = before and step(game.rules, before, log[-1])
        return known[log]

    return folded


def won(game: Game, state: State, fold: Fold) -> bool:
    """Whether the deed's throw stands, shows the face, and nobody finds anything."""
    return (
        fold.face == 1
        and bool(set(fold.asked) & set(game.honest))
        and (fold.ask is None or "open-look" not in game.rules)
        and all(content(game.rules, seat, state.log, fold) for seat in state.seats)
    )


def over(game: Game, fold: Fold) -> bool:
    """Whether the deed is thrown, and the log can neither be cut nor the deed declared again."""
    binding = {"again-look", "epoch-look", "keeps", "extends"}
    return fold.face is not None and binding <= game.rules


def outcomes(move: Move) -> Iterator[State]:
    """The states that a move leads to: one for each way its secrets may come out."""
    state = move.state
    seat = state.seats[move.whose]
    for bits in product((0, 1), repeat=len(move.secrets)):
        coins = seat.coins | set(zip(move.secrets, bits, strict=True))
        held = list(state.seats)
        held[move.whose] = seat._replace(coins=coins)
        yield state._replace(seats=tuple(held)) if move.secrets else state


def search(game: Game) -> Found:
    """The best that the league can do, with a line of play from the shortest logs that do for it.

    A sure way is looked for in short logs first: where there is one, the long ones are not tried.
    """
    best = None
    for size in range(SHORTEST, game.size + 1):
        found = searched(game._replace(size=size))
        if best is None or found.value > best.value:
            best = found
        best = best._replace(states=found.states)
        if best.value == 1:
            break
    assert best is not None
    return best


def searched(game: Game) -> Found:
    """The best that the league can do, with one search."""
    folded = folder(game)
    known: dict[State, int] = {}

    def value(state: State) -> int:
        if state in known:
            return known[state]
        fold = folded(state.log)
        assert fold is not None
        best = ONE * won(game, state, fold)
        if not best and not over(game, fold):
            for move in moves(game, state, folded):
                best = max(best, worth(move))
                if best == ONE:
                    break
        known[state] = best
        return best

    def worth(move: Move) -> int:
        values = [value(state) for state in outcomes(move)]
        return sum(values) // len(values)

    def line(state: State) -> Iterator[str]:
        fold = folded(state.log)
        while fold is not None and not won(game, state, fold) and known[state]:
            best = next(m for m in moves(game, state, folded) if worth(m) == known[state])
            yield best.words
            # Of a secret that comes out, the way that is worse for the league.
            state = min(outcomes(best), key=value)
            fold = folded(state.log)

    begin = start(game)
    total = value(begin)
    return Found(Fraction(total, ONE), len(known), tuple(line(begin)))
