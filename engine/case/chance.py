"""Could anybody have chosen the dice, or among throws? From each level, and the table's audit."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from ...events import roll as rolled
from ...events import table as tabled
from ...projections.levels import level_of
from ...projections.lexicon import name_text
from ...projections.rollstate import RollState
from ...projections.wording import counted
from ..audit import Report
from ..verifier import urimcheck
from .chain import Chain
from .facts import Chance, Chooser
from .source import Source

THROWING = (rolled.DiceRolled, rolled.DiceRerolled)

LEVELS = ("server", "player", "table")
"""From the weakest to the strongest."""

PROVING = frozenset({"throws", "commitments", "transcripts", "dice"})
"""The steps of an audit that prove dice."""

SOURCES: Mapping[str, str] = {
    "manual": "the dice were thrown by people and typed in",
    "scripted": "the dice were given by a script",
    "seeded": "the dice follow from a seed that was known beforehand",
}


class Made(Struct, frozen=True):
    """A throw that was made: by which seat, at which level (None: not fair), who else was asked."""

    seat: str
    level: str | None
    others: tuple[str, ...]
    dice: int


def chance_of(source: Source, chain: Chain) -> Chance:
    """What to say of the throws of a chain."""
    throws = [made for roll in chain.rolls for made in _throws(source, roll)]
    levels = [made.level for made in throws]
    weakest = next((level for level in LEVELS if level in levels), None)
    looks = tuple(_look(source, chain))
    if not throws:
        said = "No die was thrown in this roll, so that there was nothing to choose."
        return Chance((said, _recomputed(source.report, throws), _found(source.report)), (), looks)
    compare = ""
    if None in levels or weakest is None:
        how = SOURCES.get(source.state.source.partition(":")[0], "the dice are not fair ones")
        first = f"Of these dice nothing is proved: {how}."
        choosers: tuple[Chooser, ...] = (
            Chooser(
                "The one who gave the faces",
                "no",
                "the log takes them as they were given",
                alone=True,
            ),
        )
    else:
        first, choosers, compare = _at_level(source, weakest, throws)
    seats = dict.fromkeys(made.seat for made in throws)
    choosers = (*choosers, *(_among(source, seat) for seat in seats), _after(source.report))
    sentences = (first, _recomputed(source.report, throws), _found(source.report))
    return Chance(sentences, choosers, looks, compare)


def _throws(source: Source, roll: RollState) -> Iterator[Made]:
    asked: dict[int, tuple[str, ...]] = {}
    unseen = source.unseen
    for entry in roll.trail:
        event = entry.event
        if isinstance(event, rolled.ThrowAsked):
            asked[event.throw] = tuple(seat for seat, _ in event.asked)
        if isinstance(event, THROWING) and event.proof is not None:
            throw, dice = event.proof.throw, len(event.dice)
            others = tuple(seat for seat in asked.get(throw, ()) if seat != event.by)
            yield Made(event.by, level_of(roll, throw, unseen), others, dice)


def _names(source: Source, seats: Iterable[str], word: str = "and") -> str:
    """The names of seats, each once, in a row."""
    *first, last = [name_text(source.state, seat) for seat in dict.fromkeys(seats)] or ["nobody"]
    return f"{', '.join(first)} {word} {last}" if first else last


def _count(those: list[Made], throws: list[Made]) -> str:
    """How many of the throws they are."""
    if len(those) < len(throws):
        return f"{len(those)} of {counted(len(throws), 'throw')}"
    return WHOLE.get(len(throws), f"All {len(throws)} throws")


WHOLE: Mapping[int, str] = {1: "The only throw", 2: "Both throws"}
"""All throws, where they are few."""


def _at_level(
    source: Source, weakest: str, throws: list[Made]
) -> tuple[str, tuple[Chooser, ...], str]:
    """The sentence about the weakest level, who could have chosen at it, and what to compare."""
    those = [made for made in throws if made.level == weakest]
    count = _count(those, throws)
    if source.state.one_machine:
        return (
            "One machine played every seat of this table, so that its owner could have chosen.",
            (Chooser(OWNER, "no", "it has every secret number", alone=True),),
            "",
        )
    if weakest == "server":
        return (
            f"{count} came from numbers that the host knew first: you have to believe it.",
            (Chooser(HOST, "no", "nobody added a number that it did not know", alone=True),),
            "",
        )
    said, choosers, compare = (_player if weakest == "player" else _table)(source, those, count)
    return said, tuple(_doubted(source.report, each) for each in choosers), compare


def _thrower(source: Source, those: list[Made]) -> Chooser:
    """Who threw, without the host."""
    seats = dict.fromkeys(made.seat for made in those)
    who = " alone, or ".join(name_text(source.state, seat) for seat in seats)
    return Chooser(f"{who} alone", "yes", "the host's number was sealed, and unknown to them")


def _player(source: Source, those: list[Made], count: str) -> tuple[str, tuple[Chooser, ...], str]:
    """Throws at level `player`."""
    seats = source.state.seats
    narrates = any(made.seat in seats and seats[made.seat].role == "narrator" for made in those)
    throwing = [made.seat for made in those]
    rollers = _names(source, throwing)
    more = ""
    if narrates:
        more = " A narrator threw some: where the narrator runs the host, the two are one."
    said = (
        f"{count} came from two secret numbers, the host's and that of the one who threw"
        f" ({rollers}): neither alone could choose, the two together could.{more}"
    )
    both = "together they know both numbers, and the log could not show it"
    firm = not _unproved(source, throwing)
    condition = "" if firm else f"the numbers of {rollers} are really theirs"
    host = Chooser(
        HOST, "yes" if firm else "if", "it was bound before those numbers were added", condition
    )
    compare = "" if firm else (
        f"Whether the numbers of {rollers} are theirs, the file alone does not show. The client of"
        " each compares by itself: it says so where the log has a number that it never sent."
    )  # fmt: skip
    leagues = (Chooser(who, "no", both) for who, _ in _leagues(source, those))
    return said, (host, _thrower(source, those), *leagues), compare


def _table(source: Source, those: list[Made], count: str) -> tuple[str, tuple[Chooser, ...], str]:
    """Throws at level `table`."""
    said = (
        f"{count} came from secret numbers of the host and of everybody asked: nobody could"
        " choose while one of those asked is honest, and that one's numbers are really that one's."
    )
    asked = [seat for made in those for seat in (made.seat, *made.others)]
    names = _names(source, asked, "or")
    firm = all({made.seat, *made.others} - _unproved(source, asked) for made in those)
    condition = "" if firm else f"the numbers of {names} are really theirs"
    host = Chooser(
        HOST, "yes" if firm else "if", "it was bound before those numbers were opened", condition
    )
    leagues = (
        Chooser(
            who,
            "if",
            "the number was fixed long before, and breaking a throw off is all that the others"
            " could do",
            f"{others} is honest, and the number in that name is really that one's",
        )
        for who, others in _leagues(source, those)
    )
    every = Chooser(
        "The host and everybody asked, all together", "no", "then nobody honest added a number"
    )
    compare = _digits(source, asked) if _unproved(source, asked) else ""
    return said, (host, _thrower(source, those), *leagues, every), compare


def _among(source: Source, seat: str) -> Chooser:
    """Whether a seat's throws were dropped until one pleased, with all that is counted of it."""
    of = source.report.proof.numbers[seat]
    name = f"Among throws of {name_text(source.state, seat)}"
    ended = f"{len(of.dropped)} dropped, {len(of.broken)} broken off, {len(of.sealed)} sealed"
    asked = f"; of {of.at_table} at level table asked for {of.asked}, passed over in {of.passed}"
    table = f"{asked}, kept back {of.kept}" if of.at_table else ""
    sure = not (source.report.failed or of.dropped or of.broken or of.sealed)
    return Chooser(
        name, "yes" if sure else "open", f"{counted(of.throws, 'throw')}, {ended}{table}"
    )


def _leagues(source: Source, those: list[Made]) -> Iterator[tuple[str, str]]:
    """The host with each who threw, and the names of the others who were asked for these throws."""
    for seat in dict.fromkeys(made.seat for made in those):
        others = [other for made in those if made.seat == seat for other in made.others]
        yield f"{LEAGUE} {_names(source, [seat])}, together", _names(source, others, "or")


def _unproved(source: Source, seats: Iterable[str]) -> set[str]:
    """Those seats of which the file alone says whose numbers they are.

    They have no key, or one that nobody named to the audit.
    """
    known, asserted = source.state.seats, set(source.report.asserted)
    return {
        seat for seat in seats if seat in known and (known[seat].key is None or seat in asserted)
    }


def _digits(source: Source, asked: Iterable[str]) -> str:
    """What to compare: the first digits of the chains that the log has for these seats."""
    seats = dict.fromkeys(asked)
    found = {
        seat: record.event.anchor[:8]
        for record in source.records
        if record is not None and isinstance(record.event, tabled.ShareAnchored)
        for seat in [record.event.by]
        if seat in seats
    }
    here = ", ".join(
        f"{name_text(source.state, seat)} {found[seat]}" for seat in seats if seat in found
    )
    return (
        "To know whose the numbers are, each compares the first eight digits that their own client"
        f" shows with those in the log: {here}."
    )


HOST, LEAGUE = "The host alone", "The host and"
OWNER = "The owner of the machine"

DOUBTS: Mapping[str, tuple[str, str]] = {
    "nonce": (HOST, "a secret number of a seat was constant at this table"),
    "weak-chain": (LEAGUE, "the numbers of a seat were known to anybody"),
    "anchored-again": (LEAGUE, "a seat without a key began other numbers; was it the seat?"),
    "key-reset": (LEAGUE, "a seat lost its key; was it the same person?"),
}
"""Looks of an audit that leave open what the level promises: for whom, and why."""


def _doubted(report: Report, chooser: Chooser) -> Chooser:
    """The same, as far as the audit of this table leaves it so."""
    if chooser.safe not in ("yes", "if"):
        return chooser
    if report.failed:
        return Chooser(chooser.who, "open", "the audit finds that this log is not sound")
    for kind in report.looks:
        who, why = DOUBTS.get(kind, ("", ""))
        if who and chooser.who.startswith(who):
            return Chooser(chooser.who, "open", why)
    return chooser


def _proved(report: Report) -> bool:
    return not PROVING.intersection(report.proof.steps("wrong") + report.proof.steps("unchecked"))


def _recomputed(report: Report, throws: list[Made]) -> str:
    fair = [made for made in throws if made.level is not None]
    dice = sum(made.dice for made in fair)
    if not fair:
        return "There is no fair throw here that an audit could compute again."
    if _proved(report):
        return (
            f"The audit computed the dice of all throws again ({counted(dice, 'die', 'dice')}"
            " here): each is what the numbers give."
        )
    return "The audit could not confirm all dice of this table: see its verdict below."


def _after(report: Report) -> Chooser:
    who = "Anybody, after the dice fell"
    if report.failed:
        return Chooser(who, "no", "the audit finds that this log is not sound")
    why = "each entry is sealed into the signed log; nothing was changed"
    if urimcheck.counted(report.proof, {"erased": ""}):
        why = f"{why}; what is erased is words alone"
    key = "" if report.proof.trusted else "the key in this file is the host's, and "
    return Chooser(who, "if", why, f"{key}the host signed no other log of this table")


def _found(report: Report) -> str:
    if report.failed:
        return f"The audit finds this log wrong: {', '.join(report.failed)}."
    if report.looks:
        return (
            "The audit finds nothing wrong in the whole table, and asks to look at:"
            f" {report.looks_text}."
        )
    return (
        "The audit finds nothing wrong in the whole table, and no pattern that people should look"
        " at. It sees no more than the file: not what somebody with all the numbers chose."
    )


SHOWN = 3
"""Remarks of a kind that are told, at most."""


def _look(source: Source, chain: Chain) -> Iterator[str]:
    """What the audit asks to look at, and whether it is in this very roll."""
    own = {seq for roll in chain.rolls for seq in (entry.seq for entry in roll.trail)}
    remarks = source.report.proof.remarks
    for kind, count in source.report.looks.items():
        those = [each for each in remarks if each.kind == kind]
        more = f"; and {count - SHOWN} more" if count > SHOWN else ""
        here = " Some of it is in this very roll." if own & {each.seq for each in those} else ""
        whys = "; ".join(each.why for each in those[:SHOWN])
        yield f"{urimcheck.LOOKS[kind]} ({count}): {whys}{more}.{here}"
