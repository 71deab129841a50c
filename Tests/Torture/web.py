"""A web server that takes the webhooks of a tortured kiosk, and fails on demand."""
import collections
import http.server
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        web = self.server.web
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        key = self.headers["Idempotency-Key"]
        if body != key:
            web.odd.append((key, body))
        mode = web.mode
        if mode == "close":
            self.close_connection = True
            return
        if mode == "hang":
            web.healed.wait(3)
        self.send_response(500 if mode == "fail" else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if mode != "fail":
            web.taken[key] += 1

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Says nothing: clients are killed all the time."""


class Web:
    """A server on a thread of its own. `mode` is good, fail, close or hang."""

    def __init__(self):
        self.mode, self.taken, self.odd = "good", collections.Counter(), []
        self.healed = threading.Event()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.web = self
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def be(self, mode):
        """Returns what repairs it."""
        self.mode = mode
        self.healed.clear()

        def healing():
            self.mode = "good"
            self.healed.set()

        return healing

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
