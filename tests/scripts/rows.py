#!/usr/bin/env python3
"""rows.py SOURCE QD_CONFORM: tests/cases/rows.txt lists each row of the tables of docs/semantics.md
once, with the cases of qd-conform that check it or a reason why none does. Each named case must
exist."""
import os
import re
import subprocess
import sys

source, conform = sys.argv[1:3]
SKIP = {"Results of each primitive", "Errors, findings and remarks", "Preconditions"}
bad = 0


def wrong(text):
    global bad
    bad = 1
    print(f"rows: {text}", file=sys.stderr)


def page_rows():
    """Yields "heading | first cells" of each row below a table's head. Skips rows whose first cell
    is empty."""
    section, head, listing = "", True, False
    for line in open(os.path.join(source, "docs/semantics.md"), encoding="utf-8"):
        listing ^= line.startswith("```")
        if listing:
            continue
        if m := re.match(r"#+ (.*)", line):
            section = m.group(1)
        if not line.startswith("|"):
            head = True
            continue
        first = re.split(r"(?<!\\)\|", line)[1].strip()
        if re.fullmatch(r"-+", first):
            head = False
        elif not head and section not in SKIP:
            yield f"{section} | {first}"


def listed():
    for number, line in enumerate(open(os.path.join(source, "tests/cases/rows.txt"), encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if not line or line.startswith("#"):
            continue
        row, sep, what = line.partition(" => ")
        if not sep or not what.strip():
            wrong(f"line {number} names no case and no reason: {line}")
        yield number, row, what.strip()


cases = set(subprocess.run([conform, "--list"], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout.split("\n")) - {""}
families = {c.split("/")[0] for c in cases}
wanted = list(page_rows())
for row in sorted({r for r in wanted if wanted.count(r) > 1}):
    wrong(f"docs/semantics.md has two rows '{row}'")
seen, used, reasons = set(), set(), 0
for number, row, what in listed():
    if row in seen:
        wrong(f"line {number}: '{row}' stands twice")
    seen.add(row)
    if row not in wanted:
        wrong(f"line {number}: docs/semantics.md has no row '{row}'")
    if what.startswith("-- "):
        reasons += 1
        continue
    for case in what.split(", "):
        used.add(case)
        if case not in cases and not (case.endswith("/*") and case[:-2] in families):
            wrong(f"line {number}: qd-conform has no case '{case}'")
for row in wanted:
    if row not in seen:
        wrong(f"no line for '{row}'")
for case in sorted(cases):
    if case not in used and case.split("/")[0] + "/*" not in used:
        wrong(f"no row of docs/semantics.md names the case '{case}'")
print(f"{len(wanted)} rows, {reasons} of them without a case, {len(cases)} cases")
sys.exit(bad)
