"""A program under what the unit of docs/deploy asks of the kernel, and no file to write.

    python confined.py CALLS PROGRAM ARGUMENTS…

CALLS are the system calls that are allowed, with commas between; as under systemd any other one
ends the process by SIGSYS. No write may lengthen a file: what would is an error.
"""

import ctypes
import os
import resource
import sys

KILL_PROCESS = 0x8000_0000
ALLOW = 0x7FFF_0000
"""What libseccomp does about a call."""


def confine(calls: list[str]) -> None:
    """Allow this process, and all that comes of it, these calls alone."""
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(KILL_PROCESS)))
    allow = ctypes.c_uint32(ALLOW)
    for name in calls:
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        seccomp.seccomp_rule_add(rules, allow, number, 0)  # one of another machine's is refused
    assert seccomp.seccomp_load(rules) == 0, os.strerror(ctypes.get_errno())


if __name__ == "__main__":
    _, allowed, *words = sys.argv
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    confine(allowed.split(","))
    os.execv(words[0], words)  # noqa: S606  what the unit starts
