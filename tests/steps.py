#!/usr/bin/env python3
"""steps.py [--undo] PAGE TREE: does to TREE what PAGE (docs/add-a-primitive.md) says.

A step is a sentence that ends in  **`FILE`**, behind `LINE`:  or  in place of
`LINE`:  and the code below it.  A line that is not found once is an error, and so is
code for C that no such sentence stands before, but for what says not-run.
--undo takes out what the steps would put behind a line, the last first.
"""
import re
import sys

STEP = re.compile(r"\*\*`([^`]+)`\*\*,\s+(behind|in\s+place\s+of)\s+`([^`]+)`:\s*\n\n```c[^\n]*\n(.*?)```\n", re.S)
CODE = re.compile(r"^```c(?! not-run)\b", re.M)


def apply(tree, undo, path, how, anchor, code):
    name = f"{tree}/{path}"
    with open(name) as f:
        lines = f.read().split("\n")
    at = [i for i, line in enumerate(lines) if anchor in line]
    if len(at) != 1:
        sys.exit(f"{path}: {len(at)} lines have '{anchor}'")
    i = at[0]
    new = code.rstrip("\n").split("\n")
    if undo:
        if how != "behind" or lines[i + 1 : i + 1 + len(new)] != new:
            sys.exit(f"{path}: behind '{anchor}' stands something else")
        del lines[i + 1 : i + 1 + len(new)]
    else:
        lines[i : i + 1] = [lines[i]] + new if how == "behind" else new
    with open(name, "w") as f:
        f.write("\n".join(lines))
    print(f"{path}: {len(new)} lines {'taken from ' if undo else ''}{how} '{anchor.strip()}'")


def main():
    undo = sys.argv[1] == "--undo"
    page, tree = sys.argv[1 + undo :]
    with open(page) as f:
        text = f.read()
    steps = STEP.findall(text)
    if not steps or len(steps) != len(CODE.findall(text)):
        sys.exit(f"{page}: {len(CODE.findall(text))} pieces of code, {len(steps)} steps were understood")
    for path, how, anchor, code in reversed(steps) if undo else steps:
        apply(tree, undo, path, how.split()[0], anchor, code)


main()
