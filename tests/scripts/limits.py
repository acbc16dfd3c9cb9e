#!/usr/bin/env python3
"""limits.py [--write] SOURCE: the table of limits in docs/language.md equals the rows below, with
the values of the constants in the headers. --write rewrites the page's table."""
import os
import re
import sys

source = sys.argv[-1]
PAGE = os.path.join(source, "docs/language.md")
HEADERS = "src/base/base.h", "src/ir/ir.h", "src/lang/lang.h", "src/lang/lower.h"
HEAD = "| item | limit |\n|---|---|\n"
ROWS = (  # {NAME} is a constant's value, {NAME:bytes} a number of bytes
    ("bytes of a file, ASCII outside comments", "{MAX_SOURCE:bytes}"),
    ("nesting of blocks, parentheses, calls", "{MAX_DEPTH}"),
    ("nesting of expressions and blocks, with those of the constants that they name", "{MAX_LOWER_DEPTH}"),
    ("nesting of functions that call each other", "{MAX_CALLS}"),
    ("nesting of constructs in a kernel, after inlining", "{MAX_NEST}"),
    ("arms of an `if`", "{MAX_ARMS}"),
    ("kernels and instantiations of a file", "{LIMIT_KERNELS}"),
    ("statements of a kernel, unrolled and inlined", "{MAX_STATEMENTS}"),
    ("instructions of a kernel", "{MAX_INS}"),
    ("parameters of a kernel", "{MAX_PARAM}, and the limit of a Vulkan device"),
    ("template parameters", "{MAX_TMPL}"),
    ("choices of a template parameter that lists them", "{MAX_CHOICES}"),
    ("names or values on one side of an assignment, results of a function", "{MAX_VALUES}"),
    ("values of an operator of a generic reduction or scan", "{MAX_YIELD}"),
    ("values of a `print`", "{MAX_PRINT}"),
    ("steps of the count of a grid loop", "{MAX_GRID_STEPS}"),
    ("shared arrays and tables of a kernel", "{MAX_ARRAYS}"),
    ("elements of a shared array", "{MAX_SHARED}"),
    ("bytes of all tables of a kernel", "{MAX_TABLES}"),
    ("bytes of all shared arrays of a kernel", "{LIMIT_SHARED:bytes}, and the target's own limit"),
    ("groups of `cp_async` that a wait leaves pending", "{MAX_COPY_GROUPS}"),
    ("bytes of a name", "{MAX_NAME}"),
    ("threads of a block", "{MAX_BLOCK}, and the target's own limit"),
    ("errors that one parse reports", "{MAX_ERRORS}"),
)


def constants():
    """Returns the values of the enumerators that the headers give as expressions."""
    values = {}
    for path in HEADERS + ("src/ir/build.h",):
        with open(os.path.join(source, path), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for name, says in re.findall(r"\b((?:MAX|LIMIT)_[A-Z]\w*) = ([\w <*+-]+?)\s*[,}]", text):
            names = set(re.findall(r"[A-Z_]\w*", says))
            if names <= values.keys():
                values[name] = eval(says, {"__builtins__": {}}, dict(values))
    return values


def filled(text, values):
    def value(m):
        n = values[m.group(1)]
        if not m.group(2):
            return f"{n:,}".replace(",", " ") if n >= 100000 else str(n)
        return f"{n >> 20} MiB"

    return re.sub(r"\{(\w+)(:bytes)?\}", value, text)


values = constants()
table = HEAD + "".join(f"| {what} | {filled(limit, values)} |\n" for what, limit in ROWS)
with open(PAGE, encoding="utf-8") as f:
    page = f.read()
start = page.find(HEAD)
end = start + len(re.match(r"(?:\|.*\n)*", page[start:]).group(0))
if start < 0:
    sys.exit(f"limits: docs/language.md has no table {HEAD.splitlines()[0]}")
if "--write" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page[:start] + table + page[end:])
    sys.exit(0)
wrong = sorted(set(page[start:end].splitlines()) ^ set(table.splitlines()))
for line in wrong:
    print(f"limits: only in {'the constants' if line in table else 'docs/language.md'}: {line}", file=sys.stderr)
print(f"{len(ROWS)} limits")
sys.exit(bool(wrong))
