/* Subgroups of a different size than the hardware's: the cost of each operation, and the error if
 * not the whole block is active. */
#include <stdio.h>
#include <string.h>

#include "jit.h"
#include "unit.h"

extern const struct unit units_made[];
extern const unsigned n_units_made;

static const char head[] = "kernel k(a: u32[], n: u32) block(128) ";

/* Barriers and bytes of shared memory in the code. */
static const struct cost {
	const char *target, *body;
	uint32_t barriers, shared;
} costs[] = {
	/* words exchanged through memory: one barrier each, alternating between two halves */
	{ "ptx:w64", "{ a[0] = subgroup.shuffle(a[0], n); }", 1, 1024 },
	{ "ptx:w64", "{ a[0] = subgroup.shuffle(subgroup.shuffle(a[0], n), n); }", 2, 1024 },
	{ "ptx:w64", "{ a[0] = u32(subgroup.shuffle(u64(n), n)); }", 2, 1024 },
	{ "ptx:w64", "{ a[0] = subgroup.ballot_first_n(a[0] == 1, 32); }", 1, 1024 },
	/* in a loop the half that was read last is unknown */
	{ "ptx:w64", "{ for i in 0..n { a[0] = subgroup.shuffle(a[0], i); } }", 2, 1024 },
	{ "ptx:w64", "{ for i in 0..n { a[0] = subgroup.shuffle(subgroup.shuffle(a[0], i), i); } }", 3, 1024 },
	{ "ptx:w64", "{ a[0] = subgroup.shuffle(a[0], n); for i in 0..n { a[0] = subgroup.shuffle(a[0], i); } a[0] = subgroup.shuffle(a[0], n); }", 5, 1024 },
	{ "ptx:w64", "{ if n > 3 { a[0] = subgroup.shuffle(a[0], n); } a[0] = subgroup.shuffle(a[0], n); }", 3, 1024 },
	/* exchanges within a warp need no memory */
	{ "ptx:w64", "{ a[0] = subgroup.shuffle_xor(a[0], 16); }", 0, 0 },
	{ "ptx:w64", "{ a[0] = subgroup.shuffle_xor(a[0], 32); }", 1, 1024 },
	{ "ptx:w64", "{ a[0] = subgroup.reduce_add_tiled(a[0], 5); }", 0, 0 },
	{ "ptx:w64", "{ a[0] = subgroup.reduce_add(a[0]); }", 1, 1024 },
	{ "ptx:w128", "{ a[0] = subgroup.reduce_add(a[0]); }", 2, 1024 },
	{ "spirv:w32:h8", "{ a[0] = subgroup.reduce_add(a[0]); }", 2, 1024 },
	{ "spirv:w32:h8", "{ a[0] = subgroup.inclusive_add(a[0]); }", 2, 1024 },
	/* barriers, of the block or of a warp */
	{ "ptx:w64", "{ subgroup.sync(); }", 1, 0 },
	{ "ptx:w32", "{ subgroup.sync(); }", 1, 0 },
	/* a part of a warp needs no barriers and no memory */
	{ "ptx:w8", "{ a[0] = subgroup.shuffle(a[0], n); }", 0, 0 },
	{ "ptx:w8", "{ a[0] = subgroup.reduce_add(a[0]) + u32(subgroup.all_true(a[0])); }", 0, 0 },
	{ "spirv:w4:h16", "{ for i in 0..n { a[0] = subgroup.inclusive_add(a[0]); } }", 0, 0 },
};

static qd_status
compile(struct qd_context *ctx, const char *target, const char *attributes, const char *body,
	struct qd_image **out, struct qd_error *err)
{
	struct qd_module *m = NULL;
	struct qd_kernel *k = NULL;
	char text[512];

	*out = NULL;
	int n = snprintf(text, sizeof text, "%s%s %s", head, attributes, body);
	qd_status st = qd_module_parse(ctx, text, (size_t)n, "t.qdk", &m, err);
	if (!st)
		st = qd_module_kernel(m, "k", NULL, 0, &k, err);
	if (!st)
		st = qd_compile(ctx, k, target, NULL, 0, out, err);
	qd_kernel_free(k);
	qd_module_free(m);
	return st;
}

static void
what_it_costs(struct unit_ctx *t)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_error e;

	if (qd_context_create(&desc, &ctx, &e))
		return;
	for (size_t i = 0; i < QD_COUNT(costs); i++) {
		const struct cost *c = &costs[i];
		struct qd_image *img;
		qd_status st = compile(ctx, c->target, "", c->body, &img, &e);
		UNIT_CHECK(t, !st, "%s %s: %s", c->target, c->body, e.text);
		if (!st)
			UNIT_CHECK(t, img->meta.barriers == c->barriers && img->meta.shared_size == c->shared,
				   "%s %s: %u barriers, %u bytes", c->target, c->body,
				   img->meta.barriers, img->meta.shared_size);
		qd_image_free(img);
	}
	qd_context_free(ctx);
}

/* Checks that divergent subgroups of a block are rejected if their size is not the hardware's,
 * regardless of assume_uniform. */
static void
apart(struct unit_ctx *t)
{
	static const char *const bodies[] = {
		"{ if subgroup.id == 1 { a[0] = subgroup.shuffle(a[0], n); } }",
		"{ while subgroup.any_true(a[0]) != 0 { a[0] = 0; } }",
		"{ if subgroup.all_true(a[0]) != 0 { return; } subgroup.sync(); }",
	};
	static const char *const attributes[] = { "", "assume_uniform(\"as it is\")" };
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_error e;

	if (qd_context_create(&desc, &ctx, &e))
		return;
	for (size_t i = 0; i < QD_COUNT(bodies) * QD_COUNT(attributes); i++) {
		const char *body = bodies[i / 2], *attribute = attributes[i % 2];
		struct qd_image *img;
		UNIT_CHECK(t, !compile(ctx, "ptx:w32", attribute, body, &img, &e), "%s: %s", body, e.text);
		qd_image_free(img);
		for (uint32_t size = 16; size <= 64; size *= 4) {
			const char *target = size == 16 ? "ptx:w16" : "ptx:w64";
			qd_status st = compile(ctx, target, attribute, body, &img, &e);
			UNIT_CHECK(t, st == QD_E_UNIFORM && strstr(e.text, "[E0404]"), "%s %s %s: %s",
				   target, attribute, body, st ? e.text : "compiled");
			qd_image_free(img);
		}
	}
	qd_context_free(ctx);
}

const struct unit units_made[] = {
	{ "made.costs", what_it_costs },
	{ "made.apart", apart },
};
const unsigned n_units_made = QD_COUNT(units_made);
