#!/usr/bin/env python3
"""copy.py ROOT TREE: TREE becomes a copy of the files of ROOT that are the project's.  What is alike stays as it
is, so a build in TREE has only the rest to do; build folders of TREE stay, other files that ROOT has not go."""

import filecmp
import os
import shutil
import subprocess
import sys


def files(root):
    if os.path.exists(f"{root}/.git"):
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
        shutil.copyfile(old, new)  # as of now, for what is built from it
        shutil.copymode(old, new)


if __name__ == "__main__":
    main()
