#!/usr/bin/env python3
"""proportion.py QD-DIS QD-AOT SOURCE FORKS [--table]: memory and work in proportion to the file, for inputs made to take more.

The peak memory of every reader must be at most 64 times the file plus 64 MiB (jit/file/unpack.h), in
addition to the memory for an empty kernel. For a packed entry qd-dis may take as much for each of its
unpacked bytes, up to 1 GiB. The peak is the process's ru_maxrss. A program that rejects
an input must name the limit.

The test also counts work: valgrind's cachegrind counts the instructions for n and for 2n repetitions of
a structure, less those for an empty kernel. Twice the input may take at most MOST_WORK times the
instructions. FORKS is the library built from forks.c.

--table prints for each input its size, the peak, the seconds of CPU time or the instructions for n and
2n, and the program's answer.

QD_TEST_MUTATION: one input is allowed only a thousandth of the memory, and one only half of the work; the
test must detect both."""
import concurrent.futures
import ctypes
import ctypes.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TIMES, FREE, UNPACKED = 64, 64 << 20, 1 << 30
MOST_WORK = 2.4
PTX = b".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n"


class Zstd:
    """Frame compressor; uses libzstd, as qd does."""

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
    """Returns a kernel with the instructions of body. Ids 1 to 7 are in use: 5 is true, 7 a u32."""
    words = [[17, 1], [14, 0, 1], [15, 5, 1, 0x6e69616d, 0], [16, 1, 17, 64, 1, 1], [19, 2], [33, 3, 2], [20, 4], [41, 4, 5],
             [21, 6, 32, 0], [43, 6, 7, 0], [54, 2, 1, 0, 3], [248, bound - 1], *body, [253], [56]]
    return struct.pack("<5I", 0x07230203, 0x10300, 0, bound, 0) + b"".join(
        struct.pack(f"<{len(w)}I", len(w) << 16 | w[0], *w[1:]) for w in words)


def self_includes(path, n, pad):
    """Returns PTX that names its own file n times, each with a different spelling."""
    folder, name = os.path.split(path)
    files = "".join(f'.file {i + 1} "{folder}/{"./" * i}{name}"\n' for i in range(n))
    body = "".join(f".loc {i + 1} {i + 1} 1\nmov.u32 %r1, %r1;\n" for i in range(n))
    return f"{PTX.decode()}.entry s() {{ .reg .b32 %r<2>;\n{body}ret; }}\n{files}//{'x' * pad}\n".encode()


def fatbin_sharing(aot, source, folder, groups):
    """Returns a qd fatbin whose groups all share the first one's bytes: no checksum includes the distances."""
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
    """Nests n OpLoopMerge, each with a header, a merge block and a continue block."""
    heads = range(100, 100 + 4 * n, 4)
    body = [w for h in heads for w in ([249, h], [248, h], [246, h + 1, h + 2, 0], [249, h + 3], [248, h + 3])]
    body += [w for h in reversed(heads) for w in ([249, h + 2], [248, h + 2], [250, 5, h, h + 1], [248, h + 1])]
    return spirv(200 + 4 * n, body)


def backward_blocks(n):
    """Returns n consecutive blocks, then n branches back to them."""
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
    """Returns n entries that share a list of strings or an image."""
    head, entries = 32, 40 * n
    strings = head + entries
    texts = strings + 16 * n
    size = texts + 16
    data = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 2, size, head, n)
    data += b"".join(struct.pack("<HHIQQQQ", 1, 1, 0, strings, n, texts, 8) for _ in range(n))
    return data + struct.pack("<QQ", texts, texts) * n + b"triple\0\0" + bytes(8)


def backward(n):
    """Returns blocks that each branch to the previous one; a register is live in all of them."""
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
    """Returns a function of n blocks; rule gives the successors of block i, or none if it returns."""
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


def same_hash(n):
    """Returns n names with the same FNV-1a hash: each position has one of two strings with the same final state."""
    def step(h, text):
        for c in text:
            h = (h ^ c) * 0x01000193 & 0xffffffff
        return h
    state, names = 0x811c9dc5, [b""]
    while len(names) < n:
        seen, i = {}, 0
        while True:
            text = b"%06x" % i
            i = (i * 0x5851f42d + 12345) % (1 << 24)
            h = step(state, b"n" + text)
            if seen.setdefault(h, text) != text:
                break
        names = [a + b"n" + b for a in names for b in (seen[h], text)]
        state = h
    return [a.decode() for a in names[:n]]


# -- qd fatbins and ELF files ---------------------------------------------------------------------------------

class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3():
    """Returns the XXH3-128 from libxxhash, or None."""
    name = ctypes.util.find_library("xxhash")
    if not name:
        return None
    f = ctypes.CDLL(name).XXH3_128bits
    f.restype, f.argtypes = Hash128, [ctypes.c_char_p, ctypes.c_size_t]

    def hash128(data):
        h = f(bytes(data), len(data))
        return struct.pack("<QQ", h.low, h.high)
    return hash128


HASH = xxh3()


def name_hash(kernel):
    return HASH(HASH(kernel + b"\0")[:8] + HASH(b"\0")[:8])[:8]


def index(rows, groups):
    """rows: (kernel, group, bytes of the image); groups: (stored, raw, codec)."""
    rows = sorted((int.from_bytes(name_hash(k), "little"), k, g, size) for k, g, size in rows)
    strings = b"\0ptx:sm_80\0"
    body = b""
    for h, kernel, group, size in rows:
        body += struct.pack("<QIIIIIIQIHHHBBIQ", h, len(strings), 0, 1, group, 0, size, 0, 0, 1, 0, 32, 1, 0, 0, 0)
        strings += kernel + b"\0"
    strings += bytes(-len(strings) % 8)
    body += b"".join(struct.pack("<QQII16x", *g, 0) for g in groups) + strings
    size = 80 + len(body) + 8 * len(groups)
    rest = struct.pack("<6H3IQ16xQ", 1, 0, 80, 64, 40, 0, len(rows), len(groups), len(strings), size, 0) + body
    return b"QDFB\r\n\x1a\n" + HASH(rest) + rest + bytes(8 * len(groups))


def elf(sections, kind=1):
    """sections: (name, type, flags, address, bytes, link, info, entry size)"""
    names, heads, body = b"\0", b"", b""
    sections = sections + [(b".shstrtab", 3, 0, 0, None, 0, 0, 0)]
    known = {}
    for name, *_ in sections:
        if name not in known:
            known[name] = len(names)
            names += name + b"\0"
    for name, what, flags, addr, data, link, info, entry in sections:
        data = names if data is None else data
        body += bytes(-len(body) % 64)
        heads += struct.pack("<IIQQQQIIQQ", known[name], what, flags, addr, 64 + len(body), len(data), link, info, 64 if flags else 1, entry)
        body += data
    body += bytes(-len(body) % 8)
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1\3", kind, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(sections) + 1,
                       len(sections)) + body + bytes(64) + heads


def fatbin(indices, group, places):
    """Returns an object with these indices; places: the offset of each distance's group in `group`, in order."""
    data, relocations = b"", b""
    places = iter(places)
    for i in indices:
        n = struct.unpack_from("<I", i, 40)[0]
        for k in range(n):
            relocations += struct.pack("<QQq", len(data) + len(i) - 8 * (n - k), 1 << 32 | 24, next(places))
        data += i
    symbols = bytes(24) + struct.pack("<IBBHQQ", 0, 3, 0, 2, 0, 0)
    return elf([(b"qd_fatbin", 1, 2, 0, data, 0, 0, 0), (b"qd_image", 1, 2, 0, group, 0, 0, 0),
                (b".relaqd_fatbin", 4, 0, 0, relocations, 4, 1, 24), (b".symtab", 2, 0, 0, symbols, 5, 2, 24), (b".strtab", 3, 0, 0, b"\0", 0, 0, 0)])


def fatbin_indices(n):
    """Returns n indices that share a group."""
    return fatbin([index([(b"k%d" % i, 0, 16)], [(16, 16, 0)]) for i in range(n)], bytes(16), [0] * n)


def fatbin_groups(n):
    return fatbin([index([(b"k%d" % i, i, 16) for i in range(n)], [(16, 16, 0)] * n)], bytes(16 * n), range(0, 16 * n, 16))


def fatbin_program(n):
    """Returns n groups, each in its own section, referenced by addresses."""
    i = bytearray(index([(b"k%d" % k, k, 16) for k in range(n)], [(16, 16, 0)] * n))
    for k in range(n):
        at = len(i) - 8 * (n - k)
        struct.pack_into("<q", i, at, 0x1000000 + 16 * k - 0x10000 - at)
    return elf([(b"qd_fatbin", 1, 2, 0x10000, bytes(i), 0, 0, 0)] +
               [(b"qd_image", 1, 2, 0x1000000 + 16 * k, bytes(16), 0, 0, 0) for k in range(n)], 3)


def fatbin_packed(frame, raw, n, shared):
    """Returns n groups of a frame, with separate or shared bytes."""
    i = index([(b"k%d" % k, k, 64) for k in range(n)], [(len(frame), raw, 1)] * n)
    return fatbin([i], frame if shared else frame * n, [0 if shared else k * len(frame) for k in range(n)])


def fatbin_raw_shared(n, size):
    """Returns n indices that share an uncompressed group."""
    return fatbin([index([(b"k%d" % i, 0, 64)], [(size, size, 0)]) for i in range(n)], bytes(size), [0] * n)


# -- AMD code objects ------------------------------------------------------------------------------------------

def text_symbols(n, name=lambda i: b"f%d" % i):
    """Returns an AMD object of n functions, each a single s_endpgm."""
    strings, symbols = b"\0", bytes(24)
    for i in range(n):
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, 0x1000 + 256 * i, 4)
        strings += name(i) + b"\0"
    code = (struct.pack("<I", 0xbfb00000) + bytes(252)) * n
    d = bytearray(elf([(b".text", 1, 6, 0x1000, code, 0, 0, 0), (b".symtab", 2, 0, 0, symbols, 3, 1, 24), (b".strtab", 3, 0, 0, strings, 0, 0, 0)], 3))
    struct.pack_into("<H", d, 18, 224) # EM_AMDGPU
    d[7], d[8] = 64, 4 # of HSA, code object version 6
    struct.pack_into("<I", d, 48, 0x41) # gfx1100
    return bytes(d)


def metadata(n, nested):
    """Returns a note of n keys in a map, or of n nested arrays."""
    def string(s):
        return bytes([0xd9, len(s)]) + s
    many = b"\x91" * n + b"\0" if nested else b"\xdf" + struct.pack(">I", n) + b"".join(string(b"k%d" % i) + b"\1" for i in range(n))
    pack = b"\x81" + string(b"amdhsa.kernels") + many
    note = struct.pack("<III", 7, len(pack), 32) + b"AMDGPU\0\0" + pack + bytes(-len(pack) % 4)
    d = bytearray(elf([(b".note", 7, 2, 0x200, note, 0, 0, 0), (b".text", 1, 6, 0x1000, struct.pack("<I", 0xbfb00000) * 4, 0, 0, 0),
                       (b".symtab", 2, 0, 0, bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 2, 0x1000, 16), 4, 1, 24), (b".strtab", 3, 0, 0, b"\0f\0", 0, 0, 0)], 3))
    struct.pack_into("<H", d, 18, 224)
    d[7], d[8] = 64, 4
    struct.pack_into("<I", d, 48, 0x41)
    return bytes(d)


def bundle(inner, n):
    """Returns a clang bundle of n entries, each with its own copy."""
    name = b"hipv4-amdgcn-amd-amdhsa--gfx1100"
    at = 32 + n * (24 + len(name))
    heads = b"".join(struct.pack("<QQQ", at + k * len(inner), len(inner), len(name)) + name for k in range(n))
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", n) + heads + inner * n


def doubled(n):
    """Returns a mangled C++ name with n parameters, each of which contains the previous one twice."""
    def s(k):
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        return f"S{'' if k < 36 else digits[k // 36]}{digits[k % 36]}_"
    return ("_Z1f1AIiiE" + "".join(f"S_I{s(k)}{s(k)}E" for k in range(n))).encode()


# -- More PTX and text -------------------------------------------------------------------------------------------

def moves(size):
    return ptx(".reg .b32 %r<4>;\n" + "mov.b32 %r1, %r2;\n" * (size // 18))


def many_operands(n):
    return ptx(".reg .b32 %r<4>; mov.b32 %r1" + ", %r2" * n + ";")


def shared_names(n):
    head = PTX[:-len(b".entry k() { ret; }\n")].decode()
    return (head + "".join(f".shared .b32 s{i}[4];\n" for i in range(n)) + ".entry k() { .reg .b32 %r<4>;\n" +
            "".join(f"mov.u32 %r1, s{i};\n" for i in range(n)) + "ret; }\n").encode()


def lz4_entry(n):
    """Returns a CUDA fatbin of one LZ4-compressed entry: the PTX and zeros, about 255 * n bytes."""
    packed = bytes([0xff, len(PTX) - 15]) + PTX[:-1] + b"\0\1\0" + b"\xff" * n + b"\0"
    size = len(PTX) + 4 + 15 + 255 * n
    entry = struct.pack("<HHIQIIHHIQQQQ", 1, 0x101, 64, (len(packed) + 7) // 8 * 8, len(packed), 0, 0, 8, 80, 0, 0x2000, 0, size)
    body = entry + packed + bytes(-len(packed) % 8)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def overlapping_elf(n):
    """Returns an object whose sections all contain the whole code."""
    code = struct.pack("<I", 0xbfb00000) * 16384
    d = bytearray(elf([(b".text", 1, 6, 0x1000, code, 0, 0, 0)] + [(b".x", 1, 6, 0x1000, b"", 0, 0, 0)] * n, 3))
    struct.pack_into("<H", d, 18, 224)
    d[7], d[8] = 64, 4
    struct.pack_into("<I", d, 48, 0x41)
    heads = struct.unpack_from("<Q", d, 40)[0]
    for k in range(2, n + 2):
        d[heads + 64 * k + 16:heads + 64 * k + 40] = d[heads + 80:heads + 104]
    return bytes(d)


def qdk(n, statement="a[0] = a[0] + 1;", kernels=1):
    return ("qdk 2;\n" + "".join(f"kernel k{i}(a: u32[]) block(32) {{ {statement * n} }}\n" for i in range(kernels))).encode()


# name, n, views, exit code, input of n
WORK = [
    ("scopes with a label and a branch", 500, ["--stats"], 0, lambda n: ptx("{ L: bra L;\n" * n + "}" * n)),
    ("branches out of scopes", 500, ["--stats"], 0, lambda n: ptx("A: " + "{ L: bra A;\n" * n + "}" * n)),
    ("labels", 1000, ["--stats"], 0, lambda n: ptx("".join(f"L{i}: bra L{i};\n" for i in range(n)))),
    ("labels of one name", 1000, ["--stats"], 0, lambda n: ptx("{ L: bra L; }\n" * n)),
    (".reg in a parameter list", 4000, ["--stats"], None, lambda n: ptx("", ".func f(" + ".reg " * n + ".b32 a) {")),
    ("one line", 1000, ["--stats"], 0, lambda n: ptx(".reg .b32 %r<4>; " + "mov.b32 %r1, %r2; " * n)),
    ("blocks that each go to the one before", 500, ["--live"], 0, backward),
    ("blocks of SPIR-V that each go to the one before", 500, ["--live"], 0, backward_spirv),
    ("nested loops", 1000, ["--stats"], 0, control_flow(lambda i, n: [i + 1] if i < n // 2 else [i + 1, n - 1 - i])),
    ("exits of a chain", 1000, ["--stats"], 0, control_flow(lambda i, n: [i + 1, n - 1])),
    ("back edges to the first", 1000, ["--stats"], 0, control_flow(lambda i, n: [i + 1, min(i, 1)])),
    ("edges from all to all", 1000, ["--stats"], 0, control_flow(lambda i, n: [i + 1, (i * 7919) % n])),
    ("operands of one instruction", 1000, ["--json"], 0, many_operands),
    ("branches back", 600, ["--live"], 0,
     lambda n: ptx(".reg .pred %p<2>; .reg .b32 %r<9>; L0: mov.u32 %r1, %r1;\n" + "".join(f"L{i}: @%p1 bra L{i - 1};\n" for i in range(1, n)))),
    ("registers that live long", 500, ["--live"], 0,
     lambda n: ptx(f".reg .b32 %r<{n}>;" + "".join(f"mov.u32 %r{i}, 1;\n" for i in range(n)) +
                   "".join(f"add.u32 %r0, %r0, %r{i};\n" for i in range(n)))),
    ("functions of one line", 500, ["--live"], 0,
     lambda n: PTX + b" ".join(b".func f%d() { ret; }" % i for i in range(n))),
    ("targets of one branch", 1000, ["--stats"], 0,
     lambda n: ptx(".reg .b32 %r<3>; ts: .branchtargets " + ", ".join(f"L{i}" for i in range(n)) + "; brx.idx %r1, ts;\n" +
                   "".join(f"L{i}: mov.u32 %r1, %r1;\n" for i in range(n)))),
    ("SPIR-V: nested loops", 300, ["--stats"], 0, nested_loops),
    ("SPIR-V: branches back", 300, ["--live"], 0, backward_blocks),
    ("SPIR-V: targets of OpSwitch", 300, ["--json"], 0, switch),
    ("entries that share strings", 500, ["--stats"], 1, offload),
    ("the same entries, that qd-run lists", 2000, ["qd-run", "--list"], 1, offload),
    ("names in shared memory", 1000, ["--stats"], 0, shared_names),
    ("declarations", 1000, ["--live"], 0,
     lambda n: ptx("".join(f".reg .b32 %a{i};\n" for i in range(n)) + "".join(f"mov.b32 %a{i}, 1;\n" for i in range(n)))),
    ("declarations whose names have one hash", 256, ["--live"], 0,
     lambda n: ptx("".join(f".reg .b32 {a}_;\n" for a in same_hash(n)) + "".join(f"mov.b32 {a}_, 1;\n" for a in same_hash(n)))),
    ("labels whose names have one hash", 256, ["--stats"], 0,
     lambda n: ptx("".join(f"{a}: bra {a};\n" for a in same_hash(n)))),
    ("kernels of PTX that qd-run lists", 2000, ["qd-run", "--list"], 0,
     lambda n: PTX + b"".join(b".entry k%d(.param .u32 a) { ret; }\n" % i for i in range(n))),
    ("names compared", 300, ["--diff", "IN"], 0, lambda n: PTX + b"".join(b".entry f%d() { ret; }\n" % i for i in range(n))),
    ("kernels of AMD code", 300, ["--mix"], 0, text_symbols),
    ("names of C++ that double", 50, [], 0, lambda n: text_symbols(n, lambda i: doubled(30) + b"%d" % i)),
    ("keys of metadata", 4000, ["--stats"], None, lambda n: metadata(n, False)),
    ("nested metadata", 1000, ["--stats"], None, lambda n: metadata(n, True)),
    ("sections that are the same bytes", 500, ["--stats"], None, overlapping_elf),
    ("entries of a bundle", 100, [], 0, lambda n: bundle(text_symbols(1), n)),
    ("entries of a CUDA fatbin", 200, ["--stats"], 0, lambda n: cuda_fatbin(Zstd().frame(PTX), len(PTX), n)),
    ("indices of qd fatbins in one file", 300, [], 0, fatbin_indices),
    ("groups of a qd fatbin", 300, [], 0, fatbin_groups),
    ("groups of a qd fatbin in a program", 300, [], 0, fatbin_program),
    ("statements of a kernel's text", 500, [], 0, qdk),
    ("kernels of a text", 200, [], 0, lambda n: qdk(1, kernels=n)),
    ("operands of a sum", 500, [], 0, lambda n: qdk(1, "a[0] = a[0]" + " + a[1]" * n + ";")),
    ("scopes of a text", 300, [], 0, lambda n: qdk(1, "let x = a[1]; " + "{ let y = x; a[0] = y; }" * n)),
    ("names of a scope", 500, [], 0, lambda n: qdk(1, "".join(f"let n{i} = {i}u; " for i in range(n)) + "a[0] = n0;")),
    ("conditions of a kernel", 500, [], 0, lambda n: b"qdk 2; kernel k(a: u32[]) block(32) " + b"requires(block.dim > 0)\n" * n + b"{ a[0] = 1; }"),
]


LIMIT, BUDGET = "once it is unpacked; the limit is", "the limit (64 times the file"


def cases(zstd):
    """Returns rows of name, input, arguments, exit code, part of the message, and the size of a packed entry of code."""
    def cuda(size, n):
        return lambda: cuda_fatbin(zstd.frame(PTX + bytes(size - len(PTX))), size, n)

    def packed(text, size):
        return lambda: (lambda t: cuda_fatbin(zstd.frame(t), len(t), 1))(text(size))

    def bundles(size, n):
        return lambda: compressed_bundle(zstd, plain_bundle(size)) * n
    rows = []
    for bound in (1 << 16, 1 << 22, 1 << 24, 0xffffffff):
        for view in ("--stats", "--json", "--live", "--cfg=dot"):
            rows.append((f"SPIR-V of bound {bound}", spirv(bound), [view], 0, ""))
        rows.append((f"SPIR-V of bound {bound} compared", spirv(bound), ["--diff", "IN"], 0, ""))
    rows += [
        ("an entry of a CUDA fatbin", cuda(40_000_000, 1), ["--stats"], 0, ""),
        ("40 entries of a CUDA fatbin", cuda(40_000_000, 40), ["--stats"], 1, LIMIT),
        ("an entry of a CUDA fatbin by LZ4", lambda: lz4_entry(200_000), ["--stats"], 0, ""),
        ("a bundle of 300 MB", bundles(300_000_000, 1), ["--stats"], 1, LIMIT),
        ("bundles of 40 MB", bundles(40_000_000, 4), ["--stats"], 1, LIMIT),
        ("a list of targets for each of its targets", lambda: indirect(4000), ["--stats"], 1, "targets in total"),
        ("20000 operands of one instruction", lambda: many_operands(20000), ["--json"], 0, ""),
        ("20000 targets of OpSwitch", lambda: switch(20000), ["--json"], 0, ""),
        ("4000 entries of an offload binary that share images", lambda: offload(4000), ["--json"], 1, ""),
        ("10^9 registers", ptx(".reg .b32 %r<1000000000>; mov.b32 %r1, %r999999999;"), ["--live"], 0, ""),
        ("names of C++ that double", lambda: text_symbols(400, lambda i: doubled(40) + b"%d" % i), [], 0, ""),
        ("a list of 2^32 - 1 in the metadata", lambda: metadata(1, False).replace(b"\xdf\0\0\0\1", b"\xdd\xff\xff\xff\xff"), ["--stats"], 1, ""),
        ("lists of metadata in each other", lambda: metadata(100_000, True), ["--stats"], 1, "nested too deeply"),
        ("sections that are the same bytes", lambda: overlapping_elf(4000), ["--stats"], 1, "overlap"),
        ("loops that unroll to 10^12", qdk(1, "unroll for i in 0..10000 { unroll for j in 0..10000 { unroll for k in 0..10000 { a[0] = 1; } } }"),
         [], 1, ""),
    ]
    rows += [(f"instructions of {mb} MB in an entry of a CUDA fatbin, {view}", packed(moves, mb * 1_000_000), [view], code, text,
              mb * 1_000_000) for mb, code, text in ((8, 0, ""), (60, 1, BUDGET)) for view in ("--stats", "--live", "--cfg=dot")]
    if HASH:
        def small():
            return zstd.frame(bytes(20_000_000))

        def shared():
            frame = small()
            return fatbin([index([(b"k%d" % k, 0, 16_000_000) for k in range(100)], [(len(frame), 20_000_000, 1)])], frame, [0])
        for tool in ([], ["qd-aot", "list"], ["qd-aot", "verify"]):
            all_of = tool or ["--stats", "-k", "*"]
            rows += [
                ("groups of a qd fatbin that share a frame of 255 MB",
                 lambda: fatbin_packed(zstd.frame(bytes(255_000_000)), 255_000_000, 8, True), all_of, 1, "overlap"),
                ("groups of a qd fatbin of 20 MB", lambda: fatbin_packed(small(), 20_000_000, 8, False), all_of, 1, LIMIT),
                ("rows of a qd fatbin that share an image", shared, all_of, 1, LIMIT),
                ("indices that share a group that is not packed", lambda: fatbin_raw_shared(300, 1 << 20), all_of, 1, LIMIT),
            ]
    return rows


class Test:
    def __init__(self, dis, aot, folder, forks, table):
        self.dis, self.aot, self.folder, self.n, self.bad, self.base, self.base_work = dis, aot, folder, 0, 0, 0, 0
        self.forks = forks
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C")
        self.inject = "QD_TEST_MUTATION" in os.environ
        self.table = table

    def command(self, args, path):
        named = {"qd-aot": self.aot, "qd-run": os.path.join(os.path.dirname(self.dis), "qd-run")}
        tool = [named[args[0]], *args[1:]] if args[0:1] and args[0] in named else [self.dis, *args]
        return [path if a == "IN" else a for a in tool] + [path]

    def row(self, name, size, peak, work, rc, error):
        if self.table:
            answer = re.sub(r"^\S+: (error: )?(\S+: )?", "", error.strip().split("\n")[0])[:150]
            print(f"{name} | {size} | {peak / (1 << 20):.1f} MiB | {work} | exit {rc}{': ' if answer else ''}{answer}", flush=True)

    def peak(self, args):
        """Returns (exit code, bytes, seconds of CPU time, standard error)."""
        with tempfile.TemporaryFile() as err:
            p = subprocess.Popen(args, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(p.pid, 0)
            p.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            return p.returncode, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime, err.read().decode(errors="replace")

    def case(self, what, make, args, code, text="", unpacked=0):
        """Runs a case. make: bytes, or a function that returns them. The function runs in a child process, because
        the memory of this process counts for the programs that it starts."""
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
        rc, peak, seconds, error = self.peak(self.command(args, path))
        size = os.path.getsize(path)
        most = (TIMES * size + FREE + min(TIMES * unpacked, UNPACKED)) // (1000 if self.inject else 1)
        self.n += 1
        self.row(f"{what}: {' '.join(args)}", size, peak - self.base, f"{seconds:.2f} s", rc, error)
        if rc == code and text in error and peak - self.base <= most:
            return
        self.bad += 1
        print(f"proportion: {what} ({size} bytes): exit {rc}, peak {(peak - self.base) >> 20} MiB, at most "
              f"{most >> 20}: {error[:300]}", file=sys.stderr)

    def instructions(self, runs):
        """Yields instructions, exit status and messages of each run (a list of arguments). The program starts once (forks.c)."""
        files = []
        for args in runs:
            fd, path = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(fd, "wb") as f:
                f.write(b"".join(os.fsencode(a) + b"\0" for a in args[1:]))
            files.append(path)
        p = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", runs[0][0], "--forks", *files],
                           env=dict(self.env, LD_PRELOAD=self.forks), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=True)
        refs = {pid: int(n.replace(b",", b"")) for pid, n in re.findall(rb"==(\d+)== I\s+refs:\s+([\d,]+)", p.stderr)}
        for path, line in zip(files, p.stdout.splitlines(), strict=True):
            pid, rc = line.split()
            with open(path + ".err", encoding="utf-8", errors="replace") as f:
                yield refs[pid] - self.base_work, int(rc), f.read()

    def works(self, rows):
        """Counts the work of rows that use the same program."""
        runs, paths = [], []
        for what, n, args, _, make in rows:
            for size in (n, 2 * n):
                fd, path = tempfile.mkstemp(prefix=re.sub(r"\W", "_", what), dir=self.folder)
                with os.fdopen(fd, "wb") as f:
                    f.write(make(size))
                paths.append(path)
                runs.append(self.command(args, path))
        found = list(self.instructions(runs))
        for i, row in enumerate(rows):
            self.work(row, found[2 * i:2 * i + 2], paths[2 * i + 1])
        for path in paths:
            os.unlink(path)

    def work(self, row, found, path):
        what, n, args, code, _ = row
        (less, _, _), (more, rc, error) = found
        if self.table:
            peak = self.peak(self.command(args, path))[1]
            self.row(f"{what}, {2 * n}: {' '.join(args)}", os.path.getsize(path), max(0, peak - self.base), f"{less} / {more}", rc, error)
        # The ratio means nothing if both runs are very short.
        good = max(less, more) < 500_000 or 0 < less and more <= MOST_WORK * less / (2 if self.inject else 1)
        if good and 0 <= rc < 126 and (code is None or rc == code):
            return
        self.bad += 1
        print(f"proportion: {what}: {less} instructions for {n} and {more} for {2 * n}, exit {rc}: {error[:200]}", file=sys.stderr)


def main():
    table = "--table" in sys.argv
    dis, aot, source, forks = [a for a in sys.argv[1:] if a != "--table"]
    with tempfile.TemporaryDirectory() as folder:
        t = Test(dis, aot, folder, os.path.abspath(forks), table)
        path = os.path.join(folder, "base")
        with open(path, "wb") as f:
            f.write(PTX)
        t.base = t.peak([dis, "--stats", path])[1]
        valgrind = shutil.which("valgrind")
        if valgrind:
            t.base_work = next(t.instructions([[dis, "--stats", path]]))[0]
        path = os.path.join(folder, "in")
        if t.inject:
            t.case("injected", self_includes(path, 400, 1 << 20), ["-S", "--stats"], 0)
            if valgrind:
                t.works(WORK[:1])
                t.n += 1
            return t.bad == t.n
        t.case("400 spellings of its own name", self_includes(path, 400, 1 << 20), ["-S", "--stats"], 0)
        t.case("400 spellings of its own name, listed", self_includes(path, 400, 1 << 20), ["-S", "--live"], 0)
        for row in cases(Zstd()):
            t.case(*row)
        groups = []
        data = fatbin_sharing(aot, os.path.join(source, "docs/examples/tile_sum.qdk"), folder, groups)
        if data and groups[0] > 1:
            t.case("groups of a fatbin over each other", data, ["--stats", "-k", "*"], 1, "overlap")
        else:
            print("part skipped: gcc is not installed: fatbins of shared groups were not checked")
        if not HASH:
            print("part skipped: libxxhash is not installed: fatbins of qd's were not checked")
        rows = [r for r in WORK if HASH or "qd fatbin" not in r[0]]
        if valgrind:
            programs, jobs = {}, 1 if table else os.cpu_count()
            for row in rows:
                programs.setdefault(t.command(row[2], "")[0], []).append(row)
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                list(pool.map(t.works, [of[i::jobs] for of in programs.values() for i in range(min(jobs, len(of)))]))
            t.n += len(rows)
        else:
            print("part skipped: valgrind is not installed: work was not compared")
    print(f"proportion: {t.n} inputs, {t.bad} wrong")
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
