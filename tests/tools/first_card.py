"""first_card.py BUILD SOURCE INJECTED: follows docs/amdgpu-first-card.md on the fake of
tests/amdgpu_fake.

The page's commands run and print what it shows; its table lists the bring-up steps in their order; each
row of both tables shows the output when that step or part fails on the fake."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
from docs import blocks_of, matches  # noqa: E402

PAGE = "docs/amdgpu-first-card.md"
# How each step is made to fail: words for the fake, or the number of a kernel whose result
# conform-injected changes.
STEPS = {
    "open": "fail=drmOpenRender:2:13", "memory": "fail=amdgpu_bo_alloc:1:12", "idle": "job=1:62:guilty",
    "write": "job=2:62:guilty", "caches": "job=3:62:guilty", "end": "job=4:62:guilty", "constant": 1,
    "ids": "gpu=gfx942 dies=8", "ids3": "job=7:62:guilty", "shared": "job=8:62:guilty", "chain": 6, "recode": 2,
    "atomics": 7, "registers": 8, "flight": "job=17:62:guilty", "waves": 9, "copies": "job=20:62:guilty",
}
MISSING = ["no library", "fail=drmGetDevices2:0:2", "gpu=", "gpu=gfx1100 driver=radeon", "gpu=gfx1100 access=0", "gpu=gfx1100 rings=0"]
bad = []


def fail(text):
    print(text)
    bad.append(text)


def main():
    build, source, injected = (os.path.abspath(x) for x in sys.argv[1:4])
    tools = os.path.join(build, "src", "tools")
    driver = os.path.join(source, "tests", "scripts", "driver.sh")
    with open(os.path.join(source, PAGE)) as f:
        page = f.read()
    if os.environ.get("QD_TEST_MUTATION"):
        page = page.replace("200 blocks 25 stored", "200 blocks 24 stored")
    n = 0
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copytree(os.path.join(source, "docs", "examples"), os.path.join(tmp, "docs", "examples"))

        os.mkdir(os.path.join(tmp, "text"))
        with open(os.path.join(tmp, "text", "libdrm_amdgpu.so.1"), "w") as f:
            f.write("no library")

        def run(words, command):
            env = dict(os.environ, QD_FAKE_AMDGPU=words, VK_DRIVER_FILES="/none", VK_ICD_FILENAMES="/none",
                       PATH=tools + ":" + os.environ["PATH"], NO_COLOR="1")
            env.pop("LD_LIBRARY_PATH", None)
            # driver.sh searches for the fake relative to the command.
            line = [os.path.join(tools, command[0])] + command[1:] if "/" not in command[0] else command
            wrap = ["bash", driver, "fakeamd"] + line
            if words == "no library":
                wrap, env["LD_LIBRARY_PATH"] = line, os.path.join(tmp, "text")
            r = subprocess.run(wrap, cwd=tmp, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return r.returncode, r.stdout

        # The commands.
        for block in blocks_of(PAGE, page):
            if not block.has("run-by"):
                continue
            command, shown = block.text.split("\n", 1)
            words = [w.strip("'") for w in command[2:].split()]
            rc, got = run("", words)
            n += 1
            if rc or not matches(shown, got):
                fail(f"{block.where}: {command[2:]} ends with {rc} and prints\n{got}")
        for name in ("bringup.txt", "vote.txt"):
            n += 1
            path = os.path.join(tmp, name)
            if not os.path.exists(path) or "17 copies    ok" not in open(path).read():
                fail(f"{name} does not contain the bring-up steps")

        # The tables.
        def rows(heading):
            part = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
            return [[c.strip() for c in line.strip("|").split("|")] for line in part.split("\n") if line.startswith("| `")]

        missing = rows("Missing devices")
        if len(missing) != len(MISSING):
            fail(f"{len(missing)} rows of missing devices, {len(MISSING)} are tried")
        for (shown, *_), words in zip(missing, MISSING):
            n += 1
            got = run(words, ["qd-info"])[1]
            text = shown.strip("`")
            if text not in got:
                fail(f"'{text}' is not the output of qd-info with {words}:\n{got}")
        steps = rows("Failing steps")
        names = [line.split()[1] for line in run("", ["qd-conform", "--list", "--bringup"])[1].strip().split("\n")]
        if [s[0].strip("`") for s in steps] != names:
            fail(f"the page's steps are {[s[0] for s in steps]}, the bring-up steps are {names}")
        for name, shown, _ in steps:
            name, text = name.strip("`"), shown.strip("`")
            how = STEPS[name]
            n += 1
            if isinstance(how, int):
                os.environ["QD_TEST_MUTATION"] = str(how)
                rc, got = run("strict=0", [injected, "-d", "amdgpu", "--bringup"])
                del os.environ["QD_TEST_MUTATION"]
            else:
                rc, got = run("strict=0 " + how, ["qd-conform", "-d", "amdgpu", "--bringup"])
            first = re.search(r"^ *\d+ (\w+) +failed", got, re.M)
            if rc != 1 or not first or first.group(1) != name or text not in got:
                fail(f"{name}: '{text}' is not the output with {how}: exit {rc}\n{got}")
    print(f"first card: {n} checks, {len(bad)} failed")
    sys.exit(1 if bad else 0)


main()
