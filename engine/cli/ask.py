"""What a seat asks for, in words of a command line or as JSON, becomes its command at a table.

Left out may be: the roll (the only one that offers it to the seat), the hand, the character that
acts, commitments, nonces and shares. Characters and seats may be called by their names.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.json import decode

from ...errors import Refused
from ...events.asked import Asked
from ...events.codec import asked_in
from ...events.table import TextSaid
from ...projections.rollstate import Ask as WaitingAsk
from ...projections.rulings import open_disputes
from ...projections.tables import TableState
from ...rules.ruleset import Offer
from ..core.aggregate import Aggregate, table_of
from ..core.attempt import roll_of, seat_named, who_is_here
from ..core.choices import rollables
from ..core.commands import (
    Adjust,
    Amend,
    AnchorShares,
    AnyCommand,
    AnyThrow,
    Ask,
    Asking,
    BreakThrow,
    Choose,
    Command,
    Confirm,
    Declare,
    EnterCharacter,
    Freeze,
    LeaveSeat,
    OpenShare,
    React,
    Replace,
    Reroll,
    RollCommand,
    RollDice,
    Rule,
    TakeSeat,
    worded,
)
from ..core.guards import typed_throws
from ..core.moves import legal_in, legal_moves
from ..core.offers import describe
from ..core.parse import FREE, TAGS, name_of, read_command, written
from ..core.view import view_of
from ..scenario.steps import NO_SHARE, step_command
from ..table import Table
from .bare import bare_words, declared_by, left_out
from .fields import read_fields, struct_fields

THROWS = (RollDice, Reroll)
"""The commands that throw dice."""

UNSEEN = (OpenShare, BreakThrow)
"""The commands about a roll that a seat may give though it sees nothing of it: about its shares."""


class Wish(NamedTuple):
    """What a seat asks for: the command's kind, the fields that were given, its words.

    `free` are words `FIELD=VALUE` for the field that only the system reads; `stands`: to freeze
    every die.
    """

    kind: type[Command]
    given: Mapping[str, Any]
    text: str | None = None
    free: Sequence[str] = ()
    stands: bool = False


class Done(NamedTuple):
    """What came of a wish: the entries that it added, or that the same request added before.

    `silent` are the seats whose shares a throw waits for.
    """

    seat: str
    seqs: tuple[int, ...]
    roll: int | None = None
    silent: tuple[str, ...] = ()


def ask(table: Table, seat: str, wish: Wish, request: str | None = None) -> Done:
    """Do what a seat, or who has that name, asks; of a throw all that this seat can do.

    The same request again gives the same entries. Raises Refused, "request-reused" for another wish
    under its id, and whatever `Table.submit` raises.
    """
    state = table.state
    seat = seat_named(state, seat)
    if request is not None:
        before = repeated(table.aggregate, seat, wish, request)
        if before is not None:
            return before
    command = command_of(table, seat, wish)
    number: int | None = getattr(command, "roll", None)
    ask = table.state.ask
    if isinstance(command, (RollDice, Reroll)):
        seqs = _throw(table, seat, command, request)
    else:
        asking = _with_text(table, command, wish.text)
        try:
            seqs = [entry.seq for entry in table.submit(seat, asking, request)]
        except Refused as error:
            if error.code == "due" and ask is not None and isinstance(command, BreakThrow):
                raise _behind(table.aggregate, ask, error) from error
            bare = bare_words(state.game.ruleset, wish.free) if isinstance(command, Declare) else []
            more = left_out(state, seat, command, bare) if bare else []
            if not more:
                raise
            raise Refused(error.code, error.why, allowed=[*error.allowed, *more]) from error
    waits = table.state.ask
    if waits is not None and (waits.roll, waits.seat) == (number, seat):
        return Done(seat, tuple(seqs), number, waits.waiting)
    return _done(table.aggregate, seat, tuple(seqs))


def _throw(table: Table, seat: str, throw: AnyThrow, request: str | None) -> list[int]:
    """All that this seat can do of a throw: the throw, or its chain, the ask and its share."""
    seqs: list[int] = []
    last = (RollDice, Reroll, Ask)
    for at, (_, turn) in enumerate(table.place.turns(seat, throw, [seat])):
        id = request if isinstance(turn, last) or not request else f"{request}.{at}"
        seqs += [entry.seq for entry in table.submit(seat, turn, id)]
    return seqs


def _done(table: Aggregate, seat: str, seqs: tuple[int, ...]) -> Done:
    return Done(seat, seqs, table.opened.entry_rolls.get(seqs[0]) if seqs else None)


def _behind(table: Aggregate, ask: WaitingAsk, error: Refused) -> Refused:
    """The refusal, which says so if this machine's clock is behind the table's time.

    A program that ends at once does not know how much time has passed for the table since.
    """
    behind = table.ahead // 1_000
    if not behind:
        return error
    left = -((table.environment.clock(table.state) - ask.until) // 1_000)
    why = f"{error.why}; this machine's clock is {behind} s behind the table's time"
    return Refused(error.code, why, allowed=[f"in {left} s", "in a program that stays open"])


def _with_text(table: Table, command: AnyCommand, text: str | None) -> Asking:
    if text is None or command.text_rule is None:
        return command if text is None else worded(command, text)
    return table.aggregate.worded(command, text)


# --- names ----------------------------------------------------------------------------------------


def character_named(state: TableState, word: str) -> str:
    """The id of a character, by its id or its name. Raises Refused as `seat_named`."""
    found = str(with_ids(state, word))
    if found not in state.characters:
        allowed = sorted(map(state.name_of, who_is_here(state)))
        raise Refused("unknown", f"no character {word!r} at this table", allowed=allowed)
    return found


def own_characters(state: TableState, seat: str) -> list[str]:
    """The ids of a seat's characters that are there, sorted."""
    return [id for id in who_is_here(state) if state.characters[id].seat == seat]


def with_ids(state: TableState, value: Any) -> Any:
    """The value with every text that is a character's name replaced by its id; keys are not.

    Characters that were taken away give way. Raises Refused("malformed") for a name that several
    have.
    """
    if isinstance(value, dict):
        return {key: with_ids(state, item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_ids(state, item) for item in value]
    if not isinstance(value, str) or value in state.characters:
        return value
    named = sorted(id for id in state.characters if state.name_of(id) == value)
    found = [id for id in named if state.characters[id].here] or named
    if len(found) > 1:
        raise Refused("malformed", f"several characters are called {value!r}", allowed=found)
    return found[0] if found else value


# --- the command ----------------------------------------------------------------------------------


def command_of(table: Table, seat: str, wish: Wish) -> AnyCommand:
    """The command of a wish, completed from what the seat may see; without its text.

    Raises Refused.
    """
    if issubclass(wish.kind, RollCommand):
        known = [field.encode_name for field in struct_fields(wish.kind)]
        for name in (each for each in wish.given if each not in known):  # a step has more fields
            raise Refused("unknown", f"no field {name!r} in {name_of(wish.kind)}", allowed=known)
        number = wish.given.get("roll")
        if number is None:
            number = roll_for(table, seat, wish)
        return _about_roll(table, seat, wish, number)
    state = view_of(table.state, seat)
    body = given_fields(state, wish, seat=seat)
    if wish.kind is Declare:
        body["character"] = body.get("character") or _own(state, seat)
        if isinstance(body.get("follows"), str):
            body["follows"] = [_parent(state, body), body["follows"]]
    elif wish.kind is EnterCharacter:
        numbers = range(len(state.characters) + 1, len(state.characters) * 2 + 2)
        free = (f"c{n}" for n in numbers if f"c{n}" not in state.characters)
        body = {"character": next(free), "seat": seat, **body}
    elif wish.kind is AnchorShares and "anchor" not in body:
        body["anchor"] = table.shares.draw(state.id, seat)
    elif wish.kind is LeaveSeat:
        body.setdefault("seat", seat)
    return _read(wish.kind, body)


def given_fields(
    state: TableState, wish: Wish, number: int | None = None, seat: str = ""
) -> dict[str, Any]:
    """The fields that a seat's wish gives its command, as JSON has them; `number`: of its roll."""
    bare = bare_words(state.game.ruleset, wish.free) if wish.kind is Declare else []
    wish = wish._replace(free=[word for word in wish.free if word not in bare])
    body = dict(wish.given)
    if "character" in body and wish.kind is not EnterCharacter:
        body["character"] = character_named(state, body["character"])
    if "seat" in body and wish.kind is not TakeSeat:
        body["seat"] = seat_named(state, body["seat"])
    for name in FREE:
        if wish.free and name in wish.kind.__struct_fields__:
            kind = _system_type(state, wish, body, number)
            body[name] = read_fields(wish.free, kind, state.game.ruleset.settled)
        elif name in wish.kind.__struct_fields__ and wish.kind is not Rule:
            body.setdefault(name, {})
        if name in body:
            body[name] = with_ids(state, body[name])
    if bare:
        who = body["character"] = body.get("character") or _own(state, seat)
        known = partial(with_ids, state)
        body |= declared_by(state, seat, who, bare, body, known)
    if body.get("faces") is not None:
        body["faces"] = faces_named(state, body["faces"])
    if wish.kind is Adjust and isinstance(body.get("dice"), dict):
        body["dice"] = [[die, *faces_named(state, [face])] for die, face in body["dice"].items()]
    return body


def _system_type(
    state: TableState, wish: Wish, body: Mapping[str, Any], number: int | None
) -> type[Struct]:
    """What reads the free field of a wish: the system's declaration or its reaction."""
    ruleset = state.game.ruleset
    reacts = wish.kind is React
    if wish.kind in (Amend, Rule) and number is not None:
        roller = roll_of(state, number).roll.character
        reacts = body.get("character", roller) != roller
    return ruleset.Reaction if reacts else ruleset.Declaration


def faces_named(state: TableState, faces: Iterable[Any]) -> list[Any]:
    """Faces of the table's dice, by how they are written; `וחר` are three where letters are faces.

    What is no face stays, for the command to be refused.
    """
    known = {str(face): face for kind in state.game.faces.values() for face in kind}
    found: list[Any] = []
    for word in faces:
        text = str(word)
        split = text not in known and len(text) > 1 and all(each in known for each in text)
        found += [known.get(each, each) for each in (text if split else [text])]
    return found


def _read(kind: type[Command], body: Mapping[str, Any]) -> AnyCommand:
    return read_command(written({"do": TAGS[name_of(kind)], **body}))


def _own(state: TableState, seat: str) -> str:
    own = own_characters(state, seat)
    if len(own) != 1:
        every = own or who_is_here(state)
        why = f"seat {seat!r} acts for {len(own) or 'no'} characters; say which acts"
        names = Counter(map(state.name_of, every))
        # Where two have one name, only their ids tell them apart.
        shown = (one if names[state.name_of(one)] > 1 else state.name_of(one) for one in every)
        raise Refused("malformed", why, allowed=shown)
    return own[0]


def _parent(state: TableState, body: Mapping[str, Any]) -> int:
    """The only roll that offers this link to the character that declares."""
    who, link = body["character"], body["follows"]
    found = [
        (each.roll, offer)
        for each in legal_moves(state, state.characters[who].seat)
        for move in each.moves
        for offer in move.offers
        if each.roll is not None and move.trigger == "declare" and offer.character == who
    ]
    fitting = [number for number, offer in found if offer.link == link]
    if len(fitting) == 1:
        return int(fitting[0])
    why = f"{len(fitting) or 'no'} rolls offer {link!r} to {state.name_of(who)}"
    allowed = [f"{number}:{offer.link}" for number, offer in found]
    raise Refused("malformed" if fitting else "not-offered", why, allowed=allowed)


# --- a command about a roll -----------------------------------------------------------------------


def roll_for(table: Table, seat: str, wish: Wish) -> int:
    """The only roll in which the seat may do what it wishes. Raises Refused for none, or more."""
    state, now = table.state, table.aggregate.now()
    found: list[int] = []
    legal: list[str] = []
    for each in legal_moves(state, seat, now=now):
        for move in each.moves if each.roll is not None else ():
            legal += [
                f"roll {each.roll}: {words}" for words in _described(move.trigger, move.offers)
            ]
            if move.trigger in _triggers(wish) and _fits(wish, move.offers):
                found.append(each.roll or 0)
    found = sorted(set(found))
    if len(found) == 1:
        return found[0]
    what = _triggers(wish)[0]
    if found:
        why = f"{len(found)} rolls let seat {seat!r} {what}; say which"
        raise Refused("malformed", why, allowed=[f"--roll {number}" for number in found])
    known = view_of(state, seat).rolls
    if len(known) == 1:
        return next(iter(known.values())).number  # and be refused for what it is
    own = own_characters(state, seat) if what == "roll" else ()
    begun = [each.name for who in own for each in rollables(state, seat, who)]
    raise Refused("not-offered", f"no roll lets seat {seat!r} {what} now", allowed=[*begun, *legal])


def _triggers(wish: Wish) -> tuple[str, ...]:
    trigger = str(getattr(wish.kind, "trigger", ""))
    return (trigger, "ask") if wish.kind in THROWS else (trigger,)


def _described(trigger: str, offers: Sequence[Offer]) -> list[str]:
    return list(map(describe, offers)) or [trigger]


def _fits(wish: Wish, offers: Sequence[Offer]) -> bool:
    """Whether a wish names nothing else than one of the offers, where there are any."""
    names = ("hand", "means", "choice", "character")
    wanted = {name: wish.given[name] for name in names if wish.given.get(name)}
    if wish.kind is React:
        wanted.pop("character", None)
    same = [
        offer
        for offer in offers
        if all(getattr(offer, name) == value for name, value in wanted.items())
        and (wish.kind is not Choose or offer.choice)
        and (wish.kind is not Adjust or offer.means)
    ]
    return bool(same) or not offers


def _about_roll(table: Table, seat: str, wish: Wish, number: int) -> AnyCommand:
    view = view_of(table.state, seat)
    if number not in view.rolls and wish.kind in UNSEEN:
        # Where there is none, one that is refused, and the refusal says why.
        share = table.shares.share(view, seat) or NO_SHARE
        own = {"share": share} if wish.kind is OpenShare else {}
        return _read(wish.kind, {**own, **given_fields(view, wish), "roll": number})
    roll = roll_of(view, number, seat)
    body = {**given_fields(view, wish, number), "roll": number}
    if wish.kind is React:
        body["character"] = body.get("character") or _reacting(view, seat, number)
        return _read(React, body)
    if wish.kind is Rule:
        _only(body, "dispute", open_disputes(roll), f"open disputes of roll {number}")
    elif wish.kind is Confirm:
        open_ = [throw for throw, seats in typed_throws(roll).items() if seat not in seats]
        _only(body, "throw", open_, f"throws of roll {number} to confirm")
    if wish.kind is Replace:
        return _read(Replace, body)
    step = {key: value for key, value in body.items() if key not in ("roll", "character")}
    step |= {"do": "stand" if wish.stands else name_of(wish.kind), "of": number, "by": seat}
    if wish.kind is Adjust:
        step["dice"] = dict(body.get("dice", ()))
    who = body.get("character") or _acting(view, seat, wish, number)
    return step_command(view, {**step, "as": who} if who else step, table.shares).command


def _acting(state: TableState, seat: str, wish: Wish, number: int) -> str | None:
    """The character of the seat's that is offered what it wishes, if it is one alone."""
    if wish.kind is Freeze or wish.kind in (*THROWS, Adjust, Choose):
        who = {offer.character for offer in _offered(state, seat, number, wish)}
        return who.pop() if len(who) == 1 else None
    return None


def _reacting(state: TableState, seat: str, number: int) -> str:
    offered = _offered(state, seat, number, Wish(React, {}))
    who = sorted({offer.character for offer in offered})
    if len(who) == 1:
        return who[0]
    own = own_characters(state, seat)
    if not who and own:
        return own[0]  # and be refused for what it is
    why = f"roll {number} offers seat {seat!r} a reaction of {len(who) or 'no'} characters"
    raise Refused("malformed" if who else "not-offered", why, allowed=map(state.name_of, who))


def _offered(state: TableState, seat: str, number: int, wish: Wish) -> list[Offer]:
    moves = [m for m in legal_in(state, seat, number) if m.trigger in _triggers(wish)]
    return [offer for move in moves for offer in move.offers]


def _only(body: dict[str, Any], name: str, found: Sequence[int], what: str) -> None:
    """Fill in a field that has one value. Raises Refused where it has several."""
    if body.get(name) is None and len(found) != 1:
        why = f"there are {len(found) or 'no'} {what}"
        raise Refused("malformed" if found else "unknown", why, allowed=map(str, found))
    if body.get(name) is None:
        body[name] = found[0]


# --- a request that is repeated -------------------------------------------------------------------


def repeated(table: Aggregate, seat: str, wish: Wish, request: str) -> Done | None:
    """What came of a request that the log has already; None for a new one.

    What the program had drawn for it, or filled in, is as it was then. Raises
    Refused("request-reused") for another wish.
    """
    kept = kept_under(table, seat, request)
    if kept is None:
        return None
    asked, seqs = kept
    if not _same(table, seat, wish, asked, seqs):
        why = f"request {request!r} of seat {seat!r} was another command"
        raise Refused("request-reused", why, allowed=["a new id"])
    return _done(table, seat, seqs)


def kept_under(table: Aggregate, seat: str, request: str) -> tuple[Asked, tuple[int, ...]] | None:
    """What a seat asked under an id, and the entries that it led to; None for nothing."""
    for entry, record in zip(table.entries, table.records, strict=True):
        if entry.commit == entry.seq and record is not None and record.event.by == seat:
            asked = asked_in(entry)
            if asked is not None and asked.request == request:
                return asked, tuple(e.seq for e in table.entries if e.commit == entry.seq)
    return None


def _same(table: Aggregate, seat: str, wish: Wish, asked: Asked, seqs: Sequence[int]) -> bool:
    """Whether a wish is of the command that was asked, as far as the wish goes."""
    old = decode(asked.body)
    if old["do"].partition("/")[0] != name_of(wish.kind):
        return False
    said = [record.event for seq in seqs if (record := table.records[seq]) is not None]
    texts = [event.text for event in said if isinstance(event, TextSaid)]
    if (wish.text is None) != ("text" not in old) or (texts and wish.text != texts[0]):
        return False
    then = table_of(table.entries[: seqs[0]]).opened  # the sheets and names that it was read by
    try:
        body = given_fields(then, wish, old.get("roll"), seat)
    except Refused:
        return False  # what could not be asked then is another command
    if isinstance(body.get("follows"), str):
        body["follows"] = [old.get("follows", [0])[0], body["follows"]]
    defaults = {
        each.encode_name: each.default for each in struct_fields(wish.kind) if not each.required
    }
    return all(old.get(name, defaults.get(name)) == value for name, value in body.items())
