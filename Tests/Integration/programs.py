"""Runs programs with a time limit, for the scripts that test the command."""
import contextlib
import fcntl
import glob
import os
import pathlib
import re
import select
import struct
import subprocess
import sys
import termios
import time

# The seconds after which a script gives up waiting.
LIMIT = 120
NOTHING = pathlib.Path(os.devnull)
# Python 3.9 does not name it.
F_SETPIPE_SZ = 1031


def order_of(reference):
    """Returns the order of a payment, whose reference at the gateway has a suffix in later slots, or in every slot."""
    return re.sub(r"\.(r\d+|[0-9a-f]{10})$", "", str(reference))


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


class Piped(Program):
    """A program that writes to a pipe with a capacity in bytes, some of which may be filled already."""

    def __init__(self, words, capacity=4096, filled=0, **streams):
        reader, writer = (open(end, mode, buffering=0) for end, mode in zip(os.pipe(), ("rb", "wb")))
        with writer:
            fcntl.fcntl(writer, F_SETPIPE_SZ, capacity)
            writer.write(b"x" * filled)
            super().__init__(words, stdout=writer, **streams)
        self.stdout = reader

    def read(self, count):
        """Reads a number of bytes, or fewer if the program ends before."""
        found = b""
        while len(found) < count:
            check(select.select([self.stdout], [], [], LIMIT)[0], "the command writes nothing")
            part = self.stdout.read(min(count - len(found), 1 << 16))
            if not part:
                break
            found += part
        return found

    def unread(self):
        """Returns the number of bytes in the pipe."""
        return struct.unpack("i", fcntl.ioctl(self.stdout, termios.FIONREAD, bytes(4)))[0]

    def states(self):
        """Returns the states of the threads, of which one may end meanwhile."""
        for stat in glob.glob(f"/proc/{self.pid}/task/*/stat"):
            try:
                yield pathlib.Path(stat).read_text().rpartition(")")[2].split()[0]
            except OSError:
                pass

    def wait_until_blocked(self):
        """Waits until all threads sleep and no more bytes arrive in the pipe."""
        steady, before, limit = 0, -1, time.monotonic() + 30
        while steady < 6:
            check(time.monotonic() < limit, "the command does not come to rest")
            time.sleep(0.02)
            is_asleep, count = set(self.states()) == {"S"}, self.unread()
            steady = steady + 1 if is_asleep and count == before else 0
            before = count
