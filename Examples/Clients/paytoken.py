"""Sends tokens to `paytoken decrypt --batch --envelopes`, which keeps running. Threads take turns."""
import json
import os
import select
import subprocess
import threading


class Paytoken:
    def __init__(self, *options, seconds=10):
        self.command = ["paytoken", "decrypt", "--batch", "--envelopes", *options]
        self.seconds, self.count, self.process, self.turn = seconds, 0, None, threading.Lock()

    def decrypt(self, token, order):
        """Returns the answer; raises RuntimeError if the process ends or is late."""
        with self.turn:
            if self.process is None:
                self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                self.answers = select.poll()
                self.answers.register(self.process.stdout, select.POLLIN)
            self.count += 1
            name = f"{os.getpid()}-{self.count}"
            try:
                line = json.dumps({"id": name, "token": token, "order": order})
                self.process.stdin.write(line.encode() + b"\n")
                self.process.stdin.flush()
                answer = json.loads(self.process.stdout.readline()) if self.answers.poll(self.seconds * 1000) else {}
            except (OSError, ValueError):
                answer = {}
            if answer.get("id") != name:
                self.process.stdout.close()  # an answer that comes now is not written, and its claim is released
                self.process.terminate()
                self.process = None
                raise RuntimeError("paytoken ended, or its answer is late")
            return answer

    def restart(self):
        """Ends the process; the next token starts another one, which loads the keys again."""
        with self.turn:
            if self.process is not None:
                self.process.communicate()
                self.process = None
