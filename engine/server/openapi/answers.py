"""Examples of the main answers, and of what leads to them, as the OpenAPI document shows them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Raw

from ....rules.ruleset import Offer
from ...access.protocol import Grant, Invitation
from ...core.luck import SeatLuck, TableLuck
from ...core.moves import Awaited, Awaiting, Move, RollMoves
from ...core.odds import Odds, OddsWay
from ...whatif.alternatives import Alternative
from ...whatif.changes import Amended, Instead, Reading, Voided, Withdrawn
from ...wire import bodies

TABLE, LATER = "evening7", 1_767_225_600_000
"""The examples' table, and a time."""

SECRET = f"urim-i1-{'A' * 43}"
TOKEN = f"urim-t1-{'A' * 43}"
KEY = "urim.local+7664a2f7+AcIQk785VSdD2RsnfdCmxgDqJR9e388rBcDDGpRuQiL3"
HEX = "0123456789abcdef" * 4
HEAD = (
    f"urim.local/t/{TABLE}\n7\ne2L6m9Qe9LT1Ed53CyUf3lDA6AoVP2uRQR17evWT6v0=\n\n"
    f"— urim.local/t/{TABLE} dmSi9A==\n"
)
"""A head's form; the signature is cut short."""

LINE = (
    f'{{"seq":6,"commit":6,"at":{LATER},"class":"open","digest":"{HEX}","salt":"{HEX}",'
    r'"payload":"{\"asked\":{\"request\":\"ruth-5\",\"body\":\"{\\\"do\\\":\\\"leave-seat/1\\\",'
    r"\\\"seat\\\":\\\"p2\\\"}\"},\"event\":{\"type\":\"seat-left/1\",\"by\":\"p2\",\"seat\":\"p2\"}}"
    '"}'
)
GRANT = Grant(id="Yb3s", table=TABLE, seat="p1", role="player", expires=LATER)
INVITATION = Invitation(
    id="c9Qk", table=TABLE, role="player", seat="p1", by="narrator", by_seat="narrator",
    expires=LATER, left=1, name="for Ruth",
)  # fmt: skip
LINKS = (
    bodies.Link(
        url=f"https://dice.example/#i={SECRET}",
        qr=bodies.QrCode(size=37, path="M0 0h7v1h-7zM8 0h2v1h-2z"),
    ),
)
"""Links; the code is cut short."""

HOOK = bodies.HookShown(
    id="5e1f",
    host="chat.example",
    form="standard",
    view="seat",
    told=LATER,
    failing=None,
    why="",
    over=False,
)
REVOKED = bodies.RevokedBody(revoked=1)

SENT: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "exchange": {"a link's secret": bodies.Exchange(secret=SECRET, client="A" * 22)},
        "invitation": {"a link's secret": bodies.SecretBody(secret=SECRET)},
        "invite": {
            "a player": bodies.InviteBody(role="player", seat="p1", name="for Ruth"),
            "ten players, each at a new seat": bodies.InviteBody(role="player", uses=10),
            "an auditor, for an hour": bodies.InviteBody(role="auditor", seconds=3600),
        },
        "makeHook": {
            "a program": bodies.HookBody(url="https://bot.example/urim"),
            "a chat": bodies.HookBody(
                url="https://chat.example/hooks/7f3a", form="content", view="table"
            ),
        },
        "testHook": {"by its id": bodies.CallBody(hook="5e1f")},
        "rollDice": {
            "plain dice": bodies.RollBody(request="ruth-6", expression="4d6kh3"),
            "a system's form": bodies.RollBody(
                request="ruth-7", character="c1", declaration={"trait": "Lockpicking", "rd": 7}
            ),
        },
        "whatIf": {
            "a ruling: void": bodies.WhatIfBody(changes=(Voided(1),)),
            "a ruling: amend": bodies.WhatIfBody(changes=(Amended(1, {"rating": 8}),)),
            "another choice": bodies.WhatIfBody(changes=(Instead(31, {"option": "prevent"}),)),
            "another reading": bodies.WhatIfBody(changes=(Reading("supply", 9),)),
        },
    }
)
"""What is sent, beside commands: by the operation's id, and what each is for."""

GIVEN: Mapping[str, Any] = MappingProxyType(
    {
        "health": bodies.AliveBody(status="ok", version="0.3.4"),
        "ready": bodies.StatusBody(status="ok"),
        "exchange": bodies.Exchanged(token=TOKEN, grant=GRANT, key=KEY),
        "invitation": bodies.InvitationBody(
            table=TABLE,
            name="Friday evening",
            system="Plain dice",
            role="player",
            by="Noa",
            left=1,
        ),
        "myAccess": GRANT,
        "giveUpAccess": REVOKED,
        "invite": bodies.InvitedBody(
            secret=SECRET,
            link=f"https://dice.example/#i={SECRET}",
            invitation=INVITATION,
            links=LINKS,
        ),
        "invitations": bodies.InvitationsBody(invitations=(INVITATION,)),
        "revokeInvitation": REVOKED,
        "holders": bodies.HoldersBody(holders=(GRANT,)),
        "revokeHolder": REVOKED,
        "revokeSeat": REVOKED,
        "hooks": bodies.HooksBody(hooks=(HOOK,), told={"p1": LATER, "p2": None}),
        "makeHook": bodies.HookMadeBody(secret=f"whsec_{'A' * 43}=", hook=HOOK),
        "endHook": bodies.HooksBody(hooks=(), told={}),
        "testHook": bodies.CalledBody(status=204, why=""),
        "tables": bodies.TablesBody(tables=(TABLE,)),
        "openTable": bodies.TableOpenedBody(table=TABLE, seqs=(0,), invitation=SECRET, links=LINKS),
        "legalMoves": [
            RollMoves(
                1,
                "declared",
                (
                    Move(
                        "roll",
                        legal=True,
                        offers=(
                            Offer(trigger="roll", character="c1", hand="dice", dice=("d6", "d6")),
                        ),
                        words=("throw 2d6",),
                    ),
                ),
            )
        ],
        "awaiting": bodies.AwaitingBody(
            size=7,
            mine=(Awaiting(1, "roll", "c1", "due of Ruth: throw 2d6"),),
            others=(Awaited("p2", 1, "open_share", LATER),),
        ),
        "request": bodies.DoneBody(
            request="ruth-5", seqs=(6,), size=7, head=HEAD, entries=(Raw(LINE.encode()),)
        ),
        "disputes": [bodies.DisputeBody(roll=1, seq=6, by="p1", ruling=None)],
        "alternatives": bodies.AlternativesBody(
            roll=1,
            alternatives=(
                Alternative(kind="withdrawn", who="Ashina", what="", change=Withdrawn(1)),
            ),
        ),
        "odds": Odds(
            exact=True,
            aim="success",
            worth=0.75,
            degrees={"failure": 0.25, "success": 0.75},
            score={"-1": 0.25, "1": 0.75},
            ways=(
                OddsWay(
                    trigger="reroll",
                    hand="initiator",
                    choice="",
                    taken=("d2", "d3"),
                    worth=0.75,
                    plain=True,
                ),
            ),
        ),
        "luck": TableLuck(
            aim="success",
            luck=0.75,
            seats=(
                SeatLuck(
                    seat="p1",
                    rolls=1,
                    throws=2,
                    luck=0.75,
                    least=-5.5,
                    most=5.25,
                    said="normal",
                    play=None,
                    characters={"c1": 0.75},
                ),
            ),
            rolls={"1": 0.75},
            standing=1,
            left={"too much to count: the roll may go on for over 40 throws": 1},
        ),
        "link": bodies.LinkBody(
            roll=1, link=f"https://example.org/r/{TABLE}/1#NVU60RvzY7kx9sWB2hPqTg"
        ),
        "history": bodies.HistoryBody(accounts=(), after=None),
        "entries": f"{LINE}\n",
        "checkpoint": HEAD,
        "inclusion": bodies.ProofBody(size=7, head=HEAD, hashes=(HEX,), seq=6),
        "consistency": bodies.ProofBody(size=7, head=HEAD, hashes=(HEX,), since=3),
    }
)
"""What is answered, by the operation's id."""
