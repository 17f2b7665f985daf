"""The bodies of HTTP: what a client sends, what it gets; docs/server.md says where each goes.

What is sent decodes into Structs that forbid other fields; what is answered may gain fields later.
Where the body is a list or one of `urim.engine.core.schema.ANSWERS`, that is the whole body: there
is no Struct of it here. Times are milliseconds since 1970, durations seconds.
"""

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Raw, Struct

from ...events.asked import Asked, Text
from ...events.base import Level, Visibility
from ...events.ruling import Ruling
from ...projections.account import Account
from ..access.hooks import Form, View
from ..access.protocol import DAY, SECOND, Grant, Invitation
from ..access.rights import AccessRole
from ..core.limits import Id, Label, TableId
from ..core.luck import TableLuck
from ..core.moves import Awaited, Awaiting
from ..core.odds import Odds
from ..core.request import FORM
from ..core.sight import RollSight
from ..whatif.alternatives import Alternative
from ..whatif.changes import Change
from ..whatif.difference import WhatIf
from .frames import Line, Note

WEEK = 7 * DAY // SECOND
"""Seconds that an invitation is good for, unless it is asked for otherwise."""

CHANGES = 8
"""Changes of one what-if, at most."""

Request: TypeAlias = Annotated[
    str,
    Meta(
        description="A request's id: the same one is done once, and answered again.",
        extra_json_schema={"pattern": FORM},
    ),
]
SecretText: TypeAlias = Annotated[
    str, Meta(description="A secret, shown this once: `urim-` and what opens a door.")
]
Hex: TypeAlias = Annotated[
    str, Meta(description="32 bytes as hex.", extra_json_schema={"pattern": "^[0-9a-f]{64}$"})
]


class Body(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What a client sends."""


class Answer(Struct, frozen=True, kw_only=True):
    """What a server answers."""


# --- who comes in ---------------------------------------------------------------------------------


class Exchange(Body, frozen=True):
    """An invitation's secret, or the host's, for a token.

    `client` is an id that the client draws for this invitation and keeps: where the answer was
    lost, it sends the same again.
    """

    secret: str
    client: Annotated[str, Meta(extra_json_schema={"pattern": "^[A-Za-z0-9_-]{22,64}$"})]


class SecretBody(Body, frozen=True):
    """An invitation's secret, to see where it leads."""

    secret: str


class InvitationBody(Answer, frozen=True):
    """Where an invitation leads.

    `name` is what people call the table, empty where nobody named it; `system` the title of its
    rules; `by` who invites, by name: empty for the host, a seat that has left, or the seat itself;
    `left` how often it still opens.
    """

    table: str
    name: str
    system: str
    role: AccessRole
    by: str
    left: int


class Exchanged(Answer, frozen=True):
    """A bearer token, what it stands for, and the public key of who signs heads here.

    `key` is a vkey, `NAME+KEYID+BASE64`, as in the header of a bundle.
    """

    token: SecretText
    grant: Grant
    key: str


class InviteBody(Body, frozen=True):
    """Whom to invite: with no `seat` each use leads to a new one; an auditor has none.

    `seconds` is how long the invitation is good; `name` a note for lists, as for whom it is.
    """

    role: AccessRole
    seat: Id | None = None
    uses: Annotated[int, Meta(ge=1)] = 1
    seconds: Annotated[int, Meta(ge=1)] = WEEK
    name: str = ""


class QrCode(Answer, frozen=True):
    """A QR code to be drawn: `size` squares on a side, without the quiet zone of 4 around them.

    `path` is the data of an SVG path that has the dark squares, each of one unit, from 0 to `size`.
    """

    size: int
    path: str


class Link(Answer, frozen=True):
    """A link at one address of the server, and the same as a QR code."""

    url: str
    qr: QrCode


class InvitedBody(Answer, frozen=True):
    """An invitation as it was made: the only time that its secret can be read.

    `link` leads to the page of the server with the secret in the fragment, which is sent nowhere.
    `links` are the same at each address by which others reach the server, the best one first.
    """

    secret: SecretText
    link: str
    invitation: Invitation
    links: tuple[Link, ...] = ()


class InvitationsBody(Answer, frozen=True):
    """The invitations to a table that can still be exchanged, oldest first."""

    invitations: tuple[Invitation, ...]


class HoldersBody(Answer, frozen=True):
    """Who could come in: the good tokens of a table, oldest first."""

    holders: tuple[Grant, ...]


class RevokedBody(Answer, frozen=True):
    """How many tokens and invitations were good until now, and are no longer."""

    revoked: int


# --- where a seat is told what happens ------------------------------------------------------------


class HookBody(Body, frozen=True):
    """An address where the seat wants to be told what happens, and in which form.

    `standard` is JSON as Standard Webhooks has it, signed; `content` a text alone, as chats take
    it. `view` is what is told: what the seat sees, or what everybody at the table may see, and whom
    it waits for.
    """

    url: str
    form: Form = "standard"
    view: View = "seat"


class HookShown(Answer, frozen=True):
    """A hook: of its address the host alone, which is empty where it may not be called any more.

    `told` is when a call was answered last, `failing` since when none was, and `why`; it is `over`
    once it was given up.
    """

    id: str
    host: str
    form: Form
    view: View
    told: int | None
    failing: int | None
    why: str
    over: bool


class HookMadeBody(Answer, frozen=True):
    """A hook as it was made: the only time that the secret can be read that signs its calls."""

    secret: Annotated[str, Meta(description="A secret, shown this once: `whsec_` and base64.")]
    hook: HookShown


class HooksBody(Answer, frozen=True):
    """The hooks of a seat, oldest first.

    `told` is when each seat of the table that has a hook was told something last: null for never.
    """

    hooks: tuple[HookShown, ...]
    told: dict[str, int | None]


class CallBody(Body, frozen=True):
    """The hook to be called now, by its id, with a message that tells nothing."""

    hook: str


class CalledBody(Answer, frozen=True):
    """What a test call was answered: the status, None where no answer came, and why it is no good.

    `why` is empty where it was taken.
    """

    status: int | None
    why: str


# --- a table --------------------------------------------------------------------------------------


class OpenTableBody(Body, frozen=True):
    """A table to be opened, and the seat of its first narrator, who is invited with the answer."""

    table: TableId
    ruleset: Label
    options: dict[str, Any] = {}
    source: Label = "fair"
    level: Level = "player"
    one_machine: bool = False
    narrator: Id = "narrator"
    request: Request | None = None


class TableOpenedBody(Answer, frozen=True):
    """The table, the entries that opened it, and the secret that leads to its narrator's seat.

    `links` have that secret, as those of an invitation.
    """

    table: str
    seqs: tuple[int, ...]
    invitation: SecretText
    links: tuple[Link, ...] = ()


class DamagedId(Answer, frozen=True):
    """An id under which the log has rows that no table of this id wrote, and why.

    `seq` is the entry that is damaged, where one is.
    """

    table: str
    why: str
    seq: int | None = None


class TablesBody(Answer, frozen=True, omit_defaults=True):
    """Every table of the server; `damaged` are ids of the log that are none."""

    tables: tuple[str, ...]
    damaged: tuple[DamagedId, ...] = ()


class AwaitingBody(Answer, frozen=True):
    """What the table waits for: what this seat may do, and whom else for, as far as it may know.

    Both are of a table of `size` entries.
    """

    size: int
    mine: tuple[Awaiting, ...]
    others: tuple[Awaited, ...]


class DisputeBody(Answer, frozen=True):
    """A dispute: its entry, the roll that it is about, who raised it, how it was ruled on.

    `ruled` is the entry of the ruling, `instead` the roll that was declared again.
    """

    roll: int
    seq: int
    by: str
    ruling: Ruling | None
    ruled: int | None = None
    instead: int | None = None


class HistoryBody(Answer, frozen=True):
    """Accounts of rolls by number; `after` asks for the next ones, None where there are no more."""

    accounts: tuple[Account, ...]
    after: int | None


class PreviewBody(Body, frozen=True):
    """A command to look ahead at: nothing is done, thrown or kept."""

    body: Annotated[str, Meta(extra_json_schema={"contentMediaType": "application/json"})]


class RollBody(Body, frozen=True):
    """A roll to be declared, and gone on with as far as nobody has anything to decide.

    `request` is the declaration's id: sent again, it goes on where it was left. `character` is the
    seat's own, which may be left out where it has one alone; who may send again names it, since
    the seat may have another by then. What is wanted is a `declaration`, by
    the fields of the system's form, or the text of the one that it takes any text for, as plain
    dice an `expression`. `visibility`, `level` and `text` are as of the command `declare/1`.
    """

    request: Request
    character: Id | None = None
    declaration: dict[str, Any] | None = None
    expression: str | None = None
    visibility: Visibility = "public"
    level: Level | None = None
    text: Text | None = None


class WhatIfBody(Body, frozen=True):
    """What shall be different, all at once: nothing is done, thrown or kept."""

    changes: Annotated[tuple[Change, ...], Meta(min_length=1, max_length=CHANGES)]


class AlternativesBody(Answer, frozen=True):
    """What could have been otherwise in a roll, in the order of the log; readings come last."""

    roll: int
    alternatives: tuple[Alternative, ...]


class RolledBody(Answer, frozen=True):
    """A roll as far as it went by itself, as the seat sees it when its log had `size` entries.

    `headline` is what came out, in words; empty where nothing did yet, or none that the seat sees.
    `link` shows the roll to who has no seat: null where none may.
    """

    request: str
    size: int
    headline: str
    link: str | None
    roll: RollSight


class LinkBody(Answer, frozen=True):
    """The link that shows a roll to who has no seat: null where none may."""

    roll: int
    link: str | None


class DoneBody(Answer, frozen=True):
    """A request was done, by entries `seqs` (none where it changed nothing).

    `entries` are these as the seat may have them, each an EntryLine; `head` covers all `size`.
    """

    request: str
    seqs: tuple[int, ...]
    size: int
    head: Note | None
    entries: tuple[Line, ...]


# --- the log --------------------------------------------------------------------------------------


class EntryLine(Struct, frozen=True, kw_only=True, rename={"kind": "class"}, omit_defaults=True):
    """An entry as a seat may have it; docs/bundle.md says what each field is.

    Without `salt` and `payload` it is sealed: hidden from the seat, or its text was erased. The
    payload is JSON as text: a Payload.
    """

    seq: int
    commit: int
    at: int
    kind: str
    digest: Hex
    salt: Hex | None = None
    payload: Annotated[
        str | None, Meta(extra_json_schema={"contentMediaType": "application/json"})
    ] = None


class Payload(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `payload` of an EntryLine holds; `asked` in the first entry of a commit alone."""

    event: Annotated[Raw, Meta(extra_json_schema={"$ref": "#/$defs/events"})]
    asked: Asked | None = None


class ProofBody(Answer, frozen=True):
    """A signed head over `size` entries, and the nodes that prove the claim under its root.

    The claim is that entry `seq` is in it, or that it begins with the first `since` entries: the
    one that was asked for is there, the other is None.
    """

    size: int
    head: Note
    hashes: tuple[Hex, ...]
    seq: int | None = None
    since: int | None = None


class StatusBody(Answer, frozen=True):
    """Whether the process lives, or is ready to serve: `ok`, or what it waits for."""

    status: str


class AliveBody(StatusBody, frozen=True):
    """Whether the process lives, and the version of the server."""

    version: str


Sent: TypeAlias = (
    CallBody
    | Exchange
    | HookBody
    | InviteBody
    | OpenTableBody
    | PreviewBody
    | RollBody
    | SecretBody
    | WhatIfBody
)
"""What a client may send, beside requests (`urim.engine.core.request.WireRequest`)."""

Replied: TypeAlias = (
    Exchanged
    | InvitationBody
    | InvitedBody
    | InvitationsBody
    | HoldersBody
    | RevokedBody
    | HookShown
    | HookMadeBody
    | HooksBody
    | CalledBody
    | TableOpenedBody
    | TablesBody
    | AwaitingBody
    | DisputeBody
    | HistoryBody
    | WhatIf
    | AlternativesBody
    | Odds
    | TableLuck
    | LinkBody
    | RolledBody
    | DoneBody
    | EntryLine
    | Payload
    | ProofBody
    | StatusBody
    | AliveBody
)
"""What a server may answer, beside `ANSWERS` and problems."""
