"""A secret is shown once: no repr, log, error or file has it, and its hash alone is kept."""

import asyncio
import copy
import json
import logging
import pickle
import re
from pathlib import Path

import msgspec
import pytest

from tests.engine.access.helpers import (
    NOW,
    TABLE,
    by_narrator,
    client,
    entered,
    exchanged,
    known,
    on_store,
)
from urim.engine.access.secret import Secret, checked_client, draw, hashed
from urim.engine.access.sqlite import SqliteAccess
from urim.errors import Refused


@pytest.mark.parametrize("kind", ["t", "i", "h"])
def test_a_secret_says_what_it_is_and_has_256_bits(kind: str) -> None:
    drawn = {draw(kind).reveal() for _ in range(100)}  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert len(drawn) == 100
    for text in drawn:
        assert re.fullmatch(rf"urim-{kind}1-[A-Za-z0-9_-]{{43}}", text)


def test_no_print_shows_a_secret() -> None:
    secret = draw("t")
    hidden = secret.reveal()[8:]
    shown = [repr(secret), str(secret), f"{secret}", f"{secret!r:>80}", repr([secret])]
    for text in shown:
        assert "urim-t1-" in text
        assert hidden not in text


def test_a_secret_is_not_copied_encoded_or_hashed() -> None:
    secret = draw("t")
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps, msgspec.json.encode, hash):
        with pytest.raises(TypeError) as refusal:
            attempt(secret)  # pyright: ignore[reportArgumentType]
        assert secret.reveal()[8:] not in str(refusal.value)
    assert not hasattr(secret, "__dict__")


def test_secrets_are_the_same_by_their_text() -> None:
    secret = draw("t")
    assert secret == Secret(secret.reveal())
    assert secret != draw("t")
    assert secret != secret.reveal()


def test_a_hash_is_of_the_whole_text_and_of_no_text_too_long() -> None:
    text = draw("t").reveal()
    assert (
        len({hashed(text), hashed(text + "A"), hashed(text[:-1]), hashed(text + "A" * 1_000)}) == 4
    )
    assert hashed("A" * 128) == hashed("A" * 1_000_000)


def test_a_client_id_is_not_shown_where_it_is_refused() -> None:
    assert checked_client(client(1)) == client(1)
    with pytest.raises(Refused) as refusal:
        checked_client("my own id!")
    assert "my own" not in str(refusal.value)


def check_files(folder: Path, texts: list[str]) -> None:
    """Fail where a file has one of these: while the store is open, so the log of writes counts."""
    for file in folder.iterdir():
        for text in texts:
            assert text[8:].encode() not in file.read_bytes()


def test_no_log_and_no_file_has_a_secret_or_what_a_client_drew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "access.db"

    async def scenario(store: SqliteAccess) -> list[str]:
        link = await store.host_link(NOW)
        assert link is not None
        host = await store.exchange(link.reveal(), client(9), NOW)
        assert host is not None
        issued = await store.invite(by_narrator(), NOW)
        admitted = await exchanged(store, issued)
        lost = await entered(store, by_narrator("p2"), 2)
        for value in (issued, admitted, store, [admitted], issued.invitation, admitted.grant):
            assert admitted.token.reveal()[8:] not in repr(value)
            assert issued.secret.reveal()[8:] not in repr(value)
        assert await known(store, admitted) is not None
        await store.revoke_token(TABLE, lost.grant.id)
        secrets = (link, host.token, issued.secret, admitted.token, lost.token)
        texts = [secret.reveal() for secret in secrets]
        for text in texts:
            assert await store.lookup(f"{text}?", NOW) is None
            assert await store.revoke_token(TABLE, "unknown") == 0
        check_files(tmp_path, [*texts, client(1), client(2)])
        await store.purge(NOW)
        return texts

    texts = on_store(path, scenario)
    assert "admitted" in caplog.text and "revoked" in caplog.text
    printed = "".join(capfd.readouterr())
    for text in texts:
        for where in (caplog.text, printed, *(str(record.__dict__) for record in caplog.records)):
            assert text[8:] not in where
            assert hashed(text).hex() not in where
            assert client(1) not in where


def test_an_error_of_the_store_shows_no_secret(tmp_path: Path) -> None:
    async def scenario(store: SqliteAccess) -> None:
        admitted = await entered(store, by_narrator())
        await store.close()
        results = await asyncio.gather(
            known(store, admitted), store.revoke_token(TABLE, "x"), return_exceptions=True
        )
        for result in results:
            assert isinstance(result, Exception)
            assert admitted.token.reveal()[8:] not in repr(result)

    on_store(tmp_path / "access.db", scenario)
