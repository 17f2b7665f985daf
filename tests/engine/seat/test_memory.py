"""What a seat remembers of its own requests and nonces, whatever its host says of them."""

import pytest
from msgspec.structs import replace

from tests.engine.helpers.stages.players import ALONE, Player
from tests.engine.helpers.stages.service import TABLE
from tests.engine.seat.test_asking import THROW, begun, code_of, nonce_in
from urim.engine.core.commands import Declare, Note
from urim.engine.core.parse import body_of
from urim.engine.core.refusal import Refusal
from urim.engine.core.request import WireRequest, read_request
from urim.engine.seat import Seat
from urim.engine.seat.fault import Fault
from urim.engine.seat.happened import Contradicted, Done, EpochSeen, NotDone, NotMine
from urim.engine.seat.requests import REMEMBERED, Requests
from urim.engine.seat.stored import read_stored
from urim.errors import Damaged
from urim.events.asked import Asked
from urim.events.codec import decode

REFUSAL = Refusal("not-offered", "no", ())


def again(player: Player) -> Seat:
    """The seat as it is after a restart, without its entries."""
    return Seat.resume(read_stored(player.seat.stored().written()), [player.key])


def asked_by(player: Player) -> tuple[bytes, str]:
    """A request that was not sent, and its id."""
    data = player.seat.ask(Declare("c1", ALONE))
    return data, str(read_request(data).request)


def under(id: str, rating: int) -> bytes:
    """Another body under an id."""
    body = body_of(Declare("c1", {**ALONE, "rating": rating})).decode()
    return WireRequest(body, id, None).written()


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("empty", [False, True])
async def test_what_led_to_nothing_and_is_logged_is_an_event(restarted: bool, empty: bool) -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    data, id = asked_by(p1)
    found = p1.seat.answer(id, []) if empty else p1.seat.refused(id, REFUSAL)
    assert found == ((Done(id, None),) if empty else (NotDone(id, REFUSAL),))
    if restarted:
        p1.seat = again(p1)
    await evening.service.submit_request(TABLE, "p1", data)
    await p1.sync()
    warned = [each for each in p1.happened if isinstance(each, Contradicted)]
    assert warned == [Contradicted(6, id)]
    p1.seat = again(p1)
    p1.happened.clear()
    await p1.sync()
    assert not any(isinstance(each, (Contradicted, Done)) for each in p1.happened)


@pytest.mark.parametrize("empty", [False, True])
async def test_another_body_under_an_id_that_led_to_nothing_is_a_fault(empty: bool) -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    _, id = asked_by(p1)
    if empty:
        p1.seat.answer(id, [])
    else:
        p1.seat.refused(id, REFUSAL)
    p1.seat = again(p1)
    await evening.service.submit_request(TABLE, "p1", under(id, 1))
    with pytest.raises(Damaged, match="asked for something else"):
        await p1.sync()
    with pytest.raises(Damaged, match="asked for something else"):
        await Player(evening.service, again(p1), p1.key).sync()


async def test_an_event_that_was_unknown_is_no_fault_of_a_later_version() -> None:
    with pytest.raises(Damaged) as unknown:
        decode(b'{"event":{"type":"moon-set/9"}}')
    p1 = (await begun()).players["p1"]
    stored = replace(p1.seat.stored(), fault=Fault(unknown.value.why, 3))
    assert Seat.resume(stored, [p1.key]).fault is None
    kept = Seat.resume(replace(stored, fault=Fault("a text is withheld", 3)), [p1.key]).fault
    assert kept is not None
    assert (kept.why, kept.seq) == ("a text is withheld", 3)


async def test_version_0_2_reads_a_state_in_which_nothing_is_strange() -> None:
    """It knows every field but the last."""
    p1 = (await begun()).players["p1"]
    stored = p1.seat.stored()
    assert b"distrust" not in stored.written()
    assert b'"distrust":3' in replace(stored, distrust=3).written()
    assert read_stored(stored.written()) == stored


def test_what_was_done_is_known_after_a_restart() -> None:
    requests = Requests("p1", "aa", bytes)
    made = requests.made(Note(0))
    asked = Asked(str(made.request), made.body)
    assert requests.logged(6, "p1", asked)
    other = Requests("p1", "aa", bytes)
    other.resume(requests.pending, requests.remembered)
    assert not other.logged(6, "p1", asked)
    with pytest.raises(Damaged, match="in entry 6 already"):
        other.logged(9, "p1", asked)


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_id_that_looks_like_its_own_is_not(restarted: bool) -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    if restarted:
        p1.seat = again(p1)
    request = read_request(p1.seat.ask(Note(0))).request
    device = str(request).partition("-")[0]
    outstanding = (await evening.service.state(TABLE)).rolls[1].outstanding
    assert outstanding is not None
    throw = f'{{"do":"roll/1","roll":1,"hand":"initiator","committed":{outstanding.seq},'
    throw += f'"nonce":"{"ab" * 32}"}}'
    forged = WireRequest(throw, f"{device}-forged-0", None).written()
    await evening.service.submit_request(TABLE, "p1", forged)
    await p1.sync()
    assert NotMine(7) in p1.happened


def test_so_many_are_remembered_and_all_that_is_under_way() -> None:
    requests = Requests("p1", "aa", bytes)
    first = requests.made(Note(0))
    for _ in range(REMEMBERED + 10):
        made = requests.made(Note(0))
        requests.refused(str(made.request))
    assert len(requests.remembered) == REMEMBERED
    assert requests.pending == (first,)
    assert requests.logged(6, "p1", Asked(str(first.request), first.body)) is not None


async def test_one_commitment_gets_one_nonce_after_a_restore_too() -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    await p1.ask(Declare("c1", ALONE))
    await p1.sync()
    early = await evening.copied()
    given = p1.seat.ask(THROW)
    await p1.send(given)
    await p1.sync()
    stored = read_stored(p1.seat.stored().written()).after_restore()
    back = Player(early.service, Seat.resume(stored, [p1.key]), p1.key)
    await back.sync()
    assert code_of(lambda: back.seat.ask(THROW)) == "commitment"
    for unneeded in (False, True):  # of the first its player knew
        await early.service.begin_epoch(TABLE, restored=True)
        await back.sync()
        *_, seen = (each for each in back.happened if isinstance(each, EpochSeen))
        assert seen.unneeded is unneeded
    assert code_of(lambda: back.seat.ask(THROW)) == "commitment"
    back.seat.accept_epoch()
    assert nonce_in(back.seat.ask(THROW)) != nonce_in(given)


@pytest.mark.parametrize("restarted", [False, True])
async def test_an_entry_that_the_host_named_must_come(restarted: bool) -> None:
    evening = await begun()
    p1 = evening.players["p1"]
    data, id = asked_by(p1)
    assert p1.seat.answer(id, [1_000]) == (Done(id, 1_000),)
    if restarted:
        p1.seat = again(p1)
    assert data not in p1.seat.resend()
    with pytest.raises(Damaged, match="entry 1000"):
        await p1.sync()


def test_an_answer_by_a_hidden_entry_is_held_against_it_once_it_is_shown() -> None:
    requests = Requests("p1", "aa", bytes)
    made = requests.made(Note(0))
    id = str(made.request)
    assert requests.answered(id, [6])
    requests.came(7, lambda _: False)
    assert requests.pending == ()
    other = Requests("p1", "aa", bytes)
    other.resume(requests.pending, requests.remembered)
    for each in (requests, other):
        with pytest.raises(Damaged, match="is not in it"):
            each.came(9, lambda _: True)
