"""The common part of the clusters of both engines: three nodes on 127.0.0.1, which are started, killed and frozen."""
import os
import signal
import socket
import subprocess

from parts import ROOT, Failure, end

COUNT = 3


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def make_certificates(folder):
    """Makes FOLDER/pki, with two certificates for each node, and an expired one."""
    words = [os.path.join(ROOT, "tools/demo/make-certificates"), f"{folder}/pki", "--second-client", "--node",
             "--next-node", "--expired-server"]
    made = subprocess.run(words, capture_output=True, text=True)
    if made.returncode:
        raise Failure(made.stderr.strip())


class Node:
    """A process that is one of the nodes. A subclass has its command line, its environment, and what healthy means."""

    def __init__(self, folder, number):
        self.folder, self.number, self.process = folder, number, None
        # The names of its certificates: to the other nodes, and to clients.
        self.identity = self.listener_identity = "node"
        self.mqtt_port = self.log = None
        # Seconds by which its clock is ahead, of an engine whose programs ask libc for the time.
        self.clock_ahead = 0

    def start(self):
        words, environment = self.command()
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                                            start_new_session=True)

    def kill(self):
        end(self.process)

    def terminate(self):
        """Ends it as its service manager does."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.mqtt_port)) == 0

    def resident(self):
        """Its memory in KB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


class Cluster:
    """The three nodes, `nodes`. A subclass makes them and knows how to wait for them."""

    nodes = ()

    def start(self):
        try:
            for node in self.nodes:
                node.start()
            self.await_health()
        except BaseException:
            self.close()
            raise

    def ports(self, first):
        """The MQTT ports, beginning with that of the node `first`."""
        return [self.nodes[(first + step) % COUNT].mqtt_port for step in range(COUNT)]

    def follower(self, number):
        """Returns the node `number`, or the next one that need not lead anything."""
        return number

    def lead_elsewhere(self, number):
        """Moves every leadership from the node `number`, where the engine lets that be asked for."""

    def lead_at(self, number):
        """Moves the leadership of the messages to the node `number`, where the engine lets that be asked for."""

    def close(self):
        for node in self.nodes:
            node.thaw()
            node.kill()
