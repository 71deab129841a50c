"""Builds what the boards start from: the arm64 programs, Debian's kernel, a file system for each release of Debian."""
import os
import shutil
import subprocess
from dataclasses import dataclass

from .broker import ROOT
from .machine import EMULATOR

HERE = os.path.join(ROOT, "board/vm")
APT_STATE = os.path.join(ROOT, ".build-debian")
FOLDER = os.path.join(ROOT, ".build-vm")
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
    if checked.returncode != 0:
        raise Unavailable("; ".join(checked.stderr.strip().splitlines()))


def call(words, what):
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode == NO_MIRROR:
        raise Unavailable(f"{what}: {done.stderr.strip().splitlines()[-1]}")
    if done.returncode != 0:
        raise SystemExit(f"{what} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def make(release):
    """The image of a board with that release of Debian; only what has changed is built."""
    name = "arm64" if release == "bookworm" else f"arm64-{release}"
    sysroot = os.path.join(APT_STATE, f"sysroot-{release}")
    kernel, folder = os.path.join(FOLDER, "kernel"), os.path.join(FOLDER, release)
    overlay = os.path.join(FOLDER, f"overlay-{release}")
    call([os.path.join(ROOT, "board/sysroot"), release, sysroot], f"headers and libraries of {release}")
    call(["make", "ARCH=arm64", f"RELEASE={release}"], f"building for {release}")
    call([os.path.join(HERE, "build-kernel"), APT_STATE, kernel], "the kernel")
    call([os.path.join(HERE, "build-image"), APT_STATE, release, kernel, folder], f"the file system of {release}")
    probe = os.path.join(folder, "probe")
    libraries = os.path.join(sysroot, "usr/lib/aarch64-linux-gnu")
    compiler = ["aarch64-linux-gnu-gcc", f"--sysroot={sysroot}", f"-B{libraries}", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"]
    call([*compiler, "-o", probe, os.path.join(HERE, "programs/probe.c"), f"-L{libraries}", "-lgpiod", "-lmosquitto", "-lsqlite3",
          f"-Wl,-rpath-link,{libraries}"], "the probe")
    call([os.path.join(HERE, "build-image"), "overlay", f"build-{name}", overlay, probe], "the overlay")
    return Image(os.path.join(kernel, "vmlinuz"), [os.path.join(folder, "initrd"), overlay])
