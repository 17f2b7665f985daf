"""Every face comes from a source: randomness, and a test's script, enter Urim here alone.

    fair       S is an HMAC of the throw's id under the table secret; the roller, and at level
               `table` the other seats, add nonces after S was committed to
    seeded     S follows from a seed text: fixtures, the same dice every time
    scripted   a test gives the faces
    manual     physical dice, typed in by the roller

Only fair dice are ever called fair. `level` says who adds entropy to them: `server` nobody but the
server, `player` the roller, `table` the other seats as well.
"""

from collections.abc import Callable, Mapping
from typing import Literal, Protocol

from msgspec import Struct

from ...errors import Refused
from ...events.base import Face, Thrown
from ...events.roll import Proof
from ...events.throw import (
    NO_LEAF,
    checked_seed_text,
    commitment,
    fixture_seed,
    keyed,
    seed_of,
    throw_id,
    transcript,
)
from ...projections.wording import counted
from .limits import DICE

FaceTables = Mapping[str, tuple[Face, ...]]
"""Face tables by kind of die."""


class ThrowRequest(Struct, frozen=True, kw_only=True):
    """One throw to be made: everything that its faces depend on, beside the source's secret.

    `dice` are (id, kind); one that falls on a face in `again` is thrown again at once. `committed`
    and `leaf` are those of the entry that published the commitment; `typed` are given faces.
    """

    table: str
    roll: int
    throw: int
    roller: str
    dice: tuple[tuple[str, str], ...]
    faces: FaceTables
    again: tuple[Face, ...] = ()
    committed: int | None = None
    leaf: bytes = NO_LEAF
    commit: str | None = None
    nonce: str | None = None
    witnesses: tuple[tuple[str, str], ...] = ()
    typed: tuple[Face, ...] | None = None

    @property
    def id(self) -> str:
        """The throw's id, TABLE/ROLL/THROW."""
        return throw_id(self.table, self.roll, self.throw)


class Source(Protocol):
    """Where a table's faces come from."""

    @property
    def name(self) -> str:
        """What the table's first entry calls it."""
        ...

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        """The commitment to the seed of a throw, 64 hex digits; None where nothing is committed."""
        ...

    def open(self, table: str, roll: int, throw: int) -> str | None:
        """The seed of a throw that will not be made, 64 hex digits; None where there is none."""
        ...

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        """Make a throw. Raises Refused for typed faces that do not fit, changing nothing."""
        ...


class Fair(Struct, frozen=True):
    """Fair dice under a table secret of 32 bytes, which never enters the log."""

    secret: bytes
    name: str = "fair"

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        id = throw_id(table, roll, throw)
        return commitment(id, seed_of(self.secret, id)).hex()

    def open(self, table: str, roll: int, throw: int) -> str | None:
        return seed_of(self.secret, throw_id(table, roll, throw)).hex()

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        _nothing_typed(request, self.name)
        seed = seed_of(self.secret, request.id)
        if commitment(request.id, seed).hex() != request.commit:
            raise Refused("commitment", f"throw {request.id} was committed to under another secret")
        proof = Proof(
            throw=request.throw,
            source="fair",
            committed=request.committed,
            seed=seed.hex(),
            nonce=request.nonce,
            next=self.commit(request.table, request.roll, request.throw + 1),
        )
        return _drawn(request, seed), proof


class Seeded(Struct, frozen=True):
    """Dice that follow from a seed text: the same in every run, and never fair."""

    seed: str

    @property
    def name(self) -> str:
        return f"seeded:{self.seed}"

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        return None

    def open(self, table: str, roll: int, throw: int) -> str | None:
        return None

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        _nothing_typed(request, self.name)
        seed = fixture_seed(self.seed, request.id)
        return _drawn(request, seed), Proof(throw=request.throw, source="seeded", seed=seed.hex())


class Typed(Struct, frozen=True):
    """Faces given with the command: by a test (`scripted`), or read off physical dice (`manual`).

    A test may give any face that some die of the system has; a physical die shows its own.
    """

    name: Literal["scripted", "manual"]

    def commit(self, table: str, roll: int, throw: int) -> str | None:
        return None

    def open(self, table: str, roll: int, throw: int) -> str | None:
        return None

    def throw(self, request: ThrowRequest) -> tuple[tuple[Thrown, ...], Proof]:
        must_be_few(len(request.dice))
        return self.read(request, DICE)

    def read(
        self, request: ThrowRequest, most: int | None = None
    ) -> tuple[tuple[Thrown, ...], Proof]:
        """The faces that were given, die by die; without `most` as many as there are.

        Raises Refused for faces that do not fit the dice.
        """
        given = list(request.typed or ())

        def next_face(die: str, faces: tuple[Face, ...]) -> Face:
            if not given:
                raise Refused(
                    "dice-short",
                    f"{counted(len(request.typed or ()), 'face')} given, {die} has none",
                    allowed=[counted(len(request.dice), "face")],
                )
            face = given.pop(0)
            if face not in faces:  # the faces of all kinds can be many: only now are they needed
                allowed = faces if self.name == "manual" else _every_face(request.faces)
                if face not in allowed:
                    raise Refused("face", f"{die} cannot show {face!r}", allowed=map(str, allowed))
            return face

        thrown = _fallen(request, next_face, most)
        if given:
            raise Refused(
                "dice-left",
                f"faces left over: {' '.join(map(str, given))}",
                allowed=[counted(len(thrown), "face")],
            )
        return thrown, Proof(throw=request.throw, source=self.name)


TYPED: Mapping[str, Typed] = {"scripted": Typed("scripted"), "manual": Typed("manual")}
"""The sources whose faces come with the command, by name."""


def source_named(name: str, secret: bytes | None = None) -> Source:
    """The source that a table's first entry names.

    Raises Refused("unknown") for another name, and for `fair` without its secret.
    """
    if name == "fair" and secret is not None:
        return Fair(secret)
    if name in TYPED:
        return TYPED[name]
    if name.startswith("seeded:"):
        return Seeded(checked_seed_text(name.removeprefix("seeded:")))
    raise Refused(
        "unknown", f"no dice called {name!r}", allowed=["fair", "seeded:SEED", "scripted", "manual"]
    )


def _every_face(faces: FaceTables) -> tuple[Face, ...]:
    return tuple(dict.fromkeys(face for table in faces.values() for face in table))


def _drawn(request: ThrowRequest, seed: bytes) -> tuple[Thrown, ...]:
    """The faces that the seed, the nonces and the throw's place determine, die by die."""
    text = transcript(
        request.id,
        request.committed or 0,
        request.leaf,
        request.roller,
        request.nonce,
        request.witnesses,
    )
    draw = keyed(seed, text)
    count = 0

    def next_face(die: str, faces: tuple[Face, ...]) -> Face:
        nonlocal count
        index, _ = draw(count, len(faces))
        count += 1
        return faces[index]

    must_be_few(len(request.dice))
    return _fallen(request, next_face, DICE)


def must_be_few(dice: int) -> None:
    """Refuse with "too-many" more dice than one throw may have."""
    if dice > DICE:
        raise Refused("too-many", f"{dice} dice in one throw", allowed=[f"at most {DICE}"])


def _fallen(
    request: ThrowRequest,
    next_face: Callable[[str, tuple[Face, ...]], Face],
    most: int | None,
) -> tuple[Thrown, ...]:
    thrown: list[Thrown] = []
    for die, kind in request.dice:
        while True:
            face = next_face(die, request.faces[kind])
            thrown.append(Thrown(die, kind, face))
            if face not in request.again:
                break
            if most is not None and len(thrown) >= most:
                raise Refused(
                    "too-many",
                    f"{die} fell on {face} again and again",
                    allowed=[f"{most} dice a throw"],
                )
    return tuple(thrown)


def _nothing_typed(request: ThrowRequest, name: str) -> None:
    if request.typed is not None:
        raise Refused(
            "face", f"faces were typed, but the dice of this table are {name}", allowed=["no faces"]
        )
