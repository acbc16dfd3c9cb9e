/* Operations on all files of the cache: count, list, validate, remove. Concurrent sweeps of several
 * processes are harmless, because a removed file is a miss. A lock still limits sweeps to one
 * process, because more are unnecessary. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "disk_file.h"

enum file_kind { FILE_ENTRY, FILE_INDEX, FILE_TEMPORARY };

struct file {
	char name[FILE_NAME];
	enum file_kind kind;
	uint64_t size;
	int64_t used; /* ns since 1970 */
};

/* -- Walking ------------------------------------------------------------------------ */

static bool
file_kind(const char *folder, const char *name, enum file_kind *out)
{
	bool index = strcmp(folder, "names") == 0;
	*out = file_is_temporary(name) ? FILE_TEMPORARY : index ? FILE_INDEX : FILE_ENTRY;
	return *out == FILE_TEMPORARY || file_is_hash(name, 32, index ? "" : ".qdc");
}

static DIR *
open_dir(const struct disk_dir *d, const char *name)
{
	int fd = openat(d->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

static void
walk_folder(const struct disk_dir *d, const char *folder,
	    void (*fn)(void *user, const struct file *f), void *user)
{
	DIR *dir = open_dir(d, folder);
	const struct dirent *e;
	while (dir && (e = readdir(dir))) {
		struct file f;
		struct stat st;
		if (!file_kind(folder, e->d_name, &f.kind))
			continue;
		snprintf(f.name, sizeof f.name, "%.5s/%.40s", folder, e->d_name);
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		f.size = (uint64_t)st.st_size;
		f.used = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		fn(user, &f);
	}
	if (dir)
		closedir(dir);
}

/* Calls fn for every file of the cache; skips other files. */
static qd_status
walk(const struct disk_dir *d, void (*fn)(void *user, const struct file *f), void *user,
     struct qd_error *err)
{
	DIR *dir = open_dir(d, ".");
	const struct dirent *e;
	if (!dir)
		return qd_fail(err, QD_E_UNAVAILABLE, "the cache directory '%s' cannot be read: %s",
			       d->path, strerror(errno));
	while ((e = readdir(dir))) {
		if (strcmp(e->d_name, "names") == 0 || file_is_hash(e->d_name, 2, ""))
			walk_folder(d, e->d_name, fn, user);
	}
	closedir(dir);
	return QD_OK;
}

/* -- Counting ----------------------------------------------------------------------- */

static void
count(struct disk_total *t, const struct file *f)
{
	if (f->kind == FILE_ENTRY) {
		t->entries++;
		t->bytes += f->size;
	} else if (f->kind == FILE_INDEX) {
		t->index_files++;
		t->index_bytes += f->size;
	} else {
		t->temporaries++;
	}
}

static void
add(void *user, const struct file *f)
{
	count(user, f);
}

qd_status
disk_total(struct disk_dir *d, struct disk_total *out, struct qd_error *err)
{
	memset(out, 0, sizeof *out);
	return walk(d, add, out, err);
}

struct removal {
	const struct disk_dir *d;
	struct disk_total gone;
	int64_t from, to; /* remove temporary files used before `from`, or after `to` (a wrong clock) */
};

static void
remove_file(struct removal *r, const struct file *f)
{
	if (file_unlink(r->d, f->name))
		count(&r->gone, f);
}

static void
clear(void *user, const struct file *f)
{
	remove_file(user, f);
}

qd_status
disk_clear(struct disk_dir *d, struct disk_total *gone, struct qd_error *err)
{
	struct removal r = { .d = d };
	qd_status st = walk(d, clear, &r, err);
	*gone = r.gone;
	return st;
}

/* -- Listing ------------------------------------------------------------------------ */

struct listing {
	struct disk_dir *d;
	bool (*fn)(void *user, const struct disk_item *item);
	void *user;
	bool nomem;
};

static const char *
text(const struct entry *e, enum disk_field f)
{
	return (const char *)e->field[f].at;
}

static void
fill_item(struct disk_item *item, const struct entry *e)
{
	item->kind = (enum disk_kind)e->head.kind;
	item->kernel = text(e, FIELD_KERNEL);
	item->target = text(e, FIELD_TARGET);
	item->driver = text(e, FIELD_DRIVER);
	item->version = text(e, FIELD_VERSION);
	item->device = text(e, FIELD_DEVICE);
	item->log = (const char *)e->log;
	item->log_size = e->head.log_size;
	item->values = e->field[FIELD_TEMPLATES].at;
	item->n_values = e->field[FIELD_TEMPLATES].size / 4;
	item->payload_size = e->head.payload_size;
	item->created = (int64_t)e->head.created;
}

static void
list_one(void *user, const struct file *f)
{
	struct listing *l = user;
	struct pool_block *block;
	struct stat st;
	struct entry e;
	size_t size;
	char file[FILE_NAME + 4], name[FILE_NAME];
	if (f->kind != FILE_ENTRY)
		return;
	snprintf(file, sizeof file, "v1/%s", f->name);
	struct disk_item item = { .file = file, .size = f->size, .used = f->used / 1000000000 };
	int n = file_read(l->d, f->name, MAX_ENTRY, &block, &size, &st);
	if (n == ENOENT)
		return;
	if (n == ENOMEM) {
		l->nomem = true;
		return;
	}
	item.wrong = n == EBADMSG ? "it is not a file of this user"
		     : n	  ? strerror(n)
				  : entry_read(pool_data(block), size, &e);
	if (!item.wrong) {
		struct hash128 h = hash_bytes(e.key, e.head.key_size);
		uint64_t key[2] = { h.lo, h.hi };
		file_name(name, key);
		if (strcmp(name, f->name) != 0)
			item.wrong = "its name is that of another entry";
		fill_item(&item, &e);
	}
	if (l->fn(l->user, &item))
		file_remove(l->d, f->name, st.st_dev, st.st_ino, &st.st_ctim);
	pool_put(l->d->pool, block);
}

qd_status
disk_each(struct disk_dir *d, bool (*fn)(void *user, const struct disk_item *item), void *user,
	  struct qd_error *err)
{
	struct listing l = { d, fn, user, false };
	QD_TRY(walk(d, list_one, &l, err));
	return l.nomem ? qd_fail(err, QD_E_NOMEM, "out of memory") : QD_OK;
}

/* -- Sweeping ----------------------------------------------------------------------- */

struct gathering {
	struct buf files; /* of struct file */
	struct disk_total total;
};

static void
gather(void *user, const struct file *f)
{
	struct gathering *g = user;
	count(&g->total, f);
	buf_put(&g->files, f, sizeof *f);
}

static int
by_use(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	return x->used != y->used ? (x->used < y->used ? -1 : 1) : strcmp(x->name, y->name);
}

/* Removes the least recently used files of a kind until `most` bytes remain. */
static void
shrink(struct removal *r, const struct gathering *g, enum file_kind kind, uint64_t have,
       uint64_t most)
{
	const struct file *f = (const struct file *)(const void *)buf_data(&g->files);
	size_t n = g->files.len / sizeof *f;
	for (size_t i = 0; i < n && have > most; i++) {
		if (f[i].kind == kind) {
			have -= f[i].size;
			remove_file(r, &f[i]);
		}
	}
}

static void
remove_temporaries(struct removal *r, const struct gathering *g)
{
	const struct file *f = (const struct file *)(const void *)buf_data(&g->files);
	size_t n = g->files.len / sizeof *f;
	for (size_t i = 0; i < n; i++) {
		if (f[i].kind == FILE_TEMPORARY && (f[i].used <= r->from || f[i].used > r->to))
			remove_file(r, &f[i]);
	}
}

/* Removes files until the cache is an eighth below its limit, so that the next entries need no
 * sweep, and has space for `need` bytes. The index gets a sixteenth of the limit. */
static void
sweep_files(struct removal *r, const struct gathering *g, uint64_t most, uint64_t need)
{
	struct file *f = (struct file *)(void *)buf_data(&g->files);
	uint64_t index = most / 16, entries = most - index;
	if (f)
		qsort(f, g->files.len / sizeof *f, sizeof *f, by_use);
	remove_temporaries(r, g);
	if (!most)
		return;
	if (g->total.bytes + need > entries) {
		uint64_t left = entries - entries / 8;
		shrink(r, g, FILE_ENTRY, g->total.bytes, need < left ? left - need : 0);
	}
	if (g->total.index_bytes > index)
		shrink(r, g, FILE_INDEX, g->total.index_bytes, index - index / 8);
}

static int64_t
now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static qd_status
sweep_locked(struct disk_dir *d, uint64_t most, uint64_t need, int64_t age, struct disk_total *gone,
	     struct qd_error *err)
{
	int64_t now = now_ns(), ns = age * 1000000000;
	struct removal r = { .d = d, .from = now - ns, .to = now + ns };
	struct gathering g = { .total = { 0 } };
	buf_init(&g.files, d->pool);
	qd_status st = walk(d, gather, &g, err);
	if (st == QD_OK && g.files.nomem)
		st = qd_fail(err, QD_E_NOMEM, "out of memory");
	if (st == QD_OK)
		sweep_files(&r, &g, most, need);
	buf_fini(&g.files);
	*gone = r.gone;
	return st;
}

/* Opens and locks the lock file. Returns its descriptor, or -1 if there can be none. *others:
 * another process holds the lock. */
static int
take_lock(const struct disk_dir *d, bool *others)
{
	int fd = openat(d->fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	*others = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	return fd;
}

static void
give_lock(int fd)
{
	if (fd < 0)
		return;
	flock(fd, LOCK_UN); /* a child process may have inherited the descriptor */
	close(fd);
}

qd_status
disk_sweep(struct disk_dir *d, uint64_t most, int64_t age, struct disk_total *gone,
	   struct qd_error *err)
{
	bool others;
	int fd = take_lock(d, &others);
	qd_status st = QD_OK;
	memset(gone, 0, sizeof *gone);
	if (!others)
		st = sweep_locked(d, most, 0, age, gone, err);
	give_lock(fd);
	return st;
}

/* Contents of the lock file: bytes written by all processes since the last sweep, and its time in
 * seconds. Changes require the lock. */
struct swept {
	uint64_t written;
	int64_t looked;
};

bool
sweep_before(struct disk_dir *d, uint64_t most, uint64_t size)
{
	struct disk_total gone;
	struct swept s;
	bool others;
	int fd = take_lock(d, &others);
	int64_t now = now_ns() / 1000000000;
	if (others) {
		give_lock(fd);
		return false;
	}
	/* Without a usable lock file every process sweeps. */
	if (fd < 0 || pread(fd, &s, sizeof s, 0) != sizeof s)
		s = (struct swept){ .looked = INT64_MIN };
	s.written = size < UINT64_MAX - s.written ? s.written + size : UINT64_MAX;
	bool late = s.looked > now || now - LOOK_AGE >= s.looked;
	if (late || (most && s.written > most / 16)) {
		sweep_locked(d, most, size, TEMPORARY_AGE, &gone, QD_IGNORE_ERROR);
		s = (struct swept){ .written = size, .looked = now };
	}
	if (fd >= 0 && pwrite(fd, &s, sizeof s, 0) != sizeof s && ftruncate(fd, 0) != 0)
		late = true; /* unknown state: the next process sweeps */
	give_lock(fd);
	return true;
}
