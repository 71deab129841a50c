#!/usr/bin/env python3
"""Makes a live process call the kernel, as somebody would who has taken it over, and prints what each call returned.

inject.py PID: stops the process in the call that it waits in, and runs others from the same instruction. x86-64 only.
"""
import ctypes
import errno
import os
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
ATTACH, DETACH, STEP, GET, SET = 16, 17, 9, 12, 13
NAMES = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base "
         "ds es fs gs").split()
AT_FDCWD, PROT_EXEC, NO_DESCRIPTOR = -100 & (1 << 64) - 1, 4, (1 << 64) - 1
AF_UNIX, AF_INET, AF_NETLINK, AF_PACKET, STREAM, DATAGRAM, RAW, SEQPACKET = 1, 2, 16, 17, 1, 2, 3, 5
NETLINK_ROUTE, NETLINK_KOBJECT_UEVENT = 0, 15
TCGETS, FIONREAD, TIOCSTI, TIOCLINUX, TIOCSETD, FIOASYNC = 0x5401, 0x541B, 0x5412, 0x541C, 0x5423, 0x5452
FIOSETOWN, SIOCSPGRP = 0x8901, 0x8902
F_GETFL, F_SETFL, F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY = 3, 4, 8, 10, 15, 1024, 1026
O_NONBLOCK, O_ASYNC = 0o4000, 0o20000
CALLS = {
    "getpid": (39,), "open": (257, AT_FDCWD, 0, 0), "chmod": (90, 0, 0o666), "fchmod": (91, 0, 0o666),
    "kill": (62, 1, 0), "tgkill": (234, 1, 1, 0), "prlimit64": (302, 1, 7, 0, 0), "ptrace": (101, 16, 1),
    "execve": (59, 0, 0, 0), "fork": (57,), "mprotect": (10, 0, 0, PROT_EXEC), "unlink": (87, 0),
    "prctl": (157, 4, 1),
    "unix stream": (41, AF_UNIX, STREAM, 0), "unix seqpacket": (41, AF_UNIX, SEQPACKET, 0),
    "unix datagram": (41, AF_UNIX, DATAGRAM, 0), "pair of datagrams": (53, AF_UNIX, DATAGRAM, 0, 0),
    "packet": (41, AF_PACKET, RAW, 0), "inet raw": (41, AF_INET, RAW, 1),
    "uevent": (41, AF_NETLINK, RAW, NETLINK_KOBJECT_UEVENT), "inet": (41, AF_INET, STREAM, 0),
    "route": (41, AF_NETLINK, RAW, NETLINK_ROUTE), "pair": (53, AF_UNIX, STREAM, 0, 0),
    "TIOCSTI": (16, 0, TIOCSTI, 0), "TIOCLINUX": (16, 0, TIOCLINUX, 0), "TIOCSETD": (16, 0, TIOCSETD, 0),
    "FIOASYNC": (16, 0, FIOASYNC, 0), "FIOSETOWN": (16, 0, FIOSETOWN, 0), "SIOCSPGRP": (16, 0, SIOCSPGRP, 0),
    "F_SETOWN": (72, 0, F_SETOWN, 1), "F_SETOWN_EX": (72, 0, F_SETOWN_EX, 0), "F_SETSIG": (72, 0, F_SETSIG, 9),
    "O_ASYNC": (72, 0, F_SETFL, O_ASYNC), "F_SETLEASE": (72, 0, F_SETLEASE, 0), "F_NOTIFY": (72, 0, F_NOTIFY, 0),
    "TCGETS": (16, NO_DESCRIPTOR, TCGETS, 0), "FIONREAD": (16, NO_DESCRIPTOR, FIONREAD, 0),
    "F_GETFL": (72, NO_DESCRIPTOR, F_GETFL, 0), "O_NONBLOCK": (72, NO_DESCRIPTOR, F_SETFL, O_NONBLOCK),
}


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in NAMES]


def trace(request, pid, data=None):
    if LIBC.ptrace(request, pid, None, data) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def call(pid, waiting, number, *arguments):
    registers = Registers.from_buffer_copy(waiting)
    registers.rip -= 2  # Back onto the instruction `syscall`.
    registers.rax, registers.orig_rax = number, (1 << 64) - 1
    for name, value in zip(("rdi", "rsi", "rdx", "r10"), arguments + (0,) * 4):
        setattr(registers, name, value)
    trace(SET, pid, ctypes.byref(registers))
    trace(STEP, pid)
    os.waitpid(pid, 0)
    trace(GET, pid, ctypes.byref(registers))
    return ctypes.c_longlong(registers.rax).value


def main():
    pid = int(sys.argv[1])
    LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    trace(ATTACH, pid)
    os.waitpid(pid, 0)
    waiting = Registers()
    trace(GET, pid, ctypes.byref(waiting))
    for name, (number, *arguments) in CALLS.items():
        result = call(pid, waiting, number, *arguments)
        print(name, errno.errorcode.get(-result, result) if result < 0 else result)
    trace(SET, pid, ctypes.byref(waiting))
    trace(DETACH, pid)


main()
