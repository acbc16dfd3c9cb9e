"""order.py ROOT: at most one operand of a call, operator or initializer may append instructions.

C does not specify the order in which operands are evaluated, so the order of the appended instructions would
depend on the compiler. A call appends if its first argument is one of HANDLES (`l`, `&l->w`, `l->b`) and its
function is not one of READERS. To fix a finding, assign the first operand's value to a variable before."""
import glob
import re
import sys

DIRECTORIES = "src/ir src/lang src/pass src/prim isa/spirv".split()
BUILT = "tests/cases"  # kernels that use the builder, handle `b`
HANDLES = "belmoqwx"
READERS = set("""append_is_const build_is_const is_const is_signed lg_ask lg_failed lg_native lg_two_words lg_type
lower_name prim_high_var prim_tile range_of rw_is_const rw_type sink_pos width""".split())
HANDLE = re.compile(rf"&?[{HANDLES}]|&[{HANDLES}](->|\.)[\w.]+|\w+(->|\.)b")
CONTROL = {"if", "while", "for", "switch"}
KEYWORDS = CONTROL | {"return", "sizeof", "do", "else", "case"}
IGNORED = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|->|&&|\|\||\S")
SEQUENCED = {";", "&&", "||", "?", ":"}
CLOSES = {"(": ")", "[": "]", "{": "}"}


# Each line of INJECTED has a finding; GOOD has none.
INJECTED = """
f(x) { return lg_bin(l, OP_ADD, lg_un(l, OP_NEG, a), lg_u32(l, 1)); }
f(x) { return (struct pair){ lg_u32(l, 0), x ? y : lg_u32(l, 1) }; }
f(x) { struct pair r = { .lo = rw_get(&l->w, v.lo), .hi = rw_get(&l->w, v.hi) }; }
f(x) { return size(m, n->b) + size(m, n->c); }
f(x) { v[any_index(b)] = qd_get(l->b, x); }
f(x) { if (c) { PUT(&m->body, Load, module_type(m, T_U32), id, module_u32(m, 1)); } }
"""
GOOD = """
f(x) { uint32_t a = lg_u32(l, 0), b = lg_u32(l, 1); return lg_op(l, op, lg_type(l, a), a, lg_u32(l, 2)); }
f(x) { if (is_zero(l, a)) return c ? lg_u32(l, 0) : lg_u32(l, 1); else set(l, lg_u32(l, 2)); }
f(x) { return left(l, a) && right(l, b); }
static struct pair choose(struct lg *l, struct pair a) { both(l, a); both(l, a); }
"""


class File:
    def __init__(self, path, text):
        text = IGNORED.sub(lambda m: "0" + "\n" * m.group().count("\n"), text)
        self.path, self.at, self.bad = path, 0, 0
        self.tokens, self.lines, line, end = [], [], 1, 0
        for m in TOKEN.finditer(text):
            line += text.count("\n", end, m.start())
            end = m.start()
            self.tokens.append(m.group())
            self.lines.append(line)

    def say(self, line):
        if self.path != "injected":
            print(f"{self.path}:{line}: the order of two operands is the compiler's choice")
        self.bad += 1

    def is_literal(self, opening, kind):
        """Returns whether the brace at `opening` begins an initializer, not a block."""
        before = self.tokens[opening - 1] if opening else ";"
        if before == ")":  # (type){ ... }, but not f(...) { ... }
            depth, i = 1, opening - 2
            while depth:
                depth += {")": 1, "(": -1}.get(self.tokens[i], 0)
                i -= 1
            return not re.match(r"\w", self.tokens[i]) or self.tokens[i] == "return"
        return before == "=" or (kind == "list" and before in "{,")

    def group(self, closing, kind):
        """Parses up to `closing`. The commas of a "list" do not order its operands. Returns whether
        anything in it appends, and the text of its first operand."""
        begin = self.lines[self.at - 1] if self.at else 1
        first, any_appends, in_list, in_operand, joined = self.at, False, 0, False, 0
        end_of_first = None
        while self.at < len(self.tokens):
            token, here = self.tokens[self.at], self.at
            self.at += 1
            if token == closing or token == ",":
                in_list += in_operand
                any_appends |= in_operand
                in_operand, joined = False, 0
                end_of_first = here if end_of_first is None else end_of_first
                if token == closing:
                    break
            elif token in SEQUENCED:
                joined = 0
            elif token in CLOSES:
                name = self.tokens[here - 1] if here else ""
                is_call = token == "(" and re.match(r"[A-Za-z_]", name) and name not in KEYWORDS
                is_block = token == "{" and not self.is_literal(here, kind)
                appends, head = self.group(CLOSES[token],
                                           "list" if is_call or token == "{" and not is_block
                                           else "plain")
                if is_block or name in CONTROL:
                    joined, in_operand = 0, in_operand and not is_block
                    continue
                if is_call and name not in READERS and self.handle.fullmatch(head):
                    appends = True
                in_operand |= appends
                joined += appends
                if joined == 2:
                    self.say(self.lines[here])
        if kind == "list" and in_list > 1:
            self.say(begin)
        head = "".join(self.tokens[first:end_of_first if end_of_first is not None else self.at])
        return any_appends, head


def check(path, text, handle=HANDLE):
    file = File(path, text)
    file.handle = handle
    file.group("", "plain")
    return file.bad


def main(root):
    paths = [p for d in DIRECTORIES for p in sorted(glob.glob(f"{root}/{d}/*.[ch]"))]
    bad = sum(check(p, open(p, encoding="utf-8").read()) for p in paths)
    built = sorted(glob.glob(f"{root}/{BUILT}/*.[ch]"))
    bad += sum(check(p, open(p, encoding="utf-8").read(), re.compile("b")) for p in built)
    paths += built
    print(f"{len(paths)} files, {bad} operands in no order")
    for n, line in enumerate(INJECTED.strip().splitlines() + GOOD.strip().splitlines()):
        if check("injected", line) != (n < INJECTED.strip().count("\n") + 1):
            sys.exit(f"order: an injected line is misread: {line}")
    return bad or not paths


sys.exit(main(sys.argv[1]) != 0)
