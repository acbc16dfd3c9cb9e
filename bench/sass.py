#!/usr/bin/env python3
"""sass.py QD-DIS [--arch sm_80,...]: compares the number of machine instructions of each primitive on NVIDIA
GPUs with those of CUB's warp primitives (or CUDA's own, if CUB has none), compiled by nvcc.

Both sides are the same kernel: 64 threads in full warps load, apply the primitive n times, each time to the
previous result, and store, with a guard. The size of one application is the difference in bytes of .text
between two values of n, so loads, guards, stores and the padding of a function do not count. The same ptxas
assembles both. For minima and maxima of floats, CUB's side uses fmin and fmax, because they drop a NaN like
qd's; cuda::minimum does not.

A row fails if qd's code is longer, or if it is not shorter although ROWS requires it. The exit status is 77,
with a message, if nvcc or ptxas is missing."""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SHORT, LONG = 4, 36
TYPES = {"i32": "int", "u32": "unsigned", "i64": "long long", "u64": "unsigned long long", "f32": "float", "f64": "double"}
NUMBERS = list(TYPES)
INTS = ["i32", "u32", "i64", "u64"]
WORDS = ["i32", "u32", "f32"]

# name: (types, .qdk expression of x, CUDA expression of x, must be shorter for these types)
ROWS = {
    "shuffle": (NUMBERS, "subgroup.shuffle(x, 5)", "__shfl_sync(~0u, x, 5)", []),
    "shuffle by value": (WORDS, "subgroup.shuffle(x, lane ^ 9)", "__shfl_sync(~0u, x, lane ^ 9)", []),
    "shuffle_xor": (NUMBERS, "subgroup.shuffle_xor(x, 3)", "__shfl_xor_sync(~0u, x, 3)", []),
    "shuffle_up": (NUMBERS, "subgroup.shuffle_up(x, 1)", "__shfl_up_sync(~0u, x, 1)", []),
    "shuffle_down": (NUMBERS, "subgroup.shuffle_down(x, 1)", "__shfl_down_sync(~0u, x, 1)", []),
    "broadcast": (NUMBERS, "subgroup.broadcast(x, 7)", "cub::ShuffleIndex<32>(x, 7, ~0u)", []),
    "ballot": (["u32"], "x + subgroup.ballot_first_n(x > 7, 32)", "x + __ballot_sync(~0u, x > 7)", []),
    "all_true": (["u32"], "x + u32(subgroup.all_true(x > 7))", "x + __all_sync(~0u, x > 7)", []),
    "any_true": (["u32"], "x + u32(subgroup.any_true(x > 7))", "x + __any_sync(~0u, x > 7)", []),
    "all_equal": (["u32", "f32"], "x + {T}(subgroup.all_equal(x))",
                  "x + ({C})__all_sync(~0u, x == __shfl_sync(~0u, x, 0))", []),
    "reduce_add": (NUMBERS, "subgroup.reduce_add(x)", "cub::WarpReduce<{C}>(t).Sum(x)", ["i64", "u64"]),
    "reduce_min": (NUMBERS, "subgroup.reduce_min(x)", "cub::WarpReduce<{C}>(t).Reduce(x, {LEAST})",
                   ["i64", "u64", "f32", "f64"]),
    "reduce_max": (NUMBERS, "subgroup.reduce_max(x)", "cub::WarpReduce<{C}>(t).Reduce(x, {GREATEST})",
                   ["i64", "u64", "f32", "f64"]),
    "reduce_and": (INTS, "subgroup.reduce_and(x)", "cub::WarpReduce<{C}>(t).Reduce(x, cuda::std::bit_and<>{{}})",
                   ["i64", "u64"]),
    "reduce_add_tiled 3": (NUMBERS, "subgroup.reduce_add_tiled(x, 3)", "cub::WarpReduce<{C}, 8>(t).Sum(x)", []),
    "reduce_max_tiled 4": (NUMBERS, "subgroup.reduce_max_tiled(x, 4)",
                           "cub::WarpReduce<{C}, 16>(t).Reduce(x, {GREATEST})", []),
    "inclusive_add": (NUMBERS, "subgroup.inclusive_add(x)", "incl<{C}>(x)", []),
    "inclusive_max": (NUMBERS, "subgroup.inclusive_max(x)", "incl<{C}>(x, {GREATEST})", []),
    "inclusive_add_tiled 3": (NUMBERS, "subgroup.inclusive_add_tiled(x, 3)", "incl8<{C}>(x)", []),
    "exclusive_add": (NUMBERS, "subgroup.exclusive_add(x)", "excl<{C}>(x)", []),
    "bitonic_sort_kv": (["u32", "i32", "u64"], None, "sort", ["u32", "i32", "u64"]),
}

CUDA_HEAD = """#include <cub/cub.cuh>
#include <cuda/functional>
template <class T> __device__ T incl(T x) { typename cub::WarpScan<T>::TempStorage t; T r; cub::WarpScan<T>(t).InclusiveSum(x, r); return r; }
template <class T, class F> __device__ T incl(T x, F f) { typename cub::WarpScan<T>::TempStorage t; T r; cub::WarpScan<T>(t).InclusiveScan(x, r, f); return r; }
template <class T> __device__ T incl8(T x) { typename cub::WarpScan<T, 8>::TempStorage t; T r; cub::WarpScan<T, 8>(t).InclusiveSum(x, r); return r; }
template <class T> __device__ T excl(T x) { typename cub::WarpScan<T>::TempStorage t; T r; cub::WarpScan<T>(t).ExclusiveSum(x, r); return r; }
struct least {
  __device__ float operator()(float a, float b) const { return fminf(a, b); }
  __device__ double operator()(double a, double b) const { return fmin(a, b); }
};
struct greatest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
  __device__ double operator()(double a, double b) const { return fmax(a, b); }
};
struct less { template <class T> __device__ bool operator()(T a, T b) const { return a < b; } };
template <class T> __device__ void pairs(T &x, unsigned &y) {
  typedef cub::WarpMergeSort<T, 1, 32, unsigned> S;
  __shared__ typename S::TempStorage t[2];
  T k[1] = {x}; unsigned v[1] = {y};
  S(t[threadIdx.x / 32]).Sort(k, v, less{});
  x = k[0]; y = v[0];
}
"""


def name_of(row, t, n):
    return f"k{list(ROWS).index(row)}_{t}_{n}"


def qdk(row, t, n):
    expression = ROWS[row][1]
    if expression is None:
        body = "var y = u32(a.len) + i;\n" + "  x, y = subgroup.bitonic_sort_kv(x, y);\n" * n + "  b[i] = y;\n"
        more = ", b: u32[]"
    else:
        body, more = f"  x = {expression.format(T=t)};\n" * n, ""
    return (f"kernel {name_of(row, t, n)}(a: {t}[]{more}) block(64) {{\n"
            "  let lane = subgroup.invocation_id();\n"
            "  let i = block.idx * 64 + block.thread_idx();\n"
            f"  var x = a[i];\n{body}  a[i] = x;\n}}\n")


def cuda(row, t, n):
    c, expression = TYPES[t], ROWS[row][2]
    least, greatest = ("least{}", "greatest{}") if t[0] == "f" else ("cuda::minimum<>{}", "cuda::maximum<>{}")
    temp = f"  typename cub::WarpReduce<{c}>::TempStorage t; (void)t;\n" if "(t)" in expression else ""
    if "{C}, " in expression and "(t)" in expression:
        width = re.search(r"\{C\}, (\d+)", expression)[1]
        temp = f"  typename cub::WarpReduce<{c}, {width}>::TempStorage t; (void)t;\n"
    if expression == "sort":
        more, init, step, end = ", unsigned *b", "unsigned y = n + i;", f"pairs<{c}>(x, y);", "b[i] = y;"
    else:
        more, init, step, end = "", "", f"x = {expression.format(C=c, LEAST=least, GREATEST=greatest)};", ""
    return (f'extern "C" __global__ void __launch_bounds__(64) {name_of(row, t, n)}({c} *a, unsigned n{more}) {{\n'
            "  unsigned lane = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x; (void)lane;\n"
            f"  {c} x = i < n ? a[i] : 0; {init}\n{temp}"
            + f"  {step}\n" * n + f"  if (i < n) {{ a[i] = x; {end} }}\n}}\n")


def text_sizes(path):
    """Returns the bytes of .text of each kernel of a cubin."""
    data = open(path, "rb").read()
    shoff, = struct.unpack_from("<Q", data, 40)
    size, n, names_at = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, shoff + i * size) for i in range(n)]
    base = sections[names_at][4]
    out = {}
    for s in sections:
        name = data[base + s[0]:data.index(b"\0", base + s[0])].decode()
        if name.startswith(".text."):
            out[name[6:]] = s[5]
    return out


def merged(text):
    """Merges the modules that qd-dis prints into one."""
    parts = re.split(r"(?m)^(?=\.version)", text)[1:]
    head = "\n".join(max(parts, key=lambda p: p.split("\n")[0]).split("\n")[:3])
    return head + "\n" + "\n".join(p[p.index(".visible"):] for p in parts)


def run(*args):
    r = subprocess.run(args, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"sass: {' '.join(args[:3])} ...: {r.stderr.strip()[:2000]}")
    return r.stdout


def find(tool):
    return shutil.which(tool) or shutil.which("/usr/local/cuda/bin/" + tool)


def main():
    dis, arches = None, ["sm_80", "sm_90", "sm_100", "sm_120"]
    args = sys.argv[1:]
    while args:
        a = args.pop(0)
        if a == "--arch":
            arches = args.pop(0).split(",")
        else:
            dis = a
    nvcc, ptxas = find("nvcc"), find("ptxas")
    if not nvcc or not ptxas:
        print(f"SKIP: {'nvcc' if not nvcc else 'ptxas'} is not installed (CUDA toolkit): nothing is compared")
        return 77
    cells = [(row, t) for row in ROWS for t in ROWS[row][0]]
    longer, not_shorter, got = [], [], {}
    with tempfile.TemporaryDirectory() as d:
        with open(f"{d}/k.qdk", "w") as f:
            f.write("qdk 2;\n" + "".join(qdk(r, t, n) for r, t in cells for n in (SHORT, LONG)))
        with open(f"{d}/k.cu", "w") as f:
            f.write(CUDA_HEAD + "".join(cuda(r, t, n) for r, t in cells for n in (SHORT, LONG)))
        for arch in arches:
            with open(f"{d}/k.ptx", "w") as f:
                f.write(merged(run(dis, "-t", f"ptx:{arch}", f"{d}/k.qdk")))
            run(ptxas, f"-arch={arch}", f"{d}/k.ptx", "-o", f"{d}/qd.cubin")
            run(nvcc, "-cubin", f"-arch={arch}", "-w", f"{d}/k.cu", "-o", f"{d}/cub.cubin")
            both = [text_sizes(f"{d}/qd.cubin"), text_sizes(f"{d}/cub.cubin")]
            for row, t in cells:
                per = [(s[name_of(row, t, LONG)] - s[name_of(row, t, SHORT)]) / 16 / (LONG - SHORT) for s in both]
                got[row, t, arch] = per
                # Functions are padded to a multiple of 8 instructions at both chain lengths.
                if per[0] > per[1] + 8 / (LONG - SHORT):
                    longer.append(f"{row} {t} {arch}")
                if t in ROWS[row][3] and per[0] >= per[1]:
                    not_shorter.append(f"{row} {t} {arch}")
    print("instructions of one application: qd / CUB")
    print(f"{'':24} {'':4}" + "".join(f"{a:>16}" for a in arches))
    for row, t in cells:
        print(f"{row:24} {t:4}" + "".join(f"{got[row, t, a][0]:8.1f} /{got[row, t, a][1]:6.1f}" for a in arches))
    print(f"{len(cells)} rows on {len(arches)} targets: {len(longer)} longer than CUB's, "
          f"{len(not_shorter)} not shorter where they should be")
    for what, rows in (("longer", longer), ("not shorter", not_shorter)):
        for r in rows:
            print(f"  {what}: {r}")
    return 1 if longer or not_shorter else 0


if __name__ == "__main__":
    sys.exit(main())
