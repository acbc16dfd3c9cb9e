#!/usr/bin/env python3
"""dis.py QD-DIS SOURCE [GCN_ROWS]: qd-dis on files that no compiler writes and on text as people
have it, and what its views say, compared with what follows from the code itself.  The files are
made here, or are the words that GCN_ROWS makes of every row of the tables.

dis.py --records QD-DIS OBJECT...: of these objects, every record of --json alone."""
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

FUNC, OBJECT, NOTYPE = 2, 1, 0
S_NOP, S_ENDPGM = 0xBF800000, 0xBFB00000  # of gfx11
GFX1100 = 0x41


def align(data, n):
    return data + bytes(-len(data) % n)


def elf(code, symbols=(), sections=(), flags=GFX1100, executable=True):
    """A code object (v6, not linked): section 1 is .text, symbols are (name, value, size, type)."""
    names, strings, entries = b"\0.text\0.strtab\0.symtab\0", b"\0", bytes(24)
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
    """A plain bundle of clang's: of (processor, object)."""
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
            return p.returncode, p.stdout.decode(errors="replace").replace(f.name, "FILE"), \
                p.stderr.decode(errors="replace").replace(f.name, "FILE")

    def check(self, what, good, detail=""):
        self.n += 1
        if not good:
            self.bad += 1
            print(f"dis: {what}: {detail}", file=sys.stderr)

    def refused(self, what, data, args, text):
        rc, _, err = self.run(data, *args)
        self.check(what, rc == 1 and err == text, f"exit {rc}, says {err!r}, not {text!r}")

    def listed(self, what, data, args, lines):
        rc, out, err = self.run(data, *args)
        got = [x.split(";")[0].strip() for x in out.split("\n") if x.startswith("  ")]
        self.check(what, rc == 0 and got == lines, f"exit {rc}, {got}, not {lines} {err}")


# -- Files without code, or with less than they say ------------------------------------

VIEWS = ([], ["--style=llvm"], ["--stats"], ["--json"], ["--hazards"], ["--cfg=dot"], ["--waits"])


def nothing(t):
    end = words(S_ENDPGM)
    for view in VIEWS:
        t.refused(f"an empty file {view}", b"", view, "qd-dis: 'FILE': offset 0x0: the file is empty\n")
        t.refused(f"no words {view}", b"", ["--raw", "gfx1100", *view], "qd-dis: 'FILE': offset 0x0: the file is empty\n")
        t.refused(f"a .text of no bytes {view}", elf(b""), view, "qd-dis: 'FILE': offset 0x40: section '.text' has no bytes\n")
        t.refused(f"an object without code {view}", elf(end, executable=False), view,
                  "qd-dis: 'FILE': offset 0x28: no section is code\n")
        t.refused(f"a function past the end {view}", elf(end, [("f", 0, 8, FUNC)]), view,
                  "qd-dis: 'FILE': offset 0x78: function 'f' (0x8 bytes at address 0x0) is not within section "
                  "'.text' (0x4 bytes at 0x0)\n")
        t.refused(f"a function behind the end {view}", elf(end, [("f", 0, 4, FUNC), ("g", 64, 0, FUNC)]), view,
                  "qd-dis: 'FILE': offset 0x90: function 'g' (0x0 bytes at address 0x40) is not within section "
                  "'.text' (0x4 bytes at 0x0)\n")
        two = bundle(("gfx906", elf(b"")), ("gfx1100", elf(end, [("f", 0, 4, FUNC)])))
        rc, out, err = t.run(two, *view)
        # An entry may be empty; a table of kernels has nothing of a function.
        t.check(f"a bundle with an empty entry {view}", (rc == 0) == (view != ["--stats"]) and "FILE:hip-amdgcn--gfx906': offset 0xc0: section '.text' has no bytes" in err.replace(" warning:", "") and
                (out or view in (["--hazards"], ["--stats"])), f"exit {rc} {out} {err}")
        rc, out, err = t.run(bundle(("gfx906", elf(b""))), *view)
        t.check(f"a bundle of an empty entry {view}", rc == 1 and "'FILE': no entry has code to show" in err, f"exit {rc} {out} {err}")
    for view in ([], ["--json"], ["--hazards"], ["--cfg=dot"]):
        t.refused(f"nothing but padding {view}", elf(words(0, 0)), view,
                  "qd-dis: 'FILE': offset 0x40: section '.text' has no function\n")
    t.refused("no kernel for the table", elf(end, [("f", 0, 4, FUNC)]), ["--stats"],
              "qd-dis: 'FILE': offset 0x40: section '.text' is no kernel's\n")
    t.refused("text without a kernel", "// nothing\n", [], "qd-dis: 'FILE' has no kernel\n")
    # Less is no fault: labels at the end, code without a symbol, sizes that nobody wrote.
    t.listed("a label at the end", elf(end, [("f", 0, 4, FUNC), ("end", 4, 0, NOTYPE)]), ["--no-addr", "--no-hex"], ["s_endpgm"])
    t.listed("code without a symbol", elf(end), ["--no-addr", "--no-hex"], ["s_endpgm"])
    t.listed("a function without a size", elf(end, [("f", 0, 0, FUNC)]), ["--no-addr", "--no-hex"], ["s_endpgm"])


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
    t.listed("words that are padding elsewhere", words(S_NOP, 0), RAW, ["s_nop 0", ".long 0x00000000"])
    for what, text, place in (
        ("a mnemonic", "bf800000\n  s_nop 0\n", "2:3: error: 's_nop' is no 32-bit word"),
        ("nine digits", "bf800000 123456789", "1:10: error: '123456789' is no 32-bit word"),
        ("0x alone", "0x", "1:1: error: '0x' is no 32-bit word"),
        ("three bytes", "bf800000\n [0x00,0x00,0x80]", "2:2: error: 3 bytes make no whole words"),
        ("no bytes", "[]", "1:1: error: 0 bytes make no whole words"),
        ("no byte", "[0x00,0x100]", "1:7: error: '0x100' is no byte"),
        ("a list without end", "[0x00,0x00,\n0x80,0xbf", "1:1: error: this list of bytes does not end"),
        ("a list in a list", "[0x00,[0x00", "1:7: error: '[' is no byte"),
        ("an end without a list", "bf800000]", "1:9: error: ']' is no 32-bit word"),
        ("bare bytes, then a word", "0x00,0x00\nbf800000", "1:1: error: 2 bytes from here make no word"),
        ("a slash", "bf800000 / 1", "1:10: error: '/' is no 32-bit word"),
        ("comments alone", "# nothing\n", "2:1: error: the text ends without a word of code"),
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
    """The text without what is in brackets."""
    while True:
        less = re.sub(r"\([^()\[\]{}]*\)|\[[^()\[\]{}]*\]|\{[^()\[\]{}]*\}", "", text)
        if less == text:
            return text
        text = less


def record_text(t, where, r):
    """The pieces of an instruction's text are its text, and each is one piece."""
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


def records(t, where, data, *args):
    rc, out, err = t.run(data, "--json", *args)
    t.check(f"{where}: --json", rc == 0, err)
    n = 0
    for f in json.loads(out)["files"] if rc == 0 else []:
        for fn in f["functions"]:
            for r in fn["instructions"]:
                record_text(t, f"{where} {fn['name']} {r['addr']}", r)
                n += 1
    return n


def one(t, text, *args, target="gfx1100"):
    """The records of words."""
    rc, out, err = t.run(text, "--json", "--raw", target, *args)
    t.check(text, rc == 0, err)
    return json.loads(out)["files"][0]["functions"][0]["instructions"]


def fields(t):
    """A field of a record says something else than the instruction does."""
    r = one(t, "F4000080F8000010 bf89fc07 7e020202 bfb00000".replace("F8", " F8"))
    t.check("outstanding", r[0]["waits"] == {"outstanding": [{"counter": "lgkmcnt", "n": 1}]}, r[0])
    t.check("covers", r[1]["waits"] == {"for": [{"counter": "lgkmcnt", "addr": "0x0"}]}, r[1])
    t.check("reads", r[0]["reads"] == [{"bank": "s", "first": 0, "n": 2}] and
            r[0]["writes"] == [{"bank": "s", "first": 2, "n": 1}], r[0])
    t.check("a read behind the wait", r[2]["waits"] == {} and {"bank": "s", "first": 2, "n": 1} in r[2]["reads"], r[2])
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


def rows(t, program):
    """Every row of the tables, as random words on each target."""
    n = 0
    for target in ("gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1100:64", "gfx1150",
                   "gfx1200", "gfx1200:64"):
        with tempfile.TemporaryDirectory() as d:
            subprocess.run([program, "write", target, "1", "7", d], check=True, stdout=subprocess.DEVNULL)
            with open(os.path.join(d, "bytes"), "rb") as f:
                n += records(t, target, f.read(), "--raw", target.replace(":64", ":w64"))
    t.check("rows", n > 10000, n)
    return n


def main():
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
    n = 0
    for name in sorted(glob.glob(os.path.join(sys.argv[2], "tests/gcn/object/*.def"))):
        with open(name) as f:
            text = "".join(x for x in f if not re.match(r"[/ ]\*", x))
        n += records(t, name, bytes(int(x, 16) for x in re.findall(r"0x([0-9a-fA-F]{2})", text)))
    if len(sys.argv) > 3:
        n += rows(t, os.path.abspath(sys.argv[3]))
    print(f"{n} records")
    print(f"{t.n} checks")
    return 1 if t.bad else 0


sys.exit(main())
