"""memory_model.py [--missing] QD-DIS [TARGET]...: compares the memory model of AMD's targets with LLVM 22's.

Each combination of operation, address space, scope and order is one kernel for qd and one function for llc.
Both issue a load, a store and an LDS store before it, and an LDS load and a load after it. The test compares the
code between those accesses: the instruction with its cache policy, the cache instructions, and the counters that
are waited for at each place. A difference without a row in KNOWN fails, and so does a row that matches nothing.
--missing drops qd's cache instructions before the comparison, so the test must fail. Exit 77 without llc-22."""
import collections
import concurrent.futures
import difflib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

# (targets, kernels, difference, reason). A difference begins with + if only qd has it and with - if only
# LLVM has it. A wait names the instruction that it follows.
KNOWN = [
    (r".*", r"\w+_shared_(device|system)_\w+", r"\+ (buffer|global)_.*",
     "LLVM narrows the scope of an access to LDS to the block; ours keeps the fence that is written"),
    (r".*", r"cas_global_\w+", r"\+ wait (vm|load)cnt after atomic.*",
     "the old value is moved from the registers that held the operands"),
    (r"gfx12\d\d", r"\w+_(acquire|acq_rel)", r"\+ wait loadcnt after global_inv.*",
     "global_inv is counted as a load; LLVM lets later loads follow it at once"),
    (r".*", r"\w+_(acquire|acq_rel)", r"\+ wait \w+ after .*",
     "qd's acquire waits for all outstanding accesses, LLVM's only for those that it orders after the access"),
    (r"gfx9\w+", r"\w+_(block|shared_\w+)_release|sync_block", r"\+ wait vmcnt after (ds_|buffer_wbl2).*",
     "waves of a block share the vector cache, so LLVM waits for LDS alone where no other block is meant"),
]

SCOPES = {"subgroup": "wavefront", "block": "workgroup", "device": "agent", "system": ""}
ORDERS = {"relaxed": "monotonic", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel"}
# Without these, llc expands some operations to loops, to support memory outside the device.
NATIVE = ", !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0"
# Valid orders of each operation, and its text in both languages.  %a: the element, %o: order and
# scope.
OPS = {
    "load": (("relaxed", "acquire"), "let r = atomic.load(%a, %o);",
             "%r = load atomic i32, ptr addrspace(%n) %a%o, align 4"),
    "store": (("relaxed", "release"), "atomic.store(%a, t, %o); let r = 0u;",
              "store atomic i32 %t, ptr addrspace(%n) %a%o, align 4\n  %r = add i32 0, 0"),
    "add": (tuple(ORDERS), "let r = atomic.add(%a, t, %o);",
            "%r = atomicrmw add ptr addrspace(%n) %a, i32 %t%o, align 4%m"),
    "count": (tuple(ORDERS), "atomic.max(%a, t, %o); let r = 0u;",
              "%x = atomicrmw umax ptr addrspace(%n) %a, i32 %t%o, align 4%m\n"
              "  %r = add i32 0, 0"),
    "exchange": (tuple(ORDERS), "let r = atomic.exchange(%a, t, %o);",
                 "%r = atomicrmw xchg ptr addrspace(%n) %a, i32 %t%o, align 4%m"),
    "cas": (tuple(ORDERS), "let r = atomic.cas(%a, t, 5, %o);",
            "%x = cmpxchg ptr addrspace(%n) %a, i32 %t, i32 5%o, align 4%m\n"
            "  %r = extractvalue { i32, i1 } %x, 0"),
}
FENCES = {"subgroup": "subgroup.mem_fence(%f);", "block": "block.mem_fence(%f);", "device": "grid.mem_fence(%f);",
          "system": "grid.mem_fence(%f, scope = system);"}

QDK = """kernel %s(buf: u32[]) block(256) assume_in_bounds("the test runs nothing") {
  shared posts: u64[256];
  shared words: u32[256];
  let t = block.thread_idx();
  let a = buf[t + 1024];
  buf[t + 2048] = t;
  posts[t] = 7;
  %s
  let c = posts[t ^ 1];
  let b = buf[t + 1024];
  buf[t + 2048] = a + b + r + u32(c) + u32(c >> 32);
}
"""

LL = """define amdgpu_kernel void @%s(ptr addrspace(1) %%p) #0 {
  %%t = call range(i32 0, 256) i32 @llvm.amdgcn.workitem.id.x()
  %%a1 = getelementptr i32, ptr addrspace(1) %%p, i32 %%t
  %%a3 = getelementptr i32, ptr addrspace(3) @words, i32 %%t
  %%ql = getelementptr i8, ptr addrspace(1) %%a1, i64 4096
  %%qs = getelementptr i8, ptr addrspace(1) %%a1, i64 8192
  %%e = getelementptr i64, ptr addrspace(3) @posts, i32 %%t
  %%t1 = xor i32 %%t, 1
  %%f = getelementptr i64, ptr addrspace(3) @posts, i32 %%t1
  %%l = load i32, ptr addrspace(1) %%ql
  store i32 %%t, ptr addrspace(1) %%qs
  store i64 7, ptr addrspace(3) %%e
  %s
  %%c = load i64, ptr addrspace(3) %%f
  %%b = load i32, ptr addrspace(1) %%ql
  %%clo = trunc i64 %%c to i32
  %%chs = lshr i64 %%c, 32
  %%chi = trunc i64 %%chs to i32
  %%s1 = add i32 %%l, %%b
  %%s2 = add i32 %%s1, %%r
  %%s3 = add i32 %%s2, %%clo
  %%s4 = add i32 %%s3, %%chi
  store i32 %%s4, ptr addrspace(1) %%qs
  ret void
}
"""
LL_HEAD = """target triple = "amdgcn-amd-amdhsa"
@posts = internal addrspace(3) global [256 x i64] poison
@words = internal addrspace(3) global [256 x i32] poison
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
"""
LL_TAIL = """attributes #0 = { "amdgpu-flat-work-group-size"="256,256" }
!0 = !{}
"""


def combinations():
    """Yields the name, our text, and LLVM's text of each kernel."""
    for op, (orders, ours, llvm) in OPS.items():
        for space, array, n in (("global", "buf[t]", "1"), ("shared", "words[t]", "3")):
            for scope, sync in SCOPES.items():
                for order in orders:
                    o = ' syncscope("%s") ' % sync if sync else " "
                    o += ORDERS[order]
                    if op == "cas":
                        o += " acquire" if order in ("acquire", "acq_rel") else " monotonic"
                    yield (f"{op}_{space}_{scope}_{order}",
                           ours.replace("%a", array).replace("%o", f"order = {order}, scope = {scope}"),
                           llvm.replace("%m", NATIVE).replace("%n", n).replace("%a", "%a" + n).replace("%o", o))
    for scope, ours in FENCES.items():
        sync = f'syncscope("{SCOPES[scope]}") ' if SCOPES[scope] else ""
        for order in ("acquire", "release", "acq_rel"):
            yield (f"fence_{scope}_{order}", ours.replace("%f", f"order = {order}") + " let r = 0u;",
                   f"fence {sync}{order}\n  %r = add i32 0, 0")
    for scope, bar in (("block", "call void @llvm.amdgcn.s.barrier()\n  "), ("subgroup", "")):
        sync = f'syncscope("{SCOPES[scope]}") '
        yield (f"sync_{scope}", f"{scope}.sync(); let r = 0u;",
               f"fence {sync}release\n  {bar}fence {sync}acquire\n  %r = add i32 0, 0")


CACHE = re.compile(r"(buffer_(wbl2|inv|invl2|wbinvl1|wbinvl1_vol|gl0_inv|gl1_inv)|global_(wb|wbinv|inv)|s_barrier\w*)\b")
MEMORY = re.compile(r"(?:buffer|global|flat|scratch)_(load|store|atomic)|(ds)_\w+")
POLICY = re.compile(r"\b(glc|slc|dlc|scc|sc0|sc1|nt|scope:\w+|th:\w+)\b")
# An instruction that waits for two counters counts as two waits.
COUNTER = re.compile(r"\b(vmcnt|lgkmcnt)\(0\)")
SPLIT = re.compile(r"s_wait_(\w+?)cnt(?:_(\w+)cnt)? 0x0\b|s_wait_(\w+?)cnt(?:_(\w+)cnt)? 0$|s_waitcnt_vscnt (?:null|off), (?:0x)?0\b")
FIRST, LAST = re.compile(r"ds_(write|store)_b64\b"), re.compile(r"ds_(read|load)_b64\b")


def tokens(lines):
    """Returns the instructions between the two accesses of 64 bits to LDS."""
    out, waits, inside = [], set(), False
    for line in lines:
        line = re.sub(r"\s*(//|;|#).*", "", line).strip()
        if FIRST.match(line):
            inside = True
            continue
        if not inside:
            continue
        if LAST.match(line):
            return out + sorted(waits)
        if line.startswith("s_wait"):
            for m in COUNTER.finditer(line):
                waits.add("wait " + m.group(1))
            m = SPLIT.match(line)
            if m:
                waits.update("wait " + c + "cnt" for c in m.groups() if c)
                if "vscnt" in line:
                    waits.add("wait vscnt")
            continue
        cache, memory = CACHE.match(line), MEMORY.match(line)
        if not cache and not memory:
            continue
        policy = sorted(POLICY.findall(line))
        name = cache.group(1) if cache else memory.group(1) or memory.group(2)
        out += sorted(waits) + [" ".join([name] + policy)]
        waits = set()
    return None


def kernels_of(text, heads):
    found, name = {}, None
    for line in text.splitlines():
        m = heads.match(line)
        if m:
            name = m.group(1)
            found[name] = []
        elif name:
            found[name].append(line)
    return {k: tokens(v) for k, v in found.items()}


def run(*command):
    r = subprocess.run(command, capture_output=True, text=True)
    if r.returncode:
        sys.exit(f"memory_model: {' '.join(command)}: {r.stderr.strip()[:2000]}")
    return r.stdout


def llvm_says(llc, ll, target):
    """Runs llc, or takes its output from the suite's cache if llc and the text are the same."""
    command = [llc, "-O2", "-mcpu=" + target, "-mattr=+cumode", "-enable-misched=false",
               "-enable-post-misched=false", "-o", "-"]
    with open(ll) as f:
        text = f.read()
    st = os.stat(os.path.realpath(llc))
    folder = os.environ.get("QD_TEST_CACHE")
    key = hashlib.md5(repr((command, st.st_size, int(st.st_mtime), text)).encode()).hexdigest()
    path = folder and os.path.join(folder, "known", "mm-" + key)
    if path and os.path.exists(path):
        with open(path) as f:
            return f.read()
    said = run(*command, ll)
    if path:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + f".{os.getpid()}", "w") as f:
            f.write(said)
        os.rename(path + f".{os.getpid()}", path)
    return said


def differences(ours, llvm):
    """Returns the lines of a diff. The compared code begins after a ds_write."""
    out, last = [], {"+": "ds_write", "-": "ds_write"}
    for d in difflib.ndiff(llvm, ours):
        side, what = d[0], d[2:]
        if side == "?":
            continue
        sides = "+-" if side == " " else side
        if what.startswith("wait"):
            if side != " ":
                out.append(f"{side} {what} after {last[side]}")
            continue
        for x in sides:
            last[x] = what
        if side != " ":
            out.append(f"{side} {what}")
    return out


def main():
    args = sys.argv[1:]
    missing = args[:1] == ["--missing"]
    dis, *targets = args[missing:]
    llc = shutil.which("llc-22") or shutil.which("/usr/lib/llvm-22/bin/llc")
    if not llc:
        print("memory_model: SKIP: llc-22 is not installed")
        sys.exit(77)
    if not targets:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../isa/amd_abi.def")) as f:
            targets = re.findall(r"^AMD_TARGET\((gfx[^,]+),", f.read(), re.M)
    with tempfile.TemporaryDirectory() as folder:
        qdk, ll = os.path.join(folder, "k.qdk"), os.path.join(folder, "k.ll")
        all_of = list(combinations())
        with open(qdk, "w") as f:
            f.writelines(QDK % (name, ours) for name, ours, _ in all_of)
        with open(ll, "w") as f:
            f.write(LL_HEAD + "".join(LL % (name, llvm) for name, _, llvm in all_of) + LL_TAIL)

        def both(target):
            text = run(dis, "--no-addr", "--no-hex", "-t", target, qdk)
            if re.search(r"workgroup_processor_mode 1|tg_split 1", text):
                sys.exit(f"memory_model: {target}: a block is on more than one compute unit, but llc is configured for one")
            return (kernels_of(text, re.compile(r"^(\w+):$")),
                    kernels_of(llvm_says(llc, ll, target), re.compile(r"^(\w+):")))

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(both, targets))
    used, unknown, n_same, n_known = collections.Counter(), [], 0, 0
    for target, (ours, llvm) in zip(targets, answers):
        for name, *_ in all_of:
            a, b = ours.get(name), llvm.get(name)
            if a is None or b is None:
                sys.exit(f"memory_model: {target} {name}: no code found in {'ours' if a is None else 'llc'}")
            if missing:
                a = [x for x in a if not CACHE.match(x) or x.startswith("s_barrier")]
            diffs = differences(a, b)
            bad = []
            for d in diffs:
                row = next((i for i, (t, k, p, _) in enumerate(KNOWN)
                            if re.fullmatch(t, target) and re.fullmatch(k, name) and re.fullmatch(p, d)), None)
                if row is None:
                    bad.append(d)
                else:
                    used[row] += 1
            n_same += not diffs
            n_known += bool(diffs) and not bad
            if bad:
                unknown.append((target, name, bad, a, b))
    for target, name, bad, a, b in unknown[:40]:
        print(f"{target} {name}: {'; '.join(bad)}\n  ours: {' | '.join(a)}\n  llvm: {' | '.join(b)}")
    stale = [r for i, r in enumerate(KNOWN) if not used[i]]
    for r in stale if not missing and len(sys.argv) == 2 else []:
        print("a known difference that no longer exists:", r)
        unknown.append(r)
    for i, (t, k, p, why) in enumerate(KNOWN):
        print(f"{used[i]:6} {t} {k}: {p}: {why}")
    print(f"memory model: {len(targets)} targets, {len(all_of)} kernels of each: {n_same} as LLVM's, "
          f"{n_known} with known differences, {len(unknown)} failures")
    sys.exit(1 if unknown else 0)


main()
