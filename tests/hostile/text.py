#!/usr/bin/env python3
"""text.py QD-DIS QD-AOT QD-RUN SOURCE: one hostile string in every name that a file can have, in every view that prints one.

In files of each format, the string replaces a name of the same length. The output must contain no
control characters except newline and tab, no bidirectional controls, no invalid UTF-8, and no line
forged by the string. JSON must be complete, or nothing is printed. docs/text-from-files.md lists the
texts."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

INJECT = "QD_TEST_MUTATION" in os.environ
# A forged line, colors, a bell, the C1 control CSI, a bidirectional override, invalid UTF-8, a return.
EVIL = b"ev\nFORGED\x1b[31m\x07\xc2\x9b1m\xe2\x80\xae\xff\rFORGED\x7f\xe2\x80\xa8z"
NAME = b"n" * len(EVIL)
# The same for formats in which a newline ends the name.
LINE = EVIL.replace(b"\n", b"_").replace(b"\r", b"\x0c")
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
DIS = [[], ["--style=llvm"], ["--stats"], ["--mix"], ["--json"], ["--cfg=dot"], ["--live"], ["--waits"], ["--hazards"], ["-S"],
       ["-k", "*"], ["-k", "nothing"], ["-t", "gfx1100"], ["-t", "gfx90a"], ["-t", "ptx:sm_80"]]
AOT = [["list"], ["list", "--json"], ["info"], ["info", "--json"], ["verify"], ["verify", "--json"]]
RUN = [["--list"], ["--list", "--json"], ["-d", "emu:gfx1100", "--grid=1", "-k", "nothing"], ["-d", "ref", "--grid=1"],
       ["--json", "-d", "ref", "--grid=1"]]


def qdk(name):
    return (f"kernel {name}(src: in u32[], dst: out u32[], p{name[1:]}: u32) block(64) {{\n"
            f"\tfor i in grid(dst.len) {{ dst[i] = subgroup.reduce_add(src[i]) + p{name[1:]}; }}\n}}\n")


def hostile_parameter(data):
    return data.replace(b"p" + NAME[1:], b"p" + EVIL[1:])


def hostile(data):
    return hostile_parameter(data.replace(NAME, EVIL))


def bundle(inner):
    at = 24 + 8 + 2 * 24 + 2 * 64 + 2 * len(EVIL) + 64
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 2)
    ids = [b"hipv4-amdgcn-amd-amdhsa--gfx1100" + EVIL, b"host-" + EVIL + b"--" + EVIL]
    for name in ids:
        head += struct.pack("<QQQ", at, len(inner), len(name)) + name
        at += len(inner)
    first = struct.unpack_from("<Q", head, 32)[0]
    return head + bytes(first - len(head)) + inner + inner


def offload(image, triple, arch, kind=1):
    strings = 32 + 40
    texts = strings + 2 * 16
    table = b"triple\0arch\0" + triple + b"\0" + arch + b"\0"
    at = [texts, texts + 7, texts + 12, texts + 13 + len(triple)]
    place = texts + len(table) + -len(table) % 8
    size = place + len(image)
    return (b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 1, size, 32, 40) +
            struct.pack("<HHIQQQQ", kind, 1, 0, strings, 2, place, len(image)) +
            struct.pack("<4Q", at[0], at[2], at[1], at[3]) + table + bytes(-len(table) % 8) + image)


def cuda_fatbin(ptx, name):
    named = name + b"\0"
    head = 64 + len(named) + -len(named) % 8
    body = struct.pack("<HHIQIIHHIQQQQ", 1, 0x101, head, len(ptx) + -len(ptx) % 8, 0, 64, 0, 7, 80, len(name), 1, 0, 0)
    entry = body[:64] + named + bytes(head - 64 - len(named)) + ptx + bytes(-len(ptx) % 8)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry


def words(*args):
    out = []
    for a in args:
        if isinstance(a, int):
            out.append(a)
        else:
            a += bytes(4 - len(a) % 4)
            out += struct.unpack(f"<{len(a) // 4}I", a)
    return out


def spirv(text):
    rows = [[17, 1], words(10, text), words(11, 1, text), [14, 0, 1], words(15, 5, 4, text), [16, 4, 17, 64, 1, 1],
            words(7, 2, text), words(3, 2, 100, 2, text), words(330, text), words(5, 4, text), words(5, 3, text),
            words(6, 3, 0, text), [19, 5], [33, 6, 5], [54, 5, 4, 0, 6], [248, 7], [8, 2, 1, 1], [253], [56]]
    return struct.pack("<5I", 0x07230203, 0x10600, 0, 64, 0) + b"".join(
        struct.pack(f"<{len(r)}I", len(r) << 16 | r[0], *r[1:]) for r in rows)


def ptx(text):
    return (b".version 7.0\n.target sm_80\n.address_size 64\n// " + text + b"\n.file 1 \"" + text + b"\"\n.entry k() {\n"
            b"\t.loc 1 1 1\n\t.reg .b32 %r<3>;\n\tmov.b32 %r1, %r2; /* " + text + b" */\nL: bra L;\n\tret;\n}\n")


class Test:
    def __init__(self, dis, aot, qd_run, folder):
        self.dis, self.aot, self.qd_run, self.folder, self.n, self.bad = dis, aot, qd_run, folder, 0, 0
        self.seen = set()
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", QD_REF_STEPS="100000", QD_LOG="warning")

    def wrong(self, what, args, why, text):
        self.bad += 1
        print(f"text: {what}, {' '.join(os.path.basename(a) for a in args[:-1])}: {why}: {text[:300]!r}", file=sys.stderr)

    def check(self, what, args, is_json, forged=True):
        self.n += 1
        p = subprocess.run(args, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, cwd=self.folder)
        if p.returncode < 0 or p.returncode == 4:
            self.wrong(what, args, f"exit {p.returncode}", p.stderr)
        for data in (p.stdout, p.stderr):
            if INJECT and self.n == 1:
                data += EVIL
            try:
                text = data.decode()
            except UnicodeDecodeError as e:
                self.wrong(what, args, "no UTF-8", data[max(0, e.start - 100):e.start + 20])
                continue
            found = BAD.search(text)
            if found:
                self.wrong(what, args, f"U+{ord(found[0]):04X}", text[max(0, found.start() - 100):found.start() + 20])
            for line in text.split("\n"):
                if forged and line.lstrip(" \t;/#").startswith("FORGED"):
                    self.wrong(what, args, "a forged line", line)
                    break
            if "FORGED" in text:
                self.seen.add((what, os.path.basename(args[0])))
        if is_json and p.stdout:
            try:
                json.loads(p.stdout)
            except ValueError as e:
                self.wrong(what, args, f"no JSON: {e}", p.stdout[-200:])

    def views(self, what, path, forged=True):
        for view in DIS:
            self.check(what, [self.dis, *view, path], view == ["--json"], forged)
        self.check(what, [self.dis, "--diff", path, path], False, forged)
        self.check(what, [self.dis, "--diff", path, os.path.join(self.folder, "good.hsaco")], False, forged)
        for view in AOT:
            self.check(what, [self.aot, *view, path], "--json" in view, forged)
        for view in RUN:
            self.check(what, [self.qd_run, *view, path], "--json" in view, forged)

    def file(self, what, data, name="in", forged=True):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as f:
            f.write(data)
        self.views(what, path, forged)
        return path

    def cut(self, what, data):
        """Checks the JSON for a file with errors in many places."""
        path = os.path.join(self.folder, "cut")
        for at in sorted({len(data) * k // 16 for k in range(1, 16)} | {len(data) - 1}):
            for broken in (data[:at], data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]):
                with open(path, "wb") as f:
                    f.write(broken)
                self.check(f"{what}, broken at {at}", [self.dis, "--json", path], True)
                self.check(f"{what}, broken at {at}", [self.qd_run, "--list", "--json", path], True)
                self.check(f"{what}, broken at {at}", [self.aot, "list", "--json", path], True)

    def make(self, name, *args):
        path = os.path.join(self.folder, name)
        subprocess.run([*args, "-o", path, os.path.join(self.folder, "k.qdk")], check=True, env=self.env,
                       stdout=subprocess.DEVNULL)
        with open(path, "rb") as f:
            return f.read()


def with_debug(t):
    """Returns an object whose line table names this file."""
    clang = next((c for c in ("clang-22", "clang-19", "clang") if shutil.which(c)), None)
    if not clang:
        return None
    path = os.path.join(t.folder, "debug.s")
    with open(path, "wb") as f:
        f.write(b"\t.text\n\t.file 1 \"/" + NAME + b"\" \"" + NAME + b"\"\n\t.type f,@function\nf:\n\t.loc 1 1 1\n\ts_nop 0\n"
                b"\ts_endpgm\n.Lend:\n\t.size f, .Lend-f\n")
    p = subprocess.run([clang, "--target=amdgcn-amd-amdhsa", "-mcpu=gfx1100", "-c", "-o", path + ".o", path],
                       capture_output=True, check=False)
    if p.returncode:
        print(p.stderr.decode(errors="replace")[:300], file=sys.stderr)
        return None
    with open(path + ".o", "rb") as f:
        return f.read()


def main():
    dis, aot, qd_run = (os.path.abspath(a) for a in sys.argv[1:4])
    with tempfile.TemporaryDirectory() as folder:
        t = Test(dis, aot, qd_run, folder)
        with open(os.path.join(folder, "k.qdk"), "w", encoding="ascii") as f:
            f.write(qdk(NAME.decode()))
        t.make("good.hsaco", dis, "-t", "gfx1100")
        objects = {"a code object": t.make("k.hsaco", dis, "-t", "gfx1100"),
                   "a code object of wave64": t.make("k64.hsaco", dis, "-t", "gfx90a")}
        for what, data in objects.items():
            t.file(what, hostile(data))
            t.file(what + ", a parameter", hostile_parameter(data))
            # Only the symbols change, so the metadata names a different kernel.
            at = data.rfind(NAME)
            t.file(what + ", symbols", data[:at] + EVIL + data[at + len(NAME):])
            if INJECT:
                return t.bad != 0
        data = objects["a code object"]
        t.file("sections", hostile(data).replace(b".text\0", b".te\nF\0").replace(b".rodata\0", b".r\x1b\xffta\0"))
        t.file("a bundle", bundle(hostile(data)))
        t.file("an offload binary", offload(hostile(data), b"amdgcn-amd-amdhsa" + EVIL, b"gfx1100" + EVIL))
        t.file("an offload binary of AMD", offload(hostile(data), b"amdgcn-amd-amdhsa", b"gfx1100", 2))
        t.file("a CUDA fatbin", cuda_fatbin(ptx(LINE), EVIL))
        fatbin = t.make("k.o", aot, "-q", "-t", "ptx:sm_80,gfx1100,spirv,qdir", "--no-header")
        t.file("a fatbin", fatbin)
        t.file("a fatbin, a parameter", hostile_parameter(fatbin))
        t.file("a fatbin with other names", hostile(fatbin))
        t.file("a module of SPIR-V", spirv(EVIL))
        t.file("a kernel's SPIR-V", hostile(t.make("k.spv", dis, "-t", "spirv", "--emit=bin")))
        t.file("PTX", ptx(LINE), forged=False)
        t.file("PTX with a string of two lines", ptx(EVIL), forged=False)
        t.file("PTX with names", hostile(t.make("k.ptx", dis, "-t", "ptx:sm_80")), forged=False)
        t.file("text of a kernel", (qdk("k") + "// ").encode() + LINE + b"\n", forged=False)
        t.file("text with a wrong name", qdk(NAME.decode()).encode().replace(NAME, LINE), forged=False)
        t.file("text with a message", b"kernel k(a: u32[]) block(1) { assert(a.len == 0, \"" + LINE + b"\"); print(\"" + LINE +
               b"\", a.len); a[9] = 1; }", forged=False)
        t.file("IR", hostile(t.make("k.ir", dis, "--emit=text")), forged=False)
        t.file("words", b"bf800000 // " + LINE + b"\n" + LINE + b"\n", forged=False)
        debug = with_debug(t)
        if debug:
            t.file("lines of a source", debug.replace(NAME, EVIL))
        else:
            print("part skipped: clang is not installed: names of sources were not checked")
        # The name of the input file.
        t.file("a name of a file", data, EVIL.decode("utf-8", "surrogateescape"))
        t.file("a name of a file, of SPIR-V", spirv(b"k"), "x" + EVIL.decode("utf-8", "surrogateescape"))
        for what, data in (("a code object", objects["a code object"]), ("a fatbin", fatbin), ("SPIR-V", spirv(b"k")),
                           ("PTX", ptx(b"k")), ("a bundle", bundle(objects["a code object"]))):
            t.cut(what, data)
        out = os.path.join(folder, "out")
        os.mkdir(out)
        bad = os.path.join(folder, "in")
        with open(bad, "wb") as f:
            f.write(hostile(fatbin))
        t.check("extracted files", [aot, "extract", "--outdir", out, bad], False)
        names = [n for n in os.listdir(os.fsencode(out)) if any(c < 0x20 or c > 0x7e for c in n)]
        if names:
            t.wrong("extracted files", [aot, "extract", bad], "a name", names[0])
        # Each format must have printed the string in some form.
        for what in ("a code object", "a bundle", "a module of SPIR-V", "PTX", "a CUDA fatbin"):
            if (what, "qd-dis") not in t.seen:
                t.wrong(what, [dis, ""], "the string is in no view", "")
    print(f"text: {t.n} runs, {t.bad} wrong")
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
