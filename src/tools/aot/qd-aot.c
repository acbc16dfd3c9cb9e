/* qd-aot: compiles kernels ahead of time, for many targets, into one object to link into a program;
 * shows and changes such objects. */
#include "aot.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	OPT_OUTPUT, OPT_TARGET, OPT_TARGETS_FILE, OPT_SET, OPT_IMPORT, OPT_KERNEL, OPT_JOBS, OPT_EMIT, OPT_HEADER,
	OPT_NO_HEADER, OPT_STEM, OPT_HOST, OPT_COMPRESS, OPT_MAX_VARIANTS, OPT_CHECK, OPT_DRY_RUN,
	OPT_LIST, OPT_DEPFILE, OPT_VERIFY, OPT_DEVICE, OPT_JSON, OPT_VERBOSE, OPT_QUIET, OPT_FORCE,
	OPT_DIR, OPT_OPT, OPT_FACTS,
	N_OPTION
};
static const struct tool_option options[] = {
	[OPT_OUTPUT] = { 'o', "output", "FILE",
			 "write to FILE; - is standard output. A name that ends in .ptx, "
			 ".cubin, .hsaco, .spv or .ir selects that image instead of a fatbin" },
	[OPT_TARGET] = { 't', "target", "TARGET,...",
			 "targets: gfx1100, ptx:sm_80, spirv:w32; cubin:sm_90 (by ptxas); qdir "
			 "(the IR, for other devices); native (the local devices); all (default)" },
	[OPT_TARGETS_FILE] = { 0, "targets-file", "FILE",
			       "a file of targets, one per line; # begins a comment" },
	[OPT_SET] = { 'D', "set", "NAME=VALUE,...",
		      "compile only these values of a template parameter; may be repeated" },
	[OPT_IMPORT] = { 'I', "import", "DIR", TOOL_IMPORT_HELP },
	[OPT_KERNEL] = { 'k', "kernel", "GLOB", "only these kernels" },
	[OPT_JOBS] = { 'j', "jobs", "N",
		       "number of threads (default: the number of processors); does not affect the "
		       "output" },
	[OPT_EMIT] = { 0, "emit", "KIND",
		       "obj (default): a fatbin and its C header; files:DIR: one file per image; "
		       "cuda-fatbin; offload-bundle: clang's format, for AMD targets" },
	[OPT_HEADER] = { 0, "header", "FILE",
			 "the name of the C header (default: the output name with .h; none for "
			 "merge and strip)" },
	[OPT_NO_HEADER] = { 0, "no-header", NULL, "write no C header" },
	[OPT_STEM] = { 0, "stem", "NAME",
		       "the NAME in the symbol qd_fatbin_NAME (default: from the output name)" },
	[OPT_HOST] = { 0, "host", "MACHINE",
		       "the host of the object file: x86_64 or aarch64 (default: this host)" },
	[OPT_COMPRESS] = { 0, "compress", "HOW", "auto (default), none, zstd or zstd:LEVEL" },
	[OPT_MAX_VARIANTS] = { 0, "max-variants", "N",
			       "maximum number of variants: kernels with values (default: 4096)" },
	[OPT_CHECK] = { 0, "check", NULL, "only check the files" },
	[OPT_DRY_RUN] = { 0, "dry-run", NULL,
			  "write nothing; print each variant, and the reason if it is skipped" },
	[OPT_LIST] = { 0, "list", NULL, "the same as --dry-run" },
	[OPT_DEPFILE] = { 0, "depfile", "FILE",
			  "write the inputs of the output with all imports, for make and ninja" },
	[OPT_VERIFY] = { 0, "verify", NULL, "check the output, as the command verify does" },
	[OPT_DEVICE] = { 'd', "device", "DEVICE",
			 "for why: a device or a target" },
	[OPT_JSON] = { 0, "json", NULL, "print JSON" },
	[OPT_VERBOSE] = { 'v', "verbose", NULL, "print each image" },
	[OPT_QUIET] = { 'q', "quiet", NULL, "no progress and no summary" },
	[OPT_FORCE] = { 'f', "force", NULL, "write binary output to a terminal" },
	[OPT_DIR] = { 0, "dir", "FOLDER",
		      "for cache: the directory (default: from the environment)" },
	[OPT_OPT] = { 'O', "opt", "LEVEL", TOOL_OPT_HELP },
	[OPT_FACTS] = { 0, "facts", "MODE", "auto: a fatbin also has code that relies on launch facts, if it differs; none: general code only (default: QD_FACTS, else auto)" },
};

static const char commands_help[] =
	"Commands:\n"
	"  compile FILE.qdk...     compile kernels to a fatbin (the default)\n"
	"  list FILE...            list the entries of fatbins or of programs\n"
	"  info FILE...            list them with their parameters, registers and memory\n"
	"  extract FILE            write images to files; -k, -D and -t select them\n"
	"  merge FILE... -o OUT    merge several fatbins into one\n"
	"  strip FILE -o OUT       remove the entries that -k, -D and -t select\n"
	"  verify FILE...          check each image with its checker\n"
	"  why FILE -d DEVICE      show why a device accepts or rejects each entry\n"
	"  cache stat|list|clear|verify  show, clear or check the disk cache\n";

static const struct tool_values values[] = {
	{ "target", TOOL_AOT_TARGETS },
	{ "emit", "obj files: cuda-fatbin offload-bundle" },
	{ "host", "x86_64 aarch64" },
	{ "compress", "auto none zstd zstd:" },
	{ "opt", "0 1 2" },
	{ "facts", "auto none" },
	{ "device", TOOL_WHY_DEVICES },
	{ "", "compile list info extract merge strip verify why cache" },
	{ "cache", "stat list clear verify" },
	{ NULL, NULL },
};

static const struct tool tool = {
	.name = "qd-aot",
	.usage = "[COMMAND] FILE... [OPTION]...",
	.about = "Compiles kernels ahead of time. FILE contains .qdk text or printed IR; each kernel is "
		 "compiled with each of its template values for each target, and the images become one "
		 "object file that links into a C program (qd_fatbin_open).",
	.options = options,
	.n_options = QD_COUNT(options),
	.values = values,
	.operands = commands_help,
	.examples = {
		"qd-aot kernels.qdk -o kernels.o",
		"qd-aot kernels.qdk -t gfx1100,ptx:sm_80,qdir -D T=f32 -D L=0,5 -o k.o",
		"qd-aot why kernels.o -d vulkan:0",
	},
};

/* -- Commands ------------------------------------------------------------------------------- */

static int compile(struct qd_context *ctx, const struct aot_request *r);

enum { COMPILE, LIST, INFO, EXTRACT, MERGE, STRIP, VERIFY, WHY, CACHE };
static const struct command {
	const char *name;
	int (*run)(struct qd_context *ctx, const struct aot_request *r);
} commands[] = {
	[COMPILE] = { "compile", compile },    [LIST] = { "list", aot_list_entries },
	[INFO] = { "info", aot_info },	       [EXTRACT] = { "extract", aot_extract },
	[MERGE] = { "merge", aot_merge },      [STRIP] = { "strip", aot_strip },
	[VERIFY] = { "verify", aot_verify },   [WHY] = { "why", aot_why },
	[CACHE] = { "cache", aot_cache },
};

/* The commands to which each option applies. Giving an option to any other command is an
 * error. */
enum {
	MAKES = 1 << COMPILE,
	SHOWS = 1 << LIST | 1 << INFO | 1 << VERIFY,
	FATBINS = MAKES | 1 << MERGE | 1 << STRIP, /* commands that write fatbins */
	FILES = FATBINS | 1 << EXTRACT,
	ENTRIES = FILES | SHOWS, /* commands that select entries */
	ALL = ENTRIES | 1 << WHY | 1 << CACHE
};
static const uint16_t goes_with[N_OPTION] = {
	[OPT_OUTPUT] = FILES,
	[OPT_TARGET] = ENTRIES,
	[OPT_TARGETS_FILE] = ENTRIES,
	[OPT_SET] = ENTRIES | 1 << WHY,
	[OPT_IMPORT] = MAKES,
	[OPT_KERNEL] = ENTRIES | 1 << WHY,
	[OPT_JOBS] = MAKES | 1 << VERIFY,
	[OPT_EMIT] = MAKES | 1 << EXTRACT,
	[OPT_HEADER] = FATBINS,
	[OPT_NO_HEADER] = FATBINS,
	[OPT_STEM] = FATBINS,
	[OPT_HOST] = FATBINS,
	[OPT_COMPRESS] = FATBINS,
	[OPT_MAX_VARIANTS] = MAKES,
	[OPT_CHECK] = MAKES,
	[OPT_DRY_RUN] = MAKES,
	[OPT_LIST] = MAKES,
	[OPT_DEPFILE] = MAKES,
	[OPT_VERIFY] = MAKES,
	[OPT_DEVICE] = 1 << WHY,
	[OPT_JSON] = MAKES | SHOWS | 1 << WHY | 1 << CACHE,
	[OPT_VERBOSE] = MAKES,
	[OPT_QUIET] = ALL,
	[OPT_FORCE] = FILES,
	[OPT_DIR] = 1 << CACHE,
	[OPT_OPT] = MAKES,
	[OPT_FACTS] = MAKES,
};

/* given: bit i is option i. */
static void
check_options(uint32_t given, const struct command *command)
{
	char text[128];

	for (uint32_t i = 0; i < N_OPTION; i++) {
		uint32_t with = goes_with[i];
		size_t n = 0;
		if (!(given >> i & 1) || with >> (command - commands) & 1)
			continue;
		for (uint32_t c = 0; c < QD_COUNT(commands); c++) {
			if (!(with >> c & 1))
				continue;
			with &= ~(1u << c);
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? with ? ", " : " and " : "",
					      commands[c].name);
		}
		tool_usage("--%s applies to %s only", options[i].name, text);
	}
}

static const struct command *
find_command(const char *word)
{
	for (size_t i = 0; i < QD_COUNT(commands); i++) {
		if (strcmp(commands[i].name, word) == 0)
			return &commands[i];
	}
	return NULL;
}

static const char *
command_name(void *user, uint32_t i)
{
	return ((const struct command *)user)[i].name;
}

/* Exits if a word that is not a file resembles a command. */
static void
check_command(const char *word)
{
	const char *close = tool_closest(word, command_name, (void *)(uintptr_t)commands,
					 QD_COUNT(commands));

	if (close && access(word, F_OK) != 0)
		tool_usage("no command is named '%s'; did you mean '%s'?", word, close);
}

static int
compile(struct qd_context *ctx, const struct aot_request *r)
{
	static const char *const all[] = { "all" };
	struct aot_request q = *r;
	struct aot_matrix m;

	if (!q.targets.n)
		q.targets = (struct aot_list){ (const char **)(uintptr_t)all, 1 };
	check_command(q.files.v[0]);
	if (!q.output && !q.dry_run && !q.check && q.emit != AOT_FILES)
		tool_usage("no output; use -o FILE");
	if (q.output && q.emit == AOT_FILES)
		tool_usage("--emit=files:DIR writes into that directory; -o cannot be combined "
			   "with it");
	if (q.depfile && (!q.output || strcmp(q.output, "-") == 0))
		tool_usage("--depfile needs an output: -o FILE");
	if (q.json && !q.dry_run)
		tool_usage("--json needs --list for this command");
	aot_name_kind(&q);
	if (!q.check && !q.dry_run)
		aot_check_paths(&q);
	aot_matrix_make(&m, ctx, &q);
	int code = q.check ? EXIT_OK : aot_write(&m);
	if (q.check)
		aot_matrix_check(&m);
	aot_matrix_free(&m);
	if (code == EXIT_OK && q.verify && !q.dry_run && !q.check && q.emit == AOT_OBJ) {
		struct aot_request made = { .n_jobs = q.n_jobs, .quiet = q.quiet };
		aot_add(&made.files, q.output);
		code = aot_verify(ctx, &made);
		free(made.files.v);
	}
	return code;
}

/* -- Options ---------------------------------------------------------------------------------- */

void
aot_add(struct aot_list *l, const char *text)
{
	l->v = realloc(l->v, (l->n + 1) * sizeof *l->v);
	if (!l->v)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	l->v[l->n++] = text;
}

void
aot_add_split(struct aot_list *l, const char *text, const char *option)
{
	const char *list = text;
	uint32_t before = l->n;

	for (;;) {
		text += strspn(text, " \t");
		size_t len = strcspn(text, ","), end = len;
		while (end && strchr(" \t", text[end - 1]))
			end--;
		char *one = strndup(text, end);
		if (!one)
			tool_die(EXIT_ENVIRONMENT, "out of memory");
		if (end)
			aot_add(l, one);
		else
			free(one);
		if (!text[len])
			break;
		text += len + 1;
	}
	if (l->n == before)
		tool_usage("%s: '%s' contains no value", option, list);
}

static void
add_targets_file(struct aot_request *r, const char *path)
{
	size_t size;
	char *text = tool_read(path, &size), *save;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, "#")] = '\0';
		char *from = line + strspn(line, " \t\r"), *end = from + strlen(from);
		while (end > from && strchr(" \t\r", end[-1]))
			*--end = '\0';
		if (*from)
			aot_add_split(&r->targets, from, "--targets-file");
	}
	free(text);
}

static void
add_set(struct aot_request *r, const char *text)
{
	const char *eq = strchr(text, '=');

	if (!eq || eq == text || !eq[1])
		tool_usage("-D takes NAME=VALUE or NAME=VALUE,VALUE..., not '%s'", text);
	char *name = strndup(text, (size_t)(eq - text));
	struct aot_set *sets = realloc(r->sets, (r->n_sets + 1) * sizeof *sets);
	if (!name || !sets)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	r->sets = sets;
	for (uint32_t i = 0; i < r->n_sets; i++) {
		if (strcmp(sets[i].name, name) == 0)
			tool_usage("-D %s is given twice", name);
	}
	sets[r->n_sets] = (struct aot_set){ .name = name };
	char option[80];
	snprintf(option, sizeof option, "-D %.60s", name);
	aot_add_split(&sets[r->n_sets++].values, eq + 1, option);
}

static void
set_emit(struct aot_request *r, const char *v)
{
	if (strcmp(v, "obj") == 0) {
		r->emit = AOT_OBJ;
		r->emit_asked = true;
	} else if (strcmp(v, "cuda-fatbin") == 0) {
		r->emit = AOT_CUDA_FATBIN;
	} else if (strcmp(v, "offload-bundle") == 0) {
		r->emit = AOT_BUNDLE;
	} else if (strncmp(v, "files:", 6) == 0 && v[6]) {
		r->emit = AOT_FILES;
		r->folder = v + 6;
	} else {
		tool_usage("--emit takes obj, files:DIR, cuda-fatbin or offload-bundle, not '%s'", v);
	}
}

static void
set_compress(struct aot_request *r, const char *v)
{
	r->level = 0;
	r->codec = strcmp(v, "none") == 0 ? FATBIN_RAW :
		   strcmp(v, "auto") == 0 ? fatbin_auto : FATBIN_ZSTD;
	if (strncmp(v, "zstd:", 5) == 0)
		r->level = (int)tool_number("--compress=zstd", v + 5, 1, 19);
	else if (strcmp(v, "none") != 0 && strcmp(v, "zstd") != 0 && strcmp(v, "auto") != 0)
		tool_usage("--compress takes auto, none, zstd or zstd:LEVEL, not '%s'", v);
}

static void
set_host(struct aot_request *r, const char *v)
{
	if (strcmp(v, "x86_64") == 0)
		r->machine = EM_X86_64;
	else if (strcmp(v, "aarch64") == 0)
		r->machine = EM_AARCH64;
	else
		tool_usage("--host takes x86_64 or aarch64, not '%s'", v);
}

static void
set_option(struct aot_request *r, int i, const char *v)
{
	switch (i) {
	case OPT_OUTPUT: r->output = v; break;
	case OPT_TARGET: aot_add_split(&r->targets, v, "--target"); break;
	case OPT_TARGETS_FILE: add_targets_file(r, v); break;
	case OPT_SET: add_set(r, v); break;
	case OPT_IMPORT: tool_add_folder(&r->imports, v); break;
	case OPT_KERNEL: r->kernel = v; break;
	case OPT_JOBS: r->n_jobs = (uint32_t)tool_number("-j", v, 1, 1024); break;
	case OPT_EMIT: set_emit(r, v); break;
	case OPT_HEADER: r->header = v; break;
	case OPT_NO_HEADER: r->no_header = true; break;
	case OPT_STEM: r->stem = v; break;
	case OPT_HOST: set_host(r, v); break;
	case OPT_COMPRESS: set_compress(r, v); break;
	case OPT_MAX_VARIANTS:
		r->max_variants = (uint32_t)tool_number("--max-variants", v, 1, 1 << 20);
		break;
	case OPT_CHECK: r->check = true; break;
	case OPT_DRY_RUN:
	case OPT_LIST: r->dry_run = true; break;
	case OPT_DEPFILE: r->depfile = v; break;
	case OPT_VERIFY: r->verify = true; break;
	case OPT_DEVICE: r->device = v; break;
	case OPT_DIR: r->dir = v; break;
	case OPT_OPT: r->opt = tool_opt(v); break;
	case OPT_FACTS: r->facts = tool_facts(v); break;
	case OPT_JSON: r->json = true; break;
	case OPT_VERBOSE: r->verbose = true; break;
	case OPT_QUIET: r->quiet = true; break;
	default: r->force = true; break;
	}
}

int
main(int argc, char **argv)
{
	/* Static, so that the memory it refers to is reachable until any exit. */
	static struct aot_request r;
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	const struct command *command = NULL;
	struct tool_args args;
	uint32_t given = 0;
	const char *v;
	int i;

	r.codec = fatbin_auto;
	r.max_variants = 4096;
	r.n_jobs = n > 0 && n < 1024 ? (uint32_t)n : 1;
	tool_start(&args, &tool, argc, argv);
	while ((i = tool_next(&args, &v)) != TOOL_END) {
		if (i != TOOL_OPERAND) {
			set_option(&r, i, v);
			given |= 1u << i;
		} else if (!command && !r.files.n && find_command(v)) {
			command = find_command(v);
		} else {
			aot_add(&r.files, v);
		}
	}
	if (!r.files.n && command == &commands[CACHE])
		tool_usage("cache takes one of stat, list, clear and verify");
	if (!r.files.n)
		tool_usage("no input file");
	command = command ? command : &commands[COMPILE];
	check_options(given, command);
	struct qd_context *ctx = tool_context_at(r.opt, r.facts);
	int code = command->run(ctx, &r);
	qd_context_free(ctx);
	return tool_finish(code);
}
