/* The disk cache with the CUDA driver, on the fake of tests/fake_cuda. Its cubins belong to a
 * version. It rejects cubins of other versions, and aborts if the bytes are not a cubin. */
#include "cuda_fake.h"
#include "disk_rig.h"
#include "t_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORDS = 64 };

static qd_status
run(struct disk_rig *r, struct qd_device *dev, int l, uint32_t out[WORDS])
{
	struct qd_tmpl tmpl = { .name = "L", .value = l };
	struct qd_function *fn = NULL;
	struct qd_stream *s = NULL;
	struct qd_buffer *buf = NULL;
	memset(out, 0xff, WORDS * sizeof *out);
	qd_status st = qd_function_get(dev, r->kernel, &tmpl, 1, &fn, &r->e);
	st = st ? st : qd_stream_create(dev, &s, &r->e);
	st = st ? st : qd_buffer_create(dev, WORDS * sizeof *out, 0, &buf, &r->e);
	struct qd_arg arg = qd_arg_buffer(buf);
	st = st ? st : qd_launch(s, fn, QD_GRID, &arg, 1, &r->e);
	st = st ? st : qd_buffer_download(s, buf, 0, out, WORDS * sizeof *out, &r->e);
	qd_buffer_free(buf);
	qd_stream_free(s);
	qd_function_free(fn);
	return st;
}

/* Simulates a process: opens the device, runs the kernel with each value, and closes the device.
 * `links` is the expected number of compilations. */
static void
process(struct unit_ctx *t, struct disk_rig *r, const char *what, const char *config, qd_cache_mode mode,
	int n_values, unsigned links, struct disk_want want)
{
	const struct cuda_fake *f = cuda_fake();
	struct qd_device *dev = NULL;
	uint32_t got[WORDS];
	f->set(config);
	cuda_forget_library();
	if (!disk_rig_context(t, r, mode))
		return;
	qd_status st = qd_device_open(r->ctx, "cuda", &dev, &r->e);
	UNIT_CHECK(t, st == QD_OK, "%s: %s", what, r->e.text);
	for (int l = 0; l < n_values && st == QD_OK; l++) {
		st = run(r, dev, l, got);
		UNIT_CHECK(t, st == QD_OK, "%s: %s", what, r->e.text);
		for (uint32_t i = 0; i < WORDS && st == QD_OK; i++)
			UNIT_CHECK(t, got[i] == i % (1u << l), "%s: %u at %u of L %d", what, got[i], i, l);
	}
	disk_rig_want(t, r, what, want);
	UNIT_CHECK(t, f->calls("cuLinkComplete") == links, "%s: %u texts were compiled, not %u", what,
		   f->calls("cuLinkComplete"), links);
	qd_device_close(dev);
	disk_rig_shut(t, r);
}

static bool
begin(struct unit_ctx *t, struct disk_rig *r)
{
	if (!cuda_fake_begin(t, "devices=1"))
		return false;
	return disk_rig_begin(t, r);
}

static void
end(struct unit_ctx *t, struct disk_rig *r)
{
	disk_rig_end(t, r);
	cuda_fake_end(t);
	cuda_forget_library();
}

/* Checks hits and misses of the kernels, and of the probe that opening the device loads. */
static void
warm(struct unit_ctx *t)
{
	struct disk_rig r;
	char path[256];
	size_t size;
	if (!begin(t, &r))
		return;
	process(t, &r, "cold", "devices=1", QD_CACHE_ON, 3, 4,
		(struct disk_want){ .writes = 4, .why = { [WHY_NEW] = 2, [WHY_TEMPLATE] = 2 } });
	process(t, &r, "warm", "devices=1", QD_CACHE_ON, 3, 0, (struct disk_want){ .hits = 4 });
	process(t, &r, "read only", "devices=1", QD_CACHE_READ_ONLY, 4, 1,
		(struct disk_want){ .hits = 4, .why = { [WHY_TEMPLATE] = 1 } });
	process(t, &r, "off", "devices=1", QD_CACHE_OFF, 3, 0, (struct disk_want){ .why = { [WHY_OFF] = 4 } });
	process(t, &r, "another version", "devices=1 version=12080", QD_CACHE_ON, 3, 4,
		(struct disk_want){ .writes = 4, .why = { [WHY_DRIVER] = 4 } });
	process(t, &r, "the first again", "devices=1", QD_CACHE_ON, 3, 0, (struct disk_want){ .hits = 4 });
	process(t, &r, "another device", "devices=1 sm=80", QD_CACHE_ON, 1, 2,
		(struct disk_want){ .writes = 2, .why = { [WHY_DEVICE] = 2 } });
	process(t, &r, "another name", "devices=1 name=Other", QD_CACHE_ON, 1, 2,
		(struct disk_want){ .writes = 2, .why = { [WHY_DEVICE] = 2 } });
	for (unsigned i = 0; disk_rig_file(&r, false, i, path); i++) {
		char *p = disk_rig_read(path, &size);
		p[size / 2] ^= 4;
		disk_rig_write(path, p, size);
		free(p);
	}
	process(t, &r, "damaged", "devices=1", QD_CACHE_ON, 3, 4,
		(struct disk_want){ .writes = 4, .why = { [WHY_DAMAGED] = 4 } });
	process(t, &r, "mended", "devices=1", QD_CACHE_ON, 3, 0, (struct disk_want){ .hits = 4 });
	end(t, &r);
}

/* Checks failures of each call that makes or loads cubins. The driver then gets the PTX. */
static void
failing(struct unit_ctx *t)
{
	static const struct {
		const char *config;
		unsigned links; /* calls of cuLinkComplete */
		struct disk_want want;
	} rows[] = {
		/* Warm: the driver rejects the probe's cubin, then the kernel's. */
		{ "devices=1 fail=cuModuleLoadDataEx:1:209", 1,
		  { .hits = 1, .writes = 1, .why = { [WHY_DAMAGED] = 1 } } },
		{ "devices=1 fail=cuModuleLoadDataEx:2:300", 1,
		  { .hits = 1, .writes = 1, .why = { [WHY_DAMAGED] = 1 } } },
		/* It also rejects the newly made cubin, so only the PTX is left. */
		{ "devices=1 fail=cuModuleLoadDataEx:1:209 fail=cuModuleLoadDataEx:2:209", 1,
		  { .hits = 1, .why = { [WHY_DAMAGED] = 1 } } },
		{ "devices=1 fail=cuLinkCreate_v2:0:2", 0, { .hits = 1, .why = { [WHY_EVICTED] = 1 } } },
		{ "devices=1 fail=cuLinkAddData_v2:0:221", 0, { .hits = 1, .why = { [WHY_EVICTED] = 1 } } },
		{ "devices=1 fail=cuLinkComplete:0:400", 1, { .hits = 1, .why = { [WHY_EVICTED] = 1 } } },
		{ "devices=1 fail=cuLinkDestroy:0:400", 1,
		  { .hits = 1, .writes = 1, .why = { [WHY_EVICTED] = 1 } } },
	};
	struct disk_rig r;
	char path[256];
	if (!begin(t, &r))
		return;
	process(t, &r, "cold", "devices=1", QD_CACHE_ON, 1, 2,
		(struct disk_want){ .writes = 2, .why = { [WHY_NEW] = 2 } });
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		/* Remove the first entry, so that it is written again. */
		if (rows[i].want.why[WHY_EVICTED] && disk_rig_file(&r, false, 0, path))
			unlink(path);
		process(t, &r, rows[i].config, rows[i].config, QD_CACHE_ON, 1, rows[i].links, rows[i].want);
		/* Without failures it works again, and makes what is missing. */
		process(t, &r, "between", "devices=1", QD_CACHE_ON, 1, rows[i].want.writes ? 0 : 1,
			rows[i].want.writes ?
				(struct disk_want){ .hits = 2 } :
				(struct disk_want){ .hits = 1, .writes = 1, .why = { [WHY_EVICTED] = 1 } });
	}
	end(t, &r);
}

/* Checks a driver that is older than the target. The cubin for a lower target is stored. */
static void
lower(struct unit_ctx *t)
{
	struct disk_rig r;
	const char *config = "devices=1 sm=90 target=86";
	if (!begin(t, &r))
		return;
	process(t, &r, "cold", "devices=1 sm=90", QD_CACHE_ON, 2, 3,
		(struct disk_want){ .writes = 3, .why = { [WHY_NEW] = 2, [WHY_TEMPLATE] = 1 } });
	/* Version and device are unchanged, so the cubin is used although the driver would reject
	 * the PTX. */
	process(t, &r, "kept", config, QD_CACHE_ON, 2, 0, (struct disk_want){ .hits = 3 });
	/* With an empty cache it tries the targets. */
	char path[256];
	while (disk_rig_file(&r, false, 0, path) || disk_rig_file(&r, true, 0, path))
		unlink(path);
	cuda_fake()->set(config);
	struct qd_device *dev = NULL;
	uint32_t got[WORDS];
	cuda_forget_library();
	if (!disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	UNIT_CHECK(t, qd_device_open(r.ctx, "cuda", &dev, &r.e) == QD_OK &&
			      strstr(qd_device_target(dev), "sm_86"), "%s: %s", r.e.text,
		   dev ? qd_device_target(dev) : "");
	UNIT_CHECK(t, run(&r, dev, 2, got) == QD_OK && got[7] == 3, "%s", r.e.text);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_writes == 2, "%s", r.log);
	qd_device_close(dev);
	end(t, &r);
}

struct worker {
	struct unit_ctx t;
	struct disk_rig r;
	struct qd_device *dev;
	int at;
	pthread_t thread;
};

static void *
work(void *arg)
{
	struct worker *w = arg;
	uint32_t got[WORDS];
	for (int n = 0; n < 6; n++) {
		int l = (n + w->at) % 6;
		UNIT_CHECK(&w->t, run(&w->r, w->dev, l, got) == QD_OK, "%s", w->r.e.text);
		for (uint32_t i = 0; i < WORDS; i++)
			UNIT_CHECK(&w->t, got[i] == i % (1u << l), "%u at %u of L %d", got[i], i, l);
	}
	return NULL;
}

/* Checks that threads that load the same kernels on one device look up each kernel once. */
static void
threads(struct unit_ctx *t)
{
	static struct worker w[3];
	struct disk_rig r;
	if (!begin(t, &r))
		return;
	for (int again = 0; again < 2; again++) {
		struct qd_device *dev = NULL;
		cuda_fake()->set("devices=1");
		if (!disk_rig_context(t, &r, QD_CACHE_ON))
			return;
		UNIT_CHECK(t, qd_device_open(r.ctx, "cuda", &dev, &r.e) == QD_OK, "%s", r.e.text);
		for (int i = 0; i < 3 && dev; i++) {
			memset(&w[i], 0, sizeof w[i]);
			w[i].r.kernel = r.kernel;
			w[i].dev = dev;
			w[i].at = 2 * i;
			UNIT_CHECK(t, pthread_create(&w[i].thread, NULL, work, &w[i]) == 0, "pthread_create");
		}
		for (int i = 0; i < 3 && dev; i++) {
			pthread_join(w[i].thread, NULL);
			UNIT_CHECK(t, w[i].t.n_failed == 0, "thread %d: %s", i, w[i].t.text);
		}
		struct qd_cache_stats s = disk_rig_stats(&r);
		UNIT_CHECK(t, again ? s.disk_hits == 7 && !s.disk_misses : s.disk_misses == 7 && s.disk_writes == 7,
			   "%u hits, %u misses", (unsigned)s.disk_hits, (unsigned)s.disk_misses);
		qd_device_close(dev);
		disk_rig_shut(t, &r);
	}
	end(t, &r);
}

/* Fails each allocation of opening and loading once, with a cold and a warm cache. The call must
 * fail with QD_E_NOMEM or give the right result. */
static void
no_memory(struct unit_ctx *t)
{
	struct disk_rig r;
	if (!begin(t, &r))
		return;
	for (int warm_now = 0; warm_now < 2; warm_now++) {
		unsigned n_bad = 0;
		size_t n_calls = 0;
		for (size_t at = 1; n_calls + 1 >= at; at++) {
			struct qd_device *dev = NULL;
			uint32_t got[WORDS];
			char path[256];
			while (!warm_now && disk_rig_file(&r, false, 0, path))
				unlink(path);
			if (!disk_rig_context(t, &r, QD_CACHE_ON))
				return;
			qd_context_trim(r.ctx, NULL);
			size_t before = r.alloc.n_calls;
			r.alloc.fail_at = before + at;
			qd_status st = qd_device_open(r.ctx, "cuda", &dev, &r.e);
			st = st ? st : run(&r, dev, 3, got);
			UNIT_CHECK(t, st == QD_OK ? got[9] == 1 : st == QD_E_NOMEM, "%zu: %s: %s", at,
				   qd_status_name(st), r.e.text);
			n_bad += st != QD_OK;
			disk_flush(r.ctx);
			pthread_mutex_lock(&r.alloc.lock);
			n_calls = r.alloc.n_calls - before;
			r.alloc.fail_at = 0;
			pthread_mutex_unlock(&r.alloc.lock);
			qd_device_close(dev);
			disk_rig_shut(t, &r);
		}
		UNIT_CHECK(t, n_calls > 10, "%zu allocations, %u failures", n_calls, n_bad);
	}
	end(t, &r);
}

const struct unit units_disk_cuda[] = {
	{ "disk_cuda.warm", warm },	  { "disk_cuda.failing", failing },
	{ "disk_cuda.lower", lower },	  { "disk_cuda.threads", threads },
	{ "disk_cuda.no_memory", no_memory },
};
const unsigned n_units_disk_cuda = QD_COUNT(units_disk_cuda);
