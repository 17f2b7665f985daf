"""Every public method refuses an argument of a wrong type by its name, and changes nothing."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.engine.helpers.stages.service import ROOT, TABLE, made, mark, seated
from tests.engine.wrong.values import ANY, NO_TEXT, NO_WHOLE, TEXTS, Hostile, ending
from urim import CharacterHandle, RollHandle, Table
from urim.engine.core.arguments import checked
from urim.engine.core.commands import Declare, OpenTable
from urim.engine.service import Service
from urim.engine.service.blocking import BlockingService
from urim.engine.service.secrets import MemorySecrets
from urim.errors import Refused
from urim.events.log.memory import MemoryLog

SUBMITTED = (TABLE, "p1", Declare("c1", {"root": ROOT, "rating": 2}), "request-1")

SERVICE: Mapping[str, tuple[Any, ...]] = {
    "open_table": ("p1", OpenTable("table002", "milhamah"), "request-1"),
    "submit": SUBMITTED,
    "submit_request": (TABLE, "p1", b"{}"),
    "begin_epoch": (TABLE, "narrator"),
    "epoch_grounds": (TABLE,),
    "view": (TABLE, "p1"),
    "sight": (TABLE, "p1"),
    "legal_moves": (TABLE, "p1"),
    "moves": (TABLE, "p1", 1),
    "waiting": (TABLE, "p1"),
    "preview": SUBMITTED[:3],
    "rollables": (TABLE, "p1", "c1"),
    "choices": (TABLE, "p1", "c1", "root"),
    "account": (TABLE, "p1", 1),
    "question": (TABLE, "p1", 1),
    "bundle": (TABLE, "p1", 1),
    "rolls": (TABLE, "p1"),
    "news": (TABLE, "p1", 1),
    "bell": (TABLE,),
    "link": (TABLE, 1),
    "receipt": (TABLE, 1, "A" * 22),
    "state": (TABLE,),
    "aggregate": (TABLE,),
    "subscribe": (TABLE, "p1", 1),
    "present": (TABLE,),
    "tables": (),
    "damaged": (),
    "seated": (TABLE,),
    "checkpoint": (TABLE,),
    "key": (TABLE,),
    "head": (TABLE,),
    "inclusion": (TABLE, 1),
    "consistency": (TABLE, 1),
    "close": (),
    "end_subscriptions": (),
}
"""Every public method of a service, and what it may be given."""

LONGEST = 2_000
"""Bytes of a refusal, at most."""

WRONG: Mapping[str, tuple[Any, ...]] = {
    "str": NO_TEXT,
    "str | None": tuple(value for value in NO_TEXT if value is not None),
    "int": NO_WHOLE,
    "int | None": tuple(value for value in NO_WHOLE if value is not None),
    "bytes": tuple(value for value in ANY if type(value) is not bytes),
    "Role": (*NO_TEXT, "king", ""),
    "command": ANY,
}
"""What an argument may not be, by its annotation."""


def kind_of(annotation: object) -> str:
    """The annotation as WRONG has it."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    if "Declare" in text or "OpenTable" in text:
        return "command"
    return "Role" if "Literal" in text else text


def each_wrong(method: Any, good: tuple[Any, ...]) -> list[tuple[str, tuple[Any, ...]]]:
    """Every argument in turn as every value that it may not be: its name, and all arguments."""
    found: list[tuple[str, tuple[Any, ...]]] = []
    places = list(inspect.signature(method).parameters.values())
    for at, (place, _) in enumerate(zip(places, good, strict=False)):
        found += [
            (place.name, (*good[:at], wrong, *good[at + 1 :]))
            for wrong in WRONG[kind_of(place.annotation)]
        ]
    return found


def names(refused: Refused, name: str) -> None:
    """The refusal says which argument it was, in a few words, and what may be given."""
    assert refused.code in ("malformed", "out-of-range")
    assert refused.why.startswith((f"{name} is ", f"{name}.", f"a key of {name}"))
    assert refused.allowed
    assert len(f"{refused}".encode()) <= LONGEST


async def given(method: Callable[..., Any], arguments: tuple[Any, ...], named: Any = {}) -> Any:  # noqa: B006
    """What a method gives, once it is there."""
    with ending(arguments):
        found = method(*arguments, **named)
        return await found if inspect.isawaitable(found) else found


async def short(method: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """What a method refuses is refused in a few words that can be written anywhere."""
    try:
        await given(method, arguments)
    except Refused as refused:
        if len(f"{refused}".encode()) > LONGEST:
            pytest.fail(f"{method.__name__}: {refused}"[:500])
        raise


def on_service(work: Callable[[Service], Awaitable[None]]) -> None:
    """Some work on a service with one table."""

    async def run() -> None:
        service = Service(MemoryLog(), MemorySecrets())
        await seated(service)
        await service.submit(TABLE, "p1", SUBMITTED[2])
        before = await service.state(TABLE)
        await work(service)
        assert await service.state(TABLE) == before
        assert await service.tables() == (TABLE,)
        await service.close()

    asyncio.run(run())


def test_every_public_method_is_tried() -> None:
    public = {name for name, _ in inspect.getmembers(Service, inspect.isfunction)}
    assert {name for name in public if not name.startswith("_")} == set(SERVICE)


@pytest.mark.parametrize("name", SERVICE)
def test_a_service_names_the_wrong_argument(name: str) -> None:
    async def work(service: Service) -> None:
        method = getattr(service, name)
        for place, arguments in each_wrong(method, SERVICE[name]):
            with pytest.raises(Refused) as refused:
                await given(method, arguments)
            names(refused.value, place)
        if "language" in inspect.signature(method).parameters:
            for wrong in NO_TEXT:
                with pytest.raises(Refused) as refused:
                    await given(method, SERVICE[name], {"language": wrong})
                names(refused.value, "language")

    on_service(work)


@pytest.mark.parametrize(
    ("name", "wrong"), [("so_far", [1]), ("reacts_to", "1"), ("follows", 1), ("follows", ("x", 1))]
)
def test_what_is_given_beside_a_field_has_its_type(name: str, wrong: object) -> None:
    async def work(service: Service) -> None:
        with pytest.raises(Refused) as refused:
            await given(service.choices, SERVICE["choices"], {name: wrong})
        names(refused.value, name)

    on_service(work)


def test_missing_and_surplus_arguments_are_pythons_to_refuse() -> None:
    async def work(service: Service) -> None:
        method: Any = service.view
        for arguments in ((), (TABLE,), (TABLE, "p1", "more")):
            with pytest.raises(TypeError):
                await method(*arguments)

    on_service(work)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_odd_texts_and_numbers_are_refused_by_a_code(kind: str, tmp_path: Path) -> None:
    numbers = (-(2**63) + 1, -1, 0, 2, 99, 2**31, 2**63 - 1)

    async with made(kind, tmp_path) as (log, secrets):
        service = Service(log, secrets)
        await seated(service)
        for name, good in SERVICE.items():
            method = getattr(service, name)
            places = inspect.signature(method).parameters.values()
            for at, (_, value) in enumerate(zip(places, good, strict=False)):
                odd = TEXTS if type(value) is str else numbers if type(value) is int else ()
                for other in odd:
                    arguments = (*good[:at], other, *good[at + 1 :])
                    with suppress(Refused):
                        await short(method, arguments)
        await service.close()


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        ("log", None), ("log", Hostile()), ("secrets", "x"), ("memory", True), ("memory", 1.0),
        ("environments", 1), ("host", b"urim"), ("host", Hostile()), ("sign_every", "1"),
        ("sign_every", float("nan")), ("budgets", {}),
    ],
)  # fmt: skip
def test_a_service_is_made_of_what_it_needs(place: str, wrong: Any) -> None:
    made_of: dict[str, Any] = {"log": MemoryLog(), "secrets": MemorySecrets(), place: wrong}
    with pytest.raises(Refused) as refused:
        Service(made_of.pop("log"), made_of.pop("secrets"), **made_of)
    names(refused.value, place)


# --- a service without an event loop --------------------------------------------------------------


@pytest.mark.parametrize("wrong", [None, b"night.db", 1, Hostile()])
def test_a_blocking_service_is_on_a_path(wrong: Any) -> None:
    with pytest.raises(Refused) as refused:
        BlockingService(wrong)
    names(refused.value, "database")


@pytest.mark.parametrize("wrong", [None, 1, "state", Hostile()])
def test_a_blocking_service_calls_functions_that_give_coroutines(
    tmp_path: Path, wrong: Any
) -> None:
    with BlockingService(tmp_path / "night.db") as running:
        with pytest.raises(Refused) as refused:
            running.call(wrong)
        names(refused.value, "work")
        with pytest.raises(Refused, match="the work is ") as refused:
            running.call(lambda _: wrong)
        assert refused.value.allowed == ("a coroutine",)
        assert running.call(lambda service: service.tables()) == ()


# --- a table for developers -----------------------------------------------------------------------


Call = tuple[str, Callable[[Any, Any, Any], Any], str]
"""What is called with a wrong argument, by the table, a character, a roll; the argument's name."""


def played() -> tuple[Table, CharacterHandle, RollHandle]:
    """A table with a declared roll."""
    table = Table("milhamah", dice="scripted")
    hero = table.character("Etgar", attributes={"BLE": 3})
    return table, hero, table.declare(hero, root=ROOT, rating=2)


def wrong_calls() -> list[Call]:
    """Calls with a wrong argument, and its name."""
    x: Any = Hostile()
    values: tuple[Any, ...] = (None, 1, True, b"x", ["x"], x, float("nan"))
    found = [call for value in values for call in calls_with(value)]
    found += [call for value in values[1:] for call in optional_with(value)]
    odd: tuple[Any, ...] = (b"x", {"x"}, x, float("nan"), {1: 2}, [float("inf")])
    return found + [call for value in odd for call in free_with(value)]


def calls_with(v: Any) -> list[Call]:
    """Calls with this value where an argument has to be given."""
    return [
        ("Table", lambda *_: Table(v), "system"),
        ("seat", lambda a, *_: a.seat(v), "id"),
        ("seat role", lambda a, *_: a.seat("p9", role=v), "role"),
        ("character", lambda a, *_: a.character(v), "name"),
        ("declare", lambda a, *_: a.declare(v), "character"),
        ("choose", lambda _, __, r: r.choose(v, "x"), "choice"),
        ("choose option", lambda _, __, r: r.choose("x", v), "option"),
        ("freeze", lambda _, __, r: r.freeze("a1", v), "dice"),
        ("reroll", lambda _, __, r: r.reroll(v), "dice"),
        ("veto", lambda _, __, r: r.veto(v), "reason"),
        ("void", lambda _, __, r: r.void(v), "reason"),
        ("amend", lambda _, __, r: r.amend(v, rating=1), "reason"),
        ("open", lambda *_: Table.open(Path("x"), v), "id"),
    ]


def optional_with(v: Any) -> list[Call]:
    """Calls with this value where an argument may be left out."""
    return [
        ("dice", lambda *_: Table("milhamah", dice=v), "dice"),
        ("id", lambda *_: Table("milhamah", id=v), "id"),
        ("options", lambda *_: Table("milhamah", options=v), "options"),
        ("level", lambda *_: Table("milhamah", level=v), "level"),
        ("log", lambda *_: Table("milhamah", log=v), "log"),
        ("environment", lambda *_: Table("milhamah", environment=v), "environment"),
        ("attributes", lambda a, *_: a.character("x", attributes=v), "attributes"),
        ("tracks", lambda a, *_: a.character("x", tracks={"x": str(type(v))}), "tracks"),
        ("seat of", lambda a, *_: a.character("x", seat=v), "seat"),
        ("visibility", lambda a, h, _: a.declare(h, visibility=v), "visibility"),
        ("follows", lambda a, h, _: a.declare(h, follows=v), "follows"),
        ("label", lambda a, h, _: a.declare(h, label=v), "label"),
        ("hand", lambda _, __, r: r.roll(v), "hand"),
        (
            "faces",
            lambda _, __, r: r.roll(faces=b"x" if type(v) is not int else v),
            "faces",
        ),
        ("to", lambda _, __, r: r.adjust(v), "to"),
        ("reacts", lambda _, __, r: r.react(v), "character"),
    ]


def free_with(v: Any) -> list[Call]:
    """Calls with this value in what only a system reads."""
    return [
        ("declaration", lambda a, h, _: a.declare(h, rating=v), "rating"),
        ("reaction", lambda _, __, r: r.react(shield=v), "shield"),
        ("fields", lambda _, __, r: r.replace("why", rating=v), "rating"),
    ]


@pytest.mark.sampled(60)
@pytest.mark.parametrize("call", wrong_calls(), ids=lambda call: call[0])
def test_a_table_names_the_wrong_argument(call: Call) -> None:
    table, hero, roll = played()
    before = table.state
    with pytest.raises(Refused) as refused:
        call[1](table, hero, roll)
    assert refused.value.code == "malformed"
    assert call[2] in refused.value.why.partition(" is ")[0]
    assert refused.value.allowed
    assert table.state is before


def test_nothing_is_taken_for_an_id_that_was_left_out() -> None:
    with pytest.raises(Refused, match="table is ''"):
        Table("milhamah", id="")
    table, _, _ = played()
    before = table.state
    with pytest.raises(Refused, match="seat is ''"):
        table.character("Dana", seat="")
    assert table.state is before


def test_a_handle_of_nobody_is_refused() -> None:
    table, _, _ = played()
    for look in (
        lambda: CharacterHandle(table, "c9").sheet,
        lambda: CharacterHandle(table, "").seat,
    ):
        with pytest.raises(Refused, match="no character"):
            look()
    with pytest.raises(Refused, match="no roll 9"):
        _ = RollHandle(table, 9).state


# --- the door itself ------------------------------------------------------------------------------


def test_every_public_method_of_these_classes_is_behind_the_door() -> None:
    for kind in (Service, BlockingService, Table, CharacterHandle, RollHandle):
        for name, member in inspect.getmembers(kind, inspect.isfunction):
            if name == "__init__" or not name.startswith("_"):
                assert hasattr(member, "__wrapped__"), f"{kind.__name__}.{name}"


def test_what_was_an_async_method_is_one_still() -> None:
    assert inspect.iscoroutinefunction(Service.submit)
    assert not inspect.iscoroutinefunction(Service.subscribe)
    assert str(inspect.signature(Service.view)) == str(inspect.signature(Service.view.__wrapped__))  # type: ignore[attr-defined]


def test_right_arguments_come_through_as_they_are() -> None:
    @checked
    class Kind:
        def many(self, first: int, *more: str, last: float | None = None, **rest: Any) -> Any:
            return first, more, last, rest

    assert Kind().many(1, "a", "b", last=2, x=[1]) == (1, ("a", "b"), 2, {"x": [1]})
    many: Any = Kind().many
    for wrong in (("1",), (1, 2), (2**63,)):
        with pytest.raises(Refused):
            many(*wrong)


async def test_marks_still_work() -> None:
    """What is right is done, through the same door."""
    service = Service(MemoryLog(), MemorySecrets())
    await seated(service)
    [entry] = await service.submit(table=TABLE, seat="narrator", command=mark())
    assert entry.seq == 5
    await service.close()
