"""prefix.py HEADER...: enumerators, macros, types and functions that a header exports must have its
module's prefix, in upper or lower case. Headers are read as text. The names that a table defines
are those that the macro before it generates; such a macro, which the table undefines, is not
exported."""
import re
import sys

PREFIX = re.compile(r"(GCN|AMDGCN)_|gcn_")
IGNORED = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*((?:\\\n|[^\n])*)", re.M)

# Each line has one name that must be found; the last line has none.
INJECTED = """
enum gcn_a { BAD_A, GCN_B };
enum gcn_b { GCN_A = 1, BAD_B = GCN_A << 1 };
enum gcn_c {
#define ROW(id) BAD_C##id,
#include "row.def"
};
#define BAD_D 1
static inline int bad_e(int gcn_x) { return x(gcn_x); }
unsigned bad_f(const struct gcn_t *t, unsigned v);
struct bad_g { int x; };
extern const int bad_h[3];
enum gcn_d { GCN_C }; struct gcn_e { enum gcn_d d; }; void gcn_f(struct gcn_e *e);
"""


def names_of(text):
    text = IGNORED.sub(" ", text)
    # A table undefines the macros before it and is replaced by the names that they generate.
    pending = []
    for kind, rest in DIRECTIVE.findall(text):
        macro = re.match(r"(\w*)(\([^)]*\))?\s*(.*)", rest, re.S)
        if kind == "define" and macro.group(2):
            pending.append((macro.group(1), macro.group(3).split("##")[0].strip(" ,")))
        elif kind == "define":
            yield macro.group(1)
        elif kind == "include":
            yield from (made for _, made in pending)
            pending = []
    yield from (name for name, _ in pending)
    text = DIRECTIVE.sub(" ", text)
    for tag, body in re.findall(r"\benum\b\s*(\w*)\s*\{([^}]*)\}", text):
        yield from filter(None, [tag])
        yield from re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"\([^()]*\)", "", body))
    # Depth 0: definitions of types, declarations.
    flat, depth = "", 0
    for c in text:
        depth += c == "{"
        flat += c if not depth else ""
        if c == "}":
            depth -= 1
            flat += ";" if not depth else ""
    for statement in flat.split(";"):
        statement = re.sub(r"\b(enum|struct)\s+(\w+)\s*$", r"\2", statement)
        called = re.search(r"(\w+)\s*(\(|\[|=|$)", statement.strip())
        if called and called.group(1) != "enum":
            yield called.group(1)


def wrong_in(text):
    return [name for name in names_of(text) if not PREFIX.match(name)]


def main():
    found = wrong_in(INJECTED)
    want = sorted(re.findall(r"\bbad_[a-h]\b|\bBAD_[A-D]", INJECTED))
    if sorted(found) != want:
        sys.exit(f"prefix.py: finds {sorted(found)} and not {want}")
    wrong = 0
    for path in sys.argv[1:]:
        with open(path, encoding="ascii") as f:
            names = wrong_in(f.read())
        wrong += len(names)
        if names:
            print(f"{path}: no prefix: {' '.join(names)}", file=sys.stderr)
    sys.exit(wrong != 0)


main()
