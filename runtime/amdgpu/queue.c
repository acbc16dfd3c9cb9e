/* Timelines and submission. A timeline is a context of the kernel, one of its rings, and the
 * sequence numbers of the batches that may be in flight.
 *
 * The ring executes streams in order, but does not wait for the waves of one before it reads the
 * next. Each batch therefore begins with that wait (batch.c). After each batch, the kernel adds a
 * fence of its own, which writes caches back. A completed batch is therefore visible to the host,
 * and to a batch of another context that depends on it. */
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "kgd.h"

static struct kgd_timeline *
timeline_of(struct timeline *t)
{
	return (struct kgd_timeline *)t;
}

static struct kgd_device *
device_of(const struct timeline *t)
{
	return kgd_device_of(t->dev);
}

/* -- Timelines ------------------------------------------------------------------------------ */

/* Returns the i-th available ring, counted cyclically. */
static uint32_t
nth_ring(uint32_t rings, uint32_t i)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < KGD_MAX_RING; k++)
		n += rings >> k & 1;
	i %= n;
	for (uint32_t k = 0;; k++) {
		if ((rings >> k & 1) && i-- == 0)
			return k;
	}
}

/* Takes the lists of batches that have passed, at most MAX_BATCH. Requires the lock. */
static uint32_t
take_lists(struct kgd_timeline *t, uint64_t done, struct kgd_list *out[MAX_BATCH])
{
	uint32_t n = 0;
	for (uint64_t i = 0; i < MAX_BATCH && i < t->last; i++) {
		struct kgd_list **at = &t->lists[(t->last - i) % MAX_BATCH];
		if (!*at || t->last - i > done)
			continue;
		out[n++] = *at;
		*at = NULL;
	}
	return n;
}

static void
put_lists(struct kgd_device *dev, struct kgd_list *const *lists, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		kgd_list_put(dev, lists[i]);
}

static void
destroy_timeline(struct kgd_device *dev, struct kgd_timeline *t)
{
	struct kgd_list *lists[MAX_BATCH];
	put_lists(dev, lists, take_lists(t, UINT64_MAX, lists));
	if (t->ctx)
		KGD_DROP(dev, amdgpu_cs_ctx_free, t->ctx);
	if (t->hint)
		heap_free(t->hint);
	pthread_mutex_destroy(&t->lock);
	pool_delete(&dev->base.ctx->pool, t);
}

qd_status
kgd_timeline_create(struct qd_device *base, struct timeline **out, struct qd_error *err)
{
	struct kgd_device *dev = kgd_device_of(base);
	struct kgd_timeline *t = pool_new(&base->ctx->pool, sizeof *t);
	if (!t)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	pthread_mutex_init(&t->lock, NULL);
	qd_status st = kgd_piece(dev, KGD_STAGING, sizeof(uint64_t), &t->hint, err);
	if (st == QD_OK) {
		QD_SHARED_STORE(uint64_t, kgd_piece_host(t->hint), 0);
		int r = dev->drm->amdgpu_cs_ctx_create2(dev->handle, KGD_PRIORITY_NORMAL, &t->ctx);
		if (r) {
			t->ctx = NULL;
			st = kgd_fail(dev, err, r, "amdgpu_cs_ctx_create2");
		}
	}
	if (st != QD_OK) {
		destroy_timeline(dev, t);
		return st;
	}
	pthread_mutex_lock(&dev->timelines_lock);
	t->ring = nth_ring(dev->physical.rings, dev->n_timelines++);
	t->next = dev->timelines;
	t->link = &dev->timelines;
	if (t->next)
		t->next->link = &t->next;
	dev->timelines = t;
	pthread_mutex_unlock(&dev->timelines_lock);
	*out = &t->base;
	return QD_OK;
}

void
kgd_timeline_free(struct timeline *base)
{
	struct kgd_timeline *t = timeline_of(base);
	struct kgd_device *dev = device_of(base);
	pthread_mutex_lock(&dev->timelines_lock);
	*t->link = t->next;
	if (t->next)
		t->next->link = t->link;
	pthread_mutex_unlock(&dev->timelines_lock);
	destroy_timeline(dev, t);
}

static uint64_t
hinted(const struct kgd_timeline *t)
{
	return QD_SHARED_LOAD(uint64_t, kgd_piece_host(t->hint));
}

static struct kgd_fence
fence_of(const struct kgd_timeline *t, uint64_t value)
{
	return (struct kgd_fence){
		.ctx = t->ctx,
		.ip_type = KGD_IP_COMPUTE,
		.ring = t->ring,
		.seq = t->seq[value % MAX_BATCH],
	};
}

/* Returns the fence of a submitted value that is not known to have passed. Returns false if the
 * value has passed or was not submitted. */
static bool
find_fence(struct kgd_timeline *t, uint64_t value, struct kgd_fence *out)
{
	pthread_mutex_lock(&t->lock);
	bool passed = atomic_load(&t->base.done) >= value || value + MAX_BATCH <= t->last;
	bool there = !passed && value <= t->last;
	if (there)
		*out = fence_of(t, value);
	pthread_mutex_unlock(&t->lock);
	if (passed)
		timeline_advance(&t->base, value);
	return there;
}

/* Returns the first error other than r of batches in flight before this one, or else r. */
static int
other_error(struct kgd_timeline *t, uint64_t before, int r)
{
	struct kgd_device *dev = device_of(&t->base);
	for (uint64_t v = atomic_load(&t->base.done) + 1; v < before; v++) {
		struct kgd_fence f;
		uint32_t expired;
		if (!find_fence(t, v, &f))
			break;
		int its = dev->drm->amdgpu_cs_query_fence_status(&f, 0, 0, &expired);
		if (its && its != r)
			return its;
	}
	return r;
}

/* Canceled work only reports that other work hung, in this stream or another. Returns the error of
 * that work. */
static int
first_error(struct kgd_timeline *t, int r)
{
	struct kgd_device *dev = device_of(&t->base);
	int its = r == -ECANCELED ? other_error(t, UINT64_MAX, r) : r;
	pthread_mutex_lock(&dev->timelines_lock);
	for (struct kgd_timeline *o = dev->timelines; o && its == -ECANCELED; o = o->next)
		its = other_error(o, UINT64_MAX, its);
	pthread_mutex_unlock(&dev->timelines_lock);
	return its;
}

/* Waits at most ns nanoseconds for the value, which is in flight. If the kernel ended the waves of
 * one batch, later batches run and succeed, so earlier batches are queried, too. */
static qd_status
ask(struct kgd_timeline *t, uint64_t value, uint64_t ns, bool *passed, struct qd_error *err)
{
	struct kgd_device *dev = device_of(&t->base);
	struct kgd_fence f;
	uint32_t expired = 0;
	*passed = false;
	if (!find_fence(t, value, &f)) {
		*passed = atomic_load(&t->base.done) >= value;
		return QD_OK;
	}
	int r = dev->drm->amdgpu_cs_query_fence_status(&f, ns, 0, &expired);
	if (!r && expired)
		r = other_error(t, value, 0);
	if (QD_UNLIKELY(r))
		return kgd_fail(dev, err, first_error(t, r), "amdgpu_cs_query_fence_status");
	*passed = expired != 0;
	if (*passed)
		timeline_advance(&t->base, value);
	return QD_OK;
}

qd_status
kgd_poll(struct timeline *base, struct qd_error *err)
{
	struct kgd_timeline *t = timeline_of(base);
	uint64_t value = hinted(t);
	bool passed = true;
	/* The value that the device reports comes first, because all others precede it. */
	if (value > atomic_load(&base->done))
		QD_TRY(ask(t, value, 0, &passed, err));
	for (passed = true; passed;) {
		value = atomic_load(&base->done) + 1;
		pthread_mutex_lock(&t->lock);
		bool more = value <= t->last;
		pthread_mutex_unlock(&t->lock);
		if (!more)
			break;
		QD_TRY(ask(t, value, 0, &passed, err));
	}
	return QD_OK;
}

void
kgd_release_passed(struct kgd_device *dev)
{
	struct kgd_list *lists[MAX_BATCH];
	uint32_t n;
	do {
		n = 0;
		pthread_mutex_lock(&dev->timelines_lock);
		for (struct kgd_timeline *t = dev->timelines; t && !n; t = t->next) {
			pthread_mutex_lock(&t->lock);
			n = take_lists(t, atomic_load(&t->base.done), lists);
			pthread_mutex_unlock(&t->lock);
		}
		pthread_mutex_unlock(&dev->timelines_lock);
		/* Releasing a list may destroy objects, which takes locks. */
		put_lists(dev, lists, n);
	} while (n);
}

/* Checks whether the context knows of a reset, after which a fence may never signal. The kernel
 * counts resets of any ring by any process, and reports them to every context that existed. Fences
 * report the effect of other processes' resets on this context. */
static qd_status
check_reset(struct kgd_timeline *t, struct qd_error *err)
{
	struct kgd_device *dev = device_of(&t->base);
	uint64_t flags = 0;
	if (!dev->drm->amdgpu_cs_query_reset_state2)
		return QD_OK;
	KGD_TRY(dev, err, amdgpu_cs_query_reset_state2, t->ctx, &flags);
	if (flags & (KGD_RESET_VRAM_LOST | KGD_RESET_GUILTY))
		return kgd_fail_reset(dev, err, flags);
	return QD_OK;
}

/* The kernel wakes a thread microseconds late, so the thread polls for LOOK_NS first. */
enum { LOOK_NS = 20000, NAP_NS = 50000 };

qd_status
kgd_wait(struct timeline *base, uint64_t value, uint64_t ns, struct qd_error *err)
{
	struct kgd_timeline *t = timeline_of(base);
	uint64_t from = clock_ns(), past = 0;
	bool passed = false;
	while (hinted(t) < value && past < LOOK_NS && past < ns)
		past = clock_ns() - from;
	QD_TRY(ask(t, value, ns == FOREVER ? FOREVER : ns > past ? ns - past : 0, &passed, err));
	if (passed || atomic_load(&base->done) >= value)
		return QD_OK;
	QD_TRY(check_reset(t, err));
	/* A value that is not submitted has no fence. */
	while ((past = clock_ns() - from) < ns && atomic_load(&base->done) < value) {
		struct timespec nap = { 0, ns - past < NAP_NS ? (long)(ns - past) : NAP_NS };
		nanosleep(&nap, NULL);
		QD_TRY(kgd_poll(base, err));
	}
	return QD_OK;
}

void
kgd_drain(struct qd_device *base)
{
	struct kgd_device *dev = kgd_device_of(base);
	pthread_mutex_lock(&dev->timelines_lock);
	for (struct kgd_timeline *t = dev->timelines; t; t = t->next) {
		uint32_t expired;
		pthread_mutex_lock(&t->lock);
		struct kgd_fence f = fence_of(t, t->last);
		bool any = t->last > atomic_load(&t->base.done);
		pthread_mutex_unlock(&t->lock);
		/* Failed work has ended, and returns an error here. */
		if (any)
			dev->drm->amdgpu_cs_query_fence_status(&f, FOREVER, 0, &expired);
	}
	pthread_mutex_unlock(&dev->timelines_lock);
}

/* Appends each quoted name that is not in `out` already. */
static void
add_names(char *out, size_t cap, const char *names)
{
	while (*names) {
		char one[KGD_NAMES];
		size_t len = 1 + strcspn(names + 1, "'"), n = strlen(out);
		/* Names of other compilers' kernels may contain quotes. */
		len += names[len] == '\'';
		memcpy(one, names, len);
		one[len] = '\0';
		names += len;
		names += strspn(names, ", ");
		if (!strstr(out, one) && n + len + 2 < cap)
			snprintf(out + n, cap - n, "%s%s", n ? ", " : "", one);
	}
}

void
kgd_names_in_flight(struct kgd_device *dev, char *out, size_t cap)
{
	out[0] = '\0';
	pthread_mutex_lock(&dev->timelines_lock);
	for (struct kgd_timeline *t = dev->timelines; t; t = t->next) {
		pthread_mutex_lock(&t->lock);
		for (uint64_t v = atomic_load(&t->base.done) + 1; v <= t->last; v++)
			add_names(out, cap, t->names[v % MAX_BATCH]);
		pthread_mutex_unlock(&t->lock);
	}
	pthread_mutex_unlock(&dev->timelines_lock);
}

/* -- Submission ------------------------------------------------------------------------------- */

static void
put_names(char out[KGD_NAMES], const struct kgd_batch *b)
{
	size_t n = 0;
	out[0] = '\0';
	for (uint32_t i = 0; i < b->n_fns; i++) {
		const char *name = layout_name(b->fns[i]->base.image->layout);
		size_t len = strlen(name);
		if (n + len + sizeof ", ''" > KGD_NAMES)
			break;
		if (n) {
			memcpy(out + n, ", ", 2);
			n += 2;
		}
		out[n++] = '\'';
		memcpy(out + n, name, len);
		n += len;
		out[n++] = '\'';
		out[n] = '\0';
	}
}

/* If the kernel is out of memory, it may have some when other work completes. */
static int
submit_patiently(struct kgd_device *dev, struct amdgpu_context *ctx, struct kgd_request *request)
{
	const struct timespec nap = { 0, 1000000 };
	const uint64_t most = 1000000000;
	uint64_t from = 0;
	int r;
	while ((r = dev->drm->amdgpu_cs_submit(ctx, 0, request, 1)) == -ENOMEM) {
		if (!from)
			from = clock_ns();
		else if (clock_ns() - from > most)
			break;
		nanosleep(&nap, NULL);
	}
	return r;
}

/* The kernel accepts no work after failed work, so the error of that work is reported. */
static QD_COLD qd_status
submit_failed(struct kgd_timeline *t, int r, struct qd_error *err)
{
	struct kgd_device *dev = device_of(&t->base);
	int its = other_error(t, UINT64_MAX, 0);
	if (its)
		return kgd_fail(dev, err, first_error(t, its), "amdgpu_cs_query_fence_status");
	return kgd_fail(dev, err, r, "amdgpu_cs_submit");
}

static uint32_t
put_waits(const struct wait *waits, uint32_t n, struct kgd_fence out[MAX_WAITS])
{
	uint32_t n_out = 0;
	for (uint32_t i = 0; i < n; i++)
		n_out += find_fence(timeline_of(waits[i].timeline), waits[i].value, &out[n_out]);
	return n_out;
}

static uint32_t
put_chunks(const struct kgd_batch *b, struct kgd_ib out[KGD_MAX_IBS])
{
	uint32_t n = 0;
	for (const struct kgd_chunk *c = b->chunks; n < b->n_chunks; c = c->next)
		out[n++] = (struct kgd_ib){ .addr = kgd_piece_addr(c->piece), .n_words = c->n_words };
	return n;
}

qd_status
kgd_submit(struct queue *base, bool empty, const struct wait *waits, uint32_t n_waits,
	   uint64_t value, struct qd_error *err)
{
	struct kgd_queue *q = (struct kgd_queue *)base;
	struct kgd_device *dev = kgd_device_of(base->dev);
	struct kgd_timeline *t = timeline_of(base->timeline);
	struct kgd_fence dependencies[MAX_WAITS];
	struct kgd_ib ibs[KGD_MAX_IBS];
	struct kgd_list *list;
	struct kgd_request request = {
		.ip_type = KGD_IP_COMPUTE,
		.ring = t->ring,
		.dependencies = dependencies,
		.ibs = ibs,
	};
	request.n_dependencies = put_waits(waits, n_waits, dependencies);
	if (empty) {
		ibs[0] = (struct kgd_ib){ .addr = kgd_piece_addr(dev->idle), .n_words = KGD_IDLE };
		request.n_ibs = 1;
	} else {
		request.n_ibs = put_chunks(q->batch, ibs);
	}
	QD_TRY(kgd_list_get(dev, &list, err));
	request.list = list->handle;
	/* Writes of the host, including streams and arguments, may still be in its write
	 * buffers. */
	QD_WRITES_DONE();
	int r = submit_patiently(dev, t->ctx, &request);
	if (QD_UNLIKELY(r)) {
		kgd_list_put(dev, list);
		return submit_failed(t, r, err);
	}
	struct kgd_list *over[MAX_BATCH];
	pthread_mutex_lock(&t->lock);
	uint32_t n_over = take_lists(t, atomic_load(&base->timeline->done), over);
	t->lists[value % MAX_BATCH] = list;
	t->seq[value % MAX_BATCH] = request.seq;
	t->last = value;
	if (empty)
		t->names[value % MAX_BATCH][0] = '\0';
	else
		put_names(t->names[value % MAX_BATCH], q->batch);
	pthread_mutex_unlock(&t->lock);
	put_lists(dev, over, n_over);
	return QD_OK;
}
