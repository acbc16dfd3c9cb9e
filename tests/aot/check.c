/* check: qd-aot verify's own check of code, without other programs (src/tools/aot/aot_check.c). It
 * must accept the emitted code and report each injected fault correctly. */
#include <stdio.h>
#include <stdlib.h>

#include "aot.h"

static unsigned n_checks, n_bad;

static void QD_PRINTF(2, 3)
check(bool good, const char *fmt, ...)
{
	va_list ap;

	n_checks++;
	if (good)
		return;
	n_bad++;
	va_start(ap, fmt);
	fprintf(stderr, "check: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

static const char source[] = "kernel sums(src: in f32[], dst: out f32[]) block(64) {\n"
			     "  for i in grid(src.len) { dst[i] = block.reduce_add(src[i]) + src[i] / 3.0; }\n"
			     "}\n";

/* In a copy of the code, the first word that matches under the mask is replaced. */
static const struct fault {
	const char *target;
	uint32_t mask, word, by;
	const char *what; /* part of the message */
} faults[] = {
	{ "gfx1100", 0xffff0000, 0xbf890000, 0xbf800000, "may not have written yet" }, /* s_waitcnt: s_nop */
	{ "gfx1201", 0xffff0000, 0xbfc00000, 0xbf800000, "may not have written yet" }, /* s_wait_loadcnt */
	{ "gfx906", 0xffff0000, 0xbf8c0000, 0xbf800000, "may not have written yet" },
	{ "gfx1100", 0xffff0000, 0xbfb00000, 0xffffffff, "is not an instruction of gfx1100" }, /* s_endpgm */
	{ "gfx906", 0xffff0000, 0xbf810000, 0xbf800000, "control continues at a word that is not an instruction" },
	{ "gfx942", 0xffff0000, 0xbf810000, 0xffffffff, "is not an instruction of gfx942" },
	{ "spirv:w32", 0xffffffff, 0x07230203, 0x07230204, "" }, /* the magic */
	{ "spirv:w32", 0x0000ffff, 0x000000fd, 0x0000ffff, "" }, /* OpReturn of 0 words */
	{ "ptx:sm_80", 0xffffffff, 0x3b746572, 0x3b746574, "" }, /* "ret;": "tet;" */
};

static struct image_parts
parts_of(const struct qd_image *img, const void *code)
{
	return (struct image_parts){ .target = img->target->m.name,
				     .kind = img->kind,
				     .meta = &img->meta,
				     .layout = img->layout,
				     .layout_size = img->layout->size,
				     .code = code,
				     .code_size = img->code_size };
}

/* Text is searched at every byte, words at every fourth. */
static bool
put_fault(const struct fault *f, char *code, size_t size, bool text)
{
	for (size_t at = 0; at + 4 <= size; at += text ? 1 : 4) {
		uint32_t word;
		memcpy(&word, code + at, 4);
		if ((word & f->mask) != f->word)
			continue;
		memcpy(code + at, &f->by, 4);
		return true;
	}
	return false;
}

static void
try_fault(struct qd_context *ctx, const struct qd_kernel *k, const struct fault *f)
{
	struct qd_error e = { 0 };
	struct qd_image *img;

	if (qd_compile(ctx, k, f->target, NULL, 0, &img, &e)) {
		check(false, "%s", e.text);
		return;
	}
	char *code = malloc(img->code_size);
	memcpy(code, img->code, img->code_size);
	struct image_parts p = parts_of(img, code);
	check(aot_check_code(ctx, &p, &e) == QD_OK, "%s as it is: %s", f->target, e.text);
	check(put_fault(f, code, img->code_size, img->kind == CODE_PTX), "%s: no word is 0x%08x", f->target, f->word);
	e.text[0] = '\0';
	qd_status st = aot_check_code(ctx, &p, &e);
	check(st != QD_OK && e.text[0] && strstr(e.text, f->what), "%s, 0x%08x as 0x%08x: '%s', not '%s'", f->target,
	      f->word, f->by, e.text, f->what);
	free(code);
	qd_image_free(img);
}

int
main(void)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_module *m;
	struct qd_kernel *k;
	struct qd_error e;

	if (qd_context_create(&desc, &ctx, &e) || qd_module_parse(ctx, source, sizeof source - 1, "check.qdk", &m, &e) ||
	    qd_module_kernel(m, "sums", NULL, 0, &k, &e)) {
		fprintf(stderr, "check: %s\n", e.text);
		return 1;
	}
	for (size_t i = 0; i < QD_COUNT(faults); i++)
		try_fault(ctx, k, &faults[i]);
	qd_kernel_free(k);
	qd_module_free(m);
	qd_context_free(ctx);
	printf("%u checks\n", n_checks);
	return n_bad != 0;
}
