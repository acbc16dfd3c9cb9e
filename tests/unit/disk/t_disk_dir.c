/* Directory of the disk cache: its choice, its owner and permissions, and the environment
 * variables. */
#include "disk_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char target[] = "ptx:sm_90";

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
		  "QD_CACHE_MAXSIZE='256MB' is ignored: it takes a number of bytes, with an optional suffix K, M or G, such as 256M; 0 means no limit" },
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
		/* Reported once, at the first lookup. */
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
		disk_rig_want(t, &r, "place", rows[i].want ? (struct disk_want){ .writes = 1, DISK_WHY(NEW) }
							   : (struct disk_want){ DISK_WHY(OFF) });
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

/* Checks that a directory with another owner, or that others can write to, is not used. This causes
 * only a warning. */
static void
trust(struct unit_ctx *t)
{
	static const struct {
		const char *what, *below, *part;
		mode_t mode;
		bool foreign, reads; /* reads: usable without writing */
	} rows[] = {
		{ "group", "", "other users can write to it (chmod go-w)", 0770, false, false },
		{ "others", "", "other users can write to it (chmod go-w)", 0702, false, false },
		{ "v1", "/v1", "other users can write to it (chmod go-w)", 0770, false, false },
		{ "foreign", "", "it belongs to another user", 0700, true, false },
		{ "foreign v1", "/v1", "it belongs to another user", 0700, true, false },
		{ "readable", "", NULL, 0755, false, true },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct disk_rig r;
		char path[160];
		if (rows[i].foreign && geteuid() != 0)
			continue; /* only root can change an owner */
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
				      rows[i].part ? (struct disk_want){ DISK_WHY(OFF) } :
				      n ? (struct disk_want){ .hits = 1 } :
					  (struct disk_want){ .writes = 1, DISK_WHY(NEW) });
			UNIT_CHECK(t, rows[i].part ? strncmp(r.log, "2 the cache directory '", 22) == 0 &&
							     strstr(r.log, rows[i].part) &&
							     strstr(r.log, "; nothing is stored\n")
						   : !r.log[0],
				   "%s: %s", rows[i].what, r.log);
			qd_image_free(img);
			disk_rig_shut(t, &r);
		}
		disk_rig_end(t, &r);
	}
}

/* Checks that root with another user's variables creates nothing in that user's directories. */
static void
borrowed(struct unit_ctx *t)
{
	static const char *const names[] = { "QD_CACHE_DIR", "XDG_CACHE_HOME", NULL };
	struct disk_rig r;
	char theirs[128], dir[160];
	struct stat st;
	if (geteuid() != 0) {
		unit_skip(t, "only root can change the owner of a directory");
		return;
	}
	for (size_t i = 0; i < QD_COUNT(names); i++) {
		if (!disk_rig_begin(t, &r))
			return;
		snprintf(theirs, sizeof theirs, "%s/theirs", r.top);
		snprintf(dir, sizeof dir, "%s/a/b", theirs);
		mkdir(theirs, 0755);
		UNIT_CHECK(t, chown(theirs, 12345, (gid_t)-1) == 0, "chown");
		disk_rig_env("QD_CACHE_DIR", NULL);
		if (names[i])
			disk_rig_env(names[i], dir);
		if (!disk_rig_context_at(t, &r, QD_CACHE_ON, names[i] ? NULL : dir))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, 1);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 100);
		disk_rig_want(t, &r, "borrowed", (struct disk_want){ DISK_WHY(OFF) });
		UNIT_CHECK(t, strstr(r.log, "2 the cache directory '") == r.log &&
				      strstr(r.log, "it would be created in another user's directory"),
			   "row %zu: '%s'", i, r.log);
		snprintf(dir, sizeof dir, "%s/a", theirs);
		UNIT_CHECK(t, stat(dir, &st) != 0, "row %zu: a directory was created", i);
		qd_image_free(img);
		disk_rig_shut(t, &r);
		disk_rig_end(t, &r);
		disk_rig_env_back();
	}
}

/* Checks that a requested directory that cannot be used causes a warning. */
static void
asked_for(struct unit_ctx *t)
{
	char file[128], below[160], too_long[1200];
	struct disk_rig r;
	if (!disk_rig_begin(t, &r))
		return;
	snprintf(file, sizeof file, "%s/file", r.top);
	snprintf(below, sizeof below, "%s/below", file);
	disk_rig_write(file, "x", 1);
	memset(too_long, 'x', sizeof too_long - 1);
	too_long[0] = '/';
	too_long[sizeof too_long - 1] = '\0';
	const char *const dirs[] = { file, below, too_long };
	for (size_t i = 0; i < 2 * QD_COUNT(dirs); i++) {
		qd_cache_mode mode = i & 1 ? QD_CACHE_READ_ONLY : QD_CACHE_ON;
		if (!disk_rig_context_at(t, &r, mode, dirs[i / 2]))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, 1);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 100);
		UNIT_CHECK(t, strncmp(r.log, "2 the ", 6) == 0 && strstr(r.log, "; nothing is stored\n") &&
				      strchr(r.log, '\n')[1] == '\0',
			   "row %zu: '%s'", i, r.log);
		qd_image_free(img);
		disk_rig_shut(t, &r);
	}
	disk_rig_end(t, &r);
}

/* Checks that nothing is created, written or removed in read-only mode. */
static void
read_only(struct unit_ctx *t)
{
	struct disk_rig r;
	struct stat st;
	char path[256];
	if (!disk_rig_begin(t, &r))
		return;
	for (int i = 0; i < 4; i++) {
		/* No directory, no entry for this image, its entry, its entry damaged. */
		if (i == 1 || i == 2)
			disk_rig_once(t, &r, "rw", target, i + 1, &disk_rig_driver,
				 i == 1 ? (struct disk_want){ .writes = 1, DISK_WHY(NEW) }
					: (struct disk_want){ .writes = 1, DISK_WHY(TEMPLATE) });
		for (unsigned f = 0; i == 3 && disk_rig_file(&r, false, f, path); f++)
			disk_rig_write(path, "none", 4);
		if (!disk_rig_context(t, &r, QD_CACHE_READ_ONLY))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, 3);
		unsigned files = disk_rig_count(&r, false);
		disk_rig_ask(t, &r, img, &disk_rig_driver, 1000);
		static const struct disk_want want[] = {
			{ DISK_WHY(OFF) }, { DISK_WHY(TEMPLATE) }, { .hits = 1 }, { DISK_WHY(DAMAGED) },
		};
		disk_rig_want(t, &r, "ro", want[i]);
		UNIT_CHECK(t, disk_rig_count(&r, false) == files && !r.log[0], "%d: %s", i, r.log);
		UNIT_CHECK(t, i || stat(r.dir, &st) != 0, "a directory was created");
		qd_image_free(img);
		disk_rig_shut(t, &r);
	}
	disk_rig_end(t, &r);
}

const struct unit units_disk_dir[] = {
	{ "disk_dir.variables", variables },
	{ "disk_dir.places", places },
	{ "disk_dir.trust", trust },
	{ "disk_dir.borrowed", borrowed },
	{ "disk_dir.asked_for", asked_for },
	{ "disk_dir.read_only", read_only },
};
const unsigned n_units_disk_dir = QD_COUNT(units_disk_dir);
