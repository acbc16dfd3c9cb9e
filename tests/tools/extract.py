#!/usr/bin/env python3
"""extract.py QD-DIS: files with several entries, which kinds.py and this file make.

qd-dis --extract writes each entry, byte for byte, under a safe name, and replaces no input.

QD_TEST_MUTATION: the bytes of one entry are compared with other ones; the test must fail."""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kinds


class Test:
    def __init__(self, folder):
        self.folder, self.n, self.bad = folder, 0, 0
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C", QD_CACHE="0")

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(data)
        return name

    def run(self, program, *args):
        done = subprocess.run([program, *args], capture_output=True, env=self.env, cwd=self.folder, check=False)
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def check(self, what, good, seen=""):
        self.n += 1
        if not good:
            self.bad += 1
            print(f"extract: {what}: {seen}", file=sys.stderr)

    def content(self, name):
        with open(os.path.join(self.folder, name), "rb") as f:
            return f.read()


def bundle(*entries):
    """entries: (id, bytes)"""
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    at = len(head) + sum(24 + len(i) for i, _ in entries)
    body = b""
    for name, data in entries:
        head += struct.pack("<QQQ", at + len(body), len(data), len(name)) + name
        body += data
    return head + body


AMD = b"hipv4-amdgcn-amd-amdhsa--"


def extracts(t, dis):
    code, other = kinds.amd(3), kinds.amd(1)
    host = b"host-x86_64-unknown-linux-gnu-"
    first = bundle((host, b""), (AMD + b"gfx1100", code), (AMD + b"gfx90a:xnack-", code + b"\1"), (AMD + b"../../x\x1b[1m", other))
    second = bundle((host, kinds.elf(62, 1)), (AMD + b"gfx1100", b"BC\xc0\xde" + bytes(8)))
    both = first + bytes(-len(first) % 4096) + second
    want = {".0.gfx1100.hsaco": code, ".1.gfx90a_xnack-.hsaco": code + b"\1", ".2..._.._x_x1b_1m.o": other,
            ".3.host-x86_64-unknown-linux-gnu-.o": kinds.elf(62, 1), ".4.gfx1100.bc": b"BC\xc0\xde" + bytes(8)}
    if "QD_TEST_MUTATION" in os.environ:
        want[".0.gfx1100.hsaco"] = other
    for name, data in (("two.hipfb", both), ("two.so", kinds.host(b".hip_fatbin", both))):
        rc, out, error = t.run(dis, "--extract", name + ".d", t.write(name, data))
        t.check(name, rc == 0 and not error, error)
        found = {n: t.content(f"{name}.d/{n}") for n in sorted(os.listdir(os.path.join(t.folder, name + ".d")))}
        t.check(f"the entries of {name}", found == {name + end: bytes_ for end, bytes_ in want.items()}, list(found))
        t.check(f"the list of {name}", out == "".join(f"{name}.d/{name}{end}: {len(d)} bytes\n" for end, d in want.items()), out)
    rc, out, error = t.run(dis, "--extract", "some", "-t", "gfx90a", "two.hipfb")
    t.check("one target", rc == 0 and os.listdir(os.path.join(t.folder, "some")) == ["two.hipfb.1.gfx90a_xnack-.hsaco"], error)
    rc, out, error = t.run(dis, "--extract", "some", "-t", "gfx906", "two.hipfb")
    t.check("no such target", rc == 1 and "has no code for gfx906; there are gfx1100, gfx90a:xnack-" in error, error)
    # PTX ends before its zeros.
    for name, data in (("k.fatbin", kinds.cuda(kinds.PTX)), ("cuda.so", kinds.host(b".nv_fatbin", kinds.cuda(kinds.PTX))),
                       ("k.off", kinds.offload(kinds.PTX)), ("off.so", kinds.host(b".llvm.offloading", kinds.offload(kinds.PTX))),
                       ("fat.off", kinds.offload(kinds.cuda(kinds.PTX)))):
        target = "sm_80" if name in ("k.off", "off.so") else "ptx_sm_80"
        rc, out, error = t.run(dis, "--extract", "cuda", t.write(name, data))
        t.check(name, rc == 0 and t.content(f"cuda/{name}.0.{target}.ptx") == kinds.PTX, out + error)
    # Refusals, after which no file is left.
    rc, out, error = t.run(dis, "--extract", "none", t.write("cut.hipfb", first[:-1]))
    t.check("a damaged bundle", rc == 1 and "extends past the end of the file" in error and not os.listdir(os.path.join(t.folder, "none")), error)
    rc, out, error = t.run(dis, "--extract", ".", t.write("one.hsaco", code))
    t.check("a code object", rc == 1 and "a code object for AMD GPUs" in error and "--extract writes the entries of bundles" in error, error)
    rc, out, error = t.run(dis, "--extract", "x", "--stats", "two.hipfb")
    t.check("another option", rc == 2 and "of the other options only -t goes with it" in error, error)
    rc, out, error = t.run(dis, "--extract", "two.hipfb/x", "two.hipfb")
    t.check("no directory", rc == 3 and "cannot create the directory 'two.hipfb/x'" in error, error)
    # An input is not replaced, not even by a name that the extraction would choose.
    inner = bundle((AMD + b"gfx1100", code))
    os.symlink("in.hipfb", os.path.join(t.folder, "in.hipfb.0.gfx1100.hsaco"))
    rc, out, error = t.run(dis, "--extract", ".", t.write("in.hipfb", inner))
    t.check("the input", rc == 2 and "would overwrite an input" in error and t.content("in.hipfb") == inner, error)


def main():
    dis = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        t = Test(folder)
        extracts(t, dis)
    print(f"{t.n} checks")
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
