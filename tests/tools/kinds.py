#!/usr/bin/env python3
"""kinds.py QD-DIS QD-RUN QD-AOT QD-INFO QD-CONFORM SOURCE: every kind of file given to every program.

Each kind of src/tools/common/kind.def is built here from bytes. A program that reads the kind must not reject it
by name; another one must exit with 1 or 2 and print what the file is, and which program reads it. The table below
repeats the readers of kind.def, because the table of the programs may be wrong.

QD_TEST_MUTATION: one row names a reader that does not read the kind; the test must fail."""
import os
import re
import struct
import subprocess
import sys
import tempfile

PTX = b"// of nvcc\n/* a comment */\n.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\tret;\n}\n"


def elf(machine, kind, sections=(), abi=0, version=0, flags=0):
    """Returns an ELF file with sections (name, type, flags, address, bytes, link, info, entry size)."""
    names, body, heads = b"\0", b"", bytes(64)
    for name, what, bits, addr, data, link, info, entry in [*sections, (b".shstrtab", 3, 0, 0, None, 0, 0, 0)]:
        at, names = len(names), names + name + b"\0"
        data = names if data is None else data
        body += bytes(-len(body) % 64)
        heads += struct.pack("<IIQQQQIIQQ", at, what, bits, addr, 64 + len(body), len(data), link, info, 64, entry)
        body += data
    body += bytes(-len(body) % 8)
    return struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1" + bytes([abi, version]), kind, machine, 1, 0, 0, 64 + len(body), flags, 64, 0, 0, 64,
                       len(heads) // 64, len(heads) // 64 - 1) + body + heads


def amd(kind):
    """Returns AMD code of one function for gfx1100."""
    code = (b".text", 1, 6, 0x1000, struct.pack("<I", 0xBFB00000), 0, 0, 0)
    symbols = (b".symtab", 2, 0, 0, bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000 if kind == 3 else 0, 4), 3, 1, 24)
    return elf(224, kind, [code, symbols, (b".strtab", 3, 0, 0, b"\0f\0", 0, 0, 0)], 64, 4, 0x41)


def bundle(inner, target=b"gfx1100"):
    name = b"hipv4-amdgcn-amd-amdhsa--" + target
    at = 32 + 24 + len(name)
    return b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, at, len(inner), len(name)) + name + inner


def cuda(text):
    entry = struct.pack("<HHIQIIHHIQQQQ", 1, 0x101, 64, len(text) + 8 - len(text) % 8, 0, 0, 0, 7, 80, 0, 0, 0, 0)
    body = entry + text + bytes(8 - len(text) % 8)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def images(*rows):
    """Returns an offload binary of version 2 of (triple, processor, image) rows."""
    pairs = 32 + 40 * len(rows)
    texts, strings, entries, data = b"triple\0arch\0", b"", b"", b""
    at = pairs + 32 * len(rows)
    first = at + len(texts) + sum(len(triple) + len(arch) + 2 for triple, arch, _ in rows)
    for i, (triple, arch, image) in enumerate(rows):
        value = at + len(texts)
        strings += struct.pack("<4Q", at, value, at + 7, value + len(triple) + 1)
        texts += triple + b"\0" + arch + b"\0"
        kind, producer = (1, 4) if triple.startswith(b"amdgcn") else (5, 2)
        entries += struct.pack("<HHIQQQQ", kind, producer, 0, pairs + 32 * i, 2, first + len(data), len(image))
        data += image + bytes(-len(image) % 8)
    return b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 2, first + len(data), 32, len(rows)) + entries + strings + texts + data


def offload(text):
    """Returns an offload binary of one PTX image."""
    return images((b"nvptx64-nvidia-cuda", b"sm_80", text))


def host(section, data):
    return elf(62, 2, [(section, 1, 2, 0x1000, data, 0, 0, 0)])


def spirv():
    words = [[17, 1], [14, 0, 1], [15, 5, 1, 0x6E69616D, 0], [16, 1, 17, 64, 1, 1], [19, 2], [33, 3, 2], [54, 2, 1, 0, 3], [248, 4], [253], [56]]
    return struct.pack("<5I", 0x07230203, 0x10300, 0, 5, 0) + b"".join(struct.pack(f"<{len(w)}I", len(w) << 16 | w[0], *w[1:]) for w in words)


def fatbin(aot, folder):
    path, out = os.path.join(folder, "made.qdk"), os.path.join(folder, "made.o")
    with open(path, "wb") as f:
        f.write(QDK)
    subprocess.run([aot, "-q", "-t", "ptx:sm_80", "--no-header", "-o", out, path], check=True)
    with open(out, "rb") as f:
        return f.read()


QDK = b"// a kernel\nqdk 2;\nkernel k(a: out u32[]) block(32) { for i in grid(a.len) { a[i] = i; } }\n"


def printed(dis, folder):
    path = os.path.join(folder, "ir.qdk")
    with open(path, "wb") as f:
        f.write(QDK)
    return subprocess.run([dis, path], check=True, capture_output=True).stdout


def kinds(dis, aot, folder):
    """Returns rows of kind, name, content, readers, and a part of the message of the others."""
    code = amd(3)
    off = images((b"nvptx64-nvidia-cuda", b"sm_80", PTX), (b"amdgcn-amd-amdhsa", b"gfx1100", code))
    return [
        ("QDK", "k.qdk", QDK, "dis run compile", "kernel text, which qd-run runs"),
        ("IR", "k.ir", printed(dis, folder), "dis compile", "printed IR, which qd-dis shows and qd-aot compiles"),
        ("TEXT", "k.txt", b"Hello.\n", "dis run compile", "text in an unknown format"),
        ("PTX", "k.ptx", PTX, "dis run", "PTX text, which qd-run runs on emu and qd-dis shows"),
        ("CUBIN", "k.cubin", elf(190, 2), "dis", "a cubin, machine code for NVIDIA GPUs, which only qd-dis lists"),
        ("CUDA", "k.fatbin", cuda(PTX), "dis", "a CUDA fatbin, which qd-dis shows"),
        ("CUDA_HOST", "cuda.so", host(b".nv_fatbin", cuda(PTX)), "dis", "with CUDA code (section .nv_fatbin), which qd-dis shows"),
        ("SPIRV", "k.spv", spirv(), "dis", "a SPIR-V module, which only qd-dis reads"),
        ("SPIRV_SWAPPED", "big.spv", struct.pack(">5I", 0x07230203, 0x10300, 0, 5, 0), "", "big-endian byte order; spirv-dis"),
        ("SPIRV_TEXT", "k.spvasm", b"; SPIR-V\n OpCapability Shader\n", "", "SPIR-V assembly; spirv-as assembles it to a module"),
        ("CODE_OBJECT", "k.hsaco", code, "dis run", "a code object for AMD GPUs, which qd-run runs and qd-dis shows"),
        ("AMD_OBJECT", "amd.o", amd(1), "dis run", "an object for AMD GPUs that is not linked, which qd-dis shows"),
        ("AMD_TEXT", "k.s", b"\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n", "", "AMD assembly; clang"),
        ("BUNDLE", "k.hipfb", bundle(code), "dis run", "a bundle of AMD code, which qd-run runs and qd-dis shows"),
        ("HIP_HOST", "hip.so", host(b".hip_fatbin", bundle(code)), "dis run", "(section .hip_fatbin), which qd-run runs"),
        ("RDC", "rdc.o", host(b"__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx1100", b"BC\xc0\xde"), "",
         "an object of clang -fgpu-rdc, whose AMD code is not linked yet; clang --hip-link"),
        ("OFFLOAD", "k.off", off, "dis run", "an LLVM offload binary, whose AMD code qd-run runs"),
        ("OFFLOAD_HOST", "off.so", host(b".llvm.offloading", off), "dis run", "(section .llvm.offloading), whose AMD code qd-run runs"),
        ("FATBIN", "fat.o", fatbin(aot, folder), "dis list", "a qd fatbin or a program with one, which programs load"),
        ("CACHE", "k.qdc", b"qdcache\n" + bytes(64), "dis", "an entry of qd's disk cache, which qd-dis shows"),
        ("BITCODE", "k.bc", b"BC\xc0\xde" + bytes(16), "", "LLVM bitcode; clang compiles"),
        ("LLVM_TEXT", "k.ll", b"; ModuleID = 'k'\n", "", "LLVM IR; clang compiles"),
        ("SOURCE", "k.cu", b"// A kernel.\n#include <cub/cub.cuh>\n__global__ void f(int *p) { *p = 1; }\n", "",
         "C++, CUDA, HIP or OpenCL source; nvcc -ptx compiles it to PTX"),
        ("ARCHIVE", "k.a", b"!<arch>\nk.o/            0", "", "an archive of objects; 'ar x'"),
        ("NPY", "k.npy", b"\x93NUMPY\1\0" + bytes(24), "", "a NumPy array, which qd-run accepts as the value"),
        ("HOST", "cpu.o", host(b".text", b"\xc3"), "", "an object or a program for a CPU, without code for a GPU"),
        ("ELF", "bad.so", b"\x7fELF\1\1\1" + bytes(57), "dis run", "an ELF file that cannot be read"),
        ("BINARY", "k.bin", b"\1\0\2\0", "", "not text, and not code in a known format; qd-dis --raw"),
    ]


def programs(dis, run, aot, info, conform):
    """Returns rows of name, what reads for it, command, and the exit status of a rejection."""
    return [
        ("qd-dis", "dis", [dis], 1),
        ("qd-run", "run", [run, "--list"], 1),
        ("qd-aot", "compile", [aot, "--check"], 1),
        *[(f"qd-aot {c}", "list", [aot, c], 1) for c in ("list", "info", "verify")],
        ("qd-aot extract", "list", [aot, "extract", "--emit=files:OUT"], 1),
        ("qd-aot merge", "list", [aot, "merge", "-o", "OUT/merged.o"], 1),
        ("qd-aot strip", "list", [aot, "strip", "-k", "none", "-o", "OUT/stripped.o"], 1),
        ("qd-aot why", "list", [aot, "why", "-d", "emu:sm_80"], 1),
        ("qd-info", "", [info], 2),
        ("qd-conform", "", [conform], 2),
    ]


def main():
    dis, qd_run, aot, info, conform, source = map(os.path.abspath, sys.argv[1:])
    bad = n = 0
    env = dict(os.environ, NO_COLOR="1", LC_ALL="C", QD_CACHE="0")
    with tempfile.TemporaryDirectory() as folder:
        rows = kinds(dis, aot, folder)
        if "QD_TEST_MUTATION" in os.environ:
            rows[0] = (*rows[0][:3], rows[0][3] + " list", rows[0][4])
        with open(os.path.join(source, "src/tools/common/kind.def"), encoding="utf-8") as f:
            listed = re.findall(r"^KIND\((\w+),", f.read(), re.M)
        if sorted(listed) != sorted(r[0] for r in rows):
            print("kinds: not the kinds of kind.def:", set(listed) ^ {r[0] for r in rows}, file=sys.stderr)
            bad = 1
        out = os.path.join(folder, "out")
        os.mkdir(out)
        for kind, name, data, readers, text in rows:
            path = os.path.join(folder, name)
            with open(path, "wb") as f:
                f.write(data)
            for program, reader, command, code in programs(dis, qd_run, aot, info, conform):
                done = subprocess.run([*[c.replace("OUT", out) for c in command], path], capture_output=True, env=env, cwd=folder, check=False)
                error = done.stderr.decode(errors="replace")
                refused = text in error
                # qd-aot has advice of its own for texts that it compiles.
                if reader == "list" and "compile" in readers.split():
                    refused = "kernel text has no entries" in error
                n += 1
                if refused == (reader not in readers.split()) and (not refused or done.returncode == code) and done.returncode in (0, 1, 2):
                    continue
                bad += 1
                print(f"kinds: {program} {name} ({kind}): exit {done.returncode}, {error[:300]!r}", file=sys.stderr)
    print(f"{n} checks")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
