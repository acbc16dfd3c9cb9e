/* Targets as text. The text determines the code, so a device and its parsed text must be equal, and
 * give the same bytes. */
#include "unit.h"

#include <stdio.h>

#include "t_vulkan.h"

/* -- Texts -------------------------------------------------------------------------------- */

/* Writes every option of a target, from the message that lists them, as + and as -. The last of the
 * two is the default or, with `deviate`, the opposite. */
static void
every_option(struct unit_ctx *t, char *text, size_t cap, bool deviate)
{
	struct target target;
	struct qd_error e;
	size_t n = (size_t)snprintf(text, cap, "spirv:w8");
	isa_target("spirv:+nosuch", &target, &e);
	const char *p = strstr(e.text, "one of i64");
	UNIT_CHECK(t, p, "%s", e.text);
	for (p = p ? p + 7 : ""; *p; p += strspn(p, ", ")) {
		int len = (int)strcspn(p, ", \n");
		char one[64];
		snprintf(one, sizeof one, "spirv:-%.*s", len, p);
		bool off = isa_target(one, &target, &e) == QD_OK &&
			   strcmp(target.m.name, "spirv:w32") == 0;
		bool last = deviate == off;
		n += (size_t)snprintf(text + n, cap - n, ":%c%.*s:%c%.*s", last ? '-' : '+', len, p,
				      last ? '+' : '-', len, p);
		p += len;
	}
}

/* Checks that long target names are accepted, not truncated, and found again. */
static void
long_texts(struct unit_ctx *t)
{
	for (int deviate = 0; deviate < 2; deviate++) {
		const struct jit_target *a = NULL, *b = NULL, *c = NULL;
		struct target target, sized;
		struct unit_rig r;
		char text[4096];
		if (!unit_rig_open(t, &r))
			return;
		every_option(t, text, sizeof text, deviate);
		bool good = !jit_target_named(r.ctx, text, &a, &r.e) &&
			    !jit_target_named(r.ctx, text, &b, &r.e) &&
			    !isa_target(text, &target, &r.e) &&
			    !jit_target(r.ctx, &target, &c, &r.e);
		UNIT_CHECK(t, good && a == b && a == c, "%s: %s", text, r.e.text);
		UNIT_CHECK(t, good && (strcmp(target.m.name, "spirv:w8") == 0) == !deviate,
			   "%s is %s", text, target.m.name);
		good = good && !jit_sized_target(&target, 16, 16, &sized, &r.e) &&
		       !jit_target(r.ctx, &sized, &b, &r.e) &&
		       !isa_target(sized.m.name, &target, &r.e) &&
		       !jit_target(r.ctx, &target, &c, &r.e);
		UNIT_CHECK(t, good && b != a && b == c, "%s at 16 lanes: %s", text, r.e.text);
		unit_rig_close(t, &r);
	}
	/* A name that is too long is an error. */
	struct target target = { .isa = NULL };
	struct qd_error e;
	qd_status st = QD_OK;
	for (int i = 0; i < 100 && st == QD_OK; i++)
		st = isa_name(&target, &e, ":option%d", i);
	UNIT_CHECK(t, st == QD_E_LIMIT && strstr(e.text, "more than 255 characters"), "%s", e.text);
	UNIT_CHECK(t, strlen(target.m.name) < sizeof target.m.name, "the name has no end");
}

/* Checks that limits are options like others, and are omitted if they have the default value. */
static void
limits(struct unit_ctx *t)
{
	static const char *const names[][2] = {
		{ "spirv:b1024:s32768:a128", "spirv:w32" },
		{ "spirv:a256:w8:b1536", "spirv:w8:b1536:a256" },
		{ "spirv:+hidezero:s49152:g32:a8", "spirv:w32:g32:s49152:a8:+hidezero" },
		{ "spirv:b65535:b4:w4:s0", "spirv:w4:b4:s0" },
		{ "spirv:s4294967295", "spirv:w32:s4294967295" },
	};
	static const char *const wrong[] = {
		"spirv:b",   "spirv:b0",      "spirv:b3",	    "spirv:b65536",
		"spirv:g0",  "spirv:b0512",   "spirv:s4294967296",  "spirv:a12",
		"spirv:a0",  "spirv:b-1",     "spirv:s99999999999", "ref:b512",
		"spirv:b31", "spirv:w128:b64"
	};
	struct target g;
	struct qd_error err;

	for (size_t i = 0; i < QD_COUNT(names); i++) {
		qd_status st = isa_target(names[i][0], &g, &err);
		UNIT_CHECK(t, !st && strcmp(g.m.name, names[i][1]) == 0, "%s is %s", names[i][0],
			   st ? err.text : g.m.name);
	}
	for (size_t i = 0; i < QD_COUNT(wrong); i++)
		UNIT_CHECK(t, isa_target(wrong[i], &g, &err) == QD_E_INVALID, "%s", wrong[i]);
	UNIT_CHECK(t,
		   strcmp(err.text, "target 'spirv': a block of 64 threads is smaller than a subgroup of 128") == 0,
		   "%s", err.text);
	/* whole subgroups, for each size that the target can have */
	UNIT_CHECK(t,
		   !isa_target("spirv:w16:b1000:g32", &g, &err) &&
			   machine_max_block(&g.m, 16, 16) == 512 && machine_max_block(&g.m, 64, 64) == 960,
		   "blocks of %u and %u", machine_max_block(&g.m, 16, 16), machine_max_block(&g.m, 64, 64));
}

/* -- Devices ------------------------------------------------------------------------------ */

/* Compares member by member, because structures have padding. */
static bool
same_target(const struct target *a, const struct target *b)
{
	const struct machine *m = &a->m, *n = &b->m;
	return a->isa == b->isa && a->arch == b->arch && a->m.features == b->m.features &&
	       strcmp(m->name, n->name) == 0 && m->subgroup_size == n->subgroup_size &&
	       m->log2_size == n->log2_size && m->caps == n->caps &&
	       m->max_block_dim == n->max_block_dim && m->max_subgroups == n->max_subgroups &&
	       m->max_shared == n->max_shared && m->inline_args == n->inline_args &&
	       m->native == n->native;
}

/* Builds a kernel with n_buffers buffers and this block, so that limits affect the code. */
static struct qd_kernel *
make_kernel(struct unit_ctx *t, struct unit_rig *r, uint32_t n_buffers, uint32_t block)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	struct qd_array a[MAX_PARAM];
	if (qd_builder_create(r->ctx, "many", &b, &r->e)) {
		UNIT_CHECK(t, false, "%s", r->e.text);
		return NULL;
	}
	qd_block(b, block, 1, 1);
	for (uint32_t i = 0; i < n_buffers; i++) {
		char name[16];
		snprintf(name, sizeof name, "p%u", i);
		a[i] = qd_param_buffer(b, name, i % 2 ? QD_TYPE_U64 : QD_TYPE_F32, QD_ACCESS_INOUT);
	}
	struct qd_val i = qd_grid(b, qd_len(b, a[0]));
	for (uint32_t j = 0; j < n_buffers; j++) {
		struct qd_val v = qd_load(b, a[j], i);
		qd_store(b, a[j], i, qd_subgroup_reduce_add(b, v));
	}
	UNIT_CHECK(t, qd_builder_finish(b, &k, &r->e) == QD_OK, "%s", r->e.text);
	return k;
}

static bool
same_code(const struct qd_image *a, const struct qd_image *b)
{
	if (a->target->isa->runs_ir)
		return a->ir.n == b->ir.n &&
		       memcmp(a->ir.ins, b->ir.ins, a->ir.n * sizeof *a->ir.ins) == 0;
	return a->code_size == b->code_size && memcmp(a->code, b->code, a->code_size) == 0;
}

static void
compile_both_ways(struct unit_ctx *t, struct unit_rig *r, struct qd_device *dev, uint32_t n_buffers,
		  uint32_t block)
{
	struct qd_kernel *k = make_kernel(t, r, n_buffers, block);
	struct qd_function *fn = NULL;
	struct qd_image *img = NULL;
	struct qd_error e;
	qd_status here = qd_function_get(dev, k, NULL, 0, &fn, &r->e);
	qd_status ahead = qd_compile(r->ctx, k, fn ? qd_image_target(fn->image) : qd_device_target(dev), NULL, 0, &img, &e);
	UNIT_CHECK(t, here == ahead, "%s, %u buffers, block of %u: %s: %s", qd_device_target(dev),
		   n_buffers, block, qd_status_name(here), here ? r->e.text : e.text);
	if (!here && !ahead)
		UNIT_CHECK(t,
			   same_code(fn->image, img) &&
				   memcmp(&fn->image->meta, &img->meta, sizeof img->meta) == 0,
			   "%s, %u buffers, block of %u: the bytes differ", qd_device_target(dev),
			   n_buffers, block);
	qd_image_free(img);
	qd_kernel_free(k);
}

static void
look_at_device(struct unit_ctx *t, struct unit_rig *r, const char *selector)
{
	static const uint32_t buffers[] = { 1, 6, 7, 12, 14, 15, 30 };
	struct qd_device *dev;
	struct qd_device_info info;
	struct target parsed;
	qd_status st = qd_device_open(r->ctx, selector, &dev, &r->e);
	UNIT_CHECK(t, !st, "%s: %s", selector, r->e.text);
	if (st)
		return;
	const char *text = qd_device_target(dev);
	st = isa_target(text, &parsed, &r->e);
	UNIT_CHECK(t, !st && same_target(&parsed, &dev->target), "%s: %s is not its target: %s",
		   selector, text, st ? r->e.text : "");
	UNIT_CHECK(t,
		   !qd_device_info(dev, &info, &r->e) && strcmp(info.target, text) == 0 &&
			   info.max_block_dim ==
				   machine_max_block(&parsed.m, parsed.m.lanes,
						     parsed.m.subgroup_size),
		   "%s: %s, block up to %u", selector, info.target, info.max_block_dim);
	for (size_t i = 0; i < QD_COUNT(buffers); i++)
		compile_both_ways(t, r, dev, buffers[i], 64);
	compile_both_ways(t, r, dev, 1, info.max_block_dim);
	compile_both_ways(t, r, dev, 1, info.max_block_dim + 1);
	qd_device_close(dev);
}

/* Checks that the text of a driver's target determines the code. Otherwise ahead-of-time
 * compilation would differ from the device's. */
static void
devices(struct unit_ctx *t)
{
	struct qd_device_info all[16];
	struct unit_rig r;
	uint32_t n = 0;
	if (!unit_rig_open(t, &r))
		return;
	UNIT_CHECK(t, !qd_device_list(r.ctx, all, QD_COUNT(all), &n, &r.e), "%s", r.e.text);
	for (uint32_t i = 0; i < n && i < QD_COUNT(all); i++) {
		struct target target;
		if (!all[i].usable)
			continue;
		UNIT_CHECK(t,
			   !isa_target(all[i].target, &target, &r.e) &&
				   strcmp(target.m.name, all[i].target) == 0,
			   "%s is listed with %s", all[i].selector, all[i].target);
		look_at_device(t, &r, all[i].selector);
	}
	for (uint32_t size = 4; size <= 128; size *= 2) {
		char selector[16];
		snprintf(selector, sizeof selector, "ref:%u", size);
		look_at_device(t, &r, selector);
	}
	unit_rig_close(t, &r);
}

/* Checks artificial devices. */
static void
made_up_devices(struct unit_ctx *t)
{
	struct vulkan_physical p = {
		.max_threads = 1024,
		.info = { .min_subgroup_size = 32, .max_subgroup_size = 32 },
		.max_subgroups = 16,
		.limits = { .maxComputeSharedMemorySize = 32 << 10, .maxPushConstantsSize = 128 }
	};
	static const struct {
		uint32_t block, min, max, subgroups, size, shared, push, most;
		bool demand;
		const char *limits;
	} rows[] = {
		{ 1024, 32, 32, 4, 32, 32768, 128, 1024, false, "spirv:w32:-i64" },
		{ 1024, 8, 32, 64, 16, 65536, 256, 1024, true, "spirv:w16:g64:s65536:a256:-i64" },
		{ 1024, 8, 32, 64, 8, 65536, 256, 512, true, "spirv:w8:g64:s65536:a256:-i64" },
		{ 1536, 32, 64, 48, 64, 49152, 4096, 1536, true,
		  "spirv:w64:b1536:s49152:a256:-i64" },
		{ 1000, 64, 64, 64, 64, 32768, 132, 960, false, "spirv:w64:b1000:-i64" },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct target made, parsed;
		struct qd_error e;
		p.max_threads = rows[i].block;
		p.info.min_subgroup_size = rows[i].min;
		p.info.max_subgroup_size = rows[i].max;
		p.max_subgroups = rows[i].subgroups;
		p.demand_size = rows[i].demand;
		p.limits.maxComputeSharedMemorySize = rows[i].shared;
		p.limits.maxPushConstantsSize = rows[i].push;
		qd_status st = vulkan_physical_target(&p, rows[i].size, &made, &e);
		UNIT_CHECK(t,
			   !st && strncmp(made.m.name, rows[i].limits, strlen(rows[i].limits)) == 0,
			   "row %zu: %s", i, st ? e.text : made.m.name);
		UNIT_CHECK(t,
			   !st && machine_max_block(&made.m, rows[i].size, rows[i].size) == rows[i].most &&
				   made.m.max_shared == rows[i].shared,
			   "row %zu: blocks of %u", i, machine_max_block(&made.m, rows[i].size, rows[i].size));
		UNIT_CHECK(t,
			   !st && !isa_target(made.m.name, &parsed, &e) &&
				   same_target(&made, &parsed),
			   "row %zu: %s is another target", i, made.m.name);
	}
}

/* Checks that each row of the table of back ends sets the required members, which C allows to
 * omit. */
static void
rows(struct unit_ctx *t)
{
	for (uint32_t i = 0; i < isa_count; i++) {
		const struct isa *isa = isa_table[i];
		UNIT_CHECK(t, strcmp(code_kind_name(isa->code), "unknown") != 0, "%s: its code is of no kind",
			   isa->name);
		UNIT_CHECK(t, isa->runs_ir || (isa->emit && isa->runs && isa->all && isa->extension),
			   "%s: emit, runs, all or extension is missing", isa->name);
		for (uint32_t j = 0; !isa->runs_ir && isa->all(j); j++) {
			struct target one, device;
			struct qd_error e;
			char why[ISA_WHY] = "";
			uint32_t near = 0;
			UNIT_CHECK(t, isa_target(isa->all(j), &one, &e) == QD_OK && one.isa == isa,
				   "'%s': %s", isa->all(j), e.text);
			device = one;
			UNIT_CHECK(t, isa->runs(&device, &one, 0, &near, why) && near < ISA_NEAR,
				   "'%s' does not run on itself: %s", isa->all(j), why);
		}
	}
}

const struct unit units_target[] = {
	{ "target.rows", rows },
	{ "target.long_texts", long_texts },
	{ "target.limits", limits },
	{ "target.devices", devices },
	{ "target.made_up_devices", made_up_devices },
};
const unsigned n_units_target = QD_COUNT(units_target);
