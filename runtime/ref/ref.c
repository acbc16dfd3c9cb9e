/* The driver: "ref" or "ref:N", N the subgroup size.  Memory is the host's.
 * Queues run what they are given when it is recorded, in the caller's thread;
 * those of different streams run at the same time. */
#include <stdio.h>
#include <stdlib.h>

#include "interp.h"

enum { KEEP_MEMORY = 1 << 20 }; /* bytes that a stream keeps for its next launch */

/* -- Devices ------------------------------------------------------------------- */

/* Half of what the machine has: memory is zeroed, so what is handed out is used. */
static uint64_t
memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : UINT64_C(1) << 30;
}

static qd_status
describe(uint32_t n_lanes, struct target *t, struct qd_device_info *info, struct qd_error *err)
{
	char name[32];

	snprintf(name, sizeof name, "ref:w%u", n_lanes);
	QD_TRY(isa_target(name, t, err));
	memset(info, 0, sizeof *info);
	snprintf(info->selector, sizeof info->selector, "ref:%u", n_lanes);
	snprintf(info->name, sizeof info->name, "IR interpreter");
	snprintf(info->driver, sizeof info->driver, "ref %d.%d.%d", QD_VERSION_MAJOR,
		 QD_VERSION_MINOR, QD_VERSION_PATCH);
	info->usable = true;
	info->subgroup_size = n_lanes;
	info->min_subgroup_size = MIN_LANE;
	info->max_subgroup_size = MAX_LANE;
	info->max_block_dim = t->m.max_block_dim;
	info->memory = memory_limit();
	snprintf(info->target, sizeof info->target, "%s", t->m.name);
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
				       "device selector 'ref:%s': the subgroup size is one of "
				       "4, 8, 16, 32, 64, 128",
				       sel->which);
		return qd_fail(err, QD_E_INVALID,
			       "device selector 'ref:w%u': the subgroup size is one of "
			       "4, 8, 16, 32, 64, 128",
			       sel->size);
	}
	*out = (uint32_t)n;
	return QD_OK;
}

static qd_status
max_steps(uint64_t *out, struct qd_error *err)
{
	const char *text = secure_getenv("QD_REF_STEPS");

	*out = DEFAULT_STEPS;
	if (!text || !*text)
		return QD_OK;
	size_t len = strlen(text);
	*out = len <= 18 && strspn(text, "0123456789") == len ? strtoull(text, NULL, 10) : 0;
	if (*out)
		return QD_OK;
	return qd_fail(err, QD_E_INVALID,
		       "QD_REF_STEPS='%.80s': want the operations that a thread may make in a "
		       "launch, a whole number from 1 to 999999999999999999",
		       text);
}

static qd_status
device_open(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	struct ref_device *dev;
	uint32_t n_lanes = 0;
	uint64_t steps;
	qd_status st;

	QD_TRY(pick_lanes(sel, &n_lanes, err));
	QD_TRY(max_steps(&steps, err));
	dev = pool_new(&ctx->pool, sizeof *dev);
	if (!dev)
		return qd_fail(err, QD_E_NOMEM, "ref: out of memory");
	st = describe(n_lanes, &dev->d.target, &dev->d.info, err);
	if (st) {
		pool_delete(&ctx->pool, dev);
		return st;
	}
	dev->d.ctx = ctx;
	for (uint32_t n = MIN_LANE, log2 = 2; n <= MAX_LANE; n *= 2, log2++)
		dev->d.sizes |= 1u << log2;
	dev->d.checks = true;
	dev->d.max_x = UINT32_MAX;
	dev->d.max_y = 1;
	dev->next_id = 1;
	dev->max_steps = steps;
	pthread_mutex_init(&dev->lock, NULL);
	*out = &dev->d;
	return QD_OK;
}

static void
device_close(struct qd_device *d)
{
	struct ref_device *dev = (struct ref_device *)d;

	pthread_mutex_destroy(&dev->lock);
	pool_delete(&d->ctx->pool, dev);
}

/* -- Functions ------------------------------------------------------------------- */

/* The IR of an image is no bytes from outside: whatever was compiled, runs. */
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

/* -- Memory ---------------------------------------------------------------------- */

static qd_status
memory_alloc(struct qd_device *d, enum memory_kind kind, uint64_t size, struct device_memory *out,
	     struct qd_error *err)
{
	struct ref_device *dev = (struct ref_device *)d;
	struct ref_buffer *b = pool_new(&d->ctx->pool, sizeof *b);
	uint64_t used;
	bool fits;

	(void)kind;
	if (!b)
		return qd_fail(err, QD_E_NOMEM, "a buffer of %llu bytes: out of memory",
			       (unsigned long long)size);
	pthread_mutex_lock(&dev->lock);
	used = dev->used;
	fits = size <= d->info.memory && used <= d->info.memory - size;
	if (fits)
		dev->used += size;
	pthread_mutex_unlock(&dev->lock);
	if (fits)
		b->mem = pool_get(&d->ctx->pool, size);
	if (!b->mem) {
		pthread_mutex_lock(&dev->lock);
		dev->used -= fits ? size : 0;
		pthread_mutex_unlock(&dev->lock);
		pool_delete(&d->ctx->pool, b);
		return qd_fail(err, QD_E_DEVICE_NOMEM,
			       "a buffer of %llu bytes: %s has %llu bytes, %llu are in use",
			       (unsigned long long)size, d->info.selector,
			       (unsigned long long)d->info.memory, (unsigned long long)used);
	}
	b->dev = d;
	b->size = size;
	*out = (struct device_memory){ .host = pool_data(b->mem), .size = size, .piece = b };
	out->addr = (uint64_t)(uintptr_t)out->host;
	return QD_OK;
}

static void
memory_free(struct qd_device *d, struct device_memory *m)
{
	struct ref_device *dev = (struct ref_device *)d;
	struct ref_buffer *b = m->piece;

	pthread_mutex_lock(&dev->lock);
	dev->used -= b->size;
	pthread_mutex_unlock(&dev->lock);
	pool_put(&d->ctx->pool, b->shadow.cells);
	pool_put(&d->ctx->pool, b->mem);
	pool_delete(&d->ctx->pool, b);
}

/* -- Queues ------------------------------------------------------------------------ */

static qd_status
timeline_create(struct qd_device *d, struct timeline **out, struct qd_error *err)
{
	*out = pool_new(&d->ctx->pool, sizeof **out);
	return *out ? QD_OK : qd_fail(err, QD_E_NOMEM, "a stream: out of memory");
}

static void
timeline_free(struct timeline *t)
{
	pool_delete(&t->dev->ctx->pool, t);
}

/* What was submitted has run. */
static qd_status
poll(struct timeline *t, struct qd_error *err)
{
	(void)t;
	(void)err;
	return QD_OK;
}

static qd_status
wait(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err)
{
	(void)value;
	(void)ns;
	return poll(t, err);
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
	*out = &s->q;
	return QD_OK;
}

static void
queue_free(struct queue *q)
{
	struct ref_stream *s = (struct ref_stream *)q;

	arena_fini(&s->mem);
	buf_fini(&s->report);
	pool_delete(&q->dev->ctx->pool, s);
}

static qd_status
begin(struct queue *q, uint32_t at, struct qd_error *err)
{
	(void)q;
	(void)at;
	(void)err;
	return QD_OK;
}

static void
copy(struct queue *q, const struct device_memory *dst, uint64_t to, const struct device_memory *src,
     uint64_t from, uint64_t size)
{
	(void)q;
	memcpy(dst->host + to, src->host + from, size);
}

static void
fill(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size, uint32_t word)
{
	(void)q;
	for (uint64_t i = 0; i < size; i += sizeof word)
		memcpy(dst->host + to + i, &word, sizeof word);
}

static qd_status
submit(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits, uint64_t value,
       struct qd_error *err)
{
	(void)empty;
	(void)waits;
	(void)n_waits;
	(void)err;
	timeline_advance(q->timeline, value);
	return QD_OK;
}

/* What the launches found is told once. */
static qd_status
ended(struct queue *q, struct qd_error *err)
{
	struct ref_stream *s = (struct ref_stream *)q;
	struct qd_error e = s->first;
	uint32_t n = s->n_findings;

	s->n_findings = 0;
	if (!n)
		return QD_OK;
	size_t len = strlen(e.text);
	if (n > 1) {
		int more = snprintf(e.text + len, sizeof e.text - len,
				    "\n%u findings in all; the log has more of them", n);
		if (more > 0 && (size_t)more < sizeof e.text - len)
			len += (size_t)more;
	}
	return qd_fail_text(err, QD_E_FINDING, e.line, e.col, e.text, len);
}

/* -- Stamps ------------------------------------------------------------------------ */

static qd_status
stamp_take(struct qd_device *d, struct stamp *out, struct qd_error *err)
{
	out->pool = pool_new(&d->ctx->pool, sizeof(uint64_t));
	return out->pool ? QD_OK : qd_fail(err, QD_E_NOMEM, "an event: out of memory");
}

static void
stamp_give(struct qd_device *d, const struct stamp *s)
{
	pool_delete(&d->ctx->pool, s->pool);
}

static void
stamp(struct queue *q, const struct stamp *s)
{
	(void)q;
	*(uint64_t *)s->pool = clock_ns();
}

static qd_status
stamp_ns(struct qd_device *d, const struct stamp *from, const struct stamp *to, uint64_t *ns,
	 struct qd_error *err)
{
	uint64_t a = *(const uint64_t *)from->pool, b = *(const uint64_t *)to->pool;

	if (b < a)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the second event passed before the first; swap them",
			       d->info.selector);
	*ns = b - a;
	return QD_OK;
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

/* The memory of a launch; the waves that take turns, or NULL when there is not enough. */
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
	ok = waves && r->params && r->n_site && (r->far_released || !fn->fences) &&
	     interp_bind_shared(r, mem);
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
	};
	struct wave *waves;
	struct buf report;
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
	st = interp_watch(&r, err);
	if (!st) {
		bool entered = float_env_enter(&env);
		interp_run_blocks(&r, waves);
		float_env_leave(entered, &env);
		interp_unwatch(&r);
	}
	arena_trim(&r.stream->mem, KEEP_MEMORY);
	report = r.stream->report;
	buf_init(&r.stream->report, &q->dev->ctx->pool);
	interp_report_flush(q->dev->ctx, &report, r.n_dropped, image->kernel->name);
	buf_fini(&report);
	return st;
}

const struct driver driver_ref = {
	.name = "ref",
	.list = list,
	.open = device_open,
	.close = device_close,
	.accepts = accepts,
	.load = load,
	.unload = unload,
	.memory_alloc = memory_alloc,
	.memory_free = memory_free,
	.timeline_create = timeline_create,
	.timeline_free = timeline_free,
	.poll = poll,
	.wait = wait,
	.queue_create = queue_create,
	.queue_free = queue_free,
	.begin = begin,
	.copy = copy,
	.fill = fill,
	.dispatch = dispatch,
	.stamp = stamp,
	.submit = submit,
	.ended = ended,
	.stamp_take = stamp_take,
	.stamp_give = stamp_give,
	.stamp_ns = stamp_ns,
};
