#!/usr/bin/env python3
"""examples.py SOURCE QD_RUN DEVICE...: every kernel of docs/examples/subgroup.qdk on each
device, compared with plain Python; one that wants more lanes than there are must be
refused at the place where its text says how many.

Numbers are so that each sum, and each quotient, is exact in f32.  With QD_TEST_PLANT one
is off, which must be found."""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

FILE = os.path.join("docs", "examples", "subgroup.qdk")


def tiles(v, n):
    return [v[i:i + n] for i in range(0, len(v), n)]


def swap(v, n, s):
    return [v[i ^ 1] for i in range(len(v))]


def reverse(v, n, s):
    return [v[i // 4 * 4 + 3 - i % 4] for i in range(len(v))]


def broadcast(v, n, s):
    return [t[0] for t in tiles(v, min(s, 64)) for _ in t]


def totals(v, n, s):
    return [sum(t) for t in tiles(v, n)]


def positive(v, n, s):
    return [sum((x > 0) << j for j, x in enumerate(t)) for t in tiles(v, 32)]


def normal(v, n, s):
    return [x / sum(t) for t in tiles(v, 32) for x in t]


def running(v, n, s):
    return [sum(t[:j + 1]) for t in tiles(v, 32) for j in range(len(t))]


# Name, what is read, what is written, the reference, lanes that it needs, elements: no
# whole number of blocks, but of pairs and fours where lanes ask their neighbours.
KERNELS = [
    ("broadcast", "a", "a", broadcast, 1, 200),
    ("identity", "src", "dst", lambda v, n, s: v, 1, 75),
    ("swap_pairs", "src", "dst", swap, 1, 90),
    ("reverse4", "src", "dst", reverse, 1, 92),
    ("count_positive", "a", "counts", positive, 32, 75),
    ("reduce4", "src", "dst", totals, 1, 92),
    ("sum32", "src", "dst", totals, 32, 75),
    ("sum16", "src", "dst", totals, 16, 75),
    ("sum8", "src", "dst", totals, 8, 75),
    ("normalize32", "a", "a", normal, 32, 96),
    ("cumsum32", "a", "a", running, 32, 75),
]
SORT, SORT_LANES = "sort_contacts", 32


def number(x):
    return repr(float(x)).removesuffix(".0")


def values(name, n, rng):
    if name == "normalize32":  # each 32 have the sum 64
        out = []
        for _ in range(n // 32):
            t = [rng.randrange(-8, 9) / 4 for _ in range(31)]
            out += t + [64 - sum(t)]
        return out
    if name == "cumsum32":
        return [rng.randrange(-1000, 1000) for _ in range(n)]
    return [rng.randrange(-400, 400) / 4 for _ in range(n)]


def qd_run(tool, source, args):
    p = subprocess.run([tool] + args, cwd=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.returncode, p.stdout


def lanes_of(tool, source, device):
    with tempfile.NamedTemporaryFile("w", suffix=".qdk") as f:
        f.write("kernel s(n: out i32[]) block(1) { n[0] = subgroup.group_size(); }\n")
        f.flush()
        rc, got = qd_run(tool, source, ["-d", device, "--grid=1", f.name, "n=zero:1"])
    found = re.fullmatch(r"n: (\d+)\n", got)
    if rc or not found:
        sys.exit(f"examples: {device}: {got}")
    return int(found.group(1))


def refusal(text, name, device, s):
    """What a kernel that is refused must be told, from its own text."""
    lines = text.split("\n")
    at = next(i for i, x in enumerate(lines) if x.startswith(f"kernel {name}("))
    if name == "count_positive":
        col, width = lines[at].index("32, 64") + 1, 2
        says = rf"the kernel accepts subgroup sizes 32, 64; \S+ has {s} \[E0504\]"
    else:
        while not re.search(r"_tiled\(.*, \d\)", lines[at]):
            at += 1
        found = re.search(r"_tiled\(.*?, (\d)\)", lines[at])
        col, width, log2 = found.start(1) + 1, 1, int(found.group(1))
        says = rf"log2_size {log2} needs {1 << log2} lanes but \S+ has {s} \[E0210\]"
    mark = " " * (col - 1) + "^" + "~" * (width - 1)
    return (re.escape(f"{FILE}:{at + 1}:{col}: error: ") + says + "\n" +
            re.escape(f"{at + 1:5} | {lines[at]}\n      | {mark}\n"))


def check(tool, source, text, device, s, row, rng):
    """"ran", "refused", or None: neither as it should."""
    name, into, out, want, needs, n = row
    v = values(name, n, rng)
    size = int(re.sub(r"\D", "", name) or 0)
    want = want(v, size, s)
    args = ["-d", device, "-k", name, FILE, f"{into}=" + ",".join(number(x) for x in v)]
    args += [f"{out}=zero:{len(want)}"] if out != into else []
    rc, got = qd_run(tool, source, args)
    # The interpreter has every size that a kernel names, whatever it was opened with.
    if s < needs and not (name == "count_positive" and device.startswith("ref")):
        if rc == 1 and re.fullmatch(refusal(text, name, device, s), got):
            return "refused"
        print(f"{device}: {name} ends with {rc} and prints\n{got}", file=sys.stderr)
        return None
    shown = got.removeprefix(f"{out}: ").split()
    if os.environ.get("QD_TEST_PLANT"):
        shown[0] = number(float(shown[0]) + 1)
    if rc == 0 and got.startswith(out) and len(shown) == len(want) and \
            all(struct.pack("f", float(g)) == struct.pack("f", w + 0.0) for w, g in zip(want, shown)):
        return "ran"
    print(f"{device} with {s} lanes: {name} ends with {rc} and prints\n{got}not\n{want}", file=sys.stderr)
    return None


def check_sort(tool, source, text, device, s, n, rng):
    """The same of the sort, which has two buffers and a number."""
    keys = [rng.choice([-3.5, -1.0, 0.25, 2.0, 7.5]) for _ in range(SORT_LANES)]
    idxs = rng.sample(range(100), SORT_LANES)
    pairs = sorted(zip(keys[:n], idxs)) + list(zip(keys[n:], idxs[n:]))
    args = ["-d", device, "-k", SORT, FILE, "keys=" + ",".join(map(number, keys)),
            "idxs=" + ",".join(map(str, idxs)), f"n={n}"]
    rc, got = qd_run(tool, source, args)
    if s < SORT_LANES:
        if rc == 1 and re.fullmatch(refusal(text, SORT, device, s), got):
            return "refused"
    elif rc == 0 and got == (f"keys: {' '.join(number(k) for k, v in pairs)}\n"
                             f"idxs: {' '.join(str(v) for k, v in pairs)}\n"):
        return "ran"
    print(f"{device} with {s} lanes: {SORT} ends with {rc} and prints\n{got}not\n{pairs}", file=sys.stderr)
    return None


def main():
    source, tool, devices = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    with open(os.path.join(source, FILE)) as f:
        text = f.read()
    named = re.findall(r"^kernel (\w+)", text, re.M)
    bad = sorted(named) != sorted([k[0] for k in KERNELS] + [SORT])
    if bad:
        print(f"examples: {FILE} has other kernels than are run here", file=sys.stderr)
    count = {"ran": 0, "refused": 0}
    sizes = []
    for device in devices:
        s = lanes_of(tool, source, device)
        sizes.append(f"{device} with {s}")
        rng = random.Random(s)
        for row in KERNELS:
            did = check(tool, source, text, device, s, row, rng)
            bad = bad or did is None
            if did:
                count[did] += 1
        for n in (0, 1, 19, SORT_LANES):
            did = check_sort(tool, source, text, device, s, n, rng)
            bad = bad or did is None
            if did:
                count[did] += 1
    print(f"{', '.join(sizes)}: {count['ran']} ran, {count['refused']} were refused")
    return 1 if bad else 0


sys.exit(main())
