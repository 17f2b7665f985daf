"""A host that cheats: what it sends is refused, with the entry and what is wrong with it."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.engine.helpers.stages.players import ALONE, Evening, commits
from tests.engine.helpers.stages.service import TABLE
from tests.sealing import asked_of, json_of, payload_of, resealed, sealed_raw
from urim.engine.bundle.read import entry_of
from urim.engine.core.commands import Declare, SetTrack
from urim.engine.seat import Seat
from urim.engine.seat.happened import HeadSeen
from urim.engine.seat.heads import Forked
from urim.engine.seat.stored import read_stored
from urim.engine.service.feed import Commit, Message
from urim.errors import Damaged
from urim.events.entry import Entry, withhold
from urim.events.line import entry_line
from urim.events.log.protocol import CaughtUp
from urim.events.merkle import consistency_proof

Commits = list[list[Entry]]
Twist = Callable[[Commits], Commits]


class Night(Struct):
    """What p2 was sent of an evening at level table: up to the head, and the commit that reveals.

    `leaves` are those of the log up to the head.
    """

    evening: Evening
    messages: list[Message]
    head: bytes
    leaves: list[bytes]
    reveal: Commit

    def seat(self) -> Seat:
        """A new seat."""
        return Seat(TABLE, "p2", [self.evening.key])


@pytest.fixture(scope="module", name="night")
def _night() -> Night:
    async def run() -> Night:
        evening = Evening()
        await evening.begin()
        evening.leave("reveal")
        await evening.both()
        messages = await evening.sent("p2")
        head = await evening.service.checkpoint(TABLE)
        leaves = [entry.leaf for entry in await evening.log.read(TABLE)]
        evening.leave()
        await evening.play()
        reveal = (await evening.sent("p2", len(leaves) - 1))[0]
        assert isinstance(reveal, Commit) and reveal.changed
        return Night(evening, messages, head, leaves, reveal)

    return asyncio.run(run())


def apart(messages: Sequence[Message]) -> Commits:
    """The commits that are sent, as entries."""
    return [[*map(entry_of, each.entries)] for each in messages if isinstance(each, Commit)]


def together(commits: Commits) -> list[Message]:
    """Entries as they would be sent."""
    made: list[Message] = []
    size = 0
    for each in commits:
        size += len(each)
        made.append(Commit(size, tuple(map(entry_line, each))))
    return [*made, CaughtUp(size)]


def tells(entry: Entry, tag: str, roll: int | None = None) -> bool:
    """Whether an entry shows an event of that name, of that roll where one is named."""
    found = json_of(entry)
    named = bool(found) and found["type"].startswith(f"{tag}/")
    return named and roll in (None, found["roll"])


def changed(tag: str, change: Callable[[dict[str, Any]], None], roll: int | None = 1) -> Twist:
    """An event of that name changed, and sealed as if it had been so."""

    def twist(commits: Commits) -> Commits:
        seqs = [entry.seq for each in commits for entry in each if tells(entry, tag, roll)]

        def other(entry: Entry) -> Entry:
            if entry.seq != seqs[0]:
                return entry
            event = json_of(entry)
            change(event)
            said = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
            payload = payload_of(said, asked_of(entry))
            assert entry.salt is not None
            return sealed_raw(entry.seq, entry.at, payload, entry.salt, entry.kind, entry.commit)

        return [[other(entry) for entry in each] for each in commits]

    return twist


def at(place: int, change: Callable[[Entry], Entry]) -> Twist:
    """The first entry of a commit changed."""

    def twist(commits: Commits) -> Commits:
        commits[place][0] = change(commits[place][0])
        return commits

    return twist


def proof(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Fields of a throw's proof."""
    return lambda event: event["proof"].update(fields)


def another_face(event: dict[str, Any]) -> None:
    """The first die shows what the second kind of face would be."""
    faces = [die[2] for die in event["dice"]]
    event["dice"][0][2] = next(each for each in "שזגכלקבט" if each != faces[0])


def swapped(commits: Commits) -> Commits:
    """Two commits change places."""
    commits[3], commits[4] = commits[4], commits[3]
    return commits


def renumbered(commits: Commits) -> Commits:
    """Two commits of one entry change places, and take each other's numbers."""
    [one], [two] = commits[1], commits[2]
    commits[1] = [resealed(two, seq=one.seq, at=one.at)]
    commits[2] = [resealed(one, seq=two.seq, at=two.at)]
    return commits


def flipped(entry: Entry) -> Entry:
    """A byte of the payload is another one."""
    assert entry.payload is not None
    return replace(entry, payload=entry.payload.replace(b'"p1"', b'"p3"', 1))


CHEATS: dict[str, tuple[Twist, str]] = {
    "an entry is dropped": (lambda found: [*found[:3], *found[4:]], "expected entry 3"),
    "the last ones are dropped": (lambda found: found[:-2], "the log went back"),
    "an entry comes twice": (lambda found: [*found[:4], *found[3:]], "expected entry 5"),
    "two commits change places": (swapped, "expected entry 3"),
    "two commits change numbers": (renumbered, "are not those that were signed"),
    "a byte is changed": (at(1, flipped), "does not match its digest"),
    "an open entry is withheld": (
        at(5, lambda entry: replace(entry, salt=None, payload=None)),
        "an open entry is withheld",
    ),
    "two commits come as one": (
        lambda found: [[*found[0], *found[1]], *found[2:]],
        "it is of commit 1, not 0",
    ),
    "a commit comes in two parts": (
        lambda found: [
            each for one in found for each in ([one[:1], one[1:]] if one[1:] else [one])
        ],
        "it is of commit",
    ),
    "a text is withheld": (
        lambda found: [[withhold(e) if e.kind == "text" else e for e in each] for each in found],
        "a text is withheld",
    ),
    "a commit has two times": (
        lambda found: [
            [resealed(e, at=e.at + e.seq) if e.kind == "text" else e for e in each]
            for each in found
        ],
        "are of different times",
    ),
    "time goes back": (at(4, lambda entry: resealed(entry, at=5)), "time goes back"),
}
"""Each: how the messages are changed, under the honest head, and words of what is said of it."""

FORGED: dict[str, tuple[Twist, str]] = {
    "another seed": (changed("dice-rolled", proof(seed="ab" * 32)), "commits to another seed"),
    "another face": (changed("dice-rolled", another_face), "die d1 .* must show"),
    "another nonce": (changed("dice-rolled", proof(nonce="ab" * 32)), "not the roller's share"),
    "another commitment": (changed("dice-rolled", proof(committed=3)), "outstanding commitment"),
    "a throw is left out": (changed("dice-rolled", proof(throw=1)), "next throw of the roll is 0"),
    "a share is another": (
        changed("share-opened", lambda event: event.update(share="ab" * 32)),
        "is not link . of the chain",
    ),
    "a share of a seat that nobody asked": (
        changed("share-opened", lambda event: event.update(by="p7")),
        "nobody waits for a share of seat p7",
    ),
    "an ask that leaves a seat out": (
        changed("throw-asked", lambda event: event.update(asked=event["asked"][1:])),
        "left out are|asks not itself",
    ),
    "an ask for a link that is spent": (
        changed(
            "throw-asked", lambda event: event.update(asked=[[s, 7] for s, _ in event["asked"]])
        ),
        "7 is not its next link",
    ),
    "a plan of other dice": (
        changed("throw-planned", lambda event: event.update(dice=event["dice"][:1])),
        "not as asked and planned",
    ),
}
"""The same, of what the host signs as if it had been so."""


def heard(seat: Seat, messages: Sequence[Message]) -> None:
    """Receive these."""
    for message in messages:
        seat.receive(message)


def taken(night: Night, messages: Sequence[Message]) -> Seat:
    """A seat that heard the host's head, and then these messages."""
    seat = night.seat()
    seat.head(night.head)
    seat.begin()
    heard(seat, messages)
    return seat


def test_the_honest_twin_is_taken(night: Night) -> None:
    assert together(apart(night.messages)) == night.messages
    seat = taken(night, night.messages)
    assert seat.fault is None
    assert seat.head_size == seat.size


@pytest.mark.parametrize("cheat", CHEATS)
def test_what_cannot_be_so_is_refused(night: Night, cheat: str) -> None:
    twist, words = CHEATS[cheat]
    messages = together(twist(apart(night.messages)))
    with pytest.raises(Damaged, match=words):
        taken(night, messages)


@pytest.mark.parametrize("cheat", FORGED)
def test_a_throw_that_does_not_follow_is_refused_though_it_is_signed(
    night: Night, cheat: str
) -> None:
    twist, words = FORGED[cheat]
    twisted = twist(apart(night.messages))
    *commits, mark = together(twisted)
    seat = night.seat()
    seat.head(night.evening.note([entry.leaf for each in twisted for entry in each]))
    for message in commits:
        seat.receive(message)
    for again in (lambda: seat.receive(mark), lambda: seat.receive(mark), seat.resend):
        with pytest.raises(Damaged, match=words) as damaged:
            again()
        assert damaged.value is seat.fault
        assert damaged.value.seq is not None


@pytest.mark.parametrize("tag", ["roll-declared", "dice-rolled", "roll-resolved"])
def test_a_withheld_entry_that_is_another_at_the_reveal(night: Night, tag: str) -> None:
    honest = taken(night, [*night.messages, night.reveal])
    assert 2 in honest.state.rolls
    shown = [entry_of(line) for line in night.reveal.changed]
    found = next(entry for entry in shown if tells(entry, tag))
    [[whole]] = changed(tag, lambda event: event.update(by="p2"), 2)([[found]])
    for other, words in (
        (whole, "is not the entry that was sent before"),
        (replace(found, payload=whole.payload), "does not match its digest"),
    ):
        lines = [entry_line(other if each.seq == other.seq else each) for each in shown]
        seat = taken(night, night.messages)
        with pytest.raises(Damaged, match=words) as damaged:
            seat.receive(replace(night.reveal, changed=tuple(lines)))
        assert damaged.value.seq == found.seq


def test_a_reveal_that_shows_nothing_or_not_all(night: Night) -> None:
    lines = night.reveal.changed
    thrown = [line for line in lines if not tells(entry_of(line), "dice-rolled")]
    for changed_lines in ((), lines[1:], thrown):
        seat = taken(night, night.messages)
        with pytest.raises(Damaged):
            seat.receive(replace(night.reveal, changed=tuple(changed_lines)))


def test_a_hidden_throw_is_checked_at_its_reveal_though_it_was_forged_from_the_start(
    night: Night,
) -> None:
    shown = [entry_of(line) for line in night.reveal.changed]
    for change, words in (
        (proof(seed="ab" * 32), "commits to another seed"),
        (another_face, "die d1 .* must show"),
    ):
        [forged] = changed("dice-rolled", change, 2)([shown])
        sealed = {entry.seq: withhold(entry) for entry in forged}
        before = [[sealed.get(e.seq, e) for e in each] for each in apart(night.messages)]
        seat = night.seat()
        heard(seat, together(before))
        with pytest.raises(Damaged, match=words):
            seat.receive(replace(night.reveal, changed=tuple(map(entry_line, forged))))


def test_a_text_that_nobody_erased_is_not_taken_back(night: Night) -> None:
    [text] = [e for each in apart(night.messages) for e in each if e.kind == "text"]
    seat = taken(night, night.messages)
    lines = (*night.reveal.changed, entry_line(withhold(text)))
    with pytest.raises(Damaged, match="nobody erased it"):
        seat.receive(replace(night.reveal, changed=lines))


# --- heads ----------------------------------------------------------------------------------------


def other(leaves: Sequence[bytes], size: int) -> list[bytes]:
    """The leaves of a log that is another from its second last entry on."""
    return [*leaves[: size - 2], bytes(32), *leaves[size - 1 : size]]


def test_two_heads_of_one_size_prove_that_the_host_forked(night: Night) -> None:
    size = len(night.leaves)
    forged = night.evening.note(other(night.leaves, size))
    for first, second in ((night.head, forged), (forged, night.head)):
        seat = night.seat()
        seat.head(first)
        with pytest.raises(Forked, match="two roots") as forked:
            seat.head(second)
        assert (forked.value.earlier, forked.value.later) == (first, second)
        assert forked.value.proved([night.evening.key])
        assert seat.fault is forked.value


def test_a_smaller_head_of_another_log_is_proved_by_the_larger_one(night: Night) -> None:
    size = len(night.leaves) - 3
    seat = taken(night, night.messages)
    assert seat.head(night.evening.note(night.leaves[:size])) == ()
    forged = night.evening.note(other(night.leaves, size))
    with pytest.raises(Forked, match="are not those that were signed") as forked:
        seat.head(forged)
    error = forked.value
    assert (error.earlier, error.later) == (night.head, forged)
    assert error.proved([night.evening.key])
    error.root = night.leaves[0]
    assert not error.proved([night.evening.key])


def test_a_larger_head_waits_for_its_entries(night: Night) -> None:
    size = len(night.leaves)
    reveal = [entry_of(line).leaf for line in night.reveal.entries]
    for leaves in ([*night.leaves, *reveal], [*other(night.leaves, size), *reveal]):
        seat = taken(night, night.messages)
        assert seat.head(night.evening.note(leaves)) == ()
        assert seat.head_size == size
        if leaves[:size] == night.leaves:
            assert HeadSeen(night.reveal.size) in seat.receive(night.reveal)
            assert seat.head_size == night.reveal.size
        else:
            with pytest.raises(Forked):
                seat.receive(night.reveal)


def test_a_larger_head_is_proved_at_once_or_has_forked(night: Night) -> None:
    reveal = [entry_of(line).leaf for line in night.reveal.entries]
    size = len(night.leaves)
    honest = [*night.leaves, *reveal]
    seat = taken(night, night.messages)
    proof = consistency_proof(honest, size, len(honest))
    assert seat.head(night.evening.note(honest), proof) == (HeadSeen(len(honest)),)
    forged = [*other(night.leaves, size), *reveal]
    seat = taken(night, night.messages)
    with pytest.raises(Forked, match="not proved"):
        seat.head(night.evening.note(forged), consistency_proof(forged, size, len(forged)))


def test_a_note_that_nobody_trusted_signed_changes_nothing(night: Night) -> None:
    seat = taken(night, night.messages)
    for note in (b"", night.head[:-5], Evening().strange(night.leaves)):
        with pytest.raises(Damaged) as damaged:
            seat.head(note)
        assert not isinstance(damaged.value, Forked)
    assert seat.fault is None


def test_a_log_that_went_back_is_seen_after_a_restart(night: Night) -> None:
    seat = taken(night, [*night.messages, night.reveal])
    stored = read_stored(seat.stored().written())
    assert stored == seat.stored()
    for messages in (night.messages, together(apart(night.messages)[:-2])):
        again = Seat.resume(stored, [night.evening.key])
        with pytest.raises(Forked, match="went back"):
            heard(again, messages)
    known = Seat.resume(stored.after_restore(), [night.evening.key])
    for message in night.messages:
        known.receive(message)
    assert known.live
    with pytest.raises(Forked, match="went back"):
        seat.shorter(night.evening.note(night.leaves[:-4]))


def test_another_log_is_seen_after_a_restart_signed_or_not(night: Night) -> None:
    seat = taken(night, night.messages)
    twisted = together(
        changed("throw-asked", lambda e: e.update(left=["p7"]))(apart(night.messages))
    )
    for stored in (seat.stored(), replace(seat.stored(), note=None)):
        again = Seat.resume(stored, [night.evening.key])
        assert not again.confirmed
        with pytest.raises(Forked):
            heard(again, twisted)


async def test_two_logs_from_one_prefix_under_one_key() -> None:
    evening = Evening()
    await evening.begin(level="player")
    twin = await evening.copied()
    seat = evening.players["p1"].seat
    await evening.players["p1"].ask(Declare("c1", ALONE))
    await evening.players["p1"].sync()
    size = seat.size
    assert seat.head_size == size
    for _ in range(2):
        await twin.service.submit(TABLE, "narrator", SetTrack("c1", "xr", 1))
    [commit, _] = await twin.sent("p1", seat.size - 1)
    later = await twin.service.checkpoint(TABLE)
    leaves = [entry.leaf for entry in await twin.log.read(TABLE)]
    same = twin.note(leaves[:size])

    other = Seat.resume(seat.stored(), [evening.key])
    heard(other, commits(seat.lines))
    with pytest.raises(Forked, match="two roots") as forked:
        other.head(same)
    assert forked.value.proved([evening.key])

    seat.head(later)
    with pytest.raises(Forked, match="are not those that were signed") as forked:
        seat.receive(commit)
    assert forked.value.later == later
    assert not forked.value.proved([evening.key])
