#!/usr/bin/env python3
"""sass_loops.py QD-DIS [--arch sm_80,sm_90] [--kernel NAME,...] [--cache DIR] [--write FILE] [--json FILE] [--show NAME]
[--limit PATH,LOOP]:
compares whole kernels on NVIDIA GPUs, from qd and from nvcc at -O3, by their machine code.

The kernels are those of bench/gcn_dynamic.py: a .qdk file as a user would write it, and the same in CUDA, which are the
files for OpenCL C with the definitions of bench/dynamic/cuda.h. Conditions: -O3 -fmad=false, explicit fma on both sides,
restrict and const pointers, the same types and block sizes. The same ptxas assembles both. qd's accesses are checked
against the length of the buffer; those of nvcc are not, beyond the tests that the source contains.

Columns:
  path   instructions on the path that runs when all accesses are in range: the code without the blocks that only a failed
         guard reaches, and without the slow paths of ptxas for division and square root. Both arms of other branches and
         other loop bodies count once, the hottest loop once per element. A predicated instruction counts
  loop   instructions per element of the hottest loop, for the kernels in LOOPS
  all    all instructions, without padding
  regs   registers
The ratio is qd's count divided by nvcc's.

--limit: the exit status is 1 if the mean ratio of paths or loops is above its limit.
--cache: a directory that keeps nvcc's code. --show prints the code of a kernel on both sides; slow instructions are marked.
The exit status is 77, with a message, if a tool is missing."""

import argparse
import hashlib
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from gcn_dynamic import HERE, kernels, mean
from sass import find, merged, run

FLAGS = ["-x", "cu", "-O3", "-fmad=false", "-w", "-cubin"]
NUMBERS = ["path", "loop", "all", "regs"]
# name: (a pattern of the instructions that mark an element, how many of them an element has, elements of a thread, rounds
# of loops within the marked one if they are not unrolled). The marked loop with the fewest instructions per element is the
# hottest; a kernel without a marked loop is unrolled.
LOOPS = {
    "fir": ("FFMA", 1, 16, 1), "matmul": ("FFMA", 1, 48, 1), "matmul_tile": ("FFMA", 1, 48, 16),
    "matvec": ("FFMA", 1, 40, 1), "softmax": ("STG", 1, 20, 1), "convolution": ("FFMA", 1, 25, 5),
    "mandelbrot": ("FFMA", 3, 30, 1), "sha256": ("LDG", 1, 64, 1), "crc32": ("LOP3.*0xedb88320", 1, 256, 32),
    "crc_table": ("LDG", 1.25, 32, 1), "search": ("LDG", 2, 16, 4), "nbody": ("MUFU.RSQ", 1, 500, 1),
    "nearest": ("FFMA", 1, 100, 1), "kmeans": ("FFMA", 1, 8, 1), "spmv_thread": ("FFMA", 1, 12, 1),
    "monte_carlo": ("ISETP.*0x7ffffff", 1, 32, 1), "spmv_warp": ("FFMA", 1, 1, 1),
    "run_length": ("LDG", 1, 31, 1), "bitonic_block": ("STS", 2, 36, 8),
}
INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?);?\s*$")


class Block:
    """A basic block: its instructions, as (text, whether slow), and its successors."""

    def __init__(self):
        self.code, self.next = [], []


def mark(ptx):
    """Adds line numbers to PTX: 2 in the arm that runs if a shared guard failed, 1 elsewhere. In such an arm accesses have
    guards of their own; the other arm has the same accesses without guards."""
    lines, places, out = ptx.split("\n"), {}, {}
    for i, line in enumerate(lines):
        if line == "{":
            places, out[i] = {}, 1
        if line.startswith("$"):
            places[line.rstrip(":")] = i
            before = re.match(r"\tbra(?:\.uni)? (\$\w+);", lines[i - 1])
            jump = next((j for j in range(i - 1, 0, -1) if lines[j].startswith("\t@") and lines[j].endswith(f" {line.rstrip(':')};")), None)
            if before and jump and before[1] not in places and before[1] + ":" in lines[i:]:
                end = lines.index(before[1] + ":", i)
                fast, slow = ([a for a in part if re.search(r"\b(ld|st)\.global", a)] for part in (lines[jump:i], lines[i:end]))
                guarded = [sum(a.startswith("\t@") for a in part) for part in (fast, slow)]
                if len(fast) == len(slow) and not guarded[0] and guarded[1]:
                    out[i], out[end] = 2, 1
    marked = "\n".join(line + (f"\n\t.loc 1 {out[i]} 0" if i in out else "") for i, line in enumerate(lines))
    return marked.replace("\n.address_size 64", '\n.address_size 64\n.file 1 "k"', 1)


def disassemble(path):
    """Returns the blocks of each kernel of a cubin, by name; a block's successors are indices."""
    text = run(find("nvdisasm"), "-c", "-g", path)
    return {name: blocks_of(body) for name, body in re.findall(r"(?ms)^\.text\.(\w+):\n(.*?)(?=^//-{5}|\Z)", text)}


def blocks_of(body):
    blocks, labels, slow, routine = [Block()], {}, False, False
    for line in body.split("\n"):
        label = re.match(r"(\S+):$", line.strip())
        if label:
            routine |= label[1].startswith("$")
            if blocks[-1].code:
                blocks.append(Block())
            labels[label[1]] = len(blocks) - 1
        elif "//## File" in line:
            slow = line.rstrip().endswith("line 2")
        elif m := INSTRUCTION.match(line):
            blocks[-1].code.append((m[2], slow or routine))
            if re.search(r"\b(BRA|EXIT|RET|BRX|BREAK)\b", m[2]):
                blocks.append(Block())
    for i, b in enumerate(blocks):
        last = b.code[-1][0] if b.code else ""
        jump = re.search(r"\bBRA\b.*`\((\S+)\)", last)
        if jump:
            b.next.append(labels[jump[1]])
        if i + 1 < len(blocks) and (last.startswith("@") or not re.match(r"(BRA|EXIT|RET|BRX)\b", last)):
            b.next.append(i + 1)
    return without_padding(blocks)


def without_padding(blocks):
    """Removes what follows the last instruction of the program, and marks blocks that call a slow path."""
    for i, b in enumerate(blocks):
        b.code = [] if b.next == [i] and len(b.code) == 1 else [c for c in b.code if not c[0].startswith("NOP")]
        if any(c[0].startswith("CALL") for c in b.code):
            b.code = [(c[0], True) for c in b.code]
    return blocks


def loops_of(blocks):
    """Returns the loops, as sets of blocks: strongly connected parts of the backward jumps."""
    before = {i: [j for j, b in enumerate(blocks) if i in b.next] for i in range(len(blocks))}
    loops = []
    for i, b in enumerate(blocks):
        for head in b.next:
            if head > i or not b.code:
                continue
            loop, work = {head, i}, [i]
            while work:
                at = work.pop()
                if at != head:
                    work += [p for p in before[at] if p not in loop]
                    loop |= set(before[at])
            loops.append(loop)
    return loops


def fast(blocks, chosen=None):
    return [c for i, b in enumerate(blocks) if chosen is None or i in chosen for c, slow in b.code if not slow]


def numbers(name, blocks, registers):
    path, loop = len(fast(blocks)), None
    if name in LOOPS:
        pattern, count, n, rounds = LOOPS[name]
        marks = lambda part: sum(bool(re.search(pattern, c)) for c in fast(blocks, part)) / count
        loops = loops_of(blocks)
        marked = [l for l in loops if marks(l)]
        marked = [l for l in marked if not any(o < l for o in marked)]
        inner = lambda l: set().union(*(o for o in loops if o < l))
        cost = lambda l: len(fast(blocks, l)) + (rounds - 1) * len(fast(blocks, inner(l)))
        loop = min(cost(l) / marks(l) for l in marked) if marked else path / n
        if marked:
            path += loop * n - len(fast(blocks, set().union(*marked)))
    return {"path": path, "loop": loop, "all": sum(len(b.code) for b in blocks), "regs": registers}


def registers_of(log):
    """Returns the registers of each kernel from the log of ptxas -v."""
    return {name: int(n) for name, n in re.findall(r"entry function '(\w+)'.*?Used (\d+) registers", log, re.S)}


def assemble(*cmd):
    r = subprocess.run(cmd, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"sass_loops: {' '.join(cmd)}: {r.stderr.strip()[:2000]}")
    return r.stdout + r.stderr


def own_code(dis, arch, source, folder):
    """Returns (blocks, registers) of qd's kernels of a source."""
    text = mark(merged(run(dis, "-t", f"ptx:{arch}", os.path.join(HERE, source + ".qdk"))))
    path = f"{folder}/{source}.{arch}"
    with open(path + ".ptx", "w") as f:
        f.write(text)
    log = assemble(find("ptxas"), f"-arch={arch}", "-v", "-lineinfo", path + ".ptx", "-o", path + ".qd.cubin")
    return disassemble(path + ".qd.cubin"), registers_of(log)


def peer_code(arch, source, cache):
    """Returns the same of nvcc's kernels. The name in the cache contains everything that the code depends on."""
    path = os.path.join(HERE, source + ".cl")
    key = hashlib.sha256(run(find("nvcc"), "--version").encode() + " ".join(FLAGS).encode())
    for name in (path, os.path.join(HERE, "dynamic.h"), os.path.join(HERE, "cuda.h")):
        with open(name, "rb") as f:
            key.update(f.read())
    out = os.path.join(cache, f"{source}.{arch}.{key.hexdigest()[:16]}")
    if not os.path.exists(out + ".log"):
        log = assemble(find("nvcc"), *FLAGS, f"-arch={arch}", "-Xptxas", "-v", path, "-o", out + ".cubin")
        with open(out + ".log", "w") as f:
            f.write(log)
    with open(out + ".log") as f:
        return disassemble(out + ".cubin"), registers_of(f.read())


def measure(dis, arch, chosen, cache):
    """Returns {kernel: (qd's numbers, nvcc's numbers, qd's blocks, nvcc's blocks)}."""
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        if cache:
            os.makedirs(cache, exist_ok=True)
        for source in dict.fromkeys(k.source for k in chosen):
            sides = own_code(dis, arch, source, folder), peer_code(arch, source, cache or folder)
            for name in (k.name for k in chosen if k.source == source):
                result[name] = [numbers(name, b[name], r[name]) for b, r in sides] + [b[name] for b, _ in sides]
    return result


def ratios(result, number):
    return {name: r[0][number] / r[1][number] for name, r in result.items() if r[0][number] is not None}


def table(result):
    lines = [f"{'kernel':<14}" + "".join(f"{n:>8}{'nvcc':>8}{'ratio':>6}" for n in NUMBERS)]
    for name, r in result.items():
        line = f"{name:<14}"
        for n in NUMBERS:
            digits = 1 if n == "loop" else 0
            line += " " * 22 if r[0][n] is None else f"{r[0][n]:>8.{digits}f}{r[1][n]:>8.{digits}f}{r[0][n] / r[1][n]:>6.2f}"
        lines.append(line.rstrip())
    lines.append(f"{'mean':<14}" + "".join(f"{'':16}{mean(ratios(result, n).values()):>6.2f}" for n in NUMBERS))
    return lines


def page(results):
    version = run(find("nvcc"), "--version").strip().split("\n")[-2]
    count = len(next(iter(results.values())))
    out = ["# Machine code of kernels on NVIDIA GPUs, compared with nvcc", "",
           f"The tables compare {count} kernels, compiled by qd and by nvcc at -O3. The same ptxas assembles both. `bench/sass_loops.py --write` wrote this page;",
           "its docstring explains the conditions and the columns. The kernels are in `bench/dynamic`. Each number is followed by nvcc's and the ratio.",
           f"{version}.", "", "Geometric means of the ratios, and the largest:", "",
           "| target | " + " | ".join(NUMBERS) + " |", "|---|" + "---|" * len(NUMBERS)]
    for arch, result in results.items():
        cells = [ratios(result, n).values() for n in NUMBERS]
        out.append(f"| {arch} | " + " | ".join(f"{mean(c):.2f}, {max(c):.2f}" for c in cells) + " |")
    for arch, result in results.items():
        out += ["", f"## {arch}", "", "```text", *table(result), "```"]
    return "\n".join(out) + "\n"


def show(result, name):
    for side, blocks in zip(("qd", "nvcc"), result[name][2:]):
        print(f"{name}, {side}:")
        for i, b in enumerate(blocks):
            print(f" {i} -> {b.next}")
            for text, slow in b.code:
                print(f"  {'slow' if slow else '':5}{text}")


def over(arch, result, limits):
    bad = 0
    for n, limit in zip(NUMBERS, limits.split(",")):
        got = mean(ratios(result, n).values())
        if got > float(limit):
            print(f"sass_loops: {arch}: {n} is {got:.3f} times nvcc's, at most {limit} is allowed")
            bad = 1
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("qd_dis")
    for name in ("--kernel", "--cache", "--write", "--json", "--show", "--limit"):
        parser.add_argument(name)
    parser.add_argument("--arch", default="sm_80,sm_90")
    args = parser.parse_args()
    missing = next((t for t in ("nvcc", "ptxas", "nvdisasm") if not find(t)), None)
    if missing:
        print(f"sass_loops: skipped: no {missing}")
        return 77
    names = (args.kernel or args.show or "").split(",")
    chosen = [k for k in kernels() if names == [""] or k.name in names]
    results = {arch: measure(args.qd_dis, arch, chosen, args.cache) for arch in args.arch.split(",")}
    for arch, result in results.items():
        if args.show:
            show(result, args.show)
        print(arch, *table(result), sep="\n")
    if args.write:
        with open(args.write, "w") as f:
            f.write(page(results))
    if args.json:
        with open(args.json, "w") as f:
            json.dump({a: {k: {"qd": v[0], "nvcc": v[1]} for k, v in r.items()} for a, r in results.items()}, f, indent=1)
    return max((over(arch, result, args.limit) for arch, result in results.items()), default=0) if args.limit else 0


if __name__ == "__main__":
    sys.exit(main())
