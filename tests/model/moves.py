"""What host, roller and their league may do next in the model."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

from tests.model import seats
from tests.model.logs import LEAGUE, Entry, Fold, Link, Log, place
from tests.model.logs import entry as write
from tests.model.seats import Answer, Seat
from tests.model.shares import Game

BITS = (0, 1)


class State(NamedTuple):
    """The log as the league has it now, the honest seats, and how many cuts are left."""

    log: Log
    seats: tuple[Seat, ...]
    cuts: int


class Move(NamedTuple):
    """One move in words, the state that it leads to, and whose secrets it brings out."""

    words: str
    state: State
    whose: int = 0
    secrets: tuple[Link, ...] = ()


Folded = Callable[[Log], Fold | None]
"""What a log comes to; None where it holds a finding."""


def start(game: Game) -> State:
    """An empty log, and clients that have drawn their secrets."""
    return State((), tuple(Seat(name) for name in game.honest), game.cuts)


# --- entries ------------------------------------------------------------------------------------


def entries(game: Game, fold: Fold, held: Mapping[str, Seat], *, new: bool) -> Iterator[Entry]:
    """Every entry that might be written next; whether a rule forbids it, the audit says.

    new: no secret is out yet and nothing is cut. Then a first bit is as good as the other one: to
    flip every bit of its kind and every secret of the honest seat leaves each throw what it was.
    That holds where this seat is in every throw.
    """
    bits = (0,) if new and {"all-open", "who-asked"} <= game.rules and len(held) == 1 else BITS
    if fold.ask is not None:
        yield from _throws(game, fold, held)
        yield from (write("break", bit=bit) for bit in _bits(fold))
    elif fold.roll is not None and fold.roll.roller in held:
        yield from (write("nonce", bit=bit) for bit in _sent(game, held[fold.roll.roller]))
    if fold.roll is not None and fold.roll.roller not in held and fold.asks < game.tries:
        yield from _asks(game, fold, bits)
    if fold.roll is not None and fold.epoch is None:
        yield from (write("epoch", bit=bit) for bit in _bits(fold))
    yield from _anchors(game, fold, held, bits)
    yield from _declarations(game, fold, bits)
    # Before the ask it changes nothing: the ask names the dice as they are by then.
    if fold.ask is not None and not fold.effect:
        yield write("effect")


def _bits(fold: Fold) -> Sequence[int]:
    """The bits of a secret; what another roll than the deed shows is of no account."""
    return BITS if fold.roll is not None and fold.roll.deed else (0,)


Bits = Sequence[int]


def _chains(game: Game, fold: Fold, seat: Seat) -> Iterator[int]:
    """The chains that a seat has made, without those whose client finds them out of place."""
    tied = {"tied", "chains-end", "mine"} <= game.rules
    for chain, birth in enumerate(seat.births):
        if birth == fold.epoch or not tied:
            yield chain


def _anchors(game: Game, fold: Fold, held: Mapping[str, Seat], bits: Bits) -> Iterator[Entry]:
    """Anchors of every seat, two at most behind each epoch.

    Of two that stand side by side only one order is tried, and none right behind a declaration by
    the league, before which it may stand as well. One that the league makes for an honest
    seat is tried where its client does not look for it: else no log that holds it can stand.
    """
    if fold.last.kind == "declare" and fold.last.who in game.league:
        return
    made = [who for who, _, epoch in fold.made if epoch == fold.epoch]
    for who in (*game.league, *held):
        if made.count(who) > 1 or (fold.last.kind == "anchor" and who < fold.last.who):
            continue
        if who in held:
            yield from (write("anchor", who, chain) for chain in _chains(game, fold, held[who]))
        if who not in held or "mine" not in game.rules:
            some = bits if who == game.league[0] and game.league[0] not in made else BITS
            yield from (write("anchor", who, bit=bit) for bit in some)


def _declarations(game: Game, fold: Fold, bits: Bits) -> Iterator[Entry]:
    rollers = (game.league[0], game.honest[0]) if game.player else game.league[:1]
    if fold.deeds < game.tries:
        some = BITS if fold.deeds else bits
        yield from (
            write("declare", who, deed=True, bit=bit) for who, bit in product(rollers, some)
        )
    # One other roll, before the deed: later ones could tell nothing of use.
    if game.other and not fold.deeds and fold.roll is None and not fold.thrown:
        yield from (write("declare", who) for who in rollers)


def _asks(game: Game, fold: Fold, bits: Bits) -> Iterator[Entry]:
    """Asks of every set of seats with an honest one in it, for either die."""
    assert fold.roll is not None
    at = fold.roll.leaf[0]
    some = BITS if fold.asks else bits
    dice = some if "dice-asked" in game.rules and fold.roll.deed else (0,)
    for names in _sets(game) if "who-asked" in game.rules else ((),):
        for places in product(*(_places(game, fold, name) for name in names)):
            parts = tuple(zip(names, places, strict=True))
            yield from (write("ask", dice=die, at=at, parts=parts) for die in dice)


def _sets(game: Game) -> Iterator[tuple[str, ...]]:
    """The roller with every set of others that has an honest seat in it."""
    others = (*game.honest, *game.league[1:])
    for size in range(1, len(others) + 1):
        for names in combinations(others, size):
            if set(names) & set(game.honest):
                yield (game.league[0], *names)


def _places(game: Game, fold: Fold, name: str) -> Iterable[int]:
    """The i that an ask may name: of a seat of the league the next one, its links are alike."""
    if name in game.honest:
        return range(1, game.tries + 1)
    return (fold.anchors[name].asks + 1 if name in fold.anchors else 1,)


def _throws(game: Game, fold: Fold, held: Mapping[str, Seat]) -> Iterator[Entry]:
    """Throws of every set of the shares that may be had, with any S and any die."""
    assert fold.ask is not None
    anchors = fold.ask.anchors if "anchored-before" in game.rules else fold.anchors
    named = [seat for seat, _ in fold.ask.leaf[1].parts] or list(_everyone(game))
    roller, *others = named
    had = {seat: _shares(game, fold, held, seat) for seat in named if seat in anchors}
    if roller not in had:
        return
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            names = (roller, *chosen)
            for bits in product(*(had.get(name, ()) for name in names)):
                parts = tuple(zip(names, bits, strict=True))
                for bit, die in product(BITS, BITS):
                    yield write("throw", bit=bit, dice=die, parts=parts)


def _everyone(game: Game) -> tuple[str, ...]:
    return (game.league[0], *game.honest, *game.league[1:])


def _shares(game: Game, fold: Fold, held: Mapping[str, Seat], name: str) -> Sequence[int]:
    """The bits that a seat's share may be given."""
    assert fold.ask is not None
    if "share-fits" not in game.rules:
        return BITS
    anchors = fold.ask.anchors if "anchored-before" in game.rules else fold.anchors
    if anchors[name].chain == LEAGUE:
        return (anchors[name].bit,)
    known = held[name].known(place(game.rules, fold, name))
    return () if known is None else (known,)


def _sent(game: Game, seat: Seat) -> Iterable[int]:
    """The bits that a nonce may be given: an audit cannot know which one was sent."""
    if "mine" not in game.rules:
        return BITS
    return sorted({bit for _, link in seat.sent if (bit := seat.known(link)) is not None})


# --- moves --------------------------------------------------------------------------------------


def moves(game: Game, state: State, folded: Folded) -> Iterator[Move]:
    """Every move: write an entry, show a seat a head, ask without one, cut and write otherwise."""
    fold = folded(state.log)
    assert fold is not None
    held = {seat.name: seat for seat in state.seats}
    new = state.cuts == game.cuts and not any(seat.coins for seat in state.seats)
    for entry in entries(game, fold, held, new=new) if fold.size < game.size else ():
        if folded(log := (*state.log, entry)) is not None:
            yield Move(_words(entry), state._replace(log=log))
    for number in range(len(state.seats)):
        yield from _showings(game, state, number, folded)
        yield from _requests(game, state, number)
    yield from _cuts(game, state, held, folded)


def _words(entry: Entry) -> str:
    """An entry as a line of play has it."""
    names = " ".join(name for name, _ in entry.parts)
    deed = " the deed" if entry.deed else ""
    return " ".join(word for word in (f"{entry.kind}{deed}", entry.who or names) if word)


def _after(state: State, number: int, answer: Answer, words: str) -> Move:
    held = (*state.seats[:number], answer.seat, *state.seats[number + 1 :])
    return Move(words, state._replace(seats=held), number, answer.secrets)


def _few(game: Game, answer: Answer) -> bool:
    """Whether a seat has not been brought to tell more than the game allows."""
    return len(answer.seat.coins) + len(answer.secrets) <= game.tries


TELLING = frozenset({"ask", "declare", "epoch"})
"""The entries behind which a head is worth showing; and the newest head."""


def _showings(game: Game, state: State, number: int, folded: Folded) -> Iterator[Move]:
    """Show a seat a head of the log, or of any beginning of it.

    A head that brings nothing out is not shown: it would bind the league for nothing. The others
    are those over which the client sends something, makes a chain, or lets go of another log.
    """
    seat = state.seats[number]
    for size in range(1, len(state.log) + 1):
        if size < len(state.log) and state.log[size - 1].kind not in TELLING:
            continue
        log = state.log[:size]
        fold = folded(log)
        assert fold is not None
        answer = seats.shown(game.rules, seat, log, fold)
        if answer is None or not _few(game, answer):
            continue
        lets_go = seat.view[:size] != log and not seats.extends(seat.view, log)
        alike = answer.seat._replace(view=seat.view, past=seat.past) == seat
        if answer.secrets or lets_go or not alike:
            words = f"{seat.name} sees {size} of {len(state.log)}"
            tells = f", tells {len(answer.secrets)}" if answer.secrets else ""
            yield _after(state, number, answer, words + tells)


def _requests(game: Game, state: State, number: int) -> Iterator[Move]:
    """Ask a client without a head for a link or a nonce, or for another nonce."""
    seat = state.seats[number]
    answers: list[tuple[str, Answer]] = []
    if "covers" not in game.rules:
        answers.append((f"{seat.name} opens without a head", seats.bare(seat)))
    if "c-over-head" not in game.rules:
        words = f"{seat.name} sends c without a head"
        answers.append((words, seats.nonce(game.rules, seat, None, None)))
    if "one-c" not in game.rules and seat.sent and seat.sent[-1][0] is not None:
        again = seats.nonce(game.rules, seat, seat.sent[-1][0], None)
        answers.append((f"{seat.name} sends another c", again))
    yield from (
        _after(state, number, answer, words)
        for words, answer in answers
        if answer.secrets and _few(game, answer)
    )


def _cuts(game: Game, state: State, held: Mapping[str, Seat], folded: Folded) -> Iterator[Move]:
    """Cut the log back below what a seat has seen, and write another entry there.

    What nobody has seen need not be cut: it might as well not have been written yet.
    """
    strict = {"keeps", "extends"} <= game.rules
    if not state.cuts or (strict and "epoch-look" in game.rules):
        return
    seen = max(_common(seat.view, state.log) for seat in state.seats)
    for size in range(seen):
        fold = folded(state.log[:size])
        assert fold is not None
        for entry in entries(game, fold, held, new=False):
            # A log that goes back without an epoch could be shown to nobody any more.
            if entry == state.log[size] or (strict and entry.kind != "epoch"):
                continue
            if folded(log := (*state.log[:size], entry)) is not None:
                words = f"cut to {size}, {_words(entry)}"
                yield Move(words, State(log, state.seats, state.cuts - 1))


def _common(view: Log, log: Log) -> int:
    """How many entries two logs begin with alike."""
    alike = 0
    for one, other in zip(view, log, strict=False):
        if one != other:
            break
        alike += 1
    return alike
