#!/usr/bin/env python3
"""programs.py TOOLS SOURCE [--tool NAME] [--runs N] [--seconds S] [--seed N] [--keep FOLDER]: whole programs on changed files.

Each input is a file that a tool reads (.qdk, printed IR, PTX, SPIR-V, AMD code objects, fatbins of qd and of CUDA,
bundles of clang, offload binaries). Structure-aware mutations change it: they repeat, nest, share and
overlap parts, and set numbers to extreme values. Checksums are recomputed. Each run must exit without a signal and with
a documented status, within QD_TEST_SECONDS (2) of CPU time and 1 GiB. Its JSON must parse, and its output must contain
no control characters. Inputs of failed runs are kept in FOLDER.

TOOLS is the directory of the programs; --tool selects one of them. The inputs depend only on the seed, not on the time.
QD_TEST_MUTATION: the limit is half a MiB, which each run must exceed."""
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from proportion import HASH, PTX, Zstd, compressed_bundle, cuda_fatbin, offload, plain_bundle
from text import offload as image_of

MEMORY = 1 << (19 if "QD_TEST_MUTATION" in os.environ else 30)
NUMBERS = [0, 1, 2, 7, 8, 63, 64, 0x7f, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
           0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff]
NAMES = ["\x1b[31mred", "a\nb", "a\u202eb", "x" * 3000, "\udcff", "../../up", "a b;c", "%s%n", '"', "\x9b2J"]
MAGIC = b"QDFB\r\n\x1a\n"


def seal(data):
    """Recomputes the checksums of each complete fatbin index in a file."""
    at = data.find(MAGIC)
    while HASH and at >= 0:
        if at + 80 <= len(data):
            total, groups = struct.unpack_from("<Q", data, at + 48)[0], struct.unpack_from("<I", data, at + 40)[0]
            end = total - 8 * groups
            if 24 <= end <= len(data) - at:
                data[at + 8:at + 24] = HASH(data[at + 24:at + end])
        at = data.find(MAGIC, at + 1)
    return data


# -- Mutations -----------------------------------------------------------------------------------------------

def some(r, size):
    """Returns a random range, usually a short one."""
    a = r.randrange(size + 1)
    return a, min(size, a + r.choice((1, 4, 16, 64, 256, size)))


def flip(r, d):
    for _ in range(r.choice((1, 1, 2, 8))):
        if d:
            d[r.randrange(len(d))] = r.randrange(256)
    return d


def number(r, d, near=0, far=None):
    """Sets a field to an extreme value, or to the value of another field."""
    size = r.choice((2, 4, 4, 8))
    far = min(len(d), far or len(d)) - size
    if far < near:
        return d
    at = r.randrange(near, far + 1) // size * size
    value = r.choice(NUMBERS + [len(d), len(d) - 1, int.from_bytes(d[at:at + size], "little") + r.choice((-1, 1, 8))])
    if r.random() < .3:
        other = r.randrange(near, far + 1) // size * size
        value = int.from_bytes(d[other:other + size], "little")
    d[at:at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
    return d


def repeat(r, d):
    a, b = some(r, len(d))
    part = d[a:b]
    return d[:a] + part * min(r.choice((2, 3, 16, 300)), 1 + 60000 // (len(part) + 1)) + d[b:]


def cut(r, d):
    a, b = some(r, len(d))
    return d[:a] + d[b:] if r.random() < .5 else d[:a]


def header(r, d):
    return number(r, d, 0, 512)


def words(d):
    """Returns the instructions of a SPIR-V module."""
    out, at = [], 20
    while at + 4 <= len(d):
        n = max(1, struct.unpack_from("<I", d, at)[0] >> 16)
        out.append(d[at:at + 4 * n])
        at += 4 * n
    return out


def spirv(r, d):
    ins = words(d)
    if not ins:
        return flip(r, d)
    i, j = r.randrange(len(ins)), r.randrange(len(ins))
    how = r.randrange(6)
    if how == 0:
        ins[i:i + 1] = [ins[i]] * r.choice((2, 5, 500))
    elif how == 1:
        ins[i] = ins[j]
    elif how == 2 and len(ins[i]) >= 8:
        k = r.randrange(1, len(ins[i]) // 4)
        ins[i][4 * k:4 * k + 4] = struct.pack("<I", r.choice((r.randrange(64), r.choice(NUMBERS) & 0xffffffff)))
    elif how == 3:
        a, b = sorted((i, j))
        ins[a:b] = ins[a:b] * 2
    elif how == 4:
        word = struct.unpack_from("<I", ins[i])[0]
        ins[i][:4] = struct.pack("<I", (word & 0xffff0000) | r.choice((r.randrange(420), r.randrange(6000))))
    else:
        name = r.choice(NAMES).encode("utf-8", "surrogateescape") + b"\0"
        name += bytes(-len(name) % 4)
        ins.insert(i, bytearray(struct.pack("<II", (2 + len(name) // 4) << 16 | 5, r.randrange(1, 60)) + name))
    return d[:20] + b"".join(ins)


TOKEN = re.compile(rb"[A-Za-z_.%$][\w.$]*|\d+|[^\s\w]")


def text(r, d):
    lines = bytes(d).split(b"\n")
    i = r.randrange(len(lines))
    how = r.randrange(8)
    if how == 0:
        lines[i:i + 1] = [lines[i]] * r.choice((2, 10, 400))
    elif how == 1:
        a, b = sorted((i, r.randrange(len(lines))))
        lines[a:b] = lines[a:b] * r.choice((2, 8))
    elif how == 2:
        n = r.choice((2, 40, 400))
        open_, close = r.choice(((b"{", b"}"), (b"(", b")"), (b"[", b"]"), (b"if true {", b"}"), (b"loop {", b"}"),
                                 (b"{ L: bra L;", b"}"), (b"/*", b"*/"), (b"-", b"")))
        lines[i] = open_ * n + lines[i] + close * n
    else:
        found = list(TOKEN.finditer(lines[i]))
        if not found:
            return bytearray(b"\n".join(lines))
        t = r.choice(found)
        new = t[0]
        if how == 3:
            new = t[0] * r.choice((2, 300))
        elif how == 4:
            new = str(r.choice(NUMBERS)).encode()
        elif how == 5:
            new = r.choice(NAMES).encode("utf-8", "surrogateescape")
        elif how == 6:
            other = list(TOKEN.finditer(lines[r.randrange(len(lines))]))
            new = r.choice(other)[0] if other else b""
        elif how == 7:
            new = (t[0] + b", ") * r.choice((2, 100)) + t[0]
        lines[i] = lines[i][:t.start()] + new + lines[i][t.end():]
    return bytearray(b"\n".join(lines))


def elf(r, d):
    """Shares, overlaps or repeats section headers; number() changes symbols and notes."""
    if len(d) < 64 or d[:4] != b"\x7fELF":
        return flip(r, d)
    shoff, (shentsize, shnum) = struct.unpack_from("<Q", d, 40)[0], struct.unpack_from("<HH", d, 58)
    if shentsize != 64 or shoff + 64 * shnum > len(d) or not shnum:
        return header(r, d)
    i, j = r.randrange(shnum), r.randrange(shnum)
    a, b = shoff + 64 * i, shoff + 64 * j
    how = r.randrange(6)
    if how == 0:
        d[a + 24:a + 40] = d[b + 24:b + 40] # the same bytes as section b
    elif how == 1:
        k = r.randrange(4, 64, 4)
        d[a + k:a + k + 4] = struct.pack("<I", r.choice((r.choice(NUMBERS) & 0xffffffff, r.randrange(shnum + 2))))
    elif how == 2:
        table = bytes(d[shoff:shoff + 64 * shnum]) + bytes(d[a:a + 64]) * r.choice((1, 20, 2000))
        struct.pack_into("<Q", d, 40, len(d))
        struct.pack_into("<H", d, 60, min(len(table) // 64, 0xfeff))
        d += table
    else:
        offset, size = struct.unpack_from("<QQ", d, a + 24)
        if not 0 < size <= len(d) - offset:
            return header(r, d)
        part = bytearray(d[offset:offset + size])
        part = r.choice((flip, number, number, repeat, names))(r, part)
        struct.pack_into("<QQ", d, a + 24, len(d), len(part))
        d += part
    return d


def names(r, d):
    """Replaces a NUL-terminated string."""
    found = list(re.finditer(rb"[\w.$@-]{2,}\0", bytes(d)))
    if not found:
        return flip(r, d)
    s = r.choice(found)
    new = r.choice(NAMES).encode("utf-8", "surrogateescape")
    if r.random() < .7: # of the same size
        new = (new + b"_" * len(s[0]))[:len(s[0]) - 1]
    d[s.start():s.end() - 1] = new
    return d


# -- Inputs and commands ----------------------------------------------------------------------------------------

KINDS = { # mutations and views for each kind of file
    "qdk": ((text, text, text, flip, cut, repeat), "text"), "ir": ((text, text, flip, cut), "text"),
    "ptx": ((text, text, text, repeat, cut), "code"), "spv": ((spirv, spirv, spirv, header, flip, cut), "code"),
    "hsaco": ((elf, elf, elf, header, number, names, cut), "code"),
    "fatbin": ((elf, number, number, header, names, repeat, cut), "fatbin"),
    "bundle": ((header, number, repeat, cut, names, flip), "code"),
    "words": ((flip, repeat, number, cut), "words"),
}
VIEWS = [[], ["--stats"], ["--json"], ["--live"], ["--waits"], ["--hazards"], ["--mix"], ["--cfg=dot"], ["--style=llvm"], ["-S"],
         ["--live", "--json"], ["--no-meta"], ["-k", "*"], ["--diff", "IN", "SEED"], ["--diff", "SEED", "IN", "--json"]]
TARGETS = ["gfx1100", "gfx90a", "gfx1201:w64", "ptx:sm_50", "ptx:sm_90", "spirv:w32", "spirv:w8"]


def command(r, group):
    """Returns a program and arguments; IN stands for the input, SEED for the original file, OUT for an output."""
    if group == "text":
        return r.choice((["qd-dis"], ["qd-dis", "-t", r.choice(TARGETS)], ["qd-dis", "-t", r.choice(TARGETS), *r.choice(VIEWS[:12])],
                         ["qd-aot", "-q", "-t", r.choice(TARGETS), "--no-header", "-o", "OUT", "--max-variants=64"],
                         ["qd-aot", "--check"], ["qd-run", "--list"], ["qd-run", "--list", "--json"]))
    if group == "words":
        return ["qd-dis", r.choice(("--raw=gfx1100", "--raw=gfx906", "--raw=gfx1201", "--pm4=gfx1100", "--pm4=gfx942")),
                *r.choice(([], ["--json"], ["--hazards"], ["--waits"], ["--live"], ["--cfg=dot"]))]
    if group == "fatbin" and r.random() < .6:
        return r.choice((["qd-aot", "list"], ["qd-aot", "list", "--json"], ["qd-aot", "info"], ["qd-aot", "verify"],
                         ["qd-aot", "merge", "-o", "OUT", "SEED"], ["qd-aot", "merge", "--header=OUT.h", "-o", "OUT"],
                         ["qd-aot", "strip", "-t", "gfx1100", "-o", "OUT"], ["qd-aot", "extract", "--emit=files:OUT"]))
    return r.choice((["qd-dis", *r.choice(VIEWS)], ["qd-dis", *r.choice(VIEWS)], ["qd-run", "--list"], ["qd-run", "--list", "--json"]))


class Fuzz:
    def __init__(self, tools, source, folder, keep, only):
        self.tools, self.source, self.folder, self.keep, self.only = tools, source, folder, keep, only
        self.seconds = int(os.environ.get("QD_TEST_SECONDS", "2"))
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", QD_CACHE="0")
        self.seeds, self.bad, self.n, self.seen = [], 0, 0, set()

    def tool(self, *args):
        subprocess.run([os.path.join(self.tools, args[0]), *args[1:]], env=self.env, check=True, stdout=subprocess.DEVNULL)

    def add(self, kind, data):
        self.seeds.append((kind, bytes(data)))

    def read(self, path):
        with open(path, "rb") as f:
            return f.read()

    def make_seeds(self):
        at = os.path.join
        examples = at(self.source, "docs/examples")
        for name in ("tile_sum", "block", "grid", "lookback", "wave"):
            self.add("qdk", self.read(at(examples, name + ".qdk")))
        self.add("qdk", self.read(at(self.source, "tests/golden/control.qdk")))
        args = ["-k", "tile_sum", "-D", "T=i32", "-D", "L=5", at(examples, "tile_sum.qdk")]
        for kind, target in (("ir", None), ("ptx", "ptx:sm_80"), ("spv", "spirv:w32"), ("hsaco", "gfx1100"), ("hsaco", "gfx90a")):
            out = at(self.folder, "seed")
            if kind == "hsaco":
                self.tool("qd-aot", "-q", "-t", target, "-o", out + ".hsaco", *args)
                out += ".hsaco"
            else:
                self.tool("qd-dis", *(["-t", target, "--emit=bin"] if target else []), "-o", out, *args)
            self.add(kind, self.read(out))
        shared = self.read(at(self.source, "tests/emu/gcn/shared.gfx90a.co"))
        self.add("hsaco", shared)
        self.add("words", shared[0x1000:0x1400])
        zstd = Zstd()
        objects = []
        for i, compress in enumerate(("none", "zstd")):
            objects.append(at(self.folder, f"f{i}.o"))
            self.tool("qd-aot", "-q", "-t", "gfx1100,ptx:sm_80,spirv:w32,qdir", "--no-header", f"--compress={compress}", "-o",
                      objects[i], *args)
            self.add("fatbin", self.read(objects[i]))
        if shutil.which("gcc"):
            subprocess.run(["gcc", "-shared", "-o", at(self.folder, "f.so"), objects[0]], check=True)
            self.add("fatbin", self.read(at(self.folder, "f.so")))
        self.add("bundle", cuda_fatbin(zstd.frame(PTX), len(PTX), 2))
        self.add("bundle", plain_bundle(200))
        self.add("bundle", compressed_bundle(zstd, plain_bundle(200)))
        self.add("bundle", offload(3))
        self.add("bundle", image_of(shared, b"amdgcn-amd-amdhsa", b"gfx90a"))

    def finding(self, what, args, data):
        self.bad += 1
        first = re.sub(r"0x[0-9a-f]+|\d+", "N", what)[:120]
        if first in self.seen:
            return
        self.seen.add(first)
        name = ""
        if self.keep:
            os.makedirs(self.keep, exist_ok=True)
            name = os.path.join(self.keep, f"{len(self.seen)}.in")
            with open(name, "wb") as f:
                f.write(data)
        print(f"programs: {' '.join(args)} on {name or 'an input of %d bytes' % len(data)}: {what}", file=sys.stderr)

    def run(self, args, data):
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            p = subprocess.Popen([os.path.join(self.tools, args[0]), *args[1:]], env=self.env, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, preexec_fn=limits, cwd=self.folder)
            _, status, usage = os.wait4(p.pid, 0)
            p.returncode = rc = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            shown, said = out.read(), err.read()
        self.n += 1
        if rc < 0 or rc > 4 or b"Sanitizer" in said or b"runtime error" in said:
            line = re.search(rb"(SUMMARY|ERROR|runtime error)[^\n]*", said)
            self.finding(f"exit status {rc}: {(line[0] if line else said[-200:]).decode(errors='replace')}", args, data)
        elif usage.ru_maxrss * 1024 > MEMORY:
            self.finding(f"{usage.ru_maxrss >> 10} MiB", args, data)
        elif "--json" in args and not self.is_json(shown, rc):
            self.finding(f"exit status {rc}, and no JSON: {shown[-80:]!r}", args, data)
        else:
            for stream in (shown, said):
                raw = self.control(stream)
                if raw and args[0] != "qd-aot":
                    self.finding(f"control characters: {raw!r}", args, data)

    @staticmethod
    def is_json(shown, rc):
        if not shown:
            return rc != 0
        try:
            json.loads(shown)
            return True
        except ValueError:
            return False

    @staticmethod
    def control(stream):
        try:
            s = stream.decode()
        except UnicodeDecodeError as e:
            return stream[max(0, e.start - 20):e.start + 20]
        found = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", s)
        return s[max(0, found.start() - 20):found.end() + 20] if found else None

    def one(self, r):
        kind, seed = r.choice(self.seeds)
        mutations, group = KINDS[kind]
        data = bytearray(seed)
        for _ in range(r.choice((1, 1, 2, 4))):
            data = bytearray(r.choice(mutations)(r, data))
        data = seal(data) if kind == "fatbin" and r.random() < .8 else data
        args = command(r, group)
        if self.only and args[0] != self.only:
            return
        path, other, out = (os.path.join(self.folder, n) for n in ("in", "other", "out"))
        with open(path, "wb") as f:
            f.write(data)
        with open(other, "wb") as f:
            f.write(seed)
        has = "IN" in args
        args = [{"IN": path, "SEED": other}.get(a, a.replace("OUT", out)) for a in args]
        self.run(args if has else args + [path], bytes(data))


def option(args, name, value):
    if name in args:
        at = args.index(name)
        value = args[at + 1]
        del args[at:at + 2]
    return value


def main():
    args = sys.argv[1:]
    runs, seconds = int(option(args, "--runs", "1000000000")), float(option(args, "--seconds", "1e9"))
    seed, keep, only = int(option(args, "--seed", "1")), option(args, "--keep", None), option(args, "--tool", None)
    tools, source = (os.path.abspath(a) for a in args)
    with tempfile.TemporaryDirectory() as folder:
        f = Fuzz(tools, source, folder, keep, only)
        f.make_seeds()
        begun = os.times().elapsed
        i = 0
        while i < runs and os.times().elapsed - begun < seconds and (MEMORY > 1 << 20 or not f.bad):
            f.one(random.Random(seed * 1000003 + i))
            i += 1
            shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    print(f"programs: {f.n} runs, {f.bad} findings of {len(f.seen)} kinds")
    return f.bad != 0


if __name__ == "__main__":
    sys.exit(main())
