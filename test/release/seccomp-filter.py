"""Compiles the SystemCallFilter, RestrictAddressFamilies, RestrictNamespaces and LockPersonality of a systemd unit to a program of
seccomp, as systemd would: seccomp-filter.py UNIT FILE. Needs systemd-analyze and Debian's python3-seccomp."""

import errno
import re
import socket
import subprocess
import sys

from seccomp import ALLOW, ERRNO, EQ, MASKED_EQ, Arg, SyscallFilter

NAMESPACES = 0x7E020000


def groups():
    printed = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager"], capture_output=True, text=True, check=True)
    found, name = {}, ""
    for line in printed.stdout.splitlines():
        if line.startswith("@"):
            name = line.strip()
            found[name] = []
        elif line.startswith("    ") and not line.strip().startswith("#"):
            found[name].append(line.strip())
    return found


def expand(name, known):
    if not name.startswith("@"):
        return {name}
    return set().union(*(expand(member, known) for member in known[name]))


def allowed_calls(unit, known):
    allowed = expand("@default", known)
    lines = re.findall(r"^SystemCallFilter=(~?)(.*)$", unit, re.M)
    if not lines:
        sys.exit("The unit has no SystemCallFilter.")
    for negation, names in lines:
        calls = set().union(*(expand(name, known) for name in names.split()))
        allowed = allowed - calls if negation else allowed | calls
    return allowed


def main(unit_path, out_path):
    with open(unit_path, encoding="utf-8") as file:
        unit = file.read()
    families = re.search(r"^RestrictAddressFamilies=(.*)$", unit, re.M)[1].split()
    program = SyscallFilter(ERRNO(errno.EPERM))
    for call in sorted(allowed_calls(unit, groups()) - {"unshare", "setns"}):
        if call == "socket":
            for family in families:
                program.add_rule(ALLOW, call, Arg(0, EQ, getattr(socket, family)))
        elif call == "clone":
            program.add_rule(ALLOW, call, Arg(0, MASKED_EQ, NAMESPACES, 0))
        elif call == "personality":
            program.add_rule(ALLOW, call, Arg(0, EQ, 0xFFFFFFFF))
        elif call == "clone3":
            # Its flags are in memory, which seccomp cannot read. The C library uses clone instead.
            continue
        else:
            try:
                program.add_rule(ALLOW, call)
            except (OSError, RuntimeError):
                # A call that this version of libseccomp does not know.
                continue
    program.add_rule(ERRNO(errno.ENOSYS), "clone3")
    with open(out_path, "wb") as file:
        program.export_bpf(file)


main(*sys.argv[1:])
