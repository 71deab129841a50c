"""Faults around a kiosk, each with its repair. The seed alone chooses and times them."""
import os
import signal
import time

from parts import await_


def modified_at(path):
    """The time of the file's last change; 0 while there is none."""
    return os.path.getmtime(path) if os.path.exists(path) else 0


class Faults:
    """Strikes one fault at a time and heals it after a while."""

    def __init__(self, world, random, is_rough=True):
        self.world, self.random = world, random
        self.counts = {}
        self.heals_at = None
        self.healing = None
        self.pause = (1.0, 4.0) if is_rough else (60.0, 180.0)
        self.strikes_at = time.monotonic() + random.uniform(*self.pause) / 2
        self.known = [
            self.cut, self.delay, self.swallow, self.corrupt, self.freeze_broker, self.restart_broker, self.kill_broker,
            self.swap_certificates, self.unplug_reader, self.silence_reader, self.kill_reader,
            self.fail_server, self.close_server, self.hang_server, self.kill_webhook,
        ] + [self.kill_inventory] * world.kiosk.has_shelf

    def turn(self):
        """Strikes or heals when one of them is due."""
        now = time.monotonic()
        if self.heals_at is not None and now >= self.heals_at:
            self.heal()
        elif self.heals_at is None and now >= self.strikes_at:
            fault = self.random.choice(self.known)
            duration = self.random.uniform(0.2, 3.0)
            self.counts[fault.__name__] = self.counts.get(fault.__name__, 0) + 1
            self.healing = fault()
            self.heals_at = time.monotonic() + duration

    def heal(self):
        if self.healing:
            self.healing()
        self.healing = self.heals_at = None
        self.strikes_at = time.monotonic() + self.random.uniform(*self.pause)

    def summary(self):
        return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(self.counts.items()))

    # The line to the broker

    def cut(self):
        self.world.proxy.cut()

    def delay(self):
        self.world.proxy.delay = self.random.uniform(0.01, 0.3)
        return self.world.proxy.heal

    def swallow(self):
        self.world.proxy.is_swallowing = True

        def healing():
            # TCP would have sent the swallowed bytes again. They never come, so the connection has to end.
            self.world.proxy.cut()
            self.world.proxy.heal()

        return healing

    def corrupt(self):
        self.world.proxy.corrupts_next = True
        return self.world.proxy.heal

    # The broker

    def freeze_broker(self):
        process = self.world.broker.process
        process.send_signal(signal.SIGSTOP)
        return lambda: process.send_signal(signal.SIGCONT)

    def restart_broker(self):
        return self._end_broker(signal.SIGTERM)

    def kill_broker(self):
        return self._end_broker(signal.SIGKILL)

    def _end_broker(self, number):
        """Cuts the line first: whatever the broker has acknowledged must reach the witness, which is not on trial."""
        world = self.world
        sessions = f"{world.folder}/mosquitto.db"
        world.proxy.is_swallowing = True
        world.proxy.cut()
        world.witness.settle()
        world.witness.stop()
        if number == signal.SIGKILL:
            before = modified_at(sessions)
            world.broker.process.send_signal(signal.SIGUSR1)
            await_("mosquitto to save its sessions", lambda: modified_at(sessions) > before)
        world.broker.process.send_signal(number)
        world.broker.process.wait()
        world.proxy.heal()

        def healing():
            world.broker.start()
            world.witness.start()

        return healing

    def swap_certificates(self):
        """Changes the authority on both sides: the broker's at once, the kiosk's a while later."""
        other = "second" if self.world.broker.certificates == "first" else "first"
        restart = self._end_broker(signal.SIGTERM)
        self.world.broker.use(other)
        restart()

        def healing():
            self.world.kiosk.use(other)

        return healing

    # The reader

    def unplug_reader(self):
        self.world.simulator.tell("unplug")
        return lambda: self.world.simulator.tell("plug")

    def silence_reader(self):
        self.world.simulator.tell("stall on")
        return lambda: self.world.simulator.tell("stall off")

    def kill_reader(self):
        self._kill("tappet-reader")

    def _kill(self, name):
        child = self.world.kiosk.child(name)
        if child:
            os.kill(child, signal.SIGKILL)

    # The webhook's server

    def fail_server(self):
        return self.world.web.be("fail")

    def close_server(self):
        return self.world.web.be("close")

    def hang_server(self):
        return self.world.web.be("hang")

    def kill_webhook(self):
        self._kill("tappet-webhook")

    # The store room

    def kill_inventory(self):
        self._kill("tappet-inventory")
