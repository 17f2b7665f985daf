"""A text comes with its command, ends its commit, and can be erased; the command holds its hash."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.engine.helpers.decide_cases import CASES, Case
from tests.engine.helpers.stage import MISS, ROOT, code_of, fight
from tests.sealing import json_of, sealed
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate
from urim.engine.core.commands import Worded, worded
from urim.engine.core.limits import LABEL, NARRATOR, TEXT, TextRule
from urim.engine.core.visibility import visible_part
from urim.engine.table import Table
from urim.errors import Damaged, Refused
from urim.events.asked import Text
from urim.events.codec import asked_in
from urim.events.entry import TEXTS, Entry, withhold
from urim.events.table import EntryErased

TAKING = {kind: case for kind, case in CASES.items() if c.apart(case.command)[0].text_rule}
"""The cases of commands that take a text."""

NEEDING = {
    *(c.Dispute, c.Void, c.Amend, c.Rule, c.Veto, c.Replace),
    *(c.Note, c.NameCharacter, c.NameSeat, c.NameTable, c.SetReading),
}
"""The commands that nobody may give without words."""

NO_SALTS = ["", "0" * 31, "0" * 33, "A" * 32, "0" * 31 + "g", "0" * 32 + "\n"]

EACH = pytest.mark.parametrize("case", TAKING.values(), ids=[kind.__name__ for kind in TAKING])


def rule_of(case: Case) -> TextRule:
    """What the case's command asks of its text."""
    rule = c.apart(case.command)[0].text_rule
    assert rule is not None
    return rule


def bare(case: Case) -> Any:
    """The case's command without its text."""
    return replace(case.command.command, text=None)


def refused(case: Case, asking: Any) -> Refused:
    """What the case's seat is refused with; the table must be what it was."""
    table = case.stage()
    before = table.state
    with pytest.raises(Refused) as caught:
        table.submit(case.seat, asking)
    assert table.state is before
    return caught.value


def loaded(table: Table, seat: str | None = None) -> Aggregate:
    """The table read again from its log, or from what a seat has of it."""
    again = Aggregate(table.aggregate.environment)
    again.load(table.entries if seat is None else table.aggregate.view(seat))
    return again


# --- which text -----------------------------------------------------------------------------------


def test_the_hash_of_a_text_is_that_of_the_definition() -> None:
    # printf 'urim/1 text\n000102030405060708090a0b0c0d0e0f\nאתגר' | sha256sum
    known = "88249e94e25cc9989ee8d101dce3ea41030270ae2ba35e4eab469f1ea11c8ba2"
    assert Text("000102030405060708090a0b0c0d0e0f", "אתגר").hash == known


def test_the_commands_that_take_a_text_and_the_ones_that_need_it() -> None:
    takes = {kind for kind in TAKING if not rule_of(TAKING[kind]).needed}
    assert takes == {c.TakeSeat, c.EnterCharacter, c.Declare}
    assert set(TAKING) == takes | NEEDING
    for kind in CASES:
        assert ("text" in kind.__struct_fields__) == (kind in TAKING)  # type: ignore[attr-defined]


@EACH
def test_a_text_that_is_needed_is_never_left_out(case: Case) -> None:
    if rule_of(case).needed:
        error = refused(case, bare(case))
        assert (error.code, "needs a " in error.why) == ("malformed", True)
    else:
        table = case.stage()
        table.submit(case.seat, bare(case))
        assert table.entries[-1].kind == "open"


@EACH
def test_a_text_fits_the_hash_that_its_command_holds(case: Case) -> None:
    command, text = c.apart(case.command)
    assert text is not None
    for other in (Text(text.salt, text.text + " "), Text("0" * 32, text.text)):
        error = refused(case, Worded(command, other))
        assert (error.code, error.allowed) == ("malformed", (other.hash,))


@EACH
def test_a_text_and_its_hash_come_together_or_not_at_all(case: Case) -> None:
    command, text = c.apart(case.command)
    assert text is not None
    alone = refused(case, command)
    assert (alone.code, "its text is missing" in alone.why) == ("malformed", True)
    unnamed = refused(case, Worded(bare(case), text))
    assert (unnamed.code, "does not name its text" in unnamed.why) == ("malformed", True)


@EACH
def test_a_text_has_a_length(case: Case) -> None:
    rule = rule_of(case)
    assert rule.most == {"name": LABEL, "label": LABEL, "reason": TEXT, "text": TEXT}[rule.name]
    long = refused(case, worded(bare(case), "א" * (rule.most + 1)))
    assert (long.code, long.allowed) == ("too-long", (f"at most {rule.most}",))
    assert f"the {rule.name} of" in long.why and f"{rule.most + 1} characters" in long.why
    empty = refused(case, worded(bare(case), ""))
    assert (empty.code, "is empty" in empty.why) == ("malformed", True)
    table = case.stage()
    table.submit(case.seat, worded(bare(case), "א" * rule.most))
    assert json_of(table.entries[-1])["text"] == "א" * rule.most


@EACH
@pytest.mark.parametrize(
    "salt", ["", "0" * 31, "0" * 33, "A" * 32, "0" * 31 + "g", "0" * 32 + "\n"]
)
def test_the_salt_of_a_text_is_32_hex_digits(case: Case, salt: str) -> None:
    error = refused(case, worded(bare(case), "so", salt))
    assert (error.code, error.allowed) == ("malformed", ("32 hex digits",))


@EACH
def test_half_of_a_surrogate_pair_is_no_text(case: Case) -> None:
    command, text = c.apart(case.command)
    assert text is not None
    assert refused(case, Worded(command, Text(text.salt, "\ud83d"))).code == "malformed"
    with pytest.raises(Refused, match="half of a surrogate pair"):
        worded(bare(case), "\ud83d")


@pytest.mark.parametrize("kind", [kind for kind in CASES if kind not in TAKING])
def test_a_command_that_takes_no_text_is_refused_with_one(kind: type) -> None:
    error = refused(CASES[kind], worded(CASES[kind].command, "so"))
    assert (error.code, "takes no text" in error.why) == ("malformed", True)


def test_a_salt_is_drawn_for_every_text_and_repeats_in_a_fixture_alone() -> None:
    assert worded(c.Note(0), "so").text.salt != worded(c.Note(0), "so").text.salt
    salts = [json_of(fight(dice)[0].entries[3])["salt"] for dice in ("scripted", "fair") * 2]
    assert salts[0] == salts[2]
    assert salts[1] != salts[3]


# --- where it is ----------------------------------------------------------------------------------


@EACH
def test_a_text_is_the_last_entry_of_its_commit(case: Case) -> None:
    table = case.stage()
    size = table.state.size
    table.submit(case.seat, case.command)
    text = case.command.text
    commit = table.entries[size:]
    assert [entry.kind for entry in commit] == ["open"] * (len(commit) - 1) + ["text"]
    said = {"type": "text-said/1", "by": case.seat, "salt": text.salt, "text": text.text}
    assert json_of(commit[-1]) == said
    assert case.command.command.text == text.hash
    asked = asked_in(commit[0])
    assert asked is not None and text.hash in asked.body and text.text not in asked.body


ABOUT: dict[type, str] = {
    c.TakeSeat: "seat:p9",
    c.NameSeat: "seat:p1",
    c.NameTable: "table",
    c.EnterCharacter: "character:c9",
    c.NameCharacter: "character:c1",
    c.Note: "entry:0",
}
"""What the texts of these cases are about; all others are about the first entry of their commit."""


@EACH
def test_a_text_is_found_again_by_what_it_is_about(case: Case) -> None:
    table = case.stage()
    size = table.state.size
    table.submit(case.seat, case.command)
    words = case.command.text.text
    about = ABOUT.get(type(case.command.command), f"entry:{size}")
    latest = table.state.texts[about][-1]
    assert (latest.seq, latest.by, latest.text) == (table.state.size - 1, case.seat, words)
    what, _, id = about.partition(":")
    if what == "entry":
        assert table.state.notes_about(int(id))[-1] == words
    else:
        assert (table.state.name_of(id) if id else table.state.name) == words


# --- erased ---------------------------------------------------------------------------------------


@EACH
def test_an_erased_text_leaves_its_command_and_all_that_it_led_to(case: Case) -> None:
    table = case.stage()
    size = table.state.size
    table.submit(case.seat, case.command)
    before, entries = table.state, table.entries
    seq = table.state.size - 1
    table.submit(NARRATOR, c.Erase(seq))
    after = table.state
    assert table.entries[:-1] == (*entries[:-1], withhold(entries[-1]))
    asked = asked_in(table.entries[size])
    assert asked is not None and case.command.text.hash in asked.body
    about = before.writings.get(seq)
    assert about is not None
    left = tuple(text for text in before.texts[about.about] if text.seq != seq)
    texts = before.texts.set(about.about, left) if left else before.texts.delete(about.about)
    assert after.texts == texts
    same = (
        "seats",
        "characters",
        "tracks",
        "rolls",
        "following",
        "timeline",
        "epoch",
        "ask",
        "kept_back",
    )
    assert all(getattr(after, name) == getattr(before, name) for name in same)
    assert loaded(table).opened == after
    assert loaded(table).frontier.root() == table.aggregate.frontier.root()


def test_an_erased_name_gives_way_to_the_id() -> None:
    table, *_ = fight()
    table.submit(NARRATOR, worded(c.TakeSeat("p9"), "Ruth"))
    table.submit(NARRATOR, c.Erase(table.state.size - 1))
    assert table.state.name_of("p9") == "p9"
    assert loaded(table).opened.name_of("p9") == "p9"
    table.submit("p9", worded(c.NameSeat("p9"), "Noa"))
    assert loaded(table).opened.name_of("p9") == "Noa"


@pytest.mark.parametrize("case", CASES.values(), ids=[kind.__name__ for kind in CASES])
def test_nothing_but_a_text_is_erased(case: Case) -> None:
    table = case.stage()
    table.submit(case.seat, case.command)
    texts = {entry.seq for entry in table.entries if entry.kind in TEXTS and entry.payload}
    for seq in {*range(table.state.size + 1)} - texts:
        before = table.state
        with pytest.raises(Refused) as caught:
            table.submit(NARRATOR, c.Erase(seq))
        assert table.state is before
        if table.state.ask is not None:
            assert caught.value.code == "due"
            continue
        assert caught.value.code == "not-offered"
        assert caught.value.allowed == tuple(map(str, sorted(texts, reverse=True)))
        assert table.state is before


def hidden_text() -> tuple[Table, int]:
    """A hidden roll with a label, and the entry of the label."""
    table, etgar, _ = fight()
    table.seat("p3")
    table.declare(etgar, visibility="gm", label="In secret", root=ROOT, rating=2)
    return table, table.state.size - 1


def seen(entries: tuple[Entry, ...], seq: int) -> bool:
    """Whether an entry's payload is there."""
    return entries[seq].payload is not None


def test_that_a_text_of_a_hidden_roll_was_erased_is_hidden_until_the_roll_is_revealed() -> None:
    table, text = hidden_text()
    table.submit("p1", c.Erase(text))
    erased = table.state.size - 1
    assert table.entries[erased].kind == "hidden"
    for aggregate in (table.aggregate, loaded(table)):
        for seat in ("p1", "p2", "p3", NARRATOR):
            may = visible_part(table.state, seat, table.state.rolls[1]) == "everything"
            assert seen(aggregate.view(seat), erased) == may
            assert not seen(aggregate.view(seat), text)
    assert [seen(table.aggregate.view(seat), erased) for seat in ("p1", "p3")] == [True, False]
    table.submit(NARRATOR, c.Reveal(1))
    for aggregate in (table.aggregate, loaded(table)):
        assert seen(aggregate.view("p3"), erased)
        assert not seen(aggregate.view("p3"), text)
    assert loaded(table, "p3").opened == table.state


def test_a_text_of_a_hidden_roll_is_hidden_until_the_roll_is_revealed() -> None:
    table, text = hidden_text()
    assert [seen(table.aggregate.view(seat), text) for seat in ("p1", "p3")] == [True, False]
    assert table.entries[text].kind == "hidden-text"
    table.submit(NARRATOR, c.Reveal(1))
    assert seen(table.aggregate.view("p3"), text)


def test_a_note_about_a_text_that_was_erased_stays_with_its_roll() -> None:
    table, text = hidden_text()
    table.submit("p1", worded(c.Note(text), "more of it"))
    table.submit("p1", c.Erase(text))
    assert loaded(table).opened == table.state
    assert table.state.notes_about(text) == ("more of it",)
    assert not seen(loaded(table).view("p3"), text + 1)
    assert code_of(table.submit, "p3", worded(c.Note(text), "?")) == "not-seen"


@pytest.mark.parametrize("seq", [0, 1, 2, 7, 8])
def test_a_log_in_which_anything_but_a_text_is_erased_is_damaged(seq: int) -> None:
    table, *_ = fight()
    forged = sealed(7, table.entries[-1].at, EntryErased(NARRATOR, seq))
    again = Aggregate(table.aggregate.environment)
    with pytest.raises(Damaged, match=f"it erases entry {seq}, which is no text"):
        again.load([*table.entries, forged])


def test_who_sees_a_blind_declaration_reads_its_label() -> None:
    table, etgar, _ = fight()
    roll = table.declare(etgar, visibility="blind", label="In the dark.", root=ROOT, rating=2)
    roll.roll(faces=MISS)
    table.submit(NARRATOR, worded(c.Dispute(1), "Are these dice?"))
    seen = {
        seat: [e.payload is not None for e in table.aggregate.view(seat)][-5:]
        for seat in (NARRATOR, "p1", "p2")
    }
    assert seen == {
        NARRATOR: [True] * 5,
        "p1": [True, True, False, False, False],
        "p2": [False] * 5,
    }
