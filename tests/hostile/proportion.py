#!/usr/bin/env python3
"""proportion.py QD-DIS QD-AOT SOURCE: memory and work in proportion to the file, for inputs made to take more.

The rule for every reader is a peak of at most 64 times the file and 64 MiB (jit/unpack.h), beside
what the program takes for an empty kernel. The peak is what the kernel has counted for the process
(ru_maxrss). A program that refuses an input must name the limit.

Work is counted, too: instructions that run for n and for 2n of a repeated structure, by valgrind's
cachegrind. Twice the input takes at most MOST_WORK times the instructions.

QD_TEST_PLANT: a thousandth of the memory and half of the work are allowed for one input each, which
must be noticed."""
import ctypes
import ctypes.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TIMES, FREE = 64, 64 << 20
MOST_WORK = 2.4
PTX = b".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n"


class Zstd:
    """Frames by libzstd, which qd itself is built with."""

    def __init__(self):
        name = ctypes.util.find_library("zstd") or "libzstd.so.1"
        self.lib = ctypes.CDLL(name)
        self.lib.ZSTD_compressBound.restype = self.lib.ZSTD_compress.restype = ctypes.c_size_t
        self.lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
        self.lib.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]

    def frame(self, data):
        room = self.lib.ZSTD_compressBound(len(data))
        out = ctypes.create_string_buffer(room)
        size = self.lib.ZSTD_compress(out, room, data, len(data), 3)
        return out.raw[:size]


def cuda_fatbin(packed, size, n):
    entry = struct.pack("<HHIQIIHHIQQQQ", 1, 0x101, 64, (len(packed) + 7) // 8 * 8, len(packed), 0, 0, 8, 80, 0, 0x8000, 0, size)
    body = (entry + packed + bytes(-len(packed) % 8)) * n
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def compressed_bundle(zstd, inner):
    packed = zstd.frame(inner)
    return b"CCOB" + struct.pack("<HHQQQ", 3, 1, 4 + 4 + 8 + 8 + 8 + len(packed), len(inner), 0) + packed


def plain_bundle(size):
    name = b"hipv4-amdgcn-amd-amdhsa--gfx1100"
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 1)
    at = len(head) + 24 + len(name)
    return head + struct.pack("<QQQ", at, size, len(name)) + name + bytes(size)


def spirv(bound, body=()):
    """An empty kernel, or the instructions of body in it; ids 1 to 7 are taken: 5 is true, 7 a u32."""
    words = [[17, 1], [14, 0, 1], [15, 5, 1, 0x6e69616d, 0], [16, 1, 17, 64, 1, 1], [19, 2], [33, 3, 2], [20, 4], [41, 4, 5],
             [21, 6, 32, 0], [43, 6, 7, 0], [54, 2, 1, 0, 3], [248, bound - 1], *body, [253], [56]]
    return struct.pack("<5I", 0x07230203, 0x10300, 0, bound, 0) + b"".join(
        struct.pack(f"<{len(w)}I", len(w) << 16 | w[0], *w[1:]) for w in words)


def self_includes(path, n, pad):
    """PTX that names its own file n times, each by another spelling."""
    folder, name = os.path.split(path)
    files = "".join(f'.file {i + 1} "{folder}/{"./" * i}{name}"\n' for i in range(n))
    body = "".join(f".loc {i + 1} {i + 1} 1\nmov.u32 %r1, %r1;\n" for i in range(n))
    return f"{PTX.decode()}.entry s() {{ .reg .b32 %r<2>;\n{body}ret; }}\n{files}//{'x' * pad}\n".encode()


def fatbin_sharing(aot, source, folder, groups):
    """A fatbin of qd's whose groups all are the first one's bytes: the distances are changed, which no checksum holds."""
    path = os.path.join(folder, "share.so")
    subprocess.run([aot, "-q", "-t", "ptx:sm_80,gfx1100", "--no-header", "-o", path + ".o", source], check=True)
    cc = subprocess.run(["gcc", "-shared", "-o", path, path + ".o"], capture_output=True, check=False)
    if cc.returncode:
        print(cc.stderr.decode(errors="replace")[:300], file=sys.stderr)
        return None
    with open(path, "rb") as f:
        data = bytearray(f.read())
    at = data.find(b"QDFB\r\n\x1a\n")
    n_groups = struct.unpack_from("<I", data, at + 40)[0]
    total = struct.unpack_from("<Q", data, at + 48)[0]
    first = at + total - 8 * n_groups
    place = struct.unpack_from("<q", data, first)[0]
    for i in range(1, n_groups):
        struct.pack_into("<q", data, first + 8 * i, place - 8 * i)
    groups.append(n_groups)
    return bytes(data)


def ptx(body, before=".entry k() {"):
    return PTX[:-len(b".entry k() { ret; }\n")] + f"{before} {body} ret; }}\n".encode()


def nested_loops(n):
    """OpLoopMerge n deep: a header, a merge block and a continue block each."""
    heads = range(100, 100 + 4 * n, 4)
    body = [w for h in heads for w in ([249, h], [248, h], [246, h + 1, h + 2, 0], [249, h + 3], [248, h + 3])]
    body += [w for h in reversed(heads) for w in ([249, h + 2], [248, h + 2], [250, 5, h, h + 1], [248, h + 1])]
    return spirv(200 + 4 * n, body)


def backward_blocks(n):
    """n blocks in a row, then n branches back to them."""
    body = [w for i in range(n) for w in ([249, 100 + i], [248, 100 + i])]
    body += [w for i in range(n) for w in ([250, 5, 100 + i, 100 + n + i], [248, 100 + n + i])]
    return spirv(200 + 2 * n, body)


def switch(n):
    body = [[247, 99, 0], [251, 7, 99] + [x for i in range(n) for x in (i, 100 + i)]]
    return spirv(200 + n, body + [w for i in range(n) for w in ([248, 100 + i], [249, 99])] + [[248, 99]])


def indirect(n):
    labels = ", ".join(f"L{i}" for i in range(n))
    return ptx(f".reg .b32 %r<3>; ts: .branchtargets {labels};\n" + "".join(f"L{i}: brx.idx %r1, ts;\n" for i in range(n)))


def offload(n):
    """n entries that share one list of strings, or one image."""
    head, entries = 32, 40 * n
    strings = head + entries
    texts = strings + 16 * n
    size = texts + 16
    data = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 2, size, head, n)
    data += b"".join(struct.pack("<HHIQQQQ", 1, 1, 0, strings, n, texts, 8) for _ in range(n))
    return data + struct.pack("<QQ", texts, texts) * n + b"triple\0\0" + bytes(8)


def backward(n):
    """Each block goes to the one before; one register is live in all of them."""
    return ptx(".reg .b32 %r<4>; mov.b32 %r1, %r2; bra L0;\nE: mov.b32 %r3, %r1; bra D;\n" +
               "".join(f"L{n - 1 - i}: bra {f'L{n - i}' if i else 'E'};\n" for i in range(n)) + "D:\n")


def backward_spirv(n):
    labels = [10 + i for i in range(n)]
    words = [[17, 1], [14, 0, 1], [15, 5, 1, 0x6e69616d, 0], [16, 1, 17, 64, 1, 1], [19, 2], [33, 3, 2], [54, 2, 1, 0, 3],
             [248, 4], [249, labels[-1]], [248, 5], [253]]
    for i, label in enumerate(labels):
        words += [[248, label], [249, labels[i - 1] if i else 5]]
    words.append([56])
    return struct.pack("<5I", 0x07230203, 0x10300, 0, 10 + n, 0) + b"".join(
        struct.pack(f"<{len(w)}I", len(w) << 16 | w[0], *w[1:]) for w in words)


def control_flow(rule):
    """A function of n blocks; block i ends as the rule says: a list of the blocks that follow, none: it returns."""
    def make(n):
        words = [[17, 1], [14, 0, 1], [15, 5, 1, 0x6e69616d, 0], [16, 1, 17, 64, 1, 1], [19, 2], [33, 3, 2], [20, 5], [41, 5, 6],
                 [54, 2, 1, 0, 3]]
        for i in range(n):
            to = [10 + t for t in rule(i, n)] if i < n - 1 else []
            words += [[248, 10 + i], [253] if not to else [249, to[0]] if len(to) == 1 else [250, 6, *to]]
        words.append([56])
        return struct.pack("<5I", 0x07230203, 0x10300, 0, 11 + n, 0) + b"".join(
            struct.pack(f"<{len(w)}I", len(w) << 16 | w[0], *w[1:]) for w in words)
    return make


# name, n, views, exit code, input of n
WORK = [
    ("scopes with a label and a branch", 500, ["--stats"], 0, lambda n: ptx("{ L: bra L;\n" * n + "}" * n)),
    ("branches out of scopes", 500, ["--stats"], 0, lambda n: ptx("A: " + "{ L: bra A;\n" * n + "}" * n)),
    ("labels", 1000, ["--stats"], 0, lambda n: ptx("".join(f"L{i}: bra L{i};\n" for i in range(n)))),
    ("labels of one name", 1000, ["--stats"], 0, lambda n: ptx("{ L: bra L; }\n" * n)),
    (".reg in a parameter list", 4000, ["--stats"], None, lambda n: ptx("", ".func f(" + ".reg " * n + ".b32 a) {")),
    ("one line", 2000, ["--stats"], 0, lambda n: ptx(".reg .b32 %r<4>; " + "mov.b32 %r1, %r2; " * n)),
    ("blocks that each go to the one before", 500, ["--live"], 0, backward),
    ("blocks of SPIR-V that each go to the one before", 500, ["--live"], 0, backward_spirv),
    ("nested loops", 2000, ["--stats"], 0, control_flow(lambda i, n: [i + 1] if i < n // 2 else [i + 1, n - 1 - i])),
    ("ways out of a chain", 2000, ["--stats"], 0, control_flow(lambda i, n: [i + 1, n - 1])),
    ("ways back to the first", 2000, ["--stats"], 0, control_flow(lambda i, n: [i + 1, min(i, 1)])),
    ("ways from all to all", 2000, ["--stats"], 0, control_flow(lambda i, n: [i + 1, (i * 7919) % n])),
    ("operands of one instruction", 2000, ["--json"], 0, lambda n: ptx(".reg .b32 %r<4>; mov.b32 %r1" + ", %r2" * n + ";")),
    ("branches back", 600, ["--live"], 0,
     lambda n: ptx(".reg .pred %p<2>; .reg .b32 %r<9>; L0: mov.u32 %r1, %r1;\n" + "".join(f"L{i}: @%p1 bra L{i - 1};\n" for i in range(1, n)))),
    ("registers that live long", 1000, ["--live"], 0,
     lambda n: ptx(f".reg .b32 %r<{n}>;" + "".join(f"mov.u32 %r{i}, 1;\n" for i in range(n)) +
                   "".join(f"add.u32 %r0, %r0, %r{i};\n" for i in range(n)))),
    ("functions of one line", 500, ["--live"], 0,
     lambda n: PTX + b" ".join(b".func f%d() { ret; }" % i for i in range(n))),
    ("targets of one branch", 1000, ["--stats"], 0,
     lambda n: ptx(".reg .b32 %r<3>; ts: .branchtargets " + ", ".join(f"L{i}" for i in range(n)) + "; brx.idx %r1, ts;\n" +
                   "".join(f"L{i}: mov.u32 %r1, %r1;\n" for i in range(n)))),
    ("SPIR-V: nested loops", 300, ["--stats"], 0, nested_loops),
    ("SPIR-V: branches back", 600, ["--live"], 0, backward_blocks),
    ("SPIR-V: targets of OpSwitch", 1000, ["--json"], 0, switch),
    ("entries that share strings", 500, ["--stats"], 1, offload),
]


class Test:
    def __init__(self, dis, folder):
        self.dis, self.folder, self.n, self.bad, self.base = dis, folder, 0, 0, 0
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C")
        self.plant = "QD_TEST_PLANT" in os.environ

    def peak(self, args):
        """(exit code, bytes, text of errors)"""
        with tempfile.TemporaryFile() as err:
            p = subprocess.Popen(args, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            return p.returncode, usage.ru_maxrss * 1024, err.read().decode(errors="replace")

    def case(self, what, make, args, code, text=""):
        """make: bytes, or a function that gives them, which runs in a process of its own: what this one has in memory
        counts for the programs that it starts."""
        path = os.path.join(self.folder, "in")
        if isinstance(make, bytes):
            with open(path, "wb") as f:
                f.write(make)
        else:
            pid = os.fork()
            if not pid:
                with open(path, "wb") as f:
                    f.write(make())
                os._exit(0)
            os.waitpid(pid, 0)
        rc, peak, error = self.peak([self.dis, *args, path])
        most = (TIMES * os.path.getsize(path) + FREE) // (1000 if self.plant else 1)
        self.n += 1
        if rc == code and text in error and peak - self.base <= most:
            return
        self.bad += 1
        print(f"proportion: {what} ({os.path.getsize(path)} bytes): exit {rc}, peak {(peak - self.base) >> 20} MiB, at most "
              f"{most >> 20}: {error[:300]}", file=sys.stderr)


    def work(self, what, n, args, code, make):
        count = []
        path = os.path.join(self.folder, "in")
        for size in (n, 2 * n):
            with open(path, "wb") as f:
                f.write(make(size))
            p = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", self.dis,
                                *args, path], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            found = re.search(rb"I\s+refs:\s+([\d,]+)", p.stderr)
            count.append(int(found[1].replace(b",", b"")) if found else 0)
        self.n += 1
        if count[0] and count[1] <= MOST_WORK * count[0] / (2 if self.plant else 1) and (code is None or p.returncode == code):
            return
        self.bad += 1
        print(f"proportion: {what}: {count[0]} instructions for {n} and {count[1]} for {2 * n}, exit {p.returncode}: "
              f"{p.stderr[:200]}", file=sys.stderr)


def main():
    dis, aot, source = sys.argv[1:4]
    limit = "all of this file may have"
    with tempfile.TemporaryDirectory() as folder:
        t = Test(dis, folder)
        path = os.path.join(folder, "in")
        with open(path, "wb") as f:
            f.write(PTX)
        t.base = t.peak([dis, "--stats", path])[1]
        if t.plant:
            t.case("planted", self_includes(path, 400, 1 << 20), ["-S", "--stats"], 0)
            if shutil.which("valgrind"):
                t.work(*WORK[0])
            return t.bad == t.n
        for bound in (1 << 16, 1 << 22, 1 << 24, 0xffffffff):
            for view in ("--stats", "--json", "--live", "--cfg=dot"):
                t.case(f"SPIR-V of bound {bound}", spirv(bound), [view], 0)
            t.case(f"SPIR-V of bound {bound} compared", spirv(bound), ["--diff", path], 0)
        t.case("400 spellings of its own name", self_includes(path, 400, 1 << 20), ["-S", "--stats"], 0)
        t.case("400 spellings of its own name, listed", self_includes(path, 400, 1 << 20), ["-S", "--live"], 0)
        zstd = Zstd()

        def cuda(n):
            return lambda: cuda_fatbin(zstd.frame(PTX + bytes(40_000_000 - len(PTX))), 40_000_000, n)

        def bundles(size, n):
            return lambda: compressed_bundle(zstd, plain_bundle(size)) * n
        t.case("an entry of a CUDA fatbin", cuda(1), ["--stats"], 0)
        t.case("40 entries of a CUDA fatbin", cuda(40), ["--stats"], 1, limit)
        t.case("a bundle of 300 MB", bundles(300_000_000, 1), ["--stats"], 1, limit)
        t.case("bundles of 40 MB", bundles(40_000_000, 4), ["--stats"], 1, limit)
        groups = []
        data = fatbin_sharing(aot, os.path.join(source, "docs/examples/tile_sum.qdk"), folder, groups)
        if data and groups[0] > 1:
            t.case("groups of a fatbin over each other", data, ["--stats", "-k", "*"], 1, "over each other")
        else:
            print("part skipped: gcc is not installed: fatbins of shared groups were not checked")
        t.case("a list of targets for each of its targets", lambda: indirect(4000), ["--stats"], 1, "targets in all")
        if shutil.which("valgrind"):
            for row in WORK:
                t.work(*row)
        else:
            print("part skipped: valgrind is not installed: work was not compared")
    print(f"proportion: {t.n} inputs, {t.bad} wrong")
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
