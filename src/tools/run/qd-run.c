/* qd-run: runs a kernel of a .qdk file or of a code object on a device. */
#include <stdlib.h>

#include "run.h"

enum { OPT_KERNEL, OPT_DEVICE, OPT_SET, OPT_IMPORT, OPT_GRID, OPT_OUTPUT, OPT_EXPECT, OPT_CHECK,
       OPT_REPEAT, OPT_TIME, OPT_PROFILE, OPT_LINES, OPT_LATENCY, OPT_TIMEOUT, OPT_BLOCK, OPT_SHARED, OPT_LIST, OPT_JSON,
       OPT_OPT, OPT_FACTS };
static const struct tool_option options[] = {
	[OPT_KERNEL] = { 'k', "kernel", "NAME", "the kernel, if the file has several" },
	[OPT_DEVICE] = { 'd', "device", "DEVICE",
			 "cuda[:N|:name], amdgpu[:N|:name|:gfxNNN], vulkan[:N|:name], ref:N, "
			 "emu:sm_NN, emu:gfxNN, each with an optional :wN for the subgroup size "
			 "(default: QD_DEVICE, else the best available; for a code object, a "
			 "device of its processor, else emu)" },
	[OPT_SET] = { 'D', "set", "NAME=VALUE",
		      "a template value: an integer or a type; may be repeated" },
	[OPT_IMPORT] = { 'I', "import", "DIR", TOOL_IMPORT_HELP },
	[OPT_GRID] = { 'g', "grid", "N",
		       "number of blocks, 0 runs nothing; required for a kernel without a grid "
		       "loop (default: from the loop's count)" },
	[OPT_OUTPUT] = { 'o', "output", "NAME=FILE",
			 "write this buffer to a file instead of printing it, raw or as .npy, by "
			 "the file's extension; - is standard output; may be repeated" },
	[OPT_EXPECT] = { 0, "expect", "NAME=VALUE",
			 "compare this buffer with a value, bit for bit, with all NaNs equal; if "
			 "it differs, print where and exit with 1; may be repeated" },
	[OPT_CHECK] = { 0, "check", NULL,
			"also run the kernel on ref with the same subgroup size, and compare the "
			"results as --expect does" },
	[OPT_REPEAT] = { 0, "repeat", "N",
			 "launch N times from the same values; print the median and the least "
			 "time, and the median's GB/s (a buffer that is read and written counts "
			 "twice)" },
	[OPT_TIME] = { 0, "time", NULL,
		       "print the time of compiling and loading, and of the launch" },
	[OPT_PROFILE] = { 0, "profile", NULL,
			  "on emu: print what the kernel executes, by class of instruction, its "
			  "memory "
			  "accesses, and estimates of its time" },
	[OPT_LINES] = { 0, "lines", NULL,
			"with --profile: print the same for each line of the text" },
	[OPT_LATENCY] = { 0, "latency", "NAME=CYCLES",
			  "with --profile: assume this latency: of vmem (default 500), lds (100), "
			  "smem (200), "
			  "valu, quarter, trans, f64, salu or branch; may be repeated" },
	[OPT_TIMEOUT] = { 0, "timeout", "SECONDS",
			  "exit with 1 and print no buffer if a launch takes longer; 0.5 is half a "
			  "second (default: no limit)" },
	[OPT_BLOCK] = { 0, "block", "X[,Y[,Z]]",
			"for a kernel in a code object or PTX: the block size, if the kernel does "
			"not fix it" },
	[OPT_SHARED] = { 0, "shared", "N[,N]",
			 "for a kernel in a code object: bytes of shared memory of each shared "
			 "memory argument; without such arguments, bytes after the kernel's own "
			 "shared memory" },
	[OPT_LIST] = { 0, "list", NULL,
		       "list the kernels of the file with their parameters, and run nothing" },
	[OPT_JSON] = { 0, "json", NULL, "print one JSON object, schema qd.run/1, also for errors" },
	[OPT_OPT] = { 'O', "opt", "LEVEL", TOOL_OPT_HELP },
	[OPT_FACTS] = { 0, "facts", "MODE", "whether code relies on launch facts: " TOOL_FACTS_HELP },
};

static const struct tool_values values[] = {
	{ "device", TOOL_DEVICES },
	{ "opt", "0 1 2" },
	{ "facts", "auto none" },
	{ NULL, NULL },
};
static const struct tool tool = {
	.name = "qd-run",
	.usage = "FILE [OPTION]... PARAM=VALUE...",
	.about = "Runs a kernel and prints the buffers that it writes, one per line. FILE is .qdk text, an AMD code object from clang, alone or in a bundle, or PTX from nvcc; - is the standard input.",
	.options = options,
	.n_options = QD_COUNT(options),
	.values = values,
	.operands = "Each parameter takes a value:\n"
		    "  n=40                    a scalar: a number of the parameter's type\n"
		    "  a=iota:N                a buffer of N elements 0, 1, ..., N-1\n"
		    "  a=zero:N                N zeros\n"
		    "  a=rand:N:SEED           N random numbers, the same everywhere (PCG32)\n"
		    "  a=1,2,3                 these values\n"
		    "  a=@FILE                 the bytes of a file, little-endian\n"
		    "  a=@FILE.npy             the array in a NumPy file, of the same type\n"
		    "\n"
		    "Parameters of PTX are arg0, arg1, by position.\n"
		    "In a code object without type information, a value is a number of its\n"
		    "size or the bytes of @FILE, and a buffer contains bytes.  A prefix sets the\n"
		    "type: a=f32:1,2,3, a=u32:zero:N, n=f32:0.5.\n"
		    "\n"
		    "zero and iota without :N have as many elements as the kernel's grid loop\n"
		    "counts, unless that count depends on the same buffer's length.\n"
		    "\n"
		    "Floats print as the shortest decimal that reads back to the same bits.\n"
		    "\n"
		    "Exit status: 0 success, 1 an error in the kernel, a finding of the device,\n"
		    "an unexpected buffer or a timeout, 2 an invalid command line, 3 no device\n"
		    "or file, 4 a bug in qd.\n"
		    "\n"
		    "On ref QD_REF_STEPS limits the operations of a thread in a launch (default\n"
		    "100000000), on emu QD_EMU_STEPS the instructions; a loop that exceeds it is\n"
		    "reported with its position.  QD_STEPS limits the steps of all threads of a\n"
		    "launch together (default: no limit).\n",
	.examples = {
		"qd-run demo.qdk src=iota:4 dst=zero --expect dst=0,1,3,6",
		"qd-run -d ref:32 -k tile_min -D T=u32 -D L=5 tile_min.qdk src=9,4,7 dst=zero:1",
		"qd-run -d emu:gfx1100 --grid=1 add.hsaco arg0=1,2 arg1=4,5 arg2=zero:2 arg3=2",
		"qd-run --check --repeat=9 demo.qdk src=rand:4096:1 dst=zero -o dst=sums.npy",
	},
};

static void
add_text(struct texts *t, const char *what, const char *form, const char *text)
{
	const char *eq = strchr(text, '=');
	if (!eq || eq == text)
		tool_usage("%s takes %s, not '%s'", what, form, text);
	if (t->n == MAX_PARAM)
		tool_usage("%s is given more than %d times, the limit of parameters", what,
			   MAX_PARAM);
	t->v[t->n++] = text;
}

static void
add_operand(struct request *r, const char *text)
{
	if (!r->file)
		r->file = text;
	else if (strchr(text, '='))
		add_text(&r->values, "a parameter", "NAME=VALUE", text);
	else if (strlen(text) > 4 && strcmp(text + strlen(text) - 4, ".qdk") == 0)
		tool_usage("'%s' is a second file after '%s'; only one is allowed", text, r->file);
	else
		tool_usage("'%s' does not have the form PARAM=VALUE", text);
}

/* Parses up to `most` numbers separated by commas. Returns their number. */
static uint32_t
parse_numbers(const char *option, const char *text, uint32_t most, uint64_t lo, uint64_t hi, uint32_t *out)
{
	char part[24];
	uint32_t n = 0;
	for (const char *s = text;; s++) {
		size_t len = strcspn(s, ",");
		if (n == most || len >= sizeof part)
			tool_usage("%s takes at most %u numbers, not '%s'", option, most, text);
		snprintf(part, sizeof part, "%.*s", (int)len, s);
		out[n++] = (uint32_t)tool_number(option, part, lo, hi);
		s += len;
		if (!*s)
			return n;
	}
}

static void
parse_arguments(int argc, char **argv, struct request *r)
{
	struct tool_args args;
	const char *v;
	int i;
	tool_start(&args, &tool, argc, argv);
	/* --json also applies to errors in options before it. */
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		r->json |= strcmp(argv[i], "--json") == 0;
	if (r->json)
		report_start();
	while ((i = tool_next(&args, &v)) != TOOL_END) {
		switch (i) {
		case OPT_KERNEL: r->kernel = v; break;
		case OPT_DEVICE: r->device = v; break;
		case OPT_SET: tmpl_add(&r->tmpl, v); break;
		case OPT_IMPORT: tool_add_folder(&r->imports, v); break;
		case OPT_GRID:
			r->grid = (uint32_t)tool_number("--grid", v, 0, QD_GRID - 1);
			break;
		case OPT_OUTPUT: add_text(&r->outputs, "--output", "NAME=FILE", v); break;
		case OPT_EXPECT: add_text(&r->expects, "--expect", "NAME=VALUE", v); break;
		case OPT_CHECK: r->check = true; break;
		case OPT_REPEAT:
			r->repeat = (uint32_t)tool_number("--repeat", v, 1, 1000000);
			break;
		case OPT_TIME: r->time = true; break;
		case OPT_PROFILE: r->profile = true; break;
		case OPT_LINES: r->lines = true; break;
		case OPT_LATENCY: run_latency(r, v); break;
		case OPT_TIMEOUT:
			r->timeout_ms = tool_milliseconds("--timeout", v);
			break;
		case OPT_BLOCK: parse_numbers("--block", v, 3, 1, 1024, r->block); break;
		case OPT_SHARED:
			r->n_shared = parse_numbers("--shared", v, QD_COUNT(r->shared), 0, 1 << 20,
						    r->shared);
			break;
		case OPT_LIST: r->list = true; break;
		case OPT_JSON: r->json = true; break;
		case OPT_OPT: r->opt = tool_opt(v); break;
		case OPT_FACTS: r->facts = tool_facts(v); break;
		default: add_operand(r, v);
		}
	}
	if (!r->file)
		tool_usage("no input file");
	for (i = 0; i < PROFILE_N_CLASS; i++)
		if (!r->profile && (r->lines || r->latency[i]))
			tool_usage("%s needs --profile", r->lines ? "--lines" : "--latency");
	if (r->list && r->values.n + r->outputs.n + r->expects.n)
		tool_usage("--list runs nothing; remove '%s'", r->values.n    ? r->values.v[0]
							       : r->outputs.n ? r->outputs.v[0]
									      : r->expects.v[0]);
}

static void
close_all(struct session *s)
{
	place_close(&s->place);
	for (uint32_t i = 0; i < s->n_params; i++) {
		free(s->value[i].first);
		free(s->value[i].last);
		free(s->value[i].raw);
		free(s->value[i].expect.memory);
	}
	free(s->times.ns);
	qd_kernel_free(s->kernel);
	qd_module_free(s->module);
	qd_image_free(s->image);
	free(s->object.bytes);
	run_ptx_free(s);
	arena_fini(&s->names);
	qd_context_free(s->ctx);
	for (uint32_t i = 0; i < s->req->tmpl.n; i++)
		free((void *)(uintptr_t)s->req->tmpl.v[i].name);
}

static void
run(struct session *s)
{
	run_choose(s);
	run_params(s);
	place_open(s, s->req->device, &s->place);
	run_count(s);
	place_fill(s, &s->place);
	run_profile_start(s);
	run_launches(s);
	run_expect(s);
	if (s->req->check)
		run_check(s);
	run_write_files(s);
	if (s->req->json)
		run_print_json(s);
	else
		run_print_text(s);
	if (!s->req->json)
		run_profile_text(s);
	run_print_times(s);
}

int
main(int argc, char **argv)
{
	static struct request req = { .grid = QD_GRID };
	static struct session s = { .req = &req };
	parse_arguments(argc, argv, &req);
	run_load(&s);
	if (req.list)
		run_list(&s);
	else
		run(&s);
	int code = s.code;
	close_all(&s);
	return tool_finish(code);
}
