/* qd-dis: prints kernels as IR or as the code of a target, and files of code as text. This file
 * parses the options and reads the files. */
#include "dis.h"
#include "isa.h"

#include <stdlib.h>

enum {
	OPT_KERNEL, OPT_TARGET, OPT_SET, OPT_IMPORT, OPT_OUTPUT, OPT_EMIT, OPT_FORCE, OPT_RAW, OPT_PM4, OPT_STYLE,
	OPT_NO_ADDR, OPT_NO_HEX, OPT_NO_META, OPT_STATS, OPT_JSON, OPT_CFG, OPT_WAITS,
	OPT_LIVE, OPT_HAZARDS, OPT_MIX, OPT_BLOCK, OPT_SOURCE, OPT_NO_SOURCE, OPT_DIFF, OPT_EXTRACT,
	OPT_OPT, OPT_FACTS
};
static const struct tool_option options[] = {
	[OPT_KERNEL] = { 'k', "kernel", "GLOB",
			 "only kernels and functions with this name; if there is none, those whose "
			 "name contains it" },
	[OPT_TARGET] = { 't', "target", "TARGET",
			 "compile for this target and print its code (default: print the IR); for "
			 "a bundle, only entries of this target" },
	[OPT_SET] = { 'D', "set", "NAME=VALUE",
		      "a template value: an integer or a type; may be repeated" },
	[OPT_IMPORT] = { 'I', "import", "DIR", TOOL_IMPORT_HELP },
	[OPT_OUTPUT] = { 'o', "output", "FILE",
			 "write to FILE; - is standard output. A name with the target's "
			 "extension (.spv, .ptx) selects the code" },
	[OPT_EMIT] = { 0, "emit", "KIND",
		       "text (default), or bin: the code of one kernel; needs -t" },
	[OPT_FORCE] = { 'f', "force", NULL, "write binary output to a terminal" },
	[OPT_RAW] = { 0, "raw", "TARGET",
		      "the file contains words of code for this AMD target, as bytes or "
		      "hexadecimal text: gfx1100, gfx1100:w64" },
	[OPT_PM4] = { 0, "pm4", "TARGET",
		      "the file is a stream of PM4 packets for this AMD target, as bytes or "
		      "hexadecimal text: gfx1100" },
	[OPT_STYLE] = { 0, "style", "STYLE",
			"the format of AMD code: qd (default: labels, remarks, descriptors) or "
			"llvm (the output of llvm-objdump -d)" },
	[OPT_NO_ADDR] = { 0, "no-addr", NULL, "omit addresses" },
	[OPT_NO_HEX] = { 0, "no-hex", NULL, "omit the words" },
	[OPT_NO_META] = { 0, "no-meta", NULL, "omit kernel descriptors and metadata" },
	[OPT_STATS] = { 0, "stats", NULL,
			"print a table of registers, memory and occupancy per kernel instead" },
	[OPT_MIX] = { 0, "mix", NULL,
		      "print a table of instructions per kernel and function, by execution unit, "
		      "instead" },
	[OPT_BLOCK] = { 0, "block", "N",
			"print how many work-groups of N lanes a compute unit holds, and waves per "
			"SIMD" },
	[OPT_JSON] = { 0, "json", NULL, "print JSON, one record per instruction, schema qd.dis/1" },
	[OPT_WAITS] = { 0, "waits", NULL,
			"print for each wait which loads it covers, and registers that are read "
			"too early" },
	[OPT_LIVE] = { 0, "live", NULL,
		       "print the number of live registers at each instruction, and where it is "
		       "largest" },
	[OPT_HAZARDS] = { 0, "hazards", NULL, "list hardware hazards; exit 1 if there is one" },
	[OPT_CFG] = { 0, "cfg", "FORM", "print the control-flow graph instead; the format is dot" },
	[OPT_SOURCE] = { 'S', "source", NULL,
			 "print source lines with the code (default for kernels of .qdk text)" },
	[OPT_NO_SOURCE] = { 0, "no-source", NULL, "omit source lines" },
	[OPT_DIFF] = { 0, "diff", NULL,
		       "compare two files, or one file for two targets (-t T1,T2), kernel by "
		       "kernel; exit 1 if they differ" },
	[OPT_EXTRACT] = { 0, "extract", "DIR",
			  "write each entry of a bundle, a CUDA fatbin, an offload binary, or a "
			  "program with one to a "
			  "file in this directory; with -t only those for the target" },
	[OPT_OPT] = { 'O', "opt", "LEVEL", TOOL_OPT_HELP },
	[OPT_FACTS] = { 0, "facts", NULL,
			"the code that relies on launch facts, as -t TARGET:facts; without it, the general code" },
};

static const struct tool_values values[] = {
	{ "target", TOOL_TARGETS },
	{ "emit", "text bin" },
	{ "raw", TOOL_AMD_TARGETS },
	{ "pm4", TOOL_AMD_TARGETS },
	{ "style", "qd llvm" },
	{ "cfg", "dot" },
	{ "opt", "0 1 2" },
	{ NULL, NULL },
};
static const struct tool tool = {
	.name = "qd-dis",
	.usage = "FILE [FILE] [OPTION]...",
	.about = "Prints kernels as IR or as code. FILE contains .qdk text, printed IR, or code: PTX, a SPIR-V module, an AMD code object, a CUDA fatbin, a bundle of clang, or a program that contains one; - is the standard input.",
	.options = options,
	.n_options = QD_COUNT(options),
	.values = values,
	.examples = {
		"qd-dis -k tile_sum -D T=f32 -D L=5 -t spirv:w32 tile_sum.qdk",
		"qd-dis --style=llvm kernels.hsaco",
		"qd-dis --diff -t ptx:sm_70,ptx:sm_72 -k sum4 tile_sum.qdk",
	},
};

/* check_files allows a second file only with --diff. */
static void
add_file(struct dis_request *r, const char *file)
{
	const char **at = !r->file ? &r->file : !r->other ? &r->other : NULL;

	if (!at)
		tool_usage("two files at most: '%s', '%s' and '%s'", r->file, r->other, file);
	*at = file;
}

static void
check_files(const struct dis_request *r)
{
	if (!r->file)
		tool_usage("no input file");
	if (r->other && !r->diff)
		tool_usage("expected one file, found '%s' and '%s'; --diff compares two", r->file, r->other);
	if (r->diff && (r->view != DIS_TEXT || r->binary || r->waits || r->live || r->style == DIS_LLVM || r->raw))
		tool_usage("--diff compares the code of kernels; it cannot be combined with "
			   "--json, --stats, --mix, --cfg, --hazards, --waits, --live, "
			   "--style=llvm, --emit=bin or --raw");
	if (r->diff && !r->other && !(r->target && strchr(r->target, ',')))
		tool_usage("--diff takes two files, or one and two targets: -t T1,T2");
	if (!r->diff && r->target && strchr(r->target, ','))
		tool_usage("two targets ('%s') need --diff", r->target);
	if (r->facts && (!r->target || r->diff))
		tool_usage("--facts needs one target (-t); with --diff, write -t T1:facts,T2");
	if (r->binary && !r->target)
		tool_usage("--emit=bin needs a target (-t)");
	if ((r->waits || r->live) && (r->style == DIS_LLVM || r->view != DIS_TEXT))
		tool_usage("%s needs --style=qd", r->waits ? "--waits" : "--live");
	if (r->extract && (r->diff || r->view != DIS_TEXT || r->text || r->binary || r->waits || r->live || r->raw || r->pm4 || r->kernel ||
			   r->output || r->tmpl.n))
		tool_usage("--extract writes whole entries; only -t can be combined with it");
	if (r->raw && (r->target || r->kernel || r->tmpl.n))
		tool_usage("--raw code has no kernels; it cannot be combined with -t, -k or -D");
}

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
		case OPT_IMPORT: tool_add_folder(&r->imports, v); break;
		case OPT_OUTPUT: r->output = v; break;
		case OPT_FORCE: r->force = true; break;
		case OPT_EMIT:
			r->binary = strcmp(v, "bin") == 0;
			r->text = !r->binary;
			if (!r->binary && strcmp(v, "text") != 0)
				tool_usage("--emit takes text or bin, not '%s'", v);
			break;
		case OPT_RAW: r->raw = v; break;
		case OPT_PM4: r->pm4 = v; break;
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
		case OPT_SOURCE: r->source = DIS_SOURCE_ON; break;
		case OPT_NO_SOURCE: r->source = DIS_SOURCE_OFF; break;
		case OPT_DIFF: r->diff = true; break;
		case OPT_EXTRACT: r->extract = v; break;
		case OPT_OPT: r->opt = tool_opt(v); break;
		case OPT_FACTS: r->facts = true; break;
		default: add_file(r, v);
		}
	}
	check_files(r);
}

static void
show_file(struct dis *s, const char *file, const char *target)
{
	char *data = tool_read(file, &s->size);

	s->req->file = tool_shown(file);
	s->req->target = target;
	s->data = data;
	s->n_shown = 0;
	if (s->req->pm4)
		dis_pm4(s);
	else
		dis_show(s);
	free(data);
}

/* Returns the first or the second target of "T1,T2". A single target is both. */
static const char *
side_target(struct arena *mem, const char *targets, bool second)
{
	const char *comma = targets ? strchr(targets, ',') : NULL;

	if (!comma)
		return targets;
	return second ? comma + 1 : arena_strdup(mem, targets, (size_t)(comma - targets));
}

static void
compare(struct dis *s)
{
	struct dis_request *r = s->req;
	const char *files[2] = { r->file, r->other ? r->other : r->file }, *targets = r->target;
	struct dis_side *sides[2];
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	/* the output is opened before the second file is read */
	tool_output_protect(files[1]);
	for (int i = 0; i < 2; i++) {
		const char *target = side_target(&mem, targets, i == 1);
		if (targets && !target)
			tool_die(EXIT_ENVIRONMENT, "out of memory");
		sides[i] = s->parts = dis_side_new(s, &mem, tool_shown(files[i]), target);
		show_file(s, files[i], target);
	}
	if (dis_diff(s, sides[0], sides[1]))
		s->exit = EXIT_INPUT;
	dis_side_free(sides[0]);
	dis_side_free(sides[1]);
	arena_fini(&mem);
}

static void
add_facts(struct dis *s, struct dis_request *r)
{
	const size_t len = strlen(r->target);
	char *target = arena_alloc(&s->sources, len + sizeof ":" ISA_FACTS_OPTION);

	if (!target)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	memcpy(target, r->target, len);
	memcpy(target + len, ":" ISA_FACTS_OPTION, sizeof ":" ISA_FACTS_OPTION);
	r->target = target;
}

int
main(int argc, char **argv)
{
	struct dis_request req = { 0 };
	parse_arguments(argc, argv, &req);
	struct tool_names others = { .n = 0 };
	struct dis s = { .req = &req, .others = &others };
	s.ctx = tool_context_at(req.opt, QD_FACTS_DEFAULT);
	arena_init(&s.sources, &s.ctx->pool);
	if (req.facts)
		add_facts(&s, &req);
	if (req.view == DIS_JSON)
		tool_hold();
	if (req.diff)
		compare(&s);
	else
		show_file(&s, req.file, req.target);
	tool_output_close(&s.out);
	arena_fini(&s.sources);
	qd_context_free(s.ctx);
	for (uint32_t i = 0; i < req.tmpl.n; i++)
		free((void *)(uintptr_t)req.tmpl.v[i].name);
	tool_free_imports(&req.imports);
	return tool_finish((int)s.exit);
}
