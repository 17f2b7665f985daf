"""Every throw can be proved from the log alone, and none can be steered or thrown twice."""

import json
from hashlib import sha256

import pytest

from tests import tree
from tests.engine.helpers.proofs import duel, events, published, recomputed
from tests.engine.helpers.stage import NONCES, ROOT, code_of, fight
from urim.engine.core import commands as c
from urim.engine.core.aggregate import Aggregate, environment
from urim.engine.core.sources import Fair, ThrowRequest
from urim.errors import Refused
from urim.events import throw as urim1
from urim.events.base import Level
from urim.events.entry import Entry

VECTORS = json.loads((tree.ROOT / "tests" / "vectors" / "urim-1.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("level", ["server", "player"])
def test_every_die_follows_from_the_log(level: Level) -> None:
    table, roll = duel(level)
    assert recomputed(table) == roll.state.throws == 4
    proofs = [event.proof for event in events(table) if hasattr(event, "proof")]
    assert [proof.source for proof in proofs] == ["fair"] * 4
    assert all((proof.nonce is None) == (level == "server") for proof in proofs)


def test_commitments_form_one_chain_over_hands_and_rerolls() -> None:
    table, roll = duel("player")
    proofs = [event.proof for event in events(table) if hasattr(event, "proof")]
    seqs = [r.seq for r in table.aggregate.records if r and hasattr(r.event, "proof")]
    assert [proof.throw for proof in proofs] == [0, 1, 2, 3]
    assert [proof.committed for proof in proofs] == [7, *seqs[:-1]]
    waiting = roll.state.outstanding
    assert waiting is not None
    assert (waiting.throw, waiting.seq, waiting.commit) == (4, seqs[-1], proofs[-1].next)
    assert waiting.leaf == table.entries[seqs[-1]].leaf


def test_no_seed_stands_in_the_log_before_its_throw() -> None:
    table, roll = duel("player")
    secret = table.aggregate.environment.secret
    payloads = b"".join(entry.payload or b"" for entry in table.entries)
    seeds = [urim1.seed_of(secret, f"{table.state.id}/1/{throw}").hex() for throw in range(5)]
    assert [seed.encode() in payloads for seed in seeds] == [True] * 4 + [False]
    waiting = roll.state.outstanding
    assert waiting is not None
    roll.void("why")
    voided = events(table)[-2]
    assert (voided.throw, voided.seed) == (4, seeds[4])
    id = f"{table.state.id}/1/4"
    assert urim1.commitment(id, urim1.seed_from(voided.seed)).hex() == waiting.commit
    assert roll.state.outstanding is None


def test_a_void_before_the_first_throw_opens_its_seed() -> None:
    table, etgar, _ = fight("fair")
    roll = table.declare(etgar, root=ROOT, rating=4)
    roll.void("why")
    voided = events(table)[-2]
    id = f"{table.state.id}/1/0"
    assert voided.throw == 0
    assert urim1.commitment(id, urim1.seed_from(voided.seed)).hex() == published(table, 7)


def test_a_throw_answers_the_outstanding_commitment_and_no_other() -> None:
    table, etgar, _ = fight("fair")
    roll = table.declare(etgar, root=ROOT, rating=4)
    for committed in (None, 0, 6, 8, 99):
        command = c.RollDice(1, "initiator", committed, NONCES[0])
        assert code_of(table.submit, "p1", command) == "commitment"
    roll.roll()
    assert roll.state.outstanding is not None
    newest = roll.state.outstanding.seq
    older = c.Reroll(1, "initiator", 7, NONCES[1], dice=("d1",))
    assert code_of(table.submit, "p1", older) == "commitment"
    table.submit("p1", c.Reroll(1, "initiator", newest, NONCES[1], dice=("d1",)))
    assert recomputed(table) == 2


@pytest.mark.parametrize("nonce", [None, "", "ab", "A" * 64, "g" * 64, "0" * 63, "0" * 64 + "\n"])
def test_a_player_gives_a_nonce_of_its_form(nonce: str | None) -> None:
    table, etgar, _ = fight("fair")
    table.declare(etgar, root=ROOT, rating=4)
    code = code_of(table.submit, "p1", c.RollDice(1, "initiator", 7, nonce))
    assert code == ("nonce" if nonce is None else "malformed")


def test_another_nonce_for_a_thrown_throw_is_refused_and_the_same_request_gives_it_again() -> None:
    table, etgar, _ = fight("fair")
    table.declare(etgar, root=ROOT, rating=4)
    first = table.submit("p1", c.RollDice(1, "initiator", 7, NONCES[0]), "r1")
    again = c.RollDice(1, "initiator", 7, NONCES[1])
    assert code_of(table.submit, "p1", again, "r1") == "request-reused"
    assert code_of(table.submit, "p1", again, "r2") in ("not-offered", "commitment")
    assert table.submit("p1", c.RollDice(1, "initiator", 7, NONCES[0]), "r1") == first


def test_nobody_but_the_server_adds_to_a_throw_at_level_server() -> None:
    table, etgar, _ = fight("fair", level="server")
    table.declare(etgar, root=ROOT, rating=4)
    command = c.RollDice(1, "initiator", 7, NONCES[0])
    assert code_of(table.submit, "p1", command) == "nonce"


def test_another_nonce_makes_other_dice_and_the_same_one_the_same() -> None:
    thrown = []
    for nonce in (NONCES[0], NONCES[0], NONCES[1]):
        fair = environment("fair", bytes(32))
        table, etgar, _ = fight("fair", id="t0000001", environment=fair)
        table.declare(etgar, root=ROOT, rating=4)
        leaf = table.entries[7].leaf  # salts are random: so is what ties the throw to its entry
        table.submit("p1", c.RollDice(1, "initiator", 7, nonce))
        thrown.append((events(table)[-1].proof.seed, leaf, recomputed(table)))
    assert len({seed for seed, _, _ in thrown}) == 1
    assert len({leaf for _, leaf, _ in thrown}) == 3


def test_a_die_thrown_again_at_once_takes_the_next_draw() -> None:
    fair_dice = Fair(bytes(32))
    faces = ("*", "*", "*", "a")
    ask = ThrowRequest(
        table="t0000001",
        roll=1,
        throw=0,
        roller="p1",
        dice=(("d1", "die"), ("d2", "die")),
        faces={"die": faces},
        again=("*",),
        committed=4,
        leaf=bytes(32),
        commit=fair_dice.commit("t0000001", 1, 0),
    )
    thrown, proof = fair_dice.throw(ask)
    text = urim1.transcript(ask.id, 4, bytes(32), "p1", None)
    drawn = urim1.dice(urim1.seed_from(str(proof.seed)), text, [4] * len(thrown))
    assert [item.face for item in thrown] == [faces[index] for index in drawn]
    assert [item.face for item in thrown if item.face != "*"] == ["a", "a"]
    assert [item.die for item in thrown] == sorted(item.die for item in thrown)
    assert len(thrown) > 2


# --- seeded ---------------------------------------------------------------------------------------


def seeded() -> tuple[Entry, ...]:
    """A fixture's whole log."""
    return duel("player", "seeded:7")[0].entries


def test_a_fixture_repeats_to_the_byte() -> None:
    assert seeded() == seeded()
    assert [entry.at for entry in seeded()][:4] == [0, 1000, 2000, 2000]


def test_a_fixture_is_that_of_the_public_vectors() -> None:
    salts = {item["seq"]: item["salt"] for item in VECTORS["fixture_salts"]}
    table, _ = duel("player", "seeded:7")
    assert table.state.id == "fixture0"
    assert {item["table"] for item in VECTORS["fixture_salts"]} == {"fixture0"}
    assert {seq: (table.entries[seq].salt or b"").hex() for seq in salts} == salts
    seeds = {item["throw"]: item["S"] for item in VECTORS["fixture"]}
    table, etgar, _ = fight("seeded:7", id="fixture1")
    table.declare(etgar, root=ROOT, rating=4).roll()
    assert events(table)[-1].proof.seed == seeds["fixture1/1/0"]


def test_a_fixtures_dice_follow_from_seed_id_and_seat_alone() -> None:
    table, roll = duel("player", "seeded:7")
    assert recomputed(table) == roll.state.throws
    proofs = [event.proof for event in events(table) if hasattr(event, "proof")]
    assert {(proof.source, proof.committed, proof.nonce, proof.next) for proof in proofs} == {
        ("seeded", None, None, None)
    }
    seeds = [sha256(f"urim/1 fixture\n7\nfixture0/1/{n}\n".encode()).hexdigest() for n in range(4)]
    assert [proof.seed for proof in proofs] == seeds


def test_seeded_dice_take_neither_commitment_nor_nonce() -> None:
    table, etgar, _ = fight("seeded:7")
    table.declare(etgar, root=ROOT, rating=4)
    assert code_of(table.submit, "p1", c.RollDice(1, "initiator", 7)) == "nonce"
    assert code_of(table.submit, "p1", c.RollDice(1, "initiator", None, NONCES[0])) == "nonce"
    assert code_of(table.submit, "p1", c.RollDice(1, "initiator", faces=("א",) * 8)) == "face"


@pytest.mark.parametrize("seed", ["", "a b", "a\n", "x" * 65, "é"])
def test_a_seed_is_a_short_plain_text(seed: str) -> None:
    with pytest.raises(Refused):
        environment(f"seeded:{seed}")


def test_a_log_of_fair_dice_is_read_without_its_secret() -> None:
    table, _ = duel("player")
    reader = Aggregate(environment("fair"))
    reader.load(table.entries)
    assert reader.opened == table.state
