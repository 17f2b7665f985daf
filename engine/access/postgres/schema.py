"""What a store of access holds in PostgreSQL: as in SQLite, in a schema of its own."""

from collections.abc import Mapping

from ....events.log.postgres.schema import COUNT, HASH, ROW_UPDATE, TEXT, Law, Schema

MAYBE = 'text COLLATE "C"'

FLAG = "integer NOT NULL DEFAULT 0 CHECK ({0} IN (0, 1))"

ROLES = "CHECK (role IN ('host', 'narrator', 'player', 'witness', 'auditor'))"

TURN = f"{COUNT} GENERATED ALWAYS AS IDENTITY"

OF_TABLE = f"{MAYBE} CHECK ((role = 'host') = (table_id IS NULL))"
"""The host's link, and what came of it, is of no table."""

STAYS = "SELECT 1 WHERE OLD.revoked = 1 AND NEW.revoked = 0"

HOOKS: Mapping[str, str] = {
    "turn": TURN,
    "id": TEXT,
    "table_id": TEXT,
    "seat": TEXT,
    "token": TEXT,
    "url": TEXT,
    "form": f"{TEXT} CHECK (form IN ('standard', 'content'))",
    "view": f"{TEXT} CHECK (view IN ('seat', 'table'))",
    "secret": TEXT,
    "position": COUNT,
    "waits": TEXT,
    "told": "bigint",
    "failing": "bigint",
    "why": TEXT,
    "is_over": FLAG,
    "holder": MAYBE,
    "until": f"{COUNT} DEFAULT 0",
    "": "PRIMARY KEY (id)",
}

HOOKS_OF = "hooks (table_id, seat)"

COLUMNS = ", ".join(f"{name} {kind}".format(name) for name, kind in HOOKS.items())

WITH_HOOKS = (f"CREATE TABLE hooks ({COLUMNS})", f"CREATE INDEX hooks_of ON {HOOKS_OF}")

SCHEMA = Schema(
    number=2,
    name="urim_access",
    what="store of access",
    tables={
        "meta": {
            "one": "boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one)",
            "number": "integer NOT NULL",
            "news": COUNT,
        },
        "invitations": {
            "turn": TURN,
            "id": TEXT,
            "hash": HASH,
            "table_id": OF_TABLE,
            "role": f"{TEXT} {ROLES}",
            "seat": f"{MAYBE} CHECK (role NOT IN ('host', 'auditor') OR seat IS NULL)",
            "made_by": TEXT,
            "made_by_seat": MAYBE,
            "expires": "bigint CHECK (role = 'host' OR coalesce(expires, 0) <> 0)",
            "uses": "bigint NOT NULL CHECK (uses > 0)",
            "name": TEXT,
            "revoked": FLAG,
            "": "PRIMARY KEY (hash)",
        },
        "claims": {
            "id": TEXT,
            "invitation": TEXT,
            "client": "bytea NOT NULL CHECK (length(client) = 32)",
            "seat": MAYBE,
            "": "PRIMARY KEY (invitation, client)",
        },
        "tokens": {
            "turn": TURN,
            "id": TEXT,
            "hash": HASH,
            "invitation": TEXT,
            "claim": TEXT,
            "table_id": OF_TABLE,
            "seat": MAYBE,
            "role": f"{TEXT} {ROLES}",
            "expires": COUNT,
            "used": FLAG,
            "revoked": FLAG,
            "": "PRIMARY KEY (hash)",
        },
        "hooks": HOOKS,
    },
    indexes={
        "invitations_by_id": "invitations (id)",
        "invitations_of": "invitations (table_id)",
        "tokens_by_id": "tokens (id)",
        "tokens_of": "tokens (table_id, seat)",
        "tokens_claimed": "tokens (claim)",
        "tokens_invited": "tokens (invitation)",
        "hooks_of": HOOKS_OF,
    },
    laws={
        "token_revoked_stays": Law(ROW_UPDATE.format("tokens"), STAYS, "what was revoked stays so"),
        "invitation_revoked_stays": Law(
            ROW_UPDATE.format("invitations"), STAYS, "what was revoked stays so"
        ),
    },
    steps={1: WITH_HOOKS},
    first=("INSERT INTO meta VALUES (true, 0, 0)",),
)

ALONE = "SELECT 1 FROM meta FOR UPDATE"
"""What a transaction that writes begins with: one at a time, and who reads is not held up."""

NEWS = "SELECT news FROM meta"
TOLD = "UPDATE meta SET news = news + 1"
