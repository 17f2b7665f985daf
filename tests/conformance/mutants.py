"""Good bundles spoiled in every way, and what may be made of them: nothing else than was said.

A mutant follows from a random number generator alone, so that a seed names it for good. Who makes
mutants has no key of the log's: they are sealed and rooted anew at times, but signed by strangers.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

from msgspec import Struct

from urim.events.checkpoint import Checkpoint, public_key, sign
from urim.events.entry import digest_of, entry_bytes, leaf_of
from urim.events.merkle import root_of

STRANGER = bytes(range(32))
"""A private key that signs for nobody."""

Lines: TypeAlias = list[bytes]
Spoil: TypeAlias = Callable[[Random, Lines, Lines], Lines]
"""(chance, a good bundle's lines, another's) -> the lines of a mutant."""


class Meaning(Struct, frozen=True):
    """What a bundle says, whatever its bytes.

    `head` is of the header: scope, roll, origin, size and root, system, version, options. `entries`
    are seq, at, class and digest; `told` the commit, salt and payload of those that are disclosed.
    """

    head: str
    entries: tuple[tuple[Any, ...], ...]
    told: Mapping[int, tuple[int, str, str]]


def meaning(bundle: bytes) -> Meaning:
    """What a good bundle says."""
    header, *lines, _ = (json.loads(line) for line in bundle.splitlines())
    root = header["checkpoint"].split("\n")[2]
    said = [header.get(name) for name in ("scope", "roll", "origin", "size")]
    said += [header["system"], header["version"], header["options"], b64decode(root).hex()]
    entries = tuple((each["seq"], each["at"], each["class"], each["digest"]) for each in lines)
    told = {
        each["seq"]: (each["commit"], each["salt"], each["payload"])
        for each in lines
        if "payload" in each
    }
    return Meaning(json.dumps(said, sort_keys=True), entries, told)


def tells_no_other(mutant: Meaning, good: Meaning) -> bool:
    """Whether it says the same, or more or less of the same.

    Less is a hidden entry that is kept back; and in a bundle of one roll an entry that is left
    out, for its proofs say that what is there is in the log, not that all of it is there. More is
    what a sealed line of the same log was sealed over.
    """
    digests = {seq: digest for seq, _, _, digest in good.entries}
    for seq, said in mutant.told.items():
        _, salt, payload = said
        sealed = digest_of(bytes.fromhex(salt), payload.encode()).hex()
        if good.told.get(seq, said) != said or digests.get(seq) != sealed:
            return False
    if mutant.head != good.head:
        return False
    if mutant.entries == good.entries:
        return True
    return json.loads(good.head)[0] == "roll" and set(mutant.entries) < set(good.entries)


# --- bytes and lines ------------------------------------------------------------------------------


def _bit(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at, line = _some_line(chance, mine)
    place = chance.randrange(len(line))
    bent = line[place] ^ 1 << chance.randrange(8)
    return _put(mine, at, line[:place] + bytes([bent]) + line[place + 1 :])


def _byte_in(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at, line = _some_line(chance, mine)
    place = chance.randrange(len(line) + 1)
    new = chance.choice((b" ", b"\n", b"\x00", b'"', b",", b"0", b"\xff", b"}", b"\\"))
    return _put(mine, at, line[:place] + new + line[place:])


def _byte_out(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at, line = _some_line(chance, mine)
    place = chance.randrange(len(line))
    return _put(mine, at, line[:place] + line[place + 1 :])


def _cut(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    whole = b"".join(mine)
    return whole[: chance.randrange(len(whole))].splitlines(keepends=True)


def _line_out(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at, _ = _some_line(chance, mine)
    return _maybe_counted(chance, mine[:at] + mine[at + 1 :])


def _line_twice(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at, line = _some_line(chance, mine)
    return _maybe_counted(chance, [*mine[:at], line, *mine[at:]])


def _lines_swapped(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    one, other = chance.randrange(len(mine)), chance.randrange(len(mine))
    return _put(_put(mine, one, mine[other]), other, mine[one])


# --- splices of two good bundles ------------------------------------------------------------------


def _spliced(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at = chance.randrange(1, min(len(mine), len(theirs)))
    return _maybe_counted(chance, mine[:at] + theirs[at:])


def _line_of_theirs(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at = chance.randrange(min(len(mine), len(theirs)))
    return _put(mine, at, theirs[at])


def _head_of_theirs(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    """Some of their header's values in place of mine."""
    own, other = json.loads(mine[0]), json.loads(theirs[0])
    names = chance.sample(sorted(own), chance.randrange(1, len(own)))
    return _put(mine, 0, _line(own | {name: other[name] for name in names if name in other}))


# --- values ---------------------------------------------------------------------------------------


def _value(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    at, line = _some_line(chance, mine)
    return _put(mine, at, _line(bent(chance, json.loads(line))))


def _payload(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    """An event that says something else, its digest left alone or made anew."""
    found = _disclosed(mine)
    if not found:
        return _bit(chance, mine, theirs)
    at = chance.choice(found)
    entry = json.loads(mine[at])
    entry["payload"] = _text(bent(chance, json.loads(entry["payload"])))
    if chance.random() < 0.5:
        entry["digest"] = digest_of(bytes.fromhex(entry["salt"]), entry["payload"].encode()).hex()
    return _maybe_rooted(chance, _put(mine, at, _line(entry)))


def _body(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    """Another command beside an event, its digest left alone or made anew."""
    found = [at for at in _disclosed(mine) if b'{\\"asked\\":{' in mine[at]]
    if not found:
        return _bit(chance, mine, theirs)
    at = chance.choice(found)
    entry = json.loads(mine[at])
    payload = json.loads(entry["payload"])
    payload["asked"]["body"] = _text(bent(chance, json.loads(payload["asked"]["body"])))
    entry["payload"] = _text(payload)
    if chance.random() < 0.5:
        entry["digest"] = digest_of(bytes.fromhex(entry["salt"]), entry["payload"].encode()).hex()
    return _maybe_rooted(chance, _put(mine, at, _line(entry)))


def _commits(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    """Entries of one commit put into another, or into two: their numbers are not hashed."""
    numbers = [json.loads(line).get("commit") for line in mine]
    numbered = [at for at, number in enumerate(numbers) if number is not None]
    if not numbered:
        return _bit(chance, mine, theirs)
    at = chance.choice(numbered)
    number = chance.choice((numbers[max(1, at - 1)], numbers[at] + 1, json.loads(mine[at])["seq"]))
    whole = [each for each in numbered if numbers[each] == numbers[at]]
    for each in chance.choice(([at], whole, [each for each in whole if each >= at])):
        mine = _put(mine, each, _line(json.loads(mine[each]) | {"commit": number}))
    return mine


def _withheld(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    found = _disclosed(mine)
    if not found:
        return _bit(chance, mine, theirs)
    at = chance.choice(found)
    entry = json.loads(mine[at])
    return _put(mine, at, _line({k: v for k, v in entry.items() if k not in ("salt", "payload")}))


def _rewritten(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    """The same values in another order and with other white space: nothing is changed."""
    at, line = _some_line(chance, mine)
    found = json.loads(line)
    names = chance.sample(sorted(found), len(found))
    return _put(mine, at, json.dumps({name: found[name] for name in names}).encode() + b"\n")


def _signed_anew(chance: Random, mine: Lines, theirs: Lines) -> Lines:
    """Another's signature, its key listed or not."""
    header = json.loads(mine[0])
    checkpoint = _checkpoint(header, _leaves(mine))
    header["checkpoint"] = sign(checkpoint, STRANGER).decode()
    if chance.random() < 0.5:
        header["keys"] = [public_key(header["origin"], STRANGER).vkey]
    return _put(mine, 0, _line(header))


SPOILS: Mapping[str, Spoil] = {
    "bit": _bit,
    "byte more": _byte_in,
    "byte less": _byte_out,
    "cut": _cut,
    "line less": _line_out,
    "line twice": _line_twice,
    "lines swapped": _lines_swapped,
    "splice": _spliced,
    "line of another": _line_of_theirs,
    "head of another": _head_of_theirs,
    "value": _value,
    "payload": _payload,
    "body": _body,
    "commits": _commits,
    "withheld": _withheld,
    "rewritten": _rewritten,
    "signed anew": _signed_anew,
}
"""Every way to spoil a bundle, by name."""


def mutant(chance: Random, goods: Sequence[bytes]) -> tuple[int, str, bytes]:
    """The next mutant: of which good bundle, how it was spoiled, and its bytes."""
    of = chance.randrange(len(goods))
    mine = goods[of].splitlines(keepends=True)
    theirs = chance.choice(goods).splitlines(keepends=True)
    how = chance.choice(tuple(SPOILS))
    return of, how, b"".join(SPOILS[how](chance, mine, theirs))


def bent(chance: Random, value: Any) -> Any:
    """A JSON value with something in it changed, removed or added."""
    if isinstance(value, dict) and value:
        name = chance.choice(sorted(value))
        found = dict(value)
        match chance.randrange(6):
            case 0:
                del found[name]
            case 1:
                found[f"{name}s"] = found[name]
            case _:
                found[name] = bent(chance, found[name])
        return found
    if isinstance(value, list) and value:
        at = chance.randrange(len(value))
        match chance.randrange(4):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return [*value[:at], value[at], *value[at:]]
            case _:
                return [*value[:at], bent(chance, value[at]), *value[at + 1 :]]
    return _other(chance, value)


def _other(chance: Random, value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return chance.choice((True, False, None, 0, 1))
    if isinstance(value, int):
        near = (value + 1, value - 1, -value, value * 2, 1 << 53, 1 << 70)
        return chance.choice((*near, value + 0.5, float(value), str(value)))
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        new = chance.choice(("0", "1", "a", "f", "", "\ud800", "\u0000", "א", " "))
        return value[:at] + new + value[at + 1 :]
    return chance.choice(("", "x", 1, [], {}, [[]], None))


# --- lines ----------------------------------------------------------------------------------------


def _some_line(chance: Random, lines: Lines) -> tuple[int, bytes]:
    at = chance.randrange(len(lines))
    return at, lines[at]


def _put(lines: Lines, at: int, line: bytes) -> Lines:
    return [*lines[:at], line, *lines[at + 1 :]]


def _line(value: Any) -> bytes:
    return _text(value).encode("utf-8", "surrogatepass") + b"\n"


def _text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode()


def _disclosed(lines: Lines) -> list[int]:
    return [at for at, line in enumerate(lines) if b'"payload":' in line]


def _maybe_counted(chance: Random, lines: Lines) -> Lines:
    """Half of the time the end line counts what is there now."""
    if chance.random() < 0.5 or not lines or b'"end"' not in lines[-1]:
        return lines
    return _put(lines, -1 + len(lines), _line({**json.loads(lines[-1]), "count": len(lines) - 2}))


def _maybe_rooted(chance: Random, lines: Lines) -> Lines:
    """Half of the time the root is made anew, under the signature that was there."""
    header = json.loads(lines[0])
    if chance.random() < 0.5 or header["scope"] == "roll":
        return lines
    signature = header["checkpoint"].split("\n\n")[1]
    text = _checkpoint(header, _leaves(lines)).text.decode()
    return _put(lines, 0, _line({**header, "checkpoint": f"{text}\n{signature}"}))


def _checkpoint(header: Any, leaves: Sequence[bytes]) -> Checkpoint:
    return Checkpoint(header["origin"], header["size"], root_of(leaves))


def _leaves(lines: Lines) -> list[bytes]:
    entries = [json.loads(line) for line in lines[1:-1]]
    return [
        leaf_of(entry_bytes(each["seq"], each["at"], each["class"], bytes.fromhex(each["digest"])))
        for each in entries
    ]
