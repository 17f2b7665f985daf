"""Where a log is: the path of a file, or the URL of a database, whose password nobody sees."""

import re
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

SCHEMES = ("postgresql://", "postgres://")
"""What the URL of a database begins with."""

HIDDEN = ("password", "passfile", "sslpassword", "sslkey")
"""Parts of a URL's query that are not shown."""


PASSWORD = re.compile(
    r"(?<=://)(?P<user>[^\s/:@]*):\S*@|(?<=[?&])(?P<name>(?:ssl)?password=)[^&\s]*", re.IGNORECASE
)
"""Where passwords are in texts that may hold the URL of a database, or what was meant as one."""


class DatabaseUrl:
    """The URL of a database. Its text is for people and has no password; `reveal` gives it all."""

    __slots__ = ("_url",)

    def __init__(self, url: str) -> None:
        self._url = url

    def reveal(self) -> str:
        """The URL itself, for what connects."""
        return self._url

    def __str__(self) -> str:
        try:
            parts = urlsplit(self._url)
            asked = [each for each in parse_qsl(parts.query) if each[0] not in HIDDEN]
        except ValueError:
            return "the URL of a database"
        user, at, host = parts.netloc.rpartition("@")
        found = parts._replace(
            netloc=f"{user.partition(':')[0]}{at}{host}",
            query=urlencode(asked, safe="/"),
            fragment="",
        )
        return found.geturl()

    @property
    def name(self) -> str:
        """What it is called, as a path's last part is."""
        return str(self)

    def __repr__(self) -> str:
        return f"DatabaseUrl({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatabaseUrl) and self._url == other._url

    def __hash__(self) -> int:
        return hash(self._url)


Location: TypeAlias = Path | DatabaseUrl
"""Where a log is, and all that is kept beside it."""


def is_url(where: object) -> bool:
    """Whether this is the URL of a database, and no path."""
    return isinstance(where, str) and where.lower().startswith(SCHEMES)


def located(where: str | Location) -> Location:
    """Where a path or a URL leads."""
    if isinstance(where, str):
        return DatabaseUrl(where) if is_url(where) else Path(where)
    return where


def without_passwords(text: str) -> str:
    """A text for people, without the passwords in what looks like URLs."""
    return PASSWORD.sub(lambda found: found["name"] or f"{found['user']}@", text)
