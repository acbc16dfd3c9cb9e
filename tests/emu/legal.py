"""legal.py ROWS [N] [SEED]: compares with ptxas which instructions of `rows` are accepted. An
instruction that only ptxas or only the interpreter accepts is a failure, except those in KNOWN.
Exits with 77 if there is no ptxas."""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

# (who alone accepts it, pattern, why)
KNOWN = [
    ("ptxas", r"%x\d", ".f16x2 registers are accepted as 32-bit integers, but not by every instruction"),
    ("qd", r"%x\d", ".f16x2 registers are accepted as 32-bit integers, but not by every instruction"),
    ("ptxas", r"^fence\.(acquire|release)\.", "the manual has them from .version 8.6 and sm_90 on"),
    ("ptxas", r"^cp\.async.*shared::cta", "the manual has ::cta from .version 7.8 on"),
    ("ptxas", r"^(vote|shfl)\.(up|down|bfly|idx|all|any|uni|ballot)", "before .version 6.4 they exist, but are undefined for divergent lanes"),
    ("ptxas", r"^(ld|ldu|st)\b.*\.v[24]\.", "only the type of a vector's first element is checked"),
    ("ptxas", r"^(shfl|fns)\.", "lanes, clamps and offsets as bits of .f32"),
    ("ptxas", r"^setp\..*bf16x2 .*, %p\d;", "a predicate for a pair of halves"),
    ("ptxas", r"^set\..*x2 ", "a float for a pair of halves"),
    ("ptxas", r"^(atom|red)\.\w+(\.noftz)?\.(cta|gpu|sys|cluster)\.", "a scope without semantics after the operation, which is never used"),
    ("ptxas", r"^testp\.f", "a test that is not named"),
    ("ptxas", r"^mov\.[bus]16 .*, sv;", "an address that is cut"),
    ("qd", r"^prefetchu\.L1 \[[a-z]", "a variable, which is prefetched as well as any address: not at all"),
    ("qd", r"^bf[ie]\.", "an immediate position or length out of range, which is taken modulo 256"),
    ("qd", r"[ {]0[df][0-9a-f]|, 2\.5", "bits written as a float, but ptxas expects an integer"),
]

ARCHS = {"sm_53": "sm_75", "sm_60": "sm_75", "sm_61": "sm_75", "sm_70": "sm_75"}


def ptxas_path():
    return shutil.which("ptxas") or next((p for p in ["/usr/local/cuda/bin/ptxas"] if os.access(p, os.X_OK)), None)


def main():
    rows, n, seed = sys.argv[1], (sys.argv[2:] + ["3"])[0], (sys.argv[3:] + ["1"])[0]
    ptxas = ptxas_path()
    if not ptxas:
        print("ptxas is not installed: SKIP")
        sys.exit(77)
    lines = subprocess.run([rows, n, seed], check=True, capture_output=True, text=True).stdout.splitlines()
    tail = subprocess.run([rows, "--tail"], check=True, capture_output=True, text=True).stdout
    groups = collections.defaultdict(list)
    for line in lines:
        version, target, verdict, rest = line.split(" ", 3)
        insn, why = rest.split("\t")
        groups[version, target].append((insn, verdict == "ok", why))
    bad, known, total, both = 0, collections.Counter(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for (version, target), items in sorted(groups.items()):
            head = subprocess.run([rows, "--head", version, target], check=True, capture_output=True, text=True).stdout
            first = head.count("\n") + 1
            refused = {}
            while True: # comments out lines at which the parser stops, and tries the rest again
                text = head + "".join(("//" if k in refused and refused[k][0] else i[0]) + "\n" for k, i in enumerate(items)) + tail
                path = os.path.join(folder, "x.ptx")
                open(path, "w").write(text)
                out = subprocess.run([ptxas, "-arch=" + ARCHS.get(target, target), path, "-o", "/dev/null"],
                                     capture_output=True, text=True)
                fatal = False
                for m in re.finditer(r"line (\d+); (error|fatal) *: (.*)", out.stdout + out.stderr):
                    at = int(m.group(1)) - first
                    if not 0 <= at < len(items):
                        sys.exit(f"legal.py: {version} {target}: {m.group(0)}")
                    refused.setdefault(at, (False, m.group(3)))
                    if m.group(2) == "fatal":
                        refused[at] = (True, m.group(3))
                        fatal = True
                if not fatal:
                    if out.returncode and not refused:
                        sys.exit(f"legal.py: {version} {target}: {out.stderr}{out.stdout}")
                    break
            for k, (insn, ours, why) in enumerate(items):
                total += 1
                theirs = k not in refused
                both += theirs and ours
                if theirs == ours:
                    continue
                who = "ptxas" if theirs else "qd"
                row = next((i for i, (w, pattern, _) in enumerate(KNOWN) if w == who and re.search(pattern, insn)), None)
                if row is not None:
                    known[row] += 1
                    continue
                bad += 1
                print(f"{version} {target}: {insn}  only {who} takes it: {why if theirs else refused[k][1]}")
    for row, n in sorted(known.items()):
        print(f"known: {n} that only {KNOWN[row][0]} takes: {KNOWN[row][2]}")
    print(f"{total} instructions, {both} taken by both, {bad} differ")
    sys.exit(1 if bad else 0)


main()
