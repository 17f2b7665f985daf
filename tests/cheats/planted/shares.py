"""Cheats at level `table`: with chains and shares, with what an ask says, with breaks."""

from typing import Any

from msgspec.structs import replace

from tests.cheats.cheat import Planted
from tests.cheats.forging import Made, ended, made, sealed_as, withheld
from tests.cheats.ground import blank, fallen, ground
from tests.cheats.host import Host
from tests.cheats.stages import brawl, circle, prayer, restore
from urim.engine.core import commands
from urim.engine.core.limits import NARRATOR
from urim.events.roll import ShareOpened, ThrowAsked, ThrowBroken, ThrowPlanned
from urim.events.share import back, link
from urim.events.table import ShareAnchored, TrackSet

PLANTED = Planted()

HAND = "initiator"

EVERYBODY = (NARRATOR, "p1", "p2")


def asked(host: Host, number: int, *dice: str) -> int:
    """Ask for the shares of all three for a throw of p1's; gives the ask."""
    return host.ask_for(number, "p1", HAND, *dice)


def own_throw(host: Host, number: int, *dice: str, **more: Any) -> Any:
    """The throw that p1 should get, with the shares that are in the log."""
    shares = [host.event(e.seq) for e in host.entries]
    own = [e.share for e in shares if isinstance(e, ShareOpened) and e.by == "p1"]
    event = blank(host, number, *dice, nonce=own[-1])
    return fallen(event, replace(ground(host, event), **more))


# --- shares and T ---------------------------------------------------------------------------------


@PLANTED("7")
@PLANTED("39", instead=True)
def share_left_out(honest: bool, instead: bool = False) -> Made:
    """A seat's share is logged, and the dice fall without it, or with another."""
    host = circle()
    number = prayer(host)
    asked(host, number)

    def twist(event: Any) -> Any:
        if honest:
            return event
        base = ground(host, event)
        rest = base.witnesses[1:]
        other = ((base.witnesses[0][0], host.drawn("another").hex()),) if instead else ()
        return fallen(event, replace(base, witnesses=(*other, *rest)))

    return ended(host, number, host.open_all(twist))


@PLANTED("8")
def share_forged(honest: bool) -> Made:
    """The host makes up the share of a seat; the twin's seat opens its own."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    host.open_all(but=("p2",))
    share = host.share("p2") if honest else host.drawn("a share").hex()
    entry = host.write(ShareOpened("p2", number, 0, share))
    host.join(own_throw(host, number))
    return ended(host, number, entry)


@PLANTED("39b")
def share_unasked(honest: bool) -> Made:
    """A seat that was left out opens a share, and it is in T; the twin's opens none."""
    host = circle()
    number = prayer(host)
    host.ask_for(number, "p1", HAND, seats=("p1", NARRATOR))
    host.open_all(but=("p1",))
    if honest:
        return ended(host, number, host.open_all())
    entry = host.write(ShareOpened("p2", number, 0, host.drawn("a share").hex()))
    host.write(ShareOpened("p1", number, 0, host.share("p1")))
    host.join(own_throw(host, number))
    return ended(host, number, entry)


@PLANTED("9")
def nonce_unbound(honest: bool) -> Made:
    """The roller puts another nonce in, once it has seen the shares of the others."""
    host = circle()
    number = prayer(host)
    asked(host, number)

    def twist(event: Any) -> Any:
        if honest:
            return event
        return fallen(event, replace(ground(host, event), nonce=host.nonce()))

    return ended(host, number, host.open_all(twist))


@PLANTED("40")
def gone_on(honest: bool) -> Made:
    """The dice fall with the shares that are there; the twin waits for the last."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    if honest:
        return ended(host, number, host.open_all())
    host.open_all(but=("p1", "p2"))
    host.write(ShareOpened("p1", number, 0, host.share("p1")))
    return made(host, entry=host.join(own_throw(host, number)))


@PLANTED("40b")
def fallen_late(honest: bool) -> Made:
    """Every share is opened, and the throw comes later."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    if honest:
        return ended(host, number, host.open_all())
    host.open_all(but=("p2",))
    entry = host.write(ShareOpened("p2", number, 0, host.share("p2")))
    host.write(own_throw(host, number))
    return ended(host, number, entry)


@PLANTED("40c", share=-1, dice=0)
@PLANTED("40d", share=1, dice=1)
def numbered(honest: bool, share: int = 0, dice: int = 0) -> Made:
    """The last share and its dice under other commit numbers, which are not hashed."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    seq = host.open_all() - 1
    if honest:
        return ended(host, number)
    *others, last, fallen_dice = host.entries
    log = (
        *others,
        replace(last, commit=seq + share),
        replace(fallen_dice, commit=seq + dice),
    )
    return made(host, log, entry=seq)


@PLANTED("41b")
def joined(honest: bool) -> Made:
    """A track is set in the commit of a share; the twin has it before."""
    host = circle()
    number = prayer(host)
    event = TrackSet(NARRATOR, "c1", "merit", 1)
    if honest:
        host.write(event)
    asked(host, number)
    if honest:
        return ended(host, number, host.open_all())
    host.open(NARRATOR)
    return made(host, entry=host.join(event))


@PLANTED("21e")
def sealed_dice(honest: bool) -> Made:
    """The dice that fell behind the last share are sealed as a hidden roll's, and kept back."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    seq = host.open_all()
    if honest:
        return ended(host, number)
    log = withheld(sealed_as(host.entries, seq, "hidden"), [seq])
    return made(host, log, entry=seq - 1)


# --- the ask --------------------------------------------------------------------------------------


def planned(host: Host, number: int, **changes: Any) -> tuple[ThrowPlanned, ThrowAsked]:
    """A plan of p1's first throw, and an ask that may say something else than it should."""
    roll = host.roll(number)
    assert roll.outstanding is not None
    dice = tuple((f"d{at}", kind) for at, kind in enumerate(host.offer(number, "roll").dice, 1))
    anchors = {seat: host.state.seats[seat].anchor for seat in EVERYBODY}
    links = tuple((seat, each.asks + 1) for seat, each in anchors.items() if each is not None)
    plan = ThrowPlanned("p1", number, roll.throws, "roll", HAND, dice)
    ask = ThrowAsked("p1", number, roll.throws, roll.outstanding.seq, links)
    return plan, replace(ask, **changes)


def forged_ask(host: Host, number: int, **changes: Any) -> int:
    """Ask for a throw with such an ask; gives its entry."""
    plan, ask = planned(host, number, **changes)
    named = tuple(seat for seat, _ in ask.asked)
    return 1 + host.write(plan, ask, asked=named, committed=ask.committed)


@PLANTED("38", seats=2)
@PLANTED("64b")
def asked_too_few(honest: bool, seats: int = 1) -> Made:
    """The roller asks few, and says nothing of the others; the twin's ask names who is left."""
    host = circle()
    number = prayer(host)
    if honest:
        host.ask_for(number, "p1", HAND, seats=("p1", NARRATOR))
        return ended(host, number, host.open_all())
    links = ((NARRATOR, 1), ("p1", 1))[-seats:]
    left = () if seats == 2 else (NARRATOR, "p2")
    entry = forged_ask(host, number, asked=links, left=left)
    return made(host, entry=entry)


@PLANTED("69", i=1)
@PLANTED("69b", i=3)
def asked_again(honest: bool, i: int) -> Made:
    """The second throw asks p2 for a link out of turn."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    host.open_all()
    second = prayer(host)
    if honest:
        asked(host, second)
        return ended(host, second, host.open_all())
    entry = forged_ask(host, second, asked=((NARRATOR, 2), ("p1", 2), ("p2", i)))
    return made(host, entry=entry)


@PLANTED("69c", anchors=True)
@PLANTED("41")
def meanwhile(honest: bool, anchors: bool = False) -> Made:
    """Something that is no share and no note, while a throw waits; the twin has it before."""
    host = circle()
    number = prayer(host)
    event: Any = TrackSet(NARRATOR, "c1", "merit", 1)
    if anchors:
        event = ShareAnchored("p2", link(host.state.id, "p2", host.drawn("a chain").hex(), 0))
    if honest and anchors:
        host.anchor("p2")
    elif honest:
        host.write(event)
    asked(host, number)
    if honest:
        return ended(host, number, host.open_all())
    entry = host.write(event)
    if anchors:
        return made(host, entry=entry)
    host.open_all()
    return ended(host, number, entry)


@PLANTED("69d")
@PLANTED("69e", later=True)
def anchored_again(honest: bool, later: bool = False) -> Made:
    """A further anchor from the old chain; the twin's is of a fresh one."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    host.open_all()
    if honest:
        host.anchor("p2")
        return ended(host, number)
    anchor = host.state.seats["p2"].anchor
    assert anchor is not None
    found = link(host.state.id, "p2", host.chains[anchor.first], 5 if later else 1)
    assert later or next(back(host.state.id, "p2", found)) == anchor.first
    entry = host.write(ShareAnchored("p2", found))
    return ended(host, number, entry)


@PLANTED("70b")
def asked_at_once(honest: bool) -> Made:
    """A roll is declared and asked for in one commit."""
    host = circle()
    number = prayer(host)
    if honest:
        forged_ask(host, number)
        return ended(host, number, host.open_all())
    plan, ask = planned(host, number)
    host.join(plan)
    return made(host, entry=host.join(ask))


# --- what was planned -----------------------------------------------------------------------------


def other_kind(dice: Any) -> Any:
    """The first die and the last one swapped in kind."""
    first, *rest, last = dice
    return ((first[0], last[1]), *rest, (last[0], first[1]))


@PLANTED("43", bent=lambda dice: dice[:-1])
@PLANTED("43b", bent=other_kind)
@PLANTED("43c", bent=lambda dice: (*dice[1:], dice[0]))
def unplanned(honest: bool, bent: Any) -> Made:
    """The dice that fall are others than the ask planned, each rightly drawn."""
    host = circle()
    number = prayer(host)
    asked(host, number)

    def twist(event: Any) -> Any:
        base = ground(host, event)
        return event if honest else fallen(event, replace(base, dice=bent(base.dice)))

    return ended(host, number, host.open_all(twist))


@PLANTED("43d")
def other_hand(honest: bool) -> Made:
    """The plan was another hand's."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    entry = host.open_all(lambda e: e if honest else replace(e, hand="reactor"))
    return ended(host, number) if honest else made(host, entry=entry)


# --- breaks ---------------------------------------------------------------------------------------


def broken(host: Host, number: int, silent: tuple[str, ...] = ("p2",)) -> int:
    """Ask, wait, break off, and throw again with who is left; gives the break."""
    asked(host, number)
    host.open_all(but=silent)
    return host.break_off()


@PLANTED("42")
@PLANTED("42b", visibility="gm")
@PLANTED("77")
def broken_off(honest: bool, visibility: Any = "public") -> Made:
    """A throw is broken off once the others' shares were seen; the twin's comes."""
    host = circle()
    number = prayer(host, visibility=visibility)
    entry = None
    if not honest:
        entry = broken(host, number)
    asked(host, number)
    host.open_all()
    return ended(host, number, entry)


@PLANTED("42c", wait=9_999)
@PLANTED("42d", kept=(NARRATOR, "p2"))
@PLANTED("42e", seed="another")
def broken_wrongly(
    honest: bool, wait: int = 10_000, kept: tuple[str, ...] = ("p2",), seed: str = ""
) -> Made:
    """A break that is not as it must be; the twin's is."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    host.open_all(but=("p2",))
    if honest:
        host.break_off()
        asked(host, number)
        return ended(host, number, host.open_all())
    waiting = host.state.ask
    assert waiting is not None
    opened = host.drawn(seed).hex() if seed else str(host.source.open(host.state.id, number, 0))
    onward = str(host.source.commit(host.state.id, number, 1))
    event = ThrowBroken(NARRATOR, number, 0, kept, opened, onward)
    return made(host, entry=host.write(event, at=waiting.at + wait))


@PLANTED("68")
def broken_in_secret(honest: bool) -> Made:
    """The break of a hidden roll is sealed; the auditor sees no hidden entry."""
    host = circle()
    number = prayer(host, visibility="gm")
    seq = broken(host, number)
    log = tuple(host.entries) if honest else sealed_as(host.entries, seq, "hidden")
    prayer(host)
    log = (*log, *host.entries[len(log) :])
    sealed = [entry.seq for entry in log if entry.kind == "hidden"]
    return made(host, withheld(log, sealed), entry=None if honest else seq)


# --- epochs ---------------------------------------------------------------------------------------


@PLANTED("37")
def drawn_again(honest: bool) -> Made:
    """An epoch before a throw at level player."""
    host = brawl()
    number = prayer(host)
    entry = None if honest else restore(host)
    host.throw(number)
    return ended(host, number, entry)


@PLANTED("2b")
@PLANTED("37b")
def asked_before(honest: bool) -> Made:
    """An epoch begins while a throw waits, and the shares are opened all the same."""
    host = circle()
    number = prayer(host)
    asked(host, number)
    if honest:
        restore(host)
        host.anchor(*EVERYBODY)
        asked(host, number)
        return ended(host, number, host.open_all())
    shares = [ShareOpened(seat, number, 0, host.share(seat)) for seat in EVERYBODY]
    restore(host)
    entry, *_ = [host.write(share) for share in shares]
    host.join(own_throw(host, number))
    return ended(host, number, entry)


@PLANTED("37c")
def chained_on(honest: bool) -> Made:
    """After an epoch the seats are asked for links of their old chains."""
    host = circle()
    number = prayer(host)
    links = tuple((seat, 1) for seat in EVERYBODY)
    restore(host)
    if honest:
        host.anchor(*EVERYBODY)
        asked(host, number)
        return ended(host, number, host.open_all())
    return made(host, entry=forged_ask(host, number, asked=links))


# --- level player where table is due --------------------------------------------------------------


@PLANTED("44")
def narrators_own(honest: bool) -> Made:
    """A narrator declares at level player, while others have anchors; the twin's names no level."""
    host = brawl()
    host.anchor("p1", "p2")
    who = host.character(NARRATOR, {"BLE": 3})
    number = prayer(host, who, level=None if honest else "player")
    host.throw(number)
    return ended(host, number)


@PLANTED("44b")
def alone(honest: bool) -> Made:
    """The roller throws with a nonce of its own, and asks nobody."""
    host = circle()
    number = prayer(host)
    if honest:
        host.throw(number)
        return ended(host, number)
    event = blank(host, number, nonce=host.nonce())
    entry = host.write(fallen(event, ground(host, event)))
    return ended(host, number, entry)


@PLANTED("64")
def nobody_there(honest: bool) -> Made:
    """Nobody else has an anchor; the twin's p2 has."""
    host = brawl("table")
    if honest:
        host.anchor("p2")
    number = prayer(host)
    entry = host.throw(number)
    return ended(host, number, None if honest else entry)


# --- clients that draw badly ----------------------------------------------------------------------


@PLANTED("60")
@PLANTED("76", c="")
def constant(honest: bool, c: str = "00" * 32) -> Made:
    """A client's nonces are no random bytes; the twin's are."""
    host = brawl()
    number = prayer(host)
    nonce = c or host.nonce()
    waiting = host.roll(number).outstanding
    assert waiting is not None
    given = host.nonce() if honest else nonce
    first = host.ask("p1", commands.RollDice(number, HAND, waiting.seq, given))
    again = commands.Reroll(
        roll=number, hand=HAND, committed=first, nonce=host.nonce() if honest else nonce,
        dice=("d1", "d2"),
    )  # fmt: skip
    return ended(host, number, host.ask("p1", again))


@PLANTED("60b")
def zeros(honest: bool) -> Made:
    """A client whose last link is no random bytes."""
    host = brawl("table")
    last = host.nonce() if honest else "0" * 64
    found = link(host.state.id, "p2", last, 0)
    host.chains[found] = last
    entry = host.ask("p2", commands.AnchorShares(found))
    number = prayer(host)
    host.throw(number)
    return ended(host, number, entry)
