"""Wrong uses of the command line, as a table: exit code and sentence; nothing lost, no traceback.

Each row is what a person or a program types into a shell, in a folder of its own that holds a log,
a scenario, a bundle and files that are nothing of the kind.
"""

import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, closing, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import tree
from tests.engine.helpers.cli_runs import objects, urim
from tests.plays import SCENARIOS
from tests.tools import needed
from urim.events.checkpoint import Checkpoint, origin_of, sign

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rows are for a POSIX shell")


class Wrong(NamedTuple):
    """A line for the shell, its exit code, what standard error says; "" if it is silent."""

    line: str
    code: int
    says: str


IN_A_SHELL = 8
"""Of the rows that are nothing but one command every so many are given to a shell as well."""

SHELLS = {*"$`<>|&;*?~#\n()"}
"""What a shell does more than to run a command; quotes are read here too."""

LONG = "x" * 100_000

ARGUMENTS = r"""
urim  => 2 Usage: urim [OPTIONS] COMMAND
urim key  => 2 Usage: urim key [OPTIONS] COMMAND
urim fly  => 2 urim: no command 'fly'; allowed: demo, play, dice, odds,
urim shwo night.db  => 2 urim: no command 'shwo'; allowed: show (urim --help)
urim key fly  => 2 urim: no command 'fly'; allowed: rotate, seat, show (urim key --help)
urim --fly  => 2 urim: no option '--fly'; allowed:
urim dice 4d6 --jsno  => 2 urim: no option '--jsno'; allowed: --json (urim dice --help)
urim --log-level loud systems
    => 2 urim: --log-level: 'loud' is none of its values; allowed: debug, info
urim -v  => 2 urim: option '-v' requires an argument (urim --help)
urim run  => 2 urim: FILE is missing (urim run --help)
urim dice  => 2 urim: EXPRESSION is missing (urim dice --help)
urim show  => 2 urim: DB is missing (urim show --help)
urim show night.db  => 2 urim: TABLE is missing (urim show --help)
urim replay night.db fixture0  => 2 urim: --roll is missing (urim replay --help)
urim export night.db fixture0  => 2 urim: --format is missing; allowed: bundle,
urim export night.db fixture0 --format x  => 2 urim: --format: 'x' is none of its
urim export night.db fixture0 --format jsonl --force  => 2 urim: --force replaces a file, and
urim fairness night.db fixture0 --force  => 2 urim: --force replaces a file, and none
urim moves night.db fixture0 --seat narrator --roll 9
    => 2 urim: no roll 9 at this table; allowed: 1
urim submit night.db fixture0 '{"do": "resolve", "comment": "x"}' --seat narrator
    => 2 urim: no field 'comment' in resolve; allowed: roll
urim tables night.db more  => 2 urim: got unexpected extra argument (more)
urim completion tcsh  => 2 urim: SHELL: 'tcsh' is none of its values; allowed: bash
urim show night.db fixture0 --roll x  => 2 urim: --roll: 'x' is no whole number
urim show night.db fixture0 --roll -1  => 2 urim: --roll: '-1' is no whole number
urim show night.db fixture0 --roll 1_0  => 2 urim: --roll: '1_0' is no whole number
urim show night.db fixture0 --roll ٣  => 2 urim: --roll: '٣' is no whole number
urim erase night.db fixture0 1e3  => 2 urim: SEQ: '1e3' is no whole number
urim erase night.db fixture0 99999999999999999999 --yes
    => 2 urim: SEQ: '999999999999999…' is no whole number
urim erase night.db fixture0 999999999999999 --yes  => 2  is no text, or is erased
urim show night.db fixture0 --at 99  => 2 urim: no entry 99; allowed: 0 to 28
urim show night.db fixture0 --roll 9  => 2 urim: no roll 9 at this table; allowed: 1
urim show night.db nowhere1  => 2 urim: no table 'nowhere1'; allowed: fixture0
urim show night.db ''  => 2 urim: no table ''; allowed: fixture0
urim demo chess  => 2 urim: no story of 'chess'; allowed: milhamah
urim systems chess  => 2 urim: no system called 'chess'; allowed:
urim dice 4d6ky  => 2 urim: a modifier, + or -, or a comparison is expected here, not 'y'
urim dice 3d6 ''  => 2 urim: expression is ''
urim dice 999999d6  => 2 urim: a number is at most 100000
urim export night.db fixture0 --format bundle --seat p9  => 2 urim: no seat 'p9'
urim export night.db fixture0 --format scenario --seat p1  => 2 allowed: no --seat
urim export night.db fixture0 --format character  => 2 urim: a character is written by its name
urim export night.db fixture0 --format jsonl --character c1  => 2 allowed: --format character
urim export night.db fixture0 --format character --character c1 --roll 1  => 2 and no roll of it
urim export night.db fixture0 --format character --character No  => 2 urim: no character 'No'
urim export night.db fixture0 --format character --character c1 --seat p9  => 2 urim: no seat 'p9'
urim enter night.db fixture0 X --from none --seat narrator  => 2 urim: none cannot be read: No such
urim enter night.db fixture0 X --from good.toml --seat narrator
    => 2 urim: good.toml: no character's file
urim case night.db fixture0  => 2 urim: --roll is missing
urim case night.db --roll 1  => 2 urim: TABLE is missing; allowed:
urim case night.db fixture0 --roll 99  => 2 urim: no roll 99 at this table
urim case night.db fixture0 --roll 1 --format pdf  => 2 --format: 'pdf' is none of
urim case night.db fixture0 --roll 1 --seat p9  => 2 urim: no seat 'p9'
urim case good.toml --roll 1  => 2 urim: no bundle: line 1
urim epoch unsigned.db fixture0 --seat p1 --yes  => 2 an epoch is a narrator's; 'p1'
urim epoch night.db fixture0 --yes  => 2 'fixture0' fits its signed heads: nothing
urim epoch night.db fixture0 --yes --seen no  => 2 urim: no cannot be read: No such
urim epoch night.db fixture0 --yes --seen empty  => 2 urim: empty holds a signed head
urim epoch night.db fixture0 --yes --seen good.toml  => 2 urim: good.toml holds a
urim epoch night.db fixture0 --yes --seen other.note  => 2 urim: other.note: a head of
urim audit good.urim.jsonl --key x  => 2 not a vkey of an Ed25519 key: x
urim key show night.db fixture0 --host elsewhere  => 2 were signed as urim.local/t/
urim key rotate night.db  => 2 urim: --to is missing
urim key rotate night.db --to k  => 2 allowed: secrets in a PostgreSQL database
urim LONG  => 2 urim: no command 'xxx
urim show night.db LONG  => 2 urim: no table 'xxx
urim tables LONG  => 2 xxx: File name too long
urim run LONG  => 2 xxx cannot be read: File name too long
urim verifier LONG  => 2 xxx: File name too long
urim dice LONG  => 2 urim: a command of 100067 bytes; allowed: at most 16384
urim tables --fly  => 2 urim: no option '--fly'; allowed: --json, --help (urim tables --help)
urim export night.db fixture0 --format scenario --roll 9
    => 2 urim: no roll 9 at this table; allowed: 1
urim export night.db fixture0 --format jsonl --seat x  => 2 urim: no seat 'x'
urim export night.db nowhere1 --format bundle  => 2 urim: no table 'nowhere1'; allowed: fixture0
urim replay night.db fixture0 --roll 9  => 2 urim: no roll 9
urim erase night.db fixture0 0  => 2 urim: entry 0 is no text, or is erased already; allowed: 6, 3
urim erase night.db nowhere1 0  => 2 urim: no table 'nowhere1'; allowed: fixture0
urim epoch night.db nowhere1  => 2 urim: no table 'nowhere1'; allowed: fixture0
urim epoch none.db fixture0  => 2 urim: there is no file none.db
urim key show night.db nowhere1  => 2 urim: no table 'nowhere1'
urim key show none.db fixture0  => 2 urim: there is no file none.db
urim fairness night.db nowhere1  => 2 urim: no table 'nowhere1'; allowed: fixture0
urim fairness none.db fixture0  => 2 urim: there is no file none.db
"""

SINGLE = r"""
urim open night.db  => 2 urim: --system is missing (urim open --help)
urim open night.db --system chess  => 2 urim: no system called 'chess'; allowed:
urim open night.db --system milhamah --id fixture0
    => 2 urim: table 'fixture0' is open already; allowed: another id
urim open night.db --system plain --id X
    => 2 urim: table is 'X': not of its form; allowed: 8 to 32 of a-z 0-9
urim open night.db --system plain --reading fly=1  => 2 urim: no such field: 'fly'; allowed:
urim open night.db --system plain --level high
    => 2 urim: --level: 'high' is none of its values; allowed: server, player, table
urim seat night.db fixture0 p9  => 2 urim: --seat is missing (urim seat --help)
urim seat night.db fixture0 'P 9' --seat narrator
    => 2 urim: seat is 'P 9': not of its form; allowed: 1 to 32 of a-z 0-9 -
urim seat night.db fixture0 p9 --role king --seat narrator
    => 2 urim: --role: 'king' is none of its values; allowed: narrator, player, witness
urim declare night.db fixture0 rating=1 --seat nobody
    => 2 urim: no seat 'nobody' at this table; allowed:
urim declare night.db fixture0 root=abc --seat p1
    => 2 urim: a root is written in Hebrew letters alone, not 'abc'
urim declare night.db fixture0 fly=1 --seat p1  => 2 urim: no such field: 'fly'; allowed:
urim declare night.db fixture0 rating --seat p1  => 2 urim: 'rating' begins no roll of Amos;
urim declare night.db fixture0 rating=many --seat p1
    => 2 urim: rating is 'many', not a whole number from -100 to 100
urim roll night.db fixture0 --roll 9 --seat p1  => 2 urim: no roll 9 at this table;
urim void night.db fixture0 why --seat p1 --roll 1
    => 2 urim: void is a narrator's; 'p1' is none; allowed: seat 'narrator'
urim dispute night.db fixture0 --seat p1  => 2 urim: REASON is missing (urim dispute
urim dispute night.db fixture0 why --roll 1 --seat p1 --request 'a b'
    => 2 urim: the request id 'a b' is not of its form; allowed: 1 to 64 of A-Z a-z 0-9 . _ -
urim note night.db fixture0 999 why --seat p1  => 2 urim: no entry 999 to write about;
urim set-track night.db fixture0 c1 gold 3 --seat narrator  => 2 urim: no track 'gold';
urim submit night.db fixture0 '{}' --seat p1  => 2 urim: an object with `do` is needed
urim submit night.db fixture0 '[' --seat p1  => 2 urim: no JSON:
urim submit night.db fixture0 --seat p1 <&-  => 2 urim:
urim moves night.db fixture0  => 2 urim: --seat is missing (urim moves --help)
urim moves night.db nowhere1 --seat p1  => 2 urim: no table 'nowhere1'; allowed: fixture0
urim enter night.db fixture0 Ruth GRA=x --seat narrator  => 2 urim: GRA is 'x', not a
urim submit night.db fixture0 ' ' --seat p1  => 2 urim: no JSON:
urim submit night.db fixture0 '{' --seat p1  => 2 urim: no JSON:
urim submit night.db fixture0 '[]' --seat p1  => 2 urim: an object with `do` is needed
urim submit night.db fixture0 '{"do": "fly"}' --seat p1  => 2 urim: no command 'fly'; allowed:
urim submit night.db fixture0 '{"do": "open"}' --seat p1  => 2 urim: no command 'open'; allowed:
urim submit night.db fixture0 '{"do": "note", "text": 3}' --seat p1
    => 2 urim: text is 3, not a text
"""

FILES = r"""
urim run none.toml  => 2 urim: none.toml cannot be read: No such file or directory
urim run folder  => 2 urim: folder cannot be read: Is a directory
urim run binary  => 2 urim: binary is not a text in UTF-8
urim run ''  => 2 urim: FILE: '' is no file's name (urim run --help)
urim run /dev/zero  => 2 urim: /dev/zero has more than 1000000 bytes
urim run denied.toml  => 2 urim: denied.toml cannot be read: Permission denied
urim tables none.db  => 2 urim: there is no file none.db
urim tables folder  => 2 urim: folder is no file; allowed: a log's file
urim tables empty  => 2 urim: empty is empty; allowed: a log's file
urim tables binary  => 2 urim: binary is no SQLite database; allowed: a log's file
urim tables good.toml  => 2 urim: good.toml is no SQLite database; allowed: a log's
urim tables other.db  => 2 urim: other.db is a database of another application
urim tables cut.db  => 2 urim: cut.db is damaged: database disk image is malformed
urim erase cut.db fixture0 3 --yes  => 2 urim: cut.db is damaged
urim run good.toml --log good.toml  => 2 urim: good.toml is no SQLite database
urim run good.toml --log other.db  => 2 other.db is a database of another application
urim run good.toml --log folder  => 2 urim: good.toml: folder is a directory
urim run good.toml --log no/such/x.db  => 2 no/such/x.db is in no directory
urim dice 4d6 --log cut.db  => 2 urim: cut.db is damaged
urim dice 4d6 --log /dev/full  => 74 urim: there is no space left for /dev/full
urim audit empty  => 2 urim: the bundle cannot be judged: the end line is missing
urim audit none  => 2 urim: none cannot be read: No such file or directory
urim audit folder  => 2 urim: folder cannot be read: Is a directory
urim audit good.toml  => 2 urim: the bundle cannot be judged: line 1:
urim audit night.db  => 2 urim: the bundle cannot be judged: line 1:
urim audit cut.urim.jsonl  => 2 urim: the bundle cannot be judged: line 2: more
urim audit good.urim.jsonl --seen none  => 2 urim: none cannot be read: No such file
"""

OVERWRITTEN = r"""
urim verifier good.toml  => 2 urim: good.toml is there already; allowed: another file
urim verifier night.db  => 2 urim: night.db is a database; allowed: another file
urim verifier night.db --force  => 2 urim: night.db is a database
urim verifier folder --force  => 2 urim: folder cannot be written: Is a directory
urim verifier link.html  => 2 urim: link.html is there already
urim verifier no/such/x  => 2 urim: no/such/x cannot be written: No such file
urim verifier /dev/full  => 74 urim: /dev/full cannot be written: No space left
urim export night.db fixture0 --format jsonl --out good.toml  => 2 is there already
urim export night.db fixture0 --format bundle --out night.db --force  => 2 is a database
urim fairness night.db fixture0 --plot plot.svg  => 2 plot.svg is there already
urim fairness night.db fixture0 --plot x.png  => 2 urim: a plot in x.png; allowed: FILE
urim erase night.db fixture0 3  => 2 urim: erasing a text needs a yes, and there is no
yes | urim erase night.db fixture0 3  => 2 no terminal to ask at; allowed: --yes
urim erase night.db fixture0 7 --yes  => 2 urim: entry 7 is no text, or is erased
urim epoch unsigned.db fixture0  => 2 urim: an epoch needs a yes, and there is no
urim fairness night.db fixture0 --plot night.db  => 2 urim: a plot in night.db; allowed: FILE.svg
urim fairness night.db fixture0 --plot /no/such/place.svg
    => 2 urim: /no/such/place.svg cannot be written
"""

STREAMS = r"""
urim systems > /dev/full  => 74 urim: the output cannot be written: No space left
urim systems --json > /dev/full  => 74 urim: the output cannot be written: No space
urim --help > /dev/full  => 74 urim: the output cannot be written: No space left
urim --version > /dev/full  => 74 urim: the output cannot be written: No space left
urim fly --json > /dev/full  => 74 urim: the output cannot be written: No space left
urim export night.db fixture0 --format jsonl > /dev/full  => 74 urim: the output cannot
urim systems >&-  => 74 urim: standard output is closed
urim erase night.db fixture0 3 --yes >&-  => 74 urim: standard output is closed
urim verifier new.html <&- >&-  => 74 urim: standard output is closed
urim systems 1< /dev/null  => 74 urim: the output cannot be written: Bad file
urim fly 2>&-  => 2
urim fly 2> /dev/full  => 2
urim -v info dice 4d6 2> /dev/full  => 0
urim tables night.db <&-  => 0
urim erase night.db fixture0 3 <&-  => 2 urim: erasing a text needs a yes
{ urim demo plain; echo code $? >&2; } | true  => 0 code 141
{ urim show night.db fixture0 --json; echo code $? >&2; } | true  => 0 code 141
"""

SURROUNDINGS = r"""
env -i $PYTHON -m urim demo chess  => 2 urim: no story of 'chess'
HOME= urim systems chess  => 2 urim: no system called 'chess'
HOME=/none urim tables night.db  => 0
TERM= urim demo chess  => 2 urim: no story of 'chess'
TERM=nonsense urim show night.db nowhere1  => 2 urim: no table 'nowhere1'
COLUMNS=0 urim show night.db nowhere1  => 2 urim: no table 'nowhere1'
COLUMNS=-3 urim tables night.db more  => 2 urim: got unexpected extra argument
LANG=C LC_ALL=C urim demo שלום  => 2 urim: no story of '
PYTHONIOENCODING=ascii urim demo שלום  => 2 of 'shin-lamed-vav-mem'
PYTHONIOENCODING=latin-1 urim demo שלום  => 2 of 'shin-lamed-vav-mem'
PYTHONIOENCODING=ascii urim show night.db fixture0  => 0
PYTHONIOENCODING=utf-16 urim demo chess 2>&1 | iconv -f utf-16 >&2  => 0 'chess'
urim demo "$(printf '\377')"  => 2 urim: no story of '
urim run "$(printf '\377').toml"  => 2 urim:
_URIM_COMPLETE=nonsense urim show  => 1
COMP_WORDS='urim show none.db ' COMP_CWORD=3 _URIM_COMPLETE=bash_complete urim  => 0
"""


def read(table: str) -> Iterator[Wrong]:
    """The rows of a table: `LINE  => CODE SAYS`; what is indented goes on with the line before."""
    for row in table.strip().replace("\n    ", " ").splitlines():
        line, _, ends = row.partition(" => ")
        code, _, says = ends.partition(" ")
        yield Wrong(line.rstrip().replace("LONG", LONG), int(code), says)


TABLE = [
    each
    for table in (ARGUMENTS, SINGLE, FILES, OVERWRITTEN, STREAMS, SURROUNDINGS)
    for each in read(table)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that each row gets a copy of."""
    path = tmp_path_factory.mktemp("wrong")
    shutil.copy(SCENARIOS / "milhamah" / "counter.toml", path / "good.toml")
    assert urim("run", str(path / "good.toml"), "--log", str(path / "night.db")).exit_code == 0
    assert urim("run", str(path / "good.toml"), "--log", str(path / "unsigned.db")).exit_code == 0
    words = ("export", str(path / "night.db"), "fixture0", "--format", "bundle")
    assert urim(*words, "--out", str(path / "good.urim.jsonl")).exit_code == 0
    (path / "cut.urim.jsonl").write_bytes((path / "good.urim.jsonl").read_bytes()[:2000])
    (path / "cut.db").write_bytes((path / "night.db").read_bytes()[:3000])
    note = sign(Checkpoint(origin_of("another1"), 9, bytes(32)), bytes(32))
    (path / "other.note").write_bytes(note)
    (path / "binary").write_bytes(bytes(range(256)))
    (path / "plot.svg").write_text("<svg/>", "utf-8")
    (path / "empty").touch()
    (path / "folder").mkdir()
    (path / "link.html").symlink_to("nowhere.html")
    (path / "denied.toml").write_text("title = 'x'", "utf-8")
    with closing(sqlite3.connect(path / "other.db")) as other:
        other.execute("CREATE TABLE mine (x)")
    return path


@pytest.fixture
def place(folder: Path, tmp_path: Path) -> Path:
    """A copy of the folder, a pipe in it that nobody writes to."""
    copy = tmp_path / "here"
    shutil.copytree(folder, copy, symlinks=True)
    (copy / "denied.toml").chmod(0)
    os.mkfifo(copy / "pipe")
    return copy


def held(place: Path) -> Mapping[str, object]:
    """What every file of a folder holds, what a log keeps while it is open left out."""
    return {
        path.relative_to(place).as_posix(): path.is_symlink() or path.read_bytes()
        for path in place.rglob("*")
        if path.is_symlink()
        or (path.is_file() and os.access(path, os.R_OK) and path.suffix != ".db-shm")
    }


def shell(line: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in a folder, by a shell that knows `urim`."""
    tools = place.parent / "bin"
    tools.mkdir(exist_ok=True)
    program = tools / "urim"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m urim "$@"\n', "utf-8")
    program.chmod(0o755)
    env = tree.plain_environment(COLUMNS="80", PYTHONUTF8="1", PYTHON=sys.executable)
    env["PATH"] = os.pathsep.join([str(tools), env["PATH"]])
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=place,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=60,
    )


class Ended(NamedTuple):
    """How a line ended."""

    returncode: int
    stdout: str
    stderr: str


def here(line: str, place: Path) -> Ended | None:
    """Run a line in this process, where it is nothing but one command of ours."""
    if SHELLS & {*line} or not line.startswith("urim"):
        return None
    with chdir(place):
        done = urim(*shlex.split(line)[1:], PYTHONUTF8="1")
    return Ended(done.exit_code, done.stdout, done.stderr)


@pytest.mark.sampled(12, rest=75)
@pytest.mark.parametrize("wrong", TABLE, ids=[each.line[:60] for each in TABLE])
def test_a_wrong_use_ends_in_a_code_and_a_sentence(wrong: Wrong, place: Path) -> None:
    line = wrong.line
    if "denied" in line and os.geteuid() == 0:  # whom only a capability lets read it
        line = f"{needed('setpriv')} --bounding-set -dac_override,-dac_read_search {line}"
    before = held(place)
    found = None if TABLE.index(wrong) % IN_A_SHELL == 0 else here(line, place)
    done = found or shell(line, place)
    assert (done.returncode, done.stderr[:10_000]) == (wrong.code, done.stderr)
    assert wrong.says in done.stderr
    assert bool(done.stderr) is bool(wrong.says)
    assert "Traceback" not in done.stderr + done.stdout
    assert "Exception ignored" not in done.stderr
    assert held(place) == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("command", "number", "code"),
    [
        ("run", signal.SIGINT, 130),
        ("run", signal.SIGTERM, -signal.SIGTERM),
        ("run", signal.SIGHUP, -signal.SIGHUP),
        ("verifier", signal.SIGTERM, -signal.SIGTERM),
    ],
)
def test_a_signal_ends_what_waits_for_a_pipe(
    command: str, number: int, code: int, place: Path, request: pytest.FixtureRequest
) -> None:
    # What runs the tests may ignore it, as `nohup` does, and a process inherits that.
    ours = signal.signal(number, signal.SIG_DFL)
    request.addfinalizer(lambda: signal.signal(number, ours))
    before = held(place)
    words = [sys.executable, "-m", "urim", command, "pipe"]
    env = tree.plain_environment(PYTHONUTF8="1")
    # Our end of the pipe opens when the program opens its own. The page is longer than a pipe.
    with (
        subprocess.Popen(
            words, cwd=place, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process,
        (place / "pipe").open("wb" if command == "run" else "rb", buffering=0),
    ):
        # Python sees a signal between two instructions: one that comes right before a read begins
        # is seen when the read ends. Who presses Ctrl-C presses it again; that may come while the
        # interpreter ends by the first, and has let go of its signals.
        codes = [code]
        while process.poll() is None:
            process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
                break
            codes.append(-number)
        said = process.communicate()
    assert process.returncode in codes
    assert said == (b"", b"")
    assert held(place) == before


def test_the_table_is_long_enough() -> None:
    assert len({each.line for each in TABLE}) == len(TABLE) >= 60


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("line", "code", "expected"),
    [
        ("urim --json", 2, {"type": "usage", "why": "no option '--json'"}),
        ("urim fly --json", 2, {"type": "usage", "help": "urim --help"}),
        ("urim shwo --json", 2, {"type": "usage", "allowed": ["show"]}),
        ("urim tables none.db --json", 2, {"type": "refusal", "code": "unreadable", "allowed": []}),
        ("urim tables cut.db --json", 2, {"type": "damaged", "seq": None}),
        ("urim verifier good.toml --json", 2, {"type": "refusal", "code": "taken"}),
        ("urim verifier /dev/full --json", 74, {"type": "unavailable"}),
        ("urim erase night.db fixture0 3 --json", 2, {"type": "refusal", "allowed": ["--yes"]}),
        ("urim dice 4d6 --log /dev/full --json", 74, {"type": "unavailable"}),
        ("urim show night.db fixture0 --roll 9 --json", 2, {"type": "refusal", "code": "unknown"}),
        ("urim run none.toml --json", 2, {"code": "unreadable", "file": "none.toml"}),
    ],
)
def test_with_json_what_is_wrong_is_one_object_and_no_sentence(
    place: Path, line: str, code: int, expected: Mapping[str, object]
) -> None:
    done = shell(line, place)
    assert (done.returncode, done.stderr) == (code, "")
    [found] = objects(done.stdout)
    assert found.items() >= expected.items()
    assert found["why"]
