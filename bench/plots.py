#!/usr/bin/env python3
"""plots.py [--record BENCH-COMPILE]: draws the plots of docs/results from the measurements there.

compile-time.svg	from compile-time.jsonl, the rows of `bench-compile --json` for one kernel
code-size.svg		from gcn-size.md, which bench/gcn_size.py writes

--record runs BENCH-COMPILE on this machine first and replaces compile-time.jsonl. It needs nvcc's
NVRTC and ptxas. The SVG files depend only on the measurements and the version of matplotlib."""
import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "results")
TIMES, SIZES = os.path.join(RESULTS, "compile-time.jsonl"), os.path.join(RESULTS, "gcn-size.md")
KERNEL = "reduce_add.f32"
ROWS = {  # name in bench-compile, label
    f"compile/ptx:sm_90/{KERNEL}": "qd: kernel to PTX",
    f"compile/gfx1100/{KERNEL}": "qd: kernel to AMD code",
    f"compile/spirv:w32/{KERNEL}": "qd: kernel to SPIR-V",
    f"compile/nvrtc:sm_90/{KERNEL}": "NVRTC: CUDA to PTX",
    f"assemble/ptxas:sm_90/{KERNEL}": "ptxas: PTX to SASS",
}
QD, PEER = "#1f6f8b", "#b0b0b0"


def cpu():
    with open("/proc/cpuinfo") as f:
        return re.search(r"model name\s*: (.*)", f.read())[1]


def version(program):
    out = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return out.strip().split("\n")[-1]


def record(bench):
    out = subprocess.run([bench, "--json"], capture_output=True, text=True, check=True).stdout
    rows = [r for r in map(json.loads, (s for s in out.split("\n") if s.startswith("{"))) if r["name"] in ROWS]
    missing = set(ROWS) - {r["name"] for r in rows}
    if missing:
        sys.exit(f"plots: {bench} measured no {', '.join(sorted(missing))}")
    with open(TIMES, "w") as f:
        for r in [{"machine": cpu(), "cuda": version("/usr/local/cuda/bin/nvcc")}] + rows:
            f.write(json.dumps(r) + "\n")


def save(plt, name):
    plt.savefig(os.path.join(RESULTS, name), metadata={"Date": None}, bbox_inches="tight")
    plt.close()


def text_us(us):
    return f"{us:.1f} µs" if us < 100 else f"{us / 1000:.0f} ms"


def plot_times(plt):
    with open(TIMES) as f:
        rows = {r["name"]: r["min"] for r in map(json.loads, f) if "name" in r}
    names = [n for n in reversed(ROWS) if n in rows]
    figure, axes = plt.subplots(figsize=(7, 2.2))
    bars = axes.barh([ROWS[n] for n in names], [rows[n] for n in names],
                     color=[QD if ROWS[n].startswith("qd") else PEER for n in names])
    axes.bar_label(bars, [text_us(rows[n]) for n in names], padding=4)
    axes.set_xscale("log")
    axes.set_xlim(1, max(rows.values()) * 5)
    axes.set_xlabel("microseconds, fastest run, logarithmic scale")
    axes.spines[["top", "right"]].set_visible(False)
    save(plt, "compile-time.svg")


def plot_sizes(plt):
    ratios = collections.defaultdict(list)
    with open(SIZES) as f:
        for m in re.finditer(r"(?m)^\S.*? +(gfx\w+) +(\d+) +\([^)]*\) +(\d+) ", f.read()):
            ratios[m[1]].append(int(m[2]) / int(m[3]))
    if not ratios:
        sys.exit(f"plots: {SIZES} has no rows")
    figure, axes = plt.subplots(figsize=(7, 2.6))
    for i, (target, values) in enumerate(ratios.items()):
        mean = math.exp(sum(map(math.log, values)) / len(values))
        axes.plot(sorted(values), [i + (n - len(values) / 2) / len(values) * 0.7 for n in range(len(values))], ".", color=QD, markersize=3)
        axes.plot([mean] * 2, [i - 0.4, i + 0.4], color="black")
        axes.text(1.02, i, f"mean {mean:.2f}, {len(values)} kernels", transform=axes.get_yaxis_transform(), va="center")
    axes.axvline(1, color=PEER, zorder=0)
    axes.set_yticks(range(len(ratios)), ratios)
    axes.set_xlabel("instructions of qd / instructions of clang -O3, one dot per kernel")
    axes.spines[["top", "right"]].set_visible(False)
    save(plt, "code-size.svg")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--record", metavar="BENCH-COMPILE")
    a = a.parse_args()
    if a.record:
        record(a.record)
    try:
        import matplotlib
    except ImportError:
        sys.exit("plots: matplotlib is not installed (python3-matplotlib)")
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "qd", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
    import matplotlib.pyplot as plt

    plot_times(plt)
    plot_sizes(plt)


main()
