/* The driver "emu:TARGET": devices that execute the code emitted for a target on the host. struct
 * emu_kind contains the differences between kinds of code. */
#include "emu.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEEP_MEMORY = 1 << 20 }; /* bytes that a stream keeps for its next launch */

/* The first one is the default for "emu". */
static const struct emu_kind *const kinds[] = { &emu_ptx, &emu_amd };

struct emu_device {
	struct host_device h;
	const struct emu_kind *kind;
	uint64_t max_steps; /* per thread or wave, and launch */
	uint64_t seed;	    /* selects schedules, together with the number of the launch */
};

struct emu_function {
	struct qd_function f;
	void *code;
	struct profile *profile; /* NULL: not profiled */
};

struct emu_queue {
	struct queue q;
	struct host_findings findings;
	struct meter meter; /* of the launch */
	struct arena mem;
	uint64_t n_launches;
};

static const struct emu_kind *
kind_of(const struct qd_device *d)
{
	return ((const struct emu_device *)d)->kind;
}

/* -- Devices ------------------------------------------------------------------------ */

/* Returns NULL if the target does not exist or nothing is emitted for it. */
static const struct emu_kind *
find_kind(const char *which, struct target *t)
{
	struct qd_error ignored;
	char name[sizeof t->m.name];

	for (size_t i = 0; i < QD_COUNT(kinds); i++)
		if (kinds[i]->target(which, name, sizeof name) &&
		    isa_target(name, t, &ignored) == QD_OK)
			return kinds[i];
	return NULL;
}

static qd_status
no_target(const char *which, struct qd_error *err)
{
	char known[512];
	size_t n = 0;

	for (size_t i = 0; i < QD_COUNT(kinds); i++) {
		char one[384];
		kinds[i]->targets(one, sizeof one);
		if (*one && n < sizeof known)
			n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? "; or " : "", one);
	}
	return qd_fail(err, QD_E_NOT_FOUND,
		       "device selector 'emu:%.60s': the target is not emulated; expected %s",
		       which, known);
}

static void
describe(const struct emu_kind *kind, const struct target *t, const char *selector,
	 struct qd_device_info *info)
{
	host_describe(info, "emu", kind->name, t);
	snprintf(info->selector, sizeof info->selector, "emu:%s", selector);
	info->min_subgroup_size = 1u << qd_lowest_bit(kind->sizes(t));
	info->max_subgroup_size = 1u << qd_log2(kind->sizes(t));
}

static qd_status
list(struct qd_context *ctx, void (*add)(void *user, const struct qd_device_info *info), void *user,
     struct qd_error *err)
{
	(void)ctx, (void)err;
	for (size_t i = 0; i < QD_COUNT(kinds); i++) {
		struct qd_device_info info;
		struct target t;
		if (find_kind(kinds[i]->usual, &t) != kinds[i])
			continue;
		describe(kinds[i], &t, kinds[i]->usual, &info);
		add(user, &info);
	}
	return QD_OK;
}

static qd_status
get_seed(uint64_t *out, struct qd_error *err)
{
	const char *text = secure_getenv("QD_EMU_SEED");
	size_t len = text ? strlen(text) : 0;

	*out = 0;
	if (!len)
		return QD_OK;
	if (len > 18 || strspn(text, "0123456789") != len)
		return qd_fail(err, QD_E_INVALID,
			       "QD_EMU_SEED='%.80s': expected an integer of at most 18 digits", text);
	*out = strtoull(text, NULL, 10);
	return QD_OK;
}

qd_status
emu_open(struct qd_context *ctx, const struct emu_kind *kind, const struct target *t,
	 const char *selector, struct qd_device **out, struct qd_error *err)
{
	uint64_t steps, launch_steps, seed;
	struct emu_device *dev;

	QD_TRY(host_max_steps("QD_EMU_STEPS", &steps, err));
	QD_TRY(host_max_launch(ctx, &launch_steps, err));
	QD_TRY(get_seed(&seed, err));
	dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "emu: out of memory");
	dev->h.d.target = *t;
	describe(kind, t, selector, &dev->h.d.info);
	dev->h.d.ctx = ctx;
	dev->h.d.sizes = kind->sizes(t);
	dev->h.d.checks = true;
	host_device_init(&dev->h);
	dev->h.d.max_x = INT32_MAX;
	dev->h.d.solid_blocks = true;
	dev->kind = kind;
	dev->max_steps = steps;
	dev->h.max_launch = launch_steps;
	dev->seed = seed;
	*out = &dev->h.d;
	return QD_OK;
}

static qd_status
device_open(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	const char *which = *sel->which ? sel->which : kinds[0]->usual;
	struct target t;
	const struct emu_kind *kind = find_kind(which, &t);

	return kind ? emu_open(ctx, kind, &t, which, out, err) : no_target(sel->which, err);
}

static void
device_close(struct qd_device *d)
{
	host_device_fini((struct host_device *)d);
}

/* -- Functions ------------------------------------------------------------------------ */

static qd_status
accepts(const struct qd_device *d, const struct qd_image *image, struct qd_error *err)
{
	if (kind_of(d)->runs(&d->target, image->target))
		return QD_OK;
	return qd_fail(err, QD_E_TARGET, "the image is for %s, but %s accepts %s %s",
		       image->target->m.name, d->info.selector, kind_of(d)->takes,
		       d->target.m.name);
}

static qd_status
load(struct qd_device *d, struct qd_image *image, struct qd_function **out, struct qd_error *err)
{
	struct pool *pool = &d->ctx->pool;
	struct emu_function *fn = pool_new(pool, sizeof *fn);
	qd_status st;

	if (!fn)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory",
			       layout_name(image->layout));
	fn->f.image = image;
	fn->f.info = (struct qd_function_info){
		.subgroup_size = image->target->m.subgroup_size,
		.hardware_size = image->target->m.lanes,
		.barriers = image->meta.barriers,
		.block_dim = image->layout->block_dim,
		.max_block_dim = image->target->m.max_block_dim,
		.code_size = image->code_size,
	};
	st = kind_of(d)->load(pool, image, &fn->code, &fn->f.info, err);
	if (st) {
		pool_delete(pool, fn);
		return st;
	}
	*out = &fn->f;
	return QD_OK;
}

static void
unload(struct qd_function *f)
{
	struct pool *pool = &f->dev->ctx->pool;

	kind_of(f->dev)->unload(pool, ((struct emu_function *)f)->code);
	profile_free(((struct emu_function *)f)->profile);
	pool_delete(pool, f);
}

/* -- Queues ------------------------------------------------------------------------------- */

static qd_status
memory_alloc(struct qd_device *d, enum memory_kind kind, uint64_t size, struct device_memory *out,
	     struct qd_error *err)
{
	(void)kind;
	return host_memory_alloc(d, sizeof(struct host_memory), size, out, err);
}

static qd_status
queue_create(struct qd_device *d, struct timeline *t, struct queue **out, struct qd_error *err)
{
	struct emu_queue *q = pool_new(&d->ctx->pool, sizeof *q);

	(void)t;
	if (!q)
		return qd_fail(err, QD_E_NOMEM, "a stream: out of memory");
	arena_init(&q->mem, &d->ctx->pool);
	*out = &q->q;
	return QD_OK;
}

static void
queue_free(struct queue *q)
{
	arena_fini(&((struct emu_queue *)q)->mem);
	pool_delete(&q->dev->ctx->pool, q);
}

/* Returns the position in the kernel's text that this byte of code comes from; 0: unknown. */
static uint32_t
place_of(const struct qd_image *image, size_t at)
{
	struct qd_error ignored;
	struct buf marks;
	uint32_t pos = 0;

	if (!image->kernel || !image->kernel->from_text)
		return 0;
	buf_init(&marks, &image->ctx->pool);
	if (jit_marks(image, &marks, &ignored) == QD_OK && !marks.nomem) {
		const struct isa_mark *m = (const struct isa_mark *)(const void *)buf_data(&marks);
		for (size_t i = 0; i < marks.len / sizeof *m && m[i].at <= at; i++)
			pos = m[i].pos;
	}
	buf_fini(&marks);
	return pos;
}

static struct qd_error
finding_error(const struct emu_kind *kind, const struct qd_image *image,
	      const struct emu_finding *f)
{
	const struct qd_kernel *k = image->kernel;
	const char *name = layout_name(image->layout);
	uint32_t pos = place_of(image, f->at);
	struct line_place place = line_map_place(k ? &k->lines : NULL, k && k->file ? k->file : "kernel", pos);
	struct qd_error r = { .code = QD_E_FINDING, .line = place.line, .col = place.col };

	if (pos)
		snprintf(r.text, sizeof r.text, "%.200s:%u:%u: finding: %.600s (%s the %s of kernel %.80s)",
			 place.file, r.line, r.col, f->e.text, f->where, kind->code,
			 name);
	else
		snprintf(r.text, sizeof r.text, "kernel '%.80s': finding: %.600s (%s its %s)", name,
			 f->e.text, f->where, kind->code);
	return r;
}

static qd_status
dispatch(struct queue *queue, const struct dispatch *d, struct qd_error *err)
{
	struct emu_queue *q = (struct emu_queue *)queue;
	const struct emu_device *dev = (const struct emu_device *)queue->dev;
	const struct emu_function *fn = (const struct emu_function *)d->launch->fn;
	struct emu_finding found = { .at = 0 };
	struct emu_launch l = {
		.pool = &queue->dev->ctx->pool,
		.mem = &q->mem,
		.image = fn->f.image,
		.code = fn->code,
		.dispatch = d,
		.max_steps = dev->max_steps,
		.meter = &q->meter,
		.seed = dev->seed + q->n_launches++,
		.finding = &found,
		.profile = fn->profile,
	};

	if (fn->profile)
		fn->profile->n_launches++;
	host_meter(queue, d, &q->meter);
	qd_status st = dev->kind->run(&l, err);

	arena_trim(&q->mem, KEEP_MEMORY);
	host_over(queue, &q->findings, d, &q->meter);
	if (st != QD_E_FINDING)
		return st;
	struct qd_error e = finding_error(dev->kind, fn->f.image, &found);
	ctx_log(queue->dev->ctx, QD_LOG_ERROR, "emu", "%s", e.text);
	host_found(&q->findings, &e);
	return QD_OK;
}

static qd_status
ended(struct queue *q, struct qd_error *err)
{
	return host_ended(&((struct emu_queue *)q)->findings, err);
}

/* -- Profiles ----------------------------------------------------------------------------- */

qd_status
emu_profile(struct qd_function *f, const uint32_t latency[PROFILE_N_CLASS], struct profile **out,
	    struct qd_error *err)
{
	struct emu_function *fn = (struct emu_function *)f;
	struct profile *p;

	if (f->dev->driver != &driver_emu)
		return qd_fail(err, QD_E_UNAVAILABLE,
			       "device '%s' cannot profile; use emu:TARGET, such as emu:gfx1100 or "
			       "emu:sm_90",
			       f->dev->info.selector);
	QD_TRY(kind_of(f->dev)->profile(f, fn->code, &p, err));
	for (unsigned k = 0; k < PROFILE_N_CLASS; k++)
		p->clock.latency[k] = latency[k] ? latency[k] : p->clock.latency[k];
	profile_free(fn->profile);
	*out = fn->profile = p;
	return QD_OK;
}

qd_status
emu_profile_places(struct qd_function *f, struct emu_place *out, struct qd_error *err)
{
	const struct emu_function *fn = (const struct emu_function *)f;
	const struct qd_image *image = f->image;
	bool has_text = image->kernel && image->kernel->from_text;
	struct buf marks;
	size_t n = 0, at = 0;

	buf_init(&marks, &image->ctx->pool);
	if (has_text)
		QD_TRY(jit_marks(image, &marks, err));
	const struct isa_mark *m = (const struct isa_mark *)(const void *)buf_data(&marks);
	n = marks.nomem ? 0 : marks.len / sizeof *m;
	kind_of(f->dev)->places(image, fn->code, fn->profile->n_places, out);
	for (uint32_t i = 0; has_text && i < fn->profile->n_places; i++) {
		while (at < n && m[at].at <= out[i].at)
			at++;
		struct line_place place = ir_place(image->kernel, at ? m[at - 1].pos : 0);
		out[i].line = at && strcmp(place.file, image->kernel->file) == 0 ? place.line : 0;
	}
	buf_fini(&marks);
	return QD_OK;
}

const struct driver driver_emu = {
	HOST_DRIVER,
	.memory_free = host_memory_free,
	.name = "emu",
	.list = list,
	.open = device_open,
	.close = device_close,
	.accepts = accepts,
	.load = load,
	.unload = unload,
	.memory_alloc = memory_alloc,
	.queue_create = queue_create,
	.queue_free = queue_free,
	.dispatch = dispatch,
	.ended = ended,
};
