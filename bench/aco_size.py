#!/usr/bin/env python3
"""aco_size.py QD-DIS [--show KERNEL] [--write FILE]: how many machine instructions kernels are on AMD's
GPUs, beside what ACO makes of qd's own SPIR-V of the same kernels: the compiler of RADV, Mesa's driver.

The driver is asked for a device that is not there (tests/driver.sh), so none is needed; bench/gcn/aco.c
asks it for the machine code.  The kernels are those of gcn_size.py.  What differs by nature: SPIR-V
has pointers, so ACO's code computes 64-bit addresses and checks the index by itself, where qd's
has descriptors that check it; and a thread's number is made of the subgroup's, since Vulkan promises no more.

Instructions are counted with waits (w), s_nop (n) and hints (h), which stand beside the sum too.  It ends with
1 where a kernel is longer than ACO's and LONGER does not say why, and where LONGER names one that is not; with
77, saying so, where the driver or a compiler is missing."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import gcn_size

# Target, RADV's family, lanes.
FAMILIES = [("gfx906", "vega20", 64), ("gfx1030", "navi21", 32), ("gfx1100", "gfx1100", 32)]
# What RADV says of such devices.
OPTIONS = ":s65536:a256:+clusters:+zeros32:+zeros64:+denorm32:+denorm64:+rte32:+rte64:+flow"
# Where qd is longer than ACO, and why: (kernel, target): reason.
LONGER = {}
# Sets up RADV without a GPU: one of its configurations is a family.
DRIVER = os.path.join(gcn_size.HERE, "..", "..", "tests", "driver.sh")


def build(directory):
    """The program that asks; None: it cannot be built."""
    cc = shutil.which("cc")
    out = f"{directory}/aco"
    source = os.path.join(gcn_size.HERE, "aco.c")
    r = subprocess.run([cc or "cc", "-std=c11", "-O1", source, "-o", out, "-lvulkan"], capture_output=True, text=True) if cc else None
    return out if r and r.returncode == 0 else None


def aco_code(program, dis, family, size, directory):
    """Lists of instructions by kernel."""
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
            f.write("# AMD code beside ACO's\n\n"
                    "Machine instructions of the same kernel from qd, and from ACO, the compiler of Mesa's RADV, for qd's SPIR-V. `bench/aco_size.py` wrote this\n"
                    "page (`--write`), and explains the inherent differences in its docstring. w: waits, n: `s_nop`, h: hints. Mesa "
                    + re.sub(r"^.*?(\d[\w.]*).*$", r"\1", subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "mesa-vulkan-drivers"],
                                                                         capture_output=True, text=True).stdout or "0") + ".\n\n```text\n"
                    + "\n".join(lines) + "\n```\n\n## Longer than ACO's\n\n"
                    + ("\n".join(f"- {k}, {t}: {why}" for (k, t), why in LONGER.items()) or "None.") + "\n")
    wrong = gcn_size.unexplained(got, LONGER, [t for t, _, _ in FAMILIES])
    for text in wrong:
        print(f"aco-size: {text}")
    return 1 if wrong else 0


sys.exit(main())
