"""Every operation of the server, as the OpenAPI document lists them: one table."""

from typing import Literal, TypeAlias

from msgspec import Struct

from ...access.rights import Right

Method: TypeAlias = Literal["get", "post", "delete"]

Tag: TypeAlias = Literal["server", "access", "tables", "reading", "requests", "log"]

NDJSON = "application/x-ndjson"
TEXT = "text/plain"
HTML = "text/html"
ANY_JSON = "any"
"""A JSON object that is not described further."""


class Operation(Struct, frozen=True, kw_only=True):
    """One operation.

    `needs` is the right that a token must have; "token" for any token, None for no token. `takes`
    are parameters of its address (`PARAMETERS`), `needed` those that it cannot do without. `asks`
    and `gives` are names of schemas; `many`: it gives a list of them; `refusal`: it may give this
    instead. What is not JSON has a `media` type. `refuses` are codes beside those that go with the
    rest.
    """

    method: Method
    path: str
    id: str
    tag: Tag
    summary: str
    needs: Right | Literal["token"] | None
    takes: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    asks: str | None = None
    gives: str = ""
    refusal: str = ""
    many: bool = False
    media: str = "application/json"
    status: int = 200
    refuses: tuple[str, ...] = ()


T = "/tables/{table}"

SERVER = (
    Operation(
        method="get", path="/", id="page", tag="server", needs=None, media=HTML,
        summary="A page: what runs here, with links to its documents and the verifier.",
    ),
    Operation(
        method="get", path="/health", id="health", tag="server", needs=None,
        summary="Whether the process lives, and its version.", gives="bodies.AliveBody",
    ),
    Operation(
        method="get", path="/ready", id="ready", tag="server", needs=None,
        summary="Whether it serves tables now; 503 while it does not.", gives="bodies.StatusBody",
        refuses=("unavailable",),
    ),
    Operation(
        method="get", path="/metrics", id="metrics", tag="server", needs="health", media=TEXT,
        summary="Figures for Prometheus.",
    ),
    Operation(
        method="get", path="/openapi.json", id="openapi", tag="server", needs=None,
        summary="This document.", gives=ANY_JSON,
    ),
    Operation(
        method="get", path="/schema.json", id="schema", tag="server", needs=None,
        takes=("system",), summary="JSON Schemas of everything that is sent; of a system's tables.",
        gives=ANY_JSON, refuses=("unknown",),
    ),
    Operation(
        method="get", path="/systems", id="systems", tag="server", needs=None,
        summary="The game systems that tables can have.", gives=ANY_JSON,
    ),
    Operation(
        method="get", path="/systems/{name}", id="system", tag="server", needs=None,
        summary="A system: the fields of its forms with their schemas, dice, tracks and readings.",
        gives=ANY_JSON, refuses=("unknown",),
    ),
    Operation(
        method="get", path="/urim.d.ts", id="typescript", tag="server", needs=None, media=TEXT,
        summary="The same as types of TypeScript.",
    ),
    Operation(
        method="get", path="/problems", id="problems", tag="server", needs=None, media=HTML,
        summary="A page: what each code of a problem means.",
    ),
)  # fmt: skip

ACCESS = (
    Operation(
        method="post", path="/access/exchange", id="exchange", tag="access", needs=None,
        summary="Exchange an invitation for a token.",
        asks="bodies.Exchange", gives="bodies.Exchanged",
        refuses=("no-token", "too-fast", "over-budget", "unavailable"),
    ),
    Operation(
        method="post", path="/access/invitation", id="invitation", tag="access", needs=None,
        summary="Where an invitation leads; nothing is spent.",
        asks="bodies.SecretBody", gives="bodies.InvitationBody",
        refuses=("no-token", "too-fast", "unavailable"),
    ),
    Operation(
        method="get", path="/access", id="myAccess", tag="access", needs="token",
        summary="What my token stands for.", gives="bodies.Grant",
    ),
    Operation(
        method="delete", path="/access", id="giveUpAccess", tag="access", needs="revoke-own",
        summary="Give up my token.", gives="bodies.RevokedBody",
    ),
    Operation(
        method="post", path=f"{T}/invitations", id="invite", tag="access", needs="invite",
        summary="Invite somebody to the table, or another client of mine to my seat.",
        asks="bodies.InviteBody", gives="bodies.InvitedBody", status=201,
        refuses=("not-yours", "taken", "over-budget"),
    ),
    Operation(
        method="get", path=f"{T}/invitations", id="invitations", tag="access", needs="holders",
        summary="The invitations that can still be exchanged.", gives="bodies.InvitationsBody",
    ),
    Operation(
        method="delete", path=f"{T}/invitations/{{id}}", id="revokeInvitation", tag="access",
        needs="revoke", gives="bodies.RevokedBody",
        summary="Revoke an invitation, and every token that came of it.",
    ),
    Operation(
        method="get", path=f"{T}/holders", id="holders", tag="access", needs="holders",
        summary="Who could come in: the good tokens of the table.", gives="bodies.HoldersBody",
    ),
    Operation(
        method="delete", path=f"{T}/holders/{{id}}", id="revokeHolder", tag="access",
        needs="revoke", summary="Revoke one token of the table.", gives="bodies.RevokedBody",
    ),
    Operation(
        method="delete", path=f"{T}/seats/{{seat}}/holders", id="revokeSeat", tag="access",
        needs="revoke", gives="bodies.RevokedBody",
        summary="Revoke every token of a seat, and the invitations to it.",
    ),
    Operation(
        method="get", path=f"{T}/hooks", id="hooks", tag="access", needs="follow",
        summary="Where my seat is told what happens.", gives="bodies.HooksBody",
        refuses=("too-fast",),
    ),
    Operation(
        method="post", path=f"{T}/hooks", id="makeHook", tag="access", needs="follow",
        summary="Leave an address that is called when something happens for my seat.",
        asks="bodies.HookBody", gives="bodies.HookMadeBody", status=201,
        refuses=("malformed", "too-long", "not-offered", "unknown", "over-budget", "too-fast"),
    ),
    Operation(
        method="delete", path=f"{T}/hooks/{{id}}", id="endHook", tag="access", needs="follow",
        summary="Take an address of my seat away.", gives="bodies.HooksBody",
        refuses=("too-fast",),
    ),
    Operation(
        method="post", path=f"{T}/hooks/test", id="testHook", tag="access", needs="follow",
        summary="Call an address of my seat now, and see what it answers.",
        asks="bodies.CallBody", gives="bodies.CalledBody", refuses=("unknown", "too-fast"),
    ),
)  # fmt: skip

TABLES = (
    Operation(
        method="get", path="/tables", id="tables", tag="tables", needs="list-tables",
        summary="The tables of this server.", gives="bodies.TablesBody",
    ),
    Operation(
        method="post", path="/tables", id="openTable", tag="tables", needs="open-table",
        summary="Open a table, and get an invitation for its narrator.",
        asks="bodies.OpenTableBody", gives="bodies.TableOpenedBody", status=201,
        refuses=("taken", "unknown", "request-reused", "over-budget"),
    ),
)  # fmt: skip

READING = (
    Operation(
        method="get", path=T, id="sight", tag="reading", needs="sight", takes=("language",),
        summary="The table as my seat sees it.", gives="answers.Sight", refuses=("unknown",),
    ),
    Operation(
        method="get", path=f"{T}/moves", id="legalMoves", tag="reading", needs="sight",
        takes=("language",), summary="Every legal move of my seat, roll by roll.",
        gives="answers.RollMoves", many=True, refuses=("unknown",),
    ),
    Operation(
        method="get", path=f"{T}/awaiting", id="awaiting", tag="reading", needs="sight",
        takes=("language",), summary="What the table waits for: me, and others.",
        gives="bodies.AwaitingBody", refuses=("unknown",),
    ),
    Operation(
        method="get", path=f"{T}/rolls/{{roll}}", id="roll", tag="reading", needs="sight",
        takes=("language",), summary="A roll as my seat sees it.", gives="answers.RollSight",
        refuses=("unknown", "not-seen"),
    ),
    Operation(
        method="get", path=f"{T}/rolls/{{roll}}/account", id="account", tag="reading",
        needs="sight", takes=("language",), summary="What happened in a roll, step by step.",
        gives="answers.Account", refuses=("unknown", "not-seen"),
    ),
    Operation(
        method="get", path=f"{T}/rolls/{{roll}}/moves", id="moves", tag="reading", needs="sight",
        takes=("language",), summary="Every trigger of a roll: legal, or why it is not.",
        gives="answers.Move", many=True, refuses=("unknown", "not-seen"),
    ),
    Operation(
        method="get", path=f"{T}/rolls/{{roll}}/link", id="link", tag="reading", needs="sight",
        summary="The link that shows a roll to who has no seat, where a narrator allows it.",
        gives="bodies.LinkBody", refuses=("unknown", "not-seen"),
    ),
    Operation(
        method="get", path=f"{T}/seats", id="seats", tag="reading", needs="sight",
        summary="The table's seats.", gives="answers.SeatSight", many=True, refuses=("unknown",),
    ),
    Operation(
        method="get", path=f"{T}/characters", id="characters", tag="reading", needs="sight",
        summary="The table's characters, with their ratings and tracks.",
        gives="answers.CharacterSight", many=True, refuses=("unknown",),
    ),
    Operation(
        method="get", path=f"{T}/disputes", id="disputes", tag="reading", needs="sight",
        summary="The disputes about rolls that my seat sees.",
        gives="bodies.DisputeBody", many=True, refuses=("unknown",),
    ),
    Operation(
        method="get", path=f"{T}/history", id="history", tag="reading", needs="sight",
        takes=("after_roll", "most", "language"), gives="bodies.HistoryBody",
        summary="Accounts of the rolls that my seat sees, some at once.", refuses=("unknown",),
    ),
    Operation(
        method="get", path=f"{T}/choices", id="choices", tag="reading", needs="sight",
        takes=("character", "field", "reacts_to", "follows", "link", "so_far"),
        needed=("character", "field"), gives="answers.Choice", many=True,
        summary="What a field of a declaration or a reaction may be filled with now.",
        refuses=("unknown", "not-yours", "needs-leave", "not-seen", "not-offered"),
    ),
    Operation(
        method="get", path=f"{T}/rollables", id="rollables", tag="reading", needs="sight",
        takes=("character", "reacts_to", "follows", "link"), needed=("character",),
        summary="The rolls that a character's sheet begins, or that answer a roll, for a tap.",
        gives="answers.Rollable", many=True, refuses=("unknown", "not-seen", "not-offered"),
    ),
)  # fmt: skip

REQUESTS = (
    Operation(
        method="post", path=f"{T}/requests", id="request", tag="requests", needs="command",
        summary="Have a command done; the same id and body are done once, and answered again.",
        asks="request.WireRequest", gives="bodies.DoneBody", refuses=("*",),
    ),
    Operation(
        method="post", path=f"{T}/rolls", id="rollDice", tag="requests", needs="command",
        takes=("language",), asks="bodies.RollBody", gives="bodies.RolledBody", refuses=("*",),
        summary="Declare a roll, and throw and resolve it as far as nothing is to be decided.",
    ),
    Operation(
        method="post", path=f"{T}/preview", id="preview", tag="requests", needs="command",
        takes=("language",), summary="What a command would lead to; nothing is thrown or kept.",
        asks="bodies.PreviewBody", gives="answers.Preview", refusal="answers.Refusal",
        refuses=("*",),
    ),
)  # fmt: skip

COURT = (
    Operation(
        method="post", path=f"{T}/whatif", id="whatIf", tag="reading", needs="sight",
        takes=("language",), asks="bodies.WhatIfBody", gives="bodies.WhatIf", refuses=("*",),
        summary="What would be different, on what my seat may see; nothing is thrown or kept.",
    ),
    Operation(
        method="get", path=f"{T}/rolls/{{roll}}/alternatives", id="alternatives", tag="reading",
        needs="sight", takes=("language",), gives="bodies.AlternativesBody",
        summary="What could have been otherwise in a roll, each with the change to ask about.",
        refuses=("unknown", "not-seen"),
    ),
    Operation(
        method="get", path=f"{T}/rolls/{{roll}}/odds", id="odds", tag="reading",
        needs="sight", takes=("aim",), gives="bodies.Odds",
        summary="The odds of a roll, and the best ways to decide, where advice is allowed.",
        refuses=(
            "unknown", "not-seen", "not-offered", "needs-leave", "due", "malformed", "out-of-range",
        ),
    ),
    Operation(
        method="get", path=f"{T}/luck", id="luck", tag="reading", needs="sight",
        gives="bodies.TableLuck",
        summary="Whether anybody was lucky: what fell, less what was to be expected, by seat.",
        refuses=("out-of-range",),
    ),
    Operation(
        method="get", path=f"{T}/rolls/{{roll}}/case", id="caseFile", tag="reading",
        needs="bundle", media=HTML, refuses=("unknown", "not-seen", "wrong-state", "over-budget"),
        summary="The case file of a roll: one page, of what my seat may have.",
    ),
)  # fmt: skip

LOG = (
    Operation(
        method="get", path=f"{T}/entries", id="entries", tag="log", needs="follow",
        takes=("after",), media=NDJSON, gives="bodies.EntryLine",
        summary="The entries after one, and older ones that I may have otherwise since.",
        refuses=("unknown", "forked", "over-budget"),
    ),
    Operation(
        method="get", path=f"{T}/checkpoint", id="checkpoint", tag="log", needs="proofs",
        summary="The table's signed head as it is now.", media=TEXT,
        refuses=("unknown", "out-of-range"),
    ),
    Operation(
        method="get", path=f"{T}/proofs/inclusion/{{seq}}", id="inclusion", tag="log",
        needs="proofs", gives="bodies.ProofBody", refuses=("unknown",),
        summary="A signed head, and what proves that an entry is under its root.",
    ),
    Operation(
        method="get", path=f"{T}/proofs/consistency/{{size}}", id="consistency", tag="log",
        needs="proofs", gives="bodies.ProofBody", refuses=("unknown",),
        summary="A signed head, and what proves that its log begins with a smaller one.",
    ),
    Operation(
        method="get", path=f"{T}/bundle", id="bundle", tag="log", needs="bundle",
        takes=("roll_only",), media=NDJSON,
        summary="The table's bundle, or that of a roll, as I may have it: what anybody can audit.",
        refuses=("unknown", "not-seen", "wrong-state", "not-offered", "over-budget"),
    ),
)  # fmt: skip

OPERATIONS: tuple[Operation, ...] = (*SERVER, *ACCESS, *TABLES, *READING, *REQUESTS, *COURT, *LOG)
"""Every operation, in the order of the document."""
