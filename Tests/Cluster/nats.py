"""A broker of three nodes: nats-server with JetStream, replicated three times, mutual TLS for clients and routes."""
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

import engine
from engine import COUNT, free_ports
from parts import PATH, Failure, await_
from routes import Route

NAME = "NATS"
# Nodes whose only trouble is a consumer that nobody uses are waited for no longer.
SETTLED_SECONDS = 2
NODE = """server_name: n{number}
listen: 127.0.0.1:{client}
http: 127.0.0.1:{monitor}
jetstream {{ store_dir: "{folder}/data{number}", max_mem: 64M, max_file: 4G }}
cluster {{
  name: tappet
  listen: 127.0.0.1:{route}
  {advertise}
  tls {{
    cert_file: "{pki}/{identity}.pem", key_file: "{pki}/{identity}.key", ca_file: "{pki}/broker-ca.pem", verify: true
  }}
  routes: [{routes}]
}}
mqtt {{
  listen: 127.0.0.1:{mqtt}
  ack_wait: 5s
  max_ack_pending: 1000
  tls {{
    cert_file: "{pki}/{listener}.pem", key_file: "{pki}/{listener}.key", ca_file: "{pki}/broker-ca.pem", verify: true
  }}
}}
"""


def program():
    """Returns the path of nats-server; None where it is not installed."""
    return shutil.which("nats-server", path=PATH)


def version():
    told = subprocess.run([program(), "--version"], capture_output=True, text=True).stdout
    return "NATS " + told.split("v")[-1].strip()


class Node(engine.Node):
    def __init__(self, folder, number, ports, routes, advertised):
        super().__init__(folder, number)
        self.mqtt_port, self.monitor_port, self.client_port = ports["mqtt"], ports["monitor"], ports["client"]
        self.ports, self.log, self.config = ports, f"{folder}/n{number}.log", f"{folder}/n{number}.conf"
        self.routes = ", ".join(f"nats-route://127.0.0.1:{port}" for port in routes)
        self.advertise = f"advertise: 127.0.0.1:{advertised}" if advertised else ""

    def command(self):
        with open(self.config, "w") as file:
            file.write(NODE.format(
                number=self.number, folder=self.folder, pki=f"{self.folder}/pki", routes=self.routes,
                advertise=self.advertise, identity=self.identity, listener=self.listener_identity, **self.ports))
        return [program(), "-c", self.config, "-l", self.log], None

    def monitor(self, path):
        """Returns what its monitoring port has there, as an object."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor_port}{path}", timeout=1) as answer:
            return json.load(answer)

    def trouble(self):
        """The reason why it is not healthy, in its own words; an empty text if it is."""
        try:
            self.monitor("/healthz")
            # Each node has to reach each other one by itself, which no check of NATS' own looks at.
            others = {route["remote_id"] for route in self.monitor("/routez")["routes"]}
            return "" if len(others) == COUNT - 1 else f"it has routes to {len(others)} other nodes"
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

    def streams(self):
        """The streams with MQTT's sessions, messages and retained messages: (name, name of the leader)."""
        accounts = self.monitor("/jsz?streams=true&accounts=true").get("account_details", [])
        found = [stream for account in accounts for stream in account.get("stream_detail", [])]
        return [(stream["name"], stream.get("cluster", {}).get("leader", "")) for stream in found]

    def order(self, subject):
        """Sends a message without a payload to the subject."""
        with socket.create_connection(("127.0.0.1", self.client_port), timeout=2) as connection:
            connection.sendall(f"CONNECT {{}}\r\nPUB {subject} 0\r\n\r\nPING\r\n".encode())
            while b"PONG" not in connection.recv(4096):
                pass


class Cluster(engine.Cluster):
    """The three nodes. With `has_proxies`, a proxy that can be cut is between each two."""

    def __init__(self, folder, has_proxies=False):
        engine.make_certificates(folder)
        ports = free_ports(5 * COUNT)
        named = [dict(zip(("client", "monitor", "route", "mqtt", "nowhere"), ports[5 * n:5 * n + 5]))
                 for n in range(COUNT)]
        pairs = [(one, other) for one in range(COUNT) for other in range(one + 1, COUNT)] if has_proxies else []
        self.links = {(one, other): Route(named[other]["route"]) for one, other in pairs}
        self.nodes = []
        for number, own in enumerate(named):
            routes = [self._route(number, other, named) for other in range(COUNT)]
            self.nodes.append(Node(folder, number, own, routes, own["nowhere"] if has_proxies else None))
        self.start()

    def _route(self, number, other, named):
        """The port at which a node looks for another one.

        With proxies, only the first of two looks for the other, or both might close the route as a duplicate, for good.
        They advertise a port where nobody listens, or they would find each other past the proxies."""
        if not self.links or number == other:
            return named[other]["route"]
        return self.links[number, other].port if number < other else named[other]["nowhere"]

    def await_health(self):
        """Waits until all nodes are healthy. Two nodes of nats-server 2.9 that connect to each other at once may both
        close the route as a duplicate, for good; then one of them is started again."""
        for _ in range(5):
            if self._are_healthy(12):
                return
            lonely = next((node for node in self.nodes if not node.serves()), None)
            if lonely:
                print(f"  node {lonely.number} is started again: {lonely.trouble()}", flush=True)
                lonely.kill()
                lonely.start()
        if not self._are_healthy(12):
            raise Failure("the nodes do not become healthy: " + "; ".join(node.trouble() for node in self.nodes))

    def _are_healthy(self, seconds):
        """Waits for that. Nodes that serve for a while are healthy enough."""
        serves_since = [None]

        def is_over():
            if not all(node.serves() for node in self.nodes):
                serves_since[0] = None
                return False
            serves_since[0] = serves_since[0] or time.monotonic()
            is_settled = time.monotonic() - serves_since[0] > SETTLED_SECONDS
            return is_settled or all(node.is_healthy() for node in self.nodes)

        try:
            return await_("all nodes to be healthy", is_over, seconds, 0.05)
        except Failure:
            return False

    def follower(self, number):
        """Returns the node `number`, or the next one that does not lead the whole cluster, which no client may move."""
        leader = self.nodes[0].monitor("/jsz")["meta_cluster"].get("leader")
        return (number + 1) % COUNT if leader == f"n{number}" else number

    def _step_down(self, is_wanted):
        """Has a stream's leader step down while `is_wanted(name, number of the leader)` says so."""

        def is_over():
            streams = self.nodes[0].streams()
            unwanted = [name for name, leader in streams if not leader or is_wanted(name, int(leader[1:]))]
            for name in unwanted:
                self.nodes[0].order(f"$JS.API.STREAM.LEADER.STEPDOWN.{name}")
            return not unwanted

        await_("the leaders to move", is_over, 60, 0.5)

    def lead_elsewhere(self, number):
        self._step_down(lambda name, leader: leader == number)

    def lead_at(self, number):
        self._step_down(lambda name, leader: name == "$MQTT_msgs" and leader != number)

    def split(self, number):
        """Cuts the node `number` from the others, in both directions; both sides keep listening for clients."""
        for pair, link in self.links.items():
            if number in pair:
                link.cut_off()

    def join(self):
        for link in self.links.values():
            link.mend()

    def close(self):
        super().close()
        for link in self.links.values():
            link.close()
