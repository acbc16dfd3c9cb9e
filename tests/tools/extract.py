#!/usr/bin/env python3
"""extract.py QD-DIS QD-RUN SOURCE: files with several entries, which kinds.py and this file make.

qd-dis --extract writes each entry, byte for byte, under a safe name, and replaces no input. qd-run finds the one
object of several that has the kernel, and lists the kernels of HIP's files; clang-22, if it is installed, makes
these: bundles, objects, programs and libraries, with -fgpu-rdc and without, compressed and not.

QD_TEST_MUTATION: the bytes of one entry are compared with other ones; the test must fail."""
import os
import shutil
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
                       ("rel.so", kinds.host(b".llvm.offloading.relocatable", kinds.offload(kinds.PTX))),
                       ("fat.off", kinds.offload(kinds.cuda(kinds.PTX)))):
        target = "sm_80" if name in ("k.off", "off.so", "rel.so") else "ptx_sm_80"
        rc, out, error = t.run(dis, "--extract", "cuda", t.write(name, data))
        t.check(name, rc == 0 and t.content(f"cuda/{name}.0.{target}.ptx") == kinds.PTX, out + error)
    # Rejections, after which no file remains.
    rc, out, error = t.run(dis, "--extract", "none", t.write("cut.hipfb", first[:-1]))
    t.check("a damaged bundle", rc == 1 and "extends past the end of the file" in error and not os.listdir(os.path.join(t.folder, "none")), error)
    rc, out, error = t.run(dis, "--extract", ".", t.write("one.hsaco", code))
    t.check("a code object", rc == 1 and "a code object for AMD GPUs" in error and "--extract writes the entries of bundles" in error, error)
    rc, out, error = t.run(dis, "--extract", "x", "--stats", "two.hipfb")
    t.check("another option", rc == 2 and "only -t can be combined with it" in error, error)
    rc, out, error = t.run(dis, "--extract", "two.hipfb/x", "two.hipfb")
    t.check("no directory", rc == 3 and "cannot create the directory 'two.hipfb/x'" in error, error)
    # An input is not replaced, not even by a name that the extraction would choose.
    inner = bundle((AMD + b"gfx1100", code))
    os.symlink("in.hipfb", os.path.join(t.folder, "in.hipfb.0.gfx1100.hsaco"))
    rc, out, error = t.run(dis, "--extract", ".", t.write("in.hipfb", inner))
    t.check("the input", rc == 2 and "would overwrite an input" in error and t.content("in.hipfb") == inner, error)


def pages(*parts):
    """Returns bundles as a linker places them in a section: each at a multiple of 4096."""
    return b"".join(p + bytes(-len(p) % 4096) for p in parts)


def packed_by_llvm(t, run, args):
    """Runs a kernel in the file of LLVM's own packager, alone and in a section of an object."""
    if not shutil.which("llvm-offload-binary-22"):
        print("part skipped: llvm-offload-binary-22 is not installed")
        return
    images = [f"--image=file={name},triple=amdgcn-amd-amdhsa,arch=gfx1100,kind=hip" for name in ("add.hsaco", "sum.hsaco")]
    t.run("llvm-offload-binary-22", "-o", "llvm.off", *images)
    t.run("llvm-objcopy-22", "--add-section", ".llvm.offloading=llvm.off", t.write("cpu.o", kinds.host(b".text", b"\xc3")), "llvm.o")
    for file in ("llvm.off", "llvm.o"):
        rc, out, error = t.run(run, "-k", "sum", file, *args)
        t.check(f"LLVM's {file}", (rc, out) == (0, "arg2: 5 7\n"), out + error)


def finds(t, run, source):
    with open(os.path.join(source, "docs/examples/add.hsaco"), "rb") as f:
        add = f.read()
    with open(os.path.join(source, "tests/emu/gcn/hip.hipfb"), "rb") as f:
        packed = f.read()
    target = AMD + b"gfx1100"
    total = add.replace(b"add", b"sum")
    t.write("add.hsaco", add)
    t.write("sum.hsaco", total)
    args = ["-d", "emu:gfx1100", "--grid=1", "arg0=1,2", "arg1=4,5", "arg2=zero:2", "arg3=2"]
    rows = [(b"amdgcn-amd-amdhsa", b"gfx1100", add), (b"nvptx64-nvidia-cuda", b"sm_80", kinds.PTX), (b"amdgcn-amd-amdhsa", b"gfx1100", total)]
    for name, section, data in (
            ("pair.hipfb", b".hip_fatbin", pages(bundle((target, add)), bundle((target, total)))),
            ("one.hipfb", b".hip_fatbin", bundle((target, add), (AMD + b"gfx90a", kinds.amd(3)), (target, total))),
            ("pair.off", b".llvm.offloading", pages(kinds.images(rows[0]), kinds.images(*rows[1:]))),
            ("one.off", b".llvm.offloading", kinds.images(*rows))):
        for file, content in ((name, data), (name + ".so", kinds.host(section, data))):
            t.write(file, content)
            for kernel in ("add", "sum"):
                rc, out, error = t.run(run, "-k", kernel, file, *args)
                t.check(f"{kernel} of {file}", (rc, out) == (0, "arg2: 5 7\n"), out + error)
            rc, out, error = t.run(run, "--list", file)
            t.check(f"the list of {file}", rc == 0 and [x for x in out.split("\n") if x[:6] == "kernel"] == ["kernel add", "kernel sum"], out + error)
            rc, out, error = t.run(run, file, *args)
            t.check(f"no kernel of {file}", rc == 2 and f"'{file}' has 2 kernels for gfx1100, choose one with -k: add for gfx1100 (at offset 0x" in error, error)
            rc, out, error = t.run(run, "-k", "none", file, *args)
            t.check(f"another kernel of {file}", rc == 2 and f"'{file}' has no kernel 'none' for gfx1100; it has add for" in error, error)
    twice = pages(bundle((target, add)), bundle((target, add)))
    host = kinds.host(b".hip_fatbin", twice)
    rc, out, error = t.run(run, "-k", "add", t.write("twice.so", host), *args)
    t.check("offsets in a program", f"(at offset {host.index(twice) + 0x58:#x})" in error, error)
    rc, out, error = t.run(run, "-k", "add", t.write("twice.hipfb", twice), *args)
    t.check("an ambiguous name", rc == 2 and "'twice.hipfb' has 2 kernels 'add': add for gfx1100 (at offset 0x58), add for gfx1100 "
            "(at offset 0x1058); qd-dis --extract writes the objects to files" in error, error)
    rc, out, error = t.run(run, "-k", "sum", t.write("packed.hipfb", pages(packed, bundle((target, total)))), *args)
    t.check("together with a compressed bundle", "built without libzstd" in error or (rc, out) == (0, "arg2: 5 7\n"), out + error)
    file = t.write("cut.off", kinds.images(*rows)[:-8])
    rc, out, error = t.run(run, "-k", "add", file, *args)
    t.check("a cut offload binary", rc == 1 and "offset 0x8: an offload binary of 0x" in error and "bytes in a file that has 0x" in error, error)
    rc, out, error = t.run(run, "-k", "add", t.write("ptx.off", kinds.images(rows[1])), *args)
    t.check("an offload binary without AMD code", rc == 1 and "a bundle without code for gfx1100; it has: nvptx64-nvidia-cuda" in error, error)
    packed_by_llvm(t, run, args)
    # Code that needs retries of page faults is taken only if there is no other.
    plus = bytearray(add)
    struct.pack_into("<I", plus, 48, struct.unpack_from("<I", add, 48)[0] & ~0x300 | 0x300)
    rc, out, error = t.run(run, "-k", "add", t.write("retry.hipfb", bundle((target + b":xnack+", bytes(plus)), (target + b":xnack-", add))), *args)
    t.check("without retries", (rc, out) == (0, "arg2: 5 7\n"), out + error)
    rc, out, error = t.run(run, "--list", t.write("bitcode.hipfb", bundle((target, b"BC\xc0\xde" + bytes(8)))))
    t.check("bitcode", rc == 1 and "bitcode.hipfb: the entry for gfx1100 is LLVM bitcode; clang compiles" in error, error)


# -- HIP ---------------------------------------------------------------------------------------

HIP = """#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
typedef struct dim3 { unsigned x, y, z; } dim3;
extern "C" int __hipPushCallConfiguration(dim3, dim3, unsigned long, void *);
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
#define I ((int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()))
"""
ONE = HIP + """__constant__ int table[4] = { 10, 20, 30, 40 };
__device__ int start = 7, counter;
__global__ void add(int *out, const int *in, int n) { int i = I; if (i < n) out[i] = in[i] + table[i & 3] + start; }
__global__ void add(float *out) { out[I] = 1; }
template <typename T> __global__ void scale(T *out, T by) { out[I] *= by; }
template __global__ void scale<int>(int *, int);
__global__ void tick(int *out) { counter += 1; out[0] = counter; }
__device__ __attribute__((noinline)) int deep(int n) { return n < 2 ? n : deep(n - 1) + deep(n - 2); }
__global__ void recursive(int *out) { out[0] = deep(out[1]); }
"""
TWO = HIP + "__global__ void twice(int *out) { out[I] *= 2; }\n"
STUB = "int __hipRegisterFatBinary, __hipUnregisterFatBinary, __hipRegisterFunction, __hipRegisterVar, __hipPopCallConfiguration,\n" \
       "	__hipPushCallConfiguration, hipLaunchKernel;\n"
NAMES = ["_Z3addPf", "_Z3addPiPKii", "_Z4tickPi", "_Z5scaleIiEvPT_S0_", "_Z9recursivePi"]


def make(t, clang, folder):
    """Returns the names of files that clang makes: bundles, objects, programs, a library, and an object of -fgpu-rdc."""
    flags = ["-O2", "-fPIC", "-x", "hip", "--offload-arch=gfx1100", "--offload-arch=gfx90a:xnack-", "-nogpuinc", "-nogpulib", "-c"]
    files = []

    def run(*args):
        done = subprocess.run([clang, *args], capture_output=True, text=True, cwd=folder, check=False)
        if done.returncode:
            print(f"part skipped: clang-22 {' '.join(args)}: {done.stderr[:300]}")
        return done.returncode == 0

    for name, text in (("one.hip", ONE), ("two.hip", TWO), ("stub.c", STUB), ("main.c", "int main(void) { return 0; }")):
        t.write(name, text.encode())
    if not run("-c", "stub.c", "-o", "stub.o") or not run("-c", "main.c", "-o", "main.o"):
        return files
    for compress in [], ["--offload-compress"]:
        end = "z" if compress else ""
        if run(*flags, *compress, "--cuda-device-only", "--gpu-bundle-output", "one.hip", "-o", f"one{end}.hipfb"):
            files.append(f"one{end}.hipfb")
        if run(*flags, *compress, "one.hip", "-o", f"one{end}.o"):
            files.append(f"one{end}.o")
        if run(*flags, *compress, "two.hip", "-o", f"two{end}.o") and run("-no-hip-rt", "main.o", f"one{end}.o", f"two{end}.o", "stub.o", "-o", f"both{end}"):
            files.append(f"both{end}")
        if run("-no-hip-rt", "-shared", f"one{end}.o", "stub.o", "-o", f"one{end}.so"):
            files.append(f"one{end}.so")
        if run(*flags, *compress, "-fgpu-rdc", "one.hip", "-o", f"rdc{end}.o") and run(
                "--hip-link", "-no-hip-rt", "-fgpu-rdc", *compress, *flags[4:6], "main.o", f"rdc{end}.o", "stub.o", "-o", f"rdc{end}"):
            files += [f"rdc{end}.o", f"rdc{end}"]
    return files


def hip(t, run, dis):
    clang = shutil.which("clang++-22") or shutil.which("/usr/lib/llvm-22/bin/clang++")
    if not clang:
        print("part skipped: clang-22 is not installed: HIP's files were not read")
        return
    for file in make(t, clang, t.folder):
        if file.startswith("rdc") and file.endswith(".o"):
            rc, out, error = t.run(run, "--list", file)
            t.check(file, rc == 1 and "an object of clang -fgpu-rdc, whose AMD code is not linked yet" in error, out + error)
            continue
        want = sorted(NAMES + (["_Z5twicePi"] if file.startswith("both") else []))
        for target in "gfx1100", "gfx90a":
            rc, out, error = t.run(run, "--list", "-d", f"emu:{target}", file)
            if "built without libzstd" in error:
                continue
            found = {x.split("\n")[0]: x for x in ("\n" + out).split("\nkernel ")[1:]}
            t.check(f"{file} for {target}", rc == 0 and sorted(found) == want, out + error)
            t.check(f"parameters of {file}", all(found.get("_Z3addPiPKii", "").count(f"  arg{i}=VALUE") == 1 for i in range(3)), out)
            reasons = [x for x in out.split("\n") if "cannot be run" in x]
            t.check(f"a reason in {file}", len(reasons) == 1 and "a dynamic stack" in found["_Z9recursivePi"], reasons)
            args = ["--grid=1", "--block=4", "-d", f"emu:{target}", file]
            rc, out, error = t.run(run, "-k", "add(int*, int const*, int)", *args, "arg0=i32:zero:4", "arg1=i32:iota:4", "arg2=i32:4")
            t.check(f"add of {file} for {target}", (rc, out) == (0, "arg0: 17 28 39 50\narg1: 0 1 2 3\n"), out + error)
            rc, out, error = t.run(run, "-k", "scale<int>", *args, "arg0=i32:iota:4", "arg1=i32:3")
            t.check(f"scale of {file} for {target}", (rc, out) == (0, "arg0: 0 3 6 9\n"), out + error)
            rc, out, error = t.run(run, "-k", "add", *args)
            t.check(f"two of a name in {file}", rc == 2 and "has 2 kernels 'add': _Z3add" in error and "give one of these names with -k" in error, error)
            if file.startswith("both"):
                rc, out, error = t.run(run, "-k", "twice", *args, "arg0=i32:iota:4")
                t.check(f"twice of {file} for {target}", (rc, out) == (0, "arg0: 0 2 4 6\n"), out + error)
        rc, out, error = t.run(dis, "--extract", file + ".d", file)
        t.check(f"the entries of {file}", "built without libzstd" in error or (rc == 0 and out.count(".hsaco: ") == out.count("\n") > 1), out + error)


def main():
    dis, run, source = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        t = Test(folder)
        extracts(t, dis)
        if "QD_TEST_MUTATION" not in os.environ:
            finds(t, run, source)
            hip(t, run, dis)
    print(f"{t.n} checks")
    return t.bad != 0


if __name__ == "__main__":
    sys.exit(main())
