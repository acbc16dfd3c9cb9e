#!/usr/bin/env python3
"""write.py QD-AOT QD-DIS QD-RUN: files that the programs write: names in rules for make, names, permissions, links, temporary files, and what a failure leaves."""
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

INJECT = "QD_TEST_MUTATION" in os.environ
QDK = "qdk 2;\nkernel one(dst: out u32[]) block(64) { for i in grid(dst.len) { dst[i] = i; } }\n"


class Test:
    def __init__(self, aot, dis, run):
        self.aot, self.dis, self.qd_run, self.n, self.bad = aot, dis, run, 0, 0
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C")

    def run(self, *args, env=None, **how):
        p = subprocess.run(args, env=dict(self.env, **(env or {})), stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                           **how)
        return p.returncode, p.stderr.decode(errors="replace"), p.stdout.decode(errors="replace")

    def check(self, what, good, seen=""):
        self.n += 1
        if good and not (INJECT and self.n == 1):
            return
        self.bad += 1
        print(f"write: {what}: {seen}"[:400], file=sys.stderr)

    def compile(self, *args, env=None):
        return self.run(self.aot, "-q", "-t", "ptx:sm_80", *args, env=env)


def put(path, text=QDK):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def get(path):
    with open(path, "rb") as f:
        return f.read()


def test_depfile(t):
    """make reads the given name from the rule, or qd-aot rejects the name before it writes anything."""
    refused = 0
    for c in [chr(i) for i in range(1, 127) if chr(i) not in "/" and not chr(i).isalnum()]:
        for source in (f"a{c}b.qdk", f"{c}b.qdk", f"b.qdk{c}"):
            target = source + ".o"
            put(source)
            rc, error, _ = t.compile("-o", "./" + target, "--depfile", "dep.d", "--no-header", "./" + source)
            if rc:
                refused += 1
                t.check(f"{source!r} is refused whole", rc == 2 and not os.path.exists(target) and not os.path.exists("dep.d"),
                        error)
                t.check(f"{source!r} is refused in one line", error.count("\n") <= 2, error)
            else:
                os.remove(source)
                rc, error, out = t.run("make", "-r", "-f", "dep.d", "./" + target)
                want = f"No rule to make target '{source}', needed by '{target}'"
                t.check(f"make reads {source!r}", want in error, f"{get('dep.d')!r}: {error}")
                os.remove(target)
                os.remove("dep.d")
            if os.path.exists(source):
                os.remove(source)
    t.check("which are refused", 60 < refused < 140, refused)
    put("a\nall:;touch pwned\nb.qdk")
    rc, error, _ = t.compile("-o", "x.o", "--depfile", "dep.d", "a\nall:;touch pwned\nb.qdk")
    t.check("a rule in a name", rc == 2 and not os.path.exists("dep.d"), error)
    for name in ("a b#c:d$e.qdk", "T(1)x.qdk"):
        put(name)
        rc, error, _ = t.compile("-o", "x.o", "--depfile", "dep.d", name)
        t.check(f"{name} has a rule", rc == 0, error)


def test_names(t):
    put("k.qdk")
    rc, error, _ = t.compile("-o", "", "k.qdk")
    t.check("an empty name", rc == 2 and "empty" in error, error)
    long = "n" * 252 + ".o"
    rc, error, _ = t.compile("-o", long[-254:], "--no-header", "k.qdk")
    t.check("a name of 254 bytes", rc == 0 and os.path.exists(long[-254:]), error)
    for tool, args in ((t.dis, ["-o", "k.qdk", "k.qdk"]), (t.dis, ["-t", "ptx:sm_80", "-o", "./k.qdk", "k.qdk"]),
                       (t.dis, ["--diff", "-o", "k.qdk", "other.qdk", "k.qdk"])):
        put("other.qdk")
        rc, error, _ = t.run(tool, *args)
        t.check(f"over its input: {args}", rc == 2 and get("k.qdk").decode() == QDK, f"exit {rc}: {error}")
    os.symlink("k.qdk", "link.qdk")
    rc, error, _ = t.run(t.dis, "-o", "link.qdk", "k.qdk")
    t.check("over its input by a link", rc == 2 and get("k.qdk").decode() == QDK, f"exit {rc}: {error}")


def test_aot_inputs(t):
    """No command of qd-aot overwrites a fatbin that it reads."""
    put("k.qdk")
    for name in ("a.o", "b.o"):
        t.run(t.aot, "-q", "-t", "ptx:sm_80,gfx1100", "-o", name, "--no-header", "k.qdk")
    before = get("a.o")
    os.link("a.o", "hard.o")
    os.symlink("a.o", "soft.o")
    for command in (["merge", "a.o", "b.o"], ["strip", "-t", "ptx:sm_80", "a.o"]):
        for out in ("a.o", "./a.o", "hard.o", "soft.o"):
            for more in (["--no-header"], []):
                rc, error, _ = t.run(t.aot, "-q", *command, "-o", out, *more)
                t.check(f"{command} -o {out}", rc == 2 and "would overwrite an input" in error and get("a.o") == before, f"exit {rc}: {error}")
    rc, error, _ = t.run(t.aot, "-q", "strip", "-t", "ptx:sm_80", "a.o", "-o", "new.o", "--header", "a.o")
    t.check("a header over the input", rc == 2 and get("a.o") == before and not os.path.exists("new.o"), error)
    rc, error, _ = t.run(t.aot, "-q", "extract", "a.o", "-o", "a.o")
    t.check("extract over its input", rc == 2 and get("a.o") == before, f"exit {rc}: {error}")
    for name in ("a.o", "b.o", "hard.o", "soft.o"):
        os.remove(name)


def test_mode(t):
    put("k.qdk")
    for mode in (0o600, 0o640, 0o444):
        put("old.o", "x")
        os.chmod("old.o", mode)
        rc, error, _ = t.compile("-o", "old.o", "--no-header", "k.qdk")
        t.check(f"mode {mode:o}", rc == 0 and stat.S_IMODE(os.stat("old.o").st_mode) == mode,
                f"{os.stat('old.o').st_mode:o} {error}")
        os.remove("old.o")
    old = os.umask(0o027)
    t.compile("-o", "new.o", "--no-header", "k.qdk")
    os.umask(old)
    t.check("a new file's mode", os.path.exists("new.o") and stat.S_IMODE(os.stat("new.o").st_mode) == 0o640)
    os.mkdir("far")
    put("far/real.o", "x")
    os.symlink("far/real.o", "link.o")
    rc, error, _ = t.compile("-o", "link.o", "--no-header", "k.qdk")
    t.check("a link is followed", rc == 0 and os.path.islink("link.o") and get("far/real.o")[:4] == b"\x7fELF", error)
    os.symlink("nowhere.o", "dangling.o")
    rc, error, _ = t.compile("-o", "dangling.o", "--no-header", "k.qdk")
    t.check("a link to nothing", rc == 3 and "symbolic link" in error and not os.path.exists("nowhere.o"), error)


def test_whole(t):
    """A command writes all of its outputs or none; if it fails, existing files stay unchanged."""
    put("k.qdk")
    put("whole.o", "old")
    rc, error, _ = t.compile("-o", "whole.o", "--header", "no/such/folder.h", "k.qdk")
    t.check("a header that fails", rc == 3 and get("whole.o") == b"old", error)
    rc, error, _ = t.compile("-o", "whole.o", "--depfile", "no/such/dep.d", "k.qdk")
    t.check("a depfile that fails", rc == 3 and get("whole.o") == b"old" and not os.path.exists("whole.h"), error)
    rc, error, _ = t.compile("-o", "fresh.o", "--depfile", "no/such/dep.d", "k.qdk")
    t.check("no new file remains", rc == 3 and not os.path.exists("fresh.o") and not os.path.exists("fresh.h"), error)
    before = set(os.listdir("."))
    put("large.qdk", "qdk 2;\n" + "".join(f"kernel k{i}(dst: out u32[]) block(64) {{ for i in grid(dst.len) {{ dst[i] = {i}; }} }}\n"
                                          for i in range(300)))
    p = subprocess.Popen([t.dis, "-t", "gfx1100", "-o", "/dev/full", "large.qdk"], env=t.env, stderr=subprocess.PIPE)
    t.check("a full disk", p.wait(120) == 3, "")
    p.stderr.close()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    p = subprocess.run([t.dis, "-o", "killed.txt", "large.qdk"], env=t.env, stderr=subprocess.PIPE, preexec_fn=limit, check=False)
    t.check("a killed program leaves nothing", p.returncode == -signal.SIGXFSZ and set(os.listdir(".")) == before | {"large.qdk"},
            f"{p.returncode} {set(os.listdir('.')) - before}")
    # Temporary files of an earlier process with the same ID.
    for name in (f"pid.o.tmp.{i}" for i in range(os.getpid(), os.getpid() + 300)):
        put(name, "")
    rc, error, _ = t.compile("-o", "pid.o", "--no-header", "k.qdk")
    t.check("remains of another", rc == 0, error)


PTXAS = """#!/bin/sh
[ "$1" = --version ] && exit 0
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
dirname "$out" >>"$SEEN"
stat -c '%a %u' "$(dirname "$out")" >>"$SEEN"
[ -n "$EMPTY" ] && : >"$out" && exit 0
printf 'cubin' >"$out"
"""


def test_cubin(t):
    put("k.qdk")
    os.mkdir("bin")
    put("bin/ptxas", PTXAS)
    os.chmod("bin/ptxas", 0o755)
    os.mkdir("temporary", 0o777)
    env = {"PATH": os.path.abspath("bin") + ":" + os.environ["PATH"], "TMPDIR": os.path.abspath("temporary"),
           "SEEN": os.path.abspath("seen")}
    rc, error, _ = t.run(t.aot, "-q", "-t", "cubin:sm_80", "k.qdk", "-o", "c.o", env=dict(env, EMPTY="1"))
    t.check("an empty cubin", rc != 0 and "empty" in error and not os.path.exists("c.o"), f"exit {rc}: {error}")
    t.run(t.aot, "-q", "-t", "cubin:sm_80", "k.qdk", "-o", "c.o", env=env)
    seen = get("seen").decode().split("\n")
    folders, modes = seen[0:-1:2], seen[1:-1:2]
    t.check("ptxas writes into a private folder", set(modes) == {f"700 {os.getuid()}"}, modes)
    t.check("which is another each time", len(set(folders)) == len(folders) and env["TMPDIR"] not in folders, folders)
    t.check("no part of it remains", not os.listdir("temporary"), os.listdir("temporary"))


def main():
    t = Test(*(os.path.abspath(a) for a in sys.argv[1:4]))
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    put("k.qdk")
    try:
        if shutil.which("make"):
            test_depfile(t)
        else:
            print("part skipped: make is not installed: dependency files were not checked")
        for test in (test_names, test_aot_inputs, test_mode, test_whole, test_cubin):
            test(t)
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print(f"write: {t.n} checks, {t.bad} wrong")
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
