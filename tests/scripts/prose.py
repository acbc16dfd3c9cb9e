#!/usr/bin/env python3
"""prose.py ROOT [--worst N]: checks that comments, pages and printed texts are plain technical English.

Two measures are taken: the percentage of sentences that open with a clause in place of a subject,
and the number of marker words per 1000 words. They are taken twice: of the comments of C, .def,
Python, shell and Meson files with the Markdown pages outside code, and of the string literals of
these files that are texts (is_text). LIMITS bounds both for the tree. In a single file at most 1 %
of the sentences may open with a clause. BRITISH spellings, two spaces between sentences and a page's heading
without a space after # are errors. docs/style.md has the rules.
--worst prints the sentences. QD_TEST_MUTATION=KIND adds sentences to a comment or a literal of a
file that ends with KIND, a British spelling, two spaces, or such a heading, which must be found."""
import argparse
import ast
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
    r"(?! (?:is|are|was|were|means|thread|of the|time|per|byte|element|bit|block|lane|entry|word|default|hand|copy|operand|rule|submission)\b)")
MARKERS = re.compile(
    r"\b(?:nobody|somebody|anybody|whoever|whom|thereby|wherein|likewise|untold|as it were|such a one|the own|of before"
    r"|behind (?:it|that|them|which)|(?:is|are) told|tells of|that of which|those that|by itself alone"
    r"|what is (?:known|told|asked|there|left|not)|what (?:stands|comes|follows|was|were)"
    r"|stands? (?:there|beside|behind|before|in|at|for)|who (?:is|has|wants|calls|gives|asks|never|reads|comes|left|takes|makes|only)"
    r"|alone (?:is|are|has|says|knows)|says (?:what|which|how|so|of)|so many|so long|comes? (?:by|to it)|goes? (?:by|with it))\b", re.I)
C_TOKEN = re.compile(r"/\*(.*?)\*/|//([^\n]*)|(\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')", re.S)
SHELL_STRING = re.compile(r"(?m)^\s*#.*$|\"((?:\\.|[^\"\\])*)\"|'([^']*)'")
MESON_STRING = re.compile(r"(?m)#[^\n]*$|'((?:\\.|[^'\\\n])*)'()")
# Parts of a literal that are replaced at run time.
FIELD = re.compile(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|\$\{[^}]*\}|\$\w+|\{[a-z_.]*\}")
PLAIN_WORD = re.compile(r"[\"'(]*[A-Za-z][a-z]*(?:[-'][a-z]+)*[\"').,;:!?]*$")
FUNCTION_WORD = re.compile(
    r"\b(?:the|an|is|are|was|were|be|has|have|not|no|of|to|in|on|at|by|for|from|with|without|and|or|than|that|which|who|what|must|may|can|cannot|does)\b", re.I)
# Kernels, assembler, patterns and command lines.
CODE = re.compile(r"[{}]|[\w)\]];\n|;$|\blet |->|==|&&|\|\||\[[a-z]+\]|\+=|<-|\$\(|^\s*-\w|\(\?|\\b")
# British spellings. The noun "analyses" is the same in both.
BRITISH = re.compile(
    r"behaviour|colour|favour|honour|labour|neighbour|flavour"
    r"|(?:initial|normal|optim|legal|recogn|organ|serial|synchron|special|general|minim|maxim|util|summar|parallel|vector|final"
    r"|canonical|material|random|quant|linear|token|custom|standard|visual)is(?:e[ds]?|ing|ation)\b"
    r"|\banalys(?:ed?|ing)\b|(?:model|label|cancel|signal|travel|marshal|level)l(?:ed|ing)\b|\bcentre|\bgrey\b|artefact|whilst|amongst", re.I)
HEADING_MARK = re.compile(r"(?m)^#+[^#\s].*$")
TWO_SPACES = re.compile(r"\S+[.!?]  (?=[A-Z`\"'(])")
C_FILES = (".c", ".h", ".def", ".cpp")
INJECTED = ["Who calls it is told what stands behind it.", "What nobody holds is freed."]


def comments(path, text):
    """Returns the comments of a file, or the paragraphs of a page."""
    if path.endswith(".md"):
        text = re.sub(r"(?s)```.*?```", "", text)
        return re.split(r"\n\s*\n|\||\n(?=[-*] |\d+\. )", re.sub(r"`[^`]*`", "x", text))
    if path.endswith(C_FILES):
        return [re.sub(r"\n\s*\*", "\n", m[1] or m[2] or "") for m in C_TOKEN.finditer(text) if not m[3]]
    found = re.finditer(r"(?m)^[ \t]*#(?!!)(.*(?:\n[ \t]*#(?!!).*)*)", text)
    texts = [re.sub(r"\n[ \t]*#", "\n", m[1]) for m in found]
    return texts + (re.findall(r"(?s)^[ \t]*\"\"\"(.*?)\"\"\"", text, re.M) if path.endswith(".py") else [])


def c_literals(text):
    """Returns the string literals of C. Adjacent ones are one."""
    found, end = [], None
    for m in C_TOKEN.finditer(text):
        if not m[3] or m[3][0] == "'":
            continue
        if end is not None and not text[end : m.start()].strip(" \t\n\\"):
            found[-1] += m[3][1:-1]
        else:
            found.append(m[3][1:-1])
        end = m.end()
    return found


def py_literals(text):
    """Returns the string literals of Python without docstrings. A field of an f-string is x."""
    nodes = list(ast.walk(ast.parse(text)))
    docs = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
    inner = {id(v) for n in nodes if isinstance(n, ast.JoinedStr) for v in n.values}
    found = ["".join(v.value if isinstance(v, ast.Constant) else "x" for v in n.values)
             for n in nodes if isinstance(n, ast.JoinedStr)]
    return found + [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)
                    and id(n) not in docs and id(n) not in inner]


def literals(path, text):
    if path.endswith((".md", "scripts/prose.py")):
        return []
    if path.endswith(C_FILES):
        return c_literals(text)
    if path.endswith(".py"):
        return py_literals(text)
    pattern = MESON_STRING if path.endswith("meson.build") else SHELL_STRING
    return [m[1] or m[2] for m in pattern.finditer(text) if m[1] or m[2]]


def is_text(literal):
    """Returns true if a literal is written for readers: at least four plain words, one of them a
    function word, which are most of its tokens, and nothing that only code contains."""
    words = literal.split()
    plain = sum(1 for w in words if PLAIN_WORD.match(w))
    return plain >= 4 and 10 * plain >= 6 * len(words) and bool(FUNCTION_WORD.search(literal)) and not CODE.search(literal)


def texts(path, text):
    """Returns the literals that are texts, with a capital, because a message may begin without one."""
    found = (FIELD.sub("x", s.replace("\\n", "\n").replace('\\"', '"')) for s in literals(path, text))
    return [s[:1].upper() + s[1:] for s in found if is_text(s)]


def sentences(block):
    block = re.sub(r"\s+", " ", re.sub(r"--+", " ", block)).strip(" -*#")
    return [s for s in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`(])", block) if len(s.split()) > 2]


def is_measured(path):
    return not EXCLUDED.search(path) and (path.endswith((*C_FILES, ".md", ".py", ".sh", "meson.build")) or path.startswith(".ci/"))


def mutate(path, text, kind):
    """Adds faults to one file: to a comment, to a literal of a kind of file, or a spelling."""
    if kind == "comment" and path == "src/qd.h":
        return text + "/* " + " ".join(INJECTED * 50) + " */"
    if kind == "spelling" and path == "src/qd.h":
        return text + "/* A signalled fence. */"
    if kind == "spaces" and path == "src/qd.h":
        return text + "/* Two spaces.  A sentence. */"
    if kind == "heading" and path == "README.md":
        return text + "\n#Streams\n"
    target = {".c": "src/base/log.c", ".def": "src/ir/diag.def", ".py": "tests/scripts/docs.py", ".sh": "bootstrap.sh",
              "meson.build": "tests/meson.build"}.get(kind)
    quote = '"%s",\n' if kind in (".c", ".def", ".sh") else "x = '%s'\n"
    return text + "\n" + "".join(quote % s for s in INJECTED * 50) if path == target else text


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("root")
    a.add_argument("--worst", type=int, default=0, metavar="N")
    a = a.parse_args()
    totals, bad, rc = {"comments": collections.Counter(), "literals": collections.Counter()}, [], 0
    kind = os.environ.get("QD_TEST_MUTATION")
    for path in sorted(filter(is_measured, files(a.root))):
        with open(os.path.join(a.root, path), encoding="utf-8", errors="replace") as f:
            original = f.read()
        text = mutate(path, original, kind)
        if kind and text == original:  # only the changed file is measured
            continue
        for m in BRITISH.finditer(text) if not path.endswith(("scripts/prose.py", "scripts/names.py")) else ():
            print(f"prose: {path}:{text.count(chr(10), 0, m.start()) + 1}: '{m[0]}' is British; use the American spelling")
            rc = 1
        if path.endswith(".md"):
            for m in HEADING_MARK.finditer(re.sub(r"(?s)```.*?```", "", text)):
                print(f"prose: {path}: the heading '{m[0]}' needs a space after #")
                rc = 1
        written = comments(path, text)
        for m in (m for block in written for m in TWO_SPACES.finditer(block)):
            print(f"prose: {path}: two spaces follow '{m[0].strip()}'; one space separates sentences")
            rc = 1
        for measure, blocks in (("comments", written), ("literals", texts(path, text))):
            here = collections.Counter()
            for s in (s for block in blocks for s in sentences(block)):
                clause, markers = bool(OPENING.match(s)), len(MARKERS.findall(s))
                here.update(sentences=1, words=len(s.split()), clauses=clause, markers=markers)
                if clause or markers:
                    bad.append((2 * clause + markers, path, s))
            if here["clauses"] * 100 > LIMITS["file"] * here["sentences"]:
                print(f"prose: {path}: {here['clauses']} of {here['sentences']} sentences of {measure} open with a clause")
                rc = 1
            totals[measure] += here
    for _, path, s in sorted(bad, key=lambda b: -b[0])[: a.worst or 10 * rc]:
        print(f"  {path}: {s[:200]}")
    for measure, n in totals.items():
        clauses, markers = 100 * n["clauses"] / max(1, n["sentences"]), 1000 * n["markers"] / max(1, n["words"])
        print(f"{measure}: {n['sentences']} sentences, {clauses:.2f} % open with a clause, {markers:.2f} marker words per 1000")
        rc = rc or int(clauses > LIMITS["clauses"] or markers > LIMITS["markers"])
    sys.exit(rc)


main()
