#!/usr/bin/env python3
"""depth.py SOURCE: every recursion in the readers of files counts its depth.

Builds the call graph of the readers from their source text, and removes the functions that call
depth_enter or one of its wrappers (WRAPPERS). If the remaining graph has a cycle, a file can nest
deeper than the stack, and the test fails. A mention of a function is treated as a call, so the
graph includes function pointers."""
import glob
import os
import re
import sys

READERS = ["src/tools/common/demangle*.c", "src/tools/dis/dis_*.c", "src/tools/aot/aot_*.c", "src/tools/run/run_*.c",
           "src/tools/common/npy.c", "src/tools/common/value.c", "src/tools/common/image_file.c", "jit/*.c", "jit/*/*.c", "isa/spirv/dis.c",
           "isa/amdgcn/text/*.c", "runtime/emu/ptx/*.c", "src/lang/*.c", "src/ir/read.c"]
# Tree walks: the .qdk parser limits the depth of the tree (MAX_DEPTH).
TREES = {"weight", "span", "has_grid", "is_text", "adapt_is", "depends"}
# Depth limited by a constant table: patterns of names, levels of operator precedence; by the number of files that a
# module imports (MAX_FILES).
FIXED = {"look", "binary", "parse_binary", "import", "read_file", "read_import"}
# Wrappers of depth_enter that also report the error.
WRAPPERS = {"parse_enter", "lower_deeper"}


def strip(text):
    """Removes comments, strings, character constants and directives, but no lines."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"'(?:\\.|[^'\\\n])+'", "0", text)
    return re.sub(r"^[ \t]*#(?:\\\n|.)*", lambda m: "\n" * m[0].count("\n"), text, flags=re.M)


def definitions(path):
    """Returns (name, is static, body) of each function, whose braces must be in column 0."""
    with open(path, encoding="utf-8") as f:
        text = strip(f.read())
    pattern = r"^((?:[A-Za-z_][^;{}=()]*?\s)?\**)([a-z_]\w*)\(([^;{}]*?)\)\s*\n\{\n(.*?)^\}"
    return [(m[2], "static" in m[1], m[4]) for m in re.finditer(pattern, text, flags=re.M | re.S)]


def call_graph(files):
    body, shared = {}, {}
    for path in files:
        for name, static, text in definitions(path):
            body[path, name] = text
            if not static:
                shared[name] = path, name
    edges, entering = {}, {}
    for (path, name), text in body.items():
        words = re.findall(r"(?<![\w.>])(?<!struct )([a-z_]\w*)\s*(?=[(,);])", text)
        edges[path, name] = {(path, w) if (path, w) in body else shared.get(w) for w in words} - {None}
        entering[path, name] = "depth_enter" in words
    wrappers = {f for f in body if entering[f] and f[1] in WRAPPERS}
    counting = {f for f in body if entering[f] or edges[f] & wrappers}
    return edges, counting


def cycles(edges):
    """Returns the strongly connected components with a cycle (Tarjan's algorithm without recursion)."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(sorted(edges[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            v, rest = work[-1]
            w = next(rest, None)
            if w is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[v])
                if low[v] == index[v]:
                    part = [stack.pop()]
                    while part[-1] != v:
                        part.append(stack.pop())
                    on.difference_update(part)
                    if len(part) > 1 or v in edges[v]:
                        found.append(sorted(part))
            elif w not in index:
                index[w] = low[w] = len(index)
                stack.append(w)
                on.add(w)
                work.append((w, iter(sorted(edges[w]))))
            elif w in on:
                low[v] = min(low[v], index[w])
    return found


def main():
    top = sys.argv[1]
    files = sorted(f for p in READERS for f in glob.glob(os.path.join(top, p)))
    edges, counting = call_graph(files)
    recursive = {f for part in cycles(edges) for f in part}
    if "QD_TEST_MUTATION" in os.environ:
        counting = {f for f in counting if f[1] != "template_arg"}
    rest = {f: {g for g in to if g not in counting} for f, to in edges.items() if f not in counting}
    bad = 0
    for part in cycles(rest):
        if part[0][1] in TREES and len(part) == 1 or all(f[1] in FIXED for f in part):
            continue
        bad += 1
        print("depth: a recursion that does not call depth_enter:", file=sys.stderr)
        for path, name in part:
            print(f"    {os.path.relpath(path, top)}: {name}", file=sys.stderr)
    if len(recursive) < 50:
        print(f"depth: only {len(recursive)} recursive functions were found; the pattern no longer fits", file=sys.stderr)
        bad += 1
    print(f"depth: {len(edges)} functions of {len(files)} files, {len(recursive)} of them recursive, "
          f"{len(counting & recursive)} of these count their depth")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
