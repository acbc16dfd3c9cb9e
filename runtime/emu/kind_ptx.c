/* PTX text on the device "emu:sm_NN". */
#include <stdio.h>
#include <stdlib.h>

#include "emu.h"
#include "ptx.h"

enum { MAX_SM = 200 };

struct loaded {
	struct ptx_module *module;
	const struct ptx_entry *entry;
};

static bool
target(const char *which, char *name, size_t cap)
{
	unsigned long n = strncmp(which, "sm_", 3) == 0 ? strtoul(which + 3, NULL, 10) : 0;

	return n < MAX_SM && (size_t)snprintf(name, cap, "ptx:sm_%lu", n) < cap &&
	       strcmp(name + strlen("ptx:"), which) == 0;
}

static void
targets(char *out, size_t cap)
{
	size_t n = (size_t)snprintf(out, cap, "emu:sm_NN, NN one of ");
	const char *comma = "";

	for (unsigned sm = 1; sm < MAX_SM && n < cap; sm++) {
		struct qd_error ignored;
		struct target t;
		char name[32];
		snprintf(name, sizeof name, "ptx:sm_%u", sm);
		if (isa_target(name, &t, &ignored) != QD_OK)
			continue;
		n += (size_t)snprintf(out + n, cap - n, "%s%u", comma, sm);
		comma = ", ";
	}
}

static uint32_t
sizes(const struct target *t)
{
	return 1u << t->m.log2_lanes;
}

static bool
runs(const struct target *device, const struct target *image)
{
	return image->arch <= device->arch;
}

static void
unload(struct pool *pool, void *code)
{
	struct loaded *c = code;

	ptx_module_free(c->module);
	pool_delete(pool, c);
}

static qd_status
load(struct pool *pool, const struct qd_image *image, void **code, struct qd_function_info *info,
     struct qd_error *err)
{
	struct loaded *c = pool_new(pool, sizeof *c);
	qd_status st;

	if (!c)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory",
			       layout_name(image->layout));
	st = ptx_module_parse(pool, (const char *)image->code, image->code_size, &c->module, err);
	if (!st) {
		/* The names of other compilers' entries may be longer than meta.entry. */
		const char *name = layout_by_slots(image->layout)
					   ? layout_name(image->layout)
					   : image->meta.entry;
		c->entry = ptx_module_entry(c->module, name);
		if (!c->entry)
			st = qd_fail(err, QD_E_INVALID, "kernel '%s': the code has no entry '%s'",
				     layout_name(image->layout), name);
	}
	if (st) {
		unload(pool, c);
		return st;
	}
	info->shared_size = c->entry->shared_size;
	*code = c;
	return QD_OK;
}

/* Collects the memory that the arguments pass to a launch: buffers, and the report. */
static uint32_t
find_ranges(const struct launch *l, struct ptx_range *out)
{
	struct launch_buffer b;
	uint32_t n = 0;

	uint32_t n_params = l->fn->image->layout->n_params;

	for (uint32_t i = 0; i <= n_params; i++) {
		uint32_t j = n;
		if (!(i < n_params ? launch_buffer_at(l, i, &b) : launch_report_at(l, &b)))
			continue;
		for (; j && out[j - 1].addr > b.addr; j--)
			out[j] = out[j - 1];
		out[j] = (struct ptx_range){ .addr = b.addr, .size = b.size };
		n++;
	}
	/* Views of one buffer may overlap. */
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct ptx_range *last = kept ? &out[kept - 1] : NULL;
		uint64_t end = out[i].addr + out[i].size;
		if (!last || last->addr + last->size < out[i].addr)
			out[kept++] = out[i];
		else if (last->addr + last->size < end)
			last->size = end - last->addr;
	}
	return kept;
}

static size_t
line_at(const struct qd_image *image, uint32_t line)
{
	const char *text = (const char *)image->code, *s = text, *end = text + image->code_size;

	for (; line > 1 && s; line--) {
		s = memchr(s, '\n', (size_t)(end - s));
		s += s != NULL;
	}
	return s ? (size_t)(s - text) : 0;
}

static qd_status
run(const struct emu_launch *l, struct qd_error *err)
{
	const struct loaded *c = l->code;
	const struct dispatch *d = l->dispatch;
	struct emu_finding *f = l->finding;
	struct ptx_range ranges[MAX_PARAM + 1];
	bool foreign = layout_by_slots(l->image->layout);
	uint32_t shared = l->image->meta.shared_size;
	struct ptx_launch launch = {
		.entry = c->entry,
		.grid = { d->x, d->y, 1 },
		.block = { l->image->meta.local_size, 1, 1 },
		.params = d->args,
		.ranges = ranges,
		.n_ranges = find_ranges(d->launch, ranges),
		.max_steps = l->max_steps,
		.meter = l->meter,
		.seed = l->seed,
		.profile = l->profile,
	};
	qd_status st;

	if (foreign) {
		image_block(l->image, launch.block);
		launch.dynamic_shared = shared > c->entry->shared_size ? shared - c->entry->shared_size : 0;
	}
	/* The arguments of a foreign kernel are padded to 8 bytes. */
	if (foreign ? c->entry->params_size > d->launch->args_size : c->entry->params_size != d->launch->args_size)
		return qd_fail(err, QD_E_INTERNAL,
			       "kernel '%s': %u bytes of arguments, but the entry expects %u",
			       layout_name(l->image->layout), d->launch->args_size,
			       c->entry->params_size);
	st = ptx_run(l->pool, &launch, &f->e);
	if (st == QD_E_FINDING) {
		f->at = line_at(l->image, f->e.line);
		snprintf(f->where, sizeof f->where, "line %u of", f->e.line);
		return st;
	}
	return st ? qd_fail_text(err, st, f->e.line, f->e.col, f->e.text, strlen(f->e.text)) : QD_OK;
}

/* -- Profiles ----------------------------------------------------------------------------- */

static qd_status
profile(const struct qd_function *f, const void *code, struct profile **out, struct qd_error *err)
{
	const struct loaded *c = code;
	const struct profile_clock *k;
	uint32_t block[3], threads, blocks, shared = f->image->meta.shared_size;
	const char *limit = "";

	QD_TRY(ptx_profile_create(&f->dev->ctx->pool, c->module, strchr(f->dev->target.m.name, ':') + 1, out, err));
	k = &(*out)->clock;
	image_block(f->image, block);
	threads = (block[0] * block[1] * block[2] + 31) / 32 * 32;
	shared = shared > f->info.shared_size ? shared : f->info.shared_size;
	blocks = k->threads / threads;
	if (blocks > k->blocks) {
		blocks = k->blocks;
		limit = "blocks";
	}
	if (shared && k->shared / shared < blocks) {
		blocks = k->shared / shared;
		limit = "shared memory";
	}
	(*out)->resident = (blocks ? blocks : 1) * threads / 32;
	(*out)->simds = (*out)->unit_simds = k->simds;
	snprintf((*out)->limit, sizeof (*out)->limit, "%s", limit);
	return QD_OK;
}

static void
places(const struct qd_image *image, const void *code, uint32_t n, struct emu_place *out)
{
	const struct loaded *c = code;
	const char *text = (const char *)image->code, *end = text + image->code_size, *s = text;
	uint32_t line = 1;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t want = ptx_profile_line(c->module, k);
		if (want < line) {
			s = text;
			line = 1;
		}
		for (const char *next; line < want && (next = memchr(s, '\n', (size_t)(end - s))); line++)
			s = next + 1;
		out[k] = (struct emu_place){ .line = want, .at = (size_t)(s - text) };
	}
}

const struct emu_kind emu_ptx = {
	.name = "PTX interpreter",
	.code = "PTX",
	.usual = "sm_90",
	.target = target,
	.targets = targets,
	.sizes = sizes,
	.takes = "PTX up to",
	.runs = runs,
	.load = load,
	.unload = unload,
	.profile = profile,
	.places = places,
	.run = run,
};
