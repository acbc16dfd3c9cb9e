/* Streams: one thread each, with random delays. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

struct stream {
	struct object o;
	struct stream *next, **link; /* list of all streams */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, idle;
	struct command *first, **end;
	bool busy, stop;
	unsigned pins; /* threads that drain it; protected by the global lock */
	uint64_t seed;
};

static struct stream *streams; /* protected by lock */

uint64_t
now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* -- Commands ----------------------------------------------------------------------- */

struct command *
command_new(size_t params)
{
	struct command *c = calloc(1, sizeof *c + params);
	if (!c)
		abort();
	return c;
}

void
event_unref(struct event *e)
{
	if (atomic_fetch_sub(&e->refs, 1) != 1)
		return;
	pthread_cond_destroy(&e->moved);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

static uint64_t
random_of(struct stream *s)
{
	uint64_t x = s->seed += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void
delay(struct stream *s)
{
	uint64_t x = random_of(s);
	struct timespec ts = { 0, (long)(x >> 8 & 0x3ffff) };
	if (x % 16 == 0)
		nanosleep(&ts, NULL);
}

static char *
bytes(const struct stream *s, const char *call, uint64_t addr, uint64_t size)
{
	pthread_mutex_lock(&lock);
	bool there = memory_at(s->o.ctx, addr, size) != NULL;
	pthread_mutex_unlock(&lock);
	if (!there)
		wrong(call,
		      "at the time of execution, %llu bytes at 0x%llx are not in an allocation",
		      (unsigned long long)size, (unsigned long long)addr);
	return (char *)(uintptr_t)addr;
}

static void
run_kernel(struct stream *s, struct command *c)
{
	struct context *ctx = s->o.ctx;
	struct qd_error err;
	pthread_mutex_lock(&lock);
	int r = config_call("kernel");
	uint32_t n;
	struct ptx_range *ranges = memory_ranges(ctx, &n);
	uint64_t max_steps = config.max_steps;
	pthread_mutex_unlock(&lock);
	struct ptx_launch l = {
		.entry = c->function->entry,
		.grid = { c->grid[0], c->grid[1], c->grid[2] },
		.block = { c->block[0], c->block[1], c->block[2] },
		.dynamic_shared = c->shared,
		.params = c->params,
		.ranges = ranges,
		.n_ranges = n,
		.max_steps = max_steps,
		.seed = random_of(s),
	};
	if (r == OK && ptx_run(&pool, &l, &err) != QD_OK) {
		fprintf(stderr, "fake CUDA: kernel %s: %s\n", c->function->entry->name, err.text);
		r = LAUNCH_FAILED;
	}
	free(ranges);
	if (r != OK)
		atomic_store(&ctx->sticky, r);
	atomic_fetch_sub(&c->function->module->refs, 1);
}

static void
wait_event(struct command *c)
{
	struct event *e = c->event;
	pthread_mutex_lock(&e->lock);
	while (e->passed < c->generation)
		pthread_cond_wait(&e->moved, &e->lock);
	pthread_mutex_unlock(&e->lock);
	event_unref(e);
}

static void
pass_event(struct command *c)
{
	struct event *e = c->event;
	pthread_mutex_lock(&e->lock);
	if (e->passed < c->generation) {
		e->passed = c->generation;
		e->ns = now_ns();
	}
	pthread_cond_broadcast(&e->moved);
	pthread_mutex_unlock(&e->lock);
	event_unref(e);
}

static void
run_command(struct stream *s, struct command *c)
{
	bool broken = atomic_load(&s->o.ctx->sticky) != OK;
	char *dst;
	switch (c->what) {
	case COPY:
		if (broken)
			return;
		dst = bytes(s, "cuMemcpyAsync", c->dst, c->size);
		memcpy(dst, bytes(s, "cuMemcpyAsync", c->src, c->size), c->size);
		return;
	case SET:
		if (broken)
			return;
		dst = bytes(s, "cuMemsetD32Async", c->dst, c->size);
		for (uint64_t i = 0; i < c->size; i += sizeof c->word)
			memcpy(dst + i, &c->word, sizeof c->word);
		return;
	case LAUNCH:
		if (broken)
			atomic_fetch_sub(&c->function->module->refs, 1);
		else
			run_kernel(s, c);
		return;
	case RECORD:
		pass_event(c);
		return;
	case WAIT:
		wait_event(c);
		return;
	}
}

/* -- The thread --------------------------------------------------------------------- */

static struct command *
take(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->busy = false;
	if (!s->first)
		pthread_cond_broadcast(&s->idle);
	while (!s->first && !s->stop)
		pthread_cond_wait(&s->more, &s->lock);
	struct command *c = s->first;
	if (c) {
		s->busy = true;
		s->first = c->next;
		if (!s->first)
			s->end = &s->first;
	}
	pthread_mutex_unlock(&s->lock);
	return c;
}

static void *
run_stream(void *user)
{
	struct stream *s = user;
	pthread_mutex_lock(&lock);
	bool delays = config.delays;
	pthread_mutex_unlock(&lock);
	for (struct command *c; (c = take(s));) {
		if (delays)
			delay(s);
		run_command(s, c);
		free(c);
	}
	return NULL;
}

/* -- Streams ------------------------------------------------------------------------ */

struct stream *
stream_new(struct context *ctx)
{
	struct stream *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->end = &s->first;
	s->seed = object_add(&s->o, STREAM, ctx);
	s->next = streams;
	s->link = &streams;
	if (streams)
		streams->link = &s->next;
	streams = s;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->more, NULL);
	pthread_cond_init(&s->idle, NULL);
	if (pthread_create(&s->thread, NULL, run_stream, s))
		abort();
	return s;
}

struct object *
stream_object(struct stream *s)
{
	return &s->o;
}

void
stream_delete(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	pthread_mutex_lock(&lock);
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	while (s->pins) {
		pthread_mutex_unlock(&lock);
		sched_yield();
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&s->idle);
	pthread_cond_destroy(&s->more);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void
stream_put(struct stream *s, struct command *c)
{
	pthread_mutex_lock(&s->lock);
	*s->end = c;
	s->end = &c->next;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
}

void
stream_drain(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->first || s->busy)
		pthread_cond_wait(&s->idle, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

static bool
is_busy(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	bool busy = s->first || s->busy;
	pthread_mutex_unlock(&s->lock);
	return busy;
}

void
streams_drain(const struct context *ctx)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		struct stream *s = streams;
		while (s && (s->o.ctx != ctx || !is_busy(s)))
			s = s->next;
		if (s)
			s->pins++;
		pthread_mutex_unlock(&lock);
		if (!s)
			return;
		stream_drain(s);
		pthread_mutex_lock(&lock);
		s->pins--;
		pthread_mutex_unlock(&lock);
	}
}
