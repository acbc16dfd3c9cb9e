/* The disk cache without enough memory, disk space or queue space, and with concurrent threads. */
#include "disk_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char target[] = "ptx:sm_90";
enum { SIZE = 1000 };

/* Fails each allocation once. This may only cause a miss, or an entry that is not stored. */
static void
no_memory(struct unit_ctx *t)
{
	for (unsigned warm = 0; warm < 2; warm++) {
		struct disk_rig r;
		if (!disk_rig_begin(t, &r))
			return;
		if (warm && disk_rig_context(t, &r, QD_CACHE_ON)) {
			struct qd_image *img = disk_rig_image(t, &r, target, 3);
			disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
			qd_image_free(img);
			disk_rig_shut(t, &r);
		}
		size_t n_calls = 0;
		for (size_t at = 1; n_calls + 1 >= at; at++) {
			char path[256];
			if (!warm && disk_rig_file(&r, false, 0, path))
				unlink(path);
			if (!disk_rig_context(t, &r, QD_CACHE_ON))
				return;
			struct qd_image *img = disk_rig_image(t, &r, target, 3);
			/* Otherwise the pool would have the memory. */
			qd_context_trim(r.ctx, NULL);
			r.alloc.fail_at = r.alloc.n_calls + at;
			r.alloc.fail_on = true;
			size_t before = r.alloc.n_calls;
			disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
			struct qd_cache_stats s = disk_rig_stats(&r);
			pthread_mutex_lock(&r.alloc.lock);
			n_calls = r.alloc.n_calls - before;
			r.alloc.fail_at = 0;
			r.alloc.fail_on = false;
			pthread_mutex_unlock(&r.alloc.lock);
			UNIT_CHECK(t, s.disk_hits + s.disk_misses <= 1 && (warm || !s.disk_hits), "%zu", at);
			qd_image_free(img);
			disk_rig_shut(t, &r);
			if (at > 100)
				break;
		}
		UNIT_CHECK(t, n_calls >= 2, "%zu allocations", n_calls);
		disk_rig_end(t, &r);
	}
}

/* Checks a limit of file sizes: nothing is stored, no file is left, and no signal ends the
 * process. */
static void
no_room(struct unit_ctx *t)
{
	fflush(NULL); /* or the child would write its copy too */
	pid_t pid = fork();
	if (pid == 0) {
		static struct unit_ctx mine;
		struct disk_rig r;
		alarm(60);
		if (disk_rig_begin(&mine, &r) && disk_rig_context(&mine, &r, QD_CACHE_ON)) {
			struct rlimit limit = { 512, 512 };
			struct disk_total total = { 0 };
			struct disk_dir d;
			struct qd_image *img = disk_rig_image(&mine, &r, target, 3);
			setrlimit(RLIMIT_FSIZE, &limit);
			disk_rig_ask(&mine, &r, img, &disk_rig_driver, SIZE);
			disk_rig_want(&mine, &r, "no room",
				      (struct disk_want){ .dropped = 1, .why = { [WHY_NEW] = 1 } });
			UNIT_CHECK(&mine, strstr(r.log, "File too large"), "%s", r.log);
			UNIT_CHECK(&mine, disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) == QD_OK &&
						  disk_total(&d, &total, &r.e) == QD_OK &&
						  !total.entries && !total.temporaries,
				   "something is left");
			disk_dir_close(&d);
			qd_image_free(img);
			disk_rig_end(&mine, &r);
		}
		if (mine.n_failed)
			fprintf(stderr, "%s", mine.text);
		_exit(mine.n_failed != 0);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	UNIT_CHECK(t, status == 0, "the child: %x", (unsigned)status);
}

/* Checks the limits of the write queue. Further entries are dropped and logged. */
static void
too_many(struct unit_ctx *t)
{
	struct disk_rig r;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	r.debug = true;
	struct qd_image *img = disk_rig_image(t, &r, target, 3), *next = disk_rig_image(t, &r, target, 4);
	disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
	disk_flush(r.ctx);
	struct disk_queue *q = &((struct disk *)atomic_load(&r.ctx->slot[CTX_SLOT_DISK].p))->queue;
	for (int bytes = 0; bytes < 2; bytes++) {
		pthread_mutex_lock(&q->lock);
		uint32_t n = q->n;
		size_t was = q->bytes;
		q->n = bytes ? n : MAX_JOBS;
		q->bytes = bytes ? MAX_JOB_BYTES - SIZE : was;
		pthread_mutex_unlock(&q->lock);
		disk_rig_ask(t, &r, next, &disk_rig_driver, SIZE);
		pthread_mutex_lock(&q->lock);
		q->n = n;
		q->bytes = was;
		pthread_mutex_unlock(&q->lock);
		UNIT_CHECK(t, disk_rig_stats(&r).disk_dropped == 1u + (unsigned)bytes &&
				      strstr(r.log, "4 kernel 'lanes' is not stored in '") &&
				      strstr(r.log, ": too many entries wait to be written\n"),
			   "%s", r.log);
	}
	disk_rig_ask(t, &r, next, &disk_rig_driver, SIZE);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_writes == 2, "%s", r.log);
	qd_image_free(img);
	qd_image_free(next);
	disk_rig_end(t, &r);
}

/* -- Threads ------------------------------------------------------------------------ */

struct worker {
	struct unit_ctx t;
	struct disk_rig *r;
	unsigned seed;
	pthread_t thread;
};

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct unit_rng rng = { w->seed };
	for (int i = 0; i < 100; i++) {
		struct qd_image *img = disk_rig_image(&w->t, w->r, target, (int)(unit_random(&rng) % 6));
		disk_rig_ask(&w->t, w->r, img, &disk_rig_driver, SIZE);
		if (i % 20 == 0)
			disk_rig_stats(w->r);
		qd_image_free(img);
	}
	return NULL;
}

/* Runs two contexts on one directory, with two threads each, while this thread sweeps. */
static void
threads(struct unit_ctx *t)
{
	enum { N = 4 };
	static struct worker w[N];
	struct disk_rig r, other;
	struct disk_dir d;
	struct disk_total gone;
	if (!disk_rig_begin(t, &r) || !disk_rig_begin(t, &other))
		return;
	rmdir(other.top);
	memcpy(other.dir, r.dir, sizeof r.dir);
	if (!disk_rig_context(t, &r, QD_CACHE_ON) || !disk_rig_context(t, &other, QD_CACHE_ON))
		return;
	for (int i = 0; i < N; i++) {
		memset(&w[i].t, 0, sizeof w[i].t);
		w[i].r = i % 2 ? &r : &other;
		w[i].seed = (unsigned)i + 1;
		UNIT_CHECK(t, pthread_create(&w[i].thread, NULL, work, &w[i]) == 0, "pthread_create");
	}
	for (int i = 0; i < 50; i++) {
		if (disk_dir_open(&d, &r.ctx->pool, r.dir, true, false, &r.e) == QD_OK)
			disk_sweep(&d, i % 2 ? 4000 : 1, TEMPORARY_AGE, &gone, &r.e);
		disk_dir_close(&d);
		usleep(500);
	}
	uint64_t n = 0;
	for (int i = 0; i < N; i++) {
		pthread_join(w[i].thread, NULL);
		UNIT_CHECK(t, w[i].t.n_failed == 0, "thread %d: %s", i, w[i].t.text);
	}
	struct qd_cache_stats a = disk_rig_stats(&r), b = disk_rig_stats(&other);
	n = a.disk_hits + a.disk_misses + b.disk_hits + b.disk_misses;
	UNIT_CHECK(t, n == 100 * N && a.disk_writes + a.disk_dropped == a.disk_misses &&
			      !a.disk_damaged && !b.disk_damaged && !b.disk_off,
		   "%u questions, %u damaged", (unsigned)n, (unsigned)(a.disk_damaged + b.disk_damaged));
	disk_rig_shut(t, &other);
	unit_alloc_fini(&other.alloc);
	disk_rig_end(t, &r);
}

const struct unit units_disk_short[] = {
	{ "disk_short.no_memory", no_memory },
	{ "disk_short.no_room", no_room },
	{ "disk_short.too_many", too_many },
	{ "disk_short.threads", threads },
};
const unsigned n_units_disk_short = QD_COUNT(units_disk_short);
