#!/usr/bin/env python3
"""library_size.py LIBRARY START EMPTY [emu]: prints the size of the stripped library, its relative relocations and
the instructions that its start takes, which START executes beyond EMPTY. Fails above the bounds below. emu: the
library contains the emulators.

The bounds hold for release builds: LIBRARY is what ./bootstrap.sh builds. QD_TEST_MUTATION=1 halves them.
"""
import os
import re
import subprocess
import sys
import tempfile

BOUNDS = {"bytes": 1_400_000, "relocations": 8_400, "relocation bytes": 7_500, "instructions": 345_000}
EMU_BOUNDS = {"bytes": 1_740_000, "relocations": 13_000, "relocation bytes": 9_500, "instructions": 400_000}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def relocations(library):
    """Returns the number of relative relocations, and the bytes of all dynamic relocations."""
    n = 0
    for line in output("readelf", "-rW", library).splitlines():
        packed = re.match(r"\s*(\d+) offsets", line)
        n += int(packed[1]) if packed else "_RELATIVE" in line
    size = sum(int(f[4], 16) for f in (re.sub(r"^\s*\[\s*\d+\]", "", l).split() for l in output("readelf", "-SW", library).splitlines())
               if f and re.match(r"\.rel", f[0]))
    return n, size


def instructions(program):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, program], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{program} fails:\n{done.stderr}")
        with open(out) as f:
            return int(re.search(r"^(?:summary|totals): (\d+)", f.read(), re.M)[1])


def main():
    library, start, empty, *emu = sys.argv[1:]
    bounds = EMU_BOUNDS if emu else BOUNDS
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped")
        output("strip", "-o", stripped, library)
        found = {"bytes": os.path.getsize(stripped)}
        found["relocations"], found["relocation bytes"] = relocations(stripped)
    try:
        found["instructions"] = instructions(start) - instructions(empty)
    except FileNotFoundError:
        print("part skipped: instructions of the start: valgrind is not installed")
    bad = False
    for what, n in found.items():
        bound = bounds[what] // (2 if os.environ.get("QD_TEST_MUTATION") else 1)
        print(f"{what}: {n}, at most {bound}")
        bad |= n > bound
    sys.exit(bad)


main()
