/* Table of the kinds of input. The first row whose probe recognizes the content shows it. A new
 * kind needs a row, a probe and a show function. */
#include "dis_code.h"

#include "bundle.h"
#include "codeobject.h"
#include "dis_cache.h"
#include "dis_device.h"
#include "dis_fatbin.h"
#include "elffile.h"
#include "isa_dis.h"
#include "jit.h"
#include "unpack.h"

/* Options that only some kinds accept. */
enum {
	TAKES_KERNEL = 1, /* -k */
	TAKES_TARGET = 2, /* -t, to select */
	TAKES_MAKE = 4,	  /* -t, -D, --emit: it is compiled */
	TAKES_AMD = 8,	  /* options for AMD code only */
	TAKES_VIEWS = 16, /* views of any code */
	TAKES_VALUES = 32, /* -D, to select */
	TAKES_JSON = 64 /* a list as JSON, but no other view */
};

struct kind {
	const char *name; /* "'FILE' is ..." */
	bool (*probe)(const struct dis *s);
	void (*show)(struct dis *s);
	uint32_t takes;
};

/* -- Probes -------------------------------------------------------------------------- */

static bool
is_raw(const struct dis *s)
{
	return s->req->raw != NULL;
}

static bool
is_bundle(const struct dis *s)
{
	return bundle_is(s->data, s->size);
}

static bool
is_object(const struct dis *s)
{
	return code_object_is(s->data, s->size);
}

static bool
is_elf(const struct dis *s)
{
	return elf_is(s->data, s->size);
}

static bool
is_of(const struct dis *s, const char *name)
{
	for (uint32_t i = 0; i < isa_count; i++) {
		if (isa_table[i]->probe && strcmp(isa_table[i]->name, name) == 0)
			return isa_table[i]->probe(s->data, s->size);
	}
	return false;
}

static bool
is_spirv(const struct dis *s)
{
	return is_of(s, "spirv");
}

static bool
is_ptx(const struct dis *s)
{
	return is_of(s, "ptx");
}

static bool
is_text(const struct dis *s)
{
	return !memchr(s->data, '\0', s->size);
}

/* -- Shows ------------------------------------------------------------------------------- */

static void
show_spirv(struct dis *s)
{
	dis_spirv(s, s->req->file, s->data, s->size, NULL, NULL);
}

static void
show_ptx(struct dis *s)
{
	dis_ptx(s, s->req->file, s->data, s->size, NULL, NULL);
}

static const struct kind kinds[] = {
	{ "words", is_raw, dis_gcn, TAKES_AMD | TAKES_VIEWS },
	{ "an entry of the disk cache", dis_is_cache, dis_cache, TAKES_JSON },
	{ "a fatbin", dis_is_fatbin, dis_fatbin, TAKES_KERNEL | TAKES_TARGET | TAKES_VALUES | TAKES_VIEWS | TAKES_AMD },
	{ "a CUDA fatbin", dis_is_cuda, dis_cuda, TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS },
	{ "an offload binary", dis_is_offload, dis_offload, TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS | TAKES_AMD },
	{ "AMD code", is_bundle, dis_gcn, TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS | TAKES_AMD },
	{ "AMD code", is_object, dis_gcn, TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS | TAKES_AMD },
	{ "a cubin", dis_is_cubin, dis_cubin, TAKES_KERNEL | TAKES_JSON },
	{ "a program with CUDA code", dis_is_cuda_host, dis_cuda_host, TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS },
	{ "a program with offload binaries", dis_is_offload_host, dis_offload_host,
	  TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS | TAKES_AMD },
	{ "AMD code", is_elf, dis_gcn, TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS | TAKES_AMD },
	{ "code of spirv", is_spirv, show_spirv, TAKES_KERNEL | TAKES_VIEWS },
	{ "code of ptx", is_ptx, show_ptx, TAKES_KERNEL | TAKES_VIEWS },
	{ "text of kernels", is_text, dis_kernels, TAKES_KERNEL | TAKES_MAKE | TAKES_VIEWS | TAKES_AMD },
};

/* -- Options --------------------------------------------------------------------------------- */

void
dis_refuse_amd_options(const struct dis *s, const char *what)
{
	const struct dis_request *r = s->req;
	const char *option = r->style != DIS_QD ? "--style=llvm"
		: r->no_hex ? "--no-hex" : r->no_meta ? "--no-meta" : r->block ? "--block"
		: r->waits ? "--waits" : r->view == DIS_HAZARDS ? "--hazards" : NULL;

	if (option)
		tool_usage("%s is for AMD code, which %s", option, what);
}

static void
check_options(const struct dis *s, const struct kind *k)
{
	const struct dis_request *r = s->req;
	char what[256];

	snprintf(what, sizeof what, "'%.200s' does not hold", r->file);
	if (!(k->takes & TAKES_AMD))
		dis_refuse_amd_options(s, what);
	bool listed = r->view == DIS_TEXT || (r->view == DIS_JSON && (k->takes & TAKES_JSON));
	if (!(k->takes & TAKES_VIEWS) && (!listed || r->live || r->diff))
		tool_usage("'%s' is %s, of which only a list is made, as text or by --json; --stats, --mix, --live, "
			   "--cfg and --diff are for code that is read", r->file, k->name);
	if (!(k->takes & TAKES_MAKE) && ((r->tmpl.n && !(k->takes & TAKES_VALUES)) || r->binary))
		tool_usage("'%s' is %s; -D and --emit are for kernels", r->file, k->name);
	if (!(k->takes & (TAKES_MAKE | TAKES_TARGET)) && r->target)
		tool_usage("'%s' is %s; -t is for kernels and for files with code of several targets", r->file, k->name);
}

static const struct kind *
find_kind(const struct dis *s)
{
	for (size_t i = 0; i < QD_COUNT(kinds); i++) {
		if (kinds[i].probe(s))
			return &kinds[i];
	}
	tool_die(EXIT_INPUT,
		 "'%s' is neither .qdk text nor printed IR, and not the code of a target "
		 "that is known here",
		 s->req->file);
}

/* Returns the memory limit for a file of code. The blocks that the pool keeps (KEPT) and all other
 * memory of the program fit in REST. */
enum { KEPT = 8 << 20, REST = 16 << 20 };

static uint64_t
memory_limit(const struct dis *s)
{
	uint64_t sources = s->req->source == DIS_SOURCE_ON ? DIS_MAX_SOURCE : 0;

	return unpack_limit(s->size) - REST + sources;
}

void
dis_show(struct dis *s)
{
	struct dis_request *r = s->req;

	if (!s->size && !r->raw)
		tool_die(EXIT_INPUT, "'%s': offset 0x0: the file is empty", r->file);
	const struct kind *k = find_kind(s);
	check_options(s, k);
	if (k->takes & TAKES_MAKE) {
		dis_check_kernels(s);
		dis_name_kind(r);
	}
	if (!s->out.file)
		tool_output_open(&s->out, r->output, r->binary, r->force);
	if (!s->out.raw && !r->binary && r->view != DIS_JSON)
		tool_output_text(&s->out);
	if (r->view == DIS_JSON)
		fprintf(s->out.file, "{\"schema\":\"qd.dis/1\",\"files\":[\n");
	if (!(k->takes & TAKES_MAKE)) { /* code; the context limits the text of kernels */
		pool_limit(&s->ctx->pool, KEPT);
		tool_memory_begin(memory_limit(s), r->source == DIS_SOURCE_ON ?
							   "64 times the file, 48 MiB, and 64 MiB of sources" :
							   "64 times the file and 48 MiB");
	}
	k->show(s);
	if (!(k->takes & TAKES_MAKE))
		tool_memory_end();
	if (r->view == DIS_JSON)
		fprintf(s->out.file, "\n]}\n");
	if (!s->n_shown && r->kernel)
		tool_die(EXIT_INPUT, "'%s' has no kernel that matches '%s'%s", r->file, r->kernel,
			 tool_names_text(s->others));
	if (!s->n_shown && k->show != dis_gcn)
		tool_die(EXIT_INPUT, "'%s' has no kernel", r->file);
}

/* -- Code ----------------------------------------------------------------------------------- */

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
	if (isa_dis(t, code, size, NULL, &text, &e))
		tool_fail(&e);
	dis_write(s, &text);
	buf_fini(&text);
}

/* Returns true if more than the plain text is requested. */
static bool
wants_views(const struct dis *s)
{
	const struct dis_request *r = s->req;

	return r->view != DIS_TEXT || r->live || r->kernel || s->parts || r->source == DIS_SOURCE_ON;
}

/* Converts marks, which are offsets in a kernel's code, to marks of the listing. Sets the name of
 * the kernel. */
static void
add_marks(struct code *c, const struct buf *marks, const char *kernel)
{
	const struct isa_mark *m = marks ? (const struct isa_mark *)(const void *)buf_data(marks) : NULL;
	struct code_fn *fn = CODE_ROWS(&c->functions, code_fn);
	const struct code_insn *in = CODE_ROWS(&c->insns, code_insn);
	uint32_t n = CODE_COUNT(&c->insns, code_insn), at = 0;

	for (size_t i = 0; m && i < marks->len / sizeof *m; i++) {
		while (at < n && in[at].addr < m[i].at)
			at++;
		if (at < n)
			code_add(&c->marks, &(struct code_mark){ in[at].line_at, POS_LINE(m[i].pos), POS_COL(m[i].pos),
								 c->dis->req->file }, sizeof(struct code_mark));
	}
	for (uint32_t i = 0; kernel && i < CODE_COUNT(&c->functions, code_fn); i++)
		fn[i].name = fn[i].kernel ? kernel : fn[i].name;
}

static void
show_code(struct dis *s, const char *label, const void *data, size_t size, const char *kernel, const struct buf *marks,
	  void (*read)(struct code *c, const char *data, size_t size))
{
	struct arena mem;
	struct code c;

	arena_init(&mem, &s->ctx->pool);
	code_init(&c, s, &mem, label);
	c.size = size;
	read(&c, data, size);
	/* source lines of a compiled kernel */
	add_marks(&c, marks, kernel);
	code_link(&c);
	code_show(&c);
	code_fini(&c);
	arena_fini(&mem);
}

static void
show_plain(struct dis *s, const char *isa, const void *data, size_t size)
{
	struct target t;
	struct qd_error e;

	if (isa_target(isa, &t, &e))
		tool_fail(&e);
	dis_code(s, &t, data, size);
	s->n_shown++;
	s->n_files++;
}

void
dis_ptx(struct dis *s, const char *label, const void *text, size_t size, const char *kernel, const struct buf *marks)
{
	if (wants_views(s))
		show_code(s, label, text, size, kernel, marks, code_read_ptx);
	else
		show_plain(s, "ptx", text, size);
}

static void
read_spirv(struct code *c, const char *data, size_t size)
{
	code_read_spirv(c, data, size);
}

void
dis_spirv(struct dis *s, const char *label, const void *data, size_t size, const char *kernel, const struct buf *marks)
{
	if (wants_views(s))
		show_code(s, label, data, size, kernel, marks, read_spirv);
	else
		show_plain(s, "spirv", data, size);
}
