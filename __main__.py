"""`python -m urim` is the command `urim`."""

from .engine.cli import main

main()
