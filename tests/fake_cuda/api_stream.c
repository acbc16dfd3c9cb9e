/* libcuda.so.1: events, streams, commands and launches (api.c). */
#include "api.h"

/* -- Events ------------------------------------------------------------------------- */

enum { DISABLE_TIMING = 2 };

API(cuEventCreate, (void **out, unsigned flags))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	*out = garbage;
	if (flags & ~3u)
		wrong(__func__, "flags are %u", flags);
	if (r == OK) {
		struct event *e = calloc(1, sizeof *e);
		e->flags = flags;
		atomic_init(&e->refs, 1);
		pthread_mutex_init(&e->lock, NULL);
		pthread_cond_init(&e->moved, NULL);
		object_add(&e->o, EVENT, ctx);
		*out = handle_of(&e->o);
	}
	return leave(r);
}

API(cuEventDestroy_v2, (void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct event *e = object_get(__func__, handle, EVENT);
	object_remove(&e->o);
	leave(r);
	event_unref(e);
	return r;
}

API(cuEventRecord, (void *handle, void *stream))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct event *e = object_get(__func__, handle, EVENT);
	struct stream *s = object_get(__func__, stream, STREAM);
	if (r == OK) {
		struct command *c = command_new(0);
		c->what = RECORD;
		c->event = e;
		atomic_fetch_add(&e->refs, 1);
		pthread_mutex_lock(&e->lock);
		c->generation = ++e->recorded;
		pthread_mutex_unlock(&e->lock);
		stream_put(s, c);
	}
	return leave(r);
}

API(cuEventQuery, (void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct event *e = object_get(__func__, handle, EVENT);
	if (r == OK) {
		pthread_mutex_lock(&e->lock);
		r = e->passed == e->recorded ? OK : NOT_READY;
		pthread_mutex_unlock(&e->lock);
	}
	/* Reports an error of the context immediately. */
	if (r == OK)
		r = atomic_load(&ctx->sticky);
	return leave(r);
}

API(cuEventSynchronize, (void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct event *e = object_get(__func__, handle, EVENT);
	atomic_fetch_add(&e->refs, 1);
	leave(r);
	if (r == OK) {
		pthread_mutex_lock(&e->lock);
		for (uint64_t want = e->recorded; e->passed < want;)
			pthread_cond_wait(&e->moved, &e->lock);
		pthread_mutex_unlock(&e->lock);
		r = atomic_load(&ctx->sticky);
	}
	event_unref(e);
	return r;
}

API(cuEventElapsedTime, (float *ms, void *from, void *to))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct event *a = object_get(__func__, from, EVENT), *b = object_get(__func__, to, EVENT);
	if ((a->flags | b->flags) & DISABLE_TIMING)
		wrong(__func__, "an event without a recorded time");
	pthread_mutex_lock(&a->lock);
	uint64_t first = a->ns;
	bool ready = a->recorded && a->passed == a->recorded;
	pthread_mutex_unlock(&a->lock);
	pthread_mutex_lock(&b->lock);
	uint64_t second = b->ns;
	ready = ready && b->recorded && b->passed == b->recorded;
	pthread_mutex_unlock(&b->lock);
	if (r == OK && !ready)
		r = NOT_READY;
	*ms = (float)((double)(int64_t)(second - first) / 1e6);
	return leave(r);
}

/* -- Streams ------------------------------------------------------------------------ */

API(cuStreamCreate, (void **out, unsigned flags))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	*out = garbage;
	if (flags & ~1u)
		wrong(__func__, "flags are %u", flags);
	if (r == OK)
		*out = handle_of(stream_object(stream_new(ctx)));
	return leave(r);
}

API(cuStreamDestroy_v2, (void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct stream *s = object_get(__func__, handle, STREAM);
	object_remove(stream_object(s));
	leave(r);
	stream_delete(s);
	return r;
}

API(cuStreamSynchronize, (void *handle))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct stream *s = object_get(__func__, handle, STREAM);
	leave(r);
	stream_drain(s);
	return r == OK ? atomic_load(&ctx->sticky) : r;
}

/* Waits for the last record that precedes this call. */
API(cuStreamWaitEvent, (void *stream, void *handle, unsigned flags))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct stream *s = object_get(__func__, stream, STREAM);
	struct event *e = object_get(__func__, handle, EVENT);
	if (flags)
		wrong(__func__, "flags are %u", flags);
	if (r == OK) {
		struct command *c = command_new(0);
		c->what = WAIT;
		c->event = e;
		atomic_fetch_add(&e->refs, 1);
		pthread_mutex_lock(&e->lock);
		c->generation = e->recorded;
		pthread_mutex_unlock(&e->lock);
		stream_put(s, c);
	}
	return leave(r);
}

static void
must_be_there(const char *call, const struct context *ctx, uint64_t addr, uint64_t size)
{
	if (!memory_at(ctx, addr, size))
		wrong(call, "%llu bytes at 0x%llx are not in an allocation",
		      (unsigned long long)size, (unsigned long long)addr);
}

API(cuMemcpyAsync, (uint64_t dst, uint64_t src, size_t size, void *stream))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct stream *s = object_get(__func__, stream, STREAM);
	must_be_there(__func__, ctx, dst, size);
	must_be_there(__func__, ctx, src, size);
	if (!size || (dst < src + size && src < dst + size))
		wrong(__func__, "the copy is empty, or the ranges overlap");
	if (r == OK) {
		struct command *c = command_new(0);
		c->what = COPY;
		c->dst = dst;
		c->src = src;
		c->size = size;
		stream_put(s, c);
	}
	return leave(r);
}

API(cuMemsetD32Async, (uint64_t dst, unsigned word, size_t n, void *stream))
{
	struct context *ctx;
	int r = enter(__func__, &ctx);
	struct stream *s = object_get(__func__, stream, STREAM);
	must_be_there(__func__, ctx, dst, 4 * n);
	if (!n || dst % 4)
		wrong(__func__, "%zu words at 0x%llx", n, (unsigned long long)dst);
	if (r == OK) {
		struct command *c = command_new(0);
		c->what = SET;
		c->dst = dst;
		c->size = 4 * n;
		c->word = word;
		stream_put(s, c);
	}
	return leave(r);
}

/* -- Launches ----------------------------------------------------------------------- */

/* Reads the parameters as one block: the keys 1, address, 2, address of the size, 0. */
static const void *
read_extra(const char *call, void **extra, size_t *size)
{
	const void *at = NULL;
	*size = 0;
	for (; *extra; extra += 2) {
		if ((uintptr_t)extra[0] == 1)
			at = extra[1];
		else if ((uintptr_t)extra[0] == 2)
			memcpy(size, extra[1], sizeof *size);
		else
			wrong(call, "a word of extra is not a key");
	}
	return at;
}

API(cuLaunchKernel, (void *handle, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty,
		     unsigned tz, unsigned shared, void *stream, void **params, void **extra))
{
	struct context *ctx;
	size_t size;
	int r = enter(__func__, &ctx);
	struct function *f = object_get(__func__, handle, FUNCTION);
	struct stream *s = object_get(__func__, stream, STREAM);
	if (params || !extra)
		wrong(__func__, "the fake accepts parameters in one buffer");
	const void *args = read_extra(__func__, extra, &size);
	if (size != f->entry->params_size)
		wrong(__func__, "%zu bytes of parameters; '%s' has %u", size, f->entry->name,
		      f->entry->params_size);
	if (!x || !y || !z || x > (unsigned)config.blocks || y > 65535 || z > 65535)
		wrong(__func__, "a grid of %u, %u, %u blocks", x, y, z);
	if (!tx || ty != 1 || tz != 1 || (int)tx > max_threads(f))
		wrong(__func__, "a block of %u, %u, %u threads; '%s' allows %d", tx, ty, tz,
		      f->entry->name, max_threads(f));
	if (r == OK) {
		struct command *c = command_new(size);
		c->what = LAUNCH;
		c->function = f;
		c->grid[0] = x, c->grid[1] = y, c->grid[2] = z;
		c->block[0] = tx, c->block[1] = ty, c->block[2] = tz;
		c->shared = shared;
		memcpy(c->params, args, size);
		atomic_fetch_add(&f->module->refs, 1);
		stream_put(s, c);
	}
	return leave(r);
}
