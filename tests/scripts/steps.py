#!/usr/bin/env python3
"""steps.py [--undo] [--steps FIRST-LAST] PAGE TREE: applies the steps of PAGE
(docs/add-a-primitive.md) to TREE.

A step is a sentence that ends in  **`FILE`**, after `LINE`:  or  in place of
`LINE`:  or  a new file:  and the C, meson or shell code below it. Errors are: a line that does not occur exactly
once, a new file that exists already, and code without such a sentence, unless it says not-run.
--undo removes what the steps would insert after a line, the last step first.
--steps 1-4 applies only the first four.
"""
import os
import re
import sys

STEP = re.compile(r"\*\*`([^`]+)`\*\*,\s+(?:(after|in\s+place\s+of)\s+`([^`]+)`|(a\s+new\s+file)):\s*\n\n"
                  r"```(?:c|meson|sh(?= run-by))[^\n]*\n(.*?)```\n", re.S)
CODE = re.compile(r"^```(?:(?:c|meson)(?! not-run)|sh(?= run-by))\b", re.M)


def create(tree, undo, path, code):
    name = f"{tree}/{path}"
    if undo or os.path.exists(name):
        sys.exit(f"{path}: {'--undo cannot remove a new file' if undo else 'exists already'}")
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w") as f:
        f.write(code)
    print(f"{path}: {len(code.splitlines())} lines, a new file")


def apply(tree, undo, path, how, anchor, code):
    name = f"{tree}/{path}"
    with open(name) as f:
        lines = f.read().split("\n")
    at = [i for i, line in enumerate(lines) if anchor in line]
    if len(at) != 1:
        sys.exit(f"{path}: '{anchor}' occurs in {len(at)} lines, not in one")
    i = at[0]
    new = code.rstrip("\n").split("\n")
    if undo:
        if how != "after" or lines[i + 1 : i + 1 + len(new)] != new:
            sys.exit(f"{path}: '{anchor}' is not followed by the text of the step")
        del lines[i + 1 : i + 1 + len(new)]
    else:
        lines[i : i + 1] = [lines[i]] + new if how == "after" else new
    with open(name, "w") as f:
        f.write("\n".join(lines))
    print(f"{path}: {len(new)} lines {'removed ' if undo else ''}{how} '{anchor.strip()}'")


def main():
    args = sys.argv[1:]
    undo = args[0] == "--undo"
    args = args[undo:]
    first, last = 1, None
    if args[0] == "--steps":
        first, last = map(int, args[1].split("-"))
        args = args[2:]
    page, tree = args
    with open(page) as f:
        text = f.read()
    steps = STEP.findall(text)
    if not steps or len(steps) != len(CODE.findall(text)) or (last or 1) > len(steps):
        sys.exit(f"{page}: {len(CODE.findall(text))} blocks of code, but {len(steps)} steps")
    steps = steps[first - 1 : last]
    for path, how, anchor, new, code in reversed(steps) if undo else steps:
        if new:
            create(tree, undo, path, code)
        else:
            apply(tree, undo, path, how.split()[0], anchor, code)


main()
