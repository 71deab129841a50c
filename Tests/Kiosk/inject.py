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
AT_FDCWD, AF_UNIX, SOCK_STREAM, TIOCSTI, PROT_EXEC = -100 & (1 << 64) - 1, 1, 1, 0x5412, 4
CALLS = {
    "getpid": (39,), "open": (257, AT_FDCWD, 0, 0), "chmod": (90, 0, 0o666), "fchmod": (91, 0, 0o666),
    "socket": (41, AF_UNIX, SOCK_STREAM, 0), "kill": (62, 1, 0), "tgkill": (234, 1, 1, 0),
    "prlimit64": (302, 1, 7, 0, 0), "ptrace": (101, 16, 1), "execve": (59, 0, 0, 0), "fork": (57,),
    "ioctl": (16, 0, TIOCSTI, 0), "mprotect": (10, 0, 0, PROT_EXEC), "unlink": (87, 0), "prctl": (157, 4, 1),
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
