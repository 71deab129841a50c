"""A board and everything around it: broker, witness, reader."""
import shutil
import sys
import tempfile

from .broker import Broker, Witness
from .kiosk import Kiosk
from .machine import Machine
from .reader import Reader


class World:
    def __init__(self, image, is_plain=False):
        self.folder = tempfile.mkdtemp(prefix="tappet-vm.")
        self.broker = self.witness = self.reader = self.machine = None
        self.chip = None
        try:
            self.broker = Broker(self.folder)
            self.witness = Witness(self.broker)
            self.reader = Reader(self.folder)
            self.machine = Machine(
                self.folder, image.kernel, image.initrds, self.broker.port, self.reader.device, is_plain)
            self.machine.boot()
            self.kiosk = Kiosk(self.machine, self.broker.pki)
        except BaseException:
            self.tell_more()
            self.end()
            raise

    def stop_broker(self):
        self.broker.stop()
        self.witness.stop()

    def start_broker(self):
        """Starts the broker again, and a new witness, which has seen nothing yet."""
        self.broker.start()
        self.witness = Witness(self.broker)

    def repair(self):
        """Restores, after a failed test, whatever it took away."""
        if self.broker.process.poll() is not None:
            self.start_broker()
        if self.chip:
            self.chip.repair()

    def kernel_failed(self):
        """The line in which the guest's kernel reported a failure of its own, or an empty string."""
        lines = self.machine.console().splitlines()
        return next((line for line in lines if "Oops" in line or "Unable to handle" in line or "BUG:" in line), "")

    def reboot(self):
        self.machine.cut_power()
        self.machine.boot()
        self.chip = None

    def tell_more(self):
        """Prints the ends of the console and of the kiosk's log after a failure."""
        machine = self.machine
        if machine is None or machine.process is None:
            return
        print("--- console\n" + "\n".join(machine.console().splitlines()[-8:]), file=sys.stderr)
        if machine.process.poll() is None:
            try:
                print("--- the kiosk's log\n" + "\n".join(self.kiosk.log().splitlines()[-25:]), file=sys.stderr)
            except Exception as error:  # The board itself may be broken.
                print(f"--- no log: {error}", file=sys.stderr)

    def end(self):
        if self.machine:
            self.machine.cut_power()
        for part in (self.reader, self.witness, self.broker):
            if part:
                part.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
