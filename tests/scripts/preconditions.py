#!/usr/bin/env python3
"""preconditions.py SOURCE: the table of preconditions in docs/semantics.md equals the rows of
tests/unit/diag/t_precondition.c, each of which is run. Each finding of the interpreter and each
code on the page has a row. --write rewrites the page's table."""
import glob
import os
import re
import sys

source = sys.argv[-1]
PAGE = os.path.join(source, "docs/semantics.md")
HEAD = "| precondition | report |\n|---|---|\n"
bad = 0


def read(path):
    with open(os.path.join(source, path), encoding="utf-8") as f:
        return f.read()


def wrong(text):
    global bad
    bad = 1
    print(f"preconditions: {text}", file=sys.stderr)


def plain(says):
    """Returns the page's form: E0216 of "[E0216]", or a sentence in backquotes."""
    m = re.fullmatch(r"\[([EW]\d{4})\]", says)
    return m.group(1) if m else "`" + says.strip(" :").removesuffix(": lane") + "`"


rows = {}
for what, says in re.findall(r'^\tROW\("([^"]*)", "([^"]*)"', read("tests/unit/diag/t_precondition.c"), re.M):
    said = rows.setdefault(what, [])
    if plain(says) not in said:
        said.append(plain(says))
table = HEAD + "".join(f"| {what} | {', '.join(said)} |\n" for what, said in rows.items())
page = read("docs/semantics.md")
start = page.index(HEAD) if HEAD in page else -1
end = page.find("\n\n", start) + 1
if start < 0:
    wrong(f"docs/semantics.md has no table {HEAD.splitlines()[0]}")
elif "--write" in sys.argv:
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page[:start] + table + page[end:])
else:
    for line in sorted(set(page[start:end].splitlines()) ^ set(table.splitlines())):
        wrong(f"only in {'the tests' if line in table else 'docs/semantics.md'}: {line}")

# The interpreter's findings: undefined values, and the others.
everything = read("tests/unit/diag/t_precondition.c")
says = re.findall(r'^\tROW\("[^"]*", "([^"]*)"', everything, re.M)
# Codes that no kernel text can cause, with the tests that do.
ELSEWHERE = {"E0328": "tests/unit/diag/diag_build.c", "E0502": "tests/unit/diag/diag_pass.c"}
n_said = 0
for path in sorted(glob.glob(os.path.join(source, "runtime/ref/*.c"))):
    text = re.sub(r'"\s*"', "", read(os.path.relpath(path, source)))
    for what in re.findall(r'interp_use\([^;]*"([^"]*)"\)', text):
        n_said += 1
        if f'"{what} is undefined"' not in everything:
            wrong(f"{os.path.basename(path)}: no row has '{what} is undefined'")
    for form in re.findall(r'interp_report\(w, [^"]*"([^"]*)"', text):
        n_said += 1
        pieces = [p.strip() for p in re.split(r"%[.*l]*[a-z]", form) if len(p.strip()) > 8]
        if pieces and not any(p in w or w.strip(" :") in p for p in pieces for w in says):
            wrong(f"{os.path.basename(path)}: no row has any of {pieces}")
named = set(re.findall(r"[EW]0[1-5]\d\d", page))
for code in sorted(named):
    if f'"[{code}]"' not in everything and f"[{code}]" not in read(ELSEWHERE.get(code, "COPYING")):
        wrong(f"docs/semantics.md names {code}, which no row provokes")
print(f"{len(rows)} preconditions, {n_said} findings and remarks, {len(named)} codes")
sys.exit(bad)
