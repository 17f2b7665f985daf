"""What a form begins with, and what a field of it may be filled with now, with labels.

Only what the seat may see is among them. They are suggestions: a field that takes any number or
word has none, and what a choice leads to is decided by the rules when it is declared.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, inspect, to_builtins

from ...errors import Refused
from ...events.base import JSON
from ...projections.tables import TableState
from ...rules.forms import (
    DECLARED,
    FREE,
    LINK,
    Field,
    Value,
    applies,
    fields_of,
    structs_in,
)
from ...rules.ruleset import Offer, Rollable, Ruleset
from .attempt import character_of, present, roll_of, seat_of, who_is_here
from .offers import offers
from .parse import shown
from .view import view_of
from .visibility import must_see

LEAST = 3
"""Letters by which the name of a roll may be begun, at least."""


class Choice(Struct, frozen=True, tag="choice", tag_field="type"):
    """A value that a field may take, what people call it, and a number that goes with it.

    The number is a rating on the sheet, or what a chart has beside the value.
    """

    value: Value
    label: str
    number: int | float | None = None


class Asker(Struct, frozen=True):
    """For whom a field is to be filled: the table, the character, what is filled in so far."""

    table: TableState
    character: str
    so_far: JSON


def choices(
    table: TableState,
    seat: str,
    character: str,
    field: str,
    *,
    so_far: JSON | None = None,
    reacts_to: int | None = None,
    follows: tuple[int, str] | None = None,
) -> tuple[Choice, ...]:
    """The values that `field` of a declaration may take now, where `seat` declares for `character`.

    With `reacts_to` it is a field of the reaction to that roll; `follows` is (roll, link) of a roll
    that this one follows. A field within another is `status.colours`. Of a list they are its items,
    of an object its keys. `so_far` is what is filled in already: another character's rating is
    picked from the sheet of the one who is named there.

    Raises Refused: "unknown" for a seat, character, roll or field that is not there, "not-yours"
    and "needs-leave" for a field that the seat may not fill, "not-seen" for a roll that it may not
    see, "not-offered" where no such roll can follow, "malformed" for `reacts_to` with `follows`.
    """
    role = seat_of(table, seat).role
    table = view_of(table, seat)
    _may_answer(table, character, reacts_to, follows)
    ruleset = table.game.ruleset
    kind = ruleset.Declaration if reacts_to is None else ruleset.Reaction
    _may_fill(ruleset, field.partition(".")[0], narrator=role == "narrator")
    form, holds = _found(kind, field)
    offered = _offered(table, seat, character, reacts_to, follows)
    named = [offer for offer in offered if offer.choice == field]
    found = PICKED[form.picks.of](form, Asker(table, character, so_far or {}))
    known = found or tuple(Choice(value, _label(value)) for value in _values(holds))
    if not named:
        return known
    labels = {choice.value: choice for choice in known}
    options = dict.fromkeys(option for offer in named for option in offer.options)
    return tuple(labels.get(option, Choice(option, _label(option))) for option in options)


def rollables(
    table: TableState,
    seat: str,
    character: str,
    *,
    reacts_to: int | None = None,
    follows: tuple[int, str] | None = None,
) -> tuple[Rollable, ...]:
    """The rolls that a character's sheet begins, as its system has them.

    With `reacts_to` or `follows`, as of `choices`, those that answer that roll: what each declares,
    as far as the answer has the same fields. It asks for what the answer needs, else for the first
    that is usually named.

    Raises Refused("unknown") for a seat or a character that is not there; of an answer as `choices`
    refuses.
    """
    seat_of(table, seat)
    table = view_of(table, seat)
    _may_answer(table, character, reacts_to, follows)
    game = table.game
    found = game.ruleset.rollables(game.options, table.sheet(character))
    if reacts_to is None and follows is None:
        return found
    _offered(table, seat, character, reacts_to, follows)
    around: dict[str, Any] = {LINK: follows and follows[1]}
    kind = game.ruleset.Declaration
    if reacts_to is not None:
        kind = game.ruleset.Reaction
        declared = to_builtins(table.rolls[reacts_to].roll.declaration, enc_hook=str)
        around |= {f"{DECLARED}{name}": value for name, value in declared.items()}
    answers = (_answer(each, fields_of(kind), around) for each in found)
    return tuple(each for each in answers if each.declaration)


def _answer(begun: Rollable, fields: Sequence[Field], around: Mapping[str, Any]) -> Rollable:
    """A roll of the sheet, as far as a form has its fields where `around` is given."""
    values = {form.name: form.default for form in fields} | dict(around) | dict(begun.declaration)
    apply = {form.name: form for form in fields if applies(form, values)}
    given = {name: value for name, value in begun.declaration.items() if name in apply}
    needed = tuple(name for name, form in apply.items() if form.required and name not in given)
    asked = tuple(name for name in begun.asks if name in apply)
    return Rollable(begun.name, given, needed or asked[:1])


def begun(
    table: TableState, seat: str, character: str, words: Sequence[str]
) -> tuple[Rollable, Sequence[str]]:
    """The roll that words begin, and the words behind its name.

    That is one of the sheet's: by its whole name or, where one alone has it, the beginning of one,
    of at least LEAST letters.
    A system whose form needs one text of its own, as plain dice an expression, reads any words.
    Raises Refused("unknown") for others, and as `rollables`.
    """
    found = {each.name: each for each in rollables(table, seat, character)}
    typed, text = typed_field(table.game.ruleset), " ".join(words)
    if typed:
        return Rollable(text, {typed: text}), ()
    alike, rest = named(found, words)
    if len(alike) == 1:
        return found[alike[0]], rest
    why = f"{shown(text)} begins no roll of {table.name_of(character)}"
    if alike:
        why = f"{shown(text)} begins several rolls of {table.name_of(character)}"
    raise Refused("unknown", why, allowed=(*(alike or found), "FIELD=VALUE"))


def named(names: Iterable[str], words: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """The names that words may begin with, one where it is plain, and the words behind that one.

    That is by its whole name or, where one alone has it, the beginning of one.
    """
    known, alike = list(names), list[str]()
    heads = [(" ".join(words[:end]), words[end:]) for end in range(len(words), 0, -1)]
    for fits in (_same, _alike, _beginning):
        for head, rest in heads:
            fitting = [name for name in known if fits(name, head)]
            if len(fitting) == 1:
                return fitting, rest
            alike = alike or fitting
    return alike, words


def _same(name: str, head: str) -> bool:
    return name == head


def _alike(name: str, head: str) -> bool:
    return name.casefold() == head.casefold()


def _beginning(name: str, head: str) -> bool:
    return len(head) >= LEAST and name.casefold().startswith(head.casefold())


def typed_field(ruleset: Ruleset) -> str:
    """The field that a declaration needs and that takes any text, as an expression; "" for none."""
    needed = [form for form in fields_of(ruleset.Declaration) if form.required]
    texts = (form.name for form in needed if form.picks == FREE and takes_text(ruleset, form.name))
    return next(texts, "")


def takes_text(ruleset: Ruleset, name: str) -> bool:
    """Whether a field of a declaration is any text."""
    holds = _found(ruleset.Declaration, name)[1]
    return isinstance(holds.type if isinstance(holds, inspect.Metadata) else holds, inspect.StrType)


def _may_fill(ruleset: Ruleset, name: str, *, narrator: bool) -> None:
    by = ruleset.set_by(name)
    if by == "rules":
        raise Refused("not-yours", f"{name} is filled in by the rules", allowed=["leave it out"])
    if by == "narrator" and not narrator:
        allowed = ["ask a narrator to replace or amend it"]
        raise Refused("needs-leave", f"{name} is the narrator's to set", allowed=allowed)


def _found(kind: type[Struct], path: str) -> tuple[Field, inspect.Type]:
    """The field of that path, and what it holds."""
    first, _, rest = path.partition(".")
    forms = {each.name: each for each in fields_of(kind)}
    described = inspect.type_info(kind)
    types = {each.encode_name: each.type for each in getattr(described, "fields", ())}
    if first not in forms:
        why = f"no field {shown(first)} in a {kind.__name__}"
        raise Refused("unknown", why, allowed=forms)
    if not rest:
        return forms[first], types[first]
    for inner in structs_in(types[first]):
        return _found(inner, rest)
    raise Refused("unknown", f"{first} has no fields within it", allowed=[first])


def _may_answer(
    table: TableState,
    character: str,
    reacts_to: int | None,
    follows: tuple[int, str] | None,
) -> None:
    """Refuse what can be no answer: by a character that is not there, or to two rolls at once.

    A character that was taken away may still react.
    """
    if reacts_to is None:
        present(table, character)
        return
    character_of(table, character)
    if follows is not None:
        why = f"a reaction to roll {reacts_to} cannot follow roll {follows[0]}"
        raise Refused("malformed", why, allowed=["`reacts_to` alone", "`follows` alone"])


def _offered(
    table: TableState,
    seat: str,
    character: str,
    reacts_to: int | None,
    follows: tuple[int, str] | None,
) -> tuple[Offer, ...]:
    """The offers that the declaration or the reaction would take up; none of a roll of its own."""
    number = reacts_to if follows is None else follows[0]
    if number is None:
        return ()
    roll = roll_of(table, number, seat)
    must_see(table, seat, roll, dice=follows is not None)
    trigger, link = ("react", "") if follows is None else ("declare", follows[1])
    found = tuple(
        offer
        for offer in offers(table, roll)
        if (offer.trigger, offer.link, offer.character) == (trigger, link, character)
    )
    if not found:
        others = (offer.character for offer in offers(table, roll) if offer.trigger == trigger)
        allowed = sorted(set(map(table.name_of, others)))
        why = f"roll {number} offers {table.name_of(character)} no such answer"
        raise Refused("not-offered", why, allowed=allowed)
    return found


# --- where the values come from -------------------------------------------------------------------


def _sheet(form: Field, asker: Asker) -> tuple[Choice, ...]:
    table, picks = asker.table, form.picks
    who = asker.so_far.get(picks.whose) if picks.whose else asker.character
    if not isinstance(who, str) or who not in table.characters:
        return ()
    if picks.part == "tracks":
        return tuple(Choice(name, name) for name in table.game.tracks)
    ratings = table.characters[who].attributes
    return tuple(Choice(name, name, rating) for name, rating in ratings.items())


def _characters(form: Field, asker: Asker) -> tuple[Choice, ...]:
    """Everybody else at the table: who is there is hidden from nobody."""
    others = (who for who in who_is_here(asker.table) if who != asker.character)
    return tuple(Choice(who, asker.table.name_of(who)) for who in others)


def _chart(form: Field, asker: Asker) -> tuple[Choice, ...]:
    chart = asker.table.game.ruleset.chart(form.picks.chart)
    lines = () if chart is None else chart.lines
    return tuple(Choice(line.value, line.label, line.number) for line in lines)


def _roots(form: Field, asker: Asker) -> tuple[Choice, ...]:
    """The words of the table's data; those of ratings that the character has come first."""
    data = (getattr(asker.table.game.options, option) for option in form.picks.options)
    words = {name: word for option in data for name, word in option.items()}
    rated = asker.table.characters[asker.character].attributes
    names = sorted(words, key=lambda name: name not in rated)
    return tuple(Choice(words[name], f"{words[name]} ({name})") for name in names)


def _free(form: Field, asker: Asker) -> tuple[Choice, ...]:
    return ()


Pick: TypeAlias = Callable[[Field, Asker], tuple[Choice, ...]]

PICKED: Mapping[str, Pick] = {
    "sheet": _sheet,
    "character": _characters,
    "chart": _chart,
    "root": _roots,
    "free": _free,
}
"""How the values of a field are found, by what it picks from."""


def _values(holds: inspect.Type) -> Iterator[Any]:
    """The values that a type names itself; of a list its items, of an object its keys."""
    if isinstance(holds, inspect.LiteralType):
        yield from holds.values
    elif isinstance(holds, inspect.BoolType):
        yield from (True, False)
    for name in ("type", "types", "item_type", "key_type"):
        inner = getattr(holds, name, ())
        for each in inner if isinstance(inner, tuple) else (inner,):
            yield from _values(each)


def _label(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
