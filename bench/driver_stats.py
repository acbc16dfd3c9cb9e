#!/usr/bin/env python3
"""driver_stats.py QD-DIS [--target navi21,...] [--kernel NAME,...] [--write FILE] [--counts FILE] [--show NAME]:
compares whole kernels as Vulkan drivers compile them: qd's SPIR-V beside GLSL with storage buffers.

The kernels are those of bench/gcn_dynamic.py: a .qdk file as a user would write it, and the same in GLSL. The GLSL is
the file for OpenCL C with the definitions of bench/dynamic/glsl.h; this script translates declarations and casts, and
glslangValidator compiles it. The drivers need no GPU (tests/scripts/driver.sh). All counts are the statistics of
VK_KHR_pipeline_executable_properties, of the whole code. qd's code contains the accesses that only run if an index is
out of range; the GLSL has neither these nor the tests, beyond those of the source. The driver may fuse
multiplications and additions of the GLSL.

Columns: instructions of qd with launch facts, of qd's general code, and of the GLSL; the ratio of the first and of the
second to the third; the same for the driver's estimate of throughput (RADV: inverse throughput, ANV: cycles).

--counts: compares qd's instructions with a file, lines "mesa target kernel facts general", and only for kernels and
targets that it contains for the installed Mesa. QD_GOLDEN_UPDATE=1 rewrites these lines. --write writes a page. --show
prints a kernel's code on both sides. The exit status is 1 if counts differ, and 77, with a message, if the driver or a
compiler is missing."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import aco_size
from gcn_dynamic import HERE, kernels, mean

# Configuration of driver.sh: (lanes of a subgroup, size to ask for or 0, names of its statistics).
RADV = ("Instructions", "Inverse Throughput")
TARGETS = {"navi21": (32, 32, RADV), "gfx1100": (32, 32, RADV), "vega20": (64, 0, RADV),
           "tgl": (32, 32, ("Instruction Count", "Cycle Count"))}
GLSL = "glslangValidator"
PARTS = ("facts", "general", "glsl")


def run(*args):
    r = subprocess.run(args, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"driver_stats: {' '.join(args)}: {(r.stdout + r.stderr).strip()[:2000]}")


def translate(source, name):
    """Returns the GLSL of a kernel, without the value of WAVE."""
    with open(os.path.join(HERE, source + ".cl")) as f:
        text = f.read()
    block, args, body = re.search(rf"(?ms)^BLOCK\((\d+)\) {name}\((.*?)\)\n\{{\n(.*?)^\}}", text).groups()
    shared = re.findall(r"\tSHARED (.*?;)", body)
    body = re.sub(r"\tSHARED .*?;\n", "", body).replace(", waves)", ")")
    named = [(re.search(r"^(\w+)[(]", f, re.M)[1], f) for f in re.findall(r"(?ms)^FN .*?^\}", text)]
    functions = [f for function, f in named if re.search(rf"\b{function}\(", body)]
    out = [f"#version 460\n#extension GL_GOOGLE_include_directive : require\n#include \"glsl.h\"\nlayout(local_size_x = {block}) in;"]
    scalars = []
    for i, arg in enumerate(args.split(",")):
        m = re.match(r"\s*(IN|G) (\w+) \*R (\w+)", arg)
        if m:
            access = "readonly " if m[1] == "IN" else ""
            out.append(f"layout(std430, binding = {i}) {access}restrict buffer buffer_{m[3]} {{ {m[2]} {m[3]}[]; }};")
        else:
            scalars.append(arg.strip() + ";")
    if scalars:
        out.append(f"layout(push_constant) uniform scalars {{ {' '.join(scalars)} }};")
    out += [f"shared {s}" for s in shared]
    out += [re.sub(r", SHARED_PTR .*?\)", ")", f.replace("(void)", "()"))[3:] for f in functions]
    code = "\n".join([*out, "void main()\n{", body, "}", ""])
    code = re.sub(r"\(&(\w)", r"(\1", code)
    code = re.sub(r"\((u32|u64|i32|float)\)(?=\()", r"\1", code)
    return re.sub(r"\((u32|u64|i32|float)\)(\w+(?:\([^()]*\)|\[[^][]*\])?)", r"\1(\2)", code)


def under_driver(target, *args):
    """Runs a program with a driver; returns its output, or None if the driver is missing."""
    r = subprocess.run(["bash", aco_size.DRIVER, target, *args], capture_output=True, text=True)
    if r.returncode == 77:
        print(r.stdout.strip())
        return None
    if r.returncode:
        sys.exit(f"driver_stats: {target}: {r.stderr.strip()[:2000]}")
    return r.stdout


def files_of(dis, spirv, lanes, chosen, folder):
    """Compiles the kernels to SPIR-V; returns (kernel, part) by file."""
    files = {}
    for k in chosen:
        for part in PARTS:
            path = f"{folder}/{k.name}.{part}.spv"
            files[path] = k.name, part
            if part == "glsl":
                with open(f"{folder}/{k.name}.comp", "w") as f:
                    f.write(translate(k.source, k.name))
                run(GLSL, "-V", "--target-env", "vulkan1.3", f"-DWAVE={lanes}", f"-I{HERE}", f"{folder}/{k.name}.comp", "-o", path)
            else:
                facts = ["--facts"] if part == "facts" else []
                run(dis, "-t", spirv, *facts, "-k", k.name, "-o", path, os.path.join(HERE, k.source + ".qdk"))
    return files


def measure(dis, program, target, chosen, folder, show):
    """Returns (instructions, estimate) by kernel and part."""
    lanes, size, names = TARGETS[target]
    info = under_driver(target, os.path.join(os.path.dirname(dis), "qd-info"))
    spirv = re.search(r"^\s+target (spirv:\S+)", info or "", re.M)
    if not spirv:
        return None
    files, got = files_of(dis, spirv[1], lanes, chosen, folder), {}
    for text in (under_driver(target, program, str(size), *files) or "").split("file ")[1:]:
        path = text.split("\n", 1)[0]
        counts = {name: int(value) for value, name in re.findall(r"^statistic (\d+) (.*)$", text, re.M)}
        got[files[path]] = tuple(counts[n] for n in names)
        if files[path][0] == show:
            print(f"{target} {text}")
    return got


def table(got, names):
    head = f"{'kernel':<14}" + "".join(f"{p:>9}" for p in PARTS) + "  ratio  ratio"
    out, ratios = [head + head[14:]], []
    for name in names:
        line, row = f"{name:<14}", []
        for number in range(2):
            counts = [got[name, p][number] for p in PARTS]
            row += [counts[0] / counts[2], counts[1] / counts[2]]
            line += "".join(f"{c:9}" for c in counts) + f"{row[-2]:7.2f}{row[-1]:7.2f}"
        ratios.append(row)
        out.append(line)
    means = [mean(r) for r in zip(*ratios)]
    out.append(f"{'mean':<14}" + "".join(f"{'':27}{means[i]:7.2f}{means[i + 1]:7.2f}" for i in (0, 2)))
    return out


def mesa_version():
    r = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "mesa-vulkan-drivers"], capture_output=True, text=True)
    return re.sub(r"^.*?(\d[\w.]*).*$", r"\1", r.stdout) or "0"


def page(tables):
    return ("# Kernels in Vulkan drivers\n\n"
            "The tables compare 50 kernels as Mesa's compilers for AMD (ACO, in RADV) and Intel (ANV) translate them: qd's SPIR-V beside GLSL with storage buffers.\n"
            "`bench/driver_stats.py --write` wrote this page; its docstring describes the columns and conditions. The first group of columns contains instructions of the\n"
            "whole code, including accesses that only run if an index is out of range. The second group is the driver's estimate of throughput, where less is better.\n"
            f"`facts` is the code that relies on [launch facts](../c-api.md#launch-facts), `general` the code that does not. Mesa {mesa_version()}.\n"
            + "\nGeometric means of the ratios:\n\n| driver | instructions, facts | instructions, general | throughput, facts | throughput, general |\n|---|---|---|---|---|\n"
            + "".join(f"| {t} | {' | '.join(lines[-1].split()[1:])} |\n" for t, lines in tables.items())
            + "".join(f"\n## {t}\n\n```text\n" + "\n".join(lines) + "\n```\n" for t, lines in tables.items()))


def check(path, results):
    """Compares counts with a file; returns the differences, or rewrites the lines of this Mesa."""
    mesa, out, wrong = mesa_version(), [], []
    with open(path) as f:
        lines = f.read().split("\n")
    for line in lines:
        words = line.split()
        if len(words) == 5 and words[0] == mesa and results.get(words[1]):
            got = [str(results[words[1]][words[2], p][0]) for p in PARTS[:2]]
            wrong += [f"{words[1]} {words[2]}: {' and '.join(got)} instructions, expected {' and '.join(words[3:])}"] if got != words[3:] else []
            line = " ".join([*words[:3], *got])
        out.append(line)
    if os.environ.get("QD_GOLDEN_UPDATE") == "1":
        with open(path, "w") as f:
            f.write("\n".join(out))
        return []
    return wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dis")
    for option in ("--target", "--kernel", "--write", "--counts", "--show"):
        p.add_argument(option)
    a = p.parse_args()
    targets = a.target.split(",") if a.target else list(TARGETS)
    names = a.kernel.split(",") if a.kernel else [a.show] if a.show else [k.name for k in kernels()]
    if a.counts:
        with open(a.counts) as f:
            rows = [r for r in (line.split() for line in f) if len(r) == 5 and r[0] == mesa_version()]
        targets, names = ([x for x in every if any(r[i] == x for r in rows)] for i, every in ((1, targets), (2, names)))
        if not rows:
            print(f"SKIP: {a.counts} has no counts of Mesa {mesa_version()}")
            return 77
    if not shutil.which(GLSL):
        print(f"SKIP: {GLSL} is not installed (glslang-tools)")
        return 77
    results, tables = {}, {}
    # driver.sh finds the stand-in for i915 in the build that contains the program.
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(a.dis))) as d:
        program = aco_size.build(d)
        if not program:
            print("SKIP: bench/gcn/aco.c cannot be built: a C compiler and the Vulkan loader's headers are needed")
            return 77
        for t in targets:
            results[t] = measure(a.dis, program, t, [k for k in kernels() if k.name in names], d, a.show)
            if results[t]:
                tables[t] = table(results[t], names)
                print(f"{t}\n" + "\n".join(tables[t]), flush=True)
    if not tables:
        return 77
    if a.write:
        with open(a.write, "w") as f:
            f.write(page(tables))
    wrong = check(a.counts, results) if a.counts else []
    for w in wrong:
        print(f"driver_stats: {w}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
