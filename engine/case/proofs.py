"""What proves each throw of a case: seed, commitment, transcript, and how every die follows."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from ...errors import Refused
from ...events import roll as rolled
from ...events.base import Face
from ...events.throw import NO_LEAF, throw_id, transcript
from ...projections.levels import level_of
from ...projections.lexicon import name_text
from ...projections.rollstate import RollState
from .chain import Chain
from .facts import Drawn, Step, Throw
from .source import Source

Faces: TypeAlias = Mapping[str, tuple[Face, ...]]
"""The faces of each kind of die, in a roll."""

HEX32 = re.compile(r"[0-9a-f]{64}")
"""What a seed is: nothing else comes into a line that people paste into a shell."""


def throws_of(source: Source, chain: Chain, steps: tuple[Step, ...]) -> tuple[Throw, ...]:
    """Every fair throw of the chain, in the order of the log."""
    found = [throw for roll in chain.rolls for throw in _throws(source, roll, steps)]
    return tuple(sorted(found, key=lambda throw: throw.step))


def faces_of(
    source: Source, roll: RollState, throws: tuple[Throw, ...]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The faces of every kind of die that was thrown, in the order that draws count by.

    They are those that the disputed roll was declared with.
    """
    kinds = dict.fromkeys(die.kind for throw in throws for die in throw.dice)
    known = source.state.game.at(roll.declared).faces
    return tuple((kind, tuple(map(str, known[kind]))) for kind in kinds if kind in known)


def _throws(source: Source, roll: RollState, steps: tuple[Step, ...]) -> Iterator[Throw]:
    shares: dict[int, list[tuple[str, str]]] = {}
    faces, unseen = source.state.game.at(roll.declared).faces, source.unseen
    for entry in roll.trail:
        event = entry.event
        if isinstance(event, rolled.ShareOpened):
            shares.setdefault(event.throw, []).append((event.by, event.share))
        proof = getattr(event, "proof", None)
        if proof is None or proof.seed is None or proof.committed is None:
            continue
        if proof.committed >= len(source.entries) or not HEX32.fullmatch(proof.seed):
            continue  # a forged throw proves nothing, which is for the audit to say
        if not isinstance(event, rolled.DiceRolled | rolled.DiceRerolled):
            continue
        others = [each for each in shares.get(proof.throw, ()) if each[0] != event.by]
        id = throw_id(source.state.id, roll.number, proof.throw)
        leaf = source.entries[proof.committed].leaf if proof.source == "fair" else NO_LEAF
        try:
            made = transcript(id, proof.committed, leaf, event.by, proof.nonce, others)
        except Refused:
            continue
        lines = tuple(made.decode("utf-8").splitlines())
        yield Throw(
            id=id,
            step=next((step.number for step in steps if entry.seq in step.entries), 0),
            who=name_text(source.state, event.by),
            level=level_of(roll, proof.throw, unseen) or proof.source,
            committed=proof.committed,
            commit=_published(source, roll.number, proof.throw, proof.committed),
            seed=proof.seed,
            transcript=lines,
            dice=(dice := tuple(_drawn(faces, event))),
            groups=tuple(_groups(faces, dice)),
        )


def _published(source: Source, roll: int, throw: int, seq: int) -> str:
    """The commitment that an entry published for a throw; "" where it cannot be read."""
    record = source.records[seq] if seq < len(source.records) else None
    event = None if record is None else record.event
    for each in getattr(event, "commits", ()):
        if (each.roll, each.throw) == (roll, throw):
            return str(each.commit)
    proof = getattr(event, "proof", None)
    found = getattr(proof, "next", None) or getattr(event, "next", None)
    return str(getattr(event, "commit", None) or found or "")


def _drawn(known: Faces, event: rolled.DiceRolled | rolled.DiceRerolled) -> Iterator[Drawn]:
    for draw, (die, kind, face) in enumerate((d.die, d.kind, d.face) for d in event.dice):
        faces = known.get(kind, ())
        place = faces.index(face) if face in faces else None
        yield Drawn(draw, die, kind, place, str(face))


def _groups(known: Faces, dice: tuple[Drawn, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Draws of dice with as many faces, which one line of commands computes."""
    sides: dict[int, list[int]] = {}
    for each in dice:
        sides.setdefault(len(known.get(each.kind, ())), []).append(each.draw)
    for count, draws in sides.items():
        if count:
            yield count, tuple(draws)


DIE = (
    "die() { n=$1; shift; for j; do echo $j $((0x$(openssl kdf -keylen 6 -kdfopt digest:SHA256"
    " -kdfopt hexkey:$S -kdfopt hexsalt:$T -kdfopt hexinfo:$(printf 'urim/1 die\\n%d\\n0\\n' $j |"
    " od -An -tx1 | tr -d ' \\n') HKDF | tr -d ':\\n') % n)); done; }"
)
"""The shell function that all throws use: number of faces, then draws, each with its place."""


def commands(throw: Throw) -> Iterator[str]:
    """Shell lines that compute a throw with OpenSSL, behind DIE: commitment, place of each face."""
    seed = throw.seed
    yield f"S={seed}"
    yield f"printf 'urim/1 seed\\n{throw.id}\\n%s\\n' $S | openssl dgst -sha256"
    text = "".join(f"{line}\\n" for line in throw.transcript)
    yield f"T=$(printf '{text}' | openssl dgst -sha256 -r | cut -c-64)"
    for sides, draws in throw.groups:
        yield f"die {sides} {' '.join(map(str, draws))}"
