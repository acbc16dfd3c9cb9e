/* Table of the kinds of input (kind.def) that qd-dis shows. */
#include "dis_code.h"

#include "dis_cache.h"
#include "dis_device.h"
#include "dis_extract.h"
#include "dis_fatbin.h"
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
	enum file_kind kind;
	const char *name; /* "'FILE' is ..." */
	void (*show)(struct dis *s);
	uint32_t takes;
};

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

enum { TAKES_CODE = TAKES_KERNEL | TAKES_TARGET | TAKES_VIEWS };
static const struct kind raw = { KIND_BINARY, "words", dis_gcn, TAKES_AMD | TAKES_VIEWS };
static const struct kind kinds[] = {
	{ KIND_CACHE, "an entry of the disk cache", dis_cache, TAKES_JSON },
	{ KIND_FATBIN, "a fatbin", dis_fatbin, TAKES_CODE | TAKES_VALUES | TAKES_AMD },
	{ KIND_CUDA, "a CUDA fatbin", dis_cuda, TAKES_CODE },
	{ KIND_OFFLOAD, "an offload binary", dis_offload, TAKES_CODE | TAKES_AMD },
	{ KIND_BUNDLE, "AMD code", dis_gcn, TAKES_CODE | TAKES_AMD },
	{ KIND_CODE_OBJECT, "AMD code", dis_gcn, TAKES_CODE | TAKES_AMD },
	{ KIND_AMD_OBJECT, "AMD code", dis_gcn, TAKES_CODE | TAKES_AMD },
	{ KIND_HIP_HOST, "AMD code", dis_gcn, TAKES_CODE | TAKES_AMD },
	{ KIND_ELF, "AMD code", dis_gcn, TAKES_CODE | TAKES_AMD },
	{ KIND_CUBIN, "a cubin", dis_cubin, TAKES_KERNEL | TAKES_JSON },
	{ KIND_CUDA_HOST, "a program with CUDA code", dis_cuda_host, TAKES_CODE },
	{ KIND_OFFLOAD_HOST, "a program with offload binaries", dis_offload_host, TAKES_CODE | TAKES_AMD },
	{ KIND_SPIRV, "code of spirv", show_spirv, TAKES_KERNEL | TAKES_VIEWS },
	{ KIND_PTX, "code of ptx", show_ptx, TAKES_KERNEL | TAKES_VIEWS },
	{ KIND_QDK, "kernel text", dis_kernels, TAKES_KERNEL | TAKES_MAKE | TAKES_VIEWS | TAKES_AMD },
	{ KIND_IR, "kernel text", dis_kernels, TAKES_KERNEL | TAKES_MAKE | TAKES_VIEWS | TAKES_AMD },
	{ KIND_TEXT, "kernel text", dis_kernels, TAKES_KERNEL | TAKES_MAKE | TAKES_VIEWS | TAKES_AMD },
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
		tool_usage("%s needs AMD code, which %s", option, what);
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
		tool_usage("'%s' is %s, which is only listed, as text or by --json; --stats, "
			   "--mix, --live, --cfg and --diff need code that qd-dis decodes",
			   r->file, k->name);
	if (!(k->takes & TAKES_MAKE) && ((r->tmpl.n && !(k->takes & TAKES_VALUES)) || r->binary))
		tool_usage("'%s' is %s; -D and --emit need kernels", r->file, k->name);
	if (!(k->takes & (TAKES_MAKE | TAKES_TARGET)) && r->target)
		tool_usage("'%s' is %s; -t needs kernels or a file with code for several targets",
			   r->file, k->name);
}

static const struct kind *
find_kind(struct dis *s)
{
	s->kind = kind_probe(s->data, s->size);
	if (s->req->raw)
		return &raw;
	for (size_t i = 0; i < QD_COUNT(kinds); i++) {
		if (kinds[i].kind == s->kind)
			return &kinds[i];
	}
	tool_die(EXIT_INPUT, "'%s' is %s%s", s->req->file, kind_name(s->kind), kind_advice(s->kind));
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
dis_unpacked(const struct dis *s, uint64_t size)
{
	enum { MOST = 1 << 30 };
	uint64_t more = size > MOST / UNPACK_TIMES ? MOST : size * UNPACK_TIMES;

	tool_memory_more(memory_limit(s) + more, s->req->source == DIS_SOURCE_ON ?
		"64 times the file, 48 MiB, 64 MiB of sources, and for a packed entry 64 times its size or 1 GiB" :
		"64 times the file, 48 MiB, and for a packed entry 64 times its size or 1 GiB");
}

void
dis_show(struct dis *s)
{
	struct dis_request *r = s->req;

	if (!s->size && !r->raw)
		tool_die(EXIT_INPUT, "'%s': offset 0x0: the file is empty", r->file);
	const struct kind *k = find_kind(s);
	if (r->extract) {
		tool_memory_begin(memory_limit(s), "64 times the file and 48 MiB");
		dis_extract(s);
		tool_memory_end();
		return;
	}
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
		struct line_place place = line_map_place(&c->dis->lines, c->dis->req->file, m[i].pos);
		if (at < n)
			code_add(&c->marks, &(struct code_mark){ in[at].line_at, place.line, place.col, place.file },
				 sizeof(struct code_mark));
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
