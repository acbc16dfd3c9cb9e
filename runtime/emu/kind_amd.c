/* AMD machine code on the devices "emu:gfxNNNN". An image is a kernel descriptor of 64 bytes,
 * followed by code at the offset in the descriptor. */
#include <stdio.h>

#include "amd.h"
#include "descriptor.h"
#include "emu.h"
#include "occupancy.h"
#include "variables.h"

enum { DESCRIPTOR_VERSION = 5 };
/* The code's device address: no host memory is there, and it fits gfx12's signed 48 bits. */
#define CODE_ADDR ((uint64_t)1 << 46)

struct loaded {
	struct amd_code *code;
	struct amd_start start;
	size_t at;	/* offset of the code */
	uint32_t entry; /* the kernel's first word */
	/* Constants and variables of the code. Variables are in memory of the function, which its
	 * launches share. */
	struct variables variables;
	uint8_t *memory; /* NULL: the image contains all of them */
};

/* Returns the emulator's target for waves of this one; NULL if there is none. */
static const struct gcn_target *
waves_of(const struct target *t)
{
	char name[sizeof t->m.name];
	size_t len = strcspn(t->m.name, ":");

	memcpy(name, t->m.name, len);
	name[len] = '\0';
	return gcn_target_find(name, t->m.lanes);
}

static bool
target(const char *which, char *name, size_t cap)
{
	return gcn_target_find(which, 0) && (size_t)snprintf(name, cap, "%s", which) < cap;
}

static void
targets(char *out, size_t cap)
{
	const struct gcn_target *g;
	size_t n = 0;

	*out = '\0';
	for (size_t i = 0; (g = gcn_target_at(i)) && n < cap; i++) {
		struct qd_error ignored;
		struct target t;
		if (isa_target(g->name, &t, &ignored) == QD_OK)
			n += (size_t)snprintf(out + n, cap - n, "%s%s",
					      n ? ", " : "emu:gfxNN, NN one of ",
					      g->name + strlen("gfx"));
	}
}

static uint32_t
sizes(const struct target *t)
{
	const struct gcn_target *g = waves_of(t);

	return g ? g->wave | (uint32_t)g->other_wave : t->m.lanes;
}

static bool
runs(const struct target *device, const struct target *image)
{
	size_t len = strcspn(device->m.name, ":");

	return strncmp(device->m.name, image->m.name, len) == 0 &&
	       strcspn(image->m.name, ":") == len;
}

/* Returns the offset of the entry; 0 if it is not in the image. */
static size_t
code_at(const struct qd_image *image)
{
	uint64_t at;

	if (image->code_size < AMD_DESCRIPTOR_SIZE)
		return 0;
	at = amd_descriptor_entry(image->code);
	return at >= AMD_DESCRIPTOR_SIZE && at < image->code_size && at % 4 == 0 &&
			       image->code_size % 4 == 0
		       ? (size_t)at
		       : 0;
}

/* Sets the range of the code: as the image states, otherwise from the entry to the end. Returns
 * false if the image does not contain it. */
static bool
text_of(const struct qd_image *image, size_t entry, size_t *from, size_t *size)
{
	const uint32_t *own = image->meta.own;

	*from = own[ISA_AMD_TEXT_SIZE] ? own[ISA_AMD_TEXT_AT] : entry;
	*size = own[ISA_AMD_TEXT_SIZE] ? own[ISA_AMD_TEXT_SIZE] : image->code_size - entry;
	return *from >= AMD_DESCRIPTOR_SIZE && *from <= image->code_size && *from % 4 == 0 &&
	       *size % 4 == 0 && *size <= image->code_size - *from && entry >= *from &&
	       entry - *from < *size;
}

/* Some targets do not set up private memory. A kernel does, or describes it as a buffer, which is not modeled. */
static qd_status
check_scratch(const struct gcn_target *t, const struct loaded *c, struct qd_error *err)
{
	if (!c->start.scratch_size || t->gen == GCN_G94 || t->gen >= GCN_G11 ||
	    (c->start.scratch_init != AMD_NONE && !c->start.scratch_buffer))
		return QD_OK;
	return qd_fail(err, QD_E_UNAVAILABLE,
		       "a thread uses %u bytes of private memory through a buffer, which the wave emulator does not "
		       "support on %s",
		       c->start.scratch_size, t->name);
}

static void
unload(struct pool *pool, void *code)
{
	struct loaded *c = code;

	amd_code_free(c->code);
	if (c->memory)
		pool_delete(pool, c->memory);
	pool_delete(pool, c);
}

static qd_status
load_variables(struct pool *pool, const struct qd_image *image, struct loaded *c, struct qd_error *err)
{
	QD_TRY(variables_read(image, &c->variables, err));
	if (!image->meta.own[ISA_AMD_VARIABLES_AT])
		return QD_OK;
	c->memory = pool_new(pool, c->variables.size);
	if (!c->memory)
		return qd_fail(err, QD_E_NOMEM, "out of memory for %u bytes of variables", c->variables.size);
	variables_load(image, &c->variables, CODE_ADDR, c->memory);
	return QD_OK;
}

static qd_status
decode(struct pool *pool, const struct qd_image *image, struct loaded *c, struct qd_error *err)
{
	const struct gcn_target *t = waves_of(image->target);
	const struct isa_meta *m = &image->meta;
	size_t entry = code_at(image), size = 0;

	if (!t || !entry || !m->local_size || m->local_size > AMD_MAX_BLOCK ||
	    !text_of(image, entry, &c->at, &size))
		return qd_fail(err, QD_E_INVALID, "the image is not for %s", image->target->m.name);
	c->entry = (uint32_t)((entry - c->at) / 4);
	QD_TRY(amd_start_read(t, image->code, &c->start, err));
	QD_TRY(check_scratch(t, c, err));
	QD_TRY(load_variables(pool, image, c, err));
	return amd_code_create(pool, t, (const uint32_t *)(const void *)(image->code + c->at),
			       size / 4, &c->code, err);
}

static qd_status
load(struct pool *pool, const struct qd_image *image, void **code, struct qd_function_info *info,
     struct qd_error *err)
{
	struct loaded *c = pool_new(pool, sizeof *c);
	struct qd_error why = { .text = "out of memory" };
	qd_status st = c ? decode(pool, image, c, &why) : QD_E_NOMEM;

	if (st) {
		if (c)
			unload(pool, c);
		return qd_fail(err, st, "kernel '%s': %s", layout_name(image->layout),
			       why.text);
	}
	info->registers = image->meta.registers;
	info->shared_size = c->start.lds_size;
	info->local_size = c->start.scratch_size;
	*code = c;
	return QD_OK;
}

/* Adds the ranges of constants and variables; a store to a constant is a finding. */
static uint32_t
add_memory(const struct emu_launch *l, struct amd_range *ranges)
{
	const struct loaded *c = l->code;
	const struct variables *v = &c->variables;
	uint64_t end = (uint64_t)v->from + v->n_written;
	uint8_t *host = c->memory ? c->memory : (uint8_t *)(uintptr_t)l->image->code;
	uint32_t n = 0;

	if (!l->image->meta.own[ISA_AMD_TEXT_SIZE])
		return 0;
	if (v->n_written)
		ranges[n++] = (struct amd_range){ CODE_ADDR + v->from, v->n_written, host + v->from, false };
	ranges[n++] = (struct amd_range){ CODE_ADDR, v->n_written ? v->from : v->size, host, true };
	if (v->n_written && end < v->size)
		ranges[n++] = (struct amd_range){ CODE_ADDR + end, v->size - end, host + end, true };
	return n;
}

static qd_status
run(const struct emu_launch *l, struct qd_error *err)
{
	const struct loaded *c = l->code;
	const struct dispatch *d = l->dispatch;
	struct emu_finding *f = l->finding;
	struct amd_range ranges[MAX_PARAM + 4];
	uint32_t found = 0, n = 0, block[3];
	struct launch_buffer b;
	qd_status st;

	for (uint32_t i = 0; i < l->image->layout->n_params; i++)
		if (launch_buffer_at(d->launch, i, &b))
			ranges[n++] = (struct amd_range){ b.addr, b.size, (void *)(uintptr_t)b.addr,
							  b.read_only };
	if (launch_report_at(d->launch, &b))
		ranges[n++] = (struct amd_range){ b.addr, b.size, (void *)(uintptr_t)b.addr, false };
	image_block(l->image, block);
	n += add_memory(l, ranges + n);
	struct amd_launch launch = {
		.code = c->code,
		.start = &c->start,
		.code_addr = CODE_ADDR + c->at,
		.entry = c->entry,
		.grid = { d->x, d->y, 1 },
		.block = { block[0], block[1], block[2] },
		.kernarg = d->args,
		.kernarg_size = d->launch->args_size,
		.ranges = ranges,
		.n_ranges = n,
		.max_steps = l->max_steps,
		.meter = l->meter,
		.seed = l->seed,
		.found = &found,
		.stored = l->stored,
		.profile = l->profile,
	};
	st = amd_run(l->mem, &launch, &f->e);
	if (st == QD_E_FINDING) {
		f->at = c->at + 4 * (size_t)found;
		snprintf(f->where, sizeof f->where, "seed %llu, in", (unsigned long long)l->seed);
		return st;
	}
	return st ? qd_fail(err, st, "kernel '%s': %s", layout_name(l->image->layout),
			    f->e.text) :
		    QD_OK;
}

/* -- Profiles ----------------------------------------------------------------------------- */

/* Returns the work-groups of a compute unit, or of two that share LDS. */
static struct gcn_groups
groups_of(const struct qd_image *image, const struct loaded *c, bool *pair)
{
	const struct gcn_target *t = waves_of(image->target);
	struct gcn_descriptor_field field;
	uint32_t block[3];

	*pair = t->gen >= GCN_G10 && gcn_descriptor_find(t, DESCRIPTOR_VERSION, image->code, "workgroup_processor_mode", &field) &&
		field.value;
	image_block(image, block);
	struct gcn_usage u = { .n_vgpr = image->meta.registers ? image->meta.registers : c->start.n_vgprs,
			       .n_sgpr = image->meta.wave_registers,
			       .lds = c->start.lds_size,
			       .workgroup = (uint64_t)block[0] * block[1] * block[2],
			       .wgp_mode = *pair };
	return gcn_groups(t, &u);
}

static qd_status
profile(const struct qd_function *f, const void *code, struct profile **out, struct qd_error *err)
{
	const struct loaded *c = code;
	bool pair;
	struct gcn_groups g = groups_of(f->image, c, &pair);

	QD_TRY(amd_profile_create(&f->dev->ctx->pool, c->code, out, err));
	(*out)->resident = g.waves;
	(*out)->simds = g.simds;
	(*out)->unit_simds = pair ? g.simds / 2 : g.simds;
	snprintf((*out)->limit, sizeof (*out)->limit, "%s", g.limit);
	return QD_OK;
}

static void
places(const struct qd_image *image, const void *code, uint32_t n, struct emu_place *out)
{
	const struct loaded *c = code;

	(void)image;
	for (uint32_t k = 0; k < n; k++)
		out[k] = (struct emu_place){ .at = c->at + 4 * (size_t)amd_profile_word(c->code, k) };
}

const struct emu_kind emu_amd = {
	.name = "AMD wave emulator",
	.code = "code",
	.usual = "gfx1100",
	.target = target,
	.targets = targets,
	.sizes = sizes,
	.takes = "only code for",
	.runs = runs,
	.load = load,
	.unload = unload,
	.profile = profile,
	.places = places,
	.run = run,
};
