"""What every vault must do, and the secrets in it."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import pytest

from urim.engine.service.secrets import Secrets
from urim.engine.service.vault import Vault
from urim.errors import Damaged, Refused, Unavailable
from urim.events.checkpoint import Checkpoint

TABLE, OTHER = "table001", "table002"
ONE, TWO, THREE = (bytes([n]) * 32 for n in (1, 2, 3))
MOST = 1_000
"""More bytes than a record of these tests has."""


def note(size: int, root: bytes = bytes(32)) -> bytes:
    """A head that nobody signed."""
    return Checkpoint(f"host/t/{TABLE}", size, root).text + b"\nnobody signed it\n"


class VaultSuite:
    """What all vaults must do, and the secrets in them. A subclass says which: `make_vault`."""

    def make_vault(self) -> AbstractContextManager[Vault]:
        """A vault without records; within a test each further one has the same records.

        They are as those of two processes, perhaps on two machines.
        """
        raise NotImplementedError

    @contextmanager
    def make_secrets(self) -> Generator[Secrets]:
        """The secrets in a vault, none of which is kept yet."""
        with self.make_vault() as vault:
            yield Secrets(vault)

    def test_a_secret_is_kept_once_and_only_who_knows_it_discards_it(self) -> None:
        with self.make_secrets() as secrets:
            assert secrets.find(TABLE) is None
            secrets.keep(TABLE, ONE).release()
            with pytest.raises(Refused, match="already") as refused:
                secrets.keep(TABLE, TWO)
            assert refused.value.code == "taken"
            secrets.discard(TABLE, TWO)
            assert (secrets.find(TABLE), secrets.find(OTHER)) == (ONE, None)
            secrets.discard(TABLE, ONE)
            assert secrets.find(TABLE) is None

    def test_what_is_held_is_not_taken_for_left(self) -> None:
        with self.make_secrets() as secrets:
            assert secrets.left(TABLE) is None
            held = secrets.keep(TABLE, ONE)
            assert secrets.left(TABLE) is None
            held.release()
            held.release()
            left = secrets.left(TABLE)
            assert left is not None
            assert secrets.left(TABLE) is None
            secrets.set_aside(TABLE)
            left.release()
            assert secrets.find(TABLE) is None
            secrets.keep(TABLE, TWO)
            assert secrets.find(TABLE) == TWO

    def test_a_secret_of_an_epoch_takes_the_place_of_one_that_was_lost(self) -> None:
        with self.make_secrets() as secrets:
            secrets.keep(TABLE, ONE)
            for secret in (TWO, THREE):
                secrets.keep_epoch(TABLE, 1, secret)
                assert secrets.find_epoch(TABLE, 1) == secret
            assert (secrets.find(TABLE), secrets.find_epoch(TABLE, 2)) == (ONE, None)

    def test_one_at_a_time_begins_an_epoch(self) -> None:
        with self.make_secrets() as secrets:
            for _ in range(2):
                with secrets.alone(), pytest.raises(Unavailable), secrets.alone():
                    pytest.fail("two were alone")

    def test_the_key_is_made_once(self) -> None:
        with self.make_secrets() as secrets:
            assert secrets.key.find() is None
            made = secrets.key.make()
            assert len(made) == 32
            assert secrets.key.make() == secrets.key.find() == made

    def test_the_later_head_stays_and_another_root_is_damage(self) -> None:
        with self.make_secrets() as secrets:
            heads = secrets.heads
            assert (heads.find(TABLE), heads.floor(TABLE)) == (None, 0)
            for size in (5, 7, 6):
                heads.keep(TABLE, note(size))
            assert heads.find(TABLE) == note(7)
            with pytest.raises(Damaged, match="another root for its first 7 entries"):
                heads.keep(TABLE, note(7, ONE))
            heads.supersede(TABLE, 1, note(3))
            heads.supersede(TABLE, 1, None)
            assert (heads.find(TABLE), heads.floor(TABLE), heads.floor(OTHER)) == (None, 7, 0)

    def test_a_chain_is_found_by_its_anchor(self) -> None:
        with self.make_secrets() as secrets:
            anchor = "ab" * 32
            assert secrets.find_chain(anchor) is None
            secrets.keep_chain(anchor, ONE)
            assert secrets.find_chain(anchor) == ONE

    def test_the_key_is_never_made_after_something_was_signed(self) -> None:
        with self.make_vault() as vault:
            secrets = Secrets(vault)
            secrets.key.make()
            secrets.heads.keep(TABLE, note(1))
            vault.remove("key")
            with pytest.raises(Refused, match="the key that heads were signed with"):
                secrets.key.make()

    def test_looking_makes_nothing(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            assert not vault.there()
            assert (vault.read("key", MOST), vault.names(), vault.hold("key")) == (None, (), None)
            vault.remove("key")
            vault.set_aside("key", "key.aside")
            assert not other.there()
            vault.write_over("key", b"first")
            assert vault.there()
            assert other.there()

    def test_a_record_is_read_as_it_was_written(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            for name, content in (("key", b""), (TABLE, bytes(range(256))), ("heads/key", b"a\n")):
                vault.write_over(name, content)
                assert vault.read(name, MOST) == other.read(name, MOST) == content
                assert vault.read(name, 2) == content[:2]
                assert name.rpartition("/")[2] in vault.place(name)
            assert vault.read(OTHER, MOST) is None
            assert vault.read("shares/key", MOST) is None
            other.write_over(TABLE, b"short")
            assert vault.read(TABLE, MOST) == b"short"
            other.remove(TABLE)
            assert vault.read(TABLE, MOST) is None

    def test_a_new_record_is_never_written_over(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            held = vault.write_new(TABLE, ONE)
            assert held is not None
            for each in (vault, other):
                assert each.write_new(TABLE, TWO) is None
            held.release()
            assert other.write_new(TABLE, TWO) is None
            assert vault.read(TABLE, MOST) == ONE

    def test_of_many_that_write_a_new_record_at_once_one_does(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other, ThreadPoolExecutor(8) as many:
            for turn in range(5):
                name, wanted = f"table00{turn}", [bytes([n]) * 32 for n in range(8)]
                doing = [
                    many.submit((vault, other)[n % 2].write_new, name, each)
                    for n, each in enumerate(wanted)
                ]
                held = [each.result() for each in doing]
                [first] = [n for n, each in enumerate(held) if each is not None]
                assert vault.read(name, MOST) == other.read(name, MOST) == wanted[first]

    def test_names_are_of_a_folder_and_sorted(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            for name in ("heads/b", "heads/a", "heads/a.x", "b", "a_b", "a%b", "azb", "shares/c"):
                vault.write_over(name, ONE)
            for each in (vault, other):
                assert each.names() == ("a%b", "a_b", "azb", "b")
                assert each.names(stem="a_") == ("a_b",)
                assert each.names("heads") == ("a", "a.x", "b")
                assert each.names("heads", "a.") == ("a.x",)
                assert each.names("nothing") == ()

    def test_what_is_set_aside_takes_the_first_free_name(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            vault.set_aside(TABLE, f"{TABLE}.aside")
            for folder in ("", "heads/"):
                for content in (ONE, TWO, THREE):
                    vault.write_over(f"{folder}{TABLE}", content)
                    other.set_aside(f"{folder}{TABLE}", f"{folder}{TABLE}.aside")
                aside = [f"{TABLE}.aside{end}" for end in ("", ".2", ".3")]
                assert list(vault.names(folder.rstrip("/"))) == aside
                found = [vault.read(f"{folder}{each}", MOST) for each in aside]
                assert found == [ONE, TWO, THREE]

    def test_one_at_a_time_holds_a_record(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            assert vault.hold(TABLE) is None
            held = vault.write_new(TABLE, ONE)
            assert held is not None
            for each in (vault, other):
                assert each.hold(TABLE) is None
            held.release()
            again = other.hold(TABLE)
            assert again is not None
            assert vault.hold(TABLE) is None
            other.remove(TABLE)
            again.release()
            assert vault.hold(TABLE) is None

    def test_what_is_held_stays_so_when_the_vault_is_closed(self) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            held = vault.write_new(TABLE, ONE)
            assert held is not None
            vault.close()
            assert other.hold(TABLE) is None
            assert other.read(TABLE, MOST) == ONE
            held.release()
            assert other.hold(TABLE) is not None

    @pytest.mark.parametrize("name", ["", "heads/key"])
    def test_one_at_a_time_is_alone(self, name: str) -> None:
        with self.make_vault() as vault, self.make_vault() as other:
            for first, second in ((vault, other), (other, vault)):
                with (
                    first.alone(name, wait=False),
                    pytest.raises(Unavailable),
                    second.alone(name, wait=False),
                ):
                    pytest.fail("two were alone")
                with second.alone(name, wait=True):
                    pass

    def test_who_waits_to_be_alone_is_next(self) -> None:
        done: list[str] = []
        with self.make_vault() as vault, self.make_vault() as other, ThreadPoolExecutor(1) as one:

            def wait() -> None:
                with other.alone("heads/key", wait=True):
                    done.append("second")

            with vault.alone("heads/key", wait=True):
                waiting = one.submit(wait)
                vault.write_over("heads/key", ONE)
                done.append("first")
            waiting.result()
        assert done == ["first", "second"]
