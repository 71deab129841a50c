"""Builds the boards' images: the arm64 programs, Debian's kernel, and a file system for each release of Debian."""
import concurrent.futures
import glob
import os
import shutil
import subprocess
from dataclasses import dataclass

from .broker import ROOT
from .machine import EMULATOR

HERE = os.path.join(ROOT, "Tests/VirtualBoard")
APT_STATE = os.path.join(ROOT, ".build-debian")
FOLDER = os.path.join(ROOT, ".build-vm")
LIBRARY_PROGRAMS = ("Tests/Interface/C/values.c", "docs/examples/panel.c", "Tests/Interface/C/misuse")
NO_MIRROR = 3  # The exit status of tools/debian-packages.


class Unavailable(Exception):
    """This machine lacks something that a virtual board needs."""


@dataclass
class Image:
    kernel: str
    initrds: list


def check_tools():
    """Raises Unavailable, with a sentence, where QEMU or the cross-compiler is missing."""
    for program, package in ((EMULATOR, "qemu-system-arm"), ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")):
        if not shutil.which(program):
            raise Unavailable(f"there is no {program}: install {package}, or everything with: make deps-verify")
    words = [os.path.join(ROOT, "tools/deps"), "check", "build", "arm64", "board"]
    checked = subprocess.run(words, capture_output=True, text=True)
    if checked.returncode == 0:
        return
    # A fault in the script itself must not skip anything.
    if "Missing Debian packages" not in checked.stderr:
        raise SystemExit(f"tools/deps failed:\n{checked.stderr}")
    raise Unavailable("; ".join(checked.stderr.strip().splitlines()))


def call(words, what):
    of_make = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    environment = {name: value for name, value in os.environ.items() if name not in of_make}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode == NO_MIRROR:
        raise Unavailable(f"{what}: {done.stderr.strip().splitlines()[-1]}")
    if done.returncode != 0:
        raise SystemExit(f"{what} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def script(name):
    return os.path.join(HERE, name)


def sysroot(release):
    return os.path.join(APT_STATE, f"sysroot-{release}-arm64")


def make_programs(release):
    call(["nice", "make", "ARCH=arm64", f"RELEASE={release}", "board"], f"building for {release}")


def make_kernel():
    kernel = os.path.join(FOLDER, "kernel")
    call([script("build-kernel"), APT_STATE, kernel], "the kernel")
    return kernel


def compile_c(release, source, file, *flags):
    libraries = os.path.join(sysroot(release), "usr/lib/aarch64-linux-gnu")
    words = ["aarch64-linux-gnu-gcc", f"--sysroot={sysroot(release)}", f"-B{libraries}"]
    words += ["-O2", "-Wall", "-Wextra", "-Werror", "-o", file, source]
    words += [f"-L{libraries}", f"-Wl,-rpath-link,{libraries}", *flags]
    call(words, os.path.basename(source))
    return file


def make_c_programs(release, build, folder):
    """The tests' own C programs, and programs that use libtappet."""
    made = [compile_c(release, script("programs/probe.c"), os.path.join(folder, "probe"), "-std=c11", "-lgpiod",
                      "-lmosquitto", "-lsqlite3"),
            compile_c(release, script("programs/scanner.c"), os.path.join(folder, "scanner"), "-std=c11")]
    linked = ["-std=gnu99", f"-I{ROOT}/Include", f"-L{ROOT}/{build}/lib", "-ltappet", "-Wl,-rpath,/opt/tappet/lib"]
    for path in LIBRARY_PROGRAMS:
        name = "library-" + os.path.basename(path).removesuffix(".c")
        first, *others = sorted(glob.glob(f"{ROOT}/{path}/*.c")) or [os.path.join(ROOT, path)]
        made.append(compile_c(release, first, os.path.join(folder, name), *others, *linked))
    return made


def make(releases):
    """An image of a board for each release of Debian; builds only what has changed."""
    # One after the other, because they share apt's private state.
    for release in releases:
        words = [os.path.join(ROOT, "tools/sysroot"), release, "arm64", sysroot(release)]
        call(words, f"headers and libraries of {release}")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        kernel = pool.submit(make_kernel)
        for release in releases:  # They share the compiled archives.
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
