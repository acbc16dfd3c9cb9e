/* Common code of devices that are programs on the host (cpu_device.h). */
#include "cpu_device.h"

#include <stdio.h>
#include <stdlib.h>

/* -- Devices ------------------------------------------------------------------------ */

/* Returns half of the machine's memory: buffers are zeroed, so all allocated pages are resident. */
static uint64_t
memory_limit(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : UINT64_C(1) << 30;
}

/* Reads a number of steps from the environment; `none` if the variable is not set. */
static qd_status
read_steps(const char *variable, const char *what, uint64_t none, uint64_t *out,
	   struct qd_error *err)
{
	const char *text = secure_getenv(variable);

	*out = none;
	if (!text || !*text)
		return QD_OK;
	size_t len = strlen(text);
	*out = len <= 18 && strspn(text, "0123456789") == len ? strtoull(text, NULL, 10) : 0;
	if (*out)
		return QD_OK;
	return qd_fail(err, QD_E_INVALID,
		       "%s='%.80s': expected %s, an integer from 1 to 999999999999999999", variable,
		       text, what);
}

qd_status
host_max_steps(const char *variable, uint64_t *out, struct qd_error *err)
{
	return read_steps(variable, "the limit of operations per thread and launch", DEFAULT_STEPS,
			  out, err);
}

qd_status
host_max_launch(const struct qd_context *ctx, uint64_t *out, struct qd_error *err)
{
	QD_TRY(read_steps("QD_STEPS", "the limit of steps per launch", UINT64_MAX, out, err));
	if (ctx->limits.max_steps)
		*out = ctx->limits.max_steps;
	return QD_OK;
}

void
host_describe(struct qd_device_info *info, const char *driver, const char *name,
	      const struct target *t)
{
	memset(info, 0, sizeof *info);
	snprintf(info->name, sizeof info->name, "%s", name);
	snprintf(info->driver, sizeof info->driver, "%s %d.%d.%d", driver, QD_VERSION_MAJOR,
		 QD_VERSION_MINOR, QD_VERSION_PATCH);
	info->usable = true;
	info->subgroup_size = info->min_subgroup_size = info->max_subgroup_size =
		t->m.subgroup_size;
	info->max_block_dim = t->m.max_block_dim;
	info->memory = memory_limit();
	snprintf(info->target, sizeof info->target, "%s", t->m.name);
}

void
host_device_init(struct host_device *dev)
{
	dev->d.max_x = UINT32_MAX;
	dev->d.max_y = 1;
	pthread_mutex_init(&dev->lock, NULL);
}

void
host_device_fini(struct host_device *dev)
{
	pthread_mutex_destroy(&dev->lock);
	pool_delete(&dev->d.ctx->pool, dev);
}

/* -- Memory ---------------------------------------------------------------------- */

qd_status
host_memory_alloc(struct qd_device *d, size_t piece, uint64_t size, struct device_memory *out,
		  struct qd_error *err)
{
	struct host_device *dev = (struct host_device *)d;
	struct host_memory *b = pool_new(&d->ctx->pool, piece);
	uint64_t used;
	bool fits;

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

void
host_memory_free(struct qd_device *d, struct device_memory *m)
{
	struct host_device *dev = (struct host_device *)d;
	struct host_memory *b = m->piece;

	pthread_mutex_lock(&dev->lock);
	dev->used -= b->size;
	pthread_mutex_unlock(&dev->lock);
	pool_put(&d->ctx->pool, b->mem);
	pool_delete(&d->ctx->pool, b);
}

/* -- Queues -------------------------------------------------------------------------- */

qd_status
host_timeline_create(struct qd_device *d, struct timeline **out, struct qd_error *err)
{
	*out = pool_new(&d->ctx->pool, sizeof **out);
	return *out ? QD_OK : qd_fail(err, QD_E_NOMEM, "a stream: out of memory");
}

void
host_timeline_free(struct timeline *t)
{
	pool_delete(&t->dev->ctx->pool, t);
}

/* Commands run when they are recorded, so submitted work has completed. */
qd_status
host_poll(struct timeline *t, struct qd_error *err)
{
	(void)t;
	(void)err;
	return QD_OK;
}

qd_status
host_wait(struct timeline *t, uint64_t value, uint64_t ns, struct qd_error *err)
{
	(void)value;
	(void)ns;
	return host_poll(t, err);
}

qd_status
host_begin(struct queue *q, uint32_t at, struct qd_error *err)
{
	(void)q;
	(void)at;
	(void)err;
	return QD_OK;
}

void
host_copy(struct queue *q, const struct device_memory *dst, uint64_t to,
	  const struct device_memory *src, uint64_t from, uint64_t size)
{
	(void)q;
	memcpy(dst->host + to, src->host + from, size);
}

void
host_fill(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size,
	  uint32_t word)
{
	(void)q;
	for (uint64_t i = 0; i < size; i += sizeof word)
		memcpy(dst->host + to + i, &word, sizeof word);
}

qd_status
host_submit(struct queue *q, bool empty, const struct wait *waits, uint32_t n_waits,
	    uint64_t value, struct qd_error *err)
{
	(void)empty;
	(void)waits;
	(void)n_waits;
	(void)err;
	timeline_advance(q->timeline, value);
	return QD_OK;
}

/* -- Stamps ------------------------------------------------------------------------ */

qd_status
host_timestamp_take(struct qd_device *d, struct timestamp *out, struct qd_error *err)
{
	out->pool = pool_new(&d->ctx->pool, sizeof(uint64_t));
	return out->pool ? QD_OK : qd_fail(err, QD_E_NOMEM, "an event: out of memory");
}

void
host_timestamp_give(struct qd_device *d, const struct timestamp *s)
{
	pool_delete(&d->ctx->pool, s->pool);
}

void
host_timestamp(struct queue *q, const struct timestamp *s)
{
	(void)q;
	*(uint64_t *)s->pool = clock_ns();
}

qd_status
host_timestamp_ns(struct qd_device *d, const struct timestamp *from, const struct timestamp *to,
		  uint64_t *ns, struct qd_error *err)
{
	uint64_t a = *(const uint64_t *)from->pool, b = *(const uint64_t *)to->pool;

	if (b < a)
		return qd_fail(err, QD_E_INVALID,
			       "%s: the second event passed before the first; swap them",
			       d->info.selector);
	*ns = b - a;
	return QD_OK;
}

/* -- Findings ------------------------------------------------------------------------ */

void
host_found(struct host_findings *f, const struct qd_error *e)
{
	if (!f->n++)
		f->first = *e;
}

void
host_meter(struct queue *q, const struct dispatch *d, struct meter *m)
{
	const struct host_device *dev = (const struct host_device *)q->dev;

	m->canceled = &q->canceled;
	if (d->base)
		return;
	m->most = m->left = q->max_steps ? q->max_steps : dev->max_launch;
	m->end = METER_GOES_ON;
}

void
host_over(struct queue *q, struct host_findings *f, const struct dispatch *d, const struct meter *m)
{
	const char *name = layout_name(d->launch->fn->image->layout);
	struct qd_error e = { .code = QD_OK };

	switch (m->end) {
	case METER_GOES_ON: return;
	case METER_LIMIT:
		e.code = QD_E_LIMIT;
		snprintf(e.text, sizeof e.text,
			 "kernel '%.200s': the launch was ended after %llu steps, the limit of all "
			 "its threads together (QD_STEPS, qd_stream_limit, or max_steps of the "
			 "context); its results are incomplete\n  fix: raise the limit, or do less "
			 "work per launch",
			 name, (unsigned long long)m->most);
		break;
	case METER_CANCELED:
		e.code = QD_E_CANCELED;
		snprintf(e.text, sizeof e.text,
			 "kernel '%.200s': qd_stream_cancel ended the launch after %llu steps; its "
			 "results are incomplete",
			 name, (unsigned long long)(m->most - m->left));
		break;
	}
	if (f->ended.code)
		return;
	f->ended = e;
	ctx_log(q->dev->ctx, QD_LOG_INFO, "stream", "%s", e.text);
}

qd_status
host_ended(struct host_findings *f, struct qd_error *err)
{
	struct qd_error e = f->ended.code ? f->ended : f->first;
	uint32_t n = f->n;
	qd_status st = f->ended.code;

	f->n = 0;
	f->ended.code = QD_OK;
	if (!n && !st)
		return QD_OK;
	size_t len = strlen(e.text);
	if (st ? n > 0 : n > 1) {
		int more = snprintf(e.text + len, sizeof e.text - len,
				    "\n%u finding%s in total; the log contains %s", n,
				    n == 1 ? "" : "s", st ? "them" : "more of them");
		if (more > 0 && (size_t)more < sizeof e.text - len)
			len += (size_t)more;
	}
	return st ? qd_fail_text(err, st, 0, 0, e.text, len)
		  : qd_fail_text(err, QD_E_FINDING, e.line, e.col, e.text, len);
}
