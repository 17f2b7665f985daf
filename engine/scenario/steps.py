"""A scenario's step becomes its command, and a command its shortest step.

A step names characters where a command has ids. It may leave out: the character that acts (the one
that is offered it), the roll (the latest), the hand (the only one), the commitment answered, nonces
and shares, and whom to ask for them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, get_args

from msgspec import NODEFAULT, to_builtins
from msgspec.structs import fields, replace

from ...errors import Refused
from ...projections.rollstate import RollState
from ...projections.tables import TableState
from ...rules.ruleset import Offer
from ..core.attempt import roll_of, who_is_here
from ..core.commands import (
    Adjust,
    Amend,
    AnyCommand,
    Declare,
    Freeze,
    React,
    Reroll,
    RollDice,
    Rule,
    TableCommand,
)
from ..core.limits import LABELLED, TEXT_FIELDS, TextRule
from ..core.offers import describe, offers
from ..core.parse import COMMANDS, TAGS, name_of, read_command, shown, written
from ..table.shares import Shares, answering, asking

Step: TypeAlias = dict[str, Any]
"""A step as TOML has it."""

OWN = ("do", "as", "of", "by", "wait", "expect", "refused", "comment")
"""The keys of a step that are the scenario's, not the command's."""

OF_NARRATORS = ("amend", "void", "veto", "replace", "flavour", "fate", "rule", "reveal")
"""Steps about a roll that a narrator does unless they name a seat."""

OF_SEATS = ("open_share", "break_throw")
"""Steps about a roll that a seat does, not a character."""

WITH_HANDS = ("roll", "ask", "freeze", "stand", "reroll", "adjust", "flavour")
OF_TABLE = tuple(map(name_of, get_args(TableCommand)))

TRIGGERS = {"stand": "freeze", "choose": "adjust", "decline": "react"}
"""The triggers of steps that do not have the name of their trigger."""

STEP_NAMES = tuple(name for name in dict.fromkeys((*TAGS, *TRIGGERS)) if name != "open")
"""What a step may `do`: every command but the one that opens a table, and short words for some."""

DECLARE_KEYS = (
    *(name for name in Declare.__struct_fields__ if name not in ("declaration", "text")),
    LABELLED.name,
)

SPARED = ("by", "as", "of", "hand", "means")
"""Keys that a step can often leave out, in the order in which that is tried."""


# --- a step becomes a command ---------------------------------------------------------------------


class StepCommand(NamedTuple):
    """What a step asks for: the seat, its command without the text, and the words, if any."""

    seat: str
    command: AnyCommand
    words: str | None = None


def step_command(
    state: TableState, step: Mapping[str, Any], shares: Shares | None = None
) -> StepCommand:
    """The seat, the command and the words of a step.

    `shares` keeps the chains that are drawn for it, for later steps. Raises Refused for a
    step without `do`, an unknown character or roll, and keys that the command does not have.
    """
    do = step.get("do")
    if not isinstance(do, str):
        why = f"a step needs `do`, a command's name; it is {do!r}"
        raise Refused("malformed", why, allowed=STEP_NAMES)
    if do not in STEP_NAMES:
        raise Refused("unknown", f"no command {shown(do)}", allowed=STEP_NAMES)
    given = {
        key: value if key in TEXT_FIELDS else _id_of(state, value)
        for key, value in step.items()
        if key not in OWN
    }
    who = _character(state, step["as"]) if "as" in step else None
    roll: RollState | None = None
    if do == "declare":
        body = _declaration(state, given, who)
    elif do in OF_TABLE:
        body = {"do": do, **given}
    else:
        roll = roll_of(state, _number(step.get("of", len(state.rolls))))
        who = who or _offered_to(state, roll, do, given)
        body = _about_roll(state, roll, do, given, who)
    seat = str(step.get("by") or _seat(state, roll, do, who))
    if do in FILLED:
        body = {**FILLED[do](state, seat, body, shares or Shares()), **body}
    tag = TAGS[body["do"]]
    words = _words(body, COMMANDS[tag].text_rule)
    command = read_command(_encoded({**body, "do": tag}))
    if isinstance(command, (RollDice, Reroll)):
        command = answering(state, seat, command)
    return StepCommand(seat, command, words)


def _words(body: dict[str, Any], rule: TextRule | None) -> str | None:
    """The words of a step, taken out of its body."""
    words = None if rule is None else body.pop(rule.name, None)
    if words is not None and not isinstance(words, str):
        raise Refused("malformed", f"{rule.name if rule else ''} is {shown(words)}, not a text")
    return words


def _number(value: Any) -> int:
    if type(value) is not int:
        raise Refused("malformed", f"`of` is a roll's number, not {value!r}")
    return value


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return written(body)
    except (TypeError, ValueError, OverflowError) as error:
        raise Refused("malformed", f"a step that is no command: {error}") from error


def _seat(state: TableState, roll: RollState | None, do: str, who: str | None) -> str:
    if who is not None and do not in OF_NARRATORS:
        return state.characters[who].seat
    if state.ask is not None and do in OF_SEATS:
        return state.ask.waiting[0] if do == "open_share" else state.ask.seat
    narrators = (seat.id for seat in state.seats.values() if seat.role == "narrator" and seat.here)
    return min(narrators)


def _character(state: TableState, name: Any) -> str:
    found = _id_of(state, name)
    if not isinstance(found, str) or found not in state.characters:
        known = sorted(map(state.name_of, who_is_here(state)))
        raise Refused("unknown", f"no character {name!r} in this scenario", allowed=known)
    return found


def _id_of(state: TableState, value: Any) -> Any:
    """The value with every text that is a character's name replaced by its id."""
    if isinstance(value, dict):
        return {key: _id_of(state, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_id_of(state, item) for item in value]
    if not isinstance(value, str):
        return value
    # Of several with one name the first that entered, and is there: a Map's own order changes.
    named = (id for id in state.characters if state.name_of(id) == value)
    return min(named, key=lambda id: (not state.characters[id].here, len(id), id), default=value)


def _declaration(state: TableState, given: dict[str, Any], who: str | None) -> dict[str, Any]:
    outer = {key: value for key, value in given.items() if key in DECLARE_KEYS}
    inner = {key: value for key, value in given.items() if key not in DECLARE_KEYS}
    if isinstance(outer.get("follows"), str):
        outer["follows"] = [len(state.rolls), outer["follows"]]
    return {"do": "declare", "character": who or "", **outer, "declaration": inner}


def _about_roll(
    state: TableState, roll: RollState, do: str, given: dict[str, Any], who: str | None
) -> dict[str, Any]:
    body: dict[str, Any] = {"do": do, "roll": roll.number}
    if do in ("react", "decline"):
        reaction = given if do == "react" else None
        return {**body, "do": "react", "character": who or "", "reaction": reaction}
    if do == "amend" or (do == "rule" and given.get("ruling") == "amend"):
        body["character"] = who or roll.roll.character
    if do in WITH_HANDS and "hand" not in given:
        body["hand"] = _hand(state, roll, do, given, who)
    if do == "stand":
        hand = roll.roll.hand(str(given.get("hand", body.get("hand"))))
        body |= {"do": "freeze", "dice": [die.id for die in hand.dice] if hand else []}
    if do == "adjust" and isinstance(given.get("dice"), dict):
        given = {"means": "", **given, "dice": list(given["dice"].items())}
        offer = _first(state, roll, lambda offer: offer.trigger == "adjust" and bool(offer.means))
        given["means"] = given["means"] or (offer.means if offer else "adjust")
    return {**body, **given}


def _triggers(do: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The triggers of the offers that a step may take up."""
    if do == "ask":
        return ("reroll",) if "dice" in given else ("roll",)
    return (TRIGGERS.get(do, do),)


def _hand(
    state: TableState, roll: RollState, do: str, given: Mapping[str, Any], who: str | None
) -> str:
    triggers = _triggers(do, given)
    found = [offer for offer in offers(state, roll) if offer.trigger in triggers and offer.hand]
    own = [offer for offer in found if who in (None, offer.character)] or found
    dice = given.get("dice", ())
    # Any other value is refused with the command, which names it.
    dice = {id for id in dice if isinstance(id, str)} if isinstance(dice, (list, dict)) else set()
    fitting = [offer for offer in own if dice <= set(offer.dice)] or own
    names = list(dict.fromkeys(offer.hand for offer in fitting))
    if len(names) > 1:
        raise Refused("malformed", f"{do}: name the hand", allowed=map(describe, fitting))
    if names:
        return names[0]
    return roll.roll.hands[-1].name if roll.roll.hands else "initiator"


def _first(state: TableState, roll: RollState, test: Any) -> Offer | None:
    return next((offer for offer in offers(state, roll) if test(offer)), None)


def _offered_to(
    state: TableState, roll: RollState, do: str, given: Mapping[str, Any]
) -> str | None:
    """The character that is offered what a step does, None a narrator; the roller if none is."""
    if do in OF_NARRATORS or do in OF_SEATS:
        return None
    triggers = _triggers(do, given)
    hand, choice = given.get("hand"), given.get("choice")
    for offer in offers(state, roll):
        fits = hand in (None, offer.hand) and choice in (None, offer.choice)
        if offer.trigger in triggers and fits and offer.character:
            return None if offer.narrator else offer.character
    return roll.roll.character


NO_SHARE = "0" * 64
"""What is opened where there is no share: it is refused, and the refusal says why."""


def _asking(state: TableState, seat: str, body: Step, shares: Shares) -> Step:
    throw = RollDice(body["roll"], body.get("hand", ""))
    found = asking(state, seat, throw)
    return {"committed": found.committed, "asked": list(found.asked)}


def _opening(state: TableState, seat: str, body: Step, shares: Shares) -> Step:
    return {"share": shares.share(state, seat) or NO_SHARE}


FILLED: Mapping[str, Callable[[TableState, str, Step, Shares], Step]] = {
    "ask": _asking,
    "open_share": _opening,
    "anchor-shares": lambda state, seat, body, shares: (
        {} if "anchor" in body else {"anchor": shares.draw(state.id, seat)}
    ),
}
"""What steps about shares may leave out, filled in."""


# --- a command becomes a step ---------------------------------------------------------------------


def step_of(state: TableState, seat: str, command: AnyCommand, words: str | None = None) -> Step:
    """The shortest step that this table reads as the seat's command, with these words.

    Raises Refused("malformed") for a command that no step can express: one with a null in it, or
    with fields named like a step's own.
    """
    rule = command.text_rule
    if rule is not None:
        command = replace(command, text=None)
    wanted = StepCommand(seat, command, words)
    for whole in _whole_steps(state, seat, command):
        if rule is not None and words is not None:
            whole[rule.name] = words
        if _read(state, whole) == wanted:
            step = whole
            break
    else:
        do = name_of(type(command))
        raise Refused("malformed", f"no step of a scenario can express this {do}: {command}")
    for key in SPARED:
        less = {name: value for name, value in step.items() if name != key}
        if key in step and _read(state, less) == wanted:
            step = less
    return step


def _read(state: TableState, step: Mapping[str, Any]) -> StepCommand | None:
    try:
        return step_command(state, step)
    except Refused:
        return None


def _whole_steps(state: TableState, seat: str, command: AnyCommand) -> Iterator[Step]:
    """Whole steps that may express it, the most readable first; only those that TOML can carry."""
    plain = _whole(seat, command)
    if isinstance(command, Freeze):
        plain_stand = {key: value for key, value in plain.items() if key != "dice"}
        yield {**plain_stand, "do": "stand"}
    if not _has_null(plain):
        yield _in_names(state, plain)
        yield plain


def _whole(seat: str, command: AnyCommand) -> Step:
    """The step that leaves out nothing of the command but defaults."""
    given: Step = {
        field.encode_name: to_builtins(getattr(command, field.name))
        for field in fields(command)
        if field.default is NODEFAULT or getattr(command, field.name) != field.default
    }
    step: Step = {"do": name_of(type(command))}
    if "roll" in given:
        step["of"] = given.pop("roll")
    if isinstance(command, React):
        step["as"] = given.pop("character")
        reaction = given.pop("reaction", None)
        given = reaction or {}
        if reaction is None:
            step["do"] = "decline"
    elif isinstance(command, Declare):
        step["as"] = given.pop("character")
        declaration = given.pop("declaration")
        given = {**_apart(declaration), **given}
    elif isinstance(command, (Amend, Rule)) and "character" in given:
        step["as"] = given.pop("character")
    elif isinstance(command, Adjust):
        given["dice"] = {each.die: each.face for each in command.dice}
    return {**step, **_apart(given), "by": seat}


def _apart(given: Step) -> Step:
    """Fields without those that a step would take for its own; `step_of` notices what is lost."""
    return {key: value for key, value in given.items() if key not in OWN}


def _in_names(state: TableState, value: Any) -> Any:
    """The same with characters' names for their ids."""
    if isinstance(value, dict):
        return {
            key: item if key in TEXT_FIELDS else _in_names(state, item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_in_names(state, item) for item in value]
    known = isinstance(value, str) and value in state.characters
    return state.name_of(value) if known else value


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, value.values()))
    if isinstance(value, list):
        return any(map(_has_null, value))
    return value is None
