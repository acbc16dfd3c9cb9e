#!/usr/bin/env python3
"""memory.py QD-DIS QD-AOT QD-RUN SOURCE: a program that runs out of memory must report that.

Each input is read with less and less address space. The program must print the same output as without
a limit, or exit with 3 (the environment) and a message about memory; it must not blame the input."""
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile

INJECT = "QD_TEST_MUTATION" in os.environ
STEPS = 20


def bundle(inner):
    name = b"hipv4-amdgcn-amd-amdhsa--gfx1100"
    at = 4096
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, at, len(inner), len(name)) + name
    return head + bytes(at - len(head)) + inner


class Test:
    def __init__(self, folder):
        self.folder, self.n, self.bad, self.short = folder, 0, 0, 0
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C", MALLOC_ARENA_MAX="1")

    def run(self, args, limit=None):
        def less():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        p = subprocess.run(args, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, cwd=self.folder,
                           preexec_fn=less if limit else None, check=False)
        return p.returncode, p.stdout, p.stderr.decode(errors="replace")

    @staticmethod
    def is_json(args, out):
        """Returns True if the output is valid JSON, or if --json was not given."""
        if "--json" not in args or not out:
            return True
        try:
            json.loads(out)
        except ValueError:
            return False
        return True

    def least(self, args, lo=1 << 10, whole=None):
        """Returns the least address space, in KiB, with which exit status and output are those without a limit."""
        whole = whole or self.run(args)[:2]
        hi = 1 << 20
        while hi - lo > 64:
            mid = (lo + hi) // 2
            if self.run(args, mid << 10)[:2] == whole:
                hi = mid
            else:
                lo = mid
        return hi

    def case(self, what, start, args):
        whole = self.run(args)
        enough = self.least(args, start, whole[:2])
        for i in range(1 if INJECT else STEPS):
            limit = start + (enough - start) * i // STEPS
            rc, out, error = self.run(args, limit << 10)
            self.n += 1
            if INJECT and self.n == 1:
                rc, out = 1, b""
            if (rc, out) == whole[:2]:
                continue
            self.short += 1
            # A program needs memory to load its libraries.
            if rc == 127 or rc == 3 and ("memory" in error or "Cannot allocate" in error) and self.is_json(args, out):
                continue
            self.bad += 1
            print(f"memory: {what}, {' '.join(map(os.path.basename, args))}, {limit} KiB: exit {rc}: {error[:200]!r}",
                  file=sys.stderr)


def main():
    dis, aot, qd_run, source = (os.path.abspath(a) for a in sys.argv[1:5])
    with tempfile.TemporaryDirectory() as folder:
        t = Test(folder)
        qdk = os.path.join(source, "docs/examples/demo.qdk")

        def make(name, *args):
            subprocess.run([*args, "-o", os.path.join(folder, name), qdk], check=True, env=t.env, stdout=subprocess.DEVNULL)
        make("k.hsaco", dis, "-t", "gfx1100")
        make("k.spv", dis, "-t", "spirv", "--emit=bin")
        make("k.ptx", dis, "-t", "ptx:sm_80")
        make("k.o", aot, "-q", "-t", "ptx:sm_80,gfx1100,spirv", "--no-header")
        with open(os.path.join(folder, "k.hsaco"), "rb") as f:
            inner = f.read()
        with open(os.path.join(folder, "k.bundle"), "wb") as f:
            f.write(bundle(inner + bytes(4 << 20)))
        with open(os.path.join(folder, "long.ptx"), "wb") as f:
            f.write(b".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<4>;\n" +
                    b"mov.b32 %r1, %r2;\n" * 20000 + b"ret; }\n")
        start = {p: t.least([p, "--version"]) for p in (dis, aot, qd_run)}
        for name in ("k.bundle", "k.hsaco", "k.spv", "k.ptx", "long.ptx", "k.o"):
            for view in ("--stats", "--json"):
                t.case(name, start[dis], [dis, view, name])
        t.case("k.o", start[aot], [aot, "list", "k.o"])
        t.case("k.o", start[aot], [aot, "info", "--json", "k.o"])
        t.case("k.hsaco", start[qd_run], [qd_run, "--list", "--json", "k.hsaco"])
        if not t.short:
            print("memory: no program ran out of memory", file=sys.stderr)
            t.bad += 1
    print(f"memory: {t.n} runs, {t.short} short of memory, {t.bad} wrong")
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
