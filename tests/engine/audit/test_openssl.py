"""A golden bundle is checked with OpenSSL's command line: no hash, draw or signature of ours.

Needs `openssl` 3.0 or later (Debian, Ubuntu: `apt-get install openssl`).
"""

import json
import re
import subprocess
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.tools import found, missing
from tests.vectors.bundles import HERE
from urim.rules import ruleset_named

OPENSSL = found("openssl")

pytestmark = pytest.mark.skipif(OPENSSL is None, reason=missing("openssl"))

LINES: list[dict[str, Any]] = [
    json.loads(line) for line in (HERE / "table.urim.jsonl").read_bytes().splitlines()
]
HEADER, ENTRIES = LINES[0], LINES[1:-1]
NONE = '{"event":{}}'
EVENTS: list[dict[str, Any]] = [
    json.loads(entry.get("payload", NONE))["event"] for entry in ENTRIES
]

ED25519_DER = bytes.fromhex("302a300506032b6570032100")
"""The bytes before the 32 of a public key in a file that OpenSSL reads (RFC 8410)."""

SHARED = 2**48


def openssl(*words: str, given: bytes = b"") -> bytes:
    """What OpenSSL answers."""
    command = [str(OPENSSL), *words]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def sha256(text: bytes) -> bytes:
    """A hash, by OpenSSL."""
    return openssl("dgst", "-sha256", "-binary", given=text)


def leaf(entry: dict[str, Any]) -> bytes:
    """An entry's leaf, as trust says."""
    fields = "urim/1 entry\n{seq}\n{at}\n{class}\n{digest}\n".format(**entry)
    return sha256(b"\x00" + fields.encode())


def drawn(seed: str, transcript: bytes, die: int, faces: int) -> int:
    """The index of a die's face, as trust says."""
    for attempt in range(128):
        info = f"urim/1 die\n{die}\n{attempt}\n".encode()
        options = {"digest": "SHA256", "hexkey": seed, "hexsalt": sha256(transcript).hex()}
        options["hexinfo"] = info.hex()
        words = [word for key, value in options.items() for word in ("-kdfopt", f"{key}:{value}")]
        value = int.from_bytes(openssl("kdf", "-keylen", "6", "-binary", *words, "HKDF"))
        if value < SHARED - SHARED % faces:
            return value % faces
    raise AssertionError("no fair draw")


def throws(level: str) -> tuple[int, list[tuple[str, str]]]:
    """The first throw of a roll that names a level, and the shares of others for it."""
    declared = {
        e["roll"]: e.get("level") for e in EVENTS if e.get("type", "").startswith("roll-declared/")
    }
    for seq, event in enumerate(EVENTS):
        if event.get("type") == "dice-rolled/1" and declared[event["roll"]] == level:
            given = [
                (each["by"], each["share"])
                for each in EVENTS[:seq]
                if each.get("type") == "share-opened/1" and each["roll"] == event["roll"]
            ]
            return seq, sorted(share for share in given if share[0] != event["by"])
    raise AssertionError(f"no throw at level {level}")


@pytest.mark.parametrize("level", ["player", "table", "server"])
def test_every_die_of_a_throw_is_recomputed(level: str) -> None:
    seq, witnesses = throws(level)
    event, proof = EVENTS[seq], EVENTS[seq]["proof"]
    table = HEADER["origin"].rpartition("/")[2]
    id = f"{table}/{event['roll']}/{proof['throw']}"
    text = (
        f"urim/1 throw\nthrow {id}\n"
        f"committed {proof['committed']} {leaf(ENTRIES[proof['committed']]).hex()}\n"
        f"roller {event['by']} {proof.get('nonce', '-')}\n"
    ) + "".join(f"witness {seat} {nonce}\n" for seat, nonce in witnesses)
    ruleset = ruleset_named(HEADER["system"])
    faces = ruleset.faces(ruleset.Options(**HEADER["options"]))
    assert len(event["dice"]) == 8
    for j, (_, kind, face) in enumerate(event["dice"]):
        assert faces[kind][drawn(proof["seed"], text.encode(), j, len(faces[kind]))] == face
    committing = EVENTS[proof["committed"]]
    published = committing.get("commit") or next(
        each[2] for each in committing["commits"] if each[0] == event["roll"]
    )
    assert sha256(f"urim/1 seed\n{id}\n{proof['seed']}\n".encode()).hex() == published


def test_every_payload_fits_its_digest() -> None:
    disclosed = [entry for entry in ENTRIES if "payload" in entry]
    for entry in disclosed[:12]:
        sealed = b"urim/1 payload\n" + bytes.fromhex(entry["salt"]) + entry["payload"].encode()
        assert sha256(sealed).hex() == entry["digest"]


def test_the_checkpoint_is_signed(tmp_path: Path) -> None:
    note: str = HEADER["checkpoint"]
    text, _, signature = note.rpartition("\n\n")
    line = re.fullmatch(r"— (\S+) (\S+)\n", signature)
    assert line is not None
    public = b64decode(HEADER["keys"][0].rpartition("+")[2])[1:]
    pem = b64encode(ED25519_DER + public).decode()
    key, signed, by = (tmp_path / name for name in ("key.pem", "text", "signature"))
    key.write_text(f"-----BEGIN PUBLIC KEY-----\n{pem}\n-----END PUBLIC KEY-----\n")
    by.write_bytes(b64decode(line[2])[4:])
    words = ("pkeyutl", "-verify", "-pubin", "-inkey", str(key), "-rawin", "-in", str(signed))
    signed.write_text(f"{text}\n")
    assert b"Verified Successfully" in openssl(*words, "-sigfile", str(by))
    signed.write_text(f"{text}x\n")
    with pytest.raises(subprocess.CalledProcessError):
        openssl(*words, "-sigfile", str(by))
