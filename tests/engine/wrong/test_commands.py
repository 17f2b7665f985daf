"""Whatever a caller gives as a command is refused by a code, or is right and done as it is."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.server.attacking import written as request_of
from tests.engine.server.mutants import mutant
from tests.engine.wrong.stage import SYSTEMS, Evening, Step, evenings, service_at, table_at
from tests.engine.wrong.values import ANY, ending, right, some
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import Worded, apart
from urim.engine.core.parse import COMMANDS, read_logged
from urim.errors import Refused
from urim.events.asked import Text
from urim.events.codec import asked_in

ROUND = 12
"""Commands that are tried on one table before another one takes its place."""

LONGEST = 6_000
"""Characters of a refusal, with all that it allows, at most."""

Call = tuple[Any, Any, Any]
"""A seat, what it asks, the request's id."""

# --- wrong commands -------------------------------------------------------------------------------


def field_changed(random: Random, step: Step) -> Call:
    """A field of the command is of another type, or another value."""
    command, text = apart(step.asking)
    name = random.choice(command.__struct_fields__)
    broken: Any = replace(command, **{name: some(random)})
    return step.seat, broken if text is None else Worded(broken, text), "again"


def inside_changed(random: Random, step: Step) -> Call:
    """What only a system reads has another value, one more, or one less."""
    command, text = apart(step.asking)
    free = [name for name in command.__struct_fields__ if isinstance(getattr(command, name), dict)]
    if not free:
        return field_changed(random, step)
    name = random.choice(free)
    value = dict(getattr(command, name))
    key = random.choice([*value, "x", "rating", "", "\ud800"])
    if random.random() < 0.2:
        value.pop(key, None)
    else:
        value[key] = some(random)
    broken: Any = replace(command, **{name: value})
    return step.seat, broken if text is None else Worded(broken, text), None


def made_up(random: Random, step: Step) -> Call:
    """Any command, of any values."""
    kind = random.choice(list(COMMANDS.values()))
    good: list[Any] = ["c1", "p1", 1, 0, "initiator", {}, step.seat]
    values = {
        name: some(random) if random.random() < 0.5 else random.choice(good)
        for name in kind.__struct_fields__
    }
    return step.seat, kind(**values), None


def no_command(random: Random, step: Step) -> Call:
    """Something else than a command."""
    return step.seat, some(random), None


def text_changed(random: Random, step: Step) -> Call:
    """The text is another, of another type, missing, or one too many."""
    command, text = apart(step.asking)
    salt = "0" * 32 if text is None else text.salt
    wrong: Any = random.choice((some(random), Text(salt, some(random)), Text(some(random), "x")))
    return step.seat, random.choice((command, Worded(command, wrong))), None


def caller_changed(random: Random, step: Step) -> Call:
    """The seat or the request's id is something else."""
    if random.random() < 0.5:
        return some(random), step.asking, "again"
    return step.seat, step.asking, some(random)


BREAKS: Sequence[Callable[[Random, Step], Call]] = (
    field_changed, field_changed, field_changed, inside_changed, inside_changed, made_up, made_up,
    no_command, text_changed, caller_changed,
)  # fmt: skip


# --- what became of one ---------------------------------------------------------------------------


def bounded(refused: Refused) -> None:
    """A refusal is short, and can be written anywhere."""
    assert len(f"{refused}") <= LONGEST, f"{refused}"[:500]
    f"{refused}".encode()


def accepted(call: Call, before: int, table: Aggregate) -> None:
    """What was done is a right command of a right seat, and the log has that one."""
    seat, asking, request = call
    assert type(seat) is str, call
    assert request is None or type(request) is str, call
    command, text = apart(asking)
    assert text is None or (type(text.salt), type(text.text)) == (str, str)
    meant = right(command)
    assert meant is not None, command
    if len(table.entries) > before:
        asked = asked_in(table.entries[before])
        assert asked is not None
        assert read_logged(asked.body) == meant


def look(table: Aggregate) -> tuple[int, bytes, Any]:
    """What must not change where a command is refused."""
    return len(table.entries), table.frontier.root(), table.state


def calls(random: Random, of: Evening) -> tuple[int, list[tuple[str, Call]]]:
    """The size of a table, and what is tried there."""
    step = random.choice(of.steps)
    near = [each for each in of.steps if abs(each.size - step.size) < 20]
    found: list[tuple[str, Call]] = []
    for _ in range(ROUND):
        change = random.choice(BREAKS)
        chosen = step if random.random() < 0.6 else random.choice(near)
        found.append((change.__name__, change(random, chosen)))
    return step.size, found


# --- the doors ------------------------------------------------------------------------------------


def by_table(random: Random, of: Evening, found: Counter[str]) -> None:
    """A round of commands at a `Table`."""
    size, wanted = calls(random, of)
    table = table_at(of, size)
    for _, call in wanted:
        before = look(table.aggregate)
        try:
            with ending(type(call[1])):
                table.submit(*call)
        except Refused as refused:
            bounded(refused)
            assert look(table.aggregate) == before
            found[refused.code] += 1
        else:
            accepted(call, before[0], table.aggregate)
            found["right, and done"] += 1


async def by_service(random: Random, of: Evening, found: Counter[str]) -> None:
    """A round of commands at a `Service`."""
    size, wanted = calls(random, of)
    service, id = await service_at(of, size)
    for _, call in wanted:
        before = look(await service.aggregate(id))
        try:
            with ending(type(call[1])):
                await service.submit(id, *call)
        except Refused as refused:
            bounded(refused)
            assert look(await service.aggregate(id)) == before
            found[refused.code] += 1
        else:
            accepted(call, before[0], await service.aggregate(id))
            found["right, and done"] += 1
    await service.close()


async def by_bytes(random: Random, of: Evening, found: Counter[str]) -> None:
    """A round of requests as they come over a wire."""
    step = random.choice(of.steps)
    service, id = await service_at(of, step.size)
    good = request_of(step.asking, "again").decode()
    for _ in range(ROUND):
        broken = mutant(random, [good])
        data: Any = broken if isinstance(broken, bytes) else broken.encode("utf-8", "surrogatepass")
        if random.random() < 0.1:
            data = some(random)
        before = look(await service.aggregate(id))
        try:
            with ending(data):
                await service.submit_request(id, step.seat, data)
        except Refused as refused:
            bounded(refused)
            assert look(await service.aggregate(id)) == before
            found[refused.code] += 1
        else:
            table = await service.aggregate(id)
            if len(table.entries) > before[0]:
                asked = asked_in(table.entries[before[0]])
                assert asked is not None
                assert asked.body == json.loads(data)["body"]
            found["right, and done"] += 1
    await service.close()


@pytest.mark.sampled(4)
@pytest.mark.prove
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_wrong_command_is_refused_and_a_right_one_is_done_as_it_is(
    system: str, count: int, seed: int, tried: Callable[[str], None]
) -> None:
    random = Random(f"{system} {seed}")  # noqa: S311 - any will do
    found: Counter[str] = Counter()
    wrong = 0
    turn = 0
    while wrong < 2.4 * count:  # 6,000 of all systems where the count is 500
        of = random.choice(evenings(system))
        match turn % 3:
            case 0:
                by_table(random, of, found)
            case 1:
                asyncio.run(by_service(random, of, found))
            case _:
                asyncio.run(by_bytes(random, of, found))
        wrong, turn = found.total() - found["right, and done"], turn + 1
    assert found["malformed"]
    kinds = ", ".join(f"{name} {number:,}" for name, number in found.most_common())
    tried(f"{wrong:,} wrong commands: {kinds}")


def test_every_value_is_tried_as_a_command() -> None:
    step = evenings("milhamah")[0].steps[0]
    table = table_at(evenings("milhamah")[0], step.size)
    before = look(table.aggregate)
    for value in ANY:
        with pytest.raises(Refused) as refused:
            table.submit(step.seat, value)
        assert refused.value.code == "malformed"
        bounded(refused.value)
    assert look(table.aggregate) == before
