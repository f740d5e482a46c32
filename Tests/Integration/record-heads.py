#!/usr/bin/env python3
"""Records the heads of the requests that HTTP clients of Debian send over a Unix socket, for TestVectors/http-heads.

Each client sends GET /v1/payments/order-1001 and POST /v1/decrypt with a JSON object, both with Paytoken-Request: true, with
its language's standard library where that can use a Unix socket. A server of this script writes each head, up to the
empty line, to FOLDER/CLIENT-METHOD.head, and answers. It needs Debian's packages curl, golang-go, default-jdk-headless, nginx-light,
nodejs, perl, php-cli, php-curl, python3 and ruby; the names of clients limit it to these.

usage: record-heads.py FOLDER [CLIENT]...
"""
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading

# A token has some 4,400 bytes.
BODY = '{"token":"' + "A" * 4400 + '"}'
LARGE = '{"token":"' + "A" * 1_100_000 + '"}'
CURL = "curl -sS --fail --unix-socket $SOCKET -H 'Paytoken-Request: true'"
JSON = "-H 'Content-Type: application/json'"

PHP = r"""<?php
foreach (['/v1/payments/order-1001', '/v1/decrypt'] as $path) {
    $curl = curl_init("http://paytoken$path");
    curl_setopt_array($curl, [CURLOPT_UNIX_SOCKET_PATH => getenv('SOCKET'), CURLOPT_RETURNTRANSFER => true, CURLOPT_FAILONERROR => true,
        CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Paytoken-Request: true']]);
    if ($path == '/v1/decrypt') curl_setopt($curl, CURLOPT_POSTFIELDS, file_get_contents(getenv('BODY')));
    if (curl_exec($curl) === false) exit(1);
}
"""

NODE = r"""
const http = require('http'), fs = require('fs')
const body = fs.readFileSync(process.env.BODY)
function send(method, path, parts, then) {
  const request = http.request({ socketPath: process.env.SOCKET, method, path,
    headers: { 'Content-Type': 'application/json', 'Paytoken-Request': 'true' } }, (answer) => {
    if (answer.statusCode !== 200) process.exit(1)
    answer.resume().on('end', then)
  })
  for (const part of parts.slice(0, -1)) request.write(part)
  request.end(parts.at(-1))
}
if (process.env.CHUNKED) send('POST', '/v1/decrypt', [body.subarray(0, 9), body.subarray(9), ''], () => process.exit(0))
else send('GET', '/v1/payments/order-1001', [''], () => send('POST', '/v1/decrypt', [body], () => process.exit(0)))
"""

NODE_FETCH = r"""
// fetch itself has no option for a socket, so the server is reached over a port that passes the bytes on.
const net = require('net'), fs = require('fs')
const port = net.createServer((client) => {
  const service = net.connect(process.env.SOCKET)
  client.pipe(service).pipe(client)
}).listen(0, '127.0.0.1', async () => {
  const headers = { 'Content-Type': 'application/json', 'Paytoken-Request': 'true' }
  const origin = `http://127.0.0.1:${port.address().port}`
  const answers = [await fetch(`${origin}/v1/payments/order-1001`, { headers }),
    await fetch(`${origin}/v1/decrypt`, { method: 'POST', headers, body: fs.readFileSync(process.env.BODY) })]
  process.exit(answers.every((answer) => answer.ok) ? 0 : 1)
})
"""

PYTHON = r"""
import http.client, os, socket
class Service(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(os.environ["SOCKET"])
service = Service("paytoken")
fields = {"Content-Type": "application/json", "Paytoken-Request": "true"}
for method, path, body in ("GET", "/v1/payments/order-1001", None), ("POST", "/v1/decrypt", open(os.environ["BODY"]).read()):
    service.request(method, path, body, fields)
    answer = service.getresponse()
    answer.read()
    assert answer.status == 200
"""

RUBY = r"""
require 'net/http'
require 'socket'
class Service < Net::HTTP
  def connect
    @socket = Net::BufferedIO.new(UNIXSocket.new(ENV['SOCKET']))
    on_connect
  end
end
fields = { 'Content-Type' => 'application/json', 'Paytoken-Request' => 'true' }
Service.new('paytoken').start do |service|
  exit 1 unless service.get('/v1/payments/order-1001', fields).code == '200'
  exit 1 unless service.post('/v1/decrypt', File.read(ENV['BODY']), fields).code == '200'
end
"""

PERL = r"""
use HTTP::Tiny;
use IO::Socket::UNIX;
# HTTP::Tiny asks for the other side's address.
sub IO::Socket::UNIX::peerhost { 'paytoken' }
sub IO::Socket::UNIX::peerport { 0 }
no warnings 'redefine';
*HTTP::Tiny::Handle::connect = sub {
    my ($self, $scheme, $host, $port, $peer) = @_;
    $self->{fh} = IO::Socket::UNIX->new(Peer => $ENV{SOCKET}) or die $!;
    @$self{qw(scheme host port peer pid)} = ($scheme, $host, $port, $peer, $$);
    return $self;
};
open my $file, '<', $ENV{BODY} or die $!;
my $client = HTTP::Tiny->new(default_headers => { 'Content-Type' => 'application/json', 'Paytoken-Request' => 'true' });
die unless $client->get('http://paytoken/v1/payments/order-1001')->{success};
die unless $client->post('http://paytoken/v1/decrypt', { content => do { local $/; <$file> } })->{success};
"""

JAVA = r"""
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.file.*;

// Java's HttpClient has no Unix sockets, so the program writes the head itself.
class Service {
    public static void main(String[] words) throws Exception {
        byte[] body = Files.readAllBytes(Path.of(System.getenv("BODY")));
        String fields = "Host: paytoken\r\nPaytoken-Request: true\r\nConnection: close\r\n";
        send("GET /v1/payments/order-1001 HTTP/1.1\r\n" + fields + "\r\n", new byte[0]);
        send("POST /v1/decrypt HTTP/1.1\r\n" + fields + "Content-Type: application/json\r\nContent-Length: " + body.length
            + "\r\n\r\n", body);
    }

    static void send(String head, byte[] body) throws Exception {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(System.getenv("SOCKET")))) {
            channel.write(ByteBuffer.wrap(head.getBytes("US-ASCII")));
            channel.write(ByteBuffer.wrap(body));
            var answer = ByteBuffer.allocate(4096);
            while (channel.read(answer) >= 0) { }
            if (!new String(answer.array(), "US-ASCII").startsWith("HTTP/1.1 200 ")) System.exit(1);
        }
    }
}
"""

GO = r"""
package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"strings"
)

func main() {
	body, _ := os.ReadFile(os.Getenv("BODY"))
	client := http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", os.Getenv("SOCKET"))
	}}}
	for _, path := range []string{"/v1/payments/order-1001", "/v1/decrypt"} {
		request, _ := http.NewRequest("GET", "http://paytoken"+path, nil)
		if path == "/v1/decrypt" {
			request, _ = http.NewRequest("POST", "http://paytoken"+path, strings.NewReader(string(body)))
			request.Header.Set("Content-Type", "application/json")
		}
		request.Header.Set("Paytoken-Request", "true")
		answer, err := client.Do(request)
		if err != nil || answer.StatusCode != 200 {
			os.Exit(1)
		}
		answer.Body.Close()
	}
}
"""

NGINX = r"""
cat > $WORK/nginx.conf <<END
daemon off; user $(id -un) $(id -gn); pid $WORK/nginx.pid; error_log $WORK/error.log;
events {}
http {
  access_log off; client_max_body_size 2m;
  client_body_temp_path $WORK/a; proxy_temp_path $WORK/b; fastcgi_temp_path $WORK/c; uwsgi_temp_path $WORK/d; scgi_temp_path $WORK/e;
  server { listen unix:$WORK/nginx.sock; location / { proxy_pass http://unix:$SOCKET:; } }
}
END
/usr/sbin/nginx -c $WORK/nginx.conf & nginx=$!
trap 'kill $nginx; wait $nginx || :' EXIT
for _ in $(seq 50); do [ -S $WORK/nginx.sock ] && break; sleep 0.1; done
SOCKET=$WORK/nginx.sock
"""


POST = f"{CURL} {JSON} --data-binary @$BODY http://paytoken/v1/decrypt"
BOTH = f"{CURL} http://paytoken/v1/payments/order-1001 && {POST}"

# The commands of the clients, and the body that each sends.
CLIENTS = {
    "curl": (BOTH, BODY),
    "curl-expect": (POST, LARGE),
    "curl-file": (f"{CURL} {JSON} -X POST -T - http://paytoken/v1/decrypt < $BODY", BODY),
    "go": ("cat > $WORK/main.go && HOME=$WORK go run $WORK/main.go", BODY, GO),
    "java": ("cat > $WORK/Service.java && java $WORK/Service.java", BODY, JAVA),
    "nginx": (NGINX + BOTH, BODY),
    "node": ("node -", BODY, NODE),
    "node-chunked": ("CHUNKED=1 node -", BODY, NODE),
    "node-fetch": ("node -", BODY, NODE_FETCH),
    "perl": ("perl -", BODY, PERL),
    "php": ("php", BODY, PHP),
    "python": ("/usr/bin/python3 -", BODY, PYTHON),
    "ruby": ("ruby -", BODY, RUBY),
}


def read_body(sent, head):
    fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:] if line)
    if fields.get("transfer-encoding") == "chunked":
        while size := int(sent.readline(), 16):
            sent.read(size + 2)
        sent.readline()
    else:
        sent.read(int(fields.get("content-length", 0)))


def serve(server, heads):
    """Answers requests, and appends their heads."""
    while True:
        client, _ = server.accept()
        with client, client.makefile("rb") as sent:
            while line := sent.readline():
                head = line
                while line.strip():
                    line = sent.readline()
                    head += line
                heads.append(head)
                if b"100-continue" in head:
                    client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                read_body(sent, head)
                closes = b"\r\nConnection: close\r\n" in head or b" HTTP/1.0\r\n" in head
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n"
                               + b"Connection: close\r\n" * closes + b"\r\n{}\n")
                if closes:
                    break


def record(name, folder):
    command, body, *program = CLIENTS[name]
    with tempfile.TemporaryDirectory() as work, socket.socket(socket.AF_UNIX) as server:
        path, file, heads = f"{work}/socket", pathlib.Path(work, "body"), []
        file.write_text(body)
        server.bind(path)
        server.listen()
        threading.Thread(target=serve, args=(server, heads), daemon=True).start()
        environment = {"PATH": "/usr/bin:/bin", "SOCKET": path, "BODY": str(file), "WORK": work, "HOME": work}
        subprocess.run(["sh", "-ec", command], input="".join(program), text=True, env=environment, check=True,
                       stdout=subprocess.DEVNULL, timeout=120)
    for head in heads:
        method = head.split()[0].decode().lower()
        pathlib.Path(folder, f"{name}-{method}.head").write_bytes(head)
        print(f"{name}-{method}.head: {len(head)} bytes")
    if not heads:
        sys.exit(f"{name} sent nothing")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[2:] or CLIENTS:
        record(name, sys.argv[1])


main()
