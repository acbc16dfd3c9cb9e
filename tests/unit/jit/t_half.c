/* Code of loads and stores of 16-bit floats: its size beside that of integer elements, which need no
 * conversion. */
#include <stdio.h>

#include "qd.h"
#include "unit.h"

extern const struct unit units_half[];
extern const unsigned n_units_half;

/* Returns the size of kernel k's code for the target: of PTX the number of instructions, else bytes. */
static size_t
size_of(struct unit_ctx *t, struct qd_context *ctx, const char *qdk, const char *target)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	struct qd_image *image = NULL;
	struct qd_error e = { 0 };
	size_t size = 0, n = 0;

	qd_status st = qd_module_parse(ctx, qdk, strlen(qdk), "t.qdk", &m, &e);
	st = st ? st : qd_module_kernel(m, "k", NULL, 0, &k, &e);
	st = st ? st : qd_compile(ctx, k, target, NULL, 0, &image, &e);
	UNIT_CHECK(t, !st, "%s: %s", target, e.text);
	const char *code = image ? qd_image_data(image, &size) : NULL;
	if (code && strncmp(target, "ptx", 3) == 0) {
		for (size_t i = 0; i < size; i++)
			n += code[i] == ';' && (i < 2 || code[i - 1] != '>');
		size = n;
	}
	qd_image_free(image);
	qd_kernel_free(k);
	qd_module_free(m);
	return size;
}

/* Checks that a load takes at most 2 instructions and a store at most 3. */
static void
instructions(struct unit_ctx *t)
{
	enum { E32 = 4, E64 = 8, WORD = 4 };
	/* more: instructions or bytes that the conversion may add */
	static const struct {
		const char *target, *type;
		size_t more_load, more_store;
	} rows[] = {
		{ "ptx:sm_50", "f16", 1, 1 },	   { "ptx:sm_80", "f16", 1, 1 },
		{ "ptx:sm_80", "bf16", 1, 1 },	   { "ptx:sm_50", "bf16", 1, SIZE_MAX },
		{ "gfx906", "f16", E32, E32 },	   { "gfx90a", "f16", E32, E32 },
		{ "gfx950", "f16", E32, E32 },	   { "gfx950", "bf16", E32, E64 },
		{ "gfx1010", "f16", E32, E32 },	   { "gfx1030", "f16", E32, E32 },
		{ "gfx1100", "f16", E32, E32 },	   { "gfx1151", "f16", E32, E32 },
		{ "gfx1201", "f16", E32, E32 },	   { "gfx1201", "bf16", E32, SIZE_MAX },
		/* float types and modes are declared once */
		{ "spirv:+half", "f16", 60 * WORD, 60 * WORD },
	};
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx = NULL;
	struct qd_error e = { 0 };
	char text[256];

	UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &e), "%s", e.text);
	for (size_t i = 0; ctx && i < sizeof rows / sizeof *rows; i++) {
		size_t size[2][2]; /* by operation and kind of element: u16, float */

		for (int floats = 0; floats < 2; floats++) {
			const char *narrow = floats ? rows[i].type : "u16", *wide = floats ? "f32" : "u32";
			for (int stores = 0; stores < 2; stores++) {
				snprintf(text, sizeof text,
					 "kernel k(dst: out %s[], src: in %s[]) block(64) {"
					 " for i in grid(dst.len) { dst[i] = src[i]; } }",
					 stores ? narrow : wide, stores ? wide : narrow);
				size[stores][floats] = size_of(t, ctx, text, rows[i].target);
			}
		}
		UNIT_CHECK(t, size[0][1] <= size[0][0] + rows[i].more_load, "%s: a load of %s adds %zu", rows[i].target,
			   rows[i].type, size[0][1] - size[0][0]);
		UNIT_CHECK(t, rows[i].more_store == SIZE_MAX || size[1][1] <= size[1][0] + rows[i].more_store,
			   "%s: a store of %s adds %zu", rows[i].target, rows[i].type, size[1][1] - size[1][0]);
	}
	qd_context_free(ctx);
}

const struct unit units_half[] = {
	{ "half.instructions", instructions },
};
const unsigned n_units_half = sizeof units_half / sizeof units_half[0];
