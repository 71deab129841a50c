"""One virtual board: a QEMU process with its disk, and the connections to it."""
import os
import shutil
import signal
import subprocess

from .agent import Agent, Edges
from .qmp import QMP
from .qtest import QTest
from .waiting import until

EMULATOR = "qemu-system-aarch64"
DISK_SIZE_MB = 64
KIND = ["-cpu", "cortex-a72", "-accel", "tcg", "-m", "384", "-display", "none", "-nodefaults"]
# An LED of the kernel's driver, on line 7 of the machine's own GPIO chip, as in the device tree of a board with one.
LED, LED_LINE = "board:green:result", 7


class Machine:
    """After `boot`, `agent`, `edges`, `qmp` and `qtest` are connected; `cut_power` and `boot` may be repeated."""

    def __init__(self, folder, kernel, initrds, broker_port, reader_device=None, is_plain=False):
        self.folder, self.kernel, self.broker_port = folder, kernel, broker_port
        self.reader_device, self.is_plain = reader_device, is_plain
        self.initrd = os.path.join(folder, "initrd")
        with open(self.initrd, "wb") as whole:  # The kernel unpacks the parts in turn.
            for part in initrds:
                with open(part, "rb") as file:
                    shutil.copyfileobj(file, whole)
        self.disk = os.path.join(folder, "disk")
        with open(self.disk, "wb") as file:
            file.truncate(DISK_SIZE_MB << 20)
        make = shutil.which("mke2fs", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        subprocess.run([make, "-q", "-t", "ext4", self.disk], check=True)
        self.describe_hardware()
        self.process = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def words(self):
        def socket(name):
            return f"unix:{self.path(name)},server=on,wait=off"

        def port(name):
            return ["-chardev", f"socket,id={name},path={self.path(name)},server=on,wait=off",
                    "-device", f"virtserialport,chardev={name},name={name}"]

        relay = f"socat STDIO TCP4:127.0.0.1:{self.broker_port},,nodelay"
        words = [EMULATOR, "-M", "virt", *KIND, "-no-reboot", "-dtb", self.path("tree")]
        words += ["-kernel", self.kernel, "-initrd", self.initrd]
        words += ["-append", "console=ttyAMA0 quiet panic=-1 rdinit=/init" + (" plain" if self.is_plain else "")]
        words += ["-serial", f"file:{self.path('console')}", "-qmp", socket("qmp"), "-qtest", socket("qtest")]
        words += ["-qtest-log", "none", "-device", "virtio-serial-pci", *port("agent"), *port("edges")]
        # The broker is the only thing outside that can be reached.
        words += ["-netdev", f"user,id=net,restrict=on,guestfwd=tcp:10.0.2.100:8883-cmd:{relay}"]
        words += ["-device", "virtio-net-pci,netdev=net,romfile="]
        # Data that the guest has flushed outlives QEMU, although it is only in this machine's memory: the board's power
        # is cut, not this machine's.
        words += ["-drive", f"file={self.disk},format=raw,if=none,id=disk,cache=unsafe"]
        words += ["-device", "virtio-blk-pci,drive=disk"]
        words += ["-device", "qemu-xhci,id=usb"]
        if self.reader_device:
            words += ["-chardev", f"serial,id=reader,path={self.reader_device}"]
            words += ["-device", "usb-serial,chardev=reader,id=adapter,bus=usb.0"]
        return words

    def describe_hardware(self):
        """Writes the machine's own device tree, with one more LED."""
        tree = self.path("tree")

        def edit(*words):
            return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()

        edit(EMULATOR, "-M", f"virt,dumpdtb={tree}", *KIND)
        chip = edit("fdtget", "-t", "x", tree, "/pl061@9030000", "phandle")
        edit("fdtput", "-c", tree, "/leds", "/leds/result")
        edit("fdtput", "-t", "s", tree, "/leds", "compatible", "gpio-leds")
        edit("fdtput", "-t", "s", tree, "/leds/result", "label", LED)
        edit("fdtput", "-t", "s", tree, "/leds/result", "linux,default-trigger", "heartbeat")
        edit("fdtput", "-t", "x", tree, "/leds/result", "gpios", chip, str(LED_LINE), "0")

    def boot(self):
        for name in ("agent", "edges", "qmp", "qtest"):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        if os.path.exists(self.path("console")):
            os.replace(self.path("console"), self.path("console.before"))
        with open(self.path("qemu.log"), "ab") as log:
            self.process = subprocess.Popen(self.words(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until("QEMU", lambda: self.is_up() and os.path.exists(self.path("qtest")))
        self.qmp, self.qtest = QMP(self.path("qmp")), QTest(self.path("qtest"))
        self.agent, self.edges = Agent(self.path("agent")), Edges(self.path("edges"))
        self.agent.sh("true", 60)

    def is_up(self):
        if self.process.poll() is not None:
            with open(self.path("qemu.log"), errors="replace") as log:
                raise RuntimeError(f"QEMU ended with {self.process.returncode}: {log.read()[-800:]}")
        return True

    def cut_power(self):
        """Kills QEMU: data that the guest had not flushed to its disk is lost."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)
            for end in (self.qmp, self.qtest, self.agent, self.edges):
                end.close()

    def unplug_reader(self):
        self.qmp.ask("device_del", id="adapter")
        self.qmp.await_event("DEVICE_DELETED")

    def plug_reader(self):
        self.qmp.ask("device_add", driver="usb-serial", chardev="reader", id="adapter", bus="usb.0")

    def console(self):
        with open(self.path("console"), errors="replace") as file:
            return file.read()
