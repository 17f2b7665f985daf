"""What a hook is told, in words of the seat's own view, and how it is written and signed.

A message's id follows from the hook and from what is told: who was told it twice sees that.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.json import encode
from msgspec.structs import replace

from ...access.hooks import SIGNING, Hook, Wait
from ...service.news import Ended, News, Waits

MOST = 1_900
"""Characters of a text, at most: chats take some 2,000."""

TEXTS: Mapping[str, str] = {
    "turn.waits": "{place}: it is your turn in roll {roll}. {why}",
    "turn.waits table": "{place}: roll {roll} waits for {who}. {why}",
    "dispute.waits": "{place}: a dispute about roll {roll} waits for your ruling. {why}",
    "dispute.waits table": "{place}: a dispute about roll {roll} waits for a ruling. {why}",
    "roll.ended": "{place}: roll {roll} of {who}: {text}",
    "test.call": "{place}: a test call for seat {seat}. What waits for it is told here.",
}
"""What is told, by type; to a table otherwise than to a seat, where that is so."""

HARMLESS = str.maketrans({"@": "@\u200b", "<": "‹", ">": "›", "\n": " ", "\r": " "})
"""In a text for a chat nobody is called by name, and nothing is a command to it."""


IN_DATA = ("seat", "roll", "trigger", "character", "about")


class Message(Struct, frozen=True):
    """A message: its type, its place in the order of all, when it happened, what is in it.

    `key` tells it from all others of its hook. `wait` is what waits, where it is about that.
    """

    type: str
    key: str
    order: tuple[int, int]
    at: int
    data: dict[str, Any]
    wait: str | None = None

    def told_to(self, hook: Hook) -> Hook:
        """The hook after it was told this."""
        if self.wait is None:
            return replace(hook, position=self.order[0] + 1)
        waits = (replace(each, told=each.told or each.key == self.wait) for each in hook.waits)
        return replace(hook, waits=tuple(waits))


# --- what is to be told ---------------------------------------------------------------------------


def waiting(hook: Hook, news: News) -> Hook:
    """The hook with what waits now: what waits no more is forgotten, told or not."""
    known = {each.key: each for each in hook.waits}
    fresh = (Wait(_key(each), news.size, news.at, told=False) for each in news.waits)
    return replace(hook, waits=tuple(known.get(each.key, each) for each in fresh))


def messages(hook: Hook, news: News) -> list[Message]:
    """What the hook was not told yet, in order; of what waits, what it has among its `waits`."""
    waits = {each.key: each for each in hook.waits if not each.told}
    found = [_ended(hook, news, each) for each in news.ended]
    found += [
        _waits(hook, news, each, waits[key]) for each in news.waits if (key := _key(each)) in waits
    ]
    return sorted(found, key=lambda message: message.order)


def tested(hook: Hook, place: str, now: int) -> Message:
    """A message that tells nothing."""
    data = _told("test.call", {"table": hook.table, "seat": hook.seat}, place=place)
    return Message("test.call", f"test {now}", (0, 0), now, data)


def _ended(hook: Hook, news: News, ended: Ended) -> Message:
    data = {"table": hook.table, "seat": hook.seat, **to_builtins(ended)}
    del data["at"]
    found = _told("roll.ended", data, place=news.name)
    return Message("roll.ended", f"ended {ended.seq}", (ended.seq, 0), ended.at, found)


def _waits(hook: Hook, news: News, waits: Waits, wait: Wait) -> Message:
    sort = "dispute.waits" if waits.trigger == "rule" else "turn.waits"
    data = {"table": hook.table, **{name: getattr(waits, name) for name in IN_DATA}}
    words = f"{sort} table" if hook.view == "table" else sort
    found = _told(words, data, place=news.name, who=waits.who, why=waits.why)
    order = wait.since - 1, 1
    return Message(sort, f"{wait.key} {wait.since}", order, wait.at, found, wait.key)


def _told(sort: str, data: dict[str, Any], **known: str) -> dict[str, Any]:
    return {**data, "text": TEXTS[sort].format(**{**data, **known}).strip()[:MOST]}


def _key(waits: Waits) -> str:
    about = "" if waits.about is None else waits.about
    return f"{waits.seat}:{waits.roll}:{waits.trigger}:{waits.character}:{about}"


# --- as it is sent --------------------------------------------------------------------------------


def written(hook: Hook, message: Message, now: int) -> tuple[dict[str, str], bytes]:
    """The headers and the body of a message; `now` is in milliseconds."""
    if hook.form == "content":
        text = message.data["text"].translate(HARMLESS)[:MOST]
        # Discord reads `content`, Slack and Mattermost `text`; and Discord calls nobody by name.
        body = {"content": text, "text": text, "allowed_mentions": {"parse": []}}
        return {}, encode(body)
    at = datetime.fromtimestamp(message.at / 1000, UTC).isoformat().replace("+00:00", "Z")
    found = encode({"type": message.type, "timestamp": at, "data": message.data})
    id, seconds = _id(hook, message), f"{now // 1000}"
    signed = {
        "webhook-id": id,
        "webhook-timestamp": seconds,
        "webhook-signature": signature(hook.secret.reveal(), id, seconds, found),
    }
    return signed, found


def signature(secret: str, id: str, seconds: str, body: bytes) -> str:
    """The signature of a message, as Standard Webhooks has it."""
    key = b64decode(secret.removeprefix(SIGNING))
    found = hmac.digest(key, f"{id}.{seconds}.".encode() + body, "sha256")
    return f"v1,{b64encode(found).decode('ascii')}"


def _id(hook: Hook, message: Message) -> str:
    return f"msg_{sha256(f'{hook.id} {message.key}'.encode()).hexdigest()[:32]}"
