"""The folder in which the steps work, with the installed library, and what all steps need."""
import os
import re
import shutil
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HERE = os.path.join(ROOT, "Tests/Interface")
EXAMPLES = os.path.join(ROOT, "docs/examples")
HEADER = os.path.join(ROOT, "Include/tappet.h")
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]


class Failed(Exception):
    """A step has failed; the text says why."""


class Skipped(Exception):
    """A step cannot run on this machine; the text says why."""


def require(condition, sentence):
    if not condition:
        raise Failed(sentence)


def needs(program, package):
    if shutil.which(program) is None:
        raise Skipped(f"{program} is missing; it is in the Debian package {package}")


def read(path):
    """Returns the text of a file; an empty one if there is no such file."""
    if not os.path.exists(path):
        return ""
    with open(path, errors="replace") as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def wait_for(what, condition, seconds=30, output=lambda: ""):
    end = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < end, f"waited {seconds} s in vain for {what}\n{output()}")
        time.sleep(0.02)


class Place:
    """A temporary folder. The library is installed in its folder `stage`, where pkg-config and the loader find it."""

    def __init__(self, folder):
        self.folder, self.stage = folder, os.path.join(folder, "stage")
        self.environment = {
            **os.environ, "PKG_CONFIG_PATH": self.stage + "/lib/pkgconfig", "LD_LIBRARY_PATH": self.stage + "/lib",
            "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": self.file("go-cache"),
            "CARGO_HOME": self.file("cargo"), "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.path.join(HERE, "Python")}

    def file(self, name):
        return os.path.join(self.folder, name)

    def installed(self, name):
        return os.path.join(self.stage, name)

    def install(self):
        self.run("make", "--no-print-directory", "-C", ROOT, "install", f"PREFIX={self.stage}", "DESTDIR=",
                 seconds=3600)

    def run(self, *words, seconds=600, settings={}, **options):
        """Runs a command and returns its output. If it fails, its output is the reason of the step's failure."""
        done = self.attempt(*words, timeout=seconds, env={**self.environment, **settings}, **options)
        require(done.returncode == 0, f"{' '.join(words)}\nended with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def attempt(self, *words, **options):
        """Runs a command that may fail."""
        options = {"env": self.environment, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
        return subprocess.run(words, text=True, **options)

    def declared(self):
        """Returns the sorted names of the header's functions."""
        return sorted(self.run("python3", os.path.join(HERE, "declarations.py"), HEADER).split())

    # Compiling

    def pkg_config(self, *words):
        return self.run("pkg-config", *words, "tappet").split()

    def compile_c(self, name, source=None):
        """Compiles a C program of the tests or of the documentation; one of several files has a folder of its own."""
        program = self.file(name)
        self.run("gcc", "-std=c99", *STRICT, "-D_POSIX_C_SOURCE=200809L", *self.pkg_config("--cflags"), "-o", program,
                 *([source] if source else sources(name)), *self.pkg_config("--libs"), "-lpthread")
        return program

    def compile_nulls(self):
        source = self.file("nulls.c")
        write(source, self.run("python3", os.path.join(HERE, "nulls.py"), HEADER))
        return self.compile_c("nulls", source)

    def check_verify(self, program):
        """Checks the example verify, with a URL of the vectors."""
        key, other = bytes(31) + b"\x01", bytes(32)
        vectors = read(os.path.join(ROOT, "Tests/Vectors/smp.json"))
        url = re.search(r'"(smp://action\?idx=0&ts=1767168000&sig=[0-9a-f]{64})"', vectors).group(1)
        output = self.run(program, url, other.hex(), key.hex())
        require(output == "action 0, written at 1767168000, signed with key 2\n", f"verify prints: {output}")
        done = self.attempt(program, url, other.hex())
        refusal = "refused: the signature matches none of the keys\n"
        require(done.returncode == 1 and done.stdout == refusal, done.stdout)


def sources(name):
    """Returns the paths of a C program's files."""
    parts = os.path.join(HERE, "C", name)
    if os.path.isdir(parts):
        return [os.path.join(parts, part) for part in sorted(os.listdir(parts)) if part.endswith(".c")]
    source = os.path.join(HERE, "C", name + ".c")
    return [source if os.path.exists(source) else os.path.join(EXAMPLES, name + ".c")]
