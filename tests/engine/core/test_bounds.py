"""Bounds are checked at the door alone: what the log holds is read whatever they are by now."""

import json
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from msgspec import Meta
from msgspec.json import encode
from msgspec.structs import fields, replace

from tests.engine.helpers.stage import ROOT, code_of, fight, replayed
from urim.engine.core import commands as c
from urim.engine.core import sources
from urim.engine.core.limits import NARRATOR, WORD
from urim.engine.core.parse import COMMANDS, body_of, read_command, read_logged
from urim.engine.table import Table
from urim.errors import Refused
from urim.events.asked import BODY
from urim.events.base import AdjustedDie

GOLDEN = Path(__file__).with_name("golden")


def sample_of(tag: str) -> bytes:
    """The golden body of a command."""
    return (GOLDEN / f"{tag.replace('/', '-')}.json").read_bytes()


class Beyond(NamedTuple):
    """A JSON value just beyond a bound of a field, and the code that it is refused with."""

    value: Any
    code: str


def beyond(hint: Any, given: Any) -> Iterator[Beyond]:
    """Values just beyond each bound of a type, made of one that is within them."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        for meta in args[1:]:
            yield from beyond_meta(meta, given)
        yield from beyond(args[0], given)
    elif origin in (typing.Union, types.UnionType):
        for arg in args:
            yield from beyond(arg, given)
    elif origin in (dict, Mapping, tuple):
        yield from beyond_inside(origin, args, given)
    else:
        free = (str, int, float, bool, type(None), Any, AdjustedDie)
        assert origin is Literal or hint in free, f"a type that this test does not know: {hint}"


def beyond_inside(origin: type, args: tuple[Any, ...], given: Any) -> Iterator[Beyond]:
    """Objects and lists with one value just beyond a bound."""
    if origin in (dict, Mapping):
        (key, value) = next(iter(given.items()))
        yield from (Beyond({found.value: value}, found.code) for found in beyond(args[0], key))
        yield from (Beyond({key: found.value}, found.code) for found in beyond(args[1], value))
        return
    for place, arg in enumerate(args[:1] if args[-1] is Ellipsis else args):
        for found in beyond(arg, given[place]):
            value = [*given[:place], found.value, *given[place + 1 :]]
            yield Beyond(value, found.code)


def beyond_meta(meta: Meta, given: Any) -> Iterator[Beyond]:
    """Values just beyond the bounds of one Meta."""
    if meta.pattern is not None:
        yield Beyond("NOT SO", "malformed")
        yield Beyond(f"{given}\n", "malformed")
    if meta.ge is not None:
        yield Beyond(meta.ge - 1, "out-of-range")
    if meta.le is not None:
        yield Beyond(meta.le + 1, "out-of-range")
    if meta.min_length is not None:
        yield Beyond(given[: meta.min_length - 1], "malformed")
    if meta.max_length is not None:
        much = given * (meta.max_length + 1)
        yield Beyond(much[: meta.max_length + 1], "too-long")
    assert (meta.gt, meta.lt, meta.multiple_of) == (None, None, None), "bounds not tried here"


def bodies() -> Iterator[tuple[str, str, Beyond]]:
    """The tag of every command, a field of it, and a value beyond a bound of the field."""
    for tag, command in COMMANDS.items():
        sample = json.loads(sample_of(tag))
        for name, hint in typing.get_type_hints(command, include_extras=True).items():
            if name in command.__struct_fields__:
                for found in beyond(hint, sample[name]):
                    yield tag, name, found


BODIES = list(bodies())


def body_with(tag: str, field: str, value: Any) -> bytes:
    """The golden body of a command with another value in a field."""
    return encode({**json.loads(sample_of(tag)), field: value})


def plain(value: Any) -> Any:
    """A value of a command as JSON has it."""
    return json.loads(encode(value))


def test_most_commands_have_bounds() -> None:
    bounded = {tag for tag, _, _ in BODIES}
    assert set(COMMANDS) - bounded == {"begin-epoch/1"}
    assert {found.code for _, _, found in BODIES} == {"malformed", "out-of-range", "too-long"}
    assert len(BODIES) > 150


IDS = [f"{tag}-{field}-{number}" for number, (tag, field, _) in enumerate(BODIES)]


@pytest.mark.parametrize(("tag", "field", "found"), BODIES, ids=IDS)
def test_what_is_beyond_a_bound_is_refused_at_the_door_and_read_from_the_log(
    tag: str, field: str, found: Beyond
) -> None:
    body = body_with(tag, field, found.value)
    with pytest.raises(Refused) as refused:
        read_command(body)
    assert refused.value.code == found.code
    assert field in refused.value.why
    command = read_logged(body.decode())
    assert type(command) is COMMANDS[tag]
    assert plain(getattr(command, field)) == found.value


@pytest.mark.parametrize("tag", COMMANDS)
def test_what_passes_the_door_is_read_from_the_log_as_the_same_command(tag: str) -> None:
    body = sample_of(tag)
    needed = {"do", *(field.name for field in fields(COMMANDS[tag]) if field.required)}
    least = {name: value for name, value in json.loads(body).items() if name in needed}
    for each in (body, encode(least)):
        command = read_command(each)
        logged = read_logged(each.decode())
        assert (type(logged), logged) == (type(command), command)
        assert body_of(logged) == each


def test_a_body_beyond_16_kib_is_refused_at_the_door_and_read_from_the_log() -> None:
    words = ["x" * WORD] * (BODY // WORD)
    body = body_with("declare/1", "declaration", {"a": words})
    assert len(body) > BODY
    assert code_of(read_command, body) == "too-long"
    sample = read_command(sample_of("declare/1"))
    assert read_logged(body.decode()) == replace(sample, declaration={"a": words})


# --- words in what only a system reads ------------------------------------------------------------

LONG, SHORT = "x" * (WORD + 1), "א" * WORD

INSIDE: dict[str, tuple[Any, str]] = {
    "a word": ({"root": LONG}, "{}.root has"),
    "a key": ({LONG: 1}, "{} has"),
    "a word in a list": ({"with": [1, LONG]}, "{}.with[1] has"),
    "a key inside": ({"modifiers": {LONG: 1}}, "{}.modifiers has"),
    "a word deep inside": ({"a": [{"b": {"c": LONG}}]}, "{}.a[0].b.c has"),
}


@pytest.mark.parametrize(
    ("tag", "field"),
    [
        ("declare/1", "declaration"),
        ("react/1", "reaction"),
        ("replace/1", "fields"),
        ("amend/2", "fields"),
        ("open/2", "options"),
    ],
)
@pytest.mark.parametrize(("value", "place"), INSIDE.values(), ids=INSIDE)
def test_a_word_of_61_characters_is_refused_by_its_place(
    tag: str, field: str, value: Any, place: str
) -> None:
    body = body_with(tag, field, value)
    with pytest.raises(Refused) as refused:
        read_command(body)
    assert (refused.value.code, refused.value.allowed) == ("too-long", ("at most 60 characters",))
    assert refused.value.why.startswith(f"{place.format(field)} a word of 61 characters")
    assert plain(getattr(read_logged(body.decode()), field)) == value
    short = json.loads(json.dumps(value).replace(LONG, SHORT))
    assert plain(getattr(read_command(body_with(tag, field, short)), field)) == short


def test_there_are_no_other_fields_that_only_a_system_reads() -> None:
    free = {
        name
        for command in COMMANDS.values()
        for name, hint in typing.get_type_hints(command).items()
        if name in command.__struct_fields__ and dict[str, Any] in (hint, *typing.get_args(hint))
    }
    assert free == {"declaration", "reaction", "fields", "options"}


# --- what a table holds ---------------------------------------------------------------------------


def test_a_table_has_so_many_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    table, *_ = fight()
    table.seat("p3")
    monkeypatch.setattr("urim.engine.core.door.SEATS", 4)
    with pytest.raises(Refused) as refused:
        table.seat("p4")
    assert (refused.value.code, refused.value.allowed) == ("too-long", ("at most 4",))
    assert "4 seats" in refused.value.why
    table.submit("p3", c.LeaveSeat("p3"))
    assert table.submit(NARRATOR, c.TakeSeat("p3"))  # a seat that is known
    monkeypatch.setattr("urim.engine.core.door.SEATS", 1)
    assert replayed(table)


def test_a_table_has_so_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    table, *_ = fight()
    monkeypatch.setattr("urim.engine.core.door.CHARACTERS", 3)
    table.submit("p1", c.EnterCharacter("c3", "p1"))
    with pytest.raises(Refused) as refused:
        table.submit("p1", c.EnterCharacter("c4", "p1"))
    assert (refused.value.code, refused.value.allowed) == ("too-long", ("at most 3",))
    assert "3 characters" in refused.value.why
    assert code_of(table.submit, "p1", c.EnterCharacter("c3", "p1")) == "taken"
    monkeypatch.setattr("urim.engine.core.door.CHARACTERS", 1)
    assert replayed(table)


def test_only_characters_that_are_there_count(monkeypatch: pytest.MonkeyPatch) -> None:
    table, *_ = fight()
    monkeypatch.setattr("urim.engine.core.door.CHARACTERS", 2)
    table.submit("p1", c.RemoveCharacter("c1"))
    assert table.submit("p1", c.EnterCharacter("c3", "p1"))
    assert code_of(table.submit, "p1", c.EnterCharacter("c4", "p1")) == "too-long"
    assert replayed(table)


def test_who_brings_and_takes_away_without_end_is_stopped_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, *_ = fight()
    monkeypatch.setattr("urim.engine.core.door.REMOVED", 2)
    for character in ("f1", "f2"):
        table.submit("p1", c.EnterCharacter(character, "p1"))
        table.submit("p1", c.GiveCharacter(character, "p2"))
        table.submit("p2", c.RemoveCharacter(character))
    with pytest.raises(Refused) as refused:
        table.submit("p1", c.EnterCharacter("f3", "p1"))
    assert (refused.value.code, refused.value.allowed) == ("too-long", ("at most 2",))
    assert "2 characters that seat 'p1' brought, taken away" in refused.value.why
    assert table.submit("p2", c.EnterCharacter("f3", "p2"))
    assert table.submit(NARRATOR, c.EnterCharacter("f4", "p1"))
    monkeypatch.setattr("urim.engine.core.door.REMOVED", 0)
    assert replayed(table)


def chain() -> tuple[Table, Any]:
    """An attack, its soak, and the damage that follows the soak, not declared yet."""
    table = Table("scarterra", dice="scripted")
    archer = table.character("Archer", attributes={"Dexterity": 3})
    guard = table.character("Guard", attributes={"Stamina": 2})
    attack = table.declare(
        archer, attribute="Dexterity", combat=True, opponent=guard.id, soak="Stamina"
    )
    attack.decline()
    attack.roll(faces=[8, 8, 2])
    attack.resolve()
    return table, c.Declare(guard.id, {}, follows=(1, "soak"))


def test_so_many_rolls_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    table, soak = chain()
    monkeypatch.setattr("urim.engine.core.door.CHAIN", 1)
    with pytest.raises(Refused) as refused:
        table.submit("p2", soak)
    assert (refused.value.code, refused.value.allowed) == ("too-long", ("at most 1",))
    assert "1 rolls that follow one another" in refused.value.why
    monkeypatch.setattr("urim.engine.core.door.CHAIN", 2)
    assert table.submit("p2", soak)
    for most, code in ((2, "too-long"), (3, "not-offered")):
        monkeypatch.setattr("urim.engine.core.door.CHAIN", most)
        with pytest.raises(Refused) as refused:
            table.submit("p2", c.Declare("c2", {}, follows=(2, "soak")))
        assert refused.value.code == code
    monkeypatch.setattr("urim.engine.core.door.CHAIN", 1)
    assert replayed(table)
    table.submit(NARRATOR, c.worded(c.Void(1), "why"))
    assert [roll.state for roll in table.state.rolls.values()] == ["voided", "voided"]


def test_a_command_names_a_thousand_dice_and_no_more() -> None:
    freeze = c.Freeze(1, "initiator", ("d1",) * 1_000)
    assert read_command(body_of(freeze)) == freeze
    with pytest.raises(Refused) as refused:
        read_command(body_of(c.Freeze(1, "initiator", ("d1",) * 1_001)))
    assert refused.value.code == "too-long"


@pytest.mark.parametrize("dice", ["scripted", "seeded:7", "fair"])
def test_a_throw_has_so_many_dice(monkeypatch: pytest.MonkeyPatch, dice: str) -> None:
    table, etgar, _ = fight(dice, level="server")
    roll = table.declare(etgar, root=ROOT, rating=2)
    before = table.state
    monkeypatch.setattr(sources, "DICE", 7)
    typed = tuple("וחרטלשנכ") if dice == "scripted" else None
    with pytest.raises(Refused) as refused:
        roll.roll(faces=typed)
    assert (refused.value.code, refused.value.allowed) == ("too-many", ("at most 7",))
    assert "8 dice in one throw" in refused.value.why
    assert table.state is before
    monkeypatch.setattr(sources, "DICE", 8)
    roll.roll(faces=typed)
    monkeypatch.setattr(sources, "DICE", 1)
    assert replayed(table)
