"""HTTP on a Unix socket, with the standard library."""
import http.client
import json
import socket


class Connection(http.client.HTTPConnection):
    """A connection to the service at a path."""

    # The targets of all requests of this process, each with the status of an answer.
    answered = set()

    def __init__(self, path, timeout=60):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def putrequest(self, method, target, *options, **others):
        self.target = target
        super().putrequest(method, target, *options, **others)

    def getresponse(self):
        answer = super().getresponse()
        self.answered.add((self.target, answer.status))
        return answer

    def ask(self, method, target, body=None):
        """Sends a request, and returns the status, the members of the answer's object or its text, and its headers."""
        headers = {"Paytoken-Request": "true"}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        self.request(method, target, body, headers)
        answer = self.getresponse()
        text = answer.read().decode()
        is_json = answer.headers["Content-Type"] == "application/json"
        return answer.status, json.loads(text) if is_json else text, answer.headers
