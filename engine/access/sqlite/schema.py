"""What a store's SQLite file holds: four tables, with hashes where a secret would be.

A hook's address and its secret are there as they are: a call needs both.
"""

from ....events.log.sqlite.schema import Schema

APPLICATION_ID = 0x55524D41
"""The bytes "URMA" at place 68 of the file: they mark a store of access, which is no log."""

WHAT = "a store of access"

# The host's link is the invitation without a table. What leads to a new seat has none.
INVITATIONS = """CREATE TABLE invitations (
    turn INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    table_id TEXT,
    role TEXT NOT NULL CHECK (role IN ('host', 'narrator', 'player', 'witness', 'auditor')),
    seat TEXT,
    made_by TEXT NOT NULL,
    made_by_seat TEXT,
    expires INTEGER,
    uses INTEGER NOT NULL CHECK (uses > 0),
    name TEXT NOT NULL,
    revoked INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1)),
    CHECK ((role = 'host') = (table_id IS NULL)),
    CHECK (role NOT IN ('host', 'auditor') OR seat IS NULL),
    CHECK (expires IS NOT NULL OR role = 'host')
) STRICT"""

# A use that was spent, by whom: so uses are counted, and never written down twice.
CLAIMS = """CREATE TABLE claims (
    id TEXT NOT NULL UNIQUE,
    invitation TEXT NOT NULL,
    client BLOB NOT NULL CHECK (length(client) = 32),
    seat TEXT,
    PRIMARY KEY (invitation, client)
) STRICT, WITHOUT ROWID"""

TOKENS = """CREATE TABLE tokens (
    turn INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    invitation TEXT NOT NULL,
    claim TEXT NOT NULL,
    table_id TEXT,
    seat TEXT,
    role TEXT NOT NULL CHECK (role IN ('host', 'narrator', 'player', 'witness', 'auditor')),
    expires INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1)),
    revoked INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1)),
    CHECK ((role = 'host') = (table_id IS NULL))
) STRICT"""

# What it was told, and who calls until when: none where nobody does.
HOOKS = """CREATE TABLE hooks (
    turn INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    table_id TEXT NOT NULL,
    seat TEXT NOT NULL,
    token TEXT NOT NULL,
    url TEXT NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('standard', 'content')),
    view TEXT NOT NULL CHECK (view IN ('seat', 'table')),
    secret TEXT NOT NULL,
    position INTEGER NOT NULL,
    waits TEXT NOT NULL,
    told INTEGER,
    failing INTEGER,
    why TEXT NOT NULL,
    is_over INTEGER NOT NULL CHECK (is_over IN (0, 1)),
    holder TEXT,
    until INTEGER NOT NULL DEFAULT 0
) STRICT"""

HOOKS_OF = "CREATE INDEX hooks_of ON hooks (table_id, seat)"
INVITATIONS_OF = "CREATE INDEX invitations_of ON invitations (table_id)"
TOKENS_OF = "CREATE INDEX tokens_of ON tokens (table_id, seat)"
TOKENS_CLAIMED = "CREATE INDEX tokens_claimed ON tokens (claim)"
TOKENS_INVITED = "CREATE INDEX tokens_invited ON tokens (invitation)"

REVOKED_STAYS = """CREATE TRIGGER revoked_stays BEFORE UPDATE ON tokens
WHEN OLD.revoked = 1 AND NEW.revoked = 0
BEGIN SELECT raise(ABORT, 'what was revoked stays so'); END"""

INVITATION_REVOKED_STAYS = """CREATE TRIGGER invitation_revoked_stays BEFORE UPDATE ON invitations
WHEN OLD.revoked = 1 AND NEW.revoked = 0
BEGIN SELECT raise(ABORT, 'what was revoked stays so'); END"""

SCHEMA = Schema(
    number=2,
    statements=(
        INVITATIONS, CLAIMS, TOKENS, INVITATIONS_OF, TOKENS_OF, TOKENS_CLAIMED, TOKENS_INVITED,
        REVOKED_STAYS, INVITATION_REVOKED_STAYS, HOOKS, HOOKS_OF,
    ),
    steps={1: (HOOKS, HOOKS_OF)},
    application=APPLICATION_ID,
    written="tokens",
)  # fmt: skip
