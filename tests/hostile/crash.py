#!/usr/bin/env python3
"""crash.py QD-DIS: inputs that have crashed a reader, and others of their kind, in every view.

A case passes if the program exits with the stated code in time, without a signal or a sanitizer
report. If qd-dis is built with ASan and UBSan (.ci/run), the same inputs also detect
out-of-bounds reads and arithmetic on null pointers."""
import os
import struct
import subprocess
import sys
import tempfile

VIEWS = [[], ["--stats"], ["--json"], ["--mix"], ["--cfg=dot"], ["--live"], ["-S"], ["--style=llvm"]]
PTX = ".version 7.0\n.target sm_80\n.address_size 64\n"


def entry(body, name="k"):
    return f"{PTX}.entry {name}() {{ {body} }}\n"


def elf(sections=()):
    """Returns an ELF object for gfx1100 with these sections (name, type, flags, bytes), without symbols."""
    names, at, body, rows = b"\0", 64, b"", [bytes(64)]
    for name, kind, flags, data in [*sections, (".shstrtab", 3, 0, None)]:
        offset = len(names)
        names += name.encode() + b"\0"
        data = names if data is None else data
        body += bytes(-(at + len(body)) % 16)
        rows.append(struct.pack("<IIQQQQIIQQ", offset, kind, flags, 0, at + len(body), len(data), 0, 0, 16, 0))
        body += data
    body += bytes(-(at + len(body)) % 16)
    head = b"\x7fELF\2\1\1\x40\3" + bytes(7)
    head += struct.pack("<HHIQQQIHHHHHH", 3, 224, 1, 0, 0, at + len(body), 0x41, 64, 0, 0, 64, len(rows), len(rows) - 1)
    return head + body + b"".join(rows)


def spirv(*instructions, bound=64):
    return struct.pack("<5I", 0x07230203, 0x10300, 0, bound, 0) + b"".join(
        struct.pack(f"<{len(i)}I", len(i) << 16 | i[0], *i[1:]) for i in instructions)


# name, bytes, exit code, part of the message ("" for any), whether every view is run
CASES = [
    # A .branchtargets list belongs to the label before it.
    ("two lists of one label", entry("T: .branchtargets A, A, A;\n.branchtargets A;\nbrx.idx x, T;\nA: ret;"), 1,
     "a list of .branchtargets without a label of its own"),
    ("a list without a label", entry("A: ret; .branchtargets A; brx.idx x, A;"), 1,
     "a list of .branchtargets without a label of its own"),
    ("a list of its label", entry("A: T: .branchtargets A; brx.idx x, T; ret;"), 0, ""),
    # Nesting in each form of mangled names.
    ("packs in packs", entry("ret;", "_Z1fI" + "J" * 4000), 0, ""),
    ("thunks of thunks", entry("ret;", "_Z" + "Th0_" * 4000), 0, ""),
    ("covariant thunks", entry("ret;", "_Z" + "Tch0_h0_" * 4000), 0, ""),
    ("guard variables", entry("ret;", "_Z" + "GV" * 4000), 0, ""),
    ("vendor qualifiers", entry("ret;", "_Z1f" + "U1a" * 100000 + "i"), 0, ""),
    ("pointers", entry("ret;", "_Z1f" + "P" * 4000 + "i"), 0, ""),
    ("arrays", entry("ret;", "_Z1f" + "A1_" * 4000 + "i"), 0, ""),
    ("functions", entry("ret;", "_Z1f" + "F" * 4000 + "v"), 0, ""),
    ("local names", entry("ret;", "_Z" + "Z" * 4000 + "1fv"), 0, ""),
    ("nested names", entry("ret;", "_Z" + "N" * 4000 + "1f"), 0, ""),
    ("templates", entry("ret;", "_Z1f" + "I1f" * 4000), 0, ""),
    ("addresses", entry("ret;", "_Z1f" + "IXadL_Z1f" * 4000), 0, ""),
    ("literals", entry("ret;", "_Z1f" + "IL_Z1f" * 4000), 0, ""),
    ("lambdas", entry("ret;", "_Z" + "Ul" * 4000), 0, ""),
    ("conversions", entry("ret;", "_Z" + "cv" * 4000), 0, ""),
    # Empty inputs of each kind.
    ("a function without instructions", entry(" "), 0, ""),
    ("functions without instructions", entry(" ") + ".func f() { }\n.func g() { .reg .b32 r; }\n", 0, ""),
    ("a label alone", entry("L:"), 0, ""),
    ("a module of declarations", PTX + ".extern .func f();\n", None, ""),
    ("a module of words alone", spirv(), None, ""),
    ("a module with an empty function", spirv((19, 2), (33, 3, 2), (54, 2, 1, 0, 3), (56,)), None, ""),
    ("an object without symbols", elf([(".text", 1, 6, bytes.fromhex("0000b0bf"))]), None, ""),
    ("an object without sections", elf(), None, ""),
    ("an object with an empty section", elf([(".text", 1, 6, b"")]), None, ""),
]
# Kernel text: the parser recovers after each invalid character.
QDK = [("wrong characters", "qdk 2;\n" + "$;" * 300000, 1, "")]


class Test:
    def __init__(self, dis, folder):
        self.dis, self.folder, self.n, self.bad = dis, folder, 0, 0
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C")
        # Programs exit without freeing their memory.
        self.env["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.inject = "QD_TEST_MUTATION" in os.environ

    def check(self, name, args, code, text):
        self.n += 1
        try:
            p = subprocess.run([self.dis, *args], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            self.wrong(name, args, "it did not end")
            return
        error = p.stderr.decode(errors="replace")
        rc = -11 if self.inject and self.n == 1 else p.returncode
        if rc < 0:
            self.wrong(name, args, f"signal {-rc}")
        elif "runtime error" in error or "AddressSanitizer" in error:
            self.wrong(name, args, error[:300])
        elif rc not in ((0, 1, 2) if code is None else (code,)):
            self.wrong(name, args, f"exit {rc}, not {code}: {error[:300]}")
        elif text not in error:
            self.wrong(name, args, f"it says '{error[:300]}', not '{text}'")

    def wrong(self, name, args, what):
        self.bad += 1
        print(f"crash: {name}, {' '.join(args[:-1])}: {what}", file=sys.stderr)

    def case(self, name, data, code, text, views):
        path = os.path.join(self.folder, "in")
        with open(path, "wb") as f:
            f.write(data.encode() if isinstance(data, str) else data)
        for view in views:
            # The listing of PTX is its text; a view that a format does not have is a usage error.
            self.check(name, [*view, path], code if view == ["--stats"] else None, text if view == ["--stats"] else "")
        return path


def main():
    dis = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        t = Test(dis, folder)
        for name, data, code, text in CASES:
            path = t.case(name, data, code, text, VIEWS)
            t.check(name, ["--diff", path, path], code or None, "")
        for name, data, code, text in QDK:
            path = t.case(name, data, None, text, [[]])
            t.check(name, ["-t", "ptx:sm_80", path], code, text)
        print(f"crash: {t.n} runs, {t.bad} wrong")
        return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
