"""The settings of a server as a table, and how they are gathered: flags, environment, a file."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import msgspec
from msgspec import inspect

from ....errors import Refused
from .config import Config

PREFIX = "URIM_SERVE_"
"""How the variables of the environment begin."""

FILE = f"{PREFIX}CONFIG"
"""The variable that names a file; --config wins over it."""


class Setting(NamedTuple):
    """One setting: how each source names it, what it may be, and what it is for."""

    name: str
    type: Any
    default: Any
    help: str
    form: str

    @property
    def flag(self) -> str:
        """`--tls-cert`; what is a list is given once for each: `--origin`."""
        word = SINGULAR.get(self.name, self.name)
        return f"--{word.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """`URIM_SERVE_TLS_CERT`."""
        return f"{PREFIX}{self.name.upper()}"

    @property
    def several(self) -> bool:
        """Whether it is a list; in the environment with commas."""
        return isinstance(self.default, tuple)

    @property
    def shown(self) -> str:
        """What it is by itself, in the form of the environment; "" for nothing."""
        match self.default:
            case None:
                return ""
            case bool():
                return str(self.default).lower()
            case float():
                return f"{self.default:g}"
            case tuple():
                return ",".join(self.default)
            case _:
                return str(self.default)


SINGULAR = {"calls": "call", "frames": "frame", "origins": "origin", "proxies": "proxy"}


@cache
def settings() -> tuple[Setting, ...]:
    """Every setting, in order."""
    hints = get_type_hints(Config, include_extras=True)
    return tuple(_settings(hints))


def _settings(hints: Mapping[str, Any]) -> Iterator[Setting]:
    for field in msgspec.structs.fields(Config):
        hint = hints[field.name]
        described = inspect.type_info(hint)
        while isinstance(described, inspect.Metadata) and "description" not in (
            described.extra_json_schema or {}
        ):
            described = described.type
        assert isinstance(described, inspect.Metadata), field.name  # noqa: S101  of ours
        help_ = (described.extra_json_schema or {})["description"]
        yield Setting(field.name, hint, field.default, help_, _form(inspect.type_info(hint)))


def _form(info: inspect.Type, form: str | None = None) -> str:
    """What a value may be, in words."""
    match info:
        case inspect.Metadata():
            return _form(info.type, form or (info.extra or {}).get("form"))
        case inspect.UnionType():
            [other] = [each for each in info.types if not isinstance(each, inspect.NoneType)]
            return _form(other, form)
        case inspect.VarTupleType():
            return f"a list; each {_form(info.item_type, form)}"
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return f"a whole number, {info.ge} to {info.le}"
        case inspect.FloatType():
            return f"a number, {info.ge:g} to {info.le:g}"
        case _:
            return form or "an address"


def gathered(
    flags: Mapping[str, object], environ: Mapping[str, str], file: Path | None = None
) -> Config:
    """The settings of a server; of each the flag, else the variable, else the file, else its own.

    A flag that is None was not given. Raises Refused for what is no setting or has no fit value,
    naming where it is and what is allowed, and "unreadable" for a file that cannot be read.
    """
    named = environ.get(FILE)
    path = file or (Path(named) if named else None)
    known: dict[str, object] = {}
    if path is not None:
        known |= _read(f"the file {path}", _table(path), strict=True)
    own = {name: text for name, text in environ.items() if name.startswith(PREFIX) and name != FILE}
    known |= _read("the environment", own, "variable", strict=False)
    given = {name: value for name, value in flags.items() if value not in (None, ())}
    known |= _read("the command", given, strict=False)
    return Config(**known)  # type: ignore[arg-type]  # each was converted


def _table(path: Path) -> Mapping[str, object]:
    """The keys of a file."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise Refused("unreadable", f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Refused("unreadable", f"{path} is no TOML: {error}", allowed=["TOML"]) from error


def _read(
    place: str, values: Mapping[str, object], by: str = "name", *, strict: bool
) -> dict[str, object]:
    """What one source gives, by the names of fields; numbers may be texts unless `strict`."""
    known: dict[str, Setting] = {getattr(each, by): each for each in settings()}
    found: dict[str, object] = {}
    for name, value in values.items():
        if name not in known:
            why = f"{place} has {name!r}, which is no setting"
            raise Refused("unknown", why, allowed=known)
        setting = known[name]
        given = _split(value) if setting.several and isinstance(value, str) else value
        try:
            found[setting.name] = msgspec.convert(given, setting.type, strict=strict)
        except msgspec.ValidationError as error:
            why = f"`{name}` of {place} is {value!r}"
            raise Refused("out-of-range", why, allowed=[setting.form]) from error
    return found


def _split(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip())
