/* qd-dis: what a kernel looks like as IR or as the code of a target; code files
 * as text. */
#include <fnmatch.h>
#include <stdlib.h>

#include "jit.h"
#include "value.h"

enum { OPT_KERNEL, OPT_TARGET, OPT_SET, OPT_OUTPUT, OPT_EMIT, OPT_FORCE };
static const struct tool_option options[] = {
	[OPT_KERNEL] = { 'k', "kernel", "GLOB", "only kernels with such a name" },
	[OPT_TARGET] = { 't', "target", "TARGET",
			 "compile for this target and show its code; without it the IR is shown" },
	[OPT_SET] = { 'D', "set", "NAME=VALUE",
		      "a template value: an integer or a type; may be repeated" },
	[OPT_OUTPUT] = { 'o', "output", "FILE", "write there; - is the standard output" },
	[OPT_EMIT] = { 0, "emit", "KIND",
		       "text (default), or bin: the code itself, of one kernel; needs -t" },
	[OPT_FORCE] = { 'f', "force", NULL, "write binary output to a terminal" },
};

static const struct tool tool = {
	.name = "qd-dis",
	.usage = "FILE [OPTION]...",
	.about = "Shows kernels as IR, or the code that they become. FILE holds .qdk text, "
		 "printed IR, or code of a target; - is the standard input.",
	.options = options,
	.n_options = QD_COUNT(options),
	.examples = {
		"qd-dis sum.qdk",
		"qd-dis -k tile_sum -D T=f32 -D L=5 -t spirv:w32 kernels.qdk",
		"qd-dis module.spv",
	},
};

struct request {
	const char *file, *kernel, *target, *output;
	struct tmpl_list tmpl;
	bool binary, force;
};

struct output {
	const struct request *req;
	struct qd_context *ctx;
	struct tool_output out;
	uint32_t n_shown;
};

static void
parse_arguments(int argc, char **argv, struct request *r)
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
			if (!r->binary && strcmp(v, "text") != 0)
				tool_usage("--emit takes text or bin, not '%s'", v);
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
}

/* -- Showing ------------------------------------------------------------------- */

static void
write_buf(struct output *s, const struct buf *text)
{
	if (text->nomem)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	fwrite(buf_data(text), 1, text->len, s->out.file);
	if (text->len && buf_data(text)[text->len - 1] != '\n')
		fputc('\n', s->out.file);
}

static void
show_code(struct output *s, const struct isa *isa, const void *code, size_t size)
{
	struct qd_error e;
	struct buf text;
	buf_init(&text, &s->ctx->pool);
	if (isa->dis(code, size, &text, &e))
		tool_fail(&e);
	write_buf(s, &text);
	buf_fini(&text);
}

static void
show_ir(struct output *s, const struct qd_kernel *k, const struct ir *ir)
{
	struct buf text;
	buf_init(&text, &s->ctx->pool);
	ir_print(&text, k, ir);
	write_buf(s, &text);
	buf_fini(&text);
}

static void
show_image(struct output *s, const struct qd_image *img)
{
	if (s->req->binary && !img->code_size)
		tool_die(EXIT_INPUT, "target %s runs the IR and has no code", img->target.m.name);
	if (s->req->binary)
		fwrite(img->code, 1, img->code_size, s->out.file);
	else if (img->target.isa->runs_ir)
		show_ir(s, img->kernel, &img->ir);
	else
		show_code(s, img->target.isa, img->code, img->code_size);
}

/* tmpl: the values given for this kernel. */
static void
show_kernel(struct output *s, const struct qd_kernel *k, const struct qd_tmpl *tmpl, uint32_t n)
{
	struct qd_error e;
	if (s->n_shown++ && s->req->binary)
		tool_usage("--emit=bin writes one kernel; choose it with -k");
	if (s->n_shown > 1)
		fputc('\n', s->out.file);
	if (!s->req->target) {
		show_ir(s, k, &k->ir);
		return;
	}
	struct qd_tmpl own[MAX_TMPL];
	uint32_t n_own = 0;
	for (uint32_t i = 0; i < n; i++) {
		/* The others have been resolved by the parser. */
		if (kernel_find_tmpl(k, tmpl[i].name) < k->n_tmpls)
			own[n_own++] = tmpl[i];
	}
	struct qd_image *img;
	if (qd_compile(s->ctx, k, s->req->target, own, n_own, &img, &e))
		tool_fail(&e);
	show_image(s, img);
	qd_image_free(img);
}

/* -- What the file is ---------------------------------------------------------- */

static const struct isa *
whose_code(const void *data, size_t size)
{
	for (uint32_t i = 0; i < isa_count; i++) {
		if (isa_table[i]->probe && isa_table[i]->probe(data, size))
			return isa_table[i];
	}
	return NULL;
}

static bool
is_printed_ir(const char *text)
{
	text += strspn(text, " \t\r\n");
	return strncmp(text, "kernel \"", 8) == 0;
}

static bool
wanted(const struct output *s, const char *name)
{
	return !s->req->kernel || fnmatch(s->req->kernel, name, 0) == 0;
}

static void
read_ir(struct output *s, struct request *r, const char *text, size_t size)
{
	struct qd_error e;
	struct qd_kernel *k;
	if (qd_kernel_read(s->ctx, text, size, r->file, &k, &e))
		tool_fail(&e);
	for (uint32_t i = 0; i < r->tmpl.n; i++)
		r->tmpl.used[i] = kernel_find_tmpl(k, r->tmpl.v[i].name) < k->n_tmpls;
	tmpl_check_used(&r->tmpl);
	if (wanted(s, qd_kernel_name(k)))
		show_kernel(s, k, r->tmpl.v, r->tmpl.n);
	qd_kernel_free(k);
}

static void
read_module(struct output *s, struct request *r, const char *text, size_t size)
{
	struct qd_error e;
	struct qd_module *m;
	if (qd_module_parse(s->ctx, text, size, r->file, &m, &e))
		tool_fail(&e);
	/* What is wrong with the command line is said before anything is shown. */
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
		struct qd_tmpl tmpl[QD_COUNT(r->tmpl.v)];
		if (wanted(s, qd_module_kernel_name(m, i)))
			tmpl_choose(&r->tmpl, m, i, r->target != NULL, tmpl);
	}
	tmpl_check_used(&r->tmpl);
	for (uint32_t i = 0; i < qd_module_kernel_count(m); i++) {
		const char *name = qd_module_kernel_name(m, i);
		struct qd_tmpl tmpl[QD_COUNT(r->tmpl.v)];
		struct qd_kernel *k;
		if (!wanted(s, name))
			continue;
		uint32_t n = tmpl_choose(&r->tmpl, m, i, r->target != NULL, tmpl);
		if (qd_module_kernel(m, name, tmpl, n, &k, &e))
			tool_fail(&e);
		show_kernel(s, k, tmpl, n);
		qd_kernel_free(k);
	}
	qd_module_free(m);
}

int
main(int argc, char **argv)
{
	struct request req = { 0 };
	parse_arguments(argc, argv, &req);
	size_t size;
	char *data = tool_read(req.file, &size);
	struct output s = { .req = &req, .ctx = tool_context() };
	const struct isa *isa = whose_code(data, size);
	if (isa && (req.target || req.kernel || req.tmpl.n))
		tool_usage("'%s' is code of %s; -t, -k and -D are for kernels", req.file,
			   isa->name);
	if (!isa && memchr(data, '\0', size))
		tool_die(EXIT_INPUT,
			 "'%s' is neither .qdk text nor printed IR, and not the code of a target "
			 "that is known here",
			 req.file);
	tool_output_open(&s.out, req.output, req.binary, req.force);
	if (isa)
		show_code(&s, isa, data, size);
	else if (is_printed_ir(data))
		read_ir(&s, &req, data, size);
	else
		read_module(&s, &req, data, size);
	if (!isa && !s.n_shown && req.kernel)
		tool_die(EXIT_INPUT, "'%s' has no kernel that matches '%s'", req.file, req.kernel);
	tool_output_close(&s.out);
	qd_context_free(s.ctx);
	for (uint32_t i = 0; i < req.tmpl.n; i++)
		free((void *)(uintptr_t)req.tmpl.v[i].name);
	free(data);
	return tool_finish(EXIT_OK);
}
