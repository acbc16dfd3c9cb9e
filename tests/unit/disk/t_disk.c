/* The disk cache without a driver: hits, reasons of misses, listing and sweeping. */
#include "disk_rig.h"

#include <fcntl.h>
#include <sys/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char target[] = "ptx:sm_90";

/* -- Hits and reasons --------------------------------------------------------------- */

/* Looks up the image as if another version of the back end had emitted it. */
static void
ask_emitter(struct unit_ctx *t, struct disk_rig *r, uint32_t version, struct disk_want want)
{
	if (!disk_rig_context(t, r, QD_CACHE_ON))
		return;
	struct qd_image *img = disk_rig_image(t, r, target, 3);
	const struct target *was = img->target;
	struct isa isa = *was->isa;
	struct target other = *was;
	isa.version += version;
	other.isa = &isa;
	img->target = &other;
	disk_rig_ask(t, r, img, &disk_rig_driver, 1000);
	disk_rig_want(t, r, "emitter", want);
	img->target = was;
	qd_image_free(img);
	disk_rig_shut(t, r);
}

static void
reasons(struct unit_ctx *t)
{
	struct disk_rig r;
	char path[256];
	static const struct disk_driver newer = { "test", "1.1", "a device" };
	static const struct disk_driver other = { "test", "1.0", "another device" };
	if (!disk_rig_begin(t, &r))
		return;
	r.debug = true;
	disk_rig_once(t, &r, "cold", target, 3, &disk_rig_driver, (struct disk_want){ .writes = 1, DISK_WHY(NEW) });
	disk_rig_once(t, &r, "warm", target, 3, &disk_rig_driver, (struct disk_want){ .hits = 1 });
	disk_rig_once(t, &r, "values", target, 4, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, DISK_WHY(TEMPLATE) });
	disk_rig_once(t, &r, "driver", target, 3, &newer, (struct disk_want){ .writes = 1, DISK_WHY(DRIVER) });
	disk_rig_once(t, &r, "device", target, 3, &other, (struct disk_want){ .writes = 1, DISK_WHY(DEVICE) });
	disk_rig_once(t, &r, "target", "ptx:sm_80", 3, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, DISK_WHY(DEVICE) });
	disk_rig_once(t, &r, "back end", "spirv:w32", 3, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, DISK_WHY(DEVICE) });
	ask_emitter(t, &r, 1, (struct disk_want){ .writes = 1, DISK_WHY(EMITTER) });
	ask_emitter(t, &r, 1, (struct disk_want){ .hits = 1 });
	UNIT_CHECK(t, disk_rig_count(&r, false) == 7 && disk_rig_count(&r, true) == 1, "%u entries, %u",
		   disk_rig_count(&r, false), disk_rig_count(&r, true));
	disk_rig_env("QD_OPT", "0");
	disk_rig_once(t, &r, "level", target, 3, &disk_rig_driver, (struct disk_want){ .writes = 1, DISK_WHY(EMITTER) });
	disk_rig_once(t, &r, "level again", target, 3, &disk_rig_driver, (struct disk_want){ .hits = 1 });
	disk_rig_env_back();
	/* A removed entry is reported as evicted, not as new. */
	while (disk_rig_file(&r, false, 0, path))
		unlink(path);
	disk_rig_once(t, &r, "gone", target, 3, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, DISK_WHY(EVICTED) });
	disk_rig_env("QD_CACHE", NULL);
	if (disk_rig_context(t, &r, QD_CACHE_OFF)) {
		struct qd_image *img = disk_rig_image(t, &r, target, 3);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		disk_rig_want(t, &r, "off", (struct disk_want){ DISK_WHY(OFF) });
		qd_image_free(img);
	}
	disk_rig_end(t, &r);
	disk_rig_env_back();
}

/* Checks that the log reports hits and reasons. */
static void
reported(struct unit_ctx *t)
{
	struct disk_rig r;
	if (!disk_rig_begin(t, &r))
		return;
	r.debug = true;
	for (int i = 0; i < 2; i++) {
		if (!disk_rig_context(t, &r, QD_CACHE_ON))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, 3);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		UNIT_CHECK(t, strstr(r.log, i ? "4 kernel 'lanes': a hit, 1000 bytes\n"
					      : "4 kernel 'lanes': a miss: the kernel is new\n"),
			   "%s", r.log);
		qd_image_free(img);
		disk_rig_shut(t, &r);
	}
	disk_rig_end(t, &r);
}

/* Checks that an image without a kernel is identified by its code. */
static void
no_kernel(struct unit_ctx *t)
{
	struct disk_rig r;
	if (!disk_rig_begin(t, &r))
		return;
	for (int i = 0; i < 3; i++) {
		if (!disk_rig_context(t, &r, QD_CACHE_ON))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, i == 2 ? 4 : 3);
		struct qd_kernel *k = img->kernel;
		const int32_t *values = img->tmpl;
		img->kernel = NULL;
		img->tmpl = NULL;
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		img->kernel = k;
		img->tmpl = values;
		disk_rig_want(t, &r, "code", i == 1 ? (struct disk_want){ .hits = 1 }
						    : (struct disk_want){ .writes = 1, DISK_WHY(NEW) });
		/* With its kernel the image has another key. */
		disk_rig_ask(t, &r, img, &disk_rig_driver, 10);
		UNIT_CHECK(t, disk_rig_stats(&r).disk_hits == (i == 1 ? 2 : 0), "%d: taken for it", i);
		qd_image_free(img);
		disk_rig_shut(t, &r);
	}
	disk_rig_end(t, &r);
}

/* -- Listing and sweeping ----------------------------------------------------------- */

struct seen {
	struct unit_ctx *t;
	unsigned n, n_wrong;
	bool remove_wrong;
};

static bool
see(void *user, const struct disk_item *i)
{
	struct seen *s = user;
	s->n++;
	if (i->wrong) {
		s->n_wrong++;
		return s->remove_wrong;
	}
	UNIT_CHECK(s->t, i->kind == DISK_CUBIN && strcmp(i->kernel, "lanes") == 0 &&
				 strcmp(i->target, "ptx:sm_90") == 0 && strcmp(i->driver, "test") == 0 &&
				 strcmp(i->version, "1.0") == 0 && strcmp(i->device, "a device") == 0 &&
				 i->payload_size == 1000 && i->size > 1000 && i->n_values == 1 &&
				 i->log_size == 5 && memcmp(i->log, "a log", 5) == 0 &&
				 i->created > 1600000000 && i->used >= i->created &&
				 strncmp(i->file, "v1/", 3) == 0 && strlen(i->file) == 42,
		   "%s: %s %s", i->file, i->kernel, i->target);
	return false;
}

static void
listing(struct unit_ctx *t)
{
	struct disk_rig r;
	struct disk_dir d;
	struct disk_total total;
	struct seen s = { .t = t };
	char path[256], other[256];
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	UNIT_CHECK(t, disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) == QD_E_UNAVAILABLE &&
			      strstr(r.e.text, "No such file"), "%s", r.e.text);
	for (int l = 0; l < 6; l++) {
		struct qd_image *img = disk_rig_image(t, &r, target, l);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		qd_image_free(img);
	}
	disk_flush(r.ctx);
	UNIT_CHECK(t, disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) == QD_OK, "%s", r.e.text);
	UNIT_CHECK(t, disk_each(&d, see, &s, &r.e) == QD_OK && s.n == 6 && !s.n_wrong, "%u, %u wrong",
		   s.n, s.n_wrong);
	/* Truncate one entry, and store it under the name of another. Both are found, and removed
	 * on request. */
	disk_rig_file(&r, false, 0, path);
	size_t size;
	char *p = disk_rig_read(path, &size);
	disk_rig_write(path, p, size - 1);
	disk_rig_file(&r, false, 1, other);
	disk_rig_write(other, p, size);
	free(p);
	s = (struct seen){ .t = t, .remove_wrong = true };
	UNIT_CHECK(t, disk_each(&d, see, &s, &r.e) == QD_OK && s.n == 6 && s.n_wrong == 2, "%u, %u wrong",
		   s.n, s.n_wrong);
	/* Files that are not part of the cache are kept. */
	snprintf(other, sizeof other, "%s/v1/00/mine", r.dir);
	snprintf(path, sizeof path, "%s/v1/00", r.dir);
	mkdir(path, 0700);
	disk_rig_write(other, "x", 1);
	UNIT_CHECK(t, disk_total(&d, &total, &r.e) == QD_OK && total.entries == 4 && total.bytes > 4000 &&
			      total.index_files == 1 && total.index_bytes == 6 * sizeof(struct mark) &&
			      !total.temporaries,
		   "%u entries, %u index files of %u", (unsigned)total.entries,
		   (unsigned)total.index_files, (unsigned)total.index_bytes);
	UNIT_CHECK(t, disk_clear(&d, &total, &r.e) == QD_OK && total.entries == 4 && total.index_files == 1,
		   "%s", r.e.text);
	UNIT_CHECK(t, !disk_rig_count(&r, false) && !disk_rig_count(&r, true) && access(other, F_OK) == 0,
		   "not cleared, or too much");
	disk_dir_close(&d);
	disk_rig_end(t, &r);
}

static void
set_age(const char *path, time_t seconds)
{
	struct timespec now, times[2];
	clock_gettime(CLOCK_REALTIME, &now);
	times[0] = times[1] = (struct timespec){ now.tv_sec - seconds, 0 };
	utimensat(AT_FDCWD, path, times, 0);
}

/* Checks that values chosen at parsing are template values too, and that another text is another
 * kernel. */
static void
chosen(struct unit_ctx *t)
{
	static const char one[] = "kernel one<T in {i32, f32}, static N in 1..=4>(a: T[]) block(32) {\n"
				  "  for i in grid(a.len) { unroll for j in 0..N { a[i] = a[i] + T(j); } }\n"
				  "}\n",
			  other[] = "kernel one<T in {i32, f32}, static N in 1..=4>(a: T[]) block(32) {\n"
				    "  for i in grid(a.len) { unroll for j in 0..N { a[i] = a[i] - T(j); } }\n"
				    "}\n";
	static const struct {
		const char *text;
		qd_type type;
		int32_t n;
		struct disk_want want;
	} rows[] = {
		{ one, QD_TYPE_I32, 2, { .writes = 1, .why = { [WHY_NEW] = 1 } } },
		{ one, QD_TYPE_I32, 3, { .writes = 1, .why = { [WHY_TEMPLATE] = 1 } } },
		{ one, QD_TYPE_F32, 2, { .writes = 1, .why = { [WHY_TEMPLATE] = 1 } } },
		{ other, QD_TYPE_I32, 2, { .writes = 1, .why = { [WHY_NEW] = 1 } } },
		{ one, QD_TYPE_I32, 2, { .hits = 1 } },
	};
	struct disk_rig r;

	if (!disk_rig_begin(t, &r))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct qd_tmpl tmpl[] = { { .name = "T", .type = rows[i].type }, { .name = "N", .value = rows[i].n } };
		struct qd_module *m = NULL;
		struct qd_kernel *k = NULL;
		struct qd_image *img = NULL;
		char what[32];
		if (!disk_rig_context(t, &r, QD_CACHE_ON))
			return;
		qd_status st = qd_module_parse(r.ctx, rows[i].text, strlen(rows[i].text), "one.qdk", &m, &r.e);
		st = st ? st : qd_module_kernel(m, "one", tmpl, 2, &k, &r.e);
		st = st ? st : qd_compile(r.ctx, k, target, NULL, 0, &img, &r.e);
		UNIT_CHECK(t, st == QD_OK, "%s", r.e.text);
		if (st == QD_OK)
			disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		snprintf(what, sizeof what, "row %zu", i);
		disk_rig_want(t, &r, what, rows[i].want);
		qd_image_free(img);
		qd_kernel_free(k);
		qd_module_free(m);
		disk_rig_shut(t, &r);
	}
	disk_rig_end(t, &r);
}

/* Checks that the least recently used entries are removed, only as many as necessary. A hit is a
 * use, old temporaries are removed, and a removed entry is reported as evicted. */
static void
sweeping(struct unit_ctx *t)
{
	enum { N = 6 };
	struct disk_rig r;
	struct disk_dir d;
	struct disk_total gone;
	struct stat st;
	char path[N][256], temporary[2][256];
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	for (int l = 0; l < N; l++) {
		struct qd_image *img = disk_rig_image(t, &r, target, l);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		qd_image_free(img);
	}
	disk_rig_shut(t, &r);
	for (unsigned i = 0; i < N; i++) {
		disk_rig_file(&r, false, i, path[i]);
		set_age(path[i], 10000 + 1000 * i);
	}
	stat(path[0], &st);
	/* Use all entries except the newest, which becomes the least recently used one. */
	if (!disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	for (int l = 0; l < N; l++) {
		struct qd_image *img = disk_rig_image(t, &r, target, l);
		struct disk_ask a;
		uint64_t before = disk_rig_stats(&r).disk_hits;
		disk_ask(&a, img, DISK_CUBIN, &disk_rig_driver);
		char name[FILE_NAME];
		file_name(name, (uint64_t[]){ a.hash.lo, a.hash.hi });
		if (!strstr(path[0], name))
			disk_took(&a);
		disk_done(&a);
		UNIT_CHECK(t, disk_rig_stats(&r).disk_hits == before + !strstr(path[0], name), "%d", l);
		qd_image_free(img);
	}
	snprintf(temporary[0], sizeof temporary[0], "%.*s/tmp-0123456789abcdef",
		 (int)(strrchr(path[1], '/') - path[1]), path[1]);
	snprintf(temporary[1], sizeof temporary[1], "%s/v1/names/tmp-fedcba9876543210", r.dir);
	for (int i = 0; i < 2; i++)
		disk_rig_write(temporary[i], "x", 1);
	set_age(temporary[0], 700);
	UNIT_CHECK(t, disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) == QD_OK, "%s", r.e.text);
	/* Within the limit, only old temporaries are removed. */
	UNIT_CHECK(t, disk_sweep(&d, 1 << 20, TEMPORARY_AGE, &gone, &r.e) == QD_OK && !gone.entries &&
			      gone.temporaries == 1 && access(temporary[0], F_OK) != 0 &&
			      access(temporary[1], F_OK) == 0,
		   "%u entries, %u temporaries", (unsigned)gone.entries, (unsigned)gone.temporaries);
	/* Slightly above the limit, only the unused entry is removed. */
	uint64_t most = ((uint64_t)st.st_size * N - 1) * 16 / 15;
	UNIT_CHECK(t, disk_sweep(&d, most, 0, &gone, &r.e) == QD_OK && gone.entries == 1 &&
			      gone.temporaries == 1 && access(path[0], F_OK) != 0,
		   "%u entries", (unsigned)gone.entries);
	/* Another process holds the lock. */
	char lock[256];
	snprintf(lock, sizeof lock, "%s/v1/lock", r.dir);
	int held = open(lock, O_RDWR);
	struct disk_dir copy = d;
	UNIT_CHECK(t, held >= 0 && flock(held, LOCK_EX) == 0, "flock");
	UNIT_CHECK(t, disk_sweep(&copy, 1, 0, &gone, &r.e) == QD_OK && !gone.entries &&
			      disk_rig_count(&r, false) == N - 1, "%u entries", (unsigned)gone.entries);
	close(held);
	UNIT_CHECK(t, disk_sweep(&d, 1, 0, &gone, &r.e) == QD_OK && gone.entries == N - 1 &&
			      gone.index_files == 1, "%u entries", (unsigned)gone.entries);
	disk_dir_close(&d);
	disk_rig_end(t, &r);
}

/* Checks that the cache stays within its limit, however much is written. */
static void
bounded(struct unit_ctx *t)
{
	enum { MOST = 64 << 10, SIZE = 3000, N = 120 };
	struct disk_rig r;
	struct disk_dir d;
	struct disk_total total;
	char text[64];
	if (!disk_rig_begin(t, &r))
		return;
	disk_rig_env("QD_CACHE_MAXSIZE", "64K");
	if (!disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	struct qd_image *img = disk_rig_image(t, &r, target, 3);
	uint64_t worst = 0;
	for (int i = 0; i < N; i++) {
		struct disk_driver driver = { "test", text, "a device" };
		snprintf(text, sizeof text, "%d", i);
		disk_rig_ask(t, &r, img, &driver, SIZE);
		if (i % 10 != 9)
			continue;
		disk_flush(r.ctx);
		UNIT_CHECK(t, disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) == QD_OK &&
				      disk_total(&d, &total, &r.e) == QD_OK, "%s", r.e.text);
		disk_dir_close(&d);
		if (total.bytes + total.index_bytes > worst)
			worst = total.bytes + total.index_bytes;
	}
	UNIT_CHECK(t, worst > MOST / 2 && worst <= MOST, "%llu bytes",
		   (unsigned long long)worst);
	UNIT_CHECK(t, total.index_files == 1 && total.index_bytes <= MAX_MARKS * sizeof(struct mark),
		   "%u bytes of index", (unsigned)total.index_bytes);
	/* Recently evicted entries are still in the index; the oldest are not. */
	struct disk_driver late = { "test", "80", "a device" };
	uint64_t evicted = disk_rig_stats(&r).disk_evicted;
	disk_rig_ask(t, &r, img, &late, SIZE);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_evicted == evicted + 1, "not reported as evicted");
	/* An entry larger than half the limit is not stored. */
	struct disk_driver large = { "test", "large", "a device" };
	disk_rig_ask(t, &r, img, &large, MOST);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_dropped == 1, "%llu dropped",
		   (unsigned long long)disk_rig_stats(&r).disk_dropped);
	qd_image_free(img);
	disk_rig_end(t, &r);
	disk_rig_env_back();
}

/* Checks that many processes that write little each stay within the limit together. */
static void
bounded_together(struct unit_ctx *t)
{
	enum { MOST = 300 << 10, SIZE = 9000, N = 100 };
	struct disk_rig r;
	struct disk_dir d;
	struct disk_total total;
	uint64_t worst = 0;
	char text[64];
	if (!disk_rig_begin(t, &r))
		return;
	disk_rig_env("QD_CACHE_MAXSIZE", "300K");
	for (int i = 0; i < N; i++) {
		struct disk_driver driver = { "test", text, "a device" };
		snprintf(text, sizeof text, "%d", i);
		if (!disk_rig_context(t, &r, QD_CACHE_ON))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, i % 6);
		disk_rig_ask(t, &r, img, &driver, SIZE);
		disk_flush(r.ctx);
		UNIT_CHECK(t, disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) == QD_OK &&
				      disk_total(&d, &total, &r.e) == QD_OK, "%s", r.e.text);
		disk_dir_close(&d);
		if (total.bytes + total.index_bytes > worst)
			worst = total.bytes + total.index_bytes;
		qd_image_free(img);
		disk_rig_shut(t, &r);
	}
	UNIT_CHECK(t, worst > MOST / 2 && worst <= MOST, "%llu bytes", (unsigned long long)worst);
	disk_rig_end(t, &r);
	disk_rig_env_back();
}

/* -- Forks -------------------------------------------------------------------------- */

/* Forks while the cache's thread has pending writes. The child must not use the parent's cache, and
 * can use one of its own. */
static void
forks(struct unit_ctx *t)
{
	struct disk_rig r;
#if defined(QD_ASAN) || defined(QD_TSAN)
	unit_skip(t, "a sanitizer's own locks do not survive a fork of a threaded process");
	return;
#endif
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	for (int i = 0; i < 20; i++) {
		struct qd_image *img = disk_rig_image(t, &r, target, i % 6);
		char text[16];
		struct disk_driver driver = { "test", text, "a device" };
		snprintf(text, sizeof text, "%d", i);
		disk_rig_ask(t, &r, img, &driver, 100000);
		pid_t pid = fork();
		if (pid == 0) {
			static struct unit_ctx mine;
			struct disk_rig c = r;
			alarm(30);
			unit_alloc_init(&c.alloc);
			qd_context_free(r.ctx); /* has no effect in the child */
			if (disk_rig_context(&mine, &c, QD_CACHE_ON)) {
				/* The parent may have written it by now. */
				struct qd_image *own = disk_rig_image(&mine, &c, target, i % 6);
				disk_rig_ask(&mine, &c, own, &driver, 100000);
				qd_image_free(own);
				disk_rig_shut(&mine, &c);
			}
			_exit(mine.n_failed != 0);
		}
		int status = 0;
		waitpid(pid, &status, 0);
		UNIT_CHECK(t, status == 0, "child %d: %x", i, (unsigned)status);
		qd_image_free(img);
	}
	UNIT_CHECK(t, disk_rig_stats(&r).disk_writes == 20, "%llu writes",
		   (unsigned long long)disk_rig_stats(&r).disk_writes);
	disk_rig_end(t, &r);
}

const struct unit units_disk[] = {
	{ "disk.reasons", reasons }, { "disk.reported", reported },	    { "disk.chosen", chosen },	    { "disk.no_kernel", no_kernel },
	{ "disk.listing", listing }, { "disk.sweeping", sweeping }, { "disk.bounded", bounded },
	{ "disk.bounded_together", bounded_together },
	{ "disk.forks", forks },
};
const unsigned n_units_disk = QD_COUNT(units_disk);
