"""The laws about the record itself: frozen Structs, fields that are there, dice, tracks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert, inspect
from msgspec.structs import asdict

from ....rules.figures import NUMBERS
from ....rules.readings import readings_of
from ....rules.ruleset import Ruleset, Track
from ....rules.words import SORTS
from ...core.parse import read_as
from .trial import LawBroken, Trial, lawful


def check_record(trial: Trial) -> None:
    """What a system says of itself fits together, whatever the options of its tables."""
    ruleset = trial.ruleset
    for kind in (ruleset.Options, ruleset.Declaration, ruleset.Reaction):
        for each in _structs(kind):
            if not each.__struct_config__.frozen:
                raise LawBroken("frozen", f"{each.__name__} can be changed")
            if not each.__struct_config__.eq:
                raise LawBroken("frozen", f"two equal values of {each.__name__} are not equal")
    readings = [reading.name for reading in readings_of(ruleset.Options)]
    named = (*_of_figures(ruleset, readings), *_of_words(ruleset, readings))
    for why in (*_of_fields(ruleset), *named):
        raise LawBroken("record", why)
    for why in _of_version(ruleset):
        raise LawBroken("version", why)
    with lawful():
        every = [ruleset.Options(), *(read_as(given, ruleset.Options) for given in trial.options)]
    for options in every:
        with lawful():
            dice, tracks = ruleset.faces(options), ruleset.tracks(options)
        for why in (*_of_dice(dice), *_of_tracks(tracks)):
            raise LawBroken("record", why)
        check_tables(ruleset, options, dice, tracks)


def check_tables(ruleset: Ruleset, options: Any, dice: Any, tracks: Any) -> None:
    """Faces and tracks are the same whenever they are asked for, of any equal options."""
    again = convert(asdict(options), ruleset.Options)
    for given in (options, again):
        with lawful():
            found = ruleset.faces(given), ruleset.tracks(given)
        for name, was, now in zip(("faces", "tracks"), (dice, tracks), found, strict=True):
            if was is not now and dict(was) != dict(now):
                why = f"{name} are {now}, and were {was} of the same options"
                raise LawBroken("derived", why)


def _structs(kind: type[Struct]) -> Iterator[type[Struct]]:
    """The Struct and every one within it."""
    waiting: list[Any] = [inspect.type_info(kind)]
    seen: set[type] = set()
    while waiting:
        found = waiting.pop()
        if isinstance(found, inspect.StructType):
            if found.cls in seen:
                continue
            seen.add(found.cls)
            yield found.cls
            waiting += [field.type for field in found.fields]
            continue
        inner = (getattr(found, name, ()) for name in ("type", "types", "item_types"))
        for each in (*inner, *_values(found)):
            waiting += each if isinstance(each, tuple) else [each]


def _values(found: Any) -> tuple[Any, ...]:
    """The types within a list or an object."""
    names = ("item_type", "key_type", "value_type")
    return tuple(getattr(found, name) for name in names if hasattr(found, name))


def _of_fields(ruleset: Ruleset) -> Iterator[str]:
    known = {
        name for kind in (ruleset.Declaration, ruleset.Reaction) for name in kind.__struct_fields__
    }
    for what in ("settled", "narrators"):
        for name in getattr(ruleset, what):
            if name not in known:
                yield f"{name!r}, one of `{what}`, is no field of a declaration or reaction"
    if len(set(ruleset.triggers)) != len(ruleset.triggers):
        yield "a trigger is named twice"


def _of_dice(dice: Mapping[str, Any]) -> Iterator[str]:
    for kind, faces in dice.items():
        if not isinstance(faces, tuple) or not faces:
            yield f"the faces of {kind!r} are {faces!r}, not a tuple of at least one"
        elif any(type(face) not in (int, str) for face in faces):
            yield f"{kind!r} has a face that is neither a number nor a text"


def _of_tracks(tracks: Mapping[str, Track]) -> Iterator[str]:
    for name, track in tracks.items():
        if track.most is not None and track.most < track.least:
            yield f"{name!r} goes from {track.least} to {track.most}"


def _of_version(ruleset: Ruleset) -> Iterator[str]:
    """A version counts corrections, and each is a reading that says since when it is there."""
    since = {reading.name: reading.since for reading in readings_of(ruleset.Options)}
    if type(ruleset.version) is not int or ruleset.version < 1:
        yield f"its version is {ruleset.version!r}, and is a number from 1 on"
        return
    for name, version in since.items():
        if not 1 <= version <= ruleset.version:
            yield f"the reading {name!r} is there since version {version} of {ruleset.version}"
    for version in range(2, ruleset.version + 1):
        if version not in since.values():
            yield f"no reading is there since version {version}, so nothing says what it corrected"


OWNERS = ("", "roller", "target")
"""Whose a figure may be, beside the characters that other figures hold."""


def _of_figures(ruleset: Ruleset, readings: Sequence[str]) -> Iterator[str]:
    """What figures name that is not there."""
    for name, figure in ruleset.figures.items():
        if ":" in name:
            yield f"no figure can be called {name!r}"
        for reading in figure.readings:
            if reading not in readings:
                yield f"the figure {name!r} names {reading!r}, which is no reading"
        owner = ruleset.figures.get(figure.whose)
        if figure.whose not in OWNERS and (owner is None or owner.form != "character"):
            yield f"the figure {name!r} is of {figure.whose!r}, who is no character of a roll"
        if (figure.dice or figure.fact or figure.unit) and figure.form not in NUMBERS:
            yield f"the figure {name!r} is a {figure.form}, and declared as a number"


def _of_words(ruleset: Ruleset, readings: Sequence[str]) -> Iterator[str]:
    """What words are about that is not there."""
    for language, words in ruleset.words.items():
        for key in words:
            sort, _, name = key.partition(".")
            if sort not in SORTS or not name:
                yield f"the word {key!r} of {language!r} is of no kind: {', '.join(SORTS)}"
            elif sort == "rule" and name.split(".")[0] not in ruleset.triggers:
                yield f"the word {key!r} of {language!r} is about nothing that is ever offered"
            elif sort == "rule" and "|" not in words[key]:
                yield f"the rule {key!r} of {language!r} has no heading before a bar"
            elif sort == "reading" and name.split(".")[0] not in readings:
                yield f"the word {key!r} of {language!r} is about no reading"
