"""QEMU's test protocol next to a running guest: drives and watches the lines of a device from outside."""
import socket
import threading
import time


class QTest:
    """A connection that collects the reports of intercepted lines, with the host's time."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.answers = []
        self.reports = []  # (host's CLOCK_BOOTTIME in ns, line, is high)
        self.news = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            for line in self.socket.makefile("r"):
                now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
                words = line.split()
                with self.news:
                    if words[:1] == ["IRQ"]:
                        self.reports.append((now, int(words[2]), words[1] == "raise"))
                    else:
                        self.answers.append(line.strip())
                    self.news.notify_all()
        except OSError:
            pass

    def ask(self, command):
        with self.news:
            self.answers.clear()
            self.socket.sendall(command.encode() + b"\n")
            if not self.news.wait_for(lambda: self.answers, 10):
                raise TimeoutError(f"qtest: no answer to '{command}'")
            answer = self.answers.pop(0)
        if not answer.startswith("OK"):
            raise RuntimeError(f"qtest: '{command}': {answer}")

    def set_line(self, path, line, is_high):
        """Drives an input of the device. Returns the host's time just before, in ns."""
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        self.ask(f"set_irq_in {path} unnamed-gpio-in {line} {int(is_high)}")
        return now

    def watch_outputs(self, path):
        self.ask(f"irq_intercept_out {path}")

    def close(self):
        self.socket.close()
