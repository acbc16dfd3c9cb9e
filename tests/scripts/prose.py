#!/usr/bin/env python3
"""prose.py ROOT [--worst N]: checks that comments, pages and messages are plain technical English.

Two measures are taken of the comments of C, .def, Python, shell and Meson files, the strings of
src/ir/diag.def and the Markdown pages outside code: the percentage of sentences that open with a
clause in place of a subject, and the number of marker words per 1000 words.  LIMITS bounds both for
the tree.  In a single file at most 1 % of the sentences may open with a clause.  docs/style.md has
the rules.  --worst prints the sentences.  QD_TEST_MUTATION adds sentences that must be found."""
import argparse
import collections
import os
import re
import sys

from copy_tree import files

LIMITS = {"clauses": 0.3, "markers": 0.5, "file": 1.0}
# Texts that programs print or that must stay as they were recorded.
EXCLUDED = re.compile(r"(^|/)golden/|^docs/results/.*\.txt$|^COPYING$")
OPENING = re.compile(
    r"(?:What|Whatever|Who|Whoever|Whose|Whom|Of|That|Those|By|One|Nobody|Somebody|Where nothing|Where nobody|So much|So long|As it|Which)\b"
    r"(?! (?:is|are|was|were|means|thread|of the|time|per|byte|element|bit|block|lane|entry|word|default|hand)\b)")
MARKERS = re.compile(
    r"\b(?:nobody|somebody|anybody|whoever|whom|thereby|wherein|likewise|untold|as it were|such a one|the own|of before"
    r"|behind (?:it|that|them|which)|(?:is|are) told|tells of|that of which|those that|by itself alone"
    r"|what is (?:known|told|asked|there|left|not)|what (?:stands|comes|follows|was|were)"
    r"|stands? (?:there|beside|behind|before|in|at|for)|who (?:is|has|wants|calls|gives|asks|never|reads|comes|left|takes|makes|only)"
    r"|alone (?:is|are|has|says|knows)|says (?:what|which|how|so|of)|so many|so long|comes? (?:by|to it)|goes? (?:by|with it))\b", re.I)
C_TOKEN = re.compile(r"/\*(.*?)\*/|//([^\n]*)|(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')", re.S)
INJECTED = ["Who calls it is told what stands behind it.", "What nobody holds is freed."]


def blocks(path, text):
    """Returns the texts of a file that are written for readers."""
    if path.endswith(".md"):
        text = re.sub(r"(?s)```.*?```", "", text)
        return re.split(r"\n\s*\n|\||\n(?=[-*] |\d+\. )", re.sub(r"`[^`]*`", "x", text))
    if path.endswith((".c", ".h", ".def", ".cpp")):
        found = [m for m in C_TOKEN.finditer(text)]
        texts = [re.sub(r"\n\s*\*", "\n", m[1] or m[2] or "") for m in found if not m[3]]
        return texts + ([m[3][1:-1] for m in found if m[3]] if path.endswith("diag.def") else [])
    comments = re.finditer(r"(?m)^[ \t]*#(?!!)(.*(?:\n[ \t]*#(?!!).*)*)", text)
    texts = [re.sub(r"\n[ \t]*#", "\n", m[1]) for m in comments]
    return texts + (re.findall(r"(?s)^[ \t]*\"\"\"(.*?)\"\"\"", text, re.M) if path.endswith(".py") else [])


def sentences(block):
    block = re.sub(r"\s+", " ", re.sub(r"--+", " ", block)).strip(" -*#")
    return [s for s in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`(])", block) if len(s.split()) > 2]


def is_measured(path):
    return not EXCLUDED.search(path) and (
        path.endswith((".c", ".h", ".def", ".cpp", ".md", ".py", ".sh", "meson.build")) or path == ".ci/run")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("root")
    a.add_argument("--worst", type=int, default=0, metavar="N")
    a = a.parse_args()
    total, bad, rc = collections.Counter(), [], 0
    for path in sorted(filter(is_measured, files(a.root))):
        with open(os.path.join(a.root, path), encoding="utf-8", errors="replace") as f:
            texts = blocks(path, f.read())
        if path == "src/qd.h" and os.environ.get("QD_TEST_MUTATION"):
            texts += INJECTED * 50
        here = collections.Counter()
        for s in (s for block in texts for s in sentences(block)):
            clause, markers = bool(OPENING.match(s)), len(MARKERS.findall(s))
            here.update(sentences=1, words=len(s.split()), clauses=clause, markers=markers)
            if clause or markers:
                bad.append((2 * clause + markers, path, s))
        if here["clauses"] * 100 > LIMITS["file"] * here["sentences"]:
            print(f"prose: {path}: {here['clauses']} of {here['sentences']} sentences open with a clause")
            rc = 1
        total += here
    for _, path, s in sorted(bad, key=lambda b: -b[0])[: a.worst or 10 * rc]:
        print(f"  {path}: {s[:200]}")
    clauses, markers = 100 * total["clauses"] / total["sentences"], 1000 * total["markers"] / total["words"]
    print(f"{total['sentences']} sentences, {clauses:.2f} % open with a clause, {markers:.2f} marker words per 1000")
    sys.exit(rc or clauses > LIMITS["clauses"] or markers > LIMITS["markers"])


main()
