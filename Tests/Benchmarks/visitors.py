#!/usr/bin/env python3
"""Visitors of a kiosk's page: some that look, and two programs that ask too often, each from addresses of its own.

Usage: visitors.py PORT                  asks for the state as often as it is answered, and prints the number a second
       visitors.py PORT COUNT COOKIE     enters COUNT wrong passwords with the cookie in this file, and prints how many
                                         responses had each status
"""
import collections
import http.client
import json
import os
import selectors
import signal
import socket
import ssl
import sys
import threading
import time
import urllib.parse

HERE = "127.0.0.1"
PATIENCE = 20
# Limits.webConnectionsPerAddress, webStreamsPerDevice and webAsksPerSecond, the last of an address.
LOOKERS_PER_DEVICE = 6
GUESSERS = 40
TLS = ssl.create_default_context()
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE


class Visitor:
    """A browser's connection from an address of its own."""

    def __init__(self, port, address=HERE, cookie=None):
        self.port, self.address = port, address
        self.headers = {"Host": f"localhost:{port}", "Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
        if cookie:
            self.headers["Cookie"] = cookie
        self.connection = self.connect()

    def connect(self):
        return http.client.HTTPSConnection(
            HERE, self.port, timeout=PATIENCE, context=TLS, source_address=(self.address, 0))

    def ask(self, path, form=None):
        """The status, the headers and the body of the response; a connection that the server has closed is renewed."""
        method = "GET" if form is None else "POST"
        body = None if form is None else urllib.parse.urlencode(form)
        headers = self.headers if form is None else {
            **self.headers, "Content-Type": "application/x-www-form-urlencoded"}
        for is_last in (False, True):
            try:
                self.connection.request(method, path, body, headers)
                response = self.connection.getresponse()
                return response.status, response.headers, response.read()
            except (http.client.HTTPException, OSError):
                self.connection.close()
                self.connection = self.connect()
                if is_last:
                    raise

    def stream(self):
        """A connection on which the first state has arrived, and further events do."""
        plain = socket.create_connection((HERE, self.port), PATIENCE, (self.address, 0))
        secure = TLS.wrap_socket(plain)
        lines = ["GET /events HTTP/1.1"] + [f"{name}: {value}" for name, value in self.headers.items()]
        secure.sendall("\r\n".join(lines + ["", ""]).encode())
        received = b""
        while b"event: state" not in received:
            part = secure.recv(65536)
            received += part
            if not part or len(received) > 1 << 20:
                head, _, body = received.partition(b"\r\n\r\n")
                raise OSError(f"a viewer from {self.address} got {head[:30]} {body[:200]}")
        return secure


class Lookers:
    """Browsers that look: a stream each, which one thread reads."""

    def __init__(self, port, cookies, count):
        self.selector, self.lost = selectors.DefaultSelector(), 0
        for number in range(count):
            device = number // LOOKERS_PER_DEVICE
            connection = Visitor(port, f"127.0.2.{device + 1}", cookies[device]).stream()
            connection.setblocking(False)
            self.selector.register(connection, selectors.EVENT_READ)
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        while not self.is_over.is_set():
            for key, _ in self.selector.select(0.2):
                try:
                    while key.fileobj.recv(65536):
                        pass
                    self.drop(key.fileobj)
                except ssl.SSLWantReadError:
                    pass
                except OSError:
                    self.drop(key.fileobj)

    def drop(self, connection):
        self.selector.unregister(connection)
        connection.close()
        self.lost += 1

    def stop(self):
        """Closes the streams; returns how many the server has closed."""
        self.is_over.set()
        self.thread.join(PATIENCE)
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()
        return self.lost


def flood(port):
    visitor, count, begin = Visitor(port, "127.0.3.1"), 0, time.monotonic()

    def end(*_):
        print(f"{count / (time.monotonic() - begin):.0f}", flush=True)
        # The connection is in use.
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        visitor.ask("/api/state")
        count += 1
        if count == 1:
            print("ready", flush=True)


def guess(port, count, cookie):
    visitors = [Visitor(port, f"127.0.4.{number + 1}", cookie) for number in range(GUESSERS)]
    statuses = collections.Counter(
        visitors[number % GUESSERS].ask("/api/again", {"password": f"wrong horse {number}"})[0]
        for number in range(count))
    print(json.dumps(statuses), flush=True)


def main():
    words = sys.argv[1:]
    if len(words) not in (1, 3):
        sys.exit(__doc__)
    # The visitors' own work delays no other process.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    if len(words) == 1:
        flood(int(words[0]))
    else:
        with open(words[2], encoding="ascii") as file:
            guess(int(words[0]), int(words[1]), file.read())


if __name__ == "__main__":
    main()
