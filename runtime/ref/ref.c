/* The driver: "ref" or "ref:N"; N is the subgroup size. */
#include <stdio.h>
#include <stdlib.h>

#include "interp.h"

enum { KEEP_MEMORY = 1 << 20 }; /* bytes that a stream keeps for its next launch */

/* -- Devices ------------------------------------------------------------------- */

static qd_status
describe(uint32_t n_lanes, struct target *t, struct qd_device_info *info, struct qd_error *err)
{
	char name[32];

	snprintf(name, sizeof name, "ref:w%u", n_lanes);
	QD_TRY(isa_target(name, t, err));
	host_describe(info, "ref", "IR interpreter", t);
	snprintf(info->selector, sizeof info->selector, "ref:%u", n_lanes);
	info->min_subgroup_size = MIN_LANE;
	info->max_subgroup_size = MAX_LANE;
	return QD_OK;
}

static qd_status
list(struct qd_context *ctx, void (*add)(void *user, const struct qd_device_info *info), void *user,
     struct qd_error *err)
{
	struct qd_device_info info;
	struct target t;

	(void)ctx;
	QD_TRY(describe(DEFAULT_LANE, &t, &info, err));
	add(user, &info);
	return QD_OK;
}

static qd_status
pick_lanes(const struct selector *sel, uint32_t *out, struct qd_error *err)
{
	char *end;
	unsigned long n = strtoul(sel->which, &end, 10);

	if (!sel->which[0]) {
		n = sel->size ? sel->size : DEFAULT_LANE;
	} else if (sel->which[0] < '0' || sel->which[0] > '9' || *end) {
		n = 0;
	} else if (sel->size && n != sel->size) {
		return qd_fail(err, QD_E_INVALID,
			       "device selector 'ref:%s:w%u' names two subgroup sizes", sel->which,
			       sel->size);
	}
	if (n < MIN_LANE || n > MAX_LANE || (n & (n - 1))) {
		if (sel->which[0])
			return qd_fail(err, QD_E_INVALID,
				       "device selector 'ref:%s': the subgroup size must be one of "
				       SUBGROUP_SIZES,
				       sel->which);
		return qd_fail(err, QD_E_INVALID,
			       "device selector 'ref:w%u': the subgroup size must be one of "
			       SUBGROUP_SIZES,
			       sel->size);
	}
	*out = (uint32_t)n;
	return QD_OK;
}

static qd_status
device_open(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	struct ref_device *dev;
	uint32_t n_lanes = 0;
	uint64_t steps, launch_steps;
	qd_status st;

	QD_TRY(pick_lanes(sel, &n_lanes, err));
	QD_TRY(host_max_steps("QD_REF_STEPS", &steps, err));
	QD_TRY(host_max_launch(ctx, &launch_steps, err));
	dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "ref: out of memory");
	st = describe(n_lanes, &dev->h.d.target, &dev->h.d.info, err);
	if (st) {
		pool_delete(&ctx->pool, dev);
		return st;
	}
	dev->h.d.ctx = ctx;
	for (uint32_t n = MIN_LANE, log2 = 2; n <= MAX_LANE; n *= 2, log2++)
		dev->h.d.sizes |= 1u << log2;
	dev->h.d.checks = true;
	host_device_init(&dev->h);
	dev->next_id = 1;
	dev->max_steps = steps;
	dev->h.max_launch = launch_steps;
	*out = &dev->h.d;
	return QD_OK;
}

static void
device_close(struct qd_device *d)
{
	host_device_fini((struct host_device *)d);
}

/* -- Functions ------------------------------------------------------------------- */

/* The IR of an image never comes from outside the process, so every compiled image is accepted. */
static qd_status
accepts(const struct qd_device *d, const struct qd_image *image, struct qd_error *err)
{
	(void)d, (void)image, (void)err;
	return QD_OK;
}

static qd_status
load(struct qd_device *d, struct qd_image *image, struct qd_function **out, struct qd_error *err)
{
	size_t head = (sizeof(struct ref_function) + 15) & ~(size_t)15;
	size_t table = image->ir.n * sizeof(uint32_t);
	struct ref_function *fn = pool_new(&d->ctx->pool, head + 2 * table);
	qd_status st;

	if (!fn)
		return qd_fail(err, QD_E_NOMEM, "kernel '%s': out of memory", image->kernel->name);
	fn->f.image = image;
	fn->row = (uint32_t *)(void *)((char *)fn + head);
	fn->mark = fn->row + image->ir.n;
	st = interp_prepare(fn, err);
	if (st) {
		pool_delete(&d->ctx->pool, fn);
		return st;
	}
	fn->f.info = (struct qd_function_info){
		.subgroup_size = image->target->m.subgroup_size,
		.hardware_size = image->target->m.lanes,
		.block_dim = image->kernel->block_dim,
		.max_block_dim = image->target->m.max_block_dim,
		.code_size = image->ir.n * sizeof *image->ir.ins,
	};
	*out = &fn->f;
	return QD_OK;
}

static void
unload(struct qd_function *f)
{
	pool_delete(&f->dev->ctx->pool, f);
}

/* -- Queues ------------------------------------------------------------------------ */

static qd_status
memory_alloc(struct qd_device *d, enum memory_kind kind, uint64_t size, struct device_memory *out,
	     struct qd_error *err)
{
	(void)kind;
	return host_memory_alloc(d, sizeof(struct ref_buffer), size, out, err);
}

static void
memory_free(struct qd_device *d, struct device_memory *m)
{
	const struct ref_buffer *b = m->piece;

	pool_put(&d->ctx->pool, b->shadow.cells);
	host_memory_free(d, m);
}

static qd_status
queue_create(struct qd_device *d, struct timeline *t, struct queue **out, struct qd_error *err)
{
	struct ref_stream *s = pool_new(&d->ctx->pool, sizeof *s);

	(void)t;
	if (!s)
		return qd_fail(err, QD_E_NOMEM, "a stream: out of memory");
	arena_init(&s->mem, &d->ctx->pool);
	buf_init(&s->report, &d->ctx->pool);
	buf_init(&s->lines, &d->ctx->pool);
	buf_init(&s->words, &d->ctx->pool);
	*out = &s->q;
	return QD_OK;
}

static void
queue_free(struct queue *q)
{
	struct ref_stream *s = (struct ref_stream *)q;

	arena_fini(&s->mem);
	buf_fini(&s->report);
	buf_fini(&s->lines);
	buf_fini(&s->words);
	pool_delete(&q->dev->ctx->pool, s);
}

/* Reports the findings of the launches once. */
static qd_status
ended(struct queue *q, struct qd_error *err)
{
	return host_ended(&((struct ref_stream *)q)->findings, err);
}

/* -- Launch --------------------------------------------------------------------------- */

static void
bind_params(struct run *r)
{
	const struct qd_kernel *k = r->image->kernel;

	for (uint32_t i = 0; i < k->n_params; i++) {
		const struct param *from = &k->params[i];
		const char *arg = (const char *)r->launch->args + from->offset;
		struct bound_param *p = &r->params[i];
		uint64_t addr;

		p->size = type_info[from->type].size;
		if (!from->access) {
			memcpy(&p->bits, arg, p->size);
			continue;
		}
		memcpy(&addr, arg, 8);
		memcpy(&p->elements, arg + 8, 8);
		p->mem = (uint8_t *)(uintptr_t)addr;
		p->writable = from->access & QD_ACCESS_OUT;
	}
}

/* Logs the launch's reports and lines, and resets them in the stream. */
static void
flush(struct ref_stream *s, const struct run *r)
{
	struct qd_context *ctx = s->q.dev->ctx;
	struct buf report = s->report, lines = s->lines, words = s->words;

	buf_init(&s->report, &ctx->pool);
	buf_init(&s->lines, &ctx->pool);
	buf_init(&s->words, &ctx->pool);
	interp_print_flush(ctx, &lines, &words, r->n_lines_dropped, r->image->kernel->name);
	interp_report_flush(ctx, &report, r->n_dropped, r->image->kernel->name);
	buf_fini(&words);
	buf_fini(&lines);
	buf_fini(&report);
}

/* Allocates a launch's memory; returns the waves, or NULL without memory. */
static struct wave *
get_memory(struct run *r)
{
	const struct ref_function *fn = r->fn;
	const struct qd_kernel *k = r->image->kernel;
	struct arena *mem = &r->stream->mem;
	size_t lanes = sizeof(uint64_t) << r->log2_lanes;
	uint32_t n = fn->in_turns ? r->n_subgroups : 1;
	struct wave *waves;
	bool ok;

	arena_reset(mem);
	waves = arena_zalloc(mem, n * sizeof *waves);
	r->params = arena_zalloc(mem, (k->n_mems + 1) * sizeof *r->params);
	r->n_site = arena_zalloc(mem, r->ir->n);
	r->n_far = r->n_blocks < MAX_FAR ? r->n_blocks : MAX_FAR;
	if (fn->fences)
		r->far_released = arena_zalloc(mem, r->n_far * sizeof *r->far_released);
	if (fn->in_turns) {
		size_t positions = interp_positions(r);

		r->values = arena_alloc(mem, positions * fn->n_values * sizeof *r->values);
		r->has = arena_alloc(mem, positions);
	}
	ok = waves && r->params && r->n_site && (!fn->in_turns || (r->values && r->has)) && (r->far_released || !fn->fences) &&
	     interp_bind_shared(r, mem) && interp_bind_copies(r, mem);
	for (uint32_t i = 0; i < n && ok; i++) {
		struct wave *w = &waves[i];

		w->run = r;
		w->rows = arena_alloc(mem, fn->n_rows * lanes);
		w->blocks = arena_alloc(mem, interp_cross_blocks(r) * sizeof *w->blocks);
		w->column = arena_alloc(mem, interp_cross_columns(r) * sizeof *w->column);
		w->frames = arena_alloc(mem, fn->n_nest * sizeof *w->frames);
		w->undefined = arena_zalloc(mem, (fn->n_marks + 1) * sizeof *w->undefined);
		w->origin = arena_alloc(mem, ((size_t)fn->n_marks + 1) * sizeof *w->origin
						     << r->log2_lanes);
		ok = w->rows && w->blocks && w->column && w->frames && w->undefined && w->origin;
	}
	return ok ? waves : NULL;
}

static qd_status
dispatch(struct queue *q, const struct dispatch *d, struct qd_error *err)
{
	const struct launch *l = d->launch;
	const uint64_t most = (uint64_t)d->x * d->y, left = l->n_blocks - d->base;
	const struct qd_image *image = l->fn->image;
	struct run r = {
		.stream = (struct ref_stream *)q,
		.fn = (const struct ref_function *)l->fn,
		.launch = l,
		.image = image,
		.ir = &image->ir,
		.n_lanes = image->target->m.subgroup_size,
		.log2_lanes = image->target->m.log2_size,
		.block_dim = image->kernel->block_dim,
		.n_blocks = (uint32_t)(most < left ? most : left),
		.block_base = d->base,
		.max_steps = ((const struct ref_device *)q->dev)->max_steps,
		.meter = &((struct ref_stream *)q)->meter,
	};
	struct wave *waves;
	fenv_t env;
	qd_status st;

	r.n_subgroups = (r.block_dim + r.n_lanes - 1) / r.n_lanes;
	if (!(waves = get_memory(&r))) {
		arena_fini(&r.stream->mem);
		return qd_fail(err, QD_E_NOMEM,
			       "kernel '%s': out of memory for %u lanes of %u values",
			       image->kernel->name, r.n_lanes, r.fn->n_rows);
	}
	bind_params(&r);
	host_meter(q, d, r.meter);
	st = interp_watch(&r, err);
	if (!st) {
		bool entered = float_env_enter(&env);
		interp_run_blocks(&r, waves);
		float_env_leave(entered, &env);
		interp_unwatch(&r);
		host_over(q, &r.stream->findings, d, r.meter);
	}
	arena_trim(&r.stream->mem, KEEP_MEMORY);
	flush(r.stream, &r);
	return st;
}

const struct driver driver_ref = {
	HOST_DRIVER,
	.memory_free = memory_free,
	.name = "ref",
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
