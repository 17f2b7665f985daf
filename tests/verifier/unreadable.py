"""Files that are no bundles at all: each breaks one rule of docs/bundle.md about lines."""

from collections.abc import Mapping

from tests.verifier.log import good


def unreadable() -> Mapping[str, bytes]:
    """Each file by what is wrong with it."""
    text = good().bundle()
    header, *entries, end = text.splitlines(keepends=True)
    first = entries[0]

    def put(old: bytes, new: bytes) -> bytes:
        assert old in text
        return text.replace(old, new, 1)

    return {
        "nothing": b"",
        "garbage": b"\x00\x01\x02",
        "a byte order mark": b"\xef\xbb\xbf" + text,
        "not UTF-8": put(b'"open"', b'"\xff"'),
        "an empty line": header + b"\n" + b"".join(entries) + end,
        "another format": put(b"urim-bundle/3", b"urim-bundle/4"),
        "an older format": text.replace(b"urim-bundle/3", b"urim-bundle/1"),
        "no commit": put(b'"commit": 0, ', b""),
        "a commit below 0": put(b'"commit": 0', b'"commit": -1'),
        "a commit as text": put(b'"commit": 0', b'"commit": "0"'),
        "a key too many": put(b'{"seq": 0', b'{"more": 1, "seq": 0'),
        "a key missing": put(b'"class": "open", ', b""),
        "a key twice": put(b'{"seq": 0', b'{"seq": 0, "seq": 0'),
        "a key twice inside": put(b'"options": {', b'"options": {"x": 1, "x": 1, '),
        "a fraction": put(b'"seq": 0', b'"seq": 0.0'),
        "an exponent": put(b'"seq": 0', b'"seq": 0e0'),
        "a negative": put(b'"seq": 0', b'"seq": -1'),
        "a number beyond": put(b'"seq": 0', b'"seq": 9007199254740992'),
        "a lone surrogate": put(b'"class": "open"', b'"class": "\\ud800"'),
        "another class": put(b'"class": "open"', b'"class": "secret"'),
        "upper-case hex": put(b'"digest": "', b'"digest": "A'),
        "a salt alone": put(b'"payload"', b'"proof"'),
        "no keys": put(b'"keys": [', b'"keys": [], "keyz": ['),
        "a key of no form": put(b'"keys": ["', b'"keys": ["x'),
        "a list": header + b"[]\n",
        "no end": header + b"".join(entries),
        "a last line without its end": text[:-1],
        "a line after the end": text + first,
        "another count": put(b'"count": ', b'"count": 1'),
        "a line too long": put(b'"class": "open"', b'"class": "' + b"x" * (1 << 20) + b'"'),
        "too deep": put(b'"options": {', b'"options": {"x": ' + b"[" * 100_000),
    }
