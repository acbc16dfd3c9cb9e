#!/usr/bin/env python3
"""spirv_dis.py QD-DIS SOURCE [SPIRV-DIS]: compares the SPIR-V disassembler with spirv-dis, for every instruction and every
named value of the tables in isa/spirv.

Each instruction is generated without optional operands and with all of them, with values that the tables name. spirv-dis
must print the same text, apart from white space. A spirv-dis that is older than the tables rejects some instructions;
their number is printed, and they are checked no further. It must accept most of them.

QD_TEST_MUTATION: qd-dis prints OpISub for OpIAdd; the test, of this instruction alone, must fail."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

BOUND, INT, FLOAT, GLSL, OPENCL, SELECTOR = 1 << 16, 1, 2, 3, 4, 5
BATCH = 16
# Names and operands that SPIRV-Headers changed after spirv-tools 2023.1.
CHANGED = {"OpAsmTargetINTEL", "Capability LongCompositesINTEL", "FPFastMathMode AllowContract"} if len(sys.argv) <= 3 else set()


def string(text):
    data = text.encode() + b"\0"
    return list(struct.unpack(f"<{(len(data) + 3) // 4}I", data + bytes(-len(data) % 4)))


def row(op, *words):
    return [(len(words) + 1) << 16 | op, *words]


PREAMBLE = row(21, INT, 32, 0) + row(22, FLOAT, 32) + row(11, GLSL, *string("GLSL.std.450")) + row(11, OPENCL, *string("OpenCL.std")) + row(1, INT, SELECTOR)


class Tables:
    def __init__(self, source):
        with open(os.path.join(source, "isa/spirv/spv.def"), encoding="utf-8") as f:
            self.ops = {int(n): (name, pattern) for name, n, pattern in re.findall(r'^SPV\((\w+), (\d+), "(.*)"\)', f.read(), re.M)}
        with open(os.path.join(source, "isa/spirv/spv_enum.def"), encoding="utf-8") as f:
            text = f.read()
        self.kinds = {letter: (kind, mask == "1") for kind, letter, mask in re.findall(r"^SPVK\((\w+), '(.)', (\d)\)", text, re.M) if letter != "x"}
        self.values = {}
        for kind, name, value, params in re.findall(r'^SPVE\((\w+), (\w+), (\w+), "(.*)"\)', text, re.M):
            self.values.setdefault(kind, {})[int(value, 0)] = (name, params)


class Maker:
    """Generates the words of instructions. force: the value to use of a kind."""

    def __init__(self, tables, dice):
        self.t, self.dice, self.next_id, self.force = tables, dice, 10, {}

    def id(self):
        return self.dice.choice((INT, FLOAT, SELECTOR, 7, 8, 9))

    def operand(self, letter, full):
        if letter in self.t.kinds:
            kind, mask = self.t.kinds[letter]
            rows = self.t.values[kind]
            if kind in self.force:
                chosen = [self.force[kind]]
            elif mask and full:
                chosen = sorted({self.dice.choice(list(rows)) for _ in range(3)})
            else:
                chosen = [self.dice.choice(list(rows))]
            if any(v & (v - 1) for v in chosen) and mask:
                chosen = chosen[:1]  # a name for several bits
            word = sum(chosen) if mask else chosen[0]
            named = [word] if word in rows else chosen
            return [word] + [w for v in named for w in self.pattern(rows[v][1], full)]
        return {
            "i": lambda: [self.id()], "n": lambda: [self.dice.randrange(100)], "s": lambda: string("text"), "h": lambda: [0x3F000000],
            "N": lambda: [self.dice.randrange(1000)], "P": lambda: [self.dice.randrange(100), self.id()],
            "Q": lambda: [self.id(), self.dice.randrange(100)], "B": lambda: [self.id(), self.id()],
            "o": lambda: [128, self.id(), self.id()], "x": lambda: [1, self.id()],
        }[letter]()

    def pattern(self, pattern, full):
        out, i = [], 0
        while i < len(pattern):
            more = pattern[i + 1:i + 2]
            times = (self.dice.randrange(1, 3) if full else 0) if more == "*" else int(full) if more == "?" else 1
            for _ in range(times):
                out += self.operand(pattern[i], full)
            i += 1 + (more in ("*", "?"))
        return out

    def instruction(self, op, full):
        _, pattern = self.t.ops[op]
        words = []
        if pattern[:1] == "T":
            words.append(INT)
            pattern = pattern[1:]
        if pattern[:1] == "R":
            words.append(self.next_id)
            self.next_id += 1
            pattern = pattern[1:]
        if "x" in pattern:
            words.append(GLSL)
            pattern = "x"
        elif "P" in pattern:
            words.append(SELECTOR)
            pattern = pattern[1:]
        words += self.pattern(pattern, full)
        if op == 11:
            words = [words[0], *string("GLSL.std.450")]
        return row(op, *words)

    def of_set(self, kind, number, ids):
        """Makes OpExtInst for an instruction of a set. ids: the number of operands if all are ids."""
        params = self.t.values[kind][number][1]
        self.next_id += 1
        rest = self.pattern(params, True) if params else [self.id() for _ in range(ids)]
        return row(12, INT, self.next_id - 1, GLSL if kind == "Glsl" else OPENCL, number, *rest)


def all_instructions(t):
    """Returns (what, words) for each instruction, without and with optional operands, and for each named value; and
    (what, list of words) for each instruction of a set, with each number of ids, one of which is correct."""
    m, out, sets = Maker(t, random.Random(1)), [], []
    for op, (name, _) in t.ops.items():
        for full in False, True, True:
            out.append((f"Op{name}", m.instruction(op, full)))
    letter_of = {kind: letter for letter, (kind, _) in t.kinds.items()}
    users = {}  # kind: (instruction, values to force)
    for op, (_, pattern) in t.ops.items():
        for letter in set(pattern) & set(t.kinds):
            users.setdefault(t.kinds[letter][0], (op, {}))
    for kind, rows in t.values.items():
        for value, (_, params) in rows.items():
            for letter in set(params) & set(t.kinds):
                if kind in users:
                    users.setdefault(t.kinds[letter][0], (users[kind][0], {kind: value}))
    for kind, rows in t.values.items():
        if kind not in letter_of:
            sets += [(f"{kind} {name}", [m.of_set(kind, n, ids) for ids in range(9)]) for n, (name, _) in rows.items()]
            continue
        for value, (name, _) in rows.items():
            op, force = users[kind]
            m.force = {**force, kind: value}
            out.append((f"{kind} {name}", m.instruction(op, True)))
    return out, sets


def plain(line):
    """Removes the suffixes of vendors, which a newer grammar changes: KHR is dropped, INTEL became ALTERA."""
    return re.sub(r"(KHR|EXT|INTEL|ALTERA|NV|AMD|GOOGLE|QCOM|ARM)\b", "", line)


class Compare:
    def __init__(self, folder, dis, oracle):
        self.path, self.dis, self.oracle = os.path.join(folder, "k.spv"), dis, oracle
        self.n = self.rejected = self.renamed = self.bad = 0
        self.reasons = {}

    def text(self, *command):
        done = subprocess.run([*command, self.path], capture_output=True, text=True, check=False)
        lines = [" ".join(line.split(" ; ")[0].split()) for line in done.stdout.split("\n") if line.strip() and not line.startswith(";")]
        return done.returncode, lines[5:], done.stderr.strip()

    def module(self, rows):
        words = [0x07230203, 0x10600, 0, BOUND, 0, *PREAMBLE, *(w for _, r in rows for w in r)]
        with open(self.path, "wb") as f:
            f.write(struct.pack(f"<{len(words)}I", *words))

    def run_set(self, what, forms):
        for words in forms:
            self.module([(what, words)])
            if self.text(self.oracle, "--raw-id", "--no-header", "--no-color")[0] == 0:
                self.run([(what, words)])
                return
        self.run([(what, forms[1])])

    def run(self, rows):
        self.module(rows)
        rc, want, why = self.text(self.oracle, "--raw-id", "--no-header", "--no-color")
        if rc and len(rows) > 1:
            self.run(rows[:len(rows) // 2])
            self.run(rows[len(rows) // 2:])
            return
        self.n += len(rows)
        if rc:
            self.rejected += 1
            reason = re.sub(r"[\d']+", "#", why.split("\n")[-1])
            self.reasons.setdefault(reason, []).append(rows[0][0])
            return
        rc, got, why = self.text(self.dis)
        if "QD_TEST_MUTATION" in os.environ:
            got = [line.replace("OpIAdd ", "OpISub ") for line in got]
        for (what, _), a, b in zip(rows, want, got + [why] * len(want)):
            self.renamed += a != b and plain(a) == plain(b)
            if plain(a) != plain(b) and what not in CHANGED:
                self.bad += 1
                if self.bad <= 20:
                    print(f"spirv_dis: {what}: spirv-dis prints\n\t{a}\nand qd-dis\n\t{b}", file=sys.stderr)


def main():
    dis, source = map(os.path.abspath, sys.argv[1:3])
    oracle = sys.argv[3] if len(sys.argv) > 3 else shutil.which("spirv-dis")
    if not oracle:
        print("SKIP: spirv-dis is not installed (spirv-tools)")
        return 77
    t = Tables(source)
    rows, sets = all_instructions(t)
    if "QD_TEST_MUTATION" in os.environ:
        rows, sets = [r for r in rows if r[0] == "OpIAdd"], []
    with tempfile.TemporaryDirectory() as folder:
        c = Compare(folder, dis, oracle)
        for i in range(0, len(rows), BATCH):
            c.run(rows[i:i + BATCH])
        for what, forms in sets:
            c.run_set(what, forms)
    for reason, names in c.reasons.items():
        print(f"rejected by spirv-dis: {reason}: {len(names)}, {', '.join(names[:6])}")
    print(f"{len(t.ops)} instructions, {sum(map(len, t.values.values()))} named values: {c.n} cases, {c.rejected} that spirv-dis rejects, "
          f"{c.renamed} with the suffix of another vendor, {c.bad} errors")
    return c.bad != 0 or c.rejected > c.n // 3


if __name__ == "__main__":
    sys.exit(main())
