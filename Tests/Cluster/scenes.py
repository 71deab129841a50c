"""The faults of a cluster while messages are published: each one, how it ends, and which gap is measured."""
import collections
import functools
import time

from engine import COUNT
from kiosks import let_pass
from parts import await_

# How long two of three nodes stay dead, two clients share an id, and a fault lasts at least.
OUTVOTED_SECONDS, SHARED_SECONDS, FAULT_SECONDS = 4, 12, 2
# A contender is back when it has delivered what was accepted after the fault; a frozen node costs a plain client most.
BACK_SECONDS = 90


class Scene:
    """One run of one fault: the cluster, where the programs are, and what they are."""

    def __init__(self, cluster, publisher, ours, theirs, subscriber):
        self.cluster, self.publisher = cluster, publisher
        self.ours, self.theirs, self.subscriber = ours, theirs, subscriber
        # Set by a fault in which the gap is counted from the end of what was done.
        self.counts_from = None
        # When a PUBACK would have been a lie: (from, to).
        self.silence = None
        # Second programs with the client ids of the first ones.
        self.doubles = []

    @property
    def programs(self):
        return [self.ours, self.theirs, *(program for program, _ in self.doubles)]

    def node(self, step=0):
        """The publishers' node, or the one that many steps after it."""
        return self.cluster.nodes[(self.publisher + step) % COUNT]

    @property
    def subscribers_node(self):
        return self.node(2)

    def await_deliveries(self, since=None):
        """Waits until both contenders deliver what was accepted after `since`, by default now."""
        since = since or time.time()

        def has_delivered(program):
            done = program.deliveries()
            return any(press.accepted > since and press.id in done for press in program.presses())

        for program in (self.ours, self.theirs):
            await_(f"{program.name} to deliver again", functools.partial(has_delivered, program), BACK_SECONDS, 0.05)

    def restart(self, node, identity="node", listener=None):
        node.terminate()
        node.identity, node.listener_identity = identity, listener or identity
        node.start()


def kill_publisher(scene):
    scene.node().kill()
    let_pass(FAULT_SECONDS)
    scene.await_deliveries()
    scene.node().start()


def kill_subscriber(scene):
    scene.subscribers_node.kill()
    let_pass(FAULT_SECONDS)
    scene.await_deliveries()
    await_("the subscriber to be back", lambda: scene.subscriber.connected(), BACK_SECONDS, 0.05)
    scene.subscribers_node.start()


def freeze(scene):
    scene.node().freeze()
    let_pass(FAULT_SECONDS)
    scene.await_deliveries()
    scene.node().thaw()


def outvote(scene):
    dead = [scene.node(1), scene.node(2)]
    for node in dead:
        node.kill()
    # A message that most nodes had before may still be acknowledged.
    alone = time.time() + 0.5
    let_pass(OUTVOTED_SECONDS)
    scene.silence = (alone, time.time())
    for node in dead:
        node.start()
    scene.counts_from = time.time()


def restart_all(scene):
    for step in range(COUNT):
        scene.restart(scene.node(step))
        scene.cluster.await_health()


def rotate(scene):
    identity = "node" if scene.node().identity == "next-node" else "next-node"
    for step in range(COUNT):
        scene.restart(scene.node(step), identity)
        scene.cluster.await_health()


def set_ahead(scene):
    """The publishers' node comes back with a clock that is an hour ahead; then the others are restarted."""
    scene.node().clock_ahead = 3600
    restart_all(scene)
    scene.await_deliveries()
    scene.node().clock_ahead = 0
    scene.restart(scene.node())


def expire(scene):
    """The publishers' node comes back with an expired certificate; then the next node fails, too."""
    scene.restart(scene.node(), listener="expired-server")
    scene.await_deliveries()
    scene.cluster.await_health()
    scene.node(1).kill()
    let_pass(FAULT_SECONDS)
    scene.await_deliveries()
    scene.node(1).start()
    scene.cluster.await_health()
    scene.restart(scene.node())


def share_id(scene):
    """Second programs connect to another node with the client ids of the first ones."""
    for program, _ in scene.doubles:
        program.order("pace 50")
    let_pass(SHARED_SECONDS)
    for program, _ in scene.doubles:
        program.order("pace 0")
    # The last press may still be on its way to the disk, and is accepted when it is there.
    let_pass(1)
    for program, first in scene.doubles:
        await_(f"{program.name} to get rid of its messages", lambda program=program: not program.unfinished(), 240, 0.2)
        program.close()


def share_id_split(scene):
    """The same while the first programs' node is cut off: neither half can know of the other's client."""
    scene.cluster.split(scene.publisher)
    share_id(scene)
    scene.cluster.join()


def split(scene):
    """The publishers' node loses the other two. Both sides keep listening for clients."""
    scene.cluster.split(scene.publisher)
    let_pass(FAULT_SECONDS)
    scene.await_deliveries()
    scene.cluster.join()


Fault = collections.namedtuple(
    "Fault", "key name act leads gap engines doubles", defaults=(None, "publisher", None, False))
# `leads`: where the messages' store is led before, of the engine that lets that be chosen. `gap`: whose.
# `doubles`: with second programs that have the same client ids.
FAULTS = [
    Fault("publisher", "kill -9 of the publisher's node", kill_publisher, "elsewhere"),
    Fault("leader", "kill -9 of the publisher's node, which leads the store", kill_publisher, "here", "publisher",
          ("NATS",)),
    Fault("subscriber", "kill -9 of the subscriber's node; gap of the subscriber", kill_subscriber, None, "subscriber"),
    Fault("frozen", "publisher's node frozen (SIGSTOP)", freeze, "elsewhere"),
    Fault("outvoted", "two of three nodes dead; gap from their start", outvote),
    Fault("rolling", "rolling restart", restart_all),
    Fault("rotation", "each node gets a new certificate, one after the other", rotate),
    Fault("expired", "publisher's node back with an expired certificate, the next one killed", expire, "elsewhere"),
    # NATS' programs ask the kernel for the time themselves.
    Fault("clocks", "the clock of the publisher's node an hour ahead", set_ahead, None, "publisher", ("RabbitMQ",)),
    Fault("shared", "two clients with one id, on two nodes", share_id, doubles=True),
    Fault("shared-split", "two clients with one id, on both sides of a split", share_id_split, "elsewhere", "publisher",
          ("NATS",), True),
    Fault("split", "publisher's node cut from the other two", split, "elsewhere", "publisher", ("NATS",)),
]
