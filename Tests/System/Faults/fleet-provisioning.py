#!/usr/bin/env python3
"""Plays AWS IoT's fleet provisioning behind a real broker, as its "Device provisioning MQTT API" has it.

  fleet-provisioning.py PORT PKI FOLDER

It answers the first request by the common name in the CSR, and the second one by the template's name, so that one
stand-in plays every fault. PKI is a folder of tools/demo/make-certificates. Prints a JSON line for each request.
"""

import ctypes
import json
import signal
import subprocess
import sys

PORT, PKI, FOLDER = sys.argv[1:]
CREATION = "$aws/certificates/create-from-csr/json"
TLS = ["-h", "localhost", "-p", PORT, "--cafile", PKI + "/ca.pem", "--cert", PKI + "/second-client.pem",
       "--key", PKI + "/second-client.key", "-q", "1"]
counts = {}
tokens = {}


def openssl(*words, given=None):
    done = subprocess.run(["openssl", *words], input=given, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr)
    return done.stdout


def answer(topic, value):
    payload = value if isinstance(value, str) else json.dumps(value)
    subprocess.run(["mosquitto_pub", *TLS, "-t", topic, "-s"], input=payload, text=True, check=True)


def refuse(topic, status, code, text):
    answer(topic + "/rejected", {"statusCode": status, "errorCode": code, "errorMessage": text})


def sign(csr, days="30"):
    return openssl("x509", "-req", "-CA", PKI + "/ca.pem", "-CAkey", PKI + "/ca.key", "-set_serial",
                   str(1000 + sum(counts.values())), "-days", days, given=csr)


def create(request):
    csr = request["certificateSigningRequest"]
    # openssl verifies the signature that proves the key.
    name = openssl("req", "-verify", "-noout", "-subject", "-nameopt", "multiline", given=csr)
    name = name.split("commonName")[1].split("=")[1].strip()
    counts[name] = counts.get(name, 0) + 1
    token = f"token-of-{name}"
    tokens[token] = name
    issued = {"certificateId": "ab" * 32, "certificateOwnershipToken": token}
    if name == "silent":
        return
    if name == "rejected":
        return refuse(CREATION, 400, "InvalidCertificateSigningRequest", "The CSR\x1b[2J is not valid")
    if name == "throttled" and counts[name] == 1:
        return refuse(CREATION, 429, "TooManyRequests", "Rate exceeded")
    if name == "crowded":
        return refuse(CREATION, 429, "TooManyRequests", "Rate exceeded")
    if name == "garbage":
        return answer(CREATION + "/accepted", "\x00<html>this is not JSON")
    if name == "halved":
        return answer(CREATION + "/accepted", {"certificateId": "ab" * 32})
    if name == "noise":
        return answer(CREATION + "/accepted", dict(issued, certificatePem="-----BEGIN CERTIFICATE-----\nAAAA\n"))
    if name == "huge":
        return answer(CREATION + "/accepted", dict(issued, certificatePem="A" * 300_000))
    if name == "stranger":
        with open(PKI + "/client.pem") as file:
            return answer(CREATION + "/accepted", dict(issued, certificatePem=file.read()))
    if name == "expired":
        return answer(CREATION + "/accepted", dict(issued, certificatePem=sign(csr, "-1")))
    answer(CREATION + "/accepted", dict(issued, certificatePem=sign(csr)))


def register(topic, template, request):
    if request["certificateOwnershipToken"] not in tokens:
        return refuse(topic, 400, "InvalidCertificateOwnershipToken", "The token is unknown")
    if template == "missing":
        return refuse(topic, 404, "ResourceNotFound", "There is no template missing")
    if template == "mute":
        return
    serial = request["parameters"].get("SerialNumber", "")
    configuration = {"Greeting": "hello\u001b[2J", "Location": request["parameters"].get("Location", "none")}
    answer(topic + "/accepted", {"thingName": "thing-" + serial, "deviceConfiguration": configuration})


def listen():
    words = ["mosquitto_sub", *TLS, "-d", "-t", CREATION, "-t", "$aws/provisioning-templates/+/provision/json", "-F",
             "message %t %p"]
    # PR_SET_PDEATHSIG: it ends with this program, whatever ends that.
    with subprocess.Popen(["stdbuf", "-oL", *words], stdout=subprocess.PIPE, text=True,
                          preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL)) as subscriber:
        for line in subscriber.stdout:
            if "Subscribed" in line:
                print("ready", flush=True)
            if not line.startswith("message "):
                continue
            _, topic, payload = line.split(" ", 2)
            request = json.loads(payload)
            print(json.dumps({"topic": topic, "request": request}), flush=True)
            if topic == CREATION:
                create(request)
            else:
                register(topic, topic.split("/")[2], request)


listen()
