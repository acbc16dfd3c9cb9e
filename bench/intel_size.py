#!/usr/bin/env python3
"""intel_size.py PIPELINES [--write FILE]: prints the number of machine instructions of the block primitives on
Intel GPUs, as Mesa's compiler counts them, and the time that it takes per pipeline.

No GPU is needed: tests/nullgpu/pipelines compiles the kernels of family "block" of the conformance tables
(each primitive, type, variant and block size) with ANV, on a fake of the kernel driver. The table lists the
kernel with the most instructions of each primitive and variant. A kernel also loads its operands, stores its
results and checks each index. Times are processor time of this machine.

The exit status is 77, with a message, if the driver is missing."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVER = os.path.join(HERE, "..", "tests", "scripts", "driver.sh")
# Configuration of driver.sh, and Intel's name for the GPU.
GPUS = [("tgl", "Tiger Lake, Gen12"), ("skl", "Skylake, Gen9")]
ROW = re.compile(r"^block/\d+\t(?P<name>[^\t]*)\t(?P<us>\d+) us\t[^;]*;(?P<counts>.*)$")
COUNTS = ["Instruction Count", "SEND Count", "Loop Count", "Spill Count", "Fill Count", "Cycle Count"]
HEAD = ["instr.", "sends", "loops", "spills", "fills", "cycles"]


def kernels(pipelines, config):
    """Returns rows of (primitive and variant, type and block size, counts, ms)."""
    r = subprocess.run(["bash", DRIVER, config, pipelines, "--group", "block", "--statistics"], capture_output=True, text=True)
    if r.returncode == 77:
        print(r.stdout.strip())
        sys.exit(77)
    if r.returncode:
        sys.exit(f"intel-size: {config}: {r.stdout[-2000:]}{r.stderr[-2000:]}")
    rows = []
    for m in filter(None, map(ROW.match, r.stdout.split("\n"))):
        counts = dict(re.findall(r" ([A-Za-z ]+?) (\d+)(?:;|$)", m["counts"]))
        primitive, what = re.match(r"(.*) (\S+ block=\d+)$", m["name"]).groups()
        rows.append((primitive, what, [int(counts[c]) for c in COUNTS], int(m["us"]) / 1000))
    return rows


def table(rows):
    longest = {}
    for row in rows:
        if row[0] not in longest or row[2][0] > longest[row[0]][2][0]:
            longest[row[0]] = row
    out = [f"{'primitive':54} {'kernel':18}" + "".join(f"{h:>8}" for h in HEAD) + f"{'ms':>7}"]
    for primitive, what, counts, ms in sorted(longest.values(), key=lambda r: -r[2][0]):
        out.append(f"{primitive:54} {what:18}" + "".join(f"{c:8}" for c in counts) + f"{ms:7.0f}")
    total = [sum(r[2][i] for r in rows) for i in range(2)]
    out.append(f"all {len(rows)} kernels: {total[0]} instructions, {total[1]} sends, {sum(r[3] for r in rows) / 1000:.1f} s")
    return out


def main():
    args = sys.argv[1:]
    write = args[args.index("--write") + 1] if "--write" in args else None
    tables = [(config, title, table(kernels(args[0], config))) for config, title in GPUS]
    for config, title, lines in tables:
        print(f"{config}: {title}\n" + "\n".join(lines))
    if write:
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "mesa-vulkan-drivers"], capture_output=True, text=True).stdout
        with open(write, "w") as f:
            f.write("# Block primitives on Intel\n\n"
                    "Machine instructions of kernels with block primitives, as ANV's compiler reports them (`VK_KHR_pipeline_executable_properties`), at\n"
                    "32 lanes, without a GPU. The tables list the kernel with most instructions of each primitive. A send is a message to memory or to a shared unit;\n"
                    "a spill and a fill move a register to and from memory; cycles are the compiler's estimate; ms is processor time for the pipeline.\n"
                    f"`bench/intel_size.py` wrote this page (`--write`). Mesa {version or 'of unknown version'}.\n")
            for _, title, lines in tables:
                f.write(f"\n## {title}\n\n```text\n" + "\n".join(lines) + "\n```\n")
    return 0


sys.exit(main())
