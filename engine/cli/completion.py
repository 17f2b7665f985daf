"""The command `urim completion`: the script by which a shell completes what is typed.

The script asks `urim` itself, with the words so far in its environment: commands and options come
from COMMANDS and the command's own parameters, the ids of tables and seats from the log that the
words name. Whatever goes wrong meanwhile is no completion, and no message.
"""

import sys

import click
from click.shell_completion import ShellComplete, get_completion_class

from ...errors import Defect
from .frame import ASKING, OneOf, command
from .shared import print_objects

SHELLS = ("bash", "zsh", "fish")


@command(click.Argument(["shell"], type=OneOf(SHELLS), metavar="SHELL", help="bash, zsh or fish."))
def completion(shell: str, *, as_json: bool) -> None:
    """Print the script that completes commands, options, tables and seats in a shell.

    In ~/.bashrc: eval "$(urim completion bash)". In ~/.zshrc: eval "$(urim completion zsh)". In
    ~/.config/fish/config.fish: urim completion fish | source.
    """
    found = get_completion_class(shell)
    if found is None:
        raise Defect(f"there is no completion for {shell}")
    # The base class's own, because bash's starts bash to ask for its version.
    script = ShellComplete.source(found(click.Command("urim"), {}, "urim", ASKING))
    if as_json:
        print_objects([{"type": "completion", "shell": shell, "script": script}])
        return
    sys.stdout.write(f"{script.strip()}\n")
