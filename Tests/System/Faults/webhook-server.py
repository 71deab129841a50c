#!/usr/bin/env python3
"""A server that plays the ways in which one can answer a webhook, by the request's path.

  webhook-server.py [CERTIFICATE KEY [CLIENT-CA]]

Prints its port, then each request as a JSON line. Without a certificate it speaks HTTP; with
CLIENT-CA it wants a client certificate.
"""

import email.utils
import http.server
import json
import ssl
import sys
import threading
import time

lock = threading.Lock()
counts = {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            counts[self.path] = counts.get(self.path, 0) + 1
            number = counts[self.path]
            names = {name.lower(): value for name, value in self.headers.items()}
            record = {"path": self.path, "method": self.command, "headers": names, "body": body.decode(),
                      "time": time.time(), "port": self.client_address[1],
                      "client": bool(getattr(self.connection, "getpeercert", dict)())}
            print(json.dumps(record), flush=True)
        word = self.path.split("?")[0].strip("/").split("/")[0]
        getattr(self, "answer_" + word.replace("-", "_"), self.answer_ok)(number)

    do_PUT = do_GET = do_PATCH = do_DELETE = do_POST

    def answer(self, status, headers=(), body=b"done"):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_ok(self, number):
        self.answer(200)

    def answer_fail_once(self, number):
        self.answer(500 if number == 1 else 200)

    def answer_later(self, number):
        self.answer(*((429, [("Retry-After", "3")]) if number == 1 else (200,)))

    def answer_date(self, number):
        when = email.utils.formatdate(time.time() + 4, usegmt=True)
        self.answer(*((503, [("Retry-After", when)]) if number == 1 else (200,)))

    def answer_missing(self, number):
        self.answer(404)

    def answer_deployed(self, number):
        self.answer({2: 404, 3: 401, 4: 421}.get(number, 200))

    def answer_made_later(self, number):
        self.answer(404 if number == 1 else 200)

    def answer_gone(self, number):
        self.answer(410)

    def answer_hang(self, number):
        never = threading.Event()
        never.wait(1 if number > 1 else 30)
        self.answer(200)

    def answer_close(self, number):
        if number > 1:
            return self.answer(200)
        self.close_connection = True
        self.connection.close()

    def answer_flood(self, number):
        self.send_response(200)
        self.send_header("Content-Length", str(10 << 30))
        self.end_headers()
        self.pour(bytes(65536))

    def answer_stream(self, number):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.pour(b"10000\r\n" + bytes(65536) + b"\r\n")

    def answer_headers(self, number):
        self.send_response(200)
        self.flush_headers()
        self.pour(b"T: " + b"a" * 900 + b"\r\n")

    def answer_trailers(self, number):
        self.send_response(500)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"0\r\n")
        self.pour(b"T: " + b"a" * 900 + b"\r\n")

    def answer_hints(self, number):
        self.pour(b"HTTP/1.1 103 Early Hints\r\nLink: " + b"a" * 900 + b"\r\n\r\n")

    def answer_garbage(self, number):
        self.tell(b"SSH-2.0-OpenSSH_9.2p1\r\n")

    def answer_old(self, number):
        self.tell(b"HTTP/0.9 200 OK\r\n\r\n")

    def answer_nul(self, number):
        self.tell(b"HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n")

    def tell(self, words):
        self.close_connection = True
        self.wfile.write(words)

    def pour(self, block):
        self.close_connection = True
        try:
            while True:
                self.wfile.write(block)
        except OSError:
            pass

    def answer_to_file(self, number):
        self.answer(302, [("Location", "file:///etc/passwd")])

    def answer_to_itself(self, number):
        self.answer(307, [("Location", self.path)])

    def answer_to_plain(self, number):
        self.answer(307, [("Location", "http://127.0.0.1:1/")])

    def answer_to_ok(self, number):
        self.answer(307, [("Location", "/ok")])

    def log_message(self, *words):
        pass


def tls(certificate, key, client_ca=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if client_ca:
        context.load_verify_locations(client_ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def main(*files):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *words: None
    if files:
        server.socket = tls(*files).wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port, flush=True)
    server.serve_forever()


main(*sys.argv[1:])
