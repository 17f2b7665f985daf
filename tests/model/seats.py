"""An honest seat of the model: what its client answers to a head, and what it compares."""

from typing import NamedTuple

from tests.model.logs import LEAGUE, Fold, Leaf, Link, Log, place
from tests.model.shares import Rules


class Seat(NamedTuple):
    """What a client holds, and which of its secrets are known.

    view: the log behind its newest head. past: the logs of which an epoch made an end. births: of
    each chain it made, the epoch that it saw last. opened: each link it opened, with the ask (None
    where it saw none). sent: each nonce, with the C that it answered. coins: the bits of the
    secrets that are out: those that it sent, and those that these tell.
    """

    name: str
    view: Log = ()
    past: frozenset[Log] = frozenset()
    births: tuple[Leaf | None, ...] = (None,)
    opened: frozenset[tuple[Link, Leaf | None]] = frozenset()
    sent: tuple[tuple[Leaf | None, Link], ...] = ()
    coins: frozenset[tuple[Link, int]] = frozenset()

    def known(self, link: Link) -> int | None:
        """A secret's bit, where it is known."""
        return next((bit for key, bit in self.coins if key == link), None)


class Answer(NamedTuple):
    """What a client does with what it was shown: itself afterwards, and the secrets it tells."""

    seat: Seat
    secrets: tuple[Link, ...] = ()


def extends(view: Log, log: Log) -> bool:
    """Whether a log goes on from a view, or goes back and says so by an epoch."""
    for place_, entry in enumerate(view):
        if place_ == len(log):
            return False
        if log[place_] != entry:
            return log[place_].kind == "epoch"
    return True


def consistent(seat: Seat, log: Log) -> bool:
    """Whether a log agrees with every head that the client holds."""
    return extends(seat.view, log) and all(extends(view, log) for view in seat.past)


def shown(rules: Rules, seat: Seat, log: Log, fold: Fold) -> Answer | None:
    """What the client does over a signed head of this log; None where it finds fault with it."""
    if "extends" in rules and not consistent(seat, log):
        return None
    if "mine" in rules and not all(_is_own(rules, seat, *made) for made in fold.made):
        return None
    back = extends(seat.view, log) and seat.view != log[: len(seat.view)]
    if back and "old-heads" in rules:
        seat = seat._replace(past=seat.past | {seat.view})
    seat = seat._replace(view=log)
    if "chains-end" in rules and seat.births[-1] != fold.epoch:
        seat = seat._replace(births=(*seat.births, fold.epoch))
    if fold.ask is not None:
        return _asked(rules, seat, fold)
    if fold.roll is not None and fold.roll.roller == seat.name:
        return _sends(rules, seat, fold)
    return Answer(seat)


def _is_own(rules: Rules, seat: Seat, who: str, chain: str | int, epoch: Leaf | None) -> bool:
    """Whether an anchor of this seat is the client's, behind the epoch that its chain is for."""
    if who != seat.name:
        return True
    if chain == LEAGUE:
        return False
    return not {"tied", "chains-end"} <= rules or seat.births[int(chain)] == epoch


def _asked(rules: Rules, seat: Seat, fold: Fold) -> Answer | None:
    """Open the link that the ask wants, where this seat is asked and the link is for this ask."""
    assert fold.ask is not None
    leaf = fold.ask.leaf
    anchors = fold.ask.anchors if "anchored-before" in rules else fold.anchors
    named = seat.name in dict(leaf[1].parts) or "who-asked" not in rules
    if not named or seat.name not in anchors:
        return Answer(seat)
    chain, i = place(rules, fold, seat.name)
    if chain == LEAGUE:
        return Answer(seat)
    if "counts" in rules and i != anchors[seat.name].asks:
        return None
    if "one-ask" in rules and not _free(seat, (chain, i), leaf, fold):
        return None
    return Answer(
        seat._replace(opened=seat.opened | {((chain, i), leaf)}), _tells(seat, (chain, i))
    )


def _free(seat: Seat, link: Link, leaf: Leaf, fold: Fold) -> bool:
    """Whether a link was opened for this ask alone, or else for asks that gave it back."""
    others = {old for key, old in seat.opened if key == link} - {leaf, None}
    return others <= fold.broken


def _tells(seat: Seat, link: Link) -> tuple[Link, ...]:
    """The links that become known with this one: those below it too."""
    chain, i = link
    return tuple((chain, j) for j in range(1, i + 1) if seat.known((chain, j)) is None)


def _sends(rules: Rules, seat: Seat, fold: Fold) -> Answer:
    """Send a nonce for the C of the seat's own roll; one that was sent is sent again."""
    assert fold.roll is not None
    if any(leaf == fold.roll.leaf for leaf, _ in seat.sent):
        return Answer(seat)
    return nonce(rules, seat, fold.roll.leaf, fold)


def nonce(rules: Rules, seat: Seat, leaf: Leaf | None, fold: Fold | None) -> Answer:
    """Send another nonce for this C: a fresh secret, or the chain's next link without its rule."""
    link: Link = ("c", len(seat.sent))
    if "c-fresh" not in rules and fold is not None and seat.name in fold.anchors:
        anchor = fold.anchors[seat.name]
        if anchor.chain != LEAGUE:
            link = (anchor.chain, anchor.asks + 1)
    seat = seat._replace(sent=(*seat.sent, (leaf, link)))
    return Answer(seat, () if seat.known(link) is not None else (link,))


def bare(seat: Seat) -> Answer:
    """Open the next link for a request that no head covers."""
    chain = len(seat.births) - 1
    i = 1 + max((i for (own, i), _ in seat.opened if own == chain), default=0)
    link: Link = (chain, i)
    return Answer(seat._replace(opened=seat.opened | {(link, None)}), _tells(seat, link))


def content(rules: Rules, seat: Seat, log: Log, fold: Fold) -> bool:
    """Whether the player, who compares at the end, finds nothing wrong with the log."""
    if "keeps" in rules and not consistent(seat, log):
        return False
    if "mine" in rules and not all(_is_own(rules, seat, *made) for made in fold.made):
        return False
    return all(
        _bound(rules, seat, thrown.leaf, link, bit, fold)
        for thrown in fold.thrown
        for who, link, bit in thrown.links
        if who == seat.name
    )


def _bound(rules: Rules, seat: Seat, leaf: Leaf, link: Link, bit: int, fold: Fold) -> bool:
    """Whether a share or nonce of this seat in a throw is one it made, and for this ask or C."""
    if link[0] == "c":
        return "mine" not in rules or any(
            answered in (leaf, None) and seat.known(own) == bit for answered, own in seat.sent
        )
    if link[0] == LEAGUE:
        return "mine" not in rules
    opened = {ask for key, ask in seat.opened if key == link}
    if "mine" in rules and not (opened and seat.known(link) == bit):
        return False
    return "one-ask" not in rules or not opened or opened - {leaf, None} <= fold.broken
