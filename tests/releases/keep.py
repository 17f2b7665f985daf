"""What a release leaves to those after it: a database with its secrets, bundles, its program.

night.db               every table, and beside it `night.db.secrets`
TABLE.urim.jsonl       a table as its narrator may see it
TABLE-all.urim.jsonl   as everybody may: what is hidden is withheld
TABLE-roll.urim.jsonl  the first roll of one table
TABLE.checkpoint       a head that was signed halfway
players.json           what the people know, in hex: the host's key, keys and chains of seats
urim-*.whl             the program, as a wheel

All of it follows from seeds: written again by the same code, bundles and secrets are the same. So
is the wheel, where the same setuptools build it.
"""

import asyncio
import hmac
import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests import tree
from tests.engine.helpers.tables.forging import head
from tests.engine.helpers.tables.host import Host
from tests.releases.nights import PRIVATE, Night, nights
from tests.releases.wheels import built
from urim.engine.bundle.write import bundle_of
from urim.engine.core.limits import NARRATOR
from urim.engine.service import Service
from urim.engine.service.secrets import FileSecrets
from urim.events.asked import is_host_request
from urim.events.checkpoint import read_key
from urim.events.codec import asked_in
from urim.events.entry import Entry
from urim.events.log.protocol import Appended, Request
from urim.events.log.sqlite import SqliteLog

HERE = Path(__file__).parent
DATABASE = "night.db"
PLAYERS = "players.json"


def verifiers() -> Mapping[str, Mapping[str, str]]:
    """The SHA-256 of urimcheck.py and urimcheck.js, by version, in hex."""
    found: Mapping[str, Mapping[str, str]] = json.loads((HERE / "verifiers.json").read_text())
    return found


def write(folder: Path) -> None:
    """Write all of it into a folder; what was there is replaced."""
    played = nights()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for night in played:
        for name, data in files(night).items():
            (folder / name).write_bytes(data)
    people = {"host": PRIVATE.hex(), "tables": {n.state.id: known(n.host) for n in played}}
    text = json.dumps(people, indent=1, sort_keys=True)
    (folder / PLAYERS).write_text(f"{text}\n", encoding="utf-8")
    asyncio.run(kept(folder / DATABASE, played))
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")  # one file, without its -wal and -shm
    with TemporaryDirectory() as fresh:
        built(tree.copy_tree(Path(fresh) / "urim"), folder)


def files(night: Night) -> dict[str, bytes]:
    """The bundles of a table and a head that was signed halfway, by the names of their files."""
    host, table = night.host, night.state.id
    shown: dict[str, tuple[str, int | None]] = {"": (NARRATOR, None), "-all": ("", None)}
    if night.state.ask:
        shown["-roll"] = NARRATOR, 1
    found = {
        f"{table}{name}.urim.jsonl": b"".join(
            bundle_of(host.aggregate, seat, head(host), [read_key(host.vkey)], roll)
        )
        for name, (seat, roll) in shown.items()
    }
    return {**found, f"{table}.checkpoint": head(host, night.state.size // 2)}


def known(host: Host) -> dict[str, Any]:
    """What the people of a table know: their keys, and their chains' last links by anchor."""
    keys = {seat: key.hex() for seat, key in host.keys.items()}
    return {"vkey": host.vkey, "keys": keys, "chains": host.chains}


async def kept(path: Path, played: list[Night]) -> None:
    """Write the tables into a database, as a service would have kept them."""
    secrets = FileSecrets.beside(path)
    log = await SqliteLog.open(path)
    for night in played:
        await keep(log, secrets, night)
    service = Service(log, secrets)
    secrets.key.make()
    (secrets.directory / "key").write_text(f"{PRIVATE.hex()}\n", encoding="ascii")
    for night in played:
        await service.checkpoint(night.state.id)
    await service.close()
    await log.close()


async def keep(log: SqliteLog, secrets: FileSecrets, night: Night) -> None:
    """Keep one table: its entries, what was asked under which id, its secrets."""
    host, table = night.host, night.state.id
    secrets.keep(table, host.secret(0)).release()
    for epoch in range(1, night.epochs + 1):
        secrets.keep_epoch(table, epoch, host.secret(epoch))
    for start, commit in groupby(host.entries, lambda entry: entry.commit):
        entries = tuple(commit)
        appended = await log.append(table, entries, start, request_of(host, entries[0]))
        assert isinstance(appended, Appended)


def request_of(host: Host, first: Entry) -> Request | None:
    """The request of a commit, where its seat gave it an id."""
    asked = asked_in(first)
    if asked is None or is_host_request(asked.request):
        return None
    mac = hmac.digest(host.secret(0), asked.body.encode(), "sha256")
    return Request(asked.request, host.event(first.seq).by, mac)
