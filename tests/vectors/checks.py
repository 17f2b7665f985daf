"""What must hold of each group of vectors: every value in the file, recomputed from the others."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256

from tests.vectors.compared import Comparison, outcome, sealed
from tests.vectors.form import Vectors
from tests.vectors.seats import GROUPS as OF_SEATS
from tests.vectors.shares import GROUPS as OF_SHARES
from urim.events.checkpoint import Checkpoint, public_key, read, read_key, sign
from urim.events.entry import leaf_of
from urim.events.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from urim.events.throw import (
    commitment,
    fixture_salt,
    fixture_seed,
    keyed,
    nonce_commitment,
    transcript,
)

_TRANSCRIPT = re.compile(
    r"urim/1 throw\nthrow (?P<id>\S+)\ncommitted (?P<seq>[0-9]{1,18}) (?P<leaf>[0-9a-f]{64})\n"
    r"roller (?P<roller>\S+) (?P<nonce>\S+)\n(?P<witnesses>(witness \S+ \S+\n)*)"
)


def rebuilt(text: str) -> str:
    """The same transcript, written anew from its parts."""
    parts = _TRANSCRIPT.fullmatch(text)
    if parts is None:
        return "no transcript"
    nonce = None if parts["nonce"] == "-" else parts["nonce"]
    witnesses = re.findall(r"witness (\S+) (\S+)\n", parts["witnesses"])
    leaf = bytes.fromhex(parts["leaf"])
    seq = int(parts["seq"])
    return transcript(parts["id"], seq, leaf, parts["roller"], nonce, witnesses).decode("ascii")


def throws(vectors: Vectors) -> Iterator[Comparison]:
    """The transcript's form and hash; the face index and the attempt of every die."""
    for n, throw in enumerate(vectors.throws):
        where, text = f"throws[{n}]", throw.transcript
        yield f"{where}.transcript", text, outcome(rebuilt, text)
        yield f"{where}.salt", throw.salt, sha256(text.encode()).hexdigest()
        draw = keyed(bytes.fromhex(throw.seed), text.encode())
        for m, die in enumerate(throw.dice):
            found = outcome(draw, die.j, die.sides)
            yield f"{where}.dice[{m}].(index, attempt)", (die.index, die.attempt), found


def fixture_salts(vectors: Vectors) -> Iterator[Comparison]:
    """The salt of an entry of a fixture."""
    for n, it in enumerate(vectors.fixture_salts):
        found = outcome(fixture_salt, str(it.seed), it.table, it.seq)
        yield f"fixture_salts[{n}].salt", it.salt, found


def fixture(vectors: Vectors) -> Iterator[Comparison]:
    """The seed of a throw of a fixture."""
    for n, it in enumerate(vectors.fixture):
        yield f"fixture[{n}].S", it.S, outcome(fixture_seed, str(it.seed), it.throw)


def commitments(vectors: Vectors) -> Iterator[Comparison]:
    """What the server, and what the roller, is bound by."""
    for n, it in enumerate(vectors.commitments):
        where = f"commitments[{n}]"
        found = outcome(commitment, it.throw, bytes.fromhex(it.seed))
        yield f"{where}.commitment", it.commitment, found
        found = outcome(nonce_commitment, it.throw, it.nonce)
        yield f"{where}.nonce_commitment", it.nonce_commitment, found


def entries(vectors: Vectors) -> Iterator[Comparison]:
    """The bytes and the leaf of every entry, and that its parts fit together."""
    for n, it in enumerate(vectors.log.entries):
        where = f"log.entries[{n}]"
        yield f"{where}.seq", it.seq, n
        yield f"{where}.leaf", it.leaf, leaf_of(it.entry.encode()).hex()
        yield f"{where}.(entry, leaf)", (it.entry, it.leaf), outcome(sealed, it)


def roots(vectors: Vectors) -> Iterator[Comparison]:
    """The root at every size, as the frontier grows and computed at once."""
    leaves, tree = _leaves(vectors), Frontier()
    yield "log.roots, how many", len(vectors.log.roots), len(leaves) + 1
    for size, root in enumerate(vectors.log.roots[: len(leaves) + 1]):
        yield f"log.roots[{size}]", root, tree.root().hex()
        yield f"log.roots[{size}] at once", root, root_of(leaves[:size]).hex()
        tree = tree.append(leaves[size]) if size < len(leaves) else tree


def inclusion(vectors: Vectors) -> Iterator[Comparison]:
    """The proof that is made, and that the one in the file proves what it says."""
    leaves, heads = _leaves(vectors), _roots(vectors)
    for n, it in enumerate(vectors.log.inclusion):
        where = f"log.inclusion[{n}]"
        made = outcome(inclusion_proof, leaves, it.seq, it.size)
        yield f"{where}.proof", it.proof, made
        leaf, root = _at(leaves, it.seq), _at(heads, it.size)
        verdict = outcome(verify_inclusion, leaf, it.seq, it.size, _steps(it.proof), root)
        yield f"{where} verified", None, verdict


def consistency(vectors: Vectors) -> Iterator[Comparison]:
    """The proof that is made, and that the one in the file proves what it says."""
    leaves, heads = _leaves(vectors), _roots(vectors)
    for n, it in enumerate(vectors.log.consistency):
        where = f"log.consistency[{n}]"
        made = outcome(consistency_proof, leaves, it.old, it.new)
        yield f"{where}.proof", it.proof, made
        old, new = _at(heads, it.old), _at(heads, it.new)
        verdict = outcome(verify_consistency, it.old, old, it.new, new, _steps(it.proof))
        yield f"{where} verified", None, verdict


def checkpoint(vectors: Vectors) -> Iterator[Comparison]:
    """The key, the signed head, and that signing it again gives the same note."""
    log = vectors.log
    private, note = bytes.fromhex(log.private_key), log.checkpoint.encode()
    leaves = _leaves(vectors)
    yield "log.vkey", log.vkey, outcome(lambda: public_key(log.origin, private).vkey)
    yield "log.vkey read", log.vkey, outcome(lambda: read_key(log.vkey).vkey)
    head = outcome(Checkpoint, log.origin, len(leaves), root_of(leaves))
    yield "log.checkpoint verified", outcome(lambda: read(note, [read_key(log.vkey)])), head
    if isinstance(head, Checkpoint):
        yield "log.checkpoint", log.checkpoint, sign(head, private).decode()


LATER: Mapping[str, Callable[[Vectors], Iterator[Comparison]]] = {**OF_SHARES, **OF_SEATS}
"""Groups that a file may be without."""

GROUPS: Mapping[str, Callable[[Vectors], Iterator[Comparison]]] = {
    "throws": throws,
    "fixture salts": fixture_salts,
    "fixture seeds": fixture,
    "commitments": commitments,
    "entries": entries,
    "roots": roots,
    "inclusion": inclusion,
    "consistency": consistency,
    "checkpoint": checkpoint,
    **LATER,
}
"""Every group by its name, in the order in which they are checked."""


def _leaves(vectors: Vectors) -> list[bytes]:
    return [bytes.fromhex(entry.leaf) for entry in vectors.log.entries]


def _steps(proof: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(step) for step in proof]


def _at(hashes: Sequence[bytes], place: int) -> bytes:
    """The hash at a place; no bytes where there is none, which nothing is proved by."""
    return hashes[place] if place < len(hashes) else b""


def _roots(vectors: Vectors) -> list[bytes]:
    return [bytes.fromhex(root) for root in vectors.log.roots]
