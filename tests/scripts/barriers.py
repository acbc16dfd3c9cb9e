#!/usr/bin/env python3
"""barriers.py QD-INFO QD-DIS: checks the IR that a back end receives: each block reduction, scan
and vote of qd-info --primitives has one barrier, no atomic and no subgroup barrier. Also tests
loops, several in one kernel, and n_active. If a block is one subgroup, only votes have a
barrier.

QD_TEST_MUTATION: "barrier" and "atomic" insert one before each, "name" omits a primitive. Each must be
found."""

import os
import re
import subprocess
import sys
import tempfile

TARGETS = ["spirv:w4", "spirv:w32", "spirv:w8:-i64:-f64", "spirv:w128", "ptx:sm_50", "ptx:sm_70", "gfx1100", "gfx1100:w64"]
LANES = re.compile(r":w(\d+)")
BLOCKS = [20, 256, 1000]
WORDS = ["i32", "u64"]
TYPES = WORDS + ["f32"]
KIND = re.compile(r"block\.((?:reduce|inclusive|exclusive)(?:_[a-z]+)?|sync_(?:all|any|count)_nonzero)\(")
OPERATOR = "fn compose(a: u32, b: u32, c: u32, d: u32) -> u32, u32 { return a * c, b * c + d; }\n"
INJECT = {"barrier": "block.sync(); ", "atomic": "atomic.add(count[0], 1); "}

inject = os.environ.get("QD_TEST_MUTATION", "")


def names(info):
    text = subprocess.run([info, "--primitives"], check=True, capture_output=True, text=True).stdout
    found = sorted({m.group(1) for m in map(KIND.match, text.splitlines()) if m})
    return found[:-1] if inject == "name" else found


def body(name, op, dim, form):
    """Returns an application to the kernel's values."""
    more, some = INJECT.get(inject, ""), ", n_active = n" if form == "some" else ""
    if name in ("reduce", "inclusive_scan", "exclusive_scan"):
        identity = ", identity = (1, 0)" if name == "exclusive_scan" else ""
        one = f"{more}x, y = block.{name}(x, y, op = compose{identity}{some});"
    elif name.startswith("sync"):
        one = f"{more}y = u32(block.{name}(x{some})); x = x + {op}(y);"
    else:
        one = f"{more}x = block.{name}(x{some});"
    return {"once": one, "some": one, "loop": f"for r in 0..n {{ {one} }}", "twice": one * 2}[form]


def kernels(found):
    """Yields kernel name, text, primitive, block size, and the barriers wanted if the block is more
    than one subgroup."""
    for name in found:
        bits = name.endswith(("_and", "_or", "_xor"))
        pair = name in ("reduce", "inclusive_scan", "exclusive_scan")
        for t in ["u32"] if pair else WORDS if bits else TYPES:
            for dim in BLOCKS:
                for form in ("once", "some", "loop", "twice"):
                    k = f"{name}_{t}_{dim}_{form}"
                    text = (f"kernel {k}(a: {t}[], b: u32[], count: u32[], n: u32) block({dim}) {{ for i in grid(a.len) {{ "
                            f"var x = a[i]; var y = b[i]; {body(name, t, dim, form)} a[i] = x; b[i] = y; }} }}\n")
                    yield k, text, name, dim, 2 if form == "twice" else 1


def wrong(target, lanes, dump, wanted):
    """Returns the bodies with a wrong number of barriers or with an atomic."""
    bad, seen = [], set()
    for f in sorted(os.listdir(dump)):
        with open(f"{dump}/{f}") as h:
            text = h.read()
        k = re.search(r'^kernel "(.*)"', text).group(1)
        name, dim, times = wanted[k]
        seen.add(k)
        own = len(re.findall(r"^ *(?:%\d+ = )?block\.sync", text, re.M))
        others = len(re.findall(r"^ *(?:%\d+ = )?(?:atomic\.|subgroup\.sync|\w+\.mem_fence)", text, re.M))
        want = times if dim > lanes or name.startswith("sync") else 0
        if own != want or others:
            bad.append(f"{target}: {k} has {own} barriers, not {want}, and {others} atomics, fences, barriers of subgroups")
    bad += [f"{target}: {k} has no IR" for k in sorted(set(wanted) - seen)]
    return bad


def main():
    info, dis = sys.argv[1:]
    found = names(info)
    every = list(kernels(found))
    bad, n = [], 0
    votes, reductions, scans = (sum(bool(re.match(p, x)) for x in found) for p in ("sync", "reduce", "(in|ex)clusive"))
    if (votes, reductions, scans) != (3, 8, 16):
        bad.append(f"{votes} votes, {reductions} reductions and {scans} scans, not 3, 8 and 16")
    for target in TARGETS[:1] if inject else TARGETS:
        m = LANES.search(target)
        lanes = int(m.group(1)) if m else 32
        with tempfile.TemporaryDirectory() as dump:
            text = "qdk 2;\n" + OPERATOR + "".join(e[1] for e in every)
            subprocess.run([dis, "-t", target, "-o", os.devnull, "-"], input=text, check=True, text=True,
                           env={**os.environ, "QD_DUMP": "ir", "QD_DUMP_DIR": dump})
            bad += wrong(target, lanes, dump, {k: (name, dim, times) for k, _, name, dim, times in every})
        n += len(every)
    for line in bad[:20]:
        print(line)
    print(f"{n} kernels of {len(found)} primitives, {len(bad)} wrong")
    return 1 if bad else 0


sys.exit(main())
