"""Small files for their owner alone: read whole or refused, written whole or not at all.

On systems without POSIX modes (Windows) the directory's own rights protect them, and nothing keeps
two processes from writing the same file at the same time.
"""

import os
import secrets
import stat
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from weakref import finalize

from ...errors import Damaged, Refused, Unavailable

if sys.platform == "win32":

    def _lock(handle: int, *, wait: bool) -> None:
        return

else:
    import fcntl

    def _lock(handle: int, *, wait: bool) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


SECRET_BYTES = 32

TEXT_BYTES = 2 * SECRET_BYTES + 2
"""Bytes that are read of a secret as text: one more than it has."""

OTHERS = 0o077
"""The rights of anybody but the owner."""


def read(path: Path, most: int) -> bytes | None:
    """The content of a file, at most its first `most` bytes; None where there is no file.

    Raises Refused("unreadable") where others than its owner may read or write it, or its directory.
    """
    try:
        # Not through a link: anybody who may write the directory must not choose the file.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, "rb") as file:
            _private(path, os.fstat(file.fileno()))
            _private(path.parent, path.parent.stat())
            return file.read(most)
    except FileNotFoundError:
        return None
    except OSError as error:
        why = f"{path} cannot be read: {error.strerror}"
        raise Refused("unreadable", why) from error


def read_secret(path: Path, what: str) -> bytes | None:
    """The 32 bytes that a file holds as 64 hex digits; None where there is no file.

    Raises Damaged where it has something else, and Refused as `read`.
    """
    text = read(path, TEXT_BYTES)
    return None if text is None else secret_in(text, str(path), what)


def secret_in(text: bytes, place: str, what: str) -> bytes:
    """The 32 bytes that 64 hex digits are. Raises Damaged, naming the place, for anything else."""
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except ValueError as error:
        raise Damaged(f"{place} holds no {what}") from error
    if len(secret) != SECRET_BYTES:
        raise Damaged(f"{place} holds no {what}")
    return secret


def as_text(secret: bytes) -> bytes:
    """32 bytes as 64 hex digits and the end of a line."""
    return f"{secret.hex()}\n".encode("ascii")


def write_secret(path: Path, secret: bytes) -> "Hold | None":
    """Keep 32 bytes as 64 hex digits in a new file; see `write_new`."""
    return write_new(path, as_text(secret))


def write_new(path: Path, content: bytes) -> "Hold | None":
    """Put this in a new file, on disk and locked when this returns.

    None, and nothing done, where there is a file already. Raises Unavailable where it cannot be.
    """
    try:
        with _unfinished(path, content) as unfinished:
            # Before it has its name: nobody may take it for one that was left.
            held = hold(unfinished)
            # A link appears whole or not at all, and never over another's.
            os.link(unfinished, path)
        sync(path.parent)
    except FileExistsError:
        return None
    except OSError as error:
        raise unwritable(path, error) from error
    return held


def write_over(path: Path, content: bytes) -> None:
    """Put this in the file instead of what it holds, on disk when this returns.

    Raises Unavailable where it cannot be; then the file is what it was.
    """
    try:
        with _unfinished(path, content) as unfinished:
            unfinished.replace(path)
        sync(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error


def set_aside(path: Path, name: str) -> None:
    """Give the file another name in its directory: `name`, or the first free of `name.2` and so on.

    Nothing where there is no file. Raises Unavailable where it cannot be.
    """
    aside, turn = path.with_name(name), 1
    try:
        while os.path.lexists(aside):
            turn += 1
            aside = path.with_name(f"{name}.{turn}")
        if os.path.lexists(path):
            path.rename(aside)
            sync(path.parent)
    except OSError as error:
        raise unwritable(aside, error) from error


def state_directory() -> Path:
    """The directory of all that is kept for the user of this machine."""
    home = os.environ.get("XDG_STATE_HOME", "")
    default = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None
    base = Path(home) if home else Path(default or Path.home() / ".local" / "state")
    return base / "urim"


def check_private(path: Path) -> None:
    """Check a file or a directory that is there, without opening it.

    Raises Refused("unreadable") where others than its owner may read or write it, or it is another
    user's.
    """
    _private(path, path.lstat())


def make_directory(path: Path, *, parents: bool = False) -> None:
    """Make a directory for its owner alone, if it is not there; on disk when this returns.

    With `parents` those above it too, as directories are usually made. Raises Refused("unreadable")
    where others may read or write it, Unavailable where it cannot be.
    """
    try:
        path.mkdir(mode=0o700, parents=parents, exist_ok=True)
        # Perhaps another process made it a moment ago and has not synced it yet.
        sync(path.parent)
        status = path.stat()
    except OSError as error:
        raise unwritable(path, error) from error
    _private(path, status)


def make_file(path: Path) -> None:
    """Make an empty file for its owner alone, in a directory that is too, if it is not there.

    Nobody's handle on a file that is there is closed here. Raises Refused("unreadable") where
    others may read or write it or its directory, or where it is no file; Unavailable where it
    cannot be made.
    """
    make_directory(path.parent)
    try:
        if not os.path.lexists(path):
            with suppress(FileExistsError), _unfinished(path, b"") as unfinished:
                os.link(unfinished, path)
            sync(path.parent)
        # Not through a link, as `read`.
        status = path.lstat()
    except OSError as error:
        raise unwritable(path, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise Refused("unreadable", f"{path} is no file", allowed=["a file", "a new file"])
    _private(path, status)


class Hold:
    """A lock, held until `release`, until nobody has this any more, or until the process ends."""

    def __init__(self, release: Callable[[], object]) -> None:
        self.release = finalize(self, release)
        self.release.atexit = False  # what is under way then may still be kept

    def stay(self) -> None:
        """Hold it until the process ends, whatever is called."""
        self.release.detach()


def hold(path: Path) -> Hold | None:
    """Lock a file; None where another process holds it, or where it has this name no more.

    Raises Unavailable where it cannot be locked at all.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unwritable(path, error) from error
    if os.name == "nt":
        os.close(handle)  # a file that is open could get no other name
        return Hold(lambda: None)
    held = Hold(partial(os.close, handle))
    try:
        _lock(handle, wait=False)
        if os.path.samestat(os.fstat(handle), path.lstat()):
            return held
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError as error:
        raise unwritable(path, error) from error
    held.release()
    return None


@contextmanager
def alone(directory: Path, *, wait: bool) -> Generator[None]:
    """Hold the lock of a directory, which one process at a time can hold.

    Raises Unavailable where another process holds it and `wait` is False.
    """
    if os.name == "nt":
        yield
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        _lock(handle, wait=wait)
    except BlockingIOError as error:
        os.close(handle)
        raise Unavailable(f"{directory} is in use by another process") from error
    try:
        yield
    finally:
        os.close(handle)  # lets go of the lock too


def sync(directory: Path) -> None:
    """Make the names in a directory last, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unwritable(path: Path, error: OSError) -> Unavailable:
    """The error of a command for which a file cannot be written."""
    return Unavailable(f"{path} cannot be written: {error.strerror}")


@contextmanager
def _unfinished(path: Path, content: bytes) -> Generator[Path]:
    """A file beside the path with this in it, on disk; gone afterwards unless it was renamed."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield unfinished
    finally:
        unfinished.unlink(missing_ok=True)


def _private(path: Path, status: os.stat_result) -> None:
    """Refuse what others than its owner may read or write, or what is somebody else's."""
    if os.name == "nt":
        return
    mode = status.st_mode & 0o777
    if mode & OTHERS:
        fitting = "700" if path.is_dir() else "600"
        why = f"{path} is open to others than its owner: its mode is {mode:o}"
        raise Refused("unreadable", why, allowed=[f"mode {fitting}"])
    if status.st_uid not in (os.geteuid(), 0):
        raise Refused("unreadable", f"{path} belongs to another user", allowed=["a file of yours"])
