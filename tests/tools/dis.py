#!/usr/bin/env python3
"""dis.py QD-DIS SOURCE: qd-dis on files that no compiler writes and on text as people have it, and
what its views say, compared with what follows from the code itself.  The files are made here."""
import json
import os
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
                  "qd-dis: 'FILE': offset 0x28: of 5 sections none is code\n")
        t.refused(f"a function past the end {view}", elf(end, [("f", 0, 8, FUNC)]), view,
                  "qd-dis: 'FILE': offset 0x78: function 'f' (0x8 bytes at address 0x0) is not within section "
                  "'.text' (0x4 bytes at 0x0)\n")
        t.refused(f"a function behind the end {view}", elf(end, [("f", 0, 4, FUNC), ("g", 64, 0, FUNC)]), view,
                  "qd-dis: 'FILE': offset 0x90: function 'g' (0x0 bytes at address 0x40) is not within section "
                  "'.text' (0x4 bytes at 0x0)\n")
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


def main():
    t = Test(os.path.abspath(sys.argv[1]))
    nothing(t)
    hex_text(t)
    print(f"{t.n} checks")
    return 1 if t.bad else 0


sys.exit(main())
