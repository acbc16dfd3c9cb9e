#!/usr/bin/env python3
"""primitive.py PAGE TREE: does to TREE what PAGE (docs/add-a-primitive.md) says.

A step is a sentence that ends in  **`FILE`**, behind `LINE`:  or  in place of
`LINE`:  and the code below it.  A line that is not found once is an error.
"""
import re
import sys

STEP = re.compile(r"\*\*`([^`]+)`\*\*,\s+(behind|in\s+place\s+of)\s+`([^`]+)`:\s*\n\n```c[^\n]*\n(.*?)```\n", re.S)


def apply(tree, path, how, anchor, code):
    name = f"{tree}/{path}"
    with open(name) as f:
        lines = f.read().split("\n")
    at = [i for i, line in enumerate(lines) if anchor in line]
    if len(at) != 1:
        sys.exit(f"{path}: {len(at)} lines have '{anchor}'")
    i = at[0]
    new = code.rstrip("\n").split("\n")
    lines[i : i + 1] = [lines[i]] + new if how == "behind" else new
    with open(name, "w") as f:
        f.write("\n".join(lines))
    print(f"{path}: {len(new)} lines {how} '{anchor.strip()}'")


def main():
    with open(sys.argv[1]) as f:
        steps = STEP.findall(f.read())
    if len(steps) < 8:
        sys.exit(f"only {len(steps)} steps were understood")
    for path, how, anchor, code in steps:
        apply(sys.argv[2], path, how.split()[0], anchor, code)


main()
