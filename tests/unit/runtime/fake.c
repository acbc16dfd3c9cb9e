/* The driver: queues that run on a thread, without the guarantees of streams. The interpreter's
 * driver provides memory and runs the kernels. Memory contains garbage when it is allocated and
 * when it is freed, so that accesses too early or too late change the results. */
#include "fake.h"

#include <stdlib.h>
#include <time.h>

#include "device.h"
#include "function.h"

struct fake_device {
	struct qd_device d;
	struct qd_device *ref;
	_Atomic uint64_t seed;
	pthread_mutex_t lock; /* protects held */
	pthread_cond_t let_go;
	bool held;
	_Atomic uint32_t n_loaded;
};

struct fake_timeline {
	struct timeline t;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t reached;
};

struct fake_timestamp { /* if a batch will write it, it outlives its event */
	struct timestamp ref;
	_Atomic uint32_t refs;
};

struct command {
	struct command *next;
	enum { COPY, FILL, DISPATCH, TIMESTAMP } what;
	char *dst;
	const char *src;
	uint64_t size;
	uint32_t word;
	struct timestamp timestamp;
	struct dispatch dispatch;
	struct launch launch;
	struct qd_buffer *bufs[MAX_PARAM];
	char args[];
};

struct fake_batch {
	struct fake_batch *next;
	struct command *first, **end;
	struct wait waits[MAX_WAITS];
	uint32_t n_waits;
	uint64_t value;
};

struct fake_queue {
	struct queue q;
	struct queue *ref;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the list */
	pthread_mutex_t run;  /* protects ref */
	pthread_cond_t more;
	struct fake_batch *first, **end, *open;
	bool stop;
};

static struct fake_device *
fake_of(struct qd_device *d)
{
	return (struct fake_device *)d;
}

static struct qd_device *
ref_of(struct qd_device *d)
{
	return fake_of(d)->ref;
}

static void *
take(size_t size)
{
	void *p = calloc(1, size);
	if (!p)
		abort();
	return p;
}

/* -- Memory and functions ---------------------------------------------------------------- */

static qd_status
memory_alloc(struct qd_device *d, enum memory_kind kind, uint64_t size, struct device_memory *out,
	     struct qd_error *err)
{
	QD_TRY(driver_ref.memory_alloc(ref_of(d), kind, size, out, err));
	memset(out->host, 0xa5, out->size);
	if (d->hidden && kind == MEMORY_DEVICE)
		out->host = NULL;
	return QD_OK;
}

static char *
bytes(const struct device_memory *m)
{
	return (char *)(uintptr_t)m->addr;
}

static void
memory_free(struct qd_device *d, struct device_memory *m)
{
	memset(bytes(m), 0xdd, m->size);
	driver_ref.memory_free(ref_of(d), m);
}

static qd_status
accepts(const struct qd_device *d, const struct qd_image *image, struct qd_error *err)
{
	(void)d;
	return driver_ref.accepts(NULL, image, err);
}

static qd_status
load(struct qd_device *d, struct qd_image *image, struct qd_function **out, struct qd_error *err)
{
	QD_TRY(driver_ref.load(ref_of(d), image, out, err));
	(*out)->args_in_memory = d->hidden;
	atomic_fetch_add(&fake_of(d)->n_loaded, 1);
	return QD_OK;
}

static void
unload(struct qd_function *fn)
{
	atomic_fetch_sub(&fake_of(fn->dev)->n_loaded, 1);
	driver_ref.unload(fn);
}

/* -- Timelines ------------------------------------------------------------------------------ */

static qd_status
timeline_create(struct qd_device *d, struct timeline **out, struct qd_error *err)
{
	struct fake_timeline *t = take(sizeof *t);
	(void)d;
	(void)err;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->moved, NULL);
	*out = &t->t;
	return QD_OK;
}

static void
timeline_free(struct timeline *base)
{
	struct fake_timeline *t = (struct fake_timeline *)base;
	pthread_cond_destroy(&t->moved);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static void
reach(struct timeline *base, uint64_t value)
{
	struct fake_timeline *t = (struct fake_timeline *)base;
	pthread_mutex_lock(&t->lock);
	t->reached = value;
	pthread_cond_broadcast(&t->moved);
	pthread_mutex_unlock(&t->lock);
}

static qd_status
poll(struct timeline *base, struct qd_error *err)
{
	struct fake_timeline *t = (struct fake_timeline *)base;
	(void)err;
	pthread_mutex_lock(&t->lock);
	uint64_t reached = t->reached;
	pthread_mutex_unlock(&t->lock);
	timeline_advance(base, reached);
	return QD_OK;
}

static qd_status
wait(struct timeline *base, uint64_t value, uint64_t ns, struct qd_error *err)
{
	struct fake_timeline *t = (struct fake_timeline *)base;
	struct timespec until;
	int over = 0;
	clock_gettime(CLOCK_REALTIME, &until);
	if (ns != FOREVER) {
		ns += (uint64_t)until.tv_nsec;
		until.tv_sec += (time_t)(ns / 1000000000);
		until.tv_nsec = (long)(ns % 1000000000);
	}
	pthread_mutex_lock(&t->lock);
	while (t->reached < value && !over) {
		if (ns == FOREVER)
			pthread_cond_wait(&t->moved, &t->lock);
		else
			over = pthread_cond_timedwait(&t->moved, &t->lock, &until);
	}
	pthread_mutex_unlock(&t->lock);
	return poll(base, err);
}

/* -- The thread ------------------------------------------------------------------------------- */

static void
drop_timestamp(struct qd_device *d, struct fake_timestamp *s)
{
	if (atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	driver_ref.timestamp_give(ref_of(d), &s->ref);
	free(s);
}

static void
run_command(struct fake_queue *q, struct command *c)
{
	struct fake_timestamp *timestamp = c->timestamp.pool;
	struct qd_error err;
	switch (c->what) {
	case COPY:
		memcpy(c->dst, c->src, c->size);
		break;
	case FILL:
		for (uint64_t i = 0; i < c->size; i += sizeof c->word)
			memcpy(c->dst + i, &c->word, sizeof c->word);
		break;
	case TIMESTAMP:
		driver_ref.timestamp(q->ref, &timestamp->ref);
		drop_timestamp(q->q.dev, timestamp);
		break;
	case DISPATCH:
		c->launch.args = c->dispatch.args_addr
					 ? (void *)(uintptr_t)c->dispatch.args_addr
					 : c->args;
		pthread_mutex_lock(&q->run);
		if (driver_ref.dispatch(q->ref, &c->dispatch, &err))
			abort();
		pthread_mutex_unlock(&q->run);
		break;
	}
}

static void
delay(struct fake_device *dev)
{
	uint64_t x = atomic_fetch_add(&dev->seed, UINT64_C(0x9e3779b97f4a7c15));
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	struct timespec ts = { 0, (long)(x >> 8 & 0x3ffff) };
	if (x % 4 == 0)
		nanosleep(&ts, NULL);
}

static void
wait_held(struct fake_device *dev)
{
	pthread_mutex_lock(&dev->lock);
	while (dev->held)
		pthread_cond_wait(&dev->let_go, &dev->lock);
	pthread_mutex_unlock(&dev->lock);
}

static void
run_batch(struct fake_queue *q, struct fake_batch *b)
{
	for (uint32_t i = 0; i < b->n_waits; i++)
		wait(b->waits[i].timeline, b->waits[i].value, FOREVER, NULL);
	delay(fake_of(q->q.dev));
	wait_held(fake_of(q->q.dev));
	for (struct command *c = b->first, *next; c; c = next) {
		next = c->next;
		run_command(q, c);
		free(c);
	}
	reach(q->q.timeline, b->value);
	free(b);
}

static void *
run_queue(void *user)
{
	struct fake_queue *q = user;
	for (;;) {
		pthread_mutex_lock(&q->lock);
		while (!q->first && !q->stop)
			pthread_cond_wait(&q->more, &q->lock);
		struct fake_batch *b = q->first;
		if (b) {
			q->first = b->next;
			if (!q->first)
				q->end = &q->first;
		}
		pthread_mutex_unlock(&q->lock);
		if (!b)
			return NULL;
		run_batch(q, b);
	}
}

/* -- Queues ------------------------------------------------------------------------------------ */

static qd_status
queue_create(struct qd_device *d, struct timeline *t, struct queue **out, struct qd_error *err)
{
	struct fake_queue *q = take(sizeof *q);
	qd_status st = driver_ref.queue_create(ref_of(d), t, &q->ref, err);
	if (st) {
		free(q);
		return st;
	}
	q->ref->dev = ref_of(d);
	q->q.dev = d;
	q->q.timeline = t;
	q->end = &q->first;
	pthread_mutex_init(&q->lock, NULL);
	pthread_mutex_init(&q->run, NULL);
	pthread_cond_init(&q->more, NULL);
	if (pthread_create(&q->thread, NULL, run_queue, q))
		abort();
	*out = &q->q;
	return QD_OK;
}

static void
queue_free(struct queue *base)
{
	struct fake_queue *q = (struct fake_queue *)base;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
	pthread_join(q->thread, NULL);
	driver_ref.queue_free(q->ref);
	pthread_cond_destroy(&q->more);
	pthread_mutex_destroy(&q->run);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

static void
open_batch(struct fake_queue *q)
{
	q->open = take(sizeof *q->open);
	q->open->end = &q->open->first;
}

static qd_status
begin(struct queue *base, uint32_t at, struct qd_error *err)
{
	(void)at;
	(void)err;
	open_batch((struct fake_queue *)base);
	return QD_OK;
}

static struct command *
put(struct queue *base, size_t more)
{
	struct fake_batch *b = ((struct fake_queue *)base)->open;
	struct command *c = take(sizeof *c + more);
	*b->end = c;
	b->end = &c->next;
	return c;
}

static void
copy(struct queue *q, const struct device_memory *dst, uint64_t to,
     const struct device_memory *src, uint64_t from, uint64_t size)
{
	struct command *c = put(q, 0);
	c->what = COPY;
	c->dst = bytes(dst) + to;
	c->src = bytes(src) + from;
	c->size = size;
}

static void
fill(struct queue *q, const struct device_memory *dst, uint64_t to, uint64_t size, uint32_t word)
{
	struct command *c = put(q, 0);
	if (to % 4 || size % 4 || to + size > dst->size)
		abort();
	c->what = FILL;
	c->dst = bytes(dst) + to;
	c->size = size;
	c->word = word;
}

static qd_status
dispatch(struct queue *q, const struct dispatch *d, struct qd_error *err)
{
	const struct launch *l = d->launch;
	struct command *c = put(q, l->args_size);
	(void)err;
	c->what = DISPATCH;
	c->dispatch = *d;
	c->launch = *l;
	c->dispatch.launch = &c->launch;
	memcpy(c->bufs, l->bufs, l->n_params * sizeof c->bufs[0]);
	c->launch.bufs = c->bufs;
	memcpy(c->args, d->args, l->args_size);
	return QD_OK;
}

static void
timestamp(struct queue *q, const struct timestamp *s)
{
	struct command *c = put(q, 0);
	struct fake_timestamp *mine = s->pool;
	c->what = TIMESTAMP;
	c->timestamp = *s;
	atomic_fetch_add(&mine->refs, 1);
}

static qd_status
submit(struct queue *base, bool empty, const struct wait *waits, uint32_t n_waits, uint64_t value,
       struct qd_error *err)
{
	struct fake_queue *q = (struct fake_queue *)base;
	(void)err;
	if (empty)
		open_batch(q);
	struct fake_batch *b = q->open;
	memcpy(b->waits, waits, n_waits * sizeof *waits);
	b->n_waits = n_waits;
	b->value = value;
	pthread_mutex_lock(&q->lock);
	*q->end = b;
	q->end = &b->next;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
	return QD_OK;
}

static qd_status
ended(struct queue *base, struct qd_error *err)
{
	struct fake_queue *q = (struct fake_queue *)base;
	pthread_mutex_lock(&q->run);
	qd_status st = driver_ref.ended(q->ref, err);
	pthread_mutex_unlock(&q->run);
	return st;
}

/* -- Stamps ------------------------------------------------------------------------------------ */

static qd_status
timestamp_take(struct qd_device *d, struct timestamp *out, struct qd_error *err)
{
	struct fake_timestamp *s = take(sizeof *s);
	qd_status st = driver_ref.timestamp_take(ref_of(d), &s->ref, err);
	if (st) {
		free(s);
		return st;
	}
	atomic_init(&s->refs, 1);
	out->pool = s;
	return QD_OK;
}

static void
timestamp_give(struct qd_device *d, const struct timestamp *s)
{
	drop_timestamp(d, s->pool);
}

static qd_status
timestamp_ns(struct qd_device *d, const struct timestamp *from, const struct timestamp *to,
	     uint64_t *ns, struct qd_error *err)
{
	const struct fake_timestamp *a = from->pool, *b = to->pool;
	return driver_ref.timestamp_ns(ref_of(d), &a->ref, &b->ref, ns, err);
}

/* -- Devices ----------------------------------------------------------------------------------- */

static qd_status
open_device(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	    struct qd_error *err)
{
	struct selector of_ref = { .driver = "ref", .which = "8" };
	struct fake_device *dev = take(sizeof *dev);
	qd_status st = driver_ref.open(ctx, &of_ref, &dev->ref, err);
	if (st) {
		free(dev);
		return st;
	}
	pthread_mutex_init(&dev->lock, NULL);
	pthread_cond_init(&dev->let_go, NULL);
	dev->d.ctx = ctx;
	dev->d.target = dev->ref->target;
	dev->d.sizes = dev->ref->sizes;
	dev->d.info = dev->ref->info;
	memcpy(dev->d.info.selector, "fake", 5);
	dev->d.hidden = !strcmp(sel->which, "hidden");
	dev->d.watchdog_ns = dev->d.hidden ? WATCHDOG_NS : 0;
	/* small, so that launches are split */
	dev->d.max_x = 50;
	dev->d.max_y = 3;
	*out = &dev->d;
	return QD_OK;
}

static void
close_device(struct qd_device *d)
{
	driver_ref.close(ref_of(d));
	pthread_cond_destroy(&fake_of(d)->let_go);
	pthread_mutex_destroy(&fake_of(d)->lock);
	free(d);
}

static const struct driver driver_fake = {
	.name = "fake",
	.open = open_device,
	.close = close_device,
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
	.timestamp = timestamp,
	.submit = submit,
	.ended = ended,
	.timestamp_take = timestamp_take,
	.timestamp_give = timestamp_give,
	.timestamp_ns = timestamp_ns,
};

qd_status
fake_open(struct qd_context *ctx, enum fake_kind kind, struct qd_device **out,
	  struct qd_error *err)
{
	struct selector sel = { .driver = "fake" };
	if (kind == FAKE_HIDDEN)
		memcpy(sel.which, "hidden", 7);
	return device_open_with(ctx, &driver_fake, &sel, out, err);
}

void
fake_limit(struct qd_device *dev, uint64_t size)
{
	ref_of(dev)->info.memory = size;
}

void
fake_hold(struct qd_device *dev, bool hold)
{
	struct fake_device *f = fake_of(dev);
	pthread_mutex_lock(&f->lock);
	f->held = hold;
	pthread_cond_broadcast(&f->let_go);
	pthread_mutex_unlock(&f->lock);
}

uint32_t
fake_loaded(struct qd_device *dev)
{
	return atomic_load(&fake_of(dev)->n_loaded);
}
