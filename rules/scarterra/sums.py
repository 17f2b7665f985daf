"""How the numbers of a Scarterra outcome or its damage add up, and which dice make which of them.

Both sums are made from what was announced alone.
"""

from collections.abc import Iterator, Mapping

from ..figures import Sum, Term, Value, name_of, number, term_value
from ..ruleset import Damage, Hand, Outcome, Roll, Want, to_reach
from .figures import IN_POOL
from .options import MOST
from .outcome import key_of
from .score import INITIATOR, hand_name, sides
from .settle import difficulty_of

Figures = Mapping[str, Value]

SIDES = ("", "opponent_", "helper_")
"""What the names of a side's figures begin with."""


# --- outcomes -------------------------------------------------------------------------------------


def sums(outcome: Outcome) -> tuple[Sum, ...]:
    """How every number of the outcome comes out, its margin last."""
    found = [sum_ for part in PARTS for sum_ in part(outcome.figures)]
    return (*found, Sum(total="margin", terms=_margin(outcome)))


def _pools(figures: Figures) -> Iterator[Sum]:
    """Each side's pool, and what one of several actions takes from it."""
    for side, who in _sides(figures, "pool"):
        if f"{side}action_penalty{who}" in figures:
            before = number(figures, f"{side}action{who}") - 1
            terms = (
                Term(f"{side}actions{who}", -1),
                Term("actions_before", -1, constant=before),
            )
            yield Sum(total=f"{side}action_penalty{who}", terms=terms)
        names = {f"{side}{name}{who}" for name in IN_POOL}
        yield Sum(total=f"{side}pool{who}", terms=_terms(figures, names))


def _terms(figures: Figures, names: set[str]) -> tuple[Term, ...]:
    """The figures of these names, with the parts of their families."""
    return tuple(
        Term(key)
        for key in figures
        if key in names or any(key.startswith(f"{name}:") for name in names)
    )


def _sides(figures: Figures, name: str) -> Iterator[tuple[str, str]]:
    """The sides that have this figure: what its key begins with, and `:` with a helper's id."""
    for key in figures:
        for side in SIDES:
            if name_of(key) == f"{side}{name}":
                yield side, key.removeprefix(f"{side}{name}")


def _difficulty(figures: Figures) -> Iterator[Sum]:
    """The difficulty of a further try, 10 at most (Trying it Again)."""
    if "first_difficulty" not in figures:
        return
    terms = [Term("first_difficulty")]
    if "harder" in figures:
        each = number(figures, "harder_each")
        yield Sum(total="harder", terms=(Term("further_try", each),))
        terms.append(Term("harder"))
    yield Sum(total="difficulty", terms=tuple(terms), most=MOST)


def _nets(figures: Figures) -> Iterator[Sum]:
    """Net successes: each 1 takes one away (The Rule of “1”)."""
    for side in (*SIDES, "round_"):
        for key in figures:
            if name_of(key) == f"{side}successes":
                who = key.removeprefix(f"{side}successes")
                terms = (Term(key), Term(f"{side}ones{who}", -1))
                yield Sum(total=f"{side}net{who}", terms=terms)


def _counted(figures: Figures, key: str, times: int = 1, against: int = 1) -> Term:
    """Net successes as they count together with another's: at 0 or more, or below it as well.

    Then who resists, or is resisted, must have some `against` them.
    """
    below = "below_zero" in figures and against > 0
    return Term(key, times if below or number(figures, key) >= 0 else 0)


def _compared(figures: Figures, own: str, theirs: str, ahead: int = 1) -> tuple[Term, ...]:
    """The net successes of two sides, the second one's taken away; of those who have thrown."""
    sides = {own: (theirs, ahead), theirs: (own, -ahead)}
    nets = {key: number(figures, key) for key in sides if key in figures}
    return tuple(
        _counted(figures, key, times, nets.get(other, 0))
        for key, (other, times) in sides.items()
        if key in nets
    )


def _together(figures: Figures) -> Iterator[Sum]:
    """The net successes of all who cooperate, and those by which the winner is ahead."""
    if "together" in figures:
        nets = (key for key in figures if name_of(key) in ("net", "helper_net"))
        yield Sum(total="together", terms=tuple(_counted(figures, key) for key in nets))
    if "winner_successes" in figures:
        yield Sum(total="winner_successes", terms=_lead(figures, _ahead(figures, "winner")))


def _margin(outcome: Outcome) -> tuple[Term, ...]:
    """What the margin is the sum of, by the kind of roll."""
    figures = outcome.figures
    if "target" in figures:
        return (Term("total"), *(() if "opponent" in figures else (Term("target", -1),)))
    if "together" in figures:
        return (Term("together", 0 if outcome.degree == "botch" else 1),)
    if "opponent" not in figures:
        return (Term("net"),)
    if "winner_successes" in figures:
        return (Term("winner_successes", _ahead(figures, "winner")),)
    return _lead(figures, 1)


def _lead(figures: Figures, ahead: int) -> tuple[Term, ...]:
    """The net successes of one side less those of the other, the roller's first at `ahead` 1."""
    return _compared(figures, "net", "opponent_net", ahead)


def _ahead(figures: Figures, who: str) -> int:
    """1 where the roller wins or leads, -1 where the opponent does."""
    return -1 if figures[who] == figures["opponent"] else 1


# --- extended rolls -------------------------------------------------------------------------------


def _rounds(figures: Figures) -> Iterator[Sum]:
    """The total after each round: what there was, and what everybody adds or takes away."""
    before: tuple[Term, ...] = ()
    for key in figures:
        if name_of(key) == "round_total":
            of = key.removeprefix("round_total")
            lost = f"round_lost{of}"
            nets = _of_round(figures, of)
            if lost in figures:
                if before:
                    yield Sum(total=lost, terms=before)
                nets = (*(Term(term.figure, 0) for term in nets), Term(lost, -1))
            least = None if lost in figures else _least(figures, before, nets)
            yield Sum(total=key, terms=(*before, *nets), least=least)
            before = (Term(key),)


def _of_round(figures: Figures, of: str) -> tuple[Term, ...]:
    """What counts of everybody in a round; what the opponent has is taken away."""
    nets = [key for key in figures if key.startswith(f"round_net{of}:")]
    if "opponent" not in figures:
        return tuple(_counted(figures, key) for key in nets)
    theirs = f"round_net{of}:{figures['opponent']}"
    own = next((key for key in nets if key != theirs), "")
    return _compared(figures, own, theirs if theirs in figures else "opponent_net")


def _least(figures: Figures, before: tuple[Term, ...], nets: tuple[Term, ...]) -> int | str | None:
    """A round in which a pool fell below 0 takes nothing from those before (Extended Rolls)."""
    if "opponent" in figures or sum(term_value(figures, term) for term in nets) >= 0:
        return None
    return before[0].figure if before else 0


def _extended(figures: Figures) -> Iterator[Sum]:
    """The total of all rounds, the part of the target that it is, and who leads by how much."""
    if "total" in figures:
        last = [key for key in figures if name_of(key) == "round_total"][-1]
        yield Sum(total="total", terms=(Term(last),))
    if "percent" in figures:
        yield Sum(total="percent", terms=(Term("total", 100),), per="target", most=100)
    if "lead" in figures:
        yield Sum(total="lead", terms=(Term("total", _ahead(figures, "leader")),))
    for name, theirs in (("gathered", False), ("opponent_gathered", True)):
        if name in figures:
            nets = [key for key in figures if name_of(key) == "round_net"]
            own = [key for key in nets if key.endswith(f":{figures['opponent']}") == theirs]
            yield Sum(total=name, terms=tuple(_counted(figures, key) for key in own))


PARTS = (_pools, _difficulty, _nets, _together, _rounds, _extended)
"""The sums of an outcome but for its margin, in the order of a roll."""


# --- damage ---------------------------------------------------------------------------------------


def damage_sums(damage: Damage) -> tuple[Sum, ...]:
    """How the damage comes out, its amount last; `margin` is that of the attack, or of the soak."""
    figures = damage.figures
    soaks = "soaked" in figures
    found = [
        Sum(total="soaked", terms=(Term("margin"),), least=0)
        if soaks
        else Sum(total="attack", terms=(Term("margin"),)),
        Sum(total="damage", terms=(Term("attack"), Term("weapon"))),
        Sum(
            total="left",
            terms=(Term("damage"), *((Term("soaked", -1),) if soaks else ())),
            least=0,
        ),
    ]
    if "filled" in figures:
        room = "room" if "room" in figures else None
        found.append(Sum(total="filled", terms=(Term("left"),), most=room))
    if "beyond" in figures:
        found.append(Sum(total="beyond", terms=(Term("left"), Term("filled", -1))))
    return (*found, Sum(total="amount", terms=(Term("left"),)))


# --- dice -----------------------------------------------------------------------------------------


def wants(roll: Roll, hand: Hand) -> tuple[Want, ...]:
    """The difficulty that dice of the side that throws the hand are to reach."""
    found = sides(roll).get(hand.name.split(":", 1)[1] if hand.name[0].isdigit() else hand.name)
    return () if found is None else to_reach(difficulty_of(roll, found[1], roll.options), hand)


def counts(roll: Roll) -> dict[str, tuple[str, ...]]:
    """The dice that are successes, and those that take one away, of everybody so far.

    Of several in an extended roll only the net successes are announced: both kinds make them.
    """
    hands = {hand.name: hand for hand in roll.hands}
    throwing = sides(roll)
    found: dict[str, tuple[str, ...]] = {}
    of = 1
    while hand_name(INITIATOR, of) in hands:
        for name, (who, side) in throwing.items():
            hand = hands.get(hand_name(name, of))
            if hand is not None:
                good, ones = _counting(hand, difficulty_of(roll, side, roll.options))
                if roll.declaration.target is None:
                    begins, ends = key_of(name, who)
                    found |= {f"{begins}successes{ends}": good, f"{begins}ones{ends}": ones}
                elif len(throwing) == 1:
                    found |= {f"round_successes:{of}:{who}": good, f"round_ones:{of}:{who}": ones}
                else:
                    found[f"round_net:{of}:{who}"] = good + ones
        of += 1
    return found


def _counting(hand: Hand, difficulty: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of its successes and of its ones."""
    good = tuple(die.id for die in hand.dice if int(die.face) >= difficulty)
    return good, tuple(die.id for die in hand.dice if die.face == 1)
