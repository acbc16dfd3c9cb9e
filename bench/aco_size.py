#!/usr/bin/env python3
"""aco_size.py QD-DIS [--show KERNEL] [--write FILE]: compares the number of machine instructions of qd's kernels on
AMD GPUs with ACO's, for qd's SPIR-V of the same kernels. ACO is the compiler of RADV, Mesa's driver.

The driver simulates the device (tests/scripts/driver.sh), so no GPU is needed; bench/gcn/aco.c gets the machine code
from it. The kernels are those of gcn_size.py. Two differences are inherent. SPIR-V has pointers, so ACO's code
computes 64-bit addresses and checks indices with instructions; qd's code has descriptors, with which the hardware
checks them. ACO's code computes the thread index from the subgroup's, because Vulkan guarantees no more.

Counts include waits (w), s_nop (n) and hints (h), which are also printed separately. The exit status is 1 if a
kernel is longer than ACO's and LONGER does not give a reason, or if LONGER names a kernel that is not longer. It
is 77, with a message, if the driver or a compiler is missing."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import gcn_size

# Target, RADV family, lanes.
FAMILIES = [("gfx906", "vega20", 64), ("gfx1030", "navi21", 32), ("gfx1100", "gfx1100", 32)]
# Options of the target, which match RADV's properties for these devices.
OPTIONS = ":s65536:a256:+clusters:+zeros32:+zeros64:+denorm32:+denorm64:+rte32:+rte64:+flow"
# Kernels that are longer than ACO's: (kernel, target): reason.
LONGER = {("row_sums", t): "its loop is unrolled, which executes fewer instructions" for t in ("gfx906", "gfx1030", "gfx1100")}
# Sets up RADV without a GPU; families are among its configurations.
DRIVER = os.path.join(gcn_size.HERE, "..", "..", "tests", "scripts", "driver.sh")


def build(directory):
    """Builds bench/gcn/aco.c. Returns the program, or None if it cannot be built."""
    cc = shutil.which("cc")
    out = f"{directory}/aco"
    source = os.path.join(gcn_size.HERE, "aco.c")
    r = subprocess.run([cc or "cc", "-std=c11", "-O1", source, "-o", out, "-lvulkan"], capture_output=True, text=True) if cc else None
    return out if r and r.returncode == 0 else None


def aco_code(program, dis, family, size, directory):
    """Returns the list of instructions of each kernel."""
    files = {}
    for row in gcn_size.ROWS:
        path = f"{directory}/{row.name}.spv"
        gcn_size.run(dis, "-t", f"spirv:w{size}{OPTIONS}", "-k", row.name, "-o", path, f"{directory}/k.qdk")
        files[path] = row.name
    command = ["bash", DRIVER, family, program, str(size if size == 32 else 0), *files]
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode == 77:
        print(r.stdout.strip())
        sys.exit(77)
    if r.returncode:
        sys.exit(f"aco-size: {family}: {r.stderr.strip()[:2000]}")
    code, name = {}, None
    for line in r.stdout.split("\n"):
        if line.startswith("file "):
            name = files[line[5:]]
            code[name] = []
        elif name and line.startswith("\t") and re.search(r"; [0-9a-f]{8}", line):
            code[name].append(re.sub(r"\s*;.*", "", line).strip())
    return code


def table(got):
    out = [f"{'kernel':30} {'target':8} {'qd':>5} {'(w, n)':>9} {'ACO':>6} {'(w, n, h)':>13} {'ratio':>6}"]
    for row in gcn_size.ROWS:
        for t, _, _ in FAMILIES:
            q, c = got[row.name, t]
            out.append(f"{row.title:30} {t:8} {q[0]:5} {f'({q[1]}, {q[2]})':>9} {c[0]:6} {f'({c[1]}, {c[2]}, {c[3]})':>13} {q[0] / c[0]:6.2f}")
    for t, _, _ in FAMILIES:
        pairs = [got[r.name, t] for r in gcn_size.ROWS]
        less, same, more = (sum((a[0] > b[0]) - (a[0] < b[0]) == s for a, b in pairs) for s in (-1, 0, 1))
        q, c = (sum(p[side][0] for p in pairs) for side in (0, 1))
        out.append(f"{t:8} qd is shorter {less}, equal {same}, longer {more} times; instructions {q}, ACO's {c} ({q / c:.2f})")
    return out


def main():
    dis, write, show = None, None, None
    args = sys.argv[1:]
    while args:
        a = args.pop(0)
        if a == "--write":
            write = args.pop(0)
        elif a == "--show":
            show = args.pop(0)
        else:
            dis = a
    got = {}
    with tempfile.TemporaryDirectory() as d:
        program = build(d)
        if not program:
            print("SKIP: bench/gcn/aco.c cannot be built: a C compiler and the Vulkan loader's headers are needed")
            return 77
        for t, family, size in FAMILIES:
            ours = gcn_size.qd_code(dis, t, d)
            theirs = aco_code(program, dis, family, size, d)
            for row in gcn_size.ROWS:
                got[row.name, t] = gcn_size.counts(ours[row.name]), gcn_size.counts(theirs[row.name])
                for side, code in (("qd", ours), ("ACO", theirs)) if show == row.title else ():
                    print(f"{show}, {t}, {side}\n\t" + "\n\t".join(code[row.name]))
    if show:
        return 0
    lines = table(got)
    print("\n".join(lines))
    if write:
        with open(write, "w") as f:
            f.write("# Size of AMD code, compared with ACO\n\n"
                    "The table compares the machine instructions that qd and ACO, the compiler of Mesa's RADV, emit for the same kernel. ACO compiles qd's SPIR-V.\n"
                    "`bench/aco_size.py --write` wrote this page; its docstring explains the inherent differences. w: waits, n: `s_nop`, h: hints. Mesa "
                    + re.sub(r"^.*?(\d[\w.]*).*$", r"\1", subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "mesa-vulkan-drivers"],
                                                                         capture_output=True, text=True).stdout or "0") + ".\n\n```text\n"
                    + "\n".join(lines) + "\n```\n\n## Longer than ACO's\n\n"
                    + ("\n".join(f"- {k}, {t}: {why}" for (k, t), why in LONGER.items()) or "None.") + "\n")
    wrong = gcn_size.unexplained(got, LONGER, [t for t, _, _ in FAMILIES])
    for text in wrong:
        print(f"aco-size: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
