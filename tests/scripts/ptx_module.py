#!/usr/bin/env python3
"""ptx_module.py QD-DIS QD-RUN ROOT: `qd-dis -t ptx:sm_NN FILE` prints the kernels of every example as one PTX module.

The text has one .version, the highest that any of the kernels needs, and all kernels in the order of the file. A note says
if their constant tables are too large for one module.
ptxas, if it is on the PATH, assembles it. The text with --no-source and with --live is checked too. LATER is a file
whose kernels need different versions.

QD_TEST_MUTATION: the second kernel of LATER gets a separate head; the test must fail."""
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TARGETS = [50, 70, 80, 90]
DIS, RUN, ROOT = sys.argv[1:]
LATER = """qdk 2;
kernel plain(dst: out u32[]) block(64) { for i in grid(dst.len) { dst[i] = i; } }
kernel sleeps(dst: out u32[]) block(64) { nvvm.nanosleep(20); for i in grid(dst.len) { dst[i] = i; } }
kernel plainer(dst: out u32[]) block(64) { for i in grid(dst.len) { dst[i] = 1; } }
"""
TABLES = (f"const A: u32[] = [{', '.join('1' for _ in range(9000))}];\n"
          "kernel first(a: u32[]) block(64) { for i in grid(a.len) { a[i] = A[a[i]]; } }\n"
          "kernel second(a: u32[]) block(64) { for i in grid(a.len) { a[i] = A[a[i]] + 1; } }\n")
FAULT = os.environ.get("QD_TEST_MUTATION")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def kernels(path):
    """Returns the kernels of a file: (name, options with a value of each template parameter)."""
    out = []
    for k in json.loads(run(RUN, "--list", "--json", path).stdout)["kernels"]:
        values = {t["name"]: t["types"][0] if "types" in t else t["lo"] for t in k["templates"]}
        out.append((k["name"], [f"-D{name}={value}" for name, value in values.items()]))
    return out


def version(text):
    found = re.findall(r"^\.version (\d+)\.(\d+)$", text, re.M)
    return [(int(major), int(minor)) for major, minor in found]


def assemble(ptxas, arch, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        done = run(ptxas, f"-arch=sm_{arch}", "-o", os.path.join(folder, "k.cubin"), path)
        return (done.stdout + done.stderr).strip()


def check(path, sm, ptxas, arch):
    """Returns the errors for a file and a target."""
    single = []
    for name, values in kernels(path):
        done = run(DIS, "-t", f"ptx:sm_{sm}", "-k", name, *values, path)
        if done.returncode:
            return [f"{name}: {done.stderr.strip()}"]
        single.append((name, values, version(done.stdout)[0]))
    names = [name for name, _, _ in single]
    values = sorted({v for _, own, _ in single for v in own})
    head = max(v for _, _, v in single)
    errors = []
    for option in [], ["--no-source"], ["--live"]:
        done = run(DIS, "-t", f"ptx:sm_{sm}", *option, *values, path)
        text = done.stdout
        if FAULT:
            at = text.rfind(".visible .entry")
            text = text[:at] + ".version 7.0\n" + text[at:]
        what = " ".join([os.path.basename(path), f"sm_{sm}", *option])
        if done.returncode:
            errors.append(f"{what}: {done.stderr.strip()}")
        elif re.findall(r"^\.visible \.entry (\w+)", text, re.M) != names:
            errors.append(f"{what}: the kernels are not {names}")
        elif version(text) != [head]:
            errors.append(f"{what}: .version {version(text)}, not once {head}")
        elif ptxas and assemble(ptxas, arch, text):
            errors.append(f"{what}: ptxas: {assemble(ptxas, arch, text)}")
    return errors


def check_tables(path, ptxas, arch):
    """Checks the note about tables that are too large together, and that each kernel alone is accepted."""
    note = "note: the tables of the kernels have 72000 bytes, and ptxas accepts 65536 in a module; choose kernels with -k"
    errors = [] if note in run(DIS, "-t", "ptx:sm_90", path).stderr else ["large tables: there is no note"]
    for name in "first", "second":
        done = run(DIS, "-t", "ptx:sm_90", "-k", name, path)
        wrong = done.stderr or (assemble(ptxas, arch, done.stdout) if ptxas else "")
        errors += [f"large tables, {name}: {wrong.strip()}"] if wrong else []
    return errors


def main():
    ptxas = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
    known = sorted(int(n) for n in re.findall(r"'sm_(\d+)'", run(ptxas, "--help").stdout)) if ptxas else []
    folder = tempfile.TemporaryDirectory()
    later = os.path.join(folder.name, "later.qdk")
    with open(later, "w", encoding="utf-8") as f:
        f.write(LATER)
    files = [later] if FAULT else [later] + sorted(glob.glob(os.path.join(ROOT, "docs/examples/*.qdk")))
    work = [(f, sm, ptxas, min((a for a in known if a >= sm), default=0)) for f in files for sm in TARGETS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for found in pool.map(lambda w: check(*w), work) for e in found]
    large = os.path.join(folder.name, "tables.qdk")
    with open(large, "w", encoding="utf-8") as f:
        f.write(TABLES)
    errors += check_tables(large, ptxas, min((a for a in known if a >= 90), default=0))
    for e in errors[:10]:
        print("ptx_module:", e, file=sys.stderr)
    print(f"{len(files)} files for {len(TARGETS)} targets, {len(errors)} errors" + ("" if ptxas else "; ptxas is not installed"))
    return bool(errors) or not files


if __name__ == "__main__":
    sys.exit(main())
