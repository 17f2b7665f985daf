"""The rules that are searched, each by name, and what a search starts from.

What the model knows. A table has a roller and perhaps one more seat, both in league with the host,
and one or two honest seats without a key. The league writes the log as it likes: it is bound by
nothing but the heads that honest seats have seen, and by the reader who audits the log at the end.
It wants one face of one coin, in the throw of one roll, the *deed*: a throw that stands, for which
an honest seat was asked, without a failure and without a look. The value of a game is the best
probability with which it gets that face. A fair throw has 1/2.

The coin is the XOR of one bit of each part of the throw: S, which of the dice it is, a share of
every seat. A part that the league makes is a bit that it picks when the part is bound. That is what
grinding through an ideal hash comes to: who may still choose a part that is hashed, when all
others are known, chooses the face. A link of an honest chain, and a nonce of an honest client, is a
fair bit that nobody knows until it is sent; an opened link tells the ones below it.

An honest client answers as soon as it is shown something that it may answer, and its player
compares at the end. What it is shown, and when, is the league's choice: every cut of the log, an
older state of it, another log than its neighbour's, or nothing.

What it leaves out: time (10 s), keys of seats, hidden rolls, rerolls, several dice, and whether a
hash or a signature can be broken. A break and an epoch are open to the league at any time. A throw
for which no honest seat is asked is legal, is stated, and was never promised anything: it is no
gain here, nor is a throw below level `table` that an honest seat did not roll. Every chain of the
league has one bit for all its links: no more than one of them counts in a throw.
"""

from fractions import Fraction
from typing import NamedTuple

Rules = frozenset[str]

CLIENT = {
    "covers": "a seat opens only over a head that covers the ask",
    "extends": "a seat takes only a head that is consistent with all that it holds",
    "old-heads": "where a log went back by an epoch, a seat keeps the head that is gone as well",
    "keeps": "a seat keeps what it holds, and the log at the end is compared with it",
    "one-ask": "a seat's link is for one ask: it opens it for no other, and another is fraud",
    "counts": "a seat counts i itself",
    "mine": "a seat looks for anchors, shares and nonces of its own that it did not make",
    "tied": "a seat's chain is for the epoch that it saw, and is not looked for behind another",
    "c-over-head": "level player: a seat sends c only over a head that covers C",
    "one-c": "level player: one C gets one c",
    "c-fresh": "level player: c is never a link of the chain",
}
"""What an honest client keeps to."""

LOG = {
    "committed": "a throw opens the C that its ask named",
    "dice-asked": "the ask says which dice are thrown",
    "plan-holds": "the throw shows the dice of the ask, whatever changed at the table since",
    "who-asked": "the ask says who is asked",
    "all-open": "a throw has the share of every seat that was asked",
    "share-fits": "a share hashes back to the seat's anchor",
    "anchored-before": "who is asked has anchored before the ask",
    "anchor-look": "a further anchor of a seat without a key is a look",
    "counted": "the i of an ask is the number of asks since the seat's anchor",
    "spent": "a share is spent by being asked for: a broken ask counts",
    "quiet": "between ask and throw nothing enters the log but shares and an epoch",
    "open-look": "an ask that is left open is a look",
    "break-look": "a break is a look",
    "again-look": "declaring the same again, after a roll left lying, is a look",
    "epoch-look": "an epoch is a look",
    "epoch-breaks": "an epoch breaks the open ask",
    "chains-end": "an epoch ends every chain",
}
"""What an audit holds a log to: without it, the log has a failure or a look."""

RULES = CLIENT | LOG
"""Every rule: its name -> what it says."""

ALL: Rules = frozenset(RULES)


class Game(NamedTuple):
    """Who plays, under which rules, and how long.

    honest: the honest seats. league: the roller `R` and who else is in league with the host.
    tries: the most asks, and declarations of the deed, in one log, and the most secrets that one
    honest seat is brought to tell. cuts: how often the log is cut back and written on otherwise.
    size: the most entries in a log.
    other: whether another roll may be thrown before the deed. player: whether the honest seat may
    roll too, with a nonce, at level `player`.
    """

    rules: Rules = ALL
    honest: tuple[str, ...] = ("H1",)
    league: tuple[str, ...] = ("R",)
    tries: int = 2
    cuts: int = 1
    size: int = 8
    other: bool = True
    player: bool = True


def without(*names: str, game: Game | None = None) -> Game:
    """The game with some rules taken out."""
    game = game or Game()
    unknown = set(names) - ALL
    if unknown:
        raise KeyError(*sorted(unknown))
    return game._replace(rules=game.rules - set(names))


def fair(tries: int = 1) -> Fraction:
    """What so many fair tries are worth to one who keeps the best: 1/2, then 3/4, 7/8."""
    return 1 - Fraction(1, 2**tries)
