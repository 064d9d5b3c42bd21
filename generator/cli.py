"""The program: which command a name means, and how it ends.

Exit codes: 0 all is well, 1 problems were found, 2 wrong use.
"""

from __future__ import annotations

import io
import os
import sys

import click

from generator.errors import GeneratorError, ProblemsFound
from generator.log_commands import explain, run


class _Commands(click.Group):
    """Imports the commands when one of them is asked for: `explain` needs few modules and must answer at once."""

    def list_commands(self, context: click.Context) -> list[str]:
        from generator.commands import commands

        return sorted([*super().list_commands(context), *commands.commands])

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        found = super().get_command(context, name)
        if found is None:
            from generator.commands import commands

            found = commands.commands.get(name)
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="vllm-errors")
def cli() -> None:
    """The reference of every error that vLLM's configuration can raise.

    Start with `vllm-errors build`: it fetches the pinned source files, builds the site and says where to open it.
    """


cli.add_command(explain)
cli.add_command(run)


def main() -> None:
    """Run the command line; every expected failure ends with its message and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character is no failure
    try:
        cli(prog_name="vllm-errors")
    except ProblemsFound as error:
        click.echo(f"{error}\n\n{len(error.problems)} problems", err=True)
        sys.exit(1)
    except GeneratorError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        click.echo(f"{where}{error.strerror or error}; check the path, its permissions and the space left", err=True)
        sys.exit(1)
