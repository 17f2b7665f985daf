"""How host, roller and their league try to get the face that they want: what each way does.

Each begins an evening of its own, and plays on honestly where there is nothing to be had. Where it
knows how the deed falls, it stands by what it likes and tries to get rid of the rest.
"""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from msgspec.structs import replace

from tests.engine.helpers.tables.ground import blank, fallen, ground
from tests.engine.helpers.tables.host import twisted
from tests.engine.helpers.tables.stages import restore
from tests.model.endings import ENDINGS
from tests.model.real import (
    GRINDING,
    HAND,
    HONEST,
    LEAGUE,
    OTHER,
    ROLLER,
    Play,
    wanted,
)
from urim.engine.core import commands
from urim.events.roll import ShareOpened
from urim.events.share import link
from urim.events.table import ShareAnchored

Way = Callable[[str], Play]
"""Plays a schedule from a seed, to its end."""


# --- after the share: the throw is known, and is not liked ----------------------------------------


def plain(seed: str) -> Play:
    """The league takes what comes."""
    play = Play(seed)
    play.to_the_ask()
    if play.hear() is not None:
        play.finish()
    return play


def disliked(seed: str, rid: Callable[[Play, str], None], *seats: str) -> Play:
    """All honest until the honest share is out; then it is got rid of, if it does not suit."""
    play = Play(seed)
    play.to_the_ask(seats=seats)
    heard = play.hear()
    if heard is None:
        return play
    if play.suits(play.shares(heard)):
        play.finish()
    else:
        rid(play, heard)
    return play


def again(move: Callable[[Play, str], str | None], times: int) -> Callable[[Play, str], None]:
    """Get rid of throws by a move that leads to another ask, so many times at most."""

    def rid(play: Play, heard: str) -> None:
        for _ in range(times):
            found = move(play, heard)
            if found is None or play.suits(play.shares(found)):
                break
        if play.held is not None:
            play.finish()

    return rid


def broken_off(play: Play, heard: str) -> str | None:
    """The roller keeps its share back, the throw is broken off and asked for again."""
    play.log_held()
    waiting = play.host.state.ask
    for seat in () if waiting is None else waiting.waiting:
        if seat != ROLLER:
            play.host.open(seat)
    play.host.break_off()
    play.ask()
    return play.hear()


def restored(play: Play, heard: str) -> str | None:
    """The host begins an epoch: another secret, other chains, and another ask."""
    play.held = None
    play.epochs += 1
    restore(play.host, play.epochs)
    play.show()
    play.anchor((ROLLER, HONEST))
    if play.host.state.seats[HONEST].anchor is None:
        return None
    play.ask()
    return play.hear()


def declared_again(play: Play, heard: str) -> str | None:
    """The roll is left as it fell, and the same is declared again."""
    play.finish()
    play.declare()
    play.ask()
    return play.hear()


def mixed(play: Play, heard: str) -> None:
    """Some of these, in any order, and at last perhaps a forgery."""
    for _ in range(play.luck.below(3)):
        move = play.luck.one_of((broken_off, restored, declared_again))
        found = move(play, heard)
        if found is None:
            return
        heard = found
        if play.suits(play.shares(heard)):
            play.finish()
            return
    play.luck.one_of(FORGED)(play, heard)


def rewritten(play: Play, heard: str) -> None:
    """The log is cut back to before the ask, which names other seats then."""
    waiting = play.host.state.ask
    assert waiting is not None
    before = [seat for seat, _ in waiting.asked]
    play.host = play.again(play.host.entries[: waiting.seq - 1])
    for left in product((False, True), repeat=2):
        seats = (s for s, gone in zip(play.anchored(), left, strict=False) if not gone)
        named = tuple(sorted({ROLLER, HONEST, *seats}))
        trial, cut = play.again(play.host.entries), play.host
        trial.ask_for(play.number, ROLLER, HAND, seats=named)
        play.host = trial
        if list(named) != before and play.suits(play.shares(heard)):
            break
        play.host = cut
    else:
        play.host.ask_for(play.number, ROLLER, HAND, seats=tuple(before))
    play.finish()


def other_seed(play: Play, heard: str) -> None:
    """The throw opens another seed than was committed to."""

    def twist(event: Any) -> Any:
        base = ground(play.host, event)
        for each in range(GRINDING):
            other = replace(base, seed=play.host.drawn(f"another seed {each}"))
            if wanted((found := fallen(event, other)).dice[0].face):
                return found
        return event

    play.log_held()
    play.host.open_all(twist)


def other_die(play: Play, heard: str) -> None:
    """The throw is made with a die of another kind than was planned."""

    def twist(event: Any) -> Any:
        base, kinds = ground(play.host, event), play.host.state.game.faces
        for kind in kinds:
            found = fallen(event, replace(base, dice=((event.dice[0].die, kind),)))
            if wanted(found.dice[0].face):
                return found
        return event

    play.log_held()
    play.host.open_all(twist)


def other_anchor(play: Play, heard: str) -> None:
    """The roller's anchor is written over: every other entry stays what it was, the ask too."""
    host, entries = play.host, play.host.entries
    anchor = host.state.seats[ROLLER].anchor
    waiting = host.state.ask
    assert anchor is not None and waiting is not None
    i = dict(waiting.asked)[ROLLER]
    first, last, _ = play.suited(i, play.shares(heard))
    forged = twisted(entries[anchor.seq], lambda event: replace(event, anchor=first))
    # A throw before the deed would show another link of the old chain.
    if any(seq > anchor.seq and _opens(play, seq) for seq in range(len(entries))):
        play.finish()
        return
    play.host = play.again((*entries[: anchor.seq], forged, *entries[anchor.seq + 1 :]))
    play.host.chains[first] = last
    play.finish()


def _opens(play: Play, seq: int) -> bool:
    event = play.host.event(seq)
    return isinstance(event, ShareOpened) and event.by == ROLLER


# --- the last commit, written by the host ---------------------------------------------------------


def fall(play: Play, shares: Mapping[str, str]) -> None:
    """Open the shares in the order given, the roller's last, and let the dice fall with them."""
    host = play.host
    throw = host.roll(play.number).throws
    if play.held is not None and HONEST in shares:
        play.log_held()
    for seat, share in shares.items():
        if seat not in (HONEST, ROLLER):
            host.write(ShareOpened(seat, play.number, throw, share))
    host.write(ShareOpened(ROLLER, play.number, throw, shares[ROLLER]))
    event = blank(host, play.number, nonce=shares[ROLLER])
    place = replace(ground(host, event), witnesses=_witnesses(shares))
    host.join(fallen(event, place))


def _witnesses(shares: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((seat, each) for seat, each in shares.items() if seat != ROLLER))


def one_share_less(play: Play, heard: str) -> None:
    """The throw is made without some of the league that were asked."""
    shares = play.shares(heard)
    for left in product((False, True), repeat=2):
        out = {seat for seat, gone in zip(LEAGUE[1:], left, strict=True) if gone}
        some = {seat: each for seat, each in shares.items() if seat not in out}
        if play.suits(some):
            fall(play, some)
            return
    play.finish()


def one_share_more(play: Play, heard: str) -> None:
    """Seats of the league that were not asked open a share as well."""
    shares = play.shares(heard)
    others = [seat for seat in play.anchored() if seat not in shares]
    for more in product((False, True), repeat=len(others)):
        chosen = [seat for seat, opens in zip(others, more, strict=True) if opens]
        some = shares | {seat: _next_link(play, seat) for seat in chosen}
        if play.suits(some) and chosen:
            fall(play, some)
            return
    play.finish()


def _next_link(play: Play, seat: str) -> str:
    anchor = play.host.state.seats[seat].anchor
    assert anchor is not None
    return link(play.host.state.id, seat, play.host.chains[anchor.first], anchor.asks + 1)


def other_share(play: Play, heard: str) -> None:
    """The roller opens a share that is no link of its chain."""
    shares = play.shares(heard)
    for each in range(GRINDING):
        shares[ROLLER] = play.host.drawn(f"a share {each}").hex()
        if play.suits(shares):
            break
    fall(play, shares)


FORGED: tuple[Callable[[Play, str], None], ...] = (
    other_seed,
    other_die,
    other_anchor,
    one_share_less,
    one_share_more,
    other_share,
    rewritten,
    lambda play, _: play.finish(),
)
"""What may be written instead of the throw that the shares give; and that throw itself."""


# --- before the share: what is still to be bound ------------------------------------------------


def bind(play: Play, shares: Mapping[str, str]) -> None:
    """Anchor the roller so that the deed falls well with these shares of all others."""
    first, last, _ = play.suited(1, shares)
    play.host.chains[first] = last
    play.host.ask(ROLLER, commands.AnchorShares(first))


def without_a_head(seed: str) -> Play:
    """The honest seat is asked for its share before there is an ask in the log."""
    play = Play(seed)
    play.anchor((HONEST,))
    play.declare()
    play.show(head=False)
    share = play.take(play.client.opens())
    if share is None:
        play.host.anchor(ROLLER)
    else:
        bind(play, {HONEST: share})
    play.host.ask_for(play.number, ROLLER, HAND, seats=(ROLLER, HONEST))
    play.held = None
    if play.hear() is not None:
        play.finish()
    return play


def in_its_name(seed: str) -> Play:
    """The host anchors for the honest seat, and knows every share of it."""
    play = Play(seed)
    play.show()
    play.client.anchors()  # is never answered
    first, last, share = play.chain(HONEST, 1)
    play.host.chains[first] = last
    play.host.ask(HONEST, commands.AnchorShares(first))
    play.declare()
    bind(play, {HONEST: share})
    play.host.ask_for(play.number, ROLLER, HAND, seats=(ROLLER, HONEST))
    play.show()
    for seat in (HONEST, ROLLER):
        play.host.open(seat)
    return play


def anchored_late(seed: str) -> Play:
    """The roller is asked, and anchors once it knows the honest share."""
    play = Play(seed)
    play.anchor((HONEST,))
    play.declare()
    host = play.host
    # What the ask will be once the roller has an anchor, written before it has.
    ahead = host.anew(host.entries)
    ahead.anchor(ROLLER)
    seq = ahead.ask_for(play.number, ROLLER, HAND, seats=(ROLLER, HONEST))
    plan, ask = ahead.event(seq - 1), ahead.event(seq)
    host.write(plan, ask, committed=ask.committed, asked=(ROLLER, HONEST))
    heard = play.hear()
    if heard is None:
        return play
    first, last, share = play.suited(1, {HONEST: heard})
    host.write(ShareAnchored(ROLLER, first))
    host.chains[first] = last
    fall(play, {HONEST: heard, ROLLER: share})
    return play


# --- the honest seat rolls, at level `player` -----------------------------------------------------


def honest_roll(seed: str) -> Play:
    """A table where the honest seat rolls, and adds a nonce of its own."""
    return Play(seed, "player", HONEST)


def its_roll(play: Play, expression: str) -> commands.Declare:
    """What the honest seat declares."""
    return commands.Declare("c2", {"expression": expression})


def throw(play: Play) -> str | None:
    """Let the honest seat throw; gives its nonce, None where its client waits."""
    return play.take(play.client.sends(commands.RollDice(play.number, HAND)))


def declared(play: Play, expression: str) -> None:
    """The honest seat declares, and is shown it under a head."""
    play.show()
    play.log(play.client.sends(its_roll(play, expression)))
    play.number = len(play.host.state.rolls)
    play.show()


def another_nonce(seed: str) -> Play:
    """The host refuses the honest seat's throw until its nonce suits."""
    play = honest_roll(seed)
    declared(play, "1d12")
    for _ in range(4):
        nonce = throw(play)
        if nonce is None or play.held is None or play.suits({HONEST: nonce}):
            break
        if not play.luck.one_in(10):
            play.client.refused(play.held)
    play.log_held()
    return play


def nonce_at_once(seed: str) -> Play:
    """The honest seat's throw is there before its declaration is: that is sealed to suit it."""
    play = honest_roll(seed)
    play.show()
    request = play.client.sends(its_roll(play, "1d12"))
    play.number = 1
    nonce = throw(play)
    if nonce is not None:
        seal(play, request, nonce)
    play.log(request)
    play.show()
    if nonce is None:
        throw(play)
    play.log_held()
    return play


def seal(play: Play, request: Any, nonce: str) -> None:
    """Choose the salt of the honest seat's declaration, so that its throw suits."""
    host = play.host
    for each in range(GRINDING):
        host.grain = f" {each}"
        trial = host.anew(host.entries)
        body = request.body.encode()
        trial.aggregate.keep(trial.aggregate.prepare(HONEST, body, request.request))
        before, play.host = play.host, trial
        play.number = len(trial.state.rolls)
        suits = play.suits({HONEST: nonce})
        play.host = before
        if suits:
            return


def nonce_of_the_chain(seed: str) -> Play:
    """The honest seat's first throw is held back: it may tell what its next one will be.

    It is put into the log at the end, and both rolls are resolved: none is dropped.
    """
    play = honest_roll(seed)
    play.anchor((HONEST,))
    declared(play, OTHER)
    first, held = throw(play), play.held
    play.held = None
    play.show()
    request = play.client.sends(its_roll(play, "1d12"))
    if first is not None and request is not None:
        seal(play, request, first)
    play.log(request)
    play.number = len(play.host.state.rolls)
    play.show()
    throw(play)
    for number, request in ((play.number, play.held), (1, held)):
        play.held = request
        play.log_held()
        play.show()
        resolve = play.client.sends(commands.Resolve(number))
        if resolve is not None:
            play.log(resolve)
    return play


# --- all of them ----------------------------------------------------------------------------------


def _after(rid: Callable[[Play, str], None], *seats: str) -> Way:
    return lambda seed: disliked(seed, rid, *seats)


WAYS: Mapping[str, Way] = {
    "plain": plain,
    "covers": without_a_head,
    "extends": _after(other_anchor),
    "mine": in_its_name,
    "c-over-head": nonce_at_once,
    "one-c": another_nonce,
    "c-fresh": nonce_of_the_chain,
    "committed": _after(other_seed),
    "dice-asked": _after(other_die),
    "who-asked": _after(one_share_more, ROLLER),
    "all-open": _after(one_share_less, *LEAGUE[1:]),
    "share-fits": _after(other_share),
    "anchored-before": anchored_late,
    "break-look": _after(again(broken_off, 3)),
    "again-look": _after(again(declared_again, 3)),
    "epoch-look": _after(again(restored, 3)),
    "rewritten": _after(rewritten),
    "mixed": _after(mixed),
    **{ending.__name__: _after(again(ending, 3)) for ending in ENDINGS},
}
"""Every way, by the rule that it is up against; `keeps` has that of `extends`. `rewritten` and
`mixed` are up against several rules, which stand in for each other, the ENDINGS against what is
counted by seat."""
