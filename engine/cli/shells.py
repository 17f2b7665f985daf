"""How a shell asks what completes a line, and how it is answered: bash, zsh and fish.

What click has for them is not used for three reasons. bash takes `=` and `:` for ends of words and
replaces only what is behind them. No blank may follow what goes on, as `FIELD=`. And a value may
hold blanks and commas.
"""

import os
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar

import click
from click.shell_completion import (
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from ...errors import Defect
from .frame import ASKING

MORE = ("=", ".")
"""How a word ends that goes on."""

END = "\0"
"""Where the cursor is; no line of a shell holds it."""


class Shell(ShellComplete):
    """A shell whose words `--OPTION=VALUE` are completed too, and which is given no odd letters."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """What completes a word, whole: with the option in front of `=`."""
        option, sign, value = incomplete.partition("=")
        if not sign or not option.startswith("--"):
            return _fit(super().get_completions(args, incomplete))
        found = _fit(super().get_completions([*args, option], value))
        return [CompletionItem(f"{option}={each.value}", each.type, each.help) for each in found]


def _fit(found: list[CompletionItem[str]]) -> list[CompletionItem[str]]:
    """Those that a terminal shows as they are, and of what kind: `part` is one that goes on."""
    return [
        CompletionItem(each.value, "part", each.help)
        if each.type == "plain" and each.value.endswith(MORE)
        else each
        for each in found
        if each.value.isprintable()
    ]


# --- bash -----------------------------------------------------------------------------------------


@add_completion_class
class Bash(Shell):
    """bash gives the line as far as the cursor, and what of it would be replaced."""

    name: ClassVar[str] = "bash"
    source_template: ClassVar[str] = r"""
%(complete_func)s() {
    local type value
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            part) COMPREPLY+=("$value"); compopt -o nospace ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done <<< "$(COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_WORD="$2" \
        %(complete_var)s=bash_complete "$1" 2>/dev/null)"
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the cursor, and the one at it."""
        words, _ = _split(os.environ["COMP_WORDS"])
        return words[1:-1], words[-1]

    def complete(self) -> str:
        """What completes the word, without what bash keeps of it, and quoted as it is there."""
        words, quote = _split(os.environ["COMP_WORDS"])
        replaced = os.environ.get("COMP_WORD")
        if replaced is None:
            replaced = words[-1]
        elif not quote:
            replaced = _split(replaced)[0][-1]
        kept = words[-1].removesuffix(replaced)
        found = self.get_completions(words[1:-1], words[-1])
        return "\n".join(
            f"{each.type},{_quoted(each.value.removeprefix(kept), quote)}" for each in found
        )


def _split(line: str) -> tuple[list[str], str]:
    """The words of a line up to the cursor, the last one may be empty; the quote that is open."""
    for quote in ("", "'", '"'):
        with suppress(ValueError):  # another quote is open
            words = shlex.split(f"{line}{END}{quote}")
            return [word.removesuffix(END) for word in words], quote
    raise Defect(f"no quote ends {line!r}")


ESCAPED: Mapping[str, re.Pattern[str]] = {
    "": re.compile(r"[^\w@%+=:,./-]"),
    '"': re.compile(r'["$`\\]'),
}
"""What is written behind a backslash, outside of quotes and within double ones."""


def _quoted(text: str, quote: str) -> str:
    if quote == "'":
        return text.replace("'", r"'\''")
    return ESCAPED[quote].sub(lambda found: f"\\{found[0]}", text)


# --- zsh ------------------------------------------------------------------------------------------


@add_completion_class
class Zsh(Shell, ZshComplete):
    """zsh gives its words, and shows what each completion means."""

    source_template: ClassVar[str] = r"""
#compdef %(prog_name)s
%(complete_func)s() {
    local -a whole whole_shown part part_shown
    local type value help shown
    for type value help in "${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) \
        %(complete_var)s=zsh_complete %(prog_name)s 2>/dev/null)}"; do
        shown=$value
        [[ $help == _ ]] || shown="$value  -- $help"
        case $type in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            part) part+=("$value"); part_shown+=("$shown") ;;
            plain) whole+=("$value"); whole_shown+=("$shown") ;;
        esac
    done
    (( ! $#part )) || compadd -U -V unsorted -S '' -l -d part_shown -a part
    (( ! $#whole )) || compadd -U -V unsorted -l -d whole_shown -a whole
}
compdef %(complete_func)s %(prog_name)s
"""

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Three lines: of what kind it is, itself, what it means."""
        return f"{item.type}\n{item.value}\n{item.help or '_'}"


# --- fish -----------------------------------------------------------------------------------------


@add_completion_class
class Fish(Shell, FishComplete):
    """fish gives its words, and itself writes no blank behind `=` and `.`."""

    source_template: ClassVar[str] = r"""
function %(complete_func)s
    for found in (COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -ct) \
        %(complete_var)s=fish_complete %(prog_name)s 2>/dev/null)
        set -l found (string split --max 1 , -- $found)
        switch $found[1]
            case dir
                __fish_complete_directories $found[2]
            case file
                __fish_complete_path $found[2]
            case part plain
                echo $found[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


SHELLS: Mapping[str, type[ShellComplete]] = {each.name: each for each in (Bash, Zsh, Fish)}


def script(shell: str) -> str:
    """The script by which a shell completes `urim`."""
    return SHELLS[shell](click.Command("urim"), {}, "urim", ASKING).source().strip()
