#!/usr/bin/env python3
"""ptxas.py FOLDER [--rows FILE] [--own] [--share N] [--known FILE] [--jobs N] [--arch sm_NN,...]:
two checks of PTX modules.

A scan: each instruction is known to this script, and no module declares a .version or a .target below what its
instructions need, nor a .version above what they and the target need. Then ptxas, if it is on the PATH, assembles
each module for every target that it knows and that is not below the module's own; it must not print a warning.
Modules with the same head are assembled together, with each entry renamed.

--rows FILE: each row of the emitter's insn.def, with operands chosen here, is accepted at the target and version
that it states and not at lower ones. --own: each module for its own target only, or the lowest one above it that
ptxas knows. --share N: one in N of all pairs of module and target, by their hash. --known FILE keeps what this
ptxas has passed, so that it is not assembled again.

Both checks are first tested on injected faults. Without ptxas only the scan runs; the last line reports that."""

import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

# -- Requirements of instructions (PTX ISA 9.0: the "PTX ISA Notes" and "Target ISA Notes" of each)
# ---

# The first match counts: (pattern of the mnemonic, lowest version, lowest sm).
ASKS = [
    (r"redux\.sync\..*\.f32", 86, 1000),  # only sm_100a, which qd does not target
    (r"redux\.sync\.(add|min|max)\.[su]32|redux\.sync\.(and|or|xor)\.b32", 70, 80),
    (r"(shfl|vote)\.sync\..*", 60, 30),
    (r"match\.(any|all)\.sync\.b(32|64)", 60, 70),
    (r"activemask\.b32", 62, 30),
    (r"elect\.sync", 80, 90),
    (r"nanosleep\.u32", 63, 70),
    (r"cp\.async\..*", 70, 80),
    (r"bar\.warp\.sync", 60, 30),
    (r"bar\.(sync|red\..*)", 20, 20),
    (r"barrier\..*", 78, 30),
    (r"membar\.(cta|gl|sys)", 20, 20),
    (r"fence\.acq_rel\.(cta|gpu|sys)", 60, 70),
    (r"fence\.(acquire|release)\..*", 86, 90),
    (r"(ld|st)\.(relaxed|acquire|release)\.(cta|gpu|sys)\.(global|shared)\.b(32|64)", 60, 70),
    (r"(ld|st)\.volatile\.(global|shared)\.b(32|64)", 20, 20),
    (r"ld\.global\.nc\.(b32|b64|[su]8|[su]16)", 31, 32),
    (r"ld\.global\.nc\.v(2\.b32|4\.b32|2\.b64)", 31, 32),
    (r"(ld|st)\.(global|shared)\.((v2\.|v4\.)?b32|(v2\.)?b64|[su]8|[su]16)", 20, 20),
    (r"bfe\.[su]32|(bfi|prmt)\.b32", 20, 20),
    (r"dp4a\.[su]32\.[su]32", 50, 61),
    (r"ld\.const\.b(32|64)", 10, 20),
    (r"ld\.param\.(b32|b64|u32|u64)", 20, 20),
    (r"atom\.(cta|sys)\.global\..*|red\.(cta|sys)\.(global|shared)\..*|atom\.cta\.shared\..*", 50, 60),
    (r"(atom|red)\.(global|shared)\.add\.f64", 50, 60),
    (r"(atom|red)\.(global|shared)\.(add\.[su]32|add\.u64|exch\.b(32|64)|cas\.b(32|64))", 20, 20),
    (r"(atom|red)\.(global|shared)\.(min|max|and|or|xor)\.[sub](32|64)", 31, 32),
    (r"shf\.[lr]\.wrap\.b32", 31, 32),
    (r"mov\.(b16|b32|b64|u32|u64|pred)|cvta\.to\.global\.u64", 23, 20),
    (r"(add|sub)\.([su](32|64)|rn\.f(32|64))|mul\.(lo|hi)\.[su](32|64)|mul\.(wide\.u32|rn\.f(32|64))", 14, 20),
    (r"mad\.(lo|wide)\.u32|fma\.rn\.f(32|64)|div\.([su](32|64)|rn\.f(32|64))|rem\.[su](32|64)", 20, 20),
    (r"(min|max)\.([su](32|64)|f(32|64))|(neg|abs)\.(s(32|64)|f(32|64))|sqrt\.rn\.f(32|64)", 14, 20),
    (r"(and|or|xor|not)\.(pred|b32|b64)|shl\.b(32|64)|shr\.[su](32|64)", 10, 20),
    (r"(popc|clz|brev)\.b(32|64)|bfind\.shiftamt\.u(32|64)", 20, 20),
    (r"setp\.(eq|ne|lt|le)\.([su](32|64)|f(32|64))|setp\.(neu|nan)\.f(32|64)|selp\.b(32|64)", 10, 20),
    (r"cvt\.(rn|rzi|rmi|rpi|rni)?\.?([su](32|64)|f(32|64))\.([su](32|64)|f(32|64))", 10, 20),
    (r"cvt\.(rn\.f16\.f32|f32\.f16|u16\.u32|u32\.u16|s32\.s16)", 10, 20),
    (r"cvt\.rn\.bf16\.f32", 70, 80),
    (r"(ex2|lg2|sin|cos)\.approx\.f32", 14, 20),
    (r"bra(\.uni)?|ret", 10, 20),
]
ASKS = [(re.compile(p), v, s) for p, v, s in ASKS]

# The lowest version that has a target (PTX ISA, release notes); 6.0 is the lowest that qd emits.
TARGETS = {50: 60, 52: 60, 53: 60, 60: 60, 61: 60, 62: 60, 70: 60, 72: 61, 75: 63, 80: 70, 86: 71, 87: 74,
           88: 90, 89: 78, 90: 78, 100: 86, 103: 88, 110: 90, 120: 87, 121: 88}

HEAD = re.compile(r"\.version (\d)\.(\d)\n\.target sm_(\d+)\n\.address_size 64\n\n"
                  r"((?:\.const \.align [48] \.b(?:32|64) \w+\$\d+\[\d+\] = \{[\d,\s]+\};\n)*)\.visible \.entry (\w+)\(")
TABLE = re.compile(r"\.const \.align ([48]) \S+ \w+\$\d+\[(\d+)\]")
MAX_CONST = 1 << 16  # bytes of .const of a module
LINE = re.compile(r"\t(?:@!?%p\d+ )?([a-z][\w.]*)[ ;]")
known = {}


def asked(mnemonic):
    if mnemonic not in known:
        known[mnemonic] = next(((v, s) for p, v, s in ASKS if p.fullmatch(mnemonic)), None)
    return known[mnemonic]


def scan(text):
    """Returns an error in a module, or None."""
    head = HEAD.match(text)
    if not head:
        return "its head is not one that is emitted"
    version, sm = int(head[1] + head[2]), int(head[3])
    need = TARGETS.get(sm)
    if need is None:
        return f"no target is sm_{sm}"
    for line in text[head.end():].split("\n"):
        if not line.startswith("\t") or line.startswith("\t."):
            continue
        m = LINE.match(line)
        ask = asked(m[1]) if m else None
        if not ask:
            return f"unknown on this page: {line.strip()}"
        if ask[1] > sm:
            return f"sm_{sm} has no {m[1]}"
        need = max(need, ask[0])
    if version != need:
        return f".version {version / 10} where {need / 10} is the lowest"
    return None


# -- ptxas -------------------------------------------------------------------------------------

def arches(ptxas):
    """Returns the real targets that it knows, without the architecture-specific ones (with a
    letter)."""
    text = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=True).stdout
    return sorted({int(n) for n in re.findall(r"'sm_(\d+)'", text)})


def assemble(ptxas, arch, texts):
    """Assembles modules with the same head. Returns the messages, "" on success."""
    head = HEAD.match(texts[0])
    parts = [f".version {head[1]}.{head[2]}\n.target sm_{head[3]}\n.address_size 64\n"]
    for n, text in enumerate(texts):
        head = HEAD.match(text)
        parts.append(re.sub(rf"\b{head[5]}(?=\$\d|\()", f"k{n}", text[head.start(4):]))  # a table's name begins with the entry's
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write("\n".join(parts))
        f.flush()
        r = subprocess.run([ptxas, f"-arch=sm_{arch}", f.name, "-o", "/dev/null"], capture_output=True, text=True)
    if r.returncode == 0 and not r.stderr.strip() and not r.stdout.strip():
        return ""
    return (r.stderr + r.stdout).strip() or f"ptxas ended with {r.returncode}"


def in_batches(names, texts):
    """Splits a list of modules by the limits of one assembly."""
    batches, size = [[]], 0
    for name in names:
        more = sum(int(m[1]) * int(m[2]) for m in TABLE.finditer(texts[name]))
        if len(batches[-1]) == 64 or size + more > MAX_CONST:
            batches, size = batches + [[]], 0
        batches[-1].append(name)
        size += more
    return [b for b in batches if b]


def blame(ptxas, arch, texts, names):
    """Finds the module that fails; returns its name and the message."""
    for text, name in zip(texts, names):
        said = assemble(ptxas, arch, [text])
        if said:
            return f"{name} for sm_{arch}: {said.splitlines()[0]}"
    return f"{names[0]} ... {names[-1]} for sm_{arch}, together: {assemble(ptxas, arch, texts).splitlines()[0]}"


# -- Rows of insn.def ----------------------------------------------------------------------------

# Operands by the longest matching prefix of the text.
OPERANDS = {
    "shfl.": "%r1, %r2, 1, 31, 0xffffffff", "vote.": "%p2, %p1, 0xffffffff", "vote.sync.ballot": "%r1, %p1, 0xffffffff",
    "redux.": "%r1, %r2, 0xffffffff", "match.any.sync.b32": "%r1, %r2, 0xffffffff",
    "match.any.sync.b64": "%r1, %rd2, 0xffffffff", "match.all.sync.b32": "%r1|%p1, %r2, 0xffffffff",
    "match.all.sync.b64": "%r1|%p1, %rd2, 0xffffffff", "activemask.": "%r1", "elect.": "%r1|%p1, 0xffffffff",
    "bar.sync": "0", "bar.red.": "%p2, 0, %p1", "bar.red.popc": "%r1, 0, %p1", "bar.warp.": "0xffffffff",
    "membar.": "", "fence.": "", "nanosleep.": "%r1", "cp.async.ca": "[%r1], [%rd1], 4", "cp.async.cg": "[%r1], [%rd1], 16",
    "cp.async.commit": "", "cp.async.wait_group": "0", "cp.async.wait_all": "", "ld.": ".global.b32 %r1, [%rd1]", "st.": ".global.b32 [%rd1], %r1",
    "atom": ".global.add.u32 %r1, [%rd1], %r2", "red": ".global.add.u32 [%rd1], %r2", "shf.": "%r1, %r2, %r1, %r2",
    "cvt.rn.bf16.f32": "%h1, %r1", "dp4a": ".s32.s32 %r1, %r2, %r1, %r2",
}
ROW = re.compile(r'^PTX\((\w+),\s*"([^"]+)",\s*(\d+),\s*(\d+)\)', re.M)
# Instructions that ptxas accepts at lower versions than the manual states.
MANUAL = {"nanosleep.u32"}
VERSIONS = [60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90]


def takes(ptxas, lowest, version, sm, line):
    text = (f".version {version // 10}.{version % 10}\n.target sm_{sm}\n.address_size 64\n.visible .entry k(.param .b64 a)\n"
            "{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nmov.u32 %r1, 1;\nmov.u32 %r2, %tid.x;\n"
            f"mov.u64 %rd1, 0;\nmov.u64 %rd2, 0;\nsetp.eq.u32 %p1, %r2, 0;\n{line};\nret;\n}}\n")
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(text)
        f.flush()
        args = [ptxas, f"-arch=sm_{max(sm, lowest)}", f.name, "-o", "/dev/null"]
        return subprocess.run(args, capture_output=True, text=True).returncode == 0


def wrong_rows(ptxas, path):
    lowest, out = arches(ptxas)[0], []
    rows = ROW.findall(open(path, encoding="ascii").read())
    for name, text, sm, version in rows:
        least, version = int(sm), int(version)
        operands = OPERANDS[max((k for k in OPERANDS if text.startswith(k)), key=len)]
        line = (text + operands if operands.startswith(".") else f"{text} {operands}").strip()
        sm = min(n for n in TARGETS if n >= least)
        lower = [n for n in TARGETS if n < least]
        if not takes(ptxas, lowest, max(version, TARGETS[sm]), sm, line):
            out.append(f"{name}: ptxas does not accept '{line}' at sm_{sm}, {max(version, TARGETS[sm])}")
        if lower and takes(ptxas, lowest, 90, lower[-1], line):
            out.append(f"{name}: ptxas takes '{line}' at sm_{lower[-1]}, and its row says {least}")
        before = [v for v in VERSIONS if TARGETS[sm] <= v < version]
        if before and text not in MANUAL and takes(ptxas, lowest, before[-1], sm, line):
            out.append(f"{name}: ptxas takes '{line}' in {before[-1]}, and its row says {version}")
    return len(rows), out


INJECTED = """.version 6.0
.target sm_70
.address_size 64

.visible .entry k(.param .align 8 .b8 args[24])
.reqntid 32
{
	.reg .b32 %r<3>;
	mov.u32 %r1, %laneid;
	redux.sync.add.u32 %r2, %r1, 0xffffffff;
	ret;
}
"""


def main():
    folder, jobs, only, share, known_file, own, rows = None, os.cpu_count(), None, 1, None, False, None
    args = sys.argv[1:]
    while args:
        a = args.pop(0)
        if a == "--jobs":
            jobs = int(args.pop(0))
        elif a == "--own":
            own = True
        elif a == "--rows":
            rows = args.pop(0)
        elif a == "--share":
            share = int(args.pop(0))
        elif a == "--known":
            known_file = args.pop(0)
        elif a == "--arch":
            only = {int(n.removeprefix("sm_")) for n in args.pop(0).split(",")}
        else:
            folder = a
    names = sorted(n for n in os.listdir(folder) if n.endswith(".ptx"))
    texts = {n: open(os.path.join(folder, n), encoding="ascii").read() for n in names}
    if not names:
        print(f"ptxas: no PTX is in {folder}")
        return 1
    bad = []
    if scan(INJECTED) is None or scan(INJECTED.replace("redux.sync.add.u32", "foo.u32").replace(", 0xffffffff", "")) is None:
        bad.append("the scan does not see an injected fault")
    bad += [f"{n}: {w}" for n, w in ((n, scan(texts[n])) for n in names) if w]
    groups = {}
    for n in names:
        head = HEAD.match(texts[n])
        if head:
            groups.setdefault((int(head[3]), head[1] + head[2]), []).append(n)
    ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    runs = 0
    n_rows = 0
    if ptxas and rows:
        n_rows, wrong = wrong_rows(ptxas, rows)
        bad += wrong
    if ptxas and not bad:
        if not assemble(ptxas, 90, [INJECTED]):
            bad.append("ptxas does not see an injected fault")
        version = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
        passed = set(open(known_file, encoding="ascii").read().split()) if known_file and os.path.exists(known_file) else set()

        def key(arch, name):
            return hashlib.md5(f"{version}{arch}{texts[name]}".encode()).hexdigest()

        batches = []
        all_arches = arches(ptxas)
        for arch in all_arches:
            for (sm, _), group in groups.items():
                if sm > arch or (only is not None and arch not in only) or (own and arch != max(sm, all_arches[0])):
                    continue
                taken = [n for n in group if int(key(arch, n)[:8], 16) % share == 0 and key(arch, n) not in passed]
                batches += [(arch, b) for b in in_batches(taken, texts)]
                runs += len(taken)

        def one(job):
            arch, some = job
            modules = [texts[n] for n in some]
            if assemble(ptxas, arch, modules):
                return blame(ptxas, arch, modules, some)
            passed.update(key(arch, n) for n in some)
            return None

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            bad += [w for w in pool.map(one, batches) if w]
        if known_file and not bad:
            with open(known_file, "w", encoding="ascii") as f:
                f.write("\n".join(sorted(passed)) + "\n")
    for w in bad[:20]:
        print("ptxas: " + w)
    targets = sorted({sm for sm, _ in groups})
    print(f"{len(names)} PTX modules of {len(targets)} targets, {len(known)} distinct instructions, {n_rows} rows, {runs} assembled: "
          f"{len(bad)} wrong")
    if not ptxas:
        print("part skipped: ptxas is not installed: no PTX was assembled")
    return 1 if bad else 0


sys.exit(main())
