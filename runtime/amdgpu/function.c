/* Loads images: writes a kernel descriptor, code and variables to executable memory, followed by
 * words that are fetched but never executed. The words that each dispatch of the function has in
 * common are prepared here, once. */
#include <stdio.h>

#include "kgd.h"
#include "variables.h"

enum { FETCHED = 1024 /* minimum bytes after the last instruction */ };
/* Address without memory, for checks of images that are not loaded. */
#define NOWHERE UINT64_C(0x100000)

static QD_COLD qd_status
bad_image(const struct qd_device *dev, const struct qd_image *img, qd_status st, const char *why,
	  struct qd_error *err)
{
	return qd_fail(err, st, "%s (%s): the image of kernel '%s', for target %s: %s",
		       dev->info.selector, dev->info.name, layout_name(img->layout),
		       img->target->m.name, why);
}

/* -- The dispatch ----------------------------------------------------------------------------- */

void
kgd_function_dispatch(const struct kgd_device *dev, const struct kgd_function *fn,
		      struct pm4_dispatch *d)
{
	*d = (struct pm4_dispatch){
		.kernel = &fn->program,
		.blocks = { 1, 1, 1 },
		.block = { fn->block[0], fn->block[1], fn->block[2] },
		.dynamic_lds = fn->dynamic_lds,
		.kernarg = NOWHERE,
	};
	memcpy(d->cu_mask, dev->engines, sizeof d->cu_mask);
}

/* Finds the words of a dispatch that contain the arguments' address and the number of blocks. */
static void
find_places(const struct kgd_function *fn, enum pm4_gen gen, struct kgd_template *t)
{
	uint32_t at = 0, user = pm4_regs[PM4_USER_DATA].offset[gen];
	struct pm4_read r;
	while (pm4_next(t->words, t->n, &at, &r)) {
		uint16_t body = (uint16_t)(r.body - t->words);
		if (r.packet == &pm4_packets[PM4_PKT_DISPATCH_DIRECT])
			t->blocks = body;
		if (r.packet == &pm4_packets[PM4_PKT_SET_SH_REG] && r.body[0] == user &&
		    fn->program.user & PM4_USER_KERNARG_PTR)
			t->kernarg = (uint16_t)(body + 1 + pm4_kernarg_at(&fn->program));
	}
}

/* Prepares the words of a dispatch, which also checks the kernel. */
static qd_status
make_dispatch(const struct kgd_device *dev, struct kgd_function *fn, struct qd_error *err)
{
	struct kgd_template *t = &fn->dispatch;
	struct pm4_dispatch d;
	struct pm4 p;
	kgd_function_dispatch(dev, fn, &d);
	if (fn->program.scratch_size) {
		QD_TRY(pm4_scratch_need(dev->gpu, &fn->program, dev->physical.n_cu,
					dev->physical.n_engine, &d.scratch, err));
		d.scratch.addr = NOWHERE;
	}
	d.packet = NOWHERE;
	pm4_begin(&p, dev->gpu->gen, t->words, KGD_MAX_DISPATCH, err);
	pm4_dispatch(&p, dev->gpu, &d);
	QD_TRY(p.st);
	t->n = (uint16_t)p.n;
	find_places(fn, dev->gpu->gen, t);
	fn->fixed = !fn->program.scratch_size && !(fn->program.user & PM4_USER_DISPATCH_PTR);
	return QD_OK;
}

/* -- Checks of images --------------------------------------------------------------------------- */

/* Reads the kernel of an image at address addr, and its block dimensions. */
static qd_status
read_kernel(const struct kgd_device *dev, const struct qd_image *img, uint64_t addr,
	    struct kgd_function *fn, struct qd_error *err)
{
	const struct isa_meta *meta = &img->meta;
	struct pm4_kernel *k = &fn->program;
	struct qd_error why = { .text = "" };
	if (img->code_size < AMD_DESCRIPTOR_SIZE)
		return bad_image(&dev->base, img, QD_E_INVALID, "it has no kernel descriptor", err);
	qd_status st = pm4_kernel_read(dev->gpu, img->code, addr, k, &why);
	if (st != QD_OK)
		return bad_image(&dev->base, img, st, why.text, err);
	if (k->entry < addr + AMD_DESCRIPTOR_SIZE || k->entry >= addr + img->code_size)
		return bad_image(&dev->base, img, QD_E_INVALID,
				 "its code begins outside of its bounds", err);
	if (k->wave != img->target->m.lanes)
		return bad_image(&dev->base, img, QD_E_INVALID,
				 "its wave size differs from the target's", err);
	image_block(img, fn->block);
	/* LDS of a block beyond that of the code. */
	fn->dynamic_lds = meta->shared_size > k->lds_size ? meta->shared_size - k->lds_size : 0;
	st = make_dispatch(dev, fn, &why);
	return st == QD_OK ? QD_OK : bad_image(&dev->base, img, st, why.text, err);
}

/* Code is for one processor. Modes are not part of its name. */
static bool
same_processor(const char *a, const char *b)
{
	size_t len = strcspn(a, ":");
	return strncmp(a, b, len) == 0 && strcspn(b, ":") == len;
}

/* Checks that the code is compiled for the modes that the device is in. */
static qd_status
check_modes(const struct kgd_device *dev, const struct qd_image *img, struct qd_error *err)
{
	static const struct {
		uint64_t need;
		const char *what;
	} rows[] = {
		{ ISA_AMD_XNACK_OFF, "it is for devices without page fault retry (xnack-)" },
		{ ISA_AMD_SRAMECC_ON, "it is for devices with ECC (sramecc+)" },
		{ ISA_AMD_SRAMECC_OFF, "it is for devices without ECC (sramecc-)" },
	};
	uint64_t missing = img->meta.needs & ~(uint64_t)dev->physical.modes;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (missing & rows[i].need)
			return bad_image(&dev->base, img, QD_E_TARGET, rows[i].what, err);
	}
	return missing ? bad_image(&dev->base, img, QD_E_TARGET, "it needs an unknown feature", err)
		       : QD_OK;
}

qd_status
kgd_accepts(const struct qd_device *base, const struct qd_image *img, struct qd_error *err)
{
	const struct kgd_device *dev = (const struct kgd_device *)base;
	const struct isa_meta *meta = &img->meta;
	struct kgd_function fn = { .fixed = false };
	if (img->kind != CODE_AMD)
		return bad_image(base, img, QD_E_INVALID, "it is not AMD code", err);
	if (!same_processor(img->target->m.name, dev->gpu->name))
		return qd_fail(err, QD_E_TARGET,
			       "%s (%s): kernel '%s' is compiled for target %s; the device is %s",
			       base->info.selector, base->info.name, layout_name(img->layout),
			       img->target->m.name, dev->gpu->name);
	/* Kernels compiled by qd have whole subgroups. Others have the block that they declare. */
	uint32_t step = layout_by_slots(img->layout) ? 1 : machine_block_step(&img->target->m);
	if (meta->local_size == 0 || meta->local_size % step)
		return qd_fail(err, QD_E_INVALID,
			       "%s: kernel '%s' has hardware blocks of %u threads, not whole subgroups "
			       "of %u",
			       base->info.selector, layout_name(img->layout), meta->local_size,
			       step);
	QD_TRY(check_modes(dev, img, err));
	return read_kernel(dev, img, NOWHERE, &fn, err);
}

/* -- Loading -------------------------------------------------------------------------------------- */

static void
put_code(const struct qd_image *img, const struct variables *v, uint64_t addr, char *to, uint64_t size)
{
	struct isa_object object;
	img->target->isa->object(img->target, &object);
	variables_load(img, v, addr, to);
	uint64_t at = v->size;
	for (; at % 4 && at < size; at++)
		to[at] = 0;
	for (; at + 4 <= size; at += 4)
		memcpy(to + at, &object.filler, 4);
}

static void
read_info(struct kgd_function *fn, const struct qd_image *img)
{
	const struct machine *m = &img->target->m;
	fn->base.info = (struct qd_function_info){
		.subgroup_size = m->subgroup_size,
		.hardware_size = m->lanes,
		.barriers = img->meta.barriers,
		.block_dim = img->layout->block_dim,
		.max_block_dim = machine_max_block(m, m->lanes, m->subgroup_size),
		.registers = img->meta.registers,
		.shared_size = fn->program.lds_size,
		.local_size = fn->program.scratch_size,
		.code_size = img->code_size,
	};
}

qd_status
kgd_load(struct qd_device *base, struct qd_image *img, struct qd_function **out,
	 struct qd_error *err)
{
	struct kgd_device *dev = kgd_device_of(base);
	struct variables v;
	struct qd_error why;
	if (variables_read(img, &v, &why) != QD_OK)
		return bad_image(base, img, why.code, why.text, err);
	uint64_t size = ((uint64_t)v.size + FETCHED + AMD_CODE_ALIGN - 1) / AMD_CODE_ALIGN * AMD_CODE_ALIGN;
	struct kgd_function *fn = pool_new(&base->ctx->pool, sizeof *fn);
	if (!fn)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	qd_status st = kgd_piece(dev, KGD_CODE, size, &fn->code, err);
	if (st == QD_OK)
		st = read_kernel(dev, img, kgd_piece_addr(fn->code), fn, err);
	if (st != QD_OK) {
		if (fn->code)
			heap_free(fn->code);
		pool_delete(&base->ctx->pool, fn);
		return st;
	}
	/* Every batch begins with a packet that invalidates the instruction caches. */
	put_code(img, &v, kgd_piece_addr(fn->code), kgd_piece_host(fn->code), size);
	/* Another thread may submit the function, and completes only its own writes first. */
	QD_WRITES_DONE();
	fn->base.dev = base;
	fn->base.args_in_memory = true;
	read_info(fn, img);
	*out = &fn->base;
	return QD_OK;
}

void
kgd_unload(struct qd_function *base)
{
	struct kgd_function *fn = (struct kgd_function *)base;
	heap_free(fn->code);
	pool_delete(&base->dev->ctx->pool, fn);
}
