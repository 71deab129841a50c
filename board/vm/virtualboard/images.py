"""Builds what the boards start from: the arm64 programs, Debian's kernel, a file system for each release of Debian."""
import concurrent.futures
import os
import shutil
import subprocess
from dataclasses import dataclass

from .broker import ROOT
from .machine import EMULATOR

HERE = os.path.join(ROOT, "board/vm")
APT_STATE = os.path.join(ROOT, ".build-debian")
FOLDER = os.path.join(ROOT, ".build-vm")
LIBRARY_PROGRAMS = ("values", "panel", "misuse")
NO_MIRROR = 3  # board/debian-packages


class Unavailable(Exception):
    """The machine lacks what a virtual board needs."""


@dataclass
class Image:
    kernel: str
    initrds: list


def check_tools():
    """QEMU and the cross-compiler, or a sentence on what is missing."""
    for program, package in ((EMULATOR, "qemu-system-arm"), ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")):
        if not shutil.which(program):
            raise Unavailable(f"there is no {program}: install {package}, or everything with: make deps")
    checked = subprocess.run([os.path.join(ROOT, "board/deps"), "check", "build", "arm64", "board"], capture_output=True, text=True)
    if checked.returncode == 0:
        return
    # A fault of the script's own is no reason to skip anything.
    if "Missing Debian packages" not in checked.stderr:
        raise SystemExit(f"board/deps failed:\n{checked.stderr}")
    raise Unavailable("; ".join(checked.stderr.strip().splitlines()))


def call(words, what):
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode == NO_MIRROR:
        raise Unavailable(f"{what}: {done.stderr.strip().splitlines()[-1]}")
    if done.returncode != 0:
        raise SystemExit(f"{what} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def script(name):
    return os.path.join(HERE, name)


def sysroot(release):
    return os.path.join(APT_STATE, f"sysroot-{release}")


def make_programs(release):
    call(["nice", "make", "ARCH=arm64", f"RELEASE={release}", "board"], f"building for {release}")


def make_kernel():
    kernel = os.path.join(FOLDER, "kernel")
    call([script("build-kernel"), APT_STATE, kernel], "the kernel")
    return kernel


def compile_c(release, source, file, *flags):
    libraries = os.path.join(sysroot(release), "usr/lib/aarch64-linux-gnu")
    words = ["aarch64-linux-gnu-gcc", f"--sysroot={sysroot(release)}", f"-B{libraries}", "-O2", "-Wall", "-Wextra", "-Werror"]
    words += ["-o", file, source, f"-L{libraries}", f"-Wl,-rpath-link,{libraries}", *flags]
    call(words, os.path.basename(source))
    return file


def make_c_programs(release, build, folder):
    """The C program of the tests, and the library's own examples, which link libtappet."""
    made = [compile_c(release, script("programs/probe.c"), os.path.join(folder, "probe"), "-std=c11", "-lgpiod", "-lmosquitto", "-lsqlite3")]
    linked = ["-std=gnu99", f"-I{ROOT}/Include", f"-L{ROOT}/{build}/lib", "-ltappet", "-Wl,-rpath,/opt/tappet/lib"]
    for name in LIBRARY_PROGRAMS:
        made.append(compile_c(release, f"{ROOT}/Tests/Interface/C/{name}.c", os.path.join(folder, "library-" + name), *linked))
    return made


def make(releases):
    """The image of a board for each release of Debian; only what has changed is built."""
    # One after the other: they share apt's private state.
    for release in releases:
        call([os.path.join(ROOT, "board/sysroot"), release, sysroot(release)], f"headers and libraries of {release}")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        kernel = pool.submit(make_kernel)
        for release in releases:  # They share what was compiled.
            make_programs(release)
        kernel = kernel.result()
    made = {}
    for release in releases:
        build = "build-arm64" if release == "bookworm" else f"build-arm64-{release}"
        folder, overlay = os.path.join(FOLDER, release), os.path.join(FOLDER, f"overlay-{release}")
        call([script("build-image"), APT_STATE, release, kernel, folder], f"the file system of {release}")
        programs = make_c_programs(release, build, folder)
        call([script("build-image"), "overlay", build, overlay, *programs], "the overlay")
        made[release] = Image(os.path.join(kernel, "vmlinuz"), [os.path.join(folder, "initrd"), overlay])
    return made
