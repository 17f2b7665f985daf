"""A page is taken apart as it was meant, and what is not well formed is refused."""

import subprocess
from pathlib import Path

import pytest

from tests import generated, readme
from tests.readme import Block, Command, Heading
from tests.test_readme import complaint, shell

PAGE = """\
Text with `make demo` and make-believe.

```python
x = 1
```
~~~~text title
```
# no heading, [no](link)
~~~~
  ```console fails
$ make test ARGS=-q
$ echo one \\
> two
one two
...
```
## A `part.name` and more
[a](docs/a.md#part), [b](#a-partname-and-more), ![c](c.svg), [d](https://example.org/d)
### Again
### Again
"""


def test_blocks_are_found_with_their_lines() -> None:
    python, text, console = readme.blocks(PAGE)
    assert python == Block("python", "x = 1\n", 4)
    assert text == Block("text", "```\n# no heading, [no](link)\n", 7, "title")
    assert (console.language, console.line, console.note) == ("console", 11, "fails")


def test_a_block_that_is_never_closed_is_refused() -> None:
    with pytest.raises(ValueError, match="line 2: the block is never closed"):
        readme.blocks("\n```python\nx = 1\n``\n")


def test_commands_are_told_from_their_output() -> None:
    assert readme.commands(readme.blocks(PAGE)[2]) == [
        Command("make test ARGS=-q", (), 11),
        Command("echo one \\\ntwo", ("one two", "..."), 12),
    ]


def test_output_before_the_first_command_is_refused() -> None:
    with pytest.raises(ValueError, match="line 7: output before"):
        readme.commands(Block("console", "one\n$ echo one\n", 7))


@pytest.mark.parametrize(
    ("expected", "printed", "alike"),
    [
        ([], [], True),
        ([], ["a"], False),
        (["a"], [], False),
        (["a"], ["a  "], True),
        (["a"], [" a"], False),
        (["a", "b"], ["a"], False),
        (["..."], [], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "c", "d"], False),
        (["...", "b", "..."], ["a", "b", "b", "c"], True),
        (["...", "b", "..."], ["a", "c"], False),
    ],
)
def test_lines_match(expected: list[str], printed: list[str], alike: bool) -> None:
    assert readme.matches(expected, printed) is alike


def test_targets_of_make_are_found() -> None:
    assert readme.targets_named(PAGE) == {"demo", "test"}
    assert readme.targets("X = 1\n.PHONY: a\ndemo: .venv/x  ## so\n\t@echo b: c\n") == {"demo"}


def test_links_and_headings_are_those_outside_of_blocks() -> None:
    assert readme.links(PAGE) == ["docs/a.md#part", "#a-partname-and-more", "c.svg"]
    assert readme.headings(PAGE) == [
        Heading(2, "A `part.name` and more", 17),
        Heading(3, "Again", 19),
        Heading(3, "Again", 20),
    ]
    assert readme.anchors(PAGE) == {"a-partname-and-more", "again", "again-1"}


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    page, other = tmp_path / "page.md", tmp_path / "docs" / "a.md"
    other.parent.mkdir()
    page.write_text(PAGE, encoding="utf-8")
    other.write_text("# Other\n", encoding="utf-8")
    assert readme.dead_links(page) == ["docs/a.md#part", "c.svg"]
    (tmp_path / "c.svg").touch()
    other.write_text("# Part\n[back](../page.md#again-1), [on](../page.md#again-2)\n", "utf-8")
    assert readme.dead_links(page) == []
    assert readme.dead_links(other) == ["../page.md#again-2"]


def test_a_command_that_goes_as_shown_is_no_complaint(tmp_path: Path) -> None:
    command = Command("echo one; echo two >&2", ("one", "two"), 1)
    assert complaint(command, shell(command.words, tmp_path)) is None


@pytest.mark.parametrize("words", ["echo two", "echo one; false", "nothing-of-that-name"])
def test_a_command_that_goes_otherwise_is_a_complaint(words: str, tmp_path: Path) -> None:
    command = Command(words, ("one",), 5)
    done = shell(words, tmp_path)
    assert isinstance(done, subprocess.CompletedProcess)
    assert str(complaint(command, done)).startswith(f"line 5: $ {words}\n")


def test_a_command_that_should_fail_must(tmp_path: Path) -> None:
    bad, good = Command("echo one; false", ("one",), 5), Command("echo one", ("one",), 5)
    assert complaint(bad, shell(bad.words, tmp_path), fails=True) is None
    assert complaint(good, shell(good.words, tmp_path), fails=True)


# --- generated regions ----------------------------------------------------------------------------

GENERATORS = {"one": lambda: "| 1 |\n", "two": lambda: "```\n2\n```"}


def test_regions_are_refreshed_and_the_rest_is_kept() -> None:
    stale = "a\n<!-- generated: one -->\nold\n<!-- end -->\nb\n<!-- generated: two --><!-- end -->"
    with pytest.raises(generated.Unreadable, match="an end without a region"):
        generated.refreshed(stale, GENERATORS)
    stale = stale.replace("two --><!--", "two -->\n<!--")
    fresh = generated.refreshed(stale, GENERATORS)
    assert fresh == (
        "a\n<!-- generated: one -->\n\n| 1 |\n\n<!-- end -->\nb\n"
        "<!-- generated: two -->\n\n```\n2\n```\n\n<!-- end -->"
    )
    assert generated.refreshed(fresh, GENERATORS) == fresh
    assert generated.names(fresh) == ["one", "two"]


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("<!-- generated: one -->\n", "one has no end"),
        ("<!-- generated: one -->\n<!-- generated: two -->\n<!-- end -->", "one has no end"),
        ("<!-- generated: three -->\n<!-- end -->", "three has no generator"),
        ("<!-- end -->", "an end without a region"),
        ("<!-- generated: one -->\n<!-- end -->\n<!-- end -->", "an end without a region"),
    ],
)
def test_regions_that_are_not_well_formed_are_refused(page: str, why: str) -> None:
    with pytest.raises(generated.Unreadable, match=why):
        generated.refreshed(page, GENERATORS)
