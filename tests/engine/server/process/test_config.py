"""Settings: three sources, the last of which wins; a refusal says where, and what is allowed."""

from pathlib import Path
from typing import Any

import pytest

from urim.engine.server.process.config import Config
from urim.engine.server.process.settings import FILE, Setting, gathered, settings
from urim.errors import ALLOWED, Refused

FIT: dict[str, Any] = {
    "host": "127.0.0.2",
    "port": 9001,
    "tls_cert": "a.pem",
    "tls_key": "b.pem",
    "behind_proxy": True,
    "proxies": ("10.0.0.1",),
    "url": "https://dice.example",
    "origins": ("https://a.example", "https://b.example"),
    "frames": ("https://c.example", "https://d.example"),
    "calls": ("chat.lan:8065", "10.0.0.5"),
    "call_patience": 1.5,
    "rate": 2.5,
    "burst": 4,
    "seat_sockets": 2,
    "table_sockets": 5,
    "connections": 9,
    "address_connections": 8,
    "memory": 64,
    "patience": 1.5,
    "silence": 1.5,
    "ping": 2.5,
    "linger": 3.5,
    "grace": 4.5,
}
"""A value of each setting that is not its own."""

UNFIT: dict[str, Any] = {
    "host": "",
    "port": 65536,
    "tls_cert": "",
    "tls_key": "",
    "behind_proxy": "perhaps",
    "proxies": 7,
    "url": "",
    "origins": 7,
    "frames": 7,
    "calls": 7,
    "call_patience": 0,
    "rate": 0,
    "burst": 0,
    "seat_sockets": 0,
    "table_sockets": "many",
    "connections": 0,
    "address_connections": 0,
    "memory": -1,
    "patience": 0,
    "silence": 0,
    "ping": float("nan"),
    "linger": -1,
    "grace": "1e9",
}

WITH = {"tls_cert": {"tls_key": "k.pem"}, "tls_key": {"tls_cert": "c.pem"}}
"""What a setting cannot be without."""

EACH = pytest.mark.parametrize("setting", settings(), ids=[each.name for each in settings()])


def written(value: Any) -> str:
    """A value as a variable has it."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def toml(path: Path, values: dict[str, Any]) -> Path:
    """A file of these settings."""

    def literal(value: Any) -> str:
        if isinstance(value, tuple):
            return f"[{', '.join(map(literal, value))}]"
        if isinstance(value, bool):
            return str(value).lower()
        return f'"{value}"' if isinstance(value, str) else str(value)

    lines = [f"{name} = {literal(value)}\n" for name, value in values.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def built(values: Any) -> Config:
    """A Config of these values."""
    return Config(**values)


def test_every_setting_has_values_here() -> None:
    names = [each.name for each in settings()]
    assert names == list(FIT) == list(UNFIT) == list(Config.__struct_fields__)


def test_nothing_given_is_the_usual() -> None:
    assert gathered({}, {}) == gathered({"port": None, "origins": ()}, {"HOME": "/"}) == Config()


@EACH
def test_a_file_sets_it(setting: Setting, tmp_path: Path) -> None:
    more = WITH.get(setting.name, {})
    file = toml(tmp_path / "s.toml", {setting.name: FIT[setting.name], **more})
    assert getattr(gathered({}, {}, file), setting.name) == FIT[setting.name]
    assert gathered({}, {FILE: str(file)}) == gathered({}, {}, file)


@EACH
def test_the_environment_wins_over_the_file(setting: Setting, tmp_path: Path) -> None:
    more = WITH.get(setting.name, {})
    own = setting.default if setting.default is not None else "x.pem"
    if setting.name == "url":
        own = "http://x.example"
    file = toml(tmp_path / "s.toml", {setting.name: own, **more})
    found = gathered({}, {setting.variable: written(FIT[setting.name])}, file)
    assert getattr(found, setting.name) == FIT[setting.name]


@EACH
def test_a_flag_wins_over_the_environment(setting: Setting) -> None:
    more: dict[str, Any] = WITH.get(setting.name, {})
    other = {"port": "1", "behind_proxy": "false", "proxies": "10.9.9.9"}.get(setting.name)
    other = other or (setting.shown or ("x.lan" if setting.name == "calls" else "http://x.example"))
    given = FIT[setting.name]
    flag = given if isinstance(given, (tuple, bool)) else str(given)
    found = gathered({setting.name: flag, **more}, {setting.variable: other})
    assert getattr(found, setting.name) == given


def test_a_flag_takes_back_what_a_file_set(tmp_path: Path) -> None:
    file = toml(tmp_path / "s.toml", {"behind_proxy": True})
    assert gathered({}, {}, file).behind_proxy
    assert not gathered({"behind_proxy": False}, {}, file).behind_proxy


@EACH
def test_an_unfit_value_is_refused(setting: Setting, tmp_path: Path) -> None:
    value = UNFIT[setting.name]
    file = toml(tmp_path / "s.toml", {setting.name: value})
    with pytest.raises(Refused) as refused:
        gathered({}, {}, file)
    assert refused.value.code == "out-of-range"
    assert refused.value.why == f"`{setting.name}` of the file {file} is {value!r}"
    assert refused.value.allowed == (setting.form,)
    if value == 7:
        return  # as a text it is a list of one
    text = written(value)
    with pytest.raises(Refused, match=f"`{setting.variable}` of the environment is "):
        gathered({}, {setting.variable: text})
    with pytest.raises(Refused, match=f"`{setting.name}` of the command is "):
        gathered({setting.name: text}, {})


def test_a_file_gives_numbers_as_numbers(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"`port` of the file .* is '9001'"):
        gathered({}, {}, toml(tmp_path / "s.toml", {"port": "9001"}))


def test_what_is_no_setting_is_refused_with_all_that_are(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="has 'prot', which is no setting") as refused:
        gathered({}, {}, toml(tmp_path / "s.toml", {"prot": 1}))
    assert refused.value.allowed == tuple(FIT)[:ALLOWED]
    assert refused.value.left_out == len(FIT) - ALLOWED
    with pytest.raises(Refused, match="environment has 'URIM_SERVE_PROT'") as refused:
        gathered({}, {"URIM_SERVE_PROT": "1"})
    assert "URIM_SERVE_PORT" in refused.value.allowed


@pytest.mark.parametrize("content", [b"port = ", b"\xff", b"port = 1\nport = 2"])
def test_a_file_that_is_no_toml_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_bytes(content)
    with pytest.raises(Refused) as refused:
        gathered({}, {}, tmp_path / "s.toml")
    assert refused.value.code == "unreadable"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="No such file"):
        gathered({}, {}, tmp_path / "none.toml")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "dice.example", "2001:db8::1"])  # noqa: S104
def test_an_address_for_others_needs_tls_or_a_proxy(host: str) -> None:
    with pytest.raises(Refused, match="others could reach") as refused:
        Config(host=host)
    assert "behind_proxy" in refused.value.allowed
    assert Config(host=host, behind_proxy=True).host == host
    assert Config(host=host, tls_cert="c", tls_key="k").host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_loopback_needs_neither(host: str) -> None:
    assert Config(host=host).host == host


@pytest.mark.parametrize("name", ["tls_cert", "tls_key"])
def test_a_certificate_and_its_key_go_together(name: str) -> None:
    with pytest.raises(Refused, match="go together"):
        built({name: "x.pem"})


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("https://dice.example/", "https://dice.example"),
        ("https://DICE.example", "https://dice.example"),
        ("https://dice.example:443", "https://dice.example"),
        ("http://a:80", "http://a"),
        ("https://u@dice.example", "https://dice.example"),
        ("dice.example", None),
        ("*", None),
        ("null", None),
        ("https://a:b", None),
        ("ftp://a", None),
    ],
)
def test_an_origin_is_written_as_browsers_do(text: str, right: str | None) -> None:
    for known in ({"url": text}, {"origins": (text,)}):
        with pytest.raises(Refused, match="is no origin") as refused:
            built(known)
        if right is not None:
            assert refused.value.allowed == (right,)


def test_its_own_origins() -> None:
    assert Config().own == ("http://127.0.0.1:8000", "http://localhost:8000")
    assert Config(host="::1", port=80).own == ("http://[::1]", "http://localhost")
    found = Config(host="192.0.2.1", port=443, tls_cert="c", tls_key="k", url="https://d.example")
    assert found.own == ("https://d.example", "https://192.0.2.1")
