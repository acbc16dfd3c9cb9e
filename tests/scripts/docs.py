#!/usr/bin/env python3
"""docs.py [--write] [--only-table] [--device NAME]... SOURCE BUILD [PAGE]...: tests what README.md,
docs/*.md and tests/mistakes.md show.

The first word of each fenced block selects the test. A page has its own directory, which keeps the files that its
blocks name ("// name.qdk" as the first line).

    qdk             compiles for SPIR-V; template values: qdk L=2 T=f32
    qdk body        these statements compile, in the frame below
    qdk refused     is refused; the following text block has the messages; for another target: target=T
    c               a program (with main) compiles, runs, and prints the following text block,
                    if there is one; without main it compiles as a file
    c mistake       these statements between ctx and qd_builder_finish, or with a device, print
                    the following text block
    c body          compiles as the body of a function that has the names of FRAME_C
    sh              lines after "$ " run and print the lines below them, where ... matches
                    anything; without any "$ " all lines run and succeed
    text, dot, ... is not code
    X not-run ...   code that is not run; these blocks are counted
    X run-by FILE   is run by that file of tests/

Also tests docs/examples (each file is in a command of a page), the examples of every --help, and in
docs/language.md the table of primitives, which --write generates, and the names that are refused.

SOURCE is the tree, BUILD the build directory. Programs and commands that name no device run on each NAME (ref:8;
vulkan is lavapipe with 8 lanes). The examples of --help run in docs/examples, on vulkan.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIBRARIES = (("qdgpu-dis", "isa/dis"), ("qdgpu", "runtime"))  # and their directories in the build
PLAIN = {"text", "json", "dot"}
# Programs of other packages that a block may run: from a minimal Debian, or installed by bootstrap.sh.
MINIMAL = set("cat cmp cut diff echo env grep head ls mkdir od printf rm sed sort tail test tr uniq wc".split())  # essential packages
WITH_GCC = set("cc gcc ld nm objdump readelf".split())  # and binutils
SHELL = set("cd do done else export fi for if set then unset while".split())
# Files of Mesa and tinygrad that pages cite.
FOREIGN_FILES = {"src/amd/common/sid.h", "runtime/ops_amd.py", "src/gallium/auxiliary/gallivm/lp_bld_limits.h",
                 "src/intel/compiler/brw_fs_generator.cpp"}
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "tests/README.md", "tests/mistakes.md"]  # and all of docs/
TABLE = re.compile(r"(<!-- primitives.*?-->\n)(.*?)(<!-- end -->)", re.S)
LATER = re.compile(r"<!-- later -->\n(.*?)<!-- end -->", re.S)

FRAME_QDK = """kernel body(a: f32[], b: u32[], src: in f32[], dst: out f32[], n: i32, x: f32) block(64) {
  for i in grid(a.len) {
%s
  }
}
"""

FRAME_C = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <qdgpu/qd.h>
#define UNUSED(x) (void)(x)
struct names {
	struct qd_context *ctx; struct qd_module *m; struct qd_kernel *kernel; struct qd_image *image;
	struct qd_device *dev; struct qd_function *fn; struct qd_stream *stream, *other;
	struct qd_buffer *in, *out; struct qd_event *event; struct qd_builder *b; struct qd_error err;
	struct qd_arg args[2]; struct qd_val v, x, y, i; struct qd_array src, dst; float *data; size_t size;
};
static int body(struct names *n)
{
	struct qd_context *ctx = n->ctx; struct qd_module *m = n->m; struct qd_kernel *kernel = n->kernel;
	struct qd_image *image = n->image; struct qd_device *dev = n->dev; struct qd_function *fn = n->fn;
	struct qd_stream *stream = n->stream, *other = n->other; struct qd_buffer *in = n->in, *out = n->out;
	struct qd_event *event = n->event; struct qd_builder *b = n->b; struct qd_error err = n->err;
	struct qd_arg *args = n->args; struct qd_val v = n->v, x = n->x, y = n->y, i = n->i;
	struct qd_array src = n->src, dst = n->dst; float *data = n->data; size_t size = n->size;
	UNUSED(ctx); UNUSED(m); UNUSED(kernel); UNUSED(image); UNUSED(dev); UNUSED(fn); UNUSED(stream); UNUSED(other);
	UNUSED(in); UNUSED(out); UNUSED(event); UNUSED(b); UNUSED(&err); UNUSED(args); UNUSED(v); UNUSED(x); UNUSED(y);
	UNUSED(i); UNUSED(src); UNUSED(dst); UNUSED(data); UNUSED(size);
%s
	return 0;
}
int main(void) { struct names n; memset(&n, 0, sizeof n); return n.size ? body(&n) : 0; }
"""


FRAME_MISTAKE = """#include <stdio.h>
#include <string.h>
#include <qdgpu/qd.h>
static const char text[] = "kernel twice(a: f32[], n: u32) block(64) { for i in grid(n) { a[i] *= 2; } }\\n"
	"kernel one(a: f32[]) block(64) { a[block.global_thread_idx()] = 1; }";
int main(void)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_error err = { 0 }; struct qd_context *ctx; struct qd_builder *b = NULL; struct qd_kernel *kernel = NULL, *k1, *k2;
	struct qd_module *m; struct qd_device *dev; struct qd_function *twice, *one; struct qd_stream *stream; struct qd_buffer *buf;
	float data[8] = { 0 };
	if (qd_context_create(&desc, &ctx, &err) || qd_module_parse(ctx, text, strlen(text), "twice.qdk", &m, &err) ||
	    qd_module_kernel(m, "twice", NULL, 0, &k1, &err) || qd_module_kernel(m, "one", NULL, 0, &k2, &err) ||
	    qd_device_open(ctx, NULL, &dev, &err) || qd_function_get(dev, k1, NULL, 0, &twice, &err) ||
	    qd_function_get(dev, k2, NULL, 0, &one, &err) || qd_stream_create(dev, &stream, &err) ||
	    qd_buffer_create(dev, sizeof data, 0, &buf, &err) || qd_builder_create(ctx, "k", &b, &err))
		return fprintf(stderr, "%%s\\n", err.text), 1;
	struct qd_array src = qd_param_buffer(b, "src", QD_TYPE_F32, QD_ACCESS_IN);
	struct qd_array dst = qd_param_buffer(b, "dst", QD_TYPE_F32, QD_ACCESS_OUT);
	struct qd_val i = qd_grid(b, qd_len(b, src));
	struct qd_val v = qd_load(b, src, i);
	qd_status st = QD_OK;
	(void)dst, (void)v, (void)data;
%s
	if (!st)
		st = qd_builder_finish(b, &kernel, &err);
	else
		qd_builder_free(b);
	puts(st ? err.text : "no error");
	qd_kernel_free(kernel), qd_buffer_free(buf), qd_stream_free(stream), qd_function_free(twice), qd_function_free(one);
	qd_device_close(dev), qd_kernel_free(k1), qd_kernel_free(k2), qd_module_free(m), qd_context_free(ctx);
	return 0;
}
"""


class Block:
    def __init__(self, page, line, info, text):
        self.page, self.line, self.text = page, line, text
        words = info.split()
        self.lang = words[0] if words else ""
        self.words = words[1:]
        self.where = f"{page}:{line}"

    def has(self, word):
        return word in self.words


def blocks_of(page, text):
    out, block, fence = [], None, ""
    for n, line in enumerate(text.split("\n"), 1):
        m = re.match(r"( *)(```+)(.*)$", line)
        if block is None and m:
            block, fence = (n, m.group(3).strip(), []), m.group(1) + m.group(2)
        elif block is not None and line == fence:
            indent = len(fence) - len(fence.lstrip())
            out.append(Block(page, block[0], block[1], "".join(x[indent:] + "\n" for x in block[2])))
            block = None
        elif block is not None:
            block[2].append(line)
    if block is not None:
        sys.exit(f"{page}:{block[0]}: this block is not closed")
    return out


def matches(shown, got):
    """Returns whether `got` equals `shown`, in which ... matches anything."""
    parts = [re.escape(p) for p in shown.strip("\n").split("...")]
    return re.fullmatch(r"(?s)" + ".*".join(parts), got.strip("\n")) is not None


class Docs:
    def __init__(self, source, build, cc):
        self.source, self.build = os.path.abspath(source), os.path.abspath(build)
        self.cc = cc
        self.bad, self.skipped, self.count, self.seen = 0, 0, {}, set()
        self.tmp = tempfile.mkdtemp()
        self.tools = os.path.join(self.build, "src", "tools")
        self.env = dict({"QD_CACHE": "0"}, **dict(os.environ, NO_COLOR="1", LC_ALL="C"))
        for name in ("QD_LOG", "QD_DUMP", "QD_DUMP_DIR", "QD_REF_STEPS", "QD_EMU_STEPS", "QD_EMU_SEED"):
            self.env.pop(name, None)
        self.env["PATH"] = os.pathsep.join([self.tools, os.path.join(self.build, "docs", "examples"), self.env["PATH"]])
        self.env["LD_LIBRARY_PATH"] = ":".join(os.path.join(self.build, at) for _, at in LIBRARIES)
        include = os.path.join(self.tmp, "include", "qdgpu")
        os.makedirs(include)
        for header in ("qd.h", "public/qdgpu/dis.h"):
            shutil.copy(os.path.join(self.source, "src", header), include)

    def choose(self, device):
        """Selects the device for programs and commands; returns False if it is not available."""
        self.env["QD_DEVICE"] = device
        if device == "vulkan":
            p = subprocess.run(["bash", os.path.join(self.source, "tests", "scripts", "driver.sh"), "lvp8", "env", "-0"],
                               stdout=subprocess.PIPE, text=True)
            if p.returncode:
                print("lavapipe is not installed: the examples for it were not checked\n" + p.stdout)
                return False
            # Variables of the driver and its cache; the command's runtime directory no longer exists.
            self.env.update(x.split("=", 1) for x in p.stdout.split("\0") if re.match("VK_|LP_|MESA_", x))
            self.env["XDG_RUNTIME_DIR"] = self.tmp
        return True

    def fail(self, where, text):
        self.bad += 1
        print(f"{where}: {text}", file=sys.stderr)

    def did(self, what):
        self.count[what] = self.count.get(what, 0) + 1

    def run(self, command, folder):
        p = subprocess.run(command, cwd=folder, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=120, errors="replace")
        return p.returncode, p.stdout

    # -- Blocks ------------------------------------------------------------------

    def qdk(self, block, following, folder, written):
        first = re.match(r"// (\S+\.qdk)\n", block.text)
        name = first.group(1) if first else f"line{block.line}.qdk"
        name = next((w[5:] for w in block.words if w.startswith("file=")), name)
        text = FRAME_QDK % block.text if block.has("body") else block.text
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
        if written:
            return
        command = ["qd-dis", "-t", next((w[7:] for w in block.words if w.startswith("target=")), "spirv:w32")]
        for word in block.words:
            if "=" in word and not word.startswith(("file=", "target=")):
                command += ["-D", word]
        rc, got = self.run(command + [name], folder)
        if block.has("refused"):
            if rc == 0:
                self.fail(block.where, "compiles, but an error is expected")
            elif following is None or following.lang != "text":
                self.fail(block.where, "no text block with the message follows")
            elif not matches(following.text, got):
                self.fail(block.where, f"says\n{got}not\n{following.text}")
            self.did("qdk refused")
        elif rc != 0:
            self.fail(block.where, f"does not compile:\n{got}")
        else:
            self.did("qdk")

    def c(self, block, following, folder, compiled):
        """compiled: the directory with this page's programs, compiled for another device before, or
        None"""
        name = os.path.join(folder, f"line{block.line}")
        frame = FRAME_C if block.has("body") else FRAME_MISTAKE if block.has("mistake") else "%s"
        program = block.has("mistake") or re.search(r"\bmain\(", block.text) is not None
        with open(name + ".c", "w") as f:
            f.write(frame % block.text)
        command = self.cc + ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                             "-Wno-misleading-indentation", "-I",
                             os.path.join(self.tmp, "include"), name + ".c", "-o", name]
        if compiled:
            rc, name = 0, os.path.join(compiled, os.path.basename(name))
        else:
            libraries = [w for name, at in LIBRARIES for w in ("-L", os.path.join(self.build, at), "-l" + name) if name == "qdgpu" or "qdgpu/dis.h" in block.text]
            rc, got = self.run(command + (libraries if program or block.has("body") else ["-c"]), folder)
        if rc:
            self.fail(block.where, f"does not compile:\n{got}")
        elif program:
            rc, got = self.run([name] + [w[4:] for w in block.words if w.startswith("arg=")], folder)
            if rc or (following is not None and following.lang == "text" and not matches(following.text, got)):
                self.fail(block.where, f"exit {rc}, prints\n{got}")
            self.did("c mistake" if block.has("mistake") else "c program")
        elif not compiled:
            self.did("c")

    def programs(self, command, where):
        """Checks that each program of a command exists on a machine that bootstrap.sh prepared."""
        plain = re.sub(r"'[^']*'|\"[^\"]*\"", "Q", command.replace("\\\n", " "))
        for part in re.split(r"\|\||&&|\$\(|[|;(`\n]", plain):
            words = [w for w in part.split() if not re.match(r"\w+=", w)]
            if words and words[0] == "do":
                words = words[1:]
            if words and not words[0].startswith("#") and words[0] not in MINIMAL | WITH_GCC | SHELL and not os.path.exists(
                    os.path.join(self.tools, words[0])) and not os.path.exists(os.path.join(self.build, "docs", "examples", words[0])):
                self.fail(where, f"'{words[0]}' is not a program of qd, of a minimal Debian or of bootstrap.sh's packages (the tables of docs.py)")

    def sh(self, block, folder):
        lines = block.text.split("\n")
        if not any(x.startswith("$ ") for x in lines):
            self.programs(block.text, block.where)
            rc, got = self.run(["bash", "-ec", block.text], folder)
            if rc:
                self.fail(block.where, f"exit {rc}:\n{got}")
            self.did("commands")
            return
        at = 0
        while at < len(lines):
            command, where = lines[at][2:], f"{block.page}:{block.line + 1 + at}"
            if not lines[at].startswith("$ "):
                self.fail(where, "this output has no command")
                return
            at += 1
            while command.endswith("\\") and at < len(lines):
                command += "\n" + lines[at]
                at += 1
            shown = []
            while at < len(lines) and not lines[at].startswith("$ "):
                shown.append(lines[at])
                at += 1
            self.seen.add(command)
            self.programs(command, where)
            rc, got = self.run(["bash", "-c", command], folder)
            text = "\n".join(shown)
            expects_failure = re.search(r"(error|finding): |^(qd-\w+|kernel '\w+'): ", text, re.M) is not None
            if not matches(text, got) or (rc != 0) != expects_failure:
                self.fail(where, f"'{command}' ends with {rc} and prints\n{got}")
            self.did("commands")

    def links(self, page, text):
        """Checks that the files and headings that a page links to exist."""
        for path, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", re.sub(r"(?s)```.*?```|`[^`\n]*`", "", text)):
            at = os.path.normpath(os.path.join(self.source, os.path.dirname(page), path)) if path else os.path.join(self.source, page)
            if not os.path.exists(at):
                self.fail(page, f"{path} does not exist")
            elif anchor:
                with open(at) as f:
                    heads = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", f.read(), re.M)]
                if anchor not in heads:
                    self.fail(page, f"{path} has no heading #{anchor}")
            self.did("links")
        # Files and directories of the tree that the text names; BUILD/tests/run and the like are programs.
        for path in re.findall(r"`((?:src|isa|jit|runtime|tests|bench|docs)/[\w./*\[\]-]+)`", re.sub(r"(?s)```.*?```", "", text)):
            name = path.rstrip("/.")
            if not (name in FOREIGN_FILES or name.startswith("isa/toy/") or glob.glob(os.path.join(self.source, name))
                    or os.path.exists(os.path.join(self.build, name))):
                self.fail(page, f"the file {path} does not exist")
            self.did("file names")

    def page(self, page, device, after):
        """Tests a page on this device. after: an earlier device, whose device-independent results
        are reused; or None."""
        with open(os.path.join(self.source, page)) as f:
            text = f.read()
        blocks = blocks_of(page, text)
        if not after:
            self.links(page, text)
        folder = os.path.join(self.tmp, device, page.replace("/", "_"))
        compiled = os.path.join(self.tmp, after, page.replace("/", "_")) if after else None
        shutil.copytree(os.path.join(self.source, "docs", "examples"), os.path.join(folder, "docs", "examples"))
        if page == "docs/qd-dis.md":
            self.objects(folder)
        for i, block in enumerate(blocks):
            following = blocks[i + 1] if i + 1 < len(blocks) else None
            if block.has("not-run"):
                self.skipped += not after
            elif block.has("run-by"):
                by = block.words[block.words.index("run-by") + 1]
                at = by if "/" in by else "scripts/" + by
                if not os.path.exists(os.path.join(self.source, "tests", at)):
                    self.fail(block.where, f"tests/{at} does not exist")
                if not after:
                    self.did("run by other tests")
            elif block.lang == "qdk":
                self.qdk(block, following, folder, after)
            elif block.lang == "c":
                self.c(block, following, folder, compiled)
            elif block.lang == "sh":
                self.sh(block, folder)
            elif block.lang not in PLAIN:
                self.fail(block.where, f"the kind of block '{block.lang}'is unknown; expected text, qdk, c, sh, or X not-run")

    # -- Examples ------------------------------------------------------------------

    def examples(self):
        for name in sorted(os.listdir(os.path.join(self.source, "docs", "examples"))):
            stem, ext = os.path.splitext(name)
            if ext not in (".qdk", ".c"):
                continue
            word = re.compile(r"(^|[\s/])" + re.escape(name if ext == ".qdk" else stem) + r"(\s|$)")
            if not any(word.search(c) for c in self.seen):
                self.fail(f"docs/examples/{name}", "no command of any page runs it")
            self.did("examples")

    def helps(self):
        folder = os.path.join(self.tmp, "help")
        shutil.copytree(os.path.join(self.source, "docs", "examples"), folder)
        self.objects(folder)
        # The name that qd-aot's examples use for a program's kernels.
        shutil.copy(os.path.join(folder, "tile_sum.qdk"), os.path.join(folder, "kernels.qdk"))
        for tool in sorted(os.listdir(self.tools)):
            if not re.fullmatch(r"qd-\w+", tool):
                continue
            lines = self.run([tool, "--help"], folder)[1].split("\nExamples:\n")[-1].split("\n")
            lines = [x.strip() for x in lines if x.startswith("  ")]
            if not lines:
                self.fail(tool, "--help shows no example")
            for line in lines:
                rc, got = self.run(["bash", "-c", line], folder)
                if rc:
                    self.fail(f"{tool} --help", f"'{line}' ends with {rc} and prints\n{got}")
                self.did("lines of --help")

    def objects(self, folder):
        """Writes AMD code for qd-dis: an object of the tests, under the names that --help uses."""
        with open(os.path.join(self.source, "tests", "gcn", "object", "v5_gfx1100.def")) as f:
            text = "".join(x for x in f if not re.match(r"[/ ]\*", x))
        data = bytes(int(x, 16) for x in re.findall(r"0x([0-9a-fA-F]{2})", text))
        for name in ("kernels.hsaco", "program"):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)

    # -- The reference ----------------------------------------------------------------

    def rows(self):
        text = self.run(["qd-info", "--primitives", "--json"], self.tmp)[1]
        return json.loads(text)["primitives"]

    def table(self):
        """Returns the table of docs/language.md, generated from qd-info."""
        rows, out = self.rows(), []
        targets = list(rows[0]["targets"])
        for title, dotted in (("primitive", True), ("function", False)):
            out += ["", f"| {title} | gives | T | tiled | meaning | " + " | ".join(t.split(":")[0] for t in targets) + " |",
                    "|" + "---|" * (5 + len(targets))]
            for r in rows:
                if ("." in r["name"]) == dotted:
                    types = " ".join(r["types"])
                    types = {"i32 u32 i64 u64 f32 f64": "numbers", "i32 u32 i64 u64": "integers", "f32 f64": "floats",
                             "bool i32 u32 i64 u64 f32 f64": "any"}.get(types, types)
                    cells = [f"`{r['call']}`", r["result"], types, "yes" if r["tiled"] else "", r["meaning"].replace("|", "\\|")]
                    out.append("| " + " | ".join(cells + [r["targets"][t] for t in targets]) + " |")
        return "\n".join(out + ["", ""])

    def reference(self, write):
        page = os.path.join(self.source, "docs", "language.md")
        with open(page) as f:
            text = f.read()
        found = TABLE.search(text)
        if not found:
            sys.exit("docs/language.md has no table of primitives")
        table = self.table()
        if write:
            with open(page, "w") as f:
                f.write(text[: found.start(2)] + table + text[found.end(2) :])
            return
        if found.group(2) != table:
            have, want = set(found.group(2).split("\n")), table.split("\n")
            for line in want:
                if line not in have:
                    self.fail("docs/language.md", f"its table lacks what qd-info says (docs.py --write): {line}")
            for line in have - set(want):
                self.fail("docs/language.md", f"qd-info does not say this of primitives: {line}")

    def theirs(self):
        """Checks that each foreign name in the tables of docs/from-cuda.md gets a help text."""
        with open(os.path.join(self.source, "docs", "from-cuda.md")) as f:
            rows = [x.split("|")[1:4] for x in f if x.startswith("| ")]
        names = {m.group(1) for r in rows for c in r for m in re.finditer(r"`([A-Za-z_]\w*)(?![\w*])[^`]*`", c)}
        ours = set("abs clamp exp fma fract mix round select sign step a c const".split())
        declarations = {"RWStructuredBuffer", "StructuredBuffer", "buffer", "readonly", "numthreads", "shared", "GetDimensions"}
        for name in sorted(names - ours - declarations):
            helped = False
            for use in (f"let x = {name};", f"{name} float s[64];"):
                with open(os.path.join(self.tmp, "theirs.qdk"), "w") as f:
                    f.write("kernel k(b: f32[]) {\n  " + use + "\n}\n")
                got = self.run(["qd-dis", "theirs.qdk"], self.tmp)[1]
                helped = helped or re.search(r"^help: (?!declare it|a statement )", got, re.M) is not None
            if not helped:
                self.fail("docs/from-cuda.md", f"no help names a replacement of {name} (src/lang/foreign.def)")
            self.did("names of other languages")

    def later(self):
        """Checks that each name that docs/language.md lists as not yet available is refused as
        such."""
        with open(os.path.join(self.source, "docs", "language.md")) as f:
            text = LATER.search(f.read()).group(1)
        names = [n for n in re.findall(r"`([a-z0-9_.]+)`", text) if "." in n]
        lines = ["kernel k(a: f32[]) {"] + [f"  {n}(a[0]);" for n in names] + ["}"]
        wrong = []
        for start in range(1, len(lines) - 1):
            with open(os.path.join(self.tmp, "later.qdk"), "w") as f:
                f.write("\n".join([lines[0], lines[start], lines[-1]]) + "\n")
            got = self.run(["qd-dis", "later.qdk"], self.tmp)[1]
            if f"'{names[start - 1]}' is not available in this version" not in got:
                wrong.append(names[start - 1])
            self.did("names that are refused")
        if wrong:
            self.fail("docs/language.md", f"not refused as names of later: {' '.join(wrong)}")


def main():
    args = sys.argv[1:]
    write, only = "--write" in args, "--only-table" in args
    devices, cc = [], ["cc"]
    plain = []
    while args:
        a = args.pop(0)
        if a == "--device":
            devices.append(args.pop(0))
        elif a == "--cc":
            cc = args.pop(0).split()
        elif a not in ("--write", "--only-table"):
            plain.append(a)
    devices = devices or ["ref:8"]
    d = Docs(plain[0], plain[1], cc)
    try:
        if only or write:
            d.reference(write)
            return 1 if d.bad else 0
        docs = os.path.join(d.source, "docs")
        pages = plain[2:] or PAGES + sorted(os.path.join("docs", p) for p in os.listdir(docs) if p.endswith(".md"))
        for i, device in enumerate(devices):
            d.seen = set()
            if not d.choose(device):
                continue
            for page in pages:
                d.page(page, device, devices[0] if i else None)
            if not plain[2:]:
                d.examples()
                if device == "vulkan":
                    d.helps()
        if not plain[2:]:
            d.reference(False)
            d.theirs()
            d.later()
    finally:
        shutil.rmtree(d.tmp)
    print(f"on {' and '.join(devices)}: " + ", ".join(f"{n} {what}" for what, n in sorted(d.count.items())) +
          f"; {d.skipped} not run")
    return 1 if d.bad else 0


if __name__ == "__main__":
    sys.exit(main())
