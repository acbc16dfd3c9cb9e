/* Interface of the disk cache. Each context has one cache, created on the first lookup. A lookup
 * reads one file in the caller's thread, and on a miss the kernel's index. Only the queue's thread
 * writes entries. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "disk_file.h"

enum { TOUCH_AGE = 3600 }; /* seconds: interval of updates of a file's time of last use */

static const char *const why_text[N_WHY] = {
	[WHY_NEW] = "the kernel is new",
	[WHY_TEMPLATE] = "the stored entry has other template values",
	[WHY_DRIVER] = "the stored entry is from another driver or driver version",
	[WHY_DEVICE] = "the stored entry is for another device or target",
	[WHY_EMITTER] = "the stored entry is from another version of qd or another optimization level",
	[WHY_EVICTED] = "the entry was evicted",
	[WHY_DAMAGED] = "the stored entry cannot be used",
	[WHY_OFF] = "the cache cannot be read",
};

/* -- Cache of a context ------------------------------------------------------------- */

static void
disk_free(struct qd_context *ctx, void *p)
{
	struct disk *disk = p;
	queue_fini(disk);
	disk_dir_close(&disk->dir);
	pthread_mutex_destroy(&disk->lock);
	pool_delete(&ctx->pool, disk);
}

static void *
disk_make(struct qd_context *ctx)
{
	struct disk *disk = pool_new(&ctx->pool, sizeof *disk);
	if (!disk)
		return NULL;
	disk->ctx = ctx;
	disk->dir.fd = -1;
	pthread_mutex_init(&disk->lock, NULL);
	queue_init(&disk->queue);
	return disk;
}

static void
log_settings(struct disk *disk)
{
	const struct disk_settings *s = &disk->set;
	if (s->wrong[0])
		ctx_log(disk->ctx, QD_LOG_WARNING, "cache", "%s", s->wrong);
	if (s->mode == DISK_OFF)
		ctx_log(disk->ctx, QD_LOG_DEBUG, "cache", "the disk cache is off");
	else
		ctx_log(disk->ctx, QD_LOG_DEBUG, "cache", "the disk cache is '%s'%s", s->path,
			s->mode == DISK_READ ? ", read-only" : "");
}

/* Opens the directory. Warns if a named directory cannot be used, or if one is untrusted. A
 * missing home, or a cache that does not exist yet, does not cause a warning. */
static void
open_dir(struct disk *disk)
{
	struct disk_settings *s = &disk->set;
	struct qd_error why;
	disk_settings(disk->ctx, s);
	if (s->mode != DISK_OFF) {
		bool write = s->mode == DISK_ON;
		qd_status st = disk_dir_open(&disk->dir, &disk->ctx->pool, s->path, write, !write,
					     &why);
		bool empty = !write && access(s->path, F_OK) != 0 && errno == ENOENT;
		bool loud = st == QD_E_INVALID || (s->chosen && !empty);
		if (st != QD_OK) {
			ctx_log(disk->ctx, loud ? QD_LOG_WARNING : QD_LOG_DEBUG, "cache",
				"%s; nothing is stored", why.text);
			s->mode = DISK_OFF;
		}
	}
	log_settings(disk);
}

static struct disk *
made_disk(struct qd_context *ctx)
{
	return atomic_load_explicit(&ctx->slot[CTX_SLOT_DISK].p, memory_order_acquire);
}

/* Returns the context's cache, or NULL if out of memory. */
static struct disk *
get_disk(struct qd_context *ctx)
{
	struct disk *disk = ctx_slot(ctx, CTX_SLOT_DISK, disk_make, disk_free);
	if (!disk)
		return NULL;
	pthread_mutex_lock(&disk->lock);
	if (!disk->opened)
		open_dir(disk);
	disk->opened = true;
	pthread_mutex_unlock(&disk->lock);
	return disk;
}

static void
count(_Atomic uint64_t *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

void
disk_stats(struct qd_context *ctx, struct qd_cache_stats *out)
{
	const struct disk *disk = made_disk(ctx);
	if (!disk)
		return;
	uint64_t *const why[N_WHY] = {
		[WHY_NEW] = &out->disk_new,	    [WHY_TEMPLATE] = &out->disk_template,
		[WHY_DRIVER] = &out->disk_driver,   [WHY_DEVICE] = &out->disk_device,
		[WHY_EMITTER] = &out->disk_emitter, [WHY_EVICTED] = &out->disk_evicted,
		[WHY_DAMAGED] = &out->disk_damaged, [WHY_OFF] = &out->disk_off,
	};
	out->disk_hits = atomic_load(&disk->hits);
	out->disk_writes = atomic_load(&disk->writes);
	out->disk_dropped = atomic_load(&disk->dropped);
	for (int i = 0; i < N_WHY; i++) {
		*why[i] = atomic_load(&disk->why[i]);
		out->disk_misses += *why[i];
	}
}

void
disk_flush(struct qd_context *ctx)
{
	struct disk *disk = made_disk(ctx);
	if (disk)
		queue_flush(disk);
}

/* -- Lookup ------------------------------------------------------------------------- */

static const char *
kernel_of(const struct disk_ask *a)
{
	struct entry e;
	/* This process created the key, so it is valid. */
	return entry_fields((const uint8_t *)buf_data(&a->key), a->key.len, &e) ?
		       "" : (const char *)e.field[FIELD_KERNEL].at;
}

static void
miss(struct disk_ask *a, enum disk_why why, const char *detail)
{
	count(&a->disk->why[why]);
	ctx_log(a->disk->ctx, QD_LOG_DEBUG, "cache", "kernel '%s': a miss: %s%s%s", kernel_of(a),
		why_text[why], detail ? ": " : "", detail ? detail : "");
}

static void
name_of(const struct disk_ask *a, char out[FILE_NAME])
{
	uint64_t key[2] = { a->hash.lo, a->hash.hi };
	file_name(out, key);
}

static void
drop_file(struct disk_ask *a)
{
	char name[FILE_NAME];
	name_of(a, name);
	if (a->disk->set.mode == DISK_ON)
		file_remove(&a->disk->dir, name, a->dev, a->ino, &a->changed);
	pool_put(&a->disk->ctx->pool, a->block);
	a->block = NULL;
	a->payload = NULL;
}

static void
why_not_there(struct disk_ask *a)
{
	struct mark all[MAX_MARKS], m;
	struct entry e;
	const uint8_t *key = (const uint8_t *)buf_data(&a->key);
	entry_fields(key, a->key.len, &e);
	entry_mark(&m, key, a->key.len, &e, a->chosen, 0);
	uint32_t n = marks_read(&a->disk->dir, a->kernel, all);
	n = queue_marks(a->disk, a->kernel, &m, all, n);
	miss(a, marks_why(&m, all, n), NULL);
}

/* Validates the file and compares its complete key. */
static void
validate(struct disk_ask *a, size_t size, const struct stat *st)
{
	struct entry e;
	const char *wrong = entry_read(pool_data(a->block), size, &e);
	if (!wrong && (e.head.kind != (uint32_t)a->kind || e.head.key_size != a->key.len ||
		       memcmp(e.key, buf_data(&a->key), a->key.len) != 0))
		wrong = "it is the entry of another key";
	if (wrong) {
		drop_file(a);
		miss(a, WHY_DAMAGED, wrong);
		return;
	}
	a->payload = e.payload;
	a->size = (size_t)e.head.payload_size;
	a->used = st->st_mtim.tv_sec;
}

static void
find(struct disk_ask *a)
{
	char name[FILE_NAME];
	struct stat st;
	size_t size = 0;
	name_of(a, name);
	int e = file_read(&a->disk->dir, name, MAX_ENTRY, &a->block, &size, &st);
	a->dev = st.st_dev;
	a->ino = st.st_ino;
	a->changed = st.st_ctim;
	if (!e) {
		validate(a, size, &st);
	} else if (e == ENOENT) {
		why_not_there(a);
	} else if (e == EBADMSG) {
		drop_file(a);
		miss(a, WHY_DAMAGED, "it is not a file of this user, or its size is invalid");
	} else {
		miss(a, WHY_OFF, strerror(e));
	}
}

/* Finds the index key. A kernel from text whose IR already contains template values is identified
 * by its text. */
static void
find_kernel(struct disk_ask *a, const struct qd_kernel *k)
{
	struct entry e;

	if (k && (k->origin.lo || k->origin.hi)) {
		a->kernel = k->origin;
		a->chosen = k->chosen;
	} else if (!entry_fields((const uint8_t *)buf_data(&a->key), a->key.len, &e)) {
		a->kernel = entry_kernel(&e);
	}
}

bool
disk_ask(struct disk_ask *a, const struct qd_image *img, enum disk_kind kind,
	 const struct disk_driver *driver)
{
	struct disk *disk = get_disk(img->ctx);
	*a = (struct disk_ask){ .kind = kind };
	if (!disk)
		return false;
	if (disk->set.mode == DISK_OFF) {
		count(&disk->why[WHY_OFF]);
		return false;
	}
	buf_init(&a->key, &img->ctx->pool);
	entry_key(&a->key, img, kind, driver);
	if (a->key.nomem) {
		count(&disk->why[WHY_OFF]);
		ctx_log(img->ctx, QD_LOG_DEBUG, "cache", "kernel '%s': a miss: out of memory",
			layout_name(img->layout));
		buf_fini(&a->key);
		return false;
	}
	a->disk = disk;
	a->hash = hash_bytes(buf_data(&a->key), a->key.len);
	find_kernel(a, img->kernel);
	find(a);
	return true;
}

void
disk_took(struct disk_ask *a)
{
	struct timespec now;
	char name[FILE_NAME];
	if (!a->disk || !a->payload)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	/* Not on every hit: the directory may be on a network. */
	if (a->disk->set.mode == DISK_ON && now.tv_sec - a->used > TOUCH_AGE) {
		const char *file;
		name_of(a, name);
		int folder = file_folder(&a->disk->dir, name, &file);
		if (folder >= 0) {
			utimensat(folder, file, NULL, AT_SYMLINK_NOFOLLOW);
			close(folder);
		}
	}
	count(&a->disk->hits);
	ctx_log(a->disk->ctx, QD_LOG_DEBUG, "cache", "kernel '%s': a hit, %zu bytes", kernel_of(a),
		a->size);
}

void
disk_refused(struct disk_ask *a, const char *why)
{
	if (!a->disk || !a->payload)
		return;
	drop_file(a);
	miss(a, WHY_DAMAGED, why);
}

void
disk_done(struct disk_ask *a)
{
	if (!a->disk)
		return;
	pool_put(&a->disk->ctx->pool, a->block);
	buf_fini(&a->key);
	a->disk = NULL;
}

/* -- Storing ------------------------------------------------------------------------ */

/* Counts and logs a dropped entry. Only the first is logged loudly, because later writes usually
 * fail for the same reason. */
static void
drop(struct disk *disk, const char *kernel, const char *why, bool loud)
{
	count(&disk->dropped);
	pthread_mutex_lock(&disk->lock);
	loud = loud && !disk->warned;
	disk->warned = disk->warned || loud;
	pthread_mutex_unlock(&disk->lock);
	ctx_log(disk->ctx, loud ? QD_LOG_WARNING : QD_LOG_DEBUG, "cache",
		"kernel '%s' is not stored in '%s': %s", kernel, disk->set.path, why);
}

static struct job *
make_job(const struct disk_ask *a, const void *payload, size_t size, const char *log)
{
	struct pool *pool = &a->disk->ctx->pool;
	struct job *j = pool_new(pool, sizeof *j);
	struct timespec now;
	struct entry e;
	if (!j)
		return NULL;
	const uint8_t *key = (const uint8_t *)buf_data(&a->key);
	clock_gettime(CLOCK_REALTIME, &now);
	buf_init(&j->bytes, pool);
	entry_write(&j->bytes, &a->key, a->kind, log, payload, size, (uint64_t)now.tv_sec);
	if (j->bytes.nomem) {
		buf_fini(&j->bytes);
		pool_delete(pool, j);
		return NULL;
	}
	entry_fields(key, a->key.len, &e);
	entry_mark(&j->mark, key, a->key.len, &e, a->chosen, (uint64_t)now.tv_sec);
	j->kernel = a->kernel;
	name_of(a, j->name);
	return j;
}

void
disk_keep(struct disk_ask *a, const void *payload, size_t size, const char *log)
{
	struct disk *disk = a->disk;
	if (!disk || disk->set.mode != DISK_ON)
		return;
	size_t whole = size + a->key.len + strlen(log) + sizeof(struct entry_header) + ENTRY_ALIGN;
	if (!size || whole > MAX_ENTRY || (disk->set.most && whole > disk->set.most / 2)) {
		drop(disk, kernel_of(a), size ? "it is too large" : "it is empty", false);
		return;
	}
	struct job *j = make_job(a, payload, size, log);
	const char *why = j ? queue_put(disk, j) : "out of memory";
	if (!why)
		return;
	drop(disk, kernel_of(a), why, false);
	if (j) {
		buf_fini(&j->bytes);
		pool_delete(&disk->ctx->pool, j);
	}
}

static void
make_room(struct disk *disk, size_t size)
{
	disk->unswept += size;
	if (sweep_before(&disk->dir, disk->set.most, disk->unswept))
		disk->unswept = 0;
}

void
disk_write(struct disk *disk, struct job *j)
{
	char *bytes = buf_data(&j->bytes);
	struct entry e;
	entry_seal(bytes, j->bytes.len);
	const char *wrong = entry_read(bytes, j->bytes.len, &e);
	if (!wrong)
		make_room(disk, j->bytes.len);
	int r = wrong ? 0 : file_write(&disk->dir, j->name, bytes, j->bytes.len);
	if (wrong || r) {
		drop(disk, wrong ? "" : (const char *)e.field[FIELD_KERNEL].at,
		     wrong ? wrong : strerror(r), true);
		return;
	}
	count(&disk->writes);
	r = marks_add(&disk->dir, j->kernel, &j->mark);
	if (r)
		ctx_log(disk->ctx, QD_LOG_DEBUG, "cache", "the index of kernel '%s': %s",
			(const char *)e.field[FIELD_KERNEL].at, strerror(r));
}
