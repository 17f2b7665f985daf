"""The command `urim completion`: the script by which a shell completes what is typed.

The script asks `urim` itself, with the words so far in its environment: commands and options come
from COMMANDS and the command's own parameters, the ids of tables and seats from the log that the
words name, words FIELD=VALUE from its system's forms. Whatever goes wrong meanwhile is no
completion, and no message.
"""

import sys

import click

from .frame import OneOf, command
from .shared import print_objects
from .shells import SHELLS, script


@command(click.Argument(["shell"], type=OneOf(SHELLS), metavar="SHELL", help="bash, zsh or fish."))
def completion(shell: str, *, as_json: bool) -> None:
    """Print the script that completes commands, options, tables, seats and fields in a shell.

    In ~/.bashrc: eval "$(urim completion bash)". In ~/.zshrc: eval "$(urim completion zsh)". In
    ~/.config/fish/config.fish: urim completion fish | source.
    """
    if as_json:
        print_objects([{"type": "completion", "shell": shell, "script": script(shell)}])
        return
    sys.stdout.write(f"{script(shell)}\n")
