"""The laws about offers: well formed, possible, and exactly as wide as what is accepted."""

from collections.abc import Iterator

from ....errors import Refused
from ....events.base import Face
from ....projections.automaton import LIVE
from ....projections.rollstate import RollState
from ....projections.tables import TableState
from ....rules.ruleset import Offer
from ...core.commands import AnyRollCommand
from ...core.fitting import fitting
from ...core.machine import DOORS
from ...core.offers import describe, due
from .moves import BEYOND, WITHIN
from .play import History
from .trial import LawBroken, Moment


def check_offers(history: History, moment: Moment) -> None:
    """What is offered in the moment's roll keeps every law about offers."""
    state, roll = moment.state, moment.roll
    offered = history.offers(roll)
    _goes_on(history, roll, offered)
    for offer in offered:
        history.report.offered.add((roll.state, offer.trigger))
        if offer.trigger not in history.trial.ruleset.triggers:
            why = f"{offer.trigger} is offered, but none of the ruleset's triggers"
            raise LawBroken("offers", why, history.story)
        for why in _ill_formed(state, roll, offer):
            raise LawBroken("offers", f"{describe(offer)!r}: {why} ({offer})", history.story)
        _fits(history, roll, offered, offer)
    for offer in due(offered):
        history.probe(roll, offer)


def _goes_on(history: History, roll: RollState, offered: tuple[Offer, ...]) -> None:
    if roll.state in LIVE and not any(offer.trigger != "flavour" for offer in offered):
        raise LawBroken("goes-on", f"roll {roll.number} is offered nothing", history.story)
    if roll.state not in LIVE and due(offered):
        what = ", ".join(map(describe, due(offered)))
        raise LawBroken("goes-on", f"resolved, roll {roll.number} waits for {what}", history.story)


def _ill_formed(state: TableState, roll: RollState, offer: Offer) -> Iterator[str]:
    """What is wrong with an offer."""
    if offer.trigger != "declare" and (roll.state, offer.trigger) not in DOORS:
        yield f"state {roll.state} knows no {offer.trigger}"
    if offer.trigger == "flavour":
        if offer.character:
            yield "flavour is the narrators', so it names no character"
    elif offer.character not in state.characters:
        yield f"no character {offer.character!r} is at the table"
    if offer.trigger == "resolve" and offer.due:
        yield "resolving cannot be due before resolving"
    if offer.trigger == "declare" and not offer.link:
        yield "a following roll needs a link"
    if offer.choice and not offer.options:
        yield "there is nothing to choose from"
    checks = {"roll": _throw, "freeze": _handling, "reroll": _reroll, "adjust": _adjust}
    if offer.trigger in checks:
        yield from checks[offer.trigger](state, roll, offer)


def _throw(state: TableState, roll: RollState, offer: Offer) -> Iterator[str]:
    faces = state.game.ruleset.faces(state.game.options)
    if not offer.hand or roll.roll.hand(offer.hand) is not None:
        yield "a throw names a hand that was not thrown yet"
    for kind in dict.fromkeys(offer.dice):
        if kind not in faces:
            yield f"no faces are known for the kind {kind!r}"
        elif set(faces[kind]) <= set(offer.again):
            yield f"every face of {kind!r} would be thrown again, for ever"
    for option in offer.options:
        if not isinstance(option, int) or not 0 <= option <= len(offer.dice):
            yield f"{option!r} is no number of its {len(offer.dice)} dice"


def _handling(state: TableState, roll: RollState, offer: Offer) -> Iterator[str]:
    hand = roll.roll.hand(offer.hand)
    if hand is None:
        yield f"there is no hand {offer.hand!r}"
        return
    ids = {die.id for die in hand.dice}
    yield from (f"{die!r} is no die of {hand.name}" for die in offer.dice if die not in ids)
    if len(set(offer.dice)) != len(offer.dice):
        yield "a die is named twice"
    if not offer.dice:
        yield "no die is named"


def _unfrozen(state: TableState, roll: RollState, offer: Offer) -> Iterator[str]:
    yield from _handling(state, roll, offer)
    hand = roll.roll.hand(offer.hand)
    frozen = {die.id for die in hand.dice if die.frozen} if hand else set()
    yield from (f"{die} is frozen" for die in offer.dice if die in frozen)


def _reroll(state: TableState, roll: RollState, offer: Offer) -> Iterator[str]:
    yield from _unfrozen(state, roll, offer)
    if offer.most < 0 or offer.extra < 0 or offer.most + offer.extra < 1:
        yield f"at most {offer.most} + {offer.extra} dice are none"
    elif not 1 <= offer.least <= offer.most + offer.extra:
        yield f"at least {offer.least} of at most {offer.most} + {offer.extra} dice are none"
    elif offer.least > len(offer.dice):
        yield f"at least {offer.least} dice of {len(offer.dice)}"
    if offer.extra:
        track, price = offer.extra_cost
        there = state.sheet(offer.character).tracks.get(track, 0)
        if track not in state.game.ruleset.tracks(state.game.options):
            yield f"{track!r} is no track to pay from"
        elif offer.extra * price > there:
            yield f"{offer.extra} dice more cost {offer.extra * price} {track}, there are {there}"


def _adjust(state: TableState, roll: RollState, offer: Offer) -> Iterator[str]:
    if offer.choice:
        yield from (f"option {o!r} is no text" for o in offer.options if not _text(o))
        return
    yield from _unfrozen(state, roll, offer)
    if not offer.means:
        yield "it names no means, and no choice"
    if offer.most < 1:
        yield f"a cost of at most {offer.most} allows nothing"
    if set(offer.to) != set(offer.dice):
        yield f"faces are given for {' '.join(offer.to)}"
    hand = roll.roll.hand(offer.hand)
    faces = state.game.ruleset.faces(state.game.options)
    for die in hand.dice if hand else ():
        for face, cost in offer.to.get(die.id, {}).items():
            if face not in faces.get(die.kind, ()):
                yield f"{die.id} has no face {face!r}"
            if cost < 0:
                yield f"{die.id} to {face!r} costs {cost}"


def _text(option: Face) -> bool:
    return isinstance(option, str) and bool(option)


def _fits(history: History, roll: RollState, offered: tuple[Offer, ...], offer: Offer) -> None:
    """Exactly what the offer allows is accepted."""
    if offer.trigger not in WITHIN:
        return
    for command in WITHIN[offer.trigger](roll, offer):
        if not _accepted(offered, command, roll):
            raise LawBroken("fits", f"{describe(offer)} refuses {command}", history.story)
    if sum(_kind(other) == _kind(offer) for other in offered) > 1:
        return
    for command in BEYOND[offer.trigger](roll, offer):
        if _accepted(offered, command, roll):
            raise LawBroken("fits", f"{describe(offer)} accepts {command}", history.story)


def _kind(offer: Offer) -> tuple[str, str, str, str]:
    return offer.trigger, offer.hand, offer.means, offer.choice


def _accepted(offered: tuple[Offer, ...], command: AnyRollCommand, roll: RollState) -> bool:
    try:
        fitting(offered, command, roll)
    except Refused:
        return False
    return True
