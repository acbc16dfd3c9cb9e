/* The index: for each kernel a small file of fixed-size records of the entries that were ever
 * stored. It is used only to find the reason for a miss. Each record has a checksum; torn
 * or damaged records are ignored. Concurrent writers may lose each other's records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "disk_file.h"

enum { KEEP_MARKS = MAX_MARKS / 2, MAX_FILE = 4 * MAX_MARKS * sizeof(struct mark) };

static void
mark_name(char out[FILE_NAME], struct hash128 kernel)
{
	char hash[33];
	file_hash(hash, kernel);
	snprintf(out, FILE_NAME, "names/%s", hash);
}

static bool
is_mark(const struct mark *m)
{
	return m->sum == hash_bytes(&m->key, sizeof *m - sizeof m->sum).lo;
}

/* Reads the last records of a file and returns their number. *whole: the file contains these
 * records and nothing else. */
static uint32_t
read_marks(const struct disk_dir *d, const char *name, struct mark out[MAX_MARKS], bool *whole)
{
	struct pool_block *block;
	struct stat st;
	size_t size;
	uint32_t n = 0;
	int e = file_read(d, name, MAX_FILE, &block, &size, &st);
	*whole = e == ENOENT;
	if (e)
		return 0;
	*whole = size % sizeof *out == 0 && size <= MAX_MARKS * sizeof *out;
	size_t most = MAX_MARKS * sizeof *out, all = size - size % sizeof *out;
	for (size_t at = all > most ? all - most : 0; at < all; at += sizeof *out) {
		memcpy(&out[n], (const char *)pool_data(block) + at, sizeof *out);
		if (is_mark(&out[n]))
			n++;
		else
			*whole = false;
	}
	pool_put(d->pool, block);
	return n;
}

uint32_t
marks_read(const struct disk_dir *d, struct hash128 kernel, struct mark out[MAX_MARKS])
{
	char name[FILE_NAME];
	bool whole;
	mark_name(name, kernel);
	return read_marks(d, name, out, &whole);
}

static bool
same_key(const struct mark *a, const struct mark *b)
{
	return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

/* Appends a record in a single write, because other processes may append concurrently. */
static int
append_mark(const struct disk_dir *d, const char *name, const struct mark *m)
{
	const char *file;
	int folder = file_folder(d, name, &file);
	if (folder < 0)
		return errno;
	int fd = openat(folder, file, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int failed = errno;
	close(folder);
	if (fd < 0)
		return failed;
	ssize_t n = write(fd, m, sizeof *m);
	int e = n < 0 ? errno : n == sizeof *m ? 0 : ENOSPC;
	close(fd);
	return e;
}

int
marks_add(const struct disk_dir *d, struct hash128 kernel, const struct mark *m)
{
	struct mark all[MAX_MARKS + 1];
	char name[FILE_NAME];
	bool whole;
	mark_name(name, kernel);
	uint32_t n = read_marks(d, name, all, &whole), from = 0;
	for (uint32_t i = 0; i < n && whole; i++) {
		if (same_key(&all[i], m))
			return 0;
	}
	if (whole && n && n < MAX_MARKS)
		return append_mark(d, name, m);
	if (n >= MAX_MARKS)
		from = n - KEEP_MARKS;
	all[n++] = *m;
	return file_write(d, name, all + from, (n - from) * sizeof *all);
}

/* Returns the number of differences of two records. *why: of several differences, the one that
 * changes least often. */
static int
compare(const struct mark *a, const struct mark *b, enum disk_why *why)
{
	bool emitter = a->emitter != b->emitter, driver = a->driver != b->driver;
	bool device = a->device != b->device, templates = a->templates != b->templates;
	/* Different back ends mean different devices. */
	if (a->emitter >> 32 != b->emitter >> 32) {
		*why = WHY_DEVICE;
		return 5;
	}
	/* If everything except the key is equal, different code was emitted. */
	*why = emitter ? WHY_EMITTER : driver ? WHY_DRIVER : device ? WHY_DEVICE :
	       templates ? WHY_TEMPLATE : WHY_EMITTER;
	return emitter + driver + device + templates;
}

enum disk_why
marks_why(const struct mark *m, const struct mark *all, uint32_t n)
{
	enum disk_why why = WHY_NEW, one;
	int least = 6;
	for (uint32_t i = 0; i < n; i++) {
		if (same_key(&all[i], m))
			return WHY_EVICTED;
		int apart = compare(&all[i], m, &one);
		if (apart < least) {
			least = apart;
			why = one;
		}
	}
	return why;
}
