#!/usr/bin/env python3
"""copy_tree.py ROOT TREE: makes TREE a copy of the project's files in ROOT. Unchanged files are not
touched, so a build in TREE only compiles the rest. Build directories of TREE stay; other files that
ROOT lacks are removed."""

import filecmp
import os
import shutil
import subprocess
import sys


def files(root):
    if os.path.exists(f"{root}/.git") and shutil.which("git"):
        out = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True, capture_output=True).stdout
        return {f for f in out.decode().split("\0") if f and os.path.lexists(f"{root}/{f}")}
    return below(root)


def below(top):
    found = set()
    for path, dirs, names in os.walk(top):
        if path == top:
            dirs[:] = [d for d in dirs if not d.startswith("build") and d != ".git"]
        found |= {os.path.relpath(f"{path}/{n}", top) for n in names}
    return found


def main():
    root, tree = sys.argv[1:]
    want = files(root)
    os.makedirs(tree, exist_ok=True)
    for f in below(tree) - want:
        os.remove(f"{tree}/{f}")
    for f in want:
        old, new = f"{root}/{f}", f"{tree}/{f}"
        if os.path.isfile(new) and filecmp.cmp(old, new, shallow=False):
            continue
        os.makedirs(os.path.dirname(new), exist_ok=True)
        shutil.copyfile(old, new)  # with a new time, so that dependent files are rebuilt
        shutil.copymode(old, new)


if __name__ == "__main__":
    main()
