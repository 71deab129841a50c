"""The machine that measured, in words."""
import os
import platform
import subprocess


def machine():
    """The kind of machine, in words."""
    with open("/etc/os-release") as file:
        system = dict(line.strip().split("=", 1) for line in file if "=" in line)["PRETTY_NAME"].strip('"')
    swift = subprocess.getoutput("swift --version").split("version ")[1].split()[0]
    kind = platform.machine().replace("x86_64", "x86-64").replace("aarch64", "arm64")
    return f"{os.cpu_count()} {kind} cores, {system}, Swift {swift}"
