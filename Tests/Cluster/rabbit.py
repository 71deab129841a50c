"""A broker of three nodes: RabbitMQ, whose quorum queues keep the messages of lasting sessions on most of the nodes."""
import glob
import json
import os
import re
import subprocess
import urllib.error
import urllib.request

import engine
from engine import COUNT, free_ports
from parts import PATH, Failure, await_, end, read

NAME = "RabbitMQ"
# Debian's own command insists on the user of the service.
PROGRAMS = "/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server"
RESTARTS_MAX = 3
# Seconds after which the others give up a silent node. With RabbitMQ's own 60, a frozen node holds up every message.
TICK_SECONDS = 8
PLUGINS = "[rabbitmq_mqtt,rabbitmq_auth_mechanism_ssl,rabbitmq_prometheus].\n"
SETTINGS = """listeners.tcp.1 = 127.0.0.1:{client}
mqtt.listeners.tcp = none
mqtt.listeners.ssl.1 = 127.0.0.1:{mqtt}
mqtt.allow_anonymous = false
mqtt.ssl_cert_login = true
mqtt.durable_queue_type = quorum
ssl_cert_login_from = common_name
ssl_options.cacertfile = {pki}/broker-ca.pem
ssl_options.certfile = {pki}/{listener}.pem
ssl_options.keyfile = {pki}/{listener}.key
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = true
cluster_partition_handling = pause_minority
net_ticktime = {tick}
cluster_formation.peer_discovery_backend = classic_config
{peers}
prometheus.tcp.ip = 127.0.0.1
prometheus.tcp.port = {monitor}
definitions.import_backend = local_filesystem
definitions.local.path = {folder}/definitions.json
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 100MB
log.file = {folder}/rb{number}.log
"""


def program():
    """Returns the path of RabbitMQ's program; None where it is not installed."""
    return next(iter(sorted(glob.glob(PROGRAMS))), None)


def version():
    return "RabbitMQ " + re.search(r"rabbitmq_server-([\d.]+)", program())[1]


class Node(engine.Node):
    def __init__(self, folder, number, ports, epmd_port):
        super().__init__(folder, number)
        self.ports, self.epmd_port, self.mqtt_port = ports, epmd_port, ports["mqtt"]
        self.log = f"{folder}/rb{number}.output"

    def command(self):
        peers = "\n".join(f"cluster_formation.classic_config.nodes.{n + 1} = rb{n}@localhost" for n in range(COUNT))
        base = f"{self.folder}/rb{self.number}"
        with open(f"{base}.conf", "w") as file:
            file.write(SETTINGS.format(folder=self.folder, number=self.number, pki=f"{self.folder}/pki", peers=peers,
                                       listener=self.listener_identity, tick=TICK_SECONDS, **self.ports))
        clock = {"LD_PRELOAD": f"{self.folder}/clock.so", "CLOCK_AHEAD": str(self.clock_ahead)}
        return [program()], {
            **(clock if self.clock_ahead else {}),
            # As under systemd, the program becomes the node, so that it can be killed by its id.
            "RUNNING_UNDER_SYSTEMD": "1", "PATH": PATH, "HOME": self.folder, "LANG": "C.UTF-8",
            "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(self.epmd_port),
            "RABBITMQ_NODENAME": f"rb{self.number}@localhost", "RABBITMQ_DIST_PORT": str(self.ports["erlang"]),
            "RABBITMQ_MNESIA_BASE": f"{base}.data", "RABBITMQ_LOG_BASE": self.folder,
            "RABBITMQ_CONFIG_FILE": base, "RABBITMQ_ENABLED_PLUGINS_FILE": f"{self.folder}/plugins",
            "RABBITMQ_PID_FILE": f"{base}.pid", "RABBITMQ_CONF_ENV_FILE": f"{self.folder}/none",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                "-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none",
        }

    def is_healthy(self):
        """Whether it lets clients in, which a node without a majority does not, and answers."""
        if not self.listens():
            return False
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports['monitor']}/metrics", timeout=3) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False


class Cluster(engine.Cluster):
    """The three nodes, and the name server that Erlang needs."""

    def __init__(self, folder):
        engine.make_certificates(folder)
        ports = free_ports(4 * COUNT + 1)
        with open(os.open(f"{folder}/.erlang.cookie", os.O_CREAT | os.O_WRONLY, 0o400), "w") as file:
            file.write(os.urandom(16).hex())
        with open(f"{folder}/plugins", "w") as file:
            file.write(PLUGINS)
        with open(f"{folder}/definitions.json", "w") as file:
            json.dump(self._definitions(), file)
        self.names = subprocess.Popen(
            ["epmd", "-address", "127.0.0.1", "-port", str(ports[-1])], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        named = [dict(zip(("client", "monitor", "erlang", "mqtt"), ports[4 * n:4 * n + 4])) for n in range(COUNT)]
        self.nodes = [Node(folder, number, own, ports[-1]) for number, own in enumerate(named)]
        self.start()

    @staticmethod
    def _definitions():
        """The two users, who log in with a certificate."""
        users = ["kiosk-demo", "kiosk-second"]
        return {
            "vhosts": [{"name": "/"}],
            "users": [{"name": user, "password_hash": "", "hashing_algorithm": "rabbit_password_hashing_sha256",
                       "tags": ""} for user in users],
            "permissions": [{"user": user, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}
                            for user in users],
        }

    def await_health(self):
        """Waits until all nodes are healthy. A node that ends because the others are just leaving is started again, as
        a service manager does."""
        starts = [0] * COUNT

        def are_healthy():
            for number, node in enumerate(self.nodes):
                if node.process.poll() is not None:
                    starts[number] += 1
                    if starts[number] > RESTARTS_MAX:
                        raise Failure(f"node {node.number} ends by itself: {read(node.log)[-600:]}")
                    node.start()
            return all(node.is_healthy() for node in self.nodes)

        await_("all nodes to be healthy", are_healthy, 240, 0.3)

    def close(self):
        super().close()
        end(self.names)
