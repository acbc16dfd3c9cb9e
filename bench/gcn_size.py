#!/usr/bin/env python3
"""gcn_size.py QD-DIS [--target gfx1100,...] [--show KERNEL] [--same GCN-CLANG-SAME] [--write FILE] [--golden FILE]:
compares the number of machine instructions of qd's kernels on AMD GPUs with clang 22's at -O3, for C code with the
builtins that an expert would use (bench/gcn).

Conditions that are the same on both sides:

- Arguments are in memory in qd's layout: address, length and an unused word of each buffer, then scalars, then
  the first block of the dispatch.
- A buffer is a descriptor built from its arguments, with the length in elements. The hardware therefore checks
  the index of each load and store.
- Without a grid loop, waves are full. With one ("in a grid"), both sides branch past waves beyond the end, and use
  the same value for padding lanes.
- Loads and stores have the same width.
- A block is one wave on gfx9 and two on later generations; blocks of 256 use LDS and one barrier.
- Sums of floats use the same tree and no contraction. All lanes that have a result get it.

Each side chooses its own cross-lane moves. -mcumode: the waves of qd's blocks share a compute unit.
-fno-unroll-loops: qd does not unroll. -fno-honor-nans: without it clang emits v_max_f32 x, x, x before a minimum;
the instruction drops a NaN on both sides.

Counts include waits (w), s_nop (n) and hints (h: s_delay_alu and s_clause, which qd does not emit), which are also
printed separately; the last lines give the sums without hints too. Padding after the last s_endpgm and before loops
does not count. The columns after the ratio are vector registers, scalar registers and waves per SIMD of both sides;
qd-dis --stats reads them from the descriptors. The exit status is 77, with a message, if clang-22 is missing. It is 1
if a kernel is longer than clang's and LONGER does not give a reason, or if LONGER names a kernel that is not longer.

--same: tests/gcn_clang_same runs both codes of each kernel on the wave emulator, with six patterns of data; the exit
status is 1 if they do not store the same bits. --show: prints both listings of one kernel. --golden: compares only
qd's counts, with those in the file, without clang; QD_GOLDEN_UPDATE=1 rewrites the file."""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

TARGETS = ["gfx906", "gfx942", "gfx1030", "gfx1100", "gfx1201"]
CLANG, OBJDUMP = "clang-22", "llvm-objdump-22"
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gcn")
FLAGS = ["--target=amdgcn-amd-amdhsa", "-O3", "-nogpulib", "-x", "cl", "-cl-std=CL2.0", "-w", "-mcumode", "-ffp-contract=off",
         "-fno-honor-nans", "-fno-unroll-loops", "-mllvm", "-amdgpu-internalize-symbols",
         "-mllvm", "-amdgpu-disable-loop-alignment"]
HINTS = ("s_delay_alu", "s_clause")
# Kernels that are longer than clang's: (kernel, target): reason.
LONGER = {("row_sums", t): "its loop is unrolled, which executes fewer instructions" for t in ("gfx906", "gfx942", "gfx1030", "gfx1100", "gfx1201")}

C_TYPES = {"i32": "int", "u32": "uint", "f32": "float", "i64": "long", "u64": "ulong", "f64": "double"}
LEAST = {"i32": "(int)0x80000000", "u32": "0u", "i64": "(long)0x8000000000000000ul", "u64": "0ul", "f32": "-__builtin_inff()",
         "f64": "-__builtin_inf()"}
GREATEST = {"i32": "0x7fffffff", "u32": "~0u", "i64": "0x7fffffffffffffffl", "u64": "~0ul", "f32": "__builtin_inff()",
            "f64": "__builtin_inf()"}


class Row:
    """A kernel: its title in the table, its .qdk text, and its templates in bench/gcn with their macros."""

    def __init__(self, title, qdk, templates, t=None, **macros):
        self.title, self.qdk, self.templates, self.t, self.macros = title, qdk, templates, t, macros
        self.name = re.sub(r"\W+", "_", title)

    def reference(self):
        macros = dict(self.macros)
        if self.t:
            macros.update(T=C_TYPES[self.t], WORDS=int(self.t[1:]) // 32, NAME=self.name)
        lines = [f"#define {k} {v}" for k, v in macros.items()]
        lines += [f'#include "{f}.c"' for f in self.templates]
        lines += [f"#undef {k}" for k in macros]
        return "\n".join(lines) + "\n"


def kernel(name, params, block, body):
    return f"kernel {name}({params}) block({block}) {{\n{body}\n}}\n"


def primitive(title, t, expression, templates, result=None, grid=False, block=64, **macros):
    """Creates a row in which each thread loads an element x and stores the expression."""
    name = re.sub(r"\W+", "_", title)
    store = f"let x = src[i]; dst[i] = {expression};"
    if grid:
        body = f"  for i in grid(src.len) {{ {store} }}"
    else:
        body = f"  let i = block.idx * {block} + block.thread_idx();\n  {store}"
    return Row(title, kernel(name, f"src: in {t}[], dst: out {result or t}[]", block, body), templates, t, **macros)


def operation(op, t):
    """Returns the operation in C, and its identity."""
    if op == "add":
        return "((a) + (b))", "(-0.0)" if t[0] == "f" else "0"
    if t[0] == "f":
        return f"__builtin_f{op}{'f' if t == 'f32' else ''}(a, b)", GREATEST[t] if op == "min" else LEAST[t]
    return f"__builtin_elementwise_{op}(a, b)", GREATEST[t] if op == "min" else LEAST[t]


def expected(op, t, exclusive=False, block=0, scan=0):
    expression, nothing = operation(op, t)
    macros = {"OP(a, b)": expression, "NOTHING": nothing, "FOLDS": int(op == "add" and t[0] != "f" or nothing in ("0u", "0ul")),
            "TREE": int(op == "add" and t[0] == "f"), "EXCLUSIVE": int(exclusive), "BLOCK": block, "SCAN": scan,
            "FIRST_OF": "0" if op == "add" else nothing}
    return macros


def row_of(title, t, expression, templates, macros, **more):
    row = primitive(title, t, expression, templates, **more)
    row.macros = macros
    return row


def lanes(title, t, expression, c, result=None, words=None):
    return primitive(f"{title} {t}", t, expression, ["lanes"], result, EXPRESSION=c, WORDS_R=words or int((result or t)[1:]) // 32)


def reductions():
    for op in ("add", "min", "max"):
        for t in ("i32", "u32", "f32", "i64", "f64"):
            yield row_of(f"reduce_{op} {t}", t, f"subgroup.reduce_{op}(x)", ["reduce"], expected(op, t))
    yield row_of("reduce_all_add u32", "u32", "subgroup.reduce_all_add(x)", ["reduce"], expected("add", "u32"))
    for op, t in (("add", "u32"), ("add", "f32"), ("min", "f32")):
        macros = expected(op, t)
        macros["GRID"] = 1
        yield row_of(f"reduce_{op} {t} in a grid", t, f"subgroup.reduce_{op}(x)", ["reduce"], macros, grid=True)


def scans():
    for kind in ("inclusive", "exclusive"):
        for op in ("add", "min", "max"):
            for t in ("u32", "f32", "u64"):
                yield row_of(f"{kind}_{op} {t}", t, f"subgroup.{kind}_{op}(x)", ["scan"], expected(op, t, kind == "exclusive"))
    macros = expected("add", "u32")
    macros["GRID"] = 1
    yield row_of("inclusive_add u32 in a grid", "u32", "subgroup.inclusive_add(x)", ["scan"], macros, grid=True)


def between_lanes():
    yield lanes("all_true", "u32", "u32(subgroup.all_true(x > 7))", "(uint)(BALLOT(x > 7) == (mask_t)~0ul)")
    yield lanes("any_true", "u32", "u32(subgroup.any_true(x > 7))", "(uint)(BALLOT(x > 7) != 0)")
    for t in ("u32", "f32"):
        yield lanes("all_equal", t, f"{t}(subgroup.all_equal(x))",
                    f"({C_TYPES[t]})(BALLOT(x == MOVE(FIRST, x, 0)) == (mask_t)~0ul)")
    yield lanes("ballot", "u32", "subgroup.ballot(x > 7)", "(ulong)BALLOT(x > 7)", "u64")
    yield lanes("ballot_first_n 32", "u32", "subgroup.ballot_first_n(x > 7, 32)", "(uint)BALLOT(x > 7)")
    for t in ("u32", "f64"):
        yield lanes("broadcast 7", t, "subgroup.broadcast(x, 7)", "MOVE(READ_LANE, x, 7)")
        yield lanes("shuffle by value", t, "subgroup.shuffle(x, subgroup.invocation_id() * 5)", "MOVE(PULL, x, 4 * PULLED(LANE * 5))")
        yield lanes("shuffle_xor 1", t, "subgroup.shuffle_xor(x, 1)", "MOVE(DPP, x, XOR1)")
        yield lanes("shuffle_xor 4", t, "subgroup.shuffle_xor(x, 4)", "XOR_4(x)")
        yield lanes("shuffle_xor 16", t, "subgroup.shuffle_xor(x, 16)", "XOR_16(x)")
        yield lanes("shuffle_up 1", t, "subgroup.shuffle_up(x, 1)", "UP_1(x)")
        yield lanes("shuffle_down 1", t, "subgroup.shuffle_down(x, 1)", "DOWN_1(x)")


def together():
    yield Row("bitonic_sort_kv u32", kernel("bitonic_sort_kv_u32", "keys: u32[], values: u32[]", 64,
              "  let i = block.idx * 64 + block.thread_idx();\n"
              "  keys[i], values[i] = subgroup.bitonic_sort_kv(keys[i], values[i]);"), ["sort"], "u32")
    yield row_of("segmented_reduce_add u32", "u32", "subgroup.segmented_reduce_add(x, (x & 1) == 1)", ["segment"], expected("add", "u32"))
    for t in ("u32", "f32"):
        yield row_of(f"block reduce_add {t}", t, "block.reduce_add(x)", ["reduce", "block"], expected("add", t, block=1), block=256)
    yield row_of("block inclusive_add u32", "u32", "block.inclusive_add(x)", ["scan", "block"], expected("add", "u32", block=1, scan=1),
                 block=256)


def flow():
    """Generates the rows of flow.c, whose kernels have the same names."""
    grid = "  for i in grid({n}.len) {{\n    {body}\n  }}"

    def one(name, params, body, n="src", block=256):
        return Row(name, kernel(name, params, block, grid.format(n=n, body=body)), [])

    two = "src: in {0}[], dst: {1}{0}[]"
    yield one("copy", two.format("u32", "out "), "dst[i] = src[i];")
    yield one("saxpy", "x: in f32[], y: f32[], f: f32", "y[i] = f * x[i] + y[i];", "x")
    yield one("branch", two.format("i32", "out "), "let x = src[i]; if x > 7 { dst[i] = src[u32(x)]; } else { dst[i] = -x; }")
    yield one("collatz", two.format("u32", "out "), "var x = src[i]; var count = 0u; while x > 1 { if (x & 1) == 1 { x = 3 * x + 1; } "
              "else { x >>= 1; } count += 1; } dst[i] = count;")
    yield one("row_sums", "src: in f32[], dst: out f32[], n: u32",
              "var sum = 0.0; for j in 0..n { sum += src[i * n + j]; } dst[i] = sum;", "dst")
    yield Row("elect", kernel("elect", two.format("u32", "out "), 64, "  let i = block.idx * 64 + block.thread_idx();\n"
              "  if subgroup.elect() { dst[i] = src[i]; }"), [])


# Bits of a kernel's scalar argument.
SCALARS = {"saxpy": "0x3fc00000", "row_sums": "3"}
ROWS = [*flow(), *reductions(), *scans(), *between_lanes(), *together()]


def run(*args):
    r = subprocess.run(args, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"gcn-size: {' '.join(args[:3])} ...: {r.stderr.strip()[:3000]}")
    return r.stdout


def qd_code(dis, target, directory):
    """Compiles one file with all kernels. Returns the list of instructions of each."""
    path = f"{directory}/k.qdk"
    with open(path, "w") as f:
        f.write("qdk 2;\n" + "".join(r.qdk for r in ROWS))
    parts = [p for p in re.split(r"\n\n", run(dis, "-t", target, path)) if p.strip()]
    if len(parts) != len(ROWS):
        sys.exit(f"gcn-size: {target}: {len(ROWS)} kernels, and code of {len(parts)}")
    return {r.name: [x.strip() for x in p.split("\n") if x.startswith("\t") and not x.strip().startswith("//")]
            for r, p in zip(ROWS, parts)}


def llvm_code(target, directory):
    source, obj = f"{directory}/k.cl", f"{directory}/{target}.o"
    with open(source, "w") as f:
        f.write('#include "head.h"\n#include "flow.c"\n' + "".join(r.reference() for r in ROWS))
    run(CLANG, *FLAGS, f"-mcpu={target}", "-I", HERE, "-c", source, "-o", obj)
    code, name = {}, None
    for line in run(OBJDUMP, "-d", "--no-show-raw-insn", "--no-leading-addr", obj).split("\n"):
        head = re.match(r"(?:[0-9a-f]+ )?<(\w+)>:$", line)
        if head:
            name = head[1]
            code[name] = []
        elif name and line.startswith("\t"):
            code[name].append(re.sub(r"\s*//.*", "", line).strip())
    for lines in code.values():
        while lines and lines[-1].split()[0] in ("s_code_end", "s_nop"):
            lines.pop()
    return code


def needs(dis, path):
    """Returns vector registers, scalar registers and waves per SIMD of each kernel of a code object."""
    rows = [line.split() for line in run(dis, "--stats", path).split("\n")[1:] if line]
    return {r[-1]: (int(r[2]), int(r[4]), int(r[9])) for r in rows}


def objects(dis, targets, directory):
    """Generates the files to run: qd's image of one kernel, and clang's linked code of all kernels."""
    for t in targets:
        llvm_code(t, directory)
        run(CLANG, *FLAGS, f"-mcpu={t}", "-I", HERE, f"{directory}/k.cl", "-o", f"{directory}/{t}.co")
        qd_code(dis, t, directory)
        for row in ROWS:
            run(dis, "-t", t, "-k", row.name, "--emit=bin", "-o", f"{directory}/{t}.bin", f"{directory}/k.qdk")
            yield t, row, f"{directory}/{t}.bin", f"{directory}/{t}.co"


def same(program, dis, targets):
    bad = n = 0
    with tempfile.TemporaryDirectory() as d:
        for t, row, ours, theirs in objects(dis, targets, d):
            m = re.search(r"\(\w+: (?:in )?(\w+)\[\], \w+: (?:out )?(\w+)\[\].*\) block\((\d+)\)", row.qdk)
            args = [t, ours, theirs, row.name, m[3], m[1], m[2], SCALARS.get(row.name, "0")]
            r = subprocess.run([program, *args], capture_output=True, text=True)
            if not n and subprocess.run([program, "--mutate", *args], capture_output=True).returncode != 1:
                sys.exit("gcn-size: a flipped bit is not detected")
            n += 1
            if r.returncode:
                bad += 1
                print(f"{t}: {r.stdout}{r.stderr}".strip())
    print(f"{n} kernels run, {bad} differ from clang's")
    return 1 if bad or not n else 0


def counts(code):
    """Returns the number of instructions, and of waits, nops and hints among them."""
    first = [line.split()[0] for line in code]
    return (len(first), sum(bool(re.match(r"s_wait(cnt|_)", m)) for m in first), first.count("s_nop"), sum(first.count(h) for h in HINTS))


def table(got, need, targets):
    out = [f"{'kernel':30} {'target':8} {'qd':>5} {'(w, n)':>9} {'LLVM':>6} {'(w, n, h)':>13} {'ratio':>6}   {'VGPR':7} {'SGPR':7} waves"]
    for row in ROWS:
        for t in targets:
            q, c = got[row.name, t]
            took = " ".join(f"{f'{a} {b}':7}" for a, b in zip(*need[row.name, t])).rstrip()
            out.append(f"{row.title:30} {t:8} {q[0]:5} {f'({q[1]}, {q[2]})':>9} {c[0]:6} {f'({c[1]}, {c[2]}, {c[3]})':>13} "
                       f"{q[0] / c[0]:6.2f}   {took}")
    for where in [*([[t] for t in targets] if len(targets) > 1 else []), targets]:
        pairs = [got[r.name, t] for r in ROWS for t in where]
        less, same, more = (sum((a[0] > b[0]) - (a[0] < b[0]) == s for a, b in pairs) for s in (-1, 0, 1))
        q, c = (sum(p[side][0] for p in pairs) for side in (0, 1))
        hints = sum(p[1][3] - p[0][3] for p in pairs)
        out.append(f"{where[0] if len(where) == 1 else 'all':8} qd is shorter {less}, equal {same}, longer {more} times; "
                   f"instructions {q}, LLVM's {c} ({q / c:.2f}), without hints {c - hints} ({q / (c - hints):.2f})")
    for where in targets:
        q, c = ([sum(need[r.name, where][side][k] for r in ROWS) for k in range(3)] for side in (0, 1))
        fewer = sum(need[r.name, where][0][2] < need[r.name, where][1][2] for r in ROWS)
        out.append(f"{where:8} VGPRs {q[0]}, LLVM's {c[0]}; SGPRs {q[1]}, LLVM's {c[1]}; fewer waves of a SIMD {fewer} times")
    return out


def unexplained(got, reasons, targets):
    """Returns messages for longer kernels without a reason, and for reasons without such a kernel."""
    title = {r.name: r.title for r in ROWS}
    longer = {(title[name], t) for (name, t), (q, c) in got.items() if q[0] > c[0]}
    asked = {(title[name], t) for name, t in got}
    return ([f"{k} is longer on {t}, and LONGER has no reason" for k, t in sorted(longer - set(reasons))] +
            [f"LONGER names {k} on {t}, which is not longer" for k, t in sorted(set(reasons) & asked - longer)] +
            [f"LONGER names {k} on {t}, which there is not" for k, t in sorted(set(reasons)) if k not in title.values() or t not in targets])


def golden(dis, path):
    """Compares qd's counts on all targets, one line per kernel, with the file."""
    with tempfile.TemporaryDirectory() as d:
        codes = [qd_code(dis, t, d) for t in TARGETS]
    lines = [f"{'kernel':30} " + " ".join(f"{t:>7}" for t in TARGETS)]
    lines += [f"{r.title:30} " + " ".join(f"{len(c[r.name]):7}" for c in codes) for r in ROWS]
    if os.environ.get("QD_TEST_MUTATION"):
        lines[1] += "0"
    if os.environ.get("QD_GOLDEN_UPDATE"):
        with open(path, "w") as f:
            f.write("\n".join(lines) + "\n")
    with open(path) as f:
        want = f.read().split("\n")[:-1]
    for line in difflib.unified_diff(want, lines, path, "qd", lineterm="", n=0):
        print(line)
    print(f"{len(lines) - 1} kernels on {len(TARGETS)} targets")
    return want != lines


def main():
    dis, targets, write, show, program = None, TARGETS, None, None, None
    args = sys.argv[1:]
    while args:
        a = args.pop(0)
        if a == "--target":
            targets = args.pop(0).split(",")
        elif a == "--write":
            write = args.pop(0)
        elif a == "--same":
            program = args.pop(0)
        elif a == "--golden":
            return golden(args[1], args[0])
        elif a == "--show":
            show = args.pop(0)
        else:
            dis = a
    for tool in (CLANG, OBJDUMP, *(["ld.lld-22"] if program else [])):
        if not shutil.which(tool):
            print(f"SKIP: {tool} is not installed: nothing is compared")
            return 77
    if program:
        return same(program, dis, targets)
    got, codes, need = {}, {}, {}
    with tempfile.TemporaryDirectory() as d:
        for t in targets:
            ours, theirs = qd_code(dis, t, d), llvm_code(t, d)
            run(dis, "-t", t, "-o", f"{d}/{t}.hsaco", f"{d}/k.qdk")
            both = [needs(dis, f"{d}/{t}.{end}") for end in ("hsaco", "o")]
            for row in ROWS:
                need[row.name, t] = [n[row.name] for n in both]
                codes[row.name, t] = ours[row.name], theirs[row.name]
                got[row.name, t] = counts(ours[row.name]), counts(theirs[row.name])
    if show:
        for row in ROWS:
            for t in targets if row.title == show else []:
                for side, code in zip(("qd", "LLVM"), codes[row.name, t]):
                    print(f"{show}, {t}, {side}\n\t" + "\n\t".join(code))
        return 0
    lines, bad = table(got, need, targets), unexplained(got, LONGER, TARGETS)
    print("\n".join(lines + bad))
    if write:
        version = run(CLANG, "--version").split("\n")[0]
        with open(write, "w") as f:
            f.write("# Size of AMD code, compared with clang\n\n"
                    "The table compares the machine instructions that qd and clang at -O3 emit for the same kernel. clang compiles C with builtins for lanes.\n"
                    "`bench/gcn_size.py --write` wrote this page; its docstring explains the common conditions. The counts include waits (w), `s_nop` (n) and\n"
                    "hints (h: `s_delay_alu` and `s_clause`). VGPR, SGPR, waves: registers of a lane and of a wave, and waves per SIMD; qd's number is first.\n"
                    f"{version}.\n\n```text\n" + "\n".join(lines) + "\n```\n\n")
            f.write("## Longer than clang's\n\n" + ("\n".join(f"- {k}, {t}: {why}" for (k, t), why in LONGER.items()) or "None.") + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
