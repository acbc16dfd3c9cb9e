#!/usr/bin/env python3
"""views.py QD-DIS SOURCE [GCN_ROWS [all]]: qd-dis on unusual files and texts; compares its views
with properties computed from the code itself. The files are built here, or are words that
GCN_ROWS generates from every row of the tables, on five targets or all.

views.py --names QD-DIS: C++ names of system libraries, compared with llvm-cxxfilt.
views.py --lines QD-DIS SOURCE: line numbers of code compiled with clang -g, compared with llvm-symbolizer.
views.py --records QD-DIS OBJECT...: checks only the records of --json, for these objects."""
import glob
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from live import live_out

FUNC, OBJECT, NOTYPE = 2, 1, 0
S_NOP, S_ENDPGM = 0xBF800000, 0xBFB00000  # of gfx11
GFX1100 = 0x41


def align(data, n):
    return data + bytes(-len(data) % n)


def elf(code, symbols=(), sections=(), flags=GFX1100, executable=True):
    """A code object (v6, not linked): section 1 is .text, symbols are (name, value, size, type)."""
    names, strings, entries = b"\0.text\0.strtab\0.symtab\0", bytearray(1), bytearray(24)
    for name, value, size, kind in symbols:
        entries += struct.pack("<IBBHQQ", len(strings), kind, 0, 1, value, size)
        strings += name.encode() + b"\0"
    rows = [(1, 1, 6 if executable else 2, code, 0, 0, 0)]
    for name, data in sections:
        rows.append((len(names), 1, 0, data, 0, 0, 0))
        names += name.encode() + b"\0"
    rows.append((7, 3, 0, strings, 0, 0, 0))
    rows.append((15, 2, 0, entries, len(rows), 1, 24))
    rows.append((7, 3, 0, names, 0, 0, 0))
    body, headers = bytes(64), bytes(64)
    for name, kind, how, data, link, info, size in rows:
        body = align(body, 16)
        headers += struct.pack("<IIQQQQIIQQ", name, kind, how, 0, len(body), len(data), link, info, 16, size)
        body += data
    body = align(body, 16)
    head = b"\x7fELF\x02\x01\x01\x40\x04" + bytes(7) + struct.pack(
        "<HHIQQQIHHHHHH", 1, 224, 1, 0, 0, len(body), flags, 64, 0, 0, 64, len(rows) + 1, len(rows))
    return head + body[64:] + headers


def bundle(*entries):
    """Returns an uncompressed clang bundle of (processor, object) pairs."""
    ids = [f"hip-amdgcn--{t}".encode() for t, _ in entries]
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    at = align(bytes(len(head) + sum(24 + len(i) for i in ids)), 16)
    body, at = b"", len(at)
    for i, (_, data) in zip(ids, entries):
        head += struct.pack("<QQQ", at + len(body), len(data), len(i)) + i
        body = align(body + data, 16)
    return align(head, 16) + body


def words(*w):
    return struct.pack(f"<{len(w)}I", *w)


class Test:
    def __init__(self, dis):
        self.dis, self.n, self.bad = dis, 0, 0
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C")

    def run(self, data, *args):
        with tempfile.NamedTemporaryFile() as f:
            f.write(data if isinstance(data, bytes) else data.encode())
            f.flush()
            p = subprocess.run([self.dis, *args, f.name], env=self.env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            out = p.stdout.decode(errors="replace")
            if "QD_TEST_MUTATION" in os.environ:  # changes one number
                out = out.replace('"vgpr":1,', '"vgpr":2,', 1)
            return p.returncode, out.replace(f.name, "FILE"), \
                p.stderr.decode(errors="replace").replace(f.name, "FILE")

    def check(self, what, good, detail=""):
        self.n += 1
        if not good:
            self.bad += 1
            print(f"dis: {what}: {detail}", file=sys.stderr)

    def refused(self, what, data, args, text):
        rc, _, err = self.run(data, *args)
        self.check(what, rc == 1 and err == text, f"exit {rc}, prints {err!r}, not {text!r}")

    def listed(self, what, data, args, lines):
        rc, out, err = self.run(data, *args)
        got = [x.split(";")[0].strip() for x in out.split("\n") if x.startswith("  ")]
        self.check(what, rc == 0 and got == lines, f"exit {rc}, {got}, not {lines} {err}")


# -- Files without code, or with incomplete data ---------------------------------------

VIEWS = ([], ["--style=llvm"], ["--stats"], ["--json"], ["--hazards"], ["--cfg=dot"], ["--waits"])


def nothing(t):
    end = words(S_ENDPGM)
    for view in VIEWS:
        t.refused(f"an empty file {view}", b"", view, "qd-dis: 'FILE': offset 0x0: the file is empty\n")
        t.refused(f"no words {view}", b"", ["--raw", "gfx1100", *view], "qd-dis: 'FILE': offset 0x0: the file is empty\n")
        t.refused(f"a .text of no bytes {view}", elf(b""), view, "qd-dis: 'FILE': offset 0x40: section '.text' has no bytes\n")
        t.refused(f"an object without code {view}", elf(end, executable=False), view,
                  "qd-dis: 'FILE': offset 0x28: no section contains code\n")
        t.refused(f"a function past the end {view}", elf(end, [("f", 0, 8, FUNC)]), view,
                  "qd-dis: 'FILE': offset 0x78: function 'f' (0x8 bytes at address 0x0) is not within section "
                  "'.text' (0x4 bytes at 0x0)\n")
        t.refused(f"a function after the end {view}", elf(end, [("f", 0, 4, FUNC), ("g", 64, 0, FUNC)]), view,
                  "qd-dis: 'FILE': offset 0x90: function 'g' (0x0 bytes at address 0x40) is not within section "
                  "'.text' (0x4 bytes at 0x0)\n")
        two = bundle(("gfx906", elf(b"")), ("gfx1100", elf(end, [("f", 0, 4, FUNC)])))
        rc, out, err = t.run(two, *view)
        # An entry may be empty; --stats prints nothing for a plain function.
        t.check(f"a bundle with an empty entry {view}", (rc == 0) == (view != ["--stats"]) and "FILE:hip-amdgcn--gfx906': offset 0xc0: section '.text' has no bytes" in err.replace(" warning:", "") and
                (out or view in (["--hazards"], ["--stats"])), f"exit {rc} {out} {err}")
        rc, out, err = t.run(bundle(("gfx906", elf(b""))), *view)
        t.check(f"a bundle of an empty entry {view}", rc == 1 and "'FILE': no entry has code to show" in err, f"exit {rc} {out} {err}")
    for view in ([], ["--json"], ["--hazards"], ["--cfg=dot"]):
        t.refused(f"nothing but padding {view}", elf(words(0, 0)), view,
                  "qd-dis: 'FILE': offset 0x40: section '.text' has no function\n")
    t.refused("no kernel for the table", elf(end, [("f", 0, 4, FUNC)]), ["--stats"],
              "qd-dis: 'FILE': offset 0x40: section '.text' belongs to no kernel\n")
    t.refused("text without a kernel", "// nothing\n", [], "qd-dis: 'FILE' has no kernel\n")
    # Missing data is not an error: labels at the end, code without a symbol, functions without a
    # size.
    t.listed("a label at the end", elf(end, [("f", 0, 4, FUNC), ("end", 4, 0, NOTYPE)]), ["--no-addr", "--no-hex"], ["s_endpgm"])
    t.listed("code without a symbol", elf(end), ["--no-addr", "--no-hex"], ["s_endpgm"])
    t.listed("a function without a size", elf(end, [("f", 0, 0, FUNC)]), ["--no-addr", "--no-hex"], ["s_endpgm"])
    # Local labels do not end a function without a size: s_load_b128 s[0:3], then a loop that reads s0 too early.
    loop = elf(words(0xF4080000, 0xF8000008, 0x80040100, 0x80858105, 0xBF078005, 0xBFA2FFFC, S_ENDPGM, S_ENDPGM),
               [("f", 0, 0, FUNC), ("loop", 8, 0, NOTYPE), ("out", 24, 0, NOTYPE), ("g", 28, 0, FUNC)])
    for view, text in (("--waits", "reads s0, which 0000 may not have written yet"), ("--live", "s_cbranch_scc1 .L0"), ("--mix", " f\n"),
                       ("--json", '"name":"f"'), ("--cfg=dot", "b1 -> b1 [label=\"taken, back\"")):
        rc, out, err = t.run(loop, view, "-k", "f")
        t.check(f"a function with labels {view}", rc == 0 and text in out and "loop" not in out.replace("head of a loop", "").replace('"loop":', "") and
                "not reached" not in out, f"exit {rc} {out} {err}")
    rc, out, err = t.run(loop, "--mix")
    t.check("two functions", out.count("\n") == 3 and " f\n" in out and " g\n" in out, out)


# -- Words as text -------------------------------------------------------------------------

RAW = ["--raw", "gfx1100", "--no-addr", "--no-hex"]


def hex_text(t):
    code = ["s_nop 0", "v_mov_b32_e32 v1, 0x12345678", "s_endpgm"]
    for what, text in {
        "words": "bf800000 7e0202ff 12345678 bfb00000",
        "words with 0x": "0xbf800000\n0x7e0202ff, 0x12345678\n0XBFB00000\n",
        "llvm-mc's lists": "[0x00,0x00,0x80,0xbf]\n[0xff,0x02,0x02,0x7e,0x78,0x56,0x34,0x12]\n[0x00,0x00,0xb0,0xbf]\n",
        "a list over lines": "[00 00 80 bf\n ff 02 02 7e ; here too\n 78,56,34,12]\r\n[0,0,b0,bf]",
        "what llvm-mc reads": "0x00,0x00,0x80,0xbf\n0xff,0x02,0x02,0x7e,0x78,0x56,0x34,0x12\n0x00 0x00 0xb0 0xbf",
        "comments": "# one\nbf800000 ; bf800000\n7e0202ff // 7e0202ff \u00e4\n\t12345678\n// bfb00000\nbfb00000# end",
    }.items():
        t.listed(what, text, RAW, code)
    t.listed("bytes", words(S_NOP, 0x7E0202FF, 0x12345678, S_ENDPGM), RAW, code)
    t.listed("words that are padding in other places", words(S_NOP, 0), RAW, ["s_nop 0", ".long 0x00000000"])
    for what, text, place in (
        ("a mnemonic", "bf800000\n  s_nop 0\n", "2:3: error: 's_nop' is not a 32-bit word"),
        ("nine digits", "bf800000 123456789", "1:10: error: '123456789' is not a 32-bit word"),
        ("0x alone", "0x", "1:1: error: '0x' is not a 32-bit word"),
        ("three bytes", "bf800000\n [0x00,0x00,0x80]", "2:2: error: 3 bytes are not a whole number of words"),
        ("no bytes", "[]", "1:1: error: 0 bytes are not a whole number of words"),
        ("no byte", "[0x00,0x100]", "1:7: error: '0x100' is not a byte"),
        ("a list without end", "[0x00,0x00,\n0x80,0xbf", "1:1: error: this list of bytes is not closed"),
        ("a list in a list", "[0x00,[0x00", "1:7: error: '[' is not a byte"),
        ("an end without a list", "bf800000]", "1:9: error: ']' is not a 32-bit word"),
        ("bare bytes, then a word", "0x00,0x00\nbf800000", "1:1: error: 2 bytes from here on do not form a word"),
        ("a slash", "bf800000 / 1", "1:10: error: '/' is not a 32-bit word"),
        ("comments alone", "# nothing\n", "2:1: error: the text contains no words"),
    ):
        line, col = (int(x) for x in place.split(":")[:2])
        shown = text.split("\n")[line - 1]
        t.refused(what, text, RAW, f"FILE:{place}\n{line:5} | {shown}\n      | {'^':>{col}}\n")
        rc, _, err = t.run(text, *RAW, "--diag=json")
        d = json.loads(err)
        t.check(f"{what} as JSON", (d["line"], d["col"]) == (line, col), err)


# -- Records ----------------------------------------------------------------------------------

MODIFIER = re.compile(r"-?[a-z_0-9]+(:.*)?$")
NUMBERS = re.compile(r"(off|null|vcc|exec|m0|ttmp|src_|[vsa]\d|[vsa]\[|p0|p10|p20|attr|lds)")


def depth_of(text):
    """Returns the text without bracketed parts."""
    while True:
        less = re.sub(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}", "", text)
        if less == text:
            return text
        text = less


def record_text(t, where, r):
    """Checks that an instruction's text consists of its pieces, and that each is a single piece."""
    text = " ".join(x for x in (r["op"], r["separator"].join(r["operands"])) if x)
    if "op_y" in r:
        text += " :: " + r["op_y"] + " " + r["separator"].join(r["operands_y"])
    text = " ".join([text, *r["modifiers"]])
    t.check(f"{where}: the pieces", text == r["text"], f"{text!r} is not {r['text']!r}")
    for piece in r["operands"] + r.get("operands_y", []) + r["modifiers"]:
        t.check(f"{where}: one piece", piece and not re.search(r"[ ,|]", depth_of(re.sub(r"\|[^|]*\|", "", piece))), f"{piece!r} of {r['text']!r}")
    for piece in r["modifiers"]:
        t.check(f"{where}: a modifier", MODIFIER.match(piece) and not re.match(NUMBERS.pattern + r"?[\d:\]]*$", piece) or piece == "lds",
                f"{piece!r} of {r['text']!r}")
    for piece in r["operands"]:
        t.check(f"{where}: an operand", not re.match(r"(offset\d?|glc|slc|dlc|sc0|sc1|nt|offen|idxen|clamp|op_sel|neg_lo|scope|th)(:|$)", piece),
                f"{piece!r} of {r['text']!r}")


def counted(f, fn, r, ranges):
    """Yields the registers of the ranges that can be allocated, as (bank, number)."""
    last = 106 if f["target"][:5] in ("gfx10", "gfx11", "gfx12") else 102
    for x in ranges:
        for i in range(x["first"], x["first"] + x["n"]):
            if x["bank"] in "va" or x["bank"] == "vcc" or (x["bank"] == "s" and i < last):
                yield (x["bank"], i)


def function_live(t, where, f, fn):
    """Checks the number of live registers of each kind."""
    blocks = [[] for _ in fn["blocks"]]
    for r in fn["instructions"]:
        kept = [x for x in r["writes"] if "keeps" in x]
        use = set(counted(f, fn, r, r["reads"] + kept))
        blocks[r["block"]].append((r, use, set(counted(f, fn, r, [x for x in r["writes"] if "keeps" not in x]))))
    for i, (r, use, made), live in live_out(fn, blocks):
        at = live | use | made if r["known"] and fn["blocks"][i]["reached"] else set()
        want = {k: sum(b in banks for b, _ in at) for k, banks in (("vgpr", "v"), ("agpr", "a"), ("sgpr", ("s", "vcc")))}
        t.check(f"{where} {r['addr']}: live", want == r["live"], f"{r['live']}, not {want}")


def function_loops(t, where, fn):
    """Checks loops by their definition, and that each block ends at the next block or at an edge."""
    blocks = fn["blocks"]
    n = len(blocks)
    if n > 60:
        return

    def reach(roots, around):
        seen, waiting = set(), [r for r in roots if r != around]
        while waiting:
            i = waiting.pop()
            if i not in seen:
                seen.add(i)
                waiting += [w["block"] for w in blocks[i]["next"] if w["block"] != around]
        return seen
    alive = reach([0], None)
    t.check(f"{where}: reached", [i in alive for i in range(n)] == [b["reached"] for b in blocks])
    bodies = {}
    for i in alive:
        for w in blocks[i]["next"]:
            back = i not in reach([0], w["block"])
            t.check(f"{where}: the way {i} to {w['block']}", back == (w["way"] == "back"), w)
            if back:
                before = {j for j in alive if i in reach([j], w["block"])} if i != w["block"] else set()
                bodies.setdefault(w["block"], set()).update(before | {w["block"]})
    for i, b in enumerate(blocks):
        around = sorted((len(body), head) for head, body in bodies.items() if i in body)
        t.check(f"{where}: loops of block {i}", (b["depth"], b["loop"]) == (len(around), around[0][1] if around else None),
                f"{b}, not {around}")


def graphs(t, where, data, functions, *args):
    """Checks that the nodes of --cfg=dot contain the lines of the listing, and its edges are those
    of --json."""
    lines = []
    rc, out, err = t.run(data, "--no-hex", "--no-meta", *args)
    label, at_line = None, 0
    for line in out.split("\n"):
        found = re.match(r"(\.L\d+):$", line)
        at = re.match(r"  ([0-9a-f]{4,})  (.*?)( +; .*)?$", line)
        if found:
            label = found.group(1)
        elif at:
            lines.append((label, at.group(1) + "  " + at.group(2)))
            label = None
    rc, out, err = t.run(data, "--cfg=dot", *args)
    t.check(f"{where}: --cfg", rc == 0, err)
    found = re.findall(r'digraph "((?:[^"\\]|\\.)*)" \{\n\tnode \[shape=box, fontname=monospace\];\n(.*?)\n\}\n', out, re.S)
    t.check(f"{where}: graphs", len(found) == len(functions), f"{len(found)} graphs, {len(functions)} functions")
    for (name, body), fn in zip(found, functions):
        nodes, edges = {}, []
        for line in body.split("\n"):
            node = re.fullmatch(r'\tb(\d+) \[(style=dashed, )?(peripheries=2, )?label="((?:[^"\\]|\\.)*)"\];', line)
            edge = re.fullmatch(r'\tb(\d+) -> b(\d+) \[label="([^"]*)"(, color=\w+)?\];', line)
            t.check(f"{where} {name}: syntax", node or edge, line)
            if node:
                text = re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "l" else m.group(1), node.group(4))
                nodes[int(node.group(1))] = (bool(node.group(2)), bool(node.group(3)), text.split("\n")[:-1])
            elif edge:
                edges.append((int(edge.group(1)), int(edge.group(2)), edge.group(3)))
        last, want = {}, {i: [] for i in range(len(fn["blocks"]))}
        for r in fn["instructions"]:
            label, text = lines[at_line]
            at_line += 1
            if not want[r["block"]]:
                b = fn["blocks"][r["block"]]
                about = [label + ":"] if label else []
                about += [f"; {'head of' if b['loop'] == r['block'] else 'in'} a loop, depth {b['depth']}"] if b["depth"] else []
                about += [] if b["reached"] else ["; not reached"]
                if about:
                    want[r["block"]].append("  ".join(about))
            want[r["block"]].append(text)
            last[r["block"]] = r
        for i, b in enumerate(fn["blocks"]):
            t.check(f"{where} {name} b{i}", nodes.get(i) == (not b["reached"], b["loop"] == i, want[i]),
                    f"{nodes.get(i)} not {want[i]}")
        ways = []
        for i, b in enumerate(fn["blocks"]):
            for w in b["next"]:
                target = fn["blocks"][w["block"]]["addr"]
                taken = last[i].get("target") == target
                both = taken and w["block"] == i + 1 and "cbranch" in last[i]["op"]
                calls = last[i]["op"].startswith(("s_call", "s_swap"))
                how = "taken or not" if both else "taken" if taken else "comes back" if calls else "falls through"
                ways.append((i, w["block"], how + {"on": "", "back": ", back", "aside": ", back, to no head"}[w["way"]]))
        t.check(f"{where} {name}: edges", edges == ways, f"{edges} not {ways}")


def lives(t, where, data, functions, *args):
    """Checks that the column of --live and the peaks in the headers agree with --json."""
    rc, out, err = t.run(data, "--live", "--no-hex", "--no-meta", *args)
    t.check(f"{where}: --live", rc == 0, err)
    parts = re.split(r"^; live at most: (.*)$", out, flags=re.M)[1:]
    t.check(f"{where}: heads", len(parts) == 2 * len(functions), f"{len(parts)}, {len(functions)} functions")
    for fn, head, body in zip(functions, parts[::2], parts[1::2]):
        got, stars = {}, {}
        for at, text in re.findall(r"^  ([0-9a-f]+)  .* ; live ((?: *[vas] +\d+[* ]?)+)", body, re.M):
            got[int(at, 16)] = [(k, int(n)) for k, n in re.findall(r"([vas]) +(\d+)", text)]
            stars.update({k: int(at, 16) for k in re.findall(r"([vas]) +\d+\*", text)})
        kinds = ["vgpr", "agpr", "sgpr"] if "AGPR" in head else ["vgpr", "sgpr"]
        peaks, want = {}, {}
        for r in fn["instructions"]:
            at = int(r["addr"], 16)
            if fn["blocks"][r["block"]]["reached"]:
                want[at] = [(k[0], r["live"][k]) for k in kinds]
            for k in kinds:
                if r["live"][k] > peaks.get(k, (0, 0))[0]:
                    peaks[k] = (r["live"][k], at)
        t.check(f"{where} {fn['name']}: live", got == want, f"{got} not {want}")
        t.check(f"{where} {fn['name']}: peaks", stars == {k[0]: at for k, (_, at) in peaks.items()}, f"{stars} not {peaks}")
        says = ", ".join(f"{n} {k.upper()}" + ("s" if n != 1 else "") + (f" at {at:04x}" if n else "")
                         for k in kinds for n, at in [peaks.get(k, (0, 0))])
        for k in kinds if fn.get("kernel") else []:
            t.check(f"{where} {fn['name']}: more {k}s than the kernel has", peaks.get(k, (0, 0))[0] <= int(fn["kernel"][k]), peaks)
        t.check(f"{where} {fn['name']}: head", head == says, f"{head!r} not {says!r}")


# Classes by instruction name, which qd-dis does not use for this.
NAMES = (("unknown", r"\.long"), ("matrix", r"v_(mfma(?!_ld)|smfmac|wmma|swmmac)_"), ("valu", r"v_"),
         ("smem", r"s_(buffer_|scratch_)?(load|store|atomic|prefetch)|s_(dcache|gl1|scratch|atc|memtime|memrealtime)|s_get_waveid"),
         ("lds", r"ds_(?!direct|param)"), ("vmem", r"(global|flat|scratch|t?buffer|image)_"),
         ("branch", r"s_(c?branch|cbranch|call|swappc|setpc|rfe|subvector)"), ("wait", r"s_wait"),
         ("other", r"s_(nop|delay_alu|clause|endpgm|barrier|sendmsg|sleep|setprio|trap|icache|inst_prefetch|set_inst_prefetch|code_end|ttrace|"
                   r"sethalt|incperf|decperf|singleuse|wakeup|setkill|monitor)|"
                   r"(lds|ds)_(direct|param)|exp"), ("salu", r"s_"))


def mixes(t, where, data, functions, *args):
    """Checks that the counts of --mix agree with --json and with the classes by name."""
    rc, out, err = t.run(data, "--mix", *args)
    rows = [x.split() for x in out.split("\n")[:-1]]
    t.check(f"{where}: --mix", rc == 0 and len(rows) == len(functions) + 1, err)
    for fn, row in zip(functions, rows[1:]):
        t.check(f"{where} {fn['name']}: the table", [int(x) for x in row[2:-1]] == [len(fn["instructions"]), *fn["mix"].values()] and
                rows[0][3:-1] == list(fn["mix"]) and int(row[1]) == fn["wave"] and row[-1] == (fn["name"] or "-"), f"{rows[0]} {row}, not {fn['mix']}")
        want, of = dict.fromkeys(fn["mix"], 0), {}
        for r in fn["instructions"]:
            name = next(k for k, pattern in NAMES if re.match(pattern, r["op"]))
            want[name] += 1
            of.setdefault(name, set()).add(r["op"])
        t.check(f"{where} {fn['name']}: the mix", want == fn["mix"], f"{fn['mix']}, not {want}: {of}")


def records(t, where, data, *args, found=None):
    rc, out, err = t.run(data, "--json", *args)
    t.check(f"{where}: --json", rc == 0, err)
    n = 0
    for f in json.loads(out)["files"] if rc == 0 else []:
        for fn in f["functions"]:
            for r in fn["instructions"]:
                record_text(t, f"{where} {fn['name']} {r['addr']}", r)
                n += 1
            if found is not None:
                found += fn["instructions"]
            function_live(t, f"{where} {fn['name']}", f, fn)
            function_loops(t, f"{where} {fn['name']}", fn)
    if rc == 0:
        functions = [fn for f in json.loads(out)["files"] for fn in f["functions"]]
        graphs(t, where, data, functions, *args)
        lives(t, where, data, functions, *args)
        mixes(t, where, data, functions, *args)
    return n


def one(t, text, *args, target="gfx1100"):
    """Returns the records of the words."""
    rc, out, err = t.run(text, "--json", "--raw", target, *args)
    t.check(text, rc == 0, err)
    return json.loads(out)["files"][0]["functions"][0]["instructions"]


def fields(t):
    """Checks the fields of records of specific instructions."""
    r = one(t, "F4000080F8000010 bf89fc07 7e020202 bfb00000".replace("F8", " F8"))
    t.check("outstanding", r[0]["waits"] == {"outstanding": [{"counter": "lgkmcnt", "n": 1}]}, r[0])
    t.check("covers", r[1]["waits"] == {"for": [{"counter": "lgkmcnt", "addr": "0x0"}]}, r[1])
    t.check("reads", r[0]["reads"] == [{"bank": "s", "first": 0, "n": 2}] and
            r[0]["writes"] == [{"bank": "s", "first": 2, "n": 1}], r[0])
    t.check("a read after the wait", r[2]["waits"] == {} and {"bank": "s", "first": 2, "n": 1} in r[2]["reads"], r[2])
    t.check("live", [x["live"] for x in r] == [{"vgpr": 0, "agpr": 0, "sgpr": 3}, {"vgpr": 0, "agpr": 0, "sgpr": 1},
            {"vgpr": 1, "agpr": 0, "sgpr": 1}, {"vgpr": 0, "agpr": 0, "sgpr": 0}], [x["live"] for x in r])
    r = one(t, "F4000080 F8000010 7e020202 bfb00000")
    t.check("missing", r[1]["waits"] == {"missing": [{"counter": "lgkmcnt", "addr": "0x0",
            "register": {"bank": "s", "first": 2, "n": 1}}]}, r[1])
    r = one(t, "7E040300 7E060502 BF810000", target="gfx942")
    h = r[1]["hazards"]
    t.check("hazards", len(h) == 1 and h[0]["rule"] == "readlane_vgpr" and h[0]["earlier"] == "0x0" and
            h[0]["middle"] is None and h[0]["missing"] == 1 and h[0]["fix"] == "s_nop" and not r[0]["hazards"], h)
    for text, op, operands, sep in (
        ("bf89fc07", "s_waitcnt", ["lgkmcnt(0)"], " "),
        ("bf890007", "s_waitcnt", ["vmcnt(0)", "lgkmcnt(0)"], " "),
        ("bf870091", "s_delay_alu", ["instid0(VALU_DEP_1)", "instskip(NEXT)", "instid1(VALU_DEP_1)"], " | "),
        ("bf880f81", "s_waitcnt_depctr", ["depctr_va_vdst(0)", "depctr_sa_sdst(0)"], " "),
        ("b8800901", "s_getreg_b32", ["s0", "hwreg(HW_REG_MODE, 4, 2)"], ", "),
    ):
        r = one(t, text)[0]
        t.check(text, op != "s_waitcnt_depctr" and (r["op"], r["operands"], r["separator"]) == (op, operands, sep) or
                op == "s_waitcnt_depctr" and r["op"] == op and r["separator"] == sep, r)
    r = one(t, "C9004101 00040306")[0]
    t.check("dual", r["op"].startswith("v_dual_") and r["op_y"].startswith("v_dual_") and len(r["operands"]) >= 2 and len(r["operands_y"]) >= 2, r)
    r = one(t, "e0e00000 00000000", target="gfx942")[0]
    t.check("no operand, modifiers alone", r["op"] != "buffer_inv" or r["operands"] == [], r)


def walks(t, target, found):
    """Checks random sequences of the rows' instructions, with branches between them."""
    dice = random.Random(target)
    straight = [r["words"] for r in found if r["known"] and not re.match(r"s_(c?branch|endpgm|setpc|swappc|call|rfe|subvector|code_end|cbranch|trap)", r["op"])]
    branch = 0xBFA10000 if target[:5] in ("gfx11", "gfx12") else 0xBF840000
    n = 0
    for size in (20, 60, 200):
        code = []
        for i in range(size):
            if dice.random() < .2:
                code.append(f"{branch | dice.randrange(2) << 16 | dice.randrange(-size, size) & 0xffff:08x}")
            else:
                code += dice.choice(straight)
        n += records(t, f"{target} random {size}", "\n".join(code), "--raw", target.replace(":64", ":w64"))
    return n


def blocks(t, objects):
    """Checks occupancy by block size: limited by waves, registers, barriers and the kernel."""
    for name, lanes, row in (
        ("v5_gfx1100", 32, ("64/WGP", "16", "add")),
        ("v5_gfx1100", 64, ("32/WGP", "16", "add")),
        ("v5_gfx1100", 65, ("0/WGP", "0", "block", "add")),  # .max_flat_workgroup_size: 64
        ("v4_gfx90a", 256, ("7/CU", "7", "VGPRs", "fill")),
        ("v4_gfx90a", 128, ("0/CU", "0", "block", "fill")),  # .reqd_workgroup_size: [128, 2, 1]
        ("v2_gfx906", 64, ("40/CU", "10", "old")),
        ("v2_gfx906", 65, ("16/CU", "8", "work-groups", "old")),
        ("v2_gfx906", 1000, ("2/CU", "8", "old")),
        ("v2_gfx906", 750, ("3/CU", "9", "old")),
    ):
        data, args = objects[name], [f"--block={lanes}"]
        got = t.run(data, "--stats", *args)[1].split("\n")[1].split()
        t.check(f"{name} {args}", tuple(got[9:]) == row, f"{got} not {row}")
        k = next(fn["kernel"]["block"] for fn in json.loads(t.run(data, "--json", *args)[1])["files"][0]["functions"] if "kernel" in fn)
        limit = row[2] if len(row) > 3 else ""
        t.check(f"{name} {args} --json", (f"{k['groups']}/{k['per']}", str(k["waves_per_simd"]), k["limit"], k["lanes"]) == (*row[:2], limit, lanes), k)
        head = f"; work-groups of {lanes}: {row[0]}, {row[1]} waves/SIMD" + (f" ({limit})" if limit else "") + "\n"
        t.check(f"{name} {args} head", head in t.run(data, *args)[1], head)
    for wrong in ("0", "1025", "x"):
        rc, _, err = t.run(objects["v2_gfx906"], "--block", wrong)
        t.check(f"--block {wrong}", rc == 2 and "--block takes a number from 1 to 1024" in err, err)


def damaged_lines(t, objects):
    """Checks that an invalid line table is reported and only the source lines are missing."""
    data = objects["lines_gfx1100"]
    r = json.loads(t.run(data, "--json")[1])["files"][0]["functions"][0]["instructions"]
    t.check("lines", [(x["file"], x["line"], x["column"]) for x in r][:4] == [("/src/add.cl", 3, 1), ("/src/include/bits.h", 12, 9),
            ("/src/include/bits.h", 12, 9), (None, None, None)], r)
    at = data.index(b"\x05\x00\x08\x00")  # version, sizes; the unit's length precedes them
    rc, out, err = t.run(data[: at - 4] + b"\xff\xff\xff\x7f" + data[at:], "--json")
    r = json.loads(out)["files"][0]["functions"][0]["instructions"]
    t.check("a unit that is too long", rc == 0 and all(x["line"] is None for x in r) and
            err == f"qd-dis: warning: 'FILE': offset 0x{at:x}: line table: a unit that extends past the section; source lines are omitted\n", err)
    rc, _, err = t.run(data[: at - 4] + b"\xff\xff\xff\x7f" + data[at:])
    t.check("lines were not requested", rc == 0 and not err, err)


TARGETS = ("gfx906", "gfx90a", "gfx1030", "gfx1100:64", "gfx1200")
MORE_TARGETS = ("gfx908", "gfx942", "gfx950", "gfx1010", "gfx1100", "gfx1150", "gfx1200:64")


def rows(t, program, targets):
    """Checks every row of the tables, as random words on each target."""
    n = 0
    for target in targets:
        with tempfile.TemporaryDirectory() as d:
            # A row may find no words with this seed, and then the program fails; rows.sh tests
            # that.
            subprocess.run([program, "write", target, "1", "7", d], stdout=subprocess.DEVNULL)
            with open(os.path.join(d, "bytes"), "rb") as f:
                data = f.read()
            found = []
            n += records(t, target, data, "--raw", target.replace(":64", ":w64"), found=found)
            n += walks(t, target, found)
    t.check("rows", n > 2000 * len(targets), n)
    return n


# -- Names ---------------------------------------------------------------------------------------


def written(t, names):
    """Returns qd-dis's demangled names of functions with these names; None: not demangled."""
    data = elf(words(S_ENDPGM) * len(names), [(n, 4 * i, 4, FUNC) for i, n in enumerate(names)])
    rc, out, err = t.run(data, "--mix")
    t.check("an object with these names", rc == 0, err)
    rows = [x.split(None, 13)[-1] for x in out.split("\n")[1:-1]]
    return [w if w != n else None for w, n in zip(rows, names)] if len(rows) == len(names) else []


def names(t, source):
    """Checks demangled names, and that -k matches both forms."""
    with open(os.path.join(source, "tests/tools/names.txt")) as f:
        rows = [x.rstrip("\n").split("\t") for x in f]
    for (name, want), got in zip(rows, written(t, [r[0] for r in rows])):
        t.check(name, got == (want or None), f"{got!r}, not {want!r}")
    picked = ["_Z5scaleIfEvPT_S0_i", "_Z6scaledPi", "scale", "_ZN2ns5otherEv"]
    data = elf(words(S_ENDPGM) * 4, [(n, 4 * i, 4, FUNC) for i, n in enumerate(picked)])
    for glob, found in (("scale", [2]), ("scal", [0, 1, 2]), ("scale<*", [0]), ("*scale*", [0, 1, 2]), ("ns::", [3]),
                        ("scaled(int?)", [1]), ("_Z6scaledPi", [1]), ("void scale<float>(float*, float, int)", [0]),
                        ("_Z", [0, 1, 3]), ("s?ale", [2]), ("s?al", [0, 1, 2]), ("nothing", [])):
        rc, out, err = t.run(data, "--json", "-k", glob)
        got = [fn["name"] for fn in json.loads(out)["files"][0]["functions"]] if rc == 0 else []
        t.check(f"-k {glob}", got == [picked[i] for i in found] and (rc == 0) == bool(found), f"{got} {err}")
    rc, out, _ = t.run(data, "-k", "scale<")
    t.check("the head and the label", "\n; void scale<float>(float*, float, int)  gfx1100" in out and "\n_Z5scaleIfEvPT_S0_i:\n" in out, out)
    rc, out, _ = t.run(data, "--cfg=dot", "-k", "scale<")
    t.check("the graph", out.startswith('digraph "void scale<float>(float*, float, int)" {'), out)
    fn = json.loads(t.run(data, "--json", "-k", "ns::")[1])["files"][0]["functions"][0]
    t.check("both in JSON", (fn["name"], fn["demangled"]) == ("_ZN2ns5otherEv", "ns::other()"), fn)
    kernels = "kernel sum(a: f32[]) { } kernel sums(a: f32[]) { } kernel other(a: f32[]) { }"
    for glob, found in (("sum", ["sum"]), ("su", ["sum", "sums"]), ("the", ["other"])):
        got = re.findall(r'^kernel "(\w+)"', t.run(kernels, "-k", glob)[1], re.M)
        t.check(f"-k {glob} of .qdk", got == found, got)


def library_names(t):
    """Checks that every name is demangled as by llvm-cxxfilt or not at all, including damaged
    names."""
    libraries = [x for x in glob.glob("/usr/lib/llvm-22/lib/libLLVM.so") + glob.glob("/usr/lib/*/libstdc++.so.6")]
    if not libraries or subprocess.run(["sh", "-c", "command -v llvm-cxxfilt-22 llvm-nm-22"], stdout=subprocess.DEVNULL).returncode:
        print("SKIP: llvm-cxxfilt of LLVM 22 is not installed, or no library to take names of")
        sys.exit(77)
    out = subprocess.run(["llvm-nm-22", "-D", "--defined-only", "--format=just-symbols", *libraries], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = sorted({x.split("@")[0] for x in out.split("\n") if x.startswith("_Z")})
    dice, damaged = random.Random(1), set()
    letters = "0123456789ENSTILZKPRABCDFJMOUVXabcdefghijlmnostvxyz_"
    for _ in range(len(found)):
        text = list(dice.choice(found))
        at = dice.randrange(2, len(text))
        text[at:at + dice.randrange(2)] = dice.choice(letters) if dice.random() < .7 else ""
        if len(text) < 160:
            damaged.add("".join(text))
    for what, some, least in (("names", found, .99), ("damaged names", sorted(damaged), 0)):
        ours = written(t, some)
        theirs = subprocess.run(["llvm-cxxfilt-22"], input="\n".join(some), stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
        theirs = [b if a != b else None for a, b in zip(some, theirs)]
        wrong = [(n, o, w) for n, o, w in zip(some, ours, theirs) if o not in (None, w)]
        same = sum(o == w for o, w in zip(ours, theirs))
        for n, o, w in wrong[:5]:
            print(f"{n}\n  {o}\n  {w}", file=sys.stderr)
        print(f"{len(some)} {what}: {same} as llvm-cxxfilt prints, {len(wrong)} otherwise, the rest not read")
        t.check(what, len(ours) == len(some) and len(wrong) <= (0 if least else len(some) // 1000) and same >= least * len(some), len(wrong))


# -- Lines --------------------------------------------------------------------------------------


def instructions(t, path, *args):
    with open(path, "rb") as f:
        rc, out, err = t.run(f.read(), "--json", *args)
    t.check(path, rc == 0 and not err, err)
    return json.loads(out)["files"][0]["functions"] if rc == 0 else []


def lines(t, source):
    """Checks file, line and column of each instruction, with DWARF 2 to 5, linked and not."""
    if subprocess.run(["sh", "-c", "command -v clang-22 ld.lld-22 llvm-symbolizer-22"], stdout=subprocess.DEVNULL).returncode:
        print("SKIP: clang-22, ld.lld-22 or llvm-symbolizer-22 is not installed")
        sys.exit(77)
    flags = ("--target=amdgcn-amd-amdhsa -mcpu=gfx1100 -O2 -nogpulib -x cl -cl-std=CL2.0 -fno-crash-diagnostics "
             "-mllvm -amdgpu-internalize-symbols -g").split()
    known = n = 0
    with tempfile.TemporaryDirectory() as d:
        for kind, more in (("reduce", ["-gdwarf-5"]), ("reduce", ["-gdwarf-5", "-c"]), ("control", ["-gdwarf-4"]),
                           ("control", ["-gdwarf-4", "-c"]), ("copy", ["-gdwarf-2"]), ("copy", ["-gdwarf-5", "-gdwarf64", "-c"])):
            path = os.path.join(d, "o")
            subprocess.run(["clang-22", *flags, *more, "-o", path, os.path.join(source, f"tests/gcn/kernels/{kind}.cl")], check=True, cwd=d)
            found = [r for fn in instructions(t, path) for r in fn["instructions"]]
            said = subprocess.run(["llvm-symbolizer-22", "--obj=" + path, "--functions=none", "--inlining=false",
                                   *[r["addr"] for r in found]], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n\n")
            for r, place in zip(found, said):
                file, line, col = place.strip().rsplit(":", 2)
                want = (None, None, None) if file == "??" or line == "0" else (file, int(line), int(col) or None)
                t.check(f"{kind} {more} {r['addr']}", (r["file"], r["line"], r["column"]) == want, f"{r['file']}:{r['line']}:{r['column']}, not {want}")
                known += want[1] is not None
            n += len(found)
        # Sections that all begin at 0.
        code = {}
        for more in (["-c"], ["-c", "-ffunction-sections"]):
            subprocess.run(["clang-22", *flags, *more, "-o", path, os.path.join(source, "tests/gcn/kernels/copy.cl")], check=True, cwd=d)
            for fn in instructions(t, path):
                code.setdefault(fn["name"], []).append([(r["text"], r["file"], r["line"], r["column"]) for r in fn["instructions"]])
        for name, two in code.items():
            t.check(f"{name} in a separate section", name is None or (len(two) == 2 and two[0] == two[1]), two)
    t.check("instructions with a line", known > 1000, known)
    print(f"{n} instructions, {known} with a line")


def main():
    if sys.argv[1] == "--lines":
        t = Test(os.path.abspath(sys.argv[2]))
        lines(t, os.path.abspath(sys.argv[3]))
        return 1 if t.bad else 0
    if sys.argv[1] == "--names":
        t = Test(os.path.abspath(sys.argv[2]))
        library_names(t)
        return 1 if t.bad else 0
    if sys.argv[1] == "--records":
        t, n = Test(os.path.abspath(sys.argv[2])), 0
        for name in sys.argv[3:]:
            with open(name, "rb") as f:
                data = f.read()
            if b"no bytes" not in t.run(data, "--hazards")[2].encode():
                n += records(t, name, data)
        print(f"{n} records of {len(sys.argv) - 3} objects, {t.bad} wrong")
        return 1 if t.bad or not n else 0
    t = Test(os.path.abspath(sys.argv[1]))
    nothing(t)
    hex_text(t)
    fields(t)
    names(t, sys.argv[2])
    n, objects = 0, {}
    for name in sorted(glob.glob(os.path.join(sys.argv[2], "tests/gcn/object/*.def"))):
        with open(name) as f:
            text = "".join(x for x in f if not re.match(r"[/ ]\*", x))
        data = bytes(int(x, 16) for x in re.findall(r"0x([0-9a-fA-F]{2})", text))
        objects[os.path.basename(name)[:-4]] = data
        n += records(t, name, data)
    blocks(t, objects)
    damaged_lines(t, objects)
    if len(sys.argv) > 3:
        n += rows(t, os.path.abspath(sys.argv[3]), TARGETS + (MORE_TARGETS if sys.argv[4:] else ()))
    print(f"{n} records")
    print(f"{t.n} checks")
    return 1 if t.bad else 0


sys.exit(main())
