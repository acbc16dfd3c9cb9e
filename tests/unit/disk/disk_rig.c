#include "disk_rig.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const struct disk_driver disk_rig_driver = { "test", "1.0", "a device" };

static const char source[] = "kernel lanes<static L in 0..=5>(a: u32[]) block(32) {\n"
			     "  for i in grid(a.len) {\n"
			     "    a[i] = a[i] + subgroup.tile_lane(L);\n"
			     "  }\n"
			     "}\n";

/* -- Directories -------------------------------------------------------------------- */

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st, (void)kind, (void)f;
	return remove(path);
}

static int
allow_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)f;
	return kind == FTW_D || kind == FTW_DNR ? chmod(path, st->st_mode | 0700) : 0;
}

static void
remove_tree(const char *path)
{
	nftw(path, allow_one, 8, FTW_PHYS);
	nftw(path, remove_one, 8, FTW_PHYS | FTW_DEPTH);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static unsigned
list(const char *dir, const char *end, char (**out)[256], unsigned n)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name), end_len = strlen(end);
		if (e->d_name[0] == '.' || len < end_len || strcmp(e->d_name + len - end_len, end) != 0)
			continue;
		*out = realloc(*out, (n + 1) * sizeof **out);
		if (snprintf((*out)[n++], sizeof **out, "%s/%s", dir, e->d_name) >= (int)sizeof **out)
			abort();
	}
	if (d)
		closedir(d);
	return n;
}

/* Lists the files, sorted by name. The caller frees the list. */
static unsigned
files_of(struct disk_rig *r, bool index, char (**out)[256])
{
	char dir[200];
	unsigned n = 0;
	*out = NULL;
	if (index) {
		snprintf(dir, sizeof dir, "%s/v1/names", r->dir);
		n = list(dir, "", out, 0);
	}
	for (unsigned i = 0; i < 256 && !index; i++) {
		snprintf(dir, sizeof dir, "%s/v1/%02x", r->dir, i);
		n = list(dir, ".qdc", out, n);
	}
	if (n)
		qsort(*out, n, sizeof **out, by_text);
	return n;
}

bool
disk_rig_file(struct disk_rig *r, bool index, unsigned n, char out[256])
{
	char(*files)[256];
	unsigned count = files_of(r, index, &files);
	if (n < count)
		memcpy(out, files[n], 256);
	free(files);
	return n < count;
}

unsigned
disk_rig_count(struct disk_rig *r, bool index)
{
	char(*files)[256];
	unsigned count = files_of(r, index, &files);
	free(files);
	return count;
}

char *
disk_rig_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *p = malloc(1 << 20);
	*size = f ? fread(p, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return p;
}

void
disk_rig_write(const char *path, const void *p, size_t size)
{
	FILE *f = fopen(path, "wb");
	if (f && size)
		fwrite(p, 1, size, f);
	if (f)
		fclose(f);
	chmod(path, 0600);
}

/* -- Environment variables ---------------------------------------------------------- */

static struct {
	char name[32], *was;
} kept[16];
static unsigned n_kept;

void
disk_rig_env(const char *name, const char *value)
{
	unsigned i = 0;
	while (i < n_kept && strcmp(kept[i].name, name) != 0)
		i++;
	if (i == n_kept && n_kept < QD_COUNT(kept)) {
		const char *was = getenv(name);
		snprintf(kept[n_kept].name, sizeof kept[0].name, "%s", name);
		kept[n_kept++].was = was ? strdup(was) : NULL;
	}
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

void
disk_rig_env_back(void)
{
	for (; n_kept; n_kept--) {
		char *was = kept[n_kept - 1].was;
		if (was)
			setenv(kept[n_kept - 1].name, was, 1);
		else
			unsetenv(kept[n_kept - 1].name);
		free(was);
	}
}

/* -- Contexts ----------------------------------------------------------------------- */

static void
on_log(void *user, qd_log_level level, const char *component, const char *msg, size_t len)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct disk_rig *r = user;
	if (strcmp(component, "cache") != 0 || (level > QD_LOG_WARNING && !r->debug))
		return;
	pthread_mutex_lock(&lock);
	size_t at = strlen(r->log);
	snprintf(r->log + at, sizeof r->log - at, "%d %.*s\n", (int)level, (int)len, msg);
	pthread_mutex_unlock(&lock);
}

bool
disk_rig_begin(struct unit_ctx *t, struct disk_rig *r)
{
	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->alloc);
	snprintf(r->top, sizeof r->top, "/tmp/qd-disk-XXXXXX");
	UNIT_CHECK(t, mkdtemp(r->top), "mkdtemp");
	snprintf(r->dir, sizeof r->dir, "%s/cache", r->top);
	return r->top[0] != '\0';
}

bool
disk_rig_context_at(struct unit_ctx *t, struct disk_rig *r, qd_cache_mode mode, const char *dir)
{
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&r->alloc),
					.log = on_log,
					.log_user = r,
					.cache_mode = mode,
					.cache_dir = dir };
	struct qd_module *m = NULL;
	r->log[0] = '\0';
	bool ok = qd_context_create(&desc, &r->ctx, &r->e) == QD_OK &&
		  qd_module_parse(r->ctx, source, sizeof source - 1, "lanes.qdk", &m, &r->e) == QD_OK &&
		  qd_module_kernel(m, "lanes", NULL, 0, &r->kernel, &r->e) == QD_OK;
	qd_module_free(m);
	UNIT_CHECK(t, ok, "rig: %s", r->e.text);
	return ok;
}

bool
disk_rig_context(struct unit_ctx *t, struct disk_rig *r, qd_cache_mode mode)
{
	return disk_rig_context_at(t, r, mode, r->dir);
}

void
disk_rig_shut(struct unit_ctx *t, struct disk_rig *r)
{
	qd_kernel_free(r->kernel);
	qd_context_free(r->ctx);
	r->kernel = NULL;
	r->ctx = NULL;
	UNIT_CHECK(t, r->alloc.n_out == 0, "%zu host blocks are not freed", r->alloc.n_out);
	UNIT_CHECK(t, !r->alloc.wrong_size, "a block was freed with a size other than that of its allocation");
}

void
disk_rig_end(struct unit_ctx *t, struct disk_rig *r)
{
	disk_rig_shut(t, r);
	remove_tree(r->top);
	unit_alloc_fini(&r->alloc);
}

struct qd_image *
disk_rig_image(struct unit_ctx *t, struct disk_rig *r, const char *target, int l)
{
	struct qd_tmpl tmpl = { .name = "L", .value = l };
	struct qd_image *img = NULL;
	UNIT_CHECK(t, qd_compile(r->ctx, r->kernel, target, &tmpl, 1, &img, &r->e) == QD_OK, "%s",
		   r->e.text);
	return img;
}

struct qd_cache_stats
disk_rig_stats(struct disk_rig *r)
{
	struct qd_cache_stats s;
	disk_flush(r->ctx);
	qd_cache_stats(r->ctx, &s);
	return s;
}

void
disk_rig_want(struct unit_ctx *t, struct disk_rig *r, const char *what, struct disk_want w)
{
	struct qd_cache_stats s = disk_rig_stats(r);
	const uint64_t got[N_WHY] = {
		[WHY_NEW] = s.disk_new,		[WHY_TEMPLATE] = s.disk_template,
		[WHY_DRIVER] = s.disk_driver,	[WHY_DEVICE] = s.disk_device,
		[WHY_EMITTER] = s.disk_emitter, [WHY_EVICTED] = s.disk_evicted,
		[WHY_DAMAGED] = s.disk_damaged, [WHY_OFF] = s.disk_off,
	};
	uint64_t misses = 0;
	for (int i = 0; i < N_WHY; i++) {
		misses += w.why[i];
		UNIT_CHECK(t, got[i] == w.why[i], "%s: reason %d: %llu, not %llu\n%s", what, i,
			   (unsigned long long)got[i], (unsigned long long)w.why[i], r->log);
	}
	UNIT_CHECK(t, s.disk_hits == w.hits && s.disk_misses == misses && s.disk_writes == w.writes &&
			      s.disk_dropped == w.dropped,
		   "%s: %llu hits, %llu misses, %llu writes, %llu dropped\n%s", what,
		   (unsigned long long)s.disk_hits, (unsigned long long)s.disk_misses,
		   (unsigned long long)s.disk_writes, (unsigned long long)s.disk_dropped, r->log);
}

/* Fills p with bytes derived from the code, so that each image has different ones. */
static void
fill(const struct qd_image *img, unsigned char *p, size_t size)
{
	struct unit_rng rng = { hash_bytes(img->code, img->code_size).lo | 1 };
	for (size_t i = 0; i < size; i++)
		p[i] = (unsigned char)unit_random(&rng);
}

void
disk_rig_ask(struct unit_ctx *t, struct disk_rig *r, const struct qd_image *img,
	     const struct disk_driver *driver, size_t size)
{
	struct disk_ask a;
	unsigned char *want = malloc(size);
	fill(img, want, size);
	if (disk_ask(&a, img, DISK_CUBIN, driver)) {
		if (a.payload) {
			UNIT_CHECK(t, a.size == size && memcmp(a.payload, want, size) == 0 &&
					      (uintptr_t)a.payload % ENTRY_ALIGN == 0,
				   "other bytes: %zu, not %zu", a.size, size);
			disk_took(&a);
		} else {
			disk_keep(&a, want, size, "a log");
		}
	}
	disk_done(&a);
	free(want);
	(void)r;
}

void
disk_rig_once(struct unit_ctx *t, struct disk_rig *r, const char *what, const char *on, int l,
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
