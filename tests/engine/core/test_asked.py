"""A log says what was asked: request and body in each commit's first entry, nowhere else."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.engine.helpers.decide_cases import ALL_CASES, CASES, Case
from tests.engine.helpers.stage import MISS, ROOT, code_of, fight, hit
from tests.sealing import json_of, resealed
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.limits import NARRATOR
from urim.engine.core.parse import body_of
from urim.engine.table import RollHandle, Table
from urim.errors import Damaged, Refused
from urim.events.asked import BODY, Asked, checked_request
from urim.events.codec import asked_in
from urim.events.entry import Entry, withhold

ALL = pytest.mark.parametrize("case", ALL_CASES.values(), ids=list(ALL_CASES))


def asked(entries: Sequence[Entry]) -> list[Asked | None]:
    """What each entry says was asked."""
    return [asked_in(entry) for entry in entries]


# --- the first entry ------------------------------------------------------------------------------


@ALL
def test_the_first_entry_of_a_commit_alone_says_what_was_asked(case: Case) -> None:
    table = case.stage()
    size = table.state.size
    table.submit(case.seat, case.command, "r-1")
    commit = table.entries[size:]
    body = body_of(c.apart(case.command)[0]).decode()
    assert asked(commit) == [Asked("r-1", body), *[None] * (len(commit) - 1)]
    assert {entry.commit for entry in commit} == {size}
    assert {entry.at for entry in commit} == {commit[0].at}
    assert json_of(commit[0])["by"] == case.seat


@ALL
def test_every_entry_of_a_log_is_of_a_commit_that_was_asked_for(case: Case) -> None:
    table = case.stage()
    table.submit(case.seat, case.command)
    first = 0
    for entry, record in zip(table.entries, table.aggregate.records, strict=True):
        if record is None:
            assert entry.kind == "text" and entry.commit < entry.seq
            continue
        first = entry.seq if asked_in(entry) else first
        assert entry.commit == first
        assert record.first == (entry.seq == first)


def test_the_host_gives_the_id_where_none_came() -> None:
    table, *_ = fight()
    for entry in table.entries:
        found = asked_in(entry)
        assert found is None or found.request == f"~{entry.seq}"
        assert found is not None or entry.commit < entry.seq
    table.submit("p1", c.worded(c.Note(0), "so"), "mine")
    (entry, _) = table.submit("p1", c.worded(c.Note(0), "so"))
    assert asked_in(entry) == Asked("~9", json_body(entry))


def json_body(entry: Entry) -> str:
    """The body that an entry holds."""
    found = asked_in(entry)
    assert found is not None
    return found.body


@pytest.mark.parametrize(
    "body",
    [
        b' { "do" : "resolve/1",\n\t"roll" : 1 }\n',
        b'{"roll":1,"do":"resolve/1"}',
        b'{"do":"\\u0072esolve\\/1","roll":1}',
    ],
)
def test_the_body_is_kept_byte_for_byte_as_it_came(body: bytes) -> None:
    table = CASES[c.Resolve].stage()
    aggregate = table.aggregate
    prepared = aggregate.prepare("p1", body, "r1")
    aggregate.keep(prepared)
    assert json_body(prepared.entries[0]).encode() == body
    assert aggregate.answered("p1", "r1", body) == prepared.entries
    assert code_of(table.submit, "p1", c.Resolve(1), "r1") == "request-reused"


def test_a_command_that_changes_nothing_leaves_no_record() -> None:
    table, *_ = fight()
    assert table.submit("p1", c.GiveCharacter("c1", "p1"), "r1") == ()
    assert table.submit("p1", c.GiveCharacter("c1", "p2"), "r1")


# --- the command's own roll comes first -----------------------------------------------------------


@ALL
def test_the_first_event_is_about_the_roll_that_the_command_names(case: Case) -> None:
    command = c.apart(case.command)[0]
    if isinstance(command, c.RollCommand):
        table = case.stage()
        size = table.state.size
        table.submit(case.seat, case.command)
        assert json_of(table.entries[size])["roll"] == command.roll


def followed() -> tuple[Table, RollHandle, RollHandle]:
    """Guard's attack that hit, and the victim's soak that follows it."""
    table = Table("scarterra", dice="scripted")
    archer = table.character("Archer", attributes={"Dexterity": 3})
    guard = table.character("Guard", attributes={"Stamina": 2})
    attack = table.declare(
        archer, attribute="Dexterity", combat=True, opponent=guard.id, soak="Stamina"
    )
    attack.decline()
    attack.roll(faces=[8, 8, 2])
    attack.resolve()
    soak = table.declare(guard, follows=(attack, "soak"))
    table.seat("p9")
    return table, attack, soak


def test_followers_are_voided_behind_the_roll_that_was_asked_about() -> None:
    table, attack, soak = followed()
    size = table.state.size
    attack.void("a slip")
    events = [json_of(entry) for entry in table.entries[size:]]
    assert [event["type"] for event in events] == ["roll-voided/2", "roll-voided/2", "text-said/1"]
    assert [event.get("roll") for event in events] == [attack.number, soak.number, None]


def test_followers_are_amended_behind_the_roll_that_was_asked_about() -> None:
    table, attack, soak = followed()
    size = table.state.size
    attack.amend("a misread sheet", dots=3)
    events = [json_of(entry) for entry in table.entries[size:]]
    assert [event["type"] for event in events[::2]] == ["roll-amended/2", "text-said/1"]
    assert [event.get("roll") for event in events] == [attack.number, soak.number, None]


# --- as hidden as what was asked ------------------------------------------------------------------


def test_what_was_asked_about_a_hidden_roll_is_hidden_with_it_and_so_is_its_text() -> None:
    table, etgar, _ = fight()
    table.seat("p3")
    size = table.state.size
    table.declare(etgar, visibility="gm", label="In secret", root=ROOT, rating=2)
    table.submit("p1", c.RollDice(1, "initiator", faces=MISS))
    table.submit(NARRATOR, c.worded(c.Void(1), "why"))
    kinds = ["hidden", "hidden-text", "hidden", "hidden", "hidden-text"]
    assert [entry.kind for entry in table.entries[size:]] == kinds
    assert all(entry.payload is None for entry in table.aggregate.view("p3")[size:])
    table.submit(NARRATOR, c.Reveal(1))
    assert table.aggregate.view("p3") == table.entries


# --- a log that does not say so -------------------------------------------------------------------


def played() -> Table:
    """A table with commits of one and of several entries."""
    table, etgar, toad = fight()
    hit(table, etgar, toad)
    table.submit("p1", c.worded(c.Dispute(1), "why?"))
    return table


def loaded(table: Table, entries: Sequence[Entry]) -> Aggregate:
    """Another table with these entries."""
    aggregate = Aggregate(table.aggregate.environment)
    aggregate.load(entries)
    return aggregate


def test_every_log_is_read_again_with_its_commits() -> None:
    table = played()
    assert loaded(table, table.entries).opened == table.state
    assert loaded(table, table.entries).records == table.aggregate.records


@pytest.mark.parametrize("withheld", [False, True])
def test_an_entry_of_a_commit_that_is_not_the_last_one_is_damage(withheld: bool) -> None:
    table = played()
    entries = list(table.entries)
    last = entries[-1]
    assert last.commit == last.seq - 1
    for other in (0, last.commit - 1):
        touched = replace(last, commit=other)
        entries[-1] = withhold(touched) if withheld else touched
        with pytest.raises(Damaged, match=f"of commit {other}, which is not here") as damage:
            loaded(table, entries)
        assert damage.value.seq == last.seq


def test_an_entry_that_begins_a_commit_says_what_was_asked() -> None:
    table = played()
    entries = list(table.entries)
    entries[-1] = replace(entries[-1], commit=entries[-1].seq)
    with pytest.raises(Damaged, match="does not say what was asked") as damage:
        loaded(table, entries)
    assert damage.value.seq == entries[-1].seq


def test_an_entry_that_goes_on_with_a_commit_does_not_say_what_was_asked() -> None:
    table = played()
    entries = list(table.entries)
    dispute = entries[-2]
    entries[-2] = replace(dispute, commit=entries[-3].commit)
    with pytest.raises(Damaged, match="it says what was asked, in commit") as damage:
        loaded(table, entries[:-1])
    assert damage.value.seq == dispute.seq


def test_a_first_entry_without_what_was_asked_is_damage() -> None:
    table = played()
    entries = list(table.entries)
    inner = (entries[0].payload or b"").partition(b',"event":')[2].removesuffix(b"}")
    payload = b'{"event":%b}' % inner
    entries[0] = resealed(replace(entries[0], payload=payload))
    with pytest.raises(Damaged, match="does not say what was asked"):
        loaded(table, entries)


def test_a_refused_request_id_is_shown_as_far_as_80_characters() -> None:
    with pytest.raises(Refused) as error:
        checked_request("/" * 81)
    assert error.value.why == f"the request id {'/' * 80!r} is not of its form"


def test_a_body_has_16_kib() -> None:
    assert BODY == 16_384
