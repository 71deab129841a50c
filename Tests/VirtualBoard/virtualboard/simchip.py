"""The kernel's GPIO simulator on the board, its lines named like a Raspberry Pi's, driven and watched from outside."""

LABEL = "pinctrl-bcm2835"
LINES = 54
NAMES = {offset: f"GPIO{offset}" for offset in range(28)}


class SimulatedChip:
    def __init__(self, agent, edges, label=LABEL, lines=LINES, names=NAMES, name="board"):
        self.agent, self.edges = agent, edges
        self.folder = f"/sys/kernel/config/gpio-sim/{name}"
        bank = f"{self.folder}/bank0"
        agent.sh(f"mkdir -p {bank} && echo {lines} >{bank}/num_lines && echo {label} >{bank}/label")
        commands = [f"mkdir -p {bank}/line{at} && echo {name} >{bank}/line{at}/name" for at, name in names.items()]
        for start in range(0, len(commands), 8):
            agent.sh(" && ".join(commands[start : start + 8]))
        self.plug()

    def repair(self):
        """Plugs the chip in again, if a test left it unplugged."""
        if self.agent.run(f"grep -q 1 {self.folder}/live")[0] != 0:
            self.plug()

    def plug(self):
        self.agent.sh(f"echo 1 >{self.folder}/live")
        device = self.agent.sh(f"cat {self.folder}/dev_name").strip()
        chip = self.agent.sh(f"cat {self.folder}/bank0/chip_name").strip()
        self.chip = chip
        self.lines = f"/sys/devices/platform/{device}/{chip}"
        # The tracepoint's number of the chip's first line.
        folder = f"/sys/devices/platform/{device}"
        found = self.agent.sh(f"cat {folder}/gpio/gpiochip*/base {folder}/*/gpio/*/base 2>/dev/null; true")
        self.base = int(found.split()[0])

    def unplug(self):
        self.agent.sh(f"echo 0 >{self.folder}/live")

    def pull(self, offset, is_high):
        """Pulls a line from outside: an input's level, or the one to which a released output falls back."""
        self.agent.sh(f"echo pull-{'up' if is_high else 'down'} >{self.lines}/sim_gpio{offset}/pull")

    def value(self, offset):
        return self.agent.sh(f"cat {self.lines}/sim_gpio{offset}/value").strip() == "1"

    def train(self, offset, levels, pause_ms):
        """Plays a sequence of levels in the guest; returns the longest that it took from one to the next, in ms."""
        digits = "".join("1" if level else "0" for level in levels)
        return float(self.agent.sh(f"probe train {self.lines}/sim_gpio{offset}/pull {pause_ms} {digits}"))

    def changes(self, offset, since=0.0):
        """The levels to which the program set an output: [(time in s of the guest's CLOCK_BOOTTIME, is high)]."""
        return self.edges.of(self.base + offset, since)
