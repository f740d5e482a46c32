"""Runs programs with a time limit, for the scripts that test the command."""
import contextlib
import os
import pathlib
import subprocess
import sys

# The seconds after which a script gives up waiting.
LIMIT = 120
NOTHING = pathlib.Path(os.devnull)


def folder():
    """Returns the folder of the programs: the script's only argument."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER-OF-PROGRAMS")
    return pathlib.Path(sys.argv[1]).resolve()


def check(is_expected, message):
    """Ends the script with a message unless something is as expected."""
    if not is_expected:
        sys.exit(message)


def run(words, **options):
    """Runs a program to its end; returns its exit status and what it printed."""
    return subprocess.run(words, capture_output=True, timeout=LIMIT, **{"input": b"", **options})


class Program(subprocess.Popen):
    """A running program, which is killed at the end of a `with` block.

    The streams are paths or open files; standard output is appended to its file.
    """

    def __init__(self, words, stdin=NOTHING, stdout=NOTHING, stderr=NOTHING, **options):
        with contextlib.ExitStack() as files:
            super().__init__(words, **options, **{
                name: files.enter_context(open(stream, mode)) if isinstance(stream, pathlib.Path) else stream
                for name, stream, mode in (("stdin", stdin, "rb"), ("stdout", stdout, "ab"), ("stderr", stderr, "wb"))})

    def finish(self):
        """Waits for the end; returns the exit status, or minus the number of the signal that ended the program."""
        try:
            return self.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def __exit__(self, *exception):
        self.kill()
        return super().__exit__(*exception)
