/* qd-aot verify: checks every image, first with the library's own checks, then with the
 * standard external program for its kind of code, if one is installed. */
#include "aot.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "codeobject.h"
#include "hsa.h"

/* External checkers by kind of code; the first one that starts is used. */
static const struct checker {
	enum code_kind kind;
	const char *names[3];
	const char *what; /* name in messages about skipped images */
} checkers[] = {
	{ CODE_PTX, { "ptxas" }, "ptxas" },
	{ CODE_CUBIN, { "nvdisasm" }, "nvdisasm" },
	{ CODE_AMD, { "llvm-readelf-22", "llvm-readelf" }, "llvm-readelf" },
	{ CODE_SPIRV, { "spirv-val" }, "spirv-val" },
};

struct verifying {
	struct qd_context *ctx;
	const struct aot_request *r;
	struct qd_fatbin *f;
	uint32_t *rows, n;
	const char *program[N_CODE_KIND]; /* NULL: not installed */
	uint32_t archs[64], n_archs;	  /* processors that ptxas supports */
	char **said; /* by row: the error, or NULL */
};

static const char *
find_program(const struct checker *c)
{
	for (size_t i = 0; i < QD_COUNT(c->names) && c->names[i]; i++) {
		const char *argv[] = { c->names[i], "--version", NULL };
		char said[64];
		if (aot_run(argv, said, sizeof said) == 0)
			return c->names[i];
	}
	return NULL;
}

/* Collects each 'sm_90' from the help text of ptxas. Later versions drop early processors. */
static void
find_archs(struct verifying *v, const char *ptxas)
{
	static const char front[] = "'sm_";
	const char *const argv[] = { ptxas, "--help", NULL };
	size_t cap = 1 << 16;
	char *said = malloc(cap);

	if (!said)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	aot_run(argv, said, cap);
	for (const char *s = said; (s = strstr(s, front)) && v->n_archs < QD_COUNT(v->archs);) {
		s += sizeof front - 1;
		uint32_t arch = (uint32_t)strtoul(s, NULL, 10);
		if (arch)
			v->archs[v->n_archs++] = arch;
	}
	free(said);
}

/* Returns the earliest processor that ptxas supports and that runs PTX for `arch`. */
static uint32_t
arch_for(const struct verifying *v, uint32_t arch)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < v->n_archs; i++) {
		if (v->archs[i] >= arch && (!best || v->archs[i] < best))
			best = v->archs[i];
	}
	return best ? best : arch;
}

/* -- Checks without external programs ----------------------------------------------------------- */

/* Returns the bytes from the beginning of a function to the end of its section. */
static uint64_t
room_of(const struct code_object *o, const struct code_function *f)
{
	const struct elf_section *s = &o->elf.sections[f->section];

	return s->size - (uint64_t)(f->code - s->data);
}

/* Checks that the object that `extract` writes, when read back, has the same descriptor and code. */
static qd_status
check_object(struct qd_context *ctx, const struct image_parts *p, const struct buf *file,
	     struct qd_error *e)
{
	struct code_object o;
	struct arena mem;
	qd_status st;

	arena_init(&mem, &ctx->pool);
	st = code_object_read(&mem, buf_data(file), file->len, 0, &o, e);
	if (st == QD_OK && (o.n_kernels != 1 || o.n_functions != 1))
		st = qd_fail(e, QD_E_INVALID, "its code object has %u kernels", o.n_kernels);
	/* Bytes 16 to 23, the code's offset, differ between objects. */
	const uint8_t *code = p->code;
	if (st == QD_OK && (memcmp(o.kernels[0].descriptor, code, 16) != 0 ||
			    memcmp(o.kernels[0].descriptor + 24, code + 24, AMD_DESCRIPTOR_SIZE - 24) != 0))
		st = qd_fail(e, QD_E_INVALID, "the descriptor of its code object differs");
	const size_t size = p->code_size - HSA_ENTRY; /* of the code and its tables */
	const uint32_t text = p->meta->own[ISA_AMD_TEXT_SIZE];
	if (st == QD_OK && (o.functions[0].size < (text ? text : size) || room_of(&o, &o.functions[0]) < size ||
			    memcmp(o.functions[0].code, code + HSA_ENTRY, size) != 0))
		st = qd_fail(e, QD_E_INVALID, "the code of its code object differs");
	arena_fini(&mem);
	return st;
}

/* Checks that the IR, when parsed and printed again, is the same text. */
static qd_status
check_kernel(struct qd_context *ctx, const struct image_parts *p, struct qd_error *e)
{
	struct qd_kernel *k;
	size_t len = 0;
	char *text;

	QD_TRY(qd_kernel_read(ctx, p->code, p->code_size, "ir", &k, e));
	qd_status st = qd_kernel_print(k, NULL, 0, &len, e);
	text = st == QD_OK ? malloc(len + 1) : NULL;
	if (st == QD_OK && !text)
		st = qd_fail(e, QD_E_NOMEM, "out of memory");
	if (st == QD_OK)
		st = qd_kernel_print(k, text, len + 1, &len, e);
	if (st == QD_OK && (len != p->code_size || memcmp(text, p->code, len) != 0))
		st = qd_fail(e, QD_E_INVALID, "the printed kernel differs");
	free(text);
	qd_kernel_free(k);
	return st;
}

/* -- Checks by external programs ----------------------------------------------------------------- */

static qd_status
ask_program(const struct verifying *v, const struct image_parts *p, const struct buf *file,
	    struct qd_error *e)
{
	char path[AOT_PATH], arch[32], said[512];
	const char *name = v->program[p->kind];
	struct target t;

	if (!name)
		return QD_OK;
	if (!aot_temporary(path, buf_data(file), file->len))
		return qd_fail(e, QD_E_IO, "cannot write a temporary file: %s", strerror(errno));
	snprintf(arch, sizeof arch, "-arch=sm_%u",
		 arch_for(v, isa_target(p->target, &t, QD_IGNORE_ERROR) == QD_OK ? t.arch : 0));
	const char *const ptx[] = { name, arch, "-o", "/dev/null", path, NULL };
	const char *const cubin[] = { name, path, NULL };
	const char *const amd[] = { name, "--all", path, NULL };
	const char *const spirv[] = { name, "--target-env", "vulkan1.3", path, NULL };
	const char *const *const argv[N_CODE_KIND] = {
		[CODE_PTX] = ptx, [CODE_CUBIN] = cubin, [CODE_AMD] = amd, [CODE_SPIRV] = spirv
	};
	int r = aot_run(argv[p->kind], said, sizeof said);
	unlink(path);
	if (r == 0)
		return QD_OK;
	return qd_fail(e, QD_E_INVALID, "%s: %.*s", name, (int)strcspn(said, "\n"), said);
}

static void
verify_row(void *user, uint32_t i)
{
	struct verifying *v = user;
	struct image_parts p;
	struct qd_error e;
	struct buf file;

	buf_init(&file, &v->ctx->pool);
	qd_status st = fatbin_layout(v->f, v->rows[i], &p, &e);
	if (st == QD_OK)
		image_file(&p, &file);
	if (st == QD_OK && !code_kind_known(p.kind))
		st = qd_fail(&e, QD_E_INVALID, "this version does not support its kind of code, %u", p.kind);
	if (st == QD_OK && file.nomem)
		st = qd_fail(&e, QD_E_NOMEM, "out of memory");
	if (st == QD_OK && p.kind == CODE_AMD)
		st = check_object(v->ctx, &p, &file, &e);
	if (st == QD_OK && p.kind == CODE_IR)
		st = check_kernel(v->ctx, &p, &e);
	if (st == QD_OK)
		st = aot_check_code(v->ctx, &p, &e);
	if (st == QD_OK)
		st = ask_program(v, &p, &file, &e);
	if (st != QD_OK)
		v->said[i] = strdup(e.text);
	buf_fini(&file);
}

/* -- Command ---------------------------------------------------------------------------------------- */

static void
report_row(const struct verifying *v, uint32_t i, bool first)
{
	struct fatbin_place at;

	fatbin_at(v->f, v->rows[i], &at);
	if (v->r->json) {
		printf("%s{\"kernel\":", first ? "" : ",");
		tool_json_string(stdout, at.kernel);
		printf(",\"values\":");
		tool_json_string(stdout, at.variant);
		printf(",\"target\":");
		aot_json_target(&at);
		printf(",\"wrong\":");
		tool_json_string(stdout, v->said[i]);
		putchar('}');
	} else {
		tool_message("error", "%s: kernel '%s'%s%s%s for %s%s: %s", fatbin_name(v->f), at.kernel,
			     *at.variant ? " (" : "", at.variant, *at.variant ? ")" : "",
			     fatbin_target_front(&at), fatbin_target_rest(&at), v->said[i]);
	}
}

/* Writes the programs that are not installed and counts their images: " (spirv-val is not there: 3)",
 * or in JSON "{"program":"spirv-val","images":3}". */
static uint32_t
count_skips(const struct verifying *v, char *text, size_t cap)
{
	uint32_t all = 0;
	size_t n = 0;

	text[0] = '\0';
	for (size_t c = 0; c < QD_COUNT(checkers) && n < cap; c++) {
		uint32_t count = 0;
		for (uint32_t i = 0; i < v->n && !v->program[checkers[c].kind]; i++) {
			struct fatbin_place at;
			fatbin_at(v->f, v->rows[i], &at);
			count += at.row.kind == checkers[c].kind && !v->said[i];
		}
		if (count && v->r->json)
			n += (size_t)snprintf(text + n, cap - n, "%s{\"program\":\"%s\",\"images\":%u}", all ? "," : "",
					      checkers[c].what, count);
		else if (count)
			n += (size_t)snprintf(text + n, cap - n, "%s%s is not there: %u", all ? ", " : " (",
					      checkers[c].what, count);
		all += count;
	}
	if (all && n < cap && !v->r->json)
		snprintf(text + n, cap - n, ")");
	return all;
}

static bool
verify_file(struct verifying *v, const char *path)
{
	uint32_t failed = 0;
	char skips[256];

	v->f = aot_open(v->ctx, path);
	/* An image shared by several targets is checked for each, because the files differ. */
	v->rows = aot_rows(v->r, v->f, &v->n);
	v->said = calloc(v->n + 1, sizeof *v->said);
	if (!v->said)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	aot_parallel(v->r->n_jobs, v->n, verify_row, v, "images", v->r->quiet);
	if (v->r->json)
		printf("{\"schema\":\"qd.verify/1\",\"wrong\":[");
	for (uint32_t i = 0; i < v->n; i++) {
		if (!v->said[i])
			continue;
		report_row(v, i, failed == 0);
		failed++;
	}
	uint32_t skipped = count_skips(v, skips, sizeof skips);
	if (v->r->json)
		printf("],\"verified\":%u,\"failed\":%u,\"skipped\":%u,\"skips\":[%s]}\n", v->n - failed - skipped, failed,
		       skipped, skips);
	else
		printf("%s: %u verified, %u failed, %u skipped%s\n", fatbin_name(v->f),
		       v->n - failed - skipped, failed, skipped, skips);
	for (uint32_t i = 0; i < v->n; i++)
		free(v->said[i]);
	free(v->said);
	free(v->rows);
	qd_fatbin_free(v->f);
	return failed == 0;
}

int
aot_verify(struct qd_context *ctx, const struct aot_request *r)
{
	struct verifying v = { .ctx = ctx, .r = r };
	bool good = true;

	for (size_t i = 0; i < QD_COUNT(checkers); i++)
		v.program[checkers[i].kind] = find_program(&checkers[i]);
	if (v.program[CODE_PTX])
		find_archs(&v, v.program[CODE_PTX]);
	for (uint32_t i = 0; i < r->files.n; i++)
		good &= verify_file(&v, r->files.v[i]);
	return good ? EXIT_OK : EXIT_INPUT;
}
