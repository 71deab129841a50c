"""A broker of three nodes: nats-server with JetStream, replicated three times, mutual TLS for clients and routes."""
import json
import os
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request

from parts import PATH, ROOT, Failure, await_, end

COUNT = 3
NODE = """server_name: n{number}
listen: 127.0.0.1:{client}
http: 127.0.0.1:{monitor}
jetstream {{ store_dir: "{folder}/data{number}", max_mem: 64M, max_file: 1G }}
cluster {{
  name: tappet
  listen: 127.0.0.1:{route}
  tls {{ cert_file: "{pki}/node.pem", key_file: "{pki}/node.key", ca_file: "{pki}/broker-ca.pem", verify: true }}
  routes: [{routes}]
}}
mqtt {{
  listen: 127.0.0.1:{mqtt}
  ack_wait: 5s
  max_ack_pending: 1000
  tls {{ cert_file: "{pki}/node.pem", key_file: "{pki}/node.key", ca_file: "{pki}/broker-ca.pem", verify: true }}
}}
"""


def program():
    """Returns the path of nats-server; None where it is not installed."""
    return shutil.which("nats-server", path=PATH)


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Node:
    """A nats-server that is one of the three nodes."""

    def __init__(self, folder, number, ports, routes):
        self.folder, self.number, self.process = folder, number, None
        self.mqtt_port, self.monitor_port = ports["mqtt"], ports["monitor"]
        self.config = f"{folder}/n{number}.conf"
        with open(self.config, "w") as file:
            file.write(NODE.format(number=number, folder=folder, pki=f"{folder}/pki", routes=routes, **ports))

    def start(self):
        words = [program(), "-c", self.config, "-l", f"{self.folder}/n{self.number}.log"]
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=nowhere)

    def trouble(self):
        """The reason why it is not healthy, in its own words; an empty text if it is."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor_port}/healthz", timeout=1):
                return ""
        except urllib.error.HTTPError as error:
            return json.loads(error.read() or b"{}").get("error") or str(error)
        except (urllib.error.URLError, OSError) as error:
            return str(error)

    def is_healthy(self):
        return not self.trouble()

    def serves(self):
        """Whether it is in the cluster, and has all streams. A consumer that nobody uses may lag behind on one node of
        nats-server 2.9 until its next message, and starting the node again does not mend that."""
        trouble = self.trouble()
        return not trouble or trouble.startswith("JetStream consumer ") and trouble.endswith(" is not current")

    def kill(self):
        end(self.process)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)


class Cluster:
    """The three nodes."""

    def __init__(self, folder):
        words = [os.path.join(ROOT, "tools/demo/make-certificates"), f"{folder}/pki", "--second-client", "--node"]
        made = subprocess.run(words, capture_output=True, text=True)
        if made.returncode:
            raise Failure(made.stderr.strip())
        ports = free_ports(4 * COUNT)
        named = [dict(zip(("client", "monitor", "route", "mqtt"), ports[4 * n:4 * n + 4])) for n in range(COUNT)]
        routes = ", ".join(f"nats-route://127.0.0.1:{one['route']}" for one in named)
        self.nodes = [Node(folder, number, one, routes) for number, one in enumerate(named)]
        for node in self.nodes:
            node.start()
        self.await_health()

    def await_health(self):
        """Waits until all nodes are healthy. Two nodes of nats-server 2.9 that connect to each other at once may both
        close the route as a duplicate, for good; then one of them is started again."""
        for _ in range(5):
            try:
                return await_("all nodes to be healthy", lambda: all(node.is_healthy() for node in self.nodes), 12)
            except Failure:
                if all(node.serves() for node in self.nodes):
                    return print("  a consumer that nobody uses lags behind on one node", flush=True)
                lonely = next((node for node in self.nodes if not node.is_healthy()), None)
                if lonely:
                    print(f"  node {lonely.number} is started again: it does not find the others", flush=True)
                    lonely.kill()
                    lonely.start()
        await_("all nodes to be healthy", lambda: all(node.is_healthy() for node in self.nodes), 12)

    def ports(self, first):
        """The MQTT ports, beginning with that of the node `first`."""
        return [self.nodes[(first + step) % COUNT].mqtt_port for step in range(COUNT)]

    def close(self):
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.thaw()
                node.kill()
