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
from urim.events.share import before, link
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


@PLANTED("7", "a share dropped from T", 9, "it is in the log, so in T, and the dice are others")
@PLANTED(
    "39", "another share put into T", 9, "T has the share of the log, and the dice are others",
    instead=True,
)  # fmt: skip
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


@PLANTED("8", "a share forged", 8, "the dice follow from it, but it is no link of the chain")
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


@PLANTED("39b", "a share of a seat that was not asked", 8, "the dice follow from it all the same")
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


@PLANTED("9", "c is not the roller's share", 8, "the dice follow from c, but that is not its link")
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


@PLANTED(
    "40", "a throw goes on without a seat that it asked", 6, "p2 has not opened its share",
)  # fmt: skip
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


@PLANTED(
    "40b", "the dice fall in a later commit than the last share", 6,
    "who knows every share decides by then whether the throw comes",
)  # fmt: skip
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


@PLANTED("38", "a seat neither asked nor named as left out", 8, "p2 has an anchor", seats=2)
@PLANTED("64b", "nobody else asked", 8, "an ask that names the roller alone is no throw at table")
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


@PLANTED("69", "one share opened for two asks", 8, "link 1 was asked for before", i=1)
@PLANTED("69b", "a link skipped", 8, "link 2 was not asked for yet", i=3)
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


@PLANTED(
    "69c", "an anchor after the ask", 6, "between ask and throw only shares and notes come",
    anchors=True,
)  # fmt: skip
@PLANTED(
    "41", "a track set between ask and throw", 6, "between ask and throw only shares and notes come"
)
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


@PLANTED("69d", "an anchor that is a link of the chain before", 8, "everybody knows its links")
@PLANTED(
    "69e", "an anchor that is a later link of the chain before", 8, "it is that chain still",
    later=True,
)  # fmt: skip
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
    assert later or before(host.state.id, "p2", found) == anchor.first
    entry = host.write(ShareAnchored("p2", found))
    return ended(host, number, entry)


@PLANTED(
    "70b", "an ask that answers a commitment of its own commit", 6,
    "the host knew who is asked when it committed to the seed",
)  # fmt: skip
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


@PLANTED("43", "fewer dice than planned", 6, "the last one is missing", bent=lambda dice: dice[:-1])
@PLANTED("43b", "other kinds than planned", 6, "two dice are swapped in kind", bent=other_kind)
@PLANTED(
    "43c", "another order than planned", 6, "each face goes to another die",
    bent=lambda dice: (*dice[1:], dice[0]),
)  # fmt: skip
def unplanned(honest: bool, bent: Any) -> Made:
    """The dice that fall are others than the ask planned, each rightly drawn."""
    host = circle()
    number = prayer(host)
    asked(host, number)

    def twist(event: Any) -> Any:
        base = ground(host, event)
        return event if honest else fallen(event, replace(base, dice=bent(base.dice)))

    return ended(host, number, host.open_all(twist))


@PLANTED("43d", "another hand than planned", 6, "the throw is another one")
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


@PLANTED("42", "asked, seen and broken off", 6, "p2 kept back", verdict="look", says="broken off")
@PLANTED(
    "42b", "a hidden throw broken off", 6, "p2 kept back", verdict="look", says="broken off",
    visibility="gm",
)  # fmt: skip
@PLANTED(
    "77", "an honest seat named as the one that kept back", 6, "nobody but p2 can know",
    verdict="look", says="p2 kept back",
)  # fmt: skip
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


@PLANTED("42c", "broken off too early", 6, "p2 still had time", wait=9_999)
@PLANTED(
    "42d", "a seat that opened named as the one that kept back", 6, "the narrator opened its share",
    kept=(NARRATOR, "p2"),
)  # fmt: skip
@PLANTED("42e", "a break that opens another seed", 7, "C was to another", seed="another")
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


@PLANTED(
    "68", "a hidden roll broken off, the break hidden", 6,
    "who does not see the roll sees the table go on while a throw waits",
)  # fmt: skip
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


@PLANTED(
    "37", "a throw drawn again by an epoch", 6, "what was shown and is gone, clients hold",
    verdict="look", says="epoch 1 begins",
)  # fmt: skip
def drawn_again(honest: bool) -> Made:
    """An epoch before a throw at level player."""
    host = brawl()
    number = prayer(host)
    entry = None if honest else restore(host)
    host.throw(number)
    return ended(host, number, entry)


@PLANTED("2b", "commitment published once shares were asked for", 8, "nobody asks for them by then")
@PLANTED("37b", "an ask that goes on through an epoch", 8, "an epoch ends every ask")
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


@PLANTED("37c", "a chain that goes on through an epoch", 8, "an epoch ends every chain")
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


@PLANTED(
    "44", "a narrator's throws at level player", 8, "host and roller can choose c together",
    verdict="look", says="names a level below table",
)  # fmt: skip
def narrators_own(honest: bool) -> Made:
    """A narrator declares at level player, while others have anchors; the twin's names no level."""
    host = brawl()
    host.anchor("p1", "p2")
    who = host.character(NARRATOR, {"BLE": 3})
    number = prayer(host, who, level=None if honest else "player")
    host.throw(number)
    return ended(host, number)


@PLANTED("44b", "a throw at player where table is due", 8, "p2 and the narrator could be asked")
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


@PLANTED(
    "64", "level table with nobody else asked", 8, "it is counted as a throw at player",
    verdict="look", says="was due at level table",
)  # fmt: skip
def nobody_there(honest: bool) -> Made:
    """Nobody else has an anchor; the twin's p2 has."""
    host = brawl("table")
    if honest:
        host.anchor("p2")
    number = prayer(host)
    entry = host.throw(number)
    return ended(host, number, None if honest else entry)


# --- clients that draw badly ----------------------------------------------------------------------


@PLANTED("60", "c from a constant", 12, "one byte over and over", verdict="finding")
@PLANTED(
    "76", "one c sent twice to an honest host", 12, "the dice stay fair", verdict="finding", c=""
)
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


@PLANTED(
    "60b", "a chain that ends with zeros", 8, "anybody knows its links", verdict="look",
    says="ends with zeros",
)  # fmt: skip
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
