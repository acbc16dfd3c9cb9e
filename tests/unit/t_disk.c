/* The disk cache without a driver: which folder it is, what is found again, why something
 * is not, what is listed and swept. */
#include "disk_rig.h"

#include <fcntl.h>
#include <sys/file.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char target[] = "ptx:sm_90";

#define WHY(row) .why = { [WHY_##row] = 1 }

/* -- Hits and reasons --------------------------------------------------------------- */

/* One question in a context of its own. */
static void
ask_once(struct unit_ctx *t, struct disk_rig *r, const char *what, const char *on, int l,
	 const struct disk_driver *driver, struct disk_want want)
{
	if (!disk_rig_context(t, r, QD_CACHE_ON))
		return;
	struct qd_image *img = disk_rig_image(t, r, on, l);
	disk_rig_ask(t, r, img, driver, 1000);
	disk_rig_want(t, r, what, want);
	qd_image_free(img);
	disk_rig_shut(t, r);
}

/* The same image as another version of the back end would have emitted it. */
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
	ask_once(t, &r, "cold", target, 3, &disk_rig_driver, (struct disk_want){ .writes = 1, WHY(NEW) });
	ask_once(t, &r, "warm", target, 3, &disk_rig_driver, (struct disk_want){ .hits = 1 });
	ask_once(t, &r, "values", target, 4, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, WHY(TEMPLATE) });
	ask_once(t, &r, "driver", target, 3, &newer, (struct disk_want){ .writes = 1, WHY(DRIVER) });
	ask_once(t, &r, "device", target, 3, &other, (struct disk_want){ .writes = 1, WHY(DEVICE) });
	ask_once(t, &r, "target", "ptx:sm_80", 3, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, WHY(DEVICE) });
	ask_once(t, &r, "back end", "spirv:w32", 3, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, WHY(DEVICE) });
	ask_emitter(t, &r, 1, (struct disk_want){ .writes = 1, WHY(EMITTER) });
	ask_emitter(t, &r, 1, (struct disk_want){ .hits = 1 });
	UNIT_CHECK(t, disk_rig_count(&r, false) == 7 && disk_rig_count(&r, true) == 1, "%u entries, %u",
		   disk_rig_count(&r, false), disk_rig_count(&r, true));
	/* What is gone, whoever took it, is told from what never was. */
	while (disk_rig_file(&r, false, 0, path))
		unlink(path);
	ask_once(t, &r, "gone", target, 3, &disk_rig_driver,
		 (struct disk_want){ .writes = 1, WHY(EVICTED) });
	disk_rig_env("QD_CACHE", NULL);
	if (disk_rig_context(t, &r, QD_CACHE_OFF)) {
		struct qd_image *img = disk_rig_image(t, &r, target, 3);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		disk_rig_want(t, &r, "off", (struct disk_want){ WHY(OFF) });
		qd_image_free(img);
	}
	disk_rig_end(t, &r);
	disk_rig_env_back();
}

/* The log says the same. */
static void
told(struct unit_ctx *t)
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

/* An image that came without a kernel is known by its code. */
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
						    : (struct disk_want){ .writes = 1, WHY(NEW) });
		/* With its kernel it is another. */
		disk_rig_ask(t, &r, img, &disk_rig_driver, 10);
		UNIT_CHECK(t, disk_rig_stats(&r).disk_hits == (i == 1 ? 2 : 0), "%d: taken for it", i);
		qd_image_free(img);
		disk_rig_shut(t, &r);
	}
	disk_rig_end(t, &r);
}

/* -- Settings ----------------------------------------------------------------------- */

static void
variables(struct unit_ctx *t)
{
	static const struct {
		const char *cache, *most;
		qd_cache_mode mode;
		enum disk_mode want;
		uint64_t want_most;
		const char *log;
	} rows[] = {
		{ NULL, NULL, QD_CACHE_DEFAULT, DISK_ON, 256 << 20, "" },
		{ "", "", QD_CACHE_DEFAULT, DISK_ON, 256 << 20, "" },
		{ "1", "0", QD_CACHE_DEFAULT, DISK_ON, 0, "" },
		{ "0", "64M", QD_CACHE_DEFAULT, DISK_OFF, 256 << 20, "" },
		{ "ro", "4096", QD_CACHE_DEFAULT, DISK_READ, 4096, "" },
		{ "0", "2G", QD_CACHE_ON, DISK_ON, UINT64_C(2) << 30, "" },
		{ "1", "7K", QD_CACHE_READ_ONLY, DISK_READ, 7 << 10, "" },
		{ "1", NULL, QD_CACHE_OFF, DISK_OFF, 256 << 20, "" },
		{ "yes", NULL, QD_CACHE_DEFAULT, DISK_ON, 256 << 20,
		  "QD_CACHE='yes' is ignored: it takes 0, ro or 1" },
		{ "yes", NULL, QD_CACHE_ON, DISK_ON, 256 << 20, "" },
		{ "1", "256MB", QD_CACHE_DEFAULT, DISK_ON, 256 << 20,
		  "QD_CACHE_MAXSIZE='256MB' is ignored: it takes a number of bytes, or one with K, M or G "
		  "behind it, as 256M; 0 is no limit" },
		{ "1", "-1", QD_CACHE_DEFAULT, DISK_ON, 256 << 20, "QD_CACHE_MAXSIZE='-1' is ignored" },
		{ "1", "99999999999999999999", QD_CACHE_DEFAULT, DISK_ON, 256 << 20, "is ignored" },
		{ "1", "18014398509481984G", QD_CACHE_DEFAULT, DISK_ON, 256 << 20, "is ignored" },
		{ "2", "x", QD_CACHE_DEFAULT, DISK_ON, 256 << 20,
		  "QD_CACHE='2' is ignored: it takes 0, ro or 1; QD_CACHE_MAXSIZE='x' is ignored" },
	};
	struct disk_rig r;
	if (!disk_rig_begin(t, &r))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct disk_settings s;
		struct disk_ask a;
		disk_rig_env("QD_CACHE", rows[i].cache);
		disk_rig_env("QD_CACHE_MAXSIZE", rows[i].most);
		if (!disk_rig_context(t, &r, rows[i].mode))
			break;
		disk_settings(r.ctx, &s);
		UNIT_CHECK(t, s.mode == rows[i].want && s.most == rows[i].want_most &&
				      (rows[i].log[0] ? strstr(s.wrong, rows[i].log) != NULL : !s.wrong[0]),
			   "row %zu: mode %d, %llu bytes: %s", i, (int)s.mode, (unsigned long long)s.most,
			   s.wrong);
		/* Told once, by whoever asks first. */
		struct qd_image *img = disk_rig_image(t, &r, target, 1);
		for (int n = 0; n < 2; n++) {
			bool on = disk_ask(&a, img, DISK_CUBIN, &disk_rig_driver);
			UNIT_CHECK(t, on == (rows[i].want == DISK_ON), "row %zu: %d", i, on);
			disk_done(&a);
		}
		const char *at = strstr(r.log, "ignored");
		UNIT_CHECK(t, rows[i].log[0] ? strncmp(r.log, "2 QD_CACHE", 10) == 0 &&
						       strchr(r.log, '\n') == r.log + strlen(r.log) - 1
					     : !at,
			   "row %zu: %s", i, r.log);
		qd_image_free(img);
		disk_rig_shut(t, &r);
		char path[256];
		while (disk_rig_file(&r, false, 0, path))
			unlink(path);
		snprintf(path, sizeof path, "%s/v1/lock", r.dir);
		unlink(path);
		snprintf(path, sizeof path, "%s/v1", r.dir);
		rmdir(path);
		rmdir(r.dir);
	}
	disk_rig_end(t, &r);
	disk_rig_env_back();
	struct qd_context_desc desc = { .version = QD_VERSION, .cache_mode = 4 };
	struct qd_context *ctx;
	struct qd_error e;
	UNIT_CHECK(t, qd_context_create(&desc, &ctx, &e) == QD_E_INVALID && strstr(e.text, "cache_mode"),
		   "%s", e.text);
}

static void
places(struct unit_ctx *t)
{
	struct disk_rig r;
	char dir[128], home[128], xdg[128], want[160], cut[100];
	if (!disk_rig_begin(t, &r))
		return;
	snprintf(dir, sizeof dir, "%s/d", r.top);
	snprintf(home, sizeof home, "%s/h", r.top);
	snprintf(xdg, sizeof xdg, "%s/x", r.top);
	snprintf(cut, sizeof cut, "%.90s", strrchr(r.top, '/') + 1);
	mkdir(home, 0700);
	const struct {
		const char *given, *dir, *xdg, *home, *want, *below;
	} rows[] = {
		{ r.dir, dir, xdg, home, r.dir, "" }, { NULL, dir, xdg, home, dir, "" },
		{ "", dir, xdg, home, dir, "" },      { NULL, NULL, xdg, home, xdg, "/qd" },
		{ NULL, "", cut, home, home, "/.cache/qd" },
		{ NULL, NULL, NULL, home, home, "/.cache/qd" },
		{ NULL, NULL, NULL, "/nonexistent", NULL, "" },
		{ NULL, NULL, NULL, NULL, NULL, "" },
	};
	disk_rig_env("QD_CACHE", NULL);
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct stat st;
		disk_rig_env("QD_CACHE_DIR", rows[i].dir);
		disk_rig_env("XDG_CACHE_HOME", rows[i].xdg);
		disk_rig_env("HOME", rows[i].home);
		if (!disk_rig_context_at(t, &r, QD_CACHE_DEFAULT, rows[i].given))
			break;
		struct qd_image *img = disk_rig_image(t, &r, target, 1);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 100);
		qd_image_free(img);
		disk_rig_want(t, &r, "place", rows[i].want ? (struct disk_want){ .writes = 1, WHY(NEW) }
							   : (struct disk_want){ WHY(OFF) });
		snprintf(want, sizeof want, "%s%s/v1/names", rows[i].want ? rows[i].want : "", rows[i].below);
		UNIT_CHECK(t, !rows[i].want || (stat(want, &st) == 0 && (st.st_mode & 0777) == 0700),
			   "row %zu: no %s", i, want);
		UNIT_CHECK(t, !r.log[0], "row %zu: %s", i, r.log);
		disk_rig_shut(t, &r);
		if (rows[i].want) {
			char command[256];
			snprintf(command, sizeof command, "rm -rf '%s%s'", rows[i].want, rows[i].below);
			UNIT_CHECK(t, system(command) == 0, "%s", command);
		}
	}
	disk_rig_end(t, &r);
	disk_rig_env_back();
}

/* A folder that is not the user's own, or that others write to, is not used; it costs a
 * warning and nothing else. */
static void
trust(struct unit_ctx *t)
{
	static const struct {
		const char *what, *below, *part;
		mode_t mode;
		bool foreign, reads; /* reads: for who only reads it will do */
	} rows[] = {
		{ "group", "", "others may write to it (chmod go-w)", 0770, false, false },
		{ "others", "", "others may write to it (chmod go-w)", 0702, false, false },
		{ "v1", "/v1", "others may write to it (chmod go-w)", 0770, false, false },
		{ "foreign", "", "it belongs to another user", 0700, true, false },
		{ "foreign v1", "/v1", "it belongs to another user", 0700, true, false },
		{ "readable", "", NULL, 0755, false, true },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct disk_rig r;
		char path[160];
		if (rows[i].foreign && geteuid() != 0)
			continue; /* only root can give a folder away */
		if (!disk_rig_begin(t, &r))
			return;
		snprintf(path, sizeof path, "%s/v1", r.dir);
		mkdir(r.dir, 0700);
		mkdir(path, 0700);
		snprintf(path, sizeof path, "%s%s", r.dir, rows[i].below);
		chmod(path, rows[i].mode);
		UNIT_CHECK(t, !rows[i].foreign || chown(path, 12345, (gid_t)-1) == 0, "chown");
		for (int n = 0; n < 2; n++) {
			if (!disk_rig_context(t, &r, n ? QD_CACHE_READ_ONLY : QD_CACHE_ON))
				return;
			struct qd_image *img = disk_rig_image(t, &r, target, 1);
			disk_rig_ask(t, &r, img, &disk_rig_driver, 100);
			disk_rig_want(t, &r, rows[i].what,
				      rows[i].part ? (struct disk_want){ WHY(OFF) } :
				      n ? (struct disk_want){ .hits = 1 } :
					  (struct disk_want){ .writes = 1, WHY(NEW) });
			UNIT_CHECK(t, rows[i].part ? strncmp(r.log, "2 the cache's folder '", 22) == 0 &&
							     strstr(r.log, rows[i].part) &&
							     strstr(r.log, "; nothing is kept\n")
						   : !r.log[0],
				   "%s: %s", rows[i].what, r.log);
			qd_image_free(img);
			disk_rig_shut(t, &r);
		}
		disk_rig_end(t, &r);
	}
}

/* Nothing is made, written or removed by who only reads. */
static void
read_only(struct unit_ctx *t)
{
	struct disk_rig r;
	struct stat st;
	char path[256];
	if (!disk_rig_begin(t, &r))
		return;
	for (int i = 0; i < 4; i++) {
		/* No folder, then nothing for this image, then its entry, then that damaged. */
		if (i == 1 || i == 2)
			ask_once(t, &r, "rw", target, i + 1, &disk_rig_driver,
				 i == 1 ? (struct disk_want){ .writes = 1, WHY(NEW) }
					: (struct disk_want){ .writes = 1, WHY(TEMPLATE) });
		for (unsigned f = 0; i == 3 && disk_rig_file(&r, false, f, path); f++)
			disk_rig_write(path, "none", 4);
		if (!disk_rig_context(t, &r, QD_CACHE_READ_ONLY))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, 3);
		unsigned files = disk_rig_count(&r, false);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		static const struct disk_want want[] = {
			{ WHY(OFF) }, { WHY(TEMPLATE) }, { .hits = 1 }, { WHY(DAMAGED) },
		};
		disk_rig_want(t, &r, "ro", want[i]);
		UNIT_CHECK(t, disk_rig_count(&r, false) == files && !r.log[0], "%d: %s", i, r.log);
		UNIT_CHECK(t, i || stat(r.dir, &st) != 0, "a folder was made");
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
	/* One byte more, and one entry under another's name: both are found, and removed where
	 * that is asked for. */
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
	/* What is not the cache's stays. */
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

/* Those used longest ago go, so many as must; a hit counts as a use; what writers left
 * goes when it is old; and an entry that had to go is told as such. */
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
	/* All are asked for but the one whose turn it would be last: by then it is first. */
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
	/* Room for all: nothing goes but what is old and nobody's. */
	UNIT_CHECK(t, disk_sweep(&d, 1 << 20, TEMPORARY_AGE, &gone, &r.e) == QD_OK && !gone.entries &&
			      gone.temporaries == 1 && access(temporary[0], F_OK) != 0 &&
			      access(temporary[1], F_OK) == 0,
		   "%u entries, %u temporaries", (unsigned)gone.entries, (unsigned)gone.temporaries);
	/* A little too much: one entry goes, the one that was not used. */
	uint64_t most = ((uint64_t)st.st_size * N - 1) * 16 / 15;
	UNIT_CHECK(t, disk_sweep(&d, most, 0, &gone, &r.e) == QD_OK && gone.entries == 1 &&
			      gone.temporaries == 1 && access(path[0], F_OK) != 0,
		   "%u entries", (unsigned)gone.entries);
	/* Another process is at it. */
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

/* However much is written, so much stays. */
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
	/* An eighth may come before somebody looks. */
	UNIT_CHECK(t, worst > MOST / 2 && worst <= MOST + MOST / 8 + SIZE, "%llu bytes",
		   (unsigned long long)worst);
	UNIT_CHECK(t, total.index_files == 1 && total.index_bytes <= MAX_MARKS * sizeof(struct mark),
		   "%u bytes of index", (unsigned)total.index_bytes);
	/* The first is long gone, even from the index; a late one had to go. */
	struct disk_driver late = { "test", "80", "a device" };
	uint64_t evicted = disk_rig_stats(&r).disk_evicted;
	disk_rig_ask(t, &r, img, &late, SIZE);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_evicted == evicted + 1, "not told as evicted");
	/* What is larger than half of all is not kept. */
	struct disk_driver large = { "test", "large", "a device" };
	disk_rig_ask(t, &r, img, &large, MOST);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_dropped == 1, "%llu dropped",
		   (unsigned long long)disk_rig_stats(&r).disk_dropped);
	qd_image_free(img);
	disk_rig_end(t, &r);
	disk_rig_env_back();
}

/* -- Forks -------------------------------------------------------------------------- */

/* A child of a process whose thread has something to write: the parent's cache is not its
 * own, and one of its own is as good as any. */
static void
forks(struct unit_ctx *t)
{
	struct disk_rig r;
#if defined(QD_ASAN) || defined(QD_TSAN)
	unit_skip(t, "a sanitizer's own locks do not survive a fork beside threads");
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
			qd_context_free(r.ctx); /* does nothing */
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
	{ "disk.reasons", reasons }, { "disk.told", told },	    { "disk.no_kernel", no_kernel },
	{ "disk.variables", variables }, { "disk.places", places }, { "disk.trust", trust },
	{ "disk.read_only", read_only }, { "disk.listing", listing }, { "disk.sweeping", sweeping },
	{ "disk.bounded", bounded },	 { "disk.forks", forks },
};
const unsigned n_units_disk = QD_COUNT(units_disk);
