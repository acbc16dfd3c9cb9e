/* The device's thread: runs ready submissions, in any order that rings and dependencies allow, and
 * signals their fences after a random delay. */
#include <errno.h>
#include <stdlib.h>

#include "control.h"
#include "fake.h"

enum { LATE_NS = 200000 };

static uint64_t all_jobs, all_dispatches;

void
fake_amdgpu_counts(uint64_t *jobs, uint64_t *dispatches)
{
	pthread_mutex_lock(&lock);
	*jobs = all_jobs;
	*dispatches = all_dispatches;
	pthread_mutex_unlock(&lock);
}

/* -- Selection --------------------------------------------------------------------- */

static bool
is_ready(const struct job *j)
{
	bool ready = !j->done;
	for (uint32_t i = 0; i < j->n_deps && ready; i++)
		ready = j->deps[i].e->passed >= j->deps[i].seq;
	return ready;
}

/* Returns a random job that can run, or NULL. *late: the job whose fence is signaled next. */
static struct job *
choose(struct device *d, struct job **late)
{
	struct job *found = NULL;
	uint64_t n = 0;
	*late = NULL;
	for (struct ctx *c = d->ctxs; c; c = c->next) {
		for (unsigned i = 0; i < N_RING + 2; i++) {
			struct job *j = entity_at(c, i)->first;
			if (!j)
				continue;
			if (j->done && (!*late || j->pass_ns < (*late)->pass_ns))
				*late = j;
			if (is_ready(j) && next_random(&d->random) % ++n == 0)
				found = j;
		}
	}
	return found;
}

/* -- Completion -------------------------------------------------------------------- */

static void
lose_all(struct device *d, bool vram)
{
	d->resets++;
	d->vram_losses += vram;
	if (vram)
		bos_lost(d);
	for (struct ctx *c = d->ctxs; c; c = c->next) {
		c->lost = true;
		for (unsigned i = 0; i < N_RING + 2; i++)
			for (struct job *j = entity_at(c, i)->first; j; j = j->next)
				j->error = j->error ? j->error : -ECANCELED;
	}
}

/* The caller holds the lock. */
static void
pass(struct device *d, struct job *j)
{
	struct entity *e = j->e;
	struct ctx *c = e->ctx;
	pthread_mutex_unlock(&lock);
	exec_finish(d->x, j);
	pthread_mutex_lock(&lock);
	if (j->error && j->error != -ECANCELED && !j->soft) {
		c->lost = true;
		for (unsigned i = 0; i < N_RING + 2; i++)
			for (struct job *k = entity_at(c, i)->first; k; k = k->next)
				k->error = k->error ? k->error : -ECANCELED;
	}
	if (j->reset)
		lose_all(d, j->vram_lost);
	e->error[j->seq % FENCES] = j->error;
	e->passed = j->seq;
	e->first = j->next;
	job_free(j);
	pthread_cond_broadcast(&moved);
}

static void
mishap(struct job *j)
{
	const struct mishap *m = fake_job();
	if (!m)
		return;
	j->error = -m->code;
	j->reset = m->reset;
	j->vram_lost = m->vram_lost;
	j->soft = m->soft;
	if (m->guilty)
		j->e->ctx->guilty = true;
}

/* The caller holds the lock, which is released while the job runs. */
static void
run(struct device *d, struct job *j)
{
	struct exec *x = d->x;
	bool skipped;
	if (!j->error)
		mishap(j);
	skipped = j->error != 0;
	x->vm = d->vm;
	vm_ref(x->vm);
	pthread_mutex_unlock(&lock);
	if (!skipped)
		exec_job(x, j);
	pthread_mutex_lock(&lock);
	vm_unref(x->vm);
	j->done = true;
	if (x->error && !skipped) {
		j->error = x->error;
		j->e->ctx->guilty = true;
		j->pass_ns =
			now_ns() + (x->error == -ETIME ? (uint64_t)fake_config()->lost * 1000 : 0);
	} else if (fake_config()->delays && next_random(&d->random) % 8 == 0) {
		j->pass_ns = now_ns() + next_random(&d->random) % LATE_NS;
	}
	all_jobs++;
	all_dispatches += x->n_dispatches;
	x->n_dispatches = 0;
}

static void *
serve(void *arg)
{
	struct device *d = arg;
	pthread_mutex_lock(&lock);
	while (!d->quits) {
		struct job *late, *j = choose(d, &late);
		if (late && late->pass_ns <= now_ns()) {
			pass(d, late);
		} else if (j) {
			run(d, j);
		} else if (late) {
			struct timespec t = { (time_t)(late->pass_ns / 1000000000),
					      (long)(late->pass_ns % 1000000000) };
			pthread_cond_timedwait(&moved, &lock, &t);
		} else {
			pthread_cond_wait(&moved, &lock);
		}
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

qd_status
ring_start(struct device *d)
{
	struct exec *x = calloc(1, sizeof *x);
	if (!x)
		return QD_E_NOMEM;
	x->d = d;
	x->l2 = x->drain = x->vector = x->scalar = x->insns = 1;
	arena_init(&x->mem, &pool);
	d->x = x;
	if (pthread_create(&d->thread, NULL, serve, d)) {
		free(x);
		return QD_E_NOMEM;
	}
	return QD_OK;
}

void
ring_stop(struct device *d)
{
	pthread_mutex_lock(&lock);
	d->quits = true;
	pthread_cond_broadcast(&moved);
	pthread_mutex_unlock(&lock);
	pthread_join(d->thread, NULL);
	codes_free(d->x);
	arena_fini(&d->x->mem);
	free(d->x);
}
