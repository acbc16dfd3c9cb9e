/* Contexts and fences: issued fences, passed fences, errors. */
#include <errno.h>
#include <stdlib.h>

#include "fake.h"

static uint32_t last_id;

static int
ctx_new(struct device *d, uint32_t priority, struct ctx **out)
{
	int32_t p = (int32_t)priority;
	struct ctx *c;
	if (p != -2048 && p != -1023 && p != -512 && p != 0 && p != 512 && p != 1023)
		return -EINVAL;
	if (p > 0)
		return -EACCES;
	c = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	c->d = d;
	c->id = ++last_id;
	c->resets = d->resets;
	c->vram_losses = d->vram_losses;
	for (uint32_t i = 0; i < N_RING; i++)
		c->compute[i] = (struct entity){ .ctx = c, .ip = IP_COMPUTE, .ring = i };
	for (uint32_t i = 0; i < 2; i++)
		c->dma[i] = (struct entity){ .ctx = c, .ip = IP_DMA, .ring = i };
	c->next = d->ctxs;
	d->ctxs = c;
	object_add(&c->o, CTX);
	*out = c;
	return 0;
}

int
amdgpu_cs_ctx_create2(struct device *d, uint32_t priority, struct ctx **out)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	r = object_ok(__func__, d, DEVICE) ? ctx_new(d, priority, out) : -EINVAL;
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_cs_ctx_create(struct device *d, struct ctx **out)
{
	return amdgpu_cs_ctx_create2(d, 0, out);
}

int
amdgpu_cs_ctx_override_priority(struct device *d, struct ctx *c, int fd, unsigned priority)
{
	(void)d, (void)c, (void)fd, (void)priority;
	fake_call(__func__);
	return -EACCES; /* reserved for the display server */
}

static bool
is_idle(const struct ctx *c)
{
	bool idle = true;
	for (unsigned i = 0; i < N_RING; i++)
		idle = idle && !c->compute[i].first;
	return idle && !c->dma[0].first && !c->dma[1].first;
}

struct entity *
entity_at(struct ctx *c, unsigned i)
{
	return i < N_RING ? &c->compute[i] : &c->dma[i - N_RING];
}

/* Drops the dependencies on a context whose fences are all signaled. */
static void
forget_deps(struct job *j, const struct ctx *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < j->n_deps; i++)
		if (j->deps[i].e->ctx != c)
			j->deps[n++] = j->deps[i];
	j->n_deps = n;
}

/* Its submissions still run, as in the kernel. */
int
amdgpu_cs_ctx_free(struct ctx *c)
{
	int r = fake_call(__func__);
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, c, CTX)) {
		pthread_mutex_unlock(&lock);
		return -EINVAL;
	}
	if (!is_idle(c))
		fake_report(CHECK_busy, __func__, "a context with submissions in flight");
	while (!is_idle(c))
		pthread_cond_wait(&moved, &lock);
	struct ctx **at = &c->d->ctxs;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	for (struct ctx *o = c->d->ctxs; o; o = o->next)
		for (unsigned i = 0; i < N_RING + 2; i++)
			for (struct job *j = entity_at(o, i)->first; j; j = j->next)
				forget_deps(j, c);
	object_end(&c->o);
	pthread_mutex_unlock(&lock);
	return r;
}

int
ctx_refuses(const struct ctx *c)
{
	return c->lost || c->vram_losses != c->d->vram_losses ? -ECANCELED : 0;
}

struct entity *
entity_of(struct ctx *c, uint32_t ip, uint32_t instance, uint32_t ring)
{
	if (instance)
		return NULL;
	if (ip == IP_COMPUTE && ring < N_RING && (fake_config()->rings & 15))
		return &c->compute[ring];
	return ip == IP_DMA && ring < 2 ? &c->dma[ring] : NULL;
}

int
amdgpu_cs_query_reset_state2(struct ctx *c, uint64_t *flags)
{
	int r = fake_call(__func__);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!object_ok(__func__, c, CTX)) {
		r = -EINVAL;
	} else {
		*flags = 0;
		if (c->lost || c->resets != c->d->resets)
			*flags |= RESET_RESET;
		if (c->vram_losses != c->d->vram_losses)
			*flags |= RESET_VRAM_LOST;
		if (c->guilty)
			*flags |= RESET_GUILTY;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int
amdgpu_cs_query_reset_state(struct ctx *c, uint32_t *state, uint32_t *hangs)
{
	enum { NONE, GUILTY, INNOCENT };
	uint64_t flags = 0;
	int r = amdgpu_cs_query_reset_state2(c, &flags);
	*state = flags & RESET_GUILTY ? GUILTY : flags ? INNOCENT : NONE;
	*hangs = flags & RESET_GUILTY ? 1 : 0;
	return r;
}

/* -- Fences ------------------------------------------------------------------------ */

/* Returns 1 if the fence is signaled, 0 if not yet, the job's error, or -EINVAL (reported) if
 * the fence was never issued. */
static int
fence_state(const char *call, const struct cs_fence *f)
{
	struct entity *e = entity_of(f->ctx, f->ip_type, f->ip_instance, f->ring);
	if (!e || f->fence > e->last) {
		fake_report(CHECK_fence_args, call,
			  "fence %llu of ring %u of engine %u, instance %u; the last one is %llu",
			  (unsigned long long)f->fence, f->ring, f->ip_type, f->ip_instance,
			  (unsigned long long)(e ? e->last : 0));
		return -EINVAL;
	}
	if (!f->fence || f->fence + FENCES <= e->last)
		return 1; /* too old to be remembered */
	if (f->fence > e->passed)
		return 0;
	return e->error[f->fence % FENCES] ? e->error[f->fence % FENCES] : 1;
}

static uint64_t
deadline(uint64_t timeout_ns, bool absolute)
{
	uint64_t now = now_ns();
	if (timeout_ns > (uint64_t)INT64_MAX / 2)
		return (uint64_t)INT64_MAX / 2;
	return absolute ? timeout_ns : now + timeout_ns;
}

static bool
wait_until(uint64_t end)
{
	struct timespec t = { (time_t)(end / 1000000000), (long)(end % 1000000000) };
	return pthread_cond_timedwait(&moved, &lock, &t) == 0;
}

int
amdgpu_cs_query_fence_status(struct cs_fence *f, uint64_t timeout_ns, uint64_t flags,
			     uint32_t *expired)
{
	int r = fake_call(__func__), state;
	uint64_t end = deadline(timeout_ns, flags & FENCE_ABSOLUTE);
	if (r)
		return r;
	*expired = 0;
	pthread_mutex_lock(&lock);
	if (!f->ctx || !object_ok(__func__, f->ctx, CTX) || f->ip_type >= N_IP ||
	    f->ring >= MAX_RINGS) {
		pthread_mutex_unlock(&lock);
		return -EINVAL;
	}
	while (!(state = f->fence ? fence_state(__func__, f) : 1) && now_ns() < end &&
	       wait_until(end))
		;
	if (!state)
		state = fence_state(__func__, f);
	pthread_mutex_unlock(&lock);
	*expired = state == 1;
	return state < 0 ? state : 0;
}

int
amdgpu_cs_wait_fences(struct cs_fence *f, uint32_t n, bool all, uint64_t timeout_ns,
		      uint32_t *status, uint32_t *first)
{
	int r = fake_call(__func__);
	uint64_t end = deadline(timeout_ns, false);
	uint32_t passed, at = 0;
	if (r || !n)
		return r ? r : -EINVAL;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n && !r; i++)
		if (!object_ok(__func__, f[i].ctx, CTX))
			r = -EINVAL;
	for (bool late = false; !r;) {
		passed = 0;
		for (uint32_t i = 0; i < n && !r; i++) {
			int state = fence_state(__func__, &f[i]);
			at = state == 1 && !passed ? i : at;
			passed += state == 1;
			r = state < 0 ? state : 0;
		}
		if (r || late || (all ? passed == n : passed))
			break;
		late = now_ns() >= end || !wait_until(end);
	}
	pthread_mutex_unlock(&lock);
	if (r)
		return r;
	*status = all ? passed == n : passed != 0;
	if (first)
		*first = at;
	return 0;
}
