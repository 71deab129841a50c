#!/usr/bin/env python3
"""An EST server (RFC 7030) and the ways in which one can fail, by the first word of the path.

  est-server.py PKI FOLDER

PKI is a folder of tools/demo/make-certificates, whose root signs; FOLDER takes what openssl makes. It asks for a client
certificate and takes none. Prints its port, then each request as a JSON line.
"""

import base64
import http.server
import json
import ssl
import subprocess
import sys
import threading

PKI, FOLDER = sys.argv[1:]
BASIC = "Basic " + base64.b64encode(b"board:geheim").decode()
lock = threading.Lock()
counts = {}


def openssl(*words, given=None):
    done = subprocess.run(["openssl", *words], input=given, capture_output=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode())
    return done.stdout


def envelope(*paths):
    """Certificates in a signed message that nobody has signed, in lines of Base64."""
    words = [word for path in paths for word in ("-certfile", path)]
    return base64.encodebytes(openssl("crl2pkcs7", "-nocrl", *words, "-outform", "DER"))


def sign(csr, ca):
    """Signs a request in DER, with its names."""
    with lock:
        counts["serial"] = counts.get("serial", 1000) + 1
        path = f"{FOLDER}/{counts['serial']}.pem"
        with open(path + ".ext", "w") as file:
            file.write("keyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth\n")
        pem = openssl("req", "-inform", "DER", "-verify", given=csr)
        openssl("x509", "-req", "-CA", ca + ".pem", "-CAkey", ca + ".key", "-set_serial", str(counts["serial"]),
                "-days", "30", "-extfile", path + ".ext", "-out", path, given=pem)
        return path


def make_expired():
    """A root that ended yesterday."""
    path = FOLDER + "/expired-ca"
    with open(path + ".ext", "w") as file:
        file.write("basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n")
    request = openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                      path + ".key", "-subj", "/CN=Expired root")
    openssl("x509", "-req", "-signkey", path + ".key", "-days", "-1", "-extfile", path + ".ext", "-out", path + ".pem",
            given=request)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        word, service = self.path.rstrip("/").split("/")[1], self.path.rsplit("/", 1)[1]
        peer = self.connection.getpeercert()
        with lock:
            counts[self.path] = counts.get(self.path, 0) + 1
            number = counts[self.path]
            print(json.dumps({
                "path": self.path, "method": self.command, "body": body.decode(),
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "client": dict(part[0] for part in peer["subject"]).get("commonName") if peer else None}), flush=True)
        if service == "cacerts":
            return self.cacerts(word)
        getattr(self, "enrol_" + word.replace("-", "_").replace(".", ""), self.enrol_good)(body, number)

    do_POST = do_GET

    def answer(self, status, body=b"", kind="application/pkcs7-mime; smime-type=certs-only", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cacerts(self, word):
        if word == "absent":
            return self.answer(404)
        if word == "expired":
            return self.answer(200, envelope(FOLDER + "/expired-ca.pem"))
        self.answer(200, envelope(PKI + "/ca.pem"))

    def enrol_good(self, body, number):
        self.answer(200, envelope(sign(base64.b64decode(body), PKI + "/ca")))

    def enrol_basic(self, body, number):
        if self.headers.get("Authorization") != BASIC:
            return self.answer(401, WWW_Authenticate='Basic realm="est"')
        self.enrol_good(body, number)

    def enrol_forbidden(self, body, number):
        self.answer(403)

    def enrol_refused(self, body, number):
        self.answer(400, b"the key\x1b[2J is too short\nand more", "text/plain")

    def enrol_busy(self, body, number):
        self.answer(503, b"<html>busy</html>", "text/html", Retry_After="900")

    def enrol_busy_once(self, body, number):
        self.answer(503, Retry_After="1") if number == 1 else self.enrol_good(body, number)

    def enrol_pending(self, body, number):
        self.answer(202, Retry_After="900") if number == 1 else self.enrol_good(body, number)

    def enrol_html(self, body, number):
        self.answer(200, b"<html><body>Welcome</body></html>", "text/html")

    def enrol_huge(self, body, number):
        self.answer(200, b"A" * (1 << 20))

    def enrol_empty(self, body, number):
        self.answer(200)

    def enrol_halved(self, body, number):
        whole = envelope(sign(base64.b64decode(body), PKI + "/ca"))
        self.answer(200, whole[:len(whole) // 2])

    def enrol_moved(self, body, number):
        self.answer(302, Location="https://localhost/elsewhere")

    def enrol_hang(self, body, number):
        threading.Event().wait(20)

    def enrol_stranger(self, body, number):
        self.answer(200, envelope(PKI + "/client.pem"))

    def enrol_expired(self, body, number):
        self.answer(200, envelope(sign(base64.b64decode(body), FOLDER + "/expired-ca")))

    def enrol_foreign(self, body, number):
        self.answer(200, envelope(sign(base64.b64decode(body), PKI + "/other-ca")))

    def log_message(self, *words):
        pass


def main():
    make_expired()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PKI + "/server.pem", PKI + "/server.key")
    context.load_verify_locations(PKI + "/ca.pem")
    context.verify_mode = ssl.CERT_OPTIONAL
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *words: None
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port, flush=True)
    server.serve_forever()


main()
