/* qd-dis: what a kernel looks like as IR or as the code of a target; files of
 * code as text.  Options, and which printer the file is for. */
#include "dis.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "demangle.h"
#include "jit.h"

enum {
	OPT_KERNEL, OPT_TARGET, OPT_SET, OPT_OUTPUT, OPT_EMIT, OPT_FORCE, OPT_RAW, OPT_STYLE,
	OPT_NO_ADDR, OPT_NO_HEX, OPT_NO_META, OPT_STATS, OPT_JSON, OPT_CFG, OPT_WAITS,
	OPT_LIVE, OPT_HAZARDS, OPT_MIX, OPT_BLOCK
};
static const struct tool_option options[] = {
	[OPT_KERNEL] = { 'k', "kernel", "GLOB", "only kernels and functions with such a name; where none has it, "
			 "those that have it in theirs" },
	[OPT_TARGET] = { 't', "target", "TARGET",
			 "compile for this target and show its code (without it the IR is shown); "
			 "of a bundle, only what is for it" },
	[OPT_SET] = { 'D', "set", "NAME=VALUE",
		      "a template value: an integer or a type; may be repeated" },
	[OPT_OUTPUT] = { 'o', "output", "FILE",
			 "write there; - is the standard output. A name that ends as files of the "
			 "target's code do (.spv, .ptx) asks for the code" },
	[OPT_EMIT] = { 0, "emit", "KIND",
		       "text (default), or bin: the code itself, of one kernel; needs -t" },
	[OPT_FORCE] = { 'f', "force", NULL, "write binary output to a terminal" },
	[OPT_RAW] = { 0, "raw", "TARGET",
		      "the file is words of an AMD target, bytes or hexadecimal text: gfx1100, "
		      "gfx1100:w64" },
	[OPT_STYLE] = { 0, "style", "STYLE",
			"AMD code as qd (default: labels, remarks, descriptors) or as llvm: what "
			"llvm-objdump -d prints" },
	[OPT_NO_ADDR] = { 0, "no-addr", NULL, "leave addresses out" },
	[OPT_NO_HEX] = { 0, "no-hex", NULL, "leave the words out" },
	[OPT_NO_META] = { 0, "no-meta", NULL, "leave kernel descriptors and metadata out" },
	[OPT_STATS] = { 0, "stats", NULL,
			"a table instead: registers, memory and occupancy of each kernel" },
	[OPT_MIX] = { 0, "mix", NULL,
		      "a table instead: instructions of each kernel and function by what executes them" },
	[OPT_BLOCK] = { 0, "block", "N",
			"work-groups of N lanes: say how many a compute unit holds, and waves a SIMD" },
	[OPT_JSON] = { 0, "json", NULL, "the same as JSON, one record per instruction" },
	[OPT_WAITS] = { 0, "waits", NULL,
			"say of each wait which loads it covers, and what is used too early" },
	[OPT_LIVE] = { 0, "live", NULL,
		       "say how many registers hold something at each instruction, and where most do" },
	[OPT_HAZARDS] = { 0, "hazards", NULL,
			  "list what the hardware would run wrongly; exit 1 if there is any" },
	[OPT_CFG] = { 0, "cfg", "FORM", "control flow instead; the form is dot" },
};

static const struct tool tool = {
	.name = "qd-dis",
	.usage = "FILE [OPTION]...",
	.about = "Shows kernels as IR, or the code that they become. FILE holds .qdk text, "
		 "printed IR, or code: a SPIR-V module, an AMD code object, a bundle of them, a "
		 "program that carries one; - is the standard input.",
	.options = options,
	.n_options = QD_COUNT(options),
	.examples = {
		"qd-dis -k tile_sum -D T=f32 -D L=5 -t spirv:w32 tile_sum.qdk",
		"qd-dis --style=llvm kernels.hsaco",
		"qd-dis --stats program",
	},
};

static void
parse_arguments(int argc, char **argv, struct dis_request *r)
{
	struct tool_args args;
	const char *v;
	int i;
	tool_start(&args, &tool, argc, argv);
	while ((i = tool_next(&args, &v)) != TOOL_END) {
		switch (i) {
		case OPT_KERNEL: r->kernel = v; break;
		case OPT_TARGET: r->target = v; break;
		case OPT_SET: tmpl_add(&r->tmpl, v); break;
		case OPT_OUTPUT: r->output = v; break;
		case OPT_FORCE: r->force = true; break;
		case OPT_EMIT:
			r->binary = strcmp(v, "bin") == 0;
			r->text = !r->binary;
			if (!r->binary && strcmp(v, "text") != 0)
				tool_usage("--emit takes text or bin, not '%s'", v);
			break;
		case OPT_RAW: r->raw = v; break;
		case OPT_STYLE:
			r->style = strcmp(v, "llvm") == 0 ? DIS_LLVM : DIS_QD;
			if (r->style == DIS_QD && strcmp(v, "qd") != 0)
				tool_usage("--style takes qd or llvm, not '%s'", v);
			break;
		case OPT_NO_ADDR: r->no_addr = true; break;
		case OPT_NO_HEX: r->no_hex = true; break;
		case OPT_NO_META: r->no_meta = true; break;
		case OPT_STATS: r->view = DIS_STATS; break;
		case OPT_MIX: r->view = DIS_MIX; break;
		case OPT_BLOCK: r->block = (uint32_t)tool_number("--block", v, 1, 1024); break;
		case OPT_JSON: r->view = DIS_JSON; break;
		case OPT_WAITS: r->waits = true; break;
		case OPT_LIVE: r->live = true; break;
		case OPT_HAZARDS: r->view = DIS_HAZARDS; break;
		case OPT_CFG:
			if (strcmp(v, "dot") != 0)
				tool_usage("--cfg takes dot, not '%s'", v);
			r->view = DIS_CFG;
			break;
		default:
			if (r->file)
				tool_usage("one file at a time: '%s' and '%s'", r->file, v);
			r->file = v;
		}
	}
	if (!r->file)
		tool_usage("which file?");
	if (r->binary && !r->target)
		tool_usage("--emit=bin needs a target (-t)");
	if ((r->waits || r->live) && (r->style == DIS_LLVM || r->view != DIS_TEXT))
		tool_usage("%s is for qd's own listing", r->waits ? "--waits" : "--live");
	if (r->raw && (r->target || r->kernel || r->tmpl.n))
		tool_usage("--raw is code without kernels; -t, -k and -D are for kernels");
}

/* part: or some of it. */
static bool
matches(const struct dis *s, const char *name, bool part)
{
	const char *glob = s->req->kernel, *written;
	struct buf pattern;
	struct arena mem;
	bool found;

	buf_init(&pattern, &s->ctx->pool);
	buf_printf(&pattern, part ? "*%s*" : "%s", glob);
	if (pattern.nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	arena_init(&mem, &s->ctx->pool);
	written = demangle(&mem, name);
	found = fnmatch(buf_data(&pattern), name, 0) == 0 ||
		(written && fnmatch(buf_data(&pattern), written, 0) == 0);
	arena_fini(&mem);
	buf_fini(&pattern);
	return found;
}

void
dis_choose_begin(struct dis *s)
{
	s->whole = false;
}

void
dis_choose(struct dis *s, const char *name)
{
	s->whole |= s->req->kernel && matches(s, name, false);
}

bool
dis_wanted(const struct dis *s, const char *name)
{
	return !s->req->kernel || matches(s, name, !s->whole);
}

void
dis_write(struct dis *s, const struct buf *text)
{
	if (text->nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	fwrite(buf_data(text), 1, text->len, s->out.file);
	if (text->len && buf_data(text)[text->len - 1] != '\n')
		fputc('\n', s->out.file);
}

void
dis_code(struct dis *s, const struct target *t, const void *code, size_t size)
{
	struct qd_error e;
	struct buf text;
	buf_init(&text, &s->ctx->pool);
	if (t->isa->dis(t, code, size, NULL, &text, &e))
		tool_fail(&e);
	dis_write(s, &text);
	buf_fini(&text);
}

/* -- What the file is ---------------------------------------------------------- */

static const struct isa *
whose_code(const struct dis *s)
{
	for (uint32_t i = 0; i < isa_count; i++) {
		if (isa_table[i]->probe && isa_table[i]->probe(s->data, s->size))
			return isa_table[i];
	}
	return NULL;
}

/* What only AMD's code has. */
static void
check_amd_options(const struct dis_request *r)
{
	if (r->view != DIS_TEXT || r->style != DIS_QD || r->no_addr || r->no_hex || r->no_meta ||
	    r->waits || r->live || r->block)
		tool_usage("--style, --no-addr, --no-hex, --no-meta, --stats, --mix, --block, --json, "
			   "--waits, --live, --hazards and --cfg are for AMD code, which '%s' does not hold",
			   r->file);
}

static void
show(struct dis *s)
{
	struct dis_request *r = s->req;
	const struct isa *isa = NULL;
	struct target t;
	struct qd_error e;
	bool gcn = r->raw || dis_is_gcn(s->data, s->size);
	if (!s->size && !r->raw)
		tool_die(EXIT_INPUT, "'%s': offset 0x0: the file is empty", r->file);
	if (!gcn) {
		check_amd_options(r);
		isa = whose_code(s);
	}
	if (isa && (r->target || r->kernel || r->tmpl.n))
		tool_usage("'%s' is code of %s; -t, -k and -D are for kernels", r->file, isa->name);
	if (gcn && (r->tmpl.n || r->binary))
		tool_usage("'%s' is AMD code; -D and --emit are for kernels", r->file);
	if (!gcn && !isa && memchr(s->data, '\0', s->size))
		tool_die(EXIT_INPUT,
			 "'%s' is neither .qdk text nor printed IR, and not the code of a target "
			 "that is known here",
			 r->file);
	if (!gcn && !isa)
		dis_name_kind(r);
	tool_output_open(&s->out, r->output, r->binary, r->force);
	if (gcn)
		dis_gcn(s);
	else if (isa && isa_target(isa->name, &t, &e))
		tool_fail(&e);
	else if (isa)
		dis_code(s, &t, s->data, s->size);
	else
		dis_kernels(s);
	if (!isa && !s->n_shown && r->kernel)
		tool_die(EXIT_INPUT, "'%s' has no kernel that matches '%s'", r->file, r->kernel);
	if (!isa && !gcn && !s->n_shown)
		tool_die(EXIT_INPUT, "'%s' has no kernel", r->file);
	tool_output_close(&s->out);
}

int
main(int argc, char **argv)
{
	struct dis_request req = { 0 };
	parse_arguments(argc, argv, &req);
	struct dis s = { .req = &req };
	char *data = tool_read(req.file, &s.size);
	s.data = data;
	s.ctx = tool_context();
	show(&s);
	qd_context_free(s.ctx);
	for (uint32_t i = 0; i < req.tmpl.n; i++)
		free((void *)(uintptr_t)req.tmpl.v[i].name);
	free(data);
	return tool_finish((int)s.exit);
}
