#!/usr/bin/env python3
"""aot.py QD-AOT [--runs N] [FILE]: what qd-aot takes to compile bench/matrix.qdk, 252 kernels'
variants, or FILE, for all targets into one fatbin: CPU seconds (user and system, the least of N
runs) and bytes, by how it is compressed; and how long it takes to open and list."""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

AIM_SECONDS, AIM_BYTES = 2.0, 2500000


def cpu(command):
    """Returns the CPU seconds of a command, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode:
        sys.exit(f"{' '.join(command)}: exit {p.returncode}\n{p.stdout}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, p.stdout


def main():
    a = argparse.ArgumentParser(description=__doc__)
    a.add_argument("aot")
    a.add_argument("file", nargs="?", default=os.path.join(os.path.dirname(__file__), "matrix.qdk"))
    a.add_argument("--runs", type=int, default=5)
    o = a.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        out = os.path.join(tmp, "matrix.o")
        print(f"{'compressed':10} {'CPU s':>7} {'file':>9} {'images':>9} {'list, CPU s':>11}")
        for how in "auto", "none", "zstd:1", "zstd:3", "zstd:9", "zstd:15", "zstd:19":
            command = [o.aot, "compile", o.file, "--no-header", f"--compress={how}", "-o", out]
            least, said = min(cpu(command) for _ in range(o.runs))
            listing = min(cpu([o.aot, "list", out])[0] for _ in range(o.runs))
            stored = re.search(r"(\d+) stored", said).group(1)
            size = os.path.getsize(out)
            print(f"{how:10} {least:7.3f} {size:9} {stored:>9} {listing:11.3f}")
            if how == "auto":
                usual = least, size
        print(said[:said.index(";")])
    for what, is_, aim in ("CPU seconds", usual[0], AIM_SECONDS), ("bytes", usual[1], AIM_BYTES):
        print(f"{what}: {is_:.6g}, the aim is less than {aim:.6g}{'' if is_ < aim else ': MISSED'}")
    return 0 if usual[0] < AIM_SECONDS and usual[1] < AIM_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
