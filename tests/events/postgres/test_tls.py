"""TLS to the database: a server that is not the one that is meant is refused, and named."""

import datetime as dt
import ipaddress
import os
import socket
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.events.postgres import server
from tests.events.postgres.server import Server, run_now
from urim.errors import Refused
from urim.events.log.postgres import PostgresLog

ONLY_TLS = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n"


def certified(folder: Path, name: str) -> Path:
    """A certificate of 127.0.0.1 that nobody else signed, NAME.crt, and its key NAME.key."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(own)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    form, none = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / f"{name}.key").write_bytes(key.private_bytes(pem, form, none))
    (folder / f"{name}.crt").write_bytes(made.public_bytes(pem))
    return folder / f"{name}.crt"


class Tls(NamedTuple):
    """A server that takes connections over TLS alone, and certificates: its own, and another."""

    port: int
    own: Path
    other: Path

    def url(self, asked: str) -> str:
        """Where its database is, with what is asked of the connection."""
        return f"postgresql://urim@127.0.0.1:{self.port}/postgres?{asked}"


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Generator[Tls]:
    """It listens on the loopback."""
    programs = server.binaries()
    if programs is None:
        pytest.skip(server.HOW)
    built = subprocess.run([programs / "pg_config", "--configure"], capture_output=True, check=True)
    if b"ssl" not in built.stdout:
        pytest.skip(f"the PostgreSQL in {programs} was built without TLS; Debian's has it")
    folder = tmp_path_factory.mktemp("tls")
    own, other = certified(folder, "own"), certified(folder, "other")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    found = Server(programs)
    try:
        for each in (own, own.with_suffix(".key")):
            copy = found.folder / each.name
            copy.write_bytes(each.read_bytes())
            copy.chmod(0o600)
            if found.user is not None:
                os.chown(copy, found.user.pw_uid, found.user.pw_gid)
        (found.data / "pg_hba.conf").write_text(ONLY_TLS, "ascii")
        files = (f"ssl_cert_file={found.folder}/own.crt", f"ssl_key_file={found.folder}/own.key")
        found.settings += ["listen_addresses=127.0.0.1", f"port={port}", "ssl=on", *files]
        found.url_of = f"{found.url}&port={port}".format  # type: ignore[method-assign]
        found.start()
        yield Tls(port, own, other)
    finally:
        found.remove()


def opened(url: str) -> None:
    """Open a log there, and close it."""

    async def within() -> None:
        await (await PostgresLog.open(url)).close()

    run_now(within())


@pytest.mark.slow
def test_a_server_with_the_right_certificate_is_used(tls: Tls) -> None:
    opened(tls.url(f"sslmode=verify-full&sslrootcert={tls.own}"))


def test_a_server_with_another_certificate_is_refused_as_such(tls: Tls) -> None:
    with pytest.raises(Refused, match=r"at 127.0.0.1:\d+ cannot be used: .*certificate") as refused:
        opened(tls.url(f"sslmode=verify-full&sslrootcert={tls.other}"))
    assert refused.value.code == "unreadable"


def test_a_server_that_wants_tls_refuses_who_does_not(tls: Tls) -> None:
    with pytest.raises(Refused, match="no encryption"):
        opened(tls.url("sslmode=disable"))
