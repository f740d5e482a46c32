#!/usr/bin/env python3
"""Tries to smuggle requests to `paytokend`: directly, and through nginx and haproxy, which keep their connections to it open.

Each of 38 attempts contains a refund that some readers of HTTP take for a request of its own. The proxies pass on two
paths only, so the service must never see a refund; it must answer no more requests than a proxy says that it passed on;
and another client, who asks next over the same connection, must get its own answer.
In the service's place, a server that prefers the shortest reading shows that the attempts work.
Takes the folder of the programs. Skipped without nginx and haproxy, Debian's packages.
"""
import collections
import contextlib
import os
import re
import select
import shutil
import socket
import sys
import threading

sys.dont_write_bytecode = True
from orders import is_whole  # noqa: E402
from programs import LIMIT, Program, check, folder  # noqa: E402
from serving import Service, wait_until  # noqa: E402
from shop import Shop  # noqa: E402

FIELDS = "Host: shop\r\nPaytoken-Request: true\r\nContent-Type: application/json\r\n"
# How long an attempt may be without an answer, in seconds: some leave the proxy waiting for more.
PATIENCE = 0.3


def attempts(name):
    """Returns the attempts by their names; each contains a refund of the order with a name."""
    refund = f"POST /v1/payments/{name}/refund HTTP/1.1\r\n{FIELDS}Content-Length: 2\r\n\r\n{{}}"
    # In a chunked body, the refund follows the end, or is a chunk.
    after, size = f"0\r\n\r\n{refund}", f"{len(refund):x}"
    within = f"{size}\r\n{refund}\r\n0\r\n\r\n"
    length, of_after = f"Content-Length: {len(refund)}", f"Content-Length: {len(after)}"
    coding, chunked = "Transfer-Encoding:", "Transfer-Encoding: chunked"

    def post(fields, body=refund, line="POST /v1/verify HTTP/1.1"):
        return f"{line}\r\n{FIELDS}{fields}\r\n\r\n{body}"

    def both(coded):
        """The body ends before the refund if the field means that it is chunked."""
        return post(f"{of_after}\r\n{coded}", after)
    return {
        "two lengths, first the shorter one": post(f"Content-Length: 0\r\n{length}"),
        "two lengths, first the longer one": post(f"{length}\r\nContent-Length: 0"),
        "a list of lengths": post(f"Content-Length: 0, {len(refund)}"),
        "a length with a plus": post(f"Content-Length: +{len(refund)}"),
        "a negative length": post(f"Content-Length: -{len(refund)}"),
        "a length that may be octal": post("Content-Length: 0500", f"{' ' * 320}{refund:<180}"),
        "a hexadecimal length": post(f"Content-Length: 0x{size}"),
        "a length of 2^64": post(f"Content-Length: {1 << 64}"),
        "two lengths in one field": post(f"Content-Length: 0 {len(refund)}"),
        "a length, and chunks": both(chunked),
        "chunks, and a length": post(f"{chunked}\r\nContent-Length: {len(size) + 2}", within),
        "two codings": both(f"{chunked}\r\n{coding} identity"),
        "a coding of another name": both(f"{coding} xchunked"),
        "a list of codings": both(f"{coding} identity, chunked"),
        "a coding after a vertical tab": both(f"{coding}\v chunked"),
        "a coding with NUL": both(f"{chunked}\0"),
        "a coding with a Kelvin sign": both(f"{coding} chun\u212aed"),
        "a blank before the colon": both("Transfer-Encoding : chunked"),
        "a folded field": both(f"{coding}\r\n chunked"),
        "a line feed in a field": both(f"A: b\n{chunked}"),
        "a carriage return in a field": both(f"A: b\r{chunked}"),
        "lines without carriage returns": both(chunked).replace("\r\n", "\n", 7),
        "a field without a colon": both(f"{coding[:-1]} chunked"),
        "underscores in a name": both("Transfer_Encoding: chunked"),
        "chunks with HTTP/1.0": post(f"{of_after}\r\n{chunked}\r\nConnection: keep-alive", after, "POST /v1/verify HTTP/1.0"),
        "a line feed in a chunk's extension": post(chunked, f"2;\nxx\r\n{len(after):x}\r\n{after}\r\n0\r\n\r\n"),
        "a chunk's size with a plus": post(chunked, f"+{within}"),
        "a chunk's size with 0x": post(chunked, f"0x{within}"),
        "a chunk's size of 2^64": post(chunked, f"{1 << 64:x}\r\n\r\n{refund}"),
        "a chunk that is too long": post(chunked, f"1\r\nabc{after}"),
        "a request as trailer": post(chunked, f"0\r\n{refund}"),
        "a body of GET": post(length, line="GET /healthz HTTP/1.1"),
        "a body of HEAD": post(length, line="HEAD /healthz HTTP/1.1"),
        "an expectation": post(f"{length}\r\nExpect: 100-continue"),
        "HTTP/2 instead": post(
            f"{length}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"),
        "a length that is for the proxy": post(f"{length}\r\nConnection: Content-Length"),
        "HTTP/0.9": f"GET /healthz\r\n{refund}",
        "two hosts": post(f"{length}\r\nHost: other"),
    }


ATTEMPTS = attempts("00")


class Gullible:
    """A server that takes the shortest body that any reading of a head permits, so that the rest is the next request.

    It answers each request with its target, at most one each time that it receives something, and keeps the targets.
    """

    def __init__(self, path):
        self.path, self.targets, self.connections = path, [], 0
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.serve, args=(self.socket.accept()[0],), daemon=True).start()

    def serve(self, client):
        self.connections += 1
        with contextlib.suppress(OSError), client:
            data = b""
            while more := client.recv(1 << 16):
                data += more
                # The rest of a request may follow.
                while select.select([client], [], [], 0.01)[0] and (more := client.recv(1 << 16)):
                    data += more
                head = re.match(rb"[\r\n]*([A-Z]+) (\S+)(\r?\n| .*?\n\r?\n)", data, re.DOTALL)
                body = data[head.end():] if head else b""
                if head and (length := self.length(head[1], head[3], body)) <= len(body):
                    data = body[length:]
                    self.targets.append(head[2])
                    text = b"" if head[1] == b"HEAD" else head[2]
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(head[2]), text))

    @classmethod
    def length(cls, method, head, body):
        """Returns the length of the shortest body."""
        fields = collections.defaultdict(list)
        for line in re.sub(rb"\r\n[ \t]+", b"", head).replace(b"\r", b"\n").split(b"\n")[1:]:
            name, _, value = line.replace(b"_", b"-").lower().partition(b":" if b":" in line else b" ")
            fields[name.strip()].append(value.strip())
        lengths = []
        for value in fields[b"content-length"]:
            for text in value.split() or [b""]:
                digits = re.match(rb"[0-9]*", text)[0]
                lengths.append(int(digits or b"0", 8 if re.fullmatch(rb"0[0-7]+", digits) else 10) % (1 << 64))
        if any(b"chun" in value for value in fields[b"transfer-encoding"]):
            lengths += [cls.chunked(body, end) for end in (b"\r\n", b"\n")]
        if method in (b"GET", b"HEAD") or fields[b"upgrade"] or fields[b"expect"] or b"content-length" in fields[b"connection"]:
            lengths.append(0)
        return min(lengths, default=0)

    @staticmethod
    def chunked(body, end):
        """Returns the length of a chunked body whose lines end in some way."""
        start = 0
        while True:
            line, found, _ = body[start:].partition(end)
            size = int(re.match(rb"[0-9a-f]*", line)[0] or b"0", 16) % (1 << 64)
            start += len(line) + len(found)
            if not found or size == 0:
                return start + 2 * body.startswith(b"\r\n", start)
            start += size + 2


@contextlib.contextmanager
def nginx(work, server):
    """Starts nginx in front of a server; gives the path of its socket, and a function that counts what was passed on."""
    (work / "nginx.conf").write_text(f"""
daemon off;
master_process off;
pid nginx.pid;
events {{}}
http {{
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    log_format servers $upstream_addr;
    access_log log servers;
    upstream paytokend {{
        server unix:{server};
        keepalive 1;
    }}
    server {{
        listen unix:{work}/front;
        location ~ ^/(v1/verify|healthz)$ {{
            proxy_pass http://paytokend;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
        location / {{
            return 403;
        }}
    }}
}}
""")
    with Program(["nginx", "-p", work, "-c", "nginx.conf", "-e", "error"]):
        wait_until(lambda: is_up(work / "front"), "nginx does not start")
        yield work / "front", lambda: (work / "log").read_text().count("unix:")


@contextlib.contextmanager
def haproxy(work, server):
    """The same with haproxy."""
    (work / "haproxy.cfg").write_text(f"""
global
    log stdout format raw local0
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 90s
frontend front
    log global
    log-format %s
    bind unix@{work}/front
    http-request deny unless {{ path /v1/verify /healthz }}
    default_backend paytokend
backend paytokend
    http-reuse always
    server paytokend unix@{server}
""")
    with Program(["haproxy", "-db", "-f", work / "haproxy.cfg"], stdout=work / "log"):
        wait_until(lambda: is_up(work / "front"), "haproxy does not start")
        yield work / "front", lambda: (work / "log").read_text().split().count("paytokend")


@contextlib.contextmanager
def directly(_, server):
    """Gives the same without a proxy: each attempt and each client's request may be answered."""
    yield server, lambda: 2 * len(ATTEMPTS)


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(path))
    return client


def is_up(path):
    with contextlib.suppress(OSError):
        connect(path).close()
        return True
    return False


def receive(client, patience):
    """Returns what arrives until no more does, or until the connection ends."""
    answer = b""
    with contextlib.suppress(OSError):
        client.settimeout(patience)
        while more := client.recv(1 << 16):
            answer += more
            if is_whole(answer):
                client.settimeout(0.02)
    return answer


def attack(path, shares, patience=LIMIT):
    """Makes all attempts; after each, another client asks, over the attacker's connection if that is what a proxy does.

    Returns how many attempts ended in which way, and the names of those after which someone got another's answer.
    """
    ends, confused = collections.Counter(), []
    for number, (name, text) in enumerate(ATTEMPTS.items()):
        own = b"client%02d" % number
        with connect(path) as attacker, connect(path) as client:
            attacker.sendall(text.replace("/00/", f"/{number:02}/").encode())
            answer = receive(attacker, PATIENCE)
            asking = attacker if shares else client
            with contextlib.suppress(OSError):
                asking.sendall(b"GET /healthz?%b=0 HTTP/1.1\r\nHost: shop\r\nPaytoken-Request: true\r\n\r\n" % own)
            found = receive(asking, patience)
            # The service has ended a shared connection whose requests it cannot tell apart.
            if not (own in found and found.count(b"HTTP/1.1 ") == 1 or shares and not found) or b"client" in answer:
                confused.append(name)
        if b"cache-control: no-store" not in answer.lower():
            ends["refused by the proxy"] += 1
        elif b"The body is not JSON." in answer:
            ends["answered as one request"] += 1
        else:
            ends["refused by the service"] += 1
    return ends, confused


def answers(service):
    """Returns how many requests the service has answered, by path, without those of the test."""
    text = service.ask("GET", "/metrics")[1]
    counts = collections.Counter()
    for path, count in re.findall(r'^paytoken_requests_total\{path="(.*?)",status="\d+"\} (\d+)', text, re.MULTILINE):
        counts[path] += int(count)
    return counts - collections.Counter({"/readyz": counts["/readyz"]})


def main():
    programs = folder()
    os.environ["PATH"] += ":/usr/sbin"
    if missing := [name for name in ("nginx", "haproxy") if not shutil.which(name)]:
        print(f"skipped: this machine has no {' and no '.join(missing)}")
        return
    check(len(ATTEMPTS) == 38, f"{len(ATTEMPTS)} attempts")
    with Shop.open(programs) as shop:
        for front in (nginx, haproxy, directly):
            with Service(shop) as service:
                with front(service.folder, service.socket) as (path, passed_on):
                    ends, confused = attack(path, front is directly)
                    answered = answers(service)
                    # A proxy logs a request at its end.
                    wait_until(lambda: passed_on() >= sum(answered.values()), f"{front.__name__} passed on less than {answered}")
                service.stop()
                smuggled = service.audit("refused")
                check(not smuggled and not confused, f"{front.__name__}: smuggled {smuggled}; another's answer: {confused}")
            control = service.folder / "control"
            control.mkdir()
            gullible = Gullible(control / "socket")
            with front(control, gullible.path) as (path, _):
                _, confused = attack(path, front is directly, PATIENCE)
            smuggled = {target for target in gullible.targets if b"/refund" in target}
            check(smuggled and confused, f"{front.__name__}: the attempts do not work: {smuggled} {confused}")
            # Other clients' requests come over a connection of the attacker's.
            check(front is directly or gullible.connections < len(ATTEMPTS) / 2, f"{front.__name__}: {gullible.connections} connections")
            print(f"{front.__name__}: {', '.join(f'{count} {end}' for end, count in sorted(ends.items()))}; a gullible server "
                  f"gets {len(smuggled)} smuggled requests, and {len(confused)} clients another's answer", flush=True)


if __name__ == "__main__":
    main()
