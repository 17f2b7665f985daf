"""One of each frame and body, with every field, as values; and as they go over the wire."""

from collections.abc import Mapping
from typing import Any

from msgspec import Raw, Struct
from msgspec.json import encode

from tests.sealing import payload_of, sealed_raw
from urim.engine.access.protocol import Grant, Invitation
from urim.engine.core.luck import SeatLuck, TableLuck
from urim.engine.core.moves import Awaited, Awaiting, Move
from urim.engine.core.odds import Odds, OddsWay
from urim.engine.core.sight import RollSight
from urim.engine.whatif.alternatives import Alternative
from urim.engine.whatif.changes import Voided, Withdrawn
from urim.engine.whatif.difference import WhatIf
from urim.engine.wire import bodies, frames
from urim.engine.wire.problems import Problem
from urim.events.asked import Asked, Seen, Text
from urim.events.line import entry_line
from urim.projections.account import Account, ShownDie, ShownHand, Step
from urim.rules.ruleset import Offer

HEX = "ab" * 32
SIGNATURE = "q" * 86 + "=="
HEAD = "urim.local/t/mytable1\n7\nq6urq6s=\n\n— urim.local q6urq6s=\n"
SECRET = "urim-i1-" + "A" * 43
EVENT = b'{"type":"seat-left/1","by":"p1","seat":"p1"}'
LINE = Raw(entry_line(sealed_raw(6, 1_767_225_600_000, payload_of(EVENT))))
SEALED = Raw(
    b'{"seq":5,"commit":5,"at":1767225600000,"class":"hidden","digest":"%b"}' % HEX.encode()
)

MOVE = Move(
    "roll",
    legal=True,
    offers=(Offer(trigger="roll", character="ruth", hand="initiator", dice=("d12",)),),
    words=("throw a d12",),
)
NOT_NOW = Move("reveal", legal=False, code="wrong-state", why="it is open", allowed=("roll",))
AWAITING = Awaiting(1, "roll", "ruth", "due of Ruth: throw a d12")
AWAITED = Awaited("p2", 1, "react", 1_767_225_600_000)
DIE = ShownDie(
    "i1",
    "d12",
    7,
    (7,),
    frozen=False,
    adjusted=False,
    again=True,
    makes=("skill",),
    counts="for",
    earlier=(),
)
ACCOUNT = Account(
    roll=1,
    who="Ruth",
    state="open",
    marks=("disputed",),
    before=(),
    link="",
    steps=(Step(4, 1, "Dana", "threw", ShownHand("initiator", "Skill", "Ruth", (DIE,))),),
    outcome=None,
    damage=None,
)
GRANT = Grant(id="g1", table="mytable1", seat="p1", role="player", expires=1_767_225_600_000)
INVITATION = Invitation(
    id="i1",
    table="mytable1",
    role="player",
    seat=None,
    by="host",
    by_seat=None,
    expires=1_767_225_600_000,
    left=1,
    name="for Dan",
)
LINK = bodies.Link(
    url=f"http://127.0.0.1:8000/#i={SECRET}", qr=bodies.QrCode(size=37, path="M0 0h7v1h-7z")
)

TEXT = Text("0" * 32, "a word")
ROLL = RollSight(
    roll=1,
    seq=6,
    at=1_767_225_600_000,
    seat="p1",
    character="c1",
    state="resolved",
    seen="everything",
    visibility="public",
    hidden=False,
    level=None,
    next_level="server",
    marks=(),
    follows=None,
    followers=(),
    declaration={"expression": "4d6kh3"},
    reactions=(),
    choices={},
    hands=(),
    outcome=None,
    damage=None,
    disputes=(),
    hangs=(),
    disputed=(),
    commitment=None,
)

FRAMES: tuple[Struct, ...] = (
    frames.Enter("urim-t1-" + "A" * 43, 6, waiting=True),
    frames.Ask("dana-1", '{"do":"roll/1","roll":1}', TEXT, Seen(7, HEX), SIGNATURE),
    frames.Prove(3),
    frames.Entered("mytable1", "p1", "player", 1_767_225_600_000),
    frames.CommitFrame(7, (LINE,), (SEALED,), HEAD),
    frames.CaughtUpFrame(7, HEAD),
    frames.PresentFrame(("p1", "p2")),
    frames.WaitingFrame(7, (AWAITING,), (AWAITED,)),
    frames.DoneFrame("dana-1", (6,), 7, HEAD),
    frames.RefusedFrame("dana-1", "wrong-state", "it is open", ("roll",), 1, (MOVE, NOT_NOW)),
    frames.LaterFrame("dana-1", 1.5, "the log is locked"),
    frames.ProofFrame(7, HEAD, (HEX,)),
    frames.ForkedFrame(7, HEAD),
    frames.LeftFrame(7),
    frames.BehindFrame(7),
)

HOOK = bodies.HookShown(
    id="5e1f", host="bot.example", form="content", view="seat", told=1, failing=2,
    why="it answered 500", over=False,
)  # fmt: skip

BODIES: tuple[Struct, ...] = (
    bodies.Exchange(secret=SECRET, client="A" * 22),
    bodies.Exchanged(token="urim-t1-" + "A" * 43, grant=GRANT, key="urim.local+abcdef01+AAAA"),
    bodies.SecretBody(secret=SECRET),
    bodies.InvitationBody(
        table="mytable1", name="", system="Sagatafl", role="witness", by="Dana", left=2
    ),
    bodies.InviteBody(role="player", seat="p1", uses=1, seconds=60, name="for Dan"),
    bodies.InvitedBody(secret=SECRET, link=LINK.url, invitation=INVITATION, links=(LINK,)),
    bodies.InvitationsBody(invitations=(INVITATION,)),
    bodies.HoldersBody(holders=(GRANT,)),
    bodies.RevokedBody(revoked=2),
    bodies.HookBody(url="https://bot.example/urim", form="content"),
    HOOK,
    bodies.HookMadeBody(secret=SECRET, hook=HOOK),
    bodies.HooksBody(hooks=(HOOK,), told={"p1": 1_767_225_600_000, "p2": None}),
    bodies.CallBody(hook="5e1f"),
    bodies.CalledBody(status=500, why="it answered 500"),
    bodies.OpenTableBody(table="mytable1", ruleset="plain", narrator="gm", request="dana-1"),
    bodies.TableOpenedBody(table="mytable1", seqs=(0,), invitation=SECRET, links=(LINK,)),
    bodies.TablesBody(tables=("mytable1",)),
    bodies.TablesBody(tables=(), damaged=(bodies.DamagedId(table="mytable2", why="another's"),)),
    bodies.AwaitingBody(size=7, mine=(AWAITING,), others=(AWAITED,)),
    bodies.DisputeBody(roll=1, seq=6, by="p1", ruling="stands"),
    bodies.HistoryBody(accounts=(ACCOUNT,), after=1),
    bodies.WhatIfBody(changes=(Voided(1),)),
    WhatIf(
        table="mytable1",
        changes=(Voided(1),),
        rolls=(),
        tracks=(),
        fallen=(),
        missing=(),
        uncertain=(2,),
    ),
    bodies.AlternativesBody(
        roll=1,
        alternatives=(Alternative(kind="withdrawn", who="Dan", what="", change=Withdrawn(1)),),
    ),
    Odds(
        exact=True,
        aim="success",
        worth=0.5,
        degrees={"success": 0.5, "failure": 0.5},
        score={"1": 0.5, "-1": 0.5},
        ways=(OddsWay("reroll", "initiator", "", ("d1",), 0.5, plain=True),),
    ),
    TableLuck(
        aim="success",
        luck=0.5,
        seats=(
            SeatLuck(
                seat="p1",
                rolls=1,
                throws=1,
                luck=0.5,
                least=-4.5,
                most=4.5,
                said="normal",
                play=None,
                characters={"c1": 0.5},
            ),
        ),
        rolls={"1": 0.5},
        standing=0,
        left={"1d6! may explode for ever": 1},
    ),
    bodies.PreviewBody(body='{"do":"roll/1","roll":1}'),
    bodies.RollBody(request="dana-1", character="c1", expression="4d6kh3", text=TEXT),
    bodies.RolledBody(request="dana-1", size=7, headline="16", link=None, roll=ROLL),
    bodies.LinkBody(roll=1, link="https://example.org/r/mytable1/1#q6urq6urq6urq6urq6urqw"),
    bodies.DoneBody(request="dana-1", seqs=(6,), size=7, head=HEAD, entries=(LINE,)),
    bodies.EntryLine(
        seq=6, commit=6, at=1, kind="open", digest=HEX, salt=HEX, payload='{"event":{}}'
    ),
    bodies.Payload(event=Raw(EVENT), asked=Asked("dana-1", '{"do":"leave/1"}')),
    bodies.ProofBody(size=7, head=HEAD, hashes=(HEX,), since=3),
    bodies.StatusBody(status="ok"),
    bodies.AliveBody(status="ok", version="0.3.4"),
    Problem(
        type="/problems#wrong-state",
        title="wrong-state",
        status=409,
        code="wrong-state",
        why="it is open",
        moves=(MOVE,),
        retry_after=1.0,
        head=HEAD,
    ),
)


def as_sent(values: tuple[Struct, ...]) -> Mapping[str, bytes]:
    """Each by the name of its Struct."""
    return {type(each).__name__: encode(each) for each in values}


SENT: Mapping[str, bytes] = as_sent((*FRAMES, *BODIES))
"""JSON by the name of the Struct."""


def kinds_of(values: tuple[Any, ...]) -> set[str]:
    """The names of their Structs."""
    return {type(each).__name__ for each in values}
