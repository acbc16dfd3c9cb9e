#!/usr/bin/env python3
"""gcn_dynamic.py QD-RUN [--target gfx1100,...] [--kernel NAME,...] [--jobs N] [--write FILE] [--json FILE] [--bounds FILE]:
compares what kernels execute on AMD GPUs, from qd and from clang 22 at -O3.

The kernels in bench/dynamic are complete programs: a .qdk file as a user would write it, and the same in OpenCL C with the
builtins that HIP's headers use. Both run on the wave emulator with the same arguments, and must write the same bytes.
qd-run --profile counts what they execute and estimates cycles (docs/profile.md).

Conditions: blocks of the same size, the default waves of the target, -mcumode (the waves of qd's blocks share a compute
unit), unrolling on, the same types, explicit fma on both sides, -ffp-contract=off,
-cl-fp32-correctly-rounded-divide-sqrt, denormals kept. qd's accesses are checked against the length of the buffer;
those of clang are not, beyond the tests that the source contains.

Columns: instructions executed by all waves (with waits and hints); slots, the same in issue slots of a SIMD, where an
instruction at a quarter of the full rate counts four, f64 by its rate, and hints do not count; trips, round trips to
memory per wave; wave, model cycles of one wave alone; full, model cycles per wave of a full compute unit; VGPRs.
The ratio is qd's count divided by clang's.

--bounds: compares the ratios of instructions, slots and trips with the bounds in a file, lines "target kernel
instructions slots trips"; only these run. The exit status is 1 if one is above its bound. QD_GOLDEN_UPDATE=1 rewrites
the numbers. --write writes a page, --json all numbers. The exit status is 77, with a message, if clang-22 is missing,
and 1 if outputs differ or a code cannot be run."""

import argparse
import concurrent.futures
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

TARGETS = ["gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"]
CLANG = "clang-22"
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dynamic")
FLAGS = ["--target=amdgcn-amd-amdhsa", "-O3", "-nogpulib", "-x", "cl", "-cl-std=CL2.0", "-cl-kernel-arg-info", "-w", "-mcumode",
         "-ffp-contract=off", "-cl-fp32-correctly-rounded-divide-sqrt"]
# Names of the numbers, and the titles of their columns.
NUMBERS = [("instructions", "instr"), ("slots", "slots"), ("trips", "trips"), ("wave", "wave"), ("full", "full"), ("vgprs", "VGPR")]
WEIGHTS = {"gfx9": {"quarter": 4, "trans": 4, "f64": 2}, "gfx90a": {"quarter": 4, "trans": 4, "f64": 1},
           "gfx94": {"quarter": 4, "trans": 4, "f64": 1}, "gfx10": {"quarter": 4, "trans": 4, "f64": 16},
           "gfx11": {"quarter": 4, "trans": 4, "f64": 32}, "gfx12": {"quarter": 4, "trans": 4, "f64": 32}}


class Kernel:
    """args: of both; more: only of clang's; blocks: of clang's, and of qd's if `launch` (no grid loop)."""

    def __init__(self, source, name, blocks, args, more="", launch=False):
        self.source, self.name, self.blocks, self.launch = source, name, blocks, launch
        self.args, self.more = args.split(), more.split()


def kernels():
    n = 4000
    f = lambda name, count, seed: f"{name}=rand:{count}:{seed}"
    yield Kernel("stream", "axpy", 16, f"x=rand:{n}:1 y=rand:{n}:2 a=1.5", f"n={n}")
    yield Kernel("stream", "scale4", 16, "src=rand:16000:1 dst=zero:16000 a=1.5", "n=16000")
    yield Kernel("stream", "gather", 16, f"src=rand:1000:1 at=rand:{n}:2 dst=zero:{n}", f"m=1000 n={n}")
    yield Kernel("stream", "scatter", 16, f"src=rand:{n}:1 dst=zero:{n}", f"m={n} n={n}")
    yield Kernel("stream", "stencil1", 16, f"src=rand:4004:1 dst=zero:{n}", f"n={n}")
    yield Kernel("stream", "fir", 16, f"src=rand:4015:1 tap=rand:16:2 dst=zero:{n}", f"n={n}")
    yield Kernel("stream", "dot", 16, f"a=rand:{n}:1 b=rand:{n}:2 part=zero:16", f"n={n}")
    yield Kernel("stream", "color", 16, f"rgb=rand:{n}:1 yuv=zero:{n}", f"n={n}")
    yield Kernel("stream", "polynomial", 16, f"x=rand:{n}:1 y=zero:{n}", f"n={n}")
    yield Kernel("stream", "normalize", 16, f"x=rand:{n}:1 y=rand:{n}:2 z=rand:{n}:3 nx=zero:{n} ny=zero:{n} nz=zero:{n}", f"n={n}")
    yield Kernel("matrix", "matmul", 9, "a=rand:2304:1 b=rand:2304:2 c=zero:2304 n=48")
    yield Kernel("matrix", "matmul_tile", 9, "a=rand:2304:1 b=rand:2304:2 c=zero:2304 n=48", launch=True)
    yield Kernel("matrix", "matvec", 4, "a=rand:40000:1 x=rand:40:2 y=zero:1000", "n=1000 m=40")
    yield Kernel("matrix", "transpose", 9, "src=rand:9216:1 dst=zero:9216 n=96", launch=True)
    yield Kernel("matrix", "softmax", 4, "src=rand:20000:1 dst=zero:20000 cols=20 c1=1 c2=0.5 c3=0.1666", "rows=1000")
    yield Kernel("matrix", "lu_step", 14, "a=rand:4096:1 pivot=rand:64:2 factor=rand:64:3 n=64 k=7")
    yield Kernel("matrix", "stencil2", 16, f"src=rand:{n}:1 dst=zero:{n} w=80 h=50")
    yield Kernel("matrix", "stencil3", 16, f"src=rand:{n}:1 dst=zero:{n} w=20 h=20 d=10")
    yield Kernel("image", "blur", 15, f"src=rand:{n}:1 dst=zero:{n} w=80 h=50")
    yield Kernel("image", "convolution", 14, f"src=rand:{n}:1 weight=rand:25:2 dst=zero:3496 w=80 h=50")
    yield Kernel("image", "sobel", 15, f"src=rand:{n}:1 dst=zero:3744 w=80 h=50")
    yield Kernel("image", "histogram", 16, f"src=rand:{n}:1 bins=zero:256", f"n={n}")
    yield Kernel("image", "mandelbrot", 16, "dst=zero:4096 w=64 h=64")
    yield Kernel("image", "bilinear", 16, f"src=rand:{n}:1 dst=zero:{n} w=80 h=50 scale=0.75", f"n={n}")
    yield Kernel("image", "life", 16, f"src=rand:{n}:1 dst=zero:{n} w=80 h=50")
    yield Kernel("image", "threshold", 16, f"src=rand:{n}:1 dst=zero:{n} level=100", f"n={n}")
    yield Kernel("bits", "hash", 16, f"src=rand:{n}:1 dst=zero:{n} seed=42", f"n={n}")
    yield Kernel("bits", "sha256", 8, "src=rand:8000:1 k=rand:64:2 dst=zero:500", "n=500")
    yield Kernel("bits", "crc32", 4, "src=rand:8000:1 dst=zero:1000", "n=1000")
    yield Kernel("bits", "crc_table", 4, "src=rand:8000:1 table=rand:256:2 dst=zero:1000", "n=1000")
    yield Kernel("bits", "bit_tricks", 16, f"src=rand:{n}:1 dst=zero:{n}", f"n={n}")
    yield Kernel("bits", "base64", 16, f"src=rand:{n}:1 alphabet=iota:64 dst=zero:{n}", f"n={n}")
    yield Kernel("bits", "search", 4, "text=iota:16001 dst=zero:1000 pattern=0x00012300", "n=1000")
    yield Kernel("bits", "morton", 16, f"x=rand:{n}:1 y=rand:{n}:2 dst=zero:{n}", f"n={n}")
    yield Kernel("bits", "monte_carlo", 16, f"dst=zero:{n} seed=7", f"n={n}")
    yield Kernel("points", "nbody", 2, "x=rand:500:1 y=rand:500:2 z=rand:500:3 m=rand:500:4 ax=zero:500 ay=zero:500 az=zero:500", "n=500")
    yield Kernel("points", "nearest", 4, "px=rand:100:1 py=rand:100:2 qx=rand:1000:3 qy=rand:1000:4 at=zero:1000", "m=100 n=1000")
    yield Kernel("points", "kmeans", 16, f"x=rand:{n}:1 y=rand:{n}:2 cx=rand:8:3 cy=rand:8:4 label=zero:{n} size=zero:8", f"n={n}")
    yield Kernel("points", "bounce", 16, f"px=rand:{n}:1 py=rand:{n}:2 vx=rand:{n}:3 vy=rand:{n}:4 dt=0.25", f"n={n}")
    yield Kernel("points", "sphere", 16, f"ox=rand:{n}:1 oy=rand:{n}:2 dx=rand:{n}:3 dy=rand:{n}:4 t=zero:{n}", f"n={n}")
    csr = "start=@{start} col=@{col} value=rand:12000:1 x=rand:1000:2"
    yield Kernel("sparse", "spmv_thread", 4, csr + " y=zero:1000", "n=1000")
    yield Kernel("sparse", "spmv_warp", 125, csr + " y=zero:1000", "n=1000")
    yield Kernel("sparse", "scan", 16, f"src=rand:{n}:1 dst=zero:{n} part=zero:16", f"n={n}")
    yield Kernel("sparse", "look_back", 16, "src=rand:4096:1 dst=zero:4096 sums=zero:16 flag=zero:16 counter=zero:1", launch=True)
    yield Kernel("sparse", "filter", 16, f"src=rand:{n}:1 dst=zero:4096 kept=zero:16 level=2000000000", f"n={n}")
    yield Kernel("sparse", "run_length", 16, "src=@{runs} dst=zero:4000", f"n={n}")
    yield Kernel("sparse", "reduce", 16, f"src=rand:{n}:1 part=zero:16", f"n={n}")
    yield Kernel("sparse", "bitonic_step", 16, "a=rand:4096:1 j=64 k=256", "n=4096")
    yield Kernel("sparse", "bitonic_block", 8, "src=rand:2048:1 dst=zero:2048", launch=True)
    yield Kernel("sparse", "digit_count", 16, f"src=rand:{n}:1 count=zero:256 shift=8", f"n={n}")


def write_data(folder):
    """Writes the arrays that qd-run cannot make; returns their files by name."""
    rng = random.Random(1)
    starts, runs = [0], []
    for _ in range(1000):
        starts.append(min(starts[-1] + rng.randrange(24), 12000))
    while len(runs) < 4000:
        runs += [rng.randrange(9)] * rng.randrange(1, 12)
    arrays = {"start": starts, "col": [rng.randrange(1000) for _ in range(12000)], "runs": runs[:4000]}
    files = {}
    for name, values in arrays.items():
        files[name] = os.path.join(folder, name)
        with open(files[name], "wb") as f:
            f.write(struct.pack(f"<{len(values)}I", *values))
    return files


def compile_all(target, sources, folder):
    """Compiles sources for a target; returns the code objects by source."""
    wave = 64 if target.startswith("gfx9") else 32
    out = {}
    for source in sources:
        out[source] = os.path.join(folder, f"{source}.{target}.co")
        cmd = [CLANG, *FLAGS, f"-DWAVE={wave}", f"-mcpu={target}", os.path.join(HERE, source + ".cl"), "-o", out[source]]
        r = subprocess.run(cmd, capture_output=True, text=True)
        if r.returncode:
            sys.exit(f"{' '.join(cmd)}\n{r.stderr}")
    return out


class Refused(Exception):
    pass


def profile(qd_run, target, path, kernel, args, blocks):
    """Runs a kernel; returns its numbers and the contents of its buffers."""
    cmd = [qd_run, "--json", "--profile", "-d", "emu:" + target, "-k", kernel, path, *args]
    if blocks:
        cmd.append(f"--grid={blocks}")
    r = subprocess.run(cmd, capture_output=True, text=True)
    if r.returncode:
        raise Refused(r.stderr.strip().split("\n")[0] or f"exit status {r.returncode}")
    result = json.loads(r.stdout)
    p = result["profile"]
    waves, weights = int(p["waves"]), WEIGHTS[p["model"]]
    slots = sum(int(n) * weights.get(name, 1) for name, n in p["classes"].items() if name != "nop")
    numbers = {"instructions": int(p["instructions"]), "slots": slots, "trips": int(p["round_trips"]) / waves,
               "wave": p["wave_cycles"], "full": p["full_cycles"] / p["full_waves"], "vgprs": p["registers"],
               "classes": {name: int(n) for name, n in p["classes"].items()}, "bound": p["bound"], "waves": waves}
    return numbers, {b["name"]: b["values"] for b in result["buffers"]}


def compare(qd_run, target, objects, files, k):
    """Returns (qd's numbers, clang's numbers, message)."""
    args = [a.format(**files) for a in k.args]
    try:
        own, mine = profile(qd_run, target, os.path.join(HERE, k.source + ".qdk"), k.name, args, k.blocks if k.launch else 0)
        other, theirs = profile(qd_run, target, objects[k.source], k.name, args + k.more, k.blocks)
    except Refused as e:
        return None, None, str(e)
    if os.environ.get("QD_TEST_MUTATION") == "values":
        mine[next(iter(mine))][-1] = None
    wrong = [name for name in mine if mine[name] != theirs.get(name)]
    return own, other, f"{', '.join(wrong)} differs" if wrong else None


def measure(qd_run, targets, chosen, jobs):
    results = {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        files = write_data(folder)
        work = [(t, k) for t in targets for k in kernels() if (t, k.name) in chosen]
        sources = sorted({k.source for _, k in work})
        objects = dict(zip(targets, pool.map(lambda t: compile_all(t, sources, folder), targets)))
        done = pool.map(lambda w: compare(qd_run, w[0], objects[w[0]], files, w[1]), work)
        for (t, k), r in zip(work, done):
            results[t, k.name] = r
    return results


def ratio(own, other, name):
    return own[name] / other[name] if other[name] else 1.0 if not own[name] else math.inf


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1


def table(results, target):
    head = f"{'kernel':<14}" + "".join(f"{title:>9}{'clang':>9}{'ratio':>6}" for _, title in NUMBERS)
    lines, ratios = [head], {name: [] for name, _ in NUMBERS}
    for (t, kernel), (own, other, message) in results.items():
        if t != target:
            continue
        if message:
            lines.append(f"{kernel:<14}  {message}")
            continue
        line = f"{kernel:<14}"
        for name, _ in NUMBERS:
            digits = 2 if name == "trips" else 0
            ratios[name].append(ratio(own, other, name))
            line += f"{own[name]:>9.{digits}f}{other[name]:>9.{digits}f}{ratios[name][-1]:>6.2f}"
        lines.append(line)
    lines.append(f"{'mean':<14}" + "".join(f"{'':18}{mean(ratios[name]):>6.2f}" for name, _ in NUMBERS))
    return lines, {name: mean(v) for name, v in ratios.items()}


def page(results, targets):
    version = subprocess.run([CLANG, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    count = len({k for _, k in results})
    tables = {t: table(results, t) for t in targets}
    out = ["# Executed instructions of AMD kernels, compared with clang", "",
           f"The tables compare {count} kernels, compiled by qd and by clang at -O3 and executed on the wave emulator with equal results. `bench/gcn_dynamic.py --write`",
           "wrote this page; its docstring explains the conditions and the columns. The kernels are in `bench/dynamic`. Each number is followed by clang's and the",
           f"ratio. {version}.", "", "Geometric means of the ratios:", "", "| target | " + " | ".join(title for _, title in NUMBERS) + " |",
           "|---|" + "---|" * len(NUMBERS)]
    out += [f"| {t} | " + " | ".join(f"{tables[t][1][name]:.2f}" for name, _ in NUMBERS) + " |" for t in targets]
    for t in targets:
        out += ["", f"## {t}", "", "```text", *tables[t][0], "```"]
    return "\n".join(out) + "\n"


def check_bounds(qd_run, path, jobs):
    names = ["instructions", "slots", "trips"]
    with open(path) as f:
        lines = f.read().split("\n")
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    if os.environ.get("QD_TEST_MUTATION"):
        rows = rows[:1]
    results = measure(qd_run, sorted({r[0] for r in rows}), {(r[0], r[1]) for r in rows}, jobs)
    bad, new = 0, [line for line in lines if line.startswith("#")]
    for target, kernel, *bounds in rows:
        own, other, message = results[target, kernel]
        if message:
            print(f"gcn_dynamic: {kernel} on {target}: {message}")
            return 1
        if os.environ.get("QD_TEST_MUTATION") == "counts":
            own["slots"] *= 1.01
        got = [ratio(own, other, name) for name in names]
        new.append(f"{target} {kernel} " + " ".join(f"{math.ceil(r * 1000) / 1000:.3f}" for r in got))
        for name, r, bound in zip(names, got, bounds):
            if r > float(bound):
                print(f"gcn_dynamic: {kernel} on {target}: {name} are {r:.3f} times clang's, at most {bound} are allowed")
                bad = 1
    if os.environ.get("QD_GOLDEN_UPDATE"):
        with open(path, "w") as f:
            f.write("\n".join(new) + "\n")
        return 0
    print(f"{len(rows)} kernels compared")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("qd_run")
    for name in ("--target", "--kernel", "--write", "--json", "--bounds"):
        parser.add_argument(name)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if not shutil.which(CLANG):
        print(f"gcn_dynamic: skipped: no {CLANG}")
        return 77
    if args.bounds:
        return check_bounds(args.qd_run, args.bounds, args.jobs)
    targets = args.target.split(",") if args.target else TARGETS
    names = args.kernel.split(",") if args.kernel else [k.name for k in kernels()]
    results = measure(args.qd_run, targets, {(t, n) for t in targets for n in names}, args.jobs)
    for t in targets:
        print(t, *table(results, t)[0], sep="\n")
    if args.write:
        with open(args.write, "w") as f:
            f.write(page(results, targets))
    if args.json:
        with open(args.json, "w") as f:
            json.dump([{"target": t, "kernel": k, "qd": r[0], "clang": r[1], "message": r[2]} for (t, k), r in results.items()], f, indent=0)
    return int(any(r[2] for r in results.values()))


if __name__ == "__main__":
    sys.exit(main())
