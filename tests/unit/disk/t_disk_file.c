/* Damaged entries: flipped bits, truncation, and other kinds of files in their place. */
#include "disk_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char target[] = "ptx:sm_90";
enum { SIZE = 1000 };

static unsigned
iterations(unsigned usual)
{
	const char *s = getenv("QD_TEST_ITERATIONS");
	return s ? (unsigned)strtoul(s, NULL, 10) : usual;
}

/* Stores an entry and returns its bytes. */
static char *
make_entry(struct unit_ctx *t, struct disk_rig *r, char path[256], size_t *size)
{
	struct qd_image *img = disk_rig_image(t, r, target, 3);
	disk_rig_ask(t, r, img, &disk_rig_driver, SIZE);
	disk_flush(r->ctx);
	qd_image_free(img);
	if (!disk_rig_file(r, false, 0, path)) {
		UNIT_CHECK(t, false, "no entry: %s", r->log);
		return NULL;
	}
	return disk_rig_read(path, size);
}

/* Reads a copy in a separate block, so that a sanitizer detects reads past the end. */
static const char *
examine(const char *p, size_t size)
{
	static struct entry e; /* static, because it holds the returned text */
	char *copy = malloc(size ? size : 1);
	memcpy(copy, p, size);
	const char *wrong = entry_read(copy, size, &e);
	free(copy);
	return wrong;
}

/* -- Bits --------------------------------------------------------------------------- */

/* Checks that each flipped bit, each truncation, and several flipped bits are detected. */
static void
bits(struct unit_ctx *t)
{
	struct disk_rig r;
	struct unit_rng rng = { 7 };
	char path[256];
	size_t size;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	char *p = make_entry(t, &r, path, &size);
	if (!p)
		return;
	UNIT_CHECK(t, !examine(p, size), "%s", examine(p, size));
	for (size_t i = 0; i < 8 * size; i++) {
		p[i / 8] ^= (char)(1 << i % 8);
		const char *wrong = examine(p, size);
		UNIT_CHECK(t, wrong && strncmp(wrong, "offset 0x", 9) == 0, "bit %zu of %zu: %s", i, 8 * size, wrong ? wrong : "may change");
		p[i / 8] ^= (char)(1 << i % 8);
	}
	for (size_t n = 0; n < size; n++) {
		const char *wrong = examine(p, n);
		UNIT_CHECK(t, wrong && strncmp(wrong, "offset 0x", 9) == 0, "%zu bytes of %zu: %s", n, size, wrong ? wrong : "enough");
	}
	for (unsigned i = 0; i < iterations(5000); i++) {
		uint64_t at[4];
		for (int k = 0; k < 4; k++) {
			at[k] = unit_random(&rng) % (8 * size);
			p[at[k] / 8] ^= (char)(1 << at[k] % 8);
		}
		bool same = (at[0] == at[1] && at[2] == at[3]) || (at[0] == at[2] && at[1] == at[3]) ||
			    (at[0] == at[3] && at[1] == at[2]);
		UNIT_CHECK(t, same || examine(p, size), "round %u", i);
		for (int k = 4; k-- > 0;)
			p[at[k] / 8] ^= (char)(1 << at[k] % 8);
	}
	free(p);
	disk_rig_end(t, &r);
}

/* Checks wrong sizes and fields with a correct checksum, which any program with write access to the
 * directory can create. */
static void
sealed(struct unit_ctx *t)
{
	struct disk_rig r;
	struct unit_rng rng = { 9 };
	char path[256];
	size_t size;
	struct entry e;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	char *p = make_entry(t, &r, path, &size);
	if (!p)
		return;
	unsigned n_good = 0;
	UNIT_CHECK(t, !entry_read(p, size, &e), "it was good");
	size_t head = sizeof e.head + e.head.key_size;
	for (unsigned i = 0; i < iterations(20000); i++) {
		size_t n = 24 + unit_random(&rng) % (head - 24), width = 1 + unit_random(&rng) % 8;
		char *copy = malloc(size);
		memcpy(copy, p, size);
		for (size_t k = n; k < n + width && k < head; k++)
			copy[k] = (char)(unit_random(&rng) % 3 ? 0xff : unit_random(&rng));
		entry_seal(copy, size);
		/* Names and code may differ, but every field must be within the entry. */
		if (!entry_read(copy, size, &e)) {
			const uint8_t *end = (const uint8_t *)copy + size;
			n_good++;
			for (int f = 0; f < N_FIELD; f++)
				UNIT_CHECK(t, e.field[f].at >= e.key &&
						      e.field[f].at + e.field[f].size <= e.key + e.head.key_size,
					   "field %d", f);
			UNIT_CHECK(t, e.payload + e.head.payload_size == end &&
					      e.log + e.head.log_size <= e.payload, "payload");
		}
		free(copy);
	}
	UNIT_CHECK(t, n_good > 0, "none was read");
	free(p);
	disk_rig_end(t, &r);
}

/* Checks damaged files. The lookup is a miss with that reason, the file is replaced, and the next
 * lookup is a hit. */
static void
damaged(struct unit_ctx *t)
{
	struct disk_rig r;
	struct unit_rng rng = { 3 };
	char path[256];
	size_t size;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	char *p = make_entry(t, &r, path, &size);
	if (!p)
		return;
	disk_rig_shut(t, &r);
	for (unsigned i = 0; i < 60; i++) {
		uint64_t at = unit_random(&rng) % (8 * size);
		size_t n = i % 5 == 4 ? unit_random(&rng) % size : size;
		if (n == size)
			p[at / 8] ^= (char)(1 << at % 8);
		disk_rig_write(path, p, n);
		if (n == size)
			p[at / 8] ^= (char)(1 << at % 8);
		if (!disk_rig_context(t, &r, QD_CACHE_ON))
			return;
		struct qd_image *img = disk_rig_image(t, &r, target, 3);
		disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
		disk_rig_want(t, &r, "damaged", (struct disk_want){ .writes = 1, .why = { [WHY_DAMAGED] = 1 } });
		disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
		UNIT_CHECK(t, disk_rig_stats(&r).disk_hits == 1 && !r.log[0], "round %u: %s", i, r.log);
		qd_image_free(img);
		disk_rig_shut(t, &r);
	}
	free(p);
	disk_rig_end(t, &r);
}

/* -- Other kinds of files ----------------------------------------------------------- */

static void
put_link(const char *path, const char *top)
{
	char aim[300];
	snprintf(aim, sizeof aim, "%s/elsewhere", top);
	rename(path, aim);
	if (symlink(aim, path) != 0)
		perror(path);
}

static void
put_pipe(const char *path, const char *top)
{
	(void)top;
	unlink(path);
	mkfifo(path, 0600);
}

static void
put_empty(const char *path, const char *top)
{
	(void)top;
	disk_rig_write(path, "", 0);
}

static void
put_large(const char *path, const char *top)
{
	(void)top;
	if (truncate(path, (off_t)MAX_ENTRY + 1) != 0)
		put_empty(path, top);
}

static void
put_writable(const char *path, const char *top)
{
	(void)top;
	chmod(path, 0666);
}

static void
put_foreign(const char *path, const char *top)
{
	if (chown(path, 12345, (gid_t)-1) != 0)
		put_empty(path, top);
}

static void
others(struct unit_ctx *t)
{
	static void (*const put[])(const char *, const char *) = { put_link,  put_pipe,	    put_empty,
								   put_large, put_writable, put_foreign };
	for (size_t i = 0; i < QD_COUNT(put); i++) {
		struct disk_rig r;
		struct stat st;
		char path[256];
		size_t size;
		if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
			return;
		free(make_entry(t, &r, path, &size));
		put[i](path, r.top);
		struct qd_image *img = disk_rig_image(t, &r, target, 3);
		disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
		UNIT_CHECK(t, disk_rig_stats(&r).disk_damaged == 1, "kind %zu: %s", i, r.log);
		disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
		UNIT_CHECK(t, disk_rig_stats(&r).disk_hits == 1 && lstat(path, &st) == 0 &&
				      S_ISREG(st.st_mode) && (st.st_mode & 0777) == 0600 &&
				      st.st_uid == geteuid(),
			   "kind %zu: %s", i, r.log);
		qd_image_free(img);
		disk_rig_end(t, &r);
	}
}

/* Checks that a valid entry under another's name, as after a hash collision, is not used. */
static void
another(struct unit_ctx *t)
{
	struct disk_rig r;
	char mine[256], other[256];
	size_t size;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	free(make_entry(t, &r, mine, &size));
	struct qd_image *img = disk_rig_image(t, &r, target, 4);
	disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
	disk_flush(r.ctx);
	disk_rig_file(&r, false, 0, other);
	if (strcmp(other, mine) == 0)
		disk_rig_file(&r, false, 1, other);
	UNIT_CHECK(t, strcmp(other, mine) != 0 && rename(mine, other) == 0, "%s, %s", mine, other);
	disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_damaged == 1 && !disk_rig_stats(&r).disk_hits, "%s", r.log);
	disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_hits == 1, "%s", r.log);
	qd_image_free(img);
	disk_rig_end(t, &r);
}

/* Checks that a directory in place of an entry is removed with its contents. This costs one
 * miss. */
static void
folder(struct unit_ctx *t)
{
	struct disk_rig r;
	char path[256], below[300], far[128], link[300];
	size_t size;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	free(make_entry(t, &r, path, &size));
	unlink(path);
	mkdir(path, 0700);
	snprintf(below, sizeof below, "%s/folder", path);
	mkdir(below, 0700);
	/* The target of a link in it is kept. */
	snprintf(far, sizeof far, "%s/far", r.top);
	disk_rig_write(far, "x", 1);
	snprintf(link, sizeof link, "%s/link", path);
	UNIT_CHECK(t, symlink(far, link) == 0, "no link");
	struct qd_image *img = disk_rig_image(t, &r, target, 3);
	for (unsigned i = 0; i < 3; i++) {
		disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
		disk_flush(r.ctx);
		struct qd_cache_stats s = disk_rig_stats(&r);
		UNIT_CHECK(t, s.disk_damaged == 1 && !s.disk_dropped && s.disk_hits == i,
			   "%u damaged, %u dropped, %u hits", (unsigned)s.disk_damaged,
			   (unsigned)s.disk_dropped, (unsigned)s.disk_hits);
	}
	UNIT_CHECK(t, access(far, F_OK) == 0 && !r.log[0], "%s", r.log);
	/* qd-aot cache clear removes such a directory too. */
	unlink(path);
	mkdir(path, 0700);
	struct disk_dir d;
	struct disk_total gone;
	UNIT_CHECK(t, !disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) &&
			      !disk_clear(&d, &gone, &r.e) && access(path, F_OK) != 0,
		   "%s", r.e.text);
	disk_dir_close(&d);
	qd_image_free(img);
	disk_rig_end(t, &r);
}

/* Checks that links in the cache's directory are not followed: not for reads, writes or removal. */
static void
links(struct unit_ctx *t)
{
	struct disk_rig r;
	char path[256], sub[256], far[128], there[300];
	struct stat st;
	size_t size, n = 0;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	free(make_entry(t, &r, path, &size));
	snprintf(sub, sizeof sub, "%.*s", (int)(strrchr(path, '/') - path), path);
	snprintf(far, sizeof far, "%s/far", r.top);
	snprintf(there, sizeof there, "%s%s", far, strrchr(path, '/'));
	/* Move the entry's directory elsewhere and replace it with a link. */
	UNIT_CHECK(t, rename(sub, far) == 0 && symlink(far, sub) == 0, "no link");
	struct qd_image *img = disk_rig_image(t, &r, target, 3);
	disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
	struct qd_cache_stats s = disk_rig_stats(&r);
	UNIT_CHECK(t, !s.disk_hits && s.disk_damaged == 1, "%u hits, %u damaged", (unsigned)s.disk_hits,
		   (unsigned)s.disk_damaged);
	disk_flush(r.ctx);
	UNIT_CHECK(t, access(there, F_OK) == 0, "the target of the link was removed");
	free(disk_rig_read(there, &n));
	UNIT_CHECK(t, n == size, "the target of the link was changed: %zu bytes, %zu", n, size);
	UNIT_CHECK(t, lstat(sub, &st) == 0 && S_ISDIR(st.st_mode), "the link still exists");
	disk_rig_ask(t, &r, img, &disk_rig_driver, SIZE);
	UNIT_CHECK(t, disk_rig_stats(&r).disk_hits == 1, "%u hits", (unsigned)disk_rig_stats(&r).disk_hits);
	qd_image_free(img);
	disk_rig_end(t, &r);
}

/* Checks a damaged index. It only gives reasons of misses, so damage loses reasons but never
 * affects entries. */
static void
damaged_index(struct unit_ctx *t)
{
	struct disk_rig r;
	struct mark all[MAX_MARKS], m = { .key = { 1, 2 } };
	struct disk_dir d;
	struct unit_rng rng = { 5 };
	const struct hash128 kernel = { 3, 4 };
	char path[256];
	size_t size;
	if (!disk_rig_begin(t, &r) || !disk_rig_context(t, &r, QD_CACHE_ON))
		return;
	free(make_entry(t, &r, path, &size));
	UNIT_CHECK(t, disk_dir_open(&d, &r.ctx->pool, r.dir, false, false, &r.e) == QD_OK, "%s", r.e.text);
	/* Above the limit the newest marks are kept. */
	for (uint64_t i = 0; i < 3 * MAX_MARKS; i++) {
		m.key[0] = i;
		m.written = i;
		m.sum = hash_bytes(&m.key, sizeof m - sizeof m.sum).lo;
		UNIT_CHECK(t, marks_add(&d, kernel, &m) == 0, "mark %u", (unsigned)i);
		UNIT_CHECK(t, marks_add(&d, kernel, &m) == 0, "mark %u again", (unsigned)i);
	}
	uint32_t n = marks_read(&d, kernel, all);
	UNIT_CHECK(t, n > MAX_MARKS / 2 && n <= MAX_MARKS && all[n - 1].key[0] == 3 * MAX_MARKS - 1 &&
			      all[0].key[0] == 3 * MAX_MARKS - n, "%u marks", n);
	/* Only records that were written are read, with any damage. */
	disk_rig_file(&r, true, 0, path);
	if (!strstr(path, "00000000000000040000000000000003"))
		disk_rig_file(&r, true, 1, path);
	char *p = disk_rig_read(path, &size);
	for (unsigned i = 0; i < 2000; i++) {
		size_t len = unit_random(&rng) % (size + 1);
		char *copy = malloc(size);
		memcpy(copy, p, size);
		for (unsigned k = 0; k < i % 4; k++)
			copy[unit_random(&rng) % size] ^= (char)(1 << unit_random(&rng) % 8);
		disk_rig_write(path, copy, len);
		free(copy);
		n = marks_read(&d, kernel, all);
		for (uint32_t k = 0; k < n; k++)
			UNIT_CHECK(t, all[k].key[0] == all[k].written && all[k].key[1] == 2, "round %u", i);
		/* A new mark is stored in spite of the damage. */
		UNIT_CHECK(t, marks_add(&d, kernel, &m) == 0 && (n = marks_read(&d, kernel, all)) &&
				      all[n - 1].key[0] == m.key[0], "round %u: lost", i);
	}
	free(p);
	disk_dir_close(&d);
	disk_rig_end(t, &r);
}

const struct unit units_disk_file[] = {
	{ "disk_file.bits", bits },	  { "disk_file.sealed", sealed },
	{ "disk_file.damaged", damaged }, { "disk_file.others", others },
	{ "disk_file.another", another }, { "disk_file.folder", folder },
	{ "disk_file.links", links },
	{ "disk_file.damaged_index", damaged_index },
};
const unsigned n_units_disk_file = QD_COUNT(units_disk_file);
